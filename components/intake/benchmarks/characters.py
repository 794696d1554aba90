"""Half characters (lone surrogates), which JSON can write and nothing else can keep or send."""

from __future__ import annotations

from typing import TypeVar

_Value = TypeVar("_Value")


def whole(value: _Value) -> _Value:
    """What was read from JSON, with ? in place of each half character in its texts."""
    mended: object = value
    if isinstance(value, str):
        mended = value.encode("utf-8", "replace").decode("utf-8")
    elif isinstance(value, list):
        mended = [whole(each) for each in value]
    elif isinstance(value, dict):
        mended = {whole(name): whole(each) for name, each in value.items()}
    return mended  # type: ignore[return-value]

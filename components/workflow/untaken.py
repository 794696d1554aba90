"""A name for something that is chosen by its name."""

from __future__ import annotations

from collections.abc import Collection


def untaken(name: str, taken: Collection[str]) -> str:
    """The name itself, or with the first number behind it that makes it one of its own: Biology (2)."""
    own, times = name, 1
    while own in taken:
        times += 1
        own = f"{name} ({times})"
    return own

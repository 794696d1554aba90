"""Files that a page offers: what each is, and how they are called."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@dataclass(frozen=True)
class OfferedFile:
    """`said` tells what it is for; `make` gives its bytes, when its button is clicked and not before."""

    key: str
    label: str
    said: str
    ending: str
    mime: str
    icon: str
    make: Callable[[], bytes]


def file_stem(title: str, otherwise: str, which: str) -> str:
    """The beginning of a file's name: a title in letters that every system takes, else `otherwise`; then a day or a
    number that tells it from the others."""
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:50].strip("-")
    return f"{words or otherwise}-{which}"

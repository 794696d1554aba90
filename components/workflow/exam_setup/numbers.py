"""Question numbers: the next one, the parts of one, and the parts that a question's text already has."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_LAST_PART = re.compile(r"^(.*)\(([^()]+)\)$")
_PART = re.compile(r"^\s*\*{0,2}\(([a-z]|[ivx]+)\)\*{0,2}\s*", re.MULTILINE)
_MARKS = re.compile(r"[\[(]\s*(\d+(?:\.\d+)?)\s*(?:marks?)?\s*[\])]\s*$", re.IGNORECASE)
MOST_PARTS = 12


@dataclass(frozen=True)
class Part:
    """One part of a question's text. `marks` is what it says itself, as in “[2 marks]”; None where it does not."""

    text: str
    marks: float | None


def next_number(number: str, taken: Collection[str]) -> str:
    """The number after this one that the exam does not have: 4 after 3, 3(c) after 3(b), (iii) after (ii)."""
    found = _LAST_PART.match(number)
    if found is None:
        start = max((int(digits[0]) for each in [number, *taken] if (digits := re.match(r"\d+", each))), default=0)
        return next(str(n) for n in range(start + 1, start + len(taken) + 3) if str(n) not in taken)
    stem, last = found[1], found[2]
    names = _ROMANS if last in _ROMANS and "(" in stem else tuple(_LETTERS)
    for name in names[names.index(last) + 1 :] if last in names else ():
        if f"{stem}({name})" not in taken:
            return f"{stem}({name})"
    return _free_copy(number, taken)


def part_numbers(number: str, parts: int) -> list[str]:
    """3 into 3(a), 3(b), …; 3(b) into 3(b)(i), 3(b)(ii), …; deeper into (1), (2), …"""
    depth = number.count("(")
    digits = tuple(str(n) for n in range(1, MOST_PARTS + 1))
    names = (tuple(_LETTERS), _ROMANS, digits)[min(depth, 2)]
    return [f"{number}({name})" for name in names[:parts]]


def parts_of(text: str) -> tuple[str, list[Part]]:
    """What stands before the parts, and the parts, of a text whose lines begin “(a)”, “(b)” … or “(i)”, “(ii)” …

    No parts where there are not at least two in that order.
    """
    for names in (_LETTERS, _ROMANS):
        starts: list[re.Match[str]] = []
        for found in _PART.finditer(text):
            if len(starts) < MOST_PARTS and found[1] == names[len(starts)]:
                starts.append(found)
        if len(starts) >= 2:
            ends = [*(found.start() for found in starts[1:]), len(text)]
            parts = [_part(text[found.end() : end]) for found, end in zip(starts, ends, strict=True)]
            return text[: starts[0].start()].strip(), parts
    return text.strip(), []


def _part(text: str) -> Part:
    text = text.strip()
    found = _MARKS.search(text)
    return Part(text, None if found is None else float(found[1]))


def _free_copy(number: str, taken: Collection[str]) -> str:
    return next(name for n in range(2, len(taken) + 3) if (name := f"{number} ({n})") not in taken)

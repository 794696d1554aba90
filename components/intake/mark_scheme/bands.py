"""Levels of response: "Level 3 (5–6 marks): …", "Band 4: 13–16 marks", 一等（17—20分）, and their tables."""

from __future__ import annotations

import re
from dataclasses import dataclass

from components.intake.mark_scheme.wording import RANGE, number_of, tidy

DEFAULT_OBJECTIVE = "Levels"
_MARKS = rf"(?:{RANGE}|(\d{{1,3}}))\s*(?:marks?|分)?"
_SEPARATOR = r"[\s:：.,–—|-]*"
_LEVEL = re.compile(
    rf"^(?:level|band|mark\s+band|tier|stage)\s*(\d{{1,2}}|one|two|three|four|five|six)\b{_SEPARATOR}(?:[(\[（]?\s*{_MARKS}(?=[\s)\]）:：|.–—-]|$)\s*[)\]）]?)?{_SEPARATOR}(.*)$",
    re.I,
)
_SHORT = re.compile(rf"^[LB](\d)\b{_SEPARATOR}[(\[]?\s*{RANGE}\s*(?:marks?)?\s*[)\]]?{_SEPARATOR}(.*)$")
_ONLY_RANGE = re.compile(rf"^[(\[（]?\s*{RANGE}\s*(?:marks?|分)\s*[)\]）]?{_SEPARATOR}(.*)$", re.I)
_BARE_RANGE = re.compile(rf"^{RANGE}\s*[:：\t|]\s*(.*)$")
_CHINESE = re.compile(
    rf"^第?([一二三四五六])(?:等|类|档)(?:文|级)?{_SEPARATOR}[（(]?\s*{RANGE}\s*分\s*[)）]?{_SEPARATOR}(.*)$"
)
_OBJECTIVE = re.compile(
    r"^(AO\s?\d{1,2}[a-z]?)\b[\s:–—-]*([^\d(\[]*?)\s*[(\[]?\s*(\d{1,3})\s*marks?\s*[)\]]?\s*:?$", re.I
)


@dataclass(frozen=True)
class Band:
    """A level as one line gives it. `level` 0: by its place among the others."""

    level: int
    low: float | None
    high: float | None
    descriptor: str
    best_first: bool = False


def band(text: str) -> Band | None:
    found = _LEVEL.match(text)
    if found:
        low, high = found[2] or found[4], found[3] or found[4]
        if low is None or float(low) <= float(high):
            return Band(number_of(found[1]), _number(low), _number(high), found[5].strip())
    found = _SHORT.match(text)
    if found and float(found[2]) <= float(found[3]):
        return Band(int(found[1]), float(found[2]), float(found[3]), found[4].strip())
    found = _CHINESE.match(text)
    if found:
        low, high = sorted((float(found[2]), float(found[3])))
        return Band(number_of(found[1]), low, high, found[4].strip(), best_first=True)
    return None


def marks_range(text: str, among_others: bool = False) -> tuple[float, float, str] | None:
    """(low, high, rest) of a line "5–8 marks …"; of "5–8: …" where it stands among other such lines."""
    found = _ONLY_RANGE.match(text) or (_BARE_RANGE.match(text) if among_others else None)
    if not found or float(found[1]) > float(found[2]):
        return None
    return float(found[1]), float(found[2]), found[3].strip()


def cell_range(text: str) -> tuple[float, float] | None:
    """(low, high) of a table's cell "5–6", "5-6 marks" or "2"."""
    found = re.match(rf"^[(\[（]?\s*{_MARKS}\s*[)\]）]?$", text.strip(), re.I)
    if not found:
        return None
    low, high = float(found[1] or found[3]), float(found[2] or found[3])
    return (low, high) if low <= high else None


def objective(text: str) -> tuple[str, str] | None:
    """(code, name) of a heading "AO5 Content and organisation (12 marks)"."""
    found = _OBJECTIVE.match(text)
    return (re.sub(r"\s", "", found[1]).upper(), tidy(found[2])) if found else None


def objectives_in(text: str) -> list[str]:
    """The codes of assessment objectives in the text, in order and once each."""
    return list(
        dict.fromkeys(re.sub(r"\s", "", code).upper() for code in re.findall(r"\bAO\s?\d{1,2}[a-z]?\b", text, re.I))
    )


def only_objectives(text: str) -> bool:
    """Whether a line says nothing but assessment objectives and their marks."""
    rest = re.sub(r"\bAO\s?\d{1,2}[a-z]?\b|\bmarks?\b|\band\b", "", text, flags=re.I)
    return bool(objectives_in(text)) and re.fullmatch(r"[\d\s,;:=+/()\[\]–—-]*", rest) is not None


def _number(written: str | None) -> float | None:
    return None if written is None else float(written)

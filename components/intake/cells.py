"""What a mark looks like in a cell."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_NOT_MARKED = frozenset(
    {"-", "–", "—", "not yet graded", "requires grading", "not marked", "not graded", "未评", "未评分"}
)
_FRACTIONS = {"¼": ".25", "½": ".5", "¾": ".75"}
_NUMBER = r"[-+−]?\d*(?:[.,]\d+)?"
_MARK = re.compile(rf"({_NUMBER})(?:\s*(?:marks?|points?|分))?")
_OUT_OF = re.compile(rf"({_NUMBER})\s*(?:/|out of)\s*({_NUMBER})")
_GROUPED = re.compile(r"\d{1,3},\d{3}")
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*"
_DATE = re.compile(
    rf"\d{{1,2}}[-/ .]{_MONTH}(?:[-/ .]\d{{2,4}})?|{_MONTH}[-/ .]\d{{1,4}}|\d{{1,2}}[-/.]\d{{1,2}}[-/.](?:19|20)?\d\d"
    r"|(?:19|20)\d\d[-/]\d{1,2}[-/]\d{1,2}(?:[ T]00:00:00)?|\d{1,2}月\d{1,2}日",
    re.IGNORECASE,
)
_LONGEST_DATE = 20


class NotAMarkError(ValueError):
    """A cell that holds neither a mark nor a sign that there is none."""


@dataclass(frozen=True)
class MarkCell:
    """A cell read as a mark. `mark` is None where there is none; `out_of` is the maximum in “4 / 5”.

    `items` are the marks whose sum it is, where the cell was a list of them.
    """

    mark: float | None
    out_of: float | None = None
    unmarked_sign: bool = False
    items: tuple[float, ...] = ()


@lru_cache(maxsize=4096)
def read_mark(cell: str) -> MarkCell:
    """Reads “3”, “2.5”, “2,5”, “2½”, “3 marks”, “3分”, “4 / 5”; a blank cell, “-” and “Not yet graded” are no mark.

    Raises NotAMarkError for anything else, percentages, exponents and “1,000” included.
    """
    text = cell.strip()
    for sign, decimals in _FRACTIONS.items():
        text = text.replace(sign, decimals)
    text = unicodedata.normalize("NFKC", text).casefold()
    if not text:
        return MarkCell(None)
    if text in _NOT_MARKED:
        return MarkCell(None, unmarked_sign=True)
    if whole := _MARK.fullmatch(text):
        return MarkCell(_number(whole[1], cell))
    if parts := _OUT_OF.fullmatch(text):
        return MarkCell(_number(parts[1], cell), out_of=_number(parts[2], cell))
    if looks_like_date(text):
        raise NotAMarkError(f"“{shortened(cell)}” is not a mark but a date, which spreadsheets make of 1/2 or 2/1")
    raise NotAMarkError(f"“{shortened(cell)}” is not a mark")


def looks_like_date(cell: str) -> bool:
    """Whether a whole cell is a date, such as 2-Jan, 01/02/2026 or 2026-02-01: what spreadsheets make of 1/2."""
    text = cell.strip()
    return 0 < len(text) <= _LONGEST_DATE and _DATE.fullmatch(text) is not None


def shortened(text: str, length: int = 40) -> str:
    """The beginning of a cell on one line, for a message."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"


def _number(text: str, cell: str) -> float:
    if not any(char.isdigit() for char in text) or _GROUPED.fullmatch(text):
        raise NotAMarkError(f"“{shortened(cell)}” is not a mark")
    return float(text.replace(",", ".").replace("−", "-"))

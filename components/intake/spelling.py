"""Numbers and names as written: what a reader cannot tell apart must not be two, nor two people one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache

from components.intake.report import Report

_BEFORE = re.compile(r"\s*(?:question|ques|qu|q|item|no|第)(?![a-z])[\s.:#]*", re.IGNORECASE)
_PARTS = re.compile(r"\d+|[^\W\d_]+")


@lru_cache(maxsize=100_000)
def plainly_written(cell: str) -> str:
    """A number in plain characters: full-width ones as usual ones, without invisible ones, single spaces inside."""
    if cell.isascii():
        return " ".join(cell.split())
    usual = unicodedata.normalize("NFKC", cell)
    return " ".join("".join(char for char in usual if unicodedata.category(char) != "Cf").split())


def candidate_key(number: str) -> str:
    """What two candidate numbers share that differ only in capitals, spaces or leading zeros."""
    return "".join(plainly_written(number).casefold().split()).lstrip("0") or "0"


def question_key(number: str) -> str:
    """A question's number without brackets, spaces and “Q”: 3bii for “Q3 (b)(ii)”. 1.2 and 12 stay apart."""
    text = _BEFORE.sub("", unicodedata.normalize("NFKC", number).casefold(), count=1).removesuffix("题")
    key = ""
    for part in _PARTS.findall(text):
        if part.isdigit():
            key += ("." if key[-1:].isdigit() else "") + (part.lstrip("0") or "0")
        else:
            key += part
    return key or text.strip()


def may_be_one(name: str, other: str) -> bool:
    """Whether two names may be one person's: one has all the words of the other, in any order; blank may be anybody."""
    one, two = (set(re.findall(r"\w+", each.casefold())) for each in (name, other))
    return one <= two or two <= one


def refuse_look_alikes(rows: Mapping[str, int], what: str, key: Callable[[str], str], report: Report) -> None:
    """Reports different numbers that come to the same by the key: a mark would go to the wrong one.

    `rows` are the numbers, each with the first row that has it; `what` is said of them: candidate or question.
    """
    first: dict[str, str] = {}
    for number in sorted(rows, key=rows.__getitem__):
        earlier = first.setdefault(key(number), number)
        if earlier != number:
            report.error(
                rows[number],
                f"{what} “{number}” is written almost as “{earlier}” in row {rows[earlier]}. If they are one, write "
                "them one way; if they are two, tell them apart by more than capitals, spaces, brackets or zeros.",
            )

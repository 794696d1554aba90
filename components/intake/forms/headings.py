"""What a heading of a wide table says of a question: its number, its text, its maximum, and what stands under it."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import Literal

Role = Literal["answer", "mark", "max", "other"]

_AMOUNT = r"\d{1,3}(?:[.,]\d+)?"
_UNIT = r"(?:marks?|points?|pts?\.?|分)"
# A maximum in brackets or after a stroke: “(4)”, “[4 marks]”, “/4”, “out of 4”, “max 4”, “4 marks”.
_MAX = re.compile(
    rf"\s*(?:[\[(（]\s*(?:max(?:imum)?\.?:?\s*|/\s*)?({_AMOUNT})\s*{_UNIT}?\s*[\])）]|/\s*({_AMOUNT})\s*{_UNIT}?"
    rf"|(?:out of|max(?:imum)?\.?)\s*({_AMOUNT})|[-–—:,]?\s*({_AMOUNT})\s*{_UNIT})\s*$",
    re.IGNORECASE,
)
# In a question's wording a bare “(4)” may mean anything, so the unit must stand there too.
_MAX_IN_TEXT = re.compile(rf"\s*[\[(（]\s*({_AMOUNT})\s*{_UNIT}\s*[\])）]\s*$", re.IGNORECASE)
_ONLY_MAX = re.compile(rf"({_AMOUNT})\s*{_UNIT}", re.IGNORECASE)
_PART = r"(?:[a-z]|[ivx]{1,4})"
_NUMBER = (
    rf"\d{{1,3}}(?:\.\d{{1,2}})*(?:\s?\({_PART}\)|\s?[a-z]?[ivx]{{0,4}}(?![a-z]))*"
    rf"(?:[._-]{_PART}(?![a-z]))*(?:\({_PART}\))*"
)
_NAMED = re.compile(rf"(?:(?:question|ques|qu|q|item)\s*[.:#]?\s*|第\s*)?({_NUMBER})\s*题?", re.IGNORECASE)
_NUMBERED_TEXT = re.compile(
    rf"(?:(?:question|ques|qu|q)\s*\.?\s*({_NUMBER})\s*[:.)\-–—]?|({_NUMBER})\s*[:.)\-–—])\s+(\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_ROLES: dict[str, Role] = {
    **dict.fromkeys(("answer", "answers", "response", "responses", "text", "作答", "答案", "回答"), "answer"),
    **dict.fromkeys(("mark", "marks", "score", "scores", "point", "points", "pts", "得分", "评分", "分数"), "mark"),
    **dict.fromkeys(("max", "maximum", "max mark", "max marks", "out of", "max score", "max points", "满分"), "max"),
    **dict.fromkeys(("comment", "comments", "feedback", "time", "时间", "评语"), "other"),
}
_ROLE_WORDS = "|".join(sorted(map(re.escape, _ROLES), key=len, reverse=True))
_ROLE_LAST = re.compile(rf"(.*?)[\s:·\-–—_.]*[\[(]?({_ROLE_WORDS})[\])]?", re.IGNORECASE | re.DOTALL)
_ROLE_FIRST = re.compile(rf"({_ROLE_WORDS})[\s:·\-–—_.]*(?:for |to |of )?(.*)", re.IGNORECASE | re.DOTALL)
# “Q1 mark 2”, “Q1 second marker”: what another marker gave, and no question in words.
_OF_A_MARKER = re.compile(
    r"(?:(?:first|second|third|1st|2nd|3rd)\s+)?(?:marks?|markers?|scores?|raters?)\s*[a-d\d]?", re.I
)
_LONGEST_SHORT = 80
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_REPEATED = re.compile(r" \(\d+\)$")


@dataclass(frozen=True)
class QuestionHeading:
    """A heading taken apart. `role` is None where it says nothing of what the cells are; `text` is often empty."""

    number: str
    role: Role | None = None
    max_mark: float | None = None
    text: str = ""


def question_heading(heading: str) -> QuestionHeading | None:
    """“Q1”, “3(b)(ii)”, “Q1 (4)”, “Q1 /4 mark”, “Response 2”, “Q2: Why? (3 marks)” taken apart; else None."""
    if len(heading) <= _LONGEST_SHORT:
        rest, max_mark = without_max(heading.strip())
        rest, role = _without_role(rest)
        if max_mark is None:
            rest, max_mark = without_max(rest)
        if named := _NAMED.fullmatch(rest.strip()):
            return QuestionHeading(tidy_number(named[1]), role, max_mark)
    numbered = _NUMBERED_TEXT.fullmatch(heading.strip())
    if numbered and re.match(r"(?i)q|\d+[:.)]", heading.strip()):
        text, max_mark = max_in_text(numbered[3])
        if alone := _ONLY_MAX.fullmatch(text):
            text, max_mark = "", number_of(alone[1])
        number = tidy_number(numbered[1] or numbered[2])
        if _OF_A_MARKER.fullmatch(text):
            return QuestionHeading(number, "mark", max_mark)
        return QuestionHeading(number, None, max_mark, text)
    return None


def without_max(heading: str) -> tuple[str, float | None]:
    """A short heading without the maximum at its end, and that maximum, if any."""
    found = _MAX.search(heading)
    if not found or not any(char.isdigit() for char in heading[: found.start()]):  # “Question 1 mark” has none
        return heading, None
    return heading[: found.start()], number_of(next(group for group in found.groups() if group))


def max_in_text(text: str) -> tuple[str, float | None]:
    """A question's wording without “[4 marks]” at its end, and that maximum, if any."""
    found = _MAX_IN_TEXT.search(text)
    return (text[: found.start()].strip(), number_of(found[1])) if found else (text.strip(), None)


def number_and_text(heading: str) -> tuple[str, str, float | None]:
    """A question used as a heading: its number (blank where it has none), its wording and its maximum if it says."""
    text = plain_text(heading)
    numbered = _NUMBERED_TEXT.fullmatch(text)
    number, text = (tidy_number(numbered[1] or numbered[2]), numbered[3]) if numbered else ("", text)
    wording, max_mark = max_in_text(text)
    return number, wording, max_mark


def numbered(headings: list[tuple[str, str, float | None]]) -> list[tuple[str, str, float | None]]:
    """The questions with the numbers they give themselves; where one gives none or two the same, 1, 2, 3…"""
    given = [number for number, _, _ in headings]
    if all(given) and len(set(given)) == len(given):
        return headings
    return [(str(place), text, max_mark) for place, (_, text, max_mark) in enumerate(headings, start=1)]


def tidy_number(number: str) -> str:
    """A question's number without spaces: “3 (b)” is 3(b)."""
    return "".join(number.split())


def plain_text(heading: str) -> str:
    """A heading without HTML tags and entities, and without the “ (2)” that a repeated one was given."""
    return " ".join(html.unescape(_TAG.sub(" ", heading)).split())


def without_repeat(heading: str) -> str:
    """A heading without the number that repeated ones are given: “1.0 (2)” is “1.0”."""
    return _REPEATED.sub("", heading)


def number_of(text: str) -> float:
    return float(text.replace(",", "."))


def is_role(heading: str) -> bool:
    """Whether a heading is only the name of what stands under it, as in the second row of a two-row heading."""
    return heading.strip().casefold() in _ROLES


def is_part(heading: str) -> bool:
    """Whether a heading is only a part of a question: “a”, “(b)”, “(ii)”."""
    return re.fullmatch(rf"\(?{_PART}\)?", heading.strip(), re.IGNORECASE) is not None


def _without_role(heading: str) -> tuple[str, Role | None]:
    if found := _ROLE_LAST.fullmatch(heading):
        rest, role = found[1], _ROLES[found[2].casefold()]
        if rest.strip():
            return rest, role
    if found := _ROLE_FIRST.fullmatch(heading):
        role, rest = _ROLES[found[1].casefold()], found[2]
        if rest.strip():
            return rest, role
    return heading, None

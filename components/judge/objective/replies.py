"""Our reading of a whole reply to a choice item: the answer fields, then clear statements, never a stray letter."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from typing import TypeVar

from components.judge.objective.choice import read_choice
from components.judge.objective.reading import Unreadable, plain
from components.marking import ChoiceKey

Read = TypeVar("Read")


class Kind(StrEnum):
    """The kinds of objective item in GAOKAO-Bench, by its own names."""

    SINGLE_CHOICE = "single_choice"
    MULTI_QUESTION_CHOICE = "multi_question_choice"
    MULTI_CHOICE = "multi_choice"
    FIVE_OUT_OF_SEVEN = "five_out_of_seven"


_FIELD = re.compile(r"[【\[]\s*答案\s*[】\]]\s*[:：]*")
_LINE_FIELD = re.compile(
    r"^[ \t*]*(?:[(（]?\d{1,3}[)）.、．:：]*[ \t*]*)?(?:答案|answer|ans)[*\s]*[:：][*]*", re.I | re.M
)
_FIELD_END = re.compile(r"<eoa>|【", re.IGNORECASE)
_NEXT_NUMBER = re.compile(r"第?\s*[(（\[]?\s*\d{1,3}\s*[)）\].、．:：题小问*\s]*$")
_LONGEST_NUMBER = 12
_TAG = re.compile(r"<eo\w>", re.IGNORECASE)
_WRAPPER = re.compile(r"\\(?:boxed|mathrm|mathbf|text|textbf)\s*\{([^{}]*)\}")
_CORRECTION = re.compile(
    r"\bactually\b|\bcorrection\b|\bcorrected\b|\bmistake\b|\bsecond thoughts?\b|\bchange my answer\b|\bwait[,.!]"
    r"|更正|改为|改成|改选|修正",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(r"[\s)）\]*]*(?:选项|项)?\s*(?:除外|以外|之外|[是都均也]{0,2}[错误不])")
_LIST_LEAD = re.compile(
    r"^\W*(?:(?:the|my|final|correct)\s+)*(?:answers?|ans)(?:\s+(?:is|are))?[\s:]+|^\W*答案[是为:\s]*", re.I
)
_LIST_TOKEN = re.compile(
    r"(?P<range>\d{1,3}\s*[-~]\s*\d{1,3})|(?P<number>\d{1,3})|(?P<letters>[A-Z]+|(?<![A-Za-z])[a-z](?![A-Za-z]))"
    r"|[\s,.;:/()\[\]*·-]"
)


def read_reply(text: str, kind: Kind, count: int) -> tuple[str, ...] | None:
    """What a reply answers to each of an item's `count` sub-questions; None where that cannot be made out.

    What stands after 【答案】 is the answer, and letters of the explanation are never taken in its place. Without such
    a field the reply must choose as plainly as `read_choice` asks, or be a list of exactly `count` letters. One
    sub-question that cannot be read, among others that can, is "". Several letters of one answer come in order.
    """
    text = _WRAPPER.sub(r"\1", text).replace("$", " ")
    if kind is Kind.FIVE_OUT_OF_SEVEN:
        return _several_questions(text, "ABCDEFG", count)
    if kind is Kind.MULTI_QUESTION_CHOICE and count > 1:
        return _several_questions(text, "ABCD", count)
    several = kind is Kind.MULTI_CHOICE
    fields, after = _fields(text, _FIELD)
    if not fields:
        chosen = _chosen(_TAG.sub(" ", text), "ABCD", several)
        return (chosen,) if chosen else None
    read = {_in_field(field, lambda part: _chosen(part, "ABCD", several)) for field in fields}
    if len(read) > 1 or None in read or _CORRECTION.search(after):
        return None
    return tuple(chosen for chosen in read if chosen)


def _several_questions(text: str, letters: str, count: int) -> tuple[str, ...] | None:
    """One letter a sub-question: as many fields as sub-questions, or a list of letters in a field or in the reply."""
    fields, after = _fields(text, _FIELD)
    if not fields:
        fields, after = _fields(text, _LINE_FIELD)
    if _CORRECTION.search(after):
        return None
    if len(fields) == count:
        read = tuple(_in_field(field, lambda part: _chosen(part, letters, False)) or "" for field in fields)
        return read if any(read) else None
    if fields:
        lists = {_in_field(field, lambda part: _list_of(part, letters, count)) for field in fields}
    else:
        body = _TAG.sub(" ", text)
        whole = _list_of(body, letters, count)
        lines = (_list_of(line, letters, count) for line in body.splitlines())
        lists = {whole} if whole else {found for found in lines if found}
    return next(iter(lists)) if len(lists) == 1 else None


def _fields(text: str, mark: re.Pattern[str]) -> tuple[list[str], str]:
    """What stands after each mark up to <eoa>, the next 【 or the next mark, and what follows the last field's start.

    The number of the next sub-question is left out of a field.
    """
    marks = list(mark.finditer(text))
    if not marks:
        return [], ""
    fields = []
    for this, following in zip(marks, [*marks[1:], None], strict=True):
        limit = following.start() if following else len(text)
        end = _FIELD_END.search(text, this.end(), limit)
        field = text[this.end() : end.start() if end else limit]
        if following and not end:
            field = field.rstrip()
            field = field[:-_LONGEST_NUMBER] + _NEXT_NUMBER.sub("", field[-_LONGEST_NUMBER:])
        fields.append(field)
    return fields, text[marks[-1].end() :]


def _in_field(field: str, read: Callable[[str], Read | None]) -> Read | None:
    """A field read whole, else its first line: an explanation often follows where <eoa> was left out."""
    first_line = next((line for line in field.splitlines() if line.strip()), "")
    return read(field) or read(first_line)


def _chosen(text: str, letters: str, several: bool) -> str | None:
    """The letters that `read_choice` reads, unless Chinese words right after them take them back or add another."""
    key = ChoiceKey(options=dict.fromkeys(letters, ""), correct=())
    try:
        choice = read_choice(text, key, several)
    except Unreadable:
        return None
    after = text[choice.end :]
    others = re.finditer(rf"(?<![A-Za-z'])[{letters}](?=[一-鿿])", after)
    if _TAKEN_BACK.match(after) or any(
        other.group() not in choice.selection and not _TAKEN_BACK.match(after, other.end()) for other in others
    ):
        return None
    return "".join(sorted(choice.selection))


def _list_of(text: str, letters: str, count: int) -> tuple[str, ...] | None:
    """The letters of "C F A E D", "1. C 2. F", "36-40 CFAED": nothing else in the text, and exactly `count` of them."""
    try:
        body = plain(text)
    except Unreadable:
        return None
    lead = _LIST_LEAD.match(body)
    at = lead.end() if lead else 0
    found: list[str] = []
    numbers: list[int] = []
    while at < len(body):
        token = _LIST_TOKEN.match(body, at)
        if token is None:
            return None
        at = token.end()
        found.extend((token["letters"] or "").upper())
        if token["number"]:
            if len(numbers) != len(found):
                return None
            numbers.append(int(token["number"]))
    numbered = not numbers or numbers == list(range(numbers[0], numbers[0] + count))
    return tuple(found) if len(found) == count and set(found) <= set(letters) and numbered else None

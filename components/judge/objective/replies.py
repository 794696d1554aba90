"""Our reading of a whole reply to a choice item: the answer fields, then clear statements, never a stray letter."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from components.judge.objective.choice import read_choice
from components.judge.objective.lists import Listed, in_capitals, list_of
from components.judge.objective.reading import Unreadable
from components.marking import ChoiceKey


@dataclass(frozen=True)
class Reply:
    """The answers read in a reply, one entry a sub-question, and where they stand: `start`/`end` index its text.

    `sure` is False where the answers stand among other words.
    """

    answers: tuple[str, ...]
    start: int
    end: int
    sure: bool = True


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
_TAKEN_BACK = re.compile(
    r"[\s)）\]*]*(?:选项|项)?\s*(?:除外|以外|之外|[是都均也]{0,2}(?:[错误]|不(?!(?:选择?|是)(?:选?项)?\s*[A-G])))"
)


def read_reply(text: str, kind: Kind, count: int) -> Reply | None:
    """What a reply answers to each of an item's `count` sub-questions; None where that cannot be made out.

    What stands after 【答案】 is the answer, and letters of the explanation are never taken in its place. Without such
    a field the reply must choose as plainly as `read_choice` asks, or be a list of exactly `count` letters. One
    sub-question that cannot be read, among others that can, is "". Several letters of one answer come in order.
    """
    if kind is Kind.FIVE_OUT_OF_SEVEN:
        return read_sequence(text, "ABCDEFG", count)
    if kind is Kind.MULTI_QUESTION_CHOICE and count > 1:
        return read_sequence(text, "ABCD", count)
    return _one_question(_unwrapped(text), "ABCD", kind is Kind.MULTI_CHOICE)


def read_sequence(text: str, letters: str, count: int, several: bool = False) -> Reply | None:
    """The same for `count` sub-questions with options `letters`; `several` says that they may take several letters.

    There are as many fields as sub-questions, or a list of answers in a field or in the reply.
    """
    text = _unwrapped(text)
    fields, after = _fields(text, _FIELD)
    if not fields:
        fields, after = _fields(text, _LINE_FIELD)
    if _CORRECTION.search(after):
        return None
    if len(fields) == count:
        read = [_in_field(field, lambda part: _chosen(part, letters, several)) for field in fields]
        found = [listed for listed in read if listed]
        answers = tuple(listed.answers[0] if listed else "" for listed in read)
        return Reply(answers, found[0].start, found[-1].end) if found else None
    if fields:
        lists = [_in_field(field, lambda part: list_of(part, letters, count, several)) for field in fields]
        return _agreed(lists)
    body = _TAG.sub(_spaces, text)
    capitals = in_capitals(body)
    whole = list_of((capitals, 0), letters, count, several)
    if whole:
        return _agreed([whole], sure=capitals == body)
    lines = [list_of(line, letters, count, several) for line in _lines(body)]
    if _CORRECTION.search(body) or _another_list(body, lines, letters, count):
        return None
    return _agreed([listed for listed in lines if listed], sure=False)


def _one_question(text: str, letters: str, several: bool) -> Reply | None:
    fields, after = _fields(text, _FIELD)
    if not fields:
        return _agreed([_chosen((_TAG.sub(_spaces, text), 0), letters, several)])
    read = [_in_field(field, lambda part: _chosen(part, letters, several)) for field in fields]
    return None if _CORRECTION.search(after) else _agreed(read)


def _agreed(lists: list[Listed | None], sure: bool = True) -> Reply | None:
    """What the places of a reply say, where all can be read and say the same."""
    found = [listed for listed in lists if listed]
    if not found or len(found) < len(lists) or len({listed.answers for listed in found}) > 1:
        return None
    return Reply(found[-1].answers, found[-1].start, found[-1].end, sure)


def _another_list(body: str, lines: list[Listed | None], letters: str, count: int) -> bool:
    """Whether a line that is not a list says a packed one all the same: "no, BDACB" after "BDACA"."""
    known = {"".join(listed.answers) for listed in lines if listed}
    packed = re.findall(rf"(?<![A-Za-z])[{letters}]{{{max(count, 2)}}}(?![A-Za-z])", body)
    return any(run not in known for run in packed)


def _unwrapped(text: str) -> str:
    """The text without TeX wrappers and dollar signs, one character for one: positions stay valid."""
    return _WRAPPER.sub(lambda m: _blank(m.start(1) - m.start()) + m[1] + _blank(m.end() - m.end(1)), text).replace(
        "$", " "
    )


def _spaces(match: re.Match[str]) -> str:
    return _blank(len(match.group()))


def _blank(length: int) -> str:
    return " " * length


def _lines(text: str, start: int = 0) -> list[tuple[str, int]]:
    lines = []
    for line in text.splitlines(keepends=True):
        lines.append((line, start))
        start += len(line)
    return lines


def _fields(text: str, mark: re.Pattern[str]) -> tuple[list[tuple[str, int]], str]:
    """What stands after each mark up to <eoa>, the next 【 or the next mark, and what follows the last field's start.

    A field comes with its place. The number of the next sub-question is left out of it.
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
        fields.append((field, this.end()))
    return fields, text[marks[-1].end() :]


def _in_field(field: tuple[str, int], read: Callable[[tuple[str, int]], Listed | None]) -> Listed | None:
    """A field read whole, else its first line: an explanation often follows where <eoa> was left out."""
    return read(field) or read(next((line for line in _lines(*field) if line[0].strip()), ("", field[1])))


def _chosen(part: tuple[str, int], letters: str, several: bool) -> Listed | None:
    """The letters that `read_choice` reads, unless Chinese words right after them take them back or add another."""
    text, at = part
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
    return Listed(("".join(sorted(choice.selection)),), at + choice.start, at + choice.end)

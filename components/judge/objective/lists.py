"""Reading a bare list of answers, one a sub-question: "C F A E D", "1. C 2. F", "36-40 CFAED"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from components.judge.objective.reading import Unreadable, plain

_LEAD = re.compile(
    r"^\W*(?:(?:the|my|final|correct)\s+)*(?:answers?|ans)(?:\s+(?:is|are))?[\s:]+|^\W*答案[是为:\s]*", re.I
)
_TOKEN = re.compile(
    r"(?P<range>\d{1,3}\s*[-~]\s*\d{1,3})|(?P<number>\d{1,3})|(?P<letters>[A-Z]+|(?<![A-Za-z])[a-z](?![A-Za-z]))"
    r"|(?P<line>\n)|[\s,.;:/()\[\]*·=-]"
)


@dataclass(frozen=True)
class Listed:
    """The answers of a list, one entry a sub-question, from the first one's place to the last one's."""

    answers: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True)
class _Run:
    """Letters written together, the line they stand on, and how many numbers came before them."""

    letters: str
    line: int
    numbers: int
    start: int
    end: int


def list_of(part: tuple[str, int], letters: str, count: int, several: bool = False) -> Listed | None:
    """The list that a text is, where it holds nothing else and exactly `count` answers among `letters`.

    A part is a text and its place in the reply. With `several`, letters belong together that follow one number, that
    stand on one line where there are `count` lines, or that are written together.
    """
    found = _runs(part[0])
    if found is None:
        return None
    runs, numbers = found
    groups = _groups(runs, len(numbers), count) if several else [letter for run in runs for letter in run.letters]
    if len(groups) != count or not set("".join(groups)) <= set(letters):
        return None
    if numbers and numbers != list(range(numbers[0], numbers[0] + count)):
        return None
    if numbers and [run.numbers for run in runs if run.numbers] != [run.numbers for run in runs]:
        return None
    if not several and numbers and [run.numbers for run in runs] != list(range(1, count + 1)):
        return None
    return Listed(tuple(groups), part[1] + runs[0].start, part[1] + runs[-1].end)


def in_capitals(text: str) -> str:
    """The text in capitals where its only letters are one run of small ones: "bdaca", "16-20 bdaca"."""
    return text.upper() if re.fullmatch(r"[\W\d_]*[a-zａ-ｚ]+[\W\d_]*", text) else text


def how_many(text: str) -> int | None:
    """How many letters a text that is a bare list holds; None for any other text."""
    found = _runs(in_capitals(text))
    return sum(len(run.letters) for run in found[0]) or None if found else None


def _groups(runs: list[_Run], numbers: int, count: int) -> list[str]:
    lines = {run.line for run in runs}
    if numbers:
        places = [run.numbers for run in runs]
    elif len(lines) == count:
        places = [run.line for run in runs]
    else:
        places = list(range(len(runs)))
    together: dict[int, set[str]] = {}
    for place, run in zip(places, runs, strict=True):
        together.setdefault(place, set()).update(run.letters)
    return ["".join(sorted(chosen)) for chosen in together.values()]


def _runs(text: str) -> tuple[list[_Run], list[int]] | None:
    """The letters and the numbers of a list; None where the text holds anything else, or a number after another."""
    try:
        body = plain(text)
    except Unreadable:
        return None
    lead = _LEAD.match(body)
    at = lead.end() if lead else 0
    runs: list[_Run] = []
    numbers: list[int] = []
    line = 0
    while at < len(body):
        token = _TOKEN.match(body, at)
        if token is None:
            return None
        if token["letters"]:
            runs.append(_Run(token["letters"].upper(), line, len(numbers), at, token.end()))
        line += 1 if token["line"] else 0
        if token["number"]:
            if numbers and (not runs or runs[-1].numbers < len(numbers)):
                return None
            numbers.append(int(token["number"]))
        at = token.end()
    return runs, numbers

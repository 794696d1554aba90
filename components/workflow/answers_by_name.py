"""Many picture files at once: whose answer each is, by its name, before anything is stored."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from sqlite_utils import Database

from components.workflow.answers import AnswerError, Arriving, Existing, candidate_number, existing
from storage import exams, responses
from storage.pictures import NewPage

_PAGE = re.compile(r"(.+?)_(\d{1,2})")


@dataclass(frozen=True)
class Row:
    """One file: the candidate and page that its name says. `problem` keeps everything from being stored."""

    file: str
    number: str = ""
    page: int = 1
    known: bool = True
    problem: str = ""


def rows(db: Database, question_id: int, files: Sequence[tuple[str, str]]) -> list[Row]:
    """A row for each (file name, what is wrong with the file or ""), in the order given."""
    question = exams.question(db, question_id)
    known = set(responses.candidates(db, question.exam_id))
    named = [_row(file, fault, known) for file, fault in files]
    places = Counter((row.number, row.page) for row in named if not row.problem)
    there = {row.number: existing(db, question_id, row.number) for row in named if not row.problem}
    return [
        row if row.problem else replace(row, problem=_problem(row, places[row.number, row.page], there[row.number]))
        for row in named
    ]


def arriving(
    db: Database, question_id: int, named: Sequence[Row], pages: Mapping[str, Sequence[NewPage]]
) -> list[Arriving]:
    """The candidates' answers of rows without a problem; `pages` are those of each file."""
    made: dict[str, list[NewPage]] = {}
    for row in sorted(named, key=lambda row: row.page):
        made.setdefault(row.number, []).extend(pages[row.file])
    numbers = dict.fromkeys(row.number for row in named)
    return [
        Arriving(number, "photographed", pages=tuple(made[number]), seen=existing(db, question_id, number).seen)
        for number in numbers
    ]


def number_and_page(file: str, known: set[str]) -> tuple[str, int]:
    """What a file's name says: 0417.jpg is candidate 0417, 0417_2.png the second page. Raises AnswerError."""
    stem = PurePath(file).stem
    if stem in known:
        return stem, 1
    paged = _PAGE.fullmatch(stem)
    if paged and int(paged[2]) > 0:
        return candidate_number(paged[1]), int(paged[2])
    return candidate_number(stem), 1


def _row(file: str, fault: str, known: set[str]) -> Row:
    try:
        number, page = number_and_page(file, known)
    except AnswerError as error:
        return Row(file, problem=fault or str(error))
    return Row(file, number, page, number in known, fault)


def _problem(row: Row, files: int, there: Existing) -> str:
    if files > 1:
        return f"{files} files are named as candidate {row.number}, page {row.page}. Rename or leave out all but one."
    if there.closed:
        return f"Candidate {row.number}: {there.closed}"
    if there.pages or (there.response is not None and there.response.text.strip()):
        return f"Candidate {row.number} has an answer to this question already. Change it under “One answer”."
    return ""

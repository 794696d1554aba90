"""Gradescope: the marks of an assignment ("scores"), and the evaluations of one question. Neither has answers."""

from __future__ import annotations

import re
from pathlib import PurePath

from components.intake.columns import plain_heading
from components.intake.forms.headings import number_of, tidy_number
from components.intake.forms.people import find_people
from components.intake.forms.shape import Attempts, QuestionColumns, Shape
from components.intake.tables import Table

_QUESTION = re.compile(r"(\d{1,3}(?:\.\d{1,2})*)\s*:\s*(.*?)\s*\((\d{1,4}(?:\.\d+)?)\s*pts?\)", re.DOTALL)
_IGNORED = frozenset(
    {"total score", "max points", "submission id", "submission time", "lateness h m s", "view count"}
    | {"submission count", "score", "assignment submission id", "question submission id"}
)
_FOOT = frozenset({"point values", "rubric numbers", "rubric type", "scoring method"})
_NOTE = "Gradescope gives marks but no answers, so every answer is blank: the scripts are pictures."
_FILE_NUMBER = re.compile(r"(?:\d{3,}_)?(?:question[ _-]?)?(\d{1,2}(?:\.\d+)*)(?:[_ .-]|$)", re.IGNORECASE)


def gradescope(table: Table) -> Shape | None:
    plain = [plain_heading(column) for column in table.columns]
    return _marks(table, plain) or _evaluations(table, plain)


def _marks(table: Table, plain: list[str]) -> Shape | None:
    found = [(place, match) for place, column in enumerate(table.columns) if (match := _QUESTION.fullmatch(column))]
    if not found or len({"sid", "email", "total score", "max points", "status"}.intersection(plain)) < 3:
        return None
    questions = tuple(
        QuestionColumns(tidy_number(match[1]), match[2], number_of(match[3]), mark=place) for place, match in found
    )
    return Shape(
        layout="Gradescope scores",
        why=f"It has the columns “Total Score”, “Max Points” and questions such as “{table.columns[found[0][0]]}”.",
        questions=questions,
        people=find_people(table, taken=[place for place, _ in found]),
        groups=_sections(plain),
        attempts=Attempts(state=plain.index("status") if "status" in plain else None),
        one_each=True,
        ignored=frozenset(place for place, heading in enumerate(plain) if heading in _IGNORED),
        notes=(_NOTE,),
    )


def _evaluations(table: Table, plain: list[str]) -> Shape | None:
    """The evaluations of one question: a column an item of the rubric, the points of the items under the last row."""
    if "assignment submission id" not in plain or "score" not in plain or "adjustment" not in plain:
        return None
    score = plain.index("score")
    foot = frozenset(
        number
        for number, row in zip(table.row_numbers, table.rows, strict=True)
        if any(cell.strip().rstrip(":").casefold() in _FOOT for cell in row[:score])
    )
    found = _FILE_NUMBER.match(PurePath(table.name).stem)
    number = tidy_number(found[1]) if found else "1"
    notes = [_NOTE, f"The file holds one question, taken for question {number} by its name."]
    notes.append("What each item of the rubric, adjustment and comment says was left out.")
    if foot:
        notes.append("The rows under the last candidate, which describe the rubric, were left out.")
    return Shape(
        layout="Gradescope evaluations of one question",
        why="It has the columns “Assignment Submission ID”, “Score” and “Adjustment” of Gradescope's evaluations.",
        questions=(QuestionColumns(number, "", _full_points(table, plain, score), mark=score),),
        people=find_people(table, taken=[score]),
        groups=_sections(plain),
        one_each=True,
        ignored=frozenset(range(len(plain))) - set(find_people(table, taken=[score]).all()) - {score},
        left_out_rows=foot,
        notes=tuple(notes),
    )


def _sections(plain: list[str]) -> tuple[int, ...]:
    return tuple(plain.index(each) for each in ("section name", "sections", "section") if each in plain)[:1]


def _full_points(table: Table, plain: list[str], score: int) -> float | None:
    """What the question is out of: in the row of point values, under the marks."""
    for row in table.rows:
        if any(cell.strip().rstrip(":").casefold() == "point values" for cell in row[:score]):
            cell = row[score].strip()
            return number_of(cell) if re.fullmatch(r"\d{1,4}(?:\.\d+)?", cell) else None
    return None

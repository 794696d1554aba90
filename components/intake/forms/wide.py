"""A wide table: a row a candidate, a column a question, or two or three of answer, mark and maximum."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from components.intake.cells import NotAMarkError, looks_like_date, read_mark
from components.intake.columns import group_columns, plain_heading
from components.intake.forms.headings import QuestionHeading, Role, question_heading, without_repeat
from components.intake.forms.people import People, find_people
from components.intake.forms.shape import Attempts, QuestionColumns, Shape
from components.intake.forms.summary_rows import is_maximum_row
from components.intake.tables import Table

Cells = Literal["marks", "answers"]
_TOTALS = re.compile(
    r"(grand |raw |final |overall )?(totals?|sum|marks?|scores?|grades?|percent(age)?|results?|rank|position|level)"
    r"( marks?| scores?| points?)?( ?(out of )?\d+)?|总分|合计|名次|排名|等级|成绩",
)
_READ: tuple[Role, ...] = ("max", "mark", "answer")
_EATEN_ZERO = " A spreadsheet that takes 3.10 for a number shows 3.1: write such headings as Q3.10."
_ATTEMPT = frozenset({"attempt", "attempt number", "attempt no"})
_FINISHED = frozenset({"submitted", "completed", "finished", "completion time", "submission time", "submitted at"})
_STATE = frozenset({"state", "status"})


@dataclass
class _Gathered:
    """The columns of one question by their roles; `bare` are those whose heading gives none."""

    headings: list[QuestionHeading] = field(default_factory=list)
    places: dict[Role, list[int]] = field(default_factory=dict)
    bare: list[int] = field(default_factory=list)


def wide(table: Table, cells: Cells | None = None) -> Shape | None:
    """A table with two question columns or more, or one beside a candidate column.

    `cells` says what stands under headings that only number a question; otherwise the values tell.
    """
    plain = [plain_heading(column) for column in table.columns]
    gathered, others = _questions(table)
    people = find_people(table, taken=[place for place in range(len(plain)) if place not in others])
    if not gathered or (len(gathered) < 2 and not people.all()):
        return None
    maximum_rows, row_maxima = _maxima(table, people, gathered)
    has_roles = any({"answer", "mark"} & each.places.keys() for each in gathered.values())
    bare_places = [place for each in gathered.values() for place in each.bare]
    maxima = {number: _maximum(number, each, row_maxima) for number, each in gathered.items()}
    rows = [row for key, row in zip(table.row_numbers, table.rows, strict=True) if key not in maximum_rows]
    bare: Cells = cells or ("answers" if has_roles or not _hold_marks(rows, bare_places) else "marks")
    questions = tuple(_columns(number, each, bare, maxima[number]) for number, each in gathered.items())
    notes = _notes(table, others, people, plain, bare if bare_places and not has_roles else None, chosen=bool(cells))
    if maximum_rows:
        notes.append(f"Row {min(maximum_rows)} holds the maximum marks and is no candidate.")
    if all(question.answer is None for question in questions):
        notes.append("The table has marks but no answers, so every answer is blank.")
    shown = ", ".join(f"“{table.columns[place]}”" for place in sorted(set(range(len(plain))) - set(others))[:3])
    return Shape(
        layout="Wide table (a row a candidate)",
        why=f"Columns such as {shown} are headed by the numbers of questions.",
        questions=questions,
        people=people,
        groups=_groups(table, others, people),
        attempts=_attempts(plain, others),
        one_each=bool(_attempts(plain, others).all()),
        left_out_rows=maximum_rows,
        notes=tuple(notes),
        faults=tuple(fault for number, each in gathered.items() for fault in _doubled(table, number, each, bare)),
    )


def only_marks(table: Table) -> bool:
    """Whether all columns headed by numbers are of marks: “score 1” and “score 2” beside an answer are two markers'."""
    headings = [heading for column in table.columns if (heading := question_heading(column))]
    return all(heading.role == "mark" for heading in headings)


def _questions(table: Table) -> tuple[dict[str, _Gathered], list[int]]:
    """The questions by number in the order of the table, and the places of columns that are none."""
    gathered: dict[str, _Gathered] = {}
    others: list[int] = []
    for place, column in enumerate(table.columns):
        repeated = without_repeat(column) in table.columns[:place]  # then its “(2)” is no maximum
        heading = question_heading(without_repeat(column) if repeated else column)
        if heading is None:
            others.append(place)
            continue
        each = gathered.setdefault(heading.number, _Gathered())
        each.headings.append(heading)
        if heading.role is None:
            each.bare.append(place)
        elif heading.role != "other":
            each.places.setdefault(heading.role, []).append(place)
    if all(not each.bare and not each.places for each in gathered.values()):
        return {}, list(range(len(table.columns)))
    return {number: each for number, each in gathered.items() if each.bare or each.places}, others


def _maxima(table: Table, people: People, gathered: dict[str, _Gathered]) -> tuple[frozenset[int], dict[str, float]]:
    """The row that holds the maximum marks, if any, and what it says."""
    for place, (number, row) in enumerate(zip(table.row_numbers, table.rows, strict=True)):
        if not is_maximum_row(row, people, first=place == 0):
            continue
        found: dict[str, float] = {}
        for question, each in gathered.items():
            wanted = [place for role in _READ for place in each.places.get(role, ())]
            for column in [*wanted, *each.bare]:
                value = _mark(row[column])
                if value is not None:
                    found.setdefault(question, value)
        if found:
            return frozenset({number}), found
    return frozenset(), {}


def _maximum(number: str, each: _Gathered, row_maxima: dict[str, float]) -> float | None:
    said = [heading.max_mark for heading in each.headings if heading.max_mark is not None]
    return row_maxima.get(number, said[0] if said else None)


def _columns(number: str, each: _Gathered, bare: Cells, max_mark: float | None) -> QuestionColumns:
    places = {role: found[0] for role, found in _with_bare(each, bare).items()}
    text = next((heading.text for heading in each.headings if heading.text), "")
    return QuestionColumns(number, text, max_mark, places.get("answer"), places.get("mark"), places.get("max"))


def _with_bare(each: _Gathered, bare: Cells) -> dict[Role, list[int]]:
    """The places by role, of those too whose heading gives none."""
    role: Role = "mark" if bare == "marks" else "answer"
    return {**each.places, role: [*each.places.get(role, ()), *each.bare]} if each.bare else each.places


def _doubled(table: Table, number: str, each: _Gathered, bare: Cells) -> list[str]:
    """What is said of columns that would be the same of one question: to keep one would lose or misplace a mark."""
    faults = []
    for role, found in _with_bare(each, bare).items():
        if len(found) > 1:
            columns = _listed([table.columns[place] for place in found])
            what = {"answer": "answers to", "mark": "marks of", "max": "maxima of"}.get(role, "the cells of")
            faults.append(
                f"The columns {columns} would all be the {what} question {number}, and nobody can say which is meant. "
                "Give each question a number of its own and delete what is not needed, or use one row a response."
                f"{_EATEN_ZERO if '.' in number else ''}"
            )
    return faults


def _hold_marks(rows: list[tuple[str, ...]], places: list[int]) -> bool:
    """Whether every cell is a mark or has none, but for dates that a spreadsheet made; and one is a mark at least."""
    marks = 0
    for row in rows:
        for place in places:
            cell = row[place]
            if not cell.strip() or looks_like_date(cell):
                continue
            try:
                marks += read_mark(cell).mark is not None
            except NotAMarkError:
                return False
    return marks > 0


def _notes(
    table: Table, others: list[int], people: People, plain: list[str], bare: Cells | None, *, chosen: bool
) -> list[str]:
    notes: list[str] = []
    if bare is not None and not chosen:
        because = "as they all are numbers" if bare == "marks" else "as they are not all numbers"
        notes.append(f"The cells under the questions were taken for {bare}, {because}.")
    used = people.all() | set(_groups(table, others, people)) | _attempts(plain, others).all()
    left = [place for place in others if place not in used]
    totals = [table.columns[place] for place in left if _TOTALS.fullmatch(plain[place])]
    rest = [table.columns[place] for place in left if not _TOTALS.fullmatch(plain[place])]
    if totals:
        notes.append(f"Totals left out, as they are worked out from the marks: {_listed(totals)}.")
    if rest:
        notes.append(f"Columns left out, as they are neither questions nor about the candidate: {_listed(rest)}.")
    return notes


def _groups(table: Table, others: list[int], people: People) -> tuple[int, ...]:
    places = [table.columns.index(column) for column in group_columns(table)]
    return tuple(place for place in places if place in others and place not in people.all())


def _attempts(plain: list[str], others: list[int]) -> Attempts:
    def place(headings: frozenset[str]) -> int | None:
        return next((place for place in others if plain[place] in headings), None)

    return Attempts(state=place(_STATE), finished=place(_FINISHED), number=place(_ATTEMPT))


def _listed(columns: list[str]) -> str:
    return ", ".join(f"“{column}”" for column in columns)


def _mark(cell: str) -> float | None:
    try:
        return read_mark(cell).mark
    except NotAMarkError:
        return None

"""A table and its mapping as an import: checked row by row, and all of it or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from components.intake.cells import MarkCell, NotAMarkError, read_mark, shortened
from components.intake.columns import FIELD_LABELS, Mapping
from components.intake.groups import check_group_columns, read_groups
from components.intake.report import Report, RowReport
from components.intake.tables import Table
from components.marking import Question, QuestionType, Scheme, default_tolerance, format_mark, on_step

_STEPS = (1.0, 0.5, 0.25)
_HUMAN_FIELDS = ("mark_1", "mark_2")


@dataclass(frozen=True)
class Defaults:
    """What the teacher gives for all rows where the table does not say: a blank `question` or None is no default."""

    max_mark: float | None = None
    question: str = ""
    type: QuestionType = QuestionType.SHORT
    language: str = "en"
    subject: str = ""


@dataclass(frozen=True)
class PlannedQuestion:
    """A question with its scheme; the scheme is the table's free text, or empty."""

    question: Question
    scheme: Scheme


@dataclass(frozen=True, slots=True)
class PlannedResponse:
    """An answer; it may be blank. `row` is its own in the plan: its row in the file, or one of `Table.keys`."""

    row: int
    candidate: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class PlannedMark:
    """A person's mark for the response of `row`; `marker` is 1 or 2."""

    row: int
    marker: int
    mark: float


@dataclass(frozen=True, slots=True)
class PlannedAIMark:
    """An AI's mark for the response of `row`."""

    row: int
    mark: float


@dataclass(frozen=True)
class ImportPlan:
    """What an import would store. With any error in the report nothing is planned: tuples and groups are empty.

    Questions and responses stand in the order of the file. `sha256` is the file's, `sheet` the workbook's sheet.
    `groups` has by candidate number the values by group, as in {"0417": {"class": "11A"}}.
    """

    file_name: str
    sheet: str | None
    sha256: str
    questions: tuple[PlannedQuestion, ...]
    responses: tuple[PlannedResponse, ...]
    human_marks: tuple[PlannedMark, ...]
    ai_marks: tuple[PlannedAIMark, ...]
    report: tuple[RowReport, ...]
    groups: dict[str, dict[str, str]] = field(default_factory=dict, hash=False)

    @property
    def problems(self) -> int:
        """How many errors the report has."""
        return sum(entry.level == "error" for entry in self.report)

    @property
    def warnings(self) -> int:
        return sum(entry.level == "warning" for entry in self.report)

    @property
    def ok(self) -> bool:
        return self.problems == 0


class _Row(NamedTuple):
    """One row's cells by field, blank where no column is mapped; its number in the file, and its key in the table."""

    number: int
    key: int
    candidate: str
    question: str
    answer: str
    max_mark: str
    mark_scheme: str
    question_text: str
    mark_1: str
    mark_2: str
    ai_mark: str
    type: str


@dataclass
class _Facts:
    """What the rows of one question say about it, as far as they agree."""

    max_mark: float | None
    scheme: str
    text: str
    type: QuestionType


def plan_import(table: Table, mapping: Mapping, defaults: Defaults | None = None) -> ImportPlan:
    """Checks every row and gives the import, or the report of what stands in its way. Never raises for bad data."""
    defaults = defaults or Defaults()
    report = Report()
    if not _mapping_holds(table, mapping, defaults, report):
        return _plan(table, report)
    rows = _without_repeats(_complete_rows(table, mapping, defaults, report), report)
    by_question: dict[str, list[_Row]] = {}
    for row in rows:
        by_question.setdefault(row.question, []).append(row)
    facts = {number: _facts(group, defaults, report) for number, group in by_question.items()}
    human_marks: list[PlannedMark] = []
    ai_marks: list[PlannedAIMark] = []
    marks_of: dict[str, set[float]] = {number: set() for number in facts}
    for row in rows:
        max_mark = facts[row.question].max_mark
        for marker, name in enumerate(_HUMAN_FIELDS, start=1):
            mark = _mark(row, name, max_mark, report)
            if mark is not None:
                human_marks.append(PlannedMark(row.key, marker, mark))
                marks_of[row.question].add(mark)
        mark = _mark(row, "ai_mark", max_mark, report)
        if mark is not None:
            ai_marks.append(PlannedAIMark(row.key, mark))
            marks_of[row.question].add(mark)
    groups = read_groups(table, mapping, report)
    if report.errors:
        return _plan(table, report)
    return _plan(
        table,
        report,
        questions=[_question(number, fact, marks_of[number], defaults) for number, fact in facts.items()],
        responses=[PlannedResponse(row.key, row.candidate, row.question, row.answer) for row in rows],
        human_marks=human_marks,
        ai_marks=ai_marks,
        groups=groups,
    )


def _plan(
    table: Table,
    report: Report,
    questions: Iterable[PlannedQuestion] = (),
    responses: Iterable[PlannedResponse] = (),
    human_marks: Iterable[PlannedMark] = (),
    ai_marks: Iterable[PlannedAIMark] = (),
    groups: dict[str, dict[str, str]] | None = None,
) -> ImportPlan:
    return ImportPlan(
        file_name=table.name,
        sheet=table.sheet,
        sha256=table.sha256,
        questions=tuple(questions),
        responses=tuple(responses),
        human_marks=tuple(human_marks),
        ai_marks=tuple(ai_marks),
        report=report.entries(table.row_numbers),
        groups=groups or {},
    )


def _mapping_holds(table: Table, mapping: Mapping, defaults: Defaults, report: Report) -> bool:
    chosen = mapping.chosen()
    needed = ["candidate", "answer"]
    needed += ["question"] if not defaults.question.strip() else []
    needed += ["max_mark"] if defaults.max_mark is None else []
    for name in needed:
        if name not in chosen:
            other = ", or give it for all rows" if name in {"question", "max_mark"} else ""
            report.whole(table.header_row, f"Choose the column that holds the {FIELD_LABELS[name].lower()}{other}.")
    users: dict[str, str] = {}
    for name, column in chosen.items():
        label = FIELD_LABELS[name].lower()
        if column not in table.columns:
            report.whole(table.header_row, f"There is no column “{column}”. Choose another for the {label}.")
        elif column in users:
            report.whole(
                table.header_row,
                f"Column “{column}” is chosen for both the {users[column]} and the {label}. Choose one of them.",
            )
        users[column] = label
    check_group_columns(table, mapping, report)
    if defaults.max_mark is not None and (defaults.max_mark <= 0 or not on_step(defaults.max_mark, 0.25)):
        report.whole(table.header_row, f"For all rows, {_bad_maximum(defaults.max_mark)}")
    return not report.errors


def _complete_rows(table: Table, mapping: Mapping, defaults: Defaults, report: Report) -> Iterator[_Row]:
    """The rows that name a candidate and a question and have no stray cells."""
    columns = mapping.chosen()
    places = [table.columns.index(columns[name]) if name in columns else None for name in _Row._fields[2:]]
    for number, key, cells in zip(table.row_numbers, table.keys(), table.rows, strict=True):
        values = [cells[place] if place is not None else "" for place in places]
        question = " ".join(values[1].split()) or defaults.question.strip()
        row = _Row(number, key, values[0].strip(), question, *values[2:])
        if number in table.too_wide:
            report.error(
                number,
                "it has more cells than there are headings. Put answers that hold the separator in quotation marks, "
                "or give the extra column a heading.",
            )
        if number in table.too_narrow:
            report.warning(number, "it has fewer cells than there are headings; those missing were read as blank.")
        for name in ("candidate", "question"):
            if not getattr(row, name):
                report.error(number, f"the {FIELD_LABELS[name].lower()} is missing. Fill it in.")
        if row.candidate and row.question and number not in table.too_wide:
            yield row


def _without_repeats(rows: Iterable[_Row], report: Report) -> list[_Row]:
    """One row for each candidate and question. One that says it all again is skipped; one that differs is an error."""
    first: dict[tuple[str, str], _Row] = {}
    for row in rows:
        earlier = first.setdefault((row.candidate, row.question), row)
        if earlier is row:
            continue
        what = f"candidate {row.candidate}'s question {row.question} is in row {earlier.number} already"
        if row[2:] == earlier[2:]:
            report.warning(row.number, f"{what}, with the same content. This row was skipped.")
        elif row.answer.strip() != earlier.answer.strip():
            report.error(row.number, f"{what}, with another answer. Keep one of the two rows.")
        else:
            report.error(
                row.number, f"{what}, with the same answer but other marks or details. Keep one of the two rows."
            )
    return list(first.values())


def _facts(rows: list[_Row], defaults: Defaults, report: Report) -> _Facts:
    """What the rows of one question say about it. Rows that contradict the first to say something are errors."""
    number = rows[0].question
    text = _agreed(rows, "question_text", report)
    scheme = _agreed(rows, "mark_scheme", report)
    return _Facts(_max_mark(number, rows, defaults, report), scheme, text, _type(rows, defaults, report))


def _agreed(rows: list[_Row], name: str, report: Report) -> str:
    """The text that every row of a question gives, where it gives any."""
    said: str = ""
    said_in = 0
    for row in rows:
        cell: str = getattr(row, name).strip()
        if not cell or cell == said:
            continue
        if said:
            report.error(
                row.number,
                f"the {FIELD_LABELS[name].lower()} of question {row.question} differs from row {said_in}. "
                "Use the same in every row of a question, or leave the others blank.",
            )
        else:
            said, said_in = cell, row.number
    return said


def _max_mark(number: str, rows: list[_Row], defaults: Defaults, report: Report) -> float | None:
    said: float | None = None
    said_in = 0
    troubled = False
    for row in rows:
        try:
            value = read_mark(row.max_mark).mark
        except NotAMarkError as error:
            report.error(row.number, f"maximum mark: {error}. Write a number above 0.")
            troubled = True
            continue
        if value is None or value == said:
            continue
        if value <= 0 or not on_step(value, 0.25):
            report.error(row.number, _bad_maximum(value))
            troubled = True
        elif said is not None:
            report.error(
                row.number,
                f"the maximum mark of question {number} is {value:g} here but {said:g} in row {said_in}. "
                "A question has one maximum.",
            )
        else:
            said, said_in = value, row.number
    if said is None and not troubled:
        said = defaults.max_mark
        if said is None:
            report.error(
                rows[0].number,
                f"question {number} has no maximum mark in any row. Fill it in, or give one for all rows.",
            )
    return said


def _bad_maximum(value: float) -> str:
    return f"the maximum mark {value:g} is not a whole number of quarter marks above 0. Write another."


def _type(rows: list[_Row], defaults: Defaults, report: Report) -> QuestionType:
    name = _agreed(rows, "type", report)
    if not name:
        return defaults.type
    try:
        return QuestionType("_".join(name.casefold().replace("-", " ").replace("_", " ").split()))
    except ValueError:
        known = ", ".join(each.value.replace("_", " ") for each in QuestionType)
        row = next(row for row in rows if row.type.strip())
        report.error(row.number, f"“{shortened(name)}” is not a question type. Use one of: {known}.")
        return defaults.type


def _mark(row: _Row, name: str, max_mark: float | None, report: Report) -> float | None:
    """A row's mark when it has one that its question allows."""
    cell: str = getattr(row, name)
    label = FIELD_LABELS[name].lower()
    try:
        read = read_mark(cell)
    except NotAMarkError as error:
        report.error(row.number, f"{label}: {error}. Write a number, or leave it blank where there is no mark.")
        return None
    if read.unmarked_sign:
        report.warning(row.number, f"{label}: “{shortened(cell)}” was read as not marked.")
    if read.mark is None or max_mark is None:
        return None
    problem = _mark_problem(read, max_mark)
    if problem:
        report.error(row.number, f"{label}: {problem}. Correct it, or leave it blank.")
        return None
    if read.out_of is not None:
        report.warning(row.number, f"{label}: “{shortened(cell)}” was read as {format_mark(read.mark)}.")
    return read.mark


def _mark_problem(read: MarkCell, max_mark: float) -> str:
    assert read.mark is not None
    if read.out_of is not None and read.out_of != max_mark:
        return f"it is out of {read.out_of:g}, but the question's maximum is {max_mark:g}"
    if not 0 <= read.mark <= max_mark:
        return f"{read.mark:g} is outside 0 to {max_mark:g}"
    if not on_step(read.mark, 0.25):
        return f"{read.mark:g} is not a whole number of quarter marks"
    return ""


def _question(number: str, facts: _Facts, marks: set[float], defaults: Defaults) -> PlannedQuestion:
    """The question on the coarsest step that all its marks, people's and AI's, and its maximum stand on."""
    assert facts.max_mark is not None
    step = next(step for step in _STEPS if all(on_step(mark, step) for mark in chain(marks, [facts.max_mark])))
    question = Question(
        number=number,
        type=facts.type,
        text=facts.text,
        max_mark=facts.max_mark,
        mark_step=step,
        tolerance=default_tolerance(facts.max_mark),
        subject=defaults.subject,
        language=defaults.language,
    )
    return PlannedQuestion(question, Scheme(max_mark=facts.max_mark, mark_step=step, text=facts.scheme))

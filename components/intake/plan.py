"""A table and its mapping as an import: checked row by row, and all of it or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from components.intake.ai_cells import read_ai_mark
from components.intake.cells import MarkCell, NotAMarkError, read_mark, shortened
from components.intake.columns import FIELD_LABELS, AIColumn, Mapping
from components.intake.groups import read_groups
from components.intake.mapping_check import bad_maximum, mapping_holds
from components.intake.planned import (
    Defaults,
    ImportPlan,
    PlannedAIMark,
    PlannedMark,
    PlannedQuestion,
    PlannedResponse,
)
from components.intake.report import Report
from components.intake.spelling import candidate_key, plainly_written, question_key, refuse_look_alikes
from components.intake.tables import Table
from components.marking import Question, QuestionType, Scheme, coarsest_step, default_tolerance, format_mark, on_step

_HUMAN_LABELS = (FIELD_LABELS["mark_1"].lower(), FIELD_LABELS["mark_2"].lower())


class _Row(NamedTuple):
    """One row's cells by field, blank where no column is mapped; its number in the file, and its key in the table."""

    number: int
    key: int
    ai_marks: tuple[str, ...]  # one a column, in the order of `Mapping.ais`
    candidate: str
    question: str
    answer: str
    max_mark: str
    mark_scheme: str
    question_text: str
    mark_1: str
    mark_2: str
    type: str


@dataclass
class _Facts:
    """What the rows of one question say about it, as far as they agree."""

    max_mark: float | None
    scheme: str
    text: str
    type: QuestionType


def plan_import(
    table: Table, mapping: Mapping, defaults: Defaults | None = None, *, needs_answers: bool = True
) -> ImportPlan:
    """Checks every row and gives the import, or the report of what stands in its way. Never raises for bad data.

    `needs_answers` is False for an exam that is there: a column of marks is then enough, and every answer is blank.
    """
    defaults = defaults or Defaults()
    report = Report()
    if not mapping_holds(table, mapping, defaults, report, needs_answers=needs_answers):
        return _plan(table, report)
    rows = _without_repeats(_complete_rows(table, mapping, defaults, report), report)
    for name, key in (("candidate", candidate_key), ("question", question_key)):
        refuse_look_alikes({getattr(row, name): row.number for row in reversed(rows)}, name, key, report)
    by_question: dict[str, list[_Row]] = {}
    for row in rows:
        by_question.setdefault(row.question, []).append(row)
    facts = {number: _facts(group, defaults, report) for number, group in by_question.items()}
    human_marks: list[PlannedMark] = []
    ai_marks: list[PlannedAIMark] = []
    marks_of: dict[str, set[float]] = {number: set() for number in facts}
    ais = [(each, _ai_label(each)) for each in mapping.ais()]
    for row in rows:
        max_mark = facts[row.question].max_mark
        for marker, cell in enumerate((row.mark_1, row.mark_2), start=1):
            given = _mark(row, cell, _HUMAN_LABELS[marker - 1], max_mark, report, read_mark)
            if given is not None and given.mark is not None:
                human_marks.append(PlannedMark(row.key, marker, given.mark))
                marks_of[row.question].add(given.mark)
        for (ai, label), cell in zip(ais, row.ai_marks, strict=True):
            said = _mark(row, cell, label, max_mark, report, read_ai_mark)
            if said is not None and said.mark is not None:
                ai_marks.append(PlannedAIMark(row.key, said.mark, " ".join(ai.judge.split()), said.items))
                marks_of[row.question].add(said.mark)
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


def _complete_rows(table: Table, mapping: Mapping, defaults: Defaults, report: Report) -> Iterator[_Row]:
    """The rows that name a candidate and a question and have no stray cells."""
    columns = mapping.chosen()
    places = [table.columns.index(columns[name]) if name in columns else None for name in _Row._fields[3:]]
    ais = [table.columns.index(each.column) for each in mapping.ais()]
    for number, key, cells in zip(table.row_numbers, table.keys(), table.rows, strict=True):
        values = [cells[place] if place is not None else "" for place in places]
        candidate, question = plainly_written(values[0]), plainly_written(values[1]) or defaults.question.strip()
        row = _Row(number, key, tuple([cells[place] for place in ais]), candidate, question, *values[2:])
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
            report.error(row.number, bad_maximum(value))
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


def _ai_label(ai: AIColumn) -> str:
    return f"“{shortened(ai.column)}”" if ai.judge else FIELD_LABELS["ai_mark"].lower()


def _mark(
    row: _Row, cell: str, label: str, max_mark: float | None, report: Report, read: Callable[[str], MarkCell]
) -> MarkCell | None:
    """A row's mark when it has one that its question allows."""
    try:
        found = read(cell)
    except NotAMarkError as error:
        report.error(row.number, f"{label}: {error}. Write a number, or leave it blank where there is no mark.")
        return None
    if found.unmarked_sign:
        report.warning(row.number, f"{label}: “{shortened(cell)}” was read as not marked.")
    if found.mark is None or max_mark is None:
        return None
    problem = _mark_problem(found.mark, found.out_of, max_mark)
    if problem:
        report.error(row.number, f"{label}: {problem}. Correct it, or leave it blank.")
        return None
    if found.out_of is not None:
        report.warning(row.number, f"{label}: “{shortened(cell)}” was read as {format_mark(found.mark)}.")
    return found


@lru_cache(maxsize=4096)
def _mark_problem(mark: float, out_of: float | None, max_mark: float) -> str:
    if out_of is not None and out_of != max_mark:
        return f"it is out of {out_of:g}, but the question's maximum is {max_mark:g}"
    if not 0 <= mark <= max_mark:
        return f"{mark:g} is outside 0 to {max_mark:g}"
    if not on_step(mark, 0.25):
        return f"{mark:g} is not a whole number of quarter marks"
    return ""


def _question(number: str, facts: _Facts, marks: set[float], defaults: Defaults) -> PlannedQuestion:
    """The question on the coarsest step that all its marks, people's and AI's, and its maximum stand on."""
    assert facts.max_mark is not None
    step = coarsest_step((*marks, facts.max_mark))
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

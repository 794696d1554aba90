"""A wide table tidied into a form: one row a candidate, plain marks and maxima, and what was left out in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from components.intake.cells import MarkCell, NotAMarkError, read_mark
from components.intake.forms.attempts import finished_attempts
from components.intake.forms.dates import date_checks, date_note
from components.intake.forms.scaled import unscaled
from components.intake.forms.shape import QuestionColumns, Shape
from components.intake.forms.summary_rows import summary_rows
from components.intake.forms.wide_form import Asked, WideForm
from components.intake.report import RowReport
from components.intake.tables import Table
from components.marking import format_mark


def tidied(table: Table, shape: Shape) -> WideForm:
    """The form of a table: without averages and earlier attempts, with marks and maxima worked out of the cells."""
    summaries = summary_rows(table, shape.people)
    left = set(summaries) | shape.left_out_rows
    rows = [(number, cells) for number, cells in zip(table.row_numbers, table.rows, strict=True) if number not in left]
    checks = [RowReport(table.header_row, "error", fault) for fault in shape.faults]
    checks += [
        RowReport(number, "warning", f"Row {number}: left out, as it holds “{label}” and is no candidate.")
        for number, label in summaries.items()
    ]
    notes = [*table.notes, *shape.notes]
    if summaries:
        labels = ", ".join(f"“{label}” (row {number})" for number, label in sorted(summaries.items()))
        notes.append(f"Rows that are no candidates left out: {labels}.")
    kept = finished_attempts(rows, shape)
    notes += kept.notes
    checks += kept.left_out
    asked = [_asked(question, shape, [cells for _, cells in kept.rows], notes) for question in shape.questions]
    asked = _unscaled(asked, shape, notes)
    numbers = [number for number, _ in kept.rows]
    suspected: list[RowReport] = []
    for each in asked:
        suspected += date_checks(f"answer to question {each.number}", zip(numbers, each.answers, strict=True))
        suspected += date_checks(f"mark of question {each.number}", zip(numbers, each.marks or (), strict=False))
    notes += date_note(suspected)
    checks += suspected
    return WideForm(table, shape, tuple(kept.rows), tuple(asked), tuple(notes), tuple(sorted(checks, key=_by_row)))


def _by_row(check: RowReport) -> int:
    return check.row


def _asked(question: QuestionColumns, shape: Shape, rows: Sequence[Sequence[str]], notes: list[str]) -> Asked:
    place = question.answer
    answers = tuple("" if place is None else _answer(cells[place], shape) for cells in rows)
    marks = None if question.mark is None else [_given(cells[question.mark], shape) for cells in rows]
    maxima = None if question.maximum is None else tuple(cells[question.maximum] for cells in rows)
    max_mark = question.max_mark
    if marks is not None and max_mark is None and maxima is None:
        max_mark = _out_of(marks)
    schemes = set() if question.scheme is None else {cells[question.scheme].strip() for cells in rows} - {"", "-"}
    if len(schemes) > 1:
        notes.append(f"The right answers to question {question.number} differ from candidate to candidate; left out.")
    return Asked(
        number=question.number,
        text=question.text,
        scheme=schemes.pop() if len(schemes) == 1 else "",
        max_mark=max_mark,
        answers=answers,
        marks=None if marks is None else tuple(_plain_mark(cell, max_mark) for cell in marks),
        maxima=maxima,
    )


def _answer(cell: str, shape: Shape) -> str:
    return "" if cell.strip().casefold() in shape.no_answer else cell


def _given(cell: str, shape: Shape) -> str:
    return "" if cell.strip().casefold() in shape.unmarked else cell


def _out_of(cells: Sequence[str]) -> float | None:
    """The maximum in “4 / 5”, where the cells agree."""
    found = {read.out_of for cell in cells if (read := _read(cell)) is not None and read.out_of is not None}
    return found.pop() if len(found) == 1 else None


def _plain_mark(cell: str, max_mark: float | None) -> str:
    """“4 / 5” as 4 where the question is out of 5; what is no mark stays for the planner to report."""
    read = _read(cell)
    if read is None or read.mark is None or read.out_of is None or read.out_of != max_mark:
        return cell
    return format_mark(read.mark)


def _read(cell: str) -> MarkCell | None:
    try:
        return read_mark(cell)
    except NotAMarkError:
        return None


def _unscaled(asked: list[Asked], shape: Shape, notes: list[str]) -> list[Asked]:
    """The questions with Moodle's scaling undone, where it scaled."""
    if shape.scaled_to is None or any(each.max_mark is None or each.marks is None for each in asked):
        return asked
    given = [[None if (read := _read(cell)) is None else read.mark for cell in each.marks or ()] for each in asked]
    found = unscaled([each.max_mark or 0.0 for each in asked], given, shape.scaled_to)
    if found is None:
        return asked
    notes.append(
        f"Moodle had scaled the marks to a grade out of {format_mark(shape.scaled_to)}: a mark of {found.total} was "
        f"shown as {found.unit:.3g}. Marks and maxima came in unscaled, "
        + ", ".join(
            f"question {each.number} out of {format_mark(raw)}" for each, raw in zip(asked, found.maxima, strict=True)
        )
        + "."
    )
    return [
        replace(
            each,
            max_mark=maximum,
            marks=tuple(
                cell if mark is None else format_mark(mark) for cell, mark in zip(each.marks or (), marks, strict=True)
            ),
        )
        for each, maximum, marks in zip(asked, found.maxima, found.marks, strict=True)
    ]

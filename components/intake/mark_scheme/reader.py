"""A mark scheme's lines into a draft, by rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from components.intake.mark_scheme.building import Building
from components.intake.mark_scheme.draft import QuestionDraft, SchemeDraft, SourceLine
from components.intake.mark_scheme.finishing import finish
from components.intake.mark_scheme.lines import read_text
from components.intake.mark_scheme.reading import Reading
from components.intake.mark_scheme.table_rows import TableReader
from components.marking.marks import format_mark


def read_mark_scheme(lines: Iterable[SourceLine], max_mark: float | None = None, mark_step: float = 1.0) -> SchemeDraft:
    """The draft of every question found. `max_mark` is what the teacher says that they come to, where known.

    Never raises: what no rule understood is in `unread`, and what does not fit together in `problems`.
    """
    lines = tuple(lines)
    reading = Reading(listed=max_mark is not None)
    table = TableReader(reading)
    for line in lines:
        if not line.text.strip() and not any(cell.strip() for cell in line.cells):
            reading.blank()
        elif line.cells and table.row(line):
            reading.headings.append(line.number)
        elif line.cells:
            read_text(reading, line.number, "\t".join(cell for cell in line.cells if cell.strip()))
        else:
            table.end()
            read_text(reading, line.number, line.text)
    return _draft(lines, reading, max_mark, mark_step)


def _draft(lines: tuple[SourceLine, ...], reading: Reading, max_mark: float | None, mark_step: float) -> SchemeDraft:
    problems: list[str] = []
    parents = [question for question in reading.done if question.empty and _has_parts(question.number, reading)]
    asked = [question for question in reading.done if question not in parents]
    asked = _without_preamble(asked)
    if max_mark is not None and len(asked) == 1:
        if asked[0].told not in (None, max_mark):
            problems.append(
                f"The scheme says {format_mark(asked[0].told)} marks, "
                f"and the question's maximum is {format_mark(max_mark)}."
            )
        asked[0].told = max_mark
    drafts = []
    for question in asked:
        drafts.append(finish(question, mark_step, problems))
    used = {number for draft in drafts for number in draft.lines}
    used |= {number for parent in parents for number in parent.lines}
    used |= {number for _, _, number in reading.totals} | set(reading.headings)
    sums = [(parent.number, parent.told) for parent in parents if parent.told is not None]
    problems.extend(_wrong_sums(drafts, sums + [(main, total) for main, total, _ in reading.totals]))
    if max_mark is not None and len(drafts) > 1:
        problems.extend(_wrong_sums(drafts, [("", max_mark)]))
    written = [line.number for line in lines if line.text.strip() or any(cell.strip() for cell in line.cells)]
    return SchemeDraft(
        tuple(replace(draft, lines=tuple(number for number in draft.lines if number in used)) for draft in drafts),
        tuple(number for number in written if number in used),
        tuple(number for number in written if number not in used),
        tuple(problems),
    )


def _has_parts(number: str, reading: Reading) -> bool:
    return number != "" and any(
        other.number.startswith(f"{number}(") and not other.empty for other in reading.done if other.number != number
    )


def _without_preamble(asked: list[Building]) -> list[Building]:
    """The questions without the lines above the first of them, unless those hold points of their own."""
    real = [
        question
        for question in asked
        if question.number
        or question.levels
        or question.indicative
        or any(not point.plain for point in question.points)
    ]
    return real or [question for question in asked if question.points]


def _wrong_sums(drafts: list[QuestionDraft], sums: list[tuple[str, float]]) -> list[str]:
    """What is said of a total that its questions do not come to; main number "" is all of them."""
    faults = []
    for main, total in sums:
        parts = [
            draft for draft in drafts if main in ("", draft.number) or draft.number.startswith((f"{main}(", f"{main}."))
        ]
        come_to = sum(draft.max_mark or 0.0 for draft in parts)
        everything = sum(draft.max_mark or 0.0 for draft in drafts)
        if parts and total not in (come_to, everything):
            name = f"Question {main}" if main else "The scheme"
            faults.append(
                f"{name}: its parts come to {format_mark(come_to)} marks, and the total says {format_mark(total)}."
            )
    return faults

"""Totals in the layouts that other systems import: Moodle's and Canvas's gradebooks, and school records (SIMS, Arbor).

Only complete scripts are in them: an empty cell makes Moodle enter 0 for a new item and Canvas clear what was there.
"""

from __future__ import annotations

import codecs
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from components.workflow.agreement.export import csv_bytes
from components.workflow.agreement.tables import Table, Value
from components.workflow.marks_out.mark_book import distinct, tidy
from components.workflow.marks_out.totals import ExamTotals, QuestionMark, ScriptTotal, State


class MoodleIdentifier(StrEnum):
    """By what Moodle is to know its users: what the column is called, and mapped to on its import page."""

    ID_NUMBER = "ID number"
    EMAIL = "Email address"
    USERNAME = "Username"


class CanvasIdentifier(StrEnum):
    """By what Canvas is to know its users: the column that is filled."""

    ID = "ID"
    SIS_USER = "SIS User ID"
    SIS_LOGIN = "SIS Login ID"


@dataclass(frozen=True)
class Layout:
    """A file for another system. `left_out` are the candidates whose scripts are not complete, `unknown` those for
    whom no identifier of their own was given, as brothers with one e-mail address: neither are in the file."""

    table: Table
    left_out: tuple[str, ...]
    unknown: tuple[str, ...]

    def csv(self) -> bytes:
        """UTF-8 without a mark at its start, which these systems would read as a part of the first column's name.
        Text that a spreadsheet would take for a formula begins with an apostrophe."""
        return csv_bytes(self.table).removeprefix(codecs.BOM_UTF8)


def moodle(
    totals: ExamTotals,
    identifier: MoodleIdentifier = MoodleIdentifier.ID_NUMBER,
    identifiers: Mapping[str, str] | None = None,
    *,
    questions: bool = False,
) -> Layout:
    """Moodle's grade import: who, then the total, and a column a question where asked for.

    `identifiers` are by candidate number; without them the candidate numbers themselves are given. A question that a
    candidate was free to leave out is empty: map such columns to items that are there already, not to new ones.
    """
    scripts, left_out, unknown = _chosen(totals, identifiers)
    columns = [str(identifier)]
    if questions:
        columns += [f"{totals.exam.title}: question {q.question.number}" for q in totals.questions]
    columns.append(f"{totals.exam.title}: total")
    rows = [
        (who, *([_cell(mark) for mark in script.questions] if questions else []), tidy(script.total))
        for who, script in scripts
    ]
    return Layout(Table("Moodle grades", distinct(columns), tuple(rows)), left_out, unknown)


def canvas(
    totals: ExamTotals,
    identifier: CanvasIdentifier = CanvasIdentifier.SIS_USER,
    identifiers: Mapping[str, str] | None = None,
    *,
    assignment_id: int | None = None,
    section: str = "",
    questions: bool = False,
) -> Layout:
    """Canvas's gradebook import: one assignment with the total, and one a question where asked for.

    With `assignment_id` the total goes to that assignment of Canvas, else to one of the exam's title, which Canvas
    offers to make. `identifiers` are by candidate number; without them the candidate numbers themselves are given.
    """
    scripts, left_out, unknown = _chosen(totals, identifiers)
    title = totals.exam.title if assignment_id is None else f"{totals.exam.title} ({assignment_id})"
    columns = ["Student", *CanvasIdentifier, "Section"]
    possible: list[Value] = ["    Points Possible", "", "", "", ""]
    if questions:
        columns += [f"{totals.exam.title}: question {q.question.number}" for q in totals.questions]
        possible += [tidy(q.question.max_mark) for q in totals.questions]
    out_of = totals.scripts[0].out_of if totals.scripts else 0.0
    rows: list[tuple[Value, ...]] = [(*possible, tidy(out_of))]
    for who, script in scripts:
        ids = [who if column is identifier else "" for column in CanvasIdentifier]
        marks = [_cell(mark) for mark in script.questions] if questions else []
        rows.append((f"Candidate {script.candidate}", *ids, section, *marks, tidy(script.total)))
    return Layout(Table("Canvas gradebook", distinct([*columns, title]), tuple(rows)), left_out, unknown)


def school_records(
    totals: ExamTotals, identifiers: Mapping[str, str] | None = None, *, questions: bool = True
) -> Layout:
    """A plain table for SIMS, Arbor and others: every header in ASCII, the grade in letters, no second header row."""
    scripts, left_out, unknown = _chosen(totals, identifiers)
    columns = ["Candidate"]
    if questions:
        columns += [ascii_name(f"Q{q.question.number}") for q in totals.questions]
    columns += ["Total", "Out of", "Percent", "Grade"]
    rows = [
        (
            who,
            *([_cell(mark) for mark in script.questions] if questions else []),
            tidy(script.total),
            tidy(script.out_of),
            round(script.percent, 1),
            script.grade or "",
        )
        for who, script in scripts
    ]
    return Layout(Table("School records", distinct(columns), tuple(rows)), left_out, unknown)


def ascii_name(text: str) -> str:
    """The text in ASCII: letters without their accents, anything else as _."""
    plain = unicodedata.normalize("NFKD", text)
    return "".join(c if c.isascii() else "_" for c in plain if not unicodedata.combining(c))


def _chosen(
    totals: ExamTotals, identifiers: Mapping[str, str] | None
) -> tuple[list[tuple[str, ScriptTotal]], tuple[str, ...], tuple[str, ...]]:
    known = {script.candidate: script.candidate for script in totals.scripts} if identifiers is None else identifiers
    of_several = Counter(identifier.strip().casefold() for identifier in known.values())
    own = {number: given for number, given in known.items() if given and of_several[given.strip().casefold()] == 1}
    complete = [script for script in totals.scripts if script.complete]
    return (
        [(own[script.candidate], script) for script in complete if script.candidate in own],
        tuple(script.candidate for script in totals.incomplete),
        tuple(script.candidate for script in complete if script.candidate not in own),
    )


def _cell(mark: QuestionMark) -> Value:
    """A number, or nothing for a question that the candidate was free to leave out."""
    return None if mark.state is State.NOT_CHOSEN else tidy(mark.worth)

"""Recognises the layout of a file: whose export it is and why, its questions, and who the candidates are."""

from __future__ import annotations

from dataclasses import dataclass

from components.intake.cells import shortened
from components.intake.columns import FIELD_LABELS, guess_mapping
from components.intake.forms.canvas import canvas
from components.intake.forms.form_apps import google_forms, microsoft_forms
from components.intake.forms.gradescope import gradescope
from components.intake.forms.long_form import LongForm, long_form
from components.intake.forms.moodle import moodle
from components.intake.forms.people import PersonalColumn
from components.intake.forms.reading import read_any
from components.intake.forms.tabled import Choices, FormQuestion, Tabled
from components.intake.forms.tidy import tidied
from components.intake.forms.wide import Cells, only_marks, wide
from components.intake.forms.wide_form import WideForm
from components.intake.report import RowReport
from components.intake.tables import Table

_PROGRAMS = (moodle, canvas, gradescope, google_forms, microsoft_forms)
_DEFAULT = Choices()


@dataclass(frozen=True)
class Recognised:
    """A file as it was recognised: the layout and why, in words; nothing of it is stored yet.

    `notes` say what was left out and why; `checks` the same by row of the file, for the report, and suspected dates.
    `suspected_width`: leading zeros of candidate numbers were perhaps eaten; `Choices.width` would put them back.
    `source` is the file's own table, with names.
    """

    layout: str
    why: str
    source: Table
    questions: tuple[FormQuestion, ...]
    personal: tuple[PersonalColumn, ...]
    notes: tuple[str, ...]
    checks: tuple[RowReport, ...]
    suspected_width: int | None
    form: WideForm | LongForm

    def to_table(self, choices: Choices = _DEFAULT) -> Tabled:
        """The long table to plan, without names or e-mail addresses unless they were chosen, and the key to it."""
        return self.form.tabled(choices)


def recognise(file_name: str, content: bytes, *, sheet: str | None = None, cells: Cells | None = None) -> Recognised:
    """The layout of a CSV, TSV, XLSX, JSON or JSONL file and what it holds.

    `sheet` picks a sheet of a workbook; `cells` says whether a wide table's cells are marks or answers where the
    values would mislead. Raises IntakeError, naming the file and what to do, when there is no table to read.
    """
    table = read_any(file_name, content, sheet)
    for program in _PROGRAMS:
        if shape := program(table):
            return recognised(shape.layout, shape.why, tidied(table, shape))
    mapping = guess_mapping(table)
    is_long = mapping.candidate is not None and mapping.answer is not None
    of_ais = all((mapping.candidate, mapping.question, mapping.ais())) and mapping.answer is None
    is_wide = not of_ais and not (is_long and (mapping.question is not None or only_marks(table)))
    if is_wide and (shape := wide(table, cells)):
        return recognised(shape.layout, shape.why, tidied(table, shape))
    chosen = [f"“{column}” ({FIELD_LABELS[name].lower()})" for name, column in mapping.chosen().items()]
    chosen += [f"“{each.column}” (marks by an AI)" for each in mapping.ai_columns]
    if is_long:
        why = f"It has the columns {', '.join(chosen)}."
        return recognised("Long table (a row a response)", why, long_form(table, mapping))
    if of_ais:
        why = f"It has the columns {', '.join(chosen)}, and no answers: import it into the exam that has them."
        return recognised("Marks by AIs (a row a response)", why, long_form(table, mapping))
    headings = ", ".join(f"“{shortened(column)}”" for column in table.columns[:6])
    why = f"Its headings, {headings}, are of no known layout. Choose the columns."
    return recognised("Table of another layout", why, long_form(table, mapping))


def recognised(layout: str, why: str, form: WideForm | LongForm) -> Recognised:
    width = form.suspected_width()
    notes = list(form.notes)
    if width is not None:
        notes.append(
            f"Candidate numbers have up to {width} digits, but some have fewer and none begins with 0: a spreadsheet "
            f"may have eaten their leading zeros. They came in as they stand; they can be padded to {width} digits."
        )
    return Recognised(
        layout=layout,
        why=why,
        source=form.source,
        questions=form.questions(),
        personal=form.personal(),
        notes=tuple(notes),
        checks=form.checks,
        suspected_width=width,
        form=form,
    )

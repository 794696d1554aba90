"""A double-marked table as an exam, from a command: as the Exams page imports it with the columns it guesses."""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from components.agreement import count_of
from components.intake import (
    FIELD_LABELS,
    AIColumn,
    Defaults,
    ImportPlan,
    IntakeError,
    Mapping,
    language_of,
    names_an_ai,
    plan_import,
)
from components.intake.forms import Choices, Recognised, recognise, with_checks
from components.intake.forms.long_form import LongForm
from components.intake.forms.people import Pseudonym
from components.intake.report import Level
from components.marking import MarkError
from components.workflow.import_table import import_plan
from storage import Store, events, exams, imports

MOST_SAID = 5
EVENT = "table imported by command"


@dataclass(frozen=True)
class TableWanted:
    """A file and what is said of it: columns by field, the maximum mark and the question where it does not say."""

    path: Path
    columns: Dict[str, str]
    max_mark: float | None = None
    question: str = ""
    title: str = ""
    markers: tuple[str, str] = ("", "")
    sheet: str | None = None

    @property
    def asked(self) -> dict[str, Any]:
        """What was asked of how to read it, by which the same command is known again."""
        return {"columns": dict(self.columns), "max_mark": self.max_mark, "question": self.question}


NOTHING: dict[str, Any] = {"columns": {}, "max_mark": None, "question": ""}


def exam_of_table(store: Store, wanted: TableWanted) -> tuple[int, list[str]]:
    """(the exam of the table, what to say of it): made now, or the one that was made of the same file before.

    Raises IntakeError for a file that is no table of a row a response with a person's marks, or has rows that cannot be
    imported; MarkError as `import_plan` does, and for a file that was imported by other columns.
    """
    found = recognise(wanted.path.name, wanted.path.read_bytes(), sheet=wanted.sheet)
    with store.read() as db:
        before = imports.same_file(db, found.source.sha256, found.source.sheet or "")
        exam = None if before is None else exams.get(db, before.exam_id)
        asked = None if before is None else events.newest_body(db, EVENT, f"import {before.id}")
    if exam is not None:
        if wanted.asked not in (asked, NOTHING):
            raise MarkError(
                f"“{wanted.path.name}” is imported already, as exam {exam.id}, {exam.title}, and by other columns. "
                f"Give the exam's number ({exam.id}) to use it as it is, or undo that import on the Exams page first."
            )
        return exam.id, [f"“{wanted.path.name}” is imported already, as exam {exam.id}, {exam.title}."]
    plan, mapping, people = _planned(found, wanted)
    stem = wanted.path.stem
    first, second = wanted.markers
    made = import_plan(
        store,
        plan,
        title=wanted.title.strip() or stem.replace("_", " ")[:200],
        marker=None,
        first_marker_name=first.strip() or f"First marker of {stem}"[:200],
        second_marker_name=second.strip() or f"Second marker of {stem}"[:200],
        people=people,
    )
    with store.write() as db:
        events.log(db, EVENT, f"import {made.import_id}", wanted.asked)
    columns = [f"{FIELD_LABELS[name].lower()} “{column}”" for name, column in mapping.chosen().items()]
    columns += [f"an AI's marks “{each.column}”" for each in mapping.ai_columns]
    said = [
        f"Exam {made.exam_id} made of “{wanted.path.name}”: {count_of(made.responses, 'response')} to "
        f"{count_of(made.questions, 'question')}, {made.human_marks:,} human marks, {made.ai_marks:,} AI marks. "
        f"Columns: {', '.join(columns)}."
    ]
    if len(found.source.sheets) > 1:
        others = ", ".join(f"“{each}”" for each in found.source.sheets if each != found.source.sheet)
        said.append(f"Its sheet “{found.source.sheet}” was read. --sheet chooses another: {others}.")
    return made.exam_id, [*said, *_rows_said(plan, "warning")]


def _planned(found: Recognised, wanted: TableWanted) -> tuple[ImportPlan, Mapping, tuple[Pseudonym, ...]]:
    if not isinstance(found.form, LongForm):
        raise IntakeError(
            f"“{wanted.path.name}” is no table of a row a response ({found.layout}). Import it on the Exams page, "
            "where you see what was recognised, then name the exam's number."
        )
    tabled = found.to_table(Choices())
    mapping = replace(tabled.mapping, **_fields(wanted))
    mapping = _named(mapping, wanted)
    defaults = Defaults(max_mark=wanted.max_mark, question=wanted.question, language=language_of(tabled.table, mapping))
    plan = with_checks(plan_import(tabled.table, mapping, defaults), found.checks)
    if not plan.ok:
        raise IntakeError(
            "\n".join([f"“{wanted.path.name}” cannot be imported, and nothing of it is.", *_rows_said(plan, "error")])
        )
    if not plan.human_marks:
        raise IntakeError(
            f"“{wanted.path.name}” has no marks of people by its headings, so there is nothing to compare with. "
            f"Say which columns they are: --columns mark_1=… mark_2=…. It has {', '.join(tabled.table.columns)}."
        )
    return plan, mapping, tabled.pseudonyms


def _rows_said(plan: ImportPlan, level: Level) -> list[str]:
    """The first of the report's entries of this level, and how many more there are."""
    said = [
        each.message if each.message.startswith("Row ") else f"Row {each.row}: {each.message}"
        for each in plan.report
        if each.level == level
    ]
    more = [f"and {len(said) - MOST_SAID:,} more like these."] if len(said) > MOST_SAID else []
    return [f"  {line}" for line in (*said[:MOST_SAID], *more)]


def _named(mapping: Mapping, wanted: TableWanted) -> Mapping:
    """With AIs by their columns' names, but for an only one whose heading says “AI” and not which; none of them is in
    a column that was given for something else."""
    elsewhere = {column for name, column in wanted.columns.items() if name != "ai_mark"}
    ais = [each for each in mapping.ais() if each.column not in elsewhere]
    if len(ais) == 1 and not names_an_ai(ais[0].column):
        return replace(mapping, ai_mark=ais[0].column, ai_columns=())
    named = tuple(AIColumn(each.column, each.judge or each.column) for each in ais)
    return replace(mapping, ai_mark=None, ai_columns=named)


def _fields(wanted: TableWanted) -> dict[str, Any]:
    unknown = [name for name in wanted.columns if name not in FIELD_LABELS]
    if unknown:
        raise IntakeError(f"There is no field {unknown[0]}. The fields are {', '.join(FIELD_LABELS)}.")
    return dict(wanted.columns)

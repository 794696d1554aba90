"""Importing files: what they are, which columns hold what, the report, and where to: all of it or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from components.intake import Defaults, ImportPlan, Mapping, Table, plan_import
from components.intake.forms import Choices, Recognised, Tabled, with_checks, with_maxima
from components.intake.forms.long_form import LongForm
from components.marking import Marker, MarkError
from components.widgets.figures import plain
from components.workflow.import_match import matched
from components.workflow.import_parts import judge_after
from components.workflow.import_people import renumbered
from pages.department.import_columns import ask_question, choose_defaults, choose_groups, choose_mapping
from pages.department.import_done import show_imports
from pages.department.import_exam import choose_exam
from pages.department.import_files import chosen_file
from pages.department.import_found import choose, show_found, show_preview
from pages.department.import_report import show_report
from pages.department.import_store import Ready, import_form
from pages.department.import_texts import offer_texts
from storage import Store, exams, import_state

# Its ids count the answers to one form and begin at 1 again with the next: they are nobody's candidate number.
RESPONSE_IDS = "Microsoft Forms"
# Of a question that the exam has not: it is told as such, so its own maximum does not matter.
ANY_MAXIMUM = 1000.0


def import_section(store: Store, marker: Marker, into: int | None = None) -> None:
    """The whole of importing, on the page that calls it. `into` is the exam that is proposed first."""
    st.header("Import answers and marks")
    st.write(
        "Files of Moodle, Google Forms, Microsoft Forms, Canvas and Gradescope, and tables of your own: one row a "
        "response, or one row a candidate. Columns such as class, set or tier become groups of candidates. Nothing is "
        "stored before you say so."
    )
    show_imports(store, marker)
    found = chosen_file()
    if found is None:
        return
    about = f"{found.source.sha256[:12]}_{found.source.sheet or ''}"
    show_found(found)
    exam_id = choose_exam(store, about, [question.number for question in found.questions], into)
    known = _maxima_of(store, exam_id, [question.number for question in found.questions])
    is_long = isinstance(found.form, LongForm)
    choices = choose(found, known, about, shows_questions=not is_long, asks_maxima=exam_id is None)
    tabled = _tabled(found, choices)
    show_preview(tabled.table, tabled.notes, tabled.pseudonyms)
    texts = offer_texts(store, marker, exam_id, found.questions, about)
    if is_long:
        usual_ai = judge_after(tabled.table.name, tabled.table.sheet)
        there = _judges_there(store, exam_id)
        mapping = choose_mapping(tabled.table, tabled.mapping, about, usual_ai=usual_ai, judges_there=there)
        known = _maxima_of(store, exam_id, _numbers(tabled.table, mapping))
    else:
        mapping = replace(tabled.mapping, groups=choose_groups(tabled.table, tabled.mapping.groups, about))
    if exam_id is None:
        defaults = choose_defaults(tabled.table, mapping, about, asks_question=is_long)
    else:
        number = "" if mapping.question else ask_question(about)
        defaults = Defaults(question=number, max_mark=_maxima_of(store, exam_id, [number]).get(number, ANY_MAXIMUM))
    plan = with_checks(_plan(tabled, mapping, defaults, known, needs_answers=exam_id is None), found.checks)
    show_report(plan, about)
    people = () if choices.numbers == "names" else tabled.pseudonyms
    ready = Ready(plan, people, exam_id, texts)
    if exam_id is not None and plan.ok and not _has_numbers(found, choices):
        try:
            given = renumbered(store, exam_id, plan, people)
        except MarkError as error:
            st.error(plain(str(error)), title="Not into this exam")
            return
        ready = Ready(given.plan, given.people, exam_id, texts)
    import_form(store, marker, ready, about)


def _maxima_of(store: Store, exam_id: int | None, numbers: Sequence[str]) -> dict[str, float]:
    """By the file's question numbers, the maxima of the exam it is to go into."""
    if exam_id is None:
        return {}
    with store.read() as db:
        maxima = {stored.question.number: stored.question.max_mark for stored in exams.questions(db, exam_id)}
    return {number: maxima[own] for number, own in matched(numbers, list(maxima)).items()}


def _judges_there(store: Store, exam_id: int | None) -> list[str]:
    """The judges whose marks the exam has from files."""
    if exam_id is None:
        return []
    with store.read() as db:
        return list(import_state.imported_judges(db, exam_id).values())


def _numbers(table: Table, mapping: Mapping) -> list[str]:
    """The question numbers of a table, each once."""
    if mapping.question is None:
        return []
    return list(dict.fromkeys(" ".join(cell.split()) for cell in table.column(mapping.question)))


def _has_numbers(found: Recognised, choices: Choices) -> bool:
    """Whether candidates are told by numbers of the file, or by the names chosen in their stead."""
    if choices.numbers != "own" or found.layout.startswith(RESPONSE_IDS):
        return choices.numbers == "names"
    by_hand = isinstance(found.form, LongForm) and not found.personal
    return by_hand or any(column.is_number for column in found.personal)


def _tabled(found: Recognised, choices: Choices) -> Tabled:
    """The long table, made again only when something was chosen anew."""
    source = found.source
    asked = (source.name, source.sha256, source.sheet, found.questions, found.notes, choices, choices.max_marks)
    made: Tabled = _kept("import_tabled", asked, lambda: found.to_table(choices))
    return made


def _plan(
    tabled: Tabled, mapping: Mapping, defaults: Defaults, known: dict[str, float], *, needs_answers: bool
) -> ImportPlan:
    """The checked import, worked out again only when something was chosen anew."""

    def make() -> ImportPlan:
        table, filled = with_maxima(tabled.table, mapping, known)
        return plan_import(table, filled, defaults, needs_answers=needs_answers)

    with st.spinner("Checking every row …"):
        plan: ImportPlan = _kept("import_plan", (tabled, mapping, defaults, known, needs_answers), make)
    return plan


def _kept(key: str, asked: tuple[Any, ...], make: Any) -> Any:
    before = st.session_state.get(key)
    if before is None or before[0] != asked:
        before = (asked, make())
        st.session_state[key] = before
    return before[1]

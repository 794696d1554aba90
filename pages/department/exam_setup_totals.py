"""Sections of an exam, such as “answer any two of three”, and what an answer that is not there means for a total."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from components.marking import Marker, MarkError, Role
from components.widgets.figures import count, plain
from components.workflow.exam_setup.details import set_total_rules, stored_total_rules
from components.workflow.marks_out.sections import Missing, Section, TotalRules
from pages.department.exam_setup_fields import NOTICE, REFUSED
from storage import Store, exams
from storage.exams import Exam

state = st.session_state
MISSING = {
    Missing.INCOMPLETE: "The script is incomplete until somebody enters it",
    Missing.ZERO: "It counts 0",
}


def show_totals(store: Store, marker: Marker, exam: Exam) -> None:
    """The sections with their questions, and one more to add."""
    may = marker.role is Role.HEAD
    rules, wrong = stored_total_rules(store, exam.id)
    with store.read() as db:
        numbers = [stored.question.number for stored in exams.questions(db, exam.id)]
    st.subheader("Sections and totals")
    st.caption("A question in no section always counts. In a section, the best of the answers count.")
    if wrong:
        st.error(plain(wrong))
    used = {number for section in rules.sections for number in section.questions}
    for place, section in enumerate(rules.sections):
        free = [number for number in numbers if number not in used or number in section.questions]
        _section(store, marker, exam, rules, place, free)
    _add(store, marker, exam, rules, [number for number in numbers if number not in used], may)
    key = f"setup_missing_{exam.id}_{rules.missing}"
    state.setdefault(key, rules.missing)
    st.selectbox(
        "A candidate has no response to a question that counts",
        list(Missing),
        format_func=MISSING.__getitem__,
        key=key,
        width=420,
        disabled=not may,
        on_change=lambda: _keep(store, marker, exam.id, lambda: TotalRules(rules.sections, Missing(state[key]))),
    )


def _section(store: Store, marker: Marker, exam: Exam, rules: TotalRules, place: int, free: list[str]) -> None:
    """One section with its buttons; `free` are the questions that may be in it."""
    section, may = rules.sections[place], marker.role is Role.HEAD
    asked = f"answer {section.answer} of {len(section.questions)}" if section.optional else "answer all"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{plain(section.title)}**: questions {plain(', '.join(section.questions))}, {asked}")
        if may:
            # By what is stored: the popover is shut, and its boxes afresh, once the section has changed.
            stem = f"setup_section_{exam.id}_{place}_{hash(section)}"
            with st.popover("Edit", icon=":material/edit:", key=f"{stem}_edit"):
                _form(store, marker, exam, stem, free, rules, place)
        others = tuple(each for at, each in enumerate(rules.sections) if at != place)
        st.button(
            "Delete this section",
            key=f"setup_section_delete_{exam.id}_{place}_{section.title}",
            icon=":material/delete:",
            disabled=not may,
            on_click=_keep,
            args=(store, marker, exam.id, lambda: TotalRules(others, rules.missing)),
        )


def _add(store: Store, marker: Marker, exam: Exam, rules: TotalRules, free: list[str], may: bool) -> None:
    if not may or not free:
        return
    stem = f"setup_section_{exam.id}_{len(rules.sections)}"
    with st.popover("Add a section", icon=":material/add:", key=f"setup_section_add_{exam.id}_{len(rules.sections)}"):
        _form(store, marker, exam, stem, free, rules, len(rules.sections))


def _form(store: Store, marker: Marker, exam: Exam, stem: str, free: list[str], rules: TotalRules, place: int) -> None:
    """The boxes of the section at this place, or of one more behind the last."""
    now = rules.sections[place] if place < len(rules.sections) else None
    st.text_input(
        "Title",
        "" if now is None else now.title,
        key=f"{stem}_title",
        placeholder=f"Section {place + 1}",
        max_chars=80,
    )
    chosen = st.multiselect("Questions", free, [] if now is None else now.questions, key=f"{stem}_questions")
    most = max(1, len(chosen))
    st.number_input(
        "How many of them count",
        min_value=1,
        max_value=most,
        value=min(now.answer, most) if now is not None and now.optional else most,
        key=f"{stem}_answer_{len(chosen)}",
    )
    st.button(
        "Add the section" if now is None else "Save the section",
        key=f"{stem}_keep",
        type="primary",
        disabled=not chosen,
        on_click=_keep,
        args=(store, marker, exam.id, lambda: _with_section(rules, place, stem, chosen)),
    )


def _with_section(rules: TotalRules, place: int, stem: str, chosen: list[str]) -> TotalRules:
    before, behind = rules.sections[:place], rules.sections[place + 1 :]
    title = str(state.get(f"{stem}_title") or "").strip() or f"Section {place + 1}"
    if any(section.title == title for section in (*before, *behind)):
        raise MarkError(f"There is a section “{title}” already. Give this one another title.")
    answer = int(state[f"{stem}_answer_{len(chosen)}"])
    return TotalRules((*before, Section(title, tuple(chosen), answer), *behind), rules.missing)


def _keep(store: Store, marker: Marker, exam_id: int, made: Callable[[], TotalRules]) -> None:
    try:
        rules = made()
        set_total_rules(store, marker, exam_id, rules)
    except MarkError as error:
        state[REFUSED] = str(error)
    else:
        state[NOTICE] = f"Totals: {count(len(rules.sections), 'section')}. They follow these rules from now on."

"""An exam's details and rules, each kept the moment it is changed."""

from __future__ import annotations

import streamlit as st

from components.marking import Marker, MarkError, Role
from components.widgets.figures import plain
from components.workflow.exam_setup.details import LANGUAGES, LEVELS, set_details
from components.workflow.review.rules import most_marks, out_of_reach
from pages.department.blind_section import blind_sample, blind_toggle
from pages.department.exam_setup_fields import NOTICE, REFUSED
from pages.department.exam_setup_totals import show_totals
from pages.department.exam_tolerance import tolerance_box
from pages.department.review_rules import rules_popover
from storage import Store
from storage.exams import Exam

state = st.session_state


def show_details(store: Store, marker: Marker, exam: Exam) -> None:
    """Title, subject, level, series and language; then tolerance, blind marking, grades and totals."""
    may = marker.role is Role.HEAD
    st.header("Details")
    left, right = st.columns(2)
    with left:
        _detail(store, marker, exam, "title", "Title", max_chars=200)
        _detail(store, marker, exam, "subject", "Subject", placeholder="Biology", max_chars=100)
        _detail(store, marker, exam, "series", "Series", placeholder="Mock, January 2027", max_chars=100)
    with right:
        _choice(store, marker, exam, "level", "Level", {"": "Not said", **{level: level for level in LEVELS}})
        _choice(store, marker, exam, "language", "Language", LANGUAGES)
    st.header("Rules")
    tolerance_box(store, marker, exam, NOTICE, REFUSED)
    if may:
        blind_toggle(exam, marker)
    blind_sample(exam, marker)
    grades = ", ".join(f"{plain(grade)} from {lowest:g}" for grade, lowest in exam.boundaries)
    st.caption(f"Grades: {grades}." if grades else "No grade boundaries yet: they are set under “Rules”.")
    with store.read() as db:
        most = most_marks(db, exam.id)
    if missed := out_of_reach(exam.boundaries, most):
        st.warning(
            f"The questions come to {most:g} marks, so nobody can reach {plain(', '.join(missed))}. "
            "Add the questions that are missing, or set other boundaries under “Rules”."
        )
    rules_popover(store, exam, marker)
    show_totals(store, marker, exam)


def _detail(store: Store, marker: Marker, exam: Exam, name: str, label: str, **more: object) -> None:
    # By what is stored, so that the box starts afresh when another session has changed it, or a change was refused.
    key = f"setup_{exam.id}_{name}_{getattr(exam, name)}_{state.get('setup_refusals', 0)}"
    state.setdefault(key, getattr(exam, name))
    st.text_input(
        label,
        key=key,
        disabled=marker.role is not Role.HEAD,
        on_change=_keep,
        args=(store, marker, exam.id, name, key),
        **more,
    )


def _choice(store: Store, marker: Marker, exam: Exam, name: str, label: str, options: dict[str, str]) -> None:
    present = getattr(exam, name)
    shown = options if present in options else options | {present: present}
    key = f"setup_{exam.id}_{name}_{present}"
    state.setdefault(key, present)
    st.selectbox(
        label,
        list(shown),
        format_func=shown.__getitem__,
        key=key,
        disabled=marker.role is not Role.HEAD,
        on_change=_keep,
        args=(store, marker, exam.id, name, key),
    )


def _keep(store: Store, marker: Marker, exam_id: int, name: str, key: str) -> None:
    try:
        set_details(store, marker, exam_id, {name: state[key] or ""})
    except MarkError as error:
        state[REFUSED] = str(error)
        state["setup_refusals"] = state.get("setup_refusals", 0) + 1

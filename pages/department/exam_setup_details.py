"""An exam's details and rules, each kept the moment it is changed."""

from __future__ import annotations

import streamlit as st

from components.marking import Marker, MarkError, Role, ToleranceKind, ToleranceRule
from components.widgets.figures import count, plain
from components.workflow.exam_setup.details import LANGUAGES, LEVELS, set_details, set_tolerance_rule
from pages.department.blind_section import blind_sample, blind_toggle
from pages.department.exam_setup_fields import NOTICE, REFUSED
from pages.department.exam_setup_totals import show_totals
from pages.department.review_rules import rules_popover
from storage import Store, exam_setup
from storage.exams import Exam

state = st.session_state
KINDS = {
    ToleranceKind.USUAL: "Usual: a tenth of the maximum, at least 1",
    ToleranceKind.PERCENT: "A percentage of the maximum",
    ToleranceKind.MARKS: "The same number of marks for every question",
    ToleranceKind.NONE: "None: marks must be the same",
}


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
    _tolerance(store, marker, exam, may)
    if may:
        blind_toggle(exam, marker)
    blind_sample(exam, marker)
    grades = ", ".join(f"{plain(grade)} from {lowest:g}" for grade, lowest in exam.boundaries)
    st.caption(f"Grades: {grades}." if grades else "No grade boundaries yet.")
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


def _tolerance(store: Store, marker: Marker, exam: Exam, may: bool) -> None:
    with store.read() as db:
        rule = exam_setup.tolerance_rule(db, exam.id)
    stored = f"setup_tolerance_{exam.id}_{rule.kind}_{rule.amount:g}"
    kind_key, amount_key = f"{stored}_kind", f"{stored}_amount"
    state.setdefault(kind_key, rule.kind)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Tolerance between two markers",
            list(KINDS),
            format_func=KINDS.__getitem__,
            key=kind_key,
            width=380,
            disabled=not may,
            on_change=_keep_tolerance,
            args=(store, marker, exam.id, kind_key, amount_key),
            help="The largest difference that counts as agreement. A one-mark question has none. A question may have "
            "a tolerance of its own.",
        )
        if rule.kind in (ToleranceKind.PERCENT, ToleranceKind.MARKS):
            state.setdefault(amount_key, rule.amount)
            st.number_input(
                "Per cent" if rule.kind is ToleranceKind.PERCENT else "Marks",
                min_value=0.0,
                max_value=100.0,
                step=1.0,
                format="%g",
                key=amount_key,
                width=160,
                disabled=not may,
                on_change=_keep_tolerance,
                args=(store, marker, exam.id, kind_key, amount_key),
            )


def _keep_tolerance(store: Store, marker: Marker, exam_id: int, kind_key: str, amount_key: str) -> None:
    kind = ToleranceKind(state[kind_key])
    usual = {ToleranceKind.PERCENT: 10.0, ToleranceKind.MARKS: 1.0}.get(kind, 0.0)
    try:
        own = set_tolerance_rule(
            store, marker, exam_id, ToleranceRule(kind=kind, amount=state.get(amount_key, usual) if usual else 0.0)
        )
    except (MarkError, ValueError) as error:
        state[REFUSED] = str(error)
        return
    kept = f" {count(own, 'question')} kept a tolerance set by hand." if own else ""
    state[NOTICE] = f"The tolerance rule is set.{kept}"

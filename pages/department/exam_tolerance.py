"""The rule for how far two markers may be apart, per exam."""

from __future__ import annotations

import streamlit as st

from components.marking import Marker, MarkError, Role, ToleranceKind, ToleranceRule
from components.widgets.figures import count
from components.workflow.exam_setup.details import set_tolerance_rule
from storage import Store, exam_setup
from storage.exams import Exam

state = st.session_state
KINDS = {
    ToleranceKind.USUAL: "Usual: a tenth of the maximum, at least 1",
    ToleranceKind.PERCENT: "A percentage of the maximum",
    ToleranceKind.MARKS: "The same number of marks for every question",
    ToleranceKind.NONE: "None: marks must be the same",
}


def tolerance_box(store: Store, marker: Marker, exam: Exam, notice: str, refused: str) -> None:
    """The exam's tolerance rule, kept the moment it is changed.

    `notice` and `refused` are where in the session's state the page looks for what came of it.
    """
    may = marker.role is Role.HEAD
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
            on_change=_keep,
            args=(store, marker, exam.id, kind_key, amount_key, notice, refused),
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
                on_change=_keep,
                args=(store, marker, exam.id, kind_key, amount_key, notice, refused),
            )


def _keep(
    store: Store, marker: Marker, exam_id: int, kind_key: str, amount_key: str, notice: str, refused: str
) -> None:
    kind = ToleranceKind(state[kind_key])
    usual = {ToleranceKind.PERCENT: 10.0, ToleranceKind.MARKS: 1.0}.get(kind, 0.0)
    try:
        own = set_tolerance_rule(
            store, marker, exam_id, ToleranceRule(kind=kind, amount=state.get(amount_key, usual) if usual else 0.0)
        )
    except (MarkError, ValueError) as error:
        state[refused] = str(error)
        return
    kept = f" {count(own, 'question')} kept a tolerance set by hand." if own else ""
    state[notice] = f"The tolerance rule is set.{kept}"

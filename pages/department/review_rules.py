"""The rules of an exam, as its head of department sets them: what stands, and where the grades begin."""

from __future__ import annotations

import streamlit as st

from components.marking import Marker, MarkError, Role, WhatStands
from components.workflow.review.rules import RULES, boundaries_text, most_marks, parse_boundaries, set_rules
from storage import Store
from storage.exams import Exam

state = st.session_state


def rules_popover(store: Store, exam: Exam, marker: Marker) -> None:
    """What stands after an adjudication, and the grade boundaries; only a head of department may change them."""
    with st.popover("Rules", icon=":material/rule:", key=f"rules_{exam.id}"):
        rules_form(store, exam, marker)


def rules_form(store: Store, exam: Exam, marker: Marker) -> None:
    """What is in the popover: its boxes and its button."""
    # By what is stored, so that the boxes start afresh when another session has changed it.
    stored = f"{exam.id}_{exam.what_stands}_{exam.boundaries}"
    stands, grades = f"what_stands_{stored}", f"boundaries_{stored}"
    may = marker.role is Role.HEAD
    st.selectbox(
        "What stands after an adjudication",
        list(WhatStands),
        index=list(WhatStands).index(exam.what_stands),
        format_func=RULES.__getitem__,
        key=stands,
        disabled=not may,
    )
    st.caption("Of several teachers, the latest mark is the teacher's. “No response” is no mark: it is not averaged.")
    st.text_area(
        "Grade boundaries: one grade a line, with its lowest total",
        value=boundaries_text(exam.boundaries),
        key=grades,
        placeholder="A 54\nB 45\nC 36",
        height=150,
        disabled=not may,
    )
    st.caption(
        "With them, disagreements on which a candidate's grade hangs come first, where the candidate's total by "
        "the exam's rules lacks nothing else. They change no mark."
    )
    with store.read() as db:
        most = most_marks(db, exam.id)
    st.caption(
        f"The questions come to {most:g} marks, so totals go from 0 to {most:g}."
        if most
        else "The exam has no question yet. Once it has, grades that its questions cannot reach are pointed out."
    )
    if may:
        st.button(
            "Save the rules",
            key=f"save_rules_{exam.id}",
            type="primary",
            on_click=_save,
            args=(store, exam.id, marker, stands, grades),
        )
    else:
        st.caption("A head of department sets these.")
    said = state.pop(f"rules_said_{exam.id}", None)
    if said is not None:
        (st.success if said[0] else st.error)(said[1])


def _save(store: Store, exam_id: int, marker: Marker, stands: str, grades: str) -> None:
    try:
        set_rules(store, marker, exam_id, WhatStands(state[stands]), parse_boundaries(state[grades]))
    except MarkError as error:
        state[f"rules_said_{exam_id}"] = (False, str(error))
    else:
        state[f"rules_said_{exam_id}"] = (True, "Saved. Final marks follow these rules from now on.")

"""Which exam's marks go out: in the address for links and reloads, else the one that was open last."""

from __future__ import annotations

import streamlit as st

LONGEST_ID = 18  # digits that SQLite can hold

state = st.session_state


def choose_exam(titles: dict[int, str]) -> int:
    """The exam box. `titles` are the exams by id, of which there is at least one."""
    named, elsewhere = st.query_params.get("exam", ""), state.get("exam_id")
    wanted: int | None = state.get("marks_out_last")
    if named and named != str(wanted):
        wanted = int(named) if named.isdecimal() and len(named) <= LONGEST_ID else None
    elif elsewhere in titles and elsewhere != state.get("marks_out_elsewhere"):
        wanted = elsewhere  # the reader has since been at another exam
    state["marks_out_elsewhere"] = elsewhere
    if wanted not in titles:
        wanted = max(titles)
    if "marks_out_exam" not in state or wanted != state.get("marks_out_last"):
        state["marks_out_exam"] = wanted
    chosen: int = st.selectbox(
        "Exam", list(titles), format_func=titles.__getitem__, key="marks_out_exam", width=460, on_change=_chosen
    )
    state["marks_out_last"] = state["exam_id"] = state["marks_out_elsewhere"] = (
        chosen  # other pages then open at it too
    )
    if named != str(chosen):
        st.query_params.from_dict({"exam": str(chosen)})
    return chosen


def _chosen() -> None:
    state["marks_out_last"] = state["marks_out_exam"]
    st.query_params.from_dict({"exam": str(state["marks_out_exam"])})

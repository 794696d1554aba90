"""What became of the questions of a mark scheme or a question paper, and what each still lacks."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.widgets.figures import count, plain
from components.workflow.exam_setup.read_schemes import Placed
from pages.department.exam_setup_place import go
from storage.exams import Exam

state = st.session_state
_REPORT = "scheme_reading_report"


def keep_report(exam: Exam, placed: Sequence[Placed]) -> None:
    """Keep what became of the questions, for `show_report` to show until it is closed."""
    state[_REPORT] = (exam.id, tuple(placed))


def forget_report() -> None:
    """Close the report, if there is one."""
    state.pop(_REPORT, None)


def show_report(exam: Exam) -> bool:
    """The report on this exam, if there is one; says whether there was."""
    exam_id, placed = state.get(_REPORT, (None, ()))
    if exam_id != exam.id:
        return False
    saved = sum(each.saved for each in placed)
    words = f"{count(saved, 'question')} saved in the exam"
    if saved < len(placed):
        words += (
            f", {count(len(placed) - saved, 'question')} kept as {'a draft' if len(placed) - saved == 1 else 'drafts'}"
        )
    st.success(f"{words}.")
    for place, each in enumerate(placed):
        _row(exam, each, place)
    st.button("To the exam", type="primary", key="reading_report_close", on_click=_close, args=(exam.id,))
    return True


def _row(exam: Exam, each: Placed, place: int) -> None:
    with st.container(border=True):
        made = "new" if each.new else "was in the exam"
        version = f", mark scheme v{each.version}" if each.version else ""
        kept = f"saved{version}" if each.saved else "a draft, not saved yet"
        icon = ":material/check:" if each.saved and not each.lacks else ":material/edit:"
        st.markdown(f"{icon} **Question {plain(each.number) or '…'}** · {made} · {kept}")
        for words in each.lacks:
            st.caption(f":material/info: {plain(words)}")
        if each.lacks or not each.saved:
            st.button("Open", key=f"reading_open_{place}", on_click=_open, args=(exam.id, each))


def _open(exam_id: int, each: Placed) -> None:
    state.pop(_REPORT, None)
    if each.question_id is not None:
        go(exam_id, question=each.question_id)
    else:
        go(exam_id, thread=each.thread)


def _close(exam_id: int) -> None:
    state.pop(_REPORT, None)
    go(exam_id)

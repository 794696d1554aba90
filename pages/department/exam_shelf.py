"""Exams as things on a shelf: a new one, a copy of one, one put away and brought back."""

from __future__ import annotations

import streamlit as st

from components.marking import Marker, MarkError, Role
from components.widgets.figures import count, plain
from components.workflow.exam_setup.details import LEVELS, archive, bring_back, create, duplicate
from pages.shared import guard
from pages.shared.clock import moment_text
from pages.shared.press import pressed
from storage import Store, exam_setup
from storage.exams import Exam

state = st.session_state
SHOWN = 30


def new_exam_popover(store: Store, marker: Marker) -> None:
    """Make an exam and go on to its questions; for a head of department."""
    if marker.role is not Role.HEAD:
        return
    with st.popover("New exam", icon=":material/add:", key="new_exam"), st.form("new_exam_form", border=False):
        title = st.text_input("Title", max_chars=200, placeholder="Year 11 mock, Biology paper 1")
        subject = st.text_input("Subject", max_chars=100, placeholder="Biology")
        level = st.selectbox("Level", LEVELS, index=None, placeholder="Not said")
        if pressed("Make it and add questions", key="make_exam", button=st.form_submit_button, type="primary"):
            try:
                exam_id = create(store, marker, title, level or "", subject)
            except MarkError as error:
                st.error(plain(str(error)))
            else:
                _set_up(exam_id)


def shelf_buttons(store: Store, exam: Exam, marker: Marker) -> None:
    """Edit, duplicate and archive an exam; who is no head of department may look."""
    head = marker.role is Role.HEAD
    if pressed("Edit" if head else "Questions and rules", key=f"edit_exam_{exam.id}", icon=":material/tune:"):
        _set_up(exam.id)
    if not head:
        return
    st.button(
        "Duplicate",
        key=f"duplicate_{exam.id}",
        icon=":material/content_copy:",
        on_click=_duplicate,
        args=(store, marker, exam.id),
        help="A new exam with its questions, mark schemes and rules, without candidates and marks.",
    )
    with st.popover("Archive", icon=":material/archive:", key=f"archive_popover_{exam.id}"):
        st.write(
            f"“{plain(exam.title)}” leaves every list, and proposals under way for it end. Nothing is deleted: it can "
            "be brought back from the end of this page, with all its marks."
        )
        st.button(
            "Archive this exam",
            key=f"archive_{exam.id}",
            type="primary",
            on_click=_archive,
            args=(store, marker, exam),
        )


def archived_section(store: Store, marker: Marker) -> None:
    """Exams that were put away, with the way back."""
    with store.read() as db:
        gone = [exam for exam in exam_setup.archived(db) if not exam.taken_out]
    if not gone:
        return
    with st.expander(f"Archived: {count(len(gone), 'exam')}", icon=":material/archive:", key="archived_exams"):
        for exam in gone[:SHOWN]:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(
                    f"**{plain(exam.title)}** · {moment_text(exam.archived_at)} · "
                    f"{count(exam.marks, 'response')} marked here" + (f" · {plain(exam.why)}" if exam.why else "")
                )
                st.button(
                    "Bring back",
                    key=f"bring_back_{exam.id}",
                    icon=":material/unarchive:",
                    disabled=marker.role is not Role.HEAD,
                    on_click=_bring_back,
                    args=(store, marker, exam.id, exam.title),
                )
        if len(gone) > SHOWN:
            st.caption(f"The latest {SHOWN}.")


def _set_up(exam_id: int) -> None:
    state["exam_id"] = exam_id
    st.switch_page(guard.PAGES_FOLDER / "department/exam_setup.py", query_params={"exam": str(exam_id)})


def _duplicate(store: Store, marker: Marker, exam_id: int) -> None:
    try:
        _, title = duplicate(store, marker, exam_id)
    except MarkError as error:
        state["exams_refused"] = str(error)
    else:
        state["exams_notice"] = f"“{title}” is here, with the questions and rules and no candidates."


def _archive(store: Store, marker: Marker, exam: Exam) -> None:
    try:
        archive(store, marker, exam.id)
    except MarkError as error:
        state["exams_refused"] = str(error)
    else:
        state["exams_notice"] = f"“{exam.title}” is archived. It can be brought back from the end of this page."


def _bring_back(store: Store, marker: Marker, exam_id: int, title: str) -> None:
    try:
        bring_back(store, marker, exam_id)
    except MarkError as error:
        state["exams_refused"] = str(error)
    else:
        state["exams_notice"] = f"“{title}” is back, with all its marks."

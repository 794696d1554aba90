"""Feedback for candidates: one of them to look at, all of them as a ZIP."""

from __future__ import annotations

import base64

import streamlit as st

from components.marking import Marker, MarkError
from components.widgets.figures import plain
from components.workflow.marks_out.feedback import feedback, file_name
from components.workflow.marks_out.files import Kind
from components.workflow.marks_out.taking import note_feedback_shown
from components.workflow.marks_out.totals import ExamTotals
from pages.department.marks_out_downloads import download
from pages.department.marks_out_making import show_file
from storage import Store
from storage.exams import Exam

PREVIEW_HEIGHT = 640


def show_feedback(store: Store, viewer: Marker, totals: ExamTotals) -> None:
    """Choose a candidate to see theirs; below, everybody's."""
    exam = totals.exam
    st.write(
        "A page a candidate, by number and without names: the mark for each question, what was earned and missed, the "
        "teacher's comment and what was drawn on the answer. It opens in any browser and prints. The AI's part is in "
        "it only where a teacher has decided, and is labelled."
    )
    candidate = st.selectbox(
        "Look at one",
        [script.candidate for script in totals.scripts],
        index=None,
        placeholder="Choose a candidate",
        key=f"marks_out_preview_{exam.id}",
        width=300,
        help="Marks by others that you read here are then no longer unknown to you: your own on them is not blind.",
    )
    if candidate is not None:
        _preview(store, viewer, exam, candidate)
    if totals.incomplete:
        st.caption("Incomplete scripts get a page too, which says what is not marked yet.")
    show_file(store, viewer, exam, Kind.FEEDBACK, "All feedback (ZIP)", "feedback.zip")


def _preview(store: Store, viewer: Marker, exam: Exam, candidate: str) -> None:
    try:
        page = feedback(store, exam.id, candidate)
    except (LookupError, MarkError) as error:
        st.error(plain(str(error)), title="There is no feedback to show")
        return
    note_feedback_shown(store, exam.id, viewer, candidate)
    # As a data address it has an origin of its own: nothing that a candidate wrote could reach this page.
    address = "data:text/html;charset=utf-8;base64," + base64.b64encode(page).decode()
    with st.container(border=True):
        st.iframe(address, height=PREVIEW_HEIGHT, alt=f"The feedback for candidate {candidate}")
    with st.container(width=300):
        download(
            store,
            viewer,
            exam,
            "This one (HTML)",
            lambda: page,
            file_name(candidate),
            "text/html",
            ":material/download:",
            f"feedback_{candidate}",
            marks=False,
        )

"""The evidence pack: everything behind an exam's marks, for a head of department."""

from __future__ import annotations

import streamlit as st

from components.marking import Marker, Role
from components.workflow.marks_out.files import Kind
from pages.department.marks_out_making import show_file
from pages.department.marks_out_restore import explain_restoring
from storage import Store, exams


def show_evidence(store: Store, viewer: Marker, exam_id: int) -> None:
    """What it is and the file; others than heads are told that it is not for them."""
    st.header("Evidence pack")
    st.write(
        "For an appeal or an audit: every decision and proposal with its raw reply, every version of every mark "
        "scheme, the prompts, the judges' settings without keys, the pictures, and a list of hashes. The same record "
        "always makes the same file."
    )
    if viewer.role is not Role.HEAD:
        st.caption("It names every marker, so that it is for a head of department.")
        return
    st.caption(
        "It names every marker and shows every proposal. Responses in it can no longer be marked blind by who takes it."
    )
    with store.read() as db:
        exam = exams.get(db, exam_id)
    if exam is not None:
        show_file(store, viewer, exam, Kind.EVIDENCE, "Evidence pack (ZIP)", "evidence.zip")
    explain_restoring()

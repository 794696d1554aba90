"""The mark book, and every decision and proposal, as files."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import streamlit as st

from components.marking import Marker, Role
from components.workflow.agreement.export import csv_bytes, workbook
from components.workflow.marks_out.mark_book import decisions_table, mark_book_table, proposals_table
from components.workflow.marks_out.taking import note_taken
from components.workflow.marks_out.totals import exam_totals
from pages.shared.offered import XLSX, OfferedFile, file_stem
from storage import Store
from storage.exams import Exam


def show_downloads(store: Store, viewer: Marker, exam: Exam) -> None:
    """A button for each file, with what it is for. Nothing is made before its button is clicked."""
    with st.grid(2, min_column_width=260):
        for file in _files(store, viewer, exam.id):
            with st.container(border=True, height="stretch"):
                download(store, viewer, exam, file.label, file.make, file.ending, file.mime, file.icon, file.key)
                st.caption(file.said)
    names = "" if viewer.role is Role.HEAD else " Markers have numbers in place of names."
    st.caption(
        "Each file is made as the marks are when you click, and the audit log notes who took it. Responses whose marks "
        f"by others you take away can no longer be marked blind by you.{names}"
    )


def download(
    store: Store,
    viewer: Marker,
    exam: Exam,
    label: str,
    make: Callable[[], bytes],
    ending: str,
    mime: str,
    icon: str,
    key: str,
    *,
    marks: bool = True,
) -> None:
    """A button that makes a file when it is clicked and notes who took it; `marks` as for `note_taken`."""

    def noted() -> bytes:
        made = make()
        note_taken(store, exam.id, viewer, ending, marks=marks)
        return made

    st.download_button(
        label,
        noted,
        f"{stem(exam)}-{ending}",
        mime,
        key=f"marks_out_{key}_{exam.id}",
        icon=icon,
        on_click="ignore",
        width="stretch",
    )


def stem(exam: Exam) -> str:
    """The beginning of the files' names: the exam's title in letters that every system takes, and the day."""
    return file_stem(exam.title, f"exam-{exam.id}", date.today().isoformat())


def _files(store: Store, viewer: Marker, exam_id: int) -> tuple[OfferedFile, ...]:
    return (
        OfferedFile(
            "book_xlsx",
            "Mark book (Excel)",
            "One row a candidate with the mark for each question, sections, total, per cent and grade, for your own "
            "mark book. Incomplete scripts are in it and say what they lack.",
            "mark-book.xlsx",
            XLSX,
            ":material/table:",
            lambda: workbook([mark_book_table(exam_totals(store, exam_id))]),
        ),
        OfferedFile(
            "book_csv",
            "Mark book (CSV)",
            "The same rows as CSV, for other spreadsheets and tools.",
            "mark-book.csv",
            "text/csv",
            ":material/csv:",
            lambda: csv_bytes(mark_book_table(exam_totals(store, exam_id))),
        ),
        OfferedFile(
            "decisions",
            "All decisions (CSV)",
            "Every mark that a person gave, one a row, undone ones too, for your own analysis or an enquiry about a "
            "mark.",
            "decisions.csv",
            "text/csv",
            ":material/gavel:",
            lambda: csv_bytes(decisions_table(store, exam_id, viewer)),
        ),
        OfferedFile(
            "proposals",
            "All proposals (CSV)",
            "Every mark that a judge proposed, one a row, for your own analysis; it joins with the decisions by "
            "“Response”.",
            "proposals.csv",
            "text/csv",
            ":material/smart_toy:",
            lambda: csv_bytes(proposals_table(store, exam_id, viewer)),
        ),
    )

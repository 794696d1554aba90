"""What a head of department takes away from the agreement page: the figures as tables, as a report, and every pair."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, tzinfo
from zoneinfo import ZoneInfo

import streamlit as st

from components.marking import Marker, Role
from components.workflow.agreement.answers import Answer
from components.workflow.agreement.export import csv_bytes, csv_zip, workbook
from components.workflow.agreement.figures import ExamFigures
from components.workflow.agreement.handout import handout
from components.workflow.agreement.pair_table import pair_rows_table
from components.workflow.agreement.report import html_report
from pages.shared.offered import XLSX, OfferedFile, file_stem
from storage import Store


def show(store: Store, figures: ExamFigures, viewer: Marker, answers: Sequence[Answer]) -> None:
    """A button for each file, with what it is. Nothing is made before its button is clicked."""
    zone = ZoneInfo(st.context.timezone) if st.context.timezone else UTC
    with st.grid(2, min_column_width=260):
        for file in _files(store, figures, viewer, answers, zone):
            with st.container(border=True, height="stretch"):
                st.download_button(
                    file.label,
                    data=file.make,
                    file_name=f"{name_of(figures)}-{file.ending}",
                    mime=file.mime,
                    key=f"agreement_download_{file.key}",
                    icon=file.icon,
                    on_click="ignore",
                    width="stretch",
                )
                st.caption(file.said)
    st.caption("All of them are about the selection above.")


def name_of(figures: ExamFigures) -> str:
    """The beginning of the files' names: the exam's title in letters that every system takes, and the day."""
    return file_stem(figures.exam.title, f"exam-{figures.exam.id}", date.today().isoformat())


def _files(
    store: Store, figures: ExamFigures, viewer: Marker, answers: Sequence[Answer], zone: tzinfo
) -> tuple[OfferedFile, ...]:
    own = viewer.role is Role.TEACHER
    named = "" if viewer.role is Role.HEAD else " Markers have numbers in place of names."
    return (
        OfferedFile(
            "report",
            "Report (HTML)",
            "For a leadership team or an exam board: the answers, method, figures, charts, limits and adjudications in "
            "one file that opens in any browser and prints to PDF.",
            "agreement-report.html",
            "text/html",
            ":material/description:",
            lambda: html_report(handout(store, figures, viewer, zone), answers).encode(),
        ),
        OfferedFile(
            "xlsx",
            "Tables (Excel)",
            "Every figure on this page and its charts, a sheet a table, with definitions and versions.",
            "agreement.xlsx",
            XLSX,
            ":material/table:",
            lambda: workbook(handout(store, figures, viewer, zone).tables),
        ),
        OfferedFile(
            "csv",
            "Tables (CSV)",
            "The same tables as CSV files in a ZIP, for other tools.",
            "agreement-csv.zip",
            "application/zip",
            ":material/folder_zip:",
            lambda: csv_zip(handout(store, figures, viewer, zone).tables),
        ),
        OfferedFile(
            "pairs",
            "All pairs (CSV)",
            (
                "Every pair of marks on the responses that you have marked yourself, one a row; others you may still "
                "have to mark blind."
                if own
                else "Every pair of marks, one a row: response, candidate, question, both marks, stage, judge, when. "
                "Responses that you take away like this can no longer be marked blind by you."
            )
            + named,
            "pairs.csv",
            "text/csv",
            ":material/compare_arrows:",
            lambda: csv_bytes(pair_rows_table(store, figures.selection, viewer)),
        ),
    )

"""The report of an import row by row, on screen and to download."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from components.intake import ImportPlan, report_csv
from components.widgets.figures import count

REPORT_ROWS = 500
FEW_ROWS = 8


def show_report(plan: ImportPlan, about: str) -> None:
    """Errors first, then warnings; every row where that is wanted."""
    st.subheader("Row by row")
    fine = sum(entry.level == "ok" for entry in plan.report)
    st.write(
        f"{count(plan.problems, 'error')}, {count(plan.warnings, 'warning')}, {count(fine, 'row')} with nothing wrong."
    )
    wanted = st.segmented_control(
        "Show",
        ["Errors and warnings", "Every row"],
        default="Errors and warnings",
        required=True,
        key=f"import_show_{about}",
    )
    order = {"error": 0, "warning": 1, "ok": 2}
    entries = sorted(
        (entry for entry in plan.report if wanted == "Every row" or entry.level != "ok"),
        key=lambda entry: (order[entry.level], entry.row),
    )
    if entries:
        st.dataframe(
            [
                {"Row": e.row, "Result": e.level, "What was found": e.message.removeprefix(f"Row {e.row}: ")}
                for e in entries[:REPORT_ROWS]
            ],
            hide_index=True,
            height=300 if len(entries) > FEW_ROWS else "content",
            alt="The report: row number, result, and what was found, errors first.",
            column_config={
                "Row": st.column_config.NumberColumn(width=60),
                "Result": st.column_config.TextColumn(width=75),
            },
        )
    if len(entries) > REPORT_ROWS:
        st.caption(f"The first {REPORT_ROWS:,} of {len(entries):,}. The download has all of them.")
    st.download_button(
        "Download the report",
        lambda: report_csv(plan),
        file_name=f"{Path(plan.file_name).stem} report.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
        key=f"import_report_{about}",
    )

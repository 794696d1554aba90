"""A batch's files: carrying them to another machine, reading back what it made of them, and what came of it."""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Callable
from functools import partial

import streamlit as st

from components.widgets.figures import count, plain
from components.workflow import batches
from components.workflow.batch_report import as_csv, report_of
from components.workflow.batches import BatchBusy
from components.workflow.cohort import RunError
from storage import Store
from storage.batches import ENDED, Batch, Part
from storage.connect import in_words

REPORT_ROWS = 500
NOTICE = "batch_notice"
state = st.session_state


def carry(store: Store, batch: Batch, parts: list[Part], model: str) -> None:
    """The files to carry to another machine, and reading back what it made of them."""
    paths = batches.files(store, parts)
    if not paths:
        return
    with st.expander("Carry it to another machine", key=f"batch_carry_{batch.id}", icon=":material/drive_file_move:"):
        with st.container(horizontal=True):
            for path in paths:
                st.download_button(
                    f"Download {path.name}",
                    partial(path.open, "rb"),
                    file_name=path.name,
                    mime="application/jsonl",
                    key=f"batch_file_{path.name}",
                    icon=":material/download:",
                    on_click="ignore",
                )
        st.caption("On a machine with vLLM:")
        commands = [
            f"vllm run-batch -i {each.name} -o output-{each.name} --model {shlex.quote(model)}" for each in paths
        ]
        st.code("\n".join(commands), language="bash", wrap_lines=True)
        st.caption(
            "Ray and other programs that read the format of OpenAI's batches do as well. Only custom\\_id and the "
            "reply are read back; the order of the lines does not matter\\."
        )
        uploaded = st.file_uploader(
            "Read output files",
            type=["jsonl", "json", "txt", "ndjson"],
            accept_multiple_files=True,
            key=f"batch_upload_{batch.id}_{len(batch.report)}",
            help="One or several, in any order. Reading a file twice stores nothing twice.",
        )
        if uploaded:
            st.button(
                f"Read {count(len(uploaded), 'file')}",
                key=f"batch_read_{batch.id}",
                type="primary",
                on_click=attempt,
                args=(batches.read_output, store, batch.id, uploaded),
            )


def show_report(store: Store, batch: Batch) -> None:
    """What came of the batch's lines, read only when it is opened."""
    if not batch.report and not batch.notes and batch.state != ENDED:
        return
    opened = st.expander("Report", key=f"batch_report_{batch.id}", icon=":material/fact_check:", on_change="rerun")
    if not opened.open:
        return
    report = report_of(store, batch)
    with opened:
        if report.counts:
            st.markdown(plain(" · ".join(f"{what}: {n:,}" for what, n in sorted(report.counts.items()))))
        if not report.rows:
            st.caption("Nothing else to tell: every line was read, and none is missing.")
            return
        st.dataframe(
            report.rows[:REPORT_ROWS],
            hide_index=True,
            column_config={
                "Why": st.column_config.TextColumn(width="large"),
                "Line": st.column_config.TextColumn(width="small"),
            },
        )
        more = len(report.rows) - REPORT_ROWS
        if more > 0:
            st.caption(f"The first {REPORT_ROWS:,} of {len(report.rows):,}. The file has all of them.")
        if report.unlisted:
            st.caption(f"{report.unlisted:,} more lines are only counted.")
        st.download_button(
            "Download the report",
            lambda: as_csv(report.rows),
            file_name=f"batch_{batch.id}_report.csv",
            mime="text/csv",
            key=f"batch_csv_{batch.id}",
            icon=":material/download:",
            on_click="ignore",
        )


def attempt(step: Callable[..., object], *args: object) -> None:
    """Do a step that the batch may refuse, or that the disk or the database may; its words are shown above the list."""
    try:
        step(*args)
    except (BatchBusy, RunError) as refused:
        state[NOTICE] = str(refused)
    except sqlite3.Error as error:
        state[NOTICE] = in_words(error)
    except OSError as error:
        state[NOTICE] = f"The file could not be saved ({error.strerror}). Free some space on the disk, then try again."

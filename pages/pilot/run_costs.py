"""What runs cost: tiles, a table by subject, every proposal, and all runs together."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add

import streamlit as st

from components.intake.report import defused
from components.marking import format_mark
from components.widgets.figures import NO_FIGURE, plain
from pages.pilot import run_words
from storage import Store, runs
from storage.runs import Made, Run, Took

SHOWN_PROPOSALS = 1000
OUTCOMES = {"abstained": "left to the teacher", "failed": "failed"}


def show_tiles(took: Took) -> None:
    """Proposals, cost and time, in all and for 1,000 responses."""
    with st.container(horizontal=True, gap="small"):
        st.metric("Proposals made", f"{took.made:,}", width="content")
        st.metric("Cost", plain(run_words.cost(took)), width="content")
        if took.asked:
            st.metric("Cost per 1,000", plain(run_words.cost_per_thousand(took)), width="content")
        if took.seconds:
            st.metric("Judge's time", run_words.duration_short(took.seconds), width="content")
            st.metric("Time per 1,000", run_words.time_per_thousand(took), width="content")


def show_by_subject(listed: Sequence[tuple[str, Took]]) -> None:
    st.dataframe(
        [
            {
                "Subject": subject,
                "Responses": took.responses,
                "Asked of a model": took.asked,
                "Cost": run_words.cost(took),
                "Cost per 1,000": run_words.cost_per_thousand(took),
                "Time": run_words.duration(took.seconds) if took.seconds else NO_FIGURE,
                "Time per 1,000": run_words.time_per_thousand(took),
                "Tokens sent": took.tokens_in,
                "Tokens received": took.tokens_out,
            }
            for subject, took in listed
        ],
        hide_index=True,
        column_config={
            "Subject": st.column_config.TextColumn(pinned=True),
            "Tokens sent": st.column_config.NumberColumn(format="localized"),
            "Tokens received": st.column_config.NumberColumn(format="localized"),
        },
    )


def subjects_of(store: Store, run: Run) -> None:
    """The run's figures by subject where it is about more than one, read only when they are opened."""
    if run.id is None or run.subjects < 2:
        return
    opened = st.expander("By subject", key=f"subjects_{run.job_id}_{run.id}", on_change="rerun")
    if opened.open:
        with store.read() as db:
            listed = runs.by_subject(db, [run.id])
        with opened:
            show_by_subject(listed)


def proposals_of(store: Store, run: Run) -> None:
    """Every proposal of the run with what it took, read only when it is opened."""
    run_id = run.id
    if run_id is None or not run.took.made:
        return
    opened = st.expander("Every proposal", key=f"proposals_{run.job_id}_{run_id}", on_change="rerun")
    if not opened.open:
        return

    def all_of_them() -> bytes:
        with store.read() as db:
            return as_csv(runs.proposals_of(db, run_id))

    with store.read() as db:
        newest = runs.proposals_of(db, run_id, SHOWN_PROPOSALS)
    with opened:
        if run.took.made > len(newest):
            st.caption(f"The newest {len(newest):,} of {run.took.made:,}. The file has all of them.")
        st.dataframe(
            [_row(each) for each in newest],
            hide_index=True,
            placeholder="not known",
            column_config={
                "Seconds": st.column_config.NumberColumn(format="%.1f"),
                "US dollars": st.column_config.NumberColumn(format="%.6f"),
            },
        )
        st.download_button(
            "Download all as CSV",
            all_of_them,
            file_name=f"run_{run_id}_proposals.csv",
            mime="text/csv",
            icon=":material/download:",
            key=f"download_{run.job_id}_{run_id}",
            on_click="ignore",
        )


def as_csv(made: Iterable[Made]) -> bytes:
    """The proposals as a table that spreadsheets open: UTF-8 with its mark, and no text taken for a formula."""
    written = io.StringIO()
    table = csv.writer(written)
    rows = [_row(each) for each in made]
    table.writerow(rows[0] if rows else ())
    table.writerows([_safe(cell) for cell in row.values()] for row in rows)
    return written.getvalue().encode("utf-8-sig")


def _row(made: Made) -> dict[str, object]:
    return {
        "Question": made.question,
        "Candidate": made.candidate,
        "Outcome": OUTCOMES.get(made.status, "mark"),
        "Mark": "" if made.mark is None else format_mark(made.mark),
        "Out of": format_mark(made.max_mark),
        "By": made.label,
        "Seconds": made.seconds,
        "Tokens sent": made.tokens_in,
        "Tokens received": made.tokens_out,
        "US dollars": made.price,
    }


def _safe(cell: object) -> object:
    return defused(cell) if isinstance(cell, str) else cell


@st.cache_data(max_entries=4, show_spinner="Adding up all runs …")
def _sums(where: str, changed: tuple[int, ...], exam_ids: tuple[int, ...], _store: Store) -> list[tuple[str, Took]]:
    with _store.read() as db:
        return runs.by_subject(db)


def show_all_together(store: Store, exam_ids: tuple[int, ...]) -> None:
    """The totals over all runs of these exams, which are those that are not archived."""
    with store.read() as db:
        changed = runs.changes(db)
    listed = _sums(str(store.path), changed, exam_ids, store)
    if not listed:
        return
    together = reduce(add, (took for _, took in listed))
    st.subheader("All runs together")
    show_tiles(together)
    if told := " ".join(part for part in (run_words.effort(together), run_words.unknown_note(together)) if part):
        st.caption(plain(told))
    show_by_subject(listed)
    st.caption("A response that several runs were about counts once for each. Runs of archived exams are left out.")

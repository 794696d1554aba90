"""What a sitting's model got right, when it is opened, and the submission file."""

from __future__ import annotations

from dataclasses import astuple

import streamlit as st

from components.intake.benchmarks import Benchmark
from components.widgets.figures import count, plain
from components.workflow.benchmarks.figures_accuracy import Accuracy
from components.workflow.benchmarks.figures_objective import ObjectiveFigures
from components.workflow.benchmarks.outcomes import accuracy_of, objective_of, submission_of
from pages.pilot.benchmarks_accuracy import accuracy_section
from pages.pilot.benchmarks_objective import objective_tables
from pages.pilot.benchmarks_written import written_section
from storage import Store, sitting_progress
from storage.sitting_progress import Took
from storage.sittings import Sitting

SHOWN_UNREAD = 500


def outcome_section(store: Store, sitting: Sitting, took: Took) -> None:
    """The figures, worked out only when they are opened."""
    opened = st.expander("What it got right", key=f"sitting_outcome_{sitting.id}", on_change="rerun")
    if not opened.open:
        return
    with opened:
        if sitting.benchmark == Benchmark.GAOKAO_BENCH:
            objective = _objective(str(store.path), sitting.id, astuple(took), store, sitting)
            if objective is None:
                st.caption("Nothing in this sitting is marked by rule.")
            else:
                _show_objective(objective, sitting.id)
            written_section(store, sitting, took, objective)
            return
        accuracy = _accuracy(str(store.path), sitting.id, astuple(took), store)
        private = "test" in sitting.settings.get("splits", ())
        if accuracy is not None:
            accuracy_section(accuracy, f"sitting_{sitting.id}", private=private)
        if private:
            st.download_button(
                "Download the submission file",
                lambda: submission_of(store, sitting.id),
                file_name=f"submission_sitting_{sitting.id}.json",
                mime="application/json",
                icon=":material/download:",
                key=f"sitting_submission_{sitting.id}",
                on_click="ignore",
                help="The answers by task and number, as the benchmark's authors take them for a private test set. "
                "Every question chosen is in it, with no letter where none was asked for, came back or could be read.",
            )


def unread_section(store: Store, sitting: Sitting, took: Took) -> None:
    """The replies that could not be read, when they are opened."""
    if not took.unread:
        return
    said = f"{took.unread:,} {'reply' if took.unread == 1 else 'replies'} could not be read"
    opened = st.expander(said, key=f"sitting_unread_{sitting.id}", on_change="rerun")
    if not opened.open:
        return
    with store.read() as db:
        rows = sitting_progress.unread(db, sitting.id, SHOWN_UNREAD)
    with opened:
        st.dataframe(
            [{"Question": named, "Reply": reply, "Why it has no mark": reason} for named, reply, reason in rows],
            hide_index=True,
            column_config={"Reply": st.column_config.TextColumn(width="large")},
        )
        if took.unread > len(rows):
            st.caption(f"The first {len(rows):,}.")


def _show_objective(figures: ObjectiveFigures, sitting_id: int) -> None:
    total = figures.total
    unread = f" {count(total.unread, 'answer')} could not be read and have no mark." if total.unread else ""
    st.markdown(
        plain(
            f"By our rules {total.ours.marks:,.0f} of {total.ours.full:,.0f} marks on what was read, by the published "
            f"rules {total.published.marks:,.0f} of {total.full:,.0f}.{unread}"
        )
    )
    objective_tables(
        figures,
        "Marks and rates by the published rules, which take whatever letter they find, and by ours, which take an "
        "answer only where the reply gives one. Low and high: where the rate likely lies (95%).",
        f"sitting_{sitting_id}",
    )


@st.cache_data(max_entries=20, show_spinner="Counting what is right …")
def _accuracy(where: str, sitting_id: int, took: tuple[object, ...], _store: Store) -> Accuracy | None:
    """The first three are what it rests on."""
    return accuracy_of(_store, sitting_id)


@st.cache_data(max_entries=20, show_spinner="Marking by both rules …")
def _objective(
    where: str, sitting_id: int, took: tuple[object, ...], _store: Store, _sitting: Sitting
) -> ObjectiveFigures | None:
    """The first three are what it rests on."""
    return objective_of(_store, _sitting)

"""On a judge's card: what its model knows of each subject, from the benchmarks it has sat."""

from __future__ import annotations

import streamlit as st

from components.agreement import count_of
from components.widgets.figures import plain
from components.workflow.benchmarks.figures_knowledge import PASS, Knowledge, Standing, knowledge, known_rows
from components.workflow.benchmarks.figures_tables import knowledge_table
from pages.pilot.benchmarks_table import PERCENT, show_table
from storage import Store, benchmarks

_FORMATS = {"Knows": PERCENT, "Low": PERCENT, "High": PERCENT}


def judge_knowledge(store: Store, judge_id: int) -> None:
    """Sentence, advice, and the subjects when opened; nothing for a judge that has sat no benchmark."""
    with store.read() as db:
        sat = benchmarks.sat_so_far(db, judge_id)
    if not sat[0]:
        return
    known = _known(str(store.path), judge_id, sat, store)
    if known is None:
        return
    st.markdown(plain(known.sentence))
    failing = any(each.standing is Standing.DOES_NOT for each in known.subjects)
    (st.warning if failing else st.caption)(plain(known.advice))
    subjects = count_of(len(known.subjects), "subject")
    with st.expander(f"What it knows of {subjects}", key=f"judge_knows_{judge_id}"):
        show_table(
            knowledge_table(known.subjects),
            "The share of choice questions that its model answered right when it sat the benchmarks; a reply that "
            f"could not be read counts as wrong. Knows it: even the low end is at least {100 * PASS:.0f}%, which "
            "passes an examination. A quarter of questions with four options is right by guessing.",
            f"knowledge_{judge_id}",
            _FORMATS,
            leading=("Knows", "So it"),
        )


@st.cache_data(max_entries=100, show_spinner="Looking up what the model knows …")
def _known(where: str, judge_id: int, sat: tuple[int, int, int], _store: Store) -> Knowledge | None:
    """The first three are what the knowledge rests on."""
    with _store.read() as db:
        return knowledge(known_rows(benchmarks.results_of_judge(db, judge_id)))

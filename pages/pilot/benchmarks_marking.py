"""Letting judges mark what a model wrote in a sitting: with the mark scheme, without it, or both."""

from __future__ import annotations

import streamlit as st

from components.marking import Marker
from components.widgets.figures import count, plain
from components.workflow.benchmarks.marking import Marking, begin_marking, exams_of_written, marking_of, together
from components.workflow.connections import Connections
from components.workflow.trial.arms import ArmChoice
from components.workflow.trial.starting import TrialError
from pages.pilot import trial_words
from pages.pilot.spending_cap import above_cap, choose_cap, say_of_cap
from pages.pilot.start_panel import open_panel, start_button
from pages.pilot.trial_variants import choose_arms
from pages.shared import guard
from storage import Store, runs
from storage.sittings import Sitting

OPEN, BEGUN = "mark_written", "marking_begun"
PLAN_SECONDS = 20
state = st.session_state


@st.fragment
def marking_panel(store: Store, connections: Connections, sitting: Sitting, marker: Marker) -> None:
    """The panel; what is chosen in it draws only the panel again."""
    exam_ids = exams_of_written(store, sitting)
    if not exam_ids:
        return
    panel = open_panel("Let judges mark what it wrote", key=f"{OPEN}_{sitting.id}", icon=":material/rate_review:")
    if begun := state.get(BEGUN, {}).get(sitting.id):
        st.markdown(plain(begun))
        st.page_link(guard.PAGES_FOLDER / "pilot/trial.py", label="Follow them under Trials", icon=":material/science:")
    if panel is not None:
        with panel:
            _choices(store, connections, sitting, exam_ids, marker)


def _choices(store: Store, connections: Connections, sitting: Sitting, exam_ids: list[int], marker: Marker) -> None:
    st.caption(
        f"A trial for each of the {count(len(exam_ids), 'exam')} that hold the written answers. Marks of teachers are "
        "compared with where there are any; nothing shows on the marking desk."
    )
    arms = choose_arms(store, connections, f"marking_{sitting.id}")
    if not arms:
        st.caption("Choose at least one judge to see what it would take.")
        return
    cap = choose_cap(
        f"marking_cap_{sitting.id}",
        "For all exams together, shared out by what each is likely to cost. Each can go on with more.",
    )
    with store.read() as db:
        changed = runs.changes(db)
    connected = tuple(arm.judge_id for arm in arms if connections.llm(arm.judge_id) is not None)
    wanted = _planned(str(store.path), tuple(exam_ids), tuple(arms), changed, connected, store, connections)
    st.dataframe(_rows(wanted), hide_index=True)
    whole = together(wanted)
    st.markdown(plain(trial_words.totals(whole)))
    problems = [*([trial_words.NOTHING_WITHHELD] if whole.nothing_withheld else []), *whole.problems]
    for problem in problems:
        st.warning(plain(problem))
    refused = start_button(
        "Start the marking",
        key=f"marking_go_{sitting.id}",
        disabled=bool(whole.problems),
        start=lambda: _start(store, connections, wanted, cap, marker, sitting.id),
    )
    say_of_cap(above_cap(whole.price, cap, "some of it would probably stay unmarked."), refused)


def _rows(wanted: list[Marking]) -> list[dict[str, object]]:
    """A row an exam and arm: what is there already, what would be asked, and what that takes."""
    return [
        {"Exam": each.exam.title, **trial_words.planned_row(arm, each.plan.responses)}
        for each in wanted
        for arm in each.plan.arms
    ]


@st.cache_data(ttl=PLAN_SECONDS, max_entries=20, show_spinner="Working out what it would take …")
def _planned(
    where: str,
    exam_ids: tuple[int, ...],
    arms: tuple[ArmChoice, ...],
    changed: tuple[int, ...],
    connected: tuple[int, ...],
    _store: Store,
    _connections: Connections,
) -> list[Marking]:
    """The first five are what it rests on."""
    found = [marking_of(_store, _connections, exam_id, arms) for exam_id in exam_ids]
    return [each for each in found if each is not None]


def _start(
    store: Store,
    connections: Connections,
    wanted: list[Marking],
    cap: float | None,
    marker: Marker,
    sitting_id: int,
) -> str:
    """Start it; gives why it was refused, or nothing."""
    try:
        begun = begin_marking(store, connections, wanted, cap, marker)
    except TrialError as error:
        return str(error)
    answers = sum(each.plan.responses for each in wanted)
    state[BEGUN] = state.get(BEGUN, {}) | {
        sitting_id: f"{count(len(begun), 'trial')} of {count(answers, 'written answer')} begun."
    }
    state[f"{OPEN}_{sitting_id}"] = False
    return ""

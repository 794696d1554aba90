"""Trials: several judges on work that people have marked, planned with price and time, compared while they run."""

import streamlit as st

from components.judge import prices
from components.widgets.figures import plain
from components.workflow.trial.demo import demo_exam, run_demo
from components.workflow.trial.starting import TrialError
from pages.pilot.trial_plan import OPEN, SHOWN, new_trial
from pages.pilot.trial_report import report_section
from pages.pilot.trial_runs import NOTICE, overview, show_trial
from pages.shared import guard
from pages.shared.desk_services import services
from storage import trials

marker = guard.enter(guard.LEADS)
store, connections = services().store, services().connections
state = st.session_state


def start_demo() -> None:
    try:
        state[SHOWN] = run_demo(store, connections, marker)
        state[OPEN] = False
    except TrialError as error:
        state[NOTICE] = str(error)


st.title("Trials")
st.caption("Should this model second-mark this exam? Try judges on responses that people have marked, and compare.")
if notice := state.pop(NOTICE, ""):
    st.info(plain(notice))
if fault := prices.fault():
    st.warning(plain(fault))
with store.read() as db:
    listed = trials.listed(db)
new_trial(store, connections, marker, opened=not listed)
demo = demo_exam(store)
if not listed:
    st.info(
        "Choose an exam above that one or two people have marked, and the judges to compare."
        + (" Or run the demo trial: two judges without a network, done in seconds." if demo is not None else ""),
        title="No trial yet",
    )
if demo is not None and not any(trial.exam_id == demo for trial in listed):
    st.button("Run the demo trial", key="trial_demo", icon=":material/play_circle:", on_click=start_demo)
if listed:
    overview(store, listed)
    titles = {trial.id: f"{trial.title} · {trial.created_at[:10]}" for trial in listed}
    if state.get(SHOWN) not in titles:
        state[SHOWN] = listed[0].id
    shown = st.selectbox("Open", list(titles), format_func=titles.__getitem__, key=SHOWN, width=520)
    show_trial(store, shown)
    report_section(store, shown)

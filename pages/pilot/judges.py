"""The judges: which there are, making one, trying it out, retiring it, and what a model is sent."""

import streamlit as st

from components.widgets.figures import plain
from pages.pilot import judge_report
from pages.pilot.judge_cards import judge_cards
from pages.pilot.judge_form import judge_form
from pages.pilot.run_start import OPEN
from pages.pilot.what_the_model_sees import what_the_model_sees
from pages.shared import guard
from pages.shared.press import pressed

marker = guard.enter(guard.LEADS)
judge_report.look()

with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
    st.title("Judges", width="content")
    if pressed("Start a run", key="judges_to_runs", icon=":material/play_circle:"):
        st.session_state[OPEN] = True
        st.switch_page(guard.PAGES_FOLDER / "pilot/runs.py")
st.caption("A judge never changes, so that its proposals stay comparable: duplicate it to change something.")
if notice := st.session_state.pop("judges_notice", ""):
    st.success(plain(notice))
    st.toast(plain(notice))  # what was pressed may be far down the page
judge_cards(marker)
judge_form(marker)
what_the_model_sees()

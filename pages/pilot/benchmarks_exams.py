"""Saying which exams were made of what models wrote, and what is in none of them."""

from __future__ import annotations

import streamlit as st

from components.widgets.figures import count
from components.workflow.benchmarks.making_exams import Made

NOTICE, LEFT_OUT, PROBLEM = "benchmark_notice", "benchmark_left_out", "benchmark_problem"
MOST_SAID = 3
state = st.session_state


def say_made(made: Made) -> None:
    """Keep for the next draw of the page what was made and left out."""
    if made.exams:
        titles, more = list(made.exams.values())[:MOST_SAID], len(made.exams) - MOST_SAID
        state[NOTICE] = (
            f"Made {count(len(made.exams), 'exam')}: {'; '.join(titles)}{f'; and {more:,} more' if more > 0 else ''}. "
            "Try judges on them under Trials, or let teachers mark them on the desk."
        )
    elif made.already:
        state[NOTICE] = "All that the model wrote is in exams already."
    if made.left_out:
        more = len(made.left_out) - MOST_SAID
        said = " ".join(made.left_out[:MOST_SAID]) + (f" And {more:,} more like these." if more > 0 else "")
        told = f"Left out: {said} The answers themselves are there unless it says otherwise."
        state[LEFT_OUT if made.exams else PROBLEM] = told

"""The five questions of a head of department, each with its answer in words and what to do next as links."""

from __future__ import annotations

import streamlit as st

from components.marking import Marker
from components.widgets.figures import plain
from components.workflow.agreement.answers import Answer, Step, answers
from components.workflow.agreement.figures import ExamFigures
from pages.department.agreement_time import drift_sentence
from pages.shared import guard
from storage import Store, reviews
from storage.reviews import Kind

PAGES = {
    "mark": ("pages/teacher/mark.py", "Go to marking", ":material/edit_note:", guard.ALL_ROLES),
    "review": ("pages/department/review.py", "Go to the review", ":material/gavel:", guard.LEADS),
    "exams": ("pages/department/exams.py", "Go to exams", ":material/description:", guard.ALL_ROLES),
    "runs": ("pages/pilot/runs.py", "Go to runs", ":material/play_circle:", guard.LEADS),
}


def find_answers(store: Store, figures: ExamFigures) -> tuple[Answer, ...]:
    """The five answers, with what waits for an adjudicator and whether the AI's marks have moved."""
    with store.read() as db:
        disputes = reviews.queue(db, figures.exam.id, Kind.DISPUTES, limit=1).disputes
    return answers(figures, disputes, drift_sentence(store, figures))


def show_answers(found: tuple[Answer, ...], viewer: Marker) -> None:
    """Each question as a heading with its answer under it, before any chart."""
    with st.container(key="agreement_answers", gap="small"):
        for answer in found:
            with st.container(gap=None):
                st.markdown(f"##### {answer.question}")
                st.markdown(plain(answer.text))
                for place, step in enumerate(answer.steps, start=1):
                    _step(place, step, viewer)


def _step(place: int, step: Step, viewer: Marker) -> None:
    page, label, icon, roles = PAGES[step.page]
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        # The words stand beside the link: a link's own are cut off where the screen is narrow.
        st.markdown(f"{place}\\. {plain(step.text)}", width="content")
        if viewer.role in roles:
            st.page_link(page, label=label, icon=icon, query_params=step.query)
        else:
            st.caption(f"for a {' or a '.join(roles)}", width="content")

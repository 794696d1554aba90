"""Storing answers from this page, and what the teacher is told of it."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Sequence

import streamlit as st

from components.marking import Marker
from components.widgets.figures import count
from components.workflow.answers import AnswerError, Arriving, bring_in
from storage import Store
from storage.connect import in_words
from storage.exams import StoredQuestion

log = logging.getLogger("second_marker")


def store_answers(store: Store, marker: Marker, question: StoredQuestion, arriving: Sequence[Arriving]) -> bool:
    """Whether they were stored. What to tell the teacher is kept for the page's next draw."""
    state = st.session_state
    try:
        brought = bring_in(store, marker, question.id, arriving)
    except AnswerError as error:
        state["answers_problem"] = str(error)
        return False
    except sqlite3.Error as error:
        log.exception("Answers could not be stored.")
        state["answers_problem"] = f"Nothing was stored. {in_words(error)}"
        return False
    what = f"Candidate {arriving[0].number}'s answer" if len(arriving) == 1 else count(len(arriving), "answer")
    then = "The judge is asked about it." if len(arriving) == 1 else "The judge is asked about them."
    state["answers_notice"] = (
        f"{what} to question {question.question.number} {'is' if len(arriving) == 1 else 'are'} stored. "
        f"{then if brought.asked else 'This exam has no judge to ask.'}"
    )
    return True

"""Where the page is: an exam, and one of its questions or a draft of one, in the address so that a reload finds it."""

from __future__ import annotations

import streamlit as st

from components.workflow.exam_setup import Opened, open_question, open_thread
from storage import Store, exams
from storage.exams import Exam

_LONGEST = 18  # digits that SQLite can hold


def chosen_exam(store: Store) -> Exam | None:
    """The exam that the address names, else the one that was open last; None where it is not there."""
    named = st.query_params.get("exam", "")
    exam_id = int(named) if _is_id(named) else None if named else st.session_state.get("exam_id")
    if exam_id is None:
        return None
    with store.read() as db:
        exam = exams.get(db, exam_id)
    if exam is not None and not named:
        st.query_params["exam"] = str(exam.id)
    return exam


def chosen_question(store: Store, exam: Exam) -> Opened | None:
    """The question or draft of this exam that the address names."""
    named, thread = st.query_params.get("question", ""), st.query_params.get("draft", "")
    opened = open_question(store, int(named)) if _is_id(named) else open_thread(store, thread) if thread else None
    if opened is None or opened.exam_id != exam.id:
        return None
    return opened


def asked_for_question() -> bool:
    return "question" in st.query_params or "draft" in st.query_params


def go(exam_id: int, *, question: int | None = None, thread: str = "") -> None:
    """Go to the exam, a question or a draft of it; for a callback, as the page then runs again."""
    place = {"exam": str(exam_id)}
    if question is not None:
        place["question"] = str(question)
    elif thread:
        place["draft"] = thread
    st.query_params.from_dict(place)


def _is_id(text: str) -> bool:
    return text.isdecimal() and len(text) <= _LONGEST

"""Typing what a candidate wrote."""

from __future__ import annotations

import streamlit as st

from components.marking import Marker
from components.widgets.figures import count
from components.workflow.answers import LONGEST_TEXT, Arriving, Existing
from pages.teacher.answer_store import store_answers
from storage import Store
from storage.exams import StoredQuestion

state = st.session_state


def type_answer(store: Store, marker: Marker, question: StoredQuestion, there: Existing) -> None:
    """A text area whose draft stays with the candidate and question, whoever's profile is chosen."""
    if there.response is not None:
        st.info(
            "This answer is stored, and what a candidate answered never changes. You can add pictures of it instead: "
            "choose Draw or Upload.",
            title="Nothing to type",
        )
        return
    drafts: dict[tuple[int, str], str] = state.setdefault("typed_drafts", {})
    place = (question.id, there.number)
    key = f"typed_{question.id}_{there.number}"
    state.setdefault(key, drafts.get(place, ""))
    text = st.text_area(
        "The answer, word for word",
        key=key,
        height=220,
        max_chars=LONGEST_TEXT,
        placeholder="Type what is on the paper, mistakes included.",
    )
    drafts[place] = text or ""
    words = len(drafts[place].split())
    st.caption(f"{count(words, 'word')}, {count(len(drafts[place]), 'character')}" if words else "Nothing typed yet.")
    st.button(
        "Store the answer",
        key=f"store_{key}",
        type="primary",
        disabled=not words,
        on_click=_store,
        args=(store, marker, question, there, key),
    )


def _store(store: Store, marker: Marker, question: StoredQuestion, there: Existing, key: str) -> None:
    arriving = Arriving(there.number, "typed", text=state.get(key) or "", seen=there.seen)
    if store_answers(store, marker, question, [arriving]):
        state["typed_drafts"].pop((question.id, there.number), None)
        state.pop(key, None)

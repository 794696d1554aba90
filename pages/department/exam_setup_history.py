"""The history of a question: every state that was typed, to look at and to go on from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from components.marking import Marker, MarkError, Role
from components.widgets.author import author_markdown
from components.widgets.figures import plain
from components.workflow.exam_setup import Opened, QuestionBody, restore
from pages.department.exam_setup_fields import NOTICE, REFUSED
from pages.department.exam_setup_place import go
from pages.department.exam_setup_words import first_words
from pages.shared.clock import moment_text
from storage import Store, question_drafts
from storage.question_drafts import Draft, DraftState

state = st.session_state
SHOWN = 30
STATES = {
    DraftState.EDITED: "draft",
    DraftState.SAVED: "saved",
    DraftState.DROPPED: "thrown away",
}
NAMES = {
    "max_mark": "maximum",
    "mark_step": "mark step",
    "aos": "AOs",
    "points": "marking points",
    "groups": "groups",
    "objectives": "levels",
    "choice": "key",
    "numeric": "key",
    "scheme_text": "mark scheme",
    "model_answer": "model answer",
}


def show_history(store: Store, marker: Marker, opened: Opened) -> None:
    """The newest states first, read only when opened."""
    box = st.expander("History", icon=":material/history:", key=f"history_{opened.thread}", on_change="rerun")
    if not box.open:
        return
    with store.read() as db:
        drafts = question_drafts.history(db, opened.thread, SHOWN)
    with box:
        if not drafts:
            st.caption("Nothing has been typed here yet.")
        for place, draft in enumerate(drafts):
            earlier = drafts[place + 1].body if place + 1 < len(drafts) else {}
            _entry(store, marker, draft, earlier, newest=place == 0)
        if len(drafts) == SHOWN:
            st.caption(f"The newest {SHOWN}. Changes by one person in the same minute are shown as one.")


def _entry(store: Store, marker: Marker, draft: Draft, earlier: Mapping[str, Any], newest: bool) -> None:
    changed = what_changed(earlier, draft.body)
    about = f"{moment_text(draft.saved_at)} · {plain(draft.marker_name)} · {STATES[draft.state]}"
    st.markdown(f"**{about}**" + (f" · {plain(', '.join(changed))}" if changed else ""))
    text = first_words(str(draft.body.get("text", "")))
    if text:
        st.caption(plain(text))
    with st.container(horizontal=True):
        with st.popover("Look", key=f"look_{draft.id}"):
            _shown(draft)
        if not newest:
            st.button(
                "Go on from this",
                key=f"restore_{draft.id}",
                disabled=marker.role is not Role.HEAD,
                on_click=_restore,
                args=(store, marker, draft),
            )


def what_changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The fields that differ, in words; nothing for the first state."""
    if not before:
        return []
    fields = [name for name in after if name not in ("base_scheme_id", "after") and before.get(name) != after[name]]
    return list(dict.fromkeys(NAMES.get(name, name) for name in fields))


def _shown(draft: Draft) -> None:
    body = QuestionBody.model_validate(draft.body)
    st.markdown(f"**Question {plain(body.number)}**, {body.max_mark or 0:g} marks")
    for words in (body.stimulus, body.text):
        if words.strip():
            st.markdown(author_markdown(words))
    for point in body.points:
        st.markdown(f"- **{plain(point.code)}** ({point.marks or 0:g}) {author_markdown(point.text)}")
    if body.scheme_text.strip():
        st.markdown(author_markdown(body.scheme_text))


def _restore(store: Store, marker: Marker, draft: Draft) -> None:
    try:
        thread = restore(store, marker, draft.id)
    except MarkError as error:
        state[REFUSED] = str(error)
        return
    state[NOTICE] = f"The draft is again as it was at {moment_text(draft.saved_at)}."
    if draft.question_id is None or "draft" in st.query_params:
        go(draft.exam_id, thread=thread)

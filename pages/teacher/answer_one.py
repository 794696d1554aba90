"""One candidate's answer to one question: whose, what is there, and the three ways to give it."""

from __future__ import annotations

import streamlit as st

from components.intake.thumbnails import thumbnail
from components.marking import Marker
from components.widgets.figures import count, plain
from components.workflow.answers import AnswerError, Existing, candidate_number, existing
from pages.teacher.answer_drawn import draw_answer
from pages.teacher.answer_typed import type_answer
from pages.teacher.answer_uploaded import upload_answer
from storage import Store, pictures, responses
from storage.exams import StoredQuestion

WAYS = {"Type": type_answer, "Draw": draw_answer, "Upload": upload_answer}
KINDS = {"typed": "typed", "drawn": "drawn on screen", "photographed": "photographed", "scanned": "scanned"}
PREVIEW = 320  # pixels

state = st.session_state


def one_answer(store: Store, marker: Marker, question: StoredQuestion) -> None:
    """Choose the candidate, see what is there, and add to it."""
    number = _candidate(store, question)
    if number is None:
        st.info("Choose the candidate whose answer this is, or type a new candidate's number.", title="Whose answer?")
        return
    try:
        with store.read() as db:
            there = existing(db, question.id, number)
    except AnswerError as error:
        st.error(plain(str(error)))
        return
    if problem := state.pop("answers_problem", ""):
        st.error(plain(problem), title="Not stored")
    _show(store, there)
    if there.closed:
        st.warning(f"This answer cannot be changed: {plain(there.closed)}", title="Already marked")
        return
    way = st.segmented_control(
        "How does the answer come?", list(WAYS), default=state.get("answers_way", "Type"), required=True, key="way"
    )
    state["answers_way"] = way or "Type"
    WAYS[state["answers_way"]](store, marker, question, there)


def _candidate(store: Store, question: StoredQuestion) -> str | None:
    with store.read() as db:
        answered = {number: found is not None for number, found in responses.by_candidate(db, question.id).items()}
    key, kept = f"candidate_of_{question.exam_id}", f"answers_candidate_{question.exam_id}"
    if key not in state and kept in state:
        state[key] = state[kept]
    known = list(answered)
    if state.get(key) is not None and state[key] not in answered:
        known.append(state[key])  # typed in, and not stored yet
    typed = st.selectbox(
        "Candidate",
        known,
        index=None,
        format_func=lambda each: f"{each}{' · has an answer' if answered.get(each) else ''}",
        key=key,
        placeholder="Choose, or type a new number",
        accept_new_options=True,
        width=320,
    )
    state[kept] = typed
    if typed is None:
        return None
    try:
        return candidate_number(typed)
    except AnswerError as error:
        st.error(plain(str(error)))
        return None


def _show(store: Store, there: Existing) -> None:
    """What the exam has of this answer."""
    name = f"Candidate {plain(there.number)}"
    if not there.known:
        st.info(f"{name} is new: storing the answer adds them to the exam.", icon=":material/person_add:")
        return
    if there.response is None:
        st.caption(f"{name} has no answer to this question yet.")
        return
    with st.container(border=True):
        pages = f" · {count(len(there.pages), 'page')}" if there.pages else ""
        st.markdown(f"**{name}** · {KINDS[there.response.kind]}{pages}")
        if there.response.text.strip():
            st.text(there.response.text)
        elif not there.pages:
            st.caption("The answer is empty.")
        if there.pages:
            with st.container(horizontal=True):
                for page in there.pages:
                    st.image(
                        _preview(page.sha256, store),
                        width=min(PREVIEW, page.width),
                        caption=f"Page {page.page}",
                        alt=f"Page {page.page} of candidate {there.number}'s answer",
                    )
        if there.proposed and not there.closed:
            st.caption(
                "The judge has proposed a mark on this answer. If you change its pages, that proposal no longer "
                "stands and the judge is asked again."
            )


@st.cache_data(show_spinner=False, max_entries=100)
def _preview(sha256: str, _store: Store) -> bytes:
    with _store.read() as db:
        return thumbnail(pictures.content(db, sha256), 3 * PREVIEW)

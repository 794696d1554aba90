"""The questions of an exam in order, with the drafts that are not in it yet, and what can be done with each."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from components.marking import Marker, MarkError, Role, format_mark
from components.widgets.figures import count, plain
from components.workflow.exam_setup import move, remove, restore, split, start_new, thrown_away, unfinished
from pages.department.exam_setup_fields import NOTICE, REFUSED
from pages.department.exam_setup_place import go
from pages.department.exam_setup_words import TYPES, first_words
from pages.shared.clock import moment_text
from storage import Store, exam_setup, exams
from storage.exams import Exam, StoredQuestion
from storage.question_drafts import Draft

state = st.session_state


def show_list(store: Store, marker: Marker, exam: Exam) -> None:
    """Every question with its buttons; new drafts and thrown-away ones below."""
    with store.read() as db:
        questions = exams.questions(db, exam.id)
        drafts = unfinished(db, exam.id)
        gone = thrown_away(db, exam.id)
        responses = {stored.id: exam_setup.response_count(db, stored.id) for stored in questions}
    edited = {draft.question_id: draft for draft in drafts if draft.question_id is not None}
    there = {stored.id for stored in questions}
    new = [draft for draft in drafts if draft.question_id not in there]
    may = marker.role is Role.HEAD
    st.header("Questions")
    if questions:
        most = format_mark(sum(stored.question.max_mark for stored in questions))
        st.caption(f"{count(len(questions), 'question')}, {most} marks in all.")
    elif not new:
        st.info("Add the first question, then bring answers in.", title="No question yet")
    for place, stored in enumerate(questions):
        _row(store, marker, stored, edited.get(stored.id), responses[stored.id], place, len(questions))
    for draft in new:
        _draft_row(draft)
    st.button(
        "Add a question",
        type="primary",
        icon=":material/add:",
        key="setup_add",
        disabled=not may,
        on_click=_start,
        args=(store, marker, exam.id),
    )
    if gone:
        _thrown_away(store, marker, gone)


def _row(
    store: Store, marker: Marker, stored: StoredQuestion, draft: Draft | None, responses: int, place: int, of: int
) -> None:
    question, may = stored.question, marker.role is Role.HEAD
    with st.container(border=True, key=f"setup_row_{stored.id}"):
        about = [TYPES[question.type], _marks(question.max_mark), f"scheme v{stored.scheme_version}"]
        about.append(count(responses, "response") if responses else "no responses yet")
        st.markdown(f"**{plain(question.number)}** · {' · '.join(about)}")
        st.caption(plain(first_words(question.text or question.stimulus)) or "No text")
        if draft is not None:
            st.caption(
                f":material/edit: Changed by {plain(draft.marker_name)}, {moment_text(draft.saved_at)}, not saved yet."
            )
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.button(
                "Edit" if may else "Look",
                key=f"setup_edit_{stored.id}",
                on_click=go,
                args=(stored.exam_id,),
                kwargs={"question": stored.id},
            )
            st.button(
                "Move up",
                key=f"setup_up_{stored.id}",
                icon=":material/arrow_upward:",
                disabled=not may or place == 0,
                on_click=_do,
                args=(lambda: move(store, marker, stored.id, -1),),
            )
            st.button(
                "Move down",
                key=f"setup_down_{stored.id}",
                icon=":material/arrow_downward:",
                disabled=not may or place == of - 1,
                on_click=_do,
                args=(lambda: move(store, marker, stored.id, 1),),
            )
            with st.popover("More", key=f"setup_more_{stored.id}", disabled=not may):
                _more(store, marker, stored, responses)


def _more(store: Store, marker: Marker, stored: StoredQuestion, responses: int) -> None:
    st.button(
        "Copy",
        key=f"setup_copy_{stored.id}",
        icon=":material/content_copy:",
        on_click=_start,
        args=(store, marker, stored.exam_id, stored.id),
        help="A draft of a new question that starts as this one, with its mark scheme.",
    )
    st.button(
        "Split into (a), (b) …",
        key=f"setup_split_{stored.id}",
        icon=":material/call_split:",
        disabled=responses > 0,
        on_click=_do,
        args=(lambda: _split(store, marker, stored),),
    )
    st.button(
        "Take out of the exam",
        key=f"setup_remove_{stored.id}",
        icon=":material/delete:",
        disabled=responses > 0,
        on_click=_do,
        args=(lambda: _remove(store, marker, stored.id),),
    )
    if responses:
        st.caption("A question with responses stays whole and stays in the exam: what was answered is never deleted.")
    else:
        st.caption(
            "Where the text has lines that begin with (a), (b) and so on, each becomes a question; else the question "
            "becomes two. The mark scheme stays with the first."
        )


def _draft_row(draft: Draft) -> None:
    with st.container(border=True, key=f"setup_draft_row_{draft.thread}"):
        number = str(draft.body.get("number", "")).strip()
        st.markdown(f"**{plain(number) or 'No number'}** · draft, not in the exam yet")
        st.caption(plain(first_words(str(draft.body.get("text", "")))) or "No text")
        st.caption(f"By {plain(draft.marker_name)}, {moment_text(draft.saved_at)}.")
        st.button(
            "Go on",
            key=f"setup_go_on_{draft.thread}",
            on_click=go,
            args=(draft.exam_id,),
            kwargs={"thread": draft.thread},
        )


def _thrown_away(store: Store, marker: Marker, gone: list[Draft]) -> None:
    with st.expander(f"{count(len(gone), 'question')} thrown away", key="setup_thrown_away"):
        for draft in gone:
            number = str(draft.body.get("number", "")).strip()
            said = first_words(str(draft.body.get("text", "")))
            st.markdown(f"**{plain(number) or 'No number'}** · {plain(said) or 'no text'}")
            st.button(
                "Bring back as a draft",
                key=f"setup_back_{draft.id}",
                disabled=marker.role is not Role.HEAD,
                on_click=_do,
                args=(lambda draft=draft: _back(store, marker, draft),),
            )


def _start(store: Store, marker: Marker, exam_id: int, copy_of: int | None = None) -> None:
    _do(lambda: go(exam_id, thread=start_new(store, marker, exam_id, copy_of=copy_of)))


def _split(store: Store, marker: Marker, stored: StoredQuestion) -> None:
    parts = split(store, marker, stored.id)
    state[NOTICE] = f"Question {stored.question.number} is now {len(parts)} questions. Look at their marks and schemes."


def _remove(store: Store, marker: Marker, question_id: int) -> None:
    number = remove(store, marker, question_id)
    state[NOTICE] = f"Question {number} is out of the exam. It can be brought back from “thrown away” below the list."


def _back(store: Store, marker: Marker, draft: Draft) -> None:
    go(draft.exam_id, thread=restore(store, marker, draft.id))


def _do(what: Callable[[], object]) -> None:
    try:
        what()
    except MarkError as error:
        state[REFUSED] = str(error)


def _marks(most: float) -> str:
    return f"{format_mark(most)} mark{'' if most == 1 else 's'}"

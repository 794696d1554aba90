"""Where a head of department is in the review: which part of which exam, at which response; kept in the address."""

from __future__ import annotations

import streamlit as st

from components.workflow.review.queue import Review, Show, Wanted
from storage import Store, exams, standings

ALL_QUESTIONS = 0
LONGEST_ID = 18  # digits that SQLite can hold
OURS = ("exam", "question", "show", "response")
DEAD_LINK = "The response that the link names is no longer here. This is another one."

state = st.session_state


def recall(store: Store, titles: dict[int, str]) -> None:
    """Set the boxes as a link says, else as they were left: Streamlit forgets them while another page is open."""
    before: Wanted = state.get("review_wanted") or Wanted(max(titles))
    elsewhere = state.get("exam_id")
    if unread_link():
        before = _linked(store, before, titles)
    elif elsewhere in titles and elsewhere != state.get("review_elsewhere"):
        before = Wanted(elsewhere)  # the reader has since been at another exam
    else:
        _set_boxes(before, titles)
        return
    state["review_elsewhere"] = elsewhere
    for key in ("review_exam", "review_show", f"review_question_{before.exam_id}"):
        state.pop(key, None)
    _set_boxes(before, titles)


def find_place(store: Store, wanted: Wanted, found: Review) -> int | None:
    """The response to show: the one a link names, else the one that was there, else the first that waits."""
    linked = st.query_params.get("response", "") if unread_link() else ""
    dead = bool(linked) and not _is_in(store, wanted, linked)
    if linked and not dead:
        state["review_at"], state["review_notice"] = int(linked), ""
    elif dead or state.get("review_wanted") != wanted:
        state["review_at"], state["review_notice"] = None, DEAD_LINK if dead else ""
    elif state.get("review_at") is not None and not _is_in(store, wanted, str(state["review_at"])):
        state["review_at"] = None
    if state.get("review_wanted") != wanted or state.get("review_at") is None:
        state["review_walk"] = found.ids
        state["review_at"] = state.get("review_at") or next(iter(found.ids), None)
    if state["review_at"] is not None and state["review_at"] not in state["review_walk"]:
        state["review_walk"] = (state["review_at"], *found.ids)
    state["review_wanted"] = wanted
    at: int | None = state["review_at"]
    return at


def stay_elsewhere(store: Store, wanted: Wanted, beside: str) -> None:
    """Keep the choices while the page shows something else than responses, named by `beside` in the address."""
    if state.get("review_wanted") != wanted:
        state["review_wanted"], state["review_at"], state["review_walk"] = wanted, None, ()
    named = st.query_params.get(beside, "")
    write_address(store, wanted, None, {beside: named} if named else {})


def write_address(store: Store, wanted: Wanted, response_id: int | None, beside: dict[str, str] | None = None) -> None:
    """Keep place and choices in the address, for links and for reloads; and what else stands there by `beside`."""
    address = {"exam": str(wanted.exam_id)}
    if wanted.question_id is not None:
        with store.read() as db:
            address["question"] = exams.question(db, wanted.question_id).question.number
    if wanted.show is not Show.ALL:
        address["show"] = wanted.show
    if response_id is not None:
        address["response"] = str(response_id)
    if st.query_params.to_dict() != (whole := address | (beside or {})):
        st.query_params.from_dict(whole)
    state["review_address"] = address


def unread_link() -> bool:
    """Whether the address names a place that this page did not write there itself."""
    address = {name: value for name, value in st.query_params.to_dict().items() if name in OURS}
    return bool(address) and address != state.get("review_address")


def _set_boxes(wanted: Wanted, titles: dict[int, str]) -> None:
    if state.get("review_exam") not in titles:
        state["review_exam"] = wanted.exam_id if wanted.exam_id in titles else max(titles)
    state.setdefault("review_show", wanted.show)
    if wanted.exam_id == state["review_exam"]:
        state.setdefault(f"review_question_{wanted.exam_id}", wanted.question_id or ALL_QUESTIONS)


def _linked(store: Store, before: Wanted, titles: dict[int, str]) -> Wanted:
    """The place that the address describes; an exam that is not there leaves the place as it was."""
    exam = st.query_params.get("exam", "")
    if not (exam.isdecimal() and len(exam) <= LONGEST_ID and int(exam) in titles):
        return before
    show = st.query_params.get("show", "")
    with store.read() as db:
        numbers = {stored.question.number: stored.id for stored in exams.questions(db, int(exam))}
    return Wanted(
        int(exam),
        Show(show) if show in list(Show) else Show.ALL,
        numbers.get(st.query_params.get("question", "")),
    )


def _is_in(store: Store, wanted: Wanted, linked: str) -> bool:
    if not linked.isdecimal() or len(linked) > LONGEST_ID:
        return False
    with store.read() as db:
        standing = standings.get(db, int(linked))
    return standing is not None and standing.exam_id == wanted.exam_id

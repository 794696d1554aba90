"""The marking page: one response after another, the AI's proposal beside it, the teacher's mark is the mark."""

import sqlite3

import streamlit as st

from components.marking import MarkError, ProposalStatus, Question
from components.widgets.author import show_question, show_scheme
from components.widgets.desk import DeskView, Shown, desk
from components.workflow import desk as work
from components.workflow.desk import Walk
from pages.shared import guard
from pages.shared.desk_services import services
from storage import exams, standings
from storage.standings import Filter, Order

marker = guard.enter()
store = services().store
state = st.session_state

# The answer, the proposal and the marks must be on screen together; a long question or scheme scrolls in its box.
BOX_HEIGHT = 190
ALL_QUESTIONS = 0


def choose_walk() -> Walk:
    """The toolbar: which exam and question, in which order, through which responses."""
    with store.read() as db:
        listed = exams.listed(db)
    if not listed:
        st.title("Mark")
        st.info(
            "There is no exam to mark yet. Restore the demo exam or import a table of responses.",
            title="Nothing here yet",
        )
        st.page_link("pages/department/exams.py", label="Go to exams", icon=":material/description:")
        st.stop()
    titles = {exam.id: exam.title for exam in listed}
    recall_choices(titles)
    with st.container(horizontal=True):
        exam_id = st.selectbox("Exam", list(titles), format_func=titles.__getitem__, key="exam_id", width=240)
        with store.read() as db:
            questions = exams.questions(db, exam_id)
        numbers = {question.id: f"Question {question.question.number}" for question in questions}
        question_id = st.selectbox(
            "Question",
            [ALL_QUESTIONS, *numbers],
            format_func=lambda chosen: numbers.get(chosen, "All questions"),
            key=f"question_of_{exam_id}",
            width=150,
        )
        wanted = st.selectbox("Show", list(Filter), format_func=str.capitalize, key="wanted", width=160)
        order = st.segmented_control("Order", list(Order), format_func=str.capitalize, key="order", required=True)
    return Walk(exam_id, order, wanted, None if question_id == ALL_QUESTIONS else question_id)


def recall_choices(titles: dict[int, str]) -> None:
    """Set the toolbar as it was left, as Streamlit forgets a page's widgets while another page is open."""
    before: Walk = state.get("walk") or Walk(exam_id=max(titles))
    if state.get("exam_id") not in titles:
        state["exam_id"] = before.exam_id if before.exam_id in titles else max(titles)
    linked = st.query_params.get("exam", "")
    if unread_link() and linked.isdecimal() and int(linked) in titles:
        state["exam_id"] = int(linked)
    state.setdefault("wanted", before.wanted)
    state.setdefault("order", before.order)
    if before.exam_id == state["exam_id"]:
        state.setdefault(f"question_of_{before.exam_id}", before.question_id or ALL_QUESTIONS)


def link() -> tuple[str, str]:
    return st.query_params.get("exam", ""), st.query_params.get("response", "")


def unread_link() -> bool:
    """Whether the address names a place that this page did not write there itself."""
    return any(link()) and link() != state.get("own_link")


def find_place(walk: Walk) -> None:
    """Put a response on the desk: the one a link names, else the one that was there, else the walk's first."""
    linked = link()[1]
    if unread_link() and linked.isdecimal() and is_in(walk, int(linked)):
        state["at"], state["notice"] = int(linked), ""
    elif state.get("walk") != walk:
        state["at"], state["notice"] = work.start(store, walk), ""
    state["walk"] = walk


def is_in(walk: Walk, response_id: int) -> bool:
    with store.read() as db:
        standing = standings.get(db, response_id)
    return standing is not None and standing.exam_id == walk.exam_id


def on_action() -> None:
    """Do what was pressed on the desk; an error leaves everything as it was and is said there."""
    pressed = state.get("desk")
    if pressed is None or pressed.action is None:
        return
    payload = pressed.action
    before = question_on_desk()
    handle(payload)
    if question_on_desk() != before:
        st.rerun(["question", "marking"])


def question_on_desk() -> int | None:
    with store.read() as db:
        standing = None if state["at"] is None else standings.get(db, state["at"])
    return None if standing is None else standing.question_id


def handle(payload: dict[str, object]) -> None:
    state["acknowledged"] = str(payload.get("action_id", ""))
    state["comment_saved"] = False
    try:
        press = work.parse_press(payload)
        if press.action == "tick":
            state["ticked"] = None if press.points is None else (press.response_id, press.points)
            state["notice"] = ""
            return
        result = work.act(store, marker, state["walk"], press)
    except sqlite3.OperationalError:
        state["notice"] = (
            "The database is busy, perhaps with a large import. Nothing was saved; press again in a moment."
        )
        return
    except (MarkError, LookupError) as error:
        state["notice"] = str(error)
        return
    state["notice"], state["at"], state["comment_saved"] = result.notice, result.response_id, result.comment_saved
    state["ticked"] = None


@st.fragment(key="question")
def question_box() -> None:
    """The question and its scheme. A fragment of its own, drawn again only when another question comes to the desk."""
    question_id = question_on_desk()
    if question_id is None:
        return
    with store.read() as db:
        stored = exams.question(db, question_id)
    left, right = st.columns(2, gap="small")
    with left.expander(question_title(stored.question), expanded=True), st.container(height=BOX_HEIGHT, border=False):
        show_question(stored.question)
    scheme_title = f"Mark scheme v{stored.scheme_version}"
    with right.expander(scheme_title, expanded=True), st.container(height=BOX_HEIGHT, border=False):
        show_scheme(stored.scheme, stored.question.model_answer)


@st.fragment(key="marking")
def marking() -> None:
    """The desk alone: one element, because what stands here is drawn again after every decision."""
    walk = state["walk"]
    opened = work.open_response(store, state["at"], marker) if state["at"] is not None else None
    with store.read() as db:
        done, total = standings.progress(db, walk.exam_id, walk.question_id)
    undo = work.undoable(store, walk.exam_id, marker)
    if opened is not None:
        st.query_params.from_dict({"exam": str(walk.exam_id), "response": str(opened.response.id)})
        state["own_link"] = link()
    view = DeskView(
        shown=None if opened is None else shown(opened),
        done=done,
        total=total,
        notice=state.get("notice", ""),
        acknowledged=state.get("acknowledged", ""),
        comment_saved=state.get("comment_saved", False),
        undo=undo[0] if undo else None,
        undo_candidate=undo[1] if undo else "",
        empty_title="All marked" if total and done == total else "Nothing here",
        empty_text=empty_text(walk, done, total),
    )
    desk(view, key="desk", on_action=on_action)


def question_title(question: Question) -> str:
    marks = f"{question.max_mark:g} mark{'' if question.max_mark == 1 else 's'}"
    return f"Question {question.number} · {question.subject + ' · ' if question.subject else ''}{marks}"


def shown(opened: work.OpenResponse) -> Shown:
    ticked = state.get("ticked")
    points = ticked[1] if ticked and ticked[0] == opened.response.id else None
    notes = [f"{note.marker_name}: {note.text}" for note in opened.notes if note.kind == "comment"]
    if opened.own is not None and opened.own.comment:
        notes.append(f"{opened.own.marker_name}, with the mark: {opened.own.comment}")
    notes += [f"Already marked by {name}." for name in opened.marked_by_others]
    return Shown(
        response_id=opened.response.id,
        candidate=opened.response.candidate_number,
        answer=opened.response.text,
        question=opened.question.question,
        scheme=opened.question.scheme,
        phase=opened.phase,
        proposal=opened.proposal.proposal if opened.proposal else None,
        proposal_id=opened.proposal.id
        if opened.proposal and opened.proposal.proposal.status is ProposalStatus.PROPOSED
        else None,
        own=opened.own,
        notes=tuple(notes),
        flagged=opened.flagged,
        seen_decision_id=opened.seen_decision_id,
        ticked=points,
        ticked_total=None if points is None else work.ticked_total(opened.question, points),
        no_proposal="No proposal yet. The judge is at work, or has not been asked; you can mark without it.",
    )


def empty_text(walk: Walk, done: int, total: int) -> str:
    if total and done == total:
        return f"All {total} responses here have a mark. See how the AI and you agree on the Agreement page."
    if walk.wanted is Filter.UNMARKED:
        return "No response is waiting for a mark here. Choose another question or show all."
    return f"No response is “{walk.wanted}” here. Choose another filter above."


find_place(choose_walk())
question_box()
marking()

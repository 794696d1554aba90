"""The marking page: one response after another, the AI's proposal beside it, the teacher's mark is the mark."""

import logging
import sqlite3

import streamlit as st

from components.marking import MarkError, Phase, Question
from components.widgets.author import show_question, show_scheme
from components.widgets.desk import DeskView, desk
from components.workflow import answer_view
from components.workflow import desk as work
from components.workflow.desk import Press, Walk
from components.workflow.opening import OpenResponse, open_response
from pages.shared import desk_pictures, desk_saves, guard
from pages.shared.desk_services import services
from pages.shared.desk_shown import shown
from pages.shared.press import pressed
from storage import exams, jobs, question_pictures, standings
from storage.connect import in_words
from storage.standings import Filter, Order

log = logging.getLogger("second_marker")
marker = guard.enter()
store = services().store
state = st.session_state

# The answer, the proposal and the marks must be on screen together; a long question or scheme scrolls in its box.
BOX_HEIGHT = 150
ALL_QUESTIONS = 0
LONGEST_ID = 18  # digits that SQLite can hold


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
    titles = {exam.id: exam.title for exam in reversed(listed)}
    recall_choices(titles)
    with st.container(horizontal=True, gap="xsmall"):
        exam_id = st.selectbox("Exam", list(titles), format_func=titles.__getitem__, key="exam_id", width=256)
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
        wanted = st.selectbox("Show", list(Filter), format_func=sentence_case, key="wanted", width=160)
        order = st.segmented_control("Order", list(Order), format_func=sentence_case, key="order", required=True)
    return Walk(exam_id, order, wanted, None if question_id == ALL_QUESTIONS else question_id)


def sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]


def recall_choices(titles: dict[int, str]) -> None:
    """Set the toolbar as a link says, else as it was left: Streamlit forgets widgets while another page is open."""
    before: Walk = state.get("walk") or Walk(exam_id=max(titles))
    if unread_link():
        before = linked_walk(before, titles)
        for key in ("exam_id", "wanted", "order", f"question_of_{before.exam_id}"):
            state.pop(key, None)
    if state.get("exam_id") not in titles:
        state["exam_id"] = before.exam_id if before.exam_id in titles else max(titles)
    state.setdefault("wanted", before.wanted)
    state.setdefault("order", before.order)
    if before.exam_id == state["exam_id"]:
        state.setdefault(f"question_of_{before.exam_id}", before.question_id or ALL_QUESTIONS)


def linked_walk(before: Walk, titles: dict[int, str]) -> Walk:
    """The walk that the address describes; what it leaves out or gets wrong is as before."""
    exam = st.query_params.get("exam", "")
    if not (exam.isdecimal() and int(exam) in titles):
        return before
    wanted, order = st.query_params.get("show", ""), st.query_params.get("order", "")
    with store.read() as db:
        numbers = {stored.question.number: stored.id for stored in exams.questions(db, int(exam))}
    return Walk(
        int(exam),
        Order(order) if order in list(Order) else before.order,
        Filter(wanted) if wanted in list(Filter) else before.wanted,
        numbers.get(st.query_params.get("question", "")),
    )


def unread_link() -> bool:
    """Whether the address names a place that this page did not write there itself."""
    address = st.query_params.to_dict()
    return bool(address) and address != state.get("own_address")


def write_address(walk: Walk, opened: OpenResponse | None) -> None:
    """Keep walk and response in the address, for links and for reloads."""
    address = {"exam": str(walk.exam_id)}
    if walk.question_id is not None and opened is not None:
        address["question"] = opened.question.question.number
    if walk.wanted is not Filter.UNMARKED:
        address["show"] = walk.wanted
    if walk.order is not Order.BY_QUESTION:
        address["order"] = walk.order
    if opened is not None:
        address["response"] = str(opened.response.id)
    if st.query_params.to_dict() != address:
        st.query_params.from_dict(address)
    state["own_address"] = address


def find_place(walk: Walk) -> None:
    """Put a response on the desk: the one a link names, else the one that was there, else the walk's first."""
    linked = st.query_params.get("response", "") if unread_link() else ""
    dead = bool(linked) and not is_in(walk, linked)
    if linked and not dead:
        state["at"], state["notice"] = int(linked), ""
    elif dead or state.get("walk") != walk:
        state["at"] = work.start(store, walk, marker)
        state["notice"] = "The response that the link names is no longer here. This is another one." if dead else ""
    state["walk"] = walk


def is_in(walk: Walk, linked: str) -> bool:
    named = st.query_params.get("exam", "")
    if named not in ("", str(walk.exam_id)) or not linked.isdecimal() or len(linked) > LONGEST_ID:
        return False
    with store.read() as db:
        standing = standings.get(db, int(linked))
    return standing is not None and standing.exam_id == walk.exam_id


def on_action() -> None:
    """Do what was pressed on the desk; an error leaves everything as it was and is said there."""
    pressed = state.get(desk_key())
    if pressed is None or pressed.action is None:
        return
    payload = pressed.action
    before = question_on_desk()
    state["acknowledged"], state["comment_saved"] = str(payload.get("action_id", "")), False
    try:
        do(work.parse_press(payload))
    except (MarkError, LookupError) as error:
        state["notice"] = str(error)
    except sqlite3.Error as error:
        log.exception("A press could not be stored.")
        state["notice"] = f"Nothing was saved. {in_words(error)}"
    except Exception:
        log.exception("A press met an error.")
        state["notice"] = "Nothing was saved: something went wrong. The server's log has the details."
    if question_on_desk() != before:
        st.rerun(["question", "marking"])


def do(press: Press) -> None:
    if press.action == "tick":
        state["ticked"] = None if press.points is None else (press.response_id, press.points)
        state["notice"] = ""
        return
    result = work.act(store, marker, state["walk"], press)
    state["notice"], state["at"], state["comment_saved"] = result.notice, result.response_id, result.comment_saved
    if press.action not in ("flag", "unflag", "comment"):
        state["ticked"] = None


def on_save() -> None:
    sent = state.get(desk_key())
    desk_saves.keep(store, marker, None if sent is None else sent.save)


def on_lacking() -> None:
    sent = state.get(desk_key())
    desk_pictures.forget(None if sent is None else sent.lacking)


def desk_key() -> str:
    """A desk for each marker: nothing pressed under one profile can arrive under another."""
    return f"desk_{marker.id}"


def question_on_desk() -> int | None:
    with store.read() as db:
        standing = None if state["at"] is None else standings.get(db, state["at"])
    return None if standing is None else standing.question_id


@st.fragment(key="question")
def question_box() -> None:
    """The question and its scheme. A fragment of its own, drawn again only when another question comes to the desk."""
    question_id = question_on_desk()
    if question_id is None:
        return
    with store.read() as db:
        stored = exams.question(db, question_id)
        pictures = question_pictures.shown(db, question_id)
    left, right = st.columns(2, gap="small")
    with left.expander(question_title(stored.question), expanded=True), st.container(height=BOX_HEIGHT, border=False):
        show_question(stored.question, pictures)
    scheme_title = f"Mark scheme v{stored.scheme_version}"
    with right.expander(scheme_title, expanded=True), st.container(height=BOX_HEIGHT, border=False):
        show_scheme(stored.scheme, stored.question.model_answer)


@st.fragment(key="marking")
def marking() -> None:
    """The desk alone: one element, because what stands here is drawn again after every decision."""
    try:
        draw_desk(state["walk"])
    except sqlite3.Error as error:
        log.exception("The desk could not be drawn.")
        st.error(
            f"{in_words(error)} Every mark that was shown as saved is safe.", title="This response cannot be shown now"
        )
        st.button("Try again", on_click=lambda: None)


def draw_desk(walk: Walk) -> None:
    with store.read() as db:
        gone = exams.get(db, walk.exam_id) is None
    if gone:
        st.warning(
            "Its marks are kept. Go on with the exam that is there now.", title="This exam was reset or taken back"
        )
        if pressed("Go on", key="mark_go_on", type="primary"):
            st.query_params.clear()
            st.rerun()
        return
    opened = open_response(store, state["at"], marker) if state["at"] is not None else None
    with store.read() as db:
        done, total = standings.progress(db, walk.exam_id, walk.question_id)
    undo = work.undoable(store, walk.exam_id, marker)
    write_address(walk, opened)
    view = DeskView(
        marker_id=marker.id,
        shown=None if opened is None else shown(opened, answer_view.answer_view(store, opened, marker), ticked(opened)),
        done=done,
        total=total,
        notice=state.get("notice", ""),
        acknowledged=state.get("acknowledged", ""),
        comment_saved=state.get("comment_saved", False),
        undo=undo[0] if undo else None,
        undo_candidate=undo[1] if undo else "",
        empty_title="All marked" if total and done == total else "Nothing here",
        empty_text=empty_text(walk, done, total),
        saved=desk_saves.saved(),
        awaiting=opened is not None and (desk_saves.awaiting(store, opened.response.id) or coming(opened)),
    )
    desk(view, key=desk_key(), on_action=on_action, on_save=on_save, on_lacking=on_lacking)
    if opened is not None:
        # After the desk, which is on screen by the time that a large picture has been made smaller.
        response_id = opened.response.id
        desk_pictures.send(store, answer_view.shas_of(store, [response_id]), "pictures_here")
        following = work.upcoming(store, walk, marker, response_id)
        if following is not None:
            desk_pictures.send(store, answer_view.shas_of(store, [following]), "pictures_next")
    else:
        st.page_link("pages/department/agreement.py", label="See how the AI and you agree", icon=":material/balance:")


def coming(opened: OpenResponse) -> bool:
    """Whether the proposal that this response lacks is being made: the desk then looks for it."""
    if opened.proposal is not None or opened.phase is not Phase.MARK:
        return False
    with store.read() as db:
        job = jobs.latest_of_exam(db, "propose", opened.response.exam_id)
    return job is not None and job.status in ("queued", "running")


def ticked(opened: OpenResponse) -> tuple[str, ...] | None:
    kept = state.get("ticked")
    return kept[1] if kept and kept[0] == opened.response.id else None


def question_title(question: Question) -> str:
    marks = f"{question.max_mark:g} mark{'' if question.max_mark == 1 else 's'}"
    return f"Question {question.number} · {question.subject + ' · ' if question.subject else ''}{marks}"


def empty_text(walk: Walk, done: int, total: int) -> str:
    if not total:
        return "No responses yet: import some, or type one in Answers."
    if done == total:
        return f"All {total} responses here have a mark."
    if walk.wanted is Filter.UNMARKED:
        return "No response is waiting for a mark here. Choose another question or show all."
    return f"No response is “{walk.wanted}” here. Choose another filter above."


find_place(choose_walk())
question_box()
marking()

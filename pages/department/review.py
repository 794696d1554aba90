"""The review page: a head of department settles what the AI and the teachers disagree on, and what teachers flagged."""

import logging
import sqlite3

import streamlit as st

from components.marking import MarkError, Role
from components.widgets.author import show_question, show_scheme
from components.widgets.desk import DeskView, desk
from components.workflow import answer_view
from components.workflow.review import adjudicating
from components.workflow.review.opening import OpenReview, open_for_review
from components.workflow.review.queue import Review, Show, Wanted, review, summary_text
from pages.department import remedy_section, review_place
from pages.department.review_list import settled_list, waiting_list
from pages.department.review_rules import rules_popover
from pages.department.review_shown import adjudication, shown_for_review
from pages.shared import desk_pictures, desk_saves, guard
from pages.shared.desk_services import services
from storage import exams, question_pictures, standings
from storage.connect import in_words
from storage.exams import Exam

log = logging.getLogger("second_marker")
marker = guard.enter(guard.LEADS)
store = services().store
state = st.session_state

BOX_HEIGHT = 112  # both marks and the row of marks must be on screen with the answer
RESPONSES, PATTERNS = "Responses", "Patterns and remedies"
PATTERNS_IN_ADDRESS = "patterns"
NO_EXAM = "There is no exam to review yet. Restore the demo exam or import a table of responses."


def choose() -> Wanted:
    """The toolbar: which exam and question, and which of its responses."""
    with store.read() as db:
        titles = {exam.id: exam.title for exam in reversed(exams.listed(db))}
    if not titles:
        st.title("Review")
        st.info(NO_EXAM, title="Nothing here yet")
        st.page_link("pages/department/exams.py", label="Go to exams", icon=":material/description:")
        st.stop()
    review_place.recall(store, titles)
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="bottom"):
        exam_id = st.selectbox("Exam", list(titles), format_func=titles.__getitem__, key="review_exam", width=256)
        with store.read() as db:
            numbers = {each.id: f"Question {each.question.number}" for each in exams.questions(db, exam_id)}
        question_id = st.selectbox(
            "Question",
            [review_place.ALL_QUESTIONS, *numbers],
            format_func=lambda chosen: numbers.get(chosen, "All questions"),
            key=f"review_question_{exam_id}",
            width=150,
        )
        show = st.selectbox("Show", list(Show), format_func=str.capitalize, key="review_show", width=160)
        with store.read() as db:
            exam = exams.get(db, exam_id)
        if exam is not None:
            rules_popover(store, exam, marker)
    return Wanted(exam_id, Show(show), question_id or None)


def responses_view(exam: Exam, wanted: Wanted, *, hide: bool) -> None:
    """What waits or is settled, and one response of it on the desk."""
    found = review(store, wanted)
    at = review_place.find_place(store, wanted, found)
    settling = wanted.show is Show.SETTLED
    if found.ids:
        label = f"**{summary_text(found, wanted.show)}**"
        listed = st.expander(label, key=f"review_list_{wanted.show}", on_change="rerun", expanded=settling)
        if listed.open:
            with listed:
                if settling:
                    settled_list(found.settled, marker, choose_response)
                else:
                    waiting_list(found, marker, hide=hide, choose=choose_response)
    opened = None if at is None else open_for_review(store, at, marker, hide=hide)
    review_place.write_address(store, wanted, at)
    if opened is not None:
        question_box(opened)
    draw_desk(exam, wanted, found, opened, hide=hide)


def choose_view() -> tuple[str, bool]:
    """Responses or patterns, and whether to decide without seeing the other marks."""
    # Streamlit forgets both while another page is open.
    linked = remedy_section.IN_ADDRESS in st.query_params or st.query_params.get("show") == PATTERNS_IN_ADDRESS
    state["review_view"] = PATTERNS if linked else state.get("review_viewing")
    state["review_view"] = state["review_view"] or RESPONSES
    state["review_hide"] = state.get("review_hidden", False)
    with st.container(horizontal=True, vertical_alignment="center"):
        view = st.segmented_control(
            "View",
            [RESPONSES, PATTERNS],
            key="review_view",
            required=True,
            label_visibility="collapsed",
            on_change=remember_view,
        )
        if view == PATTERNS or marker.role is not Role.HEAD:
            return view, False
        hide = st.toggle(
            "Hide the marks until I have decided",
            key="review_hide",
            on_change=lambda: state.update(review_hidden=state["review_hide"]),
            help="You see the answer alone and decide blind; then the AI's and the teachers' marks appear beside "
            "yours, and you may keep or change it. Marks that you have been shown already cannot be hidden.",
        )
    return view, hide


def remember_view() -> None:
    state["review_viewing"] = state["review_view"]
    if state["review_view"] == RESPONSES:
        for part in (remedy_section.IN_ADDRESS, "show"):
            st.query_params.pop(part, None)


def choose_response(response_id: int) -> None:
    state["review_at"], state["review_notice"] = response_id, ""


def question_box(opened: OpenReview) -> None:
    """The question and its scheme; a long one scrolls in its box."""
    stored = opened.opened.question
    left, right = st.columns(2, gap="small")
    marks = f"{stored.question.max_mark:g} mark{'' if stored.question.max_mark == 1 else 's'}"
    title = f"Question {stored.question.number} · {marks}"
    with left.expander(title, expanded=True), st.container(height=BOX_HEIGHT, border=False):
        with store.read() as db:
            pictures = question_pictures.shown(db, stored.id)
        show_question(stored.question, pictures)
    title = f"Mark scheme v{stored.scheme_version}"
    with right.expander(title, expanded=True), st.container(height=BOX_HEIGHT, border=False):
        show_scheme(stored.scheme, stored.question.model_answer)


def draw_desk(exam: Exam, wanted: Wanted, found: Review, opened: OpenReview | None, *, hide: bool) -> None:
    response_id = None if opened is None else opened.opened.response.id
    view = None if opened is None else answer_view.answer_view(store, opened.opened, marker)
    undo = adjudicating.undoable(store, exam.id, response_id, marker)
    title, text = empty_words(wanted, found)
    progress = f"{found.adjudicated:,} settled" if wanted.show is Show.SETTLED else f"{found.waiting:,} to settle"
    desk(
        DeskView(
            marker_id=marker.id,
            shown=None if opened is None or view is None else shown_for_review(opened, view, ticked(opened), marker),
            done=found.adjudicated,
            total=found.adjudicated + found.waiting,
            notice=state.get("review_notice", ""),
            acknowledged=state.get("review_acknowledged", ""),
            comment_saved=state.get("review_comment_saved", False),
            undo=undo[0] if undo else None,
            undo_candidate=undo[1] if undo else "",
            empty_title=title,
            empty_text=text,
            saved=desk_saves.saved(),
            adjudication=adjudication(opened, exam.what_stands, marker, progress, hide=hide),
        ),
        key=desk_key(),
        on_action=on_action,
        on_save=on_save,
        on_lacking=on_lacking,
    )
    if response_id is not None:
        # After the desk, which is on screen by the time that a large picture has been made smaller.
        desk_pictures.send(store, answer_view.shas_of(store, [response_id]), "review_pictures")
    else:
        st.page_link(
            "pages/department/agreement.py", label="See how the AI and teachers agree", icon=":material/balance:"
        )


def empty_words(wanted: Wanted, found: Review) -> tuple[str, str]:
    with store.read() as db:
        marked, _ = standings.progress(db, wanted.exam_id, wanted.question_id)
    if wanted.show is Show.SETTLED:
        return "Nothing settled yet", "Adjudications come to stand here, with who decided what and why."
    if found.adjudicated:
        return "All settled", "Nothing waits for you here. Choose “Settled” above to look at what was decided."
    if marked:
        return (
            "Nothing to settle",
            "The AI and the teachers are within tolerance of each other, and nothing is flagged.",
        )
    return "Nothing to settle yet", "Disagreements and flags come here as soon as teachers have marked."


def ticked(opened: OpenReview) -> tuple[str, ...] | None:
    kept = state.get("review_ticked")
    return kept[1] if kept and kept[0] == opened.opened.response.id else None


def on_action() -> None:
    """Do what was pressed on the desk; an error leaves everything as it was and is said there."""
    pressed = state.get(desk_key())
    if pressed is None or pressed.action is None:
        return
    payload = pressed.action
    state["review_acknowledged"], state["review_comment_saved"] = str(payload.get("action_id", "")), False
    try:
        do(adjudicating.parse_press(payload))
    except (MarkError, LookupError) as error:
        state["review_notice"] = str(error)
    except sqlite3.Error as error:
        log.exception("An adjudication could not be stored.")
        state["review_notice"] = f"Nothing was saved. {in_words(error)}"
    except Exception:
        log.exception("An adjudication met an error.")
        state["review_notice"] = "Nothing was saved: something went wrong. The server's log has the details."


def do(press: adjudicating.Press) -> None:
    if press.action == "tick":
        state["review_ticked"] = None if press.points is None else (press.response_id, press.points)
        state["review_notice"] = ""
        return
    wanted: Wanted = state["review_wanted"]
    result = adjudicating.act(store, marker, press, wanted.show, state["review_walk"])
    state["review_notice"], state["review_at"] = result.notice, result.response_id
    state["review_comment_saved"] = result.comment_saved
    if press.action != "comment":
        state["review_ticked"] = None


def on_save() -> None:
    """Keep strokes and transcripts as on the marking desk, whose notice is its own."""
    sent, theirs = state.get(desk_key()), state.get("notice", "")
    state["notice"] = ""
    desk_saves.keep(store, marker, None if sent is None else sent.save)
    state["review_notice"] = state["notice"] or state.get("review_notice", "")
    state["notice"] = theirs


def on_lacking() -> None:
    sent = state.get(desk_key())
    desk_pictures.forget(None if sent is None else sent.lacking)


def desk_key() -> str:
    """A desk for each marker: nothing pressed under one profile can arrive under another."""
    return f"review_desk_{marker.id}"


def page() -> None:
    wanted = choose()
    with store.read() as db:
        exam = exams.get(db, wanted.exam_id)
    if exam is None:
        st.warning("Its marks are kept. Choose another exam above.", title="This exam was reset or taken back")
        return
    view, hide = choose_view()
    if view == PATTERNS:
        review_place.stay_elsewhere(store, wanted, remedy_section.IN_ADDRESS)
        remedy_section.show(store, marker, exam.id, wanted.question_id)
        return
    try:
        responses_view(exam, wanted, hide=hide)
    except MarkError as error:
        st.warning(str(error))
    except sqlite3.Error as error:
        log.exception("The review could not be drawn.")
        st.error(f"{in_words(error)} Every decision that was shown as saved is safe.", title="This cannot be shown now")
        st.button("Try again", on_click=lambda: None)


page()

"""Set up an exam: its details and rules, its questions in order, and the editor of one question."""

import streamlit as st

from components.marking import Role
from components.widgets.figures import plain
from components.widgets.keep_typing import keep_typing
from pages.department.exam_actions import go_button
from pages.department.exam_setup_details import show_details
from pages.department.exam_setup_editor import show_editor
from pages.department.exam_setup_fields import NOTICE, REFUSED
from pages.department.exam_setup_list import show_list
from pages.department.exam_setup_place import asked_for_question, chosen_exam, chosen_question, go
from pages.department.question_paper_reading import paper_button, show_paper_reading
from pages.department.scheme_reading import reading_button, show_scheme_reading
from pages.shared import guard
from pages.shared.desk_services import services
from pages.shared.press import pressed
from storage import exams, standings
from storage.exams import Exam

marker = guard.enter()
store = services().store
state = st.session_state


def say_notices() -> None:
    if notice := state.pop(NOTICE, ""):
        st.success(plain(notice))
        st.toast(plain(notice))  # what was pressed may be far down the page
    if refused := state.pop(REFUSED, ""):
        st.error(plain(refused))
        st.toast(plain(refused))


def next_step(exam: Exam) -> None:
    """Where to go with questions that nobody has answered yet."""
    with store.read() as db:
        questions, (_, responses) = exams.questions(db, exam.id), standings.progress(db, exam.id)
    if not questions or responses:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown("**Next: the answers.** Import a form, a quiz or a table, or type and draw them under “Answers”.")
        if pressed("Import answers", type="primary", icon=":material/upload_file:", key="setup_import"):
            st.switch_page(guard.PAGES_FOLDER / "department/exams.py", query_params={"import": str(exam.id)})


def show_exam(exam: Exam) -> None:
    st.title(plain(exam.title))
    say_notices()
    with st.container(horizontal=True):
        if pressed("All exams", key="setup_all", icon=":material/arrow_back:"):
            st.switch_page(guard.PAGES_FOLDER / "department/exams.py")
        go_button(exam.id, "Answers", "teacher/answers.py", ":material/draw:")
        go_button(exam.id, "Mark", "teacher/mark.py", ":material/edit_note:")
    with st.container(horizontal=True):
        reading_button(store, marker, exam.id)
        paper_button(marker)
    next_step(exam)
    show_list(store, marker, exam)
    show_details(store, marker, exam)


found = chosen_exam(store)
if found is None:
    st.title("Set up an exam")
    say_notices()
    st.info(
        "The exam is not here: it may have been archived or reset, or the link is old. Choose one from the list.",
        title="No exam chosen",
    )
    if pressed("All exams", key="setup_none", type="primary"):
        st.switch_page(guard.PAGES_FOLDER / "department/exams.py")
    st.stop()
if marker.role is not Role.HEAD:
    st.info(f"You are here as {plain(marker.name)}, {marker.role}, and can look. A head of department edits.")
keep_typing("exam_setup_typing")
opened = chosen_question(store, found)
reading = st.query_params.get("reading", "") if marker.role is Role.HEAD else ""
if reading == "scheme" and (opened is not None or not asked_for_question()):
    show_scheme_reading(store, marker, found, opened)
elif reading == "paper" and opened is None and not asked_for_question():
    show_paper_reading(store, marker, found)
elif opened is not None:
    show_editor(store, marker, found, opened, say_notices)
elif asked_for_question():
    st.title(plain(found.title))
    say_notices()
    st.info("This question is no longer in the exam.", title="Not here")
    st.button("Back to the exam", type="primary", on_click=go, args=(found.id,))
else:
    show_exam(found)

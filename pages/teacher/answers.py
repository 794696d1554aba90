"""Bringing answers in: typed, drawn on screen, or as pictures; one at a time or a pile of files."""

import streamlit as st

from components.widgets.author import show_question
from components.widgets.figures import plain
from pages.shared import guard
from pages.shared.desk_services import services
from pages.teacher.answer_named import many_files
from pages.teacher.answer_one import one_answer
from pages.teacher.scanned_class import scanned_class
from storage import exams, question_pictures
from storage.exams import StoredQuestion

marker = guard.enter()
store = services().store
state = st.session_state

HELP = """
An exam on paper can come in three ways, and they can be mixed in one exam.

- **Type** what the candidate wrote, word for word, mistakes included: the judge marks what is written, not what was
  meant.
- **Draw** it on screen with a pen, a finger or the mouse, on ruled or squared paper. Every stroke is saved as you
  make it.
- **Upload** photographs or scans. They are turned upright, and where and when they were taken is removed. A page that
  is crooked, dim or has the table around it is offered mended; the picture as it came is kept with it.

Good photographs: the page flat, filling the picture, in daylight, without your own shadow on it. One candidate's
answer to one question in a file; name the files by candidate (0417.jpg, 0417_2.jpg for a second page) and a whole
class goes in at once under “Many pictures”.

A whole class on paper goes under “Scanned class”: print answer books whose pages say whose they are, or read scripts
on any paper with a template.

Once an answer is stored, the exam's judge is asked about it. An answer that has been marked cannot be changed.
"""


def choose_question() -> StoredQuestion:
    """The exam and question that answers are for."""
    with store.read() as db:
        titles = {exam.id: exam.title for exam in exams.listed(db)}
    if not titles:
        st.info(
            "There is no exam to bring answers to yet. Restore the demo exam or import a table of responses.",
            title="Nothing here yet",
        )
        st.page_link("pages/department/exams.py", label="Go to exams", icon=":material/description:")
        st.stop()
    recall(titles)
    with st.container(horizontal=True):
        exam_id = st.selectbox("Exam", list(titles), format_func=titles.__getitem__, key="exam_id", width=320)
        with store.read() as db:
            questions = {stored.id: stored for stored in exams.questions(db, exam_id)}
        if not questions:
            st.info("This exam has no question yet, so there is nothing to answer.", title="No question")
            st.stop()
        question_id = st.selectbox(
            "Question",
            list(questions),
            format_func=lambda each: f"Question {questions[each].question.number}",
            key=f"answers_question_{exam_id}",
            width=160,
        )
    state["answers_place"] = (exam_id, question_id)
    return questions[question_id]


def recall(titles: dict[int, str]) -> None:
    """As it was left: Streamlit forgets widgets while another page is open."""
    exam_id, question_id = state.get("answers_place", (max(titles), None))
    if state.get("exam_id") not in titles:
        state["exam_id"] = exam_id if exam_id in titles else max(titles)
    if question_id is not None and exam_id == state["exam_id"]:
        state.setdefault(f"answers_question_{exam_id}", question_id)


st.title("Answers")
if notice := state.pop("answers_notice", ""):
    st.success(plain(notice))
    st.toast(plain(notice))  # what was pressed may be far down the page
with st.expander("Answers on paper: how they come in", icon=":material/help:"):
    st.markdown(HELP)
chosen = choose_question()
question = chosen.question
if state.get("answers_tab") != "Scanned class":  # a scan brings answers to every question
    with st.container(border=True):
        marks = f"{question.max_mark:g} mark{'s' * (question.max_mark != 1)}"
        st.markdown(f"**Question {plain(question.number)}** · {marks}")
        with store.read() as read:
            pictures = question_pictures.shown(read, chosen.id)
        show_question(question, pictures)
one, many, scanned = st.tabs(["One answer", "Many pictures", "Scanned class"], key="answers_tab", on_change="rerun")
if one.open:
    with one:
        one_answer(store, marker, chosen)
if many.open:
    with many:
        many_files(store, marker, chosen)
if scanned.open:
    with scanned:
        scanned_class(store, marker, chosen.exam_id)

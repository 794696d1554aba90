"""Read a mark scheme: its source beside what was read, for one question or the whole exam, for a teacher to confirm."""

from __future__ import annotations

import streamlit as st

from components.intake import IntakeError
from components.intake.mark_scheme import QuestionDraft, read_mark_scheme, source_lines, text_lines
from components.intake.spelling import question_key
from components.marking import Marker, MarkError, Role
from components.widgets.figures import count, plain
from components.workflow.exam_setup import Opened, QuestionBody, change
from components.workflow.exam_setup.read_schemes import fill
from components.workflow.exam_setup.readings import (
    SchemeReading,
    about_scheme,
    is_waiting,
    keep_scheme,
)
from pages.department import scheme_reading_question as one
from pages.department.exam_setup_fields import NOTICE, REFUSED
from pages.department.scheme_reading_confirm import confirmed
from pages.department.scheme_reading_judge import with_drafted
from pages.department.scheme_reading_kept import DISCARD, Page, begun, forget, key_of, leave, round_now
from pages.department.scheme_reading_report import forget_report, show_report
from pages.department.scheme_reading_source import lines_by_question, show_lines
from pages.department.scheme_reading_whole import faults, show_above, show_whole, split
from pages.shared.press import pressed
from storage import Store
from storage.exams import Exam

state = st.session_state
LARGEST_MB = 20
HELP = "DOCX, PDF, Markdown or text. It is read on this computer, by rules; nothing is sent anywhere."


def reading_button(store: Store, marker: Marker, exam_id: int, thread: str = "", key: str = "reading_open") -> None:
    """The button that opens this page from the exam, or the question with this thread."""
    waits = is_waiting(store, exam_id, about_scheme(marker, thread))
    st.button(
        "Go on with the mark scheme that was read" if waits else "Read a mark scheme",
        key=key,
        type="primary" if waits else "secondary",
        icon=":material/rule:",
        disabled=marker.role is not Role.HEAD,
        on_click=_open,
        help="From DOCX, PDF, Markdown or pasted text, for you to confirm.",
    )


def show_scheme_reading(store: Store, marker: Marker, exam: Exam, opened: Opened | None) -> None:
    """The whole page. `opened` is the question whose scheme it is; None for a scheme of the whole exam."""
    where = "the exam" if opened is None else "the question"
    st.button(f"Back to {where}", icon=":material/arrow_back:", on_click=_close, key="reading_back")
    st.title("Read a mark scheme")
    number = "" if opened is None else opened.body.number.strip()
    st.caption(plain(exam.title if opened is None else f"{exam.title} · Question {number or '…'}"))
    if refused := state.pop(REFUSED, ""):
        st.error(plain(refused))
    if opened is None and show_report(exam):
        return
    about = about_scheme(marker, "" if opened is None else opened.thread)
    reading = begun(store, exam.id, about)
    if reading is None:
        _ask(store, marker, exam, about, opened)
        return
    page = Page(store, marker, exam, about, reading)
    _head(page)
    if not any(_has_something(question) for question in reading.read.questions):
        st.info(
            "No question and no marking point was found. Each point needs its code (M1) or its marks (“(1)”); "
            "in a scheme of several questions, each begins with its number.",
            title="Nothing to take in",
        )
        show_lines([line for line in reading.lines if line.text.strip() or line.cells], page.unread)
    elif opened is None:
        show_whole(page)
    else:
        _single(page, opened)


def _open() -> None:
    forget_report()
    st.query_params["reading"] = "scheme"


def _close() -> None:
    """Go back to where it was opened; what was read and not confirmed is kept."""
    forget_report()
    leave()
    st.query_params.pop("reading", None)


def _ask(store: Store, marker: Marker, exam: Exam, about: str, opened: Opened | None) -> None:
    """A file or pasted text."""
    what = "the whole exam, question by question" if opened is None else "this question"
    st.write(
        f"Choose a file with the mark scheme of {what}: it is read at once. Or paste it, then press “Read it”. You see "
        "what was read before anything is kept."
    )
    round_ = round_now()
    file = st.file_uploader(
        "Mark scheme", key=f"reading_file_{round_}", max_upload_size=LARGEST_MB, help=HELP, accept_multiple_files=False
    )
    text = st.text_area(
        "Or paste it here", key=f"reading_text_{round_}", height=220, placeholder="3(b) M1 rate rises at first [1]"
    )
    asked = pressed("Read it", key="reading_go", type="primary", icon=":material/manage_search:")
    if file is None and not asked:
        return
    if file is None and not text.strip():
        st.error("There is nothing to read yet. Choose a file, or paste the scheme.")
        return
    try:
        lines = text_lines(text) if file is None else source_lines(file.name, file.getvalue())
    except IntakeError as error:
        st.error(plain(str(error)))
        return
    # A question that is not saved yet has 1 as its maximum because nobody has said another.
    told = None if opened is None or opened.stored is None else opened.body.max_mark
    step = 1.0 if opened is None else opened.body.mark_step
    read = read_mark_scheme(lines, told, step)
    name = "the pasted text" if file is None else file.name
    keep_scheme(store, marker, exam.id, about, SchemeReading(name, lines, read))
    leave()
    st.rerun()


def _head(page: Page) -> None:
    read = page.begun.read
    lines = len(read.used) + len(read.unread)
    points = sum(len(question.points) for question in read.questions)
    levels = sum(len(question.levels) for question in read.questions)
    said = [count(len(read.questions), "question"), count(points, "point")]
    said += [count(levels, "level")] if levels else []
    st.markdown(f"Read from {plain(page.begun.name)}: {', '.join(said)}, from {count(lines, 'line')}.")
    if read.unread:
        st.warning(
            f"{count(len(read.unread), 'line')} {'was' if len(read.unread) == 1 else 'were'} not understood, and "
            f"{'is' if len(read.unread) == 1 else 'are'} highlighted in the source: add by hand what is said there.",
            title="Not all was understood",
        )
    named = tuple(one.name_of(question) for question in read.questions)
    for words in read.problems:
        if not words.startswith(named):  # that is said at the question
            st.warning(plain(words))
    st.caption(
        "The source is beside what was read of it. In a table, press twice on a cell to correct it; untick “Keep” to "
        "drop a point; the empty row at the end adds one. What a point needs, its group, and what to accept and reject "
        "are further right in the table. What you correct is kept at once: you may leave this page and come back."
    )
    st.button(
        "Discard, and read another",
        key=DISCARD,
        on_click=forget,
        args=(page,),
        icon=":material/delete:",
        help="What was read, and what you have corrected here, is thrown away. The exam stays as it is.",
    )


def _has_something(question: QuestionDraft) -> bool:
    held = question.points or question.levels or question.indicative or question.special_cases
    return bool(held) or (question.max_mark is not None and question.number != "")


def _single(page: Page, opened: Opened) -> None:
    reading, unread = page.begun, page.unread
    questions = reading.read.questions
    place = 0
    if len(questions) > 1:
        numbers = [question.number for question in questions]
        same = [question_key(each) == question_key(opened.body.number) for each in numbers]
        place = st.selectbox(
            f"The scheme has {len(questions)} questions. Which is this one?",
            range(len(questions)),
            index=same.index(True) if any(same) else 0,
            format_func=lambda at: f"Question {numbers[at] or '(no number)'}",
            key=f"reading_{round_now()}_which",
        )
    question = questions[place]
    above, of_question = lines_by_question(reading.lines, reading.read)
    show_above(above, unread)
    left, right = split()
    key = key_of(place)
    fixed = opened.body.max_mark if opened.scale_fixed else None
    with left:
        show_lines(of_question[place], unread)
    with right:
        now = one.with_maximum(question, key, fixed=fixed)
        slot = st.container()
        corrected = one.edited(now, key)
        now = with_drafted(page.asking(place), corrected, of_question[place], unread, key, reading.drafted(place))
        page.keep_questions({place: now}, ())
        one.show_assumed(question, reading.read.problems)
        with slot:
            st.caption(f"This {plain(one.total_words(now))}.")
            faults(now, opened.body, opened.rule, opened.scale_fixed)
    if opened.body.points or opened.body.objectives:
        st.caption(":material/info: The points and levels that the draft has now are replaced. Its history keeps them.")
    if confirmed("Confirm: fill in the draft", "reading_confirm"):

        def how(body: QuestionBody) -> None:
            fill(body, now, scale_fixed=opened.scale_fixed)

        try:
            change(page.store, page.marker, opened, how)
        except MarkError as error:
            st.error(plain(str(error)))
            return
        forget(page)
        state[NOTICE] = "The mark scheme is filled in as a draft. Look through it, then save."
        _close()
        st.rerun()

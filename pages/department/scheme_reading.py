"""Read a mark scheme: its source beside what was read, for one question or the whole exam, for a teacher to confirm."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from components.intake import IntakeError
from components.intake.mark_scheme import (
    QuestionDraft,
    SchemeDraft,
    SourceLine,
    read_mark_scheme,
    source_lines,
    text_lines,
)
from components.marking import Marker, MarkError, Role, ToleranceRule
from components.widgets.figures import count, plain
from components.workflow.exam_setup import Opened, QuestionBody, change
from components.workflow.exam_setup.read_schemes import fill, places, read_into
from components.workflow.import_match import question_key
from pages.department import scheme_reading_question as one
from pages.department.exam_setup_fields import NOTICE, REFUSED
from pages.department.scheme_reading_confirm import confirmed
from pages.department.scheme_reading_judge import with_drafted
from pages.department.scheme_reading_report import forget_report, keep_report, show_report
from pages.department.scheme_reading_source import lines_by_question, show_lines
from storage import Store, exam_setup
from storage.exams import Exam

state = st.session_state
_READ = "scheme_reading"
_ROUND = "scheme_reading_round"
LARGEST_MB = 20
HELP = "DOCX, PDF, Markdown or text. It is read on this computer, by rules; nothing is sent anywhere."


@dataclass(frozen=True)
class _Reading:
    """What was read last, and for which exam or question."""

    of: str
    name: str
    lines: tuple[SourceLine, ...]
    read: SchemeDraft


def reading_button(marker: Marker, key: str = "reading_open") -> None:
    """The button that opens this page from the exam or question at hand."""
    st.button(
        "Read a mark scheme",
        key=key,
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
    of = f"{exam.id} {'' if opened is None else opened.thread}"
    reading: _Reading | None = state.get(_READ)
    if reading is None or reading.of != of:
        _ask(of, opened)
        return
    _head(reading)
    if not any(_has_something(question) for question in reading.read.questions):
        st.info(
            "No question and no marking point was found. Each point needs its code (M1) or its marks (“(1)”); "
            "in a scheme of several questions, each begins with its number.",
            title="Nothing to take in",
        )
        _source_alone(reading)
    elif opened is None:
        _whole(store, marker, exam, reading)
    else:
        _single(store, marker, exam, opened, reading)


def _open() -> None:
    forget_report()
    st.query_params["reading"] = "scheme"


def _close() -> None:
    """Go back to where it was opened; what was read and not confirmed is dropped."""
    forget_report()
    _forget()
    st.query_params.pop("reading", None)


def _ask(of: str, opened: Opened | None) -> None:
    """A file or pasted text."""
    what = "the whole exam, question by question" if opened is None else "this question"
    st.write(
        f"Choose a file with the mark scheme of {what}, or paste it. You see what was read before anything is kept."
    )
    round_ = state.get(_ROUND, 0)
    file = st.file_uploader(
        "Mark scheme", key=f"reading_file_{round_}", max_upload_size=LARGEST_MB, help=HELP, accept_multiple_files=False
    )
    text = st.text_area(
        "Or paste it here", key=f"reading_text_{round_}", height=220, placeholder="3(b) M1 rate rises at first [1]"
    )
    if not st.button("Read it", type="primary", key="reading_go", icon=":material/manage_search:"):
        return
    try:
        if file is None and not text.strip():
            raise IntakeError("There is nothing to read yet. Choose a file, or paste the scheme.")
        lines = text_lines(text) if file is None else source_lines(file.name, file.getvalue())
    except IntakeError as error:
        st.error(plain(str(error)))
        return
    # A question that is not saved yet has 1 as its maximum because nobody has said another.
    told = None if opened is None or opened.stored is None else opened.body.max_mark
    step = 1.0 if opened is None else opened.body.mark_step
    read = read_mark_scheme(lines, told, step)
    state[_READ] = _Reading(of, "the pasted text" if file is None else file.name, lines, read)
    state[_ROUND] = round_ + 1
    st.rerun()


def _head(reading: _Reading) -> None:
    read = reading.read
    lines = len(read.used) + len(read.unread)
    points = sum(len(question.points) for question in read.questions)
    levels = sum(len(question.levels) for question in read.questions)
    said = [count(len(read.questions), "question"), count(points, "point")]
    said += [count(levels, "level")] if levels else []
    st.markdown(f"Read from {plain(reading.name)}: {', '.join(said)}, from {count(lines, 'line')}.")
    if read.unread:
        st.warning(
            f"{count(len(read.unread), 'line')} {'was' if len(read.unread) == 1 else 'were'} not understood. "
            "They are highlighted in the source: add by hand what they hold, if anything.",
            title="Not all was understood",
        )
    named = tuple(one.name_of(question) for question in read.questions)
    for words in read.problems:
        if not words.startswith(named):  # that is said at the question
            st.warning(plain(words))
    st.caption(
        "The source is beside what was read of it. In a table, press twice on a cell to correct it; untick “Keep” to "
        "drop a point; the empty row at the end adds one. What a point needs, its group, and what to accept and reject "
        "are further right in the table."
    )
    st.button("Read another", key="reading_another", on_click=_forget, icon=":material/refresh:")


def _forget() -> None:
    state.pop(_READ, None)


def _has_something(question: QuestionDraft) -> bool:
    held = question.points or question.levels or question.indicative or question.special_cases
    return bool(held) or (question.max_mark is not None and question.number != "")


def _source_alone(reading: _Reading) -> None:
    show_lines([line for line in reading.lines if line.text.strip() or line.cells], frozenset(reading.read.unread))


def _above(lines: list[SourceLine], unread: frozenset[int]) -> None:
    if lines:
        with st.expander(f"Above the first question: {count(len(lines), 'line')}", key="reading_above"):
            show_lines(lines, unread)


def _whole(store: Store, marker: Marker, exam: Exam, reading: _Reading) -> None:
    above, of_question = lines_by_question(reading.lines, reading.read)
    unread = frozenset(reading.read.unread)
    _above(above, unread)
    with store.read() as db:
        rule = exam_setup.tolerance_rule(db, exam.id)
    taken: list[QuestionDraft] = []
    slots = []
    for place, question in enumerate(reading.read.questions):
        left, right = _split()
        key = f"reading_{state.get(_ROUND, 0)}_{place}"
        with left:
            show_lines(of_question[place], unread)
        with right:
            take = st.checkbox("Take this question in", value=True, key=f"{key}_take")
            first, second = st.columns(2)
            with first:
                number = st.text_input("Number", question.number, key=f"{key}_number", max_chars=40)
            with second:
                now = one.with_maximum(replace(question, number=number.strip()), key, fixed=None)
            slot = st.container()
            now = with_drafted(store, exam, one.edited(now, key), of_question[place], unread, key)
            one.show_assumed(question, reading.read.problems)
        if take:
            taken.append(now)
            slots.append(slot)
    placed = places(store, exam.id, [question.number for question in taken])
    for question, place_, slot in zip(taken, placed, slots, strict=True):
        body = QuestionBody(number=question.number) if place_.opened is None else place_.opened.body
        fixed = place_.opened is not None and place_.opened.scale_fixed
        as_it_counts = replace(question, max_mark=body.max_mark) if fixed else question
        goes = "new in the exam" if place_.opened is None else f"is question {place_.opened.body.number} of the exam"
        with slot:
            if not place_.reasons:
                st.caption(f"**{plain(question.number)}** {plain(goes)}, {plain(one.total_words(as_it_counts))}.")
            for words in place_.reasons:
                st.markdown(f":red[:material/error: {plain(words)}]")
            for words in place_.said:
                st.caption(f":material/info: {plain(words)}")
            _faults(question, body, rule, fixed)
    st.divider()
    stopped = [place_ for place_ in placed if place_.reasons]
    if stopped:
        st.caption(f":material/error: {count(len(stopped), 'question')} above cannot be placed yet.")
    st.caption("Questions in which nothing is missing are saved in the exam; the others are kept as drafts.")
    if confirmed(f"Confirm {count(len(taken), 'question')}", "reading_confirm", disabled=not taken or bool(stopped)):
        try:
            keep_report(exam, read_into(store, marker, exam.id, taken))
        except MarkError as error:
            st.error(plain(str(error)))
            return
        _forget()
        st.rerun()


def _single(store: Store, marker: Marker, exam: Exam, opened: Opened, reading: _Reading) -> None:
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
            key=f"reading_{state.get(_ROUND, 0)}_which",
        )
    question = questions[place]
    above, of_question = lines_by_question(reading.lines, reading.read)
    unread = frozenset(reading.read.unread)
    _above(above, unread)
    left, right = _split()
    key = f"reading_{state.get(_ROUND, 0)}_{place}"
    fixed = opened.body.max_mark if opened.scale_fixed else None
    with left:
        show_lines(of_question[place], unread)
    with right:
        now = one.with_maximum(question, key, fixed=fixed)
        slot = st.container()
        now = with_drafted(store, exam, one.edited(now, key), of_question[place], unread, key)
        one.show_assumed(question, reading.read.problems)
        with slot:
            st.caption(f"This {plain(one.total_words(now))}.")
            _faults(now, opened.body, opened.rule, opened.scale_fixed)
    if opened.body.points or opened.body.objectives:
        st.caption(":material/info: The points and levels that the draft has now are replaced. Its history keeps them.")
    if confirmed("Confirm: fill in the draft", "reading_confirm"):

        def how(body: QuestionBody) -> None:
            fill(body, now, scale_fixed=opened.scale_fixed)

        try:
            change(store, marker, opened, how)
        except MarkError as error:
            st.error(plain(str(error)))
            return
        state[NOTICE] = "The mark scheme is filled in as a draft. Look through it, then save."
        _close()
        st.rerun()


def _faults(question: QuestionDraft, body: QuestionBody, rule: ToleranceRule, fixed: bool) -> None:
    numbered = body if body.number.strip() else body.model_copy(update={"number": "1"})  # said elsewhere
    one.show_faults(question, numbered, rule, scale_fixed=fixed)


def _split() -> tuple[st.delta_generator.DeltaGenerator, st.delta_generator.DeltaGenerator]:
    """The source's place at the left, and what was read at the right; one above the other on a phone."""
    with st.container(border=True):
        left, right = st.columns([2, 3])
    return left, right

"""What was read of a whole exam's mark scheme, question by question, each with where it goes in the exam."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from components.intake.mark_scheme import QuestionDraft, SourceLine
from components.marking import MarkError, ToleranceRule
from components.widgets.figures import count, plain
from components.workflow.exam_setup import QuestionBody
from components.workflow.exam_setup.read_schemes import places, read_into
from pages.department import scheme_reading_question as one
from pages.department.scheme_reading_confirm import confirmed
from pages.department.scheme_reading_judge import with_drafted
from pages.department.scheme_reading_kept import Page, forget, key_of
from pages.department.scheme_reading_report import keep_report
from pages.department.scheme_reading_source import lines_by_question, show_lines
from storage import exam_setup


def show_whole(page: Page) -> None:
    reading, unread = page.begun, page.unread
    above, of_question = lines_by_question(reading.lines, reading.read)
    show_above(above, unread)
    taken: list[QuestionDraft] = []
    slots = []
    everything: dict[int, QuestionDraft] = {}
    left_out: list[int] = []
    for place, question in enumerate(reading.read.questions):
        left, right = split()
        key = key_of(place)
        with left:
            show_lines(of_question[place], unread)
        with right:
            take = st.checkbox("Take this question in", value=place not in reading.left_out, key=f"{key}_take")
            first, second = st.columns(2)
            with first:
                number = st.text_input("Number", question.number, key=f"{key}_number", max_chars=40)
            with second:
                now = one.with_maximum(replace(question, number=number.strip()), key, fixed=None)
            slot = st.container()
            corrected = one.edited(now, key)
            now = with_drafted(page.asking(place), corrected, of_question[place], unread, key, reading.drafted(place))
            one.show_assumed(question, reading.read.problems)
        everything[place] = now
        if take:
            taken.append(now)
            slots.append(slot)
        else:
            left_out.append(place)
    page.keep_questions(everything, tuple(left_out))
    _confirm(page, taken, slots)


def _confirm(page: Page, taken: list[QuestionDraft], slots: list[st.delta_generator.DeltaGenerator]) -> None:
    """Where each question goes and what is wrong with it, in its slot; and the button that takes all of them in."""
    store, marker, exam = page.store, page.marker, page.exam
    with store.read() as db:
        rule = exam_setup.tolerance_rule(db, exam.id)
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
            faults(question, body, rule, fixed)
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
        forget(page)
        st.rerun()


def show_above(lines: list[SourceLine], unread: frozenset[int]) -> None:
    if lines:
        with st.expander(f"Above the first question: {count(len(lines), 'line')}", key="reading_above"):
            show_lines(lines, unread)


def faults(question: QuestionDraft, body: QuestionBody, rule: ToleranceRule, fixed: bool) -> None:
    numbered = body if body.number.strip() else body.model_copy(update={"number": "1"})  # said elsewhere
    one.show_faults(question, numbered, rule, scale_fixed=fixed)


def split() -> tuple[st.delta_generator.DeltaGenerator, st.delta_generator.DeltaGenerator]:
    """The source's place at the left, and what was read at the right; one above the other on a phone."""
    with st.container(border=True):
        left, right = st.columns([2, 3])
    return left, right

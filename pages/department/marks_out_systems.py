"""Totals for other systems' gradebooks: Moodle, Canvas, and school records such as SIMS and Arbor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from components.marking import Marker
from components.widgets.figures import count, plain
from components.workflow.marks_out.in_words import listed
from components.workflow.marks_out.layouts import (
    CanvasIdentifier,
    Layout,
    MoodleIdentifier,
    canvas,
    moodle,
    school_records,
)
from components.workflow.marks_out.totals import ExamTotals, exam_totals
from pages.department.marks_out_downloads import download
from pages.department.marks_out_identifiers import choose_identifiers
from storage import Store

MOODLE, CANVAS, RECORDS = "Moodle", "Canvas", "SIMS, Arbor and others"
HOW = {
    MOODLE: "For a Moodle course's gradebook: in Grades, Import, CSV file, map “{column}” to “{column}” and the total "
    "to a grade item or a new one.",
    CANVAS: "For a Canvas course's gradebook: in Grades, Import, choose the file, then say whether the total is a new "
    "assignment or one that is there.",
    RECORDS: "For a school's information system: in its assessment or marksheet import, match “Candidate” to its own "
    "number and “Total” or “Grade” to the column of the marksheet.",
}


@dataclass(frozen=True)
class _Choice:
    """How a system's file is made, the end of its name, its column of identifiers, and whether single marks are in."""

    make: Callable[[ExamTotals], Layout]
    ending: str
    column: str
    questions: bool


def show_systems(store: Store, viewer: Marker, totals: ExamTotals) -> None:
    """Choose the system and by what it knows the candidates, then its file."""
    exam = totals.exam
    system = st.segmented_control(
        "System", [MOODLE, CANVAS, RECORDS], default=MOODLE, required=True, key=f"marks_out_system_{exam.id}"
    )
    identifiers = choose_identifiers(store, viewer, totals)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choice = _choose(system, f"marks_out_{exam.id}", identifiers)
    made = choice.make(totals)
    st.caption(plain(HOW[system].format(column=choice.column)))
    _say("Left out, as their scripts are incomplete", made.left_out)
    _say("Left out, as no identifier of their own is given for them", made.unknown)
    if len(made.left_out) + len(made.unknown) == len(totals.scripts):
        st.info("No script can go into the file yet.")
        return
    with st.container(width=460):
        download(
            store,
            viewer,
            exam,
            f"{'School records' if system == RECORDS else system} (CSV)",
            lambda: choice.make(exam_totals(store, exam.id)).csv(),
            choice.ending,
            "text/csv",
            ":material/upload_file:",
            f"system_{system}",
            marks=choice.questions,
        )


def _choose(system: str, key: str, identifiers: Mapping[str, str] | None) -> _Choice:
    if system == MOODLE:
        known = st.selectbox("Moodle knows them by", list(MoodleIdentifier), key=f"{key}_moodle_by", width=220)
        questions = _with_questions(key, system)
        return _Choice(
            lambda totals: moodle(totals, known, identifiers, questions=questions), "moodle.csv", str(known), questions
        )
    if system == CANVAS:
        kinds = list(CanvasIdentifier)
        first = kinds.index(CanvasIdentifier.SIS_USER)
        known_by = st.selectbox("Canvas knows them by", kinds, index=first, key=f"{key}_canvas_by", width=220)
        assignment = st.number_input(
            "Assignment number",
            min_value=1,
            value=None,
            step=1,
            placeholder="a new one",
            key=f"{key}_canvas_assignment",
            width=180,
            help="The number in brackets behind the assignment's name in a gradebook that Canvas exported.",
        )
        section = st.text_input("Section", max_chars=80, key=f"{key}_canvas_section", width=180)
        questions = _with_questions(key, system)
        return _Choice(
            lambda totals: canvas(
                totals, known_by, identifiers, assignment_id=assignment, section=section.strip(), questions=questions
            ),
            "canvas.csv",
            str(known_by),
            questions,
        )
    questions = _with_questions(key, system)
    return _Choice(
        lambda totals: school_records(totals, identifiers, questions=questions),
        "school-records.csv",
        "Candidate",
        questions,
    )


def _with_questions(key: str, system: str) -> bool:
    return st.toggle("With a column for each question", key=f"{key}_questions_{system}")


def _say(why: str, candidates: Sequence[str]) -> None:
    if candidates:
        st.warning(
            plain(f"{why}: {listed(candidates)} ({count(len(candidates), 'candidate')})."), icon=":material/person_off:"
        )

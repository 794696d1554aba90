"""How much of an exam is marked before the AI's mark is shown: everything, or a random share of each question."""

from __future__ import annotations

import streamlit as st

from components.marking import Marker, Role
from pages.shared.desk_services import services
from storage import exams
from storage.blind_sample import LEAST_ON_ESSAYS
from storage.exams import Exam

STEP = 5  # per cent
WHY = (
    "Agreement counts only marks given before the AI's was seen, as who has seen it leans towards it. A random share "
    "of each question, drawn when the responses came in, keeps the figure honest while the rest go fast. Essays and "
    f"other questions marked by levels have at least {LEAST_ON_ESSAYS}. 0 switches the sample off."
)


def blind_toggle(exam: Exam, marker: Marker) -> None:
    key = f"blind_{exam.id}"
    st.session_state[key] = exam.blind  # another session may have switched it
    st.toggle(
        "Blind marking",
        key=key,
        help="Teachers mark first and see the AI's mark after theirs, with the choice to keep or change. Only marks "
        "given before the proposal is seen count as agreement.",
        on_change=_set_blind,
        args=(exam.id, key, marker),
    )


def blind_sample(exam: Exam, marker: Marker) -> None:
    """What is marked blind now, in words, with the share to change for a head of department."""
    if marker.role is Role.HEAD:
        key = f"blind_share_{exam.id}"
        st.session_state[key] = _percent(exam)  # another session may have changed it
        st.number_input(
            "Blind sample, %",
            min_value=0.0,
            max_value=100.0,
            step=float(STEP),
            format="%g",
            key=key,
            help=WHY,
            width=170,
            disabled=exam.blind,
            on_change=_set_share,
            args=(exam.id, key, marker),
        )
    st.caption(sample_text(exam), help=None if marker.role is Role.HEAD else WHY)


def sample_text(exam: Exam) -> str:
    """What a teacher meets in this exam, in a sentence."""
    if exam.blind:
        return "Every response is marked before the AI's mark is shown. The blind sample waits until that is off."
    if exam.blind_share == 0:
        return "No blind sample: the AI's mark comes first. Marks given with it in view don't count as agreement."
    if exam.blind_share == 1:
        return "Every response is marked before the AI's mark is shown."
    return (
        f"{_percent(exam):g}% of each question's responses, at least {LEAST_ON_ESSAYS} on essays, are marked before "
        "the AI's mark is shown."
    )


def _percent(exam: Exam) -> float:
    return round(100 * exam.blind_share, 6)


def _set_blind(exam_id: int, key: str, marker: Marker) -> None:
    with services().store.write() as db:
        exams.set_blind(db, exam_id, st.session_state[key], marker.id)


def _set_share(exam_id: int, key: str, marker: Marker) -> None:
    with services().store.write() as db:
        exams.set_blind_share(db, exam_id, st.session_state[key] / 100, marker.id)

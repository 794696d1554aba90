"""What a run and a batch both ask for: which questions, and which examples the judge is shown."""

from __future__ import annotations

import streamlit as st

from components.judge import Judge
from components.judge.llm import LLMJudge
from components.workflow.exemplars import MOST_SHOTS
from components.workflow.inputs import reads_exemplars
from storage import Store, exams


def choose_questions(store: Store, exam_id: int, kind: str) -> tuple[int, ...] | None:
    """Ids of the chosen questions in the exam's order, None for all. `kind` keeps a run's choice from a batch's."""
    with store.read() as db:
        numbers = {each.id: each.question.number for each in exams.questions(db, exam_id)}
    chosen = st.multiselect(
        "Questions",
        list(numbers),
        format_func=numbers.__getitem__,
        placeholder="All questions",
        key=f"{kind}_questions_{exam_id}",
        help="Leave it empty for all of them.",
    )
    return tuple(each for each in numbers if each in chosen) or None


def choose_examples(judge: Judge, kind: str) -> tuple[int, bool]:
    """(examples shown with each response, whether with the grading process)."""
    if not reads_exemplars(judge):
        if isinstance(judge, LLMJudge):
            st.caption("No examples: a published prompt is asked as it was published, without them.")
        else:
            st.caption("No examples: only a language model by the full protocol is shown marked responses.")
        return 0, True
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        shots: int = st.segmented_control(
            "Examples",
            list(range(MOST_SHOTS + 1)),
            default=0,
            required=True,
            key=f"{kind}_shots",
            help="Marked responses to the same question that the model is shown with each answer: standardisation "
            "responses first, then others that cover the marks given.",
        )
        grading = st.toggle(
            "With the grading process",
            value=True,
            key=f"{kind}_grading",
            disabled=shots == 0,
            help="Which points the teacher gave, and why. Off: the answer and its mark alone.",
        )
    return shots, grading

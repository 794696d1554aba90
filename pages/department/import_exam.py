"""The exam that a file is imported into."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.workflow.import_match import matched
from storage import Store, exams
from storage.exams import ExamSummary

NEW = 0  # no exam's id; None would be shown as nothing chosen


def choose_exam(store: Store, about: str, numbers: Sequence[str], into: int | None) -> int | None:
    """The exam to import into, or None for a new one.

    Proposed first is `into`, else the newest exam, where it has no response yet and a question of the file's `numbers`.
    """
    with store.read() as db:
        summaries = [each for each in exams.summaries(db) if each.questions and not each.exam.demo]
    if not summaries:
        return None
    titles = {each.exam.id: each.exam.title for each in reversed(summaries)}
    key = f"import_into_{about}"
    if st.session_state.get(key) not in (NEW, *titles):
        proposed = into if into in titles else _just_made(store, summaries[-1], numbers)
        st.session_state[key] = NEW if proposed is None else proposed
    chosen: int = st.selectbox(
        "Import into",
        [NEW, *titles],
        format_func=lambda exam_id: "A new exam" if exam_id == NEW else titles[exam_id],
        key=key,
        width=460,
        help="Into an exam that is there, questions are matched by their numbers: “3(b)(ii)”, “3bii” and “Q3b(ii)” are "
        "one. Marks must be on that exam's scale.",
    )
    return None if chosen == NEW else chosen


def _just_made(store: Store, newest: ExamSummary, numbers: Sequence[str]) -> int | None:
    """The newest exam, if it waits for answers such as these."""
    if newest.responses:
        return None
    with store.read() as db:
        of_exam = [stored.question.number for stored in exams.questions(db, newest.exam.id)]
    return newest.exam.id if matched(numbers, of_exam) or not numbers else None

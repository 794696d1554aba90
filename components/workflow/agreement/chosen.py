"""The questions a selection chooses, and whose proposals each of them is about."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlite_utils import Database

from components.workflow.agreement.selection import Selection
from storage import exams, pairs
from storage.exams import StoredQuestion
from storage.pairs import Wanted


@dataclass(frozen=True)
class Chosen:
    """`judged` is, by question, the selection's judge or else the one on the desk; without one a question is left out
    of it, and of `wanted`."""

    questions: tuple[StoredQuestion, ...]
    judged: dict[int, int]
    wanted: Wanted


def chosen(db: Database, selection: Selection) -> Chosen:
    """What the selection comes to. Raises LookupError where there is no such exam."""
    if exams.get(db, selection.exam_id) is None:
        raise LookupError(f"There is no exam {selection.exam_id}.")
    questions = tuple(stored for stored in exams.questions(db, selection.exam_id) if selection.chooses(stored))
    on_desk = pairs.judges_on_desk(db, selection.exam_id) if selection.judge_id is None else {}
    judges = {stored.id: selection.judge_id or on_desk.get(stored.id) for stored in questions}
    judged = {question: judge for question, judge in judges.items() if judge is not None}
    return Chosen(questions, judged, replace(selection.wanted(questions), question_ids=tuple(judged)))

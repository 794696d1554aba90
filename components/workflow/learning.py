"""When the offline judge learns from teachers' marks again."""

from __future__ import annotations

from sqlite_utils import Database

from components.judge.offline import LEAST_MARKS
from components.marking import QuestionType
from storage import exams, jobs, judges, standings
from storage.exams import StoredQuestion

NEVER_LEARNED = (QuestionType.SINGLE_CHOICE, QuestionType.MULTIPLE_CHOICE, QuestionType.NUMERIC, QuestionType.ESSAY)
MARKS_BETWEEN, MARKS_BETWEEN_LATER, LATER_FROM = 5, 25, 100


def consider(db: Database, exam_id: int, question: StoredQuestion) -> None:
    """Queue learning where there are five more marks than at the last time (past a hundred, twenty-five more)."""
    marks = standings.human_marks(db, question.id)
    last = jobs.latest_of_question(db, "learn", question.id)
    if last is not None and last.status == "queued":
        return  # it will read every mark there is when its turn comes
    more = marks - (0 if last is None else last.payload["marks"])
    if more >= (MARKS_BETWEEN if marks <= LATER_FROM else MARKS_BETWEEN_LATER) and _learns(
        db, exam_id, question, marks
    ):
        jobs.add(db, "learn", {"question_id": question.id, "marks": marks})


def _learns(db: Database, exam_id: int, question: StoredQuestion, marks: int) -> bool:
    exam = exams.get(db, exam_id)
    if question.question.type in NEVER_LEARNED or exam is None or exam.judge_id is None or marks < LEAST_MARKS:
        return False
    judge = judges.get(db, exam.judge_id)
    return judge is not None and judge.kind == judges.OFFLINE and not judge.settings  # exact words learns nothing

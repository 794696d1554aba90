"""When the offline judge learns from teachers' marks again."""

from __future__ import annotations

from sqlite_utils import Database

from components.marking import QuestionType
from storage import jobs, judges, standings
from storage.exams import Exam, StoredQuestion

FEWEST_MARKS = 10
NEVER_LEARNED = (QuestionType.SINGLE_CHOICE, QuestionType.MULTIPLE_CHOICE, QuestionType.NUMERIC, QuestionType.ESSAY)


def consider(db: Database, exam: Exam, question: StoredQuestion) -> None:
    """Queue learning for the question at every fifth mark from the tenth on (past 100, when a tenth more has come)."""
    if question.question.type in NEVER_LEARNED or exam.judge_id is None:
        return
    judge = judges.get(db, exam.judge_id)
    if judge is None or judge.kind != judges.OFFLINE:
        return
    marks = standings.human_marks(db, question.id)
    if marks >= FEWEST_MARKS and marks % (5 if marks <= 100 else marks // 10) == 0:
        jobs.add(db, "learn", {"question_id": question.id})

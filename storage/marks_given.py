"""An exam's marks by who gave them: its teachers, a judge, or a judge on trial. What has no mark is not in them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlite_utils import Database

from storage import trial_answers
from storage.taken_back import STILL_COUNTS


@dataclass(frozen=True)
class Answer:
    """A response that an import brought, to a `question` (its words) out of `max_mark`, as the exam has it now."""

    response_id: int
    number: str
    question: str
    max_mark: float
    text: str


def answers(db: Database, import_id: int) -> list[Answer]:
    """The responses that an import brought, in the exam's order."""
    rows = db.execute(
        "SELECT r.id, q.number, q.text AS question, q.max_mark, r.text FROM responses r "
        "JOIN questions q ON q.id = r.question_id WHERE r.exam_id = (SELECT exam_id FROM imports WHERE id = :id) "
        "AND r.import_id = :id ORDER BY q.position, r.id",
        {"id": import_id},
    )
    return [Answer(row["id"], row["number"], row["question"], row["max_mark"], row["text"]) for row in rows]


def by_teachers(db: Database, exam_id: int) -> dict[int, float]:
    """The final marks by response id; "no response" is 0, as in totals."""
    rows = db.execute(
        "SELECT response_id, coalesce(final_mark, 0.0) AS mark FROM standings WHERE exam_id = ? AND human = 1",
        (exam_id,),
    )
    return {row["response_id"]: row["mark"] for row in rows}


def by_judge(db: Database, exam_id: int, judge_id: int) -> dict[int, float]:
    """The judge's marks by response id: its newest word on each counts, be it that it cannot say; a failure is none."""
    rows = db.execute(
        "SELECT p.response_id, p.mark, max(p.id) FROM responses r JOIN proposals p ON p.response_id = r.id "
        f"WHERE r.exam_id = ? AND p.judge_id = ? AND p.status <> 'failed' AND {STILL_COUNTS.format(p='p')} "
        "GROUP BY p.response_id",
        (exam_id, judge_id),
    )
    return {row["response_id"]: row["mark"] for row in rows if row["mark"] is not None}


def by_arm(db: Database, arm_id: int) -> dict[int, float]:
    """The marks that a trial's arm gave, by response id."""
    return {response_id: mark for response_id, _, mark in trial_answers.newest(db, arm_id) if mark is not None}


def judges_of(db: Database, exam_id: int) -> list[tuple[int, str]]:
    """(id, name) of each judge with a mark in the exam, in the order of their ids."""
    rows = db.execute(
        "SELECT j.id, j.name FROM judges j WHERE j.id IN (SELECT p.judge_id FROM responses r "
        "JOIN proposals p ON p.response_id = r.id WHERE r.exam_id = ? AND p.status = 'proposed') ORDER BY j.id",
        (exam_id,),
    )
    return [(row["id"], row["name"]) for row in rows]


def state(db: Database) -> tuple[int, ...]:
    """With the same numbers every mark is the same: the newest row of all that marks rest on."""
    tables = ("proposals", "decisions", "trial_proposals", "imports", "events")
    row = db.execute(f"SELECT {', '.join(f'(SELECT coalesce(max(id), 0) FROM {each})' for each in tables)}").fetchone()
    return tuple(int(row[place]) for place in range(len(tables)))

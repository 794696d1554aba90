"""Which responses are marked blind: every one of an exam, or a random share of each question, drawn beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlite_utils import Database

LEAST_ON_ESSAYS = 30  # responses of a question that is marked by levels: fewer say nothing about its agreement

# A response with a draw below its question's threshold is in the sample. A draw never changes, so a larger share keeps
# all that a smaller one had.
_THRESHOLD = f"""CASE
    WHEN e.blind THEN 1.0
    WHEN e.blind_share > 0 AND q.type IN ('levels', 'essay')
    THEN max(e.blind_share, min(1.0, {LEAST_ON_ESSAYS}.0 / max(p.responses, 1)))
    ELSE e.blind_share END"""

# As a condition on a row with a `response_id`: 1 where the exam's rule wants it marked blind, whoever marks it.
BLIND_BY_RULE = f"""(
    SELECT rule.threshold >= 1 OR rule.blind_draw < rule.threshold FROM (
        SELECT r.blind_draw, {_THRESHOLD} AS threshold
        FROM responses r JOIN exams e ON e.id = r.exam_id JOIN questions q ON q.id = r.question_id
        JOIN progress p ON p.question_id = r.question_id
        WHERE r.id = {{response_id}}
    ) rule)"""


@dataclass(frozen=True)
class QuestionSample:
    """A question's share of responses that are marked blind (0 to 1), and how many of its responses that makes."""

    question_id: int
    threshold: float
    responses: int


def is_blind(db: Database, response_id: int) -> bool:
    """Whether the exam's rule wants this response marked before its proposal is seen, now and whoever marks it.

    What a marker has seen already is not asked here.
    """
    row = db.execute("SELECT " + BLIND_BY_RULE.format(response_id="?"), (response_id,)).fetchone()
    return bool(row[0])


def of_exam(db: Database, exam_id: int) -> list[QuestionSample]:
    """The blind sample of each question in the exam's order; all of its responses where the whole exam is blind."""
    # Counting takes as long as what is counted is long, so the smaller side is: 20 ms at most with a million responses.
    rows = db.execute(
        f"""
        SELECT rule.id, rule.threshold, CASE
            WHEN rule.threshold >= 1 THEN rule.responses
            WHEN rule.threshold > 0.5 THEN rule.responses - (
                SELECT count(*) FROM responses r WHERE r.question_id = rule.id AND r.blind_draw >= rule.threshold)
            ELSE (
                SELECT count(*) FROM responses r WHERE r.question_id = rule.id AND r.blind_draw < rule.threshold)
            END AS responses
        FROM (
            SELECT q.id, q.position, p.responses, {_THRESHOLD} AS threshold
            FROM exams e JOIN questions q ON q.exam_id = e.id JOIN progress p ON p.question_id = q.id WHERE e.id = ?
        ) rule ORDER BY rule.position
        """,
        (exam_id,),
    )
    return [QuestionSample(row["id"], float(row["threshold"]), int(row["responses"])) for row in rows]


def fix_draws(db: Database, draws: Mapping[int, float]) -> None:
    """Give responses that nobody has marked yet draws that are known, by response id: for an exam that is invented."""
    db.conn.executemany("UPDATE responses SET blind_draw = ? WHERE id = ?", [(d, r) for r, d in draws.items()])

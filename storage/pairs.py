"""Pairs of marks: an AI's and a teacher's on the same response. Agreement and accept rate are never pooled."""

from __future__ import annotations

from dataclasses import dataclass

from sqlite_utils import Database

AGREEMENT = "agreement"
ACCEPT = "accept"


_LATER_MARK = (
    "p.decision_id = (SELECT max(o.decision_id) FROM pairs o "
    "WHERE o.response_id = p.response_id AND o.judge_id = p.judge_id AND o.kind = p.kind)"
)


@dataclass(frozen=True)
class QuestionPairs:
    """A question's pairs for one judge, as parallel tuples."""

    question_id: int
    judge_id: int
    ai: tuple[float, ...]
    teacher: tuple[float, ...]


def by_question(db: Database, exam_id: int, kind: str) -> list[QuestionPairs]:
    """The exam's pairs of one kind, grouped by question and judge, in question order.

    Agreement has one pair a response, with the later of two teachers' marks: a second teacher is no second response,
    and would narrow every interval for nothing.
    """
    rows = db.execute(
        "SELECT p.question_id, p.judge_id, p.ai_mark, p.teacher_mark "
        "FROM pairs p JOIN questions q ON q.id = p.question_id "
        f"WHERE p.exam_id = ? AND p.kind = ? AND (p.kind = 'accept' OR {_LATER_MARK}) "
        "ORDER BY q.position, p.judge_id, p.response_id, p.marker_id",
        (exam_id, kind),
    )
    grouped: dict[tuple[int, int], tuple[list[float], list[float]]] = {}
    for row in rows:
        ai, teacher = grouped.setdefault((row["question_id"], row["judge_id"]), ([], []))
        ai.append(row["ai_mark"])
        teacher.append(row["teacher_mark"])
    return [QuestionPairs(q, j, tuple(ai), tuple(teacher)) for (q, j), (ai, teacher) in grouped.items()]


def state(db: Database, exam_id: int) -> tuple[int, int, int]:
    """A cheap fingerprint that moves when any decision, proposal or pair of the exam may have moved."""
    row = db.execute(
        "SELECT (SELECT coalesce(max(id), 0) FROM decisions), (SELECT coalesce(max(id), 0) FROM proposals), "
        "(SELECT coalesce(judge_id, 0) FROM exams WHERE id = ?)",
        (exam_id,),
    ).fetchone()
    return int(row[0]), int(row[1]), int(row[2])


def judges_on_desk(db: Database, exam_id: int) -> dict[int, int]:
    """By question, the judge whose proposals stand on the exam's desk now (the newest standing one's, if several)."""
    rows = db.execute(
        "SELECT newest.question_id, p.judge_id FROM "
        "(SELECT question_id, max(proposal_id) AS id FROM standings WHERE exam_id = ? GROUP BY question_id) newest "
        "JOIN proposals p ON p.id = newest.id",
        (exam_id,),
    )
    return {int(row["question_id"]): int(row["judge_id"]) for row in rows}


def imported_by_question(db: Database, exam_id: int) -> dict[tuple[int, int], int]:
    """By (question, judge), how many of the exam's agreement pairs rest on an imported mark; the rest are blind."""
    rows = db.execute(
        "SELECT p.question_id, p.judge_id, count(*) AS n FROM pairs p JOIN decisions d ON d.id = p.decision_id "
        f"WHERE p.exam_id = ? AND p.kind = 'agreement' AND d.stage = 'imported' AND {_LATER_MARK} "
        "GROUP BY p.question_id, p.judge_id",
        (exam_id,),
    )
    return {(int(row["question_id"]), int(row["judge_id"])): int(row["n"]) for row in rows}


def within_tolerance(
    db: Database,
    judge_id: int,
    confidence: str,
    exam_id: int,
    *,
    question_id: int | None = None,
    but_response: int | None = None,
) -> tuple[int, int]:
    """(within their question's tolerance, all) of the judge's agreement pairs at this confidence.

    Of the exam, or of one of its questions; without the pairs of the response `but_response`.
    """
    # Each question once, its bounds worked out, then one stretch of the index that holds all the rest: a busy exam has
    # tens of thousands of pairs, and this is read between a decision and the next response.
    row = db.execute(
        "WITH allowed AS MATERIALIZED ("
        "    SELECT id, -tolerance - 1e-9 AS least, tolerance + 1e-9 AS most FROM questions "
        "    WHERE exam_id = :exam AND (:question IS NULL OR id = :question)"
        ") SELECT count(*) FILTER (WHERE p.ai_mark - p.teacher_mark BETWEEN a.least AND a.most), count(*) "
        "FROM allowed a CROSS JOIN pairs p INDEXED BY pairs_by_confidence ON p.question_id = a.id "
        "WHERE p.judge_id = :judge AND p.kind = 'agreement' AND p.exam_id = :exam AND p.confidence = :confidence "
        "AND p.response_id IS NOT :but",
        {"exam": exam_id, "question": question_id, "judge": judge_id, "confidence": confidence, "but": but_response},
    ).fetchone()
    return int(row[0]), int(row[1])


def last_mark_at(db: Database, exam_id: int) -> str | None:
    """When the newest mark that stands on the exam's desk was given (UTC, ISO 8601); None where there is none."""
    row = db.execute(
        "SELECT created_at FROM decisions WHERE id = "
        "(SELECT max(decision_id) FROM standings WHERE exam_id = ? AND marked = 1)",
        (exam_id,),
    ).fetchone()
    return None if row is None else str(row["created_at"])

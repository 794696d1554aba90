"""Pairs of marks: an AI's and a teacher's on the same response. Agreement and accept rate are never pooled."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from components.marking import Stage

AGREEMENT = "agreement"
ACCEPT = "accept"


@dataclass(frozen=True)
class Cell:
    """`n` pairs of one question and judge that are alike; `seconds` is the sum over the `timed` of them."""

    question_id: int
    judge_id: int
    stage: Stage
    confidence: str
    ai: float
    teacher: float
    n: int
    timed: int
    seconds: float


@dataclass(frozen=True)
class DoubleCell:
    """`n` responses of one question with the same marks of one judge and of two teachers who did not see it."""

    question_id: int
    judge_id: int
    ai: float
    first: float
    second: float
    n: int


@dataclass(frozen=True)
class Pair:
    """One pair, with what tells where it comes from."""

    response_id: int
    question_id: int
    marker_id: int
    stage: Stage
    confidence: str
    ai: float
    teacher: float
    given_at: str
    decision_id: int


@dataclass(frozen=True)
class Wanted:
    """Which of an exam's pairs: every part that is set must hold. Days are UTC, YYYY-MM-DD, both included.

    With a marker, all the marker's pairs; without, of several teachers' marks on a response the latest.
    `groups` are (name, value) that the candidate must have.
    """

    exam_id: int
    question_ids: tuple[int, ...] | None = None
    judge_id: int | None = None
    marker_id: int | None = None
    stage: Stage | None = None
    handwritten: bool | None = None
    since: str | None = None
    until: str | None = None
    groups: tuple[tuple[str, str], ...] = ()

    @property
    def tallied(self) -> bool:
        """Whether the tallies, kept whatever the exam's size, can answer; else its pairs are counted."""
        return self.marker_id is None and self.since is None and self.until is None and not self.groups


def cells(db: Database, kind: str, wanted: Wanted) -> list[Cell]:
    """The wanted pairs of one kind, those that are alike counted together, in question order."""
    where, parameters = conditions(wanted)
    if wanted.tallied:
        source, counts = "tallies p", "sum(p.n) AS n, sum(p.timed) AS timed, sum(p.seconds) AS seconds"
        where.append("p.n > 0")
    else:
        source = f"{OF_CANDIDATES if wanted.groups else ''}pairs p"
        counts = "count(*) AS n, count(p.seconds) AS timed, total(p.seconds) AS seconds"
    rows = db.execute(
        f"SELECT p.question_id, p.judge_id, p.stage, p.confidence, p.ai_mark, p.teacher_mark, {counts} FROM {source} "
        f"WHERE p.kind = :kind AND {' AND '.join(where)} "
        "GROUP BY p.question_id, p.judge_id, p.stage, p.confidence, p.ai_mark, p.teacher_mark",
        {"kind": kind, **parameters},
    )
    return [
        Cell(
            row["question_id"],
            row["judge_id"],
            Stage(row["stage"]),
            row["confidence"],
            row["ai_mark"],
            row["teacher_mark"],
            row["n"],
            row["timed"],
            row["seconds"],
        )
        for row in rows
    ]


def double_cells(db: Database, wanted: Wanted) -> list[DoubleCell]:
    """The wanted exam's double-marked responses, by question, judge, candidate's groups and how the answer came.

    Two teachers' marks are no one marker's, stage's or day's, so those parts of `wanted` do not count here.
    """
    where, parameters = ["p.exam_id = :exam", *_question_where(wanted)], _parameters(wanted)
    if wanted.handwritten is not None:
        where.append("p.handwritten = :handwritten")
    if wanted.groups:
        source, counts = f"{OF_CANDIDATES}double_marked p", "count(*) AS n"
        where += ["p.response_id = r.id", "c.exam_id = :exam", _IN_GROUPS]
    else:
        source, counts = "double_tallies p", "sum(p.n) AS n"
        where.append("p.n > 0")
    rows = db.execute(
        f"SELECT p.question_id, p.judge_id, p.ai_mark, p.first_mark, p.second_mark, {counts} FROM {source} "
        f"WHERE {' AND '.join(where)} GROUP BY p.question_id, p.judge_id, p.ai_mark, p.first_mark, p.second_mark",
        parameters,
    )
    return [DoubleCell(*row) for row in rows]


def newest(db: Database, kind: str, wanted: Wanted, most: int) -> list[Pair]:
    """Of the wanted pairs the `most` given last, the oldest of them first."""
    where, parameters = conditions(wanted, rows=True)
    rows = db.execute(
        "SELECT p.response_id, p.question_id, p.marker_id, p.stage, p.confidence, p.ai_mark, p.teacher_mark, "
        f"p.given_at, p.decision_id FROM {OF_CANDIDATES if wanted.groups else ''}pairs p "
        f"WHERE p.kind = :kind AND {' AND '.join(where)} ORDER BY p.decision_id DESC LIMIT :most",
        {"kind": kind, "most": most, **parameters},
    ).fetchall()
    return [pair_of(row) for row in reversed(rows)]


# From the few candidates of a class to their pairs, not from every pair to its candidate.
OF_CANDIDATES = "candidates c CROSS JOIN responses r ON r.candidate_id = c.id CROSS JOIN "
_IN_GROUPS = (
    "NOT EXISTS (SELECT 1 FROM json_each(:groups) g WHERE NOT EXISTS (SELECT 1 FROM json_each(c.groups) h "
    "WHERE h.key = json_extract(g.value, '$[0]') AND h.value = json_extract(g.value, '$[1]')))"
)


def conditions(wanted: Wanted, *, rows: bool = False) -> tuple[list[str], dict[str, Any]]:
    """What a query on `p` must require to read the wanted pairs, and its parameters; `rows` where p are pairs always.

    With groups, OF_CANDIDATES must come before p.
    """
    where = ["p.exam_id = :exam", *_question_where(wanted)]
    if wanted.stage is not None:
        where.append("p.stage = :stage")
    if wanted.handwritten is not None:
        where.append("p.handwritten = :handwritten")
    if rows or not wanted.tallied:
        where.append("p.counted = 1" if wanted.marker_id is None else "p.marker_id = :marker")
    if wanted.since is not None:
        where.append("p.given_at >= :since")
    if wanted.until is not None:
        where.append("p.given_at < date(:until, '+1 day')")
    if wanted.groups:
        where += ["p.response_id = r.id", "c.exam_id = :exam", _IN_GROUPS]
    return where, _parameters(wanted)


def _question_where(wanted: Wanted) -> list[str]:
    where = []
    if wanted.question_ids is not None:
        where.append("p.question_id IN (SELECT value FROM json_each(:questions))")
    if wanted.judge_id is not None:
        where.append("p.judge_id = :judge")
    return where


def _parameters(wanted: Wanted) -> dict[str, Any]:
    return {
        "exam": wanted.exam_id,
        "questions": json.dumps(wanted.question_ids),
        "judge": wanted.judge_id,
        "stage": wanted.stage,
        "handwritten": wanted.handwritten,
        "marker": wanted.marker_id,
        "since": wanted.since,
        "until": wanted.until,
        "groups": json.dumps(wanted.groups),
    }


def pair_of(row: Any) -> Pair:
    """A pair from a row that has its columns."""
    return Pair(
        row["response_id"],
        row["question_id"],
        row["marker_id"],
        Stage(row["stage"]),
        row["confidence"],
        row["ai_mark"],
        row["teacher_mark"],
        row["given_at"],
        row["decision_id"],
    )


def state(db: Database, exam_id: int) -> tuple[int, int, int, int]:
    """A cheap fingerprint that moves when any decision, proposal or pair of the exam may have moved, or what its pairs
    are counted by: a tolerance, how an answer came, a candidate's group.

    The newest decision and proposal, the exam's judge (0: none) and the newest event, by id.
    """
    row = db.execute(
        "SELECT (SELECT coalesce(max(id), 0) FROM decisions), (SELECT coalesce(max(id), 0) FROM proposals), "
        "(SELECT coalesce(judge_id, 0) FROM exams WHERE id = ?), (SELECT coalesce(max(id), 0) FROM events)",
        (exam_id,),
    ).fetchone()
    return int(row[0]), int(row[1]), int(row[2]), int(row[3])


def judges_on_desk(db: Database, exam_id: int) -> dict[int, int]:
    """By question, the judge whose proposals stand on the exam's desk now (the newest standing one's, if several)."""
    rows = db.execute(
        "SELECT q.id, p.judge_id FROM questions q JOIN proposals p ON p.id = "
        "(SELECT max(s.proposal_id) FROM standings s WHERE s.question_id = q.id) WHERE q.exam_id = ?",
        (exam_id,),
    )
    return {int(row["id"]): int(row["judge_id"]) for row in rows}


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

    Of the exam, or of one of its questions; without the pair of the response `but_response`.
    """
    row = db.execute(
        "SELECT coalesce(sum(n) FILTER (WHERE abs(ai_mark - teacher_mark) <= q.tolerance + 1e-9), 0), "
        "coalesce(sum(n), 0) FROM ("
        "    SELECT question_id, ai_mark, teacher_mark, n FROM tallies "
        "    WHERE exam_id = :exam AND kind = 'agreement' AND judge_id = :judge AND confidence = :confidence "
        "    UNION ALL SELECT question_id, ai_mark, teacher_mark, -1 FROM pairs "
        "    WHERE response_id = :but AND exam_id = :exam AND kind = 'agreement' AND judge_id = :judge "
        "      AND confidence = :confidence AND counted = 1"
        ") p JOIN questions q ON q.id = p.question_id WHERE :question IS NULL OR q.id = :question",
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

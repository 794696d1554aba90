"""What waits for a head of department, in the order in which it matters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlite_utils import Database


class Kind(StrEnum):
    """Which of the waiting responses a head wants to go through."""

    ALL = "all"
    DISPUTES = "disagreements"
    FLAGS = "flags"


@dataclass(frozen=True)
class Waiting:
    """A response that waits. `totals` are its candidate's with the lowest and with the highest of the disputed marks,
    where a grade lies between the two."""

    response_id: int
    question: str
    candidate: str
    max_mark: float
    disputed: bool
    flagged: bool
    gap: float | None
    totals: tuple[float, float] | None


@dataclass(frozen=True)
class Queue:
    """The first of those that wait, and how many there are in all."""

    first: tuple[Waiting, ...]
    disputes: int
    at_boundary: int
    flags: int  # without a dispute

    @property
    def waiting(self) -> int:
        return self.disputes + self.flags


@dataclass(frozen=True)
class Span:
    """A disputed response of a candidate to a question, by its number, and how far the marks on it go."""

    response_id: int
    candidate_id: int
    question: str
    lowest: float
    highest: float


# A response, and its candidate's totals with the lowest and with the highest of the disputed marks.
Case = tuple[int, float, float]


@dataclass(frozen=True)
class RaisedFlag:
    """A standing flag. `text` is its own, else the newest comment on the response by who raised it."""

    text: str
    marker_name: str
    created_at: str


def queue(
    db: Database,
    exam_id: int,
    kind: Kind = Kind.ALL,
    question_id: int | None = None,
    boundaries: Sequence[float] = (),
    limit: int = 200,
    *,
    fewest: int = 0,
    cases: Sequence[Case] = (),
) -> Queue:
    """What waits in the exam, or on one question: first those where a candidate's grade hangs on which mark stands,
    then by gap in marks, then by its share of the maximum; flags without a dispute last.

    `boundaries` are the lowest totals of the grades, where every response counts. Only a candidate with a final mark
    for every response, and with at least `fewest` responses, has a total. `cases` are given in place of boundaries
    where not every response counts.
    """
    sql = _QUEUE.format(cases=_CASES if boundaries else _GIVEN_CASES, waiting=_WAITING[kind])
    parameters = {
        "exam": exam_id,
        "question": question_id,
        "edges": json.dumps(list(boundaries)),
        "limit": limit,
        "fewest": fewest,
        "cases": json.dumps(list(cases)),
    }
    rows = db.execute(sql, parameters).fetchall()
    if not rows:
        return Queue((), 0, 0, 0)
    counts = rows[0]
    return Queue(
        tuple(_waiting(row) for row in rows),
        counts["disputes"],
        counts["at_boundary"],
        counts["waiting"] - counts["disputes"],
    )


def raised_flags(db: Database, response_ids: Sequence[int]) -> dict[int, RaisedFlag]:
    """By response id, the flags that stand on these responses."""
    return {
        row["response_id"]: RaisedFlag(row["text"], row["name"], row["created_at"])
        for row in db.execute(_FLAGS, {"ids": json.dumps(list(response_ids))})
    }


def disputed_spans(db: Database, exam_id: int, question_id: int | None = None) -> list[Span]:
    """The disputed responses of the exam, or of one question, with the lowest and the highest of the disputed marks."""
    return [
        Span(row["response_id"], row["candidate_id"], row["question"], row["low"], row["high"])
        for row in db.execute(_DISPUTED_SPANS, {"exam": exam_id, "question": question_id})
    ]


def still_waiting(db: Database, response_ids: Sequence[int], kind: Kind) -> list[int]:
    """Those of the responses that still wait, in the order given."""
    rows = db.execute(
        f"SELECT response_id FROM standings WHERE response_id IN (SELECT value FROM json_each(?)) AND {_WAITS[kind]}",
        (json.dumps(list(response_ids)),),
    )
    waiting = {int(row["response_id"]) for row in rows}
    return [response_id for response_id in response_ids if response_id in waiting]


_WAITS = {Kind.ALL: "(disputed = 1 OR flagged = 1)", Kind.DISPUTES: "disputed = 1", Kind.FLAGS: "flagged = 1"}
_COLUMNS = "response_id, question_id, question_position, candidate_position, disputed, flagged, gap"
_DISPUTED = f"SELECT {_COLUMNS} FROM standings WHERE exam_id = :exam AND disputed = 1"
_FLAGGED = f"SELECT {_COLUMNS} FROM standings WHERE exam_id = :exam AND flagged = 1"
_WAITING = {
    Kind.ALL: f"{_DISPUTED} UNION ALL {_FLAGGED} AND disputed = 0",
    Kind.DISPUTES: _DISPUTED,
    Kind.FLAGS: _FLAGGED,
}

# The lowest and the highest of the disputed marks, each with the candidate's other marks. A final mark lies between the
# two, so that most responses are known to be no case at once; where it and the AI's are the two, no other mark need be
# read. No response counts as 0, as it does in a total.
_SPANS = """
    SELECT response_id, others + min(final_mark, ai_mark) AS low, others + max(final_mark, ai_mark) AS high
    FROM near WHERE abs(final_mark - ai_mark) = gap
    UNION ALL
    SELECT response_id, others + min(mark), others + max(mark) FROM (
        SELECT n.response_id, n.others, coalesce(d.mark, 0.0) AS mark
        FROM near n JOIN decisions d ON d.response_id = n.response_id
        WHERE abs(n.final_mark - n.ai_mark) IS NOT n.gap AND d.id IN (
            SELECT max(l.id) FROM decisions l
            WHERE l.response_id = n.response_id AND l.outcome <> 'undo' AND l.stage <> 'adjudicated'
              AND NOT EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = l.id)
            GROUP BY l.marker_id)
        UNION ALL
        SELECT response_id, others, ai_mark FROM near WHERE abs(final_mark - ai_mark) IS NOT gap
    ) WHERE mark IS NOT NULL GROUP BY response_id
"""
# Where the highest disputed mark gives another grade than the lowest.
_CASES = f"SELECT * FROM ({_SPANS}) WHERE EXISTS (SELECT 1 FROM edges WHERE edge > low AND edge <= high)"
_GIVEN_CASES = """
    SELECT s.response_id, json_extract(c.value, '$[1]') AS low, json_extract(c.value, '$[2]') AS high
    FROM json_each(:cases) c CROSS JOIN standings s ON s.response_id = json_extract(c.value, '$[0]')
"""
_DISPUTED_SPANS = f"""
WITH near AS MATERIALIZED (
    SELECT s.response_id, s.gap, coalesce(s.final_mark, 0.0) AS final_mark, p.mark AS ai_mark, 0.0 AS others
    FROM standings s LEFT JOIN proposals p ON p.id = s.proposal_id WHERE s.exam_id = :exam AND s.disputed = 1
      AND (:question IS NULL OR s.question_id = :question)
)
SELECT x.response_id, x.low, x.high, r.candidate_id, q.number AS question
FROM ({_SPANS}) x JOIN responses r ON r.id = x.response_id JOIN questions q ON q.id = r.question_id
"""
_QUEUE = """
WITH edges AS MATERIALIZED (SELECT value AS edge FROM json_each(:edges)),
totals AS MATERIALIZED (
    SELECT candidate_position, sum(final_mark) AS total FROM standings WHERE exam_id = :exam
    GROUP BY candidate_position HAVING count(outcome) = count(*) AND count(*) >= :fewest
),
near AS MATERIALIZED (
    SELECT s.response_id, s.gap, coalesce(s.final_mark, 0.0) AS final_mark, p.mark AS ai_mark,
           t.total - coalesce(s.final_mark, 0.0) AS others
    FROM standings s JOIN totals t ON t.candidate_position = s.candidate_position
    LEFT JOIN proposals p ON p.id = s.proposal_id
    WHERE s.exam_id = :exam AND s.disputed = 1 AND (:question IS NULL OR s.question_id = :question)
      AND EXISTS (SELECT 1 FROM edges WHERE edge > t.total - s.gap AND edge <= t.total + s.gap)
),
cases AS MATERIALIZED ({cases}),
waiting AS ({waiting}),
sorted AS (
    SELECT w.*, q.number, q.max_mark, cases.low, cases.high, count(*) OVER () AS waiting,
           sum(w.disputed) OVER () AS disputes, count(cases.low) OVER () AS at_boundary
    FROM waiting w JOIN questions q ON q.id = w.question_id LEFT JOIN cases ON cases.response_id = w.response_id
    WHERE :question IS NULL OR w.question_id = :question
    ORDER BY cases.low IS NULL, w.disputed DESC, CASE WHEN w.disputed THEN w.gap END DESC,
             CASE WHEN w.disputed THEN w.gap / q.max_mark END DESC, w.question_position, w.candidate_position
    LIMIT :limit
)
SELECT sorted.*, c.number AS candidate
FROM sorted CROSS JOIN responses r ON r.id = sorted.response_id CROSS JOIN candidates c ON c.id = r.candidate_id
"""

_FLAGS = """
SELECT n.response_id, m.name, n.created_at, coalesce(nullif(n.text, ''), (
    SELECT text FROM (
        SELECT text, created_at FROM notes
        WHERE response_id = n.response_id AND marker_id = n.marker_id AND kind = 'comment'
        UNION ALL
        SELECT comment, created_at FROM decisions
        WHERE response_id = n.response_id AND marker_id = n.marker_id AND comment <> ''
    ) ORDER BY created_at DESC LIMIT 1
), '') AS text
FROM json_each(:ids) ids JOIN notes n ON n.id = (
    SELECT max(id) FROM notes WHERE response_id = ids.value AND kind IN ('flag', 'unflag')
)
JOIN markers m ON m.id = n.marker_id WHERE n.kind = 'flag'
"""


def _waiting(row: Any) -> Waiting:
    return Waiting(
        row["response_id"],
        row["number"],
        row["candidate"],
        row["max_mark"],
        bool(row["disputed"]),
        bool(row["flagged"]),
        row["gap"],
        None if row["low"] is None else (row["low"], row["high"]),
    )

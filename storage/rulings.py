"""What heads of department have settled, and what they have been shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from components.marking import Outcome
from storage import proposals
from storage.connect import now


@dataclass(frozen=True)
class Settled:
    """An adjudication that stands or, where `outcome` is None, a flag that was settled without one."""

    response_id: int
    question: str
    candidate: str
    marker_name: str
    created_at: str
    outcome: Outcome | None
    mark: float | None
    reason: str
    marks_hidden: bool
    final_outcome: Outcome | None
    final_mark: float | None
    by_adjudicator: bool  # the final mark is the adjudicator's, or a mean with it


def settled(db: Database, exam_id: int, question_id: int | None = None, limit: int = 200) -> list[Settled]:
    """Adjudications that stand, and flags settled with a reason alone, the newest first."""
    rows = db.execute(_SETTLED, {"exam": exam_id, "question": question_id, "limit": limit})
    return [_settled(row) for row in rows]


def adjudicated(db: Database, exam_id: int) -> list[int]:
    """The responses on which an adjudication stands: those that the exam's rule of what stands is about."""
    rows = db.execute("SELECT response_id FROM standings WHERE exam_id = ? AND adjudicated = 1", (exam_id,))
    return [int(row["response_id"]) for row in rows]


def count_adjudicated(db: Database, exam_id: int, question_id: int | None = None) -> int:
    """How many responses of the exam, or of one question, have an adjudication that stands."""
    row = db.execute(
        "SELECT count(*) FROM standings WHERE exam_id = ? AND adjudicated = 1 AND (? IS NULL OR question_id = ?)",
        (exam_id, question_id, question_id),
    )
    return int(row.fetchone()[0])


def record_shown(db: Database, response_id: int, marker_id: int, proposal_id: int | None) -> None:
    """The marker has been shown all marks on the response; `proposal_id` where the AI's was among them.

    From here on no mark of theirs on it is blind.
    """
    if proposal_id is not None:
        proposals.record_sighting(db, response_id, marker_id, proposal_id)
    else:
        db.execute(
            "INSERT OR IGNORE INTO shown (response_id, marker_id, created_at) VALUES (?, ?, ?)",
            (response_id, marker_id, now()),
        )


def has_been_shown(db: Database, response_id: int, marker_id: int, proposal_id: int | None = None) -> bool:
    """Whether the marker has been shown this proposal; without one, any mark of another on the response."""
    if proposals.seen_by(db, response_id, marker_id, proposal_id):
        return True
    row = db.execute("SELECT 1 FROM shown WHERE response_id = ? AND marker_id = ?", (response_id, marker_id))
    return proposal_id is None and row.fetchone() is not None


def flag_lifted_by(db: Database, decision_id: int) -> str | None:
    """The text of the flag that was lifted with this adjudication, if it was and nobody has touched it since."""
    row = db.execute(_LIFTED, {"decision": decision_id}).fetchone()
    return None if row is None else str(row["text"])


def lifting_action(action_id: str) -> str:
    """The action id of the note that lifts a flag together with the adjudication of this action."""
    return f"{action_id}:flag"


_LIFTED = """
SELECT coalesce((
    SELECT text FROM notes f WHERE f.response_id = n.response_id AND f.kind = 'flag' AND f.id < n.id
    ORDER BY f.id DESC LIMIT 1), '') AS text
FROM decisions d JOIN notes n ON n.action_id = d.action_id || ':flag'
WHERE d.id = :decision AND n.id = (
    SELECT max(id) FROM notes WHERE response_id = d.response_id AND kind IN ('flag', 'unflag'))
"""

# A flag's reason is the newest that was given without an adjudication: the words of one go with it when it is undone.
_SETTLED = """
WITH done AS (
    SELECT s.response_id, s.outcome AS final_outcome, s.final_mark, s.decision_id = d.id AS by_adjudicator,
           d.marker_id, d.created_at, d.outcome, d.mark, d.comment AS reason, d.marks_hidden
    FROM standings s JOIN decisions d ON d.id = (
        SELECT max(l.id) FROM decisions l
        WHERE l.response_id = s.response_id AND l.stage = 'adjudicated' AND l.outcome <> 'undo'
          AND NOT EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = l.id))
    WHERE s.exam_id = :exam AND s.adjudicated = 1 AND (:question IS NULL OR s.question_id = :question)
    UNION ALL
    SELECT s.response_id, s.outcome, s.final_mark, 0, n.marker_id, n.created_at, NULL, NULL, n.text, 0
    FROM notes n JOIN standings s ON s.response_id = n.response_id
    WHERE n.kind = 'unflag' AND n.text <> '' AND s.exam_id = :exam AND s.adjudicated = 0 AND s.flagged = 0
      AND (:question IS NULL OR s.question_id = :question)
      AND n.id = (
          SELECT max(f.id) FROM notes f WHERE f.response_id = n.response_id AND f.kind = 'unflag' AND f.text <> ''
            AND NOT EXISTS (SELECT 1 FROM decisions a WHERE a.response_id = f.response_id
                            AND a.action_id || ':flag' = f.action_id))
    ORDER BY created_at DESC LIMIT :limit
)
SELECT done.*, m.name, q.number AS question, c.number AS candidate
FROM done JOIN markers m ON m.id = done.marker_id JOIN responses r ON r.id = done.response_id
JOIN questions q ON q.id = r.question_id JOIN candidates c ON c.id = r.candidate_id ORDER BY done.created_at DESC
"""


def _settled(row: Any) -> Settled:
    return Settled(
        row["response_id"],
        row["question"],
        row["candidate"],
        row["name"],
        row["created_at"],
        None if row["outcome"] is None else Outcome(row["outcome"]),
        row["mark"],
        row["reason"],
        bool(row["marks_hidden"]),
        None if row["final_outcome"] is None else Outcome(row["final_outcome"]),
        row["final_mark"],
        bool(row["by_adjudicator"]),
    )

"""What leaves the app as marks: every candidate's final marks, and every decision and proposal as rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from storage.connect import now


@dataclass(frozen=True)
class StoredRules:
    """An exam's rules for totals as they lie in its settings: `sections` is checked by who reads it."""

    sections: Any
    missing: str | None


@dataclass(frozen=True)
class BookCandidate:
    """A candidate, and by question id where each of their responses stands; a question they never answered has none."""

    id: int
    number: str
    groups: dict[str, str]
    standings: dict[int, BookStanding]


@dataclass(frozen=True)
class BookStanding:
    """`outcome` is mark, no_response, or None while nobody has decided."""

    response_id: int
    outcome: str | None
    final_mark: float | None
    adjudicated: bool


@dataclass(frozen=True)
class DecisionRow:
    """One row of the record. `live` is whether it is a word on the response that nothing has undone."""

    id: int
    response_id: int
    candidate: str
    question: str
    outcome: str
    stage: str
    mark: float | None
    max_mark: float
    points: tuple[str, ...] | None
    comment: str
    marker_name: str
    proposal_id: int | None
    scheme_version: int
    undoes: int | None
    live: bool
    stands: bool
    seconds: float | None
    created_at: str


@dataclass(frozen=True)
class ProposalRow:
    """One proposal. `awarded` has the codes of the points that the judge awarded, before caps and dependencies."""

    id: int
    response_id: int
    candidate: str
    question: str
    judge: str
    kind: str
    model: str
    prompt_version: str
    scheme_version: int
    status: str
    mark: float | None
    max_mark: float
    confidence: str
    awarded: tuple[str, ...]
    on_desk: bool
    price: float | None
    seconds: float
    created_at: str


@dataclass(frozen=True)
class FinalDecision:
    """The decision behind a final mark, the proposal that its marker had seen before it, and the scheme of each."""

    response_id: int
    decision_id: int
    stage: str
    mark: float | None
    points: tuple[str, ...] | None
    comment: str
    scheme: str  # its JSON, without the scale
    proposal_id: int | None
    proposal_mark: float | None
    proposal_verdicts: str
    proposal_scheme: str
    judge_kind: str


def rules(db: Database, exam_id: int) -> StoredRules:
    """The rules for totals in the exam's settings. Raises LookupError where there is no such exam."""
    row = db.execute("SELECT settings FROM exams WHERE id = ?", (exam_id,)).fetchone()
    if row is None:
        raise LookupError(f"There is no exam {exam_id}.")
    settings = json.loads(row["settings"])
    return StoredRules(settings.get("sections", []), settings.get("missing"))


def candidates(db: Database, exam_id: int, number: str | None = None) -> list[BookCandidate]:
    """The exam's candidates in their order, or the one with that number."""
    found = {
        row["id"]: BookCandidate(row["id"], row["number"], json.loads(row["groups"]), {})
        for row in db.execute(
            "SELECT id, number, groups FROM candidates WHERE exam_id = ? AND (? IS NULL OR number = ?) "
            "ORDER BY position",
            (exam_id, number, number),
        )
    }
    rows = db.execute(
        "SELECT r.candidate_id, r.question_id, s.response_id, s.outcome, s.final_mark, s.adjudicated FROM candidates c "
        "CROSS JOIN responses r ON r.candidate_id = c.id JOIN standings s ON s.response_id = r.id "
        "WHERE c.exam_id = ? AND (? IS NULL OR c.number = ?)",
        (exam_id, number, number),
    )
    for row in rows:
        found[row["candidate_id"]].standings[row["question_id"]] = BookStanding(
            row["response_id"], row["outcome"], row["final_mark"], bool(row["adjudicated"])
        )
    return list(found.values())


# For a teacher (`marked_by`): only what is about responses on which a mark of their own stands.
_OWN = """(:marked_by IS NULL OR EXISTS (
    SELECT 1 FROM decisions o WHERE o.response_id = r.id AND o.marker_id = :marked_by AND o.outcome <> 'undo'
      AND o.stage <> 'imported' AND NOT EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = o.id)))"""


def decision_rows(db: Database, exam_id: int, marked_by: int | None = None) -> Iterator[DecisionRow]:
    """Every row of the exam's record, undone ones and undos too, oldest first. `marked_by` gives only those about
    responses on which that marker's own mark stands."""
    rows = db.execute(
        "SELECT d.*, c.number AS candidate, q.number AS question, q.max_mark, m.name AS marker_name, "
        "v.version AS scheme_version, s.decision_id IS d.id AS stands, d.outcome <> 'undo' AND NOT EXISTS "
        "(SELECT 1 FROM decisions u WHERE u.undoes = d.id) AS live "
        "FROM responses r JOIN decisions d ON d.response_id = r.id JOIN candidates c ON c.id = r.candidate_id "
        "JOIN questions q ON q.id = r.question_id JOIN markers m ON m.id = d.marker_id "
        "JOIN schemes v ON v.id = d.scheme_id JOIN standings s ON s.response_id = r.id "
        f"WHERE r.exam_id = :exam AND {_OWN} ORDER BY d.id",
        {"exam": exam_id, "marked_by": marked_by},
    )
    for row in rows:
        yield DecisionRow(
            id=row["id"],
            response_id=row["response_id"],
            candidate=row["candidate"],
            question=row["question"],
            outcome=row["outcome"],
            stage=row["stage"],
            mark=row["mark"],
            max_mark=row["max_mark"],
            points=_codes(row["points"]),
            comment=row["comment"],
            marker_name=row["marker_name"],
            proposal_id=row["proposal_id"],
            scheme_version=row["scheme_version"],
            undoes=row["undoes"],
            live=bool(row["live"]),
            stands=bool(row["stands"]),
            seconds=row["seconds"],
            created_at=row["created_at"],
        )


def proposal_rows(db: Database, exam_id: int, marked_by: int | None = None) -> Iterator[ProposalRow]:
    """Every proposal on the exam's responses, oldest first; `marked_by` as for `decision_rows`."""
    rows = db.execute(
        "SELECT p.id, p.response_id, p.model, p.prompt_version, p.status, p.mark, p.confidence, p.price, p.seconds, "
        "p.created_at, c.number AS candidate, q.number AS question, q.max_mark, j.name AS judge, j.kind, "
        "v.version AS scheme_version, s.proposal_id IS p.id AS on_desk, (SELECT json_group_array("
        "json_extract(value, '$.code')) FROM json_each(p.verdicts) WHERE json_extract(value, '$.awarded')) AS awarded "
        "FROM responses r JOIN proposals p ON p.response_id = r.id JOIN candidates c ON c.id = r.candidate_id "
        "JOIN questions q ON q.id = r.question_id JOIN judges j ON j.id = p.judge_id "
        "JOIN schemes v ON v.id = p.scheme_id JOIN standings s ON s.response_id = r.id "
        f"WHERE r.exam_id = :exam AND {_OWN} ORDER BY p.id",
        {"exam": exam_id, "marked_by": marked_by},
    )
    for row in rows:
        yield ProposalRow(
            id=row["id"],
            response_id=row["response_id"],
            candidate=row["candidate"],
            question=row["question"],
            judge=row["judge"],
            kind=row["kind"],
            model=row["model"],
            prompt_version=row["prompt_version"],
            scheme_version=row["scheme_version"],
            status=row["status"],
            mark=row["mark"],
            max_mark=row["max_mark"],
            confidence=row["confidence"] or "",
            awarded=_codes(row["awarded"]) or (),
            on_desk=bool(row["on_desk"]),
            price=row["price"],
            seconds=row["seconds"],
            created_at=row["created_at"],
        )


def final_decisions(db: Database, candidate_id: int) -> dict[int, FinalDecision]:
    """By response id, what stands behind each final mark of a candidate. The proposal is there only where the marker
    is known to have been shown it before they decided."""
    rows = db.execute(
        "SELECT s.response_id, d.id, d.stage, d.mark, d.points, d.comment, v.body AS scheme, p.id AS proposal_id, "
        "p.mark AS proposal_mark, coalesce(p.verdicts, '[]') AS verdicts, coalesce(w.body, '{}') AS proposal_scheme, "
        "coalesce(j.kind, '') AS judge_kind FROM responses r JOIN standings s ON s.response_id = r.id "
        "JOIN decisions d ON d.id = s.decision_id JOIN schemes v ON v.id = d.scheme_id "
        "LEFT JOIN proposals p ON p.id = d.proposal_id AND p.status = 'proposed' AND EXISTS ("
        "SELECT 1 FROM sightings t WHERE t.response_id = r.id AND t.marker_id = d.marker_id "
        "AND t.proposal_id = p.id AND t.created_at <= d.created_at) "
        "LEFT JOIN schemes w ON w.id = p.scheme_id LEFT JOIN judges j ON j.id = p.judge_id "
        "WHERE r.candidate_id = ?",
        (candidate_id,),
    )
    return {
        row["response_id"]: FinalDecision(
            row["response_id"],
            row["id"],
            row["stage"],
            row["mark"],
            _codes(row["points"]),
            row["comment"],
            row["scheme"],
            row["proposal_id"],
            row["proposal_mark"],
            row["verdicts"],
            row["proposal_scheme"],
            row["judge_kind"],
        )
        for row in rows
    }


def _codes(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(json.loads(text))


# Of the exam, or of its candidate with that number.
_WANTED = "r.exam_id = :exam AND (:candidate IS NULL OR c.number = :candidate)"


def record_marks_shown(db: Database, exam_id: int, marker_id: int, candidate: str | None = None) -> None:
    """The marker has been shown what others gave, on every response of the exam or of one candidate.

    From here on no mark of theirs on these is blind.
    """
    db.execute(
        "INSERT OR IGNORE INTO shown (response_id, marker_id, created_at) SELECT r.id, :marker, :now FROM responses r "
        f"JOIN candidates c ON c.id = r.candidate_id WHERE {_WANTED} AND EXISTS (SELECT 1 FROM decisions d "
        "WHERE d.response_id = r.id AND d.marker_id <> :marker AND d.outcome <> 'undo')",
        {"exam": exam_id, "candidate": candidate, "marker": marker_id, "now": now()},
    )


def record_proposals_shown(
    db: Database, exam_id: int, marker_id: int, candidate: str | None = None, *, behind_marks: bool = False
) -> None:
    """The marker has been shown the proposals on every response of the exam or of one candidate; with `behind_marks`
    only those that the decisions behind the final marks name."""
    behind = (
        "JOIN standings s ON s.response_id = r.id JOIN decisions d ON d.id = s.decision_id AND d.proposal_id = p.id"
    )
    db.execute(
        "INSERT OR IGNORE INTO sightings (response_id, marker_id, proposal_id, created_at) "
        "SELECT r.id, :marker, p.id, :now FROM responses r JOIN candidates c ON c.id = r.candidate_id "
        f"JOIN proposals p ON p.response_id = r.id {behind if behind_marks else ''} WHERE {_WANTED}",
        {"exam": exam_id, "candidate": candidate, "marker": marker_id, "now": now()},
    )

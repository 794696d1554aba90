"""Decisions and notes: what people said of responses. Append-only; an undo is a row of its own."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from components.marking import Decision, MarkError, Outcome, Scale, Stage
from storage import bulk, standings
from storage.connect import now


@dataclass(frozen=True)
class Recorded:
    """What became of one press. `repeated` says it had arrived before; `meanwhile` holds what others, or the same
    marker elsewhere, decided on the response since the page was drawn."""

    decision_id: int
    repeated: bool
    meanwhile: tuple[Decision, ...]


@dataclass(frozen=True)
class Note:
    kind: str
    text: str
    marker_id: int
    marker_name: str
    created_at: str


def record(
    db: Database,
    response_id: int,
    marker_id: int,
    outcome: Outcome,
    stage: Stage,
    *,
    mark: float | None = None,
    points: tuple[str, ...] | None = None,
    comment: str = "",
    proposal_id: int | None = None,
    action_id: str | None = None,
    seconds: float | None = None,
    seen_decision_id: int = 0,
    import_id: int | None = None,
    marks_hidden: bool = False,
) -> Recorded:
    """Add one decision and bring the response's standing up to date, in the caller's transaction.

    `marks_hidden` says of an adjudication that it was made before the other marks were shown. The same `action_id`
    again adds nothing. Raises MarkError for a mark off the question's scale, naming the response.
    """
    if action_id is not None:
        before = db.execute("SELECT id FROM decisions WHERE action_id = ?", (action_id,)).fetchone()
        if before is not None:
            return Recorded(int(before["id"]), True, ())
    row = db.execute(
        "SELECT q.number, q.max_mark, q.mark_step, c.number AS candidate, "
        "(SELECT id FROM schemes WHERE question_id = q.id ORDER BY version DESC LIMIT 1) AS scheme_id "
        "FROM responses r JOIN questions q ON q.id = r.question_id JOIN candidates c ON c.id = r.candidate_id "
        "WHERE r.id = ?",
        (response_id,),
    ).fetchone()
    if row is None:
        raise MarkError(f"There is no response {response_id}; the exam may have been reset. Reload the page.")
    if outcome is Outcome.MARK:
        about = f"Candidate {row['candidate']}, question {row['number']}"
        if mark is None:
            raise MarkError(f"{about}: no mark was given.")
        mark = Scale(row["max_mark"], row["mark_step"]).check(mark, about)
    meanwhile = tuple(d for d in live(db, response_id) if d.id > seen_decision_id and d.stage is not Stage.IMPORTED)
    cursor = db.execute(
        "INSERT INTO decisions (response_id, marker_id, import_id, outcome, stage, mark, points, comment, proposal_id, "
        "scheme_id, action_id, seconds, marks_hidden, created_at) VALUES (" + ", ".join("?" * 14) + ")",
        (
            response_id,
            marker_id,
            import_id,
            outcome,
            stage,
            mark,
            None if points is None else json.dumps(points),
            comment,
            proposal_id,
            row["scheme_id"],
            action_id,
            seconds,
            marks_hidden,
            now(),
        ),
    )
    standings.refresh(db, response_id)
    return Recorded(int(cursor.lastrowid or 0), False, meanwhile)


def add_imported(db: Database, import_id: int, marks: Iterable[tuple[int, int, float]]) -> None:
    """Add many imported marks at once, as (response id, marker id, mark) of responses of the import's exam.

    The caller refreshes the exam's standings. Raises MarkError, naming the response, for a mark off its scale.
    """
    exam = "(SELECT exam_id FROM imports WHERE id = ?)"
    question_of = dict(
        map(tuple, db.execute(f"SELECT id, question_id FROM responses WHERE exam_id = {exam}", (import_id,)))
    )
    questions = db.execute(
        "SELECT q.id, q.number, q.max_mark, q.mark_step, (SELECT id FROM schemes WHERE question_id = q.id "
        f"ORDER BY version DESC LIMIT 1) AS scheme_id FROM questions q WHERE q.exam_id = {exam}",
        (import_id,),
    )
    known = {row["id"]: row for row in questions}
    checked: list[tuple[int, int, float, int]] = []
    legal_marks: dict[tuple[int, float], tuple[float, int]] = {}  # by question and mark: a table has many of the same
    for response_id, marker_id, mark in marks:
        question_id = question_of[response_id]
        legal = legal_marks.get((question_id, mark))
        if legal is None:
            row = known[question_id]
            about = f"Candidate {_candidate(db, response_id)}, question {row['number']}"
            scale = Scale(row["max_mark"], row["mark_step"])
            legal = legal_marks[question_id, mark] = (scale.check(mark, about), row["scheme_id"])
        checked.append((response_id, marker_id, *legal))
    same = {"import_id": import_id, "outcome": "mark", "stage": "imported", "created_at": now()}
    bulk.insert(db, "decisions", ("response_id", "marker_id", "mark", "scheme_id"), checked, same)


def _candidate(db: Database, response_id: int) -> str:
    row = db.execute(
        "SELECT c.number FROM responses r JOIN candidates c ON c.id = r.candidate_id WHERE r.id = ?", (response_id,)
    ).fetchone()
    return str(row["number"])


def undo(db: Database, decision_id: int, marker_id: int, action_id: str | None = None) -> Decision | None:
    """Add a row that undoes the marker's own decision; gives what was undone, or None if it already was."""
    decision = _decisions(db, "d.id = ?", (decision_id,))[0]
    if decision.marker_id != marker_id:
        raise MarkError(f"Only {decision.marker_name} can undo that mark.")
    if db.execute("SELECT 1 FROM decisions WHERE undoes = ?", (decision_id,)).fetchone() is not None:
        return None
    db.execute(
        "INSERT INTO decisions (response_id, marker_id, outcome, stage, scheme_id, undoes, action_id, created_at) "
        "VALUES (?, ?, 'undo', ?, ?, ?, ?, ?)",
        (decision.response_id, marker_id, decision.stage, decision.scheme_id, decision_id, action_id, now()),
    )
    standings.refresh(db, decision.response_id)
    return decision


def get(db: Database, decision_id: int) -> Decision | None:
    """One row of the record, undone or not."""
    found = _decisions(db, "d.id = ?", (decision_id,))
    return found[0] if found else None


def live(db: Database, response_id: int) -> list[Decision]:
    """The response's decisions that nothing has undone, oldest first."""
    return _decisions(
        db,
        "d.response_id = ? AND d.outcome <> 'undo' AND NOT EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = d.id) "
        "ORDER BY d.id",
        (response_id,),
    )


def history(db: Database, response_id: int) -> list[Decision]:
    """Every row ever written about the response, undone ones and undos too, oldest first."""
    return _decisions(db, "d.response_id = ? ORDER BY d.id", (response_id,))


def last_of_marker(db: Database, exam_id: int, marker_id: int, *, adjudicated: bool = False) -> Decision | None:
    """The marker's newest live decision made on the desk in the exam, or in its review where it is an adjudication:
    what an undo would take back there."""
    rows = db.execute(
        "SELECT d.id FROM decisions d JOIN responses r ON r.id = d.response_id "
        "WHERE d.marker_id = ? AND r.exam_id = ? AND d.outcome <> 'undo' AND d.stage <> 'imported' "
        "AND (d.stage = 'adjudicated') = ? "
        "AND NOT EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = d.id) ORDER BY d.id DESC LIMIT 1",
        (marker_id, exam_id, adjudicated),
    ).fetchone()
    return None if rows is None else _decisions(db, "d.id = ?", (rows["id"],))[0]


def add_note(
    db: Database, response_id: int, marker_id: int, kind: str, text: str = "", action_id: str | None = None
) -> None:
    """Add a comment, a flag for the head of department, or the lifting of one. The same action_id adds nothing."""
    db.execute(
        "INSERT OR IGNORE INTO notes (response_id, marker_id, kind, text, action_id, created_at) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (response_id, marker_id, kind, text, action_id, now()),
    )
    standings.refresh(db, response_id)


def notes(db: Database, response_id: int) -> list[Note]:
    """The response's comments and flags, oldest first."""
    rows = db.execute(
        "SELECT n.kind, n.text, n.marker_id, m.name, n.created_at FROM notes n JOIN markers m ON m.id = n.marker_id "
        "WHERE n.response_id = ? ORDER BY n.id",
        (response_id,),
    )
    return [Note(row["kind"], row["text"], row["marker_id"], row["name"], row["created_at"]) for row in rows]


def human_marks(db: Database, question_id: int) -> list[tuple[int, str, float, Stage]]:
    """(response id, answer text, final mark, its stage) of every response of the question that a person has marked."""
    rows = db.execute(
        "SELECT s.response_id, r.text, s.final_mark, d.stage FROM standings s "
        "JOIN responses r ON r.id = s.response_id JOIN decisions d ON d.id = s.decision_id "
        "WHERE s.question_id = ? AND s.human = 1 AND s.final_mark IS NOT NULL ORDER BY s.response_id",
        (question_id,),
    )
    return [(row["response_id"], row["text"], row["final_mark"], Stage(row["stage"])) for row in rows]


def _decisions(db: Database, where: str, parameters: tuple[Any, ...]) -> list[Decision]:
    rows = db.execute(
        "SELECT d.*, m.name AS marker_name FROM decisions d JOIN markers m ON m.id = d.marker_id WHERE " + where,
        parameters,
    )
    return [
        Decision(
            id=row["id"],
            response_id=row["response_id"],
            marker_id=row["marker_id"],
            marker_name=row["marker_name"],
            outcome=Outcome(row["outcome"]),
            stage=Stage(row["stage"]),
            mark=row["mark"],
            points=None if row["points"] is None else tuple(json.loads(row["points"])),
            comment=row["comment"],
            proposal_id=row["proposal_id"],
            scheme_id=row["scheme_id"],
            undoes=row["undoes"],
            seconds=row["seconds"],
            created_at=row["created_at"],
            marks_hidden=bool(row["marks_hidden"]),
        )
        for row in rows
    ]

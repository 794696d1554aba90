"""Standardisation: the responses that a head of department has chosen to show judges as examples of the standard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from components.marking import MarkError
from storage import events
from storage.connect import now


@dataclass(frozen=True)
class Decided:
    """A response that is or may be chosen, with its answer's beginning. `mark` is None where a chosen one has lost its
    final mark since."""

    response_id: int
    candidate_number: str
    text: str
    mark: float | None
    chosen: bool


def choose(db: Database, response_id: int, marker_id: int) -> None:
    """Choose a response as an example, after those chosen before; one that is chosen already stays where it is.

    Raises MarkError, naming the response, where no person's final mark stands on it or it has no words to show.
    """
    row = db.execute(
        "SELECT r.question_id, r.text, q.number, c.number AS candidate, s.final_mark FROM responses r "
        "JOIN standings s ON s.response_id = r.id JOIN questions q ON q.id = r.question_id "
        "JOIN candidates c ON c.id = r.candidate_id WHERE r.id = ?",
        (response_id,),
    ).fetchone()
    if row is None:
        raise MarkError(f"There is no response {response_id}; the exam may have been reset. Reload the page.")
    about = f"Candidate {row['candidate']}, question {row['number']}"
    if row["final_mark"] is None:
        raise MarkError(f"{about}: no teacher's mark stands on it. Mark it first, then choose it.")
    if not row["text"].strip():
        raise MarkError(f"{about}: the answer has no words to show a judge. Choose another response.")
    added = db.execute(
        "INSERT OR IGNORE INTO standardisation (response_id, question_id, marker_id, created_at) VALUES (?, ?, ?, ?)",
        (response_id, row["question_id"], marker_id, now()),
    )
    if added.rowcount:
        mark = {"question_id": row["question_id"], "mark": row["final_mark"]}
        events.log(db, "standardisation response chosen", f"response {response_id}", mark, marker_id)


def drop(db: Database, response_id: int, marker_id: int) -> None:
    """Choose a response no longer; nothing happens where it was not. What judges were shown before stays recorded."""
    dropped = db.execute("DELETE FROM standardisation WHERE response_id = ?", (response_id,))
    if dropped.rowcount:
        events.log(db, "standardisation response dropped", f"response {response_id}", marker_id=marker_id)


def of_question(db: Database, question_id: int) -> list[int]:
    """Ids of the question's chosen responses in the order they were chosen, also of any that has lost its mark."""
    rows = db.execute(
        "SELECT response_id FROM standardisation WHERE question_id = ? ORDER BY created_at, response_id", (question_id,)
    )
    return [int(row["response_id"]) for row in rows]


def decided(db: Database, question_id: int, limit: int, candidate: str = "") -> tuple[list[Decided], int]:
    """The chosen responses in order, then up to `limit` others with a final mark in candidate order; and all those.

    `candidate` leaves only the others whose candidate number holds it. Blank answers are left out of the others.
    """
    chosen = db.execute(
        _SELECT + "JOIN standardisation t ON t.response_id = r.id WHERE t.question_id = ? ORDER BY t.created_at, r.id",
        (question_id,),
    )
    where = (
        "WHERE s.question_id = ? AND s.human = 1 AND s.final_mark IS NOT NULL AND instr(c.number, ?) > 0 "
        "AND trim(r.text, char(9, 10, 13, 32, 160, 12288)) <> '' "
        "AND r.id NOT IN (SELECT response_id FROM standardisation WHERE question_id = s.question_id)"
    )
    others = db.execute(_SELECT + where + " ORDER BY s.candidate_position LIMIT ?", (question_id, candidate, limit))
    listed = [_decided(row, True) for row in chosen] + [_decided(row, False) for row in others]
    count = db.execute("SELECT count(*) " + _FROM + where, (question_id, candidate)).fetchone()[0]
    return listed, int(count)


_FROM = "FROM responses r JOIN standings s ON s.response_id = r.id JOIN candidates c ON c.id = r.candidate_id "
_SELECT = "SELECT r.id, c.number, substr(r.text, 1, 500) AS text, s.final_mark " + _FROM


def _decided(row: Any, chosen: bool) -> Decided:
    return Decided(row["id"], row["number"], row["text"], row["final_mark"], chosen)

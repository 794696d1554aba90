"""Where each response stands: its proposal, its final mark, and the pairs of marks that agreement counts.

Derived from proposals, decisions and notes, and rewritten in the transaction that changes any of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlite_utils import Database

from storage import standings_derived
from storage.blind_sample import BLIND_BY_RULE


class Order(StrEnum):
    BY_QUESTION = "by question"
    BY_SCRIPT = "by script"


class Filter(StrEnum):
    """Which responses a marker wants to go through."""

    UNMARKED = "not marked yet"
    ALL = "all"
    UNSURE = "low confidence"
    FLAGGED = "flagged"
    DIFFERS = "AI differs"
    OLD_SCHEME = "old scheme"  # the mark that stands was given before the scheme was changed


_WHERE = {
    Filter.UNMARKED: "marked = 0",
    Filter.ALL: "1",
    Filter.UNSURE: "unsure = 1",
    Filter.FLAGGED: "flagged = 1",
    Filter.DIFFERS: "differs = 1",
    Filter.OLD_SCHEME: "(SELECT scheme_id FROM decisions WHERE id = standings.decision_id) < "
    "(SELECT max(id) FROM schemes WHERE question_id = standings.question_id)",
}
_SORT = {
    Order.BY_QUESTION: "question_position, candidate_position",
    Order.BY_SCRIPT: "candidate_position, question_position",
}

# The rule of the desk's phases: a marker who has been shown a mark on the response or has one on it is not blind to it.
# That the whole exam is blind is asked once, not for each response of it.
_NOT_BLIND = f"""(NOT (SELECT blind FROM exams WHERE id = ?)
        AND NOT {BLIND_BY_RULE.format(response_id="standings.response_id")}
    OR EXISTS (SELECT 1 FROM sightings s WHERE s.response_id = standings.response_id AND s.marker_id = ?)
    OR EXISTS (SELECT 1 FROM shown s WHERE s.response_id = standings.response_id AND s.marker_id = ?)
    OR EXISTS (SELECT 1 FROM decisions d WHERE d.response_id = standings.response_id AND d.marker_id = ?
               AND d.outcome <> 'undo' AND d.stage <> 'imported'
               AND NOT EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = d.id)))"""


@dataclass(frozen=True)
class Standing:
    response_id: int
    exam_id: int
    question_id: int
    question_position: int
    candidate_position: int
    proposal_id: int | None
    decision_id: int | None
    outcome: str | None
    final_mark: float | None
    marked: bool
    flagged: bool


def get(db: Database, response_id: int) -> Standing | None:
    row = db.execute("SELECT * FROM standings WHERE response_id = ?", (response_id,)).fetchone()
    return None if row is None else _standing(row)


def neighbour(
    db: Database,
    exam_id: int,
    order: Order,
    wanted: Filter,
    *,
    question_id: int | None = None,
    beside: Standing | None = None,
    backwards: bool = False,
    not_blind_to: int | None = None,
) -> int | None:
    """The response after (or before) `beside` in the order, among those wanted; the first or last where it is None.

    `not_blind_to` leaves out those that the exam's rule still keeps blind to that marker.
    """
    where, parameters = ["exam_id = ?", _WHERE[wanted]], [exam_id]
    columns = _SORT[order]
    if question_id is not None:
        where.append("question_position = (SELECT position FROM questions WHERE id = ?)")
        parameters.append(question_id)
    if not_blind_to is not None:
        where.append(_NOT_BLIND)
        parameters += [exam_id, *(not_blind_to,) * 3]
    if beside is not None:
        where.append(f"({columns}) {'<' if backwards else '>'} (?, ?)")
        place = [beside.question_position, beside.candidate_position]
        parameters += place if order is Order.BY_QUESTION else place[::-1]
    sort = ", ".join(f"{column} {'DESC' if backwards else 'ASC'}" for column in columns.split(", "))
    row = db.execute(
        f"SELECT response_id FROM standings WHERE {' AND '.join(where)} ORDER BY {sort} LIMIT 1", parameters
    ).fetchone()
    return None if row is None else int(row["response_id"])


def progress(db: Database, exam_id: int, question_id: int | None = None) -> tuple[int, int]:
    """(marked on this desk, all responses) of the exam or of one question."""
    row = db.execute(
        "SELECT coalesce(sum(marked), 0), coalesce(sum(responses), 0) FROM progress "
        "WHERE exam_id = ? AND (? IS NULL OR question_id = ?)",
        (exam_id, question_id, question_id),
    ).fetchone()
    return int(row[0]), int(row[1])


def human_marks(db: Database, question_id: int) -> int:
    """How many of the question's responses have a final mark from a person."""
    row = db.execute(
        "SELECT count(*) FROM standings WHERE question_id = ? AND human = 1 AND final_mark IS NOT NULL", (question_id,)
    )
    return int(row.fetchone()[0])


def refresh(db: Database, response_id: int) -> None:
    """Bring one response's standing and pairs up to date with its proposals, live decisions and notes."""
    _refresh(db, "= :id", response_id)


def refresh_each(db: Database, response_ids: Iterable[int]) -> None:
    """As `refresh`, for several responses at once."""
    _refresh(db, "IN (SELECT value FROM json_each(:id))", json.dumps(list(response_ids)))


def refresh_exam(db: Database, exam_id: int) -> None:
    """Bring every response of an exam up to date, e.g. after an import or after another judge was chosen for it."""
    _refresh(db, "IN (SELECT id FROM responses WHERE exam_id = :id)", exam_id)


def refresh_all(db: Database) -> None:
    """Bring every response of the database up to date, after a migration has made or changed what is derived."""
    _refresh(db, "IN (SELECT id FROM responses WHERE id > :id)", 0)


def _refresh(db: Database, which: str, id_: int | str) -> None:
    for statement in standings_derived.IN_ORDER:
        db.execute(statement.replace(":which", which), {"id": id_})


def _standing(row: Any) -> Standing:
    return Standing(
        row["response_id"],
        row["exam_id"],
        row["question_id"],
        row["question_position"],
        row["candidate_position"],
        row["proposal_id"],
        row["decision_id"],
        row["outcome"],
        row["final_mark"],
        bool(row["marked"]),
        bool(row["flagged"]),
    )

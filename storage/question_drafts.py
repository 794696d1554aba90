"""Drafts of questions: every state that somebody has typed, kept for good. The newest of a thread is the open one."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlite_utils import Database

from storage.connect import now


class DraftState(StrEnum):
    EDITED = "edited"  # open: not in the exam as it stands here
    SAVED = "saved"  # became the question
    DROPPED = "dropped"  # thrown away, and can be brought back


@dataclass(frozen=True)
class Draft:
    """One state of one question. `thread` holds its states together; `question_id` is None before it is first saved.

    `saved_at` is UTC, ISO 8601.
    """

    id: int
    thread: str
    exam_id: int
    question_id: int | None
    marker_id: int
    marker_name: str
    state: DraftState
    body: dict[str, Any]
    saved_at: str


def thread_of(question_id: int) -> str:
    """The thread of a question that was in the exam before anybody edited it here."""
    return f"question-{question_id}"


def new_thread() -> str:
    """The thread of a question that is not in the exam yet."""
    return f"new-{secrets.token_hex(6)}"


def add(
    db: Database,
    thread: str,
    exam_id: int,
    question_id: int | None,
    body: dict[str, Any],
    state: DraftState,
    marker_id: int,
) -> int:
    """Keep one more state; gives its id."""
    cursor = db.execute(
        "INSERT INTO question_drafts (thread, exam_id, question_id, marker_id, state, body, saved_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (thread, exam_id, question_id, marker_id, state, json.dumps(body, ensure_ascii=False), now()),
    )
    return int(cursor.lastrowid or 0)


def newest(db: Database, thread: str) -> Draft | None:
    return _first(_drafts(db, "d.thread = ? ORDER BY d.id DESC LIMIT 1", thread))


def thread_with(db: Database, question_id: int) -> str:
    """The thread that a question is edited in: that of the draft it was first saved from, if it came from one."""
    row = db.execute(
        "SELECT thread FROM question_drafts WHERE question_id = ? ORDER BY id LIMIT 1", (question_id,)
    ).fetchone()
    return thread_of(question_id) if row is None else str(row["thread"])


def get(db: Database, draft_id: int) -> Draft | None:
    return _first(_drafts(db, "d.id = ?", draft_id))


def of_exam(db: Database, exam_id: int) -> list[Draft]:
    """The newest state of each of the exam's threads, oldest thread first."""
    return _drafts(
        db, "d.id IN (SELECT max(id) FROM question_drafts WHERE exam_id = ? GROUP BY thread) ORDER BY d.id", exam_id
    )


def history(db: Database, thread: str, limit: int = 30) -> list[Draft]:
    """The newest states first, at most `limit`; of several by one person in the same minute, the last."""
    kept: list[Draft] = []
    for draft in _drafts(db, "d.thread = ? ORDER BY d.id DESC LIMIT 2000", thread):
        if kept and _same_burst(kept[-1], draft):
            continue
        kept.append(draft)
        if len(kept) > limit:
            break
    return kept[:limit]


def _same_burst(later: Draft, earlier: Draft) -> bool:
    return (
        later.marker_id == earlier.marker_id
        and earlier.state is DraftState.EDITED
        and later.saved_at[:16] == earlier.saved_at[:16]
    )


def _first(found: list[Draft]) -> Draft | None:
    return found[0] if found else None


def _drafts(db: Database, where: str, parameter: str | int) -> list[Draft]:
    rows = db.execute(
        "SELECT d.*, m.name AS marker_name FROM question_drafts d JOIN markers m ON m.id = d.marker_id WHERE " + where,
        (parameter,),
    )
    return [
        Draft(
            row["id"],
            row["thread"],
            row["exam_id"],
            row["question_id"],
            row["marker_id"],
            row["marker_name"],
            DraftState(row["state"]),
            json.loads(row["body"]),
            row["saved_at"],
        )
        for row in rows
    ]

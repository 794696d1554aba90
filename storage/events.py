"""The audit log: who did what, when. Append-only."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from storage.connect import now


@dataclass(frozen=True)
class Event:
    id: int
    marker_name: str
    kind: str
    about: str
    body: dict[str, Any]
    created_at: str


def log(
    db: Database, kind: str, about: str = "", body: dict[str, Any] | None = None, marker_id: int | None = None
) -> None:
    """Add one event, in the caller's transaction, so that it stands if and only if what it tells of does."""
    db.execute(
        "INSERT INTO events (marker_id, kind, about, body, created_at) VALUES (?, ?, ?, ?, ?)",
        (marker_id, kind, about, json.dumps(body or {}, ensure_ascii=False), now()),
    )


def newest_body(db: Database, kind: str, about: str) -> dict[str, Any] | None:
    """What the newest event of this kind about this says; None where there is none."""
    row = db.execute(
        "SELECT body FROM events WHERE kind = ? AND about = ? ORDER BY id DESC LIMIT 1", (kind, about)
    ).fetchone()
    return None if row is None else dict(json.loads(row["body"]))


def latest(db: Database, limit: int = 50) -> list[Event]:
    """The newest events first."""
    rows = db.execute(
        "SELECT e.*, coalesce(m.name, '') AS marker_name FROM events e LEFT JOIN markers m ON m.id = e.marker_id "
        "ORDER BY e.id DESC LIMIT ?",
        (limit,),
    )
    return [
        Event(row["id"], row["marker_name"], row["kind"], row["about"], json.loads(row["body"]), row["created_at"])
        for row in rows
    ]

"""What was read of a mark scheme or a question paper and is not confirmed yet, so that a reload finds it again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from storage.connect import now


@dataclass(frozen=True)
class Kept:
    """A reading under `about`, of a file called `name`. `body` is JSON; `marker_name` read it at `saved_at` (UTC, ISO
    8601)."""

    name: str
    body: dict[str, Any]
    marker_name: str
    saved_at: str
    has_content: bool


def keep(
    db: Database,
    exam_id: int,
    about: str,
    marker_id: int,
    *,
    name: str,
    body: dict[str, Any],
    content: bytes | None = None,
) -> None:
    """Keep it in the place of the one before."""
    db.execute(
        "INSERT INTO readings (exam_id, about, name, body, content, marker_id, saved_at) VALUES (?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (exam_id, about) DO UPDATE SET name = excluded.name, body = excluded.body, "
        "content = excluded.content, marker_id = excluded.marker_id, saved_at = excluded.saved_at",
        (exam_id, about, name, json.dumps(body, ensure_ascii=False), content, marker_id, now()),
    )


def get(db: Database, exam_id: int, about: str) -> Kept | None:
    row = db.execute(
        "SELECT r.name, r.body, r.saved_at, r.content IS NOT NULL AS has_content, m.name AS marker_name "
        "FROM readings r JOIN markers m ON m.id = r.marker_id WHERE r.exam_id = ? AND r.about = ?",
        (exam_id, about),
    ).fetchone()
    if row is None:
        return None
    return Kept(row["name"], json.loads(row["body"]), row["marker_name"], row["saved_at"], bool(row["has_content"]))


def content(db: Database, exam_id: int, about: str) -> bytes | None:
    """The file itself, where it was kept."""
    row = db.execute("SELECT content FROM readings WHERE exam_id = ? AND about = ?", (exam_id, about)).fetchone()
    return None if row is None else row["content"]


def discard(db: Database, exam_id: int, about: str) -> None:
    db.execute("DELETE FROM readings WHERE exam_id = ? AND about = ?", (exam_id, about))

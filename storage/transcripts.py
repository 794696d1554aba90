"""What pictures say, in words: versions of each response's transcript, whoever wrote them. Append-only."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from storage.connect import now

JUDGE, RECOGNISER, TEACHER = "judge", "recogniser", "teacher"


@dataclass(frozen=True)
class Transcript:
    response_id: int
    version: int
    text: str
    source: str
    marker_id: int | None
    proposal_id: int | None
    created_at: str


def add(
    db: Database,
    response_id: int,
    text: str,
    source: str,
    *,
    marker_id: int | None = None,
    proposal_id: int | None = None,
) -> int:
    """The new version's number."""
    row = db.execute(
        "INSERT INTO transcripts (response_id, version, text, source, marker_id, proposal_id, created_at) "
        "SELECT ?, coalesce(max(version), 0) + 1, ?, ?, ?, ?, ? FROM transcripts WHERE response_id = ? "
        "RETURNING version",
        (response_id, text, source, marker_id, proposal_id, now(), response_id),
    ).fetchone()
    return int(row["version"])


def newest(db: Database, response_id: int, source: str | None = None) -> Transcript | None:
    """The newest version, or the newest from one source."""
    row = db.execute(
        "SELECT * FROM transcripts WHERE response_id = ? AND (? IS NULL OR source = ?) ORDER BY version DESC LIMIT 1",
        (response_id, source, source),
    ).fetchone()
    return None if row is None else _transcript(row)


def has(db: Database, response_id: int, text: str) -> bool:
    """Whether some version of the response's transcript says exactly this."""
    row = db.execute("SELECT 1 FROM transcripts WHERE response_id = ? AND text = ?", (response_id, text))
    return row.fetchone() is not None


def lacking(db: Database, exam_id: int) -> list[int]:
    """Ids of the exam's responses that have pictures and no transcript, question by question."""
    rows = db.execute(
        "SELECT DISTINCT r.id FROM responses r JOIN response_images i ON i.response_id = r.id WHERE r.exam_id = ? "
        "AND NOT EXISTS (SELECT 1 FROM transcripts t WHERE t.response_id = r.id) ORDER BY r.question_id, r.id",
        (exam_id,),
    )
    return [int(row["id"]) for row in rows]


def confirmed(db: Database, question_id: int) -> dict[int, str]:
    """By response id, the newest transcript that a teacher wrote, for every response of the question that has one."""
    rows = db.execute(
        "SELECT t.response_id, t.text FROM transcripts t JOIN responses r ON r.id = t.response_id "
        "WHERE r.question_id = ? AND t.source = 'teacher' AND t.version = (SELECT max(version) FROM transcripts n "
        "WHERE n.response_id = t.response_id AND n.source = 'teacher')",
        (question_id,),
    )
    return {row["response_id"]: row["text"] for row in rows}


def confirmed_of(db: Database, response_ids: Sequence[int]) -> dict[int, str]:
    """By response id, the newest transcript that a teacher wrote, for those of these responses that have one."""
    rows = db.execute(
        "SELECT response_id, text, max(version) FROM transcripts WHERE source = 'teacher' "
        "AND response_id IN (SELECT value FROM json_each(?)) GROUP BY response_id",
        (json.dumps(list(response_ids)),),
    )
    return {row["response_id"]: row["text"] for row in rows}


def _transcript(row: Any) -> Transcript:
    return Transcript(
        row["response_id"],
        row["version"],
        row["text"],
        row["source"],
        row["marker_id"],
        row["proposal_id"],
        row["created_at"],
    )

"""Drawings that have not been handed in: kept stroke by stroke, so that a reload loses none."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from storage.connect import now


@dataclass(frozen=True)
class DraftOf:
    """Whose draft it is: a marker's, of a candidate's answer to a question."""

    question_id: int
    candidate: str
    marker_id: int


@dataclass(frozen=True)
class DraftPage:
    """One page. `paper` is plain, ruled or squared; `strokes` a drawing as the canvas takes it."""

    page: int
    paper: str
    strokes: dict[str, Any]


def save(db: Database, draft: DraftOf, page: DraftPage) -> None:
    """Keep the page as it is now, in place of what it was."""
    db.execute(
        "INSERT INTO answer_drafts (question_id, candidate, marker_id, page, paper, strokes, updated_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
        "paper = excluded.paper, strokes = excluded.strokes, updated_at = excluded.updated_at",
        (
            draft.question_id,
            draft.candidate,
            draft.marker_id,
            page.page,
            page.paper,
            json.dumps(page.strokes, separators=(",", ":")),
            now(),
        ),
    )


def pages(db: Database, draft: DraftOf) -> list[DraftPage]:
    """The draft's pages in order; none where nothing was drawn."""
    rows = db.execute(
        "SELECT page, paper, strokes FROM answer_drafts WHERE question_id = ? AND candidate = ? AND marker_id = ? "
        "ORDER BY page",
        (draft.question_id, draft.candidate, draft.marker_id),
    )
    return [DraftPage(row["page"], row["paper"], json.loads(row["strokes"])) for row in rows]


def forget(db: Database, draft: DraftOf) -> None:
    """Take the draft away: it has been handed in, or is not wanted."""
    db.execute(
        "DELETE FROM answer_drafts WHERE question_id = ? AND candidate = ? AND marker_id = ?",
        (draft.question_id, draft.candidate, draft.marker_id),
    )

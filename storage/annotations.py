"""What teachers drew on answers: strokes over the untouched picture. Append-only; a marker's newest counts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from storage.connect import now


@dataclass(frozen=True)
class Annotation:
    """One marker's marks on one page. `strokes` is a list in the form that the desk draws and the export burns in."""

    page: int
    marker_id: int
    marker_name: str
    strokes: list[dict[str, Any]]


def add(
    db: Database, response_id: int, page: int, marker_id: int, strokes: list[dict[str, Any]], action_id: str | None
) -> None:
    """Keep what a marker's page looks like now, in place of what it was. The same action adds nothing."""
    db.execute(
        "INSERT OR IGNORE INTO annotations (response_id, page, marker_id, strokes, action_id, created_at) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (response_id, page, marker_id, json.dumps(strokes), action_id, now()),
    )


def of_response(db: Database, response_id: int) -> list[Annotation]:
    """The newest of every marker on every page, empty ones left out."""
    rows = db.execute(
        "SELECT a.page, a.marker_id, m.name, a.strokes FROM annotations a JOIN markers m ON m.id = a.marker_id "
        "WHERE a.response_id = ? AND a.id = (SELECT max(id) FROM annotations n WHERE n.response_id = a.response_id "
        "AND n.page = a.page AND n.marker_id = a.marker_id) ORDER BY a.page, a.marker_id",
        (response_id,),
    )
    made = [Annotation(row["page"], row["marker_id"], row["name"], json.loads(row["strokes"])) for row in rows]
    return [annotation for annotation in made if annotation.strokes]

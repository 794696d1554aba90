"""Pictures of answers: each stored once by its SHA-256, however many responses show it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from storage.connect import now


@dataclass(frozen=True)
class Picture:
    """A picture's bytes as stored: upright, without metadata. `mime` is image/png or image/jpeg; sizes in pixels."""

    content: bytes
    mime: str
    width: int
    height: int

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True)
class NewPage:
    """One page of an answer to be stored. `original` is the picture before it was straightened or cropped, if it was;
    `strokes` what was drawn on screen, as the canvas gives it; `source` the file or scan it came from."""

    picture: Picture
    original: Picture | None = None
    strokes: dict[str, Any] | None = None
    source: str = ""


@dataclass(frozen=True)
class Page:
    """One page of a response, without its bytes."""

    response_id: int
    page: int
    sha256: str
    mime: str
    width: int
    height: int
    original_sha256: str | None
    strokes: dict[str, Any] | None
    source: str


def add(db: Database, picture: Picture) -> str:
    """The SHA-256 of the picture, stored if it is new."""
    sha256 = picture.sha256
    db.execute(
        "INSERT OR IGNORE INTO images (sha256, mime, width, height, content, created_at) VALUES (?, ?, ?, ?, ?, ?)",
        (sha256, picture.mime, picture.width, picture.height, picture.content, now()),
    )
    return sha256


def attach(db: Database, response_id: int, pages: Sequence[NewPage]) -> None:
    """Add pages after those that the response has."""
    last = db.execute("SELECT coalesce(max(page), 0) FROM response_images WHERE response_id = ?", (response_id,))
    first = int(last.fetchone()[0]) + 1
    for place, page in enumerate(pages, first):
        original = None if page.original is None else add(db, page.original)
        strokes = None if page.strokes is None else json.dumps(page.strokes)
        db.execute(
            "INSERT INTO response_images (response_id, page, sha256, strokes, original_sha256, source) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (response_id, place, add(db, page.picture), strokes, original, page.source),
        )


def detach(db: Database, response_id: int) -> None:
    """Take a response's pages away, to be drawn or photographed anew. The caller has seen that nobody has marked it."""
    db.execute("DELETE FROM response_images WHERE response_id = ?", (response_id,))


def pages(db: Database, response_id: int) -> list[Page]:
    """The response's pages in order."""
    return pages_of(db, [response_id]).get(response_id, [])


def pages_of(db: Database, response_ids: Sequence[int]) -> dict[int, list[Page]]:
    """The pages of several responses, in order; those without any are left out."""
    rows = db.execute(
        "SELECT r.*, i.mime, i.width, i.height FROM response_images r JOIN images i ON i.sha256 = r.sha256 "
        "WHERE r.response_id IN (SELECT value FROM json_each(?)) ORDER BY r.response_id, r.page",
        (json.dumps(list(response_ids)),),
    )
    found: dict[int, list[Page]] = {}
    for row in rows:
        found.setdefault(row["response_id"], []).append(_page(row))
    return found


def of_question(db: Database, question_id: int) -> dict[int, tuple[str, ...]]:
    """By response id, the SHA-256 of its pictures in order, for every response of the question that has any."""
    rows = db.execute(
        "SELECT i.response_id, i.sha256 FROM responses r JOIN response_images i ON i.response_id = r.id "
        "WHERE r.question_id = ? ORDER BY i.response_id, i.page",
        (question_id,),
    )
    found: dict[int, tuple[str, ...]] = {}
    for row in rows:
        found[row["response_id"]] = (*found.get(row["response_id"], ()), row["sha256"])
    return found


def unread(db: Database, exam_id: int) -> dict[int, int]:
    """By question id, how many responses have pictures and no transcript by a teacher: only eyes can mark them."""
    rows = db.execute(
        "SELECT r.question_id, count(*) AS n FROM responses r WHERE r.exam_id = ? "
        "AND EXISTS (SELECT 1 FROM response_images i WHERE i.response_id = r.id) "
        "AND NOT EXISTS (SELECT 1 FROM transcripts t WHERE t.response_id = r.id AND t.source = 'teacher') "
        "GROUP BY r.question_id",
        (exam_id,),
    )
    return {row["question_id"]: int(row["n"]) for row in rows}


def count_of_exam(db: Database, exam_id: int) -> int:
    """How many of the exam's responses have pictures."""
    row = db.execute(
        "SELECT count(DISTINCT i.response_id) FROM responses r JOIN response_images i ON i.response_id = r.id "
        "WHERE r.exam_id = ?",
        (exam_id,),
    )
    return int(row.fetchone()[0])


def content(db: Database, sha256: str) -> bytes:
    """A picture's bytes. Raises LookupError where there is none."""
    row = db.execute("SELECT content FROM images WHERE sha256 = ?", (sha256,)).fetchone()
    if row is None:
        raise LookupError(f"There is no picture {sha256}.")
    return bytes(row["content"])


def _page(row: Any) -> Page:
    return Page(
        row["response_id"],
        row["page"],
        row["sha256"],
        row["mime"],
        row["width"],
        row["height"],
        row["original_sha256"],
        None if row["strokes"] is None else json.loads(row["strokes"]),
        row["source"],
    )

"""Pictures that belong to questions: diagrams, tables and photographs that a candidate was given."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from sqlite_utils import Database


@dataclass(frozen=True)
class QuestionPicture:
    """A picture of a question by the SHA-256 of its bytes. `caption` says what is to be seen."""

    sha256: str
    caption: str = ""


def set_of(db: Database, question_id: int, pictures: Sequence[QuestionPicture]) -> None:
    """Give the question these pictures, in this order. Their bytes are stored already."""
    db.execute("DELETE FROM question_images WHERE question_id = ?", (question_id,))
    for place, picture in enumerate(pictures, 1):
        db.execute(
            "INSERT INTO question_images (question_id, place, sha256, caption) VALUES (?, ?, ?, ?)",
            (question_id, place, picture.sha256, picture.caption),
        )


def of(db: Database, question_id: int) -> tuple[QuestionPicture, ...]:
    """The question's pictures in order."""
    return of_each(db, [question_id]).get(question_id, ())


def of_each(db: Database, question_ids: Sequence[int]) -> dict[int, tuple[QuestionPicture, ...]]:
    """By question, its pictures in order; a question without any is left out."""
    rows = db.execute(
        "SELECT question_id, sha256, caption FROM question_images "
        "WHERE question_id IN (SELECT value FROM json_each(?)) ORDER BY question_id, place",
        (json.dumps(list(question_ids)),),
    )
    found: dict[int, tuple[QuestionPicture, ...]] = {}
    for row in rows:
        found[row["question_id"]] = (*found.get(row["question_id"], ()), QuestionPicture(row["sha256"], row["caption"]))
    return found


def shown(db: Database, question_id: int) -> list[tuple[bytes, str]]:
    """The question's pictures in order, as (PNG or JPEG, caption)."""
    rows = db.execute(
        "SELECT i.content, q.caption FROM question_images q JOIN images i ON i.sha256 = q.sha256 "
        "WHERE q.question_id = ? ORDER BY q.place",
        (question_id,),
    )
    return [(bytes(row["content"]), row["caption"]) for row in rows]


def sizes(db: Database, question_id: int) -> list[tuple[str, int, int]]:
    """The question's pictures in order, as (SHA-256, width, height) in pixels."""
    rows = db.execute(
        "SELECT i.sha256, i.width, i.height FROM question_images q JOIN images i ON i.sha256 = q.sha256 "
        "WHERE q.question_id = ? ORDER BY q.place",
        (question_id,),
    )
    return [(row["sha256"], row["width"], row["height"]) for row in rows]

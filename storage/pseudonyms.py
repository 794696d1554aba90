"""The key of names: who stands behind a candidate number. It goes to no judge, no export and no log."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from sqlite_utils import Database

from storage import events


@dataclass(frozen=True)
class Known:
    """Who stands behind a candidate number; `other` holds further cells by heading, such as a second number."""

    number: str
    name: str
    email: str
    other: tuple[tuple[str, str], ...] = ()


def add(db: Database, exam_id: int, people: Iterable[Known], import_id: int | None = None) -> None:
    """Keep who they are. What is known of a number already stays."""
    db.conn.executemany(
        "INSERT INTO pseudonyms (exam_id, number, name, email, other, import_id) VALUES (?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (exam_id, number) DO NOTHING",
        [
            (exam_id, each.number, each.name, each.email, json.dumps(dict(each.other), ensure_ascii=False), import_id)
            for each in people
        ],
    )


def of_exam(db: Database, exam_id: int) -> list[Known]:
    """The exam's key, in the order of its candidates."""
    rows = db.execute(
        "SELECT p.number, p.name, p.email, p.other FROM pseudonyms p LEFT JOIN candidates c "
        "ON c.exam_id = p.exam_id AND c.number = p.number WHERE p.exam_id = ? ORDER BY c.position, p.number",
        (exam_id,),
    )
    return [Known(row["number"], row["name"], row["email"], tuple(json.loads(row["other"]).items())) for row in rows]


def count(db: Database, exam_id: int) -> int:
    """How many candidates' names are kept for the exam."""
    return int(db.execute("SELECT count(*) FROM pseudonyms WHERE exam_id = ?", (exam_id,)).fetchone()[0])


def of_import_gone(db: Database, import_id: int) -> None:
    """Forget who came with an import that is taken back."""
    _overwrite(db)
    db.execute("DELETE FROM pseudonyms WHERE import_id = ?", (import_id,))


def drop(db: Database, exam_id: int, marker_id: int | None) -> int:
    """Delete the exam's key for good; gives how many names it had. The audit log has that number and no name."""
    _overwrite(db)
    dropped = db.execute("DELETE FROM pseudonyms WHERE exam_id = ?", (exam_id,)).rowcount
    if dropped:
        events.log(db, "key of names dropped", f"exam {exam_id}", {"names": dropped}, marker_id)
    return int(dropped)


def _overwrite(db: Database) -> None:
    """Have what is deleted on this connection overwritten in the file, not only forgotten."""
    db.execute("PRAGMA secure_delete = ON")

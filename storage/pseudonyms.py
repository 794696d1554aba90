"""The key of names: who stands behind a candidate number.

It goes to no judge, no evidence pack and no log. A head of department may download it, and may have marks out name
candidates by it (`components.workflow.marks_out.identifiers`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from sqlite_utils import Database

from storage import events

_COLUMNS = "exam_id, number, name, email, other, import_id"


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
        f"INSERT INTO pseudonyms ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (exam_id, number) DO NOTHING",
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
    """Forget who came with an import that is taken back. As with `drop`, `Store.empty_log` is to follow."""
    _erase(db, "import_id IS ?", import_id)


def drop(db: Database, exam_id: int, marker_id: int | None) -> int:
    """Delete the exam's key for good; gives how many names it had. The audit log has that number and no name.

    The database's log still has them until `Store.empty_log` is called after this transaction.
    """
    dropped = _erase(db, "exam_id = ?", exam_id)
    if dropped:
        events.log(db, "key of names dropped", f"exam {exam_id}", {"names": dropped}, marker_id)
    return dropped


def _erase(db: Database, which: str, parameter: int) -> int:
    """Delete rows so that the file does not hold their bytes; gives how many.

    All rows go, and the others come back: while a table grows, SQLite leaves copies of rows in gaps of its pages,
    which deleting single rows would not overwrite.
    """
    erased = int(db.execute(f"SELECT count(*) FROM pseudonyms WHERE {which}", (parameter,)).fetchone()[0])
    if erased:
        kept = [
            tuple(row) for row in db.execute(f"SELECT {_COLUMNS} FROM pseudonyms WHERE NOT ({which})", (parameter,))
        ]
        db.execute("PRAGMA secure_delete = ON")
        db.execute("DELETE FROM pseudonyms")
        db.conn.executemany(f"INSERT INTO pseudonyms ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)", kept)
    return erased

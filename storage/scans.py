"""Printed answer books, and scanned scripts on their way in."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from storage.connect import now

OPEN, STORED, THROWN_AWAY = "open", "stored", "thrown away"


@dataclass(frozen=True)
class PrintedBook:
    """Books printed at one time: `layout` is what was asked for."""

    id: int
    exam_id: int
    layout: dict[str, Any]
    created_at: str


@dataclass(frozen=True)
class Scan:
    """A pile of scans; `setup` is how it is to be read. Its job, once there is one, stays the same."""

    id: int
    exam_id: int
    marker_id: int
    job_id: int | None
    state: str
    setup: dict[str, Any]
    created_at: str


def add_book(db: Database, exam_id: int, layout: dict[str, Any]) -> int:
    """The id of a new print of the exam's answer books."""
    cursor = db.execute(
        "INSERT INTO answer_books (exam_id, layout, created_at) VALUES (?, ?, ?)", (exam_id, json.dumps(layout), now())
    )
    return int(cursor.lastrowid or 0)


def books(db: Database, exam_id: int) -> list[PrintedBook]:
    """The exam's prints, newest first."""
    rows = db.execute("SELECT * FROM answer_books WHERE exam_id = ? ORDER BY id DESC", (exam_id,))
    return [_book(row) for row in rows]


def book(db: Database, book_id: int) -> PrintedBook:
    """One print. Raises LookupError where there is none."""
    row = db.execute("SELECT * FROM answer_books WHERE id = ?", (book_id,)).fetchone()
    if row is None:
        raise LookupError(f"There is no print {book_id}.")
    return _book(row)


def on_paper(db: Database, exam_id: int, number: str) -> bool:
    """Whether a printed answer book, or a scan that is not stored yet, has room for a question of this number: what is
    written there is stored with whatever question has the number then."""
    found = db.execute(
        "SELECT 1 FROM answer_books b, json_each(b.layout, '$.rooms') r "
        "WHERE b.exam_id = :exam AND json_extract(r.value, '$.number') = :number UNION ALL "
        "SELECT 1 FROM scans s, json_each(s.setup, '$.regions') r "
        "WHERE s.exam_id = :exam AND s.state = 'open' AND json_extract(r.value, '$.question') = :number",
        {"exam": exam_id, "number": number},
    )
    return found.fetchone() is not None


def add(db: Database, exam_id: int, marker_id: int, setup: dict[str, Any]) -> int:
    """The id of a new open scan."""
    cursor = db.execute(
        "INSERT INTO scans (exam_id, marker_id, setup, created_at) VALUES (?, ?, ?, ?)",
        (exam_id, marker_id, json.dumps(setup), now()),
    )
    return int(cursor.lastrowid or 0)


def get(db: Database, scan_id: int) -> Scan:
    """One scan. Raises LookupError where there is none."""
    row = db.execute("SELECT * FROM scans WHERE id = ?", (scan_id,)).fetchone()
    if row is None:
        raise LookupError(f"There is no scan {scan_id}.")
    return _scan(row)


def of_exam(db: Database, exam_id: int, state: str) -> list[Scan]:
    """The exam's scans in this state, newest first."""
    rows = db.execute("SELECT * FROM scans WHERE exam_id = ? AND state = ? ORDER BY id DESC", (exam_id, state))
    return [_scan(row) for row in rows]


def change_setup(db: Database, scan_id: int, setup: dict[str, Any]) -> None:
    """Have an open scan read in another way from the next time on."""
    db.execute("UPDATE scans SET setup = ? WHERE id = ? AND state = 'open'", (json.dumps(setup), scan_id))


def set_job(db: Database, scan_id: int, job_id: int) -> None:
    """Name the job that reads the scan."""
    db.execute("UPDATE scans SET job_id = ? WHERE id = ?", (job_id, scan_id))


def close(db: Database, scan_id: int, state: str) -> None:
    """End an open scan: stored or thrown away."""
    db.execute("UPDATE scans SET state = ? WHERE id = ? AND state = 'open'", (state, scan_id))


def _book(row: Any) -> PrintedBook:
    return PrintedBook(row["id"], row["exam_id"], json.loads(row["layout"]), row["created_at"])


def _scan(row: Any) -> Scan:
    return Scan(
        row["id"],
        row["exam_id"],
        row["marker_id"],
        row["job_id"],
        row["state"],
        json.loads(row["setup"]),
        row["created_at"],
    )

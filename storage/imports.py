"""Imports: which file made which exam, with its row-by-row report."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from storage import events, exams
from storage.connect import now


@dataclass(frozen=True)
class Import:
    id: int
    exam_id: int
    filename: str
    sheet: str
    sha256: str
    created_at: str
    undone_at: str | None
    added: bool = False  # to an exam that was there; else the import made its exam


def add(
    db: Database,
    exam_id: int,
    filename: str,
    sha256: str,
    report: list[dict[str, Any]],
    marker_id: int | None,
    *,
    sheet: str = "",
    added: bool = False,
) -> int:
    """Note an import, before the rows that name it. `sheet` is the workbook's, blank for a text file.

    `added` says that the exam was there before.
    """
    cursor = db.execute(
        "INSERT INTO imports (exam_id, marker_id, filename, sheet, sha256, report, created_at, added) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (exam_id, marker_id, filename, sheet, sha256, json.dumps(report, ensure_ascii=False), now(), added),
    )
    events.log(db, "table imported", f"exam {exam_id}", {"filename": filename, "sha256": sha256}, marker_id)
    return int(cursor.lastrowid or 0)


def undo(db: Database, import_id: int, marker_id: int | None) -> None:
    """Take an import back that made its exam: the exam leaves every list. Nothing is deleted: its marks stay on record.

    Undoing it again, or an import that never was, does nothing.
    """
    row = db.execute(
        "SELECT exam_id, filename FROM imports WHERE id = ? AND undone_at IS NULL", (import_id,)
    ).fetchone()
    if row is None:
        return
    note_undone(db, import_id)
    exams.archive(db, row["exam_id"], marker_id, f"import of {row['filename']} undone")


def note_undone(db: Database, import_id: int) -> None:
    """Note that what the import brought is taken back."""
    db.execute("UPDATE imports SET undone_at = ? WHERE id = ?", (now(), import_id))


def get(db: Database, import_id: int) -> Import | None:
    """A standing import, or None."""
    return next(iter(_imports(db, f"undone_at IS NULL AND id = {int(import_id)}")), None)


def listed(db: Database) -> list[Import]:
    """Imports that stand, newest first."""
    return _imports(db, "undone_at IS NULL AND exam_id IN (SELECT id FROM exams WHERE archived_at IS NULL)")


def same_file(db: Database, sha256: str, sheet: str = "") -> Import | None:
    """The standing import of exactly this file, or of this sheet of it, if there is one."""
    return next((found for found in listed(db) if (found.sha256, found.sheet) == (sha256, sheet)), None)


def of_source(db: Database, source: str) -> list[Import]:
    """The standing imports, newest first, that made exams of what is called this, such as a benchmark's results."""
    return [found for found in listed(db) if found.filename == source and not found.added]


def _imports(db: Database, where: str) -> list[Import]:
    rows = db.execute(f"SELECT * FROM imports WHERE {where} ORDER BY id DESC")
    return [
        Import(
            row["id"],
            row["exam_id"],
            row["filename"],
            row["sheet"],
            row["sha256"],
            row["created_at"],
            row["undone_at"],
            bool(row["added"]),
        )
        for row in rows
    ]

"""Whose pairs an exam has: what its agreement can be narrowed to."""

from __future__ import annotations

from sqlite_utils import Database


def markers(db: Database, exam_id: int) -> dict[int, str]:
    """The markers, by id, whose marks are in any pair of the exam. Names are for heads of department only."""
    rows = db.execute(
        "SELECT id, name FROM markers m WHERE EXISTS "
        "(SELECT 1 FROM pairs p WHERE p.exam_id = ? AND p.marker_id = m.id) ORDER BY name, id",
        (exam_id,),
    )
    return {int(row["id"]): str(row["name"]) for row in rows}

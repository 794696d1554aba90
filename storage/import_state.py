"""What an exam holds already, read at once, so that a file can be compared with it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from sqlite_utils import Database

from storage.taken_back import STILL_COUNTS


@dataclass(frozen=True, slots=True)
class Held:
    """A response as it stands. `marked`: by somebody here; `desk_mark` is then the mark that stands."""

    id: int
    text: str
    marked: bool
    desk_mark: float | None
    import_id: int | None


def held(db: Database, exam_id: int) -> dict[tuple[int, str], Held]:
    """By (question id, candidate number), the exam's responses."""
    rows = db.execute(
        "SELECT r.id, r.text, r.question_id, r.import_id, c.number, s.marked, s.final_mark "
        "FROM responses r JOIN candidates c ON c.id = r.candidate_id JOIN standings s ON s.response_id = r.id "
        "WHERE r.exam_id = ?",
        (exam_id,),
    )
    return {
        (row["question_id"], row["number"]): Held(
            row["id"],
            row["text"],
            bool(row["marked"]),
            row["final_mark"] if row["marked"] else None,
            row["import_id"],
        )
        for row in rows
    }


def imported_marks(db: Database, exam_id: int) -> dict[tuple[int, int], float]:
    """By (response id, marker id), the newest live imported mark."""
    rows = db.execute(
        "SELECT d.response_id, d.marker_id, d.mark FROM responses r JOIN decisions d ON d.response_id = r.id "
        "WHERE r.exam_id = ? AND d.stage = 'imported' AND d.outcome = 'mark' "
        "AND NOT EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = d.id) ORDER BY d.id",
        (exam_id,),
    )
    return {(row["response_id"], row["marker_id"]): row["mark"] for row in rows}


def imported_ai_marks(db: Database, exam_id: int) -> dict[tuple[int, int], float]:
    """By (response id, judge id), the mark of the newest proposal that came from a file and was not taken back."""
    rows = db.execute(
        "SELECT p.response_id, p.mark, p.judge_id FROM responses r JOIN proposals p ON p.response_id = r.id "
        "WHERE r.exam_id = ? AND p.import_id IS NOT NULL AND p.status = 'proposed' "
        f"AND {STILL_COUNTS.format(p='p')} ORDER BY p.id",
        (exam_id,),
    )
    return {(row["response_id"], row["judge_id"]): row["mark"] for row in rows}


def imported_judges(db: Database, exam_id: int) -> dict[int, str]:
    """By id, the names of the judges whose marks came from files and were not taken back, in their order."""
    rows = db.execute(
        "SELECT j.id, j.name FROM judges j WHERE EXISTS (SELECT 1 FROM responses r JOIN proposals p "
        "ON p.response_id = r.id AND p.judge_id = j.id WHERE r.exam_id = ? AND p.import_id IS NOT NULL "
        f"AND {STILL_COUNTS.format(p='p')}) AND j.kind = 'imported' ORDER BY j.id",
        (exam_id,),
    )
    return {row["id"]: row["name"] for row in rows}


def imported_markers(db: Database, exam_id: int) -> list[str]:
    """The names of the markers whose marks came from files, in the order in which they came."""
    rows = db.execute(
        "SELECT m.name, min(d.id) AS first FROM responses r JOIN decisions d ON d.response_id = r.id "
        "JOIN markers m ON m.id = d.marker_id WHERE r.exam_id = ? AND d.stage = 'imported' "
        "GROUP BY m.id ORDER BY first",
        (exam_id,),
    )
    return [row["name"] for row in rows]


def groups(db: Database, exam_id: int) -> dict[str, dict[str, str]]:
    """By candidate number, in the order of the candidates, the values by group."""
    rows = db.execute("SELECT number, groups FROM candidates WHERE exam_id = ? ORDER BY position", (exam_id,))
    return {row["number"]: json.loads(row["groups"]) for row in rows}

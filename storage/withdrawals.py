"""Taking back an import that was added to an exam: its marks by undo rows, its responses to an archived exam."""

from __future__ import annotations

import json
from dataclasses import dataclass

from sqlite_utils import Database

from components.marking import MarkError
from storage import events, exam_setup, exams, imports, pseudonyms, standings
from storage.connect import now
from storage.imports import Import

_DESK = "judge of an import on the desk"


@dataclass(frozen=True)
class Withdrawn:
    """What was taken back. `ai_marks`: on responses that were there before; they stay on record and count no more."""

    marks: int
    responses: int
    candidates: int
    ai_marks: int


def take_out(db: Database, found: Import, marker_id: int | None) -> Withdrawn:
    """Take back what the import added to its exam. Nothing is deleted but the names that came with it.

    Raises MarkError where a later import was added to the exam, or its responses have been marked since.
    """
    check_newest(db, found)
    _check_unmarked(db, found)
    touched = [
        row["response_id"]
        for row in db.execute("SELECT DISTINCT response_id FROM decisions WHERE import_id = ?", (found.id,))
    ]
    marks = db.execute(
        "INSERT INTO decisions (response_id, marker_id, import_id, outcome, stage, scheme_id, undoes, created_at) "
        "SELECT d.response_id, d.marker_id, d.import_id, 'undo', d.stage, d.scheme_id, d.id, ? FROM decisions d "
        "WHERE d.import_id = ? AND d.outcome <> 'undo' "
        "AND NOT EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = d.id)",
        (now(), found.id),
    ).rowcount
    moved = [row["id"] for row in db.execute("SELECT id FROM responses WHERE import_id = ?", (found.id,))]
    candidates = _put_apart(db, found, marker_id) if moved else 0
    judged = [
        row["response_id"]
        for row in db.execute(
            "SELECT p.response_id FROM responses r JOIN proposals p ON p.response_id = r.id "
            "WHERE r.exam_id = ? AND p.import_id = ?",
            (found.exam_id, found.id),
        )
    ]
    pseudonyms.of_import_gone(db, found.id)
    imports.note_undone(db, found.id)  # before what is derived: its AI marks count no more from here on
    if _old_judge_back(db, found, marker_id):
        standings.refresh_exam(db, found.exam_id)
    standings.refresh_each(db, {*touched, *moved, *judged})
    body = {
        "filename": found.filename,
        "marks": marks,
        "AI marks": len(judged),
        "responses": len(moved),
        "candidates": candidates,
    }
    events.log(db, "import undone", f"exam {found.exam_id}", body, marker_id)
    return Withdrawn(int(marks), len(moved), candidates, len(judged))


def note_desk(db: Database, import_id: int, before: int | None, stands: int, marker_id: int | None) -> None:
    """Note that the import puts a judge of its own on its exam's desk, in whose stead."""
    events.log(db, _DESK, f"import {import_id}", {"before": before, "judge_id": stands}, marker_id)


def _old_judge_back(db: Database, found: Import, marker_id: int | None) -> bool:
    """Where the import's own judge stands on the desk still, the one before it stands there again."""
    row = db.execute(
        "SELECT body FROM events WHERE kind = ? AND about = ? ORDER BY id DESC", (_DESK, f"import {found.id}")
    ).fetchone()
    exam = exams.get(db, found.exam_id)
    noted = {} if row is None else json.loads(row["body"])
    if exam is None or noted.get("before") is None or exam.judge_id != noted["judge_id"]:
        return False
    exams.set_judge(db, exam.id, noted["before"], marker_id)
    return True


def check_newest(db: Database, found: Import) -> None:
    """Raise MarkError where another import was added to the exam after this one."""
    later = db.execute(
        "SELECT filename FROM imports WHERE exam_id = ? AND id > ? AND undone_at IS NULL ORDER BY id DESC LIMIT 1",
        (found.exam_id, found.id),
    ).fetchone()
    if later is not None:
        raise MarkError(f"“{later['filename']}” was imported into this exam later. Undo that import first.")


def _check_unmarked(db: Database, found: Import) -> None:
    """Nobody may have marked what the import brought: their marks would go with it."""
    rows = db.execute(
        "SELECT DISTINCT c.number AS candidate, q.number AS question, q.position, c.position FROM responses r "
        "JOIN decisions d ON d.response_id = r.id AND d.import_id IS NOT r.import_id AND d.outcome <> 'undo' "
        "JOIN candidates c ON c.id = r.candidate_id JOIN questions q ON q.id = r.question_id "
        "WHERE r.import_id = ? AND NOT EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = d.id) "
        "ORDER BY q.position, c.position",
        (found.id,),
    ).fetchall()
    if rows:
        first = f"candidate {rows[0]['candidate']}'s question {rows[0]['question']}"
        which = first if len(rows) == 1 else f"{len(rows):,} of its responses, {first} first,"
        raise MarkError(
            f"“{found.filename}” stays: {which} {'has' if len(rows) == 1 else 'have'} been marked since. Undo those "
            "marks on the marking page first, or archive the exam."
        )


def _put_apart(db: Database, found: Import, marker_id: int | None) -> int:
    """Move the import's responses to an archived copy of the exam; gives how many candidates left with them."""
    exam = exams.get(db, found.exam_id)
    if exam is None:
        raise MarkError("The exam of this import is no longer here.")
    apart = exam_setup.duplicate(db, exam.id, f"{exam.title} (taken out)"[:200], marker_id)
    exams.archive(db, apart, marker_id, f"{exam_setup.TAKEN_OUT}“{exam.title}” with the import of {found.filename}")
    db.execute(
        "INSERT INTO candidates (exam_id, number, position, groups) SELECT ?, number, position, groups FROM candidates "
        "WHERE id IN (SELECT candidate_id FROM responses WHERE import_id = ?)",
        (apart, found.id),
    )
    moved = "(SELECT id FROM responses WHERE import_id = :import)"
    given = {"import": found.id, "exam": apart}
    db.execute(f"DELETE FROM standings WHERE response_id IN {moved}", given)
    db.execute(
        "UPDATE responses SET exam_id = :exam, "
        "question_id = (SELECT b.id FROM questions a JOIN questions b ON b.number = a.number AND b.exam_id = :exam "
        "WHERE a.id = responses.question_id), "
        "candidate_id = (SELECT b.id FROM candidates a JOIN candidates b ON b.number = a.number AND b.exam_id = :exam "
        "WHERE a.id = responses.candidate_id) WHERE import_id = :import",
        given,
    )
    db.execute(
        "INSERT INTO standings (response_id, exam_id, question_id, question_position, candidate_position, unsure) "
        "SELECT r.id, r.exam_id, r.question_id, q.position, c.position, 1 FROM responses r "
        "JOIN questions q ON q.id = r.question_id JOIN candidates c ON c.id = r.candidate_id WHERE r.import_id = ?",
        (found.id,),
    )
    # The copies of candidates made above stand for them there; who came with this import and has nothing else goes.
    return int(
        db.execute(
            "DELETE FROM candidates WHERE exam_id = ? AND import_id = ? "
            "AND NOT EXISTS (SELECT 1 FROM responses r WHERE r.candidate_id = candidates.id)",
            (exam.id, found.id),
        ).rowcount
    )

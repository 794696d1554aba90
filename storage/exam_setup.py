"""Setting up an exam: its details, the order and the wording of its questions, copies of it, and exams put away."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from components.marking import MarkError, Question, ToleranceRule
from storage import events, exams, question_pictures, scans, standings

TAKEN_OUT = "taken out of "  # begins why an exam was archived


@dataclass(frozen=True)
class ArchivedExam:
    """An exam that was put away, when (UTC, ISO 8601) and why; `marks` were given on it here."""

    id: int
    title: str
    archived_at: str
    why: str
    marks: int
    demo: bool

    @property
    def import_undone(self) -> bool:
        """Whether it went because the import that made it was taken back."""
        return self.why.startswith("import of ")

    @property
    def taken_out(self) -> bool:
        """Whether it only keeps what an import had added to another exam: no exam that anybody made."""
        return self.why.startswith(TAKEN_OUT)


@dataclass(frozen=True)
class SchemeUse:
    """What stands under one version of a question's scheme: marks by people, and proposals on the desk."""

    scheme_id: int
    version: int
    created_at: str
    marker_name: str
    marks: int
    proposals: int


def set_details(db: Database, exam_id: int, details: Mapping[str, str], marker_id: int | None) -> None:
    """Change any of title, subject, level, series and language. Raises MarkError for an empty title."""
    for name, value in details.items():
        if name not in ("title", "subject", "level", "series", "language"):
            raise ValueError(f"An exam has no detail {name!r}.")
        if name == "title" and not value.strip():
            raise MarkError("An exam needs a title. The one it had is kept.")
        db.execute(f"UPDATE exams SET {name} = ? WHERE id = ?", (value.strip(), exam_id))
    events.log(db, "exam details set", f"exam {exam_id}", dict(details), marker_id)


def settings(db: Database, exam_id: int) -> dict[str, Any]:
    """The exam's rules as they are stored. Raises LookupError where there is no such exam."""
    row = db.execute("SELECT settings FROM exams WHERE id = ?", (exam_id,)).fetchone()
    if row is None:
        raise LookupError(f"There is no exam {exam_id}.")
    found: dict[str, Any] = json.loads(row["settings"])
    return found


def set_settings(db: Database, exam_id: int, changed: Mapping[str, Any], marker_id: int | None) -> None:
    """Change these of the exam's rules, such as `sections`, and leave the others."""
    body = json.dumps(dict(changed), ensure_ascii=False)
    db.execute("UPDATE exams SET settings = json_patch(settings, ?) WHERE id = ?", (body, exam_id))
    events.log(db, "rules set", f"exam {exam_id}", dict(changed), marker_id)


def tolerance_rule(db: Database, exam_id: int) -> ToleranceRule:
    """The exam's rule for tolerances; the usual one where none was set."""
    return ToleranceRule.model_validate(settings(db, exam_id).get("tolerance", {}))


def set_tolerance_rule(db: Database, exam_id: int, rule: ToleranceRule, marker_id: int | None) -> int:
    """Set the rule, and the tolerance of every question that followed the one before. How many did not: theirs, set by
    hand, is kept."""
    before = tolerance_rule(db, exam_id)
    set_settings(db, exam_id, {"tolerance": rule.model_dump(mode="json")}, marker_id)
    own = 0
    for stored in exams.questions(db, exam_id):
        question = stored.question
        if question.tolerance != before.of(question.max_mark, question.mark_step):
            own += 1
            continue
        tolerance = rule.of(question.max_mark, question.mark_step)
        if tolerance != question.tolerance:
            db.execute("UPDATE questions SET tolerance = ? WHERE id = ?", (tolerance, stored.id))
            _refresh_question(db, stored.id)
    return own


def response_count(db: Database, question_id: int) -> int:
    row = db.execute("SELECT responses FROM progress WHERE question_id = ?", (question_id,)).fetchone()
    return 0 if row is None else int(row["responses"])


def update_question(db: Database, question_id: int, question: Question, marker_id: int | None) -> None:
    """Give a question new words, type, tolerance, or number, which the exam's sections then follow.

    Raises MarkError where the scale changes under responses, the exam has the number already, or paper that is out has
    the old one. A new scale needs a new scheme version by the caller.
    """
    before = exams.question(db, question_id)
    old = before.question
    if (question.max_mark, question.mark_step) != (old.max_mark, old.mark_step) and response_count(db, question_id):
        raise MarkError(
            f"Question {old.number} has responses, so its maximum ({old.max_mark:g}) and mark step "
            f"({old.mark_step:g}) stay: the marks given are on that scale."
        )
    check_number(db, before.exam_id, question.number, besides=question_id)
    if question.number != old.number and scans.on_paper(db, before.exam_id, old.number):
        raise MarkError(
            f"Question {old.number} keeps its number: answer books have been printed or scripts scanned with room for "
            "it, and those answers would go to another question. Duplicate the exam to number it otherwise."
        )
    fields = question.model_dump(mode="json") | {"aos": json.dumps(question.aos)}
    if question.max_mark == old.max_mark and question.mark_step == old.mark_step:
        del fields["max_mark"], fields["mark_step"]  # not even set to what they are, where there are responses
    columns = ", ".join(f"{name} = :{name}" for name in fields)
    db.execute(f"UPDATE questions SET {columns} WHERE id = :id", fields | {"id": question_id})
    if question.number != old.number:
        rename_in_sections(db, before.exam_id, {old.number: [question.number]})
    if (question.type, question.tolerance) != (old.type, old.tolerance):
        _refresh_question(db, question_id)
    events.log(db, "question changed", f"question {question_id}", {"number": question.number}, marker_id)


def check_number(db: Database, exam_id: int, number: str, besides: int | None = None) -> None:
    """Raises MarkError where another question of the exam has the number."""
    row = db.execute(
        "SELECT 1 FROM questions WHERE exam_id = ? AND number = ? AND id IS NOT ?", (exam_id, number, besides)
    ).fetchone()
    if row is not None:
        raise MarkError(f"This exam already has a question {number}. Give each question a number of its own.")


def rename_in_sections(db: Database, exam_id: int, numbers: Mapping[str, Sequence[str]]) -> None:
    """Put other numbers in the place of some in the exam's sections: none for a question that is taken away.

    A section in which every question counts still counts every one; one that is left with no question goes.
    """
    sections = settings(db, exam_id).get("sections") or []
    changed = []
    for section in sections:
        was = section.get("questions", [])
        now_there = [new for number in was for new in numbers.get(number, [number])]
        answer = section.get("answer")
        if answer is not None:
            answer = len(now_there) if answer >= len(was) else min(answer, len(now_there))
        if now_there:
            changed.append(section | {"questions": now_there, "answer": answer})
    if changed != sections:
        set_settings(db, exam_id, {"sections": changed}, None)


def reorder(db: Database, exam_id: int, question_ids: Sequence[int], marker_id: int | None) -> None:
    """Put the exam's questions in this order, on the marking desk too. Raises MarkError where they are not the exam's.

    Asked with an order that another session has overtaken, it changes nothing.
    """
    present = {stored.id: stored.position for stored in exams.questions(db, exam_id)}
    if sorted(present) != sorted(question_ids):
        raise MarkError("The questions have changed meanwhile, so their order was left as it is. Please try again.")
    moved = [(place, each) for place, each in enumerate(question_ids, 1) if present[each] != place]
    # Through numbers that no question has: two questions of an exam never share a position, not even for a moment.
    db.conn.executemany("UPDATE questions SET position = -id WHERE id = ?", [(each,) for _, each in moved])
    db.conn.executemany("UPDATE questions SET position = ? WHERE id = ?", moved)
    db.conn.executemany("UPDATE standings SET question_position = ? WHERE question_id = ?", moved)
    if moved:
        events.log(db, "questions reordered", f"exam {exam_id}", {"order": list(question_ids)}, marker_id)


def remove_question(db: Database, question_id: int, marker_id: int | None) -> None:
    """Take a question out of its exam. Raises MarkError where it has responses, or a printed answer book has it."""
    stored = exams.question(db, question_id)
    number = stored.question.number
    if response_count(db, question_id):
        raise MarkError(f"Question {number} has responses, so it stays: what was answered and marked is never deleted.")
    if db.execute("SELECT 1 FROM answer_books WHERE exam_id = ?", (stored.exam_id,)).fetchone():
        raise MarkError(f"Question {number} stays: answer books have been printed for this exam, with room for it.")
    rename_in_sections(db, stored.exam_id, {number: []})
    for table in ("question_images", "answer_drafts", "progress", "schemes"):
        db.execute(f"DELETE FROM {table} WHERE question_id = ?", (question_id,))
    db.execute("DELETE FROM questions WHERE id = ?", (question_id,))
    events.log(db, "question removed", f"exam {stored.exam_id}", {"number": number}, marker_id)


def scheme_uses(db: Database, question_id: int) -> list[SchemeUse]:
    """Every version of the question's scheme, newest first, with what stands under it now."""
    rows = db.execute(
        """
        WITH marks AS (
            SELECT d.scheme_id, count(*) AS n FROM standings s JOIN decisions d ON d.id = s.decision_id
            WHERE s.question_id = :id GROUP BY d.scheme_id
        ), proposed AS (
            SELECT p.scheme_id, count(*) AS n FROM standings s JOIN proposals p ON p.id = s.proposal_id
            WHERE s.question_id = :id GROUP BY p.scheme_id
        )
        SELECT v.id, v.version, v.created_at, coalesce(m.name, '') AS marker_name, coalesce(marks.n, 0) AS marks,
               coalesce(proposed.n, 0) AS proposals
        FROM schemes v LEFT JOIN markers m ON m.id = v.marker_id LEFT JOIN marks ON marks.scheme_id = v.id
        LEFT JOIN proposed ON proposed.scheme_id = v.id
        WHERE v.question_id = :id ORDER BY v.version DESC
        """,
        {"id": question_id},
    )
    return [
        SchemeUse(row["id"], row["version"], row["created_at"], row["marker_name"], row["marks"], row["proposals"])
        for row in rows
    ]


def duplicate(db: Database, exam_id: int, title: str, marker_id: int | None) -> int:
    """A copy of the exam's details, rules, questions, newest schemes and pictures; its candidates and marks stay
    behind. Gives the new exam's id. Raises MarkError for an empty title or an exam that is not there."""
    source = exams.get(db, exam_id)
    if source is None:
        raise MarkError("This exam is no longer here, so it cannot be copied.")
    copy_id = exams.add_exam(
        db,
        title,
        subject=source.subject,
        level=source.level,
        series=source.series,
        language=source.language,
        notice="" if source.demo else source.notice,  # a demo's says that its answers are invented
        judge_id=source.judge_id,
        blind_share=source.blind_share,
    )
    db.execute(
        "UPDATE exams SET blind = ?, settings = (SELECT settings FROM exams WHERE id = ?) WHERE id = ?",
        (source.blind, exam_id, copy_id),
    )
    for stored in exams.questions(db, exam_id):
        question_id = exams.add_question(db, copy_id, stored.question, stored.scheme, marker_id)
        question_pictures.set_of(db, question_id, question_pictures.of(db, stored.id))
    events.log(db, "exam duplicated", f"exam {copy_id}", {"from": exam_id}, marker_id)
    return copy_id


def archived(db: Database) -> list[ArchivedExam]:
    """Exams that were put away, the latest first."""
    rows = db.execute(
        """
        SELECT e.id, e.title, e.archived_at, e.demo,
               coalesce((SELECT json_extract(body, '$.why') FROM events WHERE kind = 'exam archived'
                         AND about = 'exam ' || e.id ORDER BY id DESC LIMIT 1), '') AS why,
               coalesce((SELECT sum(marked) FROM progress WHERE exam_id = e.id), 0) AS marks
        FROM exams e WHERE e.archived_at IS NOT NULL ORDER BY e.archived_at DESC, e.id DESC
        """
    )
    return [
        ArchivedExam(row["id"], row["title"], row["archived_at"], row["why"], row["marks"], bool(row["demo"]))
        for row in rows
    ]


def bring_back(db: Database, exam_id: int, marker_id: int | None) -> None:
    """Put an archived exam on every list again, with the import that it came from, if that was taken back. Raises
    MarkError where the same file has been imported again since: it would be there twice."""
    again = db.execute(
        "SELECT e.title FROM imports gone JOIN imports i ON i.sha256 = gone.sha256 AND i.sheet = gone.sheet "
        "AND i.undone_at IS NULL JOIN exams e ON e.id = i.exam_id AND e.archived_at IS NULL "
        "WHERE gone.exam_id = ? AND i.exam_id <> gone.exam_id",
        (exam_id,),
    ).fetchone()
    if again is not None:
        raise MarkError(
            f"The same file has been imported again since, as “{again['title']}”. Undo that import first, then bring "
            "this one back."
        )
    gone = next((exam for exam in archived(db) if exam.id == exam_id), None)
    if gone is None or gone.taken_out:
        return
    if gone.import_undone:
        db.execute(
            "UPDATE imports SET undone_at = NULL WHERE id = ("
            "SELECT id FROM imports WHERE exam_id = ? AND undone_at IS NOT NULL ORDER BY undone_at DESC LIMIT 1)",
            (exam_id,),
        )
    db.execute("UPDATE exams SET archived_at = NULL WHERE id = ?", (exam_id,))
    events.log(db, "exam brought back", f"exam {exam_id}", None, marker_id)


def _refresh_question(db: Database, question_id: int) -> None:
    rows = db.execute("SELECT id FROM responses WHERE question_id = ?", (question_id,))
    standings.refresh_each(db, [row["id"] for row in rows])

"""Exams, their questions, and the versions of their mark schemes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlite_utils import Database

from components.marking import MarkError, Question, Scheme, WhatStands
from storage import events, jobs, question_pictures
from storage.connect import now
from storage.question_pictures import QuestionPicture

BLIND_SHARE = 0.1  # of a new exam


@dataclass(frozen=True)
class Exam:
    id: int
    title: str
    subject: str
    level: str
    series: str
    language: str
    notice: str
    demo: bool
    blind: bool
    blind_share: float  # of each question's responses, 0 to 1; see `storage.blind_sample`
    judge_id: int | None
    created_at: str
    what_stands: WhatStands = WhatStands.ADJUDICATOR
    boundaries: tuple[tuple[str, float], ...] = ()  # (grade, lowest total), best grade first


@dataclass(frozen=True)
class StoredQuestion:
    """A question with the newest version of its mark scheme. `pictures` names its own, whose bytes are not loaded."""

    id: int
    exam_id: int
    position: int
    question: Question
    scheme: Scheme
    scheme_id: int
    scheme_version: int
    pictures: tuple[QuestionPicture, ...] = ()


@dataclass(frozen=True)
class ExamSummary:
    exam: Exam
    questions: int
    candidates: int
    responses: int
    marked: int


def add_exam(
    db: Database,
    title: str,
    *,
    subject: str = "",
    level: str = "",
    series: str = "",
    language: str = "en",
    notice: str = "",
    demo: bool = False,
    judge_id: int | None = None,
    blind_share: float = BLIND_SHARE,
) -> int:
    """A new exam's id. Raises MarkError for an empty title, or a blind share that is not from 0 to 1."""
    if not title.strip():
        raise MarkError("Give the exam a title.")
    _check_share(blind_share)
    cursor = db.execute(
        "INSERT INTO exams (title, subject, level, series, language, notice, demo, judge_id, blind_share, created_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (title.strip(), subject, level, series, language, notice, demo, judge_id, blind_share, now()),
    )
    return int(cursor.lastrowid or 0)


def add_question(db: Database, exam_id: int, question: Question, scheme: Scheme, marker_id: int | None = None) -> int:
    """A new question, last in the exam, with version 1 of its scheme. Raises MarkError when their scales differ."""
    _check_scale(question, scheme)
    position = db.execute("SELECT coalesce(max(position), 0) + 1 FROM questions WHERE exam_id = ?", (exam_id,))
    # A question that was taken away keeps its id: drafts and the audit log still speak of it.
    unused = db.execute(
        "SELECT 1 + max(coalesce((SELECT max(id) FROM questions), 0), "
        "coalesce((SELECT max(question_id) FROM question_drafts), 0))"
    )
    cursor = db.execute(
        "INSERT INTO questions (id, exam_id, position, number, type, text, stimulus, max_mark, mark_step, tolerance, "
        "subject, model_answer, analysis, language, aos) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            unused.fetchone()[0],
            exam_id,
            position.fetchone()[0],
            question.number,
            question.type,
            question.text,
            question.stimulus,
            question.max_mark,
            question.mark_step,
            question.tolerance,
            question.subject,
            question.model_answer,
            question.analysis,
            question.language,
            json.dumps(question.aos),
        ),
    )
    question_id = int(cursor.lastrowid or 0)
    add_scheme_version(db, question_id, question, scheme, marker_id)
    return question_id


def add_scheme_version(
    db: Database, question_id: int, question: Question, scheme: Scheme, marker_id: int | None = None
) -> int:
    """The new version's id. Marks and proposals made before keep the version they were made under."""
    _check_scale(question, scheme)
    body = scheme.model_dump_json(exclude={"max_mark", "mark_step"})
    cursor = db.execute(
        "INSERT INTO schemes (question_id, version, body, marker_id, created_at) "
        "SELECT ?, coalesce(max(version), 0) + 1, ?, ?, ? FROM schemes WHERE question_id = ?",
        (question_id, body, marker_id, now(), question_id),
    )
    return int(cursor.lastrowid or 0)


def get(db: Database, exam_id: int) -> Exam | None:
    row = db.execute("SELECT * FROM exams WHERE id = ? AND archived_at IS NULL", (exam_id,)).fetchone()
    return None if row is None else _exam(row)


def listed(db: Database) -> list[Exam]:
    """Every exam that is not archived, newest last."""
    return [_exam(row) for row in db.execute("SELECT * FROM exams WHERE archived_at IS NULL ORDER BY id")]


def summaries(db: Database) -> list[ExamSummary]:
    """Every exam that is not archived with its counts, for a list of exams."""
    rows = db.execute(
        "SELECT e.*, count(p.question_id) AS question_count, coalesce(sum(p.responses), 0) AS response_count, "
        "coalesce(sum(p.marked), 0) AS marked_count, "
        "(SELECT count(*) FROM candidates c WHERE c.exam_id = e.id) AS candidate_count "
        "FROM exams e LEFT JOIN progress p ON p.exam_id = e.id WHERE e.archived_at IS NULL GROUP BY e.id ORDER BY e.id"
    )
    return [
        ExamSummary(
            _exam(row), row["question_count"], row["candidate_count"], row["response_count"], row["marked_count"]
        )
        for row in rows
    ]


def questions(db: Database, exam_id: int) -> list[StoredQuestion]:
    """The exam's questions in order, each with its newest scheme."""
    return _questions(db, "q.exam_id = ? ORDER BY q.position", (exam_id,))


def question(db: Database, question_id: int) -> StoredQuestion:
    """One question with its newest scheme. Raises LookupError where there is none."""
    found = _questions(db, "q.id = ?", (question_id,))
    if not found:
        raise LookupError(f"There is no question {question_id}.")
    return found[0]


def question_under(db: Database, question_id: int, scheme_id: int) -> StoredQuestion:
    """One question with this version of its scheme. Raises LookupError where there is none."""
    found = question(db, question_id)
    if found.scheme_id == scheme_id:
        return found
    row = db.execute(
        "SELECT version, body FROM schemes WHERE id = ? AND question_id = ?", (scheme_id, question_id)
    ).fetchone()
    if row is None:
        raise LookupError(f"Question {question_id} has no scheme {scheme_id}.")
    limits = {"max_mark": found.question.max_mark, "mark_step": found.question.mark_step}
    scheme = Scheme.model_validate(json.loads(row["body"]) | limits)
    return replace(found, scheme=scheme, scheme_id=scheme_id, scheme_version=row["version"])


def set_blind(db: Database, exam_id: int, blind: bool, marker_id: int | None) -> None:
    """Switch the exam's blind mode; what was seen before the switch stays known."""
    db.execute("UPDATE exams SET blind = ? WHERE id = ?", (blind, exam_id))
    events.log(db, "blind mode on" if blind else "blind mode off", f"exam {exam_id}", marker_id=marker_id)


def set_blind_share(db: Database, exam_id: int, share: float, marker_id: int | None) -> None:
    """Change the share of each question's responses that is marked blind; 0 switches the sample off.

    What was seen before stays known. Raises MarkError where the share is not from 0 to 1.
    """
    _check_share(share)
    db.execute("UPDATE exams SET blind_share = ? WHERE id = ?", (share, exam_id))
    events.log(db, "blind share set", f"exam {exam_id}", {"share": share}, marker_id)


def set_judge(db: Database, exam_id: int, judge_id: int, marker_id: int | None) -> None:
    """Choose the judge whose proposals stand on this exam's desk. The caller refreshes the standings."""
    db.execute("UPDATE exams SET judge_id = ? WHERE id = ?", (judge_id, exam_id))
    events.log(db, "judge chosen", f"exam {exam_id}", {"judge_id": judge_id}, marker_id)


def set_rules(
    db: Database,
    exam_id: int,
    marker_id: int | None,
    *,
    what_stands: WhatStands,
    boundaries: Iterable[tuple[str, float]],
) -> None:
    """Set what stands after an adjudication, and the grades as (grade, lowest total). The caller refreshes."""
    rules = {"what_stands": what_stands, "boundaries": [list(each) for each in boundaries]}
    db.execute("UPDATE exams SET settings = json_patch(settings, ?) WHERE id = ?", (json.dumps(rules), exam_id))
    events.log(db, "rules set", f"exam {exam_id}", rules, marker_id)


def any_ever(db: Database) -> bool:
    """Whether there has ever been an exam, archived or not."""
    return db.execute("SELECT 1 FROM exams LIMIT 1").fetchone() is not None


def archive(db: Database, exam_id: int, marker_id: int | None, why: str) -> None:
    """Take an exam out of every list and end its jobs. Its rows stay, as decisions are never deleted."""
    db.execute("UPDATE exams SET archived_at = ? WHERE id = ? AND archived_at IS NULL", (now(), exam_id))
    jobs.cancel_of_exam(db, exam_id)
    events.log(db, "exam archived", f"exam {exam_id}", {"why": why}, marker_id)


def _check_share(share: float) -> None:
    if not 0 <= share <= 1:
        raise MarkError(f"The blind sample must be between 0% and 100% of the responses, not {100 * share:g}%.")


def _check_scale(question: Question, scheme: Scheme) -> None:
    if (question.max_mark, question.mark_step) != (scheme.max_mark, scheme.mark_step):
        raise MarkError(
            f"Question {question.number}: the mark scheme is out of {scheme.max_mark:g} in steps of "
            f"{scheme.mark_step:g}, the question out of {question.max_mark:g} in steps of {question.mark_step:g}."
        )


def _questions(db: Database, where: str, parameters: Sequence[Any]) -> list[StoredQuestion]:
    rows = db.execute(
        "SELECT q.*, s.id AS scheme_id, s.version AS scheme_version, s.body FROM questions q JOIN schemes s "
        "ON s.id = (SELECT id FROM schemes WHERE question_id = q.id ORDER BY version DESC LIMIT 1) WHERE " + where,
        parameters,
    ).fetchall()
    pictures = question_pictures.of_each(db, [row["id"] for row in rows])
    return [_question(row, pictures.get(row["id"], ())) for row in rows]


def _question(row: Any, pictures: tuple[QuestionPicture, ...]) -> StoredQuestion:
    fields = {name: row[name] for name in Question.model_fields if name not in ("aos", "figures")}
    question = Question.model_validate(fields | {"aos": json.loads(row["aos"])})
    scheme = Scheme.model_validate(
        json.loads(row["body"]) | {"max_mark": row["max_mark"], "mark_step": row["mark_step"]}
    )
    return StoredQuestion(
        row["id"], row["exam_id"], row["position"], question, scheme, row["scheme_id"], row["scheme_version"], pictures
    )


def _exam(row: Any) -> Exam:
    settings = json.loads(row["settings"])
    return Exam(
        row["id"],
        row["title"],
        row["subject"],
        row["level"],
        row["series"],
        row["language"],
        row["notice"],
        bool(row["demo"]),
        bool(row["blind"]),
        row["blind_share"],
        row["judge_id"],
        row["created_at"],
        what_stands=WhatStands(settings.get("what_stands", WhatStands.ADJUDICATOR)),
        boundaries=tuple((grade, lowest) for grade, lowest in settings.get("boundaries", ())),
    )

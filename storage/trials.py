"""Trials: several ways of asking about the same marked responses. What they say is kept apart from the desk."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from storage import exams, jobs
from storage.connect import now
from storage.exams import StoredQuestion
from storage.judges import StoredJudge


@dataclass(frozen=True)
class Trial:
    """A trial of an exam that is not archived, with how far its job is. `cap` is in US dollars.

    Its status is a job's; "done" where it came without a job, from an evidence pack.
    """

    id: int
    exam_id: int
    exam: str
    title: str
    settings: dict[str, Any]
    created_at: str
    job_id: int | None
    status: str
    paused: bool
    done: int
    total: int
    message: str
    cap: float | None
    responses: int
    marked: int
    double_marked: int
    arms: int

    @property
    def active(self) -> bool:
        """Not ended; a paused one too."""
        return self.status in ("queued", "running")


@dataclass(frozen=True)
class StoredArm:
    """One way of asking, with its judge. `chosen` are the examples as JSON, by question id."""

    id: int
    position: int
    judge: StoredJudge
    shots: int
    grading: bool
    criteria: bool
    repeat: int
    chosen: dict[str, Any]


@dataclass(frozen=True)
class NewArm:
    judge_id: int
    shots: int = 0
    grading: bool = True
    criteria: bool = True
    repeat: int = 1
    chosen: dict[str, Any] | None = None


def add(
    db: Database, exam_id: int, title: str, settings: dict[str, Any], marker_id: int | None, arms: Sequence[NewArm]
) -> int:
    """A new trial's id, with its arms in this order."""
    cursor = db.execute(
        "INSERT INTO trials (exam_id, title, settings, marker_id, created_at) VALUES (?, ?, ?, ?, ?)",
        (exam_id, title.strip(), json.dumps(settings, sort_keys=True, ensure_ascii=False), marker_id, now()),
    )
    trial_id = int(cursor.lastrowid or 0)
    db.conn.executemany(
        "INSERT INTO trial_arms (trial_id, position, judge_id, shots, grading, criteria, repeat, chosen) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (trial_id, at, arm.judge_id, arm.shots, arm.grading, arm.criteria, arm.repeat, json.dumps(arm.chosen or {}))
            for at, arm in enumerate(arms, 1)
        ],
    )
    return trial_id


def set_job(db: Database, trial_id: int, job_id: int) -> None:
    """The job that does the trial from now on."""
    db.execute("UPDATE trials SET job_id = ? WHERE id = ?", (job_id, trial_id))


def archive(db: Database, trial_id: int) -> None:
    """Take a trial out of the list and end its job, which nobody would see spend; all that it holds stays."""
    for row in db.execute("SELECT job_id FROM trials WHERE id = ? AND job_id IS NOT NULL", (trial_id,)).fetchall():
        jobs.cancel(db, row["job_id"])
    db.execute("UPDATE trials SET archived_at = ? WHERE id = ? AND archived_at IS NULL", (now(), trial_id))


def get(db: Database, trial_id: int) -> Trial | None:
    """One trial that is not archived, nor its exam, or None."""
    found = _trials(db, "t.id = ?", (trial_id,))
    return found[0] if found else None


def listed(db: Database) -> list[Trial]:
    """Every trial that is not archived, nor its exam, newest first."""
    return _trials(db, "1", ())


def count_of_exam(db: Database, exam_id: int) -> int:
    """How many trials the exam has had, archived ones too."""
    return int(db.execute("SELECT count(*) FROM trials WHERE exam_id = ?", (exam_id,)).fetchone()[0])


def arms(db: Database, trial_id: int) -> list[StoredArm]:
    """The trial's arms in order, each with its judge, retired or not."""
    rows = db.execute(
        "SELECT a.*, j.name, j.kind, j.model, j.settings, j.retired_at FROM trial_arms a "
        "JOIN judges j ON j.id = a.judge_id WHERE a.trial_id = ? ORDER BY a.position",
        (trial_id,),
    )
    return [
        StoredArm(
            row["id"],
            row["position"],
            StoredJudge(
                row["judge_id"],
                row["name"],
                row["kind"],
                row["model"],
                json.loads(row["settings"]),
                row["retired_at"],
            ),
            row["shots"],
            bool(row["grading"]),
            bool(row["criteria"]),
            row["repeat"],
            json.loads(row["chosen"]),
        )
        for row in rows
    ]


def questions(db: Database, trial_id: int) -> list[StoredQuestion]:
    """The trial's questions in the exam's order, each with the scheme version that stood when the trial began."""
    rows = db.execute(
        "SELECT DISTINCT q.id, q.position, t.scheme_id FROM trial_responses t JOIN responses r ON r.id = t.response_id "
        "JOIN questions q ON q.id = r.question_id WHERE t.trial_id = ? ORDER BY q.position",
        (trial_id,),
    )
    return [exams.question_under(db, row["id"], row["scheme_id"]) for row in rows]


def places(db: Database, trial_id: int) -> list[tuple[int, int]]:
    """(response id, question id) of the trial's responses, candidate by candidate: what is there early is of all."""
    rows = db.execute(
        "SELECT r.id, r.question_id FROM trial_responses t JOIN responses r ON r.id = t.response_id "
        "JOIN candidates c ON c.id = r.candidate_id JOIN questions q ON q.id = r.question_id "
        "WHERE t.trial_id = ? ORDER BY c.position, q.position",
        (trial_id,),
    )
    return [(row[0], row[1]) for row in rows]


def _trials(db: Database, where: str, parameters: tuple[Any, ...]) -> list[Trial]:
    rows = db.execute(
        "SELECT t.*, e.title AS exam, j.status, j.paused_at, j.done, j.total, j.message, "
        "json_extract(j.payload, '$.cap') AS cap, "
        "(SELECT count(*) FROM trial_arms a WHERE a.trial_id = t.id) AS arms, "
        "(SELECT count(*) FROM trial_responses r WHERE r.trial_id = t.id) AS responses, "
        "(SELECT count(first_mark) FROM trial_responses r WHERE r.trial_id = t.id) AS marked, "
        "(SELECT count(second_mark) FROM trial_responses r WHERE r.trial_id = t.id) AS double_marked "
        "FROM trials t JOIN exams e ON e.id = t.exam_id LEFT JOIN jobs j ON j.id = t.job_id "
        f"WHERE t.archived_at IS NULL AND e.archived_at IS NULL AND {where} ORDER BY t.id DESC",
        parameters,
    )
    return [
        Trial(
            id=row["id"],
            exam_id=row["exam_id"],
            exam=row["exam"],
            title=row["title"],
            settings=json.loads(row["settings"]),
            created_at=row["created_at"],
            job_id=row["job_id"],
            status=row["status"] or "done",
            paused=row["paused_at"] is not None,
            done=row["done"] or 0,
            total=row["total"] or 0,
            message=row["message"] or "",
            cap=row["cap"],
            responses=row["responses"],
            marked=row["marked"],
            double_marked=row["double_marked"],
            arms=row["arms"],
        )
        for row in rows
    ]

"""Jobs: slow work, kept in the database so that it survives a restart."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlite_utils import Database

from storage.connect import now

HEARTBEAT_LOST = timedelta(seconds=20)


@dataclass(frozen=True)
class Job:
    id: int
    kind: str
    payload: dict[str, Any]
    status: str
    done: int
    total: int
    message: str


def add(db: Database, kind: str, payload: dict[str, Any]) -> int:
    """Queue a job. One that is already queued with the same payload serves for both."""
    body = json.dumps(payload, sort_keys=True)
    row = db.execute(
        "SELECT id FROM jobs WHERE kind = ? AND payload = ? AND status = 'queued' AND paused_at IS NULL", (kind, body)
    ).fetchone()
    if row is not None:
        return int(row["id"])
    cursor = db.execute("INSERT INTO jobs (kind, payload, created_at) VALUES (?, ?, ?)", (kind, body, now()))
    return int(cursor.lastrowid or 0)


def waiting(db: Database) -> bool:
    """Whether any job is queued and not paused, or running without a sign of life."""
    return (
        db.execute(
            "SELECT 1 FROM jobs WHERE status = 'queued' AND paused_at IS NULL "
            "OR (status = 'running' AND heartbeat_at < ?) LIMIT 1",
            (_lost(),),
        ).fetchone()
        is not None
    )


def claim(db: Database, worker: str, *, other_than: str = "", skip: Sequence[int] = ()) -> Job | None:
    """Take the oldest queued job for this worker, in a write transaction; None where there is none.

    Jobs of the kind `other_than`, and those to `skip`, are left.
    """
    row = db.execute(
        "SELECT * FROM jobs WHERE status = 'queued' AND paused_at IS NULL AND kind <> ? "
        "AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT 1",
        (other_than, json.dumps(list(skip))),
    ).fetchone()
    if row is None:
        return None
    db.execute(
        "UPDATE jobs SET status = 'running', claimed_by = ?, heartbeat_at = ? WHERE id = ?", (worker, now(), row["id"])
    )
    return _job(row)


def take(db: Database, job_id: int, worker: str) -> None:
    """Claim this very job, if it is queued, before another worker does."""
    db.execute(
        "UPDATE jobs SET status = 'running', claimed_by = ?, heartbeat_at = ? "
        "WHERE id = ? AND status = 'queued' AND paused_at IS NULL",
        (worker, now(), job_id),
    )


def requeue_lost(db: Database) -> None:
    """Put back jobs whose worker has given no sign for HEARTBEAT_LOST: its process is gone."""
    db.execute("UPDATE jobs SET status = 'queued' WHERE status = 'running' AND heartbeat_at < ?", (_lost(),))


def beat(db: Database, job_id: int, worker: str, done: int, total: int, message: str = "") -> bool:
    """Note progress; False when the job has been cancelled, or taken over, and should stop."""
    cursor = db.execute(
        "UPDATE jobs SET done = ?, total = ?, message = ?, heartbeat_at = ? "
        "WHERE id = ? AND status = 'running' AND claimed_by = ?",
        (done, total, message, now(), job_id, worker),
    )
    return cursor.rowcount == 1


def finish(db: Database, job_id: int, worker: str, status: str, message: str = "") -> None:
    """End this worker's running job as done or failed, with a message for people."""
    db.execute(
        "UPDATE jobs SET status = ?, message = ?, finished_at = ? "
        "WHERE id = ? AND status = 'running' AND claimed_by = ?",
        (status, message, now(), job_id, worker),
    )


def requeue(db: Database, job_id: int, worker: str) -> None:
    """Put a running job back, because its worker is stopping; the next worker goes on where it was."""
    db.execute(
        "UPDATE jobs SET status = 'queued' WHERE id = ? AND status = 'running' AND claimed_by = ?", (job_id, worker)
    )


def keep_alive(db: Database, job_id: int, worker: str) -> None:
    """A sign of life during a long step."""
    db.execute(
        "UPDATE jobs SET heartbeat_at = ? WHERE id = ? AND status = 'running' AND claimed_by = ?",
        (now(), job_id, worker),
    )


def again(db: Database, job_id: int) -> None:
    """Queue a job that has ended once more; it goes on from what is stored."""
    db.execute(
        "UPDATE jobs SET status = 'queued', done = 0, total = 0, message = '', paused_at = NULL, finished_at = NULL "
        "WHERE id = ? AND status IN ('done', 'failed', 'cancelled')",
        (job_id,),
    )


def change_payload(db: Database, job_id: int, payload: dict[str, Any]) -> None:
    """Give a job other work than it was queued with; it counts from the next time a worker takes it."""
    db.execute("UPDATE jobs SET payload = ? WHERE id = ?", (json.dumps(payload, sort_keys=True), job_id))


def note_made(db: Database, job_id: int, payload: dict[str, Any]) -> None:
    """At the end of a long transaction, note with its job what it has made. It is a sign of life too, as the worker
    could give none meanwhile."""
    change_payload(db, job_id, payload)
    db.execute("UPDATE jobs SET heartbeat_at = ? WHERE id = ? AND status = 'running'", (now(), job_id))


def pause(db: Database, job_id: int) -> None:
    """Put a job that is queued or running aside until `unpause`; what it has stored stays."""
    db.execute(
        "UPDATE jobs SET status = 'queued', paused_at = ? WHERE id = ? AND status IN ('queued', 'running')",
        (now(), job_id),
    )


def unpause(db: Database, job_id: int) -> None:
    """Let a paused job go on when its turn comes."""
    db.execute("UPDATE jobs SET paused_at = NULL WHERE id = ?", (job_id,))


def cancel(db: Database, job_id: int) -> None:
    """Stop a job that is queued or running; what it has stored stays."""
    db.execute(
        "UPDATE jobs SET status = 'cancelled', finished_at = ? WHERE id = ? AND status IN ('queued', 'running')",
        (now(), job_id),
    )


def cancel_of_exam(db: Database, exam_id: int) -> None:
    """Stop every job that works on the exam or on one of its questions."""
    db.execute(
        "UPDATE jobs SET status = 'cancelled', finished_at = ? WHERE status IN ('queued', 'running') AND ("
        "json_extract(payload, '$.exam_id') = ? "
        "OR json_extract(payload, '$.question_id') IN (SELECT id FROM questions WHERE exam_id = ?))",
        (now(), exam_id, exam_id),
    )


def latest_of_exam(db: Database, kind: str, exam_id: int) -> Job | None:
    """The newest job of this kind for the exam, whatever has become of it."""
    row = db.execute(
        "SELECT * FROM jobs WHERE kind = ? AND json_extract(payload, '$.exam_id') = ? ORDER BY id DESC LIMIT 1",
        (kind, exam_id),
    ).fetchone()
    return None if row is None else _job(row)


def active(db: Database) -> list[Job]:
    """Jobs that are queued or running, oldest first."""
    return [_job(row) for row in db.execute("SELECT * FROM jobs WHERE status IN ('queued', 'running') ORDER BY id")]


def of_marker(db: Database, kind: str, marker_id: int) -> list[Job]:
    """All jobs of this kind whose payload names the marker, oldest first, whatever has become of them."""
    rows = db.execute(
        "SELECT * FROM jobs WHERE kind = ? AND json_extract(payload, '$.marker_id') = ? ORDER BY id", (kind, marker_id)
    )
    return [_job(row) for row in rows]


def latest_of_question(db: Database, kind: str, question_id: int) -> Job | None:
    """The newest job of this kind for the question that was not cancelled and has not failed."""
    row = db.execute(
        "SELECT * FROM jobs WHERE kind = ? AND json_extract(payload, '$.question_id') = ? "
        "AND status NOT IN ('cancelled', 'failed') ORDER BY id DESC LIMIT 1",
        (kind, question_id),
    ).fetchone()
    return None if row is None else _job(row)


def get(db: Database, job_id: int) -> Job | None:
    row = db.execute("SELECT * FROM jobs WHERE id = ?", (job_id,)).fetchone()
    return None if row is None else _job(row)


def _lost() -> str:
    return (datetime.now(UTC) - HEARTBEAT_LOST).isoformat(timespec="microseconds")


def _job(row: Any) -> Job:
    return Job(
        row["id"], row["kind"], json.loads(row["payload"]), row["status"], row["done"], row["total"], row["message"]
    )

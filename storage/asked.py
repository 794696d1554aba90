"""What has been sent to a model and not come back: kept, so that a crash never makes anything be paid for twice."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from sqlite_utils import Database

# Longer than a request may take: a run that was stopped this long ago waits for nothing any more.
WAITED_ENOUGH = timedelta(minutes=10)


def claim(db: Database, job_id: int, judge_id: int, inputs: Iterable[tuple[int, str]]) -> set[int]:
    """Note that these (response id, inputs' hash) are about to be sent; gives the ids that no other run has out."""
    taken = set()
    for response_id, inputs_hash in inputs:
        cursor = db.execute(
            "INSERT OR IGNORE INTO asked (response_id, judge_id, inputs_hash, job_id) VALUES (?, ?, ?, ?)",
            (response_id, judge_id, inputs_hash, job_id),
        )
        if cursor.rowcount == 1:
            taken.add(response_id)
    return taken


def forget(db: Database, judge_id: int, inputs: Iterable[tuple[int, str]]) -> None:
    """These have come back and are stored, or were not sent after all."""
    db.conn.executemany(
        "DELETE FROM asked WHERE response_id = ? AND judge_id = ? AND inputs_hash = ?",
        [(response_id, judge_id, inputs_hash) for response_id, inputs_hash in inputs],
    )


def forget_job(db: Database, job_id: int) -> None:
    """Nothing of this job is out."""
    db.execute("DELETE FROM asked WHERE job_id = ?", (job_id,))


def left(db: Database, job_id: int, judge_id: int) -> list[tuple[int, str]]:
    """(response id, inputs' hash) that this job, or another that ended long ago, had sent when its process ended."""
    long_ago = (datetime.now(UTC) - WAITED_ENOUGH).isoformat(timespec="microseconds")
    rows = db.execute(
        "SELECT a.response_id, a.inputs_hash FROM asked a JOIN jobs j ON j.id = a.job_id WHERE a.judge_id = ? "
        "AND (j.id = ? OR j.status <> 'running' AND coalesce(j.heartbeat_at, '') < ?) ORDER BY a.response_id",
        (judge_id, job_id, long_ago),
    )
    return [(int(row["response_id"]), row["inputs_hash"]) for row in rows]

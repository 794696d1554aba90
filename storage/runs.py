"""Runs: one judge asked about one exam's responses, what it made, and what that took."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlite_utils import Database

from storage import judges
from storage.connect import now

RATE_SECONDS = 60.0  # the rate is that of the last minute


@dataclass(frozen=True)
class Took:
    """What a run's proposals took. Those of rules and of the offline matcher cost nothing and are not `asked`."""

    made: int = 0  # proposals stored, retries included
    asked: int = 0  # responses that went to a language model
    priced: int = 0  # of those, with a price known for each time they were sent
    price: float = 0.0  # US dollars, of the proposals whose price is known
    unpriced: int = 0  # proposals of a language model whose price is not known
    unknown_models: tuple[str, ...] = ()  # those of them that reported tokens: the price file does not have them
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    recent: int = 0  # made in the last RATE_SECONDS, since it last began

    @property
    def per_thousand(self) -> float | None:
        """US dollars for 1,000 responses, or None while any price is unknown or nothing was asked."""
        return None if self.unpriced or not self.asked else 1000 * self.price / self.asked


@dataclass(frozen=True)
class Run:
    """A propose job with its run; `id` is None while it waits to begin for the first time."""

    id: int | None
    job_id: int
    exam_id: int
    exam: str
    judge: str
    judge_kind: str
    model: str
    status: str
    done: int
    total: int
    message: str
    created_at: datetime
    started_at: datetime | None  # the last time it began
    finished_at: datetime | None
    newest: bool  # no later job of its exam: it alone may go on
    took: Took

    @property
    def active(self) -> bool:
        return self.status in ("queued", "running")

    def per_minute(self, moment: datetime) -> float | None:
        """Proposals a minute over the last minute, or None while it does not run or nothing has come yet."""
        if self.status != "running" or self.started_at is None or not self.took.recent:
            return None
        span = min(RATE_SECONDS, max(1.0, (moment - self.started_at).total_seconds()))
        return 60 * self.took.recent / span

    def seconds_left(self, moment: datetime) -> float | None:
        """Seconds to the end at the present rate, or None where there is no rate."""
        rate = self.per_minute(moment)
        return None if rate is None else 60 * (self.total - self.done) / rate


@dataclass(frozen=True)
class Failure:
    """A response whose newest proposal by this judge is a failed one of the run."""

    response_id: int
    question: str
    candidate: str
    reason: str


def begin(db: Database, exam_id: int, judge_id: int, job_id: int) -> int:
    """The id of the job's run of this judge, made if it is new; notes the moment at which it starts or goes on."""
    settings = json.dumps({"started_at": now()})
    row = db.execute(
        "INSERT INTO runs (exam_id, judge_id, job_id, settings, created_at) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (job_id, judge_id) WHERE job_id IS NOT NULL "
        "DO UPDATE SET settings = json_patch(settings, excluded.settings) RETURNING id",
        (exam_id, judge_id, job_id, settings, now()),
    ).fetchone()
    return int(row["id"])


def spent(db: Database, run_id: int) -> float:
    """US dollars that the run's proposals have cost, as far as their prices are known."""
    return float(db.execute("SELECT coalesce(sum(price), 0) FROM proposals WHERE run_id = ?", (run_id,)).fetchone()[0])


def listed(db: Database, moment: datetime, limit: int = -1) -> list[Run]:
    """The runs of exams that are not archived: those under way, then the others, each newest first.

    `limit` bounds how many, where it is not negative.
    """
    rows = db.execute(_LIST, {"limit": limit}).fetchall()
    took = _took(db, [row["run_id"] for row in rows if row["run_id"] is not None], moment)
    return [_run(row, took.get(row["run_id"], Took())) for row in rows]


def failures(db: Database, run_id: int) -> list[Failure]:
    """The run's failures that nothing newer of the same judge has replaced, in the exam's order."""
    rows = db.execute(
        "SELECT p.response_id, q.number AS question, c.number AS candidate, p.reason FROM proposals p "
        "JOIN responses r ON r.id = p.response_id JOIN questions q ON q.id = r.question_id "
        "JOIN candidates c ON c.id = r.candidate_id WHERE p.run_id = ? AND p.status = 'failed' AND NOT EXISTS "
        "(SELECT 1 FROM proposals n WHERE n.response_id = p.response_id AND n.judge_id = p.judge_id AND n.id > p.id) "
        "ORDER BY q.position, c.position",
        (run_id,),
    )
    return [Failure(row["response_id"], row["question"], row["candidate"], row["reason"]) for row in rows]


_LIST = """
SELECT j.*, r.id AS run_id, json_extract(r.settings, '$.started_at') AS started_at, e.id AS exam_id, e.title,
    g.name AS judge, g.kind AS judge_kind, g.model,
    NOT EXISTS (SELECT 1 FROM jobs n WHERE n.kind = 'propose' AND n.id > j.id
                AND json_extract(n.payload, '$.exam_id') = e.id) AND g.id IS e.judge_id AS newest
FROM jobs j
JOIN exams e ON e.id = json_extract(j.payload, '$.exam_id')
LEFT JOIN runs r ON r.job_id = j.id
LEFT JOIN judges g ON g.id = coalesce(r.judge_id, e.judge_id)
WHERE j.kind = 'propose' AND e.archived_at IS NULL
ORDER BY j.status IN ('queued', 'running') DESC, j.id DESC, r.id DESC LIMIT :limit
"""

_TOOK = f"""
SELECT p.run_id, count(*) AS made, sum(p.tokens_in) AS tokens_in, sum(p.tokens_out) AS tokens_out,
    sum(p.seconds) AS seconds,
    count(*) FILTER (WHERE p.created_at >= max(:since, json_extract(r.settings, '$.started_at'))) AS recent,
    count(DISTINCT p.response_id) FILTER (WHERE g.kind = '{judges.LLM}') AS asked,
    count(DISTINCT p.response_id) FILTER (WHERE g.kind = '{judges.LLM}' AND p.price IS NOT NULL) AS priced,
    coalesce(sum(p.price), 0.0) AS price,
    count(*) FILTER (WHERE g.kind = '{judges.LLM}' AND p.price IS NULL) AS unpriced,
    json_group_array(DISTINCT p.model) FILTER
        (WHERE g.kind = '{judges.LLM}' AND p.price IS NULL AND p.tokens_in + p.tokens_out > 0) AS unknown_models
FROM proposals p JOIN judges g ON g.id = p.judge_id JOIN runs r ON r.id = p.run_id
WHERE p.run_id IN (SELECT value FROM json_each(:runs)) GROUP BY p.run_id
"""


def _took(db: Database, run_ids: list[int], moment: datetime) -> dict[int, Took]:
    since = datetime.fromtimestamp(moment.timestamp() - RATE_SECONDS, UTC).isoformat(timespec="microseconds")
    rows = db.execute(_TOOK, {"since": since, "runs": json.dumps(run_ids)})
    return {
        row["run_id"]: Took(
            made=row["made"],
            asked=row["asked"],
            priced=row["priced"],
            price=row["price"],
            unpriced=row["unpriced"],
            unknown_models=tuple(sorted(json.loads(row["unknown_models"]))),
            tokens_in=row["tokens_in"],
            tokens_out=row["tokens_out"],
            seconds=row["seconds"],
            recent=row["recent"],
        )
        for row in rows
    }


def _run(row: Any, took: Took) -> Run:
    return Run(
        id=row["run_id"],
        job_id=row["id"],
        exam_id=row["exam_id"],
        exam=row["title"],
        judge=row["judge"] or "",
        judge_kind=row["judge_kind"] or "",
        model=row["model"] or "",
        status=row["status"],
        done=row["done"],
        total=row["total"],
        message=row["message"],
        created_at=datetime.fromisoformat(row["created_at"]),
        started_at=_moment(row["started_at"]),
        finished_at=_moment(row["finished_at"]),
        newest=bool(row["newest"]),
        took=took,
    )


def _moment(written: str | None) -> datetime | None:
    return None if written is None else datetime.fromisoformat(written)

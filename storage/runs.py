"""Runs: one judge asked about one exam's responses, what it made, and what that took."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
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
    failed: int = 0  # of those
    responses: int = 0  # that they are about; several runs count one each
    asked: int = 0  # of those, the ones given to a language model
    priced: int = 0  # of those, with a price known for each time they were sent
    price: float = 0.0  # US dollars, of the proposals whose price is known
    unpriced: int = 0  # proposals of a language model whose price is not known
    unknown_models: tuple[str, ...] = ()  # those of them that reported tokens: the price file does not have them
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    asked_seconds: float = 0.0  # of those, the language model's
    recent: int = 0  # made in the last RATE_SECONDS, since it last began

    @property
    def per_thousand(self) -> float | None:
        """US dollars for 1,000 responses, or None while any price is unknown or nothing was asked."""
        return None if self.unpriced or not self.asked else 1000 * self.price / self.asked

    @property
    def seconds_per_thousand(self) -> float | None:
        """Judge's seconds for 1,000 responses, the language model's alone where one was asked; None before any."""
        if self.asked:
            return 1000 * self.asked_seconds / self.asked
        return 1000 * self.seconds / self.responses if self.responses else None

    def __add__(self, other: Took) -> Took:
        sums = {
            each.name: getattr(self, each.name) + getattr(other, each.name)
            for each in fields(self)
            if each.name != "unknown_models"
        }
        return Took(**sums, unknown_models=tuple(sorted({*self.unknown_models, *other.unknown_models})))


@dataclass(frozen=True)
class Run:
    """A propose job with its run; `id` is None while it waits to begin for the first time."""

    id: int | None
    job_id: int
    batch: bool  # written as a batch file, not asked live
    exam_id: int
    exam: str
    judge_id: int | None
    judge: str
    judge_kind: str
    model: str
    status: str
    paused: bool  # queued, and no worker takes it before it is let go on
    done: int
    total: int
    message: str
    created_at: datetime
    started_at: datetime | None  # the last time it began
    finished_at: datetime | None
    questions: int  # of the exam
    chosen: int | None  # how many of them it is about, None for all
    subjects: int  # of those questions
    shots: int
    grading: bool  # the examples are shown with the grading process
    cap: float | None  # US dollars
    took: Took

    @property
    def active(self) -> bool:
        """Not ended; a paused one too."""
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


@dataclass(frozen=True)
class Made:
    """One proposal of a run, as a row of a table. `mark` is None where none is proposed, `price` where unknown."""

    question: str
    candidate: str
    status: str
    mark: float | None
    max_mark: float
    label: str
    seconds: float
    tokens_in: int
    tokens_out: int
    price: float | None


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


def spent(db: Database, run_id: int) -> tuple[float, int]:
    """(US dollars that the run's proposals cost, how many were sent to a model at a price that is not known)."""
    row = db.execute(
        "SELECT coalesce(sum(price), 0), count(*) FILTER (WHERE price IS NULL AND raw_reply <> '') FROM proposals "
        "WHERE run_id = ?",
        (run_id,),
    ).fetchone()
    return float(row[0]), int(row[1])


def dearest(db: Database, run_id: int) -> float:
    """US dollars of the run's dearest response, 0 where no price is known."""
    row = db.execute("SELECT coalesce(max(price), 0) FROM proposals WHERE run_id = ?", (run_id,)).fetchone()
    return float(row[0])


def listed(db: Database, moment: datetime, limit: int = -1, *, active_only: bool = False) -> list[Run]:
    """The runs of exams that are not archived: those that have not ended, then the others, each newest first.

    `limit` bounds how many, where it is not negative.
    """
    rows = db.execute(_LIST, {"limit": limit, "active_only": active_only}).fetchall()
    took = _took(db, [row["run_id"] for row in rows if row["run_id"] is not None], moment)
    return [_run(row, took.get(row["run_id"], Took())) for row in rows]


def by_subject(db: Database, run_ids: Sequence[int] | None = None) -> list[tuple[str, Took]]:
    """What these runs took, or all runs of exams that are not archived, by subject in the alphabet's order.

    A question's own subject, else its exam's, else "no subject". A response that two runs were about counts twice.
    """
    wanted = None if run_ids is None else json.dumps(list(run_ids))
    sums: dict[str, Took] = {}
    for row in db.execute(_BY_SUBJECT, {"runs": wanted, "since": "9999"}):
        sums[row["subject"]] = sums.get(row["subject"], Took()) + _sums(row)
    return sorted(sums.items(), key=lambda each: each[0].casefold())


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


def proposals_of(db: Database, run_id: int, limit: int = -1) -> list[Made]:
    """The run's proposals, newest first; `limit` bounds how many, where it is not negative."""
    # The unary + keeps SQLite from walking through every run's proposals, which are in the order asked for already.
    rows = db.execute(
        "SELECT p.id, q.number AS question, c.number AS candidate, p.status, p.mark, q.max_mark, p.label, p.seconds, "
        f"p.tokens_in, p.tokens_out, iif(g.kind = '{judges.LLM}', p.price, 0.0) AS price FROM "
        "(SELECT id AS newest FROM proposals WHERE run_id = :run ORDER BY +id DESC LIMIT :limit) "
        "CROSS JOIN proposals p ON p.id = newest JOIN judges g ON g.id = p.judge_id "
        "JOIN responses r ON r.id = p.response_id "
        "JOIN questions q ON q.id = r.question_id JOIN candidates c ON c.id = r.candidate_id ORDER BY +p.id DESC",
        {"run": run_id, "limit": limit},
    )
    return [Made(**{name: row[name] for name in row.keys() if name != "id"}) for row in rows]  # noqa: SIM118


def paused(db: Database, job_id: int) -> bool:
    """Whether the run of this job waits until a person lets it go on."""
    row = db.execute(
        "SELECT 1 FROM jobs WHERE id = ? AND status = 'queued' AND paused_at IS NOT NULL", (job_id,)
    ).fetchone()
    return row is not None


def changes(db: Database) -> tuple[int, ...]:
    """Something that differs whenever a response, scheme, decision or proposal has been added."""
    tables = ("responses", "schemes", "decisions", "proposals")
    return tuple(db.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()[0] for table in tables)


_LIST = """
SELECT j.*, r.id AS run_id, json_extract(r.settings, '$.started_at') AS started_at, e.id AS exam_id, e.title,
    g.id AS judge_id, g.name AS judge, g.kind AS judge_kind, g.model,
    json_extract(j.payload, '$.shots') AS shots, json_extract(j.payload, '$.grading') AS grading,
    json_extract(j.payload, '$.cap') AS cap, json_type(j.payload, '$.questions') = 'array' AS part,
    count(q.id) AS questions, count(q.id) FILTER (WHERE chosen.value IS NOT NULL) AS chosen,
    count(DISTINCT coalesce(nullif(q.subject, ''), e.subject)) FILTER
        (WHERE chosen.value IS NOT NULL OR json_type(j.payload, '$.questions') IS NOT 'array') AS subjects
FROM jobs j
JOIN exams e ON e.id = json_extract(j.payload, '$.exam_id')
LEFT JOIN questions q ON q.exam_id = e.id
LEFT JOIN json_each(j.payload, '$.questions') chosen ON chosen.value = q.id
LEFT JOIN runs r ON r.job_id = j.id
LEFT JOIN judges g ON g.id = coalesce(json_extract(j.payload, '$.judge_id'), r.judge_id, e.judge_id)
WHERE j.kind IN ('propose', 'batch') AND e.archived_at IS NULL
    AND (NOT :active_only OR j.status IN ('queued', 'running'))
GROUP BY j.id, r.id
ORDER BY j.status IN ('queued', 'running') DESC, j.id DESC, r.id DESC LIMIT :limit
"""

_SUMS = f"""
    count(*) AS made, count(*) FILTER (WHERE p.status = 'failed') AS failed,
    count(DISTINCT p.response_id) AS responses,
    count(DISTINCT p.response_id) FILTER (WHERE g.kind = '{judges.LLM}') AS asked,
    count(DISTINCT p.response_id) FILTER (WHERE g.kind = '{judges.LLM}' AND p.price IS NOT NULL) AS priced,
    coalesce(sum(p.price), 0.0) AS price,
    count(*) FILTER (WHERE g.kind = '{judges.LLM}' AND p.price IS NULL) AS unpriced,
    json_group_array(DISTINCT p.model) FILTER
        (WHERE g.kind = '{judges.LLM}' AND p.price IS NULL AND p.tokens_in + p.tokens_out > 0) AS unknown_models,
    sum(p.tokens_in) AS tokens_in, sum(p.tokens_out) AS tokens_out, sum(p.seconds) AS seconds,
    coalesce(sum(p.seconds) FILTER (WHERE g.kind = '{judges.LLM}'), 0.0) AS asked_seconds,
    count(*) FILTER (WHERE p.created_at >= max(:since, json_extract(u.settings, '$.started_at'))) AS recent
"""

_TOOK = f"""
SELECT p.run_id, {_SUMS}
FROM proposals p JOIN judges g ON g.id = p.judge_id JOIN runs u ON u.id = p.run_id
WHERE p.run_id IN (SELECT value FROM json_each(:runs)) GROUP BY p.run_id
"""

_BY_SUBJECT = f"""
SELECT coalesce(nullif(q.subject, ''), nullif(e.subject, ''), 'no subject') AS subject, {_SUMS}
FROM runs u JOIN exams e ON e.id = u.exam_id AND e.archived_at IS NULL
JOIN proposals p ON p.run_id = u.id JOIN judges g ON g.id = p.judge_id
JOIN responses r ON r.id = p.response_id JOIN questions q ON q.id = r.question_id
WHERE :runs IS NULL OR u.id IN (SELECT value FROM json_each(:runs)) GROUP BY u.id, q.id
"""


def _took(db: Database, run_ids: list[int], moment: datetime) -> dict[int, Took]:
    since = datetime.fromtimestamp(moment.timestamp() - RATE_SECONDS, UTC).isoformat(timespec="microseconds")
    rows = db.execute(_TOOK, {"since": since, "runs": json.dumps(run_ids)})
    return {row["run_id"]: _sums(row) for row in rows}


def _sums(row: Any) -> Took:
    named = {each.name: row[each.name] for each in fields(Took) if each.name != "unknown_models"}
    return Took(**named, unknown_models=tuple(sorted(json.loads(row["unknown_models"]))))


def _run(row: Any, took: Took) -> Run:
    return Run(
        id=row["run_id"],
        job_id=row["id"],
        batch=row["kind"] == "batch",
        exam_id=row["exam_id"],
        exam=row["title"],
        judge_id=row["judge_id"],
        judge=row["judge"] or "",
        judge_kind=row["judge_kind"] or "",
        model=row["model"] or "",
        status=row["status"],
        paused=row["status"] == "queued" and row["paused_at"] is not None,
        done=row["done"],
        total=row["total"],
        message=row["message"],
        created_at=datetime.fromisoformat(row["created_at"]),
        started_at=_moment(row["started_at"]),
        finished_at=_moment(row["finished_at"]),
        questions=row["questions"],
        chosen=row["chosen"] if row["part"] else None,
        subjects=row["subjects"],
        shots=row["shots"] or 0,
        grading=row["grading"] != 0,
        cap=row["cap"],
        took=took,
    )


def _moment(written: str | None) -> datetime | None:
    return None if written is None else datetime.fromisoformat(written)

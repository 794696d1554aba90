"""How a sitting stands: how far its job is, what was answered, what it has cost, and at which pace."""

from __future__ import annotations

from dataclasses import dataclass

from sqlite_utils import Database

from storage.sittings import Sitting


@dataclass(frozen=True)
class Took:
    """How a sitting stands, by the newest answer to each item, and what all its answers have cost.

    Of the `answered`, `marked` have a mark, and `unread` could not be read. `unpriced` came back at a price not known.
    """

    answered: int
    failed: int
    marked: int
    unread: int
    tokens_in: int
    tokens_out: int
    price: float
    unpriced: int
    seconds: float


@dataclass(frozen=True)
class State:
    """How far a sitting's job is."""

    status: str  # queued, running, done, failed or cancelled
    done: int
    total: int
    message: str
    paused: bool

    @property
    def active(self) -> bool:
        return self.status in ("queued", "running")


def took(db: Database, sitting_id: int) -> Took:
    """How the sitting stands, and what it has cost."""
    row = db.execute(
        "SELECT sum(newest AND status = 'answered') AS answered, sum(newest AND status = 'failed') AS failed, "
        "sum(newest AND mark IS NOT NULL) AS marked, "
        "sum(newest AND status = 'answered' AND mark IS NULL AND reason <> '') AS unread, "
        "sum(tokens_in) AS tokens_in, sum(tokens_out) AS tokens_out, sum(price) AS price, "
        "sum(price IS NULL) AS unpriced, sum(seconds) AS seconds FROM (SELECT a.*, a.id = max(a.id) OVER "
        "(PARTITION BY a.item_id) AS newest FROM sitting_answers a WHERE a.sitting_id = ?)",
        (sitting_id,),
    ).fetchone()
    values = {name: row[name] or 0 for name in row.keys()}  # noqa: SIM118 a sqlite3.Row iterates its values
    return Took(**values)


def spent(db: Database, sitting_id: int) -> tuple[float, int]:
    """(US dollars so far, answers whose price is not known)."""
    row = db.execute(
        "SELECT coalesce(sum(price), 0) AS price, coalesce(sum(price IS NULL), 0) AS unpriced FROM sitting_answers "
        "WHERE sitting_id = ?",
        (sitting_id,),
    ).fetchone()
    return float(row["price"]), int(row["unpriced"])


def dearest(db: Database, sitting_id: int) -> float:
    """US dollars of the sitting's dearest answer, 0 where no price is known."""
    row = db.execute(
        "SELECT coalesce(max(price), 0) FROM sitting_answers WHERE sitting_id = ?", (sitting_id,)
    ).fetchone()
    return float(row[0])


def state_of(db: Database, sitting: Sitting) -> State:
    """How far the sitting's job is. One without a job is as good as cancelled."""
    row = db.execute("SELECT * FROM jobs WHERE id = ?", (sitting.job_id,)).fetchone()
    if row is None:
        return State("cancelled", 0, 0, "", False)
    return State(row["status"], row["done"], row["total"], row["message"], row["paused_at"] is not None)


def lately(db: Database, sitting_id: int) -> tuple[int, str]:
    """(how many of the newest answers, at most 60; when the first of them came), to tell the pace by."""
    row = db.execute(
        "SELECT count(*) AS answers, coalesce(min(created_at), '') AS since FROM (SELECT created_at "
        "FROM sitting_answers WHERE +sitting_id = ? ORDER BY id DESC LIMIT 60)",  # the plus: by id, newest first
        (sitting_id,),
    ).fetchone()
    return int(row["answers"]), str(row["since"])


def failures(db: Database, sitting_id: int, limit: int) -> list[tuple[str, str]]:
    """(task and number, reason) of items whose newest answer failed."""
    rows = db.execute(
        "SELECT i.task, json_extract(i.body, '$.number') AS number, a.reason FROM sitting_answers a "
        "JOIN benchmark_items i ON i.id = a.item_id WHERE a.sitting_id = ? AND a.status = 'failed' AND a.id = "
        "(SELECT max(b.id) FROM sitting_answers b WHERE b.sitting_id = a.sitting_id AND b.item_id = a.item_id) "
        "ORDER BY i.position LIMIT ?",
        (sitting_id, limit),
    )
    return [(f"{row['task']} {row['number']}", row["reason"]) for row in rows]


def unread(db: Database, sitting_id: int, limit: int) -> list[tuple[str, str, str]]:
    """(task and number, the reply's beginning, why it has no mark) of replies that could not be read."""
    rows = db.execute(
        "SELECT i.task, json_extract(i.body, '$.number') AS number, substr(a.reply, 1, 300) AS reply, a.reason "
        "FROM sitting_answers a JOIN benchmark_items i ON i.id = a.item_id WHERE a.sitting_id = ? "
        "AND a.status = 'answered' AND a.mark IS NULL AND a.reason <> '' AND a.id = "
        "(SELECT max(b.id) FROM sitting_answers b WHERE b.sitting_id = a.sitting_id AND b.item_id = a.item_id) "
        "ORDER BY i.position LIMIT ?",
        (sitting_id, limit),
    )
    return [(f"{row['task']} {row['number']}", row["reply"], row["reason"]) for row in rows]


def pace(db: Database, judge_id: int, protocol: str) -> tuple[float, float] | None:
    """(seconds, tokens received) of one answer, on average over what the judge gave by this protocol, or None."""
    row = db.execute(
        "SELECT avg(seconds) AS seconds, avg(tokens_out) AS tokens FROM (SELECT a.seconds, a.tokens_out "
        "FROM sitting_answers a JOIN sittings t ON t.id = a.sitting_id WHERE t.judge_id = ? AND a.seconds > 0 "
        "AND a.status = 'answered' AND json_extract(t.settings, '$.protocol') = ? ORDER BY a.id DESC LIMIT 200)",
        (judge_id, protocol),
    ).fetchone()
    return None if row["seconds"] is None else (float(row["seconds"]), float(row["tokens"]))


def answers(db: Database) -> int:
    """A number that grows with every answer of any sitting."""
    row = db.execute("SELECT coalesce(max(id), 0) AS newest FROM sitting_answers").fetchone()
    return int(row["newest"])

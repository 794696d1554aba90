"""Sittings: a model answers a benchmark's questions. What it says is kept as it came, and never changed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from storage.benchmarks import StoredItem
from storage.connect import now


@dataclass(frozen=True)
class Sitting:
    id: int
    set_id: int
    benchmark: str
    set_name: str
    judge_id: int
    judge: str
    model: str
    settings: dict[str, Any]
    job_id: int | None
    created_at: str


@dataclass(frozen=True)
class Answer:
    """What came back about one item. `answers` is None where none could be read; `price` None where not known."""

    status: str  # answered or failed
    reply: str = ""
    answers: tuple[str, ...] | None = None
    mark: float | None = None
    reason: str = ""
    inputs_hash: str = ""
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    price: float | None = None
    seconds: float = 0.0


def add(db: Database, set_id: int, judge_id: int, settings: dict[str, Any], marker_id: int | None) -> int:
    """A new sitting's id."""
    cursor = db.execute(
        "INSERT INTO sittings (set_id, judge_id, settings, marker_id, created_at) VALUES (?, ?, ?, ?, ?)",
        (set_id, judge_id, json.dumps(settings, sort_keys=True), marker_id, now()),
    )
    return int(cursor.lastrowid or 0)


def set_job(db: Database, sitting_id: int, job_id: int) -> None:
    db.execute("UPDATE sittings SET job_id = ? WHERE id = ?", (job_id, sitting_id))


def change_settings(db: Database, sitting_id: int, settings: dict[str, Any]) -> None:
    """Other settings for what is still to do, such as a higher cap."""
    db.execute("UPDATE sittings SET settings = ? WHERE id = ?", (json.dumps(settings, sort_keys=True), sitting_id))


def archive(db: Database, sitting_id: int) -> None:
    """Take a sitting out of every list and out of what is known of its judge; its answers stay."""
    db.execute("UPDATE sittings SET archived_at = ? WHERE id = ? AND archived_at IS NULL", (now(), sitting_id))


def get(db: Database, sitting_id: int) -> Sitting | None:
    """A sitting that is not archived, or None."""
    found = _sittings(db, "t.id = ? AND t.archived_at IS NULL", (sitting_id,))
    return found[0] if found else None


def listed(db: Database, set_id: int | None = None, limit: int = 1000) -> list[Sitting]:
    """The sittings of a set, or of all, newest first; archived ones are left out."""
    where = "t.archived_at IS NULL AND s.archived_at IS NULL"
    if set_id is not None:
        return _sittings(db, f"{where} AND t.set_id = ? ORDER BY t.id DESC LIMIT ?", (set_id, limit))
    return _sittings(db, f"{where} ORDER BY t.id DESC LIMIT ?", (limit,))


def count_of(db: Database, set_id: int, tasks: Sequence[str] | None, splits: Sequence[str]) -> int:
    """How many items of a set these tasks (None: all) and splits have."""
    where, parameters = _chosen(tasks, splits)
    row = db.execute(
        f"SELECT count(*) AS items FROM benchmark_items i WHERE i.set_id = ? AND {where}", (set_id, *parameters)
    ).fetchone()
    return int(row["items"])


def items(
    db: Database,
    set_id: int,
    tasks: Sequence[str] | None,
    splits: Sequence[str],
    *,
    after: int,
    limit: int,
    unanswered_in: int | None = None,
) -> list[StoredItem]:
    """The next items of these tasks and splits past a position; with a sitting, those that it has no answer to yet."""
    where, parameters = _chosen(tasks, splits)
    if unanswered_in is not None:
        where += (
            " AND NOT EXISTS (SELECT 1 FROM sitting_answers a WHERE a.sitting_id = ? AND a.item_id = i.id "
            "AND a.status = 'answered')"
        )
        parameters = (*parameters, unanswered_in)
    rows = db.execute(
        f"SELECT i.id, i.position, i.body FROM benchmark_items i WHERE i.set_id = ? AND {where} AND i.position > ? "
        "ORDER BY i.position LIMIT ?",
        (set_id, *parameters, after, limit),
    )
    return [StoredItem(row["id"], row["position"], row["body"]) for row in rows]


def answered(db: Database, sitting_id: int) -> int:
    """How many items the sitting has an answer to."""
    row = db.execute(
        "SELECT count(DISTINCT item_id) AS items FROM sitting_answers WHERE sitting_id = ? AND status = 'answered'",
        (sitting_id,),
    ).fetchone()
    return int(row["items"])


def knows_any(db: Database, judge_id: int) -> bool:
    """Whether the judge has answered anything in any sitting."""
    row = db.execute(
        "SELECT EXISTS (SELECT 1 FROM sittings t JOIN sitting_answers a ON a.sitting_id = t.id "
        "WHERE t.judge_id = ? AND a.status = 'answered') AS known",
        (judge_id,),
    ).fetchone()
    return bool(row["known"])


def known(db: Database, judge_id: int, hashes: Iterable[str]) -> dict[str, Answer]:
    """By inputs hash, the newest answer that the judge has given to the very same, in any sitting."""
    rows = db.execute(
        "SELECT a.* FROM sitting_answers a JOIN sittings t ON t.id = a.sitting_id "
        "WHERE a.inputs_hash IN (SELECT value FROM json_each(?)) AND a.inputs_hash <> '' AND t.judge_id = ? "
        "AND a.status = 'answered' ORDER BY a.id",
        (json.dumps(list(hashes)), judge_id),
    )
    return {row["inputs_hash"]: _answer(row) for row in rows}


def claim(db: Database, sitting_id: int, item_ids: Iterable[int]) -> set[int]:
    """Note that these are about to be sent; gives those that are not out already."""
    taken = set()
    for item_id in item_ids:
        cursor = db.execute("INSERT INTO sitting_out VALUES (?, ?) ON CONFLICT DO NOTHING", (sitting_id, item_id))
        if cursor.rowcount == 1:
            taken.add(item_id)
    return taken


def forget(db: Database, sitting_id: int, item_ids: Iterable[int]) -> None:
    """These are out no more."""
    db.conn.executemany(
        "DELETE FROM sitting_out WHERE sitting_id = ? AND item_id = ?", [(sitting_id, each) for each in item_ids]
    )


def left_out(db: Database, sitting_id: int) -> list[int]:
    """Items that were with the model when the server ended."""
    rows = db.execute("SELECT item_id FROM sitting_out WHERE sitting_id = ? ORDER BY item_id", (sitting_id,))
    return [int(row["item_id"]) for row in rows]


def keep(db: Database, sitting_id: int, answers: Iterable[tuple[int, Answer]]) -> None:
    """Store what has come back, by item id."""
    moment = now()
    db.conn.executemany(
        "INSERT INTO sitting_answers (sitting_id, item_id, status, reply, answers, mark, reason, inputs_hash, model, "
        "tokens_in, tokens_out, price, seconds, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                *(sitting_id, item_id, each.status, each.reply),
                None if each.answers is None else json.dumps(each.answers),
                *(each.mark, each.reason, each.inputs_hash, each.model),
                *(each.tokens_in, each.tokens_out, each.price, each.seconds, moment),
            )
            for item_id, each in answers
        ],
    )


def _chosen(tasks: Sequence[str] | None, splits: Sequence[str]) -> tuple[str, tuple[Any, ...]]:
    where, parameters = "i.split IN (SELECT value FROM json_each(?))", [json.dumps(list(splits))]
    if tasks is not None:
        where += " AND i.task IN (SELECT value FROM json_each(?))"
        parameters.append(json.dumps(list(tasks)))
    return where, tuple(parameters)


def _answer(row: Any) -> Answer:
    return Answer(
        status=row["status"],
        reply=row["reply"],
        answers=None if row["answers"] is None else tuple(json.loads(row["answers"])),
        mark=row["mark"],
        reason=row["reason"],
        inputs_hash=row["inputs_hash"],
        model=row["model"],
        tokens_in=row["tokens_in"],
        tokens_out=row["tokens_out"],
        price=row["price"],
        seconds=row["seconds"],
    )


def _sittings(db: Database, where: str, parameters: tuple[Any, ...]) -> list[Sitting]:
    rows = db.execute(
        "SELECT t.*, s.benchmark, s.name AS set_name, j.name AS judge, j.model FROM sittings t "
        f"JOIN benchmark_sets s ON s.id = t.set_id JOIN judges j ON j.id = t.judge_id WHERE {where}",
        parameters,
    )
    return [
        Sitting(
            id=row["id"],
            set_id=row["set_id"],
            benchmark=row["benchmark"],
            set_name=row["set_name"],
            judge_id=row["judge_id"],
            judge=row["judge"],
            model=row["model"],
            settings=json.loads(row["settings"]),
            job_id=row["job_id"],
            created_at=row["created_at"],
        )
        for row in rows
    ]

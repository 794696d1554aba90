"""Published benchmarks: their questions as they were loaded, and what models earned on them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from storage.connect import now


@dataclass(frozen=True)
class StoredSet:
    """A benchmark as it was loaded. `report` says, line by line, what was found wrong with it."""

    id: int
    benchmark: str
    name: str
    sha256: str
    report: tuple[str, ...]
    items: int
    created_at: str


@dataclass(frozen=True)
class Task:
    """One task of a set on one split; of its items, `keyed` have a key and `open` are to be written out."""

    task: str
    split: str
    items: int
    keyed: int
    open: int


@dataclass(frozen=True)
class StoredItem:
    id: int
    position: int
    body: str  # JSON, as the intake's Item


@dataclass(frozen=True)
class Result:
    """What a model made of one item: the newest of what it said.

    `status` is answered or failed. `mark` is None where the answer could not be read, where the key is private
    (`keyed` is False) and for a question to be written out; `reason` says why. `full` is what the item is out of.
    """

    sitting_id: int
    set_id: int
    benchmark: str
    protocol: str
    shots: int
    item_id: int
    task: str
    number: str
    split: str
    subject: str
    level: str
    cluster: str
    year: str
    kind: str
    points: float
    key: tuple[str, ...]
    status: str
    reply: str
    answers: tuple[str, ...] | None
    mark: float | None
    reason: str

    @property
    def keyed(self) -> bool:
        return bool(self.key)

    @property
    def full(self) -> float:
        return self.points * max(1, len(self.key))


def with_hash(db: Database, benchmark: str, sha256: str) -> StoredSet | None:
    """The set with these very items, should it be archived too, or None."""
    found = _sets(db, "s.benchmark = ? AND s.sha256 = ? ORDER BY s.id LIMIT 1", (benchmark, sha256))
    return found[0] if found else None


def add(
    db: Database,
    benchmark: str,
    name: str,
    sha256: str,
    report: Sequence[str],
    items: Iterable[tuple[str, str, str]],
    marker_id: int | None = None,
) -> int:
    """A new set's id; its items come as (task, split, body as JSON), in their order."""
    cursor = db.execute(
        "INSERT INTO benchmark_sets (benchmark, name, sha256, report, marker_id, created_at) VALUES (?, ?, ?, ?, ?, ?)",
        (benchmark, name, sha256, json.dumps(list(report), ensure_ascii=False), marker_id, now()),
    )
    set_id = int(cursor.lastrowid or 0)
    db.conn.executemany(
        "INSERT INTO benchmark_items (set_id, position, task, split, body) VALUES (?, ?, ?, ?, ?)",
        ((set_id, position, *item) for position, item in enumerate(items, start=1)),
    )
    return set_id


def get(db: Database, set_id: int) -> StoredSet | None:
    found = _sets(db, "s.id = ?", (set_id,))
    return found[0] if found else None


def listed(db: Database) -> list[StoredSet]:
    """Every set that is not archived, newest first."""
    return _sets(db, "s.archived_at IS NULL ORDER BY s.id DESC", ())


def names(db: Database) -> set[str]:
    """The names of all sets, the archived ones too."""
    return {row["name"] for row in db.execute("SELECT name FROM benchmark_sets")}


def archive(db: Database, set_id: int) -> None:
    """Take a set and its sittings out of every list; nothing of them is deleted."""
    for table, column in (("benchmark_sets", "id"), ("sittings", "set_id")):
        db.execute(f"UPDATE {table} SET archived_at = ? WHERE {column} = ? AND archived_at IS NULL", (now(), set_id))


def unarchive(db: Database, set_id: int) -> None:
    """Bring a set back; sittings that were archived with it stay so."""
    db.execute("UPDATE benchmark_sets SET archived_at = NULL WHERE id = ?", (set_id,))


def tasks(db: Database, set_id: int) -> list[Task]:
    """The set's tasks on each split, in the order of its items."""
    rows = db.execute(
        "SELECT task, split, count(*) AS items, min(position) AS first, "
        "sum(coalesce(json_array_length(body, '$.key'), 0) > 0) AS keyed, "
        "sum(coalesce(json_extract(body, '$.kind'), '') = 'open') AS written "
        "FROM benchmark_items WHERE set_id = ? GROUP BY task, split ORDER BY first",
        (set_id,),
    )
    return [Task(row["task"], row["split"], row["items"], row["keyed"], row["written"]) for row in rows]


def items_of(db: Database, set_id: int, task: str, split: str, limit: int) -> list[StoredItem]:
    """A task's first items on a split."""
    rows = db.execute(
        "SELECT id, position, body FROM benchmark_items WHERE set_id = ? AND task = ? AND split = ? "
        "ORDER BY position LIMIT ?",
        (set_id, task, split, limit),
    )
    return [StoredItem(row["id"], row["position"], row["body"]) for row in rows]


def results_of_sitting(db: Database, sitting_id: int) -> Iterator[Result]:
    """What the sitting's model made of each item that it was asked about, in the items' order, one at a time."""
    return _results(db, "a.sitting_id = ?", (sitting_id,))


def results_of_judge(db: Database, judge_id: int) -> Iterator[Result]:
    """What a judge's model made of every benchmark it has sat, one item at a time, each question once.

    Of a task's questions on one split that it sat more than once, be it from two loads of the same benchmark, the
    sitting counts that answered most of those with a key, of equal ones the newest. Archived sets and sittings are
    left out.
    """
    return _results(
        db,
        "(a.sitting_id, i.task, i.split) IN (SELECT sitting_id, task, split FROM ("
        "SELECT t.id AS sitting_id, j.task, j.split, row_number() OVER (PARTITION BY u.benchmark, j.task, j.split "
        "ORDER BY count(DISTINCT CASE WHEN json_array_length(j.body, '$.key') > 0 THEN b.item_id END) DESC, "
        "t.id DESC) AS place "
        "FROM sittings t JOIN benchmark_sets u ON u.id = t.set_id JOIN sitting_answers b ON b.sitting_id = t.id "
        "JOIN benchmark_items j ON j.id = b.item_id "
        "WHERE t.judge_id = ? AND t.archived_at IS NULL AND u.archived_at IS NULL AND b.status = 'answered' "
        "GROUP BY t.id, j.task, j.split) WHERE place = 1)",
        (judge_id,),
    )


def sat_so_far(db: Database, judge_id: int) -> tuple[int, int, int]:
    """Numbers that change whenever a judge's results may: answers, the newest's id, and its sittings' ids summed."""
    row = db.execute(
        "SELECT count(a.id) AS answers, coalesce(max(a.id), 0) AS newest FROM sittings t "
        "JOIN benchmark_sets s ON s.id = t.set_id JOIN sitting_answers a ON a.sitting_id = t.id "
        "WHERE t.judge_id = ? AND t.archived_at IS NULL AND s.archived_at IS NULL AND a.status = 'answered'",
        (judge_id,),
    ).fetchone()
    counted = db.execute(
        "SELECT coalesce(sum(t.id), 0) AS ids FROM sittings t JOIN benchmark_sets s ON s.id = t.set_id "
        "WHERE t.judge_id = ? AND t.archived_at IS NULL AND s.archived_at IS NULL",
        (judge_id,),
    ).fetchone()
    return int(row["answers"]), int(row["newest"]), int(counted["ids"])


def replies_of(db: Database, sitting_id: int, *, written: bool) -> Iterator[tuple[str, str]]:
    """(item's body, reply) of what a sitting has an answer to, in the items' order, one at a time.

    `written` are the questions to be written out, the others those that are marked by rule.
    """
    rows = db.execute(
        "SELECT i.body, a.reply FROM sitting_answers a JOIN benchmark_items i ON i.id = a.item_id "
        "WHERE a.sitting_id = ? AND a.status = 'answered' "
        "AND (coalesce(json_extract(i.body, '$.kind'), '') = 'open') = ? AND a.id = "
        "(SELECT max(b.id) FROM sitting_answers b WHERE b.sitting_id = a.sitting_id AND b.item_id = a.item_id) "
        "ORDER BY i.position",
        (sitting_id, written),
    )
    return ((row["body"], row["reply"]) for row in rows)


def answered_by_task(db: Database, sitting_id: int) -> list[tuple[str, int, int]]:
    """Of each task of the sitting's set, asked or not: the body of an item, how many it has, how many are answered."""
    rows = db.execute(
        "SELECT min(i.body) AS body, count(*) AS items, sum(coalesce((SELECT a.status FROM sitting_answers a "
        "WHERE a.sitting_id = t.id AND a.item_id = i.id ORDER BY a.id DESC LIMIT 1), '') = 'answered') AS answered "
        "FROM sittings t JOIN benchmark_items i ON i.set_id = t.set_id WHERE t.id = ? GROUP BY i.task ORDER BY i.task",
        (sitting_id,),
    )
    return [(row["body"], row["items"], row["answered"]) for row in rows]


def judges_that_sat(db: Database) -> list[int]:
    """The ids of the judges with an answer in a sitting that is not archived."""
    rows = db.execute(
        "SELECT DISTINCT t.judge_id FROM sittings t WHERE t.archived_at IS NULL "
        "AND EXISTS (SELECT 1 FROM sitting_answers a WHERE a.sitting_id = t.id AND a.status = 'answered') ORDER BY 1"
    )
    return [int(row["judge_id"]) for row in rows]


def _results(db: Database, where: str, parameters: tuple[Any, ...]) -> Iterator[Result]:
    rows = db.execute(
        "SELECT a.sitting_id, i.set_id, s.benchmark, t.settings, a.item_id, i.task, i.split, i.body, a.status, "
        "a.reply, a.answers, a.mark, a.reason FROM sitting_answers a JOIN benchmark_items i ON i.id = a.item_id "
        "JOIN sittings t ON t.id = a.sitting_id JOIN benchmark_sets s ON s.id = i.set_id "
        f"WHERE {where} AND a.id = (SELECT max(b.id) FROM sitting_answers b WHERE b.sitting_id = a.sitting_id "
        "AND b.item_id = a.item_id) ORDER BY a.sitting_id, i.position",
        parameters,
    )
    for row in rows:
        body, settings = json.loads(row["body"]), json.loads(row["settings"])
        yield Result(
            sitting_id=row["sitting_id"],
            set_id=row["set_id"],
            benchmark=row["benchmark"],
            protocol=str(settings.get("protocol", "")),
            shots=int(settings.get("shots", 0)),
            item_id=row["item_id"],
            task=row["task"],
            number=str(body["number"]),
            split=row["split"],
            subject=body.get("subject", ""),
            level=body.get("level", ""),
            cluster=body.get("cluster", ""),
            year=body.get("year", ""),
            kind=body.get("kind", "single_choice"),
            points=float(body.get("points", 1.0)),
            key=tuple(body.get("key", ())),
            status=row["status"],
            reply=row["reply"],
            answers=None if row["answers"] is None else tuple(json.loads(row["answers"])),
            mark=row["mark"],
            reason=row["reason"],
        )


def _sets(db: Database, where: str, parameters: tuple[Any, ...]) -> list[StoredSet]:
    rows = db.execute(
        "SELECT s.*, (SELECT count(*) FROM benchmark_items i WHERE i.set_id = s.id) AS items "
        f"FROM benchmark_sets s WHERE {where}",
        parameters,
    )
    return [
        StoredSet(
            row["id"],
            row["benchmark"],
            row["name"],
            row["sha256"],
            tuple(json.loads(row["report"])),
            row["items"],
            row["created_at"],
        )
        for row in rows
    ]

"""Batches: a run's requests written to files, the remote batches made of them, and what has come back for each line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from components.marking import Scheme
from storage.connect import now

WRITING, WRITTEN, SUBMITTED, ENDED = "writing", "written", "submitted", "ended"
WAITING, GOOD, INVALID, FAILED = "waiting", "good", "invalid", "failed"


@dataclass(frozen=True)
class Batch:
    id: int
    run_id: int
    job_id: int
    exam_id: int
    judge_id: int
    options: dict[str, Any]
    state: str
    cancel_asked: bool
    notes: list[dict[str, Any]]
    report: dict[str, Any]
    created_at: str


@dataclass(frozen=True)
class Part:
    """One file of a batch. `status` is the remote batch's, "" before there is one; `done` and `failed` its counts."""

    batch_id: int
    number: int
    file: str
    lines: int
    token: str | None
    input_file_id: str | None
    remote_id: str | None
    status: str
    done: int
    failed: int
    message: str
    read_at: str | None


@dataclass(frozen=True)
class Line:
    """One request: what it asks about, and what has come back; `exemplars` are ids as a judge knows them."""

    custom_id: str
    batch_id: int
    part: int
    response_id: int
    scheme_id: int
    inputs_hash: str
    sample: int
    exemplars: tuple[str, ...]
    state: str = WAITING
    reply: dict[str, Any] | None = None
    fault: str = ""
    file: str = ""
    line: int = 0
    proposed: bool = False


@dataclass(frozen=True)
class Missing:
    """A response for which lines of a batch have not come back."""

    response_id: int
    question: str
    candidate: str
    lines: int


def add(db: Database, run_id: int, job_id: int, exam_id: int, judge_id: int, options: dict[str, Any]) -> int:
    """A new batch's id, its file still to be written."""
    cursor = db.execute(
        "INSERT INTO batches (run_id, job_id, exam_id, judge_id, options, created_at) VALUES (?, ?, ?, ?, ?, ?)",
        (run_id, job_id, exam_id, judge_id, json.dumps(options), now()),
    )
    return int(cursor.lastrowid or 0)


def get(db: Database, batch_id: int) -> Batch:
    """One batch. Raises LookupError where there is none."""
    row = db.execute("SELECT * FROM batches WHERE id = ?", (batch_id,)).fetchone()
    if row is None:
        raise LookupError(f"There is no batch {batch_id}.")
    return _batch(row)


def listed(db: Database, limit: int = -1) -> list[Batch]:
    """The batches of exams that are not archived, newest first; `limit` bounds how many, where it is not negative."""
    rows = db.execute(
        "SELECT b.* FROM batches b JOIN exams e ON e.id = b.exam_id WHERE e.archived_at IS NULL "
        "ORDER BY b.id DESC LIMIT ?",
        (limit,),
    )
    return [_batch(row) for row in rows]


def set_state(db: Database, batch_id: int, state: str) -> None:
    db.execute("UPDATE batches SET state = ? WHERE id = ?", (state, batch_id))


def ask_cancel(db: Database, batch_id: int) -> None:
    """Note that a person wants no more of the batch's work done."""
    db.execute("UPDATE batches SET cancel_asked = 1 WHERE id = ?", (batch_id,))


def begin_writing(db: Database, batch_id: int) -> None:
    """Forget what an earlier try at writing the batch left."""
    db.execute("DELETE FROM batch_lines WHERE batch_id = ?", (batch_id,))
    db.execute("DELETE FROM batch_parts WHERE batch_id = ?", (batch_id,))


def add_lines(db: Database, lines: Iterable[Line]) -> None:
    db.conn.executemany(
        "INSERT INTO batch_lines (custom_id, batch_id, part, response_id, scheme_id, inputs_hash, sample, exemplars) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                each.custom_id,
                each.batch_id,
                each.part,
                each.response_id,
                each.scheme_id,
                each.inputs_hash,
                each.sample,
                json.dumps(each.exemplars),
            )
            for each in lines
        ],
    )


def end_writing(
    db: Database, batch_id: int, files: Sequence[tuple[str, int]], notes: Sequence[dict[str, Any]], state: str
) -> None:
    """The batch's files, each with its number of lines, are there; `notes` say what is not in them."""
    db.conn.executemany(
        "INSERT INTO batch_parts (batch_id, number, file, lines) VALUES (?, ?, ?, ?)",
        [(batch_id, number, file, lines) for number, (file, lines) in enumerate(files, 1)],
    )
    db.execute("UPDATE batches SET state = ?, notes = ? WHERE id = ?", (state, json.dumps(notes), batch_id))


def parts(db: Database, batch_id: int) -> list[Part]:
    return [
        Part(**dict(row))
        for row in db.execute("SELECT * FROM batch_parts WHERE batch_id = ? ORDER BY number", (batch_id,))
    ]


def change_part(db: Database, part: Part, **changes: str | int | None) -> None:
    """Note what is now known of a part's remote batch, by the names of Part's fields."""
    if changes:
        named = ", ".join(f"{name} = :{name}" for name in changes)
        db.execute(
            f"UPDATE batch_parts SET {named} WHERE batch_id = :batch_id AND number = :number",
            {**changes, "batch_id": part.batch_id, "number": part.number},
        )


def line(db: Database, custom_id: str) -> Line | None:
    row = db.execute("SELECT * FROM batch_lines WHERE custom_id = ?", (custom_id,)).fetchone()
    return None if row is None else _line(row)


def lines_of(db: Database, batch_id: int, response_id: int) -> list[Line]:
    """A response's lines in a batch, in the order of their samples."""
    rows = db.execute(
        "SELECT * FROM batch_lines WHERE batch_id = ? AND response_id = ? ORDER BY sample", (batch_id, response_id)
    )
    return [_line(row) for row in rows]


def came_back(
    db: Database, custom_id: str, state: str, reply: dict[str, Any] | None, fault: str, file: str, number: int
) -> None:
    """Keep what a line of an output file holds for a custom_id."""
    db.execute(
        "UPDATE batch_lines SET state = ?, reply = ?, fault = ?, file = ?, line = ?, proposed = 0 WHERE custom_id = ?",
        (state, None if reply is None else json.dumps(reply), fault, file, number, custom_id),
    )


def to_propose(db: Database, batch_id: int, limit: int) -> list[int]:
    """Responses of which something has come back that no proposal holds yet."""
    rows = db.execute(
        "SELECT DISTINCT response_id FROM batch_lines WHERE batch_id = ? AND state <> 'waiting' AND proposed = 0 "
        "ORDER BY response_id LIMIT ?",
        (batch_id, limit),
    )
    return [int(row["response_id"]) for row in rows]


def mark_proposed(db: Database, batch_id: int, response_id: int) -> None:
    """The response's lines are in a proposal. Their replies go, once no better one can come for another sample."""
    where = "WHERE batch_id = ? AND response_id = ?"
    db.execute(f"UPDATE batch_lines SET proposed = 1 {where} AND state <> 'waiting'", (batch_id, response_id))
    db.execute(
        f"UPDATE batch_lines SET reply = NULL {where} AND NOT EXISTS (SELECT 1 FROM batch_lines o "
        "WHERE o.batch_id = batch_lines.batch_id AND o.response_id = batch_lines.response_id AND o.state <> 'good')",
        (batch_id, response_id),
    )


def counts(db: Database, batch_id: int) -> dict[str, int]:
    """How many lines of the batch are in each state."""
    rows = db.execute("SELECT state, count(*) AS n FROM batch_lines WHERE batch_id = ? GROUP BY state", (batch_id,))
    found = {row["state"]: int(row["n"]) for row in rows}
    return {state: found.get(state, 0) for state in (WAITING, GOOD, INVALID, FAILED)}


def missing(db: Database, batch_id: int) -> list[Missing]:
    """Responses for which lines have not come back, in the exam's order."""
    rows = db.execute(
        "SELECT l.response_id, q.number AS question, c.number AS candidate, count(*) AS lines FROM batch_lines l "
        "JOIN responses r ON r.id = l.response_id JOIN questions q ON q.id = r.question_id "
        "JOIN candidates c ON c.id = r.candidate_id WHERE l.batch_id = ? AND l.state = 'waiting' "
        "GROUP BY l.response_id ORDER BY q.position, c.position",
        (batch_id,),
    )
    return [Missing(**dict(row)) for row in rows]


def cost(db: Database, batch: Batch) -> tuple[float, int]:
    """(US dollars of the proposals whose price is known, how many have none that is known)."""
    row = db.execute(
        "SELECT coalesce(sum(price), 0) AS price, count(*) FILTER (WHERE price IS NULL) AS unknown FROM proposals "
        "WHERE run_id = ? AND judge_id = ?",
        (batch.run_id, batch.judge_id),
    ).fetchone()
    return float(row["price"]), int(row["unknown"])


def out(db: Database, judge_id: int) -> set[tuple[int, str]]:
    """(response id, inputs' hash) that are with an endpoint now in a batch of this judge."""
    rows = db.execute(
        "SELECT DISTINCT l.response_id, l.inputs_hash FROM batches b JOIN batch_lines l ON l.batch_id = b.id "
        "WHERE b.judge_id = ? AND b.state = 'submitted' AND l.state = 'waiting'",
        (judge_id,),
    )
    return {(row["response_id"], row["inputs_hash"]) for row in rows}


def overtaken(db: Database, batch_id: int, part: int) -> int:
    """How many responses of a part have a proposal of the same inputs by now, or are with a run or another batch."""
    row = db.execute(
        "SELECT count(DISTINCT l.response_id) FROM batch_lines l JOIN batches b ON b.id = l.batch_id "
        "WHERE l.batch_id = ? AND l.part = ? AND ("
        "EXISTS (SELECT 1 FROM proposals p WHERE p.response_id = l.response_id "
        "AND p.judge_id = b.judge_id AND p.inputs_hash = l.inputs_hash AND p.status <> 'failed') "
        "OR EXISTS (SELECT 1 FROM asked a WHERE a.response_id = l.response_id AND a.judge_id = b.judge_id "
        "AND a.inputs_hash = l.inputs_hash) OR EXISTS (SELECT 1 FROM batch_lines o JOIN batches c ON c.id = o.batch_id "
        "WHERE o.batch_id <> l.batch_id AND o.response_id = l.response_id AND o.inputs_hash = l.inputs_hash "
        "AND o.state = 'waiting' AND c.state = 'submitted' AND c.judge_id = b.judge_id))",
        (batch_id, part),
    ).fetchone()
    return int(row[0])


def keep_report(db: Database, batch_id: int, of_files: dict[str, Any]) -> None:
    """Add what came of some files that were read back; of the same name the newer stands."""
    report = {**get(db, batch_id).report, **of_files}
    db.execute("UPDATE batches SET report = ? WHERE id = ?", (json.dumps(report), batch_id))


def scheme(db: Database, scheme_id: int) -> Scheme:
    """A version of a mark scheme, whether or not it is the newest. Raises LookupError where there is none."""
    row = db.execute(
        "SELECT s.body, q.max_mark, q.mark_step FROM schemes s JOIN questions q ON q.id = s.question_id WHERE s.id = ?",
        (scheme_id,),
    ).fetchone()
    if row is None:
        raise LookupError(f"There is no mark scheme {scheme_id}.")
    return Scheme.model_validate(json.loads(row["body"]) | {"max_mark": row["max_mark"], "mark_step": row["mark_step"]})


def _batch(row: Any) -> Batch:
    return Batch(
        row["id"],
        row["run_id"],
        row["job_id"],
        row["exam_id"],
        row["judge_id"],
        json.loads(row["options"]),
        row["state"],
        bool(row["cancel_asked"]),
        json.loads(row["notes"]),
        json.loads(row["report"]),
        row["created_at"],
    )


def _line(row: Any) -> Line:
    fields = dict(row) | {
        "exemplars": tuple(json.loads(row["exemplars"])),
        "reply": None if row["reply"] is None else json.loads(row["reply"]),
        "proposed": bool(row["proposed"]),
    }
    return Line(**fields)

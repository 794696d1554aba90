"""An exam's whole record as rows, table by table in an order in which they can be put back, and putting them back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from storage.connect import now

Row = dict[str, Any]

_EXAM = "exam_id = :exam"
_OF_RESPONSE = "response_id IN (SELECT id FROM responses WHERE exam_id = :exam)"
_OF_QUESTION = "question_id IN (SELECT id FROM questions WHERE exam_id = :exam)"
_MARKERS = " UNION ".join(
    f"SELECT marker_id FROM {table} WHERE {where}"
    for table, where in (
        ("imports", _EXAM),
        ("schemes", _OF_QUESTION),
        ("decisions", _OF_RESPONSE),
        ("notes", _OF_RESPONSE),
        ("sightings", _OF_RESPONSE),
        ("shown", _OF_RESPONSE),
        ("annotations", _OF_RESPONSE),
        ("transcripts", _OF_RESPONSE),
        ("standardisation", _OF_QUESTION),
        ("remedies", _EXAM),
        ("question_drafts", _EXAM),
        ("trials", _EXAM),
    )
)
_EVENTS = """about IN (
    SELECT 'exam ' || :exam UNION ALL SELECT 'question ' || id FROM questions WHERE exam_id = :exam
    UNION ALL SELECT 'response ' || id FROM responses WHERE exam_id = :exam)"""
_TRIALS = f"trial_id IN (SELECT id FROM trials WHERE {_EXAM})"
_ARMS = f"arm_id IN (SELECT id FROM trial_arms WHERE {_TRIALS})"
_JUDGES = f"""SELECT judge_id FROM exams WHERE id = :exam UNION SELECT judge_id FROM runs WHERE {_EXAM}
    UNION SELECT judge_id FROM proposals WHERE {_OF_RESPONSE} UNION SELECT judge_id FROM remedies WHERE {_EXAM}
    UNION SELECT judge_id FROM trial_arms WHERE {_TRIALS}"""
_PICTURES = f"""SELECT sha256 FROM response_images WHERE {_OF_RESPONSE}
    UNION SELECT original_sha256 FROM response_images WHERE {_OF_RESPONSE}
    UNION SELECT sha256 FROM question_images WHERE {_OF_QUESTION}
    UNION SELECT json_extract(p.value, '$.sha256') FROM question_drafts d, json_each(d.body, '$.pictures') p
    WHERE d.exam_id = :exam"""


@dataclass(frozen=True)
class PackedTable:
    """A table of the record: which rows are an exam's, in which order, and which columns are not part of it."""

    name: str
    where: str
    order: str = "id"
    without: tuple[str, ...] = ()


# In an order in which every row finds what it refers to. When a marker or a judge was entered on this machine, how a
# judge is reached from it, and its jobs are no part of an exam's record: another machine has its own.
TABLES = (
    PackedTable(
        "markers", f"id IN ({_MARKERS} UNION SELECT marker_id FROM events WHERE {_EVENTS})", without=("created_at",)
    ),
    PackedTable("judges", f"id IN ({_JUDGES})", "id", ("created_at", "retired_at")),
    PackedTable("exams", "id = :exam"),
    PackedTable("imports", _EXAM),
    PackedTable("questions", _EXAM),
    PackedTable("schemes", _OF_QUESTION),
    PackedTable("candidates", _EXAM),
    PackedTable("responses", _EXAM),
    PackedTable("images", f"sha256 IN ({_PICTURES})", "sha256", ("content", "created_at")),
    PackedTable("question_images", _OF_QUESTION, "question_id, place"),
    PackedTable("question_drafts", _EXAM),
    PackedTable("response_images", _OF_RESPONSE, "response_id, page"),
    PackedTable("runs", _EXAM, "id", ("job_id",)),
    PackedTable("proposals", _OF_RESPONSE),
    PackedTable("decisions", _OF_RESPONSE),
    PackedTable("notes", _OF_RESPONSE),
    PackedTable("sightings", _OF_RESPONSE, "response_id, marker_id, proposal_id"),
    PackedTable("shown", _OF_RESPONSE, "response_id, marker_id"),
    PackedTable("annotations", _OF_RESPONSE),
    PackedTable("transcripts", _OF_RESPONSE),
    PackedTable("standardisation", _OF_QUESTION, "response_id"),
    PackedTable("events", _EVENTS),
    PackedTable("answer_books", _EXAM),
    PackedTable("remedies", _EXAM, "id", ("job_id",)),
    PackedTable("remedy_results", f"remedy_id IN (SELECT id FROM remedies WHERE {_EXAM})", "remedy_id, response_id"),
    PackedTable("trials", _EXAM, "id", ("job_id",)),
    PackedTable("trial_responses", _TRIALS, "trial_id, response_id"),
    PackedTable("trial_arms", _TRIALS),
    PackedTable("trial_proposals", _ARMS),
)
# Why the other tables are left out.
LEFT_OUT = {
    **dict.fromkeys(
        ("standings", "progress", "pairs", "tallies", "double_marked", "double_tallies"),
        "derived: made again from the rest",
    ),
    **dict.fromkeys(
        ("jobs", "asked", "batches", "batch_parts", "batch_lines", "scans", "trial_out"),
        "work in hand of one machine: what came of it is in proposals, responses and pictures",
    ),
    **dict.fromkeys(
        ("benchmark_sets", "benchmark_items", "sittings", "sitting_answers", "sitting_out"),
        "published questions that a model sat: about a model, not about an exam",
    ),
    "capabilities": "about a model, not about an exam",
    "answer_drafts": "not handed in",
    "readings": "not confirmed",
    "pseudonyms": "the key of names, which leaves this machine only as itself",
}


def columns(db: Database, table: PackedTable) -> list[str]:
    """The columns of the table that are part of the record, in the table's own order."""
    rows = db.execute(f"SELECT name FROM pragma_table_info('{table.name}') ORDER BY cid")
    return [row["name"] for row in rows if row["name"] not in table.without]


def rows(db: Database, table: PackedTable, exam_id: int, wanted: Sequence[str]) -> Iterator[Row]:
    """The exam's rows of the table with these columns, in the record's order, one at a time."""
    found = db.execute(
        f"SELECT {', '.join(wanted)} FROM {table.name} WHERE {table.where} ORDER BY {table.order}", {"exam": exam_id}
    )
    return (dict(zip(wanted, row, strict=True)) for row in found)


def add_rows(db: Database, table: PackedTable, found: Sequence[Row]) -> None:
    """Put rows back as they were, ids and all; their columns are alike and the table's.

    Raises sqlite3.Error for what cannot stand beside what is here.
    """
    # Not part of the record, and not to be left empty: when they were entered on this machine.
    entered = {"created_at": now()} if "created_at" in table.without else {}
    names = [*found[0], *entered]
    db.conn.executemany(
        f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",
        [[*row.values(), *entered.values()] for row in found],
    )


def add_picture(db: Database, row: Row, content: bytes) -> None:
    """Put a picture back, unless it is here already: its name is its content's SHA-256."""
    db.execute(
        "INSERT OR IGNORE INTO images (sha256, mime, width, height, content, created_at) VALUES (?, ?, ?, ?, ?, ?)",
        (row["sha256"], row["mime"], row["width"], row["height"], content, now()),
    )


def with_ids(db: Database, table: PackedTable, ids: Sequence[int], wanted: Sequence[str]) -> dict[int, Row]:
    """By id, the rows of the table that have these ids here, whosever they are."""
    found = db.execute(
        f"SELECT {', '.join(wanted)} FROM {table.name} WHERE id IN ({', '.join('?' * len(ids))})", list(ids)
    )
    return {row["id"]: dict(zip(wanted, row, strict=True)) for row in found}


def named(db: Database, table: PackedTable, names: Sequence[str]) -> dict[str, int]:
    """By name, the ids of the markers or judges that are called so here."""
    rows = db.execute(f"SELECT id, name FROM {table.name} WHERE name IN ({', '.join('?' * len(names))})", list(names))
    return {row["name"]: row["id"] for row in rows}


def title(db: Database, exam_id: int) -> str | None:
    """The exam's title, archived or not; None where there is no such exam."""
    row = db.execute("SELECT title FROM exams WHERE id = ?", (exam_id,)).fetchone()
    return None if row is None else str(row["title"])


def prompts_used(db: Database, exam_id: int) -> list[tuple[str, str, int]]:
    """(version, hash, number of proposals) of every prompt behind the exam's proposals."""
    found = db.execute(
        f"SELECT prompt_version, prompt_hash, count(*) FROM (SELECT prompt_version, prompt_hash FROM proposals "
        f"WHERE {_OF_RESPONSE} UNION ALL SELECT prompt_version, prompt_hash FROM trial_proposals WHERE {_ARMS} "
        "AND proposal_id IS NULL AND taken_id IS NULL) WHERE prompt_version <> '' "
        "GROUP BY prompt_version, prompt_hash ORDER BY prompt_version, prompt_hash",
        {"exam": exam_id},
    )
    return [(row[0], row[1], int(row[2])) for row in found]

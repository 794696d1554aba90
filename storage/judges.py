"""Judges: the configured AI markers. Never a key: that stays in memory or in the environment."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from storage.connect import now

OBJECTIVE = "objective"
OFFLINE = "offline"
LLM = "llm"
IMPORTED = "imported"
REACH = ("key_variable", "at_once")  # where its key is, and how many requests it gets at once: these may change


@dataclass(frozen=True)
class StoredJudge:
    id: int
    name: str
    kind: str
    model: str
    settings: dict[str, Any]
    retired_at: str | None


def ensure(db: Database, name: str, kind: str, model: str = "", settings: dict[str, Any] | None = None) -> int:
    """The id of the judge with this name and configuration, made if it is new; one that was retired comes back.

    `settings` may hold REACH, which is how it is asked and no part of what it is. Raises ValueError when another judge
    has the name.
    """
    row = db.execute("SELECT * FROM judges WHERE name = ?", (name,)).fetchone()
    if row is None:
        cursor = db.execute(
            "INSERT INTO judges (name, kind, model, settings, created_at) VALUES (?, ?, ?, ?, ?)",
            (name, kind, model, json.dumps(settings or {}), now()),
        )
        return int(cursor.lastrowid or 0)
    same = (row["kind"], row["model"]) == (kind, model)
    if not same or _own(json.loads(row["settings"])) != _own(settings or {}):
        raise ValueError(f"There is already another judge called {name}. Give this one a different name.")
    unretire(db, row["id"])
    return int(row["id"])


def find(db: Database, name: str) -> StoredJudge | None:
    """The judge of this name, retired or not."""
    row = db.execute("SELECT * FROM judges WHERE name = ?", (name,)).fetchone()
    return None if row is None else _judge(row)


def _own(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name not in REACH}


def retire(db: Database, judge_id: int) -> None:
    """Take a judge out of every list of judges to ask. What it has proposed stays, and stays named after it."""
    db.execute("UPDATE judges SET retired_at = ? WHERE id = ? AND retired_at IS NULL", (now(), judge_id))


def unretire(db: Database, judge_id: int) -> None:
    """Bring a retired judge back."""
    db.execute("UPDATE judges SET retired_at = NULL WHERE id = ?", (judge_id,))


def note_reach(db: Database, judge_id: int, key_variable: str | None, at_once: int) -> None:
    """Note how the judge is asked this time: where its key came from, and how many requests may be out at once."""
    db.execute(
        "UPDATE judges SET settings = json_set(settings, '$.key_variable', ?, '$.at_once', ?) WHERE id = ?",
        (key_variable, at_once, judge_id),
    )


def get(db: Database, judge_id: int) -> StoredJudge | None:
    row = db.execute("SELECT * FROM judges WHERE id = ?", (judge_id,)).fetchone()
    return None if row is None else _judge(row)


def listed(db: Database) -> list[StoredJudge]:
    """Every judge that is not retired, oldest first."""
    return [_judge(row) for row in db.execute("SELECT * FROM judges WHERE retired_at IS NULL ORDER BY id")]


def retired(db: Database) -> list[StoredJudge]:
    """Every retired judge, oldest first."""
    return [_judge(row) for row in db.execute("SELECT * FROM judges WHERE retired_at IS NOT NULL ORDER BY id")]


def capabilities(db: Database, base_url: str, model: str) -> dict[str, Any] | None:
    """What is known of what the endpoint's model takes, or None before it was first asked."""
    row = db.execute("SELECT found FROM capabilities WHERE base_url = ? AND model = ?", (base_url, model)).fetchone()
    return None if row is None else dict(json.loads(row["found"]))


def note_capabilities(db: Database, base_url: str, model: str, found: dict[str, Any]) -> None:
    """Keep what was found out about what the endpoint's model takes, in place of what was known."""
    db.execute(
        "INSERT OR REPLACE INTO capabilities (base_url, model, found, found_at) VALUES (?, ?, ?, ?)",
        (base_url, model, json.dumps(found), now()),
    )


def _judge(row: Any) -> StoredJudge:
    return StoredJudge(
        row["id"], row["name"], row["kind"], row["model"], json.loads(row["settings"]), row["retired_at"]
    )

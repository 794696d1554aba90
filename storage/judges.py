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


@dataclass(frozen=True)
class StoredJudge:
    id: int
    name: str
    kind: str
    model: str
    settings: dict[str, Any]
    retired_at: str | None


def ensure(db: Database, name: str, kind: str, model: str = "", settings: dict[str, Any] | None = None) -> int:
    """The id of the judge with this name and kind, made if it is new. Raises ValueError when the name is taken."""
    row = db.execute("SELECT id, kind, model FROM judges WHERE name = ?", (name,)).fetchone()
    if row is None:
        cursor = db.execute(
            "INSERT INTO judges (name, kind, model, settings, created_at) VALUES (?, ?, ?, ?, ?)",
            (name, kind, model, json.dumps(settings or {}), now()),
        )
        return int(cursor.lastrowid or 0)
    if (row["kind"], row["model"]) != (kind, model):
        raise ValueError(f"There is already another judge called {name}. Give this one a different name.")
    return int(row["id"])


def note_key_variable(db: Database, judge_id: int, key_variable: str | None) -> None:
    """Note where the judge's key came from this time: how it is reached, not what it is."""
    db.execute(
        "UPDATE judges SET settings = json_set(settings, '$.key_variable', ?) WHERE id = ?", (key_variable, judge_id)
    )


def get(db: Database, judge_id: int) -> StoredJudge | None:
    row = db.execute("SELECT * FROM judges WHERE id = ?", (judge_id,)).fetchone()
    return None if row is None else _judge(row)


def listed(db: Database) -> list[StoredJudge]:
    """Every judge that is not retired, oldest first."""
    return [_judge(row) for row in db.execute("SELECT * FROM judges WHERE retired_at IS NULL ORDER BY id")]


def _judge(row: Any) -> StoredJudge:
    return StoredJudge(
        row["id"], row["name"], row["kind"], row["model"], json.loads(row["settings"]), row["retired_at"]
    )

"""Whether only the demo is here, untouched, and making room in its place for what is restored with ids of its own."""

from __future__ import annotations

from sqlite_utils import Database

# What installing the demo and its proposals fill, and what looking around does. Any other table means work.
_OF_THE_DEMO = frozenset(
    (
        *("markers", "judges", "exams", "questions", "schemes", "candidates", "responses", "images"),
        *("question_images", "response_images", "runs", "jobs", "asked", "capabilities", "proposals", "decisions"),
        *("sightings", "shown", "events"),
        *("standings", "progress", "pairs", "tallies", "double_marked", "double_tallies"),
    )
)


def why_not(db: Database) -> str:
    """Why what is here is more than a fresh install, in words; blank where it is none: nothing, or only the demo as it
    was installed."""
    own = db.execute("SELECT title FROM exams WHERE demo = 0 LIMIT 1").fetchone()
    if own is not None:
        return f"There is an exam of your own here, “{own['title']}”."
    if db.execute("SELECT 1 FROM jobs WHERE status IN ('queued', 'running') LIMIT 1").fetchone():
        return "The demo's proposals are still being made. Try again in a minute."
    marked = db.execute(
        "SELECT m.name FROM decisions d JOIN markers m ON m.id = d.marker_id WHERE m.external = 0 LIMIT 1"
    ).fetchone()
    if marked is not None:
        return f"{marked['name']} has marked here, in the demo."
    # Everything that a person does beyond marking and looking is in the audit log.
    done = db.execute(
        "SELECT e.kind, m.name FROM events e JOIN markers m ON m.id = e.marker_id "
        "WHERE e.kind <> 'marker added' LIMIT 1"
    ).fetchone()
    if done is not None:
        return f"{done['name']} has worked here already ({done['kind']})."
    filled = next((table for table in _tables(db) if table not in _OF_THE_DEMO and _any(db, table)), None)
    if filled is not None or db.execute("SELECT 1 FROM jobs WHERE status = 'cancelled' LIMIT 1").fetchone():
        return "Somebody has worked here already."
    return ""


def make_room(db: Database) -> None:
    """Delete every row. For an install of which `why_not` says nothing, in the transaction that puts others there.

    Marks are append-only by triggers, which are put by for this: it is the demo's invented marks that go.
    """
    triggers = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid").fetchall()
    db.execute("PRAGMA defer_foreign_keys = ON")
    for trigger in triggers:
        db.execute(f"DROP TRIGGER {trigger['name']}")
    for table in _tables(db):
        db.execute(f"DELETE FROM {table}")
    for trigger in triggers:
        db.execute(trigger["sql"])


def _tables(db: Database) -> list[str]:
    rows = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
    return [str(row["name"]) for row in rows]


def _any(db: Database, table: str) -> bool:
    return db.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is not None

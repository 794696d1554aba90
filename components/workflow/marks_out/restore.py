"""Putting an evidence pack back into a fresh install, as it was: all of it or nothing.

`python -m components.workflow.marks_out.restore PACK` does it without the app, before its first start.
"""

from __future__ import annotations

import hashlib
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from pydantic import ValidationError
from sqlite_utils import Database

from components.marking import Marker
from components.workflow.marks_out.pack_check import CheckedPack, checked
from components.workflow.marks_out.pack_format import PackError, lines, table_file, without_keys
from storage import Store, StoreError, events, exams, fresh, judges, markers, open_store, standings
from storage import evidence as record
from storage.evidence import PackedTable, Row
from storage.judges import StoredJudge

AT_ONCE = 200
SHARED = ("markers", "judges")  # may be here already, as the same people and judges
_ELSEWHERE = (
    "An evidence pack keeps its numbers, so that every reference to them holds. Restore it into an empty data folder: "
    "set SECOND_MARKER_DATA to a new folder, and restore before anything else is done there."
)
_SPOILT = "The pack's rows do not fit together, so nothing was restored. Get the pack again from where it was made."

_NOT_STORED = (sqlite3.IntegrityError, sqlite3.InterfaceError, sqlite3.ProgrammingError)


@dataclass(frozen=True)
class Restored:
    """What came back: the exam, and how many rows of each table. `marker_id` is who restored it, as known now."""

    exam_id: int
    exam: str
    counts: dict[str, int]
    marker_id: int | None = None


def restore(store: Store, pack: BinaryIO, marker: Marker | None = None, *, for_demo: bool = False) -> Restored:
    """Put the pack's exam back with all its ids; a pack made of it afterwards has the same files.

    `for_demo` first makes room where only the untouched demo is: it goes for good, and profiles and language models
    that were added here get new ids. Whoever calls it then opens connections and worker anew. Raises PackError in
    words, with nothing changed, for a pack that is damaged, changed or hostile, and where the install has other rows
    with the same ids.
    """
    with checked(pack) as found, store.write() as db:
        try:
            people, models = _make_room(db) if for_demo else ([], [])
            exam_id, counts = _restore(db, found)
            for each in people:
                if markers.find(db, each.name) is None:
                    markers.add(db, each.name, each.role)
            _keep_models(db, models)
            marker_id = None if marker is None else markers.find(db, marker.name)
            about = {"exam": found.manifest.exam, "exam_id": exam_id, "counts": counts}
            events.log(db, "evidence pack restored", "evidence pack", about, marker_id)
            return Restored(exam_id, found.manifest.exam, counts, marker_id)
        except PackError:
            raise
        except (*_NOT_STORED, KeyError, ValueError, TypeError, OverflowError) as error:
            raise PackError(f"{_SPOILT} ({error})") from error


def _make_room(db: Database) -> tuple[list[Marker], list[StoredJudge]]:
    """Take the untouched demo away; gives the profiles and the language models that were here."""
    if reason := fresh.why_not(db):
        raise PackError(f"{reason} {_ELSEWHERE}")
    people = markers.profiles(db)
    models = [judge for judge in judges.listed(db) if judge.kind == judges.LLM]
    fresh.make_room(db)
    return people, models


def _keep_models(db: Database, models: Sequence[StoredJudge]) -> None:
    """Have the models that somebody connected here among the judges again; they are no part of the demo."""
    for each in models:
        try:
            judges.ensure(db, each.name, each.kind, each.model, each.settings)
        except ValueError as error:
            raise PackError(
                f"The pack has a judge called {each.name}, and so has this install. {_ELSEWHERE}"
            ) from error


def _restore(db: Database, pack: CheckedPack) -> tuple[int, dict[str, int]]:
    manifest = pack.manifest
    here = record.title(db, manifest.exam_id)
    if here is not None:
        raise PackError(
            f"This install already has an exam with the number {manifest.exam_id}, “{here}”; the pack's is "
            f"“{manifest.exam}”. {_ELSEWHERE}"
        )
    counts, columns = {}, {}
    for table in record.TABLES:
        counts[table.name], columns[table.name] = _put_back(db, table, pack)
    standings.refresh_exam(db, manifest.exam_id)
    _check_same(db, pack, columns)
    _check_readable(db, manifest.exam_id)
    return manifest.exam_id, counts


def _put_back(db: Database, table: PackedTable, pack: CheckedPack) -> tuple[int, list[str]]:
    """How many rows the table has in the pack, and their columns."""
    known = record.columns(db, table)
    count, columns = 0, known
    for rows in _parts(pack.rows(table.name)):
        columns, count = list(rows[0]), count + len(rows)
        if not set(columns) <= set(known):
            raise PackError(f"{table_file(table.name)} has columns that this version does not know. Update the app.")
        if table.name == "images":
            for row in rows:
                record.add_picture(db, row, pack.picture(row))
        else:
            new = _unknown_here(db, table, rows, columns)
            if new:
                record.add_rows(db, table, new)
    return count, columns


def _parts(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while part := list(islice(rows, AT_ONCE)):
        yield part


def _unknown_here(db: Database, table: PackedTable, rows: list[Row], columns: Sequence[str]) -> list[Row]:
    """The rows that are not here yet. Raises PackError where others are here in their place."""
    if "id" not in columns:
        return rows
    here = record.with_ids(db, table, [row["id"] for row in rows], columns)
    if table.name not in SHARED:
        if here:
            numbers = ", ".join(map(str, sorted(here)[:3]))
            raise PackError(
                f"This install already has {table.name} with numbers of the pack's: {numbers}. {_ELSEWHERE}"
            )
        return rows
    called = record.named(db, table, [row["name"] for row in rows])
    for row in rows:
        kind = table.name.removesuffix("s")
        there = here.get(row["id"])
        if there is not None and _identity(table, there) != _identity(table, row):
            raise PackError(
                f"In the pack {kind} {row['id']} is {row['name']}; in this install it is {there['name']}, or another "
                f"of that name. {_ELSEWHERE}"
            )
        if called.get(row["name"], row["id"]) != row["id"]:
            raise PackError(
                f"In the pack {row['name']} is {kind} {row['id']}; in this install, {kind} {called[row['name']]}. "
                f"{_ELSEWHERE}"
            )
    return [row for row in rows if row["id"] not in here]


def _identity(table: PackedTable, row: Row) -> Row:
    return row | {"settings": without_keys(row["settings"])} if table.name == "judges" else row


def _check_same(db: Database, pack: CheckedPack, columns: dict[str, list[str]]) -> None:
    """What is here now, packed again, is what the pack has: it holds no row of another exam, and none was lost."""
    for table in record.TABLES:
        digest = hashlib.sha256()
        for line in lines(table.name, record.rows(db, table, pack.manifest.exam_id, columns[table.name])):
            digest.update(line)
        packed = pack.manifest.files.get(table_file(table.name))
        if digest.hexdigest() != (hashlib.sha256().hexdigest() if packed is None else packed.sha256):
            raise PackError(f"{_SPOILT} ({table_file(table.name)} has rows that are not this exam's.)")


def _check_readable(db: Database, exam_id: int) -> None:
    try:
        exams.get(db, exam_id)
        exams.questions(db, exam_id)
    except (ValidationError, ValueError, TypeError) as error:
        raise PackError(f"{_SPOILT} (A question or the exam's rules cannot be read.)") from error


def main(arguments: Sequence[str]) -> int:
    """Restore the named pack into the data folder. 0 where it is done, 1 where not, with the reason on stderr."""
    if len(arguments) != 1:
        print("Give the pack's file: python -m components.workflow.marks_out.restore PACK", file=sys.stderr)
        return 1
    try:
        store = open_store()
        try:
            with Path(arguments[0]).open("rb") as pack:
                restored = restore(store, pack)
        finally:
            store.close()
    except (PackError, StoreError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Restored “{restored.exam}” with {restored.counts['responses']:,} responses into {store.path}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

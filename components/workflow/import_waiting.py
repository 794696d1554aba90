"""What a large import is to store, as a file in the data folder until its job ends, and how far the job is.

The file holds names. It stands only as long as its job is queued or running, and whoever removes it calls the import
off: that needs no turn at the database, which the import itself may hold for seconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from sqlite_utils import Database

from components.intake import PlannedAIMark, PlannedMark, PlannedResponse, RowReport
from components.marking import MarkError
from components.workflow.import_wanted import Wanted
from storage import Store, jobs
from storage.jobs import Job

IMPORT = "import"
# In one go a large file would keep every session of the server waiting: pydantic lets nobody else work meanwhile.
_ROWS_AT_ONCE = 1_000
_END = b"end"
_DAMAGED = "Nothing was imported: the copy of the file is damaged. Choose the file again."


@dataclass(frozen=True)
class _Rows:
    """Some rows of a plan."""

    responses: tuple[PlannedResponse, ...]
    human_marks: tuple[PlannedMark, ...]
    ai_marks: tuple[PlannedAIMark, ...]
    report: tuple[RowReport, ...]


_WANTED, _SOME_ROWS = TypeAdapter(Wanted), TypeAdapter(_Rows)


def as_bytes(wanted: Wanted) -> bytes:
    """What `read` reads: a line for all but the plan's rows, a line for some of the rows each, and an end."""
    plan = wanted.plan
    parts = (plan.responses, plan.human_marks, plan.ai_marks, plan.report)
    bare = replace(wanted, plan=replace(plan, responses=(), human_marks=(), ai_marks=(), report=()))
    lines = [_WANTED.dump_json(bare)]
    for first in range(0, max(map(len, parts)), _ROWS_AT_ONCE):
        rows = slice(first, first + _ROWS_AT_ONCE)
        some = _Rows(plan.responses[rows], plan.human_marks[rows], plan.ai_marks[rows], plan.report[rows])
        lines.append(_SOME_ROWS.dump_json(some))
    return b"\n".join([*lines, _END])


def read(store: Store, job: Job) -> Wanted | None:
    """What the job is to import; None where its file is gone. Raises MarkError for a file that is damaged."""
    try:
        lines = file_of(store, job.payload["key"]).read_bytes().split(b"\n")
        if lines.pop() != _END:
            raise MarkError(_DAMAGED)
        bare = _WANTED.validate_json(lines[0])
        some = [_SOME_ROWS.validate_json(line) for line in lines[1:]]
    except FileNotFoundError:
        return None
    except (OSError, ValidationError, IndexError) as error:
        raise MarkError(_DAMAGED) from error
    plan = replace(
        bare.plan,
        responses=tuple(chain.from_iterable(each.responses for each in some)),
        human_marks=tuple(chain.from_iterable(each.human_marks for each in some)),
        ai_marks=tuple(chain.from_iterable(each.ai_marks for each in some)),
        report=tuple(chain.from_iterable(each.report for each in some)),
    )
    if len(plan.responses) != job.payload["responses"]:
        raise MarkError(_DAMAGED)
    return replace(bare, plan=plan)


def how_far(store: Store, job: Job) -> tuple[float, str]:
    """The share that is done, from 0 to 1, and what is being done, in words."""
    if job.status == "queued":
        return 0.0, "Waiting for its turn"
    try:
        share, what = json.loads(_progress_file(store, job.payload["key"]).read_text(encoding="utf-8"))
        return float(share), str(what)
    except (OSError, ValueError):
        ending = not file_of(store, job.payload["key"]).exists()
        return (1.0, "Ending") if ending else (0.0, "Reading")


def note_how_far(store: Store, job: Job, share: float, what: str) -> None:
    """For `how_far`. In a file, as the database shows nothing of a transaction before its end."""
    place = _progress_file(store, job.payload["key"])
    half = place.with_suffix(".half")
    with suppress(OSError):  # an import does not fail for what it could not tell
        half.write_text(json.dumps([share, what]), encoding="utf-8")
        half.replace(place)


def file_of(store: Store, key: str) -> Path:
    """Where what is to be imported lies."""
    return _folder(store) / f"{key}.json"


def remove(store: Store, key: str) -> None:
    """Remove an import's files. What cannot be removed now goes with `forget_ended`."""
    _unlink(_folder(store).glob(f"{key}.*"))


def call_off(store: Store, key: str) -> None:
    """Remove an import's files, and leave word for `forget_ended`: a worker that was killed may have written names."""
    remove(store, key)
    with suppress(OSError):
        (_folder(store) / f"{key}.gone").touch()


def forget_ended(store: Store) -> None:
    """Remove the files of imports that are neither queued nor running, however they ended.

    Then the database's log is emptied too, where what was written and taken back may still stand.
    """
    if not any(_folder(store).glob("*")):
        return
    with store.read() as db:
        keys = _active_keys(db)
    if all(place.stem in keys for place in _folder(store).glob("*")):
        return
    with store.write() as db:  # `order` adds a file and its job in one such transaction
        keys = _active_keys(db)
        _unlink([place for place in _folder(store).glob("*") if place.stem not in keys])
    store.empty_log()


def _active_keys(db: Database) -> set[str]:
    return {job.payload["key"] for job in jobs.active(db) if job.kind == IMPORT}


def _unlink(places: Iterable[Path]) -> None:
    for place in places:
        with suppress(OSError):
            place.unlink(missing_ok=True)


def _folder(store: Store) -> Path:
    return store.path.parent / "imports"


def _progress_file(store: Store, key: str) -> Path:
    return _folder(store) / f"{key}.progress"

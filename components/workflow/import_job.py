"""The job of a large import: stores what was ordered in one transaction, once, and removes its file."""

from __future__ import annotations

import logging
import sqlite3
import time
from dataclasses import asdict

from sqlite_utils import Database

from components.marking import Marker, MarkError
from components.workflow.import_order import made_by
from components.workflow.import_parts import Imported
from components.workflow.import_waiting import file_of, note_how_far, read, remove
from components.workflow.import_wanted import Wanted, carry_out, fill_in
from components.workflow.import_watch import Watch
from components.workflow.progress import Progress
from storage import Store, jobs, markers
from storage.connect import in_words
from storage.jobs import Job

log = logging.getLogger(__name__)
LOOK_SECONDS = 0.1
_STEPS_BETWEEN_LOOKS = 200_000  # of SQLite's machine: some milliseconds
_CALLED_OFF = "Cancelled before anything was stored."


def do_import(store: Store, job: Job, progress: Progress) -> str:
    """Store what the job ordered, unless an earlier worker has stored it. Gives what happened, in words.

    Raises MarkError, in words and with nothing stored, where it cannot be imported. Its file stays only where this
    worker stops and another is to do it.
    """
    try:
        said = _done(store, job, progress)
    except _NotWanted:
        store.empty_log()  # names of what was not to be stored may be in it
        return _given_up(store, job)
    except sqlite3.Error as error:
        _remove_all(store, job)
        raise MarkError(f"Nothing was imported. {in_words(error)} Then choose the file again.") from error
    except Exception:
        _remove_all(store, job)
        raise
    remove(store, job.payload["key"])
    return said


class _NotWanted(Exception):
    """The job was cancelled or taken over, or its worker is to stop."""


def _done(store: Store, job: Job, progress: Progress) -> str:
    made = made_by(job)
    wanted = read(store, job)
    if wanted is None:
        if made is None:
            raise _NotWanted
        return "Imported."
    marker = _marker(store, job)
    if made is None:
        if not progress(0, len(wanted.plan.responses), ""):
            raise _NotWanted
        made = _stored(store, job, wanted, marker)
    if made is None:
        return "Everything in this file is in the exam already."
    try:
        _fill_in(store, job, wanted, marker)
    except sqlite3.Error:
        log.exception("The texts of an import's questions could not be filled in.")  # the import stands
    return "Imported."


def _fill_in(store: Store, job: Job, wanted: Wanted, marker: Marker | None) -> None:
    """Fill in the texts of the exam's questions, and note with the job how many."""
    filled = fill_in(store, marker, wanted)
    if not filled:
        return
    with store.write() as db:
        now = jobs.get(db, job.id)
        if now is not None:
            jobs.change_payload(db, job.id, {**now.payload, "texts": filled})


def _stored(store: Store, job: Job, wanted: Wanted, marker: Marker | None) -> Imported | None:
    watch = _Watched(store, job)
    try:
        return carry_out(store, wanted, marker, watch)
    except sqlite3.Error as error:
        if watch.called_off():
            raise _NotWanted from error
        raise


class _Watched(Watch):
    """Tells how far the import is, undoes it where its file is gone, and notes with the job what it has made."""

    def __init__(self, store: Store, job: Job) -> None:
        self._store, self._job = store, job
        self._file = file_of(store, job.payload["key"])
        self._looked_at = time.monotonic()

    def began(self, db: Database) -> None:
        now = jobs.get(db, self._job.id)
        if now is None or now.status != "running" or "made" in now.payload:
            raise _NotWanted
        db.conn.set_progress_handler(self._look, _STEPS_BETWEEN_LOOKS)

    def at(self, share: float, what: str) -> None:
        if self.called_off():
            raise _NotWanted
        note_how_far(self._store, self._job, share, what)

    def made(self, db: Database, imported: Imported | None) -> None:
        if self.called_off():
            raise _NotWanted
        db.conn.set_progress_handler(None, 0)
        if imported is not None:
            jobs.note_made(db, self._job.id, {**self._job.payload, "made": asdict(imported)})

    def called_off(self) -> bool:
        """Whether the job's file was removed."""
        return not self._file.exists()

    def _look(self) -> int:
        """Called by SQLite within long statements: anything but 0 ends them."""
        if time.monotonic() - self._looked_at < LOOK_SECONDS:
            return 0
        self._looked_at = time.monotonic()
        return int(self.called_off())


def _given_up(store: Store, job: Job) -> str:
    """Nothing was stored. Where the worker only stops, file and job stay for the next one."""
    if file_of(store, job.payload["key"]).exists():
        return ""
    remove(store, job.payload["key"])
    with store.write() as db:
        now = jobs.get(db, job.id)
        if now is not None and "made" not in now.payload:
            jobs.cancel(db, job.id)
    return _CALLED_OFF


def _remove_all(store: Store, job: Job) -> None:
    remove(store, job.payload["key"])
    store.empty_log()


def _marker(store: Store, job: Job) -> Marker | None:
    with store.read() as db:
        return markers.get(db, job.payload["marker_id"])

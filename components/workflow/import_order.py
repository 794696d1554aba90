"""Large imports as jobs: ordering one, calling it off, and what has become of those that were ordered."""

from __future__ import annotations

import secrets

from sqlite_utils import Database

from components.marking import Marker, MarkError
from components.workflow.import_parts import Imported, human_markers
from components.workflow.import_table import why_not
from components.workflow.import_waiting import IMPORT, as_bytes, call_off, file_of, remove
from components.workflow.import_wanted import Wanted
from storage import Store, jobs
from storage.jobs import Job


def order(store: Store, wanted: Wanted, marker: Marker) -> int:
    """Queue the import, or find the job that does it already; gives the job's id.

    Raises MarkError, with nothing queued, for what can be told at once: a name that will not do, a file that is
    imported already, a disk without room.
    """
    if wanted.exam_id is None and (problem := why_not(store, wanted.plan)):
        raise MarkError(problem)
    body = as_bytes(wanted)
    same = {"sha256": wanted.plan.sha256, "sheet": wanted.plan.sheet or "", "into": wanted.exam_id}
    key = secrets.token_hex(16)
    payload = {**same, "key": key, "title": wanted.title.strip(), "responses": len(wanted.plan.responses)}
    payload |= {"marker_id": marker.id}
    payload |= {} if wanted.exam_id is None else {"exam_id": wanted.exam_id}
    place = file_of(store, key)
    try:
        with store.write() as db:
            _check_names(db, wanted)
            for job in jobs.active(db):
                if job.kind == IMPORT and same.items() <= job.payload.items():
                    return job.id
            for job in jobs.of_marker(db, IMPORT, marker.id):
                _close(db, job)
            place.parent.mkdir(exist_ok=True)
            # Within the transaction: `forget_ended` never meets a file whose job is still to come.
            place.write_bytes(body)
            return jobs.add(db, IMPORT, payload)
    except OSError as error:
        remove(store, key)
        raise MarkError(
            f"The data folder could not take the file ({error.strerror}). Free some space on the disk, then import it "
            "again."
        ) from error
    except BaseException:
        remove(store, key)
        raise


def cancel(store: Store, job_id: int) -> None:
    """Call an import off. What is stored by now stays, and can be undone."""
    with store.read() as db:
        job = jobs.get(db, job_id)
    if job is None or job.status not in ("queued", "running"):
        return
    call_off(store, job.payload["key"])
    with store.write() as db:
        job = jobs.get(db, job_id)
        if job is not None and "made" not in job.payload:
            jobs.cancel(db, job_id)


def close(store: Store, job_id: int) -> None:
    """Note that what became of the import has been read."""
    with store.write() as db:
        job = jobs.get(db, job_id)
        if job is not None:
            _close(db, job)


def told_of(store: Store, marker: Marker) -> tuple[list[Job], list[Job]]:
    """The imports under way, of everybody; and the marker's own that have ended and were not closed."""
    with store.read() as db:
        return (
            [job for job in jobs.active(db) if job.kind == IMPORT],
            [job for job in jobs.of_marker(db, IMPORT, marker.id) if _ended(job) and "closed" not in job.payload],
        )


def made_by(job: Job) -> Imported | None:
    """What the job has stored; None where it stored nothing."""
    made = job.payload.get("made")
    return None if made is None else Imported(**made)


def _check_names(db: Database, wanted: Wanted) -> None:
    """Raise MarkError for names of markers that will not do, before the teacher turns away; nothing is stored."""
    db.execute("SAVEPOINT names")
    try:
        human_markers(db, (mark.marker for mark in wanted.plan.human_marks), wanted.marker_names)
    finally:
        db.execute("ROLLBACK TO names")
        db.execute("RELEASE names")


def _ended(job: Job) -> bool:
    return job.status not in ("queued", "running")


def _close(db: Database, job: Job) -> None:
    if _ended(job) and "closed" not in job.payload:
        jobs.change_payload(db, job.id, {**job.payload, "closed": True})

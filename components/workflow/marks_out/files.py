"""Feedback and evidence packs as files: made by the background worker, kept for a week, taken away from the page."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from sqlite_utils import Database

from components.marking import Marker, MarkError, Role
from components.workflow.marks_out.evidence import write_pack
from components.workflow.marks_out.feedback import feedback_zip
from components.workflow.progress import TELL_SECONDS, Progress
from storage import Store, events, exams, jobs, mark_book
from storage.jobs import Job

KEPT_DAYS = 7
_GONE = "This exam was reset or taken back while its file was being made. Choose another exam."


class Kind(StrEnum):
    """What a job makes; a job's kind in the store."""

    FEEDBACK = "feedback files"
    EVIDENCE = "evidence pack"


def order(store: Store, exam_id: int, kind: Kind, marker: Marker) -> int:
    """Queue the making of a file, or find the job that is making it already; gives the job's id.

    Raises MarkError where the exam is gone or the marker may not have the file. The event is about no exam: a pack
    holds its exam's events, and would differ from the one before it.
    """
    _check(kind, marker)
    with store.write() as db:
        exam = exams.get(db, exam_id)
        if exam is None:
            raise MarkError("This exam was reset or taken back. Choose another exam.")
        under_way = jobs.latest_of_exam(db, kind, exam_id)
        if under_way is not None and under_way.status in ("queued", "running"):
            return under_way.id
        # Before the pack is made, so that the same record makes the same pack again.
        _record_shown(db, kind, exam_id, marker)
        events.log(db, f"{kind} ordered", "marks out", {"exam_id": exam_id, "exam": exam.title}, marker.id)
        return jobs.add(db, kind, {"exam_id": exam_id})


def latest(store: Store, exam_id: int, kind: Kind) -> Job | None:
    """The newest job that makes or made this file for the exam."""
    with store.read() as db:
        return jobs.latest_of_exam(db, kind, exam_id)


def cancel(store: Store, job_id: int) -> None:
    """Stop making a file; what there is of it is removed."""
    with store.write() as db:
        jobs.cancel(db, job_id)


def file_of(store: Store, exam_id: int, kind: Kind, job_id: int) -> Path:
    """Where the file lies once the job is done, and until it is KEPT_DAYS old or another has been made."""
    return _folder(store, exam_id, kind, job_id) / f"{kind.replace(' ', '-')}.zip"


def take(store: Store, exam_id: int, kind: Kind, job_id: int, marker: Marker) -> bytes:
    """The file's bytes, noted as taken away by the marker, who has then been shown the AI's marks in it.

    Raises MarkError where it is no longer there.
    """
    _check(kind, marker)
    try:
        content = file_of(store, exam_id, kind, job_id).read_bytes()
    except OSError as error:
        raise MarkError("The file is no longer there. Make it again.") from error
    with store.write() as db:
        _record_shown(db, kind, exam_id, marker)
        events.log(db, f"{kind} taken away", "marks out", {"exam_id": exam_id, "job": job_id}, marker.id)
    return content


def do_files(store: Store, job: Job, progress: Progress) -> str:
    """Make the file that a job asks for, and remove the ones before it. Gives a summary in words.

    Raises MarkError in words where it cannot be made.
    """
    kind, exam_id = Kind(job.kind), int(job.payload["exam_id"])
    place = file_of(store, exam_id, kind, job.id)
    half = place.with_suffix(".part")
    try:
        remove_old(store, time.time())
        place.parent.mkdir(parents=True, exist_ok=True)
        with half.open("wb") as target:
            said = _write(store, kind, exam_id, target, _Telling(progress))
        half.replace(place)  # a download never meets half a file
    except _NotWanted:
        shutil.rmtree(place.parent, ignore_errors=True)
        return "Cancelled."
    except LookupError as error:
        shutil.rmtree(place.parent, ignore_errors=True)
        raise MarkError(_GONE) from error
    except OSError as error:
        shutil.rmtree(place.parent, ignore_errors=True)
        raise MarkError(
            f"The data folder could not take the file ({error.strerror}). Free some space on the disk, then make it "
            "again."
        ) from error
    for other in place.parent.parent.glob(_folder_name(exam_id, kind, "*")):
        if other != place.parent:
            shutil.rmtree(other, ignore_errors=True)
    return said


def remove_old(store: Store, at: float) -> None:
    """Remove the files that were made more than KEPT_DAYS before this moment, in seconds since 1970."""
    for folder in _root(store).glob("*"):
        try:
            if folder.is_dir() and folder.stat().st_mtime < at - KEPT_DAYS * 86_400:
                shutil.rmtree(folder, ignore_errors=True)
        except FileNotFoundError:
            continue  # another worker has just removed it


class _NotWanted(Exception):
    """The job was cancelled, taken over, or its worker is to stop."""


class _Telling:
    """Passes progress on, at most twice a second: each time is a write to the database."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._told_at = -TELL_SECONDS

    def __call__(self, done: int, total: int) -> None:
        if time.monotonic() - self._told_at < TELL_SECONDS:
            return
        self._told_at = time.monotonic()
        if not self._progress(done, total, ""):
            raise _NotWanted


def _write(store: Store, kind: Kind, exam_id: int, target: BinaryIO, told: Callable[[int, int], None]) -> str:
    if kind is Kind.FEEDBACK:
        made = feedback_zip(store, exam_id, target, told)
        return f"Feedback for {made:,} candidate{'' if made == 1 else 's'}."
    manifest = write_pack(store, exam_id, target, told)
    counts = manifest.counts
    return f"{counts['decisions']:,} decisions, {counts['proposals']:,} proposals, {counts['images']:,} pictures."


def _check(kind: Kind, marker: Marker) -> None:
    if kind is Kind.EVIDENCE and marker.role is not Role.HEAD:
        raise MarkError(
            f"The evidence pack names every marker, so that it is for a head of department; you are here as "
            f"{marker.name}, {marker.role}."
        )
    if marker.role is Role.TEACHER:
        raise MarkError(f"This is for a head of department or a pilot lead; you are here as {marker.name}, teacher.")


def _record_shown(db: Database, kind: Kind, exam_id: int, marker: Marker) -> None:
    mark_book.record_marks_shown(db, exam_id, marker.id)
    mark_book.record_proposals_shown(db, exam_id, marker.id, behind_marks=kind is Kind.FEEDBACK)


def _root(store: Store) -> Path:
    return store.path.parent / "marks-out"


def _folder_name(exam_id: int, kind: Kind, job: object) -> str:
    return f"{kind.replace(' ', '-')}-exam-{exam_id}-job-{job}"


def _folder(store: Store, exam_id: int, kind: Kind, job_id: int) -> Path:
    return _root(store) / _folder_name(exam_id, kind, job_id)

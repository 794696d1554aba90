"""The pulse of an exam: what tells a live page when to look again."""

from __future__ import annotations

from dataclasses import dataclass

from components.workflow.cohort import PROPOSE
from storage import Store, exams, jobs, pairs, standings
from storage.exams import Exam


@dataclass(frozen=True)
class Pulse:
    """What a live page reads at every beat: once `changes` differ, the figures drawn before are out of date.

    `proposing` is (done, total) while proposals for the exam are queued or being made.
    """

    changes: tuple[Exam | int | bool, ...]
    marked: int
    responses: int
    proposing: tuple[int, int] | None


def pulse(store: Store, exam_id: int) -> Pulse | None:
    """The exam's pulse; None once the exam is archived. Reads a handful of rows whatever the exam's size."""
    with store.read() as db:
        exam = exams.get(db, exam_id)
        if exam is None:
            return None
        changes = pairs.state(db, exam_id)
        marked, responses = standings.progress(db, exam_id)
        proposing = next(
            (
                (job.done, job.total)
                for job in jobs.active(db)
                if job.kind == PROPOSE and job.payload.get("exam_id") == exam_id
            ),
            None,
        )
    return Pulse((exam, *changes, proposing is not None), marked, responses, proposing)

"""Noting who took marks away: in the audit log, and as marks that they have been shown."""

from __future__ import annotations

from components.marking import Marker
from storage import Store, events, mark_book


def note_taken(store: Store, exam_id: int, marker: Marker, what: str, *, marks: bool) -> None:
    """The marker takes a file away; with `marks` it has the marks that others gave to single responses.

    The event is about no exam: an evidence pack holds its exam's events, and would differ from the one before it.
    """
    with store.write() as db:
        if marks:
            mark_book.record_marks_shown(db, exam_id, marker.id)
        events.log(db, "marks taken away", "marks out", {"exam_id": exam_id, "file": what}, marker.id)


def note_feedback_shown(store: Store, exam_id: int, marker: Marker, candidate: str) -> None:
    """The marker has read a candidate's feedback: the marks in it, and the AI's where it is behind a mark."""
    with store.write(durable=False) as db:
        mark_book.record_marks_shown(db, exam_id, marker.id, candidate)
        mark_book.record_proposals_shown(db, exam_id, marker.id, candidate, behind_marks=True)

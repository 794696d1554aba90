"""What a head of department goes through: which responses, in which order, and what is said of each in a list."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from components.marking import MarkError
from components.workflow.review.cases import waiting_queue
from components.workflow.review.rules import grade_of
from storage import Store, exams, reviews, rulings
from storage.reviews import Kind, RaisedFlag, Waiting
from storage.rulings import Settled

MOST_LISTED = 200


class Show(StrEnum):
    ALL = "all"
    DISPUTES = "disagreements"
    FLAGS = "flags"
    SETTLED = "settled"

    @property
    def kind(self) -> Kind:
        """The waiting responses of this choice; of settled ones, none that wait is left out."""
        return Kind.ALL if self is Show.SETTLED else Kind(self.value)


@dataclass(frozen=True)
class Wanted:
    """The part of an exam that a head goes through; all its questions where `question_id` is None."""

    exam_id: int
    show: Show = Show.ALL
    question_id: int | None = None


@dataclass(frozen=True)
class Entry:
    """A waiting response. `grades` are those that the lowest and the highest disputed mark would give the candidate,
    where they differ."""

    waiting: Waiting
    grades: tuple[str, str] | None
    flag: RaisedFlag | None


@dataclass(frozen=True)
class Review:
    """What waits and what is settled: the first of each, and how many wait in all."""

    entries: tuple[Entry, ...]
    settled: tuple[Settled, ...]
    disputes: int
    at_boundary: int
    flags: int
    adjudicated: int

    @property
    def waiting(self) -> int:
        return self.disputes + self.flags

    @property
    def ids(self) -> tuple[int, ...]:
        """The responses in the order in which they are gone through."""
        return tuple(each.waiting.response_id for each in self.entries) or tuple(s.response_id for s in self.settled)


def review(store: Store, wanted: Wanted) -> Review:
    """What waits of the wanted part; the settled ones in its place where they are what is wanted.

    Raises MarkError where the exam is gone.
    """
    with store.read() as db:
        exam = exams.get(db, wanted.exam_id)
        if exam is None:
            raise MarkError("This exam was reset or taken back. Its marks are kept; choose another exam.")
        settling = wanted.show is Show.SETTLED
        found = waiting_queue(db, exam, wanted.show.kind, wanted.question_id, 1 if settling else MOST_LISTED)
        flags = reviews.raised_flags(db, [each.response_id for each in found.first if each.flagged])
        settled = rulings.settled(db, exam.id, wanted.question_id, MOST_LISTED) if settling else []
        adjudicated = rulings.count_adjudicated(db, exam.id, wanted.question_id)
    entries = [
        Entry(
            each,
            each.totals and (grade_of(each.totals[0], exam.boundaries), grade_of(each.totals[1], exam.boundaries)),
            flags.get(each.response_id),
        )
        for each in found.first
    ]
    return Review(
        () if settling else tuple(entries),
        tuple(settled),
        found.disputes,
        found.at_boundary,
        found.flags,
        adjudicated,
    )


def summary_text(found: Review, show: Show) -> str:
    """How much waits, in a sentence."""
    so_far = f"{found.adjudicated:,} adjudicated so far." if found.adjudicated else "none adjudicated so far."
    if show is Show.SETTLED:
        settled = f"{len(found.settled):,} settled" if found.settled else "Nothing settled yet"
        return f"{settled}; {found.waiting:,} still to settle." if found.waiting else f"{settled}; nothing waits."
    parts = []
    if found.disputes:
        hanging = f" (a grade hangs on {found.at_boundary:,} of them)" if found.at_boundary else ""
        parts.append(f"{found.disputes:,} disagreement{'' if found.disputes == 1 else 's'}{hanging}")
    if found.flags:
        alone = " without a disagreement" if found.disputes else ""
        parts.append(f"{found.flags:,} flag{'' if found.flags == 1 else 's'}{alone}")
    if not parts:
        nothing = {Show.DISPUTES: "No disagreement waits", Show.FLAGS: "No flag waits"}
        return f"{nothing.get(show, 'Nothing waits')} here; {so_far}"
    return f"{' and '.join(parts)} to settle; {so_far}"

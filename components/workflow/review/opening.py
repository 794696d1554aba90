"""Opening a response for review: both marks with what was said for them, or none of it while they are hidden."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlite_utils import Database

from components.marking import Decision, Marker, Phase, ProposalStatus, Role, Stage
from components.workflow.calibration import calibration_of
from components.workflow.opening import OpenResponse
from components.workflow.review.cases import total_by_mark
from components.workflow.review.rules import grade_of, what_stands_text
from storage import Store, decisions, exams, proposals, responses, reviews, rulings, standings
from storage.exams import Exam, StoredQuestion
from storage.reviews import RaisedFlag
from storage.standings import Standing

AI = "AI"


@dataclass(frozen=True)
class Given:
    """What a teacher, or another adjudicator, gave. `name` is a name for a head of department only."""

    name: str
    decision: Decision


@dataclass(frozen=True)
class OpenReview:
    """A response under review. While `hidden`, nothing of what others gave or said is in it.

    `given` is each teacher's latest decision in the order given, then other adjudications; `grades` is (whose mark,
    the candidate's total with it, its grade) where the grade hangs on it; `stands` says what an adjudication came to.
    """

    opened: OpenResponse
    given: tuple[Given, ...]
    flag: RaisedFlag | None
    grades: tuple[tuple[str, float, str], ...]
    stands: str
    hidden: bool

    @property
    def teachers(self) -> Given | None:
        """The teacher's mark of the two: the latest."""
        return next((each for each in reversed(self.given) if each.decision.stage is not Stage.ADJUDICATED), None)


def open_for_review(store: Store, response_id: int, marker: Marker, *, hide: bool) -> OpenReview | None:
    """The response for this head, or this pilot lead who may look. None where it is not there, or its exam is gone.

    `hide` asks to be shown the answer alone. It cannot be granted to who has been shown the marks, and what is shown
    is recorded: no later mark of theirs on it is blind.
    """
    with store.read() as db:
        found = open_in(db, response_id, marker, hide=hide)
        if found is None:
            return None
        proposal = found.opened.proposal
        if proposal is not None:
            calibration = calibration_of(db, proposal, found.opened.question)
            found = replace(found, opened=replace(found.opened, calibration=calibration))
        proposed = proposal is not None and proposal.proposal.status is ProposalStatus.PROPOSED
        proposal_id = proposal.id if proposal is not None and proposed else None
        known = not _tells(found, marker, proposal_id) or rulings.has_been_shown(
            db, response_id, marker.id, proposal_id
        )
    if not known:
        with store.write(durable=False) as db:
            rulings.record_shown(db, response_id, marker.id, proposal_id)
    return found


def _tells(found: OpenReview, marker: Marker, proposal_id: int | None) -> bool:
    """Whether what is open holds anyone else's mark, or words that may name one."""
    given = any(each.decision.marker_id != marker.id for each in found.given)
    said = any(note.text and note.marker_id != marker.id for note in found.opened.notes)
    return proposal_id is not None or given or said


def open_in(db: Database, response_id: int, marker: Marker, *, hide: bool) -> OpenReview | None:
    """As `open_for_review`, in the caller's transaction; records nothing and has no calibration."""
    response = responses.get(db, response_id)
    standing = standings.get(db, response_id)
    exam = None if response is None else exams.get(db, response.exam_id)
    if response is None or standing is None or exam is None:
        return None
    question = exams.question(db, response.question_id)
    live = decisions.live(db, response_id)
    hidden = hide and not knows_marks(db, response_id, marker)
    own = _last([d for d in live if d.stage is Stage.ADJUDICATED and d.marker_id == marker.id])
    proposal = None if hidden or standing.proposal_id is None else proposals.get(db, standing.proposal_id)
    given = () if hidden else _given(live, marker)
    opened = OpenResponse(
        exam=exam,
        question=question,
        response=response,
        blind=hidden,
        phase=Phase.BLIND if hidden else Phase.ADJUDICATE,
        proposal=proposal,
        own=own,
        marked_by_others=(),
        notes=() if hidden else tuple(decisions.notes(db, response_id)),
        flagged=standing.flagged and not hidden,
        seen_decision_id=max((d.id for d in live if d.stage is not Stage.IMPORTED), default=0),
    )
    # A total counts "no response" as 0.
    marks = [(each.name, each.decision.mark or 0.0) for each in given if each.decision.stage is not Stage.ADJUDICATED]
    if proposal is not None and proposal.proposal.mark is not None:
        marks.insert(0, (AI, proposal.proposal.mark))
    return OpenReview(
        opened,
        given,
        reviews.raised_flags(db, [response_id]).get(response_id) if opened.flagged else None,
        _grades(total_by_mark(db, exam, response, question.question.number), marks, exam) if exam.boundaries else (),
        "" if hidden else _stands(exam, question, live, standing, marker),
        hidden,
    )


def knows_marks(db: Database, response_id: int, marker: Marker) -> bool:
    """Whether the marker has been shown, in review or on the desk, what others gave. An adjudication shows it."""
    if rulings.has_been_shown(db, response_id, marker.id):
        return True
    return any(d.marker_id == marker.id and d.stage is Stage.ADJUDICATED for d in decisions.history(db, response_id))


def stands_in(db: Database, response_id: int, marker: Marker) -> str:
    """What the standing adjudication of the response came to, in words; "" where there is none."""
    response = responses.get(db, response_id)
    standing = standings.get(db, response_id)
    exam = None if response is None else exams.get(db, response.exam_id)
    if response is None or standing is None or exam is None:
        return ""
    return _stands(exam, exams.question(db, response.question_id), decisions.live(db, response_id), standing, marker)


def _stands(exam: Exam, question: StoredQuestion, live: list[Decision], standing: Standing, marker: Marker) -> str:
    ruling = _last([d for d in live if d.stage is Stage.ADJUDICATED])
    if ruling is None:
        return ""
    who = "You" if ruling.marker_id == marker.id else _name(ruling, marker, "The adjudicator")
    teachers = _last([d for d in live if d.stage is not Stage.ADJUDICATED])
    return what_stands_text(exam.what_stands, question.question.tolerance, ruling, teachers, standing, who)


def _given(live: list[Decision], marker: Marker) -> tuple[Given, ...]:
    teachers = {d.marker_id: d for d in live if d.stage is not Stage.ADJUDICATED}
    rulings = {d.marker_id: d for d in live if d.stage is Stage.ADJUDICATED and d.marker_id != marker.id}
    in_order = sorted(teachers.values(), key=lambda d: d.id)
    return tuple(
        [
            Given(_name(d, marker, f"Teacher {i}" if len(in_order) > 1 else "Teacher"), d)
            for i, d in enumerate(in_order, 1)
        ]
        + [Given(_name(d, marker, "Adjudicator"), d) for d in sorted(rulings.values(), key=lambda d: d.id)]
    )


def _name(decision: Decision, marker: Marker, otherwise: str) -> str:
    """Names are for heads of department; to a pilot lead a marker is what they are here."""
    return decision.marker_name if marker.role is Role.HEAD else otherwise


def _grades(
    total: Callable[[float], float | None], marks: list[tuple[str, float]], exam: Exam
) -> tuple[tuple[str, float, str], ...]:
    totals = [(name, total(mark)) for name, mark in marks]
    found = [(name, each, grade_of(each, exam.boundaries)) for name, each in totals if each is not None]
    return tuple(found) if len({grade for _, _, grade in found}) > 1 else ()


def _last(found: list[Decision]) -> Decision | None:
    return found[-1] if found else None

"""How often a judge was right when it was as sure as it is now, by the teachers' marks that it had no part in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sqlite_utils import Database

from components.marking import ProposalStatus
from storage import pairs
from storage.exams import StoredQuestion
from storage.proposals import StoredProposal

ENOUGH_PAIRS = 20


class Scope(StrEnum):
    """Which pairs were counted."""

    QUESTION = "this question"
    EXAM = "this exam"


@dataclass(frozen=True)
class Calibration:
    """Of `pairs` marks that teachers gave without seeing the proposal, `within` were within the tolerance of it."""

    within: int
    pairs: int
    scope: Scope


def calibration_of(db: Database, proposal: StoredProposal, question: StoredQuestion) -> Calibration | None:
    """What the same judge's proposals at the same confidence came to, on this question or else on the whole exam.

    None without a mark or a confidence, and while there are too few pairs to say anything. The proposal's own response
    is left out: it would tell what a colleague gave it.
    """
    confidence = proposal.proposal.confidence
    if proposal.proposal.status is not ProposalStatus.PROPOSED or confidence is None:
        return None
    for scope, question_id in ((Scope.QUESTION, question.id), (Scope.EXAM, None)):
        within, of = pairs.within_tolerance(
            db,
            proposal.judge_id,
            confidence,
            question.exam_id,
            question_id=question_id,
            but_response=proposal.response_id,
        )
        if of >= ENOUGH_PAIRS:
            return Calibration(within, of, scope)
    return None


def calibration_text(calibration: Calibration, tolerance: float) -> str:
    """Within tolerance about 9 times in 10 at this confidence (27 of 30 marks given without seeing it, this question).

    `tolerance` is that of the question on the desk, in marks.
    """
    exact = calibration.scope is Scope.QUESTION and tolerance == 0
    counted = f"{calibration.within:,} of {calibration.pairs:,} marks given without seeing it, {calibration.scope}"
    return (
        f"{'Exactly right' if exact else 'Within tolerance'} {_how_often(calibration)} at this confidence ({counted})"
    )


def _how_often(calibration: Calibration) -> str:
    within, of = calibration.within, calibration.pairs
    if within == of:
        return "every time so far"
    if within == 0:
        return "never so far"
    if 20 * within >= 19 * of:
        return "about 19 times in 20"
    if 20 * within < of:
        return "hardly ever"
    tenths = (20 * within + of) // (2 * of)  # to the nearest, half a tenth up
    return f"about {tenths} time{'' if tenths == 1 else 's'} in 10"

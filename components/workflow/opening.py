"""Opening a response: what a marker may see of it now, and that they have seen it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlite_utils import Database

from components.marking import Decision, Marker, Phase, ProposalStatus, Stage
from components.workflow.calibration import Calibration, calibration_of
from storage import Store, blind_sample, decisions, exams, proposals, responses, rulings, standings
from storage.exams import Exam, StoredQuestion
from storage.proposals import StoredProposal
from storage.responses import StoredResponse


@dataclass(frozen=True)
class OpenResponse:
    """One response as this marker may see it now. `proposal` is None while it is hidden or does not exist.

    `blind` is what the exam's rule wants of it, whatever this marker has seen: its proposal after their mark.
    `calibration` is how often the proposal's judge was right when it was this sure; None where nothing can be said.
    """

    exam: Exam
    question: StoredQuestion
    response: StoredResponse
    blind: bool
    phase: Phase
    proposal: StoredProposal | None
    own: Decision | None
    marked_by_others: tuple[str, ...]
    notes: tuple[decisions.Note, ...]
    flagged: bool
    seen_decision_id: int
    calibration: Calibration | None = None


def open_response(store: Store, response_id: int, marker: Marker) -> OpenResponse | None:
    """The response for this marker, with the sighting recorded if a proposal is in it. None if it is not there."""
    with store.read() as db:
        opened = open_in(db, response_id, marker)
        known = opened is None or opened.proposal is None or _sighted(db, opened.proposal, marker)
        if opened is not None and opened.proposal is not None:
            opened = replace(opened, calibration=calibration_of(db, opened.proposal, opened.question))
    if opened is not None and opened.proposal is not None and not known:
        with store.write(durable=False) as db:
            proposals.record_sighting(db, response_id, marker.id, opened.proposal.id)
    return opened


def open_in(db: Database, response_id: int, marker: Marker) -> OpenResponse | None:
    """As `open_response`, in the caller's transaction; records no sighting and has no calibration."""
    response = responses.get(db, response_id)
    standing = standings.get(db, response_id)
    if response is None or standing is None:
        return None
    exam = exams.get(db, response.exam_id)
    assert exam is not None
    live = [decision for decision in decisions.live(db, response_id) if decision.stage is not Stage.IMPORTED]
    own = next((decision for decision in reversed(live) if decision.marker_id == marker.id), None)
    proposal = None if standing.proposal_id is None else proposals.get(db, standing.proposal_id)
    blind = blind_sample.is_blind(db, response_id)
    phase = _phase(db, blind, own, proposal, response_id, marker)
    others = tuple(dict.fromkeys(d.marker_name for d in live if d.marker_id != marker.id))
    # Another teacher's note may say what the AI gave, so it waits for a blind marker's own mark.
    notes = [n for n in decisions.notes(db, response_id) if phase is not Phase.BLIND or n.marker_id == marker.id]
    return OpenResponse(
        exam,
        exams.question(db, response.question_id),
        response,
        blind,
        phase,
        None if phase is Phase.BLIND else proposal,
        own,
        others,
        tuple(notes),
        standing.flagged,
        max((decision.id for decision in live), default=0),
    )


def _phase(
    db: Database,
    blind: bool,
    own: Decision | None,
    proposal: StoredProposal | None,
    response_id: int,
    marker: Marker,
) -> Phase:
    proposed = proposal is not None and proposal.proposal.status is ProposalStatus.PROPOSED
    if not blind:
        return Phase.MARK
    if own is None:
        return Phase.MARK if rulings.has_been_shown(db, response_id, marker.id) else Phase.BLIND
    return Phase.REVEAL if own.stage is Stage.BLIND and proposed else Phase.MARK


def _sighted(db: Database, proposal: StoredProposal, marker: Marker) -> bool:
    if proposal.proposal.status is not ProposalStatus.PROPOSED:
        return True  # it shows no mark, so it leaves the marker blind
    return proposals.seen_by(db, proposal.response_id, marker.id, proposal.id)

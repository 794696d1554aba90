"""Marks, given as a test needs them, on responses that a head of department reviews."""

from __future__ import annotations

import secrets

from components.marking import Marker, Outcome, Proposal, ProposalStatus, Stage
from components.workflow.connections import default_judges
from components.workflow.review import adjudicating
from components.workflow.review.queue import Show
from storage import Store, decisions, exams, proposals, responses, standings
from storage.standings import Standing


def propose(store: Store, response_id: int, mark: float) -> int:
    """The exam's judge proposes this mark for the answer as a whole; gives the proposal's id."""
    _, offline = default_judges(store)
    proposal = Proposal(status=ProposalStatus.PROPOSED, label="A judge", mark=mark, reason="As a whole.")
    with store.write() as db:
        response = responses.get(db, response_id)
        assert response is not None
        scheme_id = exams.question(db, response.question_id).scheme_id
        return proposals.add(db, response_id, offline, scheme_id, proposal)


def give(
    store: Store, response_id: int, marker: Marker, mark: float | None, stage: Stage = Stage.BLIND, comment: str = ""
) -> int:
    """The marker gives this mark, None for no response; gives the decision's id."""
    outcome = Outcome.NO_RESPONSE if mark is None else Outcome.MARK
    with store.write() as db:
        return decisions.record(db, response_id, marker.id, outcome, stage, mark=mark, comment=comment).decision_id


def press(action: str, marker: Marker, response_id: int | None, **more: object) -> adjudicating.Press:
    payload = {"task": "adjudicate", "action": action, "action_id": secrets.token_hex(6), "marker_id": marker.id}
    return adjudicating.parse_press(payload | {"response_id": response_id} | more)


def act(store: Store, marker: Marker, action: str, response_id: int | None, **more: object) -> adjudicating.Result:
    """One press by who has seen all that was decided until now, in a walk of this response alone."""
    walk = () if response_id is None else (response_id,)
    with store.read() as db:
        live = [] if response_id is None else decisions.live(db, response_id)
    seen = {"seen_decision_id": max((decision.id for decision in live), default=0)}
    return adjudicating.act(store, marker, press(action, marker, response_id, **seen | more), Show.ALL, walk)


def standing_of(store: Store, response_id: int) -> Standing:
    with store.read() as db:
        standing = standings.get(db, response_id)
    assert standing is not None
    return standing

"""The marking desk: how a marker walks through an exam, and what their presses record."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from sqlite_utils import Database

from components.marking import (
    Decision,
    Marker,
    MarkError,
    Outcome,
    Phase,
    PointVerdict,
    Stage,
    format_mark,
    total,
)
from components.workflow import learning
from components.workflow.opening import OpenResponse, open_in
from storage import Store, decisions, markers, proposals, responses, rulings, standings
from storage.exams import StoredQuestion
from storage.standings import Filter, Order


@dataclass(frozen=True)
class Walk:
    """How a marker goes through an exam: in which order, through which responses, of which question (None: all)."""

    exam_id: int
    order: Order = Order.BY_QUESTION
    wanted: Filter = Filter.UNMARKED
    question_id: int | None = None


class Press(BaseModel):
    """One action on the desk, with the response and the proposal that were on screen when it was pressed."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    action: Literal[
        "accept",
        "keep",
        "mark",
        "mark_points",
        "no_response",
        "undo",
        "flag",
        "unflag",
        "comment",
        "next",
        "previous",
        "tick",
    ]
    action_id: str
    marker_id: int
    response_id: int | None
    proposal_id: int | None = None
    mark: float | None = None
    points: tuple[str, ...] | None = None
    comment: str = ""
    seconds: float | None = None
    seen_decision_id: int = 0
    undo_decision_id: int | None = None


@dataclass(frozen=True)
class Result:
    """What a press did, in words, and the response to show next (None: nothing is left)."""

    notice: str
    response_id: int | None
    comment_saved: bool = False


def start(store: Store, walk: Walk, marker: Marker) -> int | None:
    """The first response of a walk."""
    with store.read() as db:
        return _neighbour(db, walk, marker, None)


def upcoming(store: Store, walk: Walk, marker: Marker, response_id: int) -> int | None:
    """The response that a decision on this one, or →, would bring next; None at the end."""
    with store.read() as db:
        standing = standings.get(db, response_id)
        found = None if standing is None else _following(db, walk, marker, standing)
    return None if found == response_id else found


def act(store: Store, marker: Marker, walk: Walk, press: Press) -> Result:
    """Do what was pressed. Raises MarkError, with nothing changed, when it cannot be done as asked."""
    if press.marker_id != marker.id:
        raise MarkError("That was pressed under another profile. Nothing was saved; press again as yourself.")
    if press.action == "undo":
        return _undo(store, marker, press)
    if press.response_id is None:
        raise MarkError("There is no response on the desk.")
    if press.action in ("next", "previous"):
        return _move(store, marker, walk, press)
    if press.action in ("flag", "unflag", "comment"):
        return _note(store, marker, press)
    return _decide(store, marker, walk, press)


def ticked_total(question: StoredQuestion, points: tuple[str, ...]) -> float:
    """What ticked points come to under the scheme."""
    return total([PointVerdict(code=code, awarded=True) for code in points], question.scheme)


def _decide(store: Store, marker: Marker, walk: Walk, press: Press) -> Result:
    assert press.response_id is not None
    with store.write() as db:
        if markers.get(db, marker.id) != marker:  # a pack was restored while this mark waited for its turn
            raise MarkError("Your profile here is another by now: an exam was restored. Nothing was saved.")
        opened = open_in(db, press.response_id, marker)
        if opened is None:
            raise MarkError("That response is no longer here; the exam may have been reset. Nothing was saved.")
        seen = proposals.seen_by(db, press.response_id, marker.id)
        outcome, mark, points = _word_of(db, opened, press, seen)
        standing = standings.get(db, press.response_id)
        assert standing is not None
        recorded = decisions.record(
            db,
            press.response_id,
            marker.id,
            outcome,
            _stage(db, press.response_id, marker, seen),
            mark=mark,
            points=points,
            comment=press.comment,
            proposal_id=_proposal_of(db, press) or standing.proposal_id,
            action_id=press.action_id,
            seconds=press.seconds,
            seen_decision_id=press.seen_decision_id,
        )
        if any(other.marker_id != marker.id for other in recorded.meanwhile):
            rulings.record_shown(db, press.response_id, marker.id, None)  # the notice below tells what they gave
        learning.consider(db, opened.exam.id, opened.question)
        after = open_in(db, press.response_id, marker)
        reveal = after is not None and after.phase is Phase.REVEAL
        following = press.response_id if reveal else _following(db, walk, marker, standing)
    given = "no response" if mark is None else format_mark(mark)
    said = "Had been saved" if recorded.repeated else "Saved"
    notice = f"{said}: {given} for candidate {opened.response.candidate_number}.{_meanwhile(recorded, marker)}"
    if following == press.response_id and not reveal:
        notice += " That was the last one here."
    return Result(notice, following, comment_saved=bool(press.comment))


def _word_of(
    db: Database, opened: OpenResponse, press: Press, seen: bool
) -> tuple[Outcome, float | None, tuple[str, ...] | None]:
    """What a press gives (outcome, mark, ticked points), from what is stored rather than from what a browser says."""
    if press.action == "no_response":
        return Outcome.NO_RESPONSE, None, None
    if press.action == "mark":
        return Outcome.MARK, press.mark, None
    if press.action == "mark_points":
        points = press.points or ()
        return Outcome.MARK, ticked_total(opened.question, points), points
    if press.action == "keep":
        if opened.own is None:
            raise MarkError("There is no mark of yours to keep here. Give one first.")
        return opened.own.outcome, opened.own.mark, opened.own.points
    accepted = _proposal_of(db, press)
    if accepted is None or not seen:
        raise MarkError("There is no proposal to accept here. Give a mark.")
    proposal = proposals.get(db, accepted).proposal
    if proposal.mark is None:
        raise MarkError("That proposal has no mark to accept. Give a mark.")
    codes = [v.code for v in proposal.verdicts if isinstance(v, PointVerdict) and v.awarded]
    return Outcome.MARK, proposal.mark, tuple(codes) if codes else None


def _proposal_of(db: Database, press: Press) -> int | None:
    """The proposal that was on screen, which must be about the response that was."""
    if press.proposal_id is None:
        return None
    if proposals.get(db, press.proposal_id).response_id != press.response_id:
        raise MarkError("That proposal was not on screen for this response. Nothing was saved.")
    return press.proposal_id


def _stage(db: Database, response_id: int, marker: Marker, seen: bool) -> Stage:
    if not rulings.has_been_shown(db, response_id, marker.id):
        return Stage.BLIND
    if not seen:
        return Stage.REVEALED  # another's mark was, but no proposal: neither blind nor a word on the AI's mark
    # Undone ones too: who marked blind, saw the reveal and took their mark back is revising, not meeting the AI first.
    before = {d.stage for d in decisions.history(db, response_id) if d.marker_id == marker.id}
    return Stage.REVEALED if before & {Stage.BLIND, Stage.REVEALED} else Stage.AI_FIRST


def _meanwhile(recorded: decisions.Recorded, marker: Marker) -> str:
    if not recorded.meanwhile:
        return ""
    other = recorded.meanwhile[-1]
    who = "you, in another tab," if other.marker_id == marker.id else other.marker_name
    given = "no response" if other.mark is None else format_mark(other.mark)
    return f" Meanwhile {who} had given it {given}. Both are kept; the latest stands."


def _undo(store: Store, marker: Marker, press: Press) -> Result:
    if press.undo_decision_id is None:
        raise MarkError("There is nothing of yours to undo in this exam.")
    with store.write() as db:
        undone = decisions.undo(db, press.undo_decision_id, marker.id, press.action_id)
        if undone is None:
            return Result("That mark was undone already.", press.response_id)
        response = responses.get(db, undone.response_id)
    if response is None:
        return Result("Undone. That response belongs to an exam that has been archived.", press.response_id)
    given = "no response" if undone.mark is None else format_mark(undone.mark)
    return Result(f"Undone: {given} for candidate {response.candidate_number}.", undone.response_id)


def _note(store: Store, marker: Marker, press: Press) -> Result:
    assert press.response_id is not None
    if press.action == "comment" and not press.comment:
        return Result("There is no comment to save yet.", press.response_id)
    with store.write() as db:
        if responses.get(db, press.response_id) is None:
            raise MarkError("That response is no longer here; the exam may have been reset. Nothing was saved.")
        text = press.comment if press.action == "comment" else ""
        decisions.add_note(db, press.response_id, marker.id, press.action, text, press.action_id)
    said = {
        "comment": "Comment saved.",
        "flag": "Flagged for the head of department.",
        "unflag": "The flag is lifted.",
    }
    return Result(said[press.action], press.response_id, comment_saved=press.action == "comment")


def _move(store: Store, marker: Marker, walk: Walk, press: Press) -> Result:
    assert press.response_id is not None
    backwards = press.action == "previous"
    # Back always means the response before this one, marked or not: a teacher goes back to look at what they did.
    if backwards and walk.wanted is Filter.UNMARKED:
        walk = replace(walk, wanted=Filter.ALL)
    with store.read() as db:
        beside = standings.get(db, press.response_id)
        found = _neighbour(db, walk, marker, beside, backwards=backwards)
    if found is None:
        return Result(f"This is the {'first' if backwards else 'last'} response here.", press.response_id)
    return Result("", found)


def _following(db: Database, walk: Walk, marker: Marker, standing: standings.Standing) -> int | None:
    """The next response of the walk. After the last: for unmarked ones the first left out, None when none is left;
    for any other walk the response itself, as it has come to its end."""
    found = _neighbour(db, walk, marker, standing)
    if found is not None:
        return found
    return _neighbour(db, walk, marker, None) if walk.wanted is Filter.UNMARKED else standing.response_id


def _neighbour(
    db: Database, walk: Walk, marker: Marker, beside: standings.Standing | None, *, backwards: bool = False
) -> int | None:
    # To a marker who is still blind, these filters would tell where the AI is unsure or differs from a colleague.
    tells = walk.wanted in (Filter.UNSURE, Filter.DIFFERS)
    return standings.neighbour(
        db,
        walk.exam_id,
        walk.order,
        walk.wanted,
        question_id=walk.question_id,
        beside=beside,
        backwards=backwards,
        not_blind_to=marker.id if tells else None,
    )


def undoable(store: Store, exam_id: int, marker: Marker) -> tuple[Decision, str] | None:
    """The marker's newest live mark in the exam with its candidate's number: what U takes back."""
    with store.read() as db:
        decision = decisions.last_of_marker(db, exam_id, marker.id)
        response = None if decision is None else responses.get(db, decision.response_id)
    return None if decision is None or response is None else (decision, response.candidate_number)


def parse_press(payload: Any) -> Press:
    """The press in a browser's message. Raises MarkError when it is not one."""
    try:
        return Press.model_validate(payload)
    except ValueError as error:
        raise MarkError("The page sent something this version does not know. Reload the page.") from error

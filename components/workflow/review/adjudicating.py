"""What a head of department's presses record: adjudications, settled flags, and taking either back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from sqlite_utils import Database

from components.marking import Decision, Marker, MarkError, Outcome, PointVerdict, Stage, total
from components.workflow import learning
from components.workflow.review import opening, rules
from components.workflow.review.opening import OpenReview
from components.workflow.review.queue import Show
from storage import Store, decisions, exams, proposals, responses, reviews, rulings, standings
from storage.exams import StoredQuestion
from storage.responses import StoredResponse

GONE = "That response is no longer here; the exam may have been reset. Nothing was saved."


class Press(BaseModel):
    """One action of an adjudicator, with the response, the proposal and what was hidden when it was pressed."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    task: Literal["adjudicate"]
    action: Literal[
        "accept",
        "take",
        "mark",
        "mark_points",
        "no_response",
        "undo",
        "settle_flag",
        "comment",
        "next",
        "previous",
        "tick",
    ]
    action_id: str
    marker_id: int
    response_id: int | None
    proposal_id: int | None = None
    decision_id: int | None = None
    mark: float | None = None
    points: tuple[str, ...] | None = None
    comment: str = ""
    seconds: float | None = None
    seen_decision_id: int = 0
    undo_decision_id: int | None = None
    hidden: bool = False


@dataclass(frozen=True)
class Result:
    """What a press did, in words, and the response to show next (None: the queue has to be read afresh)."""

    notice: str
    response_id: int | None
    comment_saved: bool = False


def parse_press(payload: Any) -> Press:
    """The press in a browser's message. Raises MarkError when it is not one."""
    try:
        return Press.model_validate(payload)
    except ValueError as error:
        raise MarkError("The page sent something this version does not know. Reload the page.") from error


def act(store: Store, marker: Marker, press: Press, show: Show, walk: Sequence[int]) -> Result:
    """Do what was pressed; `walk` is the order in which responses are gone through.

    Raises MarkError, with nothing changed, when it cannot be done as asked. The same press again records nothing.
    """
    if press.marker_id != marker.id:
        raise MarkError("That was pressed under another profile. Nothing was saved; press again as yourself.")
    if press.action in ("next", "previous"):
        return _move(store, press, show, walk)
    rules.must_be_head(marker)
    if press.action == "undo":
        return _undo(store, marker, press)
    if press.response_id is None:
        raise MarkError("There is no response to adjudicate here.")
    if press.action == "comment":
        return _comment(store, marker, press)
    if press.action == "settle_flag":
        return _settle_flag(store, marker, press, show, walk)
    return _adjudicate(store, marker, press, show, walk)


def undoable(store: Store, exam_id: int, response_id: int | None, marker: Marker) -> tuple[Decision, str] | None:
    """What U takes back, with its candidate's number: this marker's adjudication on the response, else their newest."""
    with store.read() as db:
        here = [] if response_id is None else decisions.live(db, response_id)
        own = [d for d in here if d.marker_id == marker.id and d.stage is Stage.ADJUDICATED]
        decision = own[-1] if own else decisions.last_of_marker(db, exam_id, marker.id, adjudicated=True)
        response = None if decision is None else responses.get(db, decision.response_id)
    return None if decision is None or response is None else (decision, response.candidate_number)


def ticked_total(question: StoredQuestion, points: Sequence[str]) -> float:
    """What ticked points come to under the scheme."""
    return total([PointVerdict(code=code, awarded=True) for code in points], question.scheme)


def _adjudicate(store: Store, marker: Marker, press: Press, show: Show, walk: Sequence[int]) -> Result:
    assert press.response_id is not None
    with store.write() as db:
        found = opening.open_in(db, press.response_id, marker, hide=press.hidden)
        if found is None:
            raise MarkError(GONE)
        outcome, mark, points = _word_of(db, found, press)
        standing = standings.get(db, press.response_id)
        assert standing is not None
        recorded = decisions.record(
            db,
            press.response_id,
            marker.id,
            outcome,
            Stage.ADJUDICATED,
            mark=mark,
            points=points,
            comment=press.comment,
            proposal_id=press.proposal_id or standing.proposal_id,
            action_id=press.action_id,
            seconds=press.seconds,
            seen_decision_id=press.seen_decision_id,
            marks_hidden=found.hidden,
        )
        if not recorded.repeated:
            if standing.flagged:
                lifting = rulings.lifting_action(press.action_id)
                decisions.add_note(db, press.response_id, marker.id, "unflag", press.comment, lifting)
            learning.consider(db, found.opened.exam.id, found.opened.question)
        stands = opening.stands_in(db, press.response_id, marker)
        following = press.response_id if press.hidden else _following(db, press.response_id, show, walk)
    said = "Had been saved for" if recorded.repeated else "Saved for"
    lifted = " The flag is settled with it." if standing.flagged and not recorded.repeated else ""
    notice = f"{said} {_about(found)}: {stands}{lifted}{_meanwhile(recorded, marker)}"
    return Result(notice, following, comment_saved=bool(press.comment))


def _word_of(db: Database, found: OpenReview, press: Press) -> tuple[Outcome, float | None, tuple[str, ...] | None]:
    """What a press gives (outcome, mark, ticked points), from what is stored rather than from what a browser says."""
    if press.proposal_id is not None and proposals.get(db, press.proposal_id).response_id != press.response_id:
        raise MarkError("That proposal was not on screen for this response. Nothing was saved.")
    if press.action == "no_response":
        return Outcome.NO_RESPONSE, None, None
    if press.action == "mark":
        return Outcome.MARK, press.mark, None
    if press.action == "mark_points":
        points = press.points or ()
        return Outcome.MARK, ticked_total(found.opened.question, points), points
    if found.hidden:
        raise MarkError("The other marks are hidden until you have decided. Give a mark of your own.")
    if press.action == "take":
        taken = next((each.decision for each in found.given if each.decision.id == press.decision_id), None)
        if taken is None:
            raise MarkError("That mark no longer stands: it was changed or taken back. Look at the marks again.")
        return taken.outcome, taken.mark, taken.points
    proposal = None if press.proposal_id is None else proposals.get(db, press.proposal_id).proposal
    if proposal is None or proposal.mark is None:
        raise MarkError("The AI has no mark to take here. Give one.")
    codes = [v.code for v in proposal.verdicts if isinstance(v, PointVerdict) and v.awarded]
    return Outcome.MARK, proposal.mark, tuple(codes) if codes else None


def _settle_flag(store: Store, marker: Marker, press: Press, show: Show, walk: Sequence[int]) -> Result:
    assert press.response_id is not None
    if not press.comment:
        raise MarkError("Write in the reason what came of the flag, then settle it.")
    with store.write() as db:
        found = opening.open_in(db, press.response_id, marker, hide=press.hidden)
        if found is None:
            raise MarkError(GONE)
        if found.hidden:
            raise MarkError("The flag is hidden until you have decided. Give a mark first.")
        if not found.opened.flagged:
            return Result("There is no flag to settle here: it was settled already.", press.response_id)
        decisions.add_note(db, press.response_id, marker.id, "unflag", press.comment, press.action_id)
        following = _following(db, press.response_id, show, walk)
    return Result(f"Flag settled for {_about(found)}. Its marks stand as they are.", following, comment_saved=True)


def _comment(store: Store, marker: Marker, press: Press) -> Result:
    assert press.response_id is not None
    if not press.comment:
        return Result("There is no comment to save yet.", press.response_id)
    with store.write() as db:
        if responses.get(db, press.response_id) is None:
            raise MarkError(GONE)
        decisions.add_note(db, press.response_id, marker.id, "comment", press.comment, press.action_id)
    return Result("Comment saved, without a decision.", press.response_id, comment_saved=True)


def _undo(store: Store, marker: Marker, press: Press) -> Result:
    if press.undo_decision_id is None:
        raise MarkError("There is no adjudication of yours to undo in this exam.")
    with store.write() as db:
        response = _undoable_response(db, press.undo_decision_id)
        lifted = rulings.flag_lifted_by(db, press.undo_decision_id)
        undone = decisions.undo(db, press.undo_decision_id, marker.id, press.action_id)
        if undone is None:
            return Result("That adjudication was undone already.", press.response_id)
        if lifted is not None:
            decisions.add_note(
                db, undone.response_id, marker.id, "flag", lifted, rulings.lifting_action(press.action_id)
            )
        stands = opening.stands_in(db, undone.response_id, marker)
        standing = standings.get(db, undone.response_id)
    if not stands and standing is not None and standing.decision_id is not None:
        final = "no response" if standing.final_mark is None else f"{standing.final_mark:g}"
        stands = f"The teacher's {final} stands again."
    back = " Its flag is back." if lifted is not None else ""
    about = f"candidate {response.candidate_number}"
    return Result(f"Undone: {rules.in_words(undone)} for {about}. {stands}{back}".strip(), undone.response_id)


def _undoable_response(db: Database, decision_id: int) -> StoredResponse:
    row = decisions.get(db, decision_id)
    response = None if row is None or row.stage is not Stage.ADJUDICATED else responses.get(db, row.response_id)
    if response is None or exams.get(db, response.exam_id) is None:
        raise MarkError("That adjudication is no longer here; the exam may have been reset. Nothing was changed.")
    return response


def _move(store: Store, press: Press, show: Show, walk: Sequence[int]) -> Result:
    if press.response_id is None:
        return Result("", None)
    if press.action == "previous":
        before = _before(press.response_id, walk)
        return Result("" if before is not None else "This is the first response here.", before or press.response_id)
    with store.read() as db:
        following = _following(db, press.response_id, show, walk)
    if following is None and press.response_id in walk and show is Show.SETTLED:
        return Result("This is the last response here.", press.response_id)
    return Result("", following)


def _before(response_id: int, walk: Sequence[int]) -> int | None:
    place = walk.index(response_id) if response_id in walk else 0
    return walk[place - 1] if place else None


def _following(db: Database, response_id: int, show: Show, walk: Sequence[int]) -> int | None:
    """The next of the walk that still waits, after its last the first left out; None where the walk is at its end."""
    place = walk.index(response_id) + 1 if response_id in walk else 0
    ahead = [each for each in (*walk[place:], *walk[:place]) if each != response_id]
    if show is Show.SETTLED:
        return walk[place] if 0 < place < len(walk) else None
    waiting = reviews.still_waiting(db, ahead, show.kind)
    return waiting[0] if waiting else None


def _about(found: OpenReview) -> str:
    return f"candidate {found.opened.response.candidate_number}, question {found.opened.question.question.number}"


def _meanwhile(recorded: decisions.Recorded, marker: Marker) -> str:
    if not recorded.meanwhile:
        return ""
    other = recorded.meanwhile[-1]
    who = "you, in another tab," if other.marker_id == marker.id else other.marker_name
    return f" Meanwhile {who} had given it {rules.in_words(other)}; all are kept."

"""An open response in the terms of the desk that shows it."""

from __future__ import annotations

from components.marking import ProposalStatus
from components.widgets.desk import Shown, ShownPage, ShownStrokes, ShownTranscript
from components.workflow import desk as work
from components.workflow.answer_view import AnnotatedPage, AnswerView
from components.workflow.calibration import calibration_text
from components.workflow.opening import OpenResponse
from components.workflow.scan_store import BLANK_REGION


def shown(opened: OpenResponse, view: AnswerView, points: tuple[str, ...] | None) -> Shown:
    """The response with its pictures; `points` are those that the teacher has ticked, None where nothing is ticked."""
    notes = [f"{note.marker_name}: {note.text}" for note in opened.notes if note.kind == "comment"]
    if opened.own is not None and opened.own.comment:
        notes.append(f"{opened.own.marker_name}, with the mark: {opened.own.comment}")
    if opened.own is None and any(page.page.source.endswith(BLANK_REGION) for page in view.pages):
        notes.append("The scan found nothing written here: press N if there is no response.")
    notes += [f"Already marked by {name}." for name in opened.marked_by_others]
    return Shown(
        response_id=opened.response.id,
        candidate=opened.response.candidate_number,
        answer=opened.response.text,
        question=opened.question.question,
        scheme=opened.question.scheme,
        phase=opened.phase,
        proposal=opened.proposal.proposal if opened.proposal else None,
        proposal_id=opened.proposal.id
        if opened.proposal and opened.proposal.proposal.status is ProposalStatus.PROPOSED
        else None,
        own=opened.own,
        notes=tuple(notes),
        flagged=opened.flagged,
        seen_decision_id=opened.seen_decision_id,
        ticked=points,
        ticked_total=None if points is None else work.ticked_total(opened.question, points),
        calibration=calibration_text(opened.calibration, opened.question.question.tolerance)
        if opened.calibration
        else "",
        mark_first="Part of the blind sample: mark first, the AI's mark appears after yours."
        if opened.blind and not opened.exam.blind
        else "Mark first; the AI's mark appears after yours.",
        no_proposal="No proposal yet. The judge is at work, or has not been asked; you can mark without it.",
        pages=tuple(_page(page) for page in view.pages),
        transcript=view.transcript
        and ShownTranscript(view.transcript.text, view.transcript_source, view.transcript.version),
        earlier=view.earlier.proposal if view.earlier else None,
    )


def _page(annotated: AnnotatedPage) -> ShownPage:
    page = annotated.page
    others = tuple(ShownStrokes(other.marker_name, other.strokes) for other in annotated.others)
    return ShownPage(page.page, page.sha256, page.width, page.height, annotated.own, others)

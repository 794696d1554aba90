"""What the desk shows, turned into plain data for the browser."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from components.marking import (
    Decision,
    Evidence,
    LevelVerdict,
    Outcome,
    Phase,
    PointVerdict,
    Proposal,
    Question,
    Scheme,
    Stage,
    Verdict,
    earned_codes,
    format_mark,
    verdict_name,
)
from components.widgets.desk.adjudication import Adjudication, adjudication_data
from components.widgets.desk.pictures import ShownPage, ShownTranscript, comparison_data, pages_data, transcript_data


@dataclass(frozen=True)
class Shown:
    """The response on the desk. `proposal` is None while it may not be seen or does not exist yet: `mark_first` and
    `no_proposal` say why.

    `calibration` says how far the proposal's confidence may be trusted; "" where nothing can be said. `pages` are the
    answer's pictures, `earlier` what the proposal's judge had said before.
    """

    response_id: int
    candidate: str
    answer: str
    question: Question
    scheme: Scheme
    phase: Phase
    proposal: Proposal | None
    proposal_id: int | None
    own: Decision | None
    notes: tuple[str, ...]
    flagged: bool
    seen_decision_id: int
    ticked: tuple[str, ...] | None = None
    ticked_total: float | None = None
    no_proposal: str = ""
    mark_first: str = "Mark first; the AI's mark appears after yours."
    calibration: str = ""
    pages: tuple[ShownPage, ...] = ()
    transcript: ShownTranscript | None = None
    earlier: Proposal | None = None


@dataclass(frozen=True)
class DeskView:
    """One drawing of the desk. `shown` is None when there is nothing (left) to mark; `empty` then says so.

    `saved` names what was kept, or refused in words, of strokes and transcripts that the desk sent lately;
    `awaiting` that a new proposal is under way, which the desk looks for from time to time. `adjudication` is set where
    a head of department settles what others gave, and None where a teacher marks.
    """

    marker_id: int
    shown: Shown | None
    done: int
    total: int
    notice: str = ""
    acknowledged: str = ""
    comment_saved: bool = False
    undo: Decision | None = None
    undo_candidate: str = ""
    empty_title: str = ""
    empty_text: str = ""
    saved: tuple[str, ...] = ()
    awaiting: bool = False
    adjudication: Adjudication | None = None


def desk_data(view: DeskView) -> dict[str, Any]:
    """The view as JSON-ready data, in the names that desk.js reads."""
    data: dict[str, Any] = {
        "markerId": view.marker_id,
        "responseId": None,
        "done": view.done,
        "total": view.total,
        "notice": view.notice,
        "ack": view.acknowledged,
        "commentSaved": view.comment_saved,
        "undo": view.undo
        and {"decisionId": view.undo.id, "label": f"Undo {decision_text(view.undo)} on {view.undo_candidate}"},
        "emptyTitle": view.empty_title,
        "emptyText": view.empty_text,
        "saved": list(view.saved),
        "awaiting": view.awaiting,
        "review": adjudication_data(view.adjudication),
    }
    return data | _shown_data(view.shown) if view.shown is not None else data


def decision_text(decision: Decision) -> str:
    """A decision in a few words: its mark, or `no response`."""
    return "no response" if decision.outcome is Outcome.NO_RESPONSE else format_mark(decision.mark)


def _shown_data(shown: Shown) -> dict[str, Any]:
    proposal = shown.proposal
    verdicts = proposal.verdicts if proposal else ()
    return {
        "responseId": shown.response_id,
        "candidate": shown.candidate,
        "questionNumber": shown.question.number,
        "blank": not shown.answer.strip() and not shown.pages,
        "segments": _segments(shown.answer, verdicts),
        "pages": pages_data(shown.pages, verdicts),
        "labels": [point.code for point in shown.scheme.points],
        "transcript": transcript_data(shown.transcript),
        "comparison": comparison_data(shown.earlier, proposal),
        "marks": [_plain(mark) for mark in shown.scheme.scale.marks()],
        "phase": shown.phase,
        "proposal": proposal and _proposal_data(proposal, shown),
        "points": _points_data(shown, verdicts),
        "own": shown.own
        and {"mark": _plain(shown.own.mark), "text": decision_text(shown.own), "label": _own_label(shown)},
        "ask": _ask(shown),
        "notes": list(shown.notes),
        "flagged": shown.flagged,
        "seenDecisionId": shown.seen_decision_id,
        "draftPoints": list(shown.ticked or ()),
        "draftTotal": _plain(shown.ticked_total),
        "noProposal": shown.no_proposal,
        "markFirst": shown.mark_first,
    }


def _proposal_data(proposal: Proposal, shown: Shown) -> dict[str, Any]:
    captions = (shown.calibration, _samples_text(proposal.samples), proposal.label, _exemplars_text(proposal.exemplars))
    return {
        "id": shown.proposal_id,
        "status": proposal.status,
        "mark": _plain(proposal.mark),
        "confidence": proposal.confidence,
        "captions": [caption for caption in captions if caption],
        "reason": proposal.reason,
        "flags": [flag.text for flag in proposal.flags],
        "others": [_other_verdict(verdict) for verdict in proposal.verdicts if not isinstance(verdict, PointVerdict)],
    }


def _samples_text(samples: tuple[float, ...]) -> str:
    """What a judge's model said each time, where it was asked several times."""
    if len(samples) < 2:
        return ""
    asked, least, most = f"Asked {len(samples)} times", format_mark(min(samples)), format_mark(max(samples))
    if least == most:
        return f"{asked}: {least} each time"
    return f"{asked}: {', '.join(format_mark(mark) for mark in samples)} — from {least} to {most}"


def _exemplars_text(exemplars: tuple[str, ...]) -> str:
    if not exemplars:
        return ""
    return f"{len(exemplars)} example{'' if len(exemplars) == 1 else 's'} shown to it"


def _points_data(shown: Shown, verdicts: Iterable[Verdict]) -> list[dict[str, Any]]:
    """A row for each marking point of the scheme: the proposal's verdict where it may be seen, the teacher's ticks."""
    by_code = {verdict.code: verdict for verdict in verdicts if isinstance(verdict, PointVerdict)}
    # A proposal that judges the answer as a whole says nothing of single points: neither ✓ nor ✗ may stand there.
    known = bool(by_code) or shown.ticked is not None
    if shown.ticked is not None:
        ticked = set(shown.ticked)
    elif shown.own is not None and shown.own.points is not None:
        ticked, known = set(shown.own.points), True
    else:
        ticked = {code for code, verdict in by_code.items() if verdict.awarded}
    earned = earned_codes([PointVerdict(code=code, awarded=True) for code in ticked], shown.scheme)
    rows = []
    for point in shown.scheme.points:
        verdict = by_code.get(point.code)
        held = point.code in ticked and point.code not in earned
        rows.append(
            {
                "name": point.code,
                "text": point.text,
                "worth": f"{point.marks:g} mark{'' if point.marks == 1 else 's'}",
                "ticked": point.code in ticked if known else None,
                "awarded": verdict.awarded if verdict else None,
                "held": f"earns nothing without {', '.join(point.needs)}" if held else "",
                "label": verdict.label or ("not sure" if verdict.not_sure else "") if verdict else "",
                "notSure": bool(verdict and (verdict.not_sure or verdict.label == "unclear")),
                "reason": verdict.reason if verdict else "",
                "quotes": _quotes(verdict.evidence) if verdict else [],
            }
        )
    return rows


def _other_verdict(verdict: Verdict) -> dict[str, Any]:
    assert not isinstance(verdict, PointVerdict)
    level = f"level {verdict.level}, " if isinstance(verdict, LevelVerdict) else ""
    return {
        "name": verdict_name(verdict),
        "text": "",
        "worth": f"{level}{verdict.mark:g} mark{'' if verdict.mark == 1 else 's'}",
        "ticked": None,
        "awarded": None,
        "held": "",
        "label": "not sure" if verdict.not_sure else "",
        "notSure": verdict.not_sure,
        "reason": verdict.reason,
        "quotes": _quotes(verdict.evidence),
    }


def _quotes(evidence: Iterable[Evidence]) -> list[dict[str, Any]]:
    return [{"text": each.quote, "verified": each.verified} for each in evidence]


def _segments(answer: str, verdicts: Iterable[Verdict]) -> list[dict[str, Any]]:
    """The answer cut at the edges of verified evidence; each piece names the points whose evidence covers it.

    Kinds: `found` earned marks, `unclear` may have, `read` is what a verdict without marks rests on.
    """
    spans = []
    for verdict in verdicts:
        kind = _evidence_kind(verdict)
        for each in verdict.evidence if kind else ():
            if each.in_transcript or each.start is None or each.end is None:
                continue
            if 0 <= each.start < each.end <= len(answer):
                spans.append((each.start, each.end, verdict_name(verdict), kind))
    edges = sorted({0, len(answer), *(edge for start, end, _, _ in spans for edge in (start, end))})
    pieces = []
    for start, end in pairwise(edges):
        covering = [span for span in spans if span[0] <= start and end <= span[1]]
        kinds = {kind for _, _, _, kind in covering}
        pieces.append(
            {
                "text": answer[start:end],
                "codes": [name for _, _, name, _ in covering],
                "kind": next((kind for kind in ("found", "unclear", "read") if kind in kinds), ""),
            }
        )
    return pieces


def _evidence_kind(verdict: Verdict) -> str:
    if isinstance(verdict, PointVerdict):
        return "found" if verdict.awarded else "unclear" if verdict.label == "unclear" else ""
    return "found" if verdict.mark > 0 else "read"


def _own_label(shown: Shown) -> str:
    assert shown.own is not None
    how = {
        Stage.BLIND: "given blind",
        Stage.AI_FIRST: "given with the proposal in view",
        Stage.REVEALED: "after the reveal",
        Stage.ADJUDICATED: "adjudicated",
        Stage.IMPORTED: "imported",
    }[shown.own.stage]
    return f"Your mark: {decision_text(shown.own)} ({how})"


def _ask(shown: Shown) -> str:
    if shown.phase is Phase.REVEAL:
        return "Change to:"
    if shown.own is not None:
        return "Change your mark:"
    return ""


def _plain(mark: float | None) -> float | int | None:
    """3 rather than 3.0, so that the browser shows and compares marks as people write them."""
    return int(mark) if mark is not None and float(mark).is_integer() else mark

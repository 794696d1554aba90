"""The responses behind a mark of a chart, for who may see them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from components.marking import Marker, Role, Stage
from components.workflow.agreement.chosen import chosen
from components.workflow.agreement.selection import Selection
from storage import Store, pair_rows, pairs, proposals
from storage.pair_rows import Asked, PairRow

MOST_ROWS = 200


@dataclass(frozen=True)
class BehindRow:
    """One response with the AI's mark and a teacher's. `marker` is the teacher's name for a head of department, else
    "". `at` is when the teacher's mark was given (UTC, ISO 8601)."""

    response_id: int
    question: str
    candidate: str
    ai: float
    teacher: float
    stage: Stage
    confidence: str
    marker: str
    at: str


@dataclass(frozen=True)
class Behind:
    """The newest of the responses, newest first, and `n`, how many of them the viewer may see in all.

    `own_only` says that these are only the ones the viewer has marked.
    """

    rows: tuple[BehindRow, ...]
    n: int
    own_only: bool


def responses_behind(
    store: Store,
    selection: Selection,
    viewer: Marker,
    *,
    question: str | None = None,
    ai: float | None = None,
    teacher: float | None = None,
    difference_at_least: float | None = None,
    confidence: str | None = None,
    kind: str = pairs.AGREEMENT,
    stage: Stage | None = None,
    since: str | None = None,
    most: int = MOST_ROWS,
) -> Behind:
    """The selection's pairs for which every part that is set holds; `since` is a moment (UTC, ISO 8601).

    `difference_at_least` is in marks, whichever way. A teacher sees the responses on which a mark of their own stands:
    on others they may still have to mark blind. What the viewer sees here is recorded, so that no later mark of theirs
    on the response passes for blind. Raises LookupError where there is no such exam.
    """
    own_only = viewer.role is Role.TEACHER
    asked = Asked(kind, ai, teacher, difference_at_least, confidence, since, viewer.id if own_only else None)
    stages = {each for each in (selection.stage, stage) if each is not None}
    with store.read() as db:
        found = chosen(db, selection)
        numbers = {stored.id: stored.question.number for stored in found.questions}
        judged = {q: judge for q, judge in found.judged.items() if question is None or numbers[q] == question}
        wanted = replace(found.wanted, question_ids=tuple(judged), stage=next(iter(stages), None))
        rows, n = pair_rows.behind(db, wanted, judged, asked, most) if len(stages) < 2 else ([], 0)
        unseen = [row for row in rows if not proposals.seen_by(db, row.response_id, viewer.id, row.proposal_id)]
    if unseen:
        with store.write(durable=False) as db:
            for row in unseen:
                proposals.record_sighting(db, row.response_id, viewer.id, row.proposal_id)
    named = viewer.role is Role.HEAD
    return Behind(tuple(_row(row, numbers[row.question_id], named) for row in rows), n, own_only)


def _row(row: PairRow, number: str, named: bool) -> BehindRow:
    return BehindRow(
        response_id=row.response_id,
        question=number,
        candidate=row.candidate,
        ai=row.ai,
        teacher=row.teacher,
        stage=row.stage,
        confidence=row.confidence,
        marker=row.marker_name if named else "",
        at=row.given_at,
    )

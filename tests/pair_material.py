"""Material for tests of agreement: proposals and teachers' marks given in pairs."""

from __future__ import annotations

from collections.abc import Sequence

from components.marking import (
    Confidence,
    Marker,
    Outcome,
    Proposal,
    ProposalStatus,
    Question,
    QuestionType,
    Scheme,
    Stage,
    Usage,
)
from components.workflow.connections import default_judges
from storage import Store, decisions, exams, judges, proposals, responses


def plain_question(number: str, max_mark: float = 4, tolerance: float = 0) -> tuple[Question, Scheme]:
    """A question marked as a whole."""
    question = Question(number=number, type=QuestionType.SHORT, text="Why?", max_mark=max_mark, tolerance=tolerance)
    return question, Scheme(max_mark=max_mark)


def another_judge(store: Store, name: str) -> int:
    with store.write() as db:
        return judges.ensure(db, name, judges.LLM, "a-model")


def desk_judge(store: Store) -> int:
    return default_judges(store)[1]


def propose(
    store: Store,
    response_ids: Sequence[int],
    marks: Sequence[float],
    *,
    judge_id: int | None = None,
    model: str = "",
    prompt: str = "",
    confidence: Confidence = Confidence.SURE,
) -> list[int]:
    """One proposal a response, of the desk's judge unless another is named; gives their ids."""
    judge = desk_judge(store) if judge_id is None else judge_id
    made = []
    with store.write(durable=False) as db:
        for response_id, mark in zip(response_ids, marks, strict=True):
            response = responses.get(db, response_id)
            assert response is not None
            proposal = Proposal(
                status=ProposalStatus.PROPOSED,
                label="test",
                mark=mark,
                confidence=confidence,
                usage=Usage(model=model, prompt_version=prompt),
            )
            scheme_id = exams.question(db, response.question_id).scheme_id
            made.append(proposals.add(db, response_id, judge, scheme_id, proposal))
    return made


def give(
    store: Store, response_ids: Sequence[int], marks: Sequence[float], marker: Marker, stage: Stage = Stage.BLIND
) -> list[int]:
    """One teacher's mark a response, in this order; gives the decisions' ids."""
    made = []
    with store.write(durable=False) as db:
        for response_id, mark in zip(response_ids, marks, strict=True):
            proposal_id = None
            if stage is Stage.AI_FIRST:
                row = db.execute("SELECT max(id) AS id FROM proposals WHERE response_id = ?", (response_id,)).fetchone()
                proposal_id = row["id"]
                proposals.record_sighting(db, response_id, marker.id, proposal_id)
            recorded = decisions.record(
                db, response_id, marker.id, Outcome.MARK, stage, mark=mark, proposal_id=proposal_id
            )
            made.append(recorded.decision_id)
    return made

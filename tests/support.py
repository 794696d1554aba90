"""Material for tests: small exams made in the test's own store."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from components.marking import (
    Confidence,
    Evidence,
    Marker,
    MarkingPoint,
    PointVerdict,
    Proposal,
    Question,
    QuestionType,
    Role,
    Scheme,
    abstain,
    propose_from,
)
from components.workflow import cohort
from components.workflow.cohort import RunOptions
from components.workflow.connections import default_judges
from storage import Store, exams, markers, proposals, responses

SHARED_DATA = Path(__file__).parents[2] / "shared" / "data"


def new_store(folder: Path) -> Store:
    """The app's store in this folder: a new one where there is none."""
    file = folder / "second-marker.db"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        file.write_bytes(_empty_store())
    return Store(file)


@cache
def _empty_store() -> bytes:
    """A database that the migrations have made: making one takes them longer than many a test."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "empty.db"
        Store(file).close()
        return file.read_bytes()


def add_marker(store: Store, name: str = "Ms Khan", role: Role = Role.TEACHER) -> Marker:
    with store.write() as db:
        return Marker(markers.add(db, name, role), name, role)


def start_run(store: Store, exam_id: int, judge_id: int, **options: Any) -> int:
    """Queue a run of the judge, its proposals on the exam's desk. Gives the job's id."""
    marker = add_marker(store, f"Lead {secrets.token_hex(4)}", Role.PILOT)
    return cohort.start(store, RunOptions(exam_id=exam_id, judge_id=judge_id, **options), marker, on_desk=True)


def two_point_question(number: str = "1", *, max_mark: float = 2, step: float = 1) -> tuple[Question, Scheme]:
    """A short question with M1 and A1, where A1 needs M1."""
    question = Question(
        number=number, type=QuestionType.SHORT, text=f"Question {number}: why?", max_mark=max_mark, mark_step=step
    )
    points = (
        MarkingPoint(code="M1", text="the enzyme is denatured"),
        MarkingPoint(code="A1", text="the active site no longer fits", needs=("M1",)),
    )
    return question, Scheme(max_mark=max_mark, mark_step=step, points=points)


def add_exam(
    store: Store,
    answers: Sequence[Sequence[str]],
    *,
    title: str = "Test exam",
    questions: Sequence[tuple[Question, Scheme]] | None = None,
    blind_share: float = 0,
) -> tuple[int, list[list[int]]]:
    """An exam whose answers[q][c] is candidate c's answer to question q. Gives its id and the response ids alike.

    No response of it is in a blind sample unless a share is asked for.
    """
    _, offline = default_judges(store)
    questions = questions or [two_point_question(str(i + 1)) for i in range(len(answers))]
    with store.write() as db:
        exam_id = exams.add_exam(db, title, judge_id=offline, blind_share=blind_share)
        numbers = [f"{i + 1:04d}" for i in range(len(answers[0]))]
        candidates = list(responses.add_candidates(db, exam_id, numbers).values())
        question_ids = [exams.add_question(db, exam_id, question, scheme) for question, scheme in questions]
        triples = [
            (q, c, text)
            for q, row in zip(question_ids, answers, strict=True)
            for c, text in zip(candidates, row, strict=True)
        ]
        ids = responses.add_responses(db, exam_id, triples)
    return exam_id, [[ids[q, c] for c in candidates] for q in question_ids]


def propose_points(store: Store, response_id: int, awarded: Sequence[str], quote: str = "") -> int:
    """Store the offline judge's proposal that awards these points; gives its id."""
    _, offline = default_judges(store)
    with store.write() as db:
        response = responses.get(db, response_id)
        assert response is not None
        question = exams.question(db, response.question_id)
        start = response.text.find(quote) if quote else -1
        found = (Evidence(quote=quote, start=start, end=start + len(quote)),) if start >= 0 else ()
        verdicts = tuple(
            PointVerdict(
                code=point.code,
                awarded=point.code in awarded,
                evidence=found if point.code in awarded else (),
                reason=f"About {point.text}.",
            )
            for point in question.scheme.points
        )
        proposal: Proposal = propose_from(
            verdicts, question.scheme, label="Offline matcher, not an LLM", confidence=Confidence.FAIRLY_SURE
        )
        return proposals.add(db, response_id, offline, question.scheme_id, proposal)


def abstain_on(store: Store, response_id: int) -> int:
    """Store the offline judge's abstention; gives its id."""
    _, offline = default_judges(store)
    with store.write() as db:
        response = responses.get(db, response_id)
        assert response is not None
        scheme_id = exams.question(db, response.question_id).scheme_id
        return proposals.add(db, response_id, offline, scheme_id, abstain("Offline matcher", "The answer is blank."))

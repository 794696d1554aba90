"""What both demo exams have in common: an exam's file with its questions' files, and how they come into the store."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from components.marking import Outcome, Question, Scheme, Stage
from storage import blind_sample, decisions, exams, responses

DEMO = Path(__file__).parents[2] / "assets" / "demo"
MET_FIRST = 3  # candidates


def read(folder: Path) -> tuple[dict[str, Any], tuple[dict[str, Any], ...]]:
    """(the exam's own file, its questions' files in exam order)."""
    exam = json.loads((folder / "exam.json").read_text(encoding="utf-8"))
    files = [next(iter((folder / "questions").glob(f"{stem}_*.json"))) for stem in exam["order"]]
    return exam, tuple(json.loads(file.read_text(encoding="utf-8")) for file in files)


def add_exam(db: Database, exam: dict[str, Any], judge_id: int) -> int:
    return exams.add_exam(
        db,
        exam["title"],
        subject=exam["subject"],
        level=exam["level"],
        series=exam["series"],
        language=exam["language"],
        notice=exam["notice"],
        demo=True,
        judge_id=judge_id,
    )


def add_question(db: Database, exam_id: int, item: dict[str, Any]) -> int:
    question = Question.model_validate(item["question"])
    scheme = Scheme.model_validate(item["scheme"] | {"max_mark": question.max_mark, "mark_step": question.mark_step})
    return exams.add_question(db, exam_id, question, scheme)


def import_mark(db: Database, response_id: int, marker_id: int, mark: float | None) -> None:
    """A second teacher's mark as if it had come with the exam; None for no response."""
    outcome = Outcome.NO_RESPONSE if mark is None else Outcome.MARK
    decisions.record(db, response_id, marker_id, outcome, Stage.IMPORTED, mark=mark)


def fix_blind_sample(db: Database, exam_id: int) -> None:
    """Draw the blind sample alike for everybody who opens the demo: evenly spread, in the order of a hash.

    The first few candidates are drawn last, as a newcomer should meet the AI's mark before a response that hides it.
    """
    for stored in exams.questions(db, exam_id):
        ids = responses.by_candidate(db, stored.id)
        hashed = sorted(ids, key=lambda candidate: _hash(candidate, stored.question.number))
        met_first = set(list(ids)[:MET_FIRST])
        order = sorted(hashed, key=met_first.__contains__)
        draws = {ids[candidate]: (place + 0.5) / len(order) for place, candidate in enumerate(order)}
        blind_sample.fix_draws(db, {response: draw for response, draw in draws.items() if response is not None})


def _hash(candidate: str, question: str) -> bytes:
    return sha256(f"candidate {candidate}, question {question}".encode()).digest()

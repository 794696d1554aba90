"""What both demo exams have in common: an exam's file with its questions' files, and how they come into the store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from components.marking import Outcome, Question, Scheme, Stage
from storage import decisions, exams

DEMO = Path(__file__).parents[2] / "assets" / "demo"


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

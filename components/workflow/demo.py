"""The demo exam: invented questions, candidates, answers and marks, installed on a fresh data folder."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from components.marking import Marker, Outcome, Question, Role, Scheme, Stage
from components.workflow.cohort import PROPOSE, RunOptions
from components.workflow.connections import default_judges
from storage import Store, decisions, exams, jobs, markers, responses

DEMO = Path(__file__).parents[2] / "assets" / "demo"
PROFILES = (
    ("Demo teacher", Role.TEACHER),
    ("Demo head of department", Role.HEAD),
    ("Demo pilot lead", Role.PILOT),
)


def install_if_fresh(store: Store) -> None:
    """Install the demo exam with its profiles where there has never been an exam. Its proposals become a job."""
    _, offline = default_judges(store)
    with store.write() as db:
        if not exams.any_ever(db):
            for name, role in PROFILES:
                if markers.find(db, name) is None:
                    markers.add(db, name, role)
            _install(db, offline)


def reset(store: Store, marker: Marker) -> int:
    """Archive the demo exam that stands, with every mark on it, and install a fresh one. Gives the new exam's id."""
    _, offline = default_judges(store)
    with store.write() as db:
        for exam in exams.listed(db):
            if exam.demo:
                exams.archive(db, exam.id, marker.id, "demo reset")
        return _install(db, offline)


@cache
def content() -> tuple[dict[str, Any], tuple[dict[str, Any], ...]]:
    """(the exam's own file, its questions' files in exam order)."""
    exam = json.loads((DEMO / "exam.json").read_text(encoding="utf-8"))
    files = [next(iter((DEMO / "questions").glob(f"{stem}_*.json"))) for stem in exam["order"]]
    return exam, tuple(json.loads(file.read_text(encoding="utf-8")) for file in files)


def _install(db: Database, judge_id: int) -> int:
    exam, questions = content()
    exam_id = exams.add_exam(
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
    candidates = responses.add_candidates(db, exam_id, exam["candidates"])
    second_marker = markers.ensure_external(db, exam["second_marker"])
    for item in questions:
        question = Question.model_validate(item["question"])
        scheme = Scheme.model_validate(
            item["scheme"] | {"max_mark": question.max_mark, "mark_step": question.mark_step}
        )
        question_id = exams.add_question(db, exam_id, question, scheme)
        answers = [(number, answer) for answer in item["answers"] for number in answer["candidates"]]
        ids = responses.add_responses(
            db, exam_id, [(question_id, candidates[number], answer["text"]) for number, answer in answers]
        )
        for number, answer in answers:
            if number in exam["second_marked"]:
                response_id = ids[question_id, candidates[number]]
                _import_mark(db, response_id, second_marker, answer["second_mark"])
    jobs.add(db, PROPOSE, RunOptions(exam_id=exam_id, judge_id=judge_id).model_dump(mode="json"))
    return exam_id


def _import_mark(db: Database, response_id: int, marker_id: int, mark: float | None) -> None:
    outcome = Outcome.NO_RESPONSE if mark is None else Outcome.MARK
    decisions.record(db, response_id, marker_id, outcome, Stage.IMPORTED, mark=mark)

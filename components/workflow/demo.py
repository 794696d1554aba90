"""The demo exams, one typed and one on paper: invented, and installed on a fresh data folder."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlite_utils import Database

from components.marking import Marker, Role
from components.workflow import demo_content, paper_demo
from components.workflow.cohort import PROPOSE, RunOptions
from components.workflow.connections import default_judges
from storage import Store, exams, jobs, markers, responses

PROFILES = (
    ("Demo teacher", Role.TEACHER),
    ("Demo head of department", Role.HEAD),
    ("Demo pilot lead", Role.PILOT),
)


def install_if_fresh(store: Store) -> None:
    """Install the demo exams with their profiles where there has never been an exam. Proposals become jobs."""
    _, offline = default_judges(store)
    with store.read() as db:
        if exams.any_ever(db):
            return
    paper_demo.draw_all()
    with store.write() as db:
        if not exams.any_ever(db):  # another process may have been as quick
            for name, role in PROFILES:
                if markers.find(db, name) is None:
                    markers.add(db, name, role)
            _install_both(db, offline)


def reset(store: Store, marker: Marker, exam_id: int | None = None) -> int:
    """Archive this demo exam, with every mark on it, and install a fresh one; every demo exam where none is named.

    Gives the new exam's id, of several the typed one's.
    """
    _, offline = default_judges(store)
    paper_demo.draw_all()
    with store.write() as db:
        standing = [exam for exam in exams.listed(db) if exam.demo and exam_id in (None, exam.id)]
        for exam in standing:
            exams.archive(db, exam.id, marker.id, "demo reset")
        if exam_id is None:
            return _install_both(db, offline)
        on_paper = any(exam.title == paper_demo.content()[0]["title"] for exam in standing)
        fresh = paper_demo.install(db, offline) if on_paper else install_typed(db, offline)
        _propose(db, fresh, offline)
        return fresh


@cache
def content() -> tuple[dict[str, Any], tuple[dict[str, Any], ...]]:
    """(the typed exam's own file, its questions' files in exam order)."""
    return demo_content.read(demo_content.DEMO)


def _install_both(db: Database, judge_id: int) -> int:
    """Pages open at the newest exam, so the typed one comes last; its proposals are made first."""
    on_paper = paper_demo.install(db, judge_id)
    typed = install_typed(db, judge_id)
    for exam_id in (typed, on_paper):
        _propose(db, exam_id, judge_id)
    return typed


def _propose(db: Database, exam_id: int, judge_id: int) -> None:
    jobs.add(db, PROPOSE, RunOptions(exam_id=exam_id, judge_id=judge_id).model_dump(mode="json"))


def install_typed(db: Database, judge_id: int) -> int:
    """The id of a fresh typed exam. Its proposals are for the caller to ask for."""
    exam, questions = content()
    exam_id = demo_content.add_exam(db, exam, judge_id)
    candidates = responses.add_candidates(db, exam_id, exam["candidates"], exam["groups"])
    teachers = {
        "mark": markers.ensure_external(db, exam["first_marker"]),
        "second_mark": markers.ensure_external(db, exam["second_marker"]),
    }
    for item in questions:
        question_id = demo_content.add_question(db, exam_id, item)
        answers = [(number, answer) for answer in item["answers"] for number in answer["candidates"]]
        ids = responses.add_responses(
            db, exam_id, [(question_id, candidates[number], answer["text"]) for number, answer in answers]
        )
        for number, answer in answers:
            if number in exam["second_marked"]:
                for name, marker_id in teachers.items():
                    demo_content.import_mark(db, ids[question_id, candidates[number]], marker_id, answer[name])
    demo_content.fix_blind_sample(db, exam_id)
    return exam_id

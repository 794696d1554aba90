"""The demo exam: what a first look needs of it, and its reset."""

from __future__ import annotations

from pathlib import Path

from components.marking import Question, QuestionType, Role, Scheme
from components.workflow import demo
from components.workflow.connections import Connections
from components.workflow.worker import Worker
from storage import decisions, exams, markers, pairs, standings
from tests.support import add_marker, new_store


def test_the_demo_has_what_a_mixed_mock_has() -> None:
    exam, questions = demo.content()
    assert len(questions) >= 14
    assert len(exam["candidates"]) >= 40
    assert "invented" in exam["title"]
    assert "invented" in exam["notice"]
    types = [item["question"]["type"] for item in questions]
    assert sum(QuestionType(each).objective for each in types) == 3
    assert {"working", "levels", "essay", "short"} <= set(types)
    subjects = {item["question"]["subject"] for item in questions}
    assert {"Mathematics", "Biology", "Chemistry", "Physics", "English", "History"} <= subjects
    assert any(item["question"]["language"] == "zh" for item in questions)
    assert any(point["follow_through"] for item in questions for point in item["scheme"]["points"])
    assert any(item["question"]["max_mark"] == 6 and item["question"]["type"] == "levels" for item in questions)
    essay = next(item for item in questions if item["question"]["type"] == "essay")
    assert len(essay["scheme"]["objectives"]) == 2


def test_every_demo_answer_is_one_candidates_and_every_mark_legal() -> None:
    exam, questions = demo.content()
    assert 3 * len(exam["second_marked"]) >= len(exam["candidates"])
    for item in questions:
        question = Question.model_validate(item["question"])
        scheme = Scheme.model_validate(
            item["scheme"] | {"max_mark": question.max_mark, "mark_step": question.mark_step}
        )
        given = [number for answer in item["answers"] for number in answer["candidates"]]
        assert sorted(given) == sorted(exam["candidates"]), question.number
        texts = {answer["text"] for answer in item["answers"] if answer["text"].strip()}
        assert len(texts) >= 15, question.number
        for answer in item["answers"]:
            for mark in (answer["mark"], answer["second_mark"]):
                assert (mark is None) == (not answer["text"].strip())
                if mark is not None:
                    scheme.scale.check(mark, f"Question {question.number}")


def test_a_fresh_folder_gets_the_demo_once_with_its_proposals_and_live_agreement(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    demo.install_if_fresh(store)
    demo.install_if_fresh(store)
    with store.read() as db:
        (exam,) = exams.listed(db)
        assert exam.demo
        assert {m.role for m in markers.profiles(db)} == set(Role)
    assert Worker(store, Connections()).do_one()
    with store.read() as db:
        missing = db.execute("SELECT count(*) FROM standings WHERE proposal_id IS NULL").fetchone()[0]
        counted = pairs.by_question(db, exam.id, pairs.AGREEMENT)
    assert missing == 0
    assert sum(len(each.ai) for each in counted) > 100  # alive at first sight


def test_reset_restores_the_demo_and_keeps_the_old_marks_on_record(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    demo.install_if_fresh(store)
    marker = add_marker(store)
    with store.read() as db:
        (before,) = exams.listed(db)
        response = db.execute("SELECT id FROM responses LIMIT 1").fetchone()[0]
    from components.workflow import desk

    desk.act(
        store,
        marker,
        desk.Walk(before.id),
        desk.Press(action="no_response", action_id="x", marker_id=marker.id, response_id=response),
    )
    demo.reset(store, marker)
    with store.read() as db:
        (after,) = exams.listed(db)
        assert after.id != before.id
        assert standings.progress(db, after.id)[0] == 0
        assert len(decisions.live(db, response)) >= 1
    demo.install_if_fresh(store)
    with store.read() as db:
        assert len(exams.listed(db)) == 1

"""The demo exam: what a first look needs of it, and its reset."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path

from PIL import Image

from components.marking import Confidence, PointVerdict, Question, QuestionType, Role, Scheme, propose_from
from components.workflow import demo, paper_demo
from components.workflow.connections import Connections
from components.workflow.worker import Worker
from storage import Store, blind_sample, decisions, exams, markers, pairs, pictures, responses, standings
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


def test_the_demo_has_two_classes_of_twenty_each_with_second_marked_candidates(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    demo.install_if_fresh(store)
    with store.read() as db:
        exam = exams.listed(db)[1]
        assert responses.group_values(db, exam.id) == {"class": ("11A", "11B"), "tier": ("Foundation", "Higher")}
        rows = db.execute("SELECT number, groups ->> 'class' FROM candidates WHERE exam_id = ?", (exam.id,))
        class_of = dict(tuple(row) for row in rows)
    assert Counter(class_of.values()) == {"11A": 20, "11B": 20}
    assert {class_of[number] for number in demo.content()[0]["second_marked"]} == {"11A", "11B"}


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
        paper, exam = exams.listed(db)  # the newest, at which pages open, is the typed one
        assert exam.demo
        assert paper.demo
        assert exam.title == demo.content()[0]["title"]
        assert {m.role for m in markers.profiles(db)} == set(Role)
    worker = Worker(store, Connections())
    assert worker.do_one()
    with store.read() as db:
        of_typed = "SELECT count(*) FROM standings WHERE proposal_id IS NULL AND exam_id = ?"
        assert db.execute(of_typed, (exam.id,)).fetchone()[0] == 0  # the typed exam's proposals come first
    assert worker.do_one()
    with store.read() as db:
        missing = db.execute("SELECT count(*) FROM standings WHERE proposal_id IS NULL").fetchone()[0]
        counted = pairs.cells(db, pairs.AGREEMENT, pairs.Wanted(exam.id))
        said = db.execute(
            "SELECT DISTINCT p.status, p.reason FROM standings s JOIN proposals p ON p.id = s.proposal_id "
            "JOIN response_images i ON i.response_id = s.response_id WHERE s.exam_id = ?",
            (paper.id,),
        ).fetchall()
    assert {row["status"] for row in said} == {"abstained"}
    assert all("cannot read pictures" in row["reason"] for row in said), "an answer on paper is not a blank one"
    assert missing == 0
    assert sum(cell.n for cell in counted) > 100  # alive at first sight


def test_reset_restores_the_demo_and_keeps_the_old_marks_on_record(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    demo.install_if_fresh(store)
    marker = add_marker(store)
    with store.read() as db:
        _, before = exams.listed(db)
        response = db.execute("SELECT id FROM responses WHERE exam_id = ? LIMIT 1", (before.id,)).fetchone()[0]
    from components.workflow import desk

    desk.act(
        store,
        marker,
        desk.Walk(before.id),
        desk.Press(action="no_response", action_id="x", marker_id=marker.id, response_id=response),
    )
    demo.reset(store, marker)
    with store.read() as db:
        _, after = exams.listed(db)
        assert after.id != before.id
        assert standings.progress(db, after.id)[0] == 0
        assert len(decisions.live(db, response)) >= 1
    demo.install_if_fresh(store)
    with store.read() as db:
        assert len(exams.listed(db)) == 2


def test_the_paper_demo_has_marks_that_its_points_add_up_to() -> None:
    exam, questions = paper_demo.content()
    assert "invented" in exam["title"]
    assert "synthetic" in exam["notice"]
    assert len({person["hand"] for person in exam["candidates"].values()}) >= 8
    assert {person["kind"] for person in exam["candidates"].values()} == {"drawn", "photographed", "scanned"}
    given = [answer for item in questions for answer in paper_demo.answers_of(item)]
    assert sum(not answer.blank for answer in given) >= 60
    assert sum("~~" in answer.text for answer in given) >= 5, "crossings-out"
    kinds = {answer.drawing.kind for answer in given if answer.drawing}
    assert kinds == {"number_line", "factor_tree", "triangle", "circuit", "bar_chart"}
    assert any(point["follow_through"] for item in questions for point in item["scheme"]["points"])
    for item in questions:
        question = Question.model_validate(item["question"])
        scheme = Scheme.model_validate(
            item["scheme"] | {"max_mark": question.max_mark, "mark_step": question.mark_step}
        )
        marked = paper_demo.answers_of(item)
        assert [answer.candidate for answer in marked] == list(exam["candidates"]), question.number
        for answer in marked:
            verdicts = [PointVerdict(code=point.code, awarded=point.code in answer.awarded) for point in scheme.points]
            worth = propose_from(tuple(verdicts), scheme, label="examiner", confidence=Confidence.SURE)
            assert answer.blank == (answer.mark is None) == (answer.second_mark is None), answer
            if answer.mark is not None and answer.second_mark is not None:
                assert worth.mark == answer.mark, (question.number, answer)
                scheme.scale.check(answer.second_mark, f"Question {question.number}")


def test_a_fresh_folder_gets_every_paper_answer_as_a_picture_and_no_text(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    demo.install_if_fresh(store)
    exam, questions = paper_demo.content()
    with store.read() as db:
        paper = exams.listed(db)[0]
        stored = [each for q in exams.questions(db, paper.id) for each in responses.of_question(db, q.id)]
        pages = pictures.pages_of(db, [each.id for each in stored])
        contents = {page.sha256: pictures.content(db, page.sha256) for found in pages.values() for page in found}
        second = db.execute(
            "SELECT count(*) FROM decisions d JOIN responses r ON r.id = d.response_id WHERE r.exam_id = ?", (paper.id,)
        ).fetchone()[0]
    assert paper.notice == exam["notice"]
    assert len(stored) == len(questions) * len(exam["candidates"])
    assert {each.text for each in stored} == {""}
    assert second == len(questions) * len(exam["second_marked"])
    assert len(pages) >= 60
    assert len(contents) == len(pages), "no two answers look the same"
    for each in stored:
        assert each.kind == exam["candidates"][each.candidate_number]["kind"]
        for page in pages.get(each.id, []):
            picture = Image.open(io.BytesIO(contents[page.sha256]))
            picture.load()
            assert picture.size == (page.width, page.height)
            assert Image.MIME[picture.format or ""] == page.mime
            assert not picture.getexif()
            assert (page.strokes is not None) == (each.kind == "drawn"), "what was drawn on screen can be drawn on"


def test_every_demo_has_the_same_sample_after_a_first_look_at_the_ais_marks(tmp_path: Path) -> None:
    samples = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        store = new_store(tmp_path / name)
        demo.install_if_fresh(store)
        samples.append(demo_sample(store))
    assert samples[0] == samples[1]
    for title, rows in samples[0].items():
        assert all(min(places) >= 3 for places in rows.values()), title
    assert samples[0][demo.content()[0]["title"]]["1"][0] == 5, "the first that a new teacher meets"
    assert {len(places) for number, places in samples[0][paper_demo.content()[0]["title"]].items()} == {1}


def demo_sample(store: Store) -> dict[str, dict[str, list[int]]]:
    """By the demo exam's title and the question's number, the places of the candidates in its blind sample."""
    with store.read() as db:
        return {
            exam.title: {
                stored.question.number: [
                    place
                    for place, response in enumerate(responses.by_candidate(db, stored.id).values())
                    if response is not None and blind_sample.is_blind(db, response)
                ]
                for stored in exams.questions(db, exam.id)
            }
            for exam in exams.listed(db)
        }

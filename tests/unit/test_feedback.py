"""Feedback for candidates: what they got and for what, as far as a teacher has said so, and nothing else."""

from __future__ import annotations

import base64
import io
import re
import zipfile
from html import unescape
from pathlib import Path

import pytest
from PIL import Image

from components.marking import (
    AssessmentObjective,
    Level,
    LevelVerdict,
    Marker,
    MarkingPoint,
    Outcome,
    PointGroup,
    PointVerdict,
    Proposal,
    Question,
    QuestionType,
    Role,
    Scheme,
    Stage,
    WhatStands,
    propose_from,
)
from components.workflow.connections import default_judges
from components.workflow.marks_out.feedback import feedback, feedback_zip, file_name
from components.workflow.marks_out.student_words import plain, student_words
from components.workflow.review.rules import set_rules
from storage import Store, annotations, decisions, exams, judges, pictures, proposals, question_pictures, responses
from storage.pictures import NewPage, Picture
from storage.question_pictures import QuestionPicture
from tests.support import add_exam, add_marker, new_store, propose_points

AI = "Suggested by the AI, checked by your teacher"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def teacher(store: Store) -> Marker:
    return add_marker(store, "Ms Khan")


def page(store: Store, exam_id: int, candidate: str = "0001") -> str:
    return feedback(store, exam_id, candidate).decode()


def words(html: str) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<style>.*?</style>|<[^>]+>", " ", html, flags=re.DOTALL)))


def accept(store: Store, response_id: int, proposal_id: int, marker: Marker, mark: float, **more: object) -> None:
    """The marker was shown the proposal, then gave this mark."""
    with store.write() as db:
        proposals.record_sighting(db, response_id, marker.id, proposal_id)
        decisions.record(
            db, response_id, marker.id, Outcome.MARK, Stage.AI_FIRST, mark=mark, proposal_id=proposal_id, **more
        )  # type: ignore[arg-type]


def test_a_teachers_ticks_say_what_was_earned_and_missed(store: Store, teacher: Marker) -> None:
    exam_id, [[first]] = add_exam(store, [["the enzyme <b>died</b>"]])
    with store.write() as db:
        decisions.record(
            db, first, teacher.id, Outcome.MARK, Stage.BLIND, mark=1, points=("M1",), comment="Good & clear"
        )
    html = page(store, exam_id)
    said = words(html)
    assert "Test exam Candidate 0001 1 of 2 marks (50%)" in said
    assert "Question 1 1 of 2" in said
    assert "You earned the enzyme is denatured (1 mark)" in said
    assert "What would have earned more the active site no longer fits (1 mark) Ticked by your teacher" in said
    assert "Your teacher writes Good & clear" in said
    assert "&lt;b&gt;died&lt;/b&gt;" in html
    assert "<b>" not in html


def test_the_ai_appears_only_where_the_teacher_saw_it_and_gave_its_mark(store: Store, teacher: Marker) -> None:
    exam_id, [ids] = add_exam(store, [["a", "b", "c", "d"]])
    accepted, overridden, blind, undecided = ids
    made = [propose_points(store, each, ["M1"]) for each in ids]
    accept(store, accepted, made[0], teacher, 1)
    accept(store, overridden, made[1], teacher, 2)
    with store.write() as db:
        decisions.record(db, blind, teacher.id, Outcome.MARK, Stage.BLIND, mark=1, proposal_id=made[2])
    first = words(page(store, exam_id, "0001"))
    assert "You earned the enzyme is denatured (1 mark)" in first
    assert AI in first
    for candidate in ("0002", "0003", "0004"):
        said = words(page(store, exam_id, candidate))
        assert "AI" not in said
        assert "denatured" not in said
    assert "Not all of your answers have a mark yet. So far: 0 of 2 marks" in words(page(store, exam_id, "0004"))
    assert undecided


def test_marks_by_rule_are_not_called_the_ais(store: Store, teacher: Marker) -> None:
    exam_id, [[first]] = add_exam(store, [["a"]])
    objective, _ = default_judges(store)
    with store.write() as db:
        question = exams.questions(db, exam_id)[0]
        verdicts = (PointVerdict(code="M1", awarded=True), PointVerdict(code="A1", awarded=False))
        made = proposals.add(
            db, first, objective, question.scheme_id, propose_from(verdicts, question.scheme, label="By rule")
        )
    accept(store, first, made, teacher, 1)
    said = words(page(store, exam_id))
    assert "Marked by a fixed rule, checked by your teacher" in said
    assert AI not in said


def test_nobody_is_named_and_notes_to_colleagues_stay_inside(store: Store, teacher: Marker) -> None:
    exam_id, [[first]] = add_exam(store, [["a"]])
    head = add_marker(store, "Dr Ferris", Role.HEAD)
    with store.write() as db:
        decisions.record(db, first, teacher.id, Outcome.MARK, Stage.BLIND, mark=1, comment="the fallen mark's words")
        decisions.add_note(db, first, teacher.id, "flag", "is this copied?")
        decisions.add_note(db, first, teacher.id, "comment", "ask the head")
        decisions.record(db, first, head.id, Outcome.MARK, Stage.ADJUDICATED, mark=2, comment="Khan is too severe")
    said = page(store, exam_id)
    for secret in ("Khan", "Ferris", "copied", "ask the head", "severe", "fallen"):
        assert secret not in said


def test_points_of_a_mark_that_does_not_stand_are_not_told(store: Store, teacher: Marker) -> None:
    question = Question(number="1", type=QuestionType.SHORT, text="Why?", max_mark=2)
    scheme = Scheme(max_mark=2, points=(MarkingPoint(code="M1", text="first"), MarkingPoint(code="A1", text="second")))
    exam_id, [[first]] = add_exam(store, [["a"]], questions=[(question, scheme)])
    head = add_marker(store, "Dr Ferris", Role.HEAD)
    with store.write() as db:
        decisions.record(db, first, teacher.id, Outcome.MARK, Stage.BLIND, mark=1, points=("M1",), comment="yes")
        decisions.record(db, first, head.id, Outcome.MARK, Stage.ADJUDICATED, mark=2, points=("M1", "A1"))
    assert "You earned first (1 mark) second (1 mark)" in words(page(store, exam_id))
    set_rules(store, head, exam_id, WhatStands.TEACHER, [])
    said = words(page(store, exam_id))
    assert "You earned first (1 mark) What would have earned more second (1 mark)" in said
    assert "Your teacher writes yes" in said
    set_rules(store, head, exam_id, WhatStands.MEAN, [])  # 1.5 goes up to 2, the adjudicator's row behind it
    assert "2 of 2" in words(page(store, exam_id))


def test_of_a_group_only_what_would_still_have_earned_is_missed(store: Store, teacher: Marker) -> None:
    question = Question(number="1", type=QuestionType.SHORT, text="Why?", max_mark=3)
    scheme = Scheme(
        max_mark=3,
        points=(
            *(MarkingPoint(code=f"E{i}", text=f"effect {i}", group="E") for i in (1, 2, 3)),
            MarkingPoint(code="C1", text="cause one", group="C"),
            MarkingPoint(code="C2", text="cause two", group="C"),
        ),
        groups=(PointGroup(code="E", cap=2), PointGroup(code="C", cap=1)),
    )
    exam_id, [[first, second]] = add_exam(store, [["a", "b"]], questions=[(question, scheme)])
    with store.write() as db:
        decisions.record(db, first, teacher.id, Outcome.MARK, Stage.BLIND, mark=2, points=("E1", "C2"))
        decisions.record(db, second, teacher.id, Outcome.MARK, Stage.BLIND, mark=0, points=())
    said = words(page(store, exam_id))
    assert "You earned effect 1 (1 mark) cause two (1 mark)" in said
    assert "What would have earned more any of these, for 1 mark: effect 2; effect 3 Ticked" in said
    said = words(page(store, exam_id, "0002"))
    assert "any of these, for up to 2 marks: effect 1; effect 2; effect 3 any of these, for 1 mark: cause one" in said


def test_levels_are_told_with_their_descriptor(store: Store, teacher: Marker) -> None:
    question = Question(number="1", type=QuestionType.LEVELS, text="Discuss.", max_mark=6)
    levels = (
        Level(level=1, low=1, high=3, descriptor="simple points"),
        Level(level=2, low=4, high=6, descriptor="a reasoned case"),
    )
    scheme = Scheme(max_mark=6, objectives=(AssessmentObjective(code="AO3", name="evaluate", levels=levels),))
    exam_id, [[first]] = add_exam(store, [["a"]], questions=[(question, scheme)])
    with store.write() as db:
        stored = exams.questions(db, exam_id)[0]
        verdicts = (LevelVerdict(objective="AO3", level=2, mark=5, reason="the judge's words to the teacher"),)
        judge = judges.ensure(db, "Model one", judges.LLM)
        proposal: Proposal = propose_from(verdicts, scheme, label="one")
        made = proposals.add(db, first, judge, stored.scheme_id, proposal)
    accept(store, first, made, teacher, 5)
    said = words(page(store, exam_id))
    assert "What your answer reached AO3 evaluate: 5 of 6, level 2: a reasoned case" in said
    assert AI in said
    assert "the judge's words" not in said


def test_pictures_are_embedded_with_what_was_drawn_on_them(store: Store, teacher: Marker) -> None:
    exam_id, [[first]] = add_exam(store, [[""]])
    data = io.BytesIO()
    Image.new("RGB", (800, 600), "white").save(data, "PNG")
    strokes = [{"kind": "pen", "colour": "red", "width": 0.02, "points": [[0.2, 0.5], [0.4, 0.5]]}]
    with store.write() as db:
        shown = NewPage(Picture(data.getvalue(), "image/png", 800, 600))
        pictures.attach(db, first, [shown, shown])
        annotations.add(db, first, 1, teacher.id, strokes, None)
        decisions.record(db, first, teacher.id, Outcome.MARK, Stage.BLIND, mark=1)
    html = page(store, exam_id)
    found = re.findall(r'<img src="data:image/jpeg;base64,([^"]+)"', html)
    images = [Image.open(io.BytesIO(base64.b64decode(each))) for each in found]
    assert [image.format for image in images] == ["JPEG", "JPEG"]
    assert all(image.width / image.height == pytest.approx(4 / 3, rel=0.01) for image in images)
    red, _, _ = images[0].getpixel((images[0].width * 3 // 10, images[0].height // 2))
    _, green, _ = images[0].getpixel((images[0].width * 3 // 10, images[0].height // 2))
    assert red > 150 > green
    assert min(images[1].getpixel((images[1].width * 3 // 10, images[1].height // 2))) > 240


def test_a_questions_own_pictures_stand_with_it_before_the_answer(store: Store, teacher: Marker) -> None:
    exam_id, [[first]] = add_exam(store, [["it is denatured"]])
    data = io.BytesIO()
    Image.new("RGB", (400, 200), "green").save(data, "PNG")
    with store.write() as db:
        sha256 = pictures.add(db, Picture(data.getvalue(), "image/png", 400, 200))
        [question] = exams.questions(db, exam_id)
        shown = [QuestionPicture(sha256, "A <rate> curve"), QuestionPicture(sha256)]
        question_pictures.set_of(db, question.id, shown)
        decisions.record(db, first, teacher.id, Outcome.MARK, Stage.BLIND, mark=1)
    html = page(store, exam_id)
    found = re.findall(r'<figure><img src="data:image/jpeg;base64,([^"]+)" alt="([^"]*)">(.*?)</figure>', html)
    assert [(alt, below) for _, alt, below in found] == [
        ("A &lt;rate&gt; curve", "<figcaption>A &lt;rate&gt; curve</figcaption>"),
        ("Picture 2 of question 1", ""),
    ]
    image = Image.open(io.BytesIO(base64.b64decode(found[0][0])))
    red, green, blue = image.getpixel((200, 100))
    assert (image.size, green > 100 > max(red, blue)) == ((400, 200), True)
    assert html.index("Question 1: why?") < html.index("<figure>") < html.index("Your answer")


def test_the_page_asks_no_host_for_anything(store: Store, teacher: Marker) -> None:
    question = Question(
        number="1",
        type=QuestionType.SHORT,
        text='See ![map](https://evil.example/a.png) <img src="https://evil.example/b"> and [this](https://x.example)',
        max_mark=1,
    )
    scheme = Scheme(max_mark=1, text="anything")
    answer = '"><script src=//evil.example></script>'
    exam_id, [[first]] = add_exam(store, [[answer]], questions=[(question, scheme)], title="<Mock>")
    with store.write() as db:
        decisions.record(db, first, teacher.id, Outcome.MARK, Stage.BLIND, mark=1, comment="<style>@import x</style>")
    html = page(store, exam_id)
    assert "default-src 'none'" in html
    assert re.findall(r"<(?:script|img|link|iframe|a)\b", html) == []
    assert html.count("<style>") == 1
    assert "See [picture: map]" in words(html)


def test_no_response_and_what_was_not_chosen_are_told(store: Store, teacher: Marker) -> None:
    exam_id, ids = add_exam(store, [["a"], ["b"], ["c"]])
    with store.write() as db:
        decisions.record(db, ids[0][0], teacher.id, Outcome.NO_RESPONSE, Stage.BLIND)
        decisions.record(db, ids[1][0], teacher.id, Outcome.MARK, Stage.BLIND, mark=2)
        decisions.record(db, ids[2][0], teacher.id, Outcome.MARK, Stage.BLIND, mark=1)
        db.execute(
            "UPDATE exams SET settings = ? WHERE id = ?",
            ('{"sections": [{"title": "B", "questions": ["2", "3"], "answer": 1}], "boundaries": [["C", 2]]}', exam_id),
        )
        candidate = responses.add_candidates(db, exam_id, ["0002"])["0002"]
        questions = [stored.id for stored in exams.questions(db, exam_id)]
        added = responses.add_responses(db, exam_id, [(q, candidate, "x") for q in questions[:2]])
        for response_id in added.values():
            decisions.record(db, response_id, teacher.id, Outcome.MARK, Stage.BLIND, mark=1)
    said = words(page(store, exam_id))
    assert "2 of 4 marks (50%) · grade C" in said
    assert "Question 1 no response · 0 of 2" in said
    assert "Question 3 1 of 2 Not counted in your total, which has your best question of B." in said
    assert "Question 3 not chosen" in words(page(store, exam_id, "0002"))


def test_a_zip_has_a_file_for_every_candidate(store: Store, teacher: Marker) -> None:
    exam_id, _ = add_exam(store, [["a", "b"]])
    with store.write() as db:
        responses.add_candidates(db, exam_id, ["A/1", "A\\1", "../x", "考生"])
    file = io.BytesIO()
    assert feedback_zip(store, exam_id, file) == 6
    with zipfile.ZipFile(file) as archive:
        assert archive.namelist() == [
            "feedback-0001.html", "feedback-0002.html", "feedback-A_1.html", "feedback-A_1-2.html",
            "feedback-_x.html", "feedback-_.html",
        ]  # fmt: skip
        assert archive.read("feedback-0001.html") == feedback(store, exam_id, "0001")
    again = io.BytesIO()
    feedback_zip(store, exam_id, again)
    assert again.getvalue() == file.getvalue()
    assert file_name("0417") == "feedback-0417.html"


@pytest.mark.parametrize(
    ("scheme", "student"),
    [
        ("4.9 oe", "4.9 or equivalent"),
        ("awrt 3.14, cao", "about 3.14, this answer only"),
        ("x = 5 (nfww) isw", "x = 5 not from wrong working"),
        ("correct gradient ft", "correct gradient following on from your earlier answer"),
        ("the canoe is left", "the canoe is left"),
        ("£ft-loan", "£ft-loan"),
        ("**denatured** at $40\\ ^\\circ\\text{C}$", "denatured at 40 °C"),
        ("$\\frac{1}{2}mv^2 \\times 10^{-3}$", "1/2mv² × 10⁻³"),
        ("$\\dfrac{a+b}{2}$ and $\\text{CO}_2$", "(a+b)/2 and CO₂"),
    ],
)
def test_examiners_shorthand_is_written_out(scheme: str, student: str) -> None:
    assert student_words(scheme) == student


def test_money_is_no_formula() -> None:
    assert plain("It costs $5") == "It costs $5"
    assert plain("*Half marks* are given: 3*4*5, 2 * 3 * 4") == "Half marks are given: 3*4*5, 2 * 3 * 4"


def test_a_candidate_who_is_not_there_is_said(store: Store) -> None:
    exam_id, _ = add_exam(store, [["a"]])
    with pytest.raises(LookupError, match="no candidate 9"):
        feedback(store, exam_id, "9")

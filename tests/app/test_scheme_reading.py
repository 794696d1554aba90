"""Reading a mark scheme and a question paper on the screen: what was read is shown, confirmed, and in the exam."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from components.judge.llm import Endpoint
from components.marking import Marker, Role
from components.workflow import exam_setup as setup
from components.workflow.exam_setup import details
from pages.shared.desk_services import services
from storage import Store, events, exams
from tests.app.conftest import OpenPage
from tests.app.test_exam_setup_page import fill, labels, press, texts
from tests.eyes import MODEL, eyes
from tests.model_server import Said
from tests.support import add_exam, add_marker
from tests.unit.test_mark_scheme_reader import docx
from tests.unit.test_question_paper import pdf

PAGE = "pages/department/exam_setup.py"
SCHEME = """Mock 2026
Question 1 [2 marks]
M1 Adds the two
A1 12
~~ ??
Question 3(b)(ii) [2 marks]
B1 Osmosis
"""


@pytest.fixture
def head(store: Store) -> Marker:
    return add_marker(store, "Dr Osei", Role.HEAD)


def everything(at: AppTest) -> str:
    return texts(at) + "\n".join(str(box.proto) for box in (*at.info, *at.warning, *at.error))


def upload(at: AppTest, name: str, content: bytes) -> AppTest:
    at.file_uploader[0].set_value([(name, content, "")]).run()
    assert not at.exception
    return at


def test_a_docx_makes_the_questions_of_an_exam(app: OpenPage, store: Store, head: Marker) -> None:
    exam_id = details.create(store, head, "Mock")
    at = press(app(PAGE, head, exam=str(exam_id)), "Read a mark scheme")
    upload(at, "scheme.docx", docx(SCHEME))
    said = everything(at)
    assert "2 questions, 3 points" in said
    assert "2 lines were not understood" in said
    assert "orange-background[~~ ??]" in said
    assert "1 new in the exam, comes to 2 of 2 marks" in said.replace("**", "")
    assert "The scheme comes to 1 of 2 marks" in said
    with store.read() as db:
        assert exams.questions(db, exam_id) == [], "nothing is kept before it is confirmed"
    press(at, "Confirm 2 questions")
    assert "2 questions saved in the exam." in texts(at)
    assert "The question has no text." in texts(at)
    with store.read() as db:
        made = exams.questions(db, exam_id)
    assert [(each.question.number, each.question.max_mark) for each in made] == [("1", 2), ("3(b)(ii)", 2)]
    assert [point.text for point in made[0].scheme.points] == ["Adds the two", "12"]
    press(at, "Open")
    assert at.title[0].value.replace("\\", "") == "Question 1"


def test_a_number_and_a_maximum_are_corrected_and_a_question_left_out(
    app: OpenPage, store: Store, head: Marker
) -> None:
    exam_id, _ = add_exam(store, [["a"]])
    at = press(app(PAGE, head, exam=str(exam_id)), "Read a mark scheme")
    fill(at, "Or paste it here", SCHEME, "text_area")
    press(at, "Read it")
    assert "It replaces mark scheme v1 of question 1." in texts(at)
    [box for box in at.text_input if box.label == "Number"][1].set_value("Q1").run()
    assert "question 1 more than once" in texts(at)
    assert next(button for button in at.button if button.label == "Confirm 2 questions").disabled
    [box for box in at.text_input if box.label == "Number"][1].set_value("2").run()
    [box for box in at.number_input if box.label == "Maximum mark"][1].set_value(1.0).run()
    at.checkbox[0].uncheck().run()
    press(at, "Confirm 1 question")
    with store.read() as db:
        first, second = exams.questions(db, exam_id)
    assert first.scheme_version == 1
    assert (second.question.number, second.question.max_mark) == ("2", 1)


def test_a_question_without_a_maximum_is_kept_as_a_draft_and_said_to_lack_it(
    app: OpenPage, store: Store, head: Marker
) -> None:
    exam_id = details.create(store, head, "Mock")
    at = press(app(PAGE, head, exam=str(exam_id)), "Read a mark scheme")
    fill(at, "Or paste it here", SCHEME, "text_area")
    press(at, "Read it")
    next(box for box in at.number_input if box.label == "Maximum mark").set_value(0.0).run()
    assert "Give the maximum mark" in texts(at)
    press(at, "Confirm 2 questions")
    assert "1 question saved in the exam, 1 question kept as a draft." in texts(at)
    press(at, "To the exam")
    assert "Go on" in labels(at)


def test_one_question_s_scheme_is_filled_in_as_its_draft(app: OpenPage, store: Store, head: Marker) -> None:
    exam_id, _ = add_exam(store, [["a"]])
    with store.read() as db:
        question_id = exams.questions(db, exam_id)[0].id
    at = press(app(PAGE, head, exam=str(exam_id), question=str(question_id)), "Read a mark scheme")
    fill(at, "Or paste it here", "M1 Boils it\nA1 100 °C", "text_area")
    press(at, "Read it")
    assert "comes to 2 of 2 marks" in texts(at)
    press(at, "Confirm: fill in the draft")
    assert "filled in as a draft" in texts(at)
    assert [box.value for box in at.text_area if box.label == "What earns it"] == ["Boils it", "100 °C"]
    with store.read() as db:
        assert exams.question(db, question_id).scheme_version == 1, "only a draft"
    press(at, "Save")
    with store.read() as db:
        assert [point.text for point in exams.question(db, question_id).scheme.points] == ["Boils it", "100 °C"]


def test_of_a_scheme_with_several_questions_the_one_of_this_number_is_taken(
    app: OpenPage, store: Store, head: Marker
) -> None:
    exam_id = details.create(store, head, "Mock")
    thread = setup.start_new(store, head, exam_id)
    at = app(PAGE, head, exam=str(exam_id), draft=thread)
    fill(at, "Number", "3bii")
    press(at, "Read a mark scheme")
    upload(at, "scheme.md", SCHEME.encode())
    press(at, "Confirm: fill in the draft")
    opened = setup.open_thread(store, thread)
    assert opened is not None
    assert (opened.body.number, opened.body.max_mark) == ("3bii", 2)
    assert [point.text for point in opened.body.points] == ["Osmosis"]


def test_a_file_is_read_as_it_comes_whatever_was_pressed_before(app: OpenPage, store: Store, head: Marker) -> None:
    exam_id = details.create(store, head, "Mock")
    at = press(app(PAGE, head, exam=str(exam_id)), "Read a mark scheme")
    press(at, "Read it")  # while the file was still on its way
    assert "There is nothing to read yet" in everything(at)
    upload(at, "scheme.docx", docx(SCHEME))
    assert "2 questions, 3 points" in everything(at)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("scheme.docx", b"PK\x03\x04 cut off", "not a DOCX that can be read"),
        ("scheme.doc", b"\xd0\xcf\x11\xe0", "older"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_words(
    app: OpenPage, store: Store, head: Marker, name: str, content: bytes, words: str
) -> None:
    exam_id = details.create(store, head, "Mock")
    at = app(PAGE, head, exam=str(exam_id), reading="scheme")
    press(at, "Read it")
    assert "There is nothing to read yet." in texts(at)
    upload(at, name, content)
    assert words in texts(at)


def test_text_without_a_scheme_says_what_is_needed(app: OpenPage, store: Store, head: Marker) -> None:
    exam_id = details.create(store, head, "Mock")
    at = app(PAGE, head, exam=str(exam_id), reading="scheme")
    fill(at, "Or paste it here", "Dear colleagues,", "text_area")
    press(at, "Read it")
    assert "Each point needs its code" in everything(at)
    press(at, "Discard, and read another")
    assert "Read it" in labels(at)


def test_a_reload_brings_back_what_was_read_with_every_correction(app: OpenPage, store: Store, head: Marker) -> None:
    exam_id = details.create(store, head, "Mock")
    at = app(PAGE, head, exam=str(exam_id), reading="scheme")
    fill(at, "Or paste it here", SCHEME, "text_area")
    press(at, "Read it")
    next(box for box in at.number_input if box.label == "Maximum mark").set_value(4.0).run()
    [box for box in at.text_input if box.label == "Number"][1].set_value("3b").run()
    [box for box in at.checkbox if box.label == "Take this question in"][1].uncheck().run()
    again = app(PAGE, head, exam=str(exam_id))  # another session, as after a reload
    press(again, "Go on with the mark scheme that was read")
    assert [box.value for box in again.number_input if box.label == "Maximum mark"] == [4.0, 2.0]
    assert [box.value for box in again.text_input if box.label == "Number"] == ["1", "3b"]
    assert [box.value for box in again.checkbox if box.label == "Take this question in"] == [True, False]
    press(again, "Back to the exam")
    press(again, "Go on with the mark scheme that was read")
    press(again, "Confirm 1 question")
    with store.read() as db:
        (made,) = exams.questions(db, exam_id)
    assert (made.question.number, made.question.max_mark) == ("1", 4)
    press(again, "To the exam")
    assert "Read a mark scheme" in labels(again), "what is confirmed waits no more"


def test_what_was_read_is_discarded_on_request_and_is_nobody_else_s(app: OpenPage, store: Store, head: Marker) -> None:
    exam_id = details.create(store, head, "Mock")
    at = app(PAGE, head, exam=str(exam_id), reading="scheme")
    fill(at, "Or paste it here", SCHEME, "text_area")
    press(at, "Read it")
    colleague = app(PAGE, add_marker(store, "Ms Lindqvist", Role.HEAD), exam=str(exam_id))
    assert "Read a mark scheme" in labels(colleague)
    press(at, "Discard, and read another")
    assert "Read it" in labels(at)
    assert "Read a mark scheme" in labels(app(PAGE, head, exam=str(exam_id)))


def test_a_teacher_who_is_no_head_sees_the_exam_instead(app: OpenPage, store: Store, head: Marker) -> None:
    exam_id, _ = add_exam(store, [["a"]])
    teacher = add_marker(store)
    at = app(PAGE, teacher, exam=str(exam_id), reading="scheme")
    assert "Read it" not in labels(at)
    assert next(button for button in at.button if button.label == "Read a mark scheme").disabled


def test_a_question_paper_fills_texts_in_and_stands_beside_the_editor(
    app: OpenPage, store: Store, head: Marker
) -> None:
    exam_id = details.create(store, head, "Mock")
    setup.start_new(store, head, exam_id)
    at = press(app(PAGE, head, exam=str(exam_id)), "Question paper")
    upload(at, "paper.pdf", pdf("1 What is the unit of force?\n(1)"))
    assert next(box for box in at.text_area if box.label == "Question 1").value == "What is the unit of force?"
    press(at, "Fill in 1 text")
    assert "1 question saved in the exam." in texts(at)
    press(at, "Open")
    assert next(box for box in at.text_area if box.label == "Question").value == "What is the unit of force?"
    assert next(each.label for each in at.expander) == "Question paper"
    with store.read() as db:
        (question,) = exams.questions(db, exam_id)
    again = app(PAGE, head, exam=str(exam_id), question=str(question.id))  # as after a reload
    assert next(each.label for each in again.expander) == "Question paper"
    again = app(PAGE, head, exam=str(exam_id), reading="paper")
    assert "paper.pdf" in texts(again)
    press(again, "Discard, and choose another")
    assert len(again.file_uploader) == 1
    again = app(PAGE, head, exam=str(exam_id), question=str(question.id))
    assert "Question paper" not in [each.label for each in again.expander]


def test_a_file_that_is_no_question_paper_is_refused_in_words(app: OpenPage, store: Store, head: Marker) -> None:
    exam_id = details.create(store, head, "Mock")
    at = app(PAGE, head, exam=str(exam_id), reading="paper")
    upload(at, "paper.pdf", b"not a PDF")
    assert "“paper.pdf” is not a PDF that can be read" in texts(at)


def test_a_judge_s_draft_is_labelled_and_not_taken_in_unticked(app: OpenPage, store: Store, head: Marker) -> None:
    exam_id = details.create(store, head, "Mock")
    with eyes({"points": [{"line": 5, "code": "", "text": "says why", "marks": 1}]}) as server:
        at = app(PAGE, head, exam=str(exam_id), reading="scheme")
        fill(at, "Or paste it here", SCHEME, "text_area")
        press(at, "Read it")
        assert not [label for label in labels(at) if "draft the rest" in label], "no judge is connected"
        services().connections.connect(store, Endpoint(server.base_url, MODEL), "", "Seer")
        assert "What they cost is not known: seer is not in assets/prices.toml." in texts(at.run())
        press(at, "Let Seer draft the rest")
    assert "Draft by Seer (seer), not read by rules. 1,100 tokens." in texts(at)
    with store.read() as db:
        (event,) = (each for each in events.latest(db) if each.kind == "scheme lines drafted")
    assert event.marker_name == head.name
    assert event.body == {
        "judge": "Seer",
        "model": "seer",
        "question": "1",
        "lines": 1,
        "points": 1,
        "tokens_in": 1000,
        "tokens_out": 100,
        "price": None,
    }
    again = app(PAGE, head, exam=str(exam_id), reading="scheme")
    assert "Draft by Seer (seer), not read by rules. 1,100 tokens." in texts(again), "it is not to be paid for twice"
    press(at, "Confirm 2 questions")
    with store.read() as db:
        assert [point.code for point in exams.questions(db, exam_id)[0].scheme.points] == ["M1", "A1"]


def test_what_a_draft_costs_is_said_before_it_is_asked_for(app: OpenPage, store: Store, head: Marker) -> None:
    exam_id = details.create(store, head, "Mock")
    with eyes({"points": []}) as server:
        at = app(PAGE, head, exam=str(exam_id), reading="scheme")
        services().connections.connect(store, Endpoint(server.base_url, "gpt-4o-mini"), "", "Mini")
        fill(at, "Or paste it here", SCHEME, "text_area")
        press(at, "Read it")
        # Some 300 tokens sent at $0.15 a million and 100 received at $0.60 a million: about a hundredth of a cent.
        assert re.search(r"About (\$0\.0001|\$0\.0002|less than \$0\.0001)\. A reply that cannot be used", texts(at))
        assert server.asked == []
        press(at, "Let Mini draft the rest")
    # 1,000 sent and 100 received.
    assert "1,100 tokens, $0.0002." in texts(at)


def test_a_judge_that_cannot_be_asked_is_said_to_be_so(app: OpenPage, store: Store, head: Marker) -> None:
    exam_id = details.create(store, head, "Mock")
    with eyes(Said(401, {"error": {"message": "Invalid API key"}})) as server:
        at = app(PAGE, head, exam=str(exam_id), reading="scheme")
        services().connections.connect(store, Endpoint(server.base_url, MODEL), "", "Seer")
        fill(at, "Or paste it here", SCHEME, "text_area")
        press(at, "Read it")
        press(at, "Let Seer draft the rest")
    assert "does not accept the key" in texts(at)

"""Setting up an exam on the screen: from an empty shelf to a question that can be marked."""

from __future__ import annotations

import io

import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from components.marking import Marker, Outcome, QuestionType, Role, Stage
from components.workflow import exam_setup as setup
from components.workflow.exam_setup import details
from storage import Store, decisions, exam_setup, exams, question_pictures
from tests.app.conftest import OpenPage
from tests.support import add_exam, add_marker, propose_points, two_point_question

EXAMS = "pages/department/exams.py"
PAGE = "pages/department/exam_setup.py"


@pytest.fixture
def head(store: Store) -> Marker:
    return add_marker(store, "Dr Osei", Role.HEAD)


def texts(at: AppTest) -> str:
    said = [*at.title, *at.header, *at.markdown, *at.caption, *at.info, *at.success, *at.warning, *at.error]
    return "\n".join(element.value for element in said).replace("\\", "")


def press(at: AppTest, label: str, nth: int = 0) -> AppTest:
    [button for button in at.button if button.label == label][nth].click().run()
    assert not at.exception
    return at


def fill(at: AppTest, label: str, value: object, kind: str = "text_input") -> AppTest:
    next(box for box in at.get(kind) if box.label == label).set_value(value).run()
    assert not at.exception
    return at


def labels(at: AppTest) -> list[str]:
    return [button.label for button in at.button]


def test_a_head_of_department_makes_an_exam_and_its_first_question(app: OpenPage, store: Store, head: Marker) -> None:
    add_exam(store, [["a"]], title="Another")
    at = app(EXAMS, head)
    next(box for box in at.text_input if box.label == "Title").set_value("Year 11 mock")
    at.form_submit_button[0].click().run()
    with store.read() as db:
        made = next(exam for exam in exams.listed(db) if exam.title == "Year 11 mock")
    assert at.session_state["exam_id"] == made.id
    at = app(PAGE, head, exam=str(made.id))  # where the button leads; see the tests in the browser
    assert at.title[0].value == "Year 11 mock"
    assert "No question yet" in str(at.info[0].proto) or "Add the first question" in texts(at)
    press(at, "Add a question")
    assert at.title[0].value == "Question 1"
    fill(at, "Question", "What is $x^2$?", "text_area")
    fill(at, "Maximum mark", 2.0, "number_input")
    press(at, "Add a point")
    assert "Say what earns MP1." in texts(at)
    assert next(button for button in at.button if button.label == "Save").disabled
    fill(at, "What earns it", "squares it", "text_area")
    press(at, "Save")
    assert "Question 1 is saved." in texts(at)
    with store.read() as db:
        exam = next(exam for exam in exams.listed(db) if exam.title == "Year 11 mock")
        (stored,) = exams.questions(db, exam.id)
    assert (stored.question.text, stored.question.max_mark) == ("What is $x^2$?", 2)
    assert [(point.code, point.text) for point in stored.scheme.points] == [("MP1", "squares it")]


def test_leaving_the_page_loses_nothing(app: OpenPage, store: Store, head: Marker) -> None:
    exam_id = details.create(store, head, "Mock")
    thread = setup.start_new(store, head, exam_id)
    at = app(PAGE, head, exam=str(exam_id), draft=thread)
    fill(at, "Question", "Half a tho", "text_area")
    again = app(PAGE, head, exam=str(exam_id))
    assert "Half a tho" in texts(again)
    press(again, "Go on")
    assert next(box for box in again.text_area if box.label == "Question").value == "Half a tho"


def test_the_history_brings_an_earlier_state_back(app: OpenPage, store: Store, head: Marker) -> None:
    exam_id = details.create(store, head, "Mock")
    thread = setup.start_new(store, head, exam_id)
    first = setup.open_thread(store, thread)
    assert first is not None
    other = add_marker(store, "Ms Lindqvist", Role.HEAD)
    setup.change(store, other, first, lambda body: setattr(body, "text", "As she had it"))
    at = app(PAGE, head, exam=str(exam_id), draft=thread)
    fill(at, "Question", "As he has it", "text_area")
    at.expander[-1].open = True
    at.session_state[f"history_{thread}"] = True
    at.run()
    press(at, "Go on from this")
    assert next(box for box in at.text_area if box.label == "Question").value == "As she had it"


def test_a_scheme_changed_after_marking_says_what_stands_under_the_old(
    app: OpenPage, store: Store, head: Marker
) -> None:
    exam_id, rows = add_exam(store, [["a", "b"]])
    for response_id in rows[0]:
        propose_points(store, response_id, ["M1"])
    with store.write() as db:
        decisions.record(db, rows[0][0], head.id, Outcome.MARK, Stage.BLIND, mark=1)
        question_id = exams.questions(db, exam_id)[0].id
    at = app(PAGE, head, exam=str(exam_id), question=str(question_id))
    assert next(box for box in at.number_input if box.label == "Maximum mark").disabled
    assert "has responses, so its maximum and mark step stay" in texts(at)
    fill(at, "Note to the judge", "Accept heat.", "text_area")
    assert "Saving makes v2 of the mark scheme. 1 mark and 2 proposals were given under v1 and keep it." in texts(at)
    press(at, "Save")
    assert "Its mark scheme is now v2." in texts(at)
    assert "1 mark and 2 proposals were given under v1." in texts(at)
    assert {"Mark again", "Ask the judge again"} <= set(labels(at))
    press(at, "Mark again")
    assert not at.exception


def test_questions_are_reordered_split_and_taken_out_by_buttons(app: OpenPage, store: Store, head: Marker) -> None:
    exam_id = details.create(store, head, "Mock")
    for text in ("First", "(a) One\n\n(b) Two"):
        thread = setup.start_new(store, head, exam_id)
        opened = setup.open_thread(store, thread)
        assert opened is not None
        setup.change(store, head, opened, lambda body, text=text: setattr(body, "text", text))
        opened = setup.open_thread(store, thread)
        assert opened is not None
        setup.save(store, head, opened)

    def numbers() -> list[str]:
        with store.read() as db:
            return [stored.question.number for stored in exams.questions(db, exam_id)]

    at = app(PAGE, head, exam=str(exam_id))
    press(at, "Move up", 1)
    assert numbers() == ["2", "1"]
    press(at, "Split into (a), (b) …", 0)
    assert numbers() == ["2(a)", "2(b)", "1"]
    press(at, "Take out of the exam", 1)
    assert numbers() == ["2(a)", "1"]
    press(at, "Bring back as a draft")
    assert at.title[0].value.replace("\\", "") == "Question 2(b)"


def test_rules_for_tolerance_and_sections_are_set_on_the_page(app: OpenPage, store: Store, head: Marker) -> None:
    exam_id, _ = add_exam(store, [["a"], ["b"], ["c"]])
    at = app(PAGE, head, exam=str(exam_id))
    fill(at, "Tolerance between two markers", "percent", "selectbox")
    with store.read() as db:
        assert exam_setup.tolerance_rule(db, exam_id).amount == 10
    fill(at, "Questions", ["1", "2", "3"], "multiselect")
    fill(at, "How many of them count", 2, "number_input")
    press(at, "Add the section")
    assert "Section 1: questions 1, 2, 3, answer 2 of 3" in texts(at).replace("*", "")
    with store.read() as db:
        assert exam_setup.settings(db, exam_id)["sections"] == [
            {"title": "Section 1", "questions": ["1", "2", "3"], "answer": 2}
        ]
    assert next(each for each in at.number_input if each.label == "How many of them count").value == 2
    fill(at, "Questions", ["1", "3"], "multiselect")
    fill(at, "How many of them count", 1, "number_input")
    next(each for each in at.text_input if each.proto.id.endswith("_title") and each.value == "Section 1").set_value(
        "Section B"
    )
    press(at, "Save the section")
    assert "Section B: questions 1, 3, answer 1 of 2" in texts(at).replace("*", "")
    assert "Section 1" not in texts(at)
    with store.read() as db:
        assert exam_setup.settings(db, exam_id)["sections"] == [
            {"title": "Section B", "questions": ["1", "3"], "answer": 1}
        ]
    assert labels(at).count("Add the section") == 1, "question 2 is free again"


def test_grades_are_set_before_there_is_a_question(app: OpenPage, store: Store, head: Marker) -> None:
    exam_id = details.create(store, head, "Mock")
    at = app(PAGE, head, exam=str(exam_id))
    assert "The exam has no question yet." in texts(at)
    fill(at, "Grade boundaries: one grade a line, with its lowest total", "A 3\nB 1", "text_area")
    press(at, "Save the rules")
    assert "Grades: A from 3, B from 1." in texts(at)
    with store.write() as db:
        exams.add_question(db, exam_id, *two_point_question())
    at.run()
    assert "The questions come to 2 marks, so nobody can reach A." in texts(at)


def test_rules_and_tolerance_are_set_on_the_page_of_exams_too(app: OpenPage, store: Store, head: Marker) -> None:
    exam_id, _ = add_exam(store, [["a"]])
    at = app(EXAMS, head)
    assert "Save the rules" not in labels(at), "they are read when they are opened"
    at.session_state[f"rules_{exam_id}"] = True
    at.run()
    fill(at, "Tolerance between two markers", "percent", "selectbox")
    assert "The tolerance rule is set." in texts(at)
    fill(at, "Grade boundaries: one grade a line, with its lowest total", "A 2", "text_area")
    fill(at, "What stands after an adjudication", "mean", "selectbox")
    press(at, "Save the rules")
    with store.read() as db:
        exam = exams.get(db, exam_id)
        assert exam_setup.tolerance_rule(db, exam_id).amount == 10
    assert exam is not None
    assert (exam.boundaries, exam.what_stands) == ((("A", 2.0),), "mean")


def test_an_exam_needs_a_title_and_the_box_shows_the_one_it_kept(app: OpenPage, store: Store, head: Marker) -> None:
    exam_id, _ = add_exam(store, [["a"]], title="Mock")
    at = app(PAGE, head, exam=str(exam_id))
    fill(at, "Title", " ")
    assert "An exam needs a title." in texts(at)
    assert next(box for box in at.text_input if box.label == "Title").value == "Mock"
    fill(at, "Series", "May 2027")
    with store.read() as db:
        exam = exams.get(db, exam_id)
    assert exam is not None
    assert exam.series == "May 2027"


def test_a_teacher_looks_and_cannot_change_anything(app: OpenPage, store: Store) -> None:
    exam_id, _ = add_exam(store, [["a"]])
    with store.read() as db:
        question_id = exams.questions(db, exam_id)[0].id
    teacher = add_marker(store)
    at = app(PAGE, teacher, exam=str(exam_id))
    assert "can look" in texts(at)
    assert all(box.disabled for box in [*at.text_input, *at.selectbox] if box.label in ("Title", "Level"))
    at = app(PAGE, teacher, exam=str(exam_id), question=str(question_id))
    assert "Save" not in labels(at)
    assert all(box.disabled for box in at.text_area)
    assert "New exam" not in labels(app(EXAMS, teacher))


def test_an_exam_is_duplicated_archived_and_brought_back(app: OpenPage, store: Store, head: Marker) -> None:
    add_exam(store, [["a"]], title="Mock")
    at = app(EXAMS, head)
    press(at, "Duplicate")
    assert "“Copy of Mock” is here" in texts(at)
    press(at, "Archive this exam", 1)
    assert "“Mock” is archived." in texts(at)
    with store.read() as db:
        assert [exam.title for exam in exams.listed(db)] == ["Copy of Mock"]
    press(at, "Bring back")
    assert "“Mock” is back, with all its marks." in texts(at)


@pytest.mark.parametrize("address", [{"exam": "999"}, {"exam": "no number"}, {}])
def test_an_old_link_leads_back_to_the_list(app: OpenPage, store: Store, head: Marker, address: dict[str, str]) -> None:
    add_exam(store, [["a"]])
    at = app(PAGE, head, **address)
    assert not at.exception
    assert "All exams" in labels(at)


def test_a_question_that_is_gone_is_said_to_be(app: OpenPage, store: Store, head: Marker) -> None:
    exam_id, _ = add_exam(store, [["a"]])
    for address in ({"question": "999"}, {"draft": "new-no"}):
        at = app(PAGE, head, exam=str(exam_id), **address)
        assert "no longer in the exam" in texts(at)


def test_a_picture_is_stored_described_and_shown_to_who_marks(app: OpenPage, store: Store, head: Marker) -> None:
    exam_id, _ = add_exam(store, [["a"]])
    with store.read() as db:
        question_id = exams.questions(db, exam_id)[0].id
    out = io.BytesIO()
    Image.new("RGB", (40, 30), "red").save(out, "PNG")
    at = app(PAGE, head, exam=str(exam_id), question=str(question_id))
    at.file_uploader[0].set_value([("graph.png", out.getvalue(), "image/png")]).run()
    assert not at.exception
    fill(at, "Picture 1: what is to be seen", "a red box")
    press(at, "Save")
    with store.read() as db:
        (shown,) = question_pictures.shown(db, question_id)
    assert shown[1] == "a red box"
    assert not app("pages/teacher/mark.py", head).exception


def test_a_broken_picture_is_refused_in_words(app: OpenPage, store: Store, head: Marker) -> None:
    exam_id, _ = add_exam(store, [["a"]])
    with store.read() as db:
        question_id = exams.questions(db, exam_id)[0].id
    at = app(PAGE, head, exam=str(exam_id), question=str(question_id))
    at.file_uploader[0].set_value([("graph.png", b"not a picture", "image/png")]).run()
    assert not at.exception
    assert "“graph.png”" in texts(at)


@pytest.mark.parametrize("kind", list(QuestionType))
def test_every_type_of_question_has_an_editor(app: OpenPage, store: Store, head: Marker, kind: QuestionType) -> None:
    exam_id = details.create(store, head, "Mock")
    thread = setup.start_new(store, head, exam_id)
    opened = setup.open_thread(store, thread)
    assert opened is not None

    def typed(body: setup.QuestionBody) -> None:
        body.type, body.max_mark = kind, 6

    setup.change(store, head, opened, typed)
    at = app(PAGE, head, exam=str(exam_id), draft=thread)
    assert not at.exception
    press(at, "Add levels")
    press(at, "Add a level")
    press(at, "Add a point")
    press(at, "Alternative to this")
    assert "Give every level" in texts(at) or "give every level" in texts(at)
    again = setup.open_thread(store, thread)
    assert again is not None
    assert [point.group for point in again.body.points] == ["G1", "G1"]
    assert len(again.body.objectives[0].levels) == 4


def test_an_exam_made_here_says_on_the_marking_page_what_to_do_next(app: OpenPage, store: Store, head: Marker) -> None:
    details.create(store, head, "Mock")
    for page in ("pages/teacher/mark.py", "pages/teacher/answers.py", EXAMS, "pages/department/agreement.py"):
        assert not app(page, head).exception

"""The answers page in its states: no exam, whose answer, typing, drawing, pictures, and a pile of named files."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageDraw
from streamlit.testing.v1 import AppTest

from components.marking import Marker, Outcome, Role, Stage
from components.workflow.answers import existing
from storage import Store, decisions, drafts, exams, jobs, pictures, responses
from storage.drafts import DraftOf, DraftPage
from storage.responses import StoredResponse
from tests.app.conftest import OpenPage
from tests.support import add_exam, add_marker, propose_points

PAGE = "pages/teacher/answers.py"
STROKE = {
    "type": "Path",
    "originX": "center",
    "originY": "center",
    "left": 400,
    "top": 300,
    "width": 400,
    "height": 0,
    "fill": None,
    "stroke": "#1a1a1a",
    "strokeWidth": 4,
    "path": [["M", 200, 300], ["L", 600, 300]],
}
Shape = tuple[int, int]


@pytest.fixture
def marker(store: Store) -> Marker:
    return add_marker(store)


def written(size: Shape = (600, 400), turn: float = 0.0) -> bytes:
    """A sheet with lines of writing, as a PNG."""
    sheet = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(sheet)
    for y in range(80, size[1] - 60, 50):
        for x in range(60, size[0] - 80, 30):
            draw.line((x, y, x + 9, y - 14, x + 18, y), (20, 20, 30), 3)
    if turn:
        sheet = sheet.rotate(turn, Image.Resampling.BICUBIC, fillcolor="white")
    out = io.BytesIO()
    sheet.save(out, "PNG")
    return out.getvalue()


def texts(at: AppTest) -> str:
    said = [*at.markdown, *at.caption, *at.info, *at.success, *at.warning, *at.error, *at.text]
    return "\n".join(str(element.value) for element in said).replace("\\", "").replace("**", "")


def press(at: AppTest, label: str, nth: int = 0) -> AppTest:
    [button for button in at.button if button.label == label][nth].click().run()
    assert not at.exception
    return at


def button(at: AppTest, label: str):
    (found,) = [button for button in at.button if button.label == label]
    return found


def beat(at: AppTest) -> None:
    """The browser's beats, until what waits for the last stroke is done."""
    for _ in range(200):
        if "Saving your last stroke" not in texts(at):
            break
        at.run()
    assert not at.exception


def choose(at: AppTest, candidate: str, way: str = "") -> AppTest:
    (box,) = [box for box in at.selectbox if box.label == "Candidate"]
    if any(option.split(" ")[0] == candidate for option in box.options):
        box.set_value(candidate).run()
    else:  # AppTest types no new option
        exam_id = at.session_state["exam_id"]
        at.switch_page("pages/department/exams.py").run()
        at.session_state[f"answers_candidate_{exam_id}"] = candidate
        at.switch_page(PAGE).run()
    if way:
        (ways,) = [each for each in at.button_group if each.label == "How does the answer come?"]
        ways.set_value(way).run()
    assert not at.exception
    return at


def upload(at: AppTest, *files: tuple[str, bytes]) -> AppTest:
    at.file_uploader[0].set_value([(name, content, "image/png") for name, content in files]).run()
    assert not at.exception
    return at


def many(at: AppTest) -> AppTest:
    at.session_state["answers_tab"] = "Many pictures"
    at.run()
    assert not at.exception
    return at


def question_of(store: Store, exam_id: int) -> int:
    with store.read() as db:
        return exams.questions(db, exam_id)[0].id


def answer(store: Store, exam_id: int, number: str) -> StoredResponse | None:
    with store.read() as db:
        return existing(db, question_of(store, exam_id), number).response


def sizes(store: Store, response: StoredResponse | None) -> list[Shape]:
    assert response is not None
    with store.read() as db:
        return [(page.width, page.height) for page in pictures.pages(db, response.id)]


@pytest.mark.parametrize("role", list(Role))
def test_every_role_finds_the_page_and_is_asked_whose_answer_it_is(app: OpenPage, store: Store, role: Role) -> None:
    add_exam(store, [["an answer"]])
    at = app(PAGE, add_marker(store, "Dr Li", role))
    assert not at.exception
    assert [title.value for title in at.title] == ["Answers"]
    assert "Choose the candidate whose answer this is" in texts(at)
    assert "Question 1: why?" in texts(at)
    assert "2 marks" in texts(at)
    assert "An exam on paper can come in three ways" in texts(at)


def test_without_an_exam_it_says_where_to_get_one(app: OpenPage, store: Store, marker: Marker) -> None:
    exam_id, _ = add_exam(store, [["an answer"]])
    with store.write() as db:
        exams.archive(db, exam_id, marker.id, "test")
    at = app(PAGE, marker)
    assert "There is no exam to bring answers to yet" in texts(at)
    assert not at.exception


def test_an_exam_without_questions_says_so(app: OpenPage, store: Store, marker: Marker) -> None:
    with store.write() as db:
        exams.add_exam(db, "Empty")
    assert "This exam has no question yet" in texts(app(PAGE, marker))


def test_a_typed_answer_is_stored_and_shown_as_plain_text(app: OpenPage, store: Store, marker: Marker) -> None:
    exam_id, _ = add_exam(store, [["an answer"]])
    at = choose(app(PAGE, marker), "0417")
    assert "Candidate 0417 is new" in texts(at)
    assert button(at, "Store the answer").disabled
    typed = "# 7 * *8* <b>x</b> ![x](https://example.org/x.png)"
    at.text_area[0].set_value(typed).run()
    assert "6 words, 50 characters" in texts(at)
    press(at, "Store the answer")
    assert "Candidate 0417's answer to question 1 is stored. The judge is asked about it." in texts(at)
    assert [text.value for text in at.text] == [typed]
    response = answer(store, exam_id, "0417")
    assert response is not None
    assert (response.text, response.kind) == (typed, "typed")
    with store.read() as db:
        assert jobs.latest_of_exam(db, "propose", exam_id) is not None
    assert "what a candidate answered never changes" in texts(at), "typing it again is not offered"


def test_a_draft_survives_another_candidate_another_profile_and_another_page(
    app: OpenPage, store: Store, marker: Marker
) -> None:
    add_exam(store, [["an answer"]])
    other = add_marker(store, "Mr Osei")
    at = choose(app(PAGE, marker), "0417")
    at.text_area[0].set_value("half an ans").run()
    choose(at, "0418")
    assert at.text_area[0].value == ""
    choose(at, "0417")
    assert at.text_area[0].value == "half an ans"
    at.session_state["marker_id"] = other.id
    at.run()
    assert at.text_area[0].value == "half an ans"
    at.switch_page("pages/department/exams.py").run()
    at.switch_page(PAGE).run()
    assert not at.exception
    assert at.text_area[0].value == "half an ans"


def test_a_marked_answer_says_who_marked_it_and_offers_no_change(app: OpenPage, store: Store, marker: Marker) -> None:
    _, [[response_id]] = add_exam(store, [["an answer"]])
    with store.write() as db:
        decisions.record(db, response_id, marker.id, Outcome.MARK, Stage.AI_FIRST, mark=1)
    at = choose(app(PAGE, marker), "0001")
    assert "it has been marked by Ms Khan. Undo the mark first" in texts(at)
    assert [text.value for text in at.text] == ["an answer"]
    assert not [each for each in at.button_group if each.label == "How does the answer come?"]


def test_a_proposal_that_would_no_longer_stand_is_spoken_of(app: OpenPage, store: Store, marker: Marker) -> None:
    _, [[response_id]] = add_exam(store, [["the enzyme is denatured"]])
    propose_points(store, response_id, ["M1"])
    at = choose(app(PAGE, marker), "0001")
    assert "that proposal no longer stands" in texts(at)


def test_a_number_that_cannot_be_one_is_refused_in_words(app: OpenPage, store: Store, marker: Marker) -> None:
    add_exam(store, [["an answer"]])
    at = choose(app(PAGE, marker), "0" * 60)
    assert "at most 40 characters" in texts(at)


def test_a_saved_drawing_can_be_submitted_after_a_reload_and_opened_again(
    app: OpenPage, store: Store, marker: Marker
) -> None:
    exam_id, _ = add_exam(store, [["an answer"]])
    draft = DraftOf(question_of(store, exam_id), "0417", marker.id)
    at = choose(app(PAGE, marker), "0417", "Draw")
    assert "Nothing drawn on this page yet" in texts(at)
    assert button(at, "Submit the drawing").disabled
    with store.write() as db:
        drafts.save(db, draft, DraftPage(1, "ruled", {"objects": [STROKE, STROKE]}))
        drafts.save(db, draft, DraftPage(2, "squared", {"objects": []}))
    at = choose(app(PAGE, marker), "0417", "Draw")
    assert "saved · 2 strokes" in texts(at)
    press(at, "Submit the drawing")
    assert "Saving your last stroke" in texts(at), "it waits for the browser's next beat"
    assert answer(store, exam_id, "0417") is None
    beat(at)
    assert "is stored" in texts(at)
    response = answer(store, exam_id, "0417")
    assert response is not None
    assert response.kind == "drawn"
    assert sizes(store, response) == [(900, 644)], "the empty page is left out"
    with store.read() as db:
        assert drafts.pages(db, draft) == []
        (page,) = pictures.pages(db, response.id)
    assert page.strokes == {"objects": [STROKE, STROKE], "paper": "ruled"}
    press(at, "Open the stored drawing again")
    assert "saved · 2 strokes" in texts(at)
    press(at, "Undo")
    assert "saved · 1 stroke" in texts(at)
    press(at, "Submit the drawing")
    beat(at)
    with store.read() as db:
        (page,) = pictures.pages(db, response.id)
    assert page.strokes == {"objects": [STROKE], "paper": "ruled"}


def test_a_drawing_under_way_belongs_to_the_marker_who_draws_it(app: OpenPage, store: Store, marker: Marker) -> None:
    exam_id, _ = add_exam(store, [["an answer"]])
    other = add_marker(store, "Mr Osei")
    with store.write() as db:
        draft = DraftOf(question_of(store, exam_id), "0417", marker.id)
        drafts.save(db, draft, DraftPage(1, "plain", {"objects": [STROKE]}))
    at = choose(app(PAGE, marker), "0417", "Draw")
    assert "saved · 1 stroke" in texts(at)
    at.session_state["marker_id"] = other.id
    at.run()
    assert "Nothing drawn on this page yet" in texts(at)
    at.session_state["marker_id"] = marker.id
    at.run()
    assert "saved · 1 stroke" in texts(at)
    press(at, "Clear")
    assert "Nothing drawn on this page yet" in texts(at)
    press(at, "Undo")
    assert "saved · 1 stroke" in texts(at)


def test_pictures_are_turned_put_in_order_and_stored(app: OpenPage, store: Store, marker: Marker) -> None:
    exam_id, _ = add_exam(store, [["an answer"]])
    at = choose(app(PAGE, marker), "0417", "Upload")
    upload(at, ("b.png", written((600, 400))), ("a.png", written((500, 300))))
    assert "Page 1 · b.png" in texts(at)
    press(at, "Turn right", 0)
    press(at, "Later", 0)
    assert "Page 1 · a.png" in texts(at)
    stored_as = [each for each in at.button_group if each.label == "Store it"]
    for each in stored_as:
        each.set_value("As it came").run()
    press(at, "Store 2 pages")
    assert "is stored" in texts(at)
    response = answer(store, exam_id, "0417")
    assert sizes(store, response) == [(500, 300), (400, 600)]
    assert response is not None
    assert response.kind == "photographed"
    assert "photographed · 2 pages" in texts(at)
    assert at.file_uploader[0].value == [], "ready for the next"


def test_a_crooked_page_is_offered_straight_and_its_original_kept(app: OpenPage, store: Store, marker: Marker) -> None:
    exam_id, _ = add_exam(store, [["an answer"]])
    at = choose(app(PAGE, marker), "0417", "Upload")
    upload(at, ("crooked.png", written((900, 700), turn=3)))
    assert "urned clockwise by 3." in texts(at) or "urned clockwise by 2.9" in texts(at)
    (choice,) = [each for each in at.button_group if each.label == "Store it"]
    assert choice.value == "Mended"
    press(at, "Store 1 page")
    response = answer(store, exam_id, "0417")
    assert response is not None
    with store.read() as db:
        (page,) = pictures.pages(db, response.id)
        came = pictures.content(db, str(page.original_sha256))
    assert Image.open(io.BytesIO(came)).size == (900, 700)
    assert page.source == "crooked.png"


def test_one_faulty_file_keeps_all_from_being_stored_and_is_named(app: OpenPage, store: Store, marker: Marker) -> None:
    exam_id, _ = add_exam(store, [["an answer"]])
    at = choose(app(PAGE, marker), "0417", "Upload")
    upload(at, ("good.png", written()), ("notes*.png", b"%PDF-1.7 not a picture"), ("cut.png", written()[:200]))
    assert "“notes*.png” is a PDF" in texts(at)
    assert "“cut.png” begins as a PNG picture, but is broken" in texts(at)
    assert button(at, "Store 1 page").disabled
    upload(at, ("good.png", written()))
    press(at, "Store 1 page")
    assert len(sizes(store, answer(store, exam_id, "0417"))) == 1


def test_pages_that_are_there_can_be_replaced(app: OpenPage, store: Store, marker: Marker) -> None:
    exam_id, _ = add_exam(store, [["an answer"]])
    at = choose(app(PAGE, marker), "0417", "Upload")
    for size, choice in (((500, 300), ""), ((520, 320), "Add after them"), ((540, 340), "Replace them")):
        upload(at, ("page.png", written(size)))
        for each in [each for each in at.button_group if each.label == "The answer has pages already"]:
            each.set_value(choice).run()
        for each in [each for each in at.button_group if each.label == "Store it"]:
            each.set_value("As it came").run()
        press(at, "Store 1 page")
        if choice == "Add after them":
            assert sizes(store, answer(store, exam_id, "0417")) == [(500, 300), (520, 320)]
    assert sizes(store, answer(store, exam_id, "0417")) == [(540, 340)]


def test_named_files_are_shown_with_their_candidates_before_they_are_stored(
    app: OpenPage, store: Store, marker: Marker
) -> None:
    exam_id, _ = add_exam(store, [["an answer", ""]])
    at = many(app(PAGE, marker))
    upload(at, ("0002.png", written()), ("0417_2.png", written()), ("0417.png", written()))
    table = at.dataframe[0].value
    assert table["Candidate"].tolist() == ["0002", "0417", "0417"]
    assert table["Page"].tolist() == ["1", "2", "1"]
    assert button(at, "Store 2 answers").disabled, "an unknown number must be confirmed"
    assert "1 number not in this exam yet: 0417" in texts(at)
    at.checkbox[0].check().run()
    assert answer(store, exam_id, "0417") is None
    press(at, "Store 2 answers")
    assert "2 answers to question 1 are stored. The judge is asked about them." in texts(at)
    assert len(sizes(store, answer(store, exam_id, "0417"))) == 2
    assert len(sizes(store, answer(store, exam_id, "0002"))) == 1


def test_one_bad_row_keeps_the_whole_pile_out(app: OpenPage, store: Store, marker: Marker) -> None:
    exam_id, _ = add_exam(store, [["an answer", ""]])
    at = many(app(PAGE, marker))
    upload(at, ("0001.png", written()), ("0002.png", written()), ("0003.png", b"nothing"))
    remarks = at.dataframe[0].value[""].tolist()
    assert remarks[0].startswith("Candidate 0001 has an answer to this question already")
    assert remarks[1].startswith("Stored")
    assert remarks[2].startswith("“0003.png” is not a picture")
    assert "2 files cannot be stored" in texts(at)
    assert button(at, "Store 3 answers").disabled
    with store.read() as db:
        assert [r.candidate_number for r in responses.of_question(db, question_of(store, exam_id))] == ["0001", "0002"]

"""A whole class on paper, on the answers page: printing, beginning, reading, settling, storing."""

from __future__ import annotations

import io

import pytest
from streamlit.testing.v1 import AppTest

from components.marking import Marker
from components.workflow import scanning
from components.workflow.connections import Connections
from components.workflow.printing import books_file, order_books
from components.workflow.scan_setup import Region
from components.workflow.worker import Worker
from storage import Store, exams, jobs, pictures, responses, scans
from tests.app.conftest import OpenPage
from tests.class_on_paper import NUMBERS, ROOMS, add_paper_exam, template, written
from tests.scans import scan_pdf
from tests.support import add_marker

PAGE = "pages/teacher/answers.py"
pytestmark = pytest.mark.usefixtures("without_a_worker")


@pytest.fixture
def marker(store: Store) -> Marker:
    return add_marker(store)


@pytest.fixture
def exam_id(store: Store) -> int:
    return add_paper_exam(store)


def texts(at: AppTest) -> str:
    said = [*at.markdown, *at.caption, *at.info, *at.success, *at.warning, *at.error, *at.text]
    return "\n".join(str(element.value) for element in said).replace("\\", "").replace("**", "")


def opened(app: OpenPage, marker: Marker) -> AppTest:
    at = app(PAGE, marker)
    at.session_state["answers_tab"] = "Scanned class"
    at.run()
    assert not at.exception
    return at


def press(at: AppTest, label: str) -> AppTest:
    button(at, label).click().run()
    assert not at.exception
    return at


def button(at: AppTest, label: str):
    (found,) = [button for button in at.button if button.label.replace("\\", "") == label]
    return found


def labels(at: AppTest) -> list[str]:
    return [button.label.replace("\\", "") for button in at.button]


def printing_part(at: AppTest) -> AppTest:
    (doing,) = [each for each in at.button_group if each.label == "What would you like to do?"]
    doing.set_value("Print answer books").run()
    assert not at.exception
    return at


def area(at: AppTest):
    (found,) = [each for each in at.text_area if each.label == "Class list"]
    return found


def work(store: Store) -> None:
    assert Worker(store, Connections()).do_one()


def scan_of(store: Store, exam_id: int) -> scans.Scan:
    with store.read() as db:
        found = scanning.open_scan(db, exam_id)
    assert found is not None
    return found


def begun(
    store: Store, exam_id: int, marker: Marker, *, numbers: tuple[str, ...] = NUMBERS, twice: bool = False
) -> int:
    """Books of all three candidates, scanned, their reading queued for the candidates named."""
    book_id = order_books(store, exam_id, ROOMS, NUMBERS, marker.id)
    pages = written(store, book_id, skip=("0418", "1"))
    files = [("class.pdf", io.BytesIO(scan_pdf([*pages, *pages[:1]] if twice else pages)))]
    scan_id = scanning.begin(store, exam_id, marker, "books", numbers, files, book_id=book_id)
    scanning.start_reading(store, scan_id, marker)
    return scan_id


def test_answer_books_are_printed_for_a_pasted_class_list(
    app: OpenPage, store: Store, marker: Marker, exam_id: int
) -> None:
    at = printing_part(opened(app, marker))
    assert "No answer books have been made for this exam yet." in texts(at)
    area(at).set_value("0417\n0418").run()
    press(at, "Make the answer books")
    assert "2 candidates, 1 page each" in texts(at)
    assert [each.label for each in at.get("download_button")] == ["Download (PDF)"]
    with store.read() as db:
        (book,) = scans.books(db, exam_id)
    assert books_file(store, book.id).read_bytes().startswith(b"%PDF-")


def test_a_class_list_that_comes_with_the_press_is_the_one_printed(
    app: OpenPage, store: Store, marker: Marker, exam_id: int
) -> None:
    at = printing_part(opened(app, marker))
    area(at).set_value("0417\n0418")
    press(at, "Make the answer books")
    assert "2 candidates, 1 page each" in texts(at)


def test_a_bad_class_list_is_said_in_words_and_nothing_is_printed(
    app: OpenPage, store: Store, marker: Marker, exam_id: int
) -> None:
    at = printing_part(opened(app, marker))
    area(at).set_value("0417\n0417").run()
    press(at, "Make the answer books")
    assert "candidate 0417 stands twice in the class list" in texts(at)
    with store.read() as db:
        assert scans.books(db, exam_id) == []


def test_separator_sheets_can_be_downloaded(app: OpenPage, marker: Marker, exam_id: int) -> None:
    at = printing_part(opened(app, marker))
    area(at).set_value("0417").run()
    press(at, "Make separator sheets")
    assert [each.label for each in at.get("download_button")] == ["Download the separator sheets (PDF)"]


def test_without_printed_books_the_page_says_to_print_them_or_choose_another_way(
    app: OpenPage, marker: Marker, exam_id: int
) -> None:
    at = opened(app, marker)
    assert "No answer books have been made for this exam." in texts(at)
    at.radio[0].set_value("fixed pages").run()
    assert not at.exception
    assert button(at, "Go on to the template").disabled


def test_uploaded_books_are_kept_and_their_reading_is_queued(
    app: OpenPage, store: Store, marker: Marker, exam_id: int
) -> None:
    book_id = order_books(store, exam_id, ROOMS, NUMBERS, marker.id)
    at = opened(app, marker)
    assert area(at).value == "0417\n0418\n0420"
    at.file_uploader[0].set_value([("class.pdf", scan_pdf(written(store, book_id)), "application/pdf")]).run()
    press(at, "Read the scan")
    assert "Cancel" in labels(at)
    assert "reading goes on" in texts(at)
    with store.read() as db:
        assert [job.kind for job in jobs.active(db)] == ["scan"]


def test_a_cancelled_reading_can_go_on(app: OpenPage, store: Store, marker: Marker, exam_id: int) -> None:
    begun(store, exam_id, marker)
    with store.write() as db:
        job = jobs.claim(db, "another server")
    assert job is not None
    at = press(opened(app, marker), "Cancel")
    at.run()
    assert "Reading was stopped." in texts(at)
    press(at, "Go on reading")
    with store.read() as db:
        again = jobs.get(db, job.id)
    assert again is not None
    assert again.status in ("queued", "running", "done")


def test_a_reading_that_failed_says_why(app: OpenPage, store: Store, marker: Marker, exam_id: int) -> None:
    book_id = order_books(store, exam_id, ROOMS, NUMBERS, marker.id)
    files = [("class.zip", io.BytesIO(b"PK\x03\x04 cut off"))]
    scan_id = scanning.begin(store, exam_id, marker, "books", NUMBERS, files, book_id=book_id)
    scanning.start_reading(store, scan_id, marker)
    work(store)
    assert "“class.zip” is not a ZIP that can be read" in texts(opened(app, marker))


def test_the_cuts_are_shown_with_blank_ones_ticked_and_then_stored(
    app: OpenPage, store: Store, marker: Marker, exam_id: int
) -> None:
    begun(store, exam_id, marker)
    work(store)
    at = opened(app, marker)
    assert "6 cuts, 1 with nothing written" in texts(at)
    ticks = {box.label.replace("\\", ""): box.value for box in at.checkbox}
    assert ticks == {
        "Nothing written · **0417**": False,
        "Nothing written · **0418**": True,
        "Nothing written · **0420**": False,
    }
    press(at, "Store 6 answers")
    assert "6 answers of 3 candidates are stored." in texts(at)
    assert "press N on the marking page" in texts(at)
    assert "1 scan stored" in texts(at)
    with store.read() as db:
        assert responses.candidates(db, exam_id) == list(NUMBERS)


def test_a_tick_taken_away_is_kept(app: OpenPage, store: Store, marker: Marker, exam_id: int) -> None:
    begun(store, exam_id, marker)
    work(store)
    at = opened(app, marker)
    (box,) = [box for box in at.checkbox if box.value]
    box.uncheck().run()
    press(at, "Store 6 answers")
    with store.read() as db:
        first = responses.of_candidate(db, exam_id, "0418")[0]
        assert [page.source for page in pictures.pages(db, first.id)] == ["“class.pdf”, page 2"]


def test_an_unknown_candidate_is_added_and_the_scan_read_again(
    app: OpenPage, store: Store, marker: Marker, exam_id: int
) -> None:
    begun(store, exam_id, marker, numbers=NUMBERS[:2])
    work(store)
    at = opened(app, marker)
    assert "1 problem to settle" in texts(at)
    assert "candidate 0420 is not in the class list" in texts(at)
    assert button(at, "Store 4 answers").disabled
    press(at, "Add 0420 to the class list")
    assert "0420 is in the class list now" in texts(at)
    press(at, "Read again")
    work(store)
    at.run()
    assert not button(at, "Store 6 answers").disabled


def test_one_of_two_copies_is_left_out(app: OpenPage, store: Store, marker: Marker, exam_id: int) -> None:
    begun(store, exam_id, marker, twice=True)
    work(store)
    at = opened(app, marker)
    assert "2 problems to settle" in texts(at)
    assert [each.disabled for each in at.button if each.label == "Settle"] == [True, True]
    whose = [each for each in at.selectbox if each.label == "Whose page is it?"]
    whose[1].set_value("Leave it out").run()
    [each for each in at.button if each.label == "Settle"][1].click().run()
    assert "You said: left out." in texts(at)
    press(at, "Read again")
    work(store)
    at.run()
    assert not button(at, "Store 6 answers").disabled


def test_an_answer_that_is_there_already_keeps_the_scan_out_in_words(
    app: OpenPage, store: Store, marker: Marker, exam_id: int
) -> None:
    with store.write() as db:
        ids = responses.add_candidates(db, exam_id, ["0417"])
        first = exams.questions(db, exam_id)[0].id
        responses.add_responses(db, exam_id, [(first, ids["0417"], "typed before")])
    begun(store, exam_id, marker)
    work(store)
    at = press(opened(app, marker), "Store 6 answers")
    assert "another answer already: candidate 0417, question 1. Nothing was stored." in texts(at)


def test_without_a_template_it_is_asked_for_and_reading_waits_for_rectangles(
    app: OpenPage, store: Store, marker: Marker, exam_id: int
) -> None:
    files = [("class.pdf", io.BytesIO(template()))]
    scan_id = scanning.begin(store, exam_id, marker, "fixed pages", NUMBERS[:1], files)
    at = opened(app, marker)
    assert button(at, "Read the scan").disabled
    (uploader,) = [each for each in at.file_uploader if each.label.startswith("The paper's blank pages")]
    uploader.set_value([("paper.pdf", template(), "application/pdf")]).run()
    press(at, "Take this template")
    assert "No rectangle yet: 1, 2(b)." in texts(at)
    assert button(at, "Read the scan").disabled
    region = Region(question="1", page=1, x=0.1, y=0.1, w=0.5, h=0.2)
    scanning.change(store, scan_id, lambda setup: setup.model_copy(update={"regions": (region,)}))
    at.run()
    assert "No rectangle yet: 2(b)." in texts(at)
    assert not button(at, "Read the scan").disabled
    press(at, "Question 1, page 1")
    assert scanning.setup_of(scan_of(store, exam_id)).regions == ()


def test_a_scan_can_be_thrown_away(app: OpenPage, store: Store, marker: Marker, exam_id: int) -> None:
    scan_id = begun(store, exam_id, marker)
    press(opened(app, marker), "Throw it away")
    assert not scanning.folder_of(store, scan_id).exists()
    with store.read() as db:
        assert scanning.open_scan(db, exam_id) is None
        assert jobs.active(db) == []

"""From printed books and scanned scripts to stored answers: each on its candidate and question, all of them or none."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from components.intake.page_regions import ScanFault
from components.intake.scan_types import ScanPlan
from components.marking import Marker
from components.workflow import printing, scanning
from components.workflow.connections import Connections
from components.workflow.printed_words import printed_words
from components.workflow.printing import books_file, class_list, default_rooms, order_books
from components.workflow.scan_results import problem_page, results, small_copy
from components.workflow.scan_setup import Ruling
from components.workflow.scan_store import store_scan
from components.workflow.scanning import folder_of
from components.workflow.worker import Worker
from storage import Store, events, exams, jobs, pictures, question_pictures, responses, scans
from storage.question_pictures import QuestionPicture
from tests.class_on_paper import NUMBERS, PAPER_REGIONS, ROOMS, UNIT, add_paper_exam, template, token, written
from tests.scans import draw_token, read_token, rendered, scan_pdf
from tests.support import add_marker, new_store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def marker(store: Store) -> Marker:
    return add_marker(store)


@pytest.fixture
def exam_id(store: Store) -> int:
    return add_paper_exam(store)


def upload(*files: tuple[str, bytes]) -> list[tuple[str, io.BytesIO]]:
    return [(name, io.BytesIO(content)) for name, content in files]


def work(store: Store) -> None:
    assert Worker(store, Connections()).do_one()


def plan_of(store: Store, scan_id: int) -> ScanPlan:
    kept = results(folder_of(store, scan_id))
    assert kept is not None
    return kept.plan


def read_books(
    store: Store, exam_id: int, marker: Marker, pages: list[Image.Image], *, book_id: int, numbers: tuple[str, ...]
) -> int:
    scan_id = scanning.begin(
        store, exam_id, marker, "books", numbers, upload(("class.pdf", scan_pdf(pages))), book_id=book_id
    )
    scanning.start_reading(store, scan_id, marker)
    work(store)
    return scan_id


def stored_tokens(store: Store, exam_id: int) -> dict[tuple[str, str], int]:
    """The token on each stored answer's one picture, by candidate and question."""
    found = {}
    with store.read() as db:
        for question in exams.questions(db, exam_id):
            for response in responses.of_question(db, question.id):
                (sha,) = response.pictures
                found[response.candidate_number, question.question.number] = read_token(pictures.content(db, sha))
    return found


def every_token(numbers: tuple[str, ...] = NUMBERS) -> dict[tuple[str, str], int]:
    return {(candidate, room.number): token(candidate, room.number) for candidate in numbers for room in ROOMS}


def test_printed_books_that_were_written_in_and_scanned_are_stored_under_their_candidates_and_questions(
    store: Store, exam_id: int, marker: Marker
) -> None:
    book_id = order_books(store, exam_id, ROOMS, NUMBERS, marker.id)
    scan_id = read_books(store, exam_id, marker, written(store, book_id)[::-1], book_id=book_id, numbers=NUMBERS)
    plan = plan_of(store, scan_id)
    assert plan.ok
    assert all(small_copy(folder_of(store, scan_id), cut).stat().st_size > 0 for cut in plan.cuts)
    done = store_scan(store, marker, scan_id)
    assert (done.added, done.already, done.candidates, done.blank, done.asked) == (6, 0, 3, 0, True)
    assert stored_tokens(store, exam_id) == every_token()
    assert [path.name for path in folder_of(store, scan_id).iterdir()] == ["0001.pdf"]  # the scan itself stays
    with store.read() as db:
        first = responses.of_candidate(db, exam_id, "0417")[0]
        (page,) = pictures.pages(db, first.id)
        assert first.kind == "scanned"
        assert page.source == "“class.pdf”, page 3"
        assert scans.get(db, scan_id).state == "stored"
        assert events.latest(db, 1)[0].kind == "scan stored"
        assert {job.payload["questions"][0] for job in jobs.active(db) if job.kind == "propose"} == {
            each.id for each in exams.questions(db, exam_id)
        }


def test_books_printed_with_a_questions_picture_are_read_back_as_they_were_printed(
    store: Store, exam_id: int, marker: Marker
) -> None:
    grey = io.BytesIO()
    Image.new("RGB", (300, 150), (120, 120, 120)).save(grey, "PNG")
    with store.write() as db:
        sha256 = pictures.add(db, pictures.Picture(grey.getvalue(), "image/png", 300, 150))
        question_pictures.set_of(db, exams.questions(db, exam_id)[0].id, [QuestionPicture(sha256)])
    book_id = order_books(store, exam_id, default_rooms(store, exam_id), NUMBERS, marker.id)
    with store.write() as db:  # what the question shows later is no matter to books that lie printed
        question_pictures.set_of(db, exams.questions(db, exam_id)[0].id, [])
    (page,) = printing.printed(store, book_id).book().pages
    (placed,) = page.pictures
    sheet = rendered(books_file(store, book_id).read_bytes())[0]
    middle = (round((placed.x + placed.w / 2) * UNIT), round((placed.y + placed.h / 2) * UNIT))
    assert sheet.getpixel(middle) == pytest.approx(120, abs=3)
    scan_id = read_books(store, exam_id, marker, written(store, book_id), book_id=book_id, numbers=NUMBERS)
    assert store_scan(store, marker, scan_id).added == 6
    assert stored_tokens(store, exam_id) == every_token()


def test_the_same_scan_twice_adds_nothing(store: Store, exam_id: int, marker: Marker) -> None:
    book_id = order_books(store, exam_id, ROOMS, NUMBERS[:1], marker.id)
    pages = written(store, book_id)
    store_scan(store, marker, read_books(store, exam_id, marker, pages, book_id=book_id, numbers=NUMBERS[:1]))
    with store.write() as db:
        for job in jobs.active(db):
            jobs.cancel(db, job.id)
    again = read_books(store, exam_id, marker, pages, book_id=book_id, numbers=NUMBERS[:1])
    done = store_scan(store, marker, again)
    assert (done.added, done.already, done.candidates, done.asked) == (0, 2, 0, False)
    assert stored_tokens(store, exam_id) == every_token(NUMBERS[:1])


def test_an_answer_that_is_there_in_another_form_keeps_the_whole_scan_out(
    store: Store, exam_id: int, marker: Marker
) -> None:
    with store.write() as db:
        ids = responses.add_candidates(db, exam_id, ["0418"])
        (second,) = [each.id for each in exams.questions(db, exam_id) if each.question.number == "2(b)"]
        responses.add_responses(db, exam_id, [(second, ids["0418"], "typed before")])
    book_id = order_books(store, exam_id, ROOMS, NUMBERS, marker.id)
    scan_id = read_books(store, exam_id, marker, written(store, book_id), book_id=book_id, numbers=NUMBERS)
    with pytest.raises(ScanFault, match=r"another answer already: candidate 0418, question 2\(b\)\. Nothing"):
        store_scan(store, marker, scan_id)
    with store.read() as db:
        assert db.execute("SELECT count(*) FROM responses").fetchone()[0] == 1
        assert db.execute("SELECT count(*) FROM images").fetchone()[0] == 0
        assert responses.candidates(db, exam_id) == ["0418"]
        assert scans.get(db, scan_id).state == "open"


def test_a_blank_region_is_stored_with_its_picture_and_no_decision(store: Store, exam_id: int, marker: Marker) -> None:
    book_id = order_books(store, exam_id, ROOMS, NUMBERS[:1], marker.id)
    pages = written(store, book_id, skip=("0417", "2(b)"))
    scan_id = read_books(store, exam_id, marker, pages, book_id=book_id, numbers=NUMBERS[:1])
    assert [cut.blank for cut in plan_of(store, scan_id).cuts] == [False, True]
    assert store_scan(store, marker, scan_id).blank == 1
    with store.read() as db:
        blank = responses.of_candidate(db, exam_id, "0417")[1]
        assert [page.source for page in pictures.pages(db, blank.id)] == ["“class.pdf”, page 1 · blank region"]
        assert db.execute("SELECT count(*) FROM decisions").fetchone()[0] == 0


def test_a_person_may_say_that_a_region_found_blank_has_writing(store: Store, exam_id: int, marker: Marker) -> None:
    book_id = order_books(store, exam_id, ROOMS, NUMBERS[:1], marker.id)
    pages = written(store, book_id, skip=("0417", "2(b)"))
    scan_id = read_books(store, exam_id, marker, pages, book_id=book_id, numbers=NUMBERS[:1])
    name = plan_of(store, scan_id).cuts[1].path.name
    scanning.change(store, scan_id, lambda setup: setup.model_copy(update={"looks_blank": {name: False}}))
    assert store_scan(store, marker, scan_id).blank == 0


def test_an_unknown_candidate_is_settled_by_adding_them_and_reading_again(
    store: Store, exam_id: int, marker: Marker
) -> None:
    book_id = order_books(store, exam_id, ROOMS, NUMBERS, marker.id)
    pages = written(store, book_id)
    scan_id = read_books(store, exam_id, marker, pages, book_id=book_id, numbers=NUMBERS[:2])
    report = plan_of(store, scan_id).report
    ((row, problem),) = [(at, each) for at, each in enumerate(report) if each.level == "error"]
    assert (problem.result, problem.candidate, problem.page) == ("unknown candidate", "0420", 3)
    assert problem_page(folder_of(store, scan_id), row) is not None
    with pytest.raises(ScanFault, match="1 problem must be settled"):
        store_scan(store, marker, scan_id)
    scanning.change(store, scan_id, lambda setup: setup.model_copy(update={"candidates": NUMBERS}))
    with pytest.raises(ScanFault, match="Read it again"):
        store_scan(store, marker, scan_id)
    scanning.start_reading(store, scan_id, marker)
    work(store)
    store_scan(store, marker, scan_id)
    assert stored_tokens(store, exam_id) == every_token()


def test_a_page_that_came_twice_is_settled_by_leaving_one_out(store: Store, exam_id: int, marker: Marker) -> None:
    book_id = order_books(store, exam_id, ROOMS, NUMBERS[:2], marker.id)
    first, second = written(store, book_id)
    scan_id = read_books(store, exam_id, marker, [first, second, first], book_id=book_id, numbers=NUMBERS[:2])
    assert [each.page for each in plan_of(store, scan_id).problems] == [1, 3]
    scanning.settle(store, scan_id, Ruling(file="class.pdf", page=3))
    scanning.start_reading(store, scan_id, marker)
    work(store)
    store_scan(store, marker, scan_id)
    assert stored_tokens(store, exam_id) == every_token(NUMBERS[:2])


def test_a_page_whose_codes_cannot_be_read_is_given_to_its_candidate(
    store: Store, exam_id: int, marker: Marker
) -> None:
    book_id = order_books(store, exam_id, ROOMS, NUMBERS[:1], marker.id)
    (page,) = written(store, book_id)
    page.paste(255, (page.width - 245, 30, page.width - 93, 195))
    page.paste(255, (92, page.height - 195, 245, page.height - 34))
    scan_id = read_books(store, exam_id, marker, [page], book_id=book_id, numbers=NUMBERS[:1])
    assert [each.result for each in plan_of(store, scan_id).problems] == ["unreadable"]
    scanning.settle(store, scan_id, Ruling(file="class.pdf", page=1, candidate="0417", book_page=1))
    scanning.start_reading(store, scan_id, marker)
    work(store)
    store_scan(store, marker, scan_id)
    assert stored_tokens(store, exam_id) == every_token(NUMBERS[:1])


def test_a_cancelled_reading_stops_and_goes_on_where_it_was(
    store: Store, exam_id: int, marker: Marker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanning, "TELL_SECONDS", -1.0)  # hear after every page
    book_id = order_books(store, exam_id, ROOMS, NUMBERS, marker.id)
    files = upload(("class.pdf", scan_pdf(written(store, book_id))))
    scan_id = scanning.begin(store, exam_id, marker, "books", NUMBERS, files, book_id=book_id)
    scanning.start_reading(store, scan_id, marker)
    with store.read() as db:
        (job,) = jobs.active(db)
    told: list[int] = []

    def stop_after_one(done: int, total: int, message: str) -> bool:
        told.append(done)
        return done < 1

    assert scanning.do_scan(store, job, stop_after_one) == "Stopped on the way."
    assert results(folder_of(store, scan_id)) is None
    read_before = {path: path.stat().st_mtime_ns for path in (folder_of(store, scan_id) / "cuts").glob("*.jpg")}
    assert len(read_before) == 2
    scanning.cancel(store, scan_id)
    scanning.start_reading(store, scan_id, marker)
    work(store)
    assert {path: path.stat().st_mtime_ns for path in read_before} == read_before
    store_scan(store, marker, scan_id)
    assert stored_tokens(store, exam_id) == every_token()


def test_a_reading_whose_server_went_away_is_taken_up_by_the_next(
    store: Store, exam_id: int, marker: Marker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanning, "TELL_SECONDS", -1.0)
    book_id = order_books(store, exam_id, ROOMS, NUMBERS, marker.id)
    files = upload(("class.pdf", scan_pdf(written(store, book_id))))
    scan_id = scanning.begin(store, exam_id, marker, "books", NUMBERS, files, book_id=book_id)
    scanning.start_reading(store, scan_id, marker)
    with store.write() as db:
        job = jobs.claim(db, "a server that dies")
    assert job is not None
    scanning.do_scan(store, job, lambda done, total, message: done < 2)
    with store.write() as db:
        db.execute("UPDATE jobs SET heartbeat_at = '2020-01-01T00:00:00.000000+00:00' WHERE id = ?", (job.id,))
    work(store)
    store_scan(store, marker, scan_id)
    assert stored_tokens(store, exam_id) == every_token()


def test_scripts_without_codes_are_cut_by_the_regions_drawn_on_the_template(
    store: Store, exam_id: int, marker: Marker
) -> None:
    paper = template()
    (page,) = [page.copy() for page in rendered(paper)]
    for region in PAPER_REGIONS:
        middle = ((region.x + region.w / 2) * page.width, (region.y + region.h / 2) * page.height)
        draw_token(page, token("0420", region.question), *middle)
    scan_id = scanning.begin(store, exam_id, marker, "file", ["0420"], upload(("0420.pdf", scan_pdf([page]))))
    with pytest.raises(ScanFault, match="Choose the template first"):
        scanning.start_reading(store, scan_id, marker)
    scanning.set_template(store, scan_id, "paper.pdf", io.BytesIO(paper))
    with pytest.raises(ScanFault, match="No region is drawn"):
        scanning.start_reading(store, scan_id, marker)
    scanning.change(store, scan_id, lambda setup: setup.model_copy(update={"regions": PAPER_REGIONS}))
    scanning.start_reading(store, scan_id, marker)
    work(store)
    store_scan(store, marker, scan_id)
    assert stored_tokens(store, exam_id) == every_token(("0420",))


def test_a_broken_template_is_refused_by_name_and_the_one_before_it_stays(
    store: Store, exam_id: int, marker: Marker
) -> None:
    scan_id = scanning.begin(store, exam_id, marker, "file", ["0420"], upload(("0420.pdf", b"%PDF-1.4 cut off")))
    scanning.set_template(store, scan_id, "paper.pdf", io.BytesIO(template()))
    with pytest.raises(ScanFault, match=r"“other\.pdf” is not a PDF that can be read"):
        scanning.set_template(store, scan_id, "other.pdf", io.BytesIO(b"%PDF-1.4 cut off"))
    with store.read() as db:
        assert scanning.setup_of(scans.get(db, scan_id)).template.name == "paper.pdf"  # type: ignore[union-attr]


def test_a_reading_that_cannot_begin_says_why_in_words(store: Store, exam_id: int, marker: Marker) -> None:
    book_id = order_books(store, exam_id, ROOMS, NUMBERS, marker.id)
    files = upload(("class.zip", b"PK\x03\x04 cut off"))
    scan_id = scanning.begin(store, exam_id, marker, "books", NUMBERS, files, book_id=book_id)
    scanning.start_reading(store, scan_id, marker)
    work(store)
    with store.read() as db:
        job = jobs.get(db, scans.get(db, scan_id).job_id or 0)
    assert job is not None
    assert (job.status, job.message) == (
        "failed",
        "“class.zip” is not a ZIP that can be read; it may be cut off. Get it again.",
    )


def test_a_scan_that_is_thrown_away_leaves_no_file_and_cannot_be_stored(
    store: Store, exam_id: int, marker: Marker
) -> None:
    book_id = order_books(store, exam_id, ROOMS, NUMBERS[:1], marker.id)
    scan_id = read_books(store, exam_id, marker, written(store, book_id), book_id=book_id, numbers=NUMBERS[:1])
    scanning.throw_away(store, scan_id)
    assert not folder_of(store, scan_id).exists()
    with pytest.raises(ScanFault, match="thrown away already"):
        store_scan(store, marker, scan_id)


def test_books_for_a_large_class_are_made_by_a_job(store: Store, exam_id: int, marker: Marker) -> None:
    numbers = [f"{number:04}" for number in range(41)]
    book_id = order_books(store, exam_id, ROOMS[:1], numbers, marker.id)
    assert not books_file(store, book_id).exists()
    work(store)
    assert books_file(store, book_id).read_bytes().startswith(b"%PDF-")


def test_books_keep_their_key_when_the_exams_title_changes(store: Store, exam_id: int, marker: Marker) -> None:
    before = printing.printed(store, order_books(store, exam_id, ROOMS, NUMBERS[:2], marker.id))
    with store.write() as db:
        db.execute("UPDATE exams SET title = 'Another title' WHERE id = ?", (exam_id,))
    after = printing.printed(store, order_books(store, exam_id, ROOMS, NUMBERS[2:], marker.id))
    assert (before.exam_key, before.book()) == (after.exam_key, after.book())
    ((_, both),) = printing.prints(store, exam_id).values()
    assert sorted(both.candidates) == sorted(NUMBERS)  # books of either print can be read together
    assert printing.printed(store, order_books(store, exam_id, ROOMS[:1], NUMBERS, marker.id)).book() != before.book()
    assert len(printing.prints(store, exam_id)) == 2


@pytest.mark.parametrize(
    ("pasted", "numbers"),
    [
        ("0417\n0418\n", ("0417", "0418")),
        ("0417, 0418; 0420", ("0417", "0418", "0420")),
        ("\n 考生9 \r\n\n12 A", ("考生9", "12 A")),
    ],
)
def test_a_class_list_is_one_number_a_line_or_with_commas(pasted: str, numbers: tuple[str, ...]) -> None:
    assert class_list(pasted) == numbers


@pytest.mark.parametrize(
    ("pasted", "words"),
    [("", "no candidates"), ("0417\n0417", "Row 2: candidate 0417 stands twice"), ("1\n" + "9" * 41, "Row 2")],
)
def test_a_bad_class_list_is_refused_with_its_row(pasted: str, words: str) -> None:
    with pytest.raises(ScanFault, match=words):
        class_list(pasted)


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        (r"Which **two** are equal to $(2x^3)^2$?", "Which two are equal to (2x³)²?"),
        (r"Explain the results above $40\ ^\circ\text{C}$.", "Explain the results above 40 °C."),
        (r"$\mathrm{CO_2}$ at $3\,\mathrm{m\,s^{-1}}$, in *this* order", "CO2 at 3 m s^-1, in this order"),
        ("It costs £2400, or 5 * 480.", "It costs £2400, or 5 * 480."),
    ],
)
def test_a_questions_words_are_printed_without_markdown_and_latex(written: str, printed: str) -> None:
    assert printed_words(written) == printed


def test_what_parts_are_about_is_printed_before_the_first_of_them(store: Store, exam_id: int) -> None:
    with store.write() as db:
        first, second = (each.id for each in exams.questions(db, exam_id)[:2])
        db.execute(
            "UPDATE questions SET stimulus = 'A pan of water stands at $20\\,^\\circ\\mathrm{C}$.' WHERE id IN (?, ?)",
            (first, second),
        )
        texts = [each.question.text for each in exams.questions(db, exam_id)]
    rooms = default_rooms(store, exam_id)
    assert rooms[0].text == f"A pan of water stands at 20 °C.\n\n{texts[0]}"
    assert [each.text for each in rooms[1:]] == texts[1:]

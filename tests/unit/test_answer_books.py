"""Answer books: printed, written in, scanned badly and read back, every answer lands on its candidate and question."""

import io
import random
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image, ImageDraw

from components.intake.answer_book import AnswerBook, answer_book, print_answer_books
from components.intake.book_code import PageCode, read_page_code
from components.intake.book_layout import (
    BODY_BOTTOM,
    BODY_TOP,
    PAGE_HEIGHT,
    BookPicture,
    BookQuestion,
    book_layout,
    layout_hash,
)
from components.intake.page_regions import ScanFault
from components.intake.scan_pages import ScanFile
from components.intake.scan_plan import finish, read_answer_books
from components.intake.scan_types import ScanPlan, Settled
from tests.scans import DPI, Wear, draw_token, read_token, rendered, scan_pdf, scan_tiff, scanned

TITLE = "生物 Mock 2026"
QUESTIONS = (
    BookQuestion("1(a)", "Explain why the rate falls above 40 °C.", 2),
    BookQuestion("1(b)", "解释温度高于40时速率下降的原因。", 3, paper="squared"),
    BookQuestion("2", "Draw a cell.", 2, height=60, paper="plain"),
    BookQuestion("3", "Describe the carbon cycle.", 6),
)
CANDIDATES = ("0417", "0418", "考生9")
UNIT = DPI / 72
MILD = Wear(angle=0.4, shift=(5, -8), noise=4, blur=0.5)


def book() -> AnswerBook:
    return answer_book(TITLE, QUESTIONS)


@lru_cache(maxsize=1)
def printed_pages() -> tuple[Image.Image, ...]:
    return tuple(rendered(print_answer_books(TITLE, QUESTIONS, CANDIDATES)))


def token_of(candidate: str, question: str) -> int:
    return 32 * CANDIDATES.index(candidate) + [each.number for each in QUESTIONS].index(question)


def answered(skip: tuple[tuple[str, str], ...] = ()) -> list[Image.Image]:
    """The printed pages in the order they were printed, each answer with its token; `skip` stay blank."""
    pages = [page.copy() for page in printed_pages()]
    layout = book().pages
    for index, page in enumerate(pages):
        candidate = CANDIDATES[index // len(layout)]
        for frame in layout[index % len(layout)].frames:
            if (candidate, frame.question) not in skip:
                middle = ((frame.x + frame.w / 2) * UNIT, (frame.y + frame.h / 2) * UNIT)
                draw_token(page, token_of(candidate, frame.question), *middle)
    return pages


def read(folder: Path, *files: tuple[str, bytes], **options: object) -> ScanPlan:
    scans = [ScanFile(name, content) for name, content in files]
    return finish(read_answer_books(scans, book(), CANDIDATES, folder, **options))  # type: ignore[arg-type]


def results(plan: ScanPlan) -> list[str]:
    return [row.result for row in plan.report]


def check_all(plan: ScanPlan) -> None:
    assert plan.ok, [row.message for row in plan.problems]
    found = {(cut.candidate, cut.question): read_token(cut.picture()) for cut in plan.storable()}
    assert found == {(c, q.number): token_of(c, q.number) for c in CANDIDATES for q in QUESTIONS}
    assert not any(cut.blank for cut in plan.cuts)


def test_every_answer_of_badly_scanned_shuffled_books_lands_on_its_candidate_and_question(tmp_path: Path) -> None:
    pages = answered()
    assert len(pages) == 6
    wears = [
        Wear(angle=1.8, shift=(12, -20), noise=7, blur=0.8),
        Wear(angle=-4.8, shift=(-10, 8), scale=0.96, noise=5, blur=0.6),
        Wear(angle=0.3, noise=9, blur=1.0, upside_down=True),
        Wear(angle=-0.2, shift=(20, 15), scale=1.02, noise=5),
        Wear(angle=4.9, scale=0.95, noise=4, blur=0.8, upside_down=True),
        Wear(angle=-1.1, noise=6, blur=1.1, paper=215, ink=60),
    ]
    smudge = ImageDraw.Draw(pages[3])
    smudge.ellipse((1010, 60, 1110, 150), fill=40)  # a smudge over the code at the top right
    worn = [scanned(page, wear, seed) for seed, (page, wear) in enumerate(zip(pages, wears, strict=True))]
    random.Random(3).shuffle(worn)
    plan = read(tmp_path, ("first.pdf", scan_pdf(worn[:4])), ("second.tiff", scan_tiff(worn[4:])))
    check_all(plan)
    assert results(plan) == ["used"] * 6
    assert {cut.mime for cut in plan.cuts} == {"image/jpeg"}


@pytest.mark.parametrize("turn", [Image.Transpose.ROTATE_90, Image.Transpose.ROTATE_270])
def test_pages_scanned_on_their_side_are_turned_upright(tmp_path: Path, turn: Image.Transpose) -> None:
    plan = read(tmp_path, ("side.pdf", scan_pdf([page.transpose(turn) for page in answered()])))
    check_all(plan)
    assert all(cut.width > cut.height for cut in plan.cuts if cut.question == "1(a)")


def test_a_page_photographed_at_a_slant_is_cut_straight(tmp_path: Path) -> None:
    pages = answered()
    data = (1.03, 0.01, -30, -0.005, 1.02, 5, 0.00003, 0.00002)
    slanted = [
        page.transform(page.size, Image.Transform.PERSPECTIVE, data, Image.Resampling.BILINEAR, fillcolor=255)
        for page in pages
    ]
    check_all(read(tmp_path, ("photos.pdf", scan_pdf(slanted))))


def test_a_hidden_corner_square_and_a_torn_code_do_not_move_the_cuts(tmp_path: Path) -> None:
    straight = read(tmp_path / "straight", ("a.pdf", scan_pdf(answered())))
    pages = answered()
    for page in pages:
        ImageDraw.Draw(page).rectangle((0, 0, 130, 130), fill=255)  # the stapled corner is folded away
        ImageDraw.Draw(page).rectangle((90, 1560, 260, 1660), fill=255)
    torn = read(tmp_path / "torn", ("a.pdf", scan_pdf(pages)))
    check_all(torn)
    for one, other in zip(straight.cuts, torn.cuts, strict=True):
        assert abs(one.width - other.width) <= 2
        assert abs(one.height - other.height) <= 2


def test_blank_answers_are_offered_and_the_smallest_pencil_stroke_is_not_blank(tmp_path: Path) -> None:
    skip = (*(("0417", each.number) for each in QUESTIONS), ("0418", "3"))
    pages = answered(skip)
    frame = next(frame for page in book().pages for frame in page.frames if frame.question == "3")
    index = 2 + next(i for i, page in enumerate(book().pages) if frame in page.frames)
    x, y = (frame.x + 200) * UNIT, (frame.y + 29) * UNIT
    ImageDraw.Draw(pages[index]).line((x, y, x + 2, y + 18), fill=150, width=2)  # a faint "1", 3 mm high
    wear = Wear(angle=0.9, shift=(7, -9), noise=6, blur=0.5)
    plan = read(tmp_path, ("a.pdf", scan_pdf([scanned(page, wear, i) for i, page in enumerate(pages)])))
    assert plan.ok
    blank = {(cut.candidate, cut.question) for cut in plan.cuts if cut.blank}
    assert blank == {("0417", each.number) for each in QUESTIONS}


def test_a_book_printed_from_other_questions_is_refused_in_words(tmp_path: Path) -> None:
    other = (*QUESTIONS[:3], BookQuestion("3", "Describe the carbon cycle.", 8))
    pages = rendered(print_answer_books(TITLE, other, CANDIDATES[:1]))
    plan = read(tmp_path, ("a.pdf", scan_pdf(pages)))
    assert results(plan)[: len(pages)] == ["wrong book"] * len(pages)
    assert plan.cuts == ()
    assert "“a.pdf” page 1: this book was printed from other questions" in plan.problems[0].message


def test_a_book_of_another_exam_with_the_same_layout_is_refused(tmp_path: Path) -> None:
    pages = rendered(print_answer_books("Chemistry", QUESTIONS, CANDIDATES[:1]))
    plan = read(tmp_path, ("a.pdf", scan_pdf(pages)))
    assert not plan.ok
    assert "belongs to a book of another exam" in plan.problems[0].message


def test_a_page_that_came_twice_is_a_problem_on_both_sides_until_one_is_left_out(tmp_path: Path) -> None:
    pages = answered()
    content = scan_pdf([*pages, pages[2]])
    plan = read(tmp_path, ("a.pdf", content))
    assert [(row.page, row.result) for row in plan.problems] == [(3, "duplicate page"), (7, "duplicate page")]
    assert "“a.pdf” page 7" in plan.problems[0].message
    assert not any(cut.source == "“a.pdf”, page 3" for cut in plan.cuts)
    with pytest.raises(ScanFault, match="2 problems must be settled"):
        plan.storable()
    check_all(read(tmp_path, ("a.pdf", content), settled={("a.pdf", 7): Settled()}))


def test_a_missing_page_is_named_and_nothing_is_stored_until_it_is_accepted(tmp_path: Path) -> None:
    content = scan_pdf([page for index, page in enumerate(answered()) if index != 3])
    plan = read(tmp_path, ("a.pdf", content))
    assert [row.message for row in plan.problems] == [
        "Candidate 0418: page 2 of 2 is missing. Scan it and add the file, or accept that it is lost."
    ]
    accepted = read(tmp_path, ("a.pdf", content), accept_missing=["0418"])
    assert accepted.ok
    assert [row.result for row in accepted.warnings] == ["missing page"]


def test_a_candidate_without_any_page_is_reported_as_absent_and_stops_nothing(tmp_path: Path) -> None:
    plan = read(tmp_path, ("a.pdf", scan_pdf(answered()[:4])))
    assert plan.ok
    assert [(row.candidate, row.result) for row in plan.warnings] == [("考生9", "absent")]


def test_an_unknown_candidate_is_a_problem(tmp_path: Path) -> None:
    pages = rendered(print_answer_books(TITLE, QUESTIONS, ["9999"]))
    plan = read(tmp_path, ("a.pdf", scan_pdf(pages)))
    assert results(plan)[:2] == ["unknown candidate"] * 2
    assert "9999 is not in the class list" in plan.problems[0].message


def test_a_page_without_a_readable_code_needs_a_person_who_can_place_it(tmp_path: Path) -> None:
    pages = answered()
    for box in ((980, 30, 1160, 190), (80, 1560, 260, 1730)):
        ImageDraw.Draw(pages[4]).rectangle(box, fill=255)
    worn = [scanned(page, MILD, i) for i, page in enumerate(pages)]
    content = scan_pdf(worn)
    plan = read(tmp_path, ("a.pdf", content))
    assert next((row.page, row.result) for row in plan.problems) == (5, "unreadable")
    assert plan.problems[-1].result == "missing page"
    check_all(read(tmp_path, ("a.pdf", content), settled={("a.pdf", 5): Settled("考生9", 1)}))


def test_blank_backs_are_accounted_for_and_a_written_back_needs_a_person(tmp_path: Path) -> None:
    pages = answered()
    empty = scanned(Image.new("L", pages[0].size, 255), Wear(noise=5))
    written = empty.copy()
    ImageDraw.Draw(written).line((300, 300, 330, 360), fill=60, width=3)
    plan = read(tmp_path, ("a.pdf", scan_pdf([pages[0], empty, pages[1], written, *pages[2:]])))
    assert results(plan)[:4] == ["used", "blank page", "used", "unreadable"]
    assert len(plan.problems) == 1


def test_two_sheets_over_each_other_contradict(tmp_path: Path) -> None:
    pages = answered()
    box = (80, 1560, 260, 1730)
    pages[0].paste(pages[2].crop(box), box)
    plan = read(tmp_path, ("a.pdf", scan_pdf(pages)))
    assert "two sheets may lie over each other" in plan.problems[0].message


def test_reading_can_be_stopped_and_taken_up_again_where_it_was(tmp_path: Path) -> None:
    files = [ScanFile("a.pdf", scan_pdf(answered()))]
    reading = read_answer_books(files, book(), CANDIDATES, tmp_path)
    while next(reading).done < 3:
        pass
    reading.close()
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.jpg")}
    seen = []
    plan = finish(read_answer_books(files, book(), CANDIDATES, tmp_path), lambda progress: seen.append(progress.done))
    assert seen[0] >= 3
    assert seen[-1] == 6
    assert all(path.stat().st_mtime_ns == time for path, time in kept.items() if int(path.name[5:10]) <= 3)
    check_all(plan)


def test_no_frame_is_split_and_every_question_has_room() -> None:
    questions = [BookQuestion(str(i), "Words " * (i * 9), i) for i in range(1, 13)]
    pages = book_layout([*questions, BookQuestion("essay", "Discuss.", 40, lines=60)])
    frames = [frame for page in pages for frame in page.frames]
    assert all(f.y >= BODY_TOP and f.y + f.h <= BODY_BOTTOM + 0.1 < PAGE_HEIGHT for f in frames)
    assert [f.question for f in frames if f.part == 1] == [*(str(i) for i in range(1, 13)), "essay"]
    assert [f.part for f in frames if f.question == "essay"] == [1, 2, 3]
    by_page = [sorted((f.y, f.y + f.h) for f in page.frames) for page in pages]
    assert all(a[1] < b[0] for page in by_page for a, b in pairwise(page))


def test_the_layout_hash_changes_with_the_room_and_not_with_a_typo() -> None:
    def of(*questions: BookQuestion) -> str:
        return layout_hash(book_layout(questions))

    same = of(BookQuestion("1", "Explain photosynthesis.", 3))
    assert same == of(BookQuestion("1", "Explain photosynthetis.", 3))
    assert same != of(BookQuestion("1", "Explain photosynthesis.", 4))
    assert same != of(BookQuestion("2", "Explain photosynthesis.", 3))


def test_chinese_titles_and_candidate_numbers_are_printed() -> None:
    document = pypdfium2.PdfDocument(print_answer_books(TITLE, QUESTIONS, CANDIDATES))
    words = document[4].get_textpage().get_text_bounded()
    assert "生物 Mock 2026" in words
    assert "Candidate 考生9" in words
    assert "Page 1 of 2" in words


@pytest.mark.parametrize(
    ("candidates", "words"),
    [
        ([], "no candidates"),
        (["1", " "], "Row 2 of the class list has no candidate number"),
        (["1", "2", "1 "], "Row 3: candidate 1 stands twice"),
        (["x" * 41], "too long"),
    ],
)
def test_a_bad_class_list_is_refused_with_its_row(candidates: list[str], words: str) -> None:
    with pytest.raises(ScanFault, match=words):
        print_answer_books(TITLE, QUESTIONS, candidates)


def test_a_damaged_or_foreign_code_is_refused() -> None:
    code = PageCode("EXAM1", "FCGX32V7", "04|17", 2, 3, "B")
    assert read_page_code(code.payload()) == code
    with pytest.raises(ScanFault, match="checksum"):
        read_page_code(code.payload().replace("04|17", "04|18"))
    with pytest.raises(ScanFault, match="another version"):
        read_page_code(code.payload().replace("SM1", "SM2"))


# --- Pictures of questions ------------------------------------------------------------------------------------------


def test_a_questions_pictures_stand_between_its_words_and_the_answers_frame() -> None:
    wide, high = BookPicture("wide", 3000, 600), BookPicture("high", 400, 1200)
    question = BookQuestion("1", "Look at the figures.", 2, pictures=(wide, high))
    [page] = book_layout([question])
    first, second = page.pictures
    [frame] = page.frames
    assert (first.name, first.w, first.h) == ("wide", pytest.approx(499.3, abs=0.1), pytest.approx(99.9, abs=0.1))
    assert (second.name, second.w, second.h) == ("high", pytest.approx(90), pytest.approx(270))
    assert page.lines[-1].y < first.y
    assert first.y + first.h < second.y
    assert second.y + second.h < frame.y
    assert frame.y + frame.h <= BODY_BOTTOM


def test_pictures_that_do_not_fit_turn_the_page_and_each_is_printed_whole() -> None:
    shown = tuple(BookPicture(str(place), 1200, 1600) for place in range(5))
    pages = book_layout([BookQuestion("1", "Look.", 2, pictures=shown)])
    placed = [picture for page in pages for picture in page.pictures]
    assert [picture.name for picture in placed] == ["0", "1", "2", "3", "4"]
    assert all(picture.y >= BODY_TOP and picture.y + picture.h <= BODY_BOTTOM + 0.1 for picture in placed)
    assert [frame.question for page in pages for frame in page.frames] == ["1"]


def test_a_question_without_pictures_is_laid_out_as_before() -> None:
    assert book().layout == "FCGX32V7"


def test_a_book_shows_its_pictures_on_every_candidates_pages() -> None:
    out = io.BytesIO()
    Image.new("RGB", (300, 150), (120, 120, 120)).save(out, "PNG")
    questions = [BookQuestion("1", "Look.", 2, pictures=(BookPicture("grey", 300, 150),))]
    [page] = book_layout(questions)
    [placed] = page.pictures
    printed = rendered(print_answer_books(TITLE, questions, ["1", "2"], pictures={"grey": out.getvalue()}))
    assert len(printed) == 2
    for sheet in printed:
        inside = sheet.getpixel((round((placed.x + placed.w / 2) * UNIT), round((placed.y + placed.h / 2) * UNIT)))
        beside = sheet.getpixel((round((placed.x + placed.w + 20) * UNIT), round((placed.y + placed.h / 2) * UNIT)))
        assert (inside, beside) == (pytest.approx(120, abs=3), 255)

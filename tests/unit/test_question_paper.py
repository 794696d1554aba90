"""A question paper's PDF gives each question of the exam its text, by number, and its pages as pictures."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from components.intake import IntakeError
from components.intake.question_paper import PaperText, page_picture, paper_texts, read_paper
from components.marking import Role
from components.workflow import exam_setup as setup
from components.workflow.exam_setup import details
from components.workflow.exam_setup.read_papers import fill_texts, texts_for
from tests.support import add_exam, add_marker, new_store

PAPER = """Answer all questions.
1  State the unit of force.
........................................................
(1)
(Total for Question 1 is 1 mark)
2  A ball of mass 2 kg rests on a table.
(a)  (i)  Name the two forces that act on it.  [2 marks]
(ii)  Calculate its weight.
(b)  Explain why it does not move.
Use Newton's first law.
(2)
Turn over
3  Which metal is it?"""


def pdf(text: str, pages: int = 1) -> bytes:
    from reportlab.pdfgen.canvas import Canvas

    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(595, 842))
    for _ in range(pages):
        for place, line in enumerate(text.splitlines()):
            canvas.drawString(72, 780 - place * 22, line)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def test_each_question_gets_the_text_up_to_the_next_number() -> None:
    paper = read_paper("paper.pdf", pdf(PAPER))
    found = paper_texts(paper.lines, ["1", "2(a)(i)", "2aii", "2(b)", "3"])
    stem = "A ball of mass 2 kg rests on a table."
    assert found == {
        "1": PaperText("State the unit of force."),
        "2(a)(i)": PaperText("Name the two forces that act on it.", stem),
        "2aii": PaperText("Calculate its weight.", stem),
        "2(b)": PaperText("Explain why it does not move.\nUse Newton's first law.", stem),
        "3": PaperText("Which metal is it?"),
    }


def test_a_question_that_the_exam_has_as_one_keeps_its_parts_in_its_text() -> None:
    found = paper_texts(["2 A ball rests.", "(a) Name one force.", "(b) Say why."], ["2"])
    assert found == {"2": PaperText("A ball rests.\n(a) Name one force.\n(b) Say why.")}


def test_figures_at_the_start_of_a_line_are_no_questions_unless_the_exam_has_that_number_next() -> None:
    lines = ["4 Look at the table.", "12 apples cost £3.", "1 apple costs?", "5 Say why."]
    assert paper_texts(lines, ["4", "5"]) == {
        "4": PaperText("Look at the table.\n12 apples cost £3.\n1 apple costs?"),
        "5": PaperText("Say why."),
    }


@pytest.mark.parametrize("line", ["Question 3", "Q3.", "3.", "03", "3"])
def test_the_number_may_stand_in_a_line_of_its_own(line: str) -> None:
    assert paper_texts([line, "Why is the sky blue?"], ["3"]) == {"3": PaperText("Why is the sky blue?")}


def test_parts_that_repeat_their_number_are_found() -> None:
    found = paper_texts(["3 (a) First?", "3 (b) Second?", "3(b)(ii) Third?"], ["3(a)", "3(b)(i)", "3(b)(ii)"])
    assert found["3(a)"] == PaperText("First?")
    assert found["3(b)(ii)"] == PaperText("Third?", "Second?")


def test_a_page_is_a_picture() -> None:
    paper = read_paper("paper.pdf", pdf(PAPER, pages=2))
    assert paper.pages == 2
    with Image.open(io.BytesIO(page_picture(paper, 2))) as picture:
        assert picture.width == pytest.approx(595 / 72 * 110, abs=2)


def test_a_scan_has_pages_and_no_lines() -> None:
    paper = read_paper("scan.pdf", pdf(""))
    assert (paper.pages, paper.lines) == (1, ())


@pytest.mark.parametrize("content", [b"%PDF-1.7 cut off", b"no PDF at all"])
def test_a_file_that_is_no_pdf_is_refused_by_its_name(content: bytes) -> None:
    with pytest.raises(IntakeError, match="notes"):
        read_paper("notes.txt", content)


def test_only_questions_without_a_text_are_filled_in(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    head = add_marker(store, "Dr Osei", Role.HEAD)
    exam_id, _ = add_exam(store, [["a"], ["b"]])  # questions 1 and 2 have texts
    thread = setup.start_new(store, head, exam_id)  # 3 has none
    lines = ["1 One?", "2 Two?", "3 Three?"]
    found = texts_for(store, exam_id, lines)
    assert found == {"3": PaperText("Three?")}
    (placed,) = fill_texts(store, head, exam_id, found)
    assert (placed.number, placed.saved) == ("3", True)
    opened = setup.open_thread(store, thread)
    assert opened is not None
    assert opened.stored is not None
    assert opened.stored.question.text == "Three?"
    assert texts_for(store, exam_id, lines) == {}


def test_a_question_with_other_changes_stays_a_draft_with_its_text(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    head = add_marker(store, "Dr Osei", Role.HEAD)
    exam_id = details.create(store, head, "Mock")
    setup.start_new(store, head, exam_id)
    (made,) = fill_texts(store, head, exam_id, {"1": PaperText("?")})
    assert made.saved
    assert made.question_id is not None
    opened = setup.open_question(store, made.question_id)
    assert opened is not None

    def empty(body: setup.QuestionBody) -> None:
        body.text, body.analysis = "", "half typed"

    setup.change(store, head, opened, empty)
    (kept,) = fill_texts(store, head, exam_id, {"1": PaperText("What is it?")})
    assert not kept.saved
    assert "changes that are not saved" in kept.lacks[0]
    again = setup.open_question(store, made.question_id)
    assert again is not None
    assert again.stored is not None
    assert (again.body.text, again.stored.question.text) == ("What is it?", "?")

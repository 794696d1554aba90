"""A department's own exam, from its mark scheme in Word and its Microsoft form to a mark book, in a browser."""

from __future__ import annotations

import csv
import datetime
import io
import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import FilePayload, Page, expect

from tests.browser import AppServer, sign_in
from tests.form_files import xlsx_file
from tests.unit.test_mark_scheme_reader import docx

SCHEME = """Year 11 mock, Biology: mark scheme

Question 1 [2 marks]
• the enzyme is denatured (1)
• so the substrate no longer fits the active site (1)

Question 2 [1 mark]
• osmosis (1)
Reject: diffusion of sugar

Question 3 [3 marks]
M1 divides the image size by the actual size
A1 400
B1 gives no unit
"""
QUESTIONS = (
    "Why does amylase stop working at 80 °C?",
    "Name the process by which water enters a root hair cell.",
    "An image of a cell is 20 mm long; the cell is 0.05 mm long. Work out the magnification.",
)
# A class that a candidate typed, and that a spreadsheet would run.
FORMULA = "@SUM(1+1)*cmd|' /C calc'!A0"
PEOPLE = (
    ("Ada Lovelace", "ada@school.example", "11A", ("It is denatured: nothing fits", "osmosis", "20 / 0.05 = 400 mm")),
    ("Bob Brown", "bob@school.example", FORMULA, ("It dies", "diffusion", "0.0025")),
    ("Chen Wei", "chen@school.example", "11B", ("Its shape changes", "Osmosis!", "400")),
)
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def microsoft_form() -> bytes:
    """As Microsoft Forms writes a quiz that nobody has given points in: no points, and no maximum anywhere."""
    heads = ["ID", "Start time", "Completion time", "Email", "Name", "Total points", "Quiz feedback"]
    for question in ("Class", *QUESTIONS):
        heads += [question] if question == "Class" else [question, f"Points - {question}", f"Feedback - {question}"]
    rows = []
    for number, (name, address, form, answers) in enumerate(PEOPLE, start=1):
        start = datetime.datetime(2026, 5, 1, 9, number)
        cells = [cell for answer in answers for cell in (answer, None, None)]
        rows.append([number, start, start + datetime.timedelta(minutes=20), address, name, None, None, form, *cells])
    return xlsx_file(heads, *rows)


def press(page: Page, name: str | re.Pattern[str]) -> None:
    drawn(page)
    page.get_by_role("button", name=name, exact=isinstance(name, str)).first.click()


def choose(page: Page, name: str, mime: str, content: bytes) -> None:
    page.locator("input[type=file]").first.set_input_files(FilePayload(name=name, mimeType=mime, buffer=content))


def upload(page: Page, name: str, mime: str, content: bytes) -> None:
    choose(page, name, mime, content)
    expect(page.get_by_text(name, exact=True).first).to_be_visible()
    drawn(page)


def drawn(page: Page) -> None:
    """Wait until the page stands still: a press while it is drawn again would be one that nobody makes."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")


def mark_by_key(page: Page, key: str, question: str) -> None:
    """Give candidate 1's response to the question the mark. One of the blind sample then shows the AI's: keep ours."""
    desk = page.locator(".desk[data-ready]:not(.busy)")
    expect(desk.get_by_role("heading", name=f"Candidate 1 · question {question}", exact=True)).to_be_visible()
    here = desk.get_attribute("data-ready")
    page.keyboard.press(key)
    following = page.locator(f".desk[data-ready]:not([data-ready='{here}']):not(.busy)")
    keep = desk.get_by_role("button", name=re.compile("^Keep mine"))
    expect(following.or_(keep)).to_be_visible()
    expect(page.locator(".desk .notice")).to_have_text(f"Saved: {key} for candidate 1.")
    if keep.count():
        page.keyboard.press("a")
    expect(following).to_be_visible()


def test_from_a_word_mark_scheme_and_a_microsoft_form_to_a_mark_book(
    serve: Callable[..., AppServer], new_page: Callable[..., Page]
) -> None:
    app, page = serve(), new_page(accept_downloads=True)
    sign_in(page, app.url, "Demo head of department")

    # A new exam.
    page.get_by_role("link", name="Exams").click()
    press(page, "New exam")
    page.get_by_label("Title", exact=True).fill("Year 11 mock, Biology")
    press(page, "Make it and add questions")
    expect(page.get_by_role("heading", name="Year 11 mock, Biology")).to_be_visible()

    # Its questions out of the mark scheme, looked through before anything is kept.
    press(page, "Read a mark scheme")
    expect(page.get_by_role("button", name="Read it")).to_be_visible()
    choose(page, "mark scheme.docx", DOCX, docx(SCHEME))
    expect(page.get_by_text("3 questions, 6 points")).to_be_visible()
    drawn(page)
    page.reload()  # nothing that was read is lost
    expect(page.get_by_text("3 questions, 6 points")).to_be_visible()
    for words in ("1 new in the exam, comes to 2 of 2 marks.", "3 new in the exam, comes to 3 of 3 marks."):
        expect(page.get_by_text(words)).to_be_visible()
    press(page, "Confirm 3 questions")
    expect(page.get_by_text("3 questions saved in the exam.")).to_be_visible()
    press(page, "To the exam")
    expect(page.get_by_role("heading", name="Year 11 mock, Biology")).to_be_visible()

    # The form's answers into it: the maxima are the exam's, names become numbers.
    press(page, "Import answers")
    expect(page.get_by_role("heading", name="Import answers and marks")).to_be_visible()
    upload(page, "Year 11 mock.xlsx", XLSX, microsoft_form())
    expect(page.get_by_text("Microsoft Forms quiz")).to_be_visible()
    expect(page.get_by_text("cells hold a date")).to_have_count(0)  # times of sending are no answers
    expect(page.get_by_role("radio", name="The file's own candidate numbers")).to_be_checked()
    expect(page.get_by_role("button", name="Download the report")).to_be_visible()  # the whole form is there
    drawn(page)
    expect(page.get_by_role("combobox", name="Import into")).to_have_value("Year 11 mock, Biology")
    expect(page.get_by_role("checkbox", name=re.compile("^Fill in the text of 3 questions"))).to_be_checked()
    expect(page.get_by_text("9 new responses, 3 new candidates")).to_be_visible()
    expect(page.get_by_text("3 names in the key.")).to_be_visible()
    press(page, "Add 9 responses")
    expect(page.get_by_text("Into “Year 11 mock, Biology”: 9 responses.")).to_be_visible()
    expect(page.get_by_text("The text of 3 questions was filled in.")).to_be_visible()

    # One script of three is marked, by key: 2 of 2, 1 of 1, 2 of 3.
    page.get_by_test_id("stMain").get_by_role("button", name=re.compile("Mark$")).first.click()
    page.get_by_role("radio", name="By script").click()
    expect(page.get_by_role("radio", name="By script")).to_be_checked()
    drawn(page)
    for question, key in (("1", "2"), ("2", "1"), ("3", "2")):
        mark_by_key(page, key, question)
    expect(page.locator(".desk .progress-text")).to_contain_text("3 of 9")

    # What leaves: the whole script's total is right, the others say what they lack.
    page.get_by_role("link", name="Marks out").click()
    expect(page.get_by_text("1 of 3 scripts complete; 2 lacks 1, 2, 3; 3 lacks 1, 2, 3.")).to_be_visible()
    with page.expect_download() as started:
        press(page, re.compile(r"Mark book \(CSV\)"))
    book = Path(started.value.path()).read_bytes().decode("utf-8-sig")
    assert re.fullmatch(r"year-11-mock-biology-[\d-]{10}-mark-book\.csv", started.value.suggested_filename)
    head, ada, bob, chen = csv.reader(io.StringIO(book))
    assert head == [
        *("Candidate", "class", "Q1 (/2)", "Q2 (/1)", "Q3 (/3)", "Total", "Out of", "%", "Complete", "Still lacks")
    ]
    assert ada == ["1", "11A", "2", "1", "2", "5", "6", "83.3", "yes", ""]  # 5 / 6 = 0.8333…
    assert bob[:2] == ["2", f"'{FORMULA}"]
    assert bob[5:9] == ["0", "6", "", "no"]
    assert chen[:2] == ["3", "11B"]
    for name, address, _, _ in PEOPLE:
        assert not any(word in book for word in (*name.split(), address))

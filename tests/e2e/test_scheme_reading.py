"""Correcting a mark scheme that was read, in a real browser: what is changed in its tables is what the exam gets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from components.marking import Role
from components.workflow.exam_setup import details
from storage import exams
from tests.browser import AppServer, sign_in
from tests.support import add_exam, add_marker, new_store
from tests.unit.test_mark_scheme_reader import docx

SCHEME = """Question 1 [2 marks]
M1 Adds the two
A1 12
A1 cm
"""
HEAD, ROW = 35, 44  # pixels of the table's head and of a row
TEXT, KEEP = 120, 420  # where these columns are, from the left


def test_a_point_is_reworded_and_one_dropped_before_the_scheme_is_taken_in(
    serve: Callable[..., AppServer], new_page: Callable[..., Page], tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    store = new_store(folder)
    head = add_marker(store, "Dr Osei", Role.HEAD)
    add_exam(store, [["a"]], title="Another")
    exam_id = details.create(store, head, "Mock")
    app, page = serve(), new_page()
    sign_in(page, app.url, "Dr Osei")
    page.goto(f"{app.url}/exam_setup?exam={exam_id}")
    page.get_by_role("button", name="Read a mark scheme").click()
    page.locator("input[type=file]").set_input_files(
        {"name": "scheme.docx", "mimeType": "application/octet-stream", "buffer": docx(SCHEME)}
    )
    expect(page.get_by_text("The scheme comes to 3;")).to_be_visible()

    table = page.locator("[data-testid=stDataFrame]").first
    table.scroll_into_view_if_needed()
    table.click(position={"x": KEEP, "y": HEAD + 2.5 * ROW})
    expect(page.get_by_text("comes to 2 of 2 marks")).to_be_visible()
    table.dblclick(position={"x": TEXT, "y": HEAD + 0.5 * ROW})
    page.locator("#portal textarea").fill("Adds both")  # left by the press that confirms it
    page.get_by_role("button", name="Confirm 1 question").click()
    expect(page.get_by_text("1 question saved in the exam.")).to_be_visible()
    with store.read() as db:
        (made,) = exams.questions(db, exam_id)
    assert next((point.code, point.text) for point in made.scheme.points) == ("M1", "Adds both")
    assert len(made.scheme.points) == 2

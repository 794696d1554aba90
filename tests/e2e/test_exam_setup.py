"""Setting up an exam in a real browser: what is typed is kept, and nothing of it is wiped out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from components.marking import Role
from storage import exams
from tests.browser import AppServer, sign_in
from tests.support import add_exam, add_marker, new_store


def button(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).first.click()


def test_from_a_new_exam_to_a_question_with_what_is_typed_kept_on_the_way(
    serve: Callable[..., AppServer], new_page: Callable[..., Page], tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    store = new_store(folder)
    add_marker(store, "Dr Osei", Role.HEAD)
    add_exam(store, [["a"]], title="Another")
    app, page = serve(), new_page()
    sign_in(page, app.url, "Dr Osei")
    page.goto(f"{app.url}/exams")
    button(page, "New exam")
    page.get_by_label("Title").fill("Year 11 mock")
    page.get_by_role("button", name="Make it and add questions").click()
    expect(page.get_by_role("heading", name="Year 11 mock")).to_be_visible()
    button(page, "Add a question")
    expect(page.get_by_role("heading", name="Question 1")).to_be_visible()

    box = page.get_by_label("Question", exact=True)
    box.click()
    box.press_sequentially("What is $x^2$")
    # Nobody leaves the box: after a pause it is kept, and the preview follows.
    expect(page.locator(".katex").first).to_be_visible()
    box.press_sequentially(" when x is 3?", delay=60)  # while the page is drawn again
    expect(box).to_have_value("What is $x^2$ when x is 3?")
    expect(box).to_be_focused()
    expect(page.locator("[data-testid=stMarkdownContainer]").get_by_text("when x is 3?")).to_be_visible()  # the preview
    page.reload()
    expect(page.get_by_label("Question", exact=True)).to_have_value("What is $x^2$ when x is 3?")

    page.get_by_label("Question", exact=True).click()
    page.keyboard.press("End")
    page.keyboard.type(" Say why.")
    # At once, with the box not left: the press takes along what is in it.
    button(page, "Save")
    expect(page.get_by_text("Question 1 is saved.").first).to_be_visible()
    with store.read() as db:
        exam = next(exam for exam in exams.listed(db) if exam.title == "Year 11 mock")
        (stored,) = exams.questions(db, exam.id)
    assert stored.question.text == "What is $x^2$ when x is 3? Say why."

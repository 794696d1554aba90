"""A head of department settles what the AI and a teacher disagree on, in a browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from components.marking import Marker, Role, Stage, WhatStands
from components.workflow.review import rules
from storage import Store, decisions
from tests.browser import AppServer, sign_in
from tests.reviewing import give, propose, standing_of
from tests.support import add_exam, add_marker, new_store, two_point_question

Serve = Callable[..., AppServer]
NewPage = Callable[..., Page]


def two_disputes(store: Store, head: Marker) -> tuple[int, int]:
    """Out of 12: 9 from the AI against 4, then 7 against 5; a teacher's mark within 1 of the adjudicator's stands."""
    questions = [two_point_question("1", max_mark=12)]
    exam_id, [[larger, smaller]] = add_exam(store, [["It denatures.", "It breaks."]], questions=questions)
    with store.write() as db:
        db.execute("UPDATE questions SET tolerance = 1")
    rules.set_rules(store, head, exam_id, WhatStands.WITHIN_TOLERANCE, [])
    teacher = add_marker(store, "Ms Khan")
    for response, ai, mark in ((larger, 9, 4), (smaller, 7, 5)):
        propose(store, response, ai)
        give(store, response, teacher, mark, comment="No mechanism.")
    return larger, smaller


def adjudications(store: Store, response_id: int) -> list[tuple[float | None, bool, str]]:
    with store.read() as db:
        live = decisions.live(db, response_id)
    return [(d.mark, d.marks_hidden, d.comment) for d in live if d.stage is Stage.ADJUDICATED]


def on_desk(page: Page, response_id: int | None) -> None:
    name = "null" if response_id is None else str(response_id)
    expect(page.locator(f".desk[data-ready='{name}'][data-response-id='{name}']:not(.busy)")).to_be_visible()


def test_a_head_settles_one_by_key_and_one_blind_and_sees_what_stands(
    tmp_path: Path, serve: Serve, new_page: NewPage
) -> None:
    (tmp_path / "data").mkdir()
    store = new_store(tmp_path / "data")
    head = add_marker(store, "Dr Osei", Role.HEAD)
    larger, smaller = two_disputes(store, head)
    page = new_page()
    sign_in(page, serve().url, "Dr Osei")
    page.get_by_role("link", name="Review").click()

    # The larger disagreement first, with both marks.
    on_desk(page, larger)
    expect(page.get_by_text("2 disagreements to settle; none adjudicated so far.")).to_be_visible()
    expect(page.locator(".panel > .headline .mark")).to_have_text("9 / 12")
    expect(page.locator(".giver")).to_contain_text("Ms Khan 4 given blind")
    expect(page.locator(".giver .said")).to_have_text("No mechanism.")
    expect(page.get_by_role("button", name=re.compile("^Take 9"))).to_be_visible()
    expect(page.locator(".row button").first).to_be_in_viewport()

    # A reason, and 10 by two keys: as on the marking desk, 1 alone waits.
    page.get_by_label("Reason").fill("All of it is there.")
    page.locator(".answer").click()
    page.keyboard.press("1")
    expect(page.locator(".typed")).to_contain_text("another digit")
    page.keyboard.press("0")
    on_desk(page, smaller)
    expect(page.locator(".desk .notice")).to_have_text(
        "Saved for candidate 0001, question 1: You gave 10, which stands: the teacher's 4 is further from it than the "
        "tolerance of 1."
    )
    assert adjudications(store, larger) == [(10, False, "All of it is there.")]

    # Back to it and undone; then the teacher's mark by key.
    page.keyboard.press("ArrowLeft")
    on_desk(page, larger)
    expect(page.locator(".desk .stands")).to_contain_text("You gave 10, which stands")
    page.keyboard.press("u")
    expect(page.locator(".desk .notice")).to_contain_text(
        "Undone: 10 for candidate 0001. The teacher's 4 stands again."
    )
    expect(page.get_by_text("2 disagreements to settle; none adjudicated so far.")).to_be_visible()
    page.keyboard.press("t")
    on_desk(page, smaller)
    assert adjudications(store, larger) == [(4, False, "")]


def test_marks_stay_hidden_until_a_head_has_decided(tmp_path: Path, serve: Serve, new_page: NewPage) -> None:
    (tmp_path / "data").mkdir()
    store = new_store(tmp_path / "data")
    head = add_marker(store, "Dr Osei", Role.HEAD)
    larger, smaller = two_disputes(store, head)
    page = new_page()
    sign_in(page, serve().url, "Dr Osei")
    page.get_by_role("link", name="Review").click()
    on_desk(page, larger)
    page.get_by_text("Hide the marks until I have decided").click()
    expect(page.get_by_text("You have been shown these marks")).to_be_visible()
    page.locator(".answer").click()
    page.keyboard.press("ArrowRight")
    on_desk(page, smaller)
    expect(page.locator(".desk .blind")).to_contain_text("Decide first")
    expect(page.locator("body")).not_to_contain_text("Ms Khan")
    expect(page.locator("body")).not_to_contain_text("No mechanism.")
    page.keyboard.press("a")
    expect(page.locator(".desk .notice")).to_contain_text("hidden until you have decided")
    page.keyboard.press("6")

    # The reveal, with what stands; the choice to change is a second decision, made in the open.
    on_desk(page, smaller)
    expect(page.locator(".giver")).to_contain_text("Ms Khan 5 given blind")
    expect(page.locator(".panel > .headline .mark")).to_have_text("7 / 12")
    expect(page.locator(".desk .notice")).to_contain_text(
        "You gave 6. By this exam's rule the teacher's 5 stands, as it is within tolerance (1)."
    )
    expect(page.locator(".desk .own")).to_have_text("Your mark: 6 (adjudicated)")
    assert adjudications(store, smaller) == [(6, True, "")]
    assert standing_of(store, smaller).final_mark == 5
    page.keyboard.press("a")
    on_desk(page, larger)
    assert adjudications(store, smaller) == [(6, True, ""), (7, False, "")]
    assert standing_of(store, smaller).final_mark == 7

    # The last one, and the state after it, from which undo still works.
    page.keyboard.press("n")
    on_desk(page, None)
    expect(page.locator(".desk .done")).to_contain_text("All settled")
    expect(page.get_by_role("link", name="See how the AI and teachers agree")).to_be_visible()
    page.keyboard.press("u")
    on_desk(page, larger)
    expect(page.locator(".desk .notice")).to_contain_text(re.compile("Undone: no response"))

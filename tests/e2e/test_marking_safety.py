"""What must never happen at the desk: a mark for what was not shown, a lost mark, an answer that runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from components.marking import MarkingPoint, PointGroup, Question, QuestionType, Scheme
from storage import Store, decisions
from tests.browser import AppServer, sign_in
from tests.support import add_exam, add_marker, new_store, propose_points, two_point_question

Serve = Callable[..., AppServer]
NewPage = Callable[..., Page]

WATCH_THE_SCREEN = """() => {
  const find = root => {
    for (const each of root.querySelectorAll('*')) {
      if (each.shadowRoot && each.shadowRoot.querySelector('.desk')) return each.shadowRoot.querySelector('.desk')
    }
  }
  const desk = find(document)
  window.onScreen = new Set([desk.dataset.responseId])
  new MutationObserver(() => window.onScreen.add(desk.dataset.responseId))
    .observe(desk, { attributes: true, attributeFilter: ['data-response-id'] })
}"""


def prepare(
    folder: Path, answers: list[list[str]], questions: list[tuple[Question, Scheme]] | None = None
) -> tuple[Store, list[list[int]]]:
    """A store in the folder the server will use: two teachers, an exam, and a proposal for each answer."""
    (folder / "data").mkdir()
    store = new_store(folder / "data")
    add_marker(store, "Ms Khan")
    add_marker(store, "Mr Okafor")
    _, grid = add_exam(store, answers, questions=questions)
    for row in grid:
        for response in row:
            propose_points(store, response, ["M1"])
    return store, grid


def live(store: Store, response_id: int) -> list[tuple[str, float | None]]:
    with store.read() as db:
        return [(d.marker_name, d.mark) for d in decisions.live(db, response_id)]


def on_desk(page: Page, response_id: int) -> None:
    expect(page.locator(f".desk[data-ready='{response_id}']:not(.busy)")).to_be_visible()


def test_ten_fast_presses_touch_only_what_was_on_screen(tmp_path: Path, serve: Serve, new_page: NewPage) -> None:
    store, grid = prepare(tmp_path, [[f"the enzyme is denatured {i}" for i in range(30)]])
    page = new_page()
    sign_in(page, serve().url, "Ms Khan")
    on_desk(page, grid[0][0])
    page.evaluate(WATCH_THE_SCREEN)
    for _ in range(10):
        page.keyboard.press("a")
        page.wait_for_timeout(50)
    expect(page.locator(".desk")).not_to_have_class(re.compile("busy"))
    here = page.locator(".desk").get_attribute("data-response-id")
    shown = {int(each) for each in page.evaluate("() => [...window.onScreen]")}
    decided = [response for response in grid[0] if live(store, response)]
    assert 1 <= len(decided) <= 10
    assert set(decided) <= shown - {int(here or 0)}
    assert all(len(live(store, response)) == 1 for response in decided)


def test_keys_typed_into_the_comment_mark_nothing(tmp_path: Path, serve: Serve, new_page: NewPage) -> None:
    store, grid = prepare(tmp_path, [["the enzyme is denatured", "another"]])
    page = new_page()
    sign_in(page, serve().url, "Ms Khan")
    on_desk(page, grid[0][0])
    page.locator("textarea.comment").press_sequentially("a1 nice fun answer 2?")
    page.locator(".desk .progress-text").click()
    assert live(store, grid[0][0]) == []
    page.reload()  # what was typed stays
    expect(page.locator("textarea.comment")).to_have_value("a1 nice fun answer 2?")
    page.locator(".desk .progress-text").click()
    page.keyboard.press("1")
    on_desk(page, grid[0][1])
    with store.read() as db:
        assert [(d.mark, d.comment) for d in decisions.live(db, grid[0][0])] == [(1, "a1 nice fun answer 2?")]
    expect(page.locator("textarea.comment")).to_have_value("")


def test_marks_of_ten_and_more_by_two_digits_or_the_row(tmp_path: Path, serve: Serve, new_page: NewPage) -> None:
    store, [[first, second, third, fourth, fifth]] = prepare(
        tmp_path, [["one", "two", "three", "four", "five"]], [two_point_question(max_mark=20)]
    )
    page = new_page()
    sign_in(page, serve().url, "Ms Khan")
    on_desk(page, first)
    page.keyboard.press("1")
    expect(page.locator(".typed")).to_contain_text("1…")
    assert live(store, first) == []
    page.keyboard.press("2")
    on_desk(page, second)
    page.keyboard.press("3")  # no mark from 30 on, so 3 is 3 at once
    on_desk(page, third)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    on_desk(page, fourth)
    page.keyboard.press("2")
    page.keyboard.press("9")  # 29 is no mark here: nothing is given
    expect(page.locator(".desk .notice")).to_contain_text("29 is not a mark here")
    assert live(store, fourth) == []
    page.locator(".row").get_by_role("button", name="17", exact=True).click()
    on_desk(page, fifth)
    assert [live(store, r)[0][1] for r in (first, second, third, fourth)] == [12, 3, 1, 17]


def test_ticking_points_gives_the_schemes_total(tmp_path: Path, serve: Serve, new_page: NewPage) -> None:
    points = (
        MarkingPoint(code="M1", text="method by factors", group="method"),
        MarkingPoint(code="M1b", text="method by formula", group="method"),
        MarkingPoint(code="A1", text="x = 3", needs=("method",)),
    )
    question = Question(number="1", type=QuestionType.WORKING, text="Solve $x^2 = 9$.", max_mark=2)
    scheme = Scheme(max_mark=2, points=points, groups=(PointGroup(code="method", cap=1),))
    store, [[first, second]] = prepare(tmp_path, [["x = 3", "x = 4"]], [(question, scheme)])
    page = new_page()
    sign_in(page, serve().url, "Ms Khan")
    on_desk(page, first)
    expect(page.locator(".katex").first).to_be_visible()  # LaTeX in the question
    page.get_by_role("button", name="✗ A1").click()
    expect(page.get_by_role("button", name="Give 2 by your ticks")).to_be_visible()
    page.get_by_role("button", name="✓ M1", exact=True).click()
    expect(page.get_by_role("button", name="Give 0 by your ticks")).to_be_visible()
    expect(page.locator(".verdict", has_text="A1")).to_contain_text("earns nothing without method")
    page.get_by_role("button", name="✗ M1b").click()
    expect(page.get_by_role("button", name="Give 2 by your ticks")).to_be_visible()
    page.locator(".desk .progress-text").click()
    page.keyboard.press("Enter")
    on_desk(page, second)
    with store.read() as db:
        assert [(d.mark, d.points) for d in decisions.live(db, first)] == [(2, ("A1", "M1b"))]


def test_accept_never_overrides_ticks_that_are_on_the_desk(tmp_path: Path, serve: Serve, new_page: NewPage) -> None:
    store, [[first, second]] = prepare(tmp_path, [["the enzyme is denatured", "another"]])
    page = new_page()
    sign_in(page, serve().url, "Ms Khan")
    on_desk(page, first)
    page.get_by_role("button", name="✓ M1").click()
    expect(page.get_by_role("button", name="Give 0 by your ticks")).to_be_visible()
    expect(page.locator(".verdict", has_text="M1")).to_contain_text("AI: ✓ awarded")
    page.keyboard.press("a")
    expect(page.locator(".desk .notice")).to_contain_text("You have ticked points")
    assert live(store, first) == []
    page.keyboard.press("f")  # a flag leaves the ticks as they are
    expect(page.locator(".badge", has_text="flagged")).to_be_visible()
    page.locator(".desk .progress-text").click()
    page.keyboard.press("Enter")
    on_desk(page, second)
    assert live(store, first) == [("Ms Khan", 0)]


def test_nothing_of_one_profile_goes_to_the_next(tmp_path: Path, serve: Serve, new_page: NewPage) -> None:
    store, [[first, _]] = prepare(tmp_path, [["the enzyme is denatured", "another"]])
    page = new_page()
    sign_in(page, serve().url, "Ms Khan")
    on_desk(page, first)
    page.locator("textarea.comment").fill("private to Ms Khan")
    page.get_by_role("button", name="✗ A1").click()
    expect(page.get_by_role("button", name=re.compile("by your ticks"))).to_be_visible()
    page.get_by_role("combobox", name=re.compile("Marking as")).click()
    page.get_by_role("option", name=re.compile("Mr Okafor")).click()
    expect(page.get_by_role("button", name=re.compile("by your ticks"))).to_have_count(0)
    on_desk(page, first)
    expect(page.locator("textarea.comment")).to_have_value("")
    page.locator(".desk .progress-text").click()
    page.keyboard.press("1")
    expect(page.locator(".desk .notice")).to_contain_text("Saved: 1")
    with store.read() as db:
        assert [(d.marker_name, d.mark, d.comment, d.points) for d in decisions.live(db, first)] == [
            ("Mr Okafor", 1, "", None)
        ]


def test_a_zero_before_the_digit_and_a_redraw_misplace_nothing(tmp_path: Path, serve: Serve, new_page: NewPage) -> None:
    store, [[first, second, third]] = prepare(tmp_path, [["one", "two", "three"]], [two_point_question(max_mark=12)])
    page = new_page()
    sign_in(page, serve().url, "Ms Khan")
    on_desk(page, first)
    page.keyboard.press("0")
    expect(page.locator(".typed")).to_contain_text("0…")
    page.keyboard.press("8")
    on_desk(page, second)
    assert live(store, first) == [("Ms Khan", 8)]
    page.keyboard.press("1")
    expect(page.locator(".typed")).to_contain_text("1…")
    page.get_by_role("combobox", name=re.compile("Question")).click()
    page.get_by_role("option", name="Question 1").click()
    expect(page.get_by_role("combobox", name=re.compile("Question"))).not_to_be_focused()  # the keys are the desk's
    on_desk(page, second)
    expect(page.locator(".typed")).to_contain_text("1…")  # what is pending is always to be seen
    page.keyboard.press("Escape")
    expect(page.locator(".typed")).to_have_text("")
    page.keyboard.press("2")
    on_desk(page, third)
    assert live(store, second) == [("Ms Khan", 2)]


def test_two_teachers_on_one_response_are_both_kept_and_told(tmp_path: Path, serve: Serve, new_page: NewPage) -> None:
    store, [[first, second]] = prepare(tmp_path, [["the enzyme is denatured", "another"]])
    server = serve()
    khan, okafor = new_page(), new_page()
    sign_in(khan, server.url, "Ms Khan")
    on_desk(khan, first)
    sign_in(okafor, server.url, "Mr Okafor")
    on_desk(okafor, first)
    khan.keyboard.press("a")
    on_desk(khan, second)
    okafor.keyboard.press("2")
    on_desk(okafor, second)
    expect(okafor.locator(".desk .notice")).to_contain_text("Ms Khan had given it 1")
    assert live(store, first) == [("Ms Khan", 1), ("Mr Okafor", 2)]


def test_a_kill_in_the_middle_of_marking_loses_nothing_that_was_shown_as_saved(
    tmp_path: Path, serve: Serve, new_page: NewPage
) -> None:
    store, grid = prepare(tmp_path, [[f"answer {i}" for i in range(8)]])
    server = serve()
    page = new_page()
    sign_in(page, server.url, "Ms Khan")
    on_desk(page, grid[0][0])
    page.keyboard.press("1")
    on_desk(page, grid[0][1])
    page.keyboard.press("2")
    server.kill()
    reopened = Store(store.path)
    assert live(reopened, grid[0][0]) == [("Ms Khan", 1)]
    assert live(reopened, grid[0][1]) in ([], [("Ms Khan", 2)])
    with reopened.read() as db:
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    server.start()
    page.reload()  # the tab remembers who is marking, and the press that it never heard of again
    expect(page.locator(".desk .notice")).to_contain_text("2 for candidate 0002")
    on_desk(page, grid[0][2])
    assert live(reopened, grid[0][1]) == [("Ms Khan", 2)]
    page.keyboard.press("0")
    on_desk(page, grid[0][3])
    assert live(reopened, grid[0][2]) == [("Ms Khan", 0)]


HOSTILE = {
    "html": "<b>bold</b><img src=x onerror=\"document.title='pwned'\"> & more",
    "script": "<script>document.title='pwned'</script>",
    "markdown picture": "![x](http://example.invalid/spy.png) [link](javascript:alert(1))",
    "formula": "=HYPERLINK(\"http://example.invalid\") $\\frac{1}{0}$ `code` :material/delete: :smile:",
    "right to left": "\u202eevil\u202c שלום abc \u2066\u2067 مرحبا",
    "nul bytes": "before\x00after",
    "long": "word " * 10_000,
}  # fmt: skip


def test_a_hostile_answer_is_shown_as_the_text_it_is(tmp_path: Path, serve: Serve, new_page: NewPage) -> None:
    store, [[*hostile, after_them]] = prepare(tmp_path, [[*HOSTILE.values(), "the next one"]])
    page = new_page()
    page.on("dialog", lambda dialog: pytest.fail(f"an answer opened a dialog: {dialog.message}"))
    sign_in(page, serve().url, "Ms Khan")
    for response, kind in zip(hostile, HOSTILE, strict=True):
        on_desk(page, response)
        shown = page.locator(".desk .answer")
        assert shown.evaluate("node => node.textContent") == HOSTILE[kind].replace("\x00", "\ufffd"), kind
        assert shown.evaluate("node => node.querySelectorAll('*').length") == 0, kind
        assert page.title() != "pwned", kind
        page.keyboard.press("1")
    on_desk(page, after_them)
    assert [live(store, response) for response in hostile] == [[("Ms Khan", 1)]] * len(HOSTILE)

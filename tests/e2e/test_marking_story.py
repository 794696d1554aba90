"""The whole story on the demo exam, as a teacher and a head of department live it."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from storage import Store, decisions, standings
from tests.browser import AppServer, sign_in

Serve = Callable[..., AppServer]
NewPage = Callable[..., Page]


def store_of(server: AppServer) -> Store:
    return Store(server.folder / "second-marker.db")


def wait_for_proposals(page: Page) -> None:
    """The demo's proposals are made in the background in the first seconds; reload until the first one stands."""
    expect(page.locator(".desk .answer")).to_be_visible()
    for _ in range(40):
        if page.get_by_role("button", name=re.compile(r"^Accept \d")).count():
            return
        page.reload()
        expect(page.locator(".desk .answer")).to_be_visible()
    raise AssertionError("no proposal came")


def shown_response(page: Page) -> int:
    expect(page.locator(".desk[data-ready]:not(.busy)")).to_be_visible()
    return int(page.locator(".desk").get_attribute("data-response-id") or 0)


def settle_on_another(page: Page, before: int) -> None:
    """Wait until another response has been painted and its keys answer."""
    expect(page.locator(f".desk[data-ready]:not([data-ready='{before}']):not(.busy)")).to_be_visible()


def marks_of(store: Store, response_id: int) -> list[tuple[str, float | None, str]]:
    with store.read() as db:
        return [(d.outcome, d.mark, d.stage) for d in decisions.history(db, response_id)]


def test_a_teacher_marks_the_demo_exam_and_a_head_sees_agreement_move(serve: Serve, new_page: NewPage) -> None:
    server = serve(cold=True)
    store = store_of(server)
    page = new_page()
    sign_in(page, server.url)
    wait_for_proposals(page)

    # Accept by key.
    first = shown_response(page)
    offered = page.get_by_role("button", name=re.compile(r"^Accept ")).inner_text()
    proposed = float(re.search(r"Accept ([\d.]+)", offered).group(1))  # type: ignore[union-attr]
    page.keyboard.press("a")
    settle_on_another(page, first)
    expect(page.locator(".desk .notice")).to_contain_text("Saved")
    assert [row for row in marks_of(store, first) if row[2] != "imported"] == [("mark", proposed, "ai_first")]

    # Override by a digit: it sets that mark.
    second = shown_response(page)
    page.keyboard.press("0")
    settle_on_another(page, second)
    assert marks_of(store, second)[-1] == ("mark", 0, "ai_first")

    # Undo brings it back, and the mark is gone from the standing while its rows stay.
    third = shown_response(page)
    page.keyboard.press("u")
    expect(page.locator(f".desk[data-ready='{second}']:not(.busy)")).to_be_visible()
    expect(page.locator(".desk .notice")).to_contain_text("Undone: 0")
    assert [row[0] for row in marks_of(store, second)][-2:] == ["mark", "undo"]

    # A comment is saved by Ctrl+Enter and stands under the answer.
    page.locator("textarea.comment").fill("Good idea, wrong word.")
    page.locator("textarea.comment").press("Control+Enter")
    expect(page.locator(".desk .note")).to_contain_text("Good idea, wrong word.")
    expect(page.locator("textarea.comment")).to_have_value("")

    # No response is a state of its own.
    page.locator("h3").first.click()
    page.keyboard.press("n")
    settle_on_another(page, second)
    assert marks_of(store, second)[-1] == ("no_response", None, "ai_first")
    assert shown_response(page) == third

    # A flag for the head of department.
    page.keyboard.press("f")
    expect(page.locator(".desk .badge.warn", has_text="flagged")).to_be_visible()

    # Blind mode: no proposal until the mark is in, then the reveal, each stage stored.
    head = new_page()
    sign_in(head, server.url, "Demo head of department")
    head.get_by_role("link", name="Exams").click()
    head.get_by_text("Blind marking").first.click()  # of the typed demo, which the page opens with
    expect(head.get_by_role("switch", name=re.compile("Blind marking")).first).to_be_checked()
    head.get_by_role("link", name="Agreement").last.click()
    expect(head.get_by_role("heading", name="Agreement")).to_be_visible()
    page.keyboard.press("ArrowRight")
    settle_on_another(page, third)
    blind = shown_response(page)
    expect(page.locator(".desk .blind")).to_have_text("Mark first; the AI's mark appears after yours.")
    expect(page.get_by_role("button", name=re.compile(r"^Accept "))).to_have_count(0)
    expect(head.locator("body")).to_contain_text("168 imported")
    expect(head.locator("body")).not_to_contain_text("1 blind")
    page.keyboard.press("1")
    expect(page.get_by_role("button", name=re.compile(r"^Keep mine"))).to_be_visible()
    expect(page.locator(".headline .mark")).to_be_in_viewport()
    assert shown_response(page) == blind
    assert marks_of(store, blind)[-1] == ("mark", 1, "blind")

    # The head's page, in another browser context, moves by itself.
    expect(head.locator("body")).to_contain_text("1 blind and 168 imported", timeout=5_000)
    expect(head.locator("body")).to_contain_text("3 of 600 responses marked here")

    page.keyboard.press("a")
    settle_on_another(page, blind)
    assert [row[2] for row in marks_of(store, blind)][-2:] == ["blind", "revealed"]
    with store.read() as db:
        pair = db.execute("SELECT kind FROM pairs WHERE response_id = ? AND kind = 'agreement'", (blind,)).fetchall()
        standing = standings.get(db, blind)
    assert pair
    assert standing is not None
    assert standing.final_mark == 1


def test_a_link_opens_its_response_and_a_reload_keeps_the_place(serve: Serve, new_page: NewPage) -> None:
    server = serve()
    page = new_page()
    sign_in(page, server.url)
    wait_for_proposals(page)
    first = shown_response(page)
    page.keyboard.press("ArrowRight")
    settle_on_another(page, first)
    page.keyboard.press("ArrowRight")
    settle_on_another(page, first + 1)
    here = shown_response(page)
    expect(page).to_have_url(re.compile(f"response={here}"))
    page.reload()
    expect(page.locator(".desk")).to_have_attribute("data-response-id", str(here))

    other = new_page()
    other.goto(page.url)
    other.get_by_role("button", name=re.compile("^Demo teacher ·")).click()
    expect(other.locator(".desk")).to_have_attribute("data-response-id", str(here))

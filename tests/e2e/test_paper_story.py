"""A class on paper in a browser: the demo's scan is read, a rectangle drawn, the cuts looked at, stored, and marked."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser import AppServer, sign_in

Serve = Callable[..., AppServer]
NewPage = Callable[..., Page]


def go_to(page: Page, name: str) -> None:
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=name).click()


def test_the_demos_class_scan_is_read_looked_at_stored_and_comes_to_the_desk(serve: Serve, new_page: NewPage) -> None:
    server, page = serve(), new_page()
    sign_in(page, server.url)
    go_to(page, "Answers")
    page.get_by_role("tab", name="Scanned class").click()
    expect(page.get_by_text("How are the scripts told apart?")).to_be_visible()
    page.get_by_role("combobox", name=re.compile("Exam")).click()
    page.get_by_role("option", name=re.compile("paper and ink")).click()
    page.get_by_role("button", name="Use the demo's class scan").click()
    expect(page.get_by_role("button", name="Question 6, page 3")).to_be_visible(timeout=60_000)
    canvas = page.locator("canvas.upper-canvas")
    expect(canvas).to_be_visible()

    page.get_by_role("button", name="Question 1, page 1").click()
    expect(page.get_by_text("No rectangle yet: 1.")).to_be_visible()
    expect(canvas).to_have_count(1)  # the one of the page before is gone
    expect(canvas).to_be_visible()
    canvas.evaluate("node => node.scrollIntoView({ block: 'start' })")
    box = canvas.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.07 * box["width"], box["y"] + 0.14 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.3 * box["height"], steps=4)
    page.mouse.move(box["x"] + 0.93 * box["width"], box["y"] + 0.52 * box["height"], steps=4)
    page.mouse.up()
    expect(page.get_by_role("button", name="Question 1, page 1")).to_be_visible()
    expect(page.get_by_text("No rectangle yet")).to_have_count(0)

    page.get_by_role("button", name="Read the scan").click()
    expect(page.get_by_role("button", name="Store 72 answers")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("img", name=re.compile("^Candidate 05.., question 1$"))).to_have_count(12)
    page.get_by_role("button", name="Store 72 answers").click()
    expect(page.get_by_text("72 answers of 12 candidates are stored.").first).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Mark the answers").click()
    expect(page.locator(".stage .sheet img")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("combobox", name="Exam")).to_have_value("Demo class scan (invented)")

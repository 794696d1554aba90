"""Every page on a phone and on a desk, light and dark; and the live figures of the agreement page."""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from components.marking import Marker, Outcome, Role, Stage
from storage import Store, decisions
from tests.browser import AppServer, running_app, sign_in
from tests.support import add_exam, add_marker, new_store, propose_points

Serve = Callable[..., AppServer]
NewPage = Callable[..., Page]
PAGES = {
    "": "Candidate 0401",
    "answers": "Answers on paper",
    "exams": "Demo mock 2026",
    "exam_setup?exam=1": "scheme v1",
    "exam_setup?exam=1&reading=scheme": "Or paste it here",
    "agreement": "Live ·",
    "review": "to settle",
    "marks_out": "complete",
    "judges": "Connect a model",
    "runs": "Costs nothing",
    "trial": "No trial yet",
    "benchmarks": "No benchmark yet",
}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    """A server with the demo exams, for tests that only look."""
    with running_app(tmp_path_factory.mktemp("demo") / "data") as server:
        yield server


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_no_page_is_wider_than_its_screen(demo: AppServer, new_page: NewPage, width: int, scheme: str) -> None:
    page = new_page(viewport={"width": width, "height": 844}, color_scheme=scheme, has_touch=width < 500)
    sign_in(page, demo.url, "Demo head of department")
    expect(page.locator(".desk .answer")).to_be_visible()
    for path, landmark in PAGES.items():
        page.goto(f"{demo.url}/{path}")
        expect(page.get_by_text(landmark).first).to_be_visible()
        assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth"), path
        main = page.locator("[data-testid=stMain]")
        assert main.evaluate("node => node.scrollWidth <= node.clientWidth + 1"), path
        expect(page.get_by_text(re.compile("Traceback|has encountered an error"))).to_have_count(0)


def test_a_teacher_is_told_in_words_which_page_is_not_theirs(demo: AppServer, new_page: NewPage) -> None:
    page = new_page()
    sign_in(page, demo.url)
    expect(page.get_by_role("link", name="Judges")).to_have_count(0)
    page.goto(f"{demo.url}/judges")
    expect(page.get_by_text("This page is for a head of department or a pilot lead")).to_be_visible()


def blind_mark(store: Store, marker: Marker, response: int, mark: float) -> None:
    with store.write() as db:
        decisions.record(db, response, marker.id, Outcome.MARK, Stage.BLIND, mark=mark)


def test_another_sessions_mark_shows_within_a_second_and_the_reader_keeps_the_place(
    tmp_path: Path, serve: Serve, new_page: NewPage
) -> None:
    (tmp_path / "data").mkdir()
    store = new_store(tmp_path / "data")
    teacher = add_marker(store, "Ms Khan")
    add_marker(store, "Dr Li", Role.HEAD)
    _, [row] = add_exam(store, [[f"answer {i}" for i in range(40)]])
    for response in row:
        propose_points(store, response, ["M1"])
    for i, response in enumerate(row[:12]):
        blind_mark(store, teacher, response, i % 3)
    page = new_page()
    sign_in(page, serve().url, "Dr Li")
    page.get_by_role("link", name="Agreement").click()
    expect(page.get_by_text(re.compile(r"12 of 40 responses marked here"))).to_be_visible()
    expect(page.get_by_text("How these are measured")).to_be_visible()
    main = page.locator("[data-testid=stMain]")
    main.evaluate("node => node.scrollTo(0, 300)")
    taken = []
    for marked, response in enumerate(row[12:17], start=13):
        blind_mark(store, teacher, response, 1)
        started = time.monotonic()
        page.wait_for_function(
            "marked => document.body.innerText.includes(`n = ${marked}`)", arg=str(marked), polling="raf"
        )
        taken.append(time.monotonic() - started)
    assert statistics.median(taken) < 1, taken
    assert main.evaluate("node => node.scrollTop") == pytest.approx(300, abs=30)

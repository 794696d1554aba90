"""The browser that every end-to-end test shares, and app servers on data folders of their own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser import HOW_TO_GET_A_BROWSER, AppServer, browser_path, running_app, running_browser

# Two browsers and a language model may share two processors in CI.
expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if browser_path() is None:
        if os.environ.get("SECOND_MARKER_BROWSER_REQUIRED"):
            pytest.fail(HOW_TO_GET_A_BROWSER)
        pytest.skip(HOW_TO_GET_A_BROWSER)
    with running_browser() as launched:
        yield launched


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., AppServer]]:
    """serve(name="data", **options of running_app) starts an app server on tmp_path/name; it stops with the test."""
    with ExitStack() as stack:
        yield lambda name="data", **options: stack.enter_context(running_app(tmp_path / name, **options))


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """new_page(**context options) opens a page of its own; a request to another host or a page error fails the test."""
    contexts: list[BrowserContext] = []
    foreign: list[str] = []
    errors: list[str] = []

    def open_page(**options: object) -> Page:
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | options))
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("request", lambda request: foreign.append(request.url) if is_foreign(request.url) else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert foreign == [], f"the page asked other hosts: {foreign}"
    assert errors == [], f"the page's scripts failed: {errors}"


def is_foreign(url: str) -> bool:
    return not url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:"))

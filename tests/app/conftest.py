"""Opening pages as a marker would, on a data folder of the test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from components.marking import Marker
from components.workflow.worker import Worker
from storage import Store
from tests import support

APP = Path(__file__).parents[2] / "app.py"

OpenPage = Callable[..., AppTest]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """The app's own store. Give it an exam before opening a page, or the app installs the demo exam."""
    return support.new_store(tmp_path)


@pytest.fixture(scope="session", autouse=True)
def components_looked_for_once() -> Iterator[None]:
    """Streamlit looks through all installed packages for components of theirs, anew for every AppTest."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenPage]:
    """open_page(page, marker, **query): the page, as `pages/…/….py`, run once for the marker (None: nobody yet)."""
    monkeypatch.setenv("SECOND_MARKER_DATA", str(tmp_path))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)

    def open_page(page: str | None = None, marker: Marker | None = None, **query: str) -> AppTest:
        at = AppTest.from_file(str(APP), default_timeout=30)
        if marker is not None:
            at.session_state["marker_id"] = marker.id
        at.run()
        if page is not None:
            at.switch_page(page)
            at.query_params.clear()
            for name, value in query.items():
                at.query_params[name] = value
            at.run()
        return at

    # The services outlive a session: without this a test would meet the store of the one before.
    st.cache_resource.clear()
    yield open_page
    st.cache_resource.clear()


@pytest.fixture
def without_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """The app's own worker does nothing: the test does the jobs, when it wants them done."""
    monkeypatch.setattr(Worker, "start", lambda self: None)

"""Waiting for the app's own worker in a test of a page."""

from __future__ import annotations

import time

from streamlit.testing.v1 import AppTest

from storage import Store, jobs


def until_done(at: AppTest, store: Store) -> None:
    """Wait until no job is left, then draw the page again."""
    for _ in range(200):
        with store.read() as db:
            if not jobs.active(db):
                break
        time.sleep(0.05)
    at.run()
    assert not at.exception

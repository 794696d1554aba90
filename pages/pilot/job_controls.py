"""A job under way: how far it is, and letting it pause, go on or end."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from components.widgets.figures import plain
from storage import Store, jobs


def job_bar(done: int, total: int, said: str) -> None:
    """How far a job is, with words."""
    st.progress(min(1.0, done / total) if total else 0.0, plain(said), width=460)


def job_buttons(store: Store, job_id: int, *, paused: bool, go_on: Callable[[], None]) -> None:
    """Pause, or Go on where it is paused, and Cancel. To be called in a lying container."""
    if paused:
        st.button("Go on", key=f"go_on_{job_id}", icon=":material/play_arrow:", on_click=go_on)
    else:
        st.button("Pause", key=f"pause_{job_id}", icon=":material/pause:", on_click=_pause, args=(store, job_id))
    st.button("Cancel", key=f"cancel_{job_id}", on_click=_cancel, args=(store, job_id))


def _pause(store: Store, job_id: int) -> None:
    with store.write() as db:
        jobs.pause(db, job_id)


def _cancel(store: Store, job_id: int) -> None:
    with store.write() as db:
        jobs.cancel(db, job_id)

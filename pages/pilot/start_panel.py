"""The panel in which a run, a trial or a sitting is planned and started."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator


def open_panel(label: str, *, key: str, started: str, icon: str, opened: bool = False) -> DeltaGenerator | None:
    """The panel where it is open, else None. To be called in a fragment, which alone is drawn while one chooses.

    What is put into the session under `key` opens or closes it; once what stands there under `started` is true, the
    page is drawn again as a whole.
    """
    if st.session_state.pop(started, False):
        st.rerun()
    panel = st.expander(label, expanded=opened, key=_drawn_as(key), icon=icon, on_change="rerun")
    return panel if panel.open else None


def _drawn_as(key: str) -> str:
    """The key of the panel itself: another one whenever it has been opened or closed from without.

    A beat of the page that is on its way meanwhile says how the panel was before, and would undo it.
    """
    state, turns = st.session_state, f"{key}_turns"
    if key in state:
        state[turns] = state.get(turns, 0) + 1
        state[f"{key}_{state[turns]}"] = state.pop(key)
    return f"{key}_{state.get(turns, 0)}"

"""The panel in which a run, a trial or a sitting is planned and started."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared.press import pressed


def open_panel(label: str, *, key: str, icon: str, opened: bool = False) -> DeltaGenerator | None:
    """The panel where it is open, else None. To be called in a fragment, which alone is drawn while one chooses.

    What is put into the session under `key` opens or closes it.
    """
    panel = st.expander(label, expanded=opened, key=_drawn_as(key), icon=icon, on_change="rerun")
    return panel if panel.open else None


def start_button(label: str, *, key: str, start: Callable[[], str], disabled: bool = False) -> str:
    """The button that starts what the panel says, and draws the page with it; why not, where `start` gives a reason.

    It acts on what the panel has just read of its boxes. A callback would have what they held when the button was
    drawn: a cap typed last, and sent together with the press, would not be kept.
    """
    if not pressed(label, key=key, type="primary", disabled=disabled):
        return ""
    refused = start()
    if not refused:
        st.rerun()
    return refused


def _drawn_as(key: str) -> str:
    """The key of the panel itself: another one whenever it has been opened or closed from without.

    A beat of the page that is on its way meanwhile says how the panel was before, and would undo it.
    """
    state, turns = st.session_state, f"{key}_turns"
    if key in state:
        state[turns] = state.get(turns, 0) + 1
        state[f"{key}_{state[turns]}"] = state.pop(key)
    return f"{key}_{state.get(turns, 0)}"

"""The panel in which a run, a trial or a sitting is planned and started."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator


def open_panel(label: str, *, key: str, started: str, icon: str, opened: bool = False) -> DeltaGenerator | None:
    """The panel where it is open, else None. To be called in a fragment, which alone is drawn while one chooses.

    `key` keeps in the session whether it is open; once what stands there under `started` is true, the page is drawn
    again as a whole.
    """
    if st.session_state.pop(started, False):
        st.rerun()
    panel = st.expander(label, expanded=opened, key=key, icon=icon, on_change="rerun")
    return panel if panel.open else None

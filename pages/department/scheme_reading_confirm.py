"""The button that confirms what is in a page's tables, with what was typed in one last."""

from __future__ import annotations

import time

import streamlit as st

from pages.shared.press import pressed

# A table sends what was typed 150 ms after it is left. Left by the press of this button, it would come too late.
_UNTIL_SENT = 0.4  # seconds


def confirmed(label: str, key: str, *, disabled: bool = False) -> bool:
    """The button; true in the run in which all tables hold what was typed before it was pressed."""
    waiting = f"{key}_waiting"
    if pressed(label, key=key, type="primary", icon=":material/check:", disabled=disabled):
        st.session_state[waiting] = True
        time.sleep(_UNTIL_SENT)
        st.empty()  # what a table has sent meanwhile begins a run of its own here
        st.rerun()
    return bool(st.session_state.pop(waiting, False)) and not disabled

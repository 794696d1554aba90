"""Drawing the page again from a fragment that beats."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx


def draw_again() -> None:
    """Run the whole page anew, from a fragment's own beat; the caller returns after it.

    In a run of the whole page it does nothing and the next beat does it: a press on what stands further down the page
    is told to that run alone, and would be lost with it.
    """
    run = get_script_run_ctx()
    if run is not None and run.fragment_ids_this_run:
        st.rerun()

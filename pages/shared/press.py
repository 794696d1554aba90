"""Buttons whose press is not lost when the browser sends something else right after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

_PRESSES = "presses"


def pressed(label: str, *, key: str, button: Callable[..., bool] = st.button, **look: Any) -> bool:
    """Draw the button with Streamlit's own options; true in the run that gets to it first after a press.

    A table or file that arrives ends the run a press began, perhaps before it came down to the button, and the run
    that follows knows nothing of the press. A callback runs before all else, so the press is noted by one.
    """
    button(label, key=key, on_click=_note, args=(key,), **look)
    presses = st.session_state.get(_PRESSES, set())
    was_pressed = key in presses and not look.get("disabled", False)
    presses.discard(key)
    return was_pressed


def forget_presses() -> None:
    """Forget, at a whole page's end, the presses on buttons that it no longer has: no later page is to act on them."""
    st.session_state.pop(_PRESSES, None)


def _note(key: str) -> None:
    st.session_state.setdefault(_PRESSES, set()).add(key)

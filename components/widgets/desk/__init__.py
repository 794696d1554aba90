"""The marking desk: a Streamlit component that shows one response with its proposal and takes one action at a time.

A component of our own, because a key must carry the response it was pressed for, marks of 10 and more need two digits,
and thirty native widgets would be slower to draw than a teacher is to read.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from components.widgets.desk.view import DeskView, Shown, desk_data

_HERE = Path(__file__).parent
_SCRIPTS = ("desk", "sending", "keys", "drafts", "drawing")
_COMPONENT = st.components.v2.component(
    "second_marker_desk",
    html='<div class="desk"></div>',
    css=(_HERE / "desk.css").read_text(encoding="utf-8"),
    # One module to the browser; it is given no other file to import from.
    js="\n".join((_HERE / f"{name}.js").read_text(encoding="utf-8") for name in _SCRIPTS),
)


def desk(view: DeskView, key: str, on_action: Callable[[], None]) -> None:
    """Draw the desk. `on_action` runs before the next draw; `st.session_state[key].action` holds what was pressed."""
    _COMPONENT(key=key, data=desk_data(view), on_action_change=on_action)


__all__ = ["DeskView", "Shown", "desk"]

"""The marking desk: a Streamlit component that shows one response with its proposal and takes one action at a time.

A component of our own, because a key must carry the response it was pressed for, marks of 10 and more need two digits,
and thirty native widgets would be slower to draw than a teacher is to read.

Pictures travel apart from the desk, in a second component that shows nothing: the desk is drawn without waiting for
them, and they stay in the browser's memory however often it is drawn again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from components.widgets.desk.adjudication import Adjudication, ShownGiven
from components.widgets.desk.pictures import SentPicture, ShownPage, ShownStrokes, ShownTranscript, parcel
from components.widgets.desk.view import DeskView, Shown, desk_data

_HERE = Path(__file__).parent
_SCRIPTS = (
    "desk",
    "sending",
    "outbox",
    "keys",
    "drafts",
    "drawing",
    "answer",
    "pictures",
    "geometry",
    "viewer",
    "toolbar",
    "pointers",
    "loupe",
    "strokes",
    "annotate",
    "transcript",
    "adjudicate",
)


def _read(*names: str) -> str:
    return "\n".join((_HERE / name).read_text(encoding="utf-8") for name in names)


_COMPONENT = st.components.v2.component(
    "second_marker_desk",
    html='<div class="desk"></div>',
    css=_read("desk.css", "viewer.css"),
    # One module to the browser; it is given no other file to import from.
    js=_read(*(f"{name}.js" for name in _SCRIPTS)),
)
_PARCEL = st.components.v2.component("second_marker_pictures", js=_read("parcel.js", "pictures.js"))


def desk(
    view: DeskView,
    key: str,
    on_action: Callable[[], None],
    on_save: Callable[[], None] = lambda: None,
    on_lacking: Callable[[], None] = lambda: None,
) -> None:
    """Draw the desk. The callbacks run before the next draw; what was sent is in `st.session_state[key]`.

    `action` is what was pressed, `save` a page's strokes or a transcript, `lacking` the SHA-256s of pictures that the
    browser should have and has not.
    """
    _COMPONENT(
        key=key,
        data=desk_data(view),
        on_action_change=on_action,
        on_save_change=on_save,
        on_lacking_change=on_lacking,
    )


def send_pictures(pictures: Sequence[SentPicture], key: str) -> None:
    """Send pictures to the browser, which keeps them for the desk until the page is reloaded."""
    _PARCEL(key=key, data=parcel(pictures))


__all__ = [
    "Adjudication",
    "DeskView",
    "SentPicture",
    "Shown",
    "ShownGiven",
    "ShownPage",
    "ShownStrokes",
    "ShownTranscript",
    "desk",
    "send_pictures",
]

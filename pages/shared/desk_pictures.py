"""Pictures on their way to a marker's browser: each is sent once, the next response's before it is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from components.widgets.desk import SentPicture, send_pictures
from components.workflow.answer_view import display_picture
from storage import Store

SENT = "sent_pictures"
LARGEST_PARCEL = 4_000_000  # bytes; what a teacher waits for should not wait for a long script's last page


def send(store: Store, shas: Sequence[str], key: str) -> None:
    """Send those of the pictures that this browser has not been sent, in parcels."""
    sent: set[str] = st.session_state.setdefault(SENT, set())
    parcel: list[SentPicture] = []
    number = 0
    for sha in [sha for sha in shas if sha not in sent]:
        picture = display_picture(store, sha)
        parcel.append(SentPicture(picture.sha256, picture.mime, picture.content, picture.error))
        if sum(len(each.content) for each in parcel) >= LARGEST_PARCEL:
            _dispatch(parcel, f"{key}_{number}", sent)
            parcel, number = [], number + 1
    if parcel:
        _dispatch(parcel, f"{key}_{number}", sent)


def forget(payload: Any) -> None:
    """The browser has lost these pictures: they are sent again with the next draw."""
    shas = payload.get("shas") if isinstance(payload, dict) else None
    sent: set[str] = st.session_state.setdefault(SENT, set())
    sent.difference_update(str(sha) for sha in (shas if isinstance(shas, list) else []))


def _dispatch(parcel: Sequence[SentPicture], key: str, sent: set[str]) -> None:
    send_pictures(parcel, key=key)
    sent.update(each.sha256 for each in parcel)

"""Strokes and transcripts that the desk sends to be kept, apart from marks."""

from __future__ import annotations

import logging
import sqlite3
import time
from dataclasses import dataclass
from typing import Any

import streamlit as st

from components.marking import Marker, MarkError
from components.workflow import annotating, transcribing
from components.workflow.cohort import RunError
from storage import Store, standings
from storage.connect import in_words

SAVED = "saved"
REMEMBERED = 50
ASKED = "asked_again"
LONGEST_WAIT = 180  # seconds

log = logging.getLogger("second_marker")


@dataclass(frozen=True)
class Asked:
    """A response that the judge was asked about again, with the proposal that it had then."""

    response_id: int
    proposal_id: int | None
    at: float


def saved() -> tuple[str, ...]:
    """The action ids of what was kept, or refused in words, of late."""
    return tuple(st.session_state.get(SAVED, ()))


def keep(store: Store, marker: Marker, payload: Any) -> None:
    """Keep what was sent. What could not be kept for now is not acknowledged, so that the desk tries again."""
    state = st.session_state
    if not isinstance(payload, dict) or payload.get("action_id") in saved():
        return
    try:
        wanted = annotating.parse_save(payload)
        state["notice"] = annotating.save(store, marker, wanted) or state.get("notice", "")
        if wanted.action == "ask_again":
            state["notice"] = _ask_again(store, marker, wanted.response_id)
    except (MarkError, LookupError) as error:
        state["notice"] = str(error)
    except sqlite3.Error as error:
        log.exception("Strokes or a transcript could not be stored.")
        state["notice"] = f"Not saved yet. {in_words(error)}"
        return
    except Exception:
        log.exception("A save met an error.")
        state["notice"] = "What you drew or wrote last was not saved: something went wrong. See the server's log."
    state[SAVED] = (*saved(), str(payload.get("action_id", ""))[: annotating.LONGEST_ACTION_ID])[-REMEMBERED:]


def awaiting(store: Store, response_id: int) -> bool:
    """Whether a judge that was asked again has not answered yet; after a while nobody waits any more."""
    asked: Asked | None = st.session_state.get(ASKED)
    if asked is None or asked.response_id != response_id:
        return False
    if asked.proposal_id == _proposal_id(store, response_id) and time.monotonic() < asked.at + LONGEST_WAIT:
        return True
    del st.session_state[ASKED]
    return False


def _ask_again(store: Store, marker: Marker, response_id: int) -> str:
    """Have the judge propose anew from the transcript; what to tell the teacher."""
    before = _proposal_id(store, response_id)
    try:
        transcribing.ask_again(store, response_id, marker)
    except RunError as error:
        return f"Transcript saved. {error}"
    st.session_state[ASKED] = Asked(response_id, before, time.monotonic())
    return "Transcript saved. The judge is asked again from it; its new proposal will stand beside the old one."


def _proposal_id(store: Store, response_id: int) -> int | None:
    with store.read() as db:
        standing = standings.get(db, response_id)
    return None if standing is None else standing.proposal_id

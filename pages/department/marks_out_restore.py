"""Putting an evidence pack back: here where no exam is in the way, else into a data folder of its own."""

from __future__ import annotations

import logging
import sqlite3

import streamlit as st

from components.marking import Marker, Role
from components.widgets.figures import count, plain
from components.workflow.marks_out.pack_format import PackError
from components.workflow.marks_out.restore import Restored, restore
from pages.shared.desk_services import services
from pages.shared.guard import CHOSEN
from pages.shared.press import pressed
from storage import Store, exams, fresh
from storage.connect import in_words

LARGEST_MB = 1024
COMMAND = "SECOND_MARKER_DATA=new-folder uv run python -m components.workflow.marks_out.restore evidence.zip"
RESTORED = "marks_out_restored"

state = st.session_state
log = logging.getLogger("second_marker")


def explain_restoring() -> None:
    """How a pack is put back, and why not here."""
    with st.expander("Restore an evidence pack", icon=":material/settings_backup_restore:", key="marks_out_restoring"):
        st.write(
            "A pack keeps its numbers, so that every reference in it holds. It is therefore restored into an empty "
            "data folder, in which no other exam has these numbers: run this where Second Marker is installed, with "
            "a folder that does not exist yet, then start the app with the same SECOND_MARKER_DATA."
        )
        st.code(COMMAND, language="shell", wrap_lines=True)
        st.caption("What is restored is checked against the pack's hashes, and is put back whole or not at all.")


def restore_section(store: Store, viewer: Marker) -> None:
    """An upload for heads of department, and the way round it."""
    if viewer.role is not Role.HEAD:
        return
    for_demo = only_the_demo(store)
    st.subheader("Restore an evidence pack")
    if for_demo:
        st.write(
            "Only the demo is here, and nobody has worked on it: a pack can be restored in its place. The demo goes "
            "for good; profiles and judges that were made here stay."
        )
    upload = st.file_uploader(
        "Evidence pack (ZIP)", type=["zip"], max_upload_size=LARGEST_MB, key=f"restore_{state.get('restore_round', 0)}"
    )
    if upload is not None and pressed(
        "Restore it", key=f"restore_{upload.file_id}", type="primary", icon=":material/settings_backup_restore:"
    ):
        try:
            with st.spinner("Checking and restoring …"):
                restored = restore(store, upload, viewer, for_demo=for_demo)
        except PackError as error:
            st.error(plain(str(error)), title="Nothing was restored")
        except sqlite3.Error as error:
            log.exception("A pack could not be restored.")
            st.error(plain(in_words(error)), title="Nothing was restored")
        else:
            state[RESTORED], state["exam_id"] = restored, restored.exam_id
            if for_demo:
                state["marker_id"] = restored.marker_id
                state.pop(CHOSEN, None)
                st.cache_data.clear()  # what was counted of the demo has the ids of what is restored
                services.clear()  # judges have other ids now
            state["restore_round"] = state.get("restore_round", 0) + 1
            st.rerun()
    explain_restoring()


def only_the_demo(store: Store) -> bool:
    """Whether a pack may take the place of what is here."""
    with store.read() as db:
        return exams.any_ever(db) and not fresh.why_not(db)


def say_restored() -> None:
    """What was just restored, once."""
    restored: Restored | None = state.pop(RESTORED, None)
    if restored is not None:
        said = (
            f"“{plain(restored.exam)}” is back, with {count(restored.counts['responses'], 'response')} and "
            f"{count(restored.counts['decisions'], 'decision')}."
        )
        st.success(said, title="Restored")
        st.toast(said)  # what was pressed may be far down the page

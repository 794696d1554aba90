"""Buttons that the list of exams and the import share: to another page, and taking an import back."""

from __future__ import annotations

import streamlit as st

from components.marking import Marker, MarkError
from components.widgets.figures import plain
from components.workflow.import_table import undo_import
from pages.shared import guard
from pages.shared.desk_services import services
from pages.shared.press import pressed


def go_button(exam_id: int, label: str, page: str, icon: str, *, primary: bool = False, key: str = "") -> None:
    """A button to a page of `pages/` that then shows this exam."""
    kind = "primary" if primary else "secondary"
    if pressed(label, key=f"{label}_{key or exam_id}", icon=icon, type=kind):
        st.session_state["exam_id"] = exam_id
        st.session_state.pop("walk", None)  # the marking page begins this exam's walk anew
        st.switch_page(guard.PAGES_FOLDER / page)


def undo_popover(import_id: int, title: str, marker: Marker, *, key: str = "", added: bool = False) -> None:
    """Takes an import back, after saying what that does."""
    with st.popover("Undo this import", icon=":material/undo:", key=f"undo_of_{key or import_id}"):
        st.write(
            f"“{plain(title)}” loses what its newest import brought: those marks are taken back, those responses put "
            "away. Nothing is deleted but names that came with it, and the same file can be imported again."
            if added
            else f"“{plain(title)}” leaves every list, with the marks given on it here. "
            "They are archived, not deleted, and the same file can be imported again."
        )
        st.button(
            "Undo the import",
            key=f"undo_{key or import_id}",
            type="primary",
            on_click=_undo,
            args=(import_id, title, marker),
        )


def _undo(import_id: int, title: str, marker: Marker) -> None:
    try:
        said = undo_import(services().store, import_id, marker)
    except MarkError as error:
        st.session_state["exams_refused"] = str(error)
    else:
        st.session_state["exams_notice"] = f"The import of “{title}” is undone. {said}".strip()

"""Printing for a class: answer books whose pages say whose they are, and sheets to lay between scripts."""

from __future__ import annotations

import streamlit as st

from components.intake.answer_book import print_separators
from components.marking import Marker
from components.widgets.figures import count, plain
from components.workflow.printing import (
    AT_ONCE,
    Room,
    books_file,
    class_list,
    default_rooms,
    order_books,
    printed,
)
from pages.shared.beat import draw_again
from pages.shared.press import pressed
from pages.teacher.scanned_act import attempt
from storage import Store, responses, scans

PAPERS = ("ruled", "squared", "plain")
SHOWN = 3
BEAT_SECONDS = 1

state = st.session_state


def print_part(store: Store, marker: Marker, exam_id: int) -> None:
    """Choose the class and the room for answers; then the PDFs."""
    st.write(
        "Each page of an answer book carries two codes that say whose it is, and corner squares that show how it lies "
        "in the scanner. Scanned in any order, books need no template and no sorting."
    )
    pasted = st.text_area(
        "Class list",
        "\n".join(_candidates(store, exam_id)),
        height=160,
        key=f"books_class_{exam_id}",
        help="One candidate number a line, or with commas between. New ones are added when a scan is stored.",
    )
    rooms = _rooms(store, exam_id)
    with st.container(horizontal=True):
        books = pressed("Make the answer books", key="books_make", type="primary", icon=":material/print:")
        separators = pressed(
            "Make separator sheets",
            key="books_separators",
            icon=":material/qr_code:",
            help="For scripts on other paper: a sheet with the candidate's code, to lay before each script.",
        )
    if books:
        _make(store, marker, exam_id, rooms, pasted)
    if separators:
        _separators(exam_id, pasted)
    if books or separators:
        st.rerun()
    if f"separators_{exam_id}" in state:
        st.download_button(
            "Download the separator sheets (PDF)",
            state[f"separators_{exam_id}"],
            "separator-sheets.pdf",
            "application/pdf",
            key="books_separators_pdf",
            icon=":material/download:",
        )
    _prints(store, exam_id)


def _candidates(store: Store, exam_id: int) -> list[str]:
    with store.read() as db:
        return responses.candidates(db, exam_id)


def _rooms(store: Store, exam_id: int) -> list[Room]:
    rooms = []
    with st.expander("Room for each answer", icon=":material/table_rows:"):
        st.caption("Two lines of 8 mm a mark, unless you say otherwise. The books are laid out page by page from this.")
        for room in default_rooms(store, exam_id):
            about = f"Question {plain(room.number)} ({room.max_mark:g} mark{'s' * (room.max_mark != 1)})"
            with st.container(horizontal=True, vertical_alignment="bottom"):
                key = f"room_{exam_id}_{room.number}"
                lines = st.number_input(f"{about}: lines", 1, 200, room.lines, key=f"{key}_lines", width=240)
                paper = st.selectbox("Paper", PAPERS, key=f"{key}_paper", format_func=str.capitalize, width=160)
            rooms.append(room.model_copy(update={"lines": lines, "paper": paper}))
    return rooms


def _make(store: Store, marker: Marker, exam_id: int, rooms: list[Room], pasted: str) -> None:
    with st.spinner("Laying out the answer books …"):
        attempt(lambda: _ordered(store, marker, exam_id, rooms, pasted))


def _ordered(store: Store, marker: Marker, exam_id: int, rooms: list[Room], pasted: str) -> None:
    order_books(store, exam_id, rooms, class_list(pasted), marker.id)


def _separators(exam_id: int, pasted: str) -> None:
    def make() -> None:
        state[f"separators_{exam_id}"] = print_separators(class_list(pasted))

    with st.spinner("Making the separator sheets …"):
        attempt(make)


def _prints(store: Store, exam_id: int) -> None:
    with store.read() as db:
        found = scans.books(db, exam_id)
    if not found:
        st.caption("No answer books have been made for this exam yet.")
        return
    st.markdown("**Answer books made**")
    waiting = [book.id for book in found[:SHOWN] if not books_file(store, book.id).exists()]
    for book in found[:SHOWN]:
        if book.id not in waiting:
            _download(store, book.id, book.created_at)
    if waiting:
        _watch(store, waiting)
    if len(found) > SHOWN:
        st.caption(f"The newest {SHOWN} of {len(found)} are shown. Books of every print can be read back.")


@st.fragment(run_every=BEAT_SECONDS)
def _watch(store: Store, waiting: list[int]) -> None:
    if any(books_file(store, book_id).exists() for book_id in waiting):
        draw_again()
        return
    st.caption(f"Making a PDF for more than {AT_ONCE} candidates; it will stand here in a moment \\.\\.\\.")


def _download(store: Store, book_id: int, made: str) -> None:
    wanted = printed(store, book_id)
    pages = len(wanted.book().pages)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Download (PDF)",
            lambda: books_file(store, book_id).read_bytes(),
            f"answer-books-{book_id}.pdf",
            "application/pdf",
            key=f"books_pdf_{book_id}",
            icon=":material/download:",
            on_click="ignore",
        )
        st.caption(plain(f"{when(made)} · {count(len(wanted.candidates), 'candidate')}, {count(pages, 'page')} each"))


def when(moment: str) -> str:
    """A stored moment for people."""
    return f"{moment[:16].replace('T', ', ')} UTC"

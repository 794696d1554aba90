"""Beginning a scan: how the scripts are told apart, the class list, and the files."""

from __future__ import annotations

from typing import Any

import streamlit as st

from components.intake.page_regions import ScanFault
from components.marking import Marker
from components.widgets.figures import count, plain
from components.workflow import scanning
from components.workflow.demo_scan import demo_scan, is_paper_demo
from components.workflow.printing import class_list, prints
from components.workflow.scan_setup import Way
from pages.shared.press import pressed
from pages.teacher.scanned_act import attempt
from pages.teacher.scanned_print import when
from storage import Store, responses

LARGEST_MB = 400
TYPES = ["pdf", "zip", "png", "jpg", "jpeg", "webp", "avif", "tif", "tiff", "heic", "heif", "gif"]
WAYS: dict[Way, tuple[str, str]] = {
    "books": ("Answer books printed here", "The codes on each page say whose it is. Any order, no template."),
    "coded separators": ("Separator sheets with codes", "A printed sheet lies before each script."),
    "blank separators": ("Blank pages between scripts", "The scripts lie in the order of the class list."),
    "fixed pages": ("The same number of pages each", "The scripts lie in the order of the class list."),
    "file": ("A file for each candidate", "Named by candidate: 0417.pdf, or a ZIP with a folder for each."),
}

state = st.session_state


def begin_part(store: Store, marker: Marker, exam_id: int) -> None:
    """The form for a new scan."""
    _demo_button(store, marker, exam_id)
    way: Way = st.radio(
        "How are the scripts told apart?",
        list(WAYS),
        format_func=lambda each: WAYS[each][0],
        captions=[caption for _, caption in WAYS.values()],
        key=f"scan_way_{exam_id}",
    )
    book_id, known = None, _candidates(store, exam_id)
    if way == "books":
        made = prints(store, exam_id)
        if not made:
            st.info(
                "No answer books have been made for this exam. Choose “Print answer books” above, or another way.",
                title="Nothing to read yet",
            )
            return
        book_id = next(iter(made))
        if len(made) > 1:
            book_id = st.selectbox(
                "Which books were they?",
                list(made),
                format_func=lambda each: f"{when(made[each][0])} · {count(len(made[each][1].rooms), 'question')}",
                key=f"scan_book_{exam_id}",
                help="The questions, or the room for answers, differed between these prints.",
            )
        known = list(dict.fromkeys([*made[book_id][1].candidates, *known]))
    pasted = st.text_area(
        "Class list",
        "\n".join(known),
        height=160,
        key=f"scan_class_{exam_id}_{book_id}",
        help="One candidate number a line. Nobody who is not in this list can get an answer.",
    )
    batch = state.setdefault("scan_batch", 0)
    files = st.file_uploader(
        "The scan: PDFs, pictures or a ZIP of them",
        TYPES,
        accept_multiple_files=True,
        key=f"scan_files_{exam_id}_{batch}",
        max_upload_size=LARGEST_MB,
        help="150 dots per inch in grey is enough. Everything stays on this machine.",
    )
    colour = st.checkbox("Keep the colours", key=f"scan_colour_{exam_id}", help="Slower, and the pictures are larger.")
    label = "Read the scan" if way == "books" else "Go on to the template"
    if pressed(label, key="scan_begin", type="primary", disabled=not files):
        _begin(store, marker, exam_id, way, pasted, files, book_id, colour)
        st.rerun()


def _begin(
    store: Store,
    marker: Marker,
    exam_id: int,
    way: Way,
    pasted: str,
    files: list[Any],
    book_id: int | None,
    colour: bool,
) -> None:
    def begin() -> None:
        named = [(file.name, file) for file in files]
        if [name for name, file in named if file.size > LARGEST_MB << 20]:
            raise ScanFault(f"A file has more than {LARGEST_MB} MB. Scan in grey at 150 dpi, or split it.")
        names = class_list(pasted)
        scan_id = scanning.begin(store, exam_id, marker, way, names, named, book_id=book_id, colour=colour)
        state["scan_batch"] += 1
        if way == "books":
            scanning.start_reading(store, scan_id, marker)

    attempt(begin)


def _candidates(store: Store, exam_id: int) -> list[str]:
    with store.read() as db:
        return responses.candidates(db, exam_id)


def _demo_button(store: Store, marker: Marker, exam_id: int) -> None:
    if not is_paper_demo(store, exam_id):
        return
    with st.container(border=True):
        st.write(
            "No scanner at hand? The demo class has handed in the same paper, scanned into one PDF with a separator "
            "sheet before each script. It comes as an exam of its own, without answers yet."
        )
        if pressed("Use the demo's class scan", key="scan_demo", icon=":material/science:"):
            with st.spinner("Writing out twelve scripts and scanning them …"):
                made = attempt(lambda: _demo(store, marker))
            if made:
                st.rerun()
            st.error(plain(state.pop("scan_problem", "")))


def _demo(store: Store, marker: Marker) -> None:
    exam_id, _ = demo_scan(store, marker)
    state["answers_place"] = (exam_id, None)
    state.pop("exam_id", None)

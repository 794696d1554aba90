"""Pictures of one answer: chosen or photographed, mended or as they came, turned and put in order, then stored."""

from __future__ import annotations

import streamlit as st

from components.marking import Marker
from components.widgets.figures import count, plain
from components.workflow.answers import Arriving, Existing
from pages.teacher.answer_store import store_answers
from pages.teacher.incoming import Incoming, ReadFile, read_files
from storage import Store
from storage.exams import StoredQuestion

LARGEST_MB = 40
TYPES = ["png", "jpg", "jpeg", "webp", "avif", "tif", "tiff", "heic", "heif", "gif"]

state = st.session_state


def upload_answer(store: Store, marker: Marker, question: StoredQuestion, there: Existing) -> None:
    """Pages from files and the camera, shown as they will be stored; nothing is stored while one of them is faulty."""
    place = f"{question.id}_{there.number}"
    batch = state.setdefault(f"upload_batch_{place}", 0)
    key = f"upload_{place}_{batch}"
    files = st.file_uploader(
        "Pictures of the answer, in any order",
        accept_multiple_files=True,
        key=key,
        max_upload_size=LARGEST_MB,
        help="PNG, JPEG, WebP, AVIF, TIFF (with all its pages), HEIC from an iPhone, or GIF.",
    )
    shot = _photograph(f"camera_{place}_{batch}")
    sources = [(each.file_id, each.name, each) for each in files or []]
    if shot is not None:
        sources.append((shot.file_id, "photograph.jpg", shot))
    if not sources:
        st.caption(
            "Up to 40 MB a file. Pictures are turned upright, and everything in them but the picture is removed."
        )
        return
    read: dict[str, ReadFile] = state.setdefault(f"{key}_read", {})
    new = [(file_id, name, file) for file_id, name, file in sources if file_id not in read]
    read.update(
        zip((each[0] for each in new), read_files([(name, file.getvalue()) for _, name, file in new]), strict=True)
    )
    here = [read[file_id] for file_id, *_ in sources]
    faults = [each.fault for each in here if each.fault]
    if faults:
        st.error("\n\n".join(plain(fault) for fault in faults), title="Nothing can be stored yet")
        st.caption("Take the file out of the list above, or put a good one in its place.")
    pages = _in_order(f"{key}_order", [page for each in here for page in each.pages])
    for number, page in enumerate(pages, 1):
        _page_card(f"{key}_order", pages, number, page)
    replacing = _replacing(there)
    st.button(
        f"Store {count(len(pages), 'page')}" if pages else "Store",
        key=f"store_{key}",
        type="primary",
        disabled=bool(faults) or not pages,
        on_click=_store,
        args=(store, marker, question, there, pages, replacing, place),
    )


def _photograph(key: str):  # an UploadedFile, which Streamlit does not export
    """The camera, asked for only when it is wanted."""
    popover = st.popover("Take a photo", icon=":material/photo_camera:", key=f"{key}_popover", on_change="rerun")
    if not popover.open and state.get(key) is None:
        return None
    with popover:
        return st.camera_input("The page, flat and filling the picture", key=key)


def _in_order(key: str, pages: list[Incoming]) -> list[Incoming]:
    """The pages as they were put in order; new ones come last."""
    kept = [page for page in state.get(key, []) if any(page is each for each in pages)]
    state[key] = kept + [page for page in pages if not any(page is each for each in kept)]
    return state[key]


def _page_card(key: str, pages: list[Incoming], number: int, page: Incoming) -> None:
    with st.container(border=True):
        looks = " · nothing seems to be written on it" if page.blank else ""
        st.markdown(f"**Page {number}** · {plain(page.name)}{looks}")
        mended, came = st.columns(2)
        if page.offer.picture is None:
            mended.image(page.preview(False), width="stretch", alt=f"Page {number} as it came")
        else:
            with mended:
                st.image(page.preview(True), caption="Mended", width="stretch", alt=f"Page {number} mended")
            with came:
                st.image(page.preview(False), caption="As it came", width="stretch", alt=f"Page {number} as it came")
            _choice(f"{key}_{id(page)}_choice", page)
        st.caption(plain(page.offer.said))
        with st.container(horizontal=True, gap="small"):
            st.button(
                "Turn left",
                icon=":material/rotate_left:",
                key=f"{key}_{id(page)}_left",
                on_click=_turn,
                args=(page, -1),
            )
            st.button(
                "Turn right",
                icon=":material/rotate_right:",
                key=f"{key}_{id(page)}_right",
                on_click=_turn,
                args=(page, 1),
            )
            if len(pages) > 1:
                st.button(
                    "Earlier",
                    icon=":material/arrow_upward:",
                    key=f"{key}_{id(page)}_up",
                    disabled=number == 1,
                    on_click=_earlier,
                    args=(key, number - 1),
                )
                st.button(
                    "Later",
                    icon=":material/arrow_downward:",
                    key=f"{key}_{id(page)}_down",
                    disabled=number == len(pages),
                    on_click=_earlier,
                    args=(key, number),
                )


def _choice(key: str, page: Incoming) -> None:
    state.setdefault(key, "Mended" if page.mended else "As it came")
    page.mended = st.segmented_control("Store it", ["Mended", "As it came"], key=key, required=True) == "Mended"


def _turn(page: Incoming, way: int) -> None:
    page.turns = (page.turns + way) % 4


def _earlier(key: str, place: int) -> None:
    """Exchange the page at this place with the one before it."""
    pages = state[key]
    pages[place - 1], pages[place] = pages[place], pages[place - 1]


def _replacing(there: Existing) -> bool:
    if not there.pages:
        return False
    if there.fixed:
        st.info(f"These pages will be added after those there: {plain(there.fixed)}")
        return False
    choice = st.segmented_control(
        "The answer has pages already",
        ["Replace them", "Add after them"],
        default="Replace them",
        required=True,
        key="upload_replacing",
    )
    return choice == "Replace them"


def _store(
    store: Store,
    marker: Marker,
    question: StoredQuestion,
    there: Existing,
    pages: list[Incoming],
    replacing: bool,
    place: str,
) -> None:
    made = tuple(page.new_page() for page in pages)
    arriving = Arriving(there.number, "photographed", pages=made, replace=replacing, seen=there.seen)
    if store_answers(store, marker, question, [arriving]):
        batch = state[f"upload_batch_{place}"]
        for each in [each for each in state if str(each).startswith(f"upload_{place}_{batch}")]:
            state.pop(each, None)
        state[f"upload_batch_{place}"] = batch + 1

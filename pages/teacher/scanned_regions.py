"""The template: the paper's blank pages, on which each question's answer space is drawn once."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from components.intake.page_regions import ScanFault
from components.intake.scan_pages import ScanFile, page_count, pages_of
from components.widgets.figures import plain
from components.widgets.ink_pad import room
from components.widgets.region_pad import Box, region_pad
from components.workflow import scanning
from components.workflow.scan_setup import Region, ScanSetup
from components.workflow.scanning import folder_of, template_file
from pages.teacher.scanned_act import attempt
from storage import Store, exams, scans
from storage.scans import Scan

WIDEST = 760  # pixels of the page on screen
LEAST_SHARE = 0.85
DPI = 110

state = st.session_state


@dataclass
class Sheet:
    """What lies on the canvas: a page of a scan's template, laid out at a width."""

    scan_id: int
    template: str
    page: int
    width: int = 0
    mounting: int = 0
    loaded: list[Box] = field(default_factory=list)

    def mount(self, regions: tuple[Region, ...]) -> None:
        """Have a new canvas show the page's regions as they are kept."""
        self.mounting += 1
        self.loaded = [Box(r.question, r.x, r.y, r.w, r.h) for r in regions if r.page == self.page]


def regions_part(store: Store, scan: Scan, setup: ScanSetup) -> bool:
    """The template and its regions; whether they are complete enough to read by."""
    if setup.template is None:
        _choose_template(store, scan)
        return False
    with store.read() as db:
        numbers = [each.question.number for each in exams.questions(db, scan.exam_id)]
    try:
        pages = page_count(template_file(store, scan.id, setup))
    except ScanFault as fault:
        st.error(plain(str(fault)))
        _choose_template(store, scan)
        return False
    st.write(
        f"**{plain(setup.template.name)}**: draw a rectangle round the space for each answer. Choose the question, "
        "press on the page and drag. A question that goes on elsewhere gets several rectangles."
    )
    _draw(store, scan, setup, numbers, pages)
    strange = sorted({each.question for each in setup.regions if each.question not in numbers})
    lost = [number for number in numbers if number not in {each.question for each in setup.regions}]
    if strange:
        st.error(f"The exam has no question {plain(', '.join(strange) or 'without a number')}: delete its rectangle.")
    if lost:
        st.caption(f"No rectangle yet: {plain(', '.join(lost))}. These questions would get no answers\\.")
    with st.popover("Another template", icon=":material/upload_file:"):
        _choose_template(store, scan)
    return bool(setup.regions) and not strange


def _choose_template(store: Store, scan: Scan) -> None:
    file = st.file_uploader(
        "The paper's blank pages: a PDF or a picture",
        ["pdf", "png", "jpg", "jpeg", "tif", "tiff"],
        key=f"scan_template_{scan.id}",
        max_upload_size=100,
        help="The paper as it was printed, nothing written on it. One page for each page that was scanned.",
    )
    if file is not None:
        st.button(
            "Take this template",
            key=f"scan_take_template_{scan.id}",
            type="primary",
            on_click=lambda: attempt(partial(_take, store, scan.id, file)),
        )


def _take(store: Store, scan_id: int, file: Any) -> None:
    scanning.set_template(store, scan_id, file.name, io.BytesIO(file.getvalue()))
    state.pop("scan_sheet", None)


def _draw(store: Store, scan: Scan, setup: ScanSetup, numbers: list[str], pages: int) -> None:
    page = 1
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if pages > 1:
            page = st.segmented_control(
                "Page", list(range(1, pages + 1)), default=1, required=True, key=f"scan_page_{scan.id}"
            )
        label = st.selectbox(
            "Question to draw",
            numbers,
            index=numbers.index(_next(numbers, setup.regions)),
            key=f"scan_question_{scan.id}",
            width=180,
        )
    assert setup.template is not None
    sheet: Sheet | None = state.get("scan_sheet")
    if sheet is None or (sheet.scan_id, sheet.template, sheet.page) != (scan.id, setup.template.name, page):
        sheet = state["scan_sheet"] = Sheet(scan.id, setup.template.name, page)
    width = room("scan_room")
    if width is None:
        st.caption("Laying out the page …")
    else:
        _canvas(store, sheet, setup, numbers, min(width, WIDEST), label)
    _listed(store, sheet, setup)


def _canvas(store: Store, sheet: Sheet, setup: ScanSetup, numbers: list[str], width: int, label: str) -> None:
    if sheet.width > width or sheet.width < LEAST_SHARE * width:
        sheet.width = width
        sheet.mount(setup.regions)
    key = f"scan_canvas_{sheet.scan_id}_{sheet.page}_{sheet.mounting}"
    if key not in state:
        sheet.mount(setup.regions)
        key = f"scan_canvas_{sheet.scan_id}_{sheet.page}_{sheet.mounting}"
    assert setup.template is not None
    place = folder_of(store, sheet.scan_id) / setup.template.file
    picture, high = _picture(str(place), place.stat().st_mtime_ns, setup.template.name, sheet.page)
    region_pad(
        key,
        picture=picture,
        boxes=sheet.loaded,
        size=(sheet.width, round(sheet.width * high)),
        label=label,
        on_drawn=partial(_drawn, store, sheet.scan_id, sheet.page, numbers),
    )


@st.cache_data(show_spinner=False, max_entries=20)
def _picture(place: str, changed: int, name: str, page: int) -> tuple[bytes, float]:
    """The template's page as a JPEG, and how many times as high as wide it is."""
    drawn = next(iter(pages_of(ScanFile(name, Path(place)), DPI, only=[page])))
    out = io.BytesIO()
    drawn.grey.convert("L").save(out, "JPEG", quality=85)
    return out.getvalue(), drawn.grey.height / drawn.grey.width


def _drawn(store: Store, scan_id: int, page: int, numbers: list[str], boxes: list[Box]) -> None:
    """Keep the page's boxes, and offer the next question that has none."""
    new = [Region(question=box.label, page=page, x=box.x, y=box.y, w=box.w, h=box.h) for box in boxes]

    def keep(setup: ScanSetup) -> ScanSetup:
        others = [each for each in setup.regions if each.page != page]
        return setup.model_copy(update={"regions": tuple(sorted([*others, *new], key=lambda each: each.page))})

    before = len(_now(store, scan_id).regions)
    if attempt(lambda: scanning.change(store, scan_id, keep)):
        after = _now(store, scan_id).regions
        if len(after) > before:
            state[f"scan_question_{scan_id}"] = _next(numbers, after)


def _next(numbers: list[str], regions: tuple[Region, ...]) -> str:
    drawn = {each.question for each in regions}
    return next((number for number in numbers if number not in drawn), numbers[0])


def _listed(store: Store, sheet: Sheet, setup: ScanSetup) -> None:
    """The rectangles, each with a button that deletes it."""
    if not setup.regions:
        st.caption("No rectangle has been drawn yet.")
        return
    with st.container(horizontal=True, gap="small"):
        for place, each in enumerate(setup.regions):
            st.button(
                f"Question {plain(each.question)}, page {each.page}",
                key=f"scan_region_{sheet.scan_id}_{place}",
                icon=":material/delete:",
                help="Delete this rectangle",
                on_click=_delete,
                args=(store, sheet, each),
            )


def _delete(store: Store, sheet: Sheet, region: Region) -> None:
    def without(setup: ScanSetup) -> ScanSetup:
        return setup.model_copy(update={"regions": tuple(each for each in setup.regions if each != region)})

    if attempt(lambda: scanning.change(store, sheet.scan_id, without)):
        sheet.mount(_now(store, sheet.scan_id).regions)


def _now(store: Store, scan_id: int) -> ScanSetup:
    with store.read() as db:
        return scanning.setup_of(scans.get(db, scan_id))

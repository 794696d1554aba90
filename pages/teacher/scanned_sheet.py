"""The contact sheet: all that was cut from a scan, question by question, before any of it is stored."""

from __future__ import annotations

from functools import partial

import streamlit as st

from components.intake.scan_types import Cut, ScanPlan
from components.widgets.figures import count, plain
from components.workflow import scanning
from components.workflow.scan_results import small_copy
from components.workflow.scan_setup import ScanSetup
from components.workflow.scan_store import looks_blank
from components.workflow.scanning import folder_of
from pages.teacher.scanned_act import attempt
from storage import Store, exams
from storage.scans import Scan

CUTS_SHOWN = 40
WIDE = 210  # pixels of a small copy on screen

state = st.session_state


@st.fragment
def contact_sheet(store: Store, scan: Scan, setup: ScanSetup, plan: ScanPlan) -> None:
    """The cuts of one question, forty at a time. A tick says that nothing is written."""
    by_question: dict[str, list[Cut]] = {}
    for cut in plan.cuts:
        by_question.setdefault(cut.question, []).append(cut)
    if not by_question:
        return
    blank = sum(looks_blank(cut, setup) for cut in plan.cuts)
    st.markdown(f"**Contact sheet** · {count(len(plan.cuts), 'cut')}, {blank} with nothing written")
    st.caption(
        "Look that each picture is the right answer, whole. A tick says that nothing is written in it: the picture is "
        "stored with that remark and no mark. You give “no response” on the marking page, with N."
    )
    with store.read() as db:
        places = {each.question.number: each.position for each in exams.questions(db, scan.exam_id)}
    numbers = sorted(by_question, key=lambda each: places.get(each, len(places) + 1))
    number = st.selectbox(
        "Question",
        numbers,
        format_func=lambda each: f"Question {each} · {count(len(by_question[each]), 'cut')}",
        key=f"scan_sheet_question_{scan.id}",
        width=260,
    )
    cuts = by_question[number]
    sheets = -(-len(cuts) // CUTS_SHOWN)
    sheet = st.pagination(sheets, key=f"scan_sheet_{scan.id}_{number}") if sheets > 1 else 1
    with st.container(horizontal=True, gap="small", key=f"scan_cuts_{scan.id}"):
        for cut in cuts[(sheet - 1) * CUTS_SHOWN : sheet * CUTS_SHOWN]:
            _cell(store, scan, setup, cut)


def _cell(store: Store, scan: Scan, setup: ScanSetup, cut: Cut) -> None:
    part = f", part {cut.part}" if cut.part > 1 else ""
    with st.container(border=True, width=WIDE + 34, gap="xsmall"):
        st.image(
            str(small_copy(folder_of(store, scan.id), cut)),
            width=WIDE,
            alt=f"Candidate {cut.candidate}, question {cut.question}{part}",
        )
        key = f"scan_blank_{scan.id}_{cut.path.name}"
        st.checkbox(
            f"Nothing written · **{plain(cut.candidate)}**{plain(part)}",
            looks_blank(cut, setup),
            key=key,
            on_change=lambda: attempt(partial(_say_blank, store, scan, cut, bool(state[key]))),
        )


def _say_blank(store: Store, scan: Scan, cut: Cut, blank: bool) -> None:
    scanning.change(
        store,
        scan.id,
        lambda setup: setup.model_copy(update={"looks_blank": {**setup.looks_blank, cut.path.name: blank}}),
    )

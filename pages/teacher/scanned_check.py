"""What reading a scan found: every page accounted for, and the problems that need a person, each with a way out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from components.intake.page_regions import ScanFault
from components.intake.scan_types import PageReport, ScanPlan
from components.marking import Marker
from components.widgets.figures import count, plain
from components.workflow import scanning
from components.workflow.printing import class_list
from components.workflow.scan_results import problem_page
from components.workflow.scan_setup import Ruling, ScanSetup
from components.workflow.scanning import folder_of
from pages.shared.press import pressed
from pages.teacher.scanned_act import attempt
from pages.teacher.scanned_setup import LARGEST_MB, TYPES
from storage import Store
from storage.scans import Scan

PROBLEMS_SHOWN = 10
LEAVE_OUT = "Leave it out"
TURNS = {0: "as it lies", 90: "turned left", 180: "upside down", 270: "turned right"}

state = st.session_state


def problems_part(store: Store, scan: Scan, setup: ScanSetup, plan: ScanPlan) -> None:
    """The problems, some at a time, each as a card."""
    wanting = [(row, each) for row, each in enumerate(plan.report) if each.level == "error"]
    if not wanting:
        return
    st.markdown(f"**{count(len(wanting), 'problem')} to settle** · nothing is stored before")
    sheets = -(-len(wanting) // PROBLEMS_SHOWN)
    sheet = st.pagination(sheets, key=f"scan_problems_{scan.id}") if sheets > 1 else 1
    for row, each in wanting[(sheet - 1) * PROBLEMS_SHOWN : sheet * PROBLEMS_SHOWN]:
        with st.container(border=True, key=f"scan_problem_{scan.id}_{row}"):
            _problem(store, scan, setup, row, each)


def _problem(store: Store, scan: Scan, setup: ScanSetup, row: int, problem: PageReport) -> None:
    picture = problem_page(folder_of(store, scan.id), row)
    if picture is not None:
        shown, said = st.columns([1, 2])
        with shown:
            st.image(str(picture), width=260, alt=f"Page {problem.page} of {problem.file}")
    else:
        said = st.container()
    # By what it is about: the report may have been made anew, with another page in this row, since the press.
    key = f"{scan.id}_{row}_{problem.file}_{problem.page}_{problem.candidate}"
    with said:
        st.write(plain(problem.message))
        if problem.page:
            _settle_page(store, scan, setup, key, problem)
        elif problem.file:
            _button(f"Leave {plain(problem.file)} out", key, partial(_drop_file, store, scan, problem.file))
        elif problem.candidate:
            lost = partial(_accept, store, scan, problem.candidate)
            if problem.candidate in setup.accept_missing:
                st.caption("Accepted as lost; read again to go on.")
            else:
                _button("Accept that it is lost", key, lost)


def _settle_page(store: Store, scan: Scan, setup: ScanSetup, key: str, problem: PageReport) -> None:
    ruling = next((each for each in setup.rulings if (each.file, each.page) == (problem.file, problem.page)), None)
    if ruling is not None:
        what = f"candidate {ruling.candidate}, page {ruling.book_page}" if ruling.candidate else "left out"
        st.caption(plain(f"You said: {what}. It counts once the scan is read again."))
        _button("Take that back", f"{key}_back", partial(scanning.unsettle, store, scan.id, problem.file, problem.page))
        return
    if problem.result == "unknown candidate" and problem.candidate:
        if problem.candidate in setup.candidates:
            st.caption(plain(f"{problem.candidate} is in the class list now; read again to go on."))
            return
        add = partial(_add_candidate, store, scan, problem.candidate)
        _button(f"Add {plain(problem.candidate)} to the class list", f"{key}_add", add)
    options = [LEAVE_OUT, *setup.candidates]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        whose = st.selectbox(
            "Whose page is it?",
            options,
            index=None,
            placeholder="Choose",
            key=f"scan_whose_{key}",
            width=200,
        )
        page, turn = 1, 0
        if whose not in (None, LEAVE_OUT):
            page = st.number_input("Which page of theirs?", 1, 200, 1, key=f"scan_which_{key}", width=160)
            turn = st.selectbox(
                "How does it lie?", list(TURNS), format_func=TURNS.__getitem__, key=f"scan_turn_{key}", width=160
            )
        said = Ruling(
            file=problem.file,
            page=problem.page,
            candidate="" if whose in (None, LEAVE_OUT) else str(whose),
            book_page=0 if whose in (None, LEAVE_OUT) else page,
            turn=turn,
        )
        settle = partial(scanning.settle, store, scan.id, said)
        _button("Settle", f"{key}_settle", settle, disabled=whose is None)


def report_part(plan: ScanPlan) -> None:
    """Every row of the report."""
    with st.expander(f"The report: {count(len(plan.report), 'row')}, every page accounted for", icon=":material/list:"):
        st.dataframe(
            pd.DataFrame(
                {
                    "File": [row.file for row in plan.report],
                    "Page": [row.page or None for row in plan.report],
                    "Candidate": [row.candidate for row in plan.report],
                    "Became": [row.result for row in plan.report],
                    "": [row.message for row in plan.report],
                }
            ),
            hide_index=True,
            column_config={"": st.column_config.TextColumn("What happened", width="large")},
        )
    for row in plan.warnings[:PROBLEMS_SHOWN]:
        st.caption(plain(row.message))
    if len(plan.warnings) > PROBLEMS_SHOWN:
        st.caption(f"{len(plan.warnings) - PROBLEMS_SHOWN} more remarks stand in the report.")


def class_and_files_part(store: Store, scan: Scan, setup: ScanSetup) -> None:
    """The class list and the files, to be changed before reading again."""
    with st.expander("Class list and files", icon=":material/groups:"):
        pasted = st.text_area(
            "Class list", "\n".join(setup.candidates), height=160, key=f"scan_list_{scan.id}_{len(setup.candidates)}"
        )
        _button("Take this class list", f"{scan.id}_list", partial(_take_list, store, scan, pasted))
        st.caption(plain("Files: " + ", ".join(each.name for each in setup.files)))
        for ruling in setup.rulings:
            what = f"candidate {ruling.candidate}, page {ruling.book_page}" if ruling.candidate else "left out"
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(plain(f"You said of {ruling.file}, page {ruling.page}: {what}."))
                back = partial(scanning.unsettle, store, scan.id, ruling.file, ruling.page)
                _button("Take back", f"{scan.id}_said_{ruling.file}_{ruling.page}", back)
        files = st.file_uploader(
            "More files of the same scan",
            TYPES,
            accept_multiple_files=True,
            key=f"scan_more_{scan.id}_{len(setup.files)}",
            max_upload_size=LARGEST_MB,
        )
        if files:
            more = partial(scanning.add_files, store, scan.id, [(file.name, file) for file in files])
            _button("Add these files", f"{scan.id}_more", more)


def read_button(store: Store, scan: Scan, marker: Marker, label: str, *, disabled: bool = False) -> None:
    """Begins the reading, or does it again."""
    st.button(
        label,
        key=f"scan_read_{scan.id}",
        type="primary",
        disabled=disabled,
        on_click=lambda: attempt(partial(scanning.start_reading, store, scan.id, marker)),
    )


def _button(label: str, key: str, act: Callable[[], Any], *, disabled: bool = False) -> None:
    if pressed(label, key=f"scan_do_{key}", disabled=disabled):
        attempt(act)
        st.rerun()


def _drop_file(store: Store, scan: Scan, name: str) -> None:
    def without(setup: ScanSetup) -> ScanSetup:
        kept = tuple(each for each in setup.files if each.name != name)
        if len(kept) == len(setup.files):
            raise ScanFault(f"“{name}” came inside a ZIP. Mend the ZIP, or throw this scan away and begin again.")
        return setup.model_copy(update={"files": kept})

    scanning.change(store, scan.id, without)


def _accept(store: Store, scan: Scan, candidate: str) -> None:
    scanning.change(
        store, scan.id, lambda setup: setup.model_copy(update={"accept_missing": (*setup.accept_missing, candidate)})
    )


def _add_candidate(store: Store, scan: Scan, candidate: str) -> None:
    scanning.change(
        store, scan.id, lambda setup: setup.model_copy(update={"candidates": (*setup.candidates, candidate)})
    )


def _take_list(store: Store, scan: Scan, pasted: str) -> None:
    names = class_list(pasted)
    scanning.change(store, scan.id, lambda setup: setup.model_copy(update={"candidates": names}))

"""A whole class on paper: printing for it, and its scan from files to stored answers."""

from __future__ import annotations

from functools import partial

import streamlit as st

from components.marking import Marker
from components.widgets.figures import count, plain
from components.workflow import scanning
from components.workflow.scan_results import Results, results
from components.workflow.scan_setup import ScanSetup
from components.workflow.scan_store import store_scan
from components.workflow.scanning import folder_of
from pages.shared import guard
from pages.shared.beat import draw_again
from pages.shared.press import pressed
from pages.teacher.scanned_act import PROBLEM, attempt
from pages.teacher.scanned_check import class_and_files_part, problems_part, read_button, report_part
from pages.teacher.scanned_print import print_part, when
from pages.teacher.scanned_regions import regions_part
from pages.teacher.scanned_setup import WAYS, begin_part
from pages.teacher.scanned_sheet import contact_sheet
from storage import Store, jobs, scans
from storage.jobs import Job
from storage.scans import Scan

BEAT_SECONDS = 1
PRINT, READ = "Print answer books", "Read a scan"

state = st.session_state


def scanned_class(store: Store, marker: Marker, exam_id: int) -> None:
    """What is to be done for the exam, and where its open scan is."""
    if problem := state.pop(PROBLEM, ""):
        st.error(plain(problem), title="That was not done")
    doing = st.segmented_control(
        "What would you like to do?", [PRINT, READ], default=READ, required=True, key=f"scan_doing_{exam_id}"
    )
    if doing == PRINT:
        print_part(store, marker, exam_id)
        return
    with store.read() as db:
        scan = scanning.open_scan(db, exam_id)
        stored = scans.of_exam(db, exam_id, scans.STORED)
        job = None if scan is None or scan.job_id is None else jobs.get(db, scan.job_id)
    if scan is None:
        if stored:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(
                    plain(f"{count(len(stored), 'scan')} stored; the last was brought in {when(stored[0].created_at)}.")
                )
                if pressed("Mark the answers", key=f"scan_mark_{exam_id}", icon=":material/edit_note:"):
                    st.switch_page(guard.PAGES_FOLDER / "teacher/mark.py", query_params={"exam": str(exam_id)})
        begin_part(store, marker, exam_id)
        return
    _open(store, marker, scan, scanning.setup_of(scan), job)


def _open(store: Store, marker: Marker, scan: Scan, setup: ScanSetup, job: Job | None) -> None:
    files = count(len(setup.files), "file")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{plain(WAYS[setup.way][0])}** · {files} · {count(len(setup.candidates), 'candidate')}")
        with st.popover("Throw this scan away", icon=":material/delete:", key=f"scan_away_{scan.id}"):
            st.write("The files and what was read of them go. Nothing of it has been stored.")
            st.button(
                "Throw it away",
                key=f"scan_away_yes_{scan.id}",
                type="primary",
                on_click=lambda: attempt(partial(scanning.throw_away, store, scan.id)),
            )
    if job is not None and job.status in ("queued", "running"):
        _watch(store, scan, job.id)
        return
    kept = results(folder_of(store, scan.id))
    if job is None or job.status != "done" or kept is None:
        _not_read(store, marker, scan, setup, job)
    else:
        _check(store, marker, scan, setup, kept)


@st.fragment(run_every=BEAT_SECONDS)
def _watch(store: Store, scan: Scan, job_id: int) -> None:
    """The reading under way; draws the page again at its end."""
    with store.read() as db:
        job = jobs.get(db, job_id)
    if job is None or job.status not in ("queued", "running"):
        draw_again()
        return
    told = f"{job.message} · {job.done:,} of {job.total:,}" if job.total else "Waiting for its turn"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(min(1.0, job.done / job.total) if job.total else 0.0, plain(told), width=460)
        st.button("Cancel", key=f"scan_cancel_{scan.id}", on_click=scanning.cancel, args=(store, scan.id))
    st.caption("You may leave this page; reading goes on, and after a restart it takes up where it was\\.")


def _not_read(store: Store, marker: Marker, scan: Scan, setup: ScanSetup, job: Job | None) -> None:
    if job is not None and job.status == "failed":
        st.error(plain(job.message), title="The scan could not be read")
    elif job is not None:
        st.info("Reading was stopped. It goes on with the pages that have not been read.", title="Stopped")
    ready = setup.way == "books" or regions_part(store, scan, setup)
    class_and_files_part(store, scan, setup)
    again = job is not None
    read_button(store, scan, marker, "Go on reading" if again else "Read the scan", disabled=not ready)


def _check(store: Store, marker: Marker, scan: Scan, setup: ScanSetup, kept: Results) -> None:
    plan, changed = kept.plan, kept.read_by != setup.read_by()
    with st.container(horizontal=True, gap="medium"):
        st.metric("Pages", f"{len({(row.file, row.page) for row in plan.report if row.page}):,}", width="content")
        st.metric("Answers cut", f"{len({(cut.candidate, cut.question) for cut in plan.cuts}):,}", width="content")
        st.metric("Candidates", f"{len({cut.candidate for cut in plan.cuts}):,}", width="content")
        st.metric("Problems", f"{len(plan.problems):,}", width="content")
    problems_part(store, scan, setup, plan)
    if changed:
        st.info("Something has been settled or changed since the scan was read.", title="Read it again")
        read_button(store, scan, marker, "Read again")
    report_part(plan)
    class_and_files_part(store, scan, setup)
    if setup.way != "books" and st.toggle("Change the template's rectangles", key=f"scan_redraw_{scan.id}"):
        regions_part(store, scan, setup)
    contact_sheet(store, scan, setup, plan)
    answers = len({(cut.candidate, cut.question) for cut in plan.cuts})
    st.button(
        f"Store {count(answers, 'answer')}",
        key=f"scan_store_{scan.id}",
        type="primary",
        disabled=changed or not plan.ok or not answers,
        on_click=_store,
        args=(store, marker, scan.id),
    )
    st.caption(
        "All together or none. The exam's judge is then asked about them. What is stored cannot be taken back as a "
        "scan: change single answers under “One answer” until they are marked."
    )


def _store(store: Store, marker: Marker, scan_id: int) -> None:
    def act() -> None:
        done = store_scan(store, marker, scan_id)
        if not done.added:
            said = f"All {count(done.already, 'answer')} were stored before; nothing was added."
        else:
            said = f"{count(done.added, 'answer')} of {count(done.candidates, 'candidate')} are stored."
            if done.already:
                said += f" {count(done.already, 'answer')} were stored before."
            if done.blank:
                said += f" Nothing seems to be written in {done.blank}: press N on the marking page where that is so."
            said += " The judge is asked about them." if done.asked else " This exam has no judge to ask."
        st.session_state["answers_notice"] = said

    with st.spinner("Storing the answers …"):
        attempt(act)

"""A file that takes a while: made by the background worker, with its progress, a way to cancel, and the download."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from components.marking import Marker, MarkError
from components.widgets.figures import plain
from components.workflow.marks_out.files import KEPT_DAYS, Kind, cancel, file_of, latest, order, take
from pages.department.marks_out_downloads import stem
from pages.department.marks_out_rules import REFUSED
from pages.shared.beat import draw_again
from pages.shared.clock import moment_text
from storage import Store, jobs
from storage.exams import Exam
from storage.jobs import Job

BEAT_SECONDS = 1
KB, MB = 2**10, 2**20

state = st.session_state


def show_file(store: Store, viewer: Marker, exam: Exam, kind: Kind, label: str, ending: str) -> None:
    """The newest such file of the exam and where it stands; the button that makes one."""
    job = latest(store, exam.id, kind)
    if job is not None and job.status in ("queued", "running"):
        _watch(store, job.id, kind)
        return
    if job is not None and job.status == "done" and _ready(store, viewer, exam, kind, label, ending, job):
        return
    if job is not None and job.status == "failed":
        st.warning(plain(job.message), title="The file was not made")
    elif job is not None and job.status == "done":
        st.caption(f"The last one has been removed: files are kept for {KEPT_DAYS} days. Make it again.")
    _make_button(store, viewer, exam.id, kind, f"Make: {label}", primary=True)


def _ready(store: Store, viewer: Marker, exam: Exam, kind: Kind, label: str, ending: str, job: Job) -> bool:
    """Show the download, if its file is still there."""
    try:
        found = file_of(store, exam.id, kind, job.id).stat()
    except OSError:
        return False
    made = moment_text(datetime.fromtimestamp(found.st_mtime, UTC).isoformat())
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            label,
            lambda: take(store, exam.id, kind, job.id, viewer),
            f"{stem(exam)}-{ending}",
            "application/zip",
            key=f"marks_out_take_{kind}_{exam.id}_{job.id}",
            icon=":material/folder_zip:",
            on_click="ignore",
            type="primary",
        )
        _make_button(store, viewer, exam.id, kind, "Make it again", primary=False)
    size = f"{found.st_size / MB:.1f} MB" if found.st_size > MB else f"{found.st_size / KB:.0f} kB"
    st.caption(plain(f"{job.message} {size}, as the marks were at {made}; kept for {KEPT_DAYS} days."))
    return True


def _make_button(store: Store, viewer: Marker, exam_id: int, kind: Kind, label: str, *, primary: bool) -> None:
    st.button(
        label,
        key=f"marks_out_make_{kind}_{exam_id}",
        icon=":material/refresh:" if not primary else ":material/folder_zip:",
        on_click=_order,
        args=(store, viewer, exam_id, kind),
    )


def _order(store: Store, viewer: Marker, exam_id: int, kind: Kind) -> None:
    try:
        order(store, exam_id, kind, viewer)
    except MarkError as error:
        state[REFUSED] = str(error)


@st.fragment(run_every=BEAT_SECONDS)
def _watch(store: Store, job_id: int, kind: Kind) -> None:
    """A running job's progress; draws the page again when it has ended."""
    with store.read() as db:
        job = jobs.get(db, job_id)
    if job is None or job.status not in ("queued", "running"):
        draw_again()
        return
    text = f"Making the {kind}: {job.done:,} of {job.total:,}" if job.total else f"The {kind} will be made in a moment"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(job.done / job.total if job.total else 0.0, text, width=420)
        st.button("Cancel", key=f"marks_out_cancel_{job_id}", on_click=cancel, args=(store, job_id))

"""For an exam with pictures: drafting transcripts, and a candidate's script with what teachers drew on it."""

from __future__ import annotations

import streamlit as st

from components.intake import recogniser
from components.widgets.figures import count, plain
from components.workflow import drafting
from components.workflow.annotated_script import annotated_script
from pages.shared.beat import draw_again
from storage import Store, jobs, pictures, responses
from storage.exams import Exam

BEAT_SECONDS = 1


def paper_buttons(store: Store, exam: Exam) -> None:
    """The two popovers, where the exam has any picture."""
    with store.read() as db:
        shown = pictures.count_of_exam(db, exam.id)
    if not shown:
        return
    with st.container(horizontal=True):
        opened = st.popover(
            "Annotated script", icon=":material/picture_as_pdf:", key=f"scripts_{exam.id}", on_change="rerun"
        )
        if opened.open:
            with opened:
                _script(store, exam)
        with st.popover("Transcripts", icon=":material/text_snippet:", key=f"transcripts_{exam.id}"):
            _drafts(store, exam, shown)


def _script(store: Store, exam: Exam) -> None:
    with store.read() as db:
        numbers = responses.candidates(db, exam.id)
    candidate = st.selectbox("Candidate", numbers, key=f"script_of_{exam.id}")
    st.caption("The answers in the exam's order, each under its mark, with what was drawn on them. A PDF that prints.")
    st.download_button(
        "Download the PDF",
        lambda: annotated_script(store, exam.id, str(candidate)),
        file_name=f"script-{candidate}.pdf",
        mime="application/pdf",
        key=f"download_script_{exam.id}",
        type="primary",
        disabled=candidate is None,
    )


def _drafts(store: Store, exam: Exam, shown: int) -> None:
    st.write(
        f"{count(shown, 'answer')} here {'has' if shown == 1 else 'have'} pictures. A recogniser on this computer can "
        "draft what they say. It reads print well and handwriting poorly, so a draft is for a teacher to correct on "
        "the marking page; nothing is marked from it unseen."
    )
    if not recogniser.available():
        st.info(
            "It is not installed. Start the app with `uv run --extra transcripts streamlit run app.py` to have it.",
            title="An optional extra",
        )
        return
    with store.read() as db:
        job = jobs.latest_of_exam(db, drafting.DRAFT, exam.id)
    busy = job is not None and job.status in ("queued", "running")
    st.button(
        "Draft what has no transcript",
        key=f"draft_{exam.id}",
        disabled=busy,
        on_click=drafting.start,
        args=(store, exam.id),
    )
    if job is not None and busy:
        _watch(store, job.id)
    elif job is not None:
        st.caption(plain(job.message))


@st.fragment(run_every=BEAT_SECONDS)
def _watch(store: Store, job_id: int) -> None:
    with store.read() as db:
        job = jobs.get(db, job_id)
    if job is None or job.status not in ("queued", "running"):
        draw_again()
        return
    told = f"{job.done:,} of {job.total:,}" if job.total else "Waiting to begin"
    st.progress(min(1.0, job.done / job.total) if job.total else 0.0, told)
    st.button("Cancel", key=f"cancel_{job_id}", on_click=_cancel, args=(store, job_id))


def _cancel(store: Store, job_id: int) -> None:
    with store.write() as db:
        jobs.cancel(db, job_id)

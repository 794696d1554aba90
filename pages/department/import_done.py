"""What became of imports: what the last one brought, and large ones on their way, with a way to call them off."""

from __future__ import annotations

import streamlit as st

from components.marking import Marker
from components.widgets.figures import count, plain
from components.workflow import import_order
from components.workflow.import_order import made_by, told_of
from components.workflow.import_parts import Imported
from components.workflow.import_waiting import how_far
from pages.department.exam_actions import go_button, undo_popover
from pages.shared.beat import draw_again
from storage import Store, exams, imports, jobs
from storage.jobs import Job

BEAT_SECONDS = 1
ENDED = ("done", "failed", "cancelled")


def remember(made: Imported, title: str) -> None:
    """Have this session told of a small import, which was stored at once."""
    st.session_state["imported"] = (made, title.strip())


def show_imports(store: Store, marker: Marker) -> None:
    """Large imports under way, of everybody; the marker's own that have ended; and what was stored at once."""
    under_way, ended = told_of(store, marker)
    for job in under_way:
        _watch(store, job.id)
    for job in ended:
        _show_ended(store, marker, job)
    made, title = st.session_state.get("imported", (None, ""))
    if made is not None and _stands(store, made):
        _show_made(marker, made, title, st.session_state.get("imported_texts", 0), "imported", None, store)


@st.fragment(run_every=BEAT_SECONDS)
def _watch(store: Store, job_id: int) -> None:
    """A running import's progress; draws the page again when it has ended."""
    with store.read() as db:
        job = jobs.get(db, job_id)
    if job is None or job.status in ENDED:
        draw_again()
        return
    share, doing = how_far(store, job)
    st.markdown(f"**Importing {count(job.payload['responses'], 'response')}: {plain(job.payload['title'])}**")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(share, plain(doing), width=420)
        st.button("Cancel", key=f"import_cancel_{job_id}", on_click=import_order.cancel, args=(store, job_id))
    st.caption(
        "Nothing is stored before all of it is. You can leave this page. Marks given while it is being stored wait "
        "until it is, and are then stored too."
    )


def _show_ended(store: Store, marker: Marker, job: Job) -> None:
    title, made = job.payload["title"], made_by(job)
    if made is not None:
        if _stands(store, made):
            _show_made(marker, made, title, job.payload.get("texts", 0), f"import_job_{job.id}", job.id, store)
        return
    if job.status == "failed":
        st.error(f"“{plain(title)}”: {plain(job.message)}", title="Nothing was imported")
    elif job.status == "cancelled":
        st.info(
            f"“{plain(title)}”: the import was cancelled, and nothing of it is stored. To import it after all, choose "
            "its file again below.",
            title="Cancelled",
        )
    else:
        st.info(f"“{plain(title)}”: {plain(job.message)}", title="Nothing to add")
    _close_button(store, job.id)


def _show_made(
    marker: Marker, made: Imported, title: str, filled: int, key: str, job_id: int | None, store: Store
) -> None:
    if made.added:
        said = what_came(made.responses, made.human_marks, made.ai_marks) or "groups"
        texts = f" The text of {count(filled, 'question')} was filled in." if filled else ""
        st.success(f"Into “{plain(title)}”: {said}.{texts}", title="Imported")
    else:
        marks = what_came(0, made.human_marks, made.ai_marks)
        st.success(
            f"“{plain(title)}”: {count(made.responses, 'response')} of {count(made.candidates, 'candidate')} to "
            f"{count(made.questions, 'question')}{', with ' + marks if marks else ''}.",
            title="Imported",
        )
    with st.container(horizontal=True):
        go_button(made.exam_id, "Mark", "teacher/mark.py", ":material/edit_note:", primary=True, key=key)
        undo_popover(made.import_id, title, marker, key=key, added=made.added)
        if job_id is not None:
            _close_button(store, job_id)


def _close_button(store: Store, job_id: int) -> None:
    st.button("Close", key=f"import_close_{job_id}", on_click=import_order.close, args=(store, job_id))


def _stands(store: Store, made: Imported) -> bool:
    with store.read() as db:
        return imports.get(db, made.import_id) is not None and exams.get(db, made.exam_id) is not None


def what_came(responses: int, human_marks: int, ai_marks: int) -> str:
    parts = [
        count(n, what) for n, what in ((responses, "response"), (human_marks, "human mark"), (ai_marks, "AI mark")) if n
    ]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""

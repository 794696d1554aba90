"""Batches, a part of the runs page: writing one, where each is, and what came of it."""

from __future__ import annotations

from urllib.parse import urlparse

import streamlit as st
from sqlite_utils import Database

from components.marking import Marker
from components.widgets.figures import count, plain
from components.workflow import batches
from components.workflow.connections import Connections
from pages.pilot import run_words
from pages.pilot.batch_output import NOTICE, attempt, carry, show_report
from pages.pilot.batch_start import start_form
from pages.shared.beat import draw_again
from storage import Store, exams, jobs, judges
from storage import batches as stored
from storage.batches import ENDED, FAILED, GOOD, INVALID, SUBMITTED, WAITING, WRITING, WRITTEN, Batch, Part
from storage.jobs import Job
from storage.judges import StoredJudge

BEAT_SECONDS = 1
SHOWN = 10
REMOTE = {
    "validating": "the endpoint checks the file",
    "in_progress": "the endpoint works at it",
    "finalizing": "the endpoint writes the output",
    "cancelling": "being cancelled",
    "completed": "completed",
    "expired": "not done within 24 hours",
    "failed": "refused by the endpoint",
    "cancelled": "cancelled",
}
state = st.session_state


def batch_section(store: Store, connections: Connections, marker: Marker) -> None:
    """The whole part: a form that starts a batch, and every batch with what may be done about it."""
    st.subheader("Batches")
    st.caption(
        "For large runs that need no answer at once: the requests are written to a file, which an endpoint with "
        "batches works through within a day (at half price at OpenAI and Azure), or which you carry to a machine of "
        "your own. What comes back is checked and stored as in any other run."
    )
    if notice := state.pop(NOTICE, ""):
        st.warning(plain(notice))
    with store.read() as db:
        listed = stored.listed(db, SHOWN + 1)
        working = [batch.id for batch in listed if batches.active(jobs.get(db, batch.job_id))]
    start_form(store, connections, marker)
    if not listed:
        st.info("Choose an exam and a model above and write the first file.", title="No batch yet")
    if working:
        _watch(store, connections, marker, working)
    for batch in listed[:SHOWN]:
        if batch.id not in working:
            _card(store, connections, marker, batch)
    if len(listed) > SHOWN:
        st.caption(f"The newest {SHOWN} are shown.")


@st.fragment(run_every=BEAT_SECONDS)
def _watch(store: Store, connections: Connections, marker: Marker, shown: list[int]) -> None:
    """The batches at work; draws the page again when one of them has ended its step."""
    with store.read() as db:
        found = [stored.get(db, batch_id) for batch_id in shown]
        working = [batch.id for batch in found if batches.active(jobs.get(db, batch.job_id))]
    if working != shown:
        draw_again()
        return
    for batch in found:
        _card(store, connections, marker, batch)


def _card(store: Store, connections: Connections, marker: Marker, batch: Batch) -> None:
    with store.read() as db:
        exam, judge, job = _about(db, batch)
        parts, found = stored.parts(db, batch.id), stored.counts(db, batch.id)
        cost = stored.cost(db, batch)
    with st.container(border=True, key=f"batch_{batch.id}"):
        st.markdown(f"**Batch {batch.id}** · {plain(exam)} · {plain(judge.name)}")
        st.caption(plain(f"{_state_words(batch, parts, job)} · begun {batch.created_at[:16].replace('T', ', ')} UTC"))
        _progress(store, batch, job)
        if job.status == "failed":
            st.warning(plain(job.message), title="Stopped")
        for part in parts:
            if part.message:
                st.warning(plain(f"The endpoint says of part {part.number}: {part.message}"))
        _figures(batch, parts, found, cost)
        _buttons(store, connections, marker, batch, parts, job, found)
        if batch.state != WRITING and not batches.active(job):
            if found[GOOD] < sum(found.values()):
                carry(store, batch, parts, judge.model)
            show_report(store, batch)


def _about(db: Database, batch: Batch) -> tuple[str, StoredJudge, Job]:
    """(exam's title, judge, the batch's job)."""
    exam, judge, job = exams.get(db, batch.exam_id), judges.get(db, batch.judge_id), jobs.get(db, batch.job_id)
    assert judge is not None
    assert job is not None
    return "" if exam is None else exam.title, judge, job


def _state_words(batch: Batch, parts: list[Part], job: Job) -> str:
    lines = sum(part.lines for part in parts)
    match batch.state:
        case stored.WRITING:
            return "Being written" if batches.active(job) else "Not written to the end"
        case stored.WRITTEN:
            return f"Written: {count(lines, 'request')} in {count(len(parts), 'file')}"
        case stored.SUBMITTED:
            remote = dict.fromkeys(REMOTE.get(part.status, part.status) for part in parts if part.status)
            return "Submitted" + (f": {', '.join(remote)}" if remote else "")
    if not lines:
        return "Ended: nothing to send"
    remote = dict.fromkeys(REMOTE.get(part.status, part.status) for part in parts if part.status)
    return "Ended" + (f": {', '.join(remote)}" if remote else "")


def _progress(store: Store, batch: Batch, job: Job) -> None:
    if not batches.active(job):
        return
    told = f"{job.done:,} of {job.total:,} · {job.message}" if job.total else job.message or "Waiting for its turn"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(min(1.0, job.done / job.total) if job.total else 0.0, plain(told), width=460)
        if job.payload.get("step") != batches.READ:
            _cancel_button(store, batch)


def _cancel_button(store: Store, batch: Batch) -> None:
    if batch.cancel_asked:
        st.caption("Cancelling; what has been done is read back\\.")
        return
    st.button("Cancel", key=f"batch_cancel_{batch.id}", on_click=batches.cancel, args=(store, batch.id))


def _figures(batch: Batch, parts: list[Part], found: dict[str, int], cost: tuple[float, int]) -> None:
    total = sum(found.values())
    if not total:
        return
    back = total - found[WAITING]
    with st.container(horizontal=True, gap="medium"):
        st.metric("Requests", f"{total:,}", width="content")
        if back or batch.state == ENDED:
            st.metric("Answered", f"{found[GOOD]:,}", width="content")
            st.metric("Invalid replies", f"{found[INVALID]:,}", width="content")
            st.metric("Failed", f"{found[FAILED]:,}", width="content")
            st.metric("Missing", f"{found[WAITING]:,}", width="content")
            st.metric("Cost", plain(_cost_words(*cost)), width="content")
    if cost[1]:
        missing = f"The price of {count(cost[1], 'proposal')} is not known"
        st.caption(plain(f"{missing}; prices added to {run_words.PRICE_FILE} count from then on."))
    if back:
        half = any(part.remote_id for part in parts)
        said = "at half the prices in" if half else "at the full prices in"
        why = "as OpenAI and Azure charge for a batch" if half else "a machine of your own costs what it costs"
        st.caption(plain(f"Cost: tokens reported, {said} {run_words.PRICE_FILE}; {why}."))


def _cost_words(price: float, unknown: int) -> str:
    """As a run's tile has it: what is known, and a sign where more is not."""
    if unknown and not price:
        return "not known"
    return run_words.dollars(price) + (" +" if unknown else "")


def _buttons(
    store: Store,
    connections: Connections,
    marker: Marker,
    batch: Batch,
    parts: list[Part],
    job: Job,
    found: dict[str, int],
) -> None:
    if batches.active(job):
        return
    llm = connections.llm(batch.judge_id)
    untouched = found[WAITING] == sum(found.values()) > 0
    with st.container(horizontal=True):
        if batch.state == WRITING:
            st.button(
                "Write again",
                key=f"batch_write_{batch.id}",
                on_click=attempt,
                args=(batches.write_again, store, batch.id),
            )
        if llm is not None and batch.state == WRITTEN and untouched and not batch.cancel_asked:
            st.button(
                f"Submit to {plain(urlparse(llm.endpoint.base_url).netloc)}",
                key=f"batch_submit_{batch.id}",
                type="primary",
                icon=":material/cloud_upload:",
                on_click=attempt,
                args=(batches.submit, store, batch.id),
            )
        if llm is not None and batch.state == SUBMITTED:
            st.button(
                "Go on",
                key=f"batch_go_on_{batch.id}",
                type="primary",
                icon=":material/play_arrow:",
                help="Goes on where it stopped. What was submitted is not submitted again.",
                on_click=attempt,
                args=(batches.submit, store, batch.id),
            )
        if batch.state in (SUBMITTED, WRITTEN) and (untouched or batch.state == SUBMITTED):
            _cancel_button(store, batch)
        if found[GOOD] < sum(found.values()) and (not untouched or batch.state == ENDED):
            st.button(
                "Send what is missing again",
                key=f"batch_again_{batch.id}",
                icon=":material/replay:",
                help="Writes a new batch of the responses that still have no proposal, with the same examples.",
                disabled=llm is None,
                on_click=_send_again,
                args=(store, batch.id, marker),
            )
    if llm is None and batch.state != ENDED:
        st.caption("The model is not connected, so nothing can be submitted. Connect it again on the Judges page\\.")
    elif llm is not None and batch.state == WRITTEN and untouched and not llm.exchange.known:
        st.caption(
            "This model has not been asked yet, so what it takes is not known. Test it on the Judges page before you "
            "submit: a setting that it refuses would fail every line\\."
        )


def _send_again(store: Store, batch_id: int, marker: Marker) -> None:
    attempt(batches.send_again, store, batch_id, marker)

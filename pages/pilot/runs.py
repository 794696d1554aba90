"""The runs: each judge's work on an exam, how far it is, what it cost, what failed, and cancelling or going on."""

from datetime import UTC, datetime

import streamlit as st

from components.judge import prices
from components.widgets.figures import count, plain
from components.workflow import judging
from pages.pilot import run_words
from pages.shared import guard
from pages.shared.desk_services import services
from storage import jobs, runs
from storage.runs import Failure, Run

BEAT_SECONDS = 1
SHOWN = 20

marker = guard.enter(guard.LEADS)
store = services().store
state = st.session_state


@st.fragment(run_every=BEAT_SECONDS)
def watch(shown: list[int]) -> None:
    """The runs under way; draws the page again when one of them has ended or another has begun."""
    moment = datetime.now(UTC)
    with store.read() as db:
        active = [run for run in runs.listed(db, moment, SHOWN) if run.active]
    if [run.job_id for run in active] != shown:
        st.rerun()
    for run in active:
        show_run(run, moment)


def show_run(run: Run, moment: datetime) -> None:
    with store.read() as db:
        failed = [] if run.id is None else runs.failures(db, run.id)
    with st.container(border=True):
        st.markdown(f"**{plain(run.exam)}** · {plain(run.judge or 'no judge chosen')}")
        st.caption(f"Queued {run.created_at:%d %b %Y, %H:%M} UTC")
        show_status(run, moment)
        show_figures(run)
        if failed:
            show_failures(run, failed)


def show_status(run: Run, moment: datetime) -> None:
    """How far it is, in words that its status calls for, and what may be done about it."""
    key = f"{run.job_id}_{run.id}"
    reached = f"{run.done:,} of {run.total:,}" if run.total else "nothing yet"
    if run.active:
        with st.container(horizontal=True, vertical_alignment="center"):
            share = min(1.0, run.done / run.total) if run.total else 0.0
            st.progress(share, plain(run_words.pace(run, moment)), width=460)
            st.button("Cancel", key=f"cancel_{key}", on_click=cancel, args=(run.job_id,))
        return
    if run.status == "failed":
        st.warning(plain(run.message), title=f"Stopped at {reached}")
    elif run.status == "cancelled":
        st.markdown(f"Cancelled at {reached}\\. What was proposed is kept\\.")
    else:
        st.markdown(f"Done, {reached}: {plain(run.message)}")
    if run.status != "done" and run.newest:
        st.button(
            "Resume",
            key=f"resume_{key}",
            icon=":material/play_arrow:",
            help="Goes on from what is stored, which is not asked or paid for again. Failed responses are asked again.",
            on_click=go_on,
            args=(run.job_id,),
        )


def show_figures(run: Run) -> None:
    with st.container(horizontal=True, gap="medium"):
        st.metric("Proposals made", f"{run.took.made:,}", width="content")
        st.metric("Cost", plain(run_words.cost(run)), width="content")
        if run.took.asked:
            st.metric("Cost per 1,000 responses", plain(run_words.cost_per_thousand(run.took)), width="content")
    if told := " ".join(part for part in (run_words.effort(run.took), run_words.cost_note(run)) if part):
        st.caption(plain(told))


def show_failures(run: Run, failed: list[Failure]) -> None:
    # The key keeps it open while the number in its label grows.
    with st.expander(
        f"{count(len(failed), 'response')} failed", icon=":material/error:", key=f"failures_{run.job_id}_{run.id}"
    ):
        st.caption("They have no proposal; a failure is never a 0. A teacher can mark them as they are.")
        st.dataframe(
            [{"Question": each.question, "Candidate": each.candidate, "Reason": each.reason} for each in failed],
            hide_index=True,
            column_config={"Reason": st.column_config.TextColumn(width="large")},
        )
        if run.active:
            st.caption("They can be asked again when the run has ended.")
        elif run.newest:
            st.button(
                "Retry failed",
                key=f"retry_{run.job_id}_{run.id}",
                icon=":material/replay:",
                on_click=go_on,
                args=(run.job_id,),
            )
        else:
            st.caption("A newer run of this exam has taken this one's place; retry there.")


def cancel(job_id: int) -> None:
    with store.write() as db:
        jobs.cancel(db, job_id)


def go_on(job_id: int) -> None:
    if not judging.go_on(store, job_id):
        state["runs_notice"] = "A newer run of this exam has taken its place, so the older one does not go on."


def show_more() -> None:
    state["runs_shown"] = state.get("runs_shown", SHOWN) + SHOWN


st.title("Runs")
if notice := state.pop("runs_notice", ""):
    st.warning(plain(notice))
if fault := prices.fault():
    st.warning(plain(fault))
now = datetime.now(UTC)
limit = state.get("runs_shown", SHOWN)
with store.read() as read:
    listed = runs.listed(read, now, limit + 1)
if not listed:
    st.info("No judge has been asked about an exam. Choose one on the Judges page.", title="Nothing here yet")
    if st.button("Go to the judges", type="primary"):
        st.switch_page(guard.PAGES_FOLDER / "pilot/judges.py")
if under_way := [each.job_id for each in listed[:SHOWN] if each.active]:
    watch(under_way)
for each in listed[:limit]:
    if each.job_id not in under_way:
        show_run(each, now)
if len(listed) > limit:
    st.button("Show older runs", on_click=show_more)
st.caption(
    "Prices are worked out from the tokens that the model's server reports and the prices in "
    f"{plain(run_words.PRICE_FILE)}, which you may edit; prices change, so check them before you rely on a sum\\."
)

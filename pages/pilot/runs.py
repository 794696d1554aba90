"""The runs: starting one, how far each is, what it cost, what failed, and pausing, cancelling or going on."""

from datetime import UTC, datetime
from functools import partial

import streamlit as st

from components.judge import prices
from components.widgets.figures import count, plain
from components.workflow import cohort
from pages.pilot import run_costs, run_words
from pages.pilot.batch_section import batch_section
from pages.pilot.job_controls import job_bar, job_buttons
from pages.pilot.run_start import start_panel
from pages.pilot.spending_cap import TOO_LOW, choose_new_cap
from pages.shared import guard
from pages.shared.beat import draw_again
from pages.shared.desk_services import services
from storage import exams, runs
from storage.runs import Failure, Run

BEAT_SECONDS = 1
SHOWN = 20

marker = guard.enter(guard.LEADS)
store, connections = services().store, services().connections
state = st.session_state


@st.fragment(run_every=BEAT_SECONDS)
def watch(shown: list[int]) -> None:
    """The runs that have not ended; draws the page again when one of them has, or another has been queued."""
    moment = datetime.now(UTC)
    with store.read() as db:
        active = runs.listed(db, moment, SHOWN, active_only=True)
    if [run.job_id for run in active] != shown:
        draw_again()
        return
    for run in active:
        show_run(run, moment)


def show_run(run: Run, moment: datetime) -> None:
    failed: list[Failure] = []
    if run.id is not None and run.took.failed:
        with store.read() as db:
            failed = runs.failures(db, run.id)
    with st.container(border=True):
        st.markdown(f"**{plain(run.exam)}** · {plain(run.judge or 'no judge chosen')}")
        st.caption(plain(f"Queued {run.created_at:%d %b %Y, %H:%M} UTC · {run_words.options(run)}"))
        show_status(run, moment)
        run_costs.show_tiles(run.took)
        if told := " ".join(part for part in (run_words.effort(run.took), run_words.cost_note(run)) if part):
            st.caption(plain(told))
        if failed:
            show_failures(run, failed)
        run_costs.subjects_of(store, run)
        run_costs.proposals_of(store, run)


def show_status(run: Run, moment: datetime) -> None:
    """How far it is, in words that its status calls for, and what may be done about it."""
    reached = f"{run.done:,} of {run.total:,}" if run.total else "nothing yet"
    if run.active:
        show_active(run, moment)
        return
    if run.status == "failed":
        st.warning(plain(run.message), title=f"Stopped at {reached}")
    elif run.status == "cancelled":
        st.markdown(f"Cancelled at {reached}\\. What was proposed is kept\\.")
    else:
        st.markdown(f"Done, {reached}: {plain(run.message)}")
    if (run.status != "done" or run.done < run.total) and not run.batch:
        show_resume(run)


def show_active(run: Run, moment: datetime) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        job_bar(run.done, run.total, run_words.pace(run, moment))
        if run.batch:
            st.caption("A batch file; it is followed and cancelled under Batches below.")
        else:
            job_buttons(store, run.job_id, paused=run.paused, go_on=partial(cohort.go_on, store, run.job_id))


def show_resume(run: Run) -> None:
    """The button that lets an ended run go on; with a field for a higher cap where the cap ended it."""
    cap_key = f"cap_{run.job_id}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if run_words.stopped_at_cap(run):
            choose_new_cap(cap_key, run.cap)
        st.button(
            "Resume",
            key=f"resume_{run.job_id}_{run.id}",
            icon=":material/play_arrow:",
            help="Goes on from what is stored, which is not asked or paid for again. Failed responses are asked again.",
            on_click=resume,
            args=(run.job_id, cap_key),
        )


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
        if run.batch:
            st.caption("A live run, or another batch, asks them again.")
        elif run.active:
            st.caption("They can be asked again when the run has ended.")
        else:
            st.button(
                "Retry failed",
                key=f"retry_{run.job_id}_{run.id}",
                icon=":material/replay:",
                on_click=cohort.go_on,
                args=(store, run.job_id),
            )


def resume(job_id: int, cap_key: str) -> None:
    cap = state.get(cap_key)
    if cap is not None and cap <= 0:
        state["runs_notice"] = TOO_LOW
        return
    cohort.go_on(store, job_id, cap)


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
    exam_ids = tuple(exam.id for exam in exams.listed(read))
start_panel(store, connections, marker, opened=not listed)
if not listed:
    st.info("Choose an exam and a judge above, and see what it would take before you start.", title="No run yet")
if under_way := [each.job_id for each in listed[:SHOWN] if each.active]:
    watch(under_way)
for each in listed[:limit]:
    if each.job_id not in under_way:
        show_run(each, now)
if len(listed) > limit:
    st.button("Show older runs", on_click=show_more)
batch_section(store, connections, marker)
run_costs.show_all_together(store, exam_ids)
st.caption(
    "Prices are worked out from the tokens that the model's server reports and the prices in "
    f"{plain(run_words.PRICE_FILE)}, which you may edit; prices change, so check them before you rely on a sum\\."
)

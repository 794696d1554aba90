"""A sitting on the page: how far it is, what it took, what its model got right, and what can be done with it."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

import streamlit as st

from components.intake.benchmarks import Benchmark
from components.marking import Marker, MarkError
from components.widgets.figures import count, plain
from components.workflow.benchmarks import sitting as sitting_job
from components.workflow.benchmarks.making_exams import exams_of_sitting
from components.workflow.benchmarks.settings import SittingSettings
from components.workflow.benchmarks.wording import in_words
from components.workflow.connections import Connections
from components.workflow.purse import CAP_REACHED
from pages.pilot.benchmarks_exams import PROBLEM, say_made
from pages.pilot.benchmarks_marking import marking_panel
from pages.pilot.benchmarks_outcome import outcome_section, unread_section
from pages.pilot.job_controls import job_bar, job_buttons
from pages.pilot.run_words import dollars
from pages.pilot.spending_cap import TOO_LOW, choose_new_cap
from pages.shared.beat import draw_again
from storage import Store, benchmarks, sitting_progress, sittings
from storage.sitting_progress import State, Took
from storage.sittings import Sitting

BEAT_SECONDS = 1
SHOWN_FAILURES = 500
state = st.session_state


@st.fragment(run_every=BEAT_SECONDS)
def watch(store: Store, shown: list[int]) -> None:
    """The sittings under way; draws the page again when one of them has ended."""
    with store.read() as db:
        found = [each for sitting_id in shown if (each := sittings.get(db, sitting_id)) is not None]
        states = {each.id: sitting_progress.state_of(db, each) for each in found}
        lately = {each.id: sitting_progress.lately(db, each.id) for each in found}
    if len(found) < len(shown) or not all(each.active for each in states.values()):
        draw_again()
        return
    for each in found:
        with st.container(border=True):
            _head(each)
            _show_active(store, each, states[each.id], lately[each.id])


def show_sitting(store: Store, connections: Connections, sitting: Sitting, how: State, marker: Marker) -> None:
    """A sitting that is not under way."""
    with store.read() as db:
        took = sitting_progress.took(db, sitting.id)
        failed = sitting_progress.failures(db, sitting.id, SHOWN_FAILURES) if took.failed else []
    with st.container(border=True):
        _head(sitting)
        reached = f"{how.done:,} of {how.total:,}" if how.total else "nothing yet"
        if how.status == "failed":
            st.warning(plain(how.message), title=f"Stopped at {reached}")
        elif how.status == "cancelled":
            st.markdown(f"Cancelled at {reached}\\. What was answered is kept\\.")
        else:
            st.markdown(plain(f"Done, {reached}: {how.message}"))
        if how.status != "done" or took.failed:
            _show_go_on(store, sitting, how)
        if took.answered:
            st.caption(plain(took_words(took)))
            outcome_section(store, sitting, took)
            marking_panel(store, connections, sitting, marker)
            unread_section(store, sitting, took)
        if failed:
            _show_failures(failed, took.failed, sitting.id)
        _show_acts(store, sitting, took, marker)


def took_words(took: Took) -> str:
    """What a sitting took: answers, money, tokens."""
    said = f"{count(took.answered, 'answer')}, {took.tokens_in:,} tokens sent and {took.tokens_out:,} received"
    known = took.price or not took.unpriced
    said += f", {dollars(took.price)}" if known else ", at a price not known"
    return f"{said}." + (f" The price of {took.unpriced:,} is not known." if took.unpriced and known else "")


def _head(sitting: Sitting) -> None:
    settings = SittingSettings.model_validate(sitting.settings)
    st.markdown(f"**{plain(sitting.set_name)}** · {plain(sitting.judge)}")
    tasks = "all tasks" if settings.tasks is None else count(len(settings.tasks), "task")
    cap = "" if settings.cap is None else f" · cap {dollars(settings.cap)}"
    began = f"{datetime.fromisoformat(sitting.created_at):%d %b %Y, %H:%M} UTC"
    st.caption(plain(f"Sitting {sitting.id} · {began} · {settings.named} · {', '.join(settings.splits)}, {tasks}{cap}"))


def _show_active(store: Store, sitting: Sitting, how: State, lately: tuple[int, str]) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        job_bar(how.done, how.total, pace_words(how, lately))
        if sitting.job_id is not None:
            go_on = partial(sitting_job.go_on, store, sitting.id)
            job_buttons(store, sitting.job_id, paused=how.paused, go_on=go_on)


def pace_words(how: State, lately: tuple[int, str]) -> str:
    """How far it is, and how long it will take at the pace of its newest answers."""
    if how.paused:
        return f"Paused at {how.done:,} of {how.total:,}"
    if how.status == "queued":
        return "Waiting for its turn"
    said = f"{how.done:,} of {how.total:,}" if how.total else "Beginning"
    answers, since = lately
    if answers < 5 or how.done >= how.total:
        return said
    seconds = (datetime.now(UTC) - datetime.fromisoformat(since)).total_seconds()
    return f"{said} · about {in_words((how.total - how.done) * seconds / answers)} left"


def _show_go_on(store: Store, sitting: Sitting, how: State) -> None:
    """The button that lets it go on; with a field for a higher cap where the cap ended it."""
    cap_key = f"sitting_cap_{sitting.id}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if how.status == "failed" and how.message.startswith(CAP_REACHED):
            choose_new_cap(cap_key, sitting.settings.get("cap"))
        st.button(
            "Ask the failed ones again" if how.status == "done" else "Resume",
            key=f"sitting_resume_{sitting.id}",
            icon=":material/play_arrow:",
            help="Goes on from what is stored, which is not asked or paid for again. Failed questions are asked again.",
            on_click=_resume,
            args=(store, sitting.id, cap_key),
        )


def _show_failures(failed: list[tuple[str, str]], total: int, sitting_id: int) -> None:
    with st.expander(f"{count(total, 'question')} failed", icon=":material/error:", key=f"sitting_failed_{sitting_id}"):
        st.caption("They have no answer, and are in no figure; a failure is never a wrong answer.")
        st.dataframe(
            [{"Question": named, "Reason": reason} for named, reason in failed],
            hide_index=True,
            column_config={"Reason": st.column_config.TextColumn(width="large")},
        )
        if total > len(failed):
            st.caption(f"The first {len(failed):,} of {total:,}.")


def _show_acts(store: Store, sitting: Sitting, took: Took, marker: Marker) -> None:
    with store.read() as db:
        open_tasks = any(task.open for task in benchmarks.tasks(db, sitting.set_id))
    with st.container(horizontal=True):
        if sitting.benchmark == Benchmark.GAOKAO_BENCH and open_tasks and took.answered:
            st.button(
                "Make an exam of it",
                key=f"sitting_exam_{sitting.id}",
                icon=":material/assignment_add:",
                help="One exam for each subject with what the model wrote, for judges or teachers to mark.",
                on_click=_make_exams,
                args=(store, sitting.id, marker),
            )
        st.button(
            "Take it out of the list",
            key=f"sitting_archive_{sitting.id}",
            help="Out of the list, and out of what its judge is said to know. Nothing is deleted.",
            on_click=_archive,
            args=(store, sitting.id),
        )


def _make_exams(store: Store, sitting_id: int, marker: Marker) -> None:
    try:
        say_made(exams_of_sitting(store, sitting_id, marker))
    except MarkError as error:
        state[PROBLEM] = str(error)


def _archive(store: Store, sitting_id: int) -> None:
    with store.write() as db:
        sittings.archive(db, sitting_id)


def _resume(store: Store, sitting_id: int, cap_key: str) -> None:
    cap = state.get(cap_key)
    if cap is not None and cap <= 0:
        state[PROBLEM] = TOO_LOW
        return
    try:
        sitting_job.go_on(store, sitting_id, cap)
    except MarkError as error:
        state[PROBLEM] = str(error)

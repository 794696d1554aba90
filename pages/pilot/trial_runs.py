"""The trial that is open: how far each arm is, what may be done about it, and its report below."""

from __future__ import annotations

from functools import partial

import streamlit as st

from components.widgets.figures import count, plain
from components.workflow import cohort
from components.workflow.trial.load import arm_names
from pages.pilot import trial_words
from pages.pilot.job_controls import job_bar, job_buttons
from pages.pilot.spending_cap import TOO_LOW, choose_new_cap
from pages.shared.beat import draw_again
from storage import Store, trial_answers, trials
from storage.trials import Trial

BEAT_SECONDS = 2
MOST_AT_ONCE = 14  # arms that are seen without moving the table
ARM_WIDTHS, LETTER, EDGES = (220, 420), 7, 22  # arms whose names begin alike are told apart by their ends
NOTICE = "trial_notice"
state = st.session_state


def overview(store: Store, listed: list[Trial]) -> None:
    """Every trial with its state, progress and cap; beats while one is under way."""
    if any(trial.active for trial in listed):
        _watch_all(store)
    else:
        _table(listed)


@st.fragment(run_every=BEAT_SECONDS)
def _watch_all(store: Store) -> None:
    with store.read() as db:
        listed = trials.listed(db)
    if not any(trial.active for trial in listed):
        draw_again()
    _table(listed)


def _table(listed: list[Trial]) -> None:
    st.space("small")  # room for the table's own buttons, which would lie on what is above
    st.dataframe(
        [
            {
                "Trial": trial.title,
                "State": trial_words.state(trial),
                "Progress": trial_words.progress(trial),
                "Exam": trial.exam,
                "Begun": trial.created_at[:16].replace("T", " "),
                "Arms": trial.arms,
                "Responses": trial.responses,
                "Marked twice": trial.double_marked,
                "Cap": trial_words.cap(trial),
            }
            for trial in listed
        ],
        hide_index=True,
        column_config={
            "Trial": st.column_config.TextColumn(width=272, pinned=True),
            "State": st.column_config.TextColumn(width=80),
            "Progress": st.column_config.TextColumn(width=180),
            "Exam": st.column_config.TextColumn(width=215),
            "Begun": st.column_config.TextColumn(width=145),
        },
    )


def show_trial(store: Store, trial_id: int) -> None:
    """How far the trial is; beats while it is under way."""
    with store.read() as db:
        trial = trials.get(db, trial_id)
    if trial is None:
        st.info("This trial has been put away, or its exam has. Choose another.")
        return
    st.subheader(plain(trial.title), anchor=False)
    st.caption(
        plain(
            f"{trial.exam} · {count(trial.responses, 'response')}, {trial.double_marked:,} of them marked twice · "
            f"marks of {trial_words.whose(trial)} · {count(trial.arms, 'arm')} · {trial_words.cap(trial)}"
        )
    )
    if trial.active:
        _watch(store, trial_id)
    else:
        _ended(store, trial)


@st.fragment(run_every=BEAT_SECONDS)
def _watch(store: Store, trial_id: int) -> None:
    with store.read() as db:
        trial = trials.get(db, trial_id)
    if trial is None or not trial.active:
        draw_again()
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        job_bar(trial.done, trial.total, _pace(trial))
        job_id = _job(trial)
        job_buttons(store, job_id, paused=trial.paused, go_on=partial(cohort.go_on, store, job_id))
    _arms(store, trial)


def _pace(trial: Trial) -> str:
    if trial.paused:
        return f"Paused at {trial_words.progress(trial)}"
    if trial.status == "queued" or not trial.total:
        return "Waiting for its turn" if trial.status == "queued" else "Beginning"
    return " · ".join(part for part in (trial_words.progress(trial), trial.message) if part)


def _ended(store: Store, trial: Trial) -> None:
    if trial.status == "failed":
        st.warning(plain(trial.message), title=f"Stopped at {trial_words.progress(trial)}")
    elif trial.status == "cancelled":
        st.markdown(plain(f"Cancelled at {trial_words.progress(trial)}. What was answered is kept and compared below."))
    else:
        st.markdown(plain(trial.message or "Brought in with its exam; it can be read, and not gone on with."))
    failed = _arms(store, trial)
    if trial.job_id is None:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if trial.status != "done" or trial.done < trial.total or failed:
            if trial_words.stopped_at_cap(trial):
                choose_new_cap(f"trial_new_cap_{trial.id}", trial.cap)
            st.button(
                "Ask the failed ones again" if trial.status == "done" and trial.done >= trial.total else "Resume",
                key=f"trial_resume_{trial.id}",
                icon=":material/replay:",
                help="What is answered is not asked or paid for again. What failed is asked again.",
                on_click=_resume,
                args=(store, trial),
            )
        st.button(
            "Put away",
            key=f"trial_archive_{trial.id}",
            icon=":material/archive:",
            help="Takes the trial out of this list. All that was answered is kept.",
            on_click=_archive,
            args=(store, trial),
        )


def _arms(store: Store, trial: Trial) -> int:
    """The arms in a table; gives how many answers failed."""
    with store.read() as db:
        stored, found = trials.arms(db, trial.id), trial_answers.progress(db, trial.id)
        spent = trial_answers.spent(db, trial.id)
    rows = [
        trial_words.arm_row(name, found[arm.id], trial.responses)
        for arm, name in zip(stored, arm_names(stored), strict=True)
    ]
    longest = max((len(str(row["Arm"])) for row in rows), default=0)
    narrowest, widest = ARM_WIDTHS
    width = min(widest, max(narrowest, EDGES + LETTER * longest))
    st.space("small")  # room for the table's own buttons, which would lie on the text above
    st.dataframe(
        rows,
        hide_index=True,
        height="content" if len(rows) <= MOST_AT_ONCE else "auto",
        # A phone shows how far each is beside the names, however long they are.
        column_order=None if width == narrowest else ("Answered", *(name for name in rows[0] if name != "Answered")),
        column_config={
            "Arm": st.column_config.TextColumn(width=width),
            "Answered": st.column_config.ProgressColumn(format="%d%%", min_value=0, max_value=100, width=110),
        },
    )
    if spent:
        st.caption(plain(trial_words.spent(spent)))
    return sum(each.failed for each in found.values())


def _resume(store: Store, trial: Trial) -> None:
    cap = state.get(f"trial_new_cap_{trial.id}")
    if cap is not None and cap <= 0:
        state[NOTICE] = TOO_LOW
        return
    cohort.go_on(store, _job(trial), cap)


def _archive(store: Store, trial: Trial) -> None:
    with store.write() as db:
        trials.archive(db, trial.id)
    state[NOTICE] = f"{trial.title} has been put away."


def _job(trial: Trial) -> int:
    assert trial.job_id is not None  # a trial under way has one, and only one with a job is shown a button
    return trial.job_id

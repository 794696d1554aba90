"""A remedy on trial and what it changed: side by side with the marks before, and what may be done with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from components.marking import Marker, Role, format_mark
from components.widgets.figures import count, plain
from components.workflow.cohort import PROPOSE, RunError
from components.workflow.estimate import estimate
from components.workflow.review import remedies as remedying
from components.workflow.review.comparison import Compared, compared, summary
from components.workflow.review.remedy_error import RemedyError
from components.workflow.review.wording import changes
from pages.department.remedy_answer import note_seen, show_answer, show_proposal
from pages.pilot.run_words import dollars, estimate_text
from pages.shared.beat import draw_again
from pages.shared.desk_services import services
from storage import Store, exams, jobs, judges, remedies, responses, verdicts
from storage.exams import StoredQuestion
from storage.jobs import Job
from storage.judges import StoredJudge
from storage.remedies import Remedy, Result, State

BEAT_SECONDS = 1
IN_ADDRESS, NOTICE, REFUSED = "remedy", "remedy_notice", "remedy_refused"
state = st.session_state


@st.fragment(run_every=BEAT_SECONDS)
def show_trial(store: Store, marker: Marker, remedy_id: int, job_id: int) -> None:
    """How far the trial is; draws the page again when it has ended."""
    with store.read() as db:
        job = jobs.get(db, job_id)
    if job is None or job.status not in ("queued", "running"):
        draw_again()
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        told = f"{job.done:,} of {count(job.total, 'response')} tried" if job.total else "Waiting for its turn"
        st.progress(min(1.0, job.done / job.total) if job.total else 0.0, told, width=420)
        _button("Cancel", remedying.cancel, store, remedy_id, marker)


def show_result(
    store: Store, marker: Marker, remedy: Remedy, question: StoredQuestion, judge: StoredJudge, job: Job | None
) -> None:
    """What has been tried, all of it or a part, and the buttons that its state allows."""
    with store.read() as db:
        results = remedies.results(db, remedy.id)
        seen = verdicts.newest(db, list(results), remedy.judge_id)
    note_seen(store, marker, seen)
    rows = compared(remedy, results)
    found = summary(rows)
    _show_state(store, marker, remedy, question, job, found.failed)
    _show_changes(remedy)
    if not results:
        if remedy.sample:
            st.caption("Nothing has come back yet.")
        _show_buttons(store, marker, remedy)
        return
    st.markdown(f"**{plain(found.sentence)}**")
    _show_apart(rows)
    st.caption(plain(_caveats(remedy, judge)))
    if judge.kind == judges.LLM:
        st.caption(plain(_paid(results)))
    _show_buttons(store, marker, remedy, all_failed=found.failed == found.n)
    picked = _table(store, remedy, rows)
    if picked is not None:
        _show_one(store, picked, results.get(picked.response_id))


def _show_state(
    store: Store, marker: Marker, remedy: Remedy, question: StoredQuestion, job: Job | None, failed: int
) -> None:
    if remedy.state is State.APPLIED:
        _show_applied(store, marker, remedy, question)
    elif remedy.state is State.DROPPED:
        st.info("This remedy has been dropped. It is kept on record and changed nothing.")
    elif job is not None and job.status == "failed":
        st.warning(plain(job.message), title=f"Stopped at {job.done:,} of {count(len(remedy.sample), 'response')}")
        _button("Go on", remedying.go_on, store, remedy.id, marker)
    elif remedy.state is State.TRYING:
        st.info(
            f"The trial was cancelled at {job.done if job else 0:,} of {len(remedy.sample):,}. What it tried is kept."
        )
        _button("Go on", remedying.go_on, store, remedy.id, marker)
    elif failed:
        st.warning(f"{count(failed, 'response')} failed. A failure is never a 0; they can be asked again.")
        _button("Ask the failed ones again", remedying.go_on, store, remedy.id, marker)


def _show_applied(store: Store, marker: Marker, remedy: Remedy, question: StoredQuestion) -> None:
    newest = question.scheme_id == remedy.applied_scheme_id
    version = f", v{question.scheme_version}" if newest else ", which has been changed again since"
    st.success(f"Applied: it is a version of the scheme now{version}. Marks and proposals given before keep theirs.")
    with store.read() as db:
        last = jobs.latest_of_exam(db, PROPOSE, remedy.exam_id)
        exam = exams.get(db, remedy.exam_id)
    if last is not None and last.status in ("queued", "running"):
        st.caption("A run over this exam is under way; the Runs page follows it.")
        return
    ahead = estimate(store, services().connections, remedying.run_again(store, remedy.id))
    if ahead is None:
        st.caption("The judge is not connected now. Connect it on the Judges page to ask it again.")
        return
    if exam is not None and exam.judge_id != remedy.judge_id:
        st.caption("The exam's desk shows another judge by now; this asks the one that the remedy was tried with.")
    st.caption(plain(f"By the new version of the scheme: {estimate_text(ahead)}"))
    if ahead.unseen:
        name = f"Ask the judge again about question {question.question.number}"
        st.button(name, key=f"ask_again_{remedy.id}", type="primary", on_click=_ask_again, args=(store, remedy, marker))


def _show_changes(remedy: Remedy) -> None:
    said = changes(remedy.base, remedy.draft)
    st.markdown("What the draft changes:\n" + "\n".join(f"- {plain(_on_one_line(each))}" for each in said))


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _show_apart(rows: Sequence[Compared]) -> None:
    """Those chosen for their disagreement and the random ones, told apart where there are both."""
    if not any(row.chosen for row in rows):
        return
    for chosen, name in ((False, "Drawn at random from the question"), (True, "Chosen for their disagreement")):
        part = summary(rows, chosen=chosen)
        if part.n:
            st.markdown(f"- *{name}.* {plain(part.sentence)}")


def _caveats(remedy: Remedy, judge: StoredJudge) -> str:
    said = []
    if any(each.chosen for each in remedy.sample):
        said.append(
            "Some of these responses were chosen because the AI and the teacher disagreed, so all of them together "
            "flatter the remedy: go by those drawn at random."
        )
    said.append("A draft written with answers in view does better on them than on others.")
    if judge.kind == judges.LLM:
        said.append("A language model may answer differently from one time to the next, so a few changes mean little.")
    else:
        said.append("Before and after are its word matching, without what it learns from teachers' marks.")
    return " ".join(said)


def _paid(results: dict[int, Result]) -> str:
    paid = sum(result.paid or 0.0 for result in results.values())
    unpriced = sum(result.unpriced for result in results.values())
    said = f"Paid for this trial: {dollars(paid)}"
    return f"{said}, and {count(unpriced, 'reply')} at a price that is not known." if unpriced else f"{said}."


def _show_buttons(store: Store, marker: Marker, remedy: Remedy, *, all_failed: bool = False) -> None:
    if not remedy.open:
        return
    with st.container(horizontal=True):
        if remedy.state is State.TRIED:
            may = "Makes the draft a new version of the scheme."
            if all_failed:
                may = "The judge failed on every response, so nothing shows what the draft changes."
            if marker.role is not Role.HEAD:
                may = "Only a head of department may change the scheme."
            st.button(
                "Apply",
                key=f"apply_{remedy.id}",
                type="primary",
                icon=":material/check:",
                disabled=all_failed or marker.role is not Role.HEAD,
                on_click=_apply,
                args=(store, remedy.id, marker),
                help=may,
            )
        st.button("Change the draft", key=f"revise_{remedy.id}", on_click=_revise, args=(store, remedy.id, marker))
        _button("Drop", remedying.drop, store, remedy.id, marker)


def _table(store: Store, remedy: Remedy, rows: Sequence[Compared]) -> Compared | None:
    """All responses of the sample; the one that is ticked."""
    with store.read() as db:
        candidates = {
            row.response_id: found.candidate_number
            for row in rows
            if (found := responses.get(db, row.response_id)) is not None
        }
    told_apart = any(row.chosen for row in rows)
    shown = st.dataframe(
        [_row(row, candidates.get(row.response_id, ""), told_apart) for row in rows],
        key=f"remedy_table_{remedy.id}",
        on_select="rerun",
        selection_mode="single-row",
        hide_index=True,
        width=560,
        height="content" if len(rows) <= 20 else 740,
        alt="Each response: candidate, the teacher's mark, the AI's before and after, and whether it got better.",
        column_config={
            "Candidate": st.column_config.TextColumn(width=80),
            "Teacher": st.column_config.TextColumn(width=65),
            "Before": st.column_config.TextColumn(width=60),
            "After": st.column_config.TextColumn(width=55),
        },
    )
    st.caption("Tick a response to see the answer and the verdicts before and after.")
    return next((rows[row] for row in shown.selection.rows if row < len(rows)), None)


def _row(row: Compared, candidate: str, told_apart: bool) -> dict[str, Any]:
    shown = {
        "Candidate": candidate,
        "Teacher": format_mark(row.teacher),
        "Before": format_mark(row.before),
        "After": format_mark(row.after),
        "Change": str(row.change),
    }
    return {**shown, "Drawn": "disagreement" if row.chosen else "at random"} if told_apart else shown


def _show_one(store: Store, row: Compared, result: Result | None) -> None:
    with store.read() as db:
        answer = responses.get(db, row.response_id)
    if answer is None:
        return
    st.markdown(f"**Candidate {plain(answer.candidate_number)}** · teacher {format_mark(row.teacher)}")
    show_answer(store, answer)
    left, right = st.columns(2)
    with left:
        show_proposal("Before", None if result is None else result.before)
    with right:
        show_proposal("After", None if result is None else result.after)


def _button(
    label: str, do: Callable[[Store, int, Marker], object], store: Store, remedy_id: int, marker: Marker
) -> None:
    st.button(label, key=f"{label}_{remedy_id}", on_click=_do, args=(do, store, remedy_id, marker))


def _do(do: Callable[[Store, int, Marker], object], store: Store, remedy_id: int, marker: Marker) -> None:
    try:
        do(store, remedy_id, marker)
    except (RemedyError, RunError) as error:
        state[REFUSED] = str(error)


def _apply(store: Store, remedy_id: int, marker: Marker) -> None:
    try:
        version = remedying.apply(store, remedy_id, marker)
    except RemedyError as error:
        state[REFUSED] = str(error)
    else:
        state[NOTICE] = f"The scheme is v{version} now. Ask the judge again below to have it mark by it."


def _revise(store: Store, remedy_id: int, marker: Marker) -> None:
    try:
        st.query_params[IN_ADDRESS] = str(remedying.revise(store, remedy_id, marker))
    except RemedyError as error:
        state[REFUSED] = str(error)


def _ask_again(store: Store, remedy: Remedy, marker: Marker) -> None:
    try:
        remedying.ask_again(store, remedy.id, marker)
    except (RemedyError, RunError) as error:
        state[REFUSED] = str(error)
    else:
        state[NOTICE] = "The judge is being asked again. Its proposals appear on the desk as they come in."

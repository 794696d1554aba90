"""From a pattern to a remedy: what the AI seems to do over and over, and trying a change against it."""

from __future__ import annotations

import streamlit as st

from components.marking import Marker, Role
from components.widgets.figures import count, plain
from components.workflow.review import remedies as remedying
from components.workflow.review.patterns import LEAST, Findings, Pattern, find_patterns
from components.workflow.review.remedy_error import RemedyError
from pages.department.remedy_editor import show_editor
from pages.department.remedy_result import show_result, show_trial
from pages.shared import guard
from storage import Store, exams, jobs, judges, remedies, verdicts
from storage.remedies import Remedy, State

IN_ADDRESS = "remedy"
SHOWN = 8
LONGEST_ID = 18  # digits that SQLite can hold
NOTICE, REFUSED = "remedy_notice", "remedy_refused"
state = st.session_state


def show(store: Store, marker: Marker, exam_id: int, question_id: int | None = None) -> None:
    """The patterns of the exam, or of one of its questions, or the remedy that the address names."""
    if marker.role not in guard.LEADS:
        st.info("Patterns and remedies are for heads of department and pilot leads.")
        return
    if said := state.pop(NOTICE, ""):
        st.success(plain(said))
    if said := state.pop(REFUSED, ""):
        st.error(plain(said))
    remedy = _in_address(store, exam_id)
    if remedy is None:
        _show_patterns(store, marker, exam_id, question_id)
    else:
        _show_remedy(store, marker, remedy)


def _in_address(store: Store, exam_id: int) -> Remedy | None:
    named = st.query_params.get(IN_ADDRESS, "")
    if not named.isdecimal() or len(named) > LONGEST_ID:
        return None
    with store.read() as db:
        remedy = remedies.get(db, int(named))
    if remedy is None or remedy.exam_id != exam_id:
        _leave()
        return None
    return remedy


def _show_patterns(store: Store, marker: Marker, exam_id: int, question_id: int | None) -> None:
    with store.read() as db:
        changed = verdicts.changes(db)
        known = remedies.listed(db, exam_id)
    found = _found(str(store.path), exam_id, question_id, changed, _store=store)
    st.caption(plain(_basis(found)))
    if not found.patterns:
        st.info(_nothing(found), title="No pattern found")
    open_ones = {remedy.pattern_key: remedy for remedy in reversed(known) if remedy.open}
    every = f"remedy_all_{exam_id}"
    for pattern in found.patterns[: None if state.get(every) else SHOWN]:
        _show_pattern(store, marker, pattern, open_ones.pop(pattern.key, None))
    if len(found.patterns) > SHOWN and not state.get(every):
        st.button(
            f"Show all {len(found.patterns)} patterns",
            key=f"show_{every}",
            on_click=lambda: state.update({every: True}),
        )
    _show_record(store, marker, known)


@st.cache_data(max_entries=20, show_spinner="Looking for patterns …")
def _found(where: str, exam_id: int, question_id: int | None, changed: tuple[int, ...], _store: Store) -> Findings:
    """The first four are what the patterns rest on."""
    return find_patterns(_store, exam_id, question_id)


def _basis(found: Findings) -> str:
    said = (
        f"Looked for in {count(found.pairs, 'response')} with a mark by a teacher who had not seen the AI's, by "
        f"{count(found.comparisons, 'comparison')}. These are suspicions: of so many comparisons about one in twenty "
        "stands out by chance alone. The dearest in marks come first."
    )
    if found.few:
        which = f"Question {found.few[0]} has" if len(found.few) == 1 else f"Questions {', '.join(found.few)} have"
        said += f" {which} fewer than {LEAST} such responses, too few to tell."
    return said


def _nothing(found: Findings) -> str:
    if not found.pairs:
        return (
            "There is nothing to compare yet: no response has both the AI's mark and one by a teacher who had not seen "
            "it. Mark some with blind marking switched on, or import teachers' marks."
        )
    return "The AI and the teachers differ no more than chance would have it, in no one direction. Nothing to do here."


def _show_pattern(store: Store, marker: Marker, pattern: Pattern, known: Remedy | None) -> None:
    with st.container(border=True, key=f"pattern_{pattern.key}"):
        st.markdown(f"**{plain(pattern.sentence)}**")
        about = [f"n = {pattern.n:,}", *(f"{words}: {number:,}" for words, number in pattern.counts)]
        if pattern.cost:
            about.append(f"about {pattern.cost:g} marks in all")
        st.caption(plain(" · ".join(about)))
        if pattern.older:
            st.caption(
                "Most of these proposals were made under an earlier version of the scheme: ask the judge again on the "
                "Runs page to see whether it still holds."
            )
        st.markdown(plain(pattern.bar or pattern.suggestion))
        if known is not None:
            st.button(
                f"Open the remedy ({known.state})", key=f"open_remedy_{known.id}", on_click=_open, args=(known.id,)
            )
        elif not pattern.bar:
            st.button(
                "Try a remedy",
                key=f"try_{pattern.key}",
                icon=":material/healing:",
                on_click=_draft,
                args=(store, pattern, marker),
            )


def _show_record(store: Store, marker: Marker, known: list[Remedy]) -> None:
    """Every remedy of the exam, those that were dropped too."""
    if not known:
        return
    with store.read() as db:
        numbers = {each.id: each.question.number for each in exams.questions(db, known[0].exam_id)}
    record = st.expander(f"All remedies ({len(known)})", key=f"remedies_{known[0].exam_id}", on_change="rerun")
    if not record.open:
        return
    with record:
        rows = []
        for remedy in known:
            row = {"Question": numbers[remedy.question_id], "State": str(remedy.state), "Pattern": remedy.pattern}
            if marker.role is Role.HEAD:
                row["By"] = remedy.marker_name
            rows.append({**row, "Begun": remedy.created_at[:10]})
        shown = st.dataframe(
            rows,
            key=f"remedy_rows_{known[0].id}_{len(known)}",
            on_select="rerun",
            selection_mode="single-row",
            hide_index=True,
            alt="The exam's remedies: question, state, pattern, who began it and when.",
            column_config={"Pattern": st.column_config.TextColumn(width="large")},
        )
        ticked = [known[row] for row in shown.selection.rows if row < len(known)]
        st.button(
            "Open it",
            key="open_ticked_remedy",
            disabled=not ticked,
            on_click=_open,
            args=(ticked[0].id if ticked else 0,),
            help="Tick a remedy in the table first.",
        )


def _show_remedy(store: Store, marker: Marker, remedy: Remedy) -> None:
    st.button("All patterns", key="leave_remedy", icon=":material/arrow_back:", on_click=_leave)
    with store.read() as db:
        question = exams.question(db, remedy.question_id)
        judge = judges.get(db, remedy.judge_id)
        job = None if remedy.job_id is None else jobs.get(db, remedy.job_id)
    assert judge is not None
    st.subheader(f"A remedy on question {plain(question.question.number)}")
    st.markdown(f"**{plain(remedy.pattern)}**")
    st.caption(f"Judge: {plain(judge.name)}")
    if remedy.open and question.scheme_id != remedy.scheme_id:
        st.warning(
            f"The scheme of this question has been changed meanwhile, to v{question.scheme_version}. This remedy "
            "starts from an earlier version, so it cannot be applied. “Change the draft” begins at the scheme as it is "
            "now."
        )
    if remedy.state is State.DRAFTED:
        show_editor(store, marker, remedy, question, judge)
    elif job is not None and job.status in ("queued", "running"):
        show_trial(store, marker, remedy.id, job.id)
    else:
        show_result(store, marker, remedy, question, judge, job)


def _draft(store: Store, pattern: Pattern, marker: Marker) -> None:
    try:
        _open(remedying.draft(store, pattern, marker))
    except RemedyError as error:
        state[REFUSED] = str(error)


def _open(remedy_id: int) -> None:
    st.query_params[IN_ADDRESS] = str(remedy_id)


def _leave() -> None:
    st.query_params.pop(IN_ADDRESS, None)

"""A new trial: which exam, whose marks, which questions, judges and variants, and what it would take."""

from __future__ import annotations

import streamlit as st
from pydantic import ValidationError

from components.marking import Marker
from components.widgets.figures import plain
from components.workflow.connections import Connections
from components.workflow.trial.arms import ArmChoice
from components.workflow.trial.planning import Plan, TrialOptions, plan, usual_markers, written
from components.workflow.trial.starting import MOST_ARMS, TrialError, start
from pages.pilot import trial_words
from pages.pilot.spending_cap import TOO_LOW, above_cap, choose_cap, say_of_cap
from pages.pilot.start_panel import open_panel, start_button
from pages.pilot.trial_variants import choose_arms
from pages.shared import guard
from storage import Store, exams, runs, trial_marks
from storage.trial_marks import Basis, Counted, MarkerCount, Whose

PLAN_SECONDS = 20
NOBODY = 0  # among markers' ids
OPEN, SHOWN = "new_trial", "trial_open"
STOPS = (
    "the trial would probably stop before its end. What it has by then is kept and compared, and it can go on with a "
    "higher cap."
)
state = st.session_state


@st.fragment
def new_trial(store: Store, connections: Connections, marker: Marker, *, opened: bool) -> None:
    """The panel; what is chosen in it draws only the panel again."""
    panel = open_panel("New trial", key=OPEN, icon=":material/science:", opened=opened)
    if panel is not None:
        with panel:
            _choices(store, connections, marker)


def _choices(store: Store, connections: Connections, marker: Marker) -> None:
    with store.read() as db:
        titles = {exam.id: exam.title for exam in reversed(exams.listed(db))}
    if not titles:
        st.info(
            "There is no exam yet. Import a table with answers and two teachers' marks, or restore the demo exam.",
            title="Nothing to try judges on",
        )
        _to_exams()
        return
    exam_id = st.selectbox("Exam", list(titles), format_func=titles.__getitem__, key="trial_exam", width=420)
    questions = _choose_questions(store, exam_id)
    base = TrialOptions(exam_id=exam_id, questions=questions, arms=())
    with store.read() as db:
        ids = tuple(each.id for each in written(db, base))
        changed = runs.changes(db)
    people, usual = _people(str(store.path), exam_id, ids, changed, store)
    if not people:
        st.info(trial_words.NOTHING_MARKED, title="Nothing to compare with")
        _to_exams()
        return
    whose = _choose_markers(exam_id, people, usual)
    found = _counted(str(store.path), exam_id, ids, whose, changed, store)
    st.markdown(plain(trial_words.marked(found)))
    if not found.double_marked:
        st.warning(trial_words.ONCE, title="Marked once")
    arms = choose_arms(store, connections)
    cap, title = _choose_cap_and_title()
    try:
        options = TrialOptions(
            exam_id=exam_id, arms=tuple(arms), title=title, questions=questions, whose=whose, cap=cap
        )
    except ValidationError:
        st.error(f"{TOO_LOW} Leave it empty for a trial without one.")
        return
    _say_and_start(store, connections, marker, options, arms)


def _say_and_start(
    store: Store, connections: Connections, marker: Marker, options: TrialOptions, arms: list[ArmChoice]
) -> None:
    if not arms:
        st.caption("Choose at least one judge to see what the trial would take.")
        return
    if len(arms) > MOST_ARMS:
        st.error(f"These are {len(arms)} arms, and a trial has at most {MOST_ARMS}. Choose fewer variants.")
        return
    with store.read() as db:
        changed = runs.changes(db)
    connected = tuple(choice.judge_id for choice in arms if connections.llm(choice.judge_id) is not None)
    made = _planned(
        str(store.path), options.model_dump_json(exclude={"cap", "title"}), changed, connected, store, connections
    )
    st.dataframe(
        [trial_words.planned_row(arm, made.marked.responses) for arm in made.arms],
        hide_index=True,
        column_config={"Arm": st.column_config.TextColumn(width="large")},
    )
    st.markdown(plain(trial_words.totals(made)))
    withheld = [trial_words.NOTHING_WITHHELD] if made.nothing_withheld else []
    for problem in [*withheld, *trial_words.unseen(made), *made.problems]:
        st.warning(plain(problem))
    refused = start_button(
        "Start the trial",
        key="trial_go",
        disabled=bool(made.problems),
        start=lambda: _start(store, connections, options, marker),
    )
    say_of_cap(above_cap(made.price, options.cap, STOPS), refused)
    st.caption(
        "Answers that a judge has given before to exactly the same question are taken over and not paid for again. "
        "Nothing of a trial shows on the marking desk."
    )


@st.cache_data(ttl=PLAN_SECONDS, max_entries=30, show_spinner="Working out what it would take …")
def _planned(
    where: str,
    options: str,
    changed: tuple[int, ...],
    connected: tuple[int, ...],
    _store: Store,
    _connections: Connections,
) -> Plan:
    return plan(_store, _connections, TrialOptions.model_validate_json(options))


def _start(store: Store, connections: Connections, options: TrialOptions, marker: Marker) -> str:
    """Start it; gives why it was refused, or nothing."""
    try:
        state[SHOWN] = start(store, connections, options, marker)
    except TrialError as error:
        return str(error)
    state[OPEN] = False
    return ""


def _choose_questions(store: Store, exam_id: int) -> tuple[int, ...] | None:
    with store.read() as db:
        asked = {each.id: each.question for each in exams.questions(db, exam_id)}
    by_rule = any(question.type.objective for question in asked.values())
    chosen = st.multiselect(
        "Questions",
        list(asked),
        format_func=lambda each: f"{asked[each].number}{' (marked by rule)' if asked[each].type.objective else ''}",
        placeholder="All written questions" if by_rule else "All questions",
        key=f"trial_questions_{exam_id}",
        help=trial_words.RULES if by_rule else "Leave it empty for all of them.",
    )
    return tuple(each for each in asked if each in chosen) or None


@st.cache_data(max_entries=20, show_spinner="Counting the marks …")
def _people(
    where: str, exam_id: int, questions: tuple[int, ...], changed: tuple[int, ...], _store: Store
) -> tuple[list[MarkerCount], Whose | None]:
    """Who has marked, and whose marks count unless told otherwise."""
    with _store.read() as db:
        return trial_marks.markers_of(db, exam_id, questions), usual_markers(db, exam_id, questions)


@st.cache_data(max_entries=50, show_spinner="Counting the marks …")
def _counted(
    where: str,
    exam_id: int,
    questions: tuple[int, ...],
    whose: Whose | None,
    changed: tuple[int, ...],
    _store: Store,
) -> Counted:
    with _store.read() as db:
        return trial_marks.counted(db, Basis(exam_id, questions, whose))


def _choose_markers(exam_id: int, people: list[MarkerCount], usual: Whose | None) -> Whose | None:
    """Whose marks count; None: per response the first two people who marked it."""
    found = {each.marker_id: each for each in people}
    if len(found) < 2:
        return usual
    named, first_two = "Two people", "The first two of each response"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        way = st.segmented_control(
            "Whose marks",
            [named, first_two],
            default=first_two if usual is None else named,
            required=True,
            key=f"trial_whose_{exam_id}",
            wrap=True,
            help="Only marks that were given without the AI's in sight: blind, or imported.",
        )
        if way == first_two:
            return None
        told = {each.marker_id: f"{each.name} ({each.marks:,})" for each in found.values()}
        first = st.selectbox("First", list(told), format_func=told.__getitem__, key=f"trial_first_{exam_id}", width=260)
        second = st.selectbox(
            "Second",
            [*(each for each in told if each != first), NOBODY],
            format_func=lambda each: "nobody" if each == NOBODY else told[each],
            key=f"trial_second_{exam_id}",
            width=260,
        )
    return first, None if second == NOBODY else second


def _choose_cap_and_title() -> tuple[float | None, str]:
    with st.container(horizontal=True):
        cap = choose_cap(
            "trial_cap",
            "For all arms together. The trial stops before it would spend more, and can go on with a higher cap.",
            width=260,
        )
        title: str = st.text_input("Title", placeholder="Named after its exam", key="trial_title", max_chars=120)
    return cap, title


def _to_exams() -> None:
    st.page_link(guard.PAGES_FOLDER / "department/exams.py", label="Go to exams", icon=":material/description:")

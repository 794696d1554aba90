"""Starting a run: which exam, questions, judge and examples, what it would take, and the most it may spend."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
from pydantic import ValidationError

from components.judge.prices import price_of
from components.marking import Marker
from components.widgets.figures import plain
from components.workflow import cohort
from components.workflow.cohort import RunError, RunOptions
from components.workflow.connections import Connections
from components.workflow.estimate import Estimate, estimate
from pages.pilot import run_words
from pages.pilot.run_choices import choose_examples, choose_questions
from pages.pilot.spending_cap import TOO_LOW, choose_cap, say_of_cap
from pages.pilot.start_panel import open_panel, start_button
from pages.shared import guard
from pages.shared.press import pressed
from storage import Store, exams, jobs, judges, pictures, runs
from storage.exams import Exam
from storage.judges import StoredJudge

ESTIMATE_SECONDS = 10  # what no key of the cache tells, such as a response chosen for standardisation
OPEN = "start_a_run"
state = st.session_state


@st.fragment
def start_panel(store: Store, connections: Connections, marker: Marker, *, opened: bool) -> None:
    """The panel; what is chosen in it draws only the panel again, not the runs below."""
    panel = open_panel("Start a run", key=OPEN, icon=":material/play_arrow:", opened=opened)
    if panel is not None:
        with panel:
            _choices(store, connections, marker)


def _choices(store: Store, connections: Connections, marker: Marker) -> None:
    with store.read() as db:
        open_exams = {exam.id: exam for exam in reversed(exams.listed(db))}
        listed = judges.listed(db)
    if not open_exams:
        st.info("There is no exam yet. Restore the demo exam, or import a table.", title="Nothing to run on")
        if pressed("Go to exams", key="run_to_exams", type="primary"):
            st.switch_page(guard.PAGES_FOLDER / "department/exams.py")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        exam_id = st.selectbox(
            "Exam", list(open_exams), format_func=lambda each: open_exams[each].title, key="run_exam", width=300
        )
        judge = _choose_judge(connections, listed, open_exams[exam_id])
    questions = choose_questions(store, exam_id, "run")
    shots, grading = _choose_examples(connections, judge)
    skip_pictures = _choose_pictures(store, exam_id, judge)
    cap = _choose_cap(judge)
    on_desk = st.toggle(
        "Show its proposals on the marking desk",
        value=True,
        key="run_on_desk",
        help="The desk shows one judge's proposals for an exam. Off: they are made for comparing judges, and the desk "
        "goes on with the judge that it has.",
    )
    if judge is None:
        st.caption("Choose a judge to see what the run would take.")
        return
    try:
        options = RunOptions(
            exam_id=exam_id,
            judge_id=judge.id,
            questions=questions,
            shots=shots,
            grading=grading,
            cap=cap,
            skip_pictures=skip_pictures,
        )
    except ValidationError:
        st.error(f"{TOO_LOW} Leave it empty for a run without one.")
        return
    ahead = _say_beforehand(store, connections, judge, options)
    refused = start_button("Start", key="run_go", start=lambda: _start(store, options, marker, on_desk))
    say_of_cap("" if ahead is None else run_words.cap_text(ahead, options.cap), refused)
    st.caption(
        "Choice and numeric questions are always marked by rule. What this judge has proposed already is kept and not "
        "paid for again. You may mark while the run goes on: proposals appear as they come in."
    )


def _choose_judge(connections: Connections, listed: list[StoredJudge], exam: Exam) -> StoredJudge | None:
    asked = {
        judge.id: judge
        for judge in listed
        if judge.kind != judges.OBJECTIVE and (connections.connected(judge) or judge.kind == judges.IMPORTED)
    }
    chosen: int | None = st.selectbox(
        "Judge",
        list(asked),
        format_func=lambda each: asked[each].name,
        index=list(asked).index(exam.judge_id) if exam.judge_id in asked else None,
        placeholder="Choose a judge",
        key=f"run_judge_{exam.id}",
        width=420,
    )
    st.page_link(guard.PAGES_FOLDER / "pilot/judges.py", label="Connect another", icon=":material/smart_toy:")
    return None if chosen is None else asked[chosen]


def _choose_pictures(store: Store, exam_id: int, judge: StoredJudge | None) -> bool:
    """Whether answers that can only be looked at are left out; asked where a model might be sent any."""
    if judge is None or judge.kind != judges.LLM:
        return False
    with store.read() as db:
        shown = pictures.count_of_exam(db, exam_id)
    return bool(shown) and st.toggle(
        "Leave out the answers that are pictures",
        key=f"run_without_pictures_{exam_id}",
        help="For a model that cannot read pictures. One with a transcript that a teacher corrected is not left out.",
    )


def _choose_examples(connections: Connections, judge: StoredJudge | None) -> tuple[int, bool]:
    asked = None if judge is None else connections.judge(judge)
    if asked is not None:
        return choose_examples(asked, "run")
    if judge is not None:  # imported
        st.caption("No examples: only a language model by the full protocol is shown marked responses.")
    return 0, True


def _choose_cap(judge: StoredJudge | None) -> float | None:
    if judge is None or judge.kind != judges.LLM:
        return None
    return choose_cap("run_cap", "The run stops before it would spend more. It can go on with a higher cap.")


def _say_beforehand(store: Store, connections: Connections, judge: StoredJudge, options: RunOptions) -> Estimate | None:
    """What the run would take, said and given, where it can be told."""
    if judge.kind == judges.IMPORTED:
        st.markdown(plain(run_words.IMPORTED_TEXT))
        return None
    with store.read() as db:
        changed = runs.changes(db)
    ahead, available = _ahead(
        str(store.path), options.model_dump_json(exclude={"cap"}), changed, _store=store, _connections=connections
    )
    if ahead is None:
        st.warning(f"{plain(judge.name)} is not connected any more. Connect it again on the Judges page.")
        return None
    if ahead.llm:  # the price file may have been edited since
        ahead = replace(ahead, price=price_of(ahead.model, ahead.tokens_in, ahead.tokens_out))
    st.markdown(plain(run_words.estimate_text(ahead)))
    if said := run_words.examples_text(available, options.shots):
        st.caption(plain(said))
    if said := run_words.pictures_text(ahead, options.skip_pictures):
        st.warning(plain(said)) if ahead.unsendable else st.caption(plain(said))
    if said := run_words.figures_text(ahead):
        st.warning(plain(said)) if ahead.unseen_figures else st.caption(plain(said))
    return ahead


@st.cache_data(ttl=ESTIMATE_SECONDS, max_entries=50, show_spinner="Working out what it would take …")
def _ahead(
    where: str, options: str, changed: tuple[int, ...], _store: Store, _connections: Connections
) -> tuple[Estimate | None, dict[str, int]]:
    """The estimate, and how many examples each question has by its number. The first three are what they rest on."""
    chosen = RunOptions.model_validate_json(options)
    ahead = estimate(_store, _connections, chosen)
    if ahead is None or not chosen.shots:
        return ahead, {}
    with _store.read() as db:
        examples = cohort.with_exemplars(db, chosen.model_copy(update={"grading": False})).chosen
        numbers = {each.id: each.question.number for each in exams.questions(db, chosen.exam_id)}
    return ahead, {numbers[each]: len(found) for each, found in examples.items()}


def _start(store: Store, options: RunOptions, marker: Marker, on_desk: bool) -> str:
    """Start it; gives why it was refused, or nothing."""
    try:
        job_id = cohort.start(store, options, marker, on_desk=on_desk)
    except RunError as error:
        return str(error)
    with store.write() as db:
        jobs.unpause(db, job_id)  # one that was paused with the same options serves for this
    state[OPEN] = False
    return ""

"""Starting a batch: which exam, questions, model and examples, and what it would take."""

from __future__ import annotations

import streamlit as st

from components.marking import Marker
from components.widgets.figures import count, plain
from components.workflow import batches
from components.workflow.batch_read import BATCH_SHARE
from components.workflow.cohort import RunError, RunOptions
from components.workflow.connections import Connections
from components.workflow.estimate import Estimate, estimate
from pages.pilot import run_words
from pages.pilot.run_choices import choose_examples, choose_questions
from pages.pilot.start_panel import open_panel, start_button
from storage import Store, exams, judges

OPEN = "start_a_batch"
ESTIMATE_SECONDS = 20
state = st.session_state


@st.fragment
def start_form(store: Store, connections: Connections, marker: Marker) -> None:
    """The panel; what is chosen in it draws only the panel again."""
    panel = open_panel("Write a batch", key=OPEN, icon=":material/edit_document:")
    if panel is not None:
        with panel:
            _choices(store, connections, marker)


def _choices(store: Store, connections: Connections, marker: Marker) -> None:
    with store.read() as db:
        open_exams = {exam.id: exam for exam in reversed(exams.listed(db))}
        models = {each.id: each for each in judges.listed(db) if connections.llm(each.id) is not None}
    if not open_exams or not models:
        what = "There is no exam yet." if not open_exams else "No language model is connected."
        st.caption(f"{what} A batch needs an exam and a connected model, from the Judges page\\.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        exam_id: int = st.selectbox(
            "Exam", list(open_exams), format_func=lambda each: open_exams[each].title, key="batch_exam", width=300
        )
        judge_id: int = st.selectbox(
            "Model", list(models), format_func=lambda each: models[each].name, key="batch_judge", width=420
        )
    questions = choose_questions(store, exam_id, "batch")
    judge = connections.llm(judge_id)
    assert judge is not None
    shots, grading = choose_examples(judge, "batch")
    on_desk = st.toggle("Show its proposals on the marking desk", value=True, key="batch_on_desk")
    options = RunOptions(exam_id=exam_id, judge_id=judge_id, questions=questions, shots=shots, grading=grading)
    ahead = _ahead(str(store.path), options.model_dump_json(), _store=store, _connections=connections)
    if ahead is not None:
        st.markdown(plain(_words(ahead)))
    refused = start_button("Write the file", key="batch_go", start=lambda: _start(store, options, marker, on_desk))
    if refused:
        st.error(plain(refused))  # below the button, which so stays under the pointer once this has gone
    st.caption(
        "Writing sends nothing. Blank answers, and choice and numeric questions, get their proposals at once and are "
        "not in the file\\."
    )


def _words(ahead: Estimate) -> str:
    """What the batch would take, its price both ways."""
    if not ahead.sent:
        return "This model has proposed on every response it could be asked about, so there would be nothing to send."
    said = (
        f"About {count(ahead.sent, 'response')} would be sent: about {run_words.rounded(ahead.tokens_in)} tokens, and "
        f"{run_words.rounded(ahead.tokens_out)} back."
    )
    if ahead.price is None:
        return f"{said} The price is not known: {run_words.PRICE_FILE} does not have {ahead.model}."
    full, half = (run_words.dollars(float(f"{ahead.price * share:.2g}")) for share in (1.0, BATCH_SHARE))
    return f"{said} Estimate: {half} as a batch at half price, {full} at the full one."


@st.cache_data(ttl=ESTIMATE_SECONDS, max_entries=20, show_spinner="Working out what it would take …")
def _ahead(where: str, options: str, _store: Store, _connections: Connections) -> Estimate | None:
    return estimate(_store, _connections, RunOptions.model_validate_json(options))


def _start(store: Store, options: RunOptions, marker: Marker, on_desk: bool) -> str:
    """Write it; gives why it was refused, or nothing."""
    try:
        batches.start(store, options, marker, on_desk=on_desk)
    except RunError as error:
        return str(error)
    state[OPEN] = False
    return ""

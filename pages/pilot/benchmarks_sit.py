"""Planning a sitting: which benchmark, judge, protocol and questions, what it would take, and the most it may spend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st
from pydantic import ValidationError

from components.intake.benchmarks import Benchmark
from components.judge.prices import price_of
from components.marking import Marker, MarkError
from components.widgets.figures import plain
from components.workflow.benchmarks.settings import PROTOCOLS, Protocol, SittingSettings, usual_split
from components.workflow.benchmarks.sitting import Ahead, ahead, begin, checked
from components.workflow.benchmarks.wording import ahead_words
from components.workflow.connections import Connections
from pages.pilot.spending_cap import TOO_LOW, above_cap, choose_cap, say_of_cap
from pages.pilot.start_panel import open_panel, start_button
from pages.shared import guard
from storage import Store, benchmarks, judges, sitting_progress
from storage.benchmarks import StoredSet, Task

OPEN = "sit_a_benchmark"
AHEAD_SECONDS = 20
STOPS = "the sitting would probably stop before its end. It can go on with a higher cap."


@st.fragment
def sit_panel(store: Store, connections: Connections, sets: Sequence[StoredSet], marker: Marker) -> None:
    """The panel; what is chosen in it draws only the panel again, not the sittings below."""
    panel = open_panel("Let a model sit it", key=OPEN, icon=":material/play_arrow:")
    if panel is not None:
        with panel:
            _choices(store, connections, sets, marker)


def _choices(store: Store, connections: Connections, sets: Sequence[StoredSet], marker: Marker) -> None:
    by_id = {each.id: each for each in sets}
    with store.read() as db:
        asked = {each.id: each for each in judges.listed(db) if each.kind == judges.LLM and connections.connected(each)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        set_id: int = st.selectbox(
            "Benchmark", list(by_id), format_func=lambda each: by_id[each].name, key="sit_set", width=300
        )
        judge_id: int | None = st.selectbox(
            "Judge",
            list(asked),
            format_func=lambda each: asked[each].name,
            index=None,
            placeholder="Choose a judge",
            key="sit_judge",
            width=420,
        )
        st.page_link(guard.PAGES_FOLDER / "pilot/judges.py", label="Connect another", icon=":material/smart_toy:")
    if not asked:
        st.info("Only a language model can sit a paper. Connect one on the Judges page.", title="No model is connected")
        return
    found = by_id[set_id]
    with store.read() as db:
        tasks = benchmarks.tasks(db, set_id)
    settings = _settings(found, tasks)
    if settings is None:
        return
    if judge_id is None:
        st.caption("Choose a judge to see what the sitting would take.")
        return
    before = _say_beforehand(store, connections, set_id, judge_id, settings)
    if before is None:
        return
    refused = start_button("Start", key="sit_go", start=lambda: _start(store, set_id, judge_id, settings, marker))
    say_of_cap(above_cap(before.price, settings.cap, STOPS), refused)
    st.caption(
        "Each answer is kept as it comes; what the judge has answered already is not asked or paid for again. Written "
        "answers are kept without a mark: make an exam of them afterwards, for judges or teachers to mark."
    )


def _settings(found: StoredSet, tasks: Sequence[Task]) -> SittingSettings | None:
    """What was chosen, or None, said in words, where it will not do."""
    benchmark = Benchmark(found.benchmark)
    protocols = PROTOCOLS[benchmark]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        protocol: Protocol = protocols[0]
        if len(protocols) > 1:
            protocol = st.segmented_control(
                "Protocol",
                list(protocols),
                default=protocols[0],
                required=True,
                format_func=lambda each: each.named,
                key=f"sit_protocol_{found.id}",
                wrap=True,
            )
        splits = list(dict.fromkeys(task.split for task in tasks))
        split = usual_split(benchmark, splits)
        if len(splits) > 1:
            split = st.segmented_control(
                "Questions",
                splits,
                default=split,
                required=True,
                key=f"sit_split_{found.id}",
                wrap=True,
                help="dev: the worked ones; val: with public answers; test: mostly with private ones, for a "
                "submission file.",
            )
        shots = _shots(found, protocol, tasks, split)
    names = list(dict.fromkeys(task.task for task in tasks if task.split == split))
    chosen = st.multiselect(
        "Tasks", names, placeholder="All tasks", key=f"sit_tasks_{found.id}_{split}", help="Leave it empty for all."
    )
    cap = choose_cap("sit_cap", "The sitting stops before it would spend more. It can go on with a higher cap.")
    try:
        return SittingSettings(
            protocol=protocol,
            shots=shots,
            tasks=tuple(name for name in names if name in chosen) or None,
            splits=(split,),
            cap=cap,
        )
    except ValidationError:
        st.error(f"{TOO_LOW} Leave it empty for a sitting without one.")
        return None


def _shots(found: StoredSet, protocol: Protocol, tasks: Sequence[Task], split: str) -> int:
    """How many worked questions go before each; as many as each task has are offered."""
    fewest, most, usual = protocol.shots
    if not most:
        return 0
    worked = {task.task: task.keyed for task in tasks if task.split == "dev"}
    there = min((worked.get(task.task, 0) - (split == "dev") for task in tasks if task.split == split), default=0)
    offered = list(range(fewest, min(most, max(there, fewest)) + 1))
    shots: int = st.segmented_control(
        "Worked questions before each",
        offered,
        default=min(usual, offered[-1]),
        required=True,
        key=f"sit_shots_{found.id}_{protocol}_{split}",
        wrap=True,
        help="Questions of the dev split with their answers. A question is never shown with its own answer.",
    )
    return shots


def _say_beforehand(
    store: Store, connections: Connections, set_id: int, judge_id: int, settings: SittingSettings
) -> Ahead | None:
    """What the sitting would take, said and given; None, said in words, where it cannot be."""
    try:
        with store.read() as db:
            checked(db, set_id, judge_id, settings)
            answers = sitting_progress.answers(db)
    except MarkError as error:
        st.warning(plain(str(error)))
        return None
    before = _ahead(
        str(store.path), set_id, judge_id, settings.model_dump_json(exclude={"cap"}), answers, store, connections
    )
    if before is None:
        st.warning("This judge is not connected any more. Connect it again on the Judges page.")
        return None
    judge = connections.llm(judge_id)
    model = "" if judge is None else judge.endpoint.model
    before = replace(before, price=price_of(model, before.tokens_in, before.tokens_out))  # the file may have changed
    st.markdown(plain(ahead_words(before, model)))
    return before


@st.cache_data(ttl=AHEAD_SECONDS, max_entries=20, show_spinner="Working out what it would take …")
def _ahead(
    where: str,
    set_id: int,
    judge_id: int,
    settings: str,
    answers: int,
    _store: Store,
    _connections: Connections,
) -> Ahead | None:
    """The first five are what it rests on."""
    return ahead(_store, _connections, set_id, judge_id, SittingSettings.model_validate_json(settings))


def _start(store: Store, set_id: int, judge_id: int, settings: SittingSettings, marker: Marker) -> str:
    """Start it; gives why it was refused, or nothing."""
    try:
        begin(store, set_id, judge_id, settings, marker)
    except MarkError as error:
        return str(error)
    return ""

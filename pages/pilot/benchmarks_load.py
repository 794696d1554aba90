"""Loading a benchmark from a folder or from files: its questions, what was wrong with them, results that came along."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from components.intake.benchmarks import Loaded, load_files, load_folder
from components.intake.errors import IntakeError
from components.marking import Marker, MarkError
from components.widgets.figures import count, plain
from components.workflow.benchmarks.making_exams import exams_of_results
from components.workflow.benchmarks.marked_written import judged_here
from components.workflow.benchmarks.sets import store_set
from pages.pilot.benchmarks_exams import say_made
from pages.pilot.benchmarks_figures import content_key, figures_section
from pages.shared.press import pressed
from storage import Store, benchmarks
from storage.benchmarks import StoredSet

SHIPPED, SHIPPED_KEY = "benchmark_shipped", "benchmark_shipped_key"
NOTICE, PROBLEM = "benchmark_notice", "benchmark_problem"
FOLDER, UPLOADS, UPLOADED_FOLDER = "benchmark_folder", "benchmark_files", "benchmark_directory"
ENDINGS = ["json", "jsonl", "csv", "zip"]
SHOWN_FINDINGS = 200
state = st.session_state


def load_panel(store: Store, marker: Marker, *, opened: bool) -> None:
    panel = st.expander("Load a benchmark", expanded=opened, key="load_a_benchmark", icon=":material/upload_file:")
    with panel:
        here, files, folder = st.tabs(["On the server", "Files or a ZIP", "Your folder"])  # all three fit a phone
        with here, st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input(
                "Folder, file or ZIP",
                key=FOLDER,
                placeholder="/data/E-EVAL",
                width=480,
                help="Where it is on the machine that this app runs on.",
            )
            st.button("Load the folder", key="benchmark_load_folder", on_click=_load_folder, args=(store, marker))
        with files:
            _upload(store, marker, UPLOADS, "Files", True)
        with folder:
            _upload(store, marker, UPLOADED_FOLDER, "Folder", "directory")
        st.caption(
            "GAOKAO-Bench's folders Data, Results and human_double_marked (JSON), E-EVAL's dev, val and test (CSV), "
            "M3KE's (JSON lines). What is wrong in the files is reported, and nothing is guessed."
        )


def loaded_sets(store: Store, sets: Sequence[StoredSet]) -> None:
    """What has been loaded, each with what was found wrong in it."""
    for each in sets:
        with store.read() as db:
            tasks = benchmarks.tasks(db, each.id)
        by_split: dict[str, int] = {}
        for task in tasks:
            by_split[task.split] = by_split.get(task.split, 0) + task.items
        splits = ", ".join(f"{items:,} {split}" for split, items in by_split.items())
        found = f" · {count(len(each.report), 'note')}" if each.report else ""
        names = len({task.task for task in tasks})
        with st.expander(
            plain(f"{each.name}: {count(each.items, 'question')} ({splits}) in {count(names, 'task')}{found}"),
            key=f"benchmark_set_{each.id}",
        ):
            if each.report:
                st.caption("What was found in its files:")
                _findings(each.report, f"set_{each.id}")
            st.dataframe(
                [
                    {
                        "Task": task.task,
                        "Split": task.split,
                        "Questions": task.items,
                        "With a public key": task.keyed,
                        "Written out": task.open,
                    }
                    for task in tasks
                ],
                hide_index=True,
                key=f"benchmark_tasks_{each.id}",
            )
            st.button(
                "Take it out of the list",
                key=f"benchmark_archive_{each.id}",
                help="Its sittings go with it. Nothing is deleted; loading the same files brings the set back.",
                on_click=_archive,
                args=(store, each.id),
            )


def shipped_section(store: Store, marker: Marker) -> None:
    """The results that came with the files that were loaded last: their figures, and an exam of them."""
    loaded: list[Loaded] = state.get(SHIPPED, [])
    if not loaded:
        return
    st.subheader("Results that were shipped with it")
    report = [line for part in loaded for line in part.report]
    if report:
        with st.expander(count(len(report), "note") + " on these files", key="benchmark_shipped_notes"):
            _findings(report, "shipped")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Make exams of the written answers",
            key="benchmark_make_exams",
            icon=":material/assignment_add:",
            help="One exam a subject, the models as candidates, with the teachers' marks and the judges' valid ones, "
            "so that other judges can be tried on them and teachers can mark them.",
            on_click=_make_exams,
            args=(store, loaded, marker),
        )
        st.button("Put these results away", key="benchmark_put_away", on_click=_put_away)
    figures_section(loaded, state.get(SHIPPED_KEY, ""), judged_here(store, loaded))


def _findings(report: Sequence[str], key: str) -> None:
    st.dataframe(
        [{"Found": line} for line in report[:SHOWN_FINDINGS]],
        hide_index=True,
        column_config={"Found": st.column_config.TextColumn(width="large")},
        key=f"benchmark_findings_{key}",
    )
    if len(report) > SHOWN_FINDINGS:
        st.caption(f"The first {SHOWN_FINDINGS:,} of {len(report):,}.")


def _upload(store: Store, marker: Marker, key: str, label: str, several: object) -> None:
    given = st.file_uploader(label, ENDINGS, accept_multiple_files=several, key=key)  # type: ignore[call-overload]
    if pressed("Load what was chosen", key=f"{key}_load", disabled=not given):
        _keep(store, marker, lambda: load_files((each.name, each.getvalue()) for each in given))
        st.rerun()


def _load_folder(store: Store, marker: Marker) -> None:
    path = str(state.get(FOLDER, "")).strip()
    if not path:
        state[PROBLEM] = "Write where the folder is on the machine that this app runs on."
        return
    _keep(store, marker, lambda: load_folder(Path(path)))


def _keep(store: Store, marker: Marker, load: Callable[[], list[Loaded]]) -> None:
    """Load, keep the questions as sets, and hold what was shipped with them for this session."""
    try:
        loaded = load()
        sets = [store_set(store, part, marker) for part in loaded if part.items]
    except (IntakeError, MarkError) as error:
        state[PROBLEM] = str(error)
        return
    shipped = [part for part in loaded if part.results]
    if shipped:
        state[SHIPPED] = shipped
        state[SHIPPED_KEY] = content_key(shipped)
    questions = sum(len(part.items) for part in loaded)
    results = sum(len(part.results) for part in shipped)
    said = [count(questions, "question") if sets else "", count(results, "shipped result") if results else ""]
    state[NOTICE] = f"Loaded {' and '.join(part for part in said if part)}."


def _archive(store: Store, set_id: int) -> None:
    with store.write() as db:
        benchmarks.archive(db, set_id)


def _put_away() -> None:
    state.pop(SHIPPED, None)
    state.pop(SHIPPED_KEY, None)


def _make_exams(store: Store, loaded: list[Loaded], marker: Marker) -> None:
    try:
        say_made(exams_of_results(store, loaded, marker))
    except MarkError as error:
        state[PROBLEM] = str(error)

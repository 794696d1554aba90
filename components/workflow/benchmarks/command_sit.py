"""The command `sit`: a model sits a benchmark."""

from __future__ import annotations

import argparse
import sys
from fnmatch import fnmatchcase
from pathlib import Path

from components.intake.benchmarks import Benchmark, load_folder
from components.marking import MarkError
from components.workflow.benchmarks.bar import Bar
from components.workflow.benchmarks.command_endpoint import EFFORTS, add_endpoint, connected
from components.workflow.benchmarks.sets import store_set
from components.workflow.benchmarks.settings import MOST_SHOTS, PROTOCOLS, Protocol, SittingSettings, usual_split
from components.workflow.benchmarks.sitting import ahead, checked
from components.workflow.benchmarks.sitting_here import sit_here
from components.workflow.benchmarks.wording import ahead_words
from components.workflow.connections import Connections
from storage import Store, benchmarks
from storage.benchmarks import StoredSet


def add_sit(sit: argparse.ArgumentParser) -> None:
    sit.add_argument("benchmark", help="the number of a loaded set, or a folder, file or ZIP to load first")
    sit.add_argument("--model", required=True, help="as the server knows it")
    sit.add_argument("--protocol", type=Protocol, choices=list(Protocol), help="usual: the benchmark's first")
    sit.add_argument("--shots", type=int, help=f"worked questions shown before each, 0 to {MOST_SHOTS}")
    sit.add_argument("--tasks", nargs="+", metavar="TASK", help="only these; * and ? stand for any letters")
    sit.add_argument("--splits", nargs="+", choices=("dev", "val", "test"), help="usual: see what `load` says")
    sit.add_argument("--reasoning-effort", choices=EFFORTS)
    add_endpoint(sit)
    sit.set_defaults(do=_sit)


def _sit(store: Store, asked: argparse.Namespace) -> int:
    found = _set(store, asked.benchmark)
    settings = _settings(store, found, asked)
    connections = Connections()
    judge_id = connected(store, connections, asked, asked.model, asked.reasoning_effort)
    with store.read() as db:
        checked(db, found.id, judge_id, settings)
    before = ahead(store, connections, found.id, judge_id, settings)
    assert before is not None
    print(f"{found.name}, {settings.named}: {ahead_words(before, asked.model)}", file=sys.stderr)
    if asked.dry_run:
        return 0
    bar = Bar()
    try:
        sitting_id, ended = sit_here(store, connections, found.id, judge_id, settings, bar.draw)
    finally:
        bar.close()
    print(f"Sitting {sitting_id} {ended.status}: {ended.message}")
    if ended.status == "cancelled":
        print("The same command goes on from here.", file=sys.stderr)
    return 0 if ended.status == "done" else 1


def _set(store: Store, named: str) -> StoredSet:
    """A set by its number, or the one in a folder, which is loaded. Raises MarkError and IntakeError."""
    if named.isdecimal():
        with store.read() as db:
            found = benchmarks.get(db, int(named))
        if found is None:
            raise MarkError(f"There is no set {named}. Load one with the command “load”.")
        return found
    parts = [part for part in load_folder(Path(named)) if part.items]
    if len(parts) != 1:
        raise MarkError(f"“{named}” holds questions of {len(parts)} benchmarks. Load it, then name one set's number.")
    set_id = store_set(store, parts[0])
    with store.read() as db:
        found = benchmarks.get(db, set_id)
    assert found is not None
    return found


def _settings(store: Store, found: StoredSet, asked: argparse.Namespace) -> SittingSettings:
    """The settings that were asked for, the rest as is usual for the set. Raises ValidationError, MarkError."""
    with store.read() as db:
        tasks = benchmarks.tasks(db, found.id)
    protocol = asked.protocol or PROTOCOLS[Benchmark(found.benchmark)][0]
    splits = asked.splits or [usual_split(Benchmark(found.benchmark), {task.split for task in tasks})]
    names = list(dict.fromkeys(task.task for task in tasks))
    chosen = [name for name in names if any(fnmatchcase(name, each) for each in asked.tasks or ())]
    if asked.tasks and not chosen:
        more = f" and {len(names) - 10:,} more" if len(names) > 10 else ""
        raise MarkError(f"No task is called {' or '.join(asked.tasks)}. There are {', '.join(names[:10])}{more}.")
    shots = asked.shots
    if shots is None:
        shots = max(0, protocol.shots[2] - (protocol.shots[2] > 0 and "dev" in splits))
    return SittingSettings(
        protocol=protocol, shots=shots, tasks=tuple(chosen) if chosen else None, splits=tuple(splits), cap=asked.cap
    )

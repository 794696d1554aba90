"""The command line: load a benchmark, let a model sit it, see what it got right, write the submission file."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from pydantic import ValidationError

from components.agreement import count_of
from components.intake.benchmarks import Benchmark, load_folder
from components.intake.errors import IntakeError
from components.judge.llm import Endpoint
from components.judge.llm.endpoint import DEFAULT_AT_ONCE, OPENAI_BASE_URL
from components.marking import MarkError
from components.workflow.agreement.export import csv_bytes
from components.workflow.benchmarks.bar import Bar
from components.workflow.benchmarks.making_exams import Made, exams_of_results, exams_of_sitting
from components.workflow.benchmarks.outcomes import sitting_of, submission_of, tables_of
from components.workflow.benchmarks.sets import store_set
from components.workflow.benchmarks.settings import MOST_SHOTS, PROTOCOLS, Protocol, SittingSettings, usual_split
from components.workflow.benchmarks.sitting import ahead, checked
from components.workflow.benchmarks.sitting_here import connect, sit_here
from components.workflow.benchmarks.text_table import in_text
from components.workflow.benchmarks.wording import ahead_words
from components.workflow.connections import Connections
from storage import Store, StoreError, benchmarks, open_store, sitting_progress, sittings
from storage.benchmarks import StoredSet

ABOUT = """Models sit published benchmarks: GAOKAO-Bench, E-EVAL, M3KE.

A sitting asks the model every question that it has not answered yet and keeps each answer as it comes, in the same
store as the app. Ctrl-C stops it after what is out has come back; the same command goes on from there, and asks what
failed once more. The same question to the same judge is never paid for twice.

  load DATA/gaokao_bench
  sit DATA/m3ke --base-url http://127.0.0.1:8080/v1 --model my-model --shots 3
  results 1 --csv results/
  submit 1 --out submission.json
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; gives the exit status: 0 done, 1 stopped or refused, 130 interrupted."""
    asked = _parser().parse_args(arguments)
    try:
        store = Store(Path(asked.data).expanduser() / "second-marker.db") if asked.data else open_store()
        try:
            return int(asked.do(store, asked))
        finally:
            store.close()
    except (IntakeError, MarkError, StoreError) as error:
        print(error, file=sys.stderr)
    except ValidationError as error:
        fault = error.errors()[0]
        named = "".join(f"--{place}: " for place in fault["loc"][:1])
        print(f"{named}{str(fault['msg']).removeprefix('Value error, ')}", file=sys.stderr)
    except OSError as error:
        print(f"“{error.filename or asked.do.__name__}” cannot be opened ({error.strerror}).", file=sys.stderr)
    except OverflowError:
        print("There is no such number. The commands “results” and “load” say what there is.", file=sys.stderr)
    except KeyboardInterrupt:
        print("Interrupted. What was with the model is lost; the same command goes on.", file=sys.stderr)
        return 130
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m components.workflow.benchmarks", None, ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", metavar="FOLDER", help="the app's data folder (usual: SECOND_MARKER_DATA, or its own)"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    load = commands.add_parser("load", help="read a benchmark's folder, file or ZIP into the store")
    load.add_argument("path")
    load.add_argument(
        "--exams", action="store_true", help="make exams of the written answers that were shipped with it"
    )
    load.set_defaults(do=_load)

    sit = commands.add_parser("sit", help="let a model sit a benchmark, or go on with a sitting")
    sit.add_argument("benchmark", help="the number of a loaded set, or a folder, file or ZIP to load first")
    sit.add_argument("--model", required=True, help="as the server knows it")
    sit.add_argument("--base-url", default=OPENAI_BASE_URL, help="of an OpenAI-compatible server (usual: %(default)s)")
    sit.add_argument("--key-variable", default="OPENAI_API_KEY", metavar="NAME", help="holds the key (%(default)s)")
    sit.add_argument("--protocol", type=Protocol, choices=list(Protocol), help="usual: the benchmark's first")
    sit.add_argument("--shots", type=int, help=f"worked questions shown before each, 0 to {MOST_SHOTS}")
    sit.add_argument("--tasks", nargs="+", metavar="TASK", help="only these; * and ? stand for any letters")
    sit.add_argument("--splits", nargs="+", choices=("dev", "val", "test"), help="usual: see what `load` says")
    sit.add_argument("--cap", type=float, metavar="DOLLARS", help="spend no more; needs a price in assets/prices.toml")
    sit.add_argument("--at-once", type=int, default=DEFAULT_AT_ONCE, help="requests out together (%(default)s)")
    sit.add_argument("--temperature", type=float)
    sit.add_argument("--seed", type=int)
    sit.add_argument("--max-tokens", type=int, help="longest reply")
    sit.add_argument("--reasoning-effort", choices=("none", "minimal", "low", "medium", "high", "xhigh"))
    sit.add_argument("--dry-run", action="store_true", help="only say what it would take")
    sit.set_defaults(do=_sit)

    results = commands.add_parser("results", help="list the sittings, or what one came to")
    results.add_argument("sitting", type=int, nargs="?")
    results.add_argument("--csv", metavar="FOLDER", help="write its tables there")
    results.set_defaults(do=_results)

    submit = commands.add_parser("submit", help="write the submission file for a private test set")
    submit.add_argument("sitting", type=int)
    submit.add_argument("--out", required=True, metavar="FILE")
    submit.set_defaults(do=_submit)

    exam = commands.add_parser("exam", help="make an exam a subject of what a model wrote, for judges and teachers")
    exam.add_argument("sitting", type=int)
    exam.set_defaults(do=_exam)
    return parser


def _load(store: Store, asked: argparse.Namespace) -> int:
    loaded = load_folder(Path(asked.path))
    for part in loaded:
        for line in part.report:
            print(f"  {line}", file=sys.stderr)
        if part.results:
            print(f"{part.name}: {len(part.results):,} shipped results; the Benchmarks page shows their figures.")
        if part.items:
            _say_set(store, store_set(store, part))
    if asked.exams:
        _say_exams(exams_of_results(store, loaded, None))
    return 0


def _sit(store: Store, asked: argparse.Namespace) -> int:
    found = _set(store, asked.benchmark)
    settings = _settings(store, found, asked)
    key = os.environ.get(asked.key_variable, "").strip()
    endpoint = Endpoint(
        asked.base_url,
        asked.model,
        key,
        temperature=asked.temperature,
        seed=asked.seed,
        max_tokens=asked.max_tokens,
        reasoning_effort=asked.reasoning_effort,
        at_once=max(1, asked.at_once),
    )
    connections = Connections()
    judge_id = connect(store, connections, endpoint, asked.key_variable if key else "")
    with store.read() as db:
        checked(db, found.id, judge_id, settings)
    before = ahead(store, connections, found.id, judge_id, settings)
    assert before is not None
    print(f"{found.name}, {settings.named}: {ahead_words(before, asked.model)}", file=sys.stderr)
    if asked.dry_run:
        return 0
    bar = Bar()
    try:
        ended = sit_here(store, connections, found.id, judge_id, settings, bar.draw)
    finally:
        bar.close()
    print(f"Sitting {ended.sitting_id} {ended.status}: {ended.message}")
    if ended.status == "cancelled":
        print("The same command goes on from here.", file=sys.stderr)
    return 0 if ended.status == "done" else 1


def _results(store: Store, asked: argparse.Namespace) -> int:
    if asked.sitting is None:
        with store.read() as db:
            listed = sittings.listed(db)
            answered = {each.id: sitting_progress.took(db, each.id) for each in listed}
        for each in listed:
            took, settings = answered[each.id], SittingSettings.model_validate(each.settings)
            print(f"{each.id:>4}  {each.set_name} · {each.judge} · {settings.named} · {took.answered:,} answered")
        if not listed:
            print("No model has sat a benchmark yet. Begin with the command “sit”.", file=sys.stderr)
        return 0
    tables = tables_of(store, asked.sitting)
    if not tables:
        raise MarkError("Nothing in this sitting can be marked yet.")
    if asked.csv:
        folder = Path(asked.csv).expanduser()
        folder.mkdir(parents=True, exist_ok=True)
        for table in tables:
            file = folder / f"sitting_{asked.sitting}_{table.name.replace(' ', '_')}.csv"
            file.write_bytes(csv_bytes(table))
            print(file)
        return 0
    found = sitting_of(store, asked.sitting)
    print(f"{found.set_name} · {found.judge} · {SittingSettings.model_validate(found.settings).named}\n")
    print("\n\n".join(in_text(table) for table in tables))
    return 0


def _submit(store: Store, asked: argparse.Namespace) -> int:
    file, content = Path(asked.out).expanduser(), submission_of(store, asked.sitting)
    letters = [letter for answers in json.loads(content).values() for letter in answers.values()]
    if blank := letters.count(""):
        said = (
            f"{blank:,} of its {count_of(len(letters), 'question')} have no letter: not asked, no reply, or not read."
        )
        print(said, file=sys.stderr)
    file.write_bytes(content)
    print(file)
    return 0


def _exam(store: Store, asked: argparse.Namespace) -> int:
    _say_exams(exams_of_sitting(store, asked.sitting, None))
    return 0


def _say_exams(made: Made) -> None:
    for sentence in made.left_out:
        print(f"  {sentence}", file=sys.stderr)
    for exam_id, title in made.exams.items():
        print(f"Exam {exam_id}: {title}")


def _say_set(store: Store, set_id: int) -> None:
    with store.read() as db:
        found, tasks = benchmarks.get(db, set_id), benchmarks.tasks(db, set_id)
    assert found is not None
    splits = {task.split: 0 for task in tasks}
    for task in tasks:
        splits[task.split] += task.items
    counted = ", ".join(f"{items:,} {split}" for split, items in splits.items())
    print(f"Set {set_id}, {found.name}: {found.items:,} questions ({counted}) in {len({t.task for t in tasks})} tasks.")


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

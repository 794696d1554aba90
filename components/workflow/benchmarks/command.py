"""The command line: load a benchmark, let a model sit it, see what it got right, write the submission file."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import ValidationError

from components.agreement import count_of
from components.intake.benchmarks import load_folder
from components.intake.errors import IntakeError
from components.marking import MarkError
from components.workflow.agreement.export import csv_bytes
from components.workflow.agreement.tables import Table
from components.workflow.benchmarks.command_endpoint import path_of
from components.workflow.benchmarks.command_mark import add_mark
from components.workflow.benchmarks.command_report import add_report
from components.workflow.benchmarks.command_sit import add_sit
from components.workflow.benchmarks.command_trial import add_trial
from components.workflow.benchmarks.making_exams import Made, exams_of_results, exams_of_sitting
from components.workflow.benchmarks.outcomes import sitting_of, submission_of, tables_of
from components.workflow.benchmarks.sets import store_set
from components.workflow.benchmarks.settings import SittingSettings
from components.workflow.benchmarks.shipped_tables import shipped_tables
from components.workflow.benchmarks.text_table import in_text
from components.workflow.trial.starting import TrialError
from storage import Store, StoreError, benchmarks, open_store, sitting_progress, sittings

ABOUT = """Models sit published benchmarks (GAOKAO-Bench, E-EVAL, M3KE), and judges are tried on double-marked work.

What a model answers is kept as it comes, in the same store as the app. Ctrl-C stops after what is out has come back;
the same command goes on from there, and asks what failed once more. The same question to the same judge is never paid
for twice.

  load DATA/gaokao_bench --figures
  sit DATA/m3ke --base-url http://127.0.0.1:8080/v1 --model my-model --shots 3
  results 1 --csv results/
  submit 1 --out submission.json
  mark 1 --model my-judge --criteria with without --cap 5
  trial double_marked.csv --model gpt-a gpt-b --twice
  report 1 --out report/
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; gives the exit status: 0 done, 1 stopped or refused, 130 interrupted."""
    asked = _parser().parse_args(arguments)
    try:
        store = Store(path_of(asked.data) / "second-marker.db") if asked.data else open_store()
        try:
            if getattr(asked, "dry_run", False):
                with _copy_of(store) as aside:
                    return int(asked.do(aside, asked))
            return int(asked.do(store, asked))
        finally:
            store.close()
    except (IntakeError, MarkError, TrialError, StoreError) as error:
        print(error, file=sys.stderr)
    except ValidationError as error:
        fault = error.errors()[0]
        named = "".join(f"--{place}: " for place in fault["loc"][:1])
        print(f"{named}{str(fault['msg']).removeprefix('Value error, ')}", file=sys.stderr)
    except BrokenPipeError:  # who reads, such as `head`, has had enough
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # or Python itself tells of it at its end
    except OSError as error:
        print(f"“{error.filename or asked.do.__name__}” cannot be opened ({error.strerror}).", file=sys.stderr)
    except OverflowError:
        print("There is no such number. The commands “results” and “load” say what there is.", file=sys.stderr)
    except KeyboardInterrupt:
        print("Interrupted. What was with the model is lost; the same command goes on.", file=sys.stderr)
        return 130
    return 1


@contextmanager
def _copy_of(store: Store) -> Iterator[Store]:
    """A store that is thrown away: what is only tried leaves nothing."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "second-marker.db"
        store.copy_to(file)
        aside = Store(file)
        try:
            yield aside
        finally:
            aside.close()


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
    load.add_argument(
        "--figures", action="store_true", help="work out the figures of shipped results, ours beside theirs"
    )
    load.add_argument("--csv", metavar="FOLDER", help="with --figures: write the tables there instead of printing them")
    load.set_defaults(do=_load)

    add_sit(commands.add_parser("sit", help="let a model sit a benchmark, or go on with a sitting"))

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

    add_mark(commands.add_parser("mark", help="let judges mark what models wrote, in the exams made of it"))
    add_trial(commands.add_parser("trial", help="compare judges on a double-marked table or an exam"))
    add_report(commands.add_parser("report", help="list the trials, or what one came to"))
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
    if asked.figures:
        _show(shipped_tables(store, loaded), asked.csv, "shipped")
    return 0


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
    if not asked.csv:
        found = sitting_of(store, asked.sitting)
        print(f"{found.set_name} · {found.judge} · {SittingSettings.model_validate(found.settings).named}\n")
    _show(tables, asked.csv, f"sitting_{asked.sitting}")
    return 0


def _show(tables: Sequence[Table], folder: str | None, stem: str) -> None:
    """Print the tables, or write them to a folder as CSV."""
    if folder is None:
        print("\n\n".join(in_text(table) for table in tables if table.rows))
        return
    place = path_of(folder)
    place.mkdir(parents=True, exist_ok=True)
    for table in tables:
        file = place / f"{stem}_{table.name.replace(',', '').replace(' ', '_')}.csv"
        file.write_bytes(csv_bytes(table))
        print(file)


def _submit(store: Store, asked: argparse.Namespace) -> int:
    file, content = path_of(asked.out), submission_of(store, asked.sitting)
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

"""A trial of three arms over 1,000, 10,000 and 32,534 responses, and a sitting of 20,477 questions: time and memory.

Run `uv run python -m tests.bench.trial [responses …] [--questions N]`.

Each size runs in processes of its own, one after the other: one imports a table (20 questions, answers of about 90
letters, the marks of two people and an AI's), another plans, begins, runs and reads a trial of the offline matcher, the
one that wants exact words, and the imported AI. Goals for 32,534 responses: read in under 1 s of CPU, and running takes
no more than 100 MB above what the process had before, however many responses there are. The sitting is that of
`tests.bench.sitting`, in processes of its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from components.intake import plan_import
from components.intake.forms import Choices, recognise
from components.marking import Scheme
from components.workflow.connections import Connections, default_judges
from components.workflow.import_table import import_plan
from components.workflow.trial.arms import ArmChoice
from components.workflow.trial.load import load
from components.workflow.trial.planning import TrialOptions, plan, usual_markers
from components.workflow.trial.starting import start
from components.workflow.worker import Worker
from storage import exams, jobs, judges, trial_answers, trials
from tests.bench.made_tables import WORDS, table
from tests.bench.sitting import ITEMS
from tests.bench.sitting import main as print_sitting
from tests.support import new_store

SIZES = (1_000, 10_000, 32_534)
ARMS = 3
GOAL_SECONDS, GOAL_MB = 1.0, 100


def make(folder: Path, rows: int) -> None:
    """An exam of so many responses in a store there."""
    tabled = recognise("bench.csv", table(rows)).to_table(Choices())
    found = plan_import(tabled.table, tabled.mapping)
    store = new_store(folder)
    names = {"first_marker_name": "Rater one", "second_marker_name": "Rater two"}
    made = import_plan(store, found, title="Bench", marker=None, **names)
    with store.write() as db:
        for job in jobs.active(db):
            jobs.cancel(db, job.id)
        for each in exams.questions(db, made.exam_id):
            limits = (each.question.max_mark, each.question.mark_step)
            scheme = Scheme(max_mark=limits[0], mark_step=limits[1], text=WORDS)
            exams.add_scheme_version(db, each.id, each.question, scheme)
    store.close()


def measure(folder: Path) -> dict[str, float]:
    """Seconds of each step, and the process's memory in MB: before the trial runs, and at its peak."""
    store, connections = new_store(folder), Connections()
    _, offline = default_judges(store)
    with store.read() as db:
        exam = exams.listed(db)[-1]
        imported = next(judge.id for judge in judges.listed(db) if judge.kind == judges.IMPORTED)
        whose = usual_markers(db, exam.id, [each.id for each in exams.questions(db, exam.id)])
    arms = (
        ArmChoice(judge_id=offline),
        ArmChoice(judge_id=offline, exact=True),
        ArmChoice(judge_id=imported),
    )
    options = TrialOptions(exam_id=exam.id, arms=arms, whose=whose)
    taken: dict[str, float] = {}

    def timed(name: str, started: float) -> float:
        taken[name] = time.perf_counter() - started
        return time.perf_counter()

    moment = time.perf_counter()
    ahead = plan(store, connections, options)
    moment = timed("planned", moment)
    trial_id = start(store, connections, options, None)
    timed("begun", moment)
    before = peak()
    moment = time.perf_counter()
    assert Worker(store, connections).do_one()
    timed("run", moment)
    taken["MB before"], taken["MB above it"] = before, peak() - before
    moment, cpu = time.perf_counter(), time.process_time()
    data = load(store, trial_id)
    moment = timed("read", moment)
    taken["CPU of reading"] = time.process_time() - cpu
    with store.read() as db:
        trial_answers.progress(db, trial_id)
        timed("progress", moment)
        trial = trials.get(db, trial_id)
    assert trial is not None
    assert (trial.status, trial.done) == ("done", ARMS * ahead.marked.responses)
    assert all(arm.missing == 0 for arm in data.arms)
    store.close()
    return taken


def peak() -> float:
    """The process's largest memory until now, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def child(*arguments: str) -> str:
    command = [sys.executable, "-m", "tests.bench.trial", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def print_trials(sizes: list[int]) -> None:
    results = []
    for rows in sizes:
        with tempfile.TemporaryDirectory() as folder:
            child("make", folder, str(rows))
            results.append(json.loads(child("one", folder)))
    print(f"{ARMS} arms; seconds{'':<4}" + "".join(f"{rows:>10,}" for rows in sizes) + "   growth per row")
    for name in results[0]:
        values = [result[name] for result in results]
        growth = (values[-1] / sizes[-1]) / (values[0] / sizes[0]) if values[0] else float("nan")
        print(f"{name:<18}" + "".join(f"{value:>10.2f}" for value in values) + f"   × {growth:.2f}")
    for what, goal, unit in (("CPU of reading", GOAL_SECONDS, "s"), ("MB above it", GOAL_MB, "MB")):
        value = results[-1][what]
        print(
            f"{what}, {sizes[-1]:,} rows: {value:.4g} {unit} (goal {goal:g}: {'holds' if value < goal else 'MISSED'})"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("responses", type=int, nargs="*", default=SIZES)
    parser.add_argument("--questions", type=int, default=ITEMS)
    asked = parser.parse_args()
    print_trials(list(asked.responses))
    print(f"\nA sitting of {asked.questions:,} questions", flush=True)
    print_sitting(asked.questions)


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        make(Path(sys.argv[2]), int(sys.argv[3]))
    elif sys.argv[1:2] == ["one"]:
        print(json.dumps(measure(Path(sys.argv[2]))))
    else:
        main()

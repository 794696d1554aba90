"""A table of responses imported as an exam, end to end at the store: 1,000, 10,000 and 32,534 rows.

Run `uv run python -m tests.bench.table_import [rows …]`.

Each size runs in a process of its own, one after the other. The table has 20 questions, answers of about 90 letters,
the marks of two people and an AI's on every row: the most that one row can bring. Reading and checking the file come
before and are told apart. Goals for 32,534 rows: stored in under 4 s, peak memory of the process under 500 MB.
"""

from __future__ import annotations

import csv
import io
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from components.intake import plan_import
from components.intake.forms import Choices, recognise
from components.workflow.import_compare import compare
from components.workflow.import_table import import_plan
from tests.support import new_store

SIZES = (1_000, 10_000, 32_534)
QUESTIONS = 20
GOAL_SECONDS, GOAL_MB = 4.0, 500
WORDS = "because the enzyme is denatured at high temperature so its active site no longer fits the substrate"
HEADINGS = ("candidate", "class", "question", "answer", "max mark", "mark 1", "mark 2", "AI mark")


def table(rows: int) -> bytes:
    draw = random.Random(6)
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(HEADINGS)
    for row in range(rows):
        candidate, question = divmod(row, QUESTIONS)
        most = 1 + question % 6
        marks = [draw.randint(0, most) for _ in range(3)]
        answer = " ".join(draw.choices(WORDS.split(), k=15))
        writer.writerow((f"{candidate + 1:05d}", f"11{'ABCDEF'[candidate % 6]}", question + 1, answer, most, *marks))
    return out.getvalue().encode()


def measure(rows: int) -> dict[str, float]:
    """Seconds of each step, and the process's peak memory in MB."""
    content = table(rows)
    taken: dict[str, float] = {}

    def timed(name: str, started: float) -> float:
        taken[name] = time.perf_counter() - started
        return time.perf_counter()

    moment = time.perf_counter()
    found = recognise("bench.csv", content)
    tabled = found.to_table(Choices())
    moment = timed("recognised", moment)
    plan = plan_import(tabled.table, tabled.mapping)
    assert plan.ok
    assert len(plan.responses) == rows
    timed("checked", moment)
    with tempfile.TemporaryDirectory() as folder:
        store = new_store(Path(folder))
        moment, cpu = time.perf_counter(), time.process_time()
        made = import_plan(
            store, plan, title="Bench", marker=None, first_marker_name="Rater one", second_marker_name="Rater two"
        )
        moment = timed("stored", moment)
        taken["CPU of storing"] = time.process_time() - cpu
        again = compare(store, plan, made.exam_id, ("Rater one", "Rater two"))
        assert again.nothing_new, "the same file adds nothing"
        timed("compared again", moment)
        store.close()
    taken["peak MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return taken


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or list(SIZES)
    results = []
    for rows in sizes:
        done = subprocess.run(
            [sys.executable, "-m", "tests.bench.table_import", "one", str(rows)],
            check=True,
            capture_output=True,
            text=True,
        )
        results.append(json.loads(done.stdout))
    print(f"{'seconds':<18}" + "".join(f"{rows:>10,}" for rows in sizes) + "   growth per row")
    for name in results[0]:
        values = [result[name] for result in results]
        growth = (values[-1] / sizes[-1]) / (values[0] / sizes[0])
        print(f"{name:<18}" + "".join(f"{value:>10.2f}" for value in values) + f"   × {growth:.2f}")
    stored, memory = results[-1]["stored"], results[-1]["peak MB"]
    for what, value, goal, unit in (("stored", stored, GOAL_SECONDS, "s"), ("memory", memory, GOAL_MB, "MB")):
        print(
            f"{what}, {sizes[-1]:,} rows: {value:.4g} {unit} (goal {goal:g}: {'holds' if value < goal else 'MISSED'})"
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["one"]:
        print(json.dumps(measure(int(sys.argv[2]))))
    else:
        main()

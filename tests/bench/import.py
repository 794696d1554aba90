"""A table of responses imported as an exam, from the file's bytes to the store: 1,000 to 100,000 rows.

Run `uv run python -m tests.bench.import [rows …]`.

Each size runs in a process of its own, one after the other. The table has 20 questions, answers of about 90 letters,
the marks of two people and an AI's on every row. Reading, checking and storing are told apart, "end to end" is all
three. Goals for 32,534 rows: end to end in under 4 s, peak memory of the process under 500 MB.
"""

from __future__ import annotations

import json
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
from tests.bench.made_tables import table
from tests.support import new_store

SIZES = (1_000, 10_000, 32_534, 100_000)
GOAL_ROWS = 32_534
GOAL_SECONDS, GOAL_MB = 4.0, 500


def measure(rows: int) -> dict[str, float]:
    """Seconds of each step, and the process's peak memory in MB."""
    content = table(rows)
    taken: dict[str, float] = {}

    def timed(name: str, started: float) -> float:
        taken[name] = time.perf_counter() - started
        return time.perf_counter()

    moment, cpu = time.perf_counter(), time.process_time()
    found = recognise("bench.csv", content)
    tabled = found.to_table(Choices())
    moment = timed("recognised", moment)
    plan = plan_import(tabled.table, tabled.mapping)
    assert plan.ok
    assert len(plan.responses) == rows
    timed("checked", moment)
    before_store = time.process_time() - cpu
    with tempfile.TemporaryDirectory() as folder:
        store = new_store(Path(folder))
        moment, cpu = time.perf_counter(), time.process_time()
        made = import_plan(
            store, plan, title="Bench", marker=None, first_marker_name="Rater one", second_marker_name="Rater two"
        )
        moment = timed("stored", moment)
        taken["end to end"] = taken["recognised"] + taken["checked"] + taken["stored"]
        taken["CPU of storing"] = time.process_time() - cpu
        taken["CPU end to end"] = before_store + taken["CPU of storing"]
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
            [sys.executable, "-m", "tests.bench.import", "one", str(rows)],
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
    if GOAL_ROWS not in sizes:
        return
    goal = results[sizes.index(GOAL_ROWS)]
    for what, most, unit in (("end to end", GOAL_SECONDS, "s"), ("peak MB", GOAL_MB, "MB")):
        holds = "holds" if goal[what] < most else "MISSED"
        print(f"{what}, {GOAL_ROWS:,} rows: {goal[what]:.4g} {unit} (goal {most:g}: {holds})")


if __name__ == "__main__":
    if sys.argv[1:2] == ["one"]:
        print(json.dumps(measure(int(sys.argv[2]))))
    else:
        main()

"""Memory and time of a whole M3KE sitting: `uv run python -m tests.bench.sitting [items]`.

20,477 questions with five worked ones each, 32 at once, against a local server that takes 50 ms a reply. The set is
stored by a process of its own, so that what is printed is the sitting's alone. Goal: memory does not grow with the
number of questions (under 20 MB from the first eighth to the last).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

ITEMS, TASKS, WORKED, AT_ONCE, LATENCY = 20_477, 71, 5, 32, 0.05
ROOT = Path(__file__).parents[2]


def store_items(folder: Path, count: int) -> None:
    """A set of this many questions to sit in 71 tasks, and five worked ones of each task beside them."""
    from components.intake.benchmarks import Benchmark, Item, Loaded, Split
    from components.workflow.benchmarks.sets import store_set
    from tests.support import new_store

    def item(number: int, split: Split) -> Item:
        return Item(
            benchmark=Benchmark.M3KE,
            task=f"Task {number % TASKS}-Other-Other",
            number=f"{split} {number}",
            split=split,
            question=f"第{number}题：下列说法正确的一项是哪一个？{'题' * 60}",
            options={letter: letter * 20 for letter in "ABCD"},
            key=("A",),
        )

    dev = [item(number, "dev") for number in range(TASKS * WORKED)]
    test = [item(number, "test") for number in range(count)]
    items = sorted([*dev, *test], key=lambda each: each.task)
    store_set(new_store(folder), Loaded(benchmark=Benchmark.M3KE, name="Bench", items=tuple(items)))


def megabytes() -> float:
    """What the process holds in memory now."""
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024


def sit(folder: Path, base_url: str) -> None:
    from components.judge.llm import Endpoint
    from components.workflow.benchmarks.settings import Protocol, SittingSettings
    from components.workflow.benchmarks.sitting import ahead
    from components.workflow.benchmarks.sitting_here import connect, sit_here
    from components.workflow.connections import Connections
    from tests.support import new_store

    store, connections = new_store(folder), Connections()
    judge_id = connect(store, connections, Endpoint(base_url, "tiny", at_once=AT_ONCE), "")
    settings = SittingSettings(protocol=Protocol.N_SHOT, shots=WORKED)
    started = time.perf_counter()
    before = ahead(store, connections, 1, judge_id, settings)
    assert before is not None
    print(f"Planned: {before.items:,} questions, {time.perf_counter() - started:.1f} s, {megabytes():.0f} MB")
    seen: list[float] = []

    def draw(done: int, total: int) -> None:
        if total and done >= len(seen) * total / 8:
            seen.append(megabytes())
            print(f"{done:>7,} of {total:,}: {seen[-1]:.0f} MB", flush=True)

    started = time.perf_counter()
    _, ended = sit_here(store, connections, 1, judge_id, settings, draw)
    seconds = time.perf_counter() - started
    print(f"Sitting {ended.status}: {ended.message} {seconds:.0f} s, {before.items / seconds:.0f} a second")
    print(f"Growth from the first eighth to the last: {seen[-1] - seen[1]:.0f} MB (goal: under 20)")


def main(count: int = ITEMS) -> None:
    """Prints what a sitting of so many questions takes, in processes of its own."""
    server = [sys.executable, "-m", "tests.fixed_latency_server", str(LATENCY)]
    with tempfile.TemporaryDirectory() as folder:
        run = [sys.executable, "-m", "tests.bench.sitting"]
        subprocess.run([*run, "store", folder, str(count)], cwd=ROOT, check=True)
        with subprocess.Popen(server, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            assert child.stdin is not None
            subprocess.run([*run, "sit", folder, child.stdout.readline().strip()], cwd=ROOT, check=True)
            child.stdin.close()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["store", folder, count]:
            store_items(Path(folder), int(count))
        case ["sit", folder, base_url]:
            sit(Path(folder), base_url)
        case given:
            main(*map(int, given))

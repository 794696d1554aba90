"""A run whose server is killed in the middle and goes on in another: what the model was asked, and what was stored."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from components.judge.llm import Endpoint
from components.workflow.cohort import go_on
from components.workflow.connections import Connections
from components.workflow.worker import Worker
from storage import Store
from tests.support import add_exam, new_store, start_run

ROOT = Path(__file__).parents[1]
CHILD = """
import sys
from pathlib import Path
from components.workflow.connections import Connections
from components.workflow.worker import Worker
from storage import Store
store = Store(Path(sys.argv[1]))
Worker(store, Connections.from_environment(store)).do_one()
"""


@dataclass(frozen=True)
class Outcome:
    """`asked` counts how often the model saw each response before the retry, `again` in the retry alone."""

    responses: int
    asked: Counter[str]
    again: Counter[str]
    stored_at_kill: int
    lost: set[str]
    unproposed: int
    seconds: float


@contextmanager
def latency_server(seconds: float, log: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "tests.fixed_latency_server", str(seconds), str(log)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        yield child.stdout.readline().strip()
        child.stdin.close()


def kill_and_resume(folder: Path, responses: int, *, latency: float, at_once: int, kill_after: int) -> Outcome:
    """Run, kill -9 when the model has been asked `kill_after` times, go on, then retry what failed."""
    store, log = new_store(folder), folder / "asked.log"
    log.touch()
    exam_id, _ = add_exam(store, [[f"it is denatured, no. {i}" for i in range(responses)]])
    started = time.monotonic()
    with latency_server(latency, log) as base_url:
        judge_id = Connections().connect(store, Endpoint(base_url, "tiny", at_once=at_once), "")
        job_id = start_run(store, exam_id, judge_id)
        _run_until_killed(store, log, kill_after)
        stored_at_kill = _count(store, "proposed")
        _go_on(store, job_id)
        asked = Counter(log.read_text().split())
        with store.read() as db:
            lost = {
                f"r{row['response_id']}" for row in db.execute("SELECT response_id FROM proposals WHERE mark IS NULL")
            }
        log.write_text("")
        go_on(store, job_id)
        assert Worker(store, Connections.from_environment(store)).do_one()
        again = Counter(log.read_text().split())
    seconds = time.monotonic() - started
    return Outcome(responses, asked, again, stored_at_kill, lost, responses - _count(store, "proposed"), seconds)


def _run_until_killed(store: Store, log: Path, kill_after: int) -> None:
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(store.path)], cwd=ROOT)
    deadline = time.monotonic() + 300
    while log.stat().st_size < 3 * kill_after:  # a line is at least "r1\n"
        assert time.monotonic() < deadline, "the model was not asked"
        assert child.poll() is None, "the run ended before it could be killed"
        time.sleep(0.005)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()


def _go_on(store: Store, job_id: int) -> None:
    """As the next server does, once the last sign of life is old enough."""
    with store.write() as db:
        long_ago = (datetime.now(UTC) - timedelta(minutes=1)).isoformat(timespec="microseconds")
        db.execute("UPDATE jobs SET heartbeat_at = ? WHERE id = ?", (long_ago, job_id))
    assert Worker(store, Connections.from_environment(store)).do_one()


def _count(store: Store, status: str) -> int:
    with store.read() as db:
        return int(db.execute("SELECT count(*) FROM proposals WHERE status = ?", (status,)).fetchone()[0])

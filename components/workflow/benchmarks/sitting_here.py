"""A sitting done in this very process, from a command: with the same store, jobs and progress as in the app."""

from __future__ import annotations

import asyncio
import secrets
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from components.judge import JudgeStopped
from components.judge.llm import Endpoint
from components.marking import MarkError
from components.workflow.benchmarks import sitting as sittings_job
from components.workflow.benchmarks.settings import SittingSettings
from components.workflow.connections import Connections, default_name, settings_of
from storage import Store, jobs, judges, sittings


@dataclass(frozen=True)
class Ended:
    """How a sitting ended: its status (done, failed or cancelled), and words to go with it."""

    sitting_id: int
    status: str
    message: str


def connect(store: Store, connections: Connections, endpoint: Endpoint, key_variable: str | None) -> int:
    """The id of the judge with this endpoint and settings: the one that has them already, under whatever name."""
    with store.read() as db:
        listed = judges.listed(db)
    wanted = {name: str(value) for name, value in settings_of(endpoint).items()}
    for judge in listed:
        own = {name: str(value) for name, value in judge.settings.items() if name not in judges.REACH}
        if judge.kind == judges.LLM and judge.model == endpoint.model and own == wanted:
            return connections.connect(store, endpoint, key_variable, judge.name)
    return connections.connect(store, endpoint, key_variable, default_name(endpoint))


def sit_here(
    store: Store,
    connections: Connections,
    set_id: int,
    judge_id: int,
    settings: SittingSettings,
    draw: Callable[[int, int], None],
) -> Ended:
    """Begin the sitting, or go on with the same one, and do it to its end or to the first Ctrl-C.

    What is with the model then still comes back and is stored; a second Ctrl-C does not wait for it. Raises MarkError
    where it cannot be begun, or is under way in the app.
    """
    claimant = f"command-{secrets.token_hex(8)}"
    with store.read() as db:
        before = sittings_job.same(db, set_id, judge_id, settings)
    if before is None:
        sitting_id = sittings_job.begin(store, set_id, judge_id, settings, None, claimant=claimant)
    else:
        sitting_id = before.id
        with store.write() as db:
            jobs.requeue_lost(db)
        sittings_job.go_on(store, sitting_id, claimant=claimant)
    return _do(store, connections, sitting_id, settings.cap, claimant, draw)


def _do(
    store: Store,
    connections: Connections,
    sitting_id: int,
    cap: float | None,
    claimant: str,
    draw: Callable[[int, int], None],
) -> Ended:
    with store.write() as db:
        found = sittings.get(db, sitting_id)
        job = None if found is None or found.job_id is None else jobs.get(db, found.job_id)
        mine = job is not None and jobs.beat(db, job.id, claimant, 0, 0)
        if found is not None and mine:
            sittings.change_settings(db, sitting_id, {**found.settings, "cap": cap})
    if job is None or not mine:
        raise MarkError(
            f"Sitting {sitting_id} is under way elsewhere: follow it on the app's Benchmarks page. If its process was "
            "killed just now, try again in half a minute."
        )
    wanted = True

    def stop(signum: int, frame: FrameType | None) -> None:
        nonlocal wanted
        if not wanted:
            raise KeyboardInterrupt
        wanted = False

    def progress(done: int, total: int, message: str) -> bool:
        draw(done, total)
        with store.write(durable=False) as db:
            return jobs.beat(db, job.id, claimant, done, total, message) and wanted

    async def work() -> str:
        try:
            return await sittings_job.do_sitting(store, connections, job, progress)
        finally:
            await connections.close()

    try:
        with _interrupted_by(stop):
            status, message = "done", asyncio.run(work())
    except JudgeStopped as stopped:
        status, message = "failed", str(stopped)
    except BaseException as broken:  # or the app would take it for lost with its process, and go on with it
        with store.write() as db:
            how = "cancelled" if isinstance(broken, KeyboardInterrupt) else "failed"
            jobs.finish(db, job.id, claimant, how, "The command ended before its time. Resume goes on from there.")
        raise
    with store.write() as db:
        if not wanted:
            jobs.cancel(db, job.id)
        else:
            jobs.finish(db, job.id, claimant, status, message)
        ended = jobs.get(db, job.id)
    return Ended(sitting_id, ended.status if ended else status, message)


@contextmanager
def _interrupted_by(stop: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)

"""A job done in this very process, from a command: with the same store and progress as in the app."""

from __future__ import annotations

import asyncio
import secrets
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from components.judge import JudgeStopped
from components.workflow.connections import Connections
from components.workflow.progress import Progress
from storage import Store, jobs
from storage.jobs import Job

STOPPING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
Draw = Callable[[int, int], None]  # done, total
Work = Callable[[Store, Connections, Job, Progress], Awaitable[str]]


@dataclass(frozen=True)
class Ended:
    """How a job ended: its status (done, failed or cancelled), and words to go with it."""

    status: str
    message: str


def new_claimant() -> str:
    """A name for this command, to claim a job with."""
    return f"command-{secrets.token_hex(8)}"


def do_here(store: Store, connections: Connections, job: Job, claimant: str, work: Work, draw: Draw) -> Ended:
    """Do the job, which is the claimant's, to its end or to the first Ctrl-C, hang-up or request to terminate.

    What is with the model then still comes back and is stored; a second one does not wait for it.
    """
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

    async def worked() -> str:
        try:
            return await work(store, connections, job, progress)
        finally:
            await connections.close()

    try:
        with _interrupted_by(stop):
            status, message = "done", asyncio.run(worked())
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
    return Ended(ended.status if ended else status, message)


@contextmanager
def _interrupted_by(stop: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    before = {number: signal.signal(number, stop) for number in STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

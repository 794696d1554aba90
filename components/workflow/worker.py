"""The background worker: takes queued jobs from the database, a few at a time, on an event loop of its own."""

from __future__ import annotations

import asyncio
import logging
import secrets
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event, Thread

from components.intake.page_regions import ScanFault
from components.judge import JudgeStopped
from components.judge.llm import apart
from components.marking import MarkError
from components.workflow.batches import BATCH, do_batch
from components.workflow.benchmarks.sitting import SIT, do_sitting
from components.workflow.cohort import PROPOSE, options_of
from components.workflow.connections import Connections
from components.workflow.drafting import DRAFT, draft_exam
from components.workflow.import_job import do_import
from components.workflow.import_waiting import IMPORT, forget_ended
from components.workflow.learn import learn_question
from components.workflow.marks_out.files import Kind, do_files
from components.workflow.printing import BOOKS, do_books
from components.workflow.proposing import propose_run
from components.workflow.review.remedies import REMEDY
from components.workflow.review.trying import try_remedy
from components.workflow.scanning import SCAN, do_scan
from components.workflow.trial.running import run_trial
from components.workflow.trial.starting import TRIAL
from storage import Store, jobs
from storage.jobs import Job

log = logging.getLogger(__name__)
IDLE_SECONDS = 0.5
HEARTBEAT_SECONDS = 5.0
JOBS_AT_ONCE = 4
LEARN = "learn"  # one at a time: it takes a whole processor
THREADS = 16


class Worker:
    """Does queued jobs until stopped. Several workers on one database share the queue; a lost one's jobs are redone."""

    def __init__(self, store: Store, connections: Connections) -> None:
        self._store = store
        self._connections = connections
        self._name = secrets.token_hex(8)
        self._stopping = Event()
        self._thread = Thread(target=lambda: asyncio.run(self._work()), name="second-marker-worker", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ask the worker to stop after what is under way; what it has not done stays queued."""
        self._stopping.set()

    def do_one(self) -> bool:
        """Do one queued job to its end, if there is one; its failure is kept with the job in words."""

        async def one() -> bool:
            await asyncio.to_thread(forget_ended, self._store)
            claimed = await asyncio.to_thread(self._claim)
            if claimed is None:
                return False
            await self._do(claimed)
            await self._connections.close()
            return True

        return apart(one())

    async def _work(self) -> None:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, "second-marker-work"))
        under_way: dict[asyncio.Task[None], Job] = {}
        while not self._stopping.is_set():
            try:
                await asyncio.to_thread(forget_ended, self._store)
                while _slots(under_way) and (claimed := await asyncio.to_thread(self._claim, [*under_way.values()])):
                    under_way[asyncio.create_task(self._do(claimed))] = claimed.job
            except Exception as error:
                if "shutdown" in str(error):  # Python is ending and takes no more work; it waits for ours to stop
                    self._stopping.set()
                    return
                log.exception("The background worker met an error and goes on.")
            idle = asyncio.create_task(asyncio.sleep(IDLE_SECONDS))
            await asyncio.wait([idle, *under_way], return_when=asyncio.FIRST_COMPLETED)
            idle.cancel()
            under_way = {task: job for task, job in under_way.items() if not task.done()}
        if under_way:
            await asyncio.wait(under_way)
        await self._connections.close()

    def _claim(self, under_way: Sequence[Job] = ()) -> _Claimed | None:
        """A job that is not under way here. One that was paused and let go on waits for what it still has out."""
        learning = any(job.kind == LEARN for job in under_way)
        claimant = f"{self._name}-{secrets.token_hex(4)}"
        with self._store.read() as db:
            if not jobs.waiting(db):
                return None
        with self._store.write() as db:
            jobs.requeue_lost(db)
            job = jobs.claim(db, claimant, other_than=LEARN if learning else "", skip=[each.id for each in under_way])
        return None if job is None else _Claimed(job, claimant)

    async def _do(self, claimed: _Claimed) -> None:
        job = claimed.job
        alive = asyncio.create_task(self._keep_alive(claimed))
        try:
            status, message = "done", await self._run(claimed)
        except (JudgeStopped, ScanFault, MarkError) as stopped:
            status, message = "failed", str(stopped)
        except Exception:
            log.exception("Job %s (%s) failed.", job.id, job.kind)
            status, message = "failed", "Something went wrong. The server's log has the details; try it again."
        finally:
            alive.cancel()
        await asyncio.to_thread(self._end, claimed, status, message)

    def _end(self, claimed: _Claimed, status: str, message: str) -> None:
        with self._store.write() as db:
            if self._stopping.is_set():
                jobs.requeue(db, claimed.job.id, claimed.claimant)
            else:
                jobs.finish(db, claimed.job.id, claimed.claimant, status, message)

    async def _keep_alive(self, claimed: _Claimed) -> None:
        def sign() -> None:
            try:
                with self._store.write(durable=False) as db:
                    jobs.keep_alive(db, claimed.job.id, claimed.claimant)
            except sqlite3.OperationalError:
                log.warning("No sign of life could be stored for job %s; the next one may.", claimed.job.id)

        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            await asyncio.to_thread(sign)

    async def _run(self, claimed: _Claimed) -> str:
        job = claimed.job

        def progress(done: int, total: int, message: str) -> bool:
            with self._store.write(durable=False) as db:
                return jobs.beat(db, job.id, claimed.claimant, done, total, message) and not self._stopping.is_set()

        if job.kind == PROPOSE:
            with self._store.read() as db:
                options = options_of(db, job.payload)
            if options is None:
                return "No judge has been chosen for this exam."
            return await propose_run(self._store, self._connections, options, progress, job.id)
        asking = {BATCH: do_batch, REMEDY: try_remedy, SIT: do_sitting, TRIAL: run_trial}
        if job.kind in asking:
            return await asking[job.kind](self._store, self._connections, job, progress)
        work: dict[str, Callable[[], str]] = {
            LEARN: lambda: learn_question(self._store, job.payload["question_id"], progress),
            DRAFT: lambda: draft_exam(self._store, job.payload["exam_id"], progress),
            BOOKS: lambda: do_books(self._store, job, progress),
            SCAN: lambda: do_scan(self._store, job, progress),
            IMPORT: lambda: do_import(self._store, job, progress),
            Kind.FEEDBACK: lambda: do_files(self._store, job, progress),
            Kind.EVIDENCE: lambda: do_files(self._store, job, progress),
        }
        if job.kind in work:
            return await asyncio.to_thread(work[job.kind])
        return f"This version does not know jobs of the kind {job.kind}."


@dataclass(frozen=True)
class _Claimed:
    """A job, and the token under which this worker has it: the same job claimed again has another."""

    job: Job
    claimant: str


def _slots(under_way: dict[asyncio.Task[None], Job]) -> int:
    """How many more jobs there is room for. A batch takes none: it mostly waits for its endpoint."""
    return max(0, JOBS_AT_ONCE - sum(job.kind != BATCH for job in under_way.values()))

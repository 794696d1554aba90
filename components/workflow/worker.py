"""The background worker: takes queued jobs from the database, one at a time, in a thread of its own."""

from __future__ import annotations

import logging
import secrets
import sqlite3
from threading import Event, Thread

from components.judge import JudgeStopped
from components.workflow.judging import Connections, propose_exam
from components.workflow.learn import learn_question
from storage import Store, jobs
from storage.jobs import Job

log = logging.getLogger(__name__)
IDLE_SECONDS = 0.5
HEARTBEAT_SECONDS = 5.0


class Worker:
    """Does queued jobs until stopped. Several workers on one database share the queue; a lost one's jobs are redone."""

    def __init__(self, store: Store, connections: Connections) -> None:
        self._store = store
        self._connections = connections
        self._name = secrets.token_hex(8)
        self._stopping = Event()
        self._thread = Thread(target=self._work, name="second-marker-worker", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ask the worker to stop after the batch under way; what it has not done stays queued."""
        self._stopping.set()

    def _work(self) -> None:
        while not self._stopping.is_set():
            try:
                busy = self.do_one()
            except Exception:
                log.exception("The background worker met an error and goes on.")
                busy = False
            if not busy:
                self._stopping.wait(IDLE_SECONDS)

    def do_one(self) -> bool:
        """Do one queued job, if there is one; its failure is kept with the job in words."""
        with self._store.read() as db:
            if not jobs.waiting(db):
                return False
        with self._store.write() as db:
            jobs.requeue_lost(db)
            job = jobs.claim(db, self._name)
        if job is None:
            return False
        ended = Event()
        Thread(target=self._keep_alive, args=(job, ended), daemon=True).start()
        try:
            status, message = "done", self._run(job)
        except JudgeStopped as stopped:
            status, message = "failed", str(stopped)
        except Exception:
            log.exception("Job %s (%s) failed.", job.id, job.kind)
            status, message = "failed", "Something went wrong. The server's log has the details; try it again."
        finally:
            ended.set()
        with self._store.write() as db:
            if self._stopping.is_set():
                jobs.requeue(db, job.id, self._name)
            else:
                jobs.finish(db, job.id, self._name, status, message)
        return True

    def _keep_alive(self, job: Job, ended: Event) -> None:
        while not ended.wait(HEARTBEAT_SECONDS):
            try:
                with self._store.write(durable=False) as db:
                    jobs.keep_alive(db, job.id, self._name)
            except sqlite3.OperationalError:
                log.warning("No sign of life could be stored for job %s; the next one may.", job.id)

    def _run(self, job: Job) -> str:
        def progress(done: int, total: int, message: str) -> bool:
            with self._store.write(durable=False) as db:
                return jobs.beat(db, job.id, self._name, done, total, message) and not self._stopping.is_set()

        if job.kind == "propose":
            return propose_exam(self._store, self._connections, job.payload["exam_id"], progress, job.id)
        if job.kind == "learn":
            return learn_question(self._store, job.payload["question_id"], progress)
        return f"This version does not know jobs of the kind {job.kind}."

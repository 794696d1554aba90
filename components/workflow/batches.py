"""Batches: a run beyond one machine. Starting one, and each step of it that a person asks for, as jobs.

A batch has one job and one run for all its life. The job does one step at a time: writing the file, submitting it and
waiting, or reading an output file that was carried back. So no two steps of a batch ever meet.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from components.judge import JudgeStopped
from components.judge.llm import LLMJudge
from components.marking import Marker
from components.workflow.batch_read import Reading
from components.workflow.batch_submit import Submission
from components.workflow.batch_write import folder_of, write_batch
from components.workflow.cohort import RunOptions, check_eyes, with_exemplars
from components.workflow.connections import Connections, endpoint_of
from components.workflow.progress import Progress
from storage import Store, batches, events, exams, jobs, judges, runs, standings
from storage.batches import ENDED, FAILED, GOOD, INVALID, SUBMITTED, WAITING, WRITING, WRITTEN, Batch, Part
from storage.jobs import Job

BATCH = "batch"
WRITE, SUBMIT, READ = "write", "submit", "read"


class BatchBusy(ValueError):
    """A step that a batch cannot do now. The message says why."""


def start(store: Store, options: RunOptions, marker: Marker | None, *, on_desk: bool) -> int:
    """Queue the writing of a new batch, its examples chosen now; `on_desk` lets its proposals stand on the exam's desk.

    Gives the batch's id. Without `options.chosen` the examples are those that the questions have now. Raises RunError
    where responses are pictures and the model is known to take none.
    """
    marker_id = None if marker is None else marker.id
    with store.write() as db:
        check_eyes(db, options)
        if not options.chosen:
            options = with_exemplars(db, options)
        if on_desk:
            exams.set_judge(db, options.exam_id, options.judge_id, marker_id)
            standings.refresh_exam(db, options.exam_id)
        # The token keeps two batches of the same options apart: an equal job that waits would serve for both.
        job_id = jobs.add(db, BATCH, {"exam_id": options.exam_id, "token": secrets.token_hex(8)})
        run_id = runs.begin(db, options.exam_id, options.judge_id, job_id)
        batch_id = batches.add(db, run_id, job_id, options.exam_id, options.judge_id, options.model_dump(mode="json"))
        jobs.change_payload(db, job_id, _payload(batches.get(db, batch_id), WRITE))
        events.log(db, "batch started", f"exam {options.exam_id}", {"batch_id": batch_id}, marker_id)
    return batch_id


def submit(store: Store, batch_id: int) -> None:
    """Queue the submitting of a written batch to its endpoint, or going on with it. Raises BatchBusy."""
    with store.read() as db:
        if batches.get(db, batch_id).state not in (WRITTEN, SUBMITTED):
            raise BatchBusy("Only a batch that is written, and has not ended, can be submitted.")
    _step(store, batch_id, SUBMIT)


def write_again(store: Store, batch_id: int) -> None:
    """Queue the writing of a batch that did not come to its end. Raises BatchBusy."""
    with store.read() as db:
        if batches.get(db, batch_id).state != WRITING:
            raise BatchBusy("The batch's file has been written.")
    _step(store, batch_id, WRITE)


def read_output(store: Store, batch_id: int, uploaded: Sequence[BinaryIO]) -> None:
    """Save output files that were carried back, and queue their reading. Raises BatchBusy."""
    folder = folder_of(store)
    with store.read() as db:
        _check_idle(jobs.get(db, batches.get(db, batch_id).job_id))
    names = []
    for upload in uploaded:
        called = re.sub(r"[^\w.-]+", "_", Path(getattr(upload, "name", "")).name)[-40:]
        name = f"batch-{batch_id}-read-{secrets.token_hex(3)}-{called}"
        with (folder / name).open("wb") as saved:
            while block := upload.read(1 << 20):
                saved.write(block)
        names.append(name)
    _step(store, batch_id, READ, names)


def cancel(store: Store, batch_id: int) -> None:
    """Ask for no more of the batch: its writing ends; its endpoint cancels it, and what was done is read back."""
    with store.write() as db:
        batch = batches.get(db, batch_id)
        batches.ask_cancel(db, batch_id)
        job = jobs.get(db, batch.job_id)
        assert job is not None
        if batch.state == WRITING:
            jobs.cancel(db, job.id)
            batches.set_state(db, batch_id, ENDED)
        elif batch.state == WRITTEN and not active(job):
            batches.set_state(db, batch_id, ENDED)
        elif not active(job):  # it stopped on the way, and the endpoint still works at it
            jobs.change_payload(db, job.id, _payload(batch, SUBMIT))
            jobs.again(db, job.id)


def send_again(store: Store, batch_id: int, marker: Marker | None) -> int:
    """A new batch of what this one did not bring: the same questions, judge and examples. Gives its id."""
    with store.read() as db:
        batch = batches.get(db, batch_id)
        exam = exams.get(db, batch.exam_id)
    on_desk = exam is not None and exam.judge_id == batch.judge_id
    return start(store, RunOptions.model_validate(batch.options), marker, on_desk=on_desk)


async def do_batch(store: Store, connections: Connections, job: Job, progress: Progress) -> str:
    """Do the step that a batch's job is for. Gives a summary in words. Raises JudgeStopped."""
    batch = await asyncio.to_thread(_read, store, int(job.payload["batch_id"]))
    match job.payload["step"]:
        case "write":
            return await asyncio.to_thread(write_batch, store, connections, batch, progress)
        case "submit":
            judge = connections.llm(batch.judge_id)
            if judge is None:
                raise JudgeStopped(
                    "The model is not connected. Connect it again on the Judges page; its key is never stored."
                )
            whole = await Submission(store, judge, batch, progress).follow()
        case _:
            paths = [folder_of(store) / name for name in job.payload["files"]]
            reading = Reading(store, await asyncio.to_thread(_reader, store, connections, batch), batch)
            whole = await asyncio.to_thread(reading.files, paths, progress)
    return await asyncio.to_thread(_summary, store, batch.id) if whole else "Stopped on the way."


def files(store: Store, parts: Sequence[Part]) -> list[Path]:
    """Where the files of a batch's parts lie, those that are still there."""
    return [path for part in parts if (path := folder_of(store) / part.file).exists()]


def active(job: Job | None) -> bool:
    return job is not None and job.status in ("queued", "running")


def _step(store: Store, batch_id: int, step: str, names: Sequence[str] = ()) -> None:
    with store.write() as db:
        batch = batches.get(db, batch_id)
        job = jobs.get(db, batch.job_id)
        _check_idle(job)
        runs.begin(db, batch.exam_id, batch.judge_id, batch.job_id)
        jobs.change_payload(db, batch.job_id, _payload(batch, step, names))
        jobs.again(db, batch.job_id)


def _check_idle(job: Job | None) -> None:
    if active(job):
        raise BatchBusy("This batch is at work. Wait until it has ended, or cancel it.")


def _payload(batch: Batch, step: str, names: Sequence[str] = ()) -> dict[str, Any]:
    """The job's payload: what a list of runs shows of any run's options, and the step to do."""
    told = {name: value for name, value in batch.options.items() if name != "chosen"}
    return told | {"batch_id": batch.id, "step": step} | ({"files": [*names]} if names else {})


def _read(store: Store, batch_id: int) -> Batch:
    with store.read() as db:
        return batches.get(db, batch_id)


def _reader(store: Store, connections: Connections, batch: Batch) -> LLMJudge:
    """The judge that the batch was written for. Reading sends nothing, so it needs no key."""
    connected = connections.llm(batch.judge_id)
    if connected is not None:
        return connected
    with store.read() as db:
        stored = judges.get(db, batch.judge_id)
    assert stored is not None
    return LLMJudge(endpoint_of(stored, ""))


def _summary(store: Store, batch_id: int) -> str:
    with store.read() as db:
        found = batches.counts(db, batch_id)
    said = f"{found[GOOD]:,} of {sum(found.values()):,} requests answered"
    for state, words in ((INVALID, "with an invalid reply"), (FAILED, "failed"), (WAITING, "missing")):
        if found[state]:
            said += f", {found[state]:,} {words}"
    return said + "."

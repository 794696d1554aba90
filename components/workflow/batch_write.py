"""Writing a run's requests to batch files, and proposing at once on what needs no model."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from components.judge import JudgeStopped
from components.judge.llm import LLMJudge
from components.judge.llm.batch_file import custom_id, request_line
from components.judge.llm.fence import neutralised
from components.judge.llm.picture_refusal import no_pictures
from components.judge.llm.prompt import PictureError
from components.workflow.asking import Item, priced, take_from_trials
from components.workflow.cohort import RunOptions
from components.workflow.connections import Connections
from components.workflow.looking import for_judge, question_for_judge, shown_pages
from components.workflow.progress import Progress
from components.workflow.proposing import Plan, items_of, plan, propose_batch
from storage import Store, batches, proposals
from storage.batches import ENDED, WRITTEN, Batch, Line

# What OpenAI takes in one file is 50,000 requests and 200 MB; see "Batch" in its API reference.
MOST_LINES = 50_000
MOST_BYTES = 190_000_000
CHUNK = 300


@dataclass
class _Files:
    """The files as they grow: a new one is begun where the next response's lines would not fit."""

    folder: Path
    batch_id: int
    written: list[tuple[str, int]] = field(default_factory=list)
    _open: BinaryIO | None = None
    _bytes: int = 0

    def add(self, lines: Sequence[bytes]) -> int:
        """Write the lines of one response, which stay together. Gives the number of their part."""
        size = sum(map(len, lines))
        if self._open is None or self.written[-1][1] + len(lines) > MOST_LINES or self._bytes + size > MOST_BYTES:
            self.close()
            name = part_file(self.batch_id, len(self.written) + 1)
            self._open, self._bytes = (self.folder / name).open("wb"), 0
            self.written.append((name, 0))
        self._open.writelines(lines)
        self._bytes += size
        name, count = self.written[-1]
        self.written[-1] = (name, count + len(lines))
        return len(self.written)

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None


def folder_of(store: Store) -> Path:
    """Where batch files lie: `batches` in the data folder, made if it is not there."""
    folder = store.path.parent / "batches"
    folder.mkdir(exist_ok=True)
    return folder


def part_file(batch_id: int, number: int) -> str:
    """batch-12.jsonl, then batch-12-part-2.jsonl."""
    return f"batch-{batch_id}.jsonl" if number == 1 else f"batch-{batch_id}-part-{number}.jsonl"


def write_batch(store: Store, connections: Connections, batch: Batch, progress: Progress) -> str:
    """Write the batch's files, from the start. Gives a summary in words, "" where it was told to stop.

    Blank answers and questions marked by rule get their proposals at once, as in a live run. Raises JudgeStopped where
    the judge is not connected.
    """
    options = RunOptions.model_validate(batch.options)
    judge = connections.llm(options.judge_id)
    if judge is None:
        raise JudgeStopped("The model is not connected. Connect it again on the Judges page; its key is never stored.")
    made = plan(store, connections, options, of_batch=True)
    if made is None:
        return "The exam has been archived."
    with store.write() as db:
        batches.begin_writing(db, batch.id)
        elsewhere = batches.out(db, options.judge_id)
    if not _by_rule(store, made, batch.run_id, progress):
        return ""
    items = [
        item for part in made.parts if isinstance(part.judge, LLMJudge) for item in items_of(part, judge, options.shots)
    ]
    blank = [item for item in items if not neutralised(item.answer.text) and not item.answer.pictures]
    _propose_blank(store, judge, batch, blank)
    done = {item.answer.id for item in blank}
    with store.write() as db:
        done |= take_from_trials(db, options.judge_id, items)
    fresh = [item for item in items if item.answer.id not in done and item.inputs not in elsewhere]
    files, notes = _Files(folder_of(store), batch.id), []
    tag = secrets.token_hex(3)
    try:
        for start in range(0, len(fresh), CHUNK):
            chunk = fresh[start : start + CHUNK]
            lines, left_out = _write(store, files, judge, batch, chunk, tag)
            notes += left_out
            with store.write(durable=False) as db:
                batches.add_lines(db, lines)
            if not progress(start + len(chunk), len(fresh), "Writing the file"):
                return ""
    finally:
        files.close()
    also_out = len(items) - len(done) - len(fresh)
    if also_out:
        notes.append({"what": "With another batch", "words": f"{also_out} responses are in a batch that is out now."})
    with store.write() as db:
        batches.end_writing(db, batch.id, files.written, notes, WRITTEN if files.written else ENDED)
    return _summary(sum(lines for _, lines in files.written), len(files.written), len(blank), len(notes))


def _by_rule(store: Store, made: Plan, run_id: int, progress: Progress) -> bool:
    """Propose on questions marked by rule. Gives whether the job is still wanted."""
    for part in made.parts:
        if part.judge is None or isinstance(part.judge, LLMJudge):
            continue
        for start in range(0, len(part.answers), CHUNK):
            if not progress(0, 0, f"Question {part.question.question.number}"):
                return False
            answers = part.answers[start : start + CHUNK]
            propose_batch(store, part.judge, part.stored.id, part.question, answers, run_id)
    return True


def _propose_blank(store: Store, judge: LLMJudge, batch: Batch, blank: Sequence[Item]) -> None:
    """The judge's own abstention on each blank answer: nothing is sent for it."""

    async def all_of_them() -> list[Any]:
        return [
            await judge.judge(item.question.question, item.question.scheme, item.answer.for_judge()) for item in blank
        ]

    made = list(zip(blank, asyncio.run(all_of_them()), strict=True))
    for start in range(0, len(made), CHUNK):
        with store.write() as db:
            for item, proposal in made[start : start + CHUNK]:
                proposals.add(
                    db,
                    item.answer.id,
                    batch.judge_id,
                    item.question.scheme_id,
                    priced(proposal),
                    inputs_hash=item.inputs_hash,
                    run_id=batch.run_id,
                )


def _write(
    store: Store, files: _Files, judge: LLMJudge, batch: Batch, chunk: Sequence[Item], tag: str
) -> tuple[list[Line], list[dict[str, Any]]]:
    """Write some responses' requests. Gives their lines, and notes on those that cannot be sent."""
    lines: list[Line] = []
    notes: list[dict[str, Any]] = []
    for item in chunk:
        try:
            requests = list(_requests(store, judge, batch.id, item, tag))
        except PictureError as error:
            about = {"response_id": item.answer.id, "question": item.question.question.number}
            candidate = {"candidate": item.answer.candidate_number}
            notes.append({"what": "Left out", "words": str(error), **about, **candidate})
            continue
        part = files.add([request_line(named, body).encode("ascii") for named, body in requests])
        shown = tuple(exemplar.response_id for exemplar in item.exemplars)
        lines += [
            Line(named, batch.id, part, item.answer.id, item.question.scheme_id, item.inputs_hash, sample, shown)
            for sample, (named, _) in enumerate(requests)
        ]
    return lines, notes


def _requests(
    store: Store, judge: LLMJudge, batch_id: int, item: Item, tag: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """(custom_id, body) for each sample. Raises PictureError."""
    scheme = item.question.scheme
    if shown_pages(judge, item.answer):
        if judge.blind:
            raise PictureError(no_pictures(judge.endpoint))
        if judge.endpoint.reading == "transcribe":
            raise PictureError(
                "This judge first reads a picture, then marks what it has read; a batch asks only once. Let a live run "
                "ask about this response."
            )
    response = for_judge(store, item.answer)
    conversation = judge.conversation(question_for_judge(store, item.question), scheme, response, item.exemplars)
    for sample in range(judge.endpoint.samples):
        yield custom_id(batch_id, item.answer.id, sample, tag), judge.request(conversation, scheme, response, sample)


def _summary(lines: int, parts: int, blank: int, notes: int) -> str:
    said = f"{lines:,} requests written in {parts} {'file' if parts == 1 else 'files'}" if lines else "Nothing to send"
    if blank:
        said += f", {blank:,} blank answers left to the teacher"
    if notes:
        said += f", {notes:,} {'note' if notes == 1 else 'notes'} on what is not in it"
    return said + "."

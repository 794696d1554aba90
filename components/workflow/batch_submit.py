"""Submitting a batch to its endpoint, waiting for it, and fetching what it made; a crash at any step submits once."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

import openai
from openai.types import Batch as RemoteBatch
from openai.types import FileObject

from components.judge import JudgeStopped
from components.judge.llm import Endpoint, LLMJudge
from components.judge.llm.batch_file import URL
from components.judge.llm.remedy import Action, remedy
from components.judge.llm.transport import client_for
from components.workflow.batch_read import Reading
from components.workflow.batch_write import folder_of
from components.workflow.progress import Progress
from storage import Store, batches
from storage.batches import ENDED, SUBMITTED, WRITTEN, Batch, Part
from storage.connect import now

POLL_SECONDS = 30.0
RETRY_SECONDS = 5.0
UPLOAD_SECONDS = 900.0
TRIES = 6  # of one request, before a person must look
BEAT_SECONDS = 1.0  # how soon a cancellation is heard while waiting
OVER = ("completed", "failed", "expired", "cancelled")
TOKEN = "second_marker_part"  # under this name our token stands in the remote batch's metadata
_NO_BATCHES = (404, 405, 501)

T = TypeVar("T")


class _NoBatches(JudgeStopped):
    """The endpoint knows no batches at all, or not the one asked for."""


class _Broken(Exception):
    """A connection that ended in the midst of a file."""


class _NotWanted(Exception):
    """The job is not wanted any more: it ends here, and goes on from here when it is queued again."""


class Submission:
    """One batch at its endpoint, from the first upload to the last line read."""

    def __init__(self, store: Store, judge: LLMJudge, batch: Batch, progress: Progress) -> None:
        self._store = store
        self._endpoint: Endpoint = judge.endpoint
        self._batch = batch
        self._progress = progress
        self._reading = Reading(store, judge, batch)
        self._folder = folder_of(store)
        self._client = client_for(judge.endpoint)

    async def follow(self) -> bool:
        """Submit what is not submitted, wait, read back. Gives whether it came to the end. Raises JudgeStopped."""
        try:
            async with self._client:
                for part in await self._parts():
                    if part.remote_id is None and not await self._cancel_asked():
                        await self._submit(part.number)
                while waiting := [part for part in await self._parts() if part.remote_id and part.read_at is None]:
                    over = [await self._look(part) for part in waiting]
                    if not all(over):
                        await self._wait()
        except _NotWanted:
            return False
        await self._in_store(lambda: self._set_state(ENDED))
        return True

    async def _submit(self, number: int) -> None:
        """Make the remote batch of a part, once. A lost id is looked for by our token before another is made."""
        words = ""
        for _ in range(TRIES):
            await self._tell(f"Submitting part {number}")
            part = (await self._parts())[number - 1]
            if part.token is not None and (found := await self._find(part, part.token)) is not None:
                await self._note_remote(part, found)
                return
            if part.token is None and (known := await asyncio.to_thread(self._overtaken, number)):
                raise JudgeStopped(
                    f"{known:,} of the {part.lines:,} requests in {part.file} are about responses that have a proposal "
                    "by now or are being asked about, so nothing was sent. Write a new batch: it leaves them out."
                )
            file_id = part.input_file_id or await self._upload(part)
            token = part.token or secrets.token_hex(16)
            await self._note(part, token=token)
            await self._in_store(lambda: self._set_state(SUBMITTED))
            try:
                made: object = await self._client.batches.create(
                    input_file_id=file_id, endpoint=URL, completion_window="24h", metadata={TOKEN: token}
                )
            except openai.APIError as error:
                words = await self._words_of_refusal(part, error)
                await asyncio.sleep(RETRY_SECONDS)
                continue
            if not isinstance(made, RemoteBatch):
                raise JudgeStopped(self._no_batches("its answer is no batch"))
            await self._note_remote(part, made)
            return
        raise JudgeStopped(f"{words} Press Go on to try again; what was submitted is not submitted twice.")

    async def _words_of_refusal(self, part: Part, error: openai.APIError) -> str:
        """Words for an error after which the remote batch may be there all the same. Raises JudgeStopped."""
        try:
            return self._words(error)
        except JudgeStopped:
            status = error.status_code if isinstance(error, openai.APIStatusError) else 500
            if status < 500 or status in _NO_BATCHES:  # it was refused for certain: there is nothing to look for
                await self._note(part, token=None, input_file_id=None)
                if not any(each.remote_id for each in await self._parts()):
                    await self._in_store(lambda: self._set_state(WRITTEN))
            raise

    async def _upload(self, part: Part) -> str:
        """The id of the part's file at the endpoint. Uploading it again after a crash costs nothing."""
        path = self._folder / part.file
        if not path.exists():
            raise JudgeStopped(f"The file {part.file} is no longer in the data folder. Write a new batch.")
        files = self._client.with_options(timeout=UPLOAD_SECONDS).files
        sent: object = await self._patiently(lambda: files.create(file=path, purpose="batch"))
        if not isinstance(sent, FileObject):
            raise JudgeStopped(self._no_batches("its answer is no file"))
        await self._note(part, input_file_id=sent.id)
        return sent.id

    async def _find(self, part: Part, token: str) -> RemoteBatch | None:
        """The remote batch that carries our token, or None where there is none."""
        since = (datetime.fromisoformat(self._batch.created_at) - timedelta(days=1)).timestamp()

        async def look() -> RemoteBatch | None:
            async for remote in self._client.batches.list(limit=100):
                # Some servers keep no metadata; a file that we uploaded is in one batch of ours all the same.
                ours = (remote.metadata or {}).get(TOKEN) == token
                if ours or (part.input_file_id is not None and remote.input_file_id == part.input_file_id):
                    return remote
                if (remote.created_at or since) < since:  # newest first: all others are older than this batch
                    break
            return None

        try:
            return await self._patiently(look)
        except _NoBatches as none:
            raise JudgeStopped(
                f"Whether part {part.number} was submitted is not known: the connection ended in between, and the "
                f"endpoint at {self._endpoint.base_url} does not list its batches. Nothing was submitted again, as it "
                "might be paid for twice. Look for it on the provider's own page, and read its output file here."
            ) from none

    async def _look(self, part: Part) -> bool:
        """Hear how far a remote batch is; read it back where it is over. Gives whether it is."""
        remote_id = part.remote_id
        assert remote_id is not None
        remote = await self._patiently(lambda: self._client.batches.retrieve(remote_id))
        if remote.status not in (*OVER, "cancelling") and await self._cancel_asked():
            remote = await self._patiently(lambda: self._cancel(remote_id))
        await self._note_remote(part, remote)
        await self._tell(remote.status)
        if remote.status not in OVER:
            return False
        ids = {"output": remote.output_file_id, "errors": remote.error_file_id}
        paths = [await self._fetch(part, kind, file_id) for kind, file_id in ids.items() if file_id]
        if not await asyncio.to_thread(self._reading.files, paths, self._progress):
            raise _NotWanted
        await self._note(part, read_at=now())
        return True

    async def _cancel(self, remote_id: str) -> RemoteBatch:
        try:
            return await self._client.batches.cancel(remote_id)
        except (openai.BadRequestError, openai.ConflictError):  # it has ended meanwhile
            return await self._client.batches.retrieve(remote_id)

    async def _fetch(self, part: Part, kind: str, file_id: str) -> Path:
        """The file's copy in the data folder. One that is there is whole: it gets its name last."""
        path = self._folder / f"batch-{self._batch.id}-part-{part.number}-{kind}.jsonl"
        if path.exists():
            return path
        fresh = path.with_suffix(".new")

        async def fetch() -> None:
            try:
                async with self._client.files.with_streaming_response.content(file_id) as reply:
                    await reply.stream_to_file(fresh)
            except (openai.APIError, OSError):
                raise
            except Exception as error:  # the client wraps no error that comes in the midst of a stream
                raise _Broken from error

        await self._patiently(fetch)
        fresh.replace(path)
        return path

    async def _patiently(self, request: Callable[[], Awaitable[T]]) -> T:
        """The request's outcome, tried again where that may help. Raises JudgeStopped."""
        for tried in range(1, TRIES + 1):
            try:
                return await request()
            except (openai.APIError, _Broken) as error:
                broken = "The connection broke while the output was on its way."
                words = broken if isinstance(error, _Broken) else self._words(error)
                if tried == TRIES:
                    raise JudgeStopped(f"{words} Press Go on to try again; nothing is submitted twice.") from error
            await self._tell("Waiting for the endpoint")
            await asyncio.sleep(RETRY_SECONDS)
        raise AssertionError

    def _words(self, error: openai.APIError) -> str:
        """Words for an error after which trying again may help. Raises JudgeStopped with its words for any other."""
        status = error.status_code if isinstance(error, openai.APIStatusError) else None
        if status in _NO_BATCHES:
            raise _NoBatches(self._no_batches(str(status))) from error
        if status == 413:
            raise JudgeStopped(
                f"The file is too large for the endpoint at {self._endpoint.base_url} (413). Choose fewer questions."
            ) from error
        step = remedy(error, self._endpoint, {"messages": []})
        if step.action is not Action.RETRY:
            raise JudgeStopped(step.words or f"The endpoint refused it: {error.message[:300]}") from error
        return step.words

    def _no_batches(self, why: str) -> str:
        return (
            f"The endpoint at {self._endpoint.base_url} has no batches, or not this one ({why}). Download the file "
            "instead and run it where the model is; then read its output here."
        )

    async def _wait(self) -> None:
        left = POLL_SECONDS
        was = await self._cancel_asked()
        while left > 0 and await self._cancel_asked() == was:
            await asyncio.sleep(min(BEAT_SECONDS, left))
            left -= BEAT_SECONDS
            await self._tell(None)

    async def _tell(self, message: str | None) -> None:
        """Store how far all parts are together. Raises _NotWanted where the job is not wanted any more."""
        parts = await self._parts()
        done, total = sum(part.done + part.failed for part in parts), sum(part.lines for part in parts)
        said = message or ", ".join(dict.fromkeys(part.status for part in parts if part.status)) or "submitting"
        if not await asyncio.to_thread(self._progress, min(done, total), total, said.replace("_", " ")):
            raise _NotWanted

    async def _note_remote(self, part: Part, remote: RemoteBatch) -> None:
        counts = remote.request_counts
        errors = (remote.errors.data if remote.errors else None) or []
        words = " ".join(f"{each.message or each.code}" for each in errors[:3])
        await self._note(
            part,
            remote_id=remote.id,
            status=remote.status,
            done=counts.completed if counts else part.done,
            failed=counts.failed if counts else part.failed,
            message=words[:500],
        )

    async def _note(self, part: Part, **changes: str | int | None) -> None:
        def note() -> None:
            with self._store.write() as db:
                batches.change_part(db, part, **changes)

        await self._in_store(note)

    async def _in_store(self, work: Callable[[], None]) -> None:
        await asyncio.to_thread(work)

    def _set_state(self, state: str) -> None:
        with self._store.write() as db:
            batches.set_state(db, self._batch.id, state)

    def _overtaken(self, number: int) -> int:
        with self._store.read() as db:
            return batches.overtaken(db, self._batch.id, number)

    async def _parts(self) -> list[Part]:
        def parts() -> list[Part]:
            with self._store.read() as db:
                return batches.parts(db, self._batch.id)

        return await asyncio.to_thread(parts)

    async def _cancel_asked(self) -> bool:
        def asked() -> bool:
            with self._store.read() as db:
                return batches.get(db, self._batch.id).cancel_asked

        return await asyncio.to_thread(asked)

"""Telling how far a job is, and hearing whether it should go on."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

log = logging.getLogger(__name__)

# (done, total, message) → whether the job is still wanted.
Progress = Callable[[int, int, str], bool]
TELL_SECONDS = 0.5


class Told:
    """A job's count. `off` once the job has been paused, cancelled, taken over, or its worker is to stop."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self.total = total
        self.done = 0
        self.message = ""
        self.off = False
        self._telling = asyncio.Lock()

    async def tell(self) -> None:
        """Store the count, and hear whether to go on."""
        async with self._telling:  # or an older count could be stored after a newer one
            try:
                if not await asyncio.to_thread(self._progress, self.done, self.total, self.message):
                    self.off = True
            except sqlite3.OperationalError:
                log.warning("The database is busy; how far the job is will be told in a moment.")

    @asynccontextmanager
    async def telling(self) -> AsyncIterator[None]:
        """Tells every half second while the block runs, and at its end."""

        ended = asyncio.Event()

        async def keep_telling() -> None:
            while not ended.is_set():
                await self.tell()
                with suppress(TimeoutError):
                    await asyncio.wait_for(ended.wait(), TELL_SECONDS)

        task = asyncio.create_task(keep_telling())
        try:
            yield
        finally:
            ended.set()
            await task
            await self.tell()

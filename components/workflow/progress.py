"""Telling how far a job is, and hearing whether it should go on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

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

    async def tell(self) -> None:
        """Store the count, and hear whether to go on."""
        if not await asyncio.to_thread(self._progress, self.done, self.total, self.message):
            self.off = True

    @asynccontextmanager
    async def telling(self) -> AsyncIterator[None]:
        """Tells every half second while the block runs, and at its end."""

        async def keep_telling() -> None:
            while True:
                await self.tell()
                await asyncio.sleep(TELL_SECONDS)

        task = asyncio.create_task(keep_telling())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])
            await self.tell()

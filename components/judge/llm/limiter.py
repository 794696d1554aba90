"""How many requests are with an endpoint at once: fewer when it says it is too much, more again as replies come."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager


class Limiter:
    """Turns at one endpoint, given in the order asked for, so that runs which share it get equal shares.

    At most `most` turns are out at once. Each rate limit halves that (once for all requests that were out together)
    and holds every new turn for the time the server asks; each full round of replies adds one, up to `most` again.
    """

    def __init__(
        self, most: int, *, start: int | None = None, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self.most = most
        self.now = most if start is None else start
        self._sleep = sleep
        self._out = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._gain = 0.0
        self._held_until = 0.0
        self._narrowed_at = 0.0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[float]:
        """Waits for a turn; gives the moment (monotonic seconds) it began, which `narrow` wants back."""
        await self._take()
        try:
            yield time.monotonic()
        finally:
            self._out -= 1
            self._wake()

    def replied(self) -> None:
        """A reply came: a little more is possible."""
        if self.now < self.most:
            self._gain += 1 / self.now
            if self._gain >= 1:
                self._gain = 0.0
                self.now += 1
                self._wake()

    def open(self) -> None:
        """Everything is possible from now on: the endpoint has shown what it takes."""
        self.now = self.most
        self._wake()

    def narrow(self, began: float, hold: float) -> None:
        """A request that began at this moment was refused as one too many; nothing new for `hold` seconds."""
        self._held_until = max(self._held_until, time.monotonic() + hold)
        if began >= self._narrowed_at:
            self._narrowed_at = time.monotonic()
            self._gain = 0.0
            self.now = max(1, self.now // 2)

    async def _take(self) -> None:
        if self._out >= self.now or self._waiting:
            mine = asyncio.get_running_loop().create_future()
            self._waiting.append(mine)
            try:
                await mine  # whoever wakes it has counted it as out
            except asyncio.CancelledError:
                if mine.done() and not mine.cancelled():
                    self._out -= 1
                    self._wake()
                elif mine in self._waiting:
                    self._waiting.remove(mine)
                raise
        else:
            self._out += 1
        waited_until = time.monotonic()
        while self._held_until > waited_until:
            held, waited_until = self._held_until - waited_until, self._held_until
            try:
                await self._sleep(held)
            except asyncio.CancelledError:
                self._out -= 1
                self._wake()
                raise

    def _wake(self) -> None:
        while self._waiting and self._out < self.now:
            waiting = self._waiting.popleft()
            if not waiting.done():
                self._out += 1
                waiting.set_result(None)

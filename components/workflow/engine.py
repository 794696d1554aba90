"""Asking a language model many things at once: each is noted before it is sent, and stored when it is back."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice
from typing import Generic, TypeVar

from components.judge import JudgeStopped
from components.judge.llm import LLMJudge
from components.workflow.progress import Told
from components.workflow.purse import CapReached, Purse

log = logging.getLogger(__name__)
_Item = TypeVar("_Item")
_Back = TypeVar("_Back")
_Result = TypeVar("_Result")
SILENT_IN_A_ROW, SILENT_AT_FIRST = 4, 2
STORE_TRIES = 10
GATHER_SECONDS = 0.05  # so few transactions leave time for asking, and a crash loses no more than this has gathered


class Engine(ABC, Generic[_Item, _Back]):
    """Asks about items until they are done, the job is told to stop, its purse is empty, or the judge cannot go on.

    What is asked, and where it is noted and stored, is its subclass's.
    """

    def __init__(self, judge: LLMJudge, told: Told, purse: Purse) -> None:
        self._judge = judge
        self._told = told
        self._purse = purse
        self._at_once = judge.endpoint.at_once
        self._chunk = max(8, self._at_once // 2)
        self._stopped: JudgeStopped | None = None
        self._broken: sqlite3.Error | None = None
        self._unsent: list[_Item] = []
        self._heard = judge.exchange.known  # whether a reply has ever come
        self._silent = 0  # items in a row to which the network, the server or its limits let no reply come
        self.elsewhere = 0  # items that another job has out
        self.cap_reached = False

    @abstractmethod
    def _claim(self, items: Sequence[_Item]) -> tuple[list[_Item], int]:
        """(items that are not known by now, noted as about to be sent; how many another job has out)."""

    @abstractmethod
    async def _reply(self, item: _Item) -> _Back | None:
        """What comes back, or None where it was not sent after all, or in vain."""

    @abstractmethod
    def _store_made(self, made: Sequence[tuple[_Item, _Back]]) -> None:
        """Store what has come back, which is out no more."""

    @abstractmethod
    def _forget(self, items: Iterable[_Item]) -> None:
        """These were not sent after all."""

    @abstractmethod
    def _estimate(self, item: _Item) -> tuple[int, float | None]:
        """(the item's id, what asking is likely to cost in US dollars; None where nothing will be sent)."""

    @abstractmethod
    def _price(self, back: _Back) -> float | None:
        """What asking has cost; None where it is not known."""

    @property
    def _over(self) -> bool:
        return self._stopped is not None or self._broken is not None or self.cap_reached or self._told.off

    async def all(self, items: Iterable[_Item]) -> None:
        """Ask about each, taking some at a time. What came back is stored before this returns. Raises JudgeStopped."""
        ready: asyncio.Queue[_Item | None] = asyncio.Queue(self._chunk)
        back: asyncio.Queue[tuple[_Item, _Back] | None] = asyncio.Queue()
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._store_each(back))
                tasks.create_task(self._feed(items, ready))
                askers = [tasks.create_task(self._ask_each(ready, back)) for _ in range(self._at_once)]
                await asyncio.wait(askers)
                back.put_nowait(None)
        finally:
            await asyncio.to_thread(self._forget, self._unsent)
        if self._broken is not None:
            raise self._broken
        if self._stopped is not None:
            raise self._stopped

    async def _feed(self, items: Iterable[_Item], ready: asyncio.Queue[_Item | None]) -> None:
        coming = iter(items)
        try:
            while not self._over:
                chunk = await asyncio.to_thread(lambda: list(islice(coming, self._chunk)))
                if not chunk:
                    break
                fresh, elsewhere = await patiently(partial(self._claim, chunk))
                self.elsewhere += elsewhere
                self._told.done += len(chunk) - len(fresh) - elsewhere
                for item in fresh:
                    await ready.put(item)
        except sqlite3.Error as error:
            self._broken = error  # what is out still comes back and is stored
        for _ in range(self._at_once):
            await ready.put(None)

    async def _ask_each(
        self, ready: asyncio.Queue[_Item | None], back: asyncio.Queue[tuple[_Item, _Back] | None]
    ) -> None:
        while (item := await ready.get()) is not None:
            if not self._over and (came := await self._ask(item)) is not None:
                back.put_nowait((item, came))
            else:
                self._unsent.append(item)

    async def _ask(self, item: _Item) -> _Back | None:
        """What comes back, or None where the item was not sent after all, or in vain."""
        item_id, estimate = self._estimate(item)
        try:
            if estimate is not None:
                await self._purse.set_aside(item_id, estimate)
        except CapReached:
            self.cap_reached = True
        if self._over:
            await self._purse.settle(item_id, 0.0)
            return None
        came = await self._reply(item)
        if estimate is not None:
            await self._purse.settle(item_id, 0.0 if came is None else self._price(came))
        return came

    def _wanted(self) -> Callable[[], bool]:
        """Whether to send, for one item: once its first request is out, all that belong to it."""
        begun = False

        def wanted() -> bool:
            nonlocal begun
            begun = begun or not self._over
            return begun

        return wanted

    def _hear(self, *, unanswered: bool, reason: str) -> None:
        """Stop where the model has been silent too often in a row; `reason` says why the last reply did not come."""
        judge = self._judge
        self._heard = self._heard or not unanswered
        self._silent = self._silent + 1 if unanswered and judge.exchange.silence else 0
        if self._silent >= (SILENT_IN_A_ROW if self._heard else SILENT_AT_FIRST):
            self._stopped = JudgeStopped(f"{judge.name} does not answer, so nothing more was sent. {reason}")

    async def _store_each(self, back: asyncio.Queue[tuple[_Item, _Back] | None]) -> None:
        """Store what has come back, all that there is at a time, until told that there is no more."""
        more = True
        while more:
            batch = [await back.get()]
            while not back.empty():
                batch.append(back.get_nowait())
            more = batch[-1] is not None
            made = [each for each in batch if each is not None]
            await patiently(partial(self._store_made, made))
            self._told.done += len(made)
            if more and len(made) > 1:
                await asyncio.sleep(GATHER_SECONDS)


async def patiently(work: Callable[[], _Result]) -> _Result:
    """Work at the database; one that is busy with something long is tried again, because what waits was paid for."""
    for _ in range(STORE_TRIES):
        try:
            return await asyncio.to_thread(work)
        except sqlite3.OperationalError:
            log.warning("The database is busy; what a job has asked for is stored in a moment.")
            await asyncio.sleep(1)
    return await asyncio.to_thread(work)

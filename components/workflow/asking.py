"""One run's questions to a language model: many at once, each noted before it is sent and stored when it is back."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from components.judge import JudgeStopped
from components.judge.llm import LLMJudge, NotWanted, still_wanted
from components.judge.prices import price_of
from components.marking import Exemplar, Proposal, ProposalStatus
from components.workflow.looking import for_judge
from components.workflow.progress import Told
from components.workflow.purse import CapReached, Purse
from components.workflow.transcribing import keep_judges_transcript
from storage import Store, asked, proposals
from storage.exams import StoredQuestion
from storage.responses import StoredResponse

log = logging.getLogger(__name__)
_Result = TypeVar("_Result")
SILENT_IN_A_ROW, SILENT_AT_FIRST = 4, 2
STORE_TRIES = 10
GATHER_SECONDS = 0.05  # so few transactions leave time for asking, and a crash loses no more than this has gathered


@dataclass(frozen=True)
class Item:
    """A response to be asked about, with all that the proposal depends on."""

    question: StoredQuestion
    answer: StoredResponse
    exemplars: tuple[Exemplar, ...]
    inputs_hash: str
    estimate: float  # US dollars, likely

    @property
    def inputs(self) -> tuple[int, str]:
        return self.answer.id, self.inputs_hash


@dataclass(frozen=True)
class Asker:
    """Who is asked, and in whose name its proposals are stored."""

    store: Store
    judge: LLMJudge
    judge_id: int
    job_id: int
    run_id: int


class Asking:
    """Asks about items until they are done, the run is told to stop, its purse is empty, or the judge cannot go on."""

    def __init__(self, asker: Asker, told: Told, purse: Purse) -> None:
        self._asker = asker
        self._told = told
        self._purse = purse
        self._at_once = asker.judge.endpoint.at_once
        self._chunk = max(8, self._at_once // 2)
        self._stopped: JudgeStopped | None = None
        self._broken: sqlite3.Error | None = None
        self._unsent: list[Item] = []
        self._silent = 0  # responses in a row to which the network, the server or its limits let no reply come
        self.elsewhere = 0  # responses that another run has out
        self.cap_reached = False

    @property
    def _over(self) -> bool:
        return self._stopped is not None or self._broken is not None or self.cap_reached or self._told.off

    async def all(self, items: Sequence[Item]) -> None:
        """Ask about each. What came back is stored before this returns. Raises JudgeStopped."""
        ready: asyncio.Queue[Item | None] = asyncio.Queue(self._chunk)
        back: asyncio.Queue[tuple[Item, Proposal] | None] = asyncio.Queue()
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

    async def _feed(self, items: Sequence[Item], ready: asyncio.Queue[Item | None]) -> None:
        for start in range(0, len(items), self._chunk):
            if self._over:
                break
            chunk = items[start : start + self._chunk]
            try:
                fresh, elsewhere = await _patiently(partial(self._claim, chunk))
            except sqlite3.Error as error:
                self._broken = error  # what is out still comes back and is stored
                break
            self.elsewhere += elsewhere
            self._told.done += len(chunk) - len(fresh) - elsewhere
            for item in fresh:
                await ready.put(item)
        for _ in range(self._at_once):
            await ready.put(None)

    async def _ask_each(
        self, ready: asyncio.Queue[Item | None], back: asyncio.Queue[tuple[Item, Proposal] | None]
    ) -> None:
        while (item := await ready.get()) is not None:
            if not self._over and (proposal := await self._ask(item)) is not None:
                back.put_nowait((item, proposal))
            else:
                self._unsent.append(item)

    async def _ask(self, item: Item) -> Proposal | None:
        """The proposal, priced, or None where the response was not sent after all, or in vain."""
        sent = not item.answer.blank
        try:
            if sent:
                await self._purse.set_aside(item.answer.id, item.estimate)
        except CapReached:
            self.cap_reached = True
        if self._over:
            await self._purse.settle(item.answer.id, 0.0)
            return None
        proposal = await self._proposal(item)
        if sent:
            await self._purse.settle(item.answer.id, 0.0 if proposal is None else proposal.usage.price)
        return proposal

    async def _proposal(self, item: Item) -> Proposal | None:
        judge, question = self._asker.judge, item.question
        try:
            response = item.answer.for_judge()
            if item.answer.pictures:
                response = await asyncio.to_thread(for_judge, self._asker.store, item.answer)
            still_wanted.set(self._wanted())
            proposal = await judge.judge(question.question, question.scheme, response, item.exemplars)
        except NotWanted:
            return None
        except JudgeStopped as stopped:
            self._stopped = stopped
            if not stopped.spent.raw_reply:
                return None
            reason = "The judge stopped before all its samples were there. Retry asks again."
            paid = Proposal(status=ProposalStatus.FAILED, label=judge.name, reason=reason, usage=stopped.spent)
            return priced(paid, judge.endpoint.model)
        except Exception:
            log.exception("%s broke on response %s.", judge.name, item.answer.id)
            reason = "The judge broke on this answer; the server's log has the details. Mark it yourself."
            return Proposal(status=ProposalStatus.FAILED, label=judge.name, reason=reason)
        unanswered = proposal.status is ProposalStatus.FAILED and not proposal.usage.raw_reply
        self._silent = self._silent + 1 if unanswered and judge.exchange.silence else 0
        if self._silent >= (SILENT_IN_A_ROW if judge.exchange.known else SILENT_AT_FIRST):
            self._stopped = JudgeStopped(f"{judge.name} does not answer, so nothing more was sent. {proposal.reason}")
        return priced(proposal, judge.endpoint.model)

    def _wanted(self) -> Callable[[], bool]:
        """Whether to send, for one response: once its first request is out, all that belong to it."""
        begun = False

        def wanted() -> bool:
            nonlocal begun
            begun = begun or not self._over
            return begun

        return wanted

    async def _store_each(self, back: asyncio.Queue[tuple[Item, Proposal] | None]) -> None:
        """Store what has come back, all that there is at a time, until told that there is no more."""
        more = True
        while more:
            batch = [await back.get()]
            while not back.empty():
                batch.append(back.get_nowait())
            more = batch[-1] is not None
            made = [each for each in batch if each is not None]
            await _patiently(partial(self._store_made, made))
            self._told.done += len(made)
            if more and len(made) > 1:
                await asyncio.sleep(GATHER_SECONDS)

    def _claim(self, items: Sequence[Item]) -> tuple[list[Item], int]:
        """(items that are not known by now, noted as about to be sent; how many another run has out)."""
        judge_id = self._asker.judge_id
        with self._asker.store.write() as db:
            unknown = [i for i in items if proposals.with_inputs(db, i.answer.id, judge_id, i.inputs_hash) is None]
            mine = asked.claim(db, self._asker.job_id, judge_id, (item.inputs for item in unknown))
        return [item for item in unknown if item.answer.id in mine], len(unknown) - len(mine)

    def _store_made(self, made: Sequence[tuple[Item, Proposal]]) -> None:
        with self._asker.store.write() as db:
            rows = [(item.answer.id, item.question.scheme_id, item.inputs_hash, proposal) for item, proposal in made]
            proposals.add_each(db, self._asker.judge_id, self._asker.run_id, rows)
            for item, proposal in made:
                if proposal.transcript:
                    stored = proposals.with_inputs(db, item.answer.id, self._asker.judge_id, item.inputs_hash)
                    keep_judges_transcript(db, item.answer.id, stored, proposal.transcript)
            asked.forget(db, self._asker.judge_id, (item.inputs for item, _ in made))

    def _forget(self, items: Iterable[Item]) -> None:
        with self._asker.store.write() as db:
            asked.forget(db, self._asker.judge_id, (item.inputs for item in items))


async def _patiently(work: Callable[[], _Result]) -> _Result:
    """Work at the database; one that is busy with something long is tried again, because what waits was paid for."""
    for _ in range(STORE_TRIES):
        try:
            return await asyncio.to_thread(work)
        except sqlite3.OperationalError:
            log.warning("The database is busy; a run's proposals are stored in a moment.")
            await asyncio.sleep(1)
    return await asyncio.to_thread(work)


def fail_what_was_out(asker: Asker, items: Sequence[Item]) -> set[int]:
    """Responses that were with the model when the server ended get a failed proposal: asking again may pay again.

    Gives their ids; they are asked again when a person retries the failed ones.
    """
    reason = (
        "The app's server ended while this answer was with the model, so the reply was lost and may have been paid "
        "for. Retry asks again."
    )
    lost = Proposal(status=ProposalStatus.FAILED, label=asker.judge.name, reason=reason)
    by_inputs = {item.inputs: item for item in items}
    with asker.store.write() as db:
        out = asked.left(db, asker.job_id, asker.judge_id)
        found = [by_inputs[inputs] for inputs in out if inputs in by_inputs]
        for item in found:
            scheme_id, judge_id = item.question.scheme_id, asker.judge_id
            if proposals.with_inputs(db, item.answer.id, judge_id, item.inputs_hash) is None:
                proposals.add(
                    db, item.answer.id, judge_id, scheme_id, lost, inputs_hash=item.inputs_hash, run_id=asker.run_id
                )
        asked.forget(db, asker.judge_id, (item.inputs for item in found))
        asked.forget_job(db, asker.job_id)
    return {item.answer.id for item in found}


def priced(proposal: Proposal, model: str = "") -> Proposal:
    """The proposal with its price: 0 where nothing was sent, None where it is not known.

    Where the price file does not know the model by the name that its server reports, it is looked up as `model`.
    """
    usage = proposal.usage
    if usage.price is not None:  # the judge itself knows that it sent nothing
        return proposal
    if usage.tokens_in or usage.tokens_out:
        price = price_of(usage.model, usage.tokens_in, usage.tokens_out)
        if price is None:
            price = price_of(model, usage.tokens_in, usage.tokens_out)
    else:  # a blank answer is not sent; any other was, and its server reported no tokens
        price = 0.0 if proposal.status is ProposalStatus.ABSTAINED and not usage.raw_reply else None
    return proposal.model_copy(update={"usage": usage.model_copy(update={"price": price})})

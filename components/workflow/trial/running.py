"""The job that runs a trial: arm by arm over some responses at a time, so that arms can be compared while it runs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from components.judge import JudgeStopped
from components.judge.llm import LLMJudge
from components.judge.prices import price_of
from components.workflow.cohort import no_price_words
from components.workflow.connections import Connections
from components.workflow.progress import Progress, Told
from components.workflow.proposing import Part, blindness_found, items_of
from components.workflow.purse import LIKELY_TIMES, Purse
from components.workflow.trial.asking import OnTrial, TrialAsking, fail_what_was_out, match_batch, take_over
from storage import Store, judges, trial_answers, trials
from storage.jobs import Job
from storage.trials import Trial

CHUNK = 500  # responses of an arm that are in memory together
BATCH = 100  # of those that are matched without a model


async def run_trial(store: Store, connections: Connections, job: Job, progress: Progress) -> str:
    """Ask each arm about what it has not answered yet; failed ones are asked again. Gives a summary in words.

    An arm whose judge cannot work does not keep the others waiting. Raises JudgeStopped at the end where one could not,
    or where the cap is reached. The same call again goes on from there.
    """
    running = await asyncio.to_thread(_set_up, store, connections, job, progress)
    return "The trial's exam has been archived." if running is None else await running.all()


def _set_up(store: Store, connections: Connections, job: Job, progress: Progress) -> _Running | None:
    with store.read() as db:
        trial = trials.get(db, job.payload["trial_id"])
        if trial is None:
            return None
        questions = {each.id: each for each in trials.questions(db, trial.id)}
        arms = [OnTrial(arm, connections.judge(arm.judge), questions) for arm in trials.arms(db, trial.id)]
        places = trials.places(db, trial.id)
        spent = trial_answers.spent(db, trial.id)
    for arm in arms:
        fail_what_was_out(store, arm, places)
    told = Told(progress, len(places) * len(arms))
    return _Running(store, connections, trial, arms, places, told, job.payload.get("cap"), spent)


class _Running:
    """A trial under way."""

    def __init__(
        self,
        store: Store,
        connections: Connections,
        trial: Trial,
        arms: Sequence[OnTrial],
        places: Sequence[tuple[int, int]],
        told: Told,
        cap: float | None,
        spent: dict[int, tuple[float, int]],
    ) -> None:
        self._store = store
        self._connections = connections
        self._trial = trial
        self._arms = arms
        self._places = places
        self._told = told
        self._cap = cap
        self._spent = sum(known for known, _ in spent.values())
        self._unpriced = {arm_id: unknown for arm_id, (_, unknown) in spent.items()}
        self._purses: dict[int, Purse] = {}
        self._cap_words = ""
        self._elsewhere = 0

    async def all(self) -> str:
        told = self._told
        async with told.telling():
            for start in range(0, len(self._places), CHUNK):
                chunk = self._places[start : start + CHUNK]
                for arm in self._arms:
                    if told.off:
                        break
                    told.message = arm.called
                    await self._do(arm, chunk)
        if told.off:
            return f"Stopped after {told.done:,} of {told.total:,} answers."
        stopped = [arm.stopped for arm in self._arms if arm.stopped]
        if self._cap_words or stopped:
            raise JudgeStopped(" ".join(dict.fromkeys([*([self._cap_words] if self._cap_words else []), *stopped])))
        return await asyncio.to_thread(self._summary)

    async def _do(self, arm: OnTrial, chunk: Sequence[tuple[int, int]]) -> None:
        if arm.stored.judge.kind == judges.IMPORTED:
            await asyncio.to_thread(arm.take_imported, self._store, [response for response, _ in chunk])
            self._told.done += len(chunk)
            return
        if arm.judge is None and not arm.stopped:
            arm.stopped = (
                f"{arm.called} is not connected. Connect it again on the Judges page; its key is never stored."
            )
        if arm.stopped or (self._cap_words and isinstance(arm.judge, LLMJudge)):
            return
        parts, left = await asyncio.to_thread(take_over, self._store, arm, chunk)
        self._told.done += len(chunk) - left
        if isinstance(arm.judge, LLMJudge):
            await self._ask(arm, arm.judge, chunk, parts)
        else:
            await self._match(arm, parts)

    async def _match(self, arm: OnTrial, parts: Sequence[Part]) -> None:
        pairs = [(part, answer) for part in parts for answer in part.answers]
        for start in range(0, len(pairs), BATCH):
            batch = pairs[start : start + BATCH]
            await asyncio.to_thread(match_batch, self._store, arm, batch)
            self._told.done += len(batch)
            if self._told.off:
                return

    async def _ask(
        self, arm: OnTrial, judge: LLMJudge, chunk: Sequence[tuple[int, int]], parts: Sequence[Part]
    ) -> None:
        if self._cap is not None and price_of(judge.endpoint.model, 0, 0) is None:
            arm.stopped = no_price_words(judge.endpoint.model)
            return
        try:
            if await blindness_found(self._store, self._connections, judge, arm.stored.judge.id, parts):
                # Questions with pictures are then marked without, and what their answers depend on is another.
                left = sum(len(part.answers) for part in parts)
                parts, still = await asyncio.to_thread(take_over, self._store, arm, chunk)
                self._told.done += left - still
        except JudgeStopped as stopped:
            arm.stopped = str(stopped)
            return
        items = await asyncio.to_thread(lambda: [i for part in parts for i in items_of(part, judge, arm.stored.shots)])
        if not items:
            return
        # What came without a price may have cost as much as the dearest of these would, asked for three times.
        unpriced = self._unpriced.pop(arm.stored.id, 0)
        self._spent += unpriced * LIKELY_TIMES * max(item.estimate for item in items)
        if arm.stored.id not in self._purses:
            with self._store.read() as db:
                dearest = trial_answers.dearest(db, arm.stored.judge.id)
            self._purses[arm.stored.id] = Purse(self._cap, self._spent, dearest)
        purse = self._purses[arm.stored.id]
        purse.spent = self._spent
        asking = TrialAsking(self._store, judge, arm, self._told, purse)
        try:
            await asking.all(items)
        except JudgeStopped as stopped:
            arm.stopped = str(stopped)
        finally:
            self._spent = purse.spent
            self._elsewhere += asking.elsewhere
            await asyncio.to_thread(partial(self._connections.keep_what_was_found, self._store, arm.stored.judge.id))
        if asking.cap_reached:
            self._cap_words = purse.words()

    def _summary(self) -> str:
        with self._store.read() as db:
            found = trial_answers.progress(db, self._trial.id).values()
        proposed, abstained, failed = (
            sum(getattr(each, name) for each in found) for name in ("proposed", "abstained", "failed")
        )
        said = f"{proposed:,} marks"
        if abstained:
            said += f", {abstained:,} left to the teacher (each says why)"
        if failed:
            said += f", {failed:,} failed (resume to ask them again)"
        if self._elsewhere:
            verb = "is" if self._elsewhere == 1 else "are"
            said += f". {self._elsewhere:,} {verb} with a run or another trial now; resume when that has ended"
        return f"{said}."

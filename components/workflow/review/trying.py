"""The job that tries a remedy: the judge asked about the sample under the draft, its answers kept apart."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace

from components.judge import Judge, JudgeStopped
from components.judge.llm import LLMJudge, try_pictures
from components.marking import Proposal, ProposalStatus, Usage
from components.workflow.asking import Asker, Asking, Item
from components.workflow.broken import proposal_or_failure
from components.workflow.connections import Connections
from components.workflow.looking import question_for_judge, sends_pictures
from components.workflow.progress import Progress, Told
from components.workflow.proposing import Part, items_of
from components.workflow.purse import Purse
from components.workflow.review.trial import AskedAs, judge_of, part_of
from storage import Store, remedies, verdicts
from storage.exams import StoredQuestion
from storage.jobs import Job
from storage.proposals import StoredProposal
from storage.remedies import Remedy, State
from storage.responses import StoredResponse

AT_A_TIME = 10
NO_RUN = 0  # what is said on trial belongs to no run
Before = tuple[Proposal, int]  # with the scheme version it was made under
LOST = (
    "The app's server ended while this answer was with the model, so the reply was lost and may have been paid for. "
    "Asking the failed ones again may pay again."
)


async def try_remedy(store: Store, connections: Connections, job: Job, progress: Progress) -> str:
    """Try what of the remedy's sample has not been tried. Gives a summary in words. Raises JudgeStopped."""
    with store.read() as db:
        remedy = remedies.get(db, job.payload["remedy_id"])
        if remedy is None:
            return "The exam has been archived."
        if not remedy.open:
            return f"This remedy has been {remedy.state}."
        part, judge_name = part_of(db, connections, remedy), judge_of(db, remedy).name
    if part is None:
        raise JudgeStopped(
            f"{judge_name} is not connected. Connect it again on the Judges page; its key is never stored."
        )
    lost = await asyncio.to_thread(_fail_what_was_out, store, remedy, judge_name)
    with store.read() as db:
        known = remedies.results(db, remedy.id)
    waiting = [a for a in part.answers if a.id not in lost and (a.id not in known or _failed_before(known[a.id].after))]
    told = Told(progress, len(part.answers))
    told.done = len(part.answers) - len(waiting)
    told.message = judge_name
    async with told.telling():
        if isinstance(part.judge, LLMJudge):
            await _ask(store, connections, remedy, part, waiting, told, job.id)
        else:
            await _match(store, remedy, part, waiting, told)
    return await asyncio.to_thread(_end, store, remedy, told)


def _failed_before(after: Proposal | None) -> bool:
    return after is None or after.status is ProposalStatus.FAILED


def _fail_what_was_out(store: Store, remedy: Remedy, judge_name: str) -> set[int]:
    """What was with the model when the server ended fails: asking again may pay again, so a person says so first."""
    lost = Proposal(status=ProposalStatus.FAILED, label=judge_name, reason=LOST)
    with store.write() as db:
        out = remedies.left_out(db, remedy.id)
        before = _befores(verdicts.newest(db, out, remedy.judge_id).values())
        for response_id in out:
            remedies.keep(db, remedy.id, response_id, before.get(response_id), lost)
    return out


async def _match(store: Store, remedy: Remedy, part: Part, waiting: Sequence[StoredResponse], told: Told) -> None:
    """Try it with a judge that costs nothing, which is asked anew under the scheme as it was too.

    What it proposed on the desk may rest on what it had learned from teachers' marks; so the words alone differ.
    """
    for start in range(0, len(waiting), AT_A_TIME):
        batch = waiting[start : start + AT_A_TIME]
        await asyncio.to_thread(_match_batch, store, remedy, part, batch)
        told.done += len(batch)
        await told.tell()
        if told.off:
            return


def _match_batch(store: Store, remedy: Remedy, part: Part, batch: Sequence[StoredResponse]) -> None:
    assert part.judge is not None
    was = replace(part.question, scheme=remedy.base)
    said = [
        (answer, _proposal(store, part.judge, was, answer), _proposal(store, part.judge, part.question, answer))
        for answer in batch
    ]
    with store.write() as db:
        for answer, before, after in said:
            remedies.keep(db, remedy.id, answer.id, (before, remedy.scheme_id), after)


def _proposal(store: Store, judge: Judge, question: StoredQuestion, answer: StoredResponse) -> Proposal:
    return proposal_or_failure(store, judge, question_for_judge(store, question), question.scheme, answer)


async def _ask(
    store: Store,
    connections: Connections,
    remedy: Remedy,
    part: Part,
    waiting: Sequence[StoredResponse],
    told: Told,
    job_id: int,
) -> None:
    """Ask a language model; what it proposed on the desk is the before. Raises JudgeStopped."""
    judge = part.judge
    assert isinstance(judge, LLMJudge)
    with store.read() as db:
        before = _befores(verdicts.newest(db, [answer.id for answer in waiting], remedy.judge_id).values())
    items = items_of(replace(part, answers=list(waiting)), judge, AskedAs.model_validate(remedy.asked_as).shots)
    asking = _Trial(Asker(store, judge, part.stored.id, job_id, NO_RUN), told, remedy, before)
    try:
        if judge.exchange.found.pictures is None and any(
            sends_pictures(judge, item.question, item.answer) for item in items
        ):
            await try_pictures(judge)
        await asking.all(items)
    finally:
        await asyncio.to_thread(connections.keep_what_was_found, store, part.stored.id)


class _Trial(Asking):
    """Asks as a run does, and keeps what comes back with the remedy instead of on the desk."""

    def __init__(self, asker: Asker, told: Told, remedy: Remedy, before: dict[int, Before]) -> None:
        super().__init__(asker, told, Purse(None))
        self._remedy = remedy
        self._before = before

    def _claim(self, items: Sequence[Item]) -> tuple[list[Item], int]:
        with self._asker.store.write() as db:
            mine = remedies.claim(db, self._remedy.id, [item.answer.id for item in items])
        return [item for item in items if item.answer.id in mine], 0

    def _store_made(self, made: Sequence[tuple[Item, Proposal]]) -> None:
        with self._asker.store.write() as db:
            for item, proposal in made:
                remedies.keep(db, self._remedy.id, item.answer.id, self._before.get(item.answer.id), proposal)

    def _forget(self, items: Iterable[Item]) -> None:
        with self._asker.store.write() as db:
            remedies.forget(db, self._remedy.id, [item.answer.id for item in items])


def _befores(stored: Iterable[StoredProposal]) -> dict[int, Before]:
    """By response, without the raw reply, which the proposal itself keeps."""
    return {each.response_id: (each.proposal.model_copy(update={"usage": Usage()}), each.scheme_id) for each in stored}


def _end(store: Store, remedy: Remedy, told: Told) -> str:
    with store.write() as db:
        results = remedies.results(db, remedy.id)
        said = [result.after for result in results.values() if result.after is not None]
        now = remedies.get(db, remedy.id)
        if len(said) == len(remedy.sample) and now is not None and now.state is State.TRYING:
            remedies.set_state(db, remedy.id, State.TRIED)
    if len(said) < len(remedy.sample):
        return f"Stopped after {len(said)} of {len(remedy.sample)} responses."
    failed = sum(_failed_before(after) for after in said)
    return f"Tried on {len(said)} responses{f', {failed} of them failed' if failed else ''}."

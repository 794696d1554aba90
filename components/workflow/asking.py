"""One run's questions to a language model: many at once, each noted before it is sent and stored when it is back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlite_utils import Database

from components.judge import JudgeStopped
from components.judge.llm import LLMJudge, NotWanted, still_wanted
from components.judge.prices import price_of
from components.marking import Exemplar, Proposal, ProposalStatus
from components.workflow.broken import MARK_IT, broke
from components.workflow.engine import Engine
from components.workflow.looking import for_judge, question_for_judge
from components.workflow.progress import Told
from components.workflow.purse import Purse
from components.workflow.transcribing import keep_judges_transcript
from storage import Store, asked, proposals, trial_answers
from storage.exams import StoredQuestion
from storage.responses import StoredResponse


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


class Asking(Engine[Item, Proposal]):
    """Asks about responses until they are done, the run is told to stop, its purse is empty, or the judge stops."""

    def __init__(self, asker: Asker, told: Told, purse: Purse) -> None:
        super().__init__(asker.judge, told, purse)
        self._asker = asker

    def _estimate(self, item: Item) -> tuple[int, float | None]:
        return item.answer.id, None if item.answer.blank else item.estimate

    def _price(self, back: Proposal) -> float | None:
        return back.usage.price

    async def _reply(self, item: Item) -> Proposal | None:
        """The proposal, priced, or None where the response was not sent after all, or in vain."""
        judge, question = self._asker.judge, item.question
        try:
            asked_about, response = question.question, item.answer.for_judge()
            if question.pictures:
                asked_about = await asyncio.to_thread(question_for_judge, self._asker.store, question)
            if item.answer.pictures:
                response = await asyncio.to_thread(for_judge, self._asker.store, item.answer)
            still_wanted.set(self._wanted())
            proposal = await judge.judge(asked_about, question.scheme, response, item.exemplars)
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
            return broke(judge.name, item.answer, MARK_IT)
        unanswered = proposal.status is ProposalStatus.FAILED and not proposal.usage.raw_reply
        self._hear(unanswered=unanswered, reason=proposal.reason)
        return priced(proposal, judge.endpoint.model)

    def _claim(self, items: Sequence[Item]) -> tuple[list[Item], int]:
        """(items that are not known by now, noted as about to be sent; how many another run has out)."""
        judge_id = self._asker.judge_id
        with self._asker.store.write() as db:
            take_from_trials(db, judge_id, items)
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


def take_from_trials(db: Database, judge_id: int, items: Iterable[Item]) -> set[int]:
    """The responses that get what the judge has said on trial of the same inputs, which is not paid for again.

    A trial keeps neither transcripts of pictures nor which examples were shown, so those are asked about anew.
    """
    plain = [item for item in items if not item.exemplars and not item.answer.pictures]
    return trial_answers.to_desk(db, judge_id, [(*item.inputs, item.question.scheme_id) for item in plain])


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

"""Making a run's proposals: by rule and by the offline matcher in batches, by a language model many at once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from components.judge import Judge, JudgeStopped
from components.judge.llm import LLMJudge
from components.marking import Exemplar, Proposal, ProposalStatus
from components.workflow import exemplars
from components.workflow.asking import Asker, Asking, Item, fail_what_was_out
from components.workflow.cohort import RunOptions
from components.workflow.connections import Connections
from components.workflow.inputs import inputs_hashes, reads_exemplars
from components.workflow.progress import Progress, Told
from components.workflow.purse import Purse
from components.workflow.tokens import answer_tokens, likely_price, prompt_tokens, reply_tokens
from storage import Store, batches, exams, judges, proposals, responses, runs
from storage.exams import StoredQuestion
from storage.judges import StoredJudge
from storage.responses import StoredResponse

log = logging.getLogger(__name__)
BATCH = 50


@dataclass(frozen=True)
class Part:
    """One question's share of a run: who judges it, and the responses that lack the proposal."""

    question: StoredQuestion
    stored: StoredJudge
    judge: Judge | None  # None where it cannot be asked now
    exemplars: tuple[Exemplar, ...]
    answers: list[StoredResponse]
    hashes: dict[int, str]
    responses: int  # all, those that have the proposal too


@dataclass(frozen=True)
class Plan:
    """What a run has to do; `known` responses need nothing."""

    parts: list[Part]
    known: int

    @property
    def total(self) -> int:
        return self.known + sum(len(part.answers) for part in self.parts)


async def propose_run(
    store: Store, connections: Connections, options: RunOptions, progress: Progress, job_id: int
) -> str:
    """Make the proposals that the run still lacks, undecided responses first. Gives a summary in words.

    Its run is noted and every proposal names it. Raises JudgeStopped when the judge cannot work at all. What is stored
    stays; the same call again goes on from there.
    """
    made = await asyncio.to_thread(plan, store, connections, options)
    if made is None:
        return "The exam has been archived."
    run_id = await asyncio.to_thread(_begin, store, options, job_id)
    told = Told(progress, made.total)
    told.done = made.known
    cap_words = ""
    async with told.telling():
        for part in made.parts:
            if told.off or isinstance(part.judge, LLMJudge):
                continue
            told.message = f"Question {part.question.question.number}"
            await _propose_part(store, part, told, run_id)
        if not told.off:
            cap_words = await _ask_llm(store, connections, options, made, told, job_id, run_id)
    if told.off:
        return f"Stopped after {told.done} of {told.total} responses."
    if cap_words:
        raise JudgeStopped(cap_words)
    return await asyncio.to_thread(_summary, store, run_id, made)


def plan(store: Store, connections: Connections, options: RunOptions, *, of_batch: bool = False) -> Plan | None:
    """What the run has to do, or None where its exam has been archived.

    What a batch has with its endpoint now is paid for there, so it is not asked live; a batch's own plan notes it.
    """
    with store.read() as db:
        if exams.get(db, options.exam_id) is None:
            return None
        chosen = judges.get(db, options.judge_id)
        rules = next(judge for judge in judges.listed(db) if judge.kind == judges.OBJECTIVE)
        assert chosen is not None
        known = {each.id: proposals.known_inputs(db, options.exam_id, each.id) for each in (chosen, rules)}
        out = set() if of_batch else batches.out(db, chosen.id)
        parts, count = [], 0
        for question in exams.questions(db, options.exam_id):
            if not options.covers(question.id):
                continue
            stored = rules if question.question.type.objective else chosen
            judge = connections.judge(stored)
            shown = exemplars.loaded(db, options.chosen.get(question.id, ()))
            answers = responses.of_question(db, question.id)
            hashes = {} if judge is None else inputs_hashes(judge, question, answers, shown, options.shots)
            had = known[stored.id] | out
            unknown = [a for a in answers if judge is None or (a.id, hashes[a.id]) not in had]
            count += len(answers) - len(unknown)
            parts.append(Part(question, stored, judge, shown, unknown, hashes, len(answers)))
    # Objective questions first: no model is needed for them, so none that fails can keep them waiting.
    parts.sort(key=lambda part: not part.question.question.type.objective)
    return Plan(parts, count)


def shown_to(part: Part, answer: StoredResponse, shots: int) -> tuple[Exemplar, ...]:
    """The examples that the judge is shown with this answer."""
    if part.judge is None or not reads_exemplars(part.judge):
        return ()
    return exemplars.for_response(part.exemplars, answer.for_judge().id, shots)


def items_of(part: Part, judge: LLMJudge, shots: int) -> list[Item]:
    """What a language model is to be asked about a part."""
    endpoint = judge.endpoint
    each_in = prompt_tokens(part.question, endpoint.protocol)
    each_out = reply_tokens(part.question.scheme, endpoint.protocol)
    # Sent and received are priced apart, once, for tens of thousands of answers.
    a_token_in, reply = likely_price(endpoint.model, 1, 0), likely_price(endpoint.model, 0, each_out)
    items = []
    for answer in part.answers:
        shown = shown_to(part, answer, shots)
        price = endpoint.samples * (a_token_in * (each_in + answer_tokens(answer, shown)) + reply)
        items.append(Item(part.question, answer, shown, part.hashes[answer.id], price))
    return items


def propose_batch(
    store: Store, judge: Judge, judge_id: int, question: StoredQuestion, answers: Sequence[StoredResponse], run_id: int
) -> None:
    """Propose for some responses of one question without a model, and store all of it at once; known ones are left."""
    hashes = inputs_hashes(judge, question, answers)
    made = [(answer, _proposal(judge, question, answer)) for answer in answers]
    with store.write() as db:
        rows = [
            (answer.id, question.scheme_id, hashes[answer.id], proposal)
            for answer, proposal in made
            if proposals.with_inputs(db, answer.id, judge_id, hashes[answer.id]) is None
        ]
        proposals.add_each(db, judge_id, run_id, rows)


async def _propose_part(store: Store, part: Part, told: Told, run_id: int) -> None:
    if part.judge is None:
        if part.stored.kind == judges.IMPORTED:
            told.done += len(part.answers)
            return
        raise JudgeStopped(
            f"{part.stored.name} is not connected. Connect it again on the Judges page; its key is never stored."
        )
    for start in range(0, len(part.answers), BATCH):
        batch = part.answers[start : start + BATCH]
        await asyncio.to_thread(propose_batch, store, part.judge, part.stored.id, part.question, batch, run_id)
        told.done += len(batch)
        await told.tell()
        if told.off:
            return


async def _ask_llm(
    store: Store, connections: Connections, options: RunOptions, made: Plan, told: Told, job_id: int, run_id: int
) -> str:
    """Ask the language model about its parts. Gives words where the spending cap ended it. Raises JudgeStopped."""
    asked = [part for part in made.parts if isinstance(part.judge, LLMJudge)]
    if not asked:
        return ""
    judge, judge_id = asked[0].judge, asked[0].stored.id
    assert isinstance(judge, LLMJudge)
    items = [item for part in asked for item in items_of(part, judge, options.shots)]
    asker = Asker(store, judge, judge_id, job_id, run_id)
    lost = await asyncio.to_thread(fail_what_was_out, asker, items)
    told.done += len(lost)
    told.message = judge.name
    purse = Purse(options.cap, await asyncio.to_thread(_spent, store, run_id))
    asking = Asking(asker, told, purse)
    try:
        await asking.all([item for item in items if item.answer.id not in lost])
    finally:
        await asyncio.to_thread(connections.keep_what_was_found, store, judge_id)
    return purse.words() if asking.cap_reached else ""


def _begin(store: Store, options: RunOptions, job_id: int) -> int:
    with store.write() as db:
        return runs.begin(db, options.exam_id, options.judge_id, job_id)


def _spent(store: Store, run_id: int) -> float:
    with store.read() as db:
        return runs.spent(db, run_id)


def _summary(store: Store, run_id: int, made: Plan) -> str:
    with store.read() as db:
        counts = proposals.counts_of_run(db, run_id)
    if not any(counts.values()):
        return (
            f"All {made.total:,} had the judge's proposal already."
            if made.total
            else "There was nothing to propose on."
        )
    said = f"{counts['proposed']:,} proposed"
    if counts["abstained"]:
        said += f", {counts['abstained']:,} left to the teacher (each says why)"
    if counts["failed"]:
        said += f", {counts['failed']:,} failed (ask again to retry them)"
    return said + "."


def _proposal(judge: Judge, question: StoredQuestion, answer: StoredResponse) -> Proposal:
    """The judge's proposal. One answer that it breaks on is a failed proposal, not the end of the others."""
    try:
        return judge.propose(question.question, question.scheme, answer.for_judge())
    except Exception:
        log.exception("%s broke on response %s.", judge.name, answer.id)
        reason = "The judge broke on this answer; the server's log has the details. Mark it yourself."
        return Proposal(status=ProposalStatus.FAILED, label=judge.name, reason=reason)

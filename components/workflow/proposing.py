"""Making a run's proposals: by rule and by the offline matcher in batches, by a language model many at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from sqlite_utils import Database

from components.judge import Judge, JudgeStopped
from components.judge.llm import LLMJudge, try_pictures
from components.judge.prices import price_of
from components.marking import Exemplar
from components.workflow import exemplars
from components.workflow.asking import Asker, Asking, Item, fail_what_was_out
from components.workflow.broken import MARK_IT, proposal_or_failure
from components.workflow.cohort import RunOptions, no_price_words
from components.workflow.connections import Connections
from components.workflow.inputs import inputs_hashes, reads_exemplars
from components.workflow.looking import needs_eyes, question_for_judge, sends_pictures, shown_pages
from components.workflow.progress import Progress, Told
from components.workflow.purse import LIKELY_TIMES, Purse
from components.workflow.tokens import (
    answer_tokens,
    figure_tokens,
    likely_price,
    looking_tokens,
    prompt_tokens,
    reply_tokens,
)
from storage import Store, batches, exams, judges, proposals, responses, runs
from storage.exams import StoredQuestion
from storage.judges import StoredJudge
from storage.responses import StoredResponse

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
    in_batches: int  # of the known: not there yet, but with an endpoint's batch

    @property
    def total(self) -> int:
        return self.known + sum(len(part.answers) for part in self.parts)


@dataclass(frozen=True)
class _Asked:
    """How asking ended: words where the cap was reached, and how many responses another run had out."""

    cap_words: str = ""
    elsewhere: int = 0


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
    told.done = made.known - made.in_batches
    asked = _Asked()
    async with told.telling():
        for part in made.parts:
            if told.off or isinstance(part.judge, LLMJudge):
                continue
            told.message = f"Question {part.question.question.number}"
            await _propose_part(store, part, told, run_id)
        if not told.off:
            asked = await _ask_llm(store, connections, options, made, told, job_id, run_id)
    if told.off:
        return f"Stopped after {told.done} of {told.total} responses."
    if asked.cap_words:
        raise JudgeStopped(asked.cap_words)
    return await asyncio.to_thread(_summary, store, run_id, made, asked.elsewhere)


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
        parts, count, in_batches = [], 0, 0
        for question in exams.questions(db, options.exam_id):
            if not options.covers(question.id):
                continue
            stored = rules if question.question.type.objective else chosen
            judge = connections.judge(stored)
            shown = exemplars.loaded(db, options.chosen.get(question.id, ()))
            answers = _answers(db, question.id, options)
            if options.responses is not None and not answers:
                continue
            hashes = {} if judge is None else inputs_hashes(judge, question, answers, shown, options.shots)
            unknown = [a for a in answers if judge is None or (a.id, hashes[a.id]) not in known[stored.id]]
            waited = [a for a in unknown if judge is not None and (a.id, hashes[a.id]) in out]
            unknown = [a for a in unknown if a not in waited] if waited else unknown
            in_batches += len(waited)
            count += len(answers) - len(unknown)
            parts.append(Part(question, stored, judge, shown, unknown, hashes, len(answers)))
    # Objective questions first: no model is needed for them, so none that fails can keep them waiting.
    parts.sort(key=lambda part: not part.question.question.type.objective)
    return Plan(parts, count, in_batches)


def _answers(db: Database, question_id: int, options: RunOptions) -> list[StoredResponse]:
    """The question's responses that the run is about."""
    if options.responses is None:
        answers = responses.of_question(db, question_id)
    else:
        found = (responses.get(db, response_id) for response_id in options.responses)
        answers = [answer for answer in found if answer is not None and answer.question_id == question_id]
    return [answer for answer in answers if not (options.skip_pictures and needs_eyes(answer))]


def shown_to(part: Part, answer: StoredResponse, shots: int) -> tuple[Exemplar, ...]:
    """The examples that the judge is shown with this answer."""
    if part.judge is None or not reads_exemplars(part.judge):
        return ()
    return exemplars.for_response(part.exemplars, answer.for_judge().id, shots)


def items_of(part: Part, judge: LLMJudge, shots: int) -> list[Item]:
    """What a language model is to be asked about a part."""
    endpoint = judge.endpoint
    look_in, look_out = looking_tokens(part.question, endpoint)
    each_in = prompt_tokens(part.question, endpoint.protocol) + figure_tokens(part.question, judge)
    each_out = reply_tokens(part.question.scheme, endpoint.protocol)
    # Sent and received are priced apart, once, for tens of thousands of answers.
    a_token_in, reply = likely_price(endpoint.model, 1, 0), likely_price(endpoint.model, 0, each_out)
    items = []
    for answer in part.answers:
        shown = shown_to(part, answer, shots)
        price = endpoint.samples * (a_token_in * (each_in + answer_tokens(answer, shown)) + reply)
        if pages := shown_pages(judge, answer):
            price += likely_price(endpoint.model, look_in(pages), look_out)
        items.append(Item(part.question, answer, shown, part.hashes[answer.id], price))
    return items


def propose_batch(
    store: Store, judge: Judge, judge_id: int, question: StoredQuestion, answers: Sequence[StoredResponse], run_id: int
) -> None:
    """Propose for some responses of one question without a model, and store all of it at once; known ones are left."""
    hashes = inputs_hashes(judge, question, answers)
    asked = question_for_judge(store, question)
    made = [(answer, proposal_or_failure(store, judge, asked, question.scheme, answer, MARK_IT)) for answer in answers]
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
) -> _Asked:
    """Ask the language model about its parts. Raises JudgeStopped."""
    parts = [part for part in made.parts if isinstance(part.judge, LLMJudge)]
    if not parts:
        return _Asked()
    judge, judge_id = parts[0].judge, parts[0].stored.id
    assert isinstance(judge, LLMJudge)
    if options.cap is not None and price_of(judge.endpoint.model, 0, 0) is None:
        raise JudgeStopped(no_price_words(judge.endpoint.model))
    if await blindness_found(store, connections, judge, judge_id, parts):
        # Questions with pictures are then marked without, and what their proposals depend on is another.
        again = await asyncio.to_thread(plan, store, connections, options)
        made = made if again is None else again
        told.done = made.known - made.in_batches
        parts = [part for part in made.parts if isinstance(part.judge, LLMJudge)]
    items = [item for part in parts for item in items_of(part, judge, options.shots)]
    asker = Asker(store, judge, judge_id, job_id, run_id)
    lost = await asyncio.to_thread(fail_what_was_out, asker, items)
    told.done += len(lost)
    told.message = judge.name
    dearest = LIKELY_TIMES * max((item.estimate for item in items), default=0.0)
    purse = Purse(options.cap, *await asyncio.to_thread(_spent, store, run_id, dearest))
    asking = Asking(asker, told, purse)
    try:
        await asking.all([item for item in items if item.answer.id not in lost])
    finally:
        await asyncio.to_thread(connections.keep_what_was_found, store, judge_id)
    return _Asked(purse.words() if asking.cap_reached else "", asking.elsewhere)


async def blindness_found(
    store: Store, connections: Connections, judge: LLMJudge, judge_id: int, parts: Sequence[Part]
) -> bool:
    """Whether the model has only now been found to take no pictures: once, for all that would be sent any.

    Raises JudgeStopped.
    """
    if judge.exchange.found.pictures is not None:
        return False
    if not any(sends_pictures(judge, part.question, answer) for part in parts for answer in part.answers):
        return False
    try:
        await try_pictures(judge)
    finally:
        await asyncio.to_thread(connections.keep_what_was_found, store, judge_id)
    return judge.blind


def _begin(store: Store, options: RunOptions, job_id: int) -> int:
    with store.write() as db:
        return runs.begin(db, options.exam_id, options.judge_id, job_id)


def _spent(store: Store, run_id: int, for_unknown: float) -> tuple[float, float]:
    """(US dollars so far, those of the dearest); an unknown price counts as what is set aside for a response."""
    with store.read() as db:
        known, unknown = runs.spent(db, run_id)
        return known + unknown * for_unknown, runs.dearest(db, run_id)


def _summary(store: Store, run_id: int, made: Plan, elsewhere: int) -> str:
    with store.read() as db:
        counts = proposals.counts_of_run(db, run_id)
    out = "".join(
        f" {count:,} {'is' if count == 1 else 'are'} with {where} now; resume this run when that has ended."
        for count, where in ((elsewhere, "another run"), (made.in_batches, "a batch"))
        if count
    )
    if not any(counts.values()):
        had = made.total - made.in_batches - elsewhere
        return (
            f"{had:,} had the judge's proposal already." if made.total else "There was nothing to propose on."
        ) + out
    said = f"{counts['proposed']:,} proposed"
    if counts["abstained"]:
        said += f", {counts['abstained']:,} left to the teacher (each says why)"
    if counts["failed"]:
        said += f", {counts['failed']:,} failed (ask again to retry them)"
    return f"{said}.{out}"

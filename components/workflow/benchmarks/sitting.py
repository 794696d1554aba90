"""A model sits a benchmark: begun, done as a job, let go on, and what it would take beforehand."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

from sqlite_utils import Database

from components.intake.benchmarks.items import Benchmark
from components.judge import JudgeStopped
from components.judge.llm import LLMJudge
from components.judge.prices import price_of
from components.marking import Marker, MarkError
from components.workflow.benchmarks.asking_items import Asked, AskingItems, Papers, pages
from components.workflow.benchmarks.prompts import prompt_of
from components.workflow.benchmarks.settings import PROTOCOLS, SittingSettings
from components.workflow.cohort import no_price_words
from components.workflow.connections import Connections
from components.workflow.progress import Progress, Told
from components.workflow.purse import LIKELY_TIMES, Purse
from storage import Store, benchmarks, events, jobs, judges, sitting_progress, sittings
from storage.jobs import Job
from storage.sittings import Answer, Sitting

SIT = "sit"
SAMPLED = 2_000
LOST = (
    "The app's server ended while this item was with the model, so the reply was lost and may have been paid for. "
    "Letting the sitting go on asks it again."
)
NOT_CONNECTED = "is not connected. Connect it again on the Judges page; its key is never stored."


@dataclass(frozen=True)
class Ahead:
    """What a sitting would take. Of `items`, `known` are answered from the store and `sent` go to the model.

    `price` is in US dollars, None where the model's price is not known; `seconds` None where the judge's pace is not.
    """

    items: int
    known: int
    sent: int
    tokens_in: int
    tokens_out: int
    price: float | None
    seconds: float | None


def begin(
    store: Store,
    set_id: int,
    judge_id: int,
    settings: SittingSettings,
    marker: Marker | None,
    *,
    claimant: str = "",
) -> int:
    """Queue a sitting, or take it at once for a `claimant` who does it here. Gives its id.

    Raises MarkError where the same or some of its questions are under way, the protocol is not the benchmark's, nothing
    is chosen, worked questions are missing, or a cap is set and the model's price is not known.
    """
    with store.write() as db:
        settings = checked(db, set_id, judge_id, settings)
        before = same(db, set_id, judge_id, settings)
        if before is not None and sitting_progress.state_of(db, before).active:
            raise MarkError(f"This very sitting is under way already: it is sitting {before.id}.")
        _check_alone(db, set_id, judge_id, settings)
        sitting_id = sittings.add(db, set_id, judge_id, settings.model_dump(mode="json"), _id(marker))
        job_id = jobs.add(db, SIT, {"sitting_id": sitting_id})
        sittings.set_job(db, sitting_id, job_id)
        if claimant:
            jobs.take(db, job_id, claimant)
        about = {"set_id": set_id, "judge_id": judge_id, "protocol": settings.protocol, "shots": settings.shots}
        events.log(db, "sitting started", f"sitting {sitting_id}", about, _id(marker))
    return sitting_id


def same(db: Database, set_id: int, judge_id: int, settings: SittingSettings) -> Sitting | None:
    """The newest sitting of the same questions by the same judge, protocol and prompt, whatever its cap was."""
    for sitting in sittings.listed(db, set_id):
        own = SittingSettings.model_validate(sitting.settings)
        stamp = prompt_of(Benchmark(sitting.benchmark), reasoned=settings.reasoned).stamp
        if sitting.judge_id == judge_id and own == settings.model_copy(update={"cap": own.cap, "prompt": stamp}):
            return sitting
    return None


def go_on(store: Store, sitting_id: int, cap: float | None = None, *, claimant: str = "") -> None:
    """Let a paused or ended sitting go on: what is answered is not asked again, what failed is. `cap`: a new one.

    A `claimant` takes it at once, to do it here. Raises MarkError where another sitting asks some of the same now.
    """
    with store.write() as db:
        sitting = sittings.get(db, sitting_id)
        job = None if sitting is None or sitting.job_id is None else jobs.get(db, sitting.job_id)
        if sitting is None or job is None:
            return
        if job.status not in ("queued", "running"):
            _check_alone(db, sitting.set_id, sitting.judge_id, SittingSettings.model_validate(sitting.settings))
        if cap is not None:
            sittings.change_settings(db, sitting_id, {**sitting.settings, "cap": cap})
        if job.status == "queued":
            jobs.unpause(db, job.id)
        else:
            jobs.again(db, job.id)
        if claimant:
            jobs.take(db, job.id, claimant)


def _check_alone(db: Database, set_id: int, judge_id: int, settings: SittingSettings) -> None:
    """Two sittings at once that ask a judge the same would both be paid for. Raises MarkError."""

    def share_questions(own: SittingSettings) -> bool:
        tasks = own.tasks is None or settings.tasks is None or set(own.tasks) & set(settings.tasks)
        asked_alike = (own.protocol, own.shots) == (settings.protocol, settings.shots)
        return bool(tasks and asked_alike and set(own.splits) & set(settings.splits))

    for other in sittings.listed(db, set_id):
        if other.judge_id != judge_id or not sitting_progress.state_of(db, other).active:
            continue
        if share_questions(SittingSettings.model_validate(other.settings)):
            raise MarkError(
                f"Sitting {other.id}, which is under way or paused, asks this judge some of the same questions. Let it "
                "end first, or cancel it: what it has answered is then not asked or paid for again."
            )


def ahead(
    store: Store, connections: Connections, set_id: int, judge_id: int, settings: SittingSettings
) -> Ahead | None:
    """What the sitting would take, or None where the judge is not connected.

    What a judge that has answered nothing yet is sent is reckoned from about SAMPLED of many questions, in all tasks.
    """
    judge = connections.llm(judge_id)
    if judge is None:
        return None
    with store.read() as db:
        pace = sitting_progress.pace(db, judge_id, settings.protocol)
        exact = sittings.knows_any(db, judge_id)
        count = sittings.count_of(db, set_id, settings.tasks, settings.splits)
    every = 1 if exact else max(1, count // SAMPLED)
    papers = Papers(store, set_id, judge.endpoint, settings)
    if pace is not None and pace[1]:
        papers.reply_tokens = pace[1]
    items = known = tokens_in = tokens_out = 0
    for lot in pages(store, set_id, settings):
        asked = [papers.asked(stored) for stored in lot[::every]]
        each_stands_for = len(lot) / len(asked)
        with store.read() as db:
            had = sittings.known(db, judge_id, (each.inputs_hash for each in asked))
        new = [each for each in asked if each.inputs_hash not in had]
        items, known = items + len(lot), known + len(asked) - len(new)
        tokens_in += round(each_stands_for * sum(each.tokens_in for each in new))
        tokens_out += round(each_stands_for * sum(each.tokens_out for each in new))
    sent = items - known
    seconds = None if pace is None else sent * pace[0] / min(judge.endpoint.at_once, max(1, sent))
    price = price_of(judge.endpoint.model, tokens_in, tokens_out)
    return Ahead(items, known, sent, tokens_in, tokens_out, price, seconds)


async def do_sitting(store: Store, connections: Connections, job: Job, progress: Progress) -> str:
    """Ask about what the job's sitting has no answer to yet. Gives a summary in words. Raises JudgeStopped.

    What came back is stored; the same call again goes on from there.
    """
    with store.read() as db:
        sitting = sittings.get(db, job.payload["sitting_id"])
    if sitting is None:
        return "The sitting has been archived."
    judge = connections.llm(sitting.judge_id)
    if judge is None:
        raise JudgeStopped(f"{sitting.judge} {NOT_CONNECTED}")
    settings = SittingSettings.model_validate(sitting.settings)
    _check_same_prompt(sitting, settings)
    if settings.cap is not None and price_of(judge.endpoint.model, 0, 0) is None:
        raise JudgeStopped(no_price_words(judge.endpoint.model))
    lost = await asyncio.to_thread(_fail_what_was_out, store, sitting)
    with store.read() as db:
        total = sittings.count_of(db, sitting.set_id, settings.tasks, settings.splits)
        before = sittings.answered(db, sitting.id)
        spent, dearest = sitting_progress.spent(db, sitting.id), sitting_progress.dearest(db, sitting.id)
    told = Told(progress, total)
    told.done, told.message = before + len(lost), judge.name
    async with told.telling():
        cap_words = await _ask(store, connections, judge, sitting, settings, told, lost, spent, dearest)
    if told.off:
        return f"Stopped after {told.done:,} of {total:,} items."
    if cap_words:
        raise JudgeStopped(cap_words)
    return await asyncio.to_thread(_summary, store, sitting)


async def _ask(
    store: Store,
    connections: Connections,
    judge: LLMJudge,
    sitting: Sitting,
    settings: SittingSettings,
    told: Told,
    lost: set[int],
    spent: tuple[float, int],
    dearest: float,
) -> str:
    """Ask the model; words where the cap was reached. Raises JudgeStopped."""
    papers = Papers(store, sitting.set_id, judge.endpoint, settings)
    for_unknown = 0.0
    if settings.cap is not None and spent[1]:
        first = next(_to_do(store, sitting, settings, papers, set()), None)
        for_unknown = LIKELY_TIMES * (first.estimate if first else 0.0)
    purse = Purse(settings.cap, spent[0] + spent[1] * for_unknown, dearest)
    asking = AskingItems(store, judge, sitting, told, purse)
    try:
        await asking.all(_to_do(store, sitting, settings, papers, lost))
    finally:
        await asyncio.to_thread(connections.keep_what_was_found, store, sitting.judge_id)
    return purse.words().replace("response", "item") if asking.cap_reached else ""


def _to_do(
    store: Store, sitting: Sitting, settings: SittingSettings, papers: Papers, lost: set[int]
) -> Iterator[Asked]:
    for lot in pages(store, sitting.set_id, settings, unanswered_in=sitting.id):
        yield from (papers.asked(stored) for stored in lot if stored.id not in lost)


def _fail_what_was_out(store: Store, sitting: Sitting) -> set[int]:
    """What was with the model when the server ended fails: asking again may pay again, so a person says so first."""
    with store.write() as db:
        out = sittings.left_out(db, sitting.id)
        sittings.keep(db, sitting.id, ((item_id, Answer("failed", reason=LOST)) for item_id in out))
        sittings.forget(db, sitting.id, out)
    return set(out)


def checked(db: Database, set_id: int, judge_id: int, settings: SittingSettings) -> SittingSettings:
    """The settings with the prompt that they are begun with. Raises MarkError as `begin` does."""
    judge, found = judges.get(db, judge_id), benchmarks.get(db, set_id)
    if found is None or judge is None:
        raise MarkError("The benchmark or the judge is not there any more. Choose again.")
    benchmark = Benchmark(found.benchmark)
    if settings.protocol not in PROTOCOLS[benchmark]:
        raise MarkError(f"{benchmark.named} is not asked by the protocol “{settings.protocol.named}”. Choose another.")
    if not sittings.count_of(db, set_id, settings.tasks, settings.splits):
        raise MarkError("There is no question in what is chosen. Choose other tasks or another split.")
    if settings.shots:
        without = _without_examples(db, set_id, settings)
        if without:
            more = f" and {len(without) - 3} more" if len(without) > 3 else ""
            raise MarkError(
                f"There are no {settings.shots} worked questions for {', '.join(without[:3])}{more}. Load the "
                "benchmark with its dev folder, or ask with fewer examples."
            )
    if settings.cap is not None and price_of(judge.model, 0, 0) is None:
        raise MarkError(no_price_words(judge.model))
    return settings.model_copy(update={"prompt": prompt_of(benchmark, reasoned=settings.reasoned).stamp})


def _without_examples(db: Database, set_id: int, settings: SittingSettings) -> list[str]:
    """Tasks with fewer worked questions than are to be shown; one that is itself asked is not shown with itself."""
    listed = benchmarks.tasks(db, set_id)
    worked = {each.task: each.keyed for each in listed if each.split == "dev"}
    asked = [each for each in listed if each.split in settings.splits]
    asked = [each for each in asked if settings.tasks is None or each.task in settings.tasks]
    return [each.task for each in asked if worked.get(each.task, 0) - (each.split == "dev") < settings.shots]


def _check_same_prompt(sitting: Sitting, settings: SittingSettings) -> None:
    if settings.prompt != prompt_of(Benchmark(sitting.benchmark), reasoned=settings.reasoned).stamp:
        raise JudgeStopped(
            "The words of the prompt have changed since this sitting began, so it cannot go on: its answers would be "
            "to two different papers. Start a new sitting; what is answered in this one stays."
        )


def _summary(store: Store, sitting: Sitting) -> str:
    with store.read() as db:
        took = sitting_progress.took(db, sitting.id)
    said = f"{took.answered:,} answered"
    if took.unread:
        said += f", {took.unread:,} of them not readable"
    if took.failed:
        said += f", {took.failed:,} failed (resume to ask them again)"
    return f"{said}."


def _id(marker: Marker | None) -> int | None:
    return None if marker is None else marker.id

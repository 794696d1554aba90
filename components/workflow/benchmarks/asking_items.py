"""One sitting's questions to its model: many at once, noted before they are sent, stored with their mark when back."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from openai.types.chat import ChatCompletion

from components.intake.benchmarks.items import Benchmark, Item
from components.judge import JudgeStopped
from components.judge.llm import Endpoint, LLMJudge, NotWanted, still_wanted
from components.judge.llm.prompt import Message
from components.judge.llm.remedy import NoReply
from components.judge.llm.reply import text_of
from components.judge.prices import price_of
from components.workflow.benchmarks.prompts import inputs_hash, messages, prompt_of, worked
from components.workflow.benchmarks.reading import read_and_mark
from components.workflow.benchmarks.sets import item_of
from components.workflow.benchmarks.settings import Protocol, SittingSettings
from components.workflow.engine import Engine
from components.workflow.progress import Told
from components.workflow.purse import Purse
from components.workflow.tokens import likely_price, tokens
from storage import Store, benchmarks, sittings
from storage.benchmarks import StoredItem
from storage.sittings import Answer, Sitting

log = logging.getLogger(__name__)
MOST_WORKED = 20  # worked questions of a task that are looked at; the benchmarks have five
PAGE = 200  # items read from the database at a time: a set of 20,000 is never in memory as a whole
EMPTY = "The model sent back no words, so there is nothing to read. Asking the failed ones again asks it anew."
ALL_THOUGHT = (
    "The reply ended at the token limit before it had any words; thinking may have taken them all. Give the judge a "
    "higher limit on the Judges page."
)
BROKE = "The app broke on this item; the server's log has the details."
# What a reply takes, by protocol, until the judge has shown it: a letter, or reasoning before it.
USUAL_TOKENS = {Protocol.CHAIN_OF_THOUGHT: 300, Protocol.GAOKAO: 600}
SHORT_REPLY = 10
MOST_TOKENS = 1_000_000_000  # of one request, as a server may say


@dataclass(frozen=True)
class Asked:
    """An item with what is sent for it; `estimate` is in US dollars, likely."""

    id: int
    item: Item
    sent: list[Message]
    inputs_hash: str
    tokens_in: int
    tokens_out: int
    estimate: float
    reasoned: bool  # the model is asked to reason before it answers


class Papers:
    """Makes what is sent for a set's items, with the worked questions of each task."""

    def __init__(self, store: Store, set_id: int, endpoint: Endpoint, settings: SittingSettings) -> None:
        self._store = store
        self._set_id = set_id
        self._endpoint = endpoint
        self._settings = settings
        self._worked = lru_cache(maxsize=8)(self._worked_questions)  # items come task by task
        self._examples = lru_cache(maxsize=8)(self._examples_of_a_task)
        self.reply_tokens = float(USUAL_TOKENS.get(settings.protocol, SHORT_REPLY))

    def asked(self, stored: StoredItem) -> Asked:
        """An item with what is sent for it. A worked question is never shown with itself."""
        item, settings = item_of(stored), self._settings
        examples = ""
        if settings.shots:
            examples = self._examples(item.task, stored.id if item.split == "dev" else 0)
        sent = messages(item, settings, examples)
        sent_tokens = sum(tokens(str(message["content"])) for message in sent)
        received = round(self.reply_tokens * (max(1, len(item.key)) if item.kind == "multi_question_choice" else 1))
        return Asked(
            stored.id,
            item,
            sent,
            inputs_hash(self._endpoint, prompt_of(Benchmark(item.benchmark), reasoned=settings.reasoned), sent),
            sent_tokens,
            received,
            likely_price(self._endpoint.model, sent_tokens, received),
            settings.reasoned,
        )

    def _examples_of_a_task(self, task: str, but: int) -> str:
        shots = [shot for shot_id, shot in self._worked(task) if shot_id != but]
        return worked(self._settings, shots[: self._settings.shots])

    def _worked_questions(self, task: str) -> tuple[tuple[int, Item], ...]:
        with self._store.read() as db:
            stored = benchmarks.items_of(db, self._set_id, task, "dev", MOST_WORKED)
        return tuple((each.id, item) for each in stored if (item := item_of(each)).key)


def pages(
    store: Store, set_id: int, settings: SittingSettings, *, unanswered_in: int | None = None
) -> Iterator[list[StoredItem]]:
    """A sitting's items, some at a time, each lot read in a transaction of its own."""
    after = 0
    while True:
        with store.read() as db:
            lot = sittings.items(
                db, set_id, settings.tasks, settings.splits, after=after, limit=PAGE, unanswered_in=unanswered_in
            )
        if not lot:
            return
        yield lot
        after = lot[-1].position


class AskingItems(Engine[Asked, Answer]):
    """Asks about a sitting's items. What the judge has answered already, in whatever sitting, is not asked again."""

    def __init__(self, store: Store, judge: LLMJudge, sitting: Sitting, told: Told, purse: Purse) -> None:
        super().__init__(judge, told, purse)
        self._store = store
        self._sitting = sitting

    def _estimate(self, item: Asked) -> tuple[int, float | None]:
        return item.id, item.estimate

    def _price(self, back: Answer) -> float | None:
        return back.price

    async def _reply(self, item: Asked) -> Answer | None:
        judge = self._judge
        started = time.monotonic()
        try:
            still_wanted.set(self._wanted())
            completion = await judge.exchange.ask(item.sent, None)
        except NotWanted:
            return None
        except JudgeStopped as stopped:
            self._stopped = stopped
            return None
        except NoReply as none:
            reason = _of_an_item(str(none))
            self._hear(unanswered=True, reason=reason)
            return Answer("failed", reason=reason, inputs_hash=item.inputs_hash)
        except Exception:
            log.exception("%s broke on item %s.", judge.name, item.id)
            return Answer("failed", reason=BROKE, inputs_hash=item.inputs_hash)
        self._hear(unanswered=False, reason="")
        try:
            return answer_from(completion, item, judge.endpoint.model, time.monotonic() - started)
        except Exception:
            log.exception("The reply to item %s could not be kept.", item.id)
            return Answer("failed", reason=BROKE, inputs_hash=item.inputs_hash)

    def _claim(self, items: Sequence[Asked]) -> tuple[list[Asked], int]:
        sitting = self._sitting
        with self._store.write() as db:
            known = sittings.known(db, sitting.judge_id, (item.inputs_hash for item in items))
            had = [(item.id, again(item, known[item.inputs_hash])) for item in items if item.inputs_hash in known]
            sittings.keep(db, sitting.id, had)
            unknown = [item for item in items if item.inputs_hash not in known]
            mine = sittings.claim(db, sitting.id, (item.id for item in unknown))
        return [item for item in unknown if item.id in mine], len(unknown) - len(mine)

    def _store_made(self, made: Sequence[tuple[Asked, Answer]]) -> None:
        with self._store.write() as db:
            sittings.keep(db, self._sitting.id, ((item.id, answer) for item, answer in made))
            sittings.forget(db, self._sitting.id, (item.id for item, _ in made))

    def _forget(self, items: Iterable[Asked]) -> None:
        with self._store.write() as db:
            sittings.forget(db, self._sitting.id, (item.id for item in items))


def answer_from(completion: ChatCompletion, asked: Asked, model: str, seconds: float) -> Answer:
    """A reply, read, marked and priced; failed where it has no words. `model` is the one that was asked."""
    reply = text_of(completion)
    usage, reported = completion.usage, _name(completion.model) or model
    sent = _count(usage.prompt_tokens) if usage else 0
    # Gateways to Gemini leave the thinking, which is paid for, out of all but the total.
    received = max(_count(usage.completion_tokens), _count(usage.total_tokens) - sent) if usage else 0
    price = None
    if sent and received:  # of one alone it would be too low
        price = price_of(reported, sent, received)
        price = price_of(model, sent, received) if price is None else price
    came = Answer("failed", reply, reason=EMPTY, inputs_hash=asked.inputs_hash, model=reported, price=price)
    came = replace(came, tokens_in=sent, tokens_out=received, seconds=seconds)
    cut_off = bool(completion.choices) and completion.choices[0].finish_reason == "length"
    if not reply.strip():
        return replace(came, reason=ALL_THOUGHT) if cut_off else came
    marked = read_and_mark(asked.item, reply, reasoned=asked.reasoned, cut_off=cut_off)
    return replace(came, status="answered", answers=marked.answers, mark=marked.mark, reason=marked.reason)


def _count(said: object) -> int:
    """A server's count of tokens; 0 where it is none, which could not be kept with what else has come back."""
    return said if isinstance(said, int) and 0 <= said <= MOST_TOKENS else 0


def _name(said: object) -> str:
    return said.encode("utf-8", "replace").decode() if isinstance(said, str) else ""


def again(asked: Asked, known: Answer) -> Answer:
    """An answer that was there already: read and marked anew, at no cost and in no time."""
    marked = read_and_mark(asked.item, known.reply, reasoned=asked.reasoned)
    reason = known.reason if marked.answers is None and known.reason else marked.reason
    kept = replace(known, answers=marked.answers, mark=marked.mark, reason=reason)
    return replace(kept, tokens_in=0, tokens_out=0, price=0.0, seconds=0.0)


def _of_an_item(reason: str) -> str:
    """Why there is no reply, said of a benchmark's question where the endpoint speaks of a response to be marked."""
    said = reason.replace("The question, mark scheme and answer together are", "The question with its examples is")
    return said.replace("this response", "this question")

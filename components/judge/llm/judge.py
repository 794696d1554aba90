"""The LLM judge: asks a model for verdicts, checks them, and says how far to trust them."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from openai.types.chat import ChatCompletion

from components.judge.base import JudgeStopped
from components.judge.evidence import ReadIn, checked
from components.judge.llm.apart import apart
from components.judge.llm.endpoint import Endpoint
from components.judge.llm.fence import neutralised
from components.judge.llm.picture_limits import limits_of, scaled
from components.judge.llm.picture_refusal import has_pictures, no_pictures
from components.judge.llm.picture_reply import NOTHING_READ, Asked
from components.judge.llm.prompt import (
    Message,
    PictureError,
    Prompt,
    both,
    messages,
    picture_prompts_hash,
    prompt_for,
    prompts_hash,
    transcribing_messages,
    transcribing_prompt,
    with_pictures,
)
from components.judge.llm.protocol import Protocol
from components.judge.llm.remedy import NoReply
from components.judge.llm.reply import InvalidReply, transcript_in
from components.judge.llm.samples import Sample, after, spokesman, summed
from components.judge.llm.schema import schema_for, transcript_schema
from components.judge.llm.tally import Tally, sample_of
from components.judge.llm.transport import Capabilities, Exchange
from components.judge.llm.trust import trust
from components.judge.talks_to_marker import marker_flag
from components.judge.transcribed import FLAG, confirmed
from components.marking import (
    Confidence,
    Exemplar,
    Flag,
    Proposal,
    ProposalStatus,
    Question,
    Response,
    Scheme,
    Usage,
    abstain,
    propose_from,
)

RE_ASKS = 2
_Read = TypeVar("_Read")


class LLMJudge:
    """Marks with a model on an OpenAI-compatible endpoint, by its protocol.

    A reply that cannot be used is asked for again at most twice, with what was wrong; then the proposal is failed and
    keeps the raw reply. The total is always ours. Where the endpoint asks for several samples, the one with the middle
    mark is proposed, and `Proposal.samples` has the marks of all. Pictures go with the request for a mark, or, as the
    endpoint says, are first copied out and then marked as words; a teacher's transcript settles what they say.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        known: Capabilities | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        tries: int = 5,
    ) -> None:
        """`tries` bounds the requests for one reply when network, rate limit or server fail; `sleep` waits between."""
        full = endpoint.protocol is Protocol.FULL
        self.name = f"{endpoint.model} · LLM" if full else f"{endpoint.model} · LLM, {endpoint.protocol.named}"
        self.version = prompts_hash(endpoint.protocol)
        self.endpoint = endpoint
        self.exchange = Exchange(endpoint, known=known, sleep=sleep, tries=tries)

    def propose(
        self, question: Question, scheme: Scheme, response: Response, exemplars: Sequence[Exemplar] = ()
    ) -> Proposal:
        """As `judge` does, for a caller outside an event loop; the connection is closed at the end."""

        async def once() -> Proposal:
            try:
                return await self.judge(question, scheme, response, exemplars)
            finally:
                await self.exchange.close()

        return apart(once())

    async def judge(
        self, question: Question, scheme: Scheme, response: Response, exemplars: Sequence[Exemplar] = ()
    ) -> Proposal:
        """A proposal; abstained for a blank answer or where the model abstains, failed where there was no valid reply.

        Both give their reason. An exemplar that is the response itself is left out, and all are by a published
        protocol, which has none. Raises JudgeStopped when no response can be judged.
        """
        if not neutralised(response.text) and not response.pictures:
            blank = abstain(self.name, "The answer is blank, so there is nothing to judge.")
            return _flagged(blank, marker_flag(response.text))
        started = time.monotonic()
        prompt = self.prompt(question, scheme, pictures=self._looks(response))
        if self.blind and self._looks(response):
            return self._unsent(question, scheme, response, prompt, no_pictures(self.endpoint))
        try:
            if response.pictures:  # decoding and scaling them would keep all other requests waiting
                conversation = await asyncio.to_thread(self.conversation, question, scheme, response, exemplars)
            else:
                conversation = self.conversation(question, scheme, response, exemplars)
        except PictureError as error:
            return self._unsent(question, scheme, response, prompt, str(error))
        if has_pictures(conversation) and self.endpoint.reading == "transcribe":
            return await self._read_then_mark(question, scheme, response, exemplars, conversation)
        asked = Asked.about(response) if has_pictures(conversation) else Asked()
        samples = await self._samples(conversation, scheme, prompt, asked)
        usage = summed(samples, prompt, time.monotonic() - started)
        return self.proposal(question, scheme, response, exemplars, samples, usage)

    @property
    def blind(self) -> bool:
        """Whether the model is known to take no pictures."""
        return self.exchange.found.pictures is False

    @property
    def picture_version(self) -> str:
        """Of how it reads pictures, as `version` is of all its workings: with pictures the two go together."""
        return hashlib.sha256(f"{picture_prompts_hash()} {limits_of(self.endpoint)}".encode()).hexdigest()

    def reads_first(self, response: Response) -> bool:
        """Whether the response takes two calls, the second from what the first has read: no batch can do that."""
        return self.endpoint.reading == "transcribe" and self._looks(response)

    def prompt(self, question: Question, scheme: Scheme, *, pictures: bool = False) -> Prompt:
        """The prompt that this judge uses for the question, where `pictures` go with it or they do not."""
        prompt = prompt_for(scheme, question, self.endpoint.protocol)
        if not pictures:
            return prompt
        if self.endpoint.reading == "transcribe":
            return both(transcribing_prompt(prompt), prompt)
        return with_pictures(prompt)

    def conversation(
        self, question: Question, scheme: Scheme, response: Response, exemplars: Sequence[Exemplar] = ()
    ) -> list[Message]:
        """The very messages that the model is sent first. Raises PictureError for a picture that cannot be sent."""
        shown = self._shown(response, exemplars)
        if not self._looks(response):
            words = response.in_words() if response.pictures else response
            return messages(self.prompt(question, scheme), question, scheme, words, shown)
        ready = scaled(response, self.endpoint)
        if self.endpoint.reading == "transcribe":
            return transcribing_messages(transcribing_prompt(self.prompt(question, scheme)), question, ready)
        return messages(self.prompt(question, scheme, pictures=True), question, scheme, ready, shown)

    def request(self, conversation: list[Message], scheme: Scheme, sample: int = 0) -> dict[str, Any]:
        """The parameters of the request with these messages, as far as the endpoint is known."""
        return self.exchange.request(conversation, self._form(conversation, scheme), sample)

    def proposal(
        self,
        question: Question,
        scheme: Scheme,
        response: Response,
        exemplars: Sequence[Exemplar],
        samples: Sequence[Sample],
        usage: Usage,
    ) -> Proposal:
        """What the samples come to, evidence checked and talk to the marker flagged."""
        chosen = spokesman(samples)
        reading, own = chosen.reading, chosen.reading.transcript if chosen.reading else ""
        transcript = response.transcript.strip() or own
        verdicts = tuple(checked(verdict, response.text, transcript) for verdict in chosen.verdicts)
        talk = marker_flag("\n\n".join(part for part in (response.text, transcript) if part))
        outcome: dict[str, Any] = {
            "label": self.name,
            "reason": chosen.reason,
            "exemplars": tuple(exemplar.response_id for exemplar in self._shown(response, exemplars)),
            "transcript": own,
            "usage": usage,
        }
        notes = reading.notes() if reading else ()
        if chosen.mark is None:
            return _flagged(Proposal.model_validate({"status": chosen.status, "flags": notes, **outcome}), talk)
        if reading is None and response.transcript.strip():
            notes = (FLAG,)
        if len(samples) > 1:
            outcome["samples"] = tuple(sample.mark for sample in samples if sample.mark is not None)
        read_in = ReadIn.CONFIRMED if response.transcript.strip() else ReadIn.OWN if own else ReadIn.ANSWER
        looked, protocol = reading is not None, self.endpoint.protocol
        confidence, flags = trust(protocol, verdicts, question, samples, looked=looked, read_in=read_in)
        if talk is not None:
            confidence = Confidence.UNSURE
        return _flagged(propose_from(verdicts, scheme, confidence=confidence, flags=flags + notes, **outcome), talk)

    def _shown(self, response: Response, exemplars: Sequence[Exemplar]) -> list[Exemplar]:
        full = self.endpoint.protocol is Protocol.FULL
        return [exemplar for exemplar in exemplars if full and exemplar.response_id != response.id]

    def _looks(self, response: Response) -> bool:
        """Whether the model is to see the pictures, not a teacher's transcript of them alone."""
        words_will_do = confirmed(response) and (self.blind or self.endpoint.reading == "transcribe")
        return bool(response.pictures) and not words_will_do

    def _form(self, conversation: list[Message], scheme: Scheme) -> Callable[[bool], dict[str, Any]]:
        pictures, protocol = has_pictures(conversation), self.endpoint.protocol
        if pictures and self.endpoint.reading == "transcribe":
            return lambda bounds: transcript_schema(bounds=bounds)
        return lambda bounds: schema_for(scheme, protocol, bounds=bounds, pictures=pictures)

    def _unsent(self, question: Question, scheme: Scheme, response: Response, prompt: Prompt, why: str) -> Proposal:
        usage = Tally(prompt, self.endpoint.model).usage().model_copy(update={"price": 0.0})
        return self.proposal(question, scheme, response, (), [Sample(ProposalStatus.FAILED, usage, reason=why)], usage)

    async def _read_then_mark(
        self,
        question: Question,
        scheme: Scheme,
        response: Response,
        exemplars: Sequence[Exemplar],
        conversation: list[Message],
    ) -> Proposal:
        """Two calls: pictures into words, once, then the words into a mark, for each sample."""
        started = time.monotonic()
        prompt = self.prompt(question, scheme)
        reader = transcribing_prompt(prompt)
        tally = Tally(reader, self.endpoint.model)
        asked = Asked.about(response)
        stopped: Sample | None = None
        try:
            reading = await self._reply(conversation, scheme, tally, transcript_in)
            if why := reading.no_mark(asked) or (NOTHING_READ if reading.nothing(asked) else ""):
                stopped = Sample(ProposalStatus.ABSTAINED, tally.usage(), reason=why, reading=reading)
        except (NoReply, InvalidReply) as error:
            stopped = Sample(ProposalStatus.FAILED, tally.usage(), reason=str(error))
        if stopped is not None:
            usage = summed([stopped], reader, time.monotonic() - started)
            return self.proposal(question, scheme, response, exemplars, [stopped], usage)
        words = response.model_copy(update={"transcript": reading.transcript}).in_words()
        asking = messages(prompt, question, scheme, words, self._shown(response, exemplars))
        marked = await self._samples(asking, scheme, prompt, Asked())
        samples = [replace(sample, reading=reading) for sample in marked]
        usage = after(tally.usage(), summed(samples, both(reader, prompt), time.monotonic() - started))
        return self.proposal(question, scheme, response, exemplars, samples, usage)

    async def _samples(self, asking: list[Message], scheme: Scheme, prompt: Prompt, asked: Asked) -> list[Sample]:
        if self.endpoint.samples == 1:
            return [await self._sample(asking, scheme, prompt, asked, 0)]
        each = (self._sample(asking, scheme, prompt, asked, i) for i in range(self.endpoint.samples))
        came = await asyncio.gather(*each, return_exceptions=True)
        samples = [sample for sample in came if isinstance(sample, Sample)]
        errors = [error for error in came if isinstance(error, BaseException)]
        for error in errors:
            if isinstance(error, JudgeStopped):
                partly = [
                    Sample(ProposalStatus.FAILED, each.spent) for each in errors if isinstance(each, JudgeStopped)
                ]
                error.spent = summed([*samples, *partly], prompt, 0.0)
            raise error
        return samples

    async def _sample(
        self, conversation: list[Message], scheme: Scheme, prompt: Prompt, asked: Asked, sample: int
    ) -> Sample:
        """One judgement. Raises JudgeStopped."""
        tally, protocol = Tally(prompt, self.endpoint.model), self.endpoint.protocol
        try:
            return await self._reply(
                conversation, scheme, tally, lambda reply: sample_of(reply, scheme, protocol, tally, asked), sample
            )
        except (NoReply, InvalidReply) as error:
            return Sample(ProposalStatus.FAILED, tally.usage(), reason=str(error))
        except JudgeStopped as stopped:
            stopped.spent = tally.usage()
            raise

    async def _reply(
        self,
        conversation: list[Message],
        scheme: Scheme,
        tally: Tally,
        read: Callable[[ChatCompletion], _Read],
        sample: int = 0,
    ) -> _Read:
        """What `read` makes of a reply, re-asking within the bound. Raises NoReply, InvalidReply and JudgeStopped."""
        form = self._form(conversation, scheme)
        fault = InvalidReply("")
        for _ in range(1 + RE_ASKS):
            completion = await self.exchange.ask(conversation, form, sample)
            tally.count(completion)
            try:
                return read(completion)
            except InvalidReply as invalid:
                fault = invalid
            if fault.complete:
                conversation = [*conversation, {"role": "assistant", "content": tally.raw_reply}]
            conversation = [*conversation, {"role": "user", "content": tally.prompt.again(str(fault))}]
        raise InvalidReply(f"The model's reply could not be used, asked {1 + RE_ASKS} times. The last time: {fault}")


def _flagged(proposal: Proposal, flag: Flag | None) -> Proposal:
    return proposal if flag is None else proposal.model_copy(update={"flags": (*proposal.flags, flag)})

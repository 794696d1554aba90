"""The LLM judge: asks a model for verdicts, checks them, and says how far to trust them."""

from __future__ import annotations

import asyncio
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
from components.judge.llm.figures import NOT_SEEN
from components.judge.llm.picture_refusal import no_pictures
from components.judge.llm.picture_reply import NOTHING_READ, Asked
from components.judge.llm.prompt import (
    Message,
    PictureError,
    Prompt,
    both,
    prompts_hash,
    transcribing_prompt,
)
from components.judge.llm.protocol import Protocol
from components.judge.llm.remedy import NoReply
from components.judge.llm.reply import InvalidReply, transcript_in
from components.judge.llm.samples import Sample, after, spokesman, summed
from components.judge.llm.sight import Form, Sight, shown_exemplars
from components.judge.llm.tally import Tally, sample_of
from components.judge.llm.transport import Capabilities, Exchange
from components.judge.llm.trust import trust
from components.judge.talks_to_marker import marker_flag
from components.judge.transcribed import FLAG
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
    endpoint says, are first copied out and then marked as words; a teacher's transcript settles what they say. The
    question's own go with each request for a mark; a model known to take none marks without them, flagged and unsure.
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
        sight = self.sight
        proposal = await self._proposal(sight, question, scheme, response, exemplars)
        if proposal.status is ProposalStatus.FAILED and question.figures and self.blind and not sight.blind:
            return await self._proposal(self.sight, question, scheme, response, exemplars)  # it has just been found out
        return proposal

    @property
    def sight(self) -> Sight:
        """What the model is shown, by what is known of it now."""
        return Sight(self.endpoint, self.blind)

    @property
    def blind(self) -> bool:
        """Whether the model is known to take no pictures."""
        return self.exchange.found.pictures is False

    def conversation(
        self, question: Question, scheme: Scheme, response: Response, exemplars: Sequence[Exemplar] = ()
    ) -> list[Message]:
        """The very messages that the model is sent first. Raises PictureError for a picture that cannot be sent."""
        return self.sight.first_messages(question, scheme, response, self._shown(response, exemplars))

    def request(
        self, conversation: list[Message], scheme: Scheme, response: Response, sample: int = 0
    ) -> dict[str, Any]:
        """The parameters of the request with these messages about the response, as far as the endpoint is known."""
        return self.exchange.request(conversation, self.sight.form(scheme, response), sample)

    def proposal(
        self,
        question: Question,
        scheme: Scheme,
        response: Response,
        exemplars: Sequence[Exemplar],
        samples: Sequence[Sample],
        usage: Usage,
        sight: Sight | None = None,
    ) -> Proposal:
        """What the samples come to, evidence checked, talk to the marker and pictures of the question unseen flagged.

        `sight` is what the model was shown by; without it, what it would be now.
        """
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
        if (sight or self.sight).misses(question) and chosen.status is not ProposalStatus.FAILED:
            notes = (NOT_SEEN, *notes)
        if chosen.mark is None:
            return _flagged(Proposal.model_validate({"status": chosen.status, "flags": notes, **outcome}), talk)
        if reading is None and response.transcript.strip():
            notes = (*notes, FLAG)
        if len(samples) > 1:
            outcome["samples"] = tuple(sample.mark for sample in samples if sample.mark is not None)
        read_in = ReadIn.CONFIRMED if response.transcript.strip() else ReadIn.OWN if own else ReadIn.ANSWER
        looked, protocol = reading is not None, self.endpoint.protocol
        confidence, flags = trust(protocol, verdicts, question, samples, looked=looked, read_in=read_in)
        if talk is not None or NOT_SEEN in notes:
            confidence = Confidence.UNSURE
        return _flagged(propose_from(verdicts, scheme, confidence=confidence, flags=flags + notes, **outcome), talk)

    def _shown(self, response: Response, exemplars: Sequence[Exemplar]) -> list[Exemplar]:
        return shown_exemplars(response, exemplars, self.endpoint.protocol)

    async def _proposal(
        self, sight: Sight, question: Question, scheme: Scheme, response: Response, exemplars: Sequence[Exemplar]
    ) -> Proposal:
        """The proposal on an answer that is not blank. Raises JudgeStopped."""
        started, shown, looks = time.monotonic(), self._shown(response, exemplars), sight.looks(response)
        prompt = sight.prompt(question, scheme, pictures=looks)
        if sight.blind and looks:
            return self._unsent(question, scheme, response, prompt, no_pictures(self.endpoint))
        try:
            if response.pictures or question.figures:  # decoding and scaling them would keep all other requests waiting
                asking = await asyncio.to_thread(sight.first_messages, question, scheme, response, shown)
            else:
                asking = sight.first_messages(question, scheme, response, shown)
        except PictureError as error:
            return self._unsent(question, scheme, response, prompt, str(error))
        if sight.reads_first(response):
            return await self._read_then_mark(sight, question, scheme, response, exemplars, asking)
        asked = Asked.about(response) if looks else Asked()
        form = sight.form(scheme, response)
        samples = await self._samples(asking, form, scheme, prompt, asked)
        usage = summed(samples, prompt, time.monotonic() - started)
        return self.proposal(question, scheme, response, exemplars, samples, usage, sight)

    def _unsent(self, question: Question, scheme: Scheme, response: Response, prompt: Prompt, why: str) -> Proposal:
        usage = Tally(prompt, self.endpoint.model).usage().model_copy(update={"price": 0.0})
        return self.proposal(question, scheme, response, (), [Sample(ProposalStatus.FAILED, usage, reason=why)], usage)

    async def _read_then_mark(
        self,
        sight: Sight,
        question: Question,
        scheme: Scheme,
        response: Response,
        exemplars: Sequence[Exemplar],
        conversation: list[Message],
    ) -> Proposal:
        """Two calls: pictures into words, once, then the words into a mark, for each sample."""
        started = time.monotonic()
        prompt = sight.marking_prompt(question, scheme, pictures=False)
        reader = transcribing_prompt(prompt)
        tally = Tally(reader, self.endpoint.model)
        asked = Asked.about(response)
        stopped: Sample | None = None
        try:
            reading = await self._reply(conversation, sight.form(scheme, response), tally, transcript_in)
            if why := reading.no_mark(asked) or (NOTHING_READ if reading.nothing(asked) else ""):
                stopped = Sample(ProposalStatus.ABSTAINED, tally.usage(), reason=why, reading=reading)
        except (NoReply, InvalidReply) as error:
            stopped = Sample(ProposalStatus.FAILED, tally.usage(), reason=str(error))
        if stopped is not None:
            usage = summed([stopped], reader, time.monotonic() - started)
            return self.proposal(question, scheme, response, exemplars, [stopped], usage, sight)
        words = response.model_copy(update={"transcript": reading.transcript}).in_words()
        shown = self._shown(response, exemplars)
        asking = await asyncio.to_thread(sight.marking_messages, question, scheme, words, shown)
        marked = await self._samples(asking, sight.marking_form(scheme, pictures=False), scheme, prompt, Asked())
        samples = [replace(sample, reading=reading) for sample in marked]
        usage = after(tally.usage(), summed(samples, both(reader, prompt), time.monotonic() - started))
        return self.proposal(question, scheme, response, exemplars, samples, usage, sight)

    async def _samples(
        self, asking: list[Message], form: Form, scheme: Scheme, prompt: Prompt, asked: Asked
    ) -> list[Sample]:
        if self.endpoint.samples == 1:
            return [await self._sample(asking, form, scheme, prompt, asked, 0)]
        each = (self._sample(asking, form, scheme, prompt, asked, i) for i in range(self.endpoint.samples))
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
        self, conversation: list[Message], form: Form, scheme: Scheme, prompt: Prompt, asked: Asked, sample: int
    ) -> Sample:
        """One judgement. Raises JudgeStopped."""
        tally, protocol = Tally(prompt, self.endpoint.model), self.endpoint.protocol
        try:
            return await self._reply(
                conversation, form, tally, lambda reply: sample_of(reply, scheme, protocol, tally, asked), sample
            )
        except (NoReply, InvalidReply) as error:
            return Sample(ProposalStatus.FAILED, tally.usage(), reason=str(error))
        except JudgeStopped as stopped:
            stopped.spent = tally.usage()
            raise

    async def _reply(
        self,
        conversation: list[Message],
        form: Form,
        tally: Tally,
        read: Callable[[ChatCompletion], _Read],
        sample: int = 0,
    ) -> _Read:
        """What `read` makes of a reply, re-asking within the bound. Raises NoReply, InvalidReply and JudgeStopped."""
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

"""The LLM judge: asks a model for verdicts, checks them, and says how far to trust them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from openai.types.chat import ChatCompletion

from components.judge.evidence import checked, weigh
from components.judge.llm.endpoint import Endpoint
from components.judge.llm.fence import neutralised
from components.judge.llm.prompt import Message, PictureError, Prompt, messages, prompt_for, prompts_hash
from components.judge.llm.protocol import Protocol
from components.judge.llm.remedy import NoReply
from components.judge.llm.reply import Abstains, InvalidReply, read, text_of
from components.judge.llm.samples import Sample, spokesman, spread_doubt, summed
from components.judge.llm.schema import schema_for
from components.judge.llm.transport import Capabilities, Exchange
from components.judge.talks_to_marker import marker_flag
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
    Verdict,
    abstain,
    propose_from,
    total,
)

RE_ASKS = 2
_ORDER = (Confidence.SURE, Confidence.FAIRLY_SURE, Confidence.UNSURE)


class LLMJudge:
    """Marks with a model on an OpenAI-compatible endpoint, by its protocol.

    A reply that cannot be used is asked for again at most twice, with what was wrong; then the proposal is failed and
    keeps the raw reply. The total is always ours. Where the endpoint asks for several samples, the one with the middle
    mark is proposed, and `Proposal.samples` has the marks of all.
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

        return asyncio.run(once())

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
        prompt = self.prompt(question, scheme)
        try:
            conversation = self.conversation(question, scheme, response, exemplars)
        except PictureError as error:
            usage = Usage(model=self.endpoint.model, prompt_version=prompt.version, prompt_hash=prompt.hash)
            samples = [Sample(ProposalStatus.FAILED, usage, reason=str(error))]
        else:
            asked = (self._sample(conversation, scheme, prompt, i) for i in range(self.endpoint.samples))
            samples = list(await asyncio.gather(*asked))
        usage = summed(samples, prompt, time.monotonic() - started)
        return self.proposal(question, scheme, response, exemplars, samples, usage)

    def prompt(self, question: Question, scheme: Scheme) -> Prompt:
        """The prompt that this judge uses for the question."""
        return prompt_for(scheme, question, self.endpoint.protocol)

    def conversation(
        self, question: Question, scheme: Scheme, response: Response, exemplars: Sequence[Exemplar] = ()
    ) -> list[Message]:
        """The very messages that the model is sent first. Raises PictureError for a picture that cannot be sent."""
        shown = self._shown(response, exemplars)
        return messages(self.prompt(question, scheme), question, scheme, response, shown)

    def request(self, conversation: list[Message], scheme: Scheme, sample: int = 0) -> dict[str, Any]:
        """The parameters of the request with these messages, as far as the endpoint is known."""
        protocol = self.endpoint.protocol
        return self.exchange.request(conversation, lambda bounds: schema_for(scheme, protocol, bounds=bounds), sample)

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
        chosen, talk = spokesman(samples), marker_flag(response.text)
        verdicts = tuple(checked(verdict, response.text) for verdict in chosen.verdicts)
        outcome: dict[str, Any] = {
            "label": self.name,
            "reason": chosen.reason,
            "exemplars": tuple(exemplar.response_id for exemplar in self._shown(response, exemplars)),
            "usage": usage,
        }
        if chosen.mark is None:
            return _flagged(Proposal.model_validate({"status": chosen.status, **outcome}), talk)
        if len(samples) > 1:
            outcome["samples"] = tuple(sample.mark for sample in samples if sample.mark is not None)
        confidence, flags = self._trust(verdicts, response, question, samples)
        if talk is not None:
            confidence = Confidence.UNSURE
        return _flagged(propose_from(verdicts, scheme, confidence=confidence, flags=flags, **outcome), talk)

    def _shown(self, response: Response, exemplars: Sequence[Exemplar]) -> list[Exemplar]:
        full = self.endpoint.protocol is Protocol.FULL
        return [exemplar for exemplar in exemplars if full and exemplar.response_id != response.id]

    async def _sample(self, conversation: list[Message], scheme: Scheme, prompt: Prompt, sample: int) -> Sample:
        """One judgement, re-asking within the bound. Raises JudgeStopped."""
        tally = Tally(prompt, self.endpoint.model)
        protocol = self.endpoint.protocol
        fault = InvalidReply("")
        for _ in range(1 + RE_ASKS):
            try:
                completion = await self.exchange.ask(
                    conversation, lambda bounds: schema_for(scheme, protocol, bounds=bounds), sample
                )
                tally.count(completion)
                return sample_of(completion, scheme, protocol, tally)
            except NoReply as error:
                return Sample(ProposalStatus.FAILED, tally.usage(), reason=str(error))
            except InvalidReply as invalid:
                fault = invalid
            if fault.complete:
                conversation = [*conversation, {"role": "assistant", "content": tally.raw_reply}]
            conversation = [*conversation, {"role": "user", "content": prompt.again(str(fault))}]
        reason = f"The model's reply could not be used, asked {1 + RE_ASKS} times. The last time: {fault}"
        return Sample(ProposalStatus.FAILED, tally.usage(), reason=reason)

    def _trust(
        self, verdicts: Sequence[Verdict], response: Response, question: Question, samples: Sequence[Sample]
    ) -> tuple[Confidence | None, tuple[Flag, ...]]:
        """Confidence and flags. One reply of a protocol that quotes nothing gives no ground for any confidence."""
        limits: list[tuple[Confidence, tuple[Flag, ...]]] = []
        if self.endpoint.protocol is Protocol.FULL:
            limits.append(weigh(verdicts, pictures=bool(response.pictures)))
        if len(samples) > 1:
            limits.append(spread_doubt(samples, question))
        least = max((confidence for confidence, _ in limits), key=_ORDER.index, default=None)
        return least, tuple(flag for _, flags in limits for flag in flags)


def _flagged(proposal: Proposal, flag: Flag | None) -> Proposal:
    return proposal if flag is None else proposal.model_copy(update={"flags": (*proposal.flags, flag)})


@dataclass
class Tally:
    """What one sample takes, over all its requests."""

    prompt: Prompt
    model: str
    tokens_in: int = 0
    tokens_out: int = 0
    raw_reply: str = ""

    def count(self, completion: ChatCompletion) -> None:
        self.model = completion.model or self.model
        message = completion.choices[0].message if completion.choices else None
        self.raw_reply = text_of(completion) or (message.refusal if message else "") or ""
        if completion.usage:
            sent, received = completion.usage.prompt_tokens or 0, completion.usage.completion_tokens or 0
            self.tokens_in += sent
            # Gateways to Gemini leave the thinking, which is paid for, out of all but the total.
            self.tokens_out += max(received, (completion.usage.total_tokens or 0) - sent)

    def usage(self) -> Usage:
        return Usage(
            model=self.model,
            prompt_version=self.prompt.version,
            prompt_hash=self.prompt.hash,
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            raw_reply=self.raw_reply,
        )


def sample_of(completion: ChatCompletion, scheme: Scheme, protocol: Protocol, tally: Tally) -> Sample:
    """The judgement that a reply holds. Raises InvalidReply with what was wrong."""
    try:
        verdicts = read(completion, scheme, protocol)
    except Abstains as abstains:
        reason = f"The model leaves this to you: {abstains}"
        return Sample(ProposalStatus.ABSTAINED, tally.usage(), reason=reason)
    return Sample(ProposalStatus.PROPOSED, tally.usage(), verdicts, total(verdicts, scheme))

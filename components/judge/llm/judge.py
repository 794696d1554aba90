"""The LLM judge: asks a model for verdicts, checks them, and says how far to trust them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import openai
from openai.types.chat import ChatCompletion

from components.judge.evidence import checked, weigh
from components.judge.llm.endpoint import Endpoint
from components.judge.llm.fence import neutralised
from components.judge.llm.prompt import Message, PictureError, Prompt, messages, prompt_for, prompts_hash
from components.judge.llm.protocol import Protocol
from components.judge.llm.reply import Abstains, InvalidReply, read
from components.judge.llm.schema import schema_for
from components.judge.llm.remedy import NoReply
from components.judge.llm.transport import Exchange
from components.judge.talks_to_marker import flagging_talk, talks_to_marker
from components.marking import (
    Confidence,
    Exemplar,
    Proposal,
    ProposalStatus,
    Question,
    Response,
    Scheme,
    Usage,
    Verdict,
    abstain,
    propose_from,
)

RE_ASKS = 2


class LLMJudge:
    """Marks with a model on an OpenAI-compatible endpoint, by its protocol. May be used from several threads.

    A reply that cannot be used is asked for again at most twice, with what was wrong; then the proposal is failed and
    keeps the raw reply. The total is always ours.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        client: openai.OpenAI | None = None,
        sleep: Callable[[float], None] = time.sleep,
        tries: int = 5,
    ) -> None:
        """`tries` bounds the requests for one reply when network, rate limit or server fail; `sleep` waits between."""
        full = endpoint.protocol is Protocol.FULL
        self.name = f"{endpoint.model} · LLM" if full else f"{endpoint.model} · LLM, {endpoint.protocol.named}"
        self.version = prompts_hash(endpoint.protocol)
        self.exchange = Exchange(endpoint, client=client, sleep=sleep, tries=tries)
        self._endpoint = endpoint

    @flagging_talk
    def propose(
        self, question: Question, scheme: Scheme, response: Response, exemplars: Sequence[Exemplar] = ()
    ) -> Proposal:
        """A proposal; abstained for a blank answer or where the model abstains, failed where there was no valid reply.

        Both give their reason. An exemplar that is the response itself is left out, and all are by a published
        protocol, which has none. Raises JudgeStopped when no response can be judged.
        """
        if not neutralised(response.text) and not response.pictures:
            return abstain(self.name, "The answer is blank, so there is nothing to judge.")
        protocol = self._endpoint.protocol
        shown = [e for e in exemplars if e.response_id != response.id and protocol is Protocol.FULL]
        prompt = prompt_for(scheme, question, protocol)
        tally = _Tally(prompt, self._endpoint.model)
        try:
            conversation = messages(prompt, question, scheme, response, shown)
            verdicts = self._verdicts(conversation, scheme, tally)
        except (PictureError, NoReply, InvalidReply) as error:
            outcome: dict[str, Any] = {"status": ProposalStatus.FAILED, "reason": _reason(error)}
            verdicts = ()
        except Abstains as abstains:
            outcome = {"status": ProposalStatus.ABSTAINED, "reason": f"The model leaves this to you: {abstains}"}
            verdicts = ()
        else:
            verdicts = tuple(checked(verdict, response.text) for verdict in verdicts)
            outcome = _trust(verdicts, response, quoting=protocol is Protocol.FULL)
        outcome |= {
            "label": self.name,
            "exemplars": tuple(exemplar.response_id for exemplar in shown),
            "usage": tally.usage(),
        }
        return propose_from(verdicts, scheme, **outcome) if verdicts else Proposal.model_validate(outcome)

    def _verdicts(self, conversation: list[Message], scheme: Scheme, tally: _Tally) -> tuple[Verdict, ...]:
        """Valid verdicts, re-asking within the bound. Raises InvalidReply with the last fault, Abstains, or as ask."""
        protocol = tally.prompt.protocol
        fault = InvalidReply("")
        for _ in range(1 + RE_ASKS):
            completion = self.exchange.ask(conversation, lambda bounds: schema_for(scheme, protocol, bounds=bounds))
            tally.count(completion)
            try:
                return read(completion, scheme, protocol)
            except InvalidReply as invalid:
                fault = invalid
            if fault.complete:
                conversation = [*conversation, {"role": "assistant", "content": tally.raw_reply}]
            conversation = [*conversation, {"role": "user", "content": tally.prompt.again(str(fault))}]
        raise fault


@dataclass
class _Tally:
    """What one proposal takes, over all its requests."""

    prompt: Prompt
    model: str
    tokens_in: int = 0
    tokens_out: int = 0
    raw_reply: str = ""
    started: float = field(default_factory=time.monotonic)

    def count(self, completion: ChatCompletion) -> None:
        self.model = completion.model or self.model
        self.raw_reply = completion.choices[0].message.content or completion.choices[0].message.refusal or ""
        if completion.usage:
            self.tokens_in += completion.usage.prompt_tokens or 0
            self.tokens_out += completion.usage.completion_tokens or 0

    def usage(self) -> Usage:
        return Usage(
            model=self.model,
            prompt_version=self.prompt.version,
            prompt_hash=self.prompt.hash,
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            seconds=time.monotonic() - self.started,
            raw_reply=self.raw_reply,
        )


def _reason(error: Exception) -> str:
    if isinstance(error, InvalidReply):
        return f"The model's reply could not be used, asked {1 + RE_ASKS} times. The last time: {error}"
    return str(error)


def _trust(verdicts: Sequence[Verdict], response: Response, *, quoting: bool) -> dict[str, Any]:
    """Confidence and flags. A protocol that has no quotes gives nothing to weigh, so no confidence is claimed."""
    confidence, flags = weigh(verdicts, pictures=bool(response.pictures)) if quoting else (None, ())
    if talks_to_marker(response.text):
        confidence = Confidence.UNSURE
    return {"confidence": confidence, "flags": flags}

"""Counting what one sample takes, and the judgement that its reply holds."""

from __future__ import annotations

from dataclasses import dataclass

from openai.types.chat import ChatCompletion

from components.judge.llm.picture_reply import Asked
from components.judge.llm.prompt import Prompt
from components.judge.llm.protocol import Protocol
from components.judge.llm.reply import Abstains, read, text_of
from components.judge.llm.samples import Sample
from components.marking import ProposalStatus, Scheme, Usage, total

TYPED = Asked()


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


def sample_of(
    completion: ChatCompletion, scheme: Scheme, protocol: Protocol, tally: Tally, asked: Asked = TYPED
) -> Sample:
    """The judgement that a reply holds. Raises InvalidReply with what was wrong."""
    try:
        verdicts, reading = read(completion, scheme, protocol, asked)
    except Abstains as abstains:
        return Sample(ProposalStatus.ABSTAINED, tally.usage(), reason=str(abstains), reading=abstains.reading)
    return Sample(ProposalStatus.PROPOSED, tally.usage(), verdicts, total(verdicts, scheme), reading=reading)

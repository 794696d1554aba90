"""Trying an endpoint out with one live round trip."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from components.judge.base import JudgeStopped
from components.judge.llm.apart import apart
from components.judge.llm.endpoint import Endpoint
from components.judge.llm.eyes import PictureTrial, try_pictures
from components.judge.llm.judge import LLMJudge
from components.judge.llm.transport import Capabilities
from components.marking import (
    MarkingPoint,
    Proposal,
    ProposalStatus,
    Question,
    QuestionType,
    Response,
    Scheme,
    format_mark,
)

SAMPLE_QUESTION = Question(
    number="1",
    type=QuestionType.SHORT,
    text="Explain why a puddle dries up faster on a windy day.",
    max_mark=2,
    subject="Physics",
    model_answer="The wind carries water vapour away from the surface, so evaporation is faster.",
)
SAMPLE_SCHEME = Scheme(
    max_mark=2,
    points=(
        MarkingPoint(code="MP1", text="wind carries water vapour away from above the puddle"),
        MarkingPoint(code="MP2", text="so evaporation is faster"),
    ),
)
SAMPLE_RESPONSE = Response(id="sample", text="the wind blows the damp air away so the water evaporates quicker")
LONGEST_TEST = 60.0


@dataclass(frozen=True)
class ConnectionReport:
    """How one round trip went. `found` is what the endpoint takes, where it replied; `seconds` is the whole of it.

    `pictures` is whether the model takes pictures, None where that was not found out; `picture_right` whether it read
    the number on ours.
    """

    ok: bool
    message: str
    seconds: float
    model_reported: str = ""
    found: Capabilities | None = None
    proposal: Proposal | None = None
    pictures: bool | None = None
    picture_right: bool | None = None


def test_connection(endpoint: Endpoint) -> ConnectionReport:
    """Marks a sample response through the endpoint, once however many samples it asks for, and says how that went.

    Where the model replied it is sent one small picture too. Never raises for the server.
    """
    started = time.monotonic()
    judge = LLMJudge(replace(endpoint, timeout=min(endpoint.timeout, LONGEST_TEST), samples=1), tries=2)
    try:
        proposal = judge.propose(SAMPLE_QUESTION, SAMPLE_SCHEME, SAMPLE_RESPONSE)
    except JudgeStopped as stopped:
        return ConnectionReport(False, str(stopped), time.monotonic() - started)
    seconds = time.monotonic() - started
    trial = _picture_trial(judge) if proposal.usage.raw_reply else PictureTrial(None)
    return ConnectionReport(
        ok=proposal.status is ProposalStatus.PROPOSED,
        message=_message(proposal, endpoint, seconds),
        seconds=seconds,
        model_reported=proposal.usage.model if proposal.usage.raw_reply else "",
        found=judge.exchange.found if judge.exchange.known else None,
        proposal=proposal,
        pictures=trial.taken,
        picture_right=trial.right,
    )


test_connection.__test__ = False  # type: ignore[attr-defined]  # a use case, not a test, whatever pytest makes of its name


def _picture_trial(judge: LLMJudge) -> PictureTrial:
    async def once() -> PictureTrial:
        try:
            return await try_pictures(judge)
        finally:
            await judge.exchange.close()

    try:
        return apart(once())
    except JudgeStopped:  # it has just replied without a picture, so it can be used without
        return PictureTrial(None)


def picture_words(report: ConnectionReport) -> str:
    """Whether the model reads pictures, in a sentence; "" where that was not found out."""
    if report.pictures is None:
        return ""
    if not report.pictures:
        return "It cannot read pictures, so answers on paper are left to you, or marked from a transcript you confirm."
    if report.picture_right:
        return "It reads pictures."
    return "It takes pictures but did not read the number on ours, so check its transcripts with care."


def notices(found: Capabilities) -> list[str]:
    """What an endpoint's model refused and what is done about it, a sentence each.

    A setting may be refused for its value alone, so nothing is said of what the model takes otherwise.
    """
    words = {"temperature": "the temperature", "seed": "the seed", "reasoning_effort": "the reasoning effort"}
    left_out = [words[name] for name in found.dropped if name in words]
    said = []
    if "max_completion_tokens" in found.dropped:
        left_out.append("the token limit")
    elif "max_tokens" in found.dropped:
        said.append("It takes the token limit as max_completion_tokens, not as max_tokens.")
    if "reasoning_effort" not in found.dropped and found.efforts_refused:
        said.append(f"It refused the reasoning effort {' and '.join(found.efforts_refused)}, so another is sent.")
    return [*(f"It refused {name} as it was set, so it is left out." for name in left_out), *said]


def _message(proposal: Proposal, endpoint: Endpoint, seconds: float) -> str:
    if proposal.status is ProposalStatus.PROPOSED:
        mark = format_mark(proposal.mark)
        return f"Connected. {proposal.usage.model} gave the sample answer {mark} of 2 in {seconds:.1f} seconds."
    if proposal.status is ProposalStatus.ABSTAINED:
        return f"{endpoint.model} answers, but would not mark the sample answer. {proposal.reason}"
    if proposal.usage.raw_reply:
        return f"{endpoint.model} answers, but not in a form that can be used. {proposal.reason}"
    return proposal.reason

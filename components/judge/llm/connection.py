"""Trying an endpoint out with one live round trip."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from components.judge.base import JudgeStopped
from components.judge.llm.endpoint import Endpoint
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
    """How one round trip went. `found` is what the endpoint takes, where it replied; `seconds` is the whole of it."""

    ok: bool
    message: str
    seconds: float
    model_reported: str = ""
    found: Capabilities | None = None
    proposal: Proposal | None = None


def test_connection(endpoint: Endpoint) -> ConnectionReport:
    """Marks a sample response through the endpoint and says in words how that went. Never raises for the server."""
    started = time.monotonic()
    judge = LLMJudge(replace(endpoint, timeout=min(endpoint.timeout, LONGEST_TEST)), tries=2)
    try:
        proposal = judge.propose(SAMPLE_QUESTION, SAMPLE_SCHEME, SAMPLE_RESPONSE)
    except JudgeStopped as stopped:
        return ConnectionReport(False, str(stopped), time.monotonic() - started)
    seconds = time.monotonic() - started
    return ConnectionReport(
        ok=proposal.status is ProposalStatus.PROPOSED,
        message=_message(proposal, endpoint, seconds, judge.exchange.found.dropped),
        seconds=seconds,
        model_reported=proposal.usage.model if proposal.usage.raw_reply else "",
        found=judge.exchange.found if judge.exchange.known else None,
        proposal=proposal,
    )


test_connection.__test__ = False  # type: ignore[attr-defined]  # a use case, not a test, whatever pytest makes of its name


def _message(proposal: Proposal, endpoint: Endpoint, seconds: float, dropped: tuple[str, ...]) -> str:
    if proposal.status is ProposalStatus.PROPOSED:
        mark = format_mark(proposal.mark)
        words = f"Connected. {proposal.usage.model} gave the sample answer {mark} of 2 in {seconds:.1f} seconds."
    elif proposal.usage.raw_reply:
        words = f"{endpoint.model} answers, but not in a form that can be used. {proposal.reason}"
    else:
        words = proposal.reason
    return " ".join([words, *(f"The server does not take {name}, so it is left out." for name in dropped)])

"""What a judge says about one response. Immutable once made."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import model_validator

from components.marking.marks import MarkError
from components.marking.scheme import Frozen, Scheme
from components.marking.verdicts import LevelVerdict, PointVerdict, Verdict, WholeVerdict, total


class ProposalStatus(StrEnum):
    PROPOSED = "proposed"
    ABSTAINED = "abstained"
    FAILED = "failed"


class Confidence(StrEnum):
    """How far a teacher may lean on a proposal: words, not a model's self-given percentage."""

    SURE = "sure"
    FAIRLY_SURE = "fairly sure"
    UNSURE = "unsure"


class Flag(Frozen):
    """Something a teacher should see beside the proposal, e.g. kind `negation` or `unverified`."""

    kind: str
    text: str


class Usage(Frozen):
    """What it took: the model as the server reported it, tokens, price in US dollars, seconds, the raw reply."""

    model: str = ""
    prompt_version: str = ""
    prompt_hash: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    price: float | None = None
    seconds: float = 0.0
    raw_reply: str = ""


class Proposal(Frozen):
    """A mark with its grading process, or the reason there is none.

    `label` says what made it ("Offline matcher, not an LLM …"). `reason` says, for an abstained or failed proposal,
    why, in words for a teacher; for a proposed one it may add a line on the whole answer. Raises MarkError when the
    status and the mark contradict each other: no proposal is never a 0. `samples` are the marks of a judge that asked
    its model several times, in the order asked; empty where it asked once. `transcript` is the judge's own reading of
    an answer's pictures.
    """

    status: ProposalStatus
    label: str
    mark: float | None = None
    verdicts: tuple[Verdict, ...] = ()
    confidence: Confidence | None = None
    flags: tuple[Flag, ...] = ()
    reason: str = ""
    exemplars: tuple[str, ...] = ()
    samples: tuple[float, ...] = ()
    transcript: str = ""
    usage: Usage = Usage()

    @model_validator(mode="after")
    def _mark_fits_status(self) -> Self:
        if (self.status is ProposalStatus.PROPOSED) != (self.mark is not None):
            raise MarkError(f"A proposal that is {self.status} cannot have the mark {self.mark}.")
        if self.status is not ProposalStatus.PROPOSED and not self.reason:
            raise MarkError(f"A proposal that is {self.status} must give its reason.")
        return self


def propose_from(verdicts: tuple[Verdict, ...], scheme: Scheme, **rest: object) -> Proposal:
    """A proposed Proposal whose mark is `total(verdicts, scheme)`. Raises MarkError as total does."""
    return Proposal.model_validate(
        {"status": ProposalStatus.PROPOSED, "mark": total(verdicts, scheme), "verdicts": verdicts, **rest}
    )


def abstain(label: str, reason: str) -> Proposal:
    """No mark, because the judge should not give one (a picture, an essay, off the scheme)."""
    return Proposal(status=ProposalStatus.ABSTAINED, label=label, reason=reason)


def verdict_name(verdict: Verdict) -> str:
    """What a verdict is about, in the scheme's own words: a code, an AO, or the whole answer."""
    if isinstance(verdict, PointVerdict):
        return verdict.code
    if isinstance(verdict, LevelVerdict):
        return verdict.objective
    assert isinstance(verdict, WholeVerdict)
    return "whole answer"

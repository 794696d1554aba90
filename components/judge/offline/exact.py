"""The offline matcher's stricter sibling: words as the scheme spells them, and more than half of a point's wording."""

from __future__ import annotations

from components.judge.offline.judge import NAME, NOT_AN_LLM, OfflineJudge
from components.judge.offline.wording import Answer, Term
from components.judge.offline.wording_check import FOUND, PointMatch, Reference, match_points

EXACT_NAME = f"{NAME}, exact words"


class ExactAnswer(Answer):
    """An answer in which a word is found only where it is spelt as the scheme spells it, its ending apart."""

    def hits(self, term: Term) -> list[tuple[int, float]]:
        return super().hits(term) if term.exact else [(at, 1.0) for at in self.places.get(term.key, ())]


class ExactMatch(PointMatch):
    """A point that earns its marks only where it is found: what is unclear earns none."""

    __slots__ = ()

    @property
    def awarded(self) -> bool:
        return self.match.share >= FOUND and not self.is_rejected


class ExactWordsJudge(OfflineJudge):
    """The wording check without its leniency: no spelling slips, and no marks for a wording half met. Learns nothing.

    For comparing with the usual one on trial: a strict marker by words is severe where candidates say it otherwise.
    """

    name = EXACT_NAME
    version = "exact wording 1"
    wording_label = f"{NOT_AN_LLM} · exact words only"
    cut = ExactAnswer

    def __init__(self) -> None:
        super().__init__(None)

    def matches(self, ref: Reference, answer: Answer) -> list[PointMatch]:
        return [ExactMatch(found.code, found.match, found.rejected) for found in match_points(ref, answer)]

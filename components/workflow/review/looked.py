"""One question of an exam as patterns are looked for in it, and what a found pattern is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from components.agreement import Statistic, differences
from components.marking import format_mark
from components.workflow.review.suggestions import no_remedy
from storage.exams import StoredQuestion
from storage.judges import StoredJudge
from storage.verdicts import Marked, OnDesk

LEAST = 10  # responses below which nothing is said
CHANCE = 0.05


class Kind(StrEnum):
    POINT = "point"
    BIAS = "bias"
    LEVEL = "level"
    MARK = "mark"
    NO_PROPOSAL = "no proposal"
    QUOTES = "quotes"


@dataclass(frozen=True)
class Pattern:
    """Something the AI seems to do over and over: a suspicion, with the numbers it rests on.

    `about` is the marking point, AO or mark. `cost` is how many marks on the `n` responses it may account for, 0 where
    that cannot be told. `responses` are the ids of those that show it. `bar` says why no remedy can be tried, "" where
    one can. `older`: the proposals were made under an earlier version of the scheme.
    """

    kind: Kind
    about: str
    question_id: int
    number: str
    judge_id: int
    sentence: str
    n: int
    counts: tuple[tuple[str, int], ...]
    cost: float
    responses: tuple[int, ...]
    suggestion: str
    bar: str
    older: bool

    @property
    def key(self) -> str:
        """Names it among the exam's patterns."""
        return f"{self.question_id}.{self.kind}.{self.about}"


@dataclass(frozen=True)
class Looked:
    """A question with its judge, its counted pairs and its desk's proposals. `older` is as in Pattern."""

    stored: StoredQuestion
    judge: StoredJudge
    rows: Sequence[Marked]
    desk: Sequence[OnDesk]
    older: bool

    @property
    def where(self) -> str:
        """question 4(a)"""
        return f"question {self.stored.question.number}"

    def pattern(
        self,
        kind: Kind,
        about: str,
        sentence: str,
        *,
        n: int,
        counts: Sequence[tuple[str, int]],
        cost: float,
        responses: Sequence[int],
        suggestion: str,
        bar: str = "",
    ) -> Pattern:
        """A pattern of this question. `bar` where none that holds for the whole question does already."""
        bar = no_remedy(self.stored, self.judge) or bar
        return Pattern(
            kind,
            about,
            self.stored.id,
            self.stored.question.number,
            self.judge.id,
            sentence,
            n,
            tuple(counts),
            cost,
            tuple(responses),
            "" if bar else suggestion,
            bar,
            self.older and kind not in (Kind.NO_PROPOSAL, Kind.QUOTES),
        )

    def mean_difference(self, rows: Sequence[Marked]) -> Statistic:
        """Mean of AI − teacher over these rows, with its t interval."""
        question = self.stored.question
        ai, teacher = [row.ai for row in rows], [row.teacher for row in rows]
        return differences(ai, teacher, question.max_mark, step=question.mark_step).mean_signed


def beyond_chance(mean: Statistic) -> bool:
    """Whether the interval of a mean difference leaves out 0, or every difference is the same and not 0."""
    if not mean.value:
        return False
    return mean.interval is None or mean.interval.low > 0 or mean.interval.high < 0


def sign_test(one_way: int, other_way: int) -> float:
    """Two-sided exact probability of so uneven a split where both ways are as likely; 1 where there is nothing."""
    n, least = one_way + other_way, min(one_way, other_way)
    as_uneven = 2 * sum(math.comb(n, k) for k in range(least + 1))
    return min(1.0, float(Fraction(as_uneven, 2**n)))


def marks_text(amount: float) -> str:
    """1 mark, 0.7 marks."""
    said = format_mark(round(amount, 2))
    return f"{said} mark{'' if said == '1' else 's'}"

"""Whether the AI is more lenient, or more severe, with one group of candidates than with the others."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from components.agreement.by_question import Codes, numbered, per_question
from components.agreement.kappa import ZERO
from components.agreement.pairs import FloatArray, column, paired
from components.agreement.quantiles import student_t
from components.agreement.results import Interval, Statistic

FEWEST_RESPONSES = 20


@dataclass(frozen=True)
class GroupBias:
    """Mean standardised bias of a group's responses less that of all others; + means the AI favours the group.

    `difference` is in standard deviations of teachers' marks: .1 is commonly taken as a warning. `n` and `candidates`
    are the group's, `others` and `other_candidates` the rest's.
    """

    difference: Statistic
    n: int
    candidates: int
    others: int
    other_candidates: int


def standardised_bias(ai: ArrayLike, teacher: ArrayLike, question: Iterable[Hashable]) -> FloatArray:
    """(AI − teacher) / SD of the teacher's marks on the question (ddof 1), one per response.

    nan where the question's SD is 0 or it has one response: there is no scale to say it on. Raises ValueError naming
    the pair whose mark is missing or negative.
    """
    x, y = paired(ai, teacher)
    names, codes = numbered(question)
    if codes.size != x.size:
        raise ValueError(f"There are {x.size} pairs of marks and {codes.size} questions.")
    n = np.bincount(codes, minlength=len(names))
    centred = y - (per_question(y, codes, len(names)) / np.maximum(n, 1))[codes]
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.sqrt(per_question(centred**2, codes, len(names)) / (n - 1))
    spread = np.where((n > 1) & (spread > ZERO), spread, np.nan)
    return np.asarray((x - y) / spread[codes])


def group_bias(standardised: ArrayLike, candidate: Iterable[Hashable], in_group: ArrayLike) -> GroupBias:
    """The difference in mean standardised bias between the candidates in a group and all others, with its interval.

    `standardised` is each response's z from `standardised_bias` (nan: left out), `candidate` whose response it is,
    `in_group` whether they belong to the group. Difference = mean z of the group − mean z of the rest. A candidate's
    responses are alike, so candidates are the units of the interval: each mean m over n responses of G candidates has
    the cluster-robust variance G/(G − 1) · Σ over candidates of (Σ (z − m))² / n², and the difference is taken ± t
    with Welch and Satterthwaite's degrees of freedom. Nearest published: RSMTool's difference in standardised means,
    which standardises either marker by its own mean and SD over all responses, and compares a group with that whole.

    None, with the reason, under 20 responses in the group or in the rest. Raises ValueError where the columns differ
    in length or a candidate is both in the group and not.
    """
    z, member = column(standardised), np.asarray(in_group, dtype=bool)
    _, codes = numbered(candidate)
    if not z.size == member.size == codes.size:
        raise ValueError(f"There are {z.size} figures, {codes.size} candidates and {member.size} answers to the group.")
    given = np.isfinite(z)
    z, member, codes = z[given], member[given], codes[given]
    if np.intersect1d(codes[member], codes[~member]).size:
        raise ValueError("A candidate is both in the group and not; give the same answer for all their responses.")
    group, rest = _Side.of(z, codes, member), _Side.of(z, codes, ~member)
    return GroupBias(_difference(group, rest), group.n, group.candidates, rest.n, rest.candidates)


@dataclass(frozen=True)
class _Side:
    """One side of the comparison; the variance of its mean is nan with fewer than two candidates."""

    n: int
    candidates: int
    mean: float
    variance: float

    @classmethod
    def of(cls, z: FloatArray, codes: Codes, chosen: NDArray[np.bool_]) -> _Side:
        values, owners = z[chosen], np.unique(codes[chosen], return_inverse=True)[1]
        n, candidates = values.size, int(owners.max()) + 1 if owners.size else 0
        mean = float(values.mean()) if n else math.nan
        if candidates < 2:
            return cls(n, candidates, mean, math.nan)
        totals = per_question(values - mean, owners, candidates)
        return cls(n, candidates, mean, candidates / (candidates - 1) * float((totals**2).sum()) / n**2)


def _difference(group: _Side, rest: _Side) -> Statistic:
    for side, name in ((group, "the group has"), (rest, "the other candidates have")):
        if side.n < FEWEST_RESPONSES:
            return Statistic(None, f"shown from {FEWEST_RESPONSES} responses; {name} {side.n}")
    value = group.mean - rest.mean
    variance = group.variance + rest.variance
    if math.isnan(variance):
        return Statistic(value, "no interval: it needs two candidates on each side")
    if variance < ZERO**2:
        return Statistic(value, "no interval: every candidate has the same bias")
    parts = sum(side.variance**2 / (side.candidates - 1) for side in (group, rest))
    reach = student_t(variance**2 / parts) * math.sqrt(variance)
    return Statistic(value, "", Interval(value - reach, value + reach, "t over candidates"))

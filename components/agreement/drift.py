"""Differences made comparable over time, so that a drift of the AI shows whatever the question."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from components.agreement.by_question import numbered, per_question
from components.agreement.kappa import ZERO
from components.agreement.pairs import FloatArray, paired

BASELINE = 100
FEWEST_OF_QUESTION = 5


@dataclass(frozen=True, eq=False)
class Standardised:
    """z of the pairs after the baseline, in time order, ready for `cusum`; `baseline` is how many came before them.

    `z` is empty while there is no baseline to compare with, and `note` says why. `own` is the share of z whose
    question had a baseline of its own, None without any z.
    """

    z: FloatArray
    baseline: int
    own: float | None
    note: str = ""


def standardised_differences(
    ai: ArrayLike, teacher: ArrayLike, question: Iterable[Hashable], baseline: int = BASELINE
) -> Standardised:
    """z = (d − μ)/σ, d = AI − teacher, of blind marks in time order, against their first `baseline`.

    μ and σ (ddof 1) are those of the question's own marks in the baseline where it has five there, else those of the
    whole baseline. A question's own σ of 0, which five equal differences give easily, is no measure: the pooled σ
    stands in. Where all of the baseline's differences are equal σ is unknown, and there are no z. Those of the
    baseline itself are left out: they make μ and σ, and cannot have drifted from them.

    An alarm on these is a reason to look, no proof. Where nothing drifts, 2,000 marks bring one in about half of
    simulated runs when μ and σ are known, and in nine of ten when each question's rest on five to ten marks.

    Raises ValueError naming the pair whose mark is missing or negative, where there are not as many questions as
    pairs, or for a baseline under two.
    """
    x, y = paired(ai, teacher)
    names, codes = numbered(question)
    if codes.size != x.size:
        raise ValueError(f"There are {x.size} pairs of marks and {codes.size} questions.")
    if baseline < 2:
        raise ValueError(f"A baseline needs two pairs, not {baseline}.")
    d = x - y
    if d.size < baseline:
        return Standardised(d[:0], d.size, None, f"drift is watched from {baseline} blind marks on; there are {d.size}")
    first, first_codes = d[:baseline], codes[:baseline]
    pooled_sd = float(first.std(ddof=1))
    if pooled_sd < ZERO:
        why = f"the first {baseline} blind marks all differ alike, so there is no spread to measure a drift by"
        return Standardised(d[:0], baseline, None, why)
    n = np.bincount(first_codes, minlength=len(names))
    own = n >= FEWEST_OF_QUESTION
    mean = per_question(first, first_codes, len(names)) / np.maximum(n, 1)
    squares = per_question((first - mean[first_codes]) ** 2, first_codes, len(names))
    sd = np.sqrt(squares / np.maximum(n - 1, 1))
    mean = np.where(own, mean, first.mean())
    sd = np.where(own & (sd > ZERO), sd, pooled_sd)
    later = codes[baseline:]
    shared = float(own[later].mean()) if later.size else None
    return Standardised(np.asarray((d[baseline:] - mean[later]) / sd[later]), baseline, shared)

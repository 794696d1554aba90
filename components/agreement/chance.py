"""What chance alone would bring: whether a difference stands out among many, and how many pairs would settle one."""

from __future__ import annotations

import math
from collections.abc import Sequence

from numpy.typing import ArrayLike

from components.agreement.kappa import ZERO, quadratic_weighted_kappa, qwk_standard_error
from components.agreement.live import anytime_multiplier
from components.agreement.pairs import column
from components.agreement.results import Statistic

MOST_PAIRS = 1_000_000


def mean_probability(mean: float, sd: float, n: int) -> float:
    """How often chance alone brings a mean at least this far from 0: the two-sided p of a t test.

    Where every value is one and the same, that of a sign test, 2·½ⁿ: all but 0 lie on one side. Raises ValueError for
    n < 2.
    """
    if n < 2:
        raise ValueError("A t test needs two values.")
    if sd < ZERO:
        return 1.0 if abs(mean) < ZERO else 2.0 * 0.5**n
    from scipy.special import stdtr  # noqa: PLC0415

    return float(2 * stdtr(n - 1, -abs(mean) / (sd / math.sqrt(n))))


def beyond_chance(probabilities: Sequence[float], alpha: float = 0.05) -> tuple[bool, ...]:
    """Which of several differences stand out when chance may bring even one of them only `alpha` of the time.

    Holm (1979): in ascending order the k-th of m must be at most alpha / (m − k + 1), and so must all before it.
    """
    standing = [False] * len(probabilities)
    ascending = sorted(range(len(probabilities)), key=probabilities.__getitem__)
    for place, which in enumerate(ascending):
        if probabilities[which] > alpha / (len(probabilities) - place):
            break
        standing[which] = True
    return tuple(standing)


def pairs_to_settle(ai: ArrayLike, teacher: ArrayLike, half_width: float = 0.1) -> Statistic:
    """How many pairs in all bring one question's QWK to ± half_width on an interval that is watched all the while.

    The first n with anytime multiplier(n) · SE · √(n₀/n) ≤ half_width, where SE is that of the n₀ pairs given. None,
    with the reason, where these show no sampling spread. Raises ValueError unless half_width > 0.
    """
    if not half_width > 0:
        raise ValueError(f"The half-width must be above 0, not {half_width:g}.")
    error = qwk_standard_error(ai, teacher)
    given = column(ai).size
    if error.value is None:
        return error
    if given < 3 or error.value < ZERO:
        return Statistic(None, quadratic_weighted_kappa(ai, teacher).note or "these pairs show no sampling spread yet")
    of_one = error.value * math.sqrt(given)
    low, high = 1, MOST_PAIRS
    while low < high:
        middle = (low + high) // 2
        if anytime_multiplier(middle) * of_one / math.sqrt(middle) <= half_width:
            high = middle
        else:
            low = middle + 1
    return Statistic(float(low))

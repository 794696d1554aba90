"""How far apart two markers are, in marks: exact, within tolerance, bias, spread."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from components.agreement.pairs import SLACK, FloatArray, paired
from components.agreement.quantiles import NORMAL, student_t
from components.agreement.results import Interval, Share, Statistic
from components.agreement.sums import NO_PAIRS


@dataclass(frozen=True)
class Differences:
    """Figures of d = AI's mark − teacher's mark, in marks; + means the AI is lenient.

    `exact`, `within` (the tolerance) and `adjacent` (one step; hidden where that is the whole question) are shares
    of pairs. `mean_signed` has a t interval, `bias_percent` is its share of the maximum in %, `sd` is ddof 1, and
    `limits` are Bland and Altman's, mean ± 1.96 SD.
    """

    n: int
    exact: Share
    within: Share
    adjacent: Share
    mae: Statistic
    rmse: Statistic
    mean_signed: Statistic
    bias_percent: Statistic
    sd: Statistic
    limits: Interval | None


def differences(
    ai: ArrayLike, teacher: ArrayLike, max_mark: float, tolerance: float = 0.0, step: float = 1.0
) -> Differences:
    """All figures of Differences. Raises ValueError naming the pair whose mark is missing or off the scale."""
    x, y = paired(ai, teacher, max_mark, step)
    d = x - y
    adjacent = share_within(d, step)
    if max_mark <= step + SLACK:
        adjacent = Share(0, d.size, None, None, "not shown: one step is the whole question, so every pair is adjacent")
    exact, within = share_within(d, 0.0), share_within(d, tolerance)
    if d.size == 0:
        none = Statistic(None, NO_PAIRS)
        return Differences(0, exact, within, adjacent, none, none, none, none, none, None)
    mean, signed = float(d.mean()), mean_with_interval(d)
    sd = Statistic(float(d.std(ddof=1))) if d.size > 1 else Statistic(None, "a standard deviation needs two pairs")
    return Differences(
        d.size,
        exact,
        within,
        adjacent,
        mae=Statistic(float(np.abs(d).mean())),
        rmse=Statistic(float(np.sqrt((d * d).mean()))),
        mean_signed=signed,
        bias_percent=_percent_of(signed, max_mark),
        sd=sd,
        limits=None if sd.value is None else Interval(mean - 1.96 * sd.value, mean + 1.96 * sd.value, "Bland–Altman"),
    )


def wilson_interval(k: int, n: int) -> Interval | None:
    """Wilson's 95% score interval of k in n; None for n = 0. Raises ValueError unless 0 ≤ k ≤ n."""
    if not 0 <= k <= n:
        raise ValueError(f"{k} of {n} is not a share.")
    if n == 0:
        return None
    z2 = NORMAL**2
    centre = (k + z2 / 2) / (n + z2)
    reach = NORMAL / (n + z2) * math.sqrt(k * (n - k) / n + z2 / 4)
    return Interval(0.0 if k == 0 else centre - reach, 1.0 if k == n else centre + reach, "Wilson")


def share(k: int, n: int) -> Share:
    """k of n pairs with Wilson's interval, undefined for n = 0. Raises ValueError unless 0 ≤ k ≤ n."""
    interval = wilson_interval(k, n)
    return Share(k, n, None, None, NO_PAIRS) if n == 0 else Share(k, n, k / n, interval)


def weighted_exact(ai: ArrayLike, teacher: ArrayLike, weights: ArrayLike) -> Statistic:
    """Exact share of a targeted blind sample, each pair weighted by the inverse probability of its being drawn."""
    x, y = paired(ai, teacher)
    return (
        Statistic(float(np.average(x == y, weights=np.asarray(weights, dtype=np.float64))))
        if x.size
        else Statistic(None, NO_PAIRS)
    )


def share_within(d: FloatArray, most: float) -> Share:
    """Share of differences no larger than `most` either way."""
    return share(int(np.count_nonzero(np.abs(d) <= most + SLACK)), d.size)


def mean_with_interval(d: FloatArray) -> Statistic:
    """Mean of at least one value, with its t interval where there is spread to make one from."""
    mean = float(d.mean())
    if d.size < 2:
        return Statistic(mean, "no interval from one pair")
    if d.min() == d.max():
        return Statistic(mean, "no interval: every difference is the same")
    reach = student_t(d.size - 1) * float(d.std(ddof=1)) / math.sqrt(d.size)
    return Statistic(mean, "", Interval(mean - reach, mean + reach, "t"))


def _percent_of(statistic: Statistic, max_mark: float) -> Statistic:
    scale, interval = 100 / max_mark, statistic.interval
    assert statistic.value is not None
    scaled = interval and Interval(interval.low * scale, interval.high * scale, interval.method)
    return Statistic(statistic.value * scale, statistic.note, scaled)

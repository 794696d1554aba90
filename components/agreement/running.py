"""Agreement as it stood after each pair, in time order, with intervals that hold however often they are looked at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from components.agreement.live import RHO_SQUARED
from components.agreement.pairs import FloatArray, paired
from components.agreement.sums import Sums

POWERS = tuple((i, degree - i) for degree in range(5) for i in range(degree + 1))
"""The 15 powers (of the AI's mark, of the difference AI − teacher) whose sums `moments` gives, in their order."""

ROUNDING = 1e-13
FEWEST = 3
MANY = 200


@dataclass(frozen=True, eq=False)
class Running:
    """A figure after n pairs, for each n in `n`; read-only arrays of one length.

    `value` is nan where undefined. `low` and `high` are the 95% anytime-valid interval, nan where there is none.
    """

    n: NDArray[np.int64]
    value: FloatArray
    standard_error: FloatArray
    low: FloatArray
    high: FloatArray


def moments(ai: ArrayLike, teacher: ArrayLike) -> FloatArray:
    """The 15 sums of x^i·d^j for `POWERS`, x the AI's mark and d = x − y: all that QWK and its SE need of pairs.

    They add: those of two sets of pairs together are those of their union.
    """
    x, y = paired(ai, teacher)
    return np.asarray(_powers(x, x - y).sum(axis=1), dtype=np.float64)


def running_agreement(
    ai: ArrayLike, teacher: ArrayLike, start_sums: ArrayLike | None = None, every: int = 1
) -> Running:
    """One question's QWK after each pair, given in time order, with its anytime-valid interval.

    `start_sums` are the `moments` of pairs that came before these. `every` keeps each every-th pair and the last.
    The interval is that of `quadratic_weighted_kappa_interval`, tanh(atanh κ ± t · SE · √(n/(n−1)) / (1 − κ²)), with
    the t that is as unlikely as the anytime multiplier; none under three pairs, without spread, or where SE is 0. (On
    QWK's own scale, κ ± multiplier · SE, the truth was outside at some n ≥ 10 in 11 to 14% of simulated runs; so it is
    in 3 to 4%.) The SE is that of `qwk_standard_error`: its influence function is a polynomial in both marks of degree
    2, so that its square's mean needs moments up to the fourth, which add up as pairs come. Raises ValueError for
    marks that are missing or negative, sums that are not 15, or every < 1.
    """
    x, y = paired(ai, teacher)
    if every < 1:
        raise ValueError(f"Every {every}th pair is not possible; give 1 or more.")
    before = np.zeros(len(POWERS)) if start_sums is None else np.asarray(start_sums, dtype=np.float64)
    if before.shape != (len(POWERS),):
        raise ValueError(f"Give the {len(POWERS)} sums that `moments` gives, not {before.size}.")
    places = _places(x.size, every)
    rows = _powers(x, x - y)
    so_far = np.cumsum(rows, axis=1, out=rows)[:, places] + before[:, None]
    sums = dict(zip(POWERS, so_far, strict=True))
    six = _six(sums)
    value = six.qwk
    error = np.where(np.isnan(value) | six.no_spread, np.nan, _standard_error(sums))
    # With two pairs, or where every pair pulls alike, an SE of 0 is no certainty.
    sure = (six.n >= FEWEST) & (error > 0)
    n, kappa, centre = six.n[sure], value[sure], np.arctanh(value[sure])
    reach = _as_unlikely(anytime_multipliers(n), n - 1) * error[sure] * np.sqrt(n / (n - 1)) / (1 - kappa**2)
    low, high = np.full_like(value, np.nan), np.full_like(value, np.nan)
    low[sure], high[sure] = np.tanh(centre - reach), np.tanh(centre + reach)
    return _running(six.n, value, error, low, high)


def running_share(hits: ArrayLike, start: tuple[int, int] = (0, 0), every: int = 1) -> Running:
    """The share of hits (exact, say, or within tolerance) after each pair, in time order, with its interval.

    `start` is how many of how many there were before these. The interval is Wilson's with the anytime multiplier m
    for 1.96, all p with |share − p| ≤ m·√(p(1 − p)/n): unlike share ± m·SE it does not shrink to nothing at 0 or 1.
    Raises ValueError unless 0 ≤ start[0] ≤ start[1] and every ≥ 1.
    """
    hit = np.asarray(hits, dtype=bool)
    if hit.ndim != 1:
        raise ValueError(f"Hits must be one column, not {hit.ndim} dimensions.")
    if not 0 <= start[0] <= start[1]:
        raise ValueError(f"{start[0]} of {start[1]} is not a share.")
    if every < 1:
        raise ValueError(f"Every {every}th pair is not possible; give 1 or more.")
    places = _places(hit.size, every)
    n = (places + 1 + start[1]).astype(np.float64)
    value = (np.cumsum(hit)[places] + start[0]) / n
    m2 = anytime_multipliers(n) ** 2
    centre = (value + m2 / (2 * n)) / (1 + m2 / n)
    reach = np.sqrt(m2 * (value * (1 - value) / n + m2 / (4 * n * n))) / (1 + m2 / n)
    low, high = np.where(value == 0, 0.0, centre - reach), np.where(value == 1, 1.0, centre + reach)
    return _running(n, value, np.sqrt(value * (1 - value) / n), low, high)


def anytime_multipliers(n: FloatArray, alpha: float = 0.05, rho_squared: float = RHO_SQUARED) -> FloatArray:
    """`anytime_multiplier` of each n, all at least 1."""
    growth = n * rho_squared
    return np.asarray(np.sqrt(2 * (growth + 1) / growth * np.log(np.sqrt(growth + 1) / alpha)))


def _as_unlikely(z: FloatArray, degrees: FloatArray) -> FloatArray:
    """Student's t at which its tail is that of the normal distribution at z."""
    from scipy.special import ndtr, stdtrit  # noqa: PLC0415

    few = degrees < MANY
    # Cornish and Fisher's expansion, right to 1e-10 from two hundred on and fifty times as quick.
    z2, each = z * z, 1 / degrees
    terms = (
        (z2 + 1) / 4,
        ((5 * z2 + 16) * z2 + 3) / 96,
        (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384,
        ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160,
    )
    t = z * (1 + each * (terms[0] + each * (terms[1] + each * (terms[2] + each * terms[3]))))
    t[few] = stdtrit(degrees[few], ndtr(z[few]))
    return np.asarray(t)


def _places(pairs: int, every: int) -> NDArray[np.intp]:
    places = np.arange(every - 1, pairs, every)
    return places if pairs == 0 or (places.size and places[-1] == pairs - 1) else np.append(places, pairs - 1)


def _powers(x: FloatArray, d: FloatArray) -> FloatArray:
    """One row for each of POWERS, one column for each pair."""
    of_x, of_d = [np.ones_like(x)], [np.ones_like(d)]
    for _ in range(4):
        of_x.append(of_x[-1] * x)
        of_d.append(of_d[-1] * d)
    rows = np.empty((len(POWERS), x.size))
    for row, (i, j) in zip(rows, POWERS, strict=True):
        np.multiply(of_x[i], of_d[j], out=row)
    return rows


def _six(sums: dict[tuple[int, int], FloatArray]) -> Sums:
    """The six sums of marks, y being x − d."""
    x, d, xx, xd, dd = (sums[power] for power in ((1, 0), (0, 1), (2, 0), (1, 1), (0, 2)))
    return Sums(sums[0, 0], x, x - d, xx, xx - 2 * xd + dd, xx - xd)


def _standard_error(sums: dict[tuple[int, int], FloatArray]) -> FloatArray:
    """√(mean of the squared influence / n).

    With o the mean of d², c that of (x_i − y_j)² over all i and j, a = o/c² and b = 1/c, the influence of a pair is
    2a·x² − 2a·xd + (a − b)·d² − 2a(x̄ + ȳ)·x + 2a·x̄·d + k: written in d, not y, it is 0 where all d are.
    """
    n = sums[0, 0]
    mean = {power: total / n for power, total in sums.items()}
    six = _six(mean)
    observed = mean[0, 2]
    chance = six.sxx + six.syy - 2 * six.sx * six.sy
    with np.errstate(invalid="ignore", divide="ignore"):
        a, b = observed / chance**2, 1 / chance
        constant = a * (six.sxx + six.syy - 2 * chance) + b * observed
        terms = [
            ((2, 0), 2 * a),
            ((1, 1), -2 * a),
            ((0, 2), a - b),
            ((1, 0), -2 * a * (six.sx + six.sy)),
            ((0, 1), 2 * a * six.sx),
            ((0, 0), constant),
        ]
        square, size = np.zeros_like(n), np.zeros_like(n)
        for place, ((i, j), one) in enumerate(terms):
            for (k, m), other in terms[place:]:
                part = one * other * mean[i + k, j + m] * (1 if (i, j) == (k, m) else 2)
                square += part
                size += np.abs(part)
        return np.sqrt(np.where(square <= ROUNDING * size, 0.0, square) / n)


def _running(n: FloatArray, value: FloatArray, error: FloatArray, low: FloatArray, high: FloatArray) -> Running:
    made = Running(n.astype(np.int64), value, error, low, high)
    for column in (made.n, made.value, made.standard_error, made.low, made.high):
        column.setflags(write=False)
    return made

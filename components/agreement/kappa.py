"""Cohen's kappas of two markers: quadratic (QWK, the headline), linear and unweighted, and QWK's interval."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from components.agreement.pairs import FloatArray, paired
from components.agreement.quantiles import student_t
from components.agreement.results import Interval, Statistic
from components.agreement.sums import NO_PAIRS, all_identical, no_spread, qwk_statistic, sums_of

ZERO = 1e-12


def quadratic_weighted_kappa(ai: ArrayLike, teacher: ArrayLike, weights: ArrayLike | None = None) -> Statistic:
    """QWK, 1 − nΣd² / (nΣx² + nΣy² − 2ΣxΣy). The set of labels cancels, so half marks need nothing special.

    None where all marks are one and the same; 0, noted "no spread", where a marker gave one mark throughout.
    `weights`, one per pair, are inverse probabilities of a targeted blind sample. Raises ValueError naming the pair
    for a missing or negative mark.
    """
    x, y = paired(ai, teacher)
    return _qwk(x, y, weights)


def qwk_standard_error(ai: ArrayLike, teacher: ArrayLike) -> Statistic:
    """Delta-method standard error of QWK from its influence function (that of Fleiss, Cohen and Everitt 1969)."""
    x, y = paired(ai, teacher)
    kappa = _qwk(x, y)
    return Statistic(None, kappa.note) if kappa.value is None else Statistic(_standard_error(x, y))


def quadratic_weighted_kappa_interval(ai: ArrayLike, teacher: ArrayLike) -> Statistic:
    """QWK with its 95% interval, tanh(atanh κ ± t_{n−1} · SE · √(n/(n−1)) / (1 − κ²)).

    No interval where the standard error is 0 or n < 3: the note says so, and the exact share's interval stands in.
    """
    x, y = paired(ai, teacher)
    kappa, n = _qwk(x, y), x.size
    if kappa.value is None:
        return kappa
    error = _standard_error(x, y)
    if n < 3 or error < ZERO:
        why = "no interval with fewer than three pairs" if n < 3 else "no interval: QWK has no sampling spread here"
        return Statistic(kappa.value, f"{kappa.note}; {why}" if kappa.note else why)
    reach = student_t(n - 1) * error * math.sqrt(n / (n - 1)) / (1 - kappa.value**2)
    centre = math.atanh(kappa.value)
    interval = Interval(math.tanh(centre - reach), math.tanh(centre + reach), "delta method")
    return Statistic(kappa.value, kappa.note, interval)


def linear_weighted_kappa(ai: ArrayLike, teacher: ArrayLike) -> Statistic:
    """1 − mean|d| / mean over all i and j of |x_i − y_j|. Undefined and flagged as QWK is."""
    x, y = paired(ai, teacher)
    if x.size == 0:
        return Statistic(None, NO_PAIRS)
    chance = _mean_absolute_cross(x, y)
    return _kappa(x, y, float(np.abs(x - y).mean()), chance, "linear weighted κ")


def cohen_kappa(ai: ArrayLike, teacher: ArrayLike) -> Statistic:
    """Unweighted κ: every difference counts alike. Equal to QWK where the only marks are 0 and the maximum."""
    x, y = paired(ai, teacher)
    if x.size == 0:
        return Statistic(None, NO_PAIRS)
    labels, codes = np.unique(np.concatenate([x, y]), return_inverse=True)
    by_x, by_y = (np.bincount(part, minlength=labels.size) / x.size for part in np.split(codes, 2))
    return _kappa(x, y, float((x != y).mean()), 1 - float(by_x @ by_y), "κ")


def _qwk(x: FloatArray, y: FloatArray, weights: ArrayLike | None = None) -> Statistic:
    if x.size == 0:
        return Statistic(None, NO_PAIRS)
    w = None if weights is None else np.asarray(weights, dtype=np.float64)
    if w is not None and (w.shape != x.shape or not (np.isfinite(w) & (w > 0)).all()):
        raise ValueError("Weights must be above 0, one for each pair.")
    # QWK does not change when all marks move together; from a common origin the sums of equal marks are exactly 0.
    return qwk_statistic(sums_of(x - x[0], y - x[0], w), x.size)


def _standard_error(x: FloatArray, y: FloatArray) -> float:
    x, y = x - x[0], y - x[0]
    squared = (x - y) ** 2
    x_against_all = x * x - 2 * x * y.mean() + (y * y).mean()
    y_against_all = y * y - 2 * y * x.mean() + (x * x).mean()
    observed, chance = squared.mean(), x_against_all.mean()
    influence = observed * (x_against_all + y_against_all - 2 * chance) / chance**2 - (squared - observed) / chance
    return float(np.sqrt((influence**2).mean() / x.size))


def _mean_absolute_cross(x: FloatArray, y: FloatArray) -> float:
    """Mean of |x_i − y_j| over all i and j, by sorting: n² differences would not fit for a million pairs."""
    ordered = np.sort(y)
    below = np.searchsorted(ordered, x)
    running = np.concatenate([[0.0], np.cumsum(ordered)])
    per_x = x * (2 * below - y.size) + running[-1] - 2 * running[below]
    return float(per_x.mean()) / y.size


def _kappa(x: FloatArray, y: FloatArray, observed: float, chance: float, name: str) -> Statistic:
    if (x == x[0]).all() or (y == y[0]).all():
        if (x == x[0]).all() and (y == x[0]).all():
            return Statistic(None, all_identical(x.size, name))
        return Statistic(0.0, no_spread(name))
    return Statistic(1 - observed / chance)

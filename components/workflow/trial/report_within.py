"""Intervals over the responses to a question: for a question alone, and for verdicts on few questions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from components.agreement import Interval, Statistic
from components.agreement.kappa import ZERO
from components.agreement.quantiles import student_t
from components.workflow.trial.data import Marks

OVER_RESPONSES = "delta method over responses"
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Influence:
    """QWK of each question (nan where 0/0) and what each response adds to its question's error, to first order.

    Both may be added and scaled: ½(a + b) − c has the same combination of influences.
    """

    value: Marks
    each: Marks

    def __add__(self, other: Influence) -> Influence:
        return Influence(self.value + other.value, self.each + other.each)

    def __sub__(self, other: Influence) -> Influence:
        return Influence(self.value - other.value, self.each - other.each)

    def half(self) -> Influence:
        return Influence(self.value / 2, self.each / 2)


def influence(x: Marks, y: Marks, codes: Codes, questions: int) -> Influence:
    """QWK of x and y on each question with its influence function (that of Fleiss, Cohen and Everitt 1969)."""
    n = np.bincount(codes, minlength=questions).astype(np.float64)

    def mean(values: Marks) -> Marks:
        return np.asarray(np.bincount(codes, weights=values, minlength=questions) / n)

    with np.errstate(invalid="ignore", divide="ignore"):
        middle = mean(x)
        # From a common origin the sums of equal marks are exactly 0.
        x, y = x - np.round(middle)[codes], y - np.round(middle)[codes]
        squared = (x - y) ** 2
        to_y = x * x - 2 * x * mean(y)[codes] + mean(y * y)[codes]
        to_x = y * y - 2 * y * mean(x)[codes] + mean(x * x)[codes]
        observed, chance = mean(squared), mean(to_y)
        chance = np.where(chance < ZERO, np.nan, chance)
        still = (mean(x * x) - mean(x) ** 2 < ZERO) | (mean(y * y) - mean(y) ** 2 < ZERO)
        value = np.where(np.isnan(chance), np.nan, np.where(still, 0.0, 1 - observed / chance))
        o, c = observed[codes], chance[codes]
        each = o * (to_y + to_x - 2 * c) / c**2 - (squared - o) / c
    return Influence(value, each)


def standard_errors(found: Influence, codes: Codes, questions: int) -> tuple[Marks, Marks]:
    """Each question's standard error with √(n/(n − 1)), nan where n < 3 or undefined, and its n."""
    n = np.bincount(codes, minlength=questions).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        squares = np.bincount(codes, weights=found.each**2, minlength=questions) / n
        error = np.sqrt(squares / (n - 1))
    return np.where(n < 3, np.nan, error), n


def qwk_with_interval(value: float, error: float, n: int) -> Statistic:
    """tanh(atanh κ ± t · SE / (1 − κ²)) with n − 1 degrees of freedom, as for one question's QWK."""
    if math.isnan(value):
        return Statistic(None, "all marks identical, QWK not measurable")
    if math.isnan(error):
        return Statistic(value, "no interval with fewer than three responses")
    return bounded(value, error, n - 1)


def bounded(value: float, error: float, degrees: float) -> Statistic:
    """A QWK, or a mean of QWKs, with the interval that stays below 1."""
    if error < ZERO or abs(value) >= 1:
        return Statistic(value, "no interval: QWK has no sampling spread here")
    reach = student_t(degrees) * error / (1 - value**2)
    centre = math.atanh(value)
    return Statistic(value, "", Interval(math.tanh(centre - reach), math.tanh(centre + reach), OVER_RESPONSES))


def apart(value: float, error: float, degrees: float) -> Statistic:
    """A difference of QWKs with value ± t · SE."""
    if error < ZERO:
        return Statistic(value, "no interval: QWK has no sampling spread here")
    reach = student_t(degrees) * error
    return Statistic(value, "", Interval(max(value - reach, -2.0), min(value + reach, 2.0), OVER_RESPONSES))


def weighted(found: Influence, weights: Marks, codes: Codes) -> tuple[float, float, float]:
    """ΣM·κ / ΣM over the questions of weight above 0, its standard error over responses, and degrees of freedom.

    The questions are taken as they are, none drawn from others: Σ(w·SE)², with Σ(n − 1) degrees of freedom.
    """
    used = weights > 0
    share = weights[used] / weights.sum()
    error, n = standard_errors(found, codes, weights.size)
    value = float((share * found.value[used]).sum())
    return value, float(np.sqrt(((share * error[used]) ** 2).sum())), float((n[used] - 1).sum())


def mean_over_responses(values: Marks) -> Statistic:
    """The mean of one value a response with its t interval."""
    if values.size == 0:
        return Statistic(None, "no response")
    mean = float(values.mean())
    if values.size < 2:
        return Statistic(mean, "no interval from one response")
    error = float(values.std(ddof=1)) / math.sqrt(values.size)
    if error < ZERO:
        return Statistic(mean, "no interval: every response has the same figure")
    reach = student_t(values.size - 1) * error
    return Statistic(mean, "", Interval(mean - reach, mean + reach, "t over responses"))

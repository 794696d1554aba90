"""Figures watched while marking goes on: when is it enough, has something drifted, does seeing the AI's mark sway?"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from components.agreement.differences import share
from components.agreement.kappa import ZERO, quadratic_weighted_kappa, qwk_standard_error
from components.agreement.pairs import FloatArray, column
from components.agreement.quantiles import NORMAL
from components.agreement.results import Interval, Statistic

RHO_SQUARED = 0.07936154601737565
SLACK_K = 0.25
LIMIT_H = 12.0


@dataclass(frozen=True)
class Cusum:
    """Both sides of a CUSUM after each mark. `alarm` is the position (from 0) at which one first passes the limit."""

    upper: tuple[float, ...]
    lower: tuple[float, ...]
    alarm: int | None
    direction: str


def anytime_multiplier(n: int, alpha: float = 0.05, rho_squared: float = RHO_SQUARED) -> float:
    """What replaces 1.96 when an interval is looked at after every mark; narrowest, for its n, near n = 100.

    √(2(nρ²+1)/(nρ²) · ln(√(nρ²+1)/α)), an asymptotic confidence sequence. Raises ValueError for n < 1.
    """
    if n < 1:
        raise ValueError("An interval needs at least one pair.")
    growth = n * rho_squared
    return math.sqrt(2 * (growth + 1) / growth * math.log(math.sqrt(growth + 1) / alpha))


def anytime_interval(value: float, standard_error: float, n: int, alpha: float = 0.05) -> Interval:
    """value ± multiplier · SE: holds at every n at once, so marking may stop when it is narrow enough."""
    reach = anytime_multiplier(n, alpha) * standard_error
    return Interval(value - reach, value + reach, "anytime-valid")


def sample_size(ai: ArrayLike, teacher: ArrayLike, half_width: float = 0.1) -> Statistic:
    """How many pairs in all bring one question's 95% interval for QWK to about ± half_width, judged by those given.

    None, with the reason, where these pairs show no sampling spread. Raises ValueError unless half_width > 0.
    """
    if not half_width > 0:
        raise ValueError(f"The half-width must be above 0, not {half_width:g}.")
    error = qwk_standard_error(ai, teacher)
    n = column(ai).size
    if error.value is None:
        return error
    if n < 3 or error.value < ZERO:
        return Statistic(None, quadratic_weighted_kappa(ai, teacher).note or "these pairs show no sampling spread yet")
    return Statistic(float(math.ceil(n * n / (n - 1) * (NORMAL * error.value / half_width) ** 2)))


def anchoring_effect(visible_exact: int, visible_n: int, blind_exact: int, blind_n: int) -> Statistic:
    """Exact agreement with the AI's mark in view minus that of blind marking, with Newcombe's hybrid score interval.

    None where either has no pairs. Raises ValueError unless each count is between 0 and its n.
    """
    visible, blind = share(visible_exact, visible_n), share(blind_exact, blind_n)
    if visible.value is None or visible.interval is None:
        return Statistic(None, "no response was marked with the AI's mark in view")
    if blind.value is None or blind.interval is None:
        return Statistic(None, "no response was marked blind")
    effect = visible.value - blind.value
    down = math.hypot(visible.value - visible.interval.low, blind.interval.high - blind.value)
    up = math.hypot(visible.interval.high - visible.value, blind.value - blind.interval.low)
    return Statistic(effect, "", Interval(effect - down, effect + up, "Newcombe"))


def anchoring_effect_over(questions: Iterable[tuple[int, int, int, int]]) -> Statistic:
    """The anchoring effect over several questions: within each question, then weighted by how much each can tell.

    Each question is (exact in view, n in view, exact blind, n blind); one without both kinds tells nothing. Pooled, a
    hard question that is mostly marked blind would look like an effect. Mantel–Haenszel risk difference with Sato's
    variance (Biometrics 45, 1989), which holds for many questions with few marks each; one question keeps Newcombe's
    interval. None where no question has both kinds.
    """
    strata = [counts for counts in questions if counts[1] and counts[3]]
    if not strata:
        return Statistic(None, "no question has marks given blind and marks given with the AI's mark in view")
    if len(strata) == 1:
        return anchoring_effect(*strata[0])
    a, n1, b, n0 = np.array(strata, dtype=np.float64).T
    both = n1 + n0
    weight = float((n1 * n0 / both).sum())
    effect = float(((a * n0 - b * n1) / both).sum()) / weight
    p = (n1**2 * b - n0**2 * a + n1 * n0 * (n0 - n1) / 2) / both**2
    q = (a * (n0 - b) + b * (n1 - a)) / (2 * both)
    variance = (effect * float(p.sum()) + float(q.sum())) / weight**2
    if variance < ZERO:
        return Statistic(effect, "no interval: within each question every mark fell alike")
    reach = NORMAL * math.sqrt(variance)
    return Statistic(effect, "", Interval(max(effect - reach, -1.0), min(effect + reach, 1.0), "Mantel–Haenszel"))


def cusum(standardised: ArrayLike, k: float = SLACK_K, h: float = LIMIT_H) -> Cusum:
    """Two-sided CUSUM of z = (d − μ)/σ of blind marks in time order, μ and σ from each question's baseline.

    `direction` is "lenient" or "severe", whichever the AI has drifted to, or "" without an alarm.
    """
    upper, lower, alarm, direction = _run(column(standardised), k, h)
    return Cusum(tuple(upper), tuple(lower), alarm, direction)


def _run(z: FloatArray, k: float, h: float) -> tuple[list[float], list[float], int | None, str]:
    upper: list[float] = []
    lower: list[float] = []
    up = down = 0.0
    alarm, direction = None, ""
    for position, value in enumerate(z.tolist()):
        if not math.isfinite(value):
            raise ValueError(f"Mark {position + 1}: {value:g} is not a standardised difference.")
        up, down = max(0.0, up + value - k), max(0.0, down - value - k)
        upper.append(up)
        lower.append(down)
        if alarm is None and max(up, down) > h:
            alarm, direction = position, "lenient" if up > h else "severe"
    return upper, lower, alarm, direction

"""Two judges on the same responses: which of them is closer to the teacher, and by how much?"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from components.agreement.by_question import Rows, complete_rows, sums_between
from components.agreement.cluster import Combination, Ratio, with_intervals
from components.agreement.differences import share
from components.agreement.exam import covering, pooled_ratio
from components.agreement.pairs import SLACK, FloatArray
from components.agreement.results import Coverage, Share, Statistic
from components.agreement.sums import Sums

NONE_COMMON = "no question has a measurable QWK for both judges"
NO_SPREAD = "a judge and the teacher gave identical marks on every question"
NO_RESPONSES = "no response has marks by both judges and the teacher"


@dataclass(frozen=True)
class JudgeFigures:
    """One judge against the teacher: aggregate and pooled QWK, exact share, bias in % of the maximum (+: lenient)."""

    aggregate: Statistic
    pooled: Statistic
    exact: Share
    bias_percent: Statistic


@dataclass(frozen=True)
class JudgeComparison:
    """Two judges on the same responses, and `difference` and `pooled_difference`: the QWK of `a` less that of `b`.

    Aggregates are ΣM·QWK / ΣM on the common set, the questions where QWK is defined for both (`coverage`). Intervals
    are over questions, all on one shared resample, so that what both judges find hard cancels in the differences.
    """

    n: int
    coverage: Coverage
    a: JudgeFigures
    b: JudgeFigures
    difference: Statistic
    pooled_difference: Statistic


def judge_comparison(
    a: ArrayLike,
    b: ArrayLike,
    teacher: ArrayLike,
    question: Iterable[Hashable],
    max_mark: ArrayLike,
    counts: ArrayLike | None = None,
) -> JudgeComparison:
    """The comparison on responses that both judges and the teacher marked; `max_mark` is one number or one a response.

    `counts`, where given, say how many responses with these marks each row stands for. Raises ValueError naming the
    response (from 1) whose mark is missing or off the scale, whose maximum differs from that of its question, or
    whose count is not a whole number.
    """
    marks = {"the first judge's mark": a, "the second judge's mark": b, "the teacher's mark": teacher}
    rows = complete_rows(marks, question, max_mark, counts)
    *judges, human = rows.marks
    exact = [share(int(rows.times[np.abs(given - human) <= SLACK].sum()), rows.n) for given in judges]
    return _comparison(rows, sums_between(rows, [(0, 2), (1, 2)]), exact)


def _comparison(rows: Rows, sums: list[Sums], exact: list[Share]) -> JudgeComparison:
    maxima = rows.maxima
    qwk = np.array([part.qwk for part in sums]).reshape(2, -1)
    common = ~np.isnan(qwk).any(axis=0)
    aggregates, pooled, bias = _aggregates(qwk[:, common], maxima[common]), _pooled(sums, maxima), _bias(sums, maxima)
    made = iter(with_intervals([*aggregates, *pooled, *bias]))
    of_a, of_b, difference = (next(made) if aggregates else Statistic(None, NONE_COMMON) for _ in range(3))
    pooled_a, pooled_b, pooled_difference = (next(made) if pooled else Statistic(None, NO_SPREAD) for _ in range(3))
    bias_a, bias_b = (next(made) if bias else Statistic(None, NO_RESPONSES) for _ in range(2))
    return JudgeComparison(
        n=rows.n,
        coverage=covering(common, maxima),
        a=JudgeFigures(of_a, pooled_a, exact[0], bias_a),
        b=JudgeFigures(of_b, pooled_b, exact[1], bias_b),
        difference=difference,
        pooled_difference=pooled_difference,
    )


def _aggregates(qwk: FloatArray, weights: FloatArray) -> list[Combination]:
    if weights.size == 0:
        return []
    a, b = Ratio(weights * qwk[0], weights), Ratio(weights * qwk[1], weights)
    apart = Ratio(weights * (qwk[0] - qwk[1]), weights)
    return [Combination([a], -1.0, 1.0), Combination([b], -1.0, 1.0), Combination([apart], -2.0, 2.0)]


def _pooled(sums: list[Sums], maxima: FloatArray) -> list[Combination]:
    several = sums[0].n >= 2
    a, b = (pooled_ratio(part, maxima, several) for part in sums)
    if not (a.denominator.sum() > 0 and b.denominator.sum() > 0):
        return []
    less_b = Ratio(b.numerator, b.denominator, 1.0)
    return [Combination([a], -1.0, 1.0, 1.0), Combination([b], -1.0, 1.0, 1.0), Combination([a, less_b], -2.0, 2.0)]


def _bias(sums: list[Sums], maxima: FloatArray) -> list[Combination]:
    if maxima.size == 0:
        return []
    return [Combination([Ratio(100 * (part.sx - part.sy) / maxima, part.n)], -100.0, 100.0) for part in sums]

"""The second-marker report: is the AI as close to two examiners as they are to each other? (arXiv 2606.24973)"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from components.agreement.by_question import Rows, complete_rows, sums_between
from components.agreement.cluster import Combination, Ratio, with_intervals
from components.agreement.exam import covering, pooled_ratio
from components.agreement.pairs import FloatArray
from components.agreement.results import Coverage, Statistic
from components.agreement.sums import Sums

NONE_COMMON = "no question has a measurable QWK for every pair of markers"
NO_SPREAD = "a pair of markers gave identical marks on every question"
NO_RESPONSES = "no response has all three marks"


@dataclass(frozen=True)
class QuestionReport:
    """One question's three QWKs; None where all marks of the two markers are one and the same."""

    question: Hashable
    max_mark: float
    n: int
    ai_e1: float | None
    ai_e2: float | None
    e1_e2: float | None


@dataclass(frozen=True)
class SecondMarkerReport:
    """R_A = ½[QWK(AI,E1) + QWK(AI,E2)], R_H = QWK(E1,E2) and delta = R_A − R_H, by ΣM·QWK / ΣM on the common set.

    The common set are the questions on which all three pairs are defined (`coverage`). `pooled_…` are the same from
    pooled QWKs. Intervals are over questions, all on one shared resample. `bias_percent` is the mean of
    100·(AI − (E1 + E2)/2)/M.
    """

    n: int
    coverage: Coverage
    r_a: Statistic
    r_h: Statistic
    delta: Statistic
    pooled_r_a: Statistic
    pooled_r_h: Statistic
    pooled_delta: Statistic
    bias_percent: Statistic
    questions: tuple[QuestionReport, ...]


def second_marker_report(
    ai: ArrayLike,
    e1: ArrayLike,
    e2: ArrayLike,
    question: Iterable[Hashable],
    max_mark: ArrayLike,
    counts: ArrayLike | None = None,
) -> SecondMarkerReport:
    """The report on responses that all three have marked; `max_mark` is one number or one per response.

    `counts`, where given, say how many responses with these marks each row stands for: the report is that on the rows
    repeated so often. Raises ValueError naming the response (from 1) whose mark is missing or off the scale, whose
    maximum differs from that of its question, or whose count is not a whole number.
    """
    marks = {"the AI's mark": ai, "the first examiner's mark": e1, "the second examiner's mark": e2}
    rows = complete_rows(marks, question, max_mark, counts)
    return _report(rows, sums_between(rows, [(0, 1), (0, 2), (1, 2)]))


def _report(rows: Rows, sums: list[Sums]) -> SecondMarkerReport:
    maxima = rows.maxima
    qwk = np.array([part.qwk for part in sums]).reshape(3, -1)
    common = ~np.isnan(qwk).any(axis=0)
    aggregates, pooled, bias = _aggregates(qwk[:, common], maxima[common]), _pooled(sums, maxima), _bias(sums, maxima)
    made = iter(with_intervals([*aggregates, *pooled, *bias]))
    r_a, r_h, delta = (next(made) if aggregates else Statistic(None, NONE_COMMON) for _ in range(3))
    pooled_a, pooled_h, pooled_delta = (next(made) if pooled else Statistic(None, NO_SPREAD) for _ in range(3))
    values = [[None if np.isnan(value) else float(value) for value in each] for each in qwk.T]
    return SecondMarkerReport(
        n=rows.n,
        coverage=covering(common, maxima),
        r_a=r_a,
        r_h=r_h,
        delta=delta,
        pooled_r_a=pooled_a,
        pooled_r_h=pooled_h,
        pooled_delta=pooled_delta,
        bias_percent=next(made) if bias else Statistic(None, NO_RESPONSES),
        questions=tuple(
            QuestionReport(name, most, int(n), *each)
            for name, most, n, each in zip(rows.names, maxima.tolist(), sums[0].n, values, strict=True)
        ),
    )


def _aggregates(qwk: FloatArray, weights: FloatArray) -> list[Combination]:
    """R_A, R_H and their difference; none without a common question."""
    if weights.size == 0:
        return []
    r_a, r_h = (qwk[0] + qwk[1]) / 2, qwk[2]
    return [
        Combination([Ratio(weights * r_a, weights)], -1.0, 1.0),
        Combination([Ratio(weights * r_h, weights)], -1.0, 1.0),
        Combination([Ratio(weights * (r_a - r_h), weights)], -2.0, 2.0),
    ]


def _pooled(sums: list[Sums], maxima: FloatArray) -> list[Combination]:
    """The same from pooled QWKs; none where two markers' marks have no spread."""
    several = sums[0].n >= 2
    ai_e1, ai_e2, humans = (pooled_ratio(part, maxima, several) for part in sums)
    if not all(ratio.denominator.sum() > 0 for ratio in (ai_e1, ai_e2, humans)):
        return []
    with_ai = [Ratio(ratio.numerator, ratio.denominator, -0.5) for ratio in (ai_e1, ai_e2)]
    without = Ratio(humans.numerator, humans.denominator, 1.0)
    return [
        Combination(with_ai, -1.0, 1.0, 1.0),
        Combination([humans], -1.0, 1.0, 1.0),
        Combination([*with_ai, without], -2.0, 2.0),
    ]


def _bias(sums: list[Sums], maxima: FloatArray) -> list[Combination]:
    """The AI's mark less the mean of the two examiners', in % of the maximum; none without responses."""
    if maxima.size == 0:
        return []
    ai, first, second = sums[0].sx, sums[0].sy, sums[1].sy
    return [Combination([Ratio(100 * (ai - (first + second) / 2) / maxima, sums[0].n)], -100.0, 100.0)]

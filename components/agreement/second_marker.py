"""The second-marker report: is the AI as close to two examiners as they are to each other? (arXiv 2606.24973)"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from components.agreement.cluster import Ratio, cluster_interval
from components.agreement.exam import covering, pooled_ratio
from components.agreement.pairs import FloatArray, check_marks, column, paired
from components.agreement.results import Coverage, Statistic
from components.agreement.sums import Sums, grouped_sums

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
    ai: ArrayLike, e1: ArrayLike, e2: ArrayLike, question: Iterable[Hashable], max_mark: ArrayLike
) -> SecondMarkerReport:
    """The report on responses that all three have marked; `max_mark` is one number or one per response.

    Raises ValueError naming the response (from 1) whose mark is missing or off the scale, or whose maximum differs
    from that of its question.
    """
    first, second = paired(e1, e2, max_mark, names=("the first examiner's mark", "the second examiner's mark"))
    machine = column(ai)
    names, codes = _numbered(question)
    if not machine.size == first.size == codes.size:
        raise ValueError(f"There are {machine.size} AI marks, {first.size} double marks and {codes.size} questions.")
    check_marks(machine, "the AI's mark", max_mark, None)
    most = np.broadcast_to(np.asarray(max_mark, dtype=np.float64), machine.shape)
    maxima = _maxima(most, codes, len(names))
    combined = ((machine, first), (machine, second), (first, second))
    sums = [grouped_sums(x, y, codes, len(names)) for x, y in combined]
    qwk = np.array([part.qwk for part in sums]).reshape(3, -1)
    common = ~np.isnan(qwk).any(axis=0)
    r_a, r_h, delta = _aggregates(qwk[:, common], maxima[common])
    pooled_a, pooled_h, pooled_delta = _pooled(sums, maxima)
    return SecondMarkerReport(
        n=machine.size,
        coverage=covering(common, maxima),
        r_a=r_a,
        r_h=r_h,
        delta=delta,
        pooled_r_a=pooled_a,
        pooled_r_h=pooled_h,
        pooled_delta=pooled_delta,
        bias_percent=_bias(100 * (machine - (first + second) / 2) / most, codes, len(names)),
        questions=tuple(
            QuestionReport(name, float(most_), int(n), *(None if np.isnan(v) else float(v) for v in values))
            for name, most_, n, values in zip(names, maxima, sums[0].n, qwk.T, strict=True)
        ),
    )


def _numbered(question: Iterable[Hashable]) -> tuple[list[Hashable], NDArray[np.intp]]:
    """The questions in the order they first come, and each response's place among them."""
    numbers: dict[Hashable, int] = {}
    codes = [numbers.setdefault(name, len(numbers)) for name in question]
    return list(numbers), np.array(codes, dtype=np.intp)


def _maxima(most: FloatArray, codes: NDArray[np.intp], questions: int) -> FloatArray:
    maxima = np.zeros(questions)
    maxima[codes] = most
    wrong = maxima[codes] != most
    if wrong.any():
        position = int(np.argmax(wrong)) + 1
        raise ValueError(f"Response {position}: its maximum mark differs from another of the same question.")
    return maxima


def _aggregates(qwk: FloatArray, weights: FloatArray) -> tuple[Statistic, Statistic, Statistic]:
    if weights.size == 0:
        none = Statistic(None, NONE_COMMON)
        return none, none, none
    r_a, r_h = (qwk[0] + qwk[1]) / 2, qwk[2]
    return (
        _figure([Ratio(weights * r_a, weights)], 1.0),
        _figure([Ratio(weights * r_h, weights)], 1.0),
        _figure([Ratio(weights * (r_a - r_h), weights)], 2.0),
    )


def _pooled(sums: list[Sums], maxima: FloatArray) -> tuple[Statistic, Statistic, Statistic]:
    several = sums[0].n >= 2
    ai_e1, ai_e2, humans = (pooled_ratio(part, maxima, several) for part in sums)
    if not all(ratio.denominator.sum() > 0 for ratio in (ai_e1, ai_e2, humans)):
        none = Statistic(None, NO_SPREAD)
        return none, none, none
    with_ai = [Ratio(ratio.numerator, ratio.denominator, -0.5) for ratio in (ai_e1, ai_e2)]
    without = Ratio(humans.numerator, humans.denominator, 1.0)
    return _figure(with_ai, 1.0, 1.0), _figure([humans], 1.0, 1.0), _figure([*with_ai, without], 2.0)


def _bias(percent: FloatArray, codes: NDArray[np.intp], questions: int) -> Statistic:
    if percent.size == 0:
        return Statistic(None, NO_RESPONSES)
    n = np.bincount(codes, minlength=questions).astype(np.float64)
    total = np.bincount(codes, weights=percent, minlength=questions).astype(np.float64)
    return _figure([Ratio(total, n)], 100.0)


def _figure(ratios: list[Ratio], most: float, offset: float = 0.0) -> Statistic:
    interval, note = cluster_interval(ratios, -most, most, offset)
    return Statistic(offset + sum(ratio.value for ratio in ratios), note, interval)

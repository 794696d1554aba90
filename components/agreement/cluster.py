"""Intervals over an exam: whole questions are resampled, by how often each is drawn rather than by its pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from components.agreement.kappa import ZERO
from components.agreement.pairs import FloatArray
from components.agreement.quantiles import student_t
from components.agreement.results import Interval, Statistic

RESAMPLES = 2000
SEED = 20240607
FEWEST_EFFECTIVE = 30
OF_ONE_THREAD = 250_000  # multiplications that OpenBLAS leaves to one thread
ROWS_AT_ONCE = 100  # what these take stays in the processor's cache


@dataclass(frozen=True)
class Ratio:
    """factor · Σ numerator / Σ denominator, one entry of each per question.

    A weighted mean of k is the ratio of w·k to w; pooled QWK is 1 + Ratio(A, B, −1).
    """

    numerator: FloatArray
    denominator: FloatArray
    factor: float = 1.0

    @property
    def value(self) -> float:
        return self.factor * float(self.numerator.sum() / self.denominator.sum())

    @property
    def effective(self) -> float:
        """K_eff = (Σw)²/Σw²: how many equally weighty questions it is worth."""
        return float(self.denominator.sum() ** 2 / (self.denominator**2).sum())

    def influence(self) -> FloatArray:
        """What each question adds to the ratio's error, to first order; sums to 0."""
        ratio = self.numerator.sum() / self.denominator.sum()
        return np.asarray(self.factor * (self.numerator - ratio * self.denominator) / self.denominator.sum())

    def replicates(self, counts: NDArray[np.float64]) -> FloatArray:
        """The ratio under each resample, a row of `counts`: equal to recomputing it on the repeated questions."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.factor * (counts @ self.numerator) / (counts @ self.denominator))


@lru_cache(maxsize=8)
def resample_counts(questions: int, resamples: int = RESAMPLES, seed: int = SEED) -> NDArray[np.float64]:
    """How often each question is drawn in each resample: multinomial, the same for the same arguments, read-only.

    All statistics of one exam use this one matrix, so that their differences are compared on shared resamples.
    """
    random = np.random.default_rng(seed)
    counts = np.empty((resamples, questions))
    for first in range(0, resamples, ROWS_AT_ONCE):
        rows = counts[first : first + ROWS_AT_ONCE]
        drawn = random.integers(questions, size=rows.shape)
        drawn += questions * np.arange(rows.shape[0])[:, None]
        rows[:] = np.bincount(drawn.ravel(), minlength=rows.size).reshape(rows.shape)
    counts.setflags(write=False)
    return counts


def standard_error(ratios: Sequence[Ratio]) -> float:
    """Linearised standard error of a sum of ratios over the same questions, with K/(K − 1)."""
    influence = np.sum([ratio.influence() for ratio in ratios], axis=0)
    questions = influence.size
    return float(np.sqrt(questions / (questions - 1) * (influence**2).sum()))


@dataclass(frozen=True)
class Combination:
    """offset + a sum of ratios over the same questions, a figure that lies within least…most."""

    ratios: Sequence[Ratio]
    least: float
    most: float
    offset: float = 0.0

    @property
    def value(self) -> float:
        return self.offset + sum(ratio.value for ratio in self.ratios)

    @property
    def questions(self) -> int:
        return self.ratios[0].numerator.size

    @property
    def effective(self) -> float:
        return min(ratio.effective for ratio in self.ratios)


def cluster_interval(
    ratios: Sequence[Ratio], least: float, most: float, offset: float = 0.0
) -> tuple[Interval | None, str]:
    """95% interval of offset + a sum of ratios over the same questions, kept within least…most.

    The percentiles of a cluster bootstrap; with K_eff under 30, where those are too narrow, estimate ± t · SE with
    K_eff − 1 degrees of freedom. None, with the reason, where one question carries all the weight or nothing varies.
    """
    return cluster_intervals([Combination(ratios, least, most, offset)])[0]


def cluster_intervals(figures: Sequence[Combination]) -> list[tuple[Interval | None, str]]:
    """The interval of each figure, those over equally many questions all on one shared resample."""
    found = [_without_resampling(figure) for figure in figures]
    waiting: dict[int, list[int]] = {}
    for place, (figure, made) in enumerate(zip(figures, found, strict=True)):
        if made is None:
            waiting.setdefault(figure.questions, []).append(place)
    for places in waiting.values():
        for place, interval in zip(places, _resampled([figures[place] for place in places]), strict=True):
            found[place] = (interval, "")
    return [made for made in found if made is not None]


def _without_resampling(figure: Combination) -> tuple[Interval | None, str] | None:
    """The interval where it takes no resample, None where it does."""
    effective = figure.effective
    if figure.questions < 2 or effective <= 1 + 1e-9:
        return None, "no interval: it needs two questions"
    error = standard_error(figure.ratios)
    if error < ZERO:
        return None, "no interval: every question has the same figure"
    if effective >= FEWEST_EFFECTIVE:
        return None
    centre, reach = figure.value, student_t(effective - 1) * error
    return _kept(figure, centre - reach, centre + reach, "t over questions"), ""


def _resampled(figures: Sequence[Combination]) -> list[Interval]:
    """Percentile intervals of figures over equally many questions; each column is multiplied with the counts once."""
    columns = {id(part): part for f in figures for r in f.ratios for part in (r.numerator, r.denominator)}
    drawn = _product(resample_counts(figures[0].questions), np.column_stack(list(columns.values())))
    sums = dict(zip(columns, drawn.T, strict=True))
    with np.errstate(invalid="ignore", divide="ignore"):
        replicates = np.array(
            [
                f.offset + sum(r.factor * sums[id(r.numerator)] / sums[id(r.denominator)] for r in f.ratios)
                for f in figures
            ]
        )
    if np.isfinite(replicates).all():
        ends = np.quantile(replicates, [0.025, 0.975], axis=1).T
    else:  # a resample may by chance hold only questions without any spread
        ends = np.array([np.quantile(each[np.isfinite(each)], [0.025, 0.975]) for each in replicates])
    return [
        _kept(figure, float(low), float(high), "cluster bootstrap over questions")
        for figure, (low, high) in zip(figures, ends, strict=True)
    ]


def _product(counts: FloatArray, columns: FloatArray) -> FloatArray:
    """counts @ columns, a few rows at a time: so small a product is made by one thread.

    Several would wait for each other, on a busy machine for ten times as long as the work takes.
    """
    product = np.empty((counts.shape[0], columns.shape[1]))
    rows = max(1, OF_ONE_THREAD // columns.size)
    for first in range(0, counts.shape[0], rows):
        np.matmul(counts[first : first + rows], columns, out=product[first : first + rows])
    return product


def _kept(figure: Combination, low: float, high: float, method: str) -> Interval:
    return Interval(max(low, figure.least), min(high, figure.most), method)


def with_intervals(figures: Sequence[Combination]) -> list[Statistic]:
    """Each figure's value with its interval, or the reason why it has none."""
    return [
        Statistic(figure.value, note, interval)
        for figure, (interval, note) in zip(figures, cluster_intervals(figures), strict=True)
    ]

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
from components.agreement.results import Interval

RESAMPLES = 2000
SEED = 20240607
FEWEST_EFFECTIVE = 30


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
    drawn = np.random.default_rng(seed).integers(questions, size=(resamples, questions))
    drawn += questions * np.arange(resamples)[:, None]
    flat = np.bincount(drawn.ravel(), minlength=resamples * questions)
    counts = np.asarray(flat.reshape(resamples, questions), dtype=np.float64)
    counts.setflags(write=False)
    return counts


def standard_error(ratios: Sequence[Ratio]) -> float:
    """Linearised standard error of a sum of ratios over the same questions, with K/(K − 1)."""
    influence = np.sum([ratio.influence() for ratio in ratios], axis=0)
    questions = influence.size
    return float(np.sqrt(questions / (questions - 1) * (influence**2).sum()))


def cluster_interval(
    ratios: Sequence[Ratio], least: float, most: float, offset: float = 0.0
) -> tuple[Interval | None, str]:
    """95% interval of offset + a sum of ratios over the same questions, kept within least…most.

    The percentiles of a cluster bootstrap; with K_eff under 30, where those are too narrow, estimate ± t · SE with
    K_eff − 1 degrees of freedom. None, with the reason, where one question carries all the weight or nothing varies.
    """
    effective = min(ratio.effective for ratio in ratios)
    questions = ratios[0].numerator.size
    if questions < 2 or effective <= 1 + 1e-9:
        return None, "no interval: it needs two questions"
    error = standard_error(ratios)
    if error < ZERO:
        return None, "no interval: every question has the same figure"
    if effective < FEWEST_EFFECTIVE:
        centre, reach = offset + sum(ratio.value for ratio in ratios), student_t(effective - 1) * error
        low, high, method = centre - reach, centre + reach, "t over questions"
    else:
        counts = resample_counts(questions)
        replicates = offset + np.sum([ratio.replicates(counts) for ratio in ratios], axis=0)
        low, high = np.quantile(replicates[np.isfinite(replicates)], [0.025, 0.975])
        method = "cluster bootstrap over questions"
    return Interval(max(float(low), least), min(float(high), most), method), ""

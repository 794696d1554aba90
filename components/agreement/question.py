"""One question's agreement, with the rule of what may be said when there is little data."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from components.agreement.coefficients import (
    Correlations,
    IntraclassCorrelations,
    correlations,
    gwet_ac1,
    gwet_ac2,
    icc,
    krippendorff_alpha,
)
from components.agreement.differences import Differences, differences
from components.agreement.kappa import linear_weighted_kappa, quadratic_weighted_kappa_interval
from components.agreement.live import sample_size
from components.agreement.pairs import SLACK, FloatArray, column
from components.agreement.results import Standing, Statistic
from components.agreement.wording import count_of, direction_text, exact_text, kappa_text, kappa_with_interval

FEWEST_FOR_QWK = 10
FEWEST_FOR_PLAIN = 30


@dataclass(frozen=True)
class QuestionAgreement:
    """All of a question's figures.

    `qwk` obeys the small-n rule and is what a screen shows: None under 10 pairs. `raw_qwk` is the estimate whatever
    n is, for exports. `kappa_name` is "QWK", or "κ" where the maximum is one step and QWK is the plain κ; only there
    is `ac1` given. `sentence` says where the question stands in plain words. The properties are worked out when first
    asked for: screens show few of them, and of few questions.
    """

    n: int
    max_mark: float
    step: float
    tolerance: float
    standing: Standing
    kappa_name: str
    qwk: Statistic
    raw_qwk: Statistic
    ac1: Statistic
    differences: Differences
    sentence: str
    _alike: NDArray[np.complex128] = field(repr=False, compare=False)
    _times: NDArray[np.intp] = field(repr=False, compare=False)

    @property
    def _pairs(self) -> tuple[FloatArray, FloatArray]:
        """The marks of both, in another order."""
        pairs = np.repeat(self._alike, self._times)
        return pairs.real, pairs.imag

    @cached_property
    def linear_kappa(self) -> Statistic:
        """Linear weighted κ."""
        return linear_weighted_kappa(*self._pairs)

    @cached_property
    def ac2(self) -> Statistic:
        """Gwet's AC2 with quadratic weights on the full scale."""
        return gwet_ac2(*self._pairs, self.max_mark, self.step)

    @cached_property
    def alpha(self) -> Statistic:
        """Krippendorff's α, interval level."""
        return krippendorff_alpha(np.column_stack(self._pairs))

    @cached_property
    def icc(self) -> IntraclassCorrelations:
        """ICC(2,1) and ICC(3,1)."""
        return icc(np.column_stack(self._pairs))

    @cached_property
    def correlations(self) -> Correlations:
        """Pearson r, Spearman ρ, Kendall τ-b."""
        return correlations(*self._pairs)

    @cached_property
    def enough(self) -> Statistic:
        """How many pairs in all bring QWK's interval to about ± .1."""
        return sample_size(*self._pairs)


def question_agreement(
    ai: ArrayLike, teacher: ArrayLike, max_mark: float, step: float = 1.0, tolerance: float = 0.0
) -> QuestionAgreement:
    """One question's agreement. Raises ValueError naming the pair whose mark is missing or off the scale."""
    figures = differences(ai, teacher, max_mark, tolerance, step)
    raw = quadratic_weighted_kappa_interval(ai, teacher)
    one_step = max_mark <= step + SLACK
    name = "κ" if one_step else "QWK"
    if one_step:
        raw = Statistic(raw.value, raw.note.replace("QWK", "κ"), raw.interval)
    standing = standing_of(figures.n, raw)
    shown = raw if standing is not Standing.TOO_FEW else Statistic(None, f"{name} is shown from {FEWEST_FOR_QWK} pairs")
    # Alike pairs are counted together, as one number each with two parts: figures are kept for many questions.
    alike, times = np.unique(column(ai) + 1j * column(teacher), return_counts=True)
    ac1 = gwet_ac1(ai, teacher, max_mark, step) if one_step else Statistic(None, "given for one-step questions only")
    return QuestionAgreement(
        n=figures.n,
        max_mark=max_mark,
        step=step,
        tolerance=tolerance,
        standing=standing,
        kappa_name=name,
        qwk=shown,
        raw_qwk=raw,
        ac1=ac1,
        differences=figures,
        sentence=_sentence(standing, name, raw, ac1, figures),
        _alike=alike,
        _times=times,
    )


def standing_of(n: int, kappa: Statistic) -> Standing:
    """What n pairs with this kappa allow to be said."""
    if n < FEWEST_FOR_QWK:
        return Standing.TOO_FEW
    if kappa.value is None:
        return Standing.IDENTICAL
    return Standing.PROVISIONAL if n < FEWEST_FOR_PLAIN else Standing.PLAIN


def _sentence(standing: Standing, name: str, kappa: Statistic, ac1: Statistic, figures: Differences) -> str:
    pairs = count_of(figures.n, "pair")
    if figures.n == 0:
        return "No response has both marks yet."
    if standing is Standing.IDENTICAL:
        return f"All {figures.n:,} marks identical, {name} not measurable."
    closeness = f"{exact_text(figures.exact)}. {direction_text(figures)}."
    if standing is Standing.TOO_FEW:
        return f"{pairs} so far. {closeness} {name} is shown from {FEWEST_FOR_QWK} pairs."
    lead = f"On {pairs} the AI and the teacher agree at {kappa_with_interval(name, kappa)}"
    if "no spread" in kappa.note:
        lead = f"On {pairs} a marker gave every response the same mark, so {name} is 0 however close the marks are"
    if standing is Standing.PROVISIONAL:
        lead += f", provisional until {FEWEST_FOR_PLAIN} pairs"
    if ac1.value is not None:
        lead += f"; AC1, which does not fall when nearly all marks are the same, is {kappa_text(ac1.value)}"
    return f"{lead}. {closeness}"

"""An exam's agreement over its questions: the mark-weighted mean of QWK, the pooled QWK, and how much they rest on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from components.agreement.cluster import Ratio, cluster_interval
from components.agreement.differences import share
from components.agreement.pairs import SLACK, FloatArray, paired
from components.agreement.question import FEWEST_FOR_QWK, standing_of
from components.agreement.results import Coverage, Share, Standing, Statistic
from components.agreement.sums import NO_PAIRS, Sums, all_identical, sums_of
from components.agreement.wording import count_of, exact_text, kappa_with_interval

FEWEST_FOR_AGGREGATE = 20


@dataclass(frozen=True)
class QuestionPairs:
    """One question's complete pairs of marks."""

    question: str
    ai: ArrayLike
    teacher: ArrayLike
    max_mark: float
    step: float = 1.0
    tolerance: float = 0.0


@dataclass(frozen=True)
class QuestionSums:
    """All that an exam's figures need of one question, in eight numbers a database can keep: they add."""

    question: str
    max_mark: float
    n: int
    sx: float
    sy: float
    sxx: float
    syy: float
    sxy: float
    exact: int
    within: int


@dataclass(frozen=True)
class LeftOut:
    """A question that the aggregate leaves out, and why."""

    question: str
    reason: str


@dataclass(frozen=True)
class ExamAgreement:
    """Agreement over an exam.

    `aggregate` is ΣM·QWK / ΣM over the questions where QWK is defined, always printed with `coverage`. `pooled` is
    1 − ΣA/ΣB over questions with two pairs or more (`pooled_coverage`), unbiased where each has few; it is the
    headline while the median question has under 20 pairs. `qwk_n` is how many pairs the headline rests on, by which the
    small-n rule goes: questions that it leaves out have pairs too. `exact` and `within` are shares of all pairs,
    whose Wilson intervals take pairs as independent; `bias_percent` is the mean of 100·d/M, its interval over
    questions.
    """

    n: int
    qwk_n: int
    median_pairs: float
    aggregate: Statistic
    coverage: Coverage
    left_out: tuple[LeftOut, ...]
    pooled: Statistic
    pooled_coverage: Coverage
    headline: Literal["aggregate", "pooled"]
    exact: Share
    within: Share
    bias_percent: Statistic
    standing: Standing
    sentence: str

    @property
    def qwk(self) -> Statistic:
        """The headline figure, obeying the small-n rule: None where it rests on under 10 pairs."""
        if self.qwk_n < FEWEST_FOR_QWK:
            return Statistic(None, f"QWK is shown from {FEWEST_FOR_QWK} pairs")
        return self.aggregate if self.headline == "aggregate" else self.pooled

    @property
    def qwk_coverage(self) -> Coverage:
        """How much of the exam the headline figure rests on."""
        return self.coverage if self.headline == "aggregate" else self.pooled_coverage


def exam_agreement(pairs: Iterable[QuestionPairs]) -> ExamAgreement:
    """An exam's agreement from its pairs. Raises ValueError naming question and pair of a mark off the scale."""
    return exam_from_sums([question_sums(question) for question in pairs])


def question_sums(pairs: QuestionPairs) -> QuestionSums:
    """The eight numbers of one question. Raises ValueError naming question and pair of a mark off the scale."""
    try:
        x, y = paired(pairs.ai, pairs.teacher, pairs.max_mark, pairs.step)
    except ValueError as error:
        raise ValueError(f"Question {pairs.question}: {error}") from None
    s = sums_of(x, y)
    apart = np.abs(x - y)
    return QuestionSums(
        pairs.question,
        pairs.max_mark,
        n=x.size,
        sx=float(s.sx),
        sy=float(s.sy),
        sxx=float(s.sxx),
        syy=float(s.syy),
        sxy=float(s.sxy),
        exact=int(np.count_nonzero(apart <= SLACK)),
        within=int(np.count_nonzero(apart <= pairs.tolerance + SLACK)),
    )


def exam_from_sums(questions: Sequence[QuestionSums], alone: Statistic | None = None) -> ExamAgreement:
    """An exam's agreement from its questions' sums alone, equal to that from the pairs.

    `alone` is the QWK, with its own interval, of a question that is the only one with pairs: there are no questions
    to make an interval over. Raises ValueError when a question comes twice or a maximum is not above 0.
    """
    names = [question.question for question in questions]
    if len(set(names)) != len(names):
        raise ValueError("A question is given twice.")
    max_mark = np.array([question.max_mark for question in questions], dtype=np.float64)
    if not (max_mark > 0).all():
        raise ValueError("The maximum mark must be above 0.")
    sums = _stacked(questions)
    n = int(sums.n.sum())
    paired_n = sums.n[sums.n > 0]
    median = float(np.median(paired_n)) if paired_n.size else 0.0
    # Pooling is for many questions with few pairs each; a question alone keeps its own QWK.
    pool = median < FEWEST_FOR_AGGREGATE and int(np.count_nonzero(sums.n)) > 1
    headline: Literal["aggregate", "pooled"] = "pooled" if pool else "aggregate"
    aggregate, coverage = weighted_mean_qwk(sums.qwk, max_mark)
    if alone is not None and paired_n.size == 1:
        aggregate = alone
    pooled, pooled_coverage = pooled_qwk(sums, max_mark)
    exact = share(sum(question.exact for question in questions), n)
    within = share(sum(question.within for question in questions), n)
    figure, covered = (aggregate, coverage) if headline == "aggregate" else (pooled, pooled_coverage)
    identical = n > 0 and bool(np.isnan(sums.qwk[sums.n > 0]).all())
    behind = ~np.isnan(sums.qwk) if headline == "aggregate" else sums.n >= 2
    qwk_n = n if identical else int(sums.n[behind].sum())
    standing = _standing(qwk_n, figure, identical)
    return ExamAgreement(
        n=n,
        qwk_n=qwk_n,
        median_pairs=median,
        aggregate=aggregate,
        coverage=coverage,
        left_out=tuple(
            LeftOut(name, all_identical(int(count)) if count else NO_PAIRS)
            for name, count, value in zip(names, sums.n, sums.qwk, strict=True)
            if np.isnan(value)
        ),
        pooled=pooled,
        pooled_coverage=pooled_coverage,
        headline=headline,
        exact=exact,
        within=within,
        bias_percent=_bias_percent(sums, max_mark),
        standing=standing,
        sentence=_sentence(standing, n, qwk_n, figure, covered, exact, identical),
    )


def weighted_mean_qwk(qwk: FloatArray, max_mark: FloatArray) -> tuple[Statistic, Coverage]:
    """ΣM·QWK / ΣM over the questions whose QWK is not nan, with its interval and coverage."""
    defined = ~np.isnan(qwk)
    coverage = covering(defined, max_mark)
    if not defined.any():
        return Statistic(None, "QWK is not measurable on any question"), coverage
    weights = max_mark[defined]
    mean = Ratio(weights * qwk[defined], weights)
    interval, note = cluster_interval([mean], -1.0, 1.0)
    return Statistic(mean.value, note, interval), coverage


def pooled_qwk(sums: Sums, max_mark: FloatArray) -> tuple[Statistic, Coverage]:
    """1 − ΣA/ΣB over the questions with two pairs or more, with its interval and coverage."""
    several = sums.n >= 2
    coverage = covering(several, max_mark)
    if not several.any():
        return Statistic(None, "no question has two pairs yet"), coverage
    ratio = pooled_ratio(sums, max_mark, several)
    if ratio.denominator.sum() == 0:
        return Statistic(None, "all marks of each question identical, QWK not measurable"), coverage
    interval, note = cluster_interval([ratio], -1.0, 1.0, offset=1.0)
    return Statistic(1 + ratio.value, note, interval), coverage


def pooled_ratio(sums: Sums, max_mark: FloatArray, several: np.ndarray) -> Ratio:
    """−ΣA/ΣB over the questions marked in `several`, which all need two pairs.

    A is the mean of d²/M, B that of (x_i − y_j)²/M over i ≠ j: a response against itself would bias B when n is small.
    """
    n, squared = sums.n[several], sums.squared_differences[several]
    others = np.maximum(sums.all_squared_differences[several] - squared, 0.0)
    return Ratio(squared / n / max_mark[several], others / (n * (n - 1)) / max_mark[several], -1.0)


def covering(included: np.ndarray, max_mark: FloatArray) -> Coverage:
    """How many of the questions, and of the marks, are included."""
    return Coverage(int(included.sum()), included.size, float(max_mark[included].sum()), float(max_mark.sum()))


def _stacked(questions: Sequence[QuestionSums]) -> Sums:
    rows = [(q.n, q.sx, q.sy, q.sxx, q.syy, q.sxy) for q in questions]
    return Sums(*np.array(rows, dtype=np.float64).reshape(-1, 6).T)


def _bias_percent(sums: Sums, max_mark: FloatArray) -> Statistic:
    marked = sums.n > 0
    if not marked.any():
        return Statistic(None, NO_PAIRS)
    ratio = Ratio((100 * (sums.sx - sums.sy) / max_mark)[marked], sums.n[marked])
    interval, note = cluster_interval([ratio], -100.0, 100.0)
    return Statistic(ratio.value, note, interval)


def _standing(n: int, figure: Statistic, identical: bool) -> Standing:
    if figure.value is None and not identical:
        return Standing.TOO_FEW
    return standing_of(n, figure)


def _sentence(
    standing: Standing, n: int, qwk_n: int, figure: Statistic, coverage: Coverage, exact: Share, identical: bool
) -> str:
    if n == 0:
        return "No response has both marks yet."
    pairs = count_of(n, "pair")
    if standing is Standing.TOO_FEW:
        why = n >= FEWEST_FOR_QWK and figure.value is None
        rule = f"No QWK yet: {figure.note}" if why else f"QWK is shown from {FEWEST_FOR_QWK} pairs"
        return f"{pairs} so far. {exact_text(exact)}. {rule}."
    if identical:
        return f"On {pairs} every question's marks are identical, QWK not measurable."
    measured = count_of(qwk_n, "pair")
    lead = f"On {measured} the AI and the teachers agree at {kappa_with_interval('QWK', figure)}, over {coverage}"
    if standing is Standing.PROVISIONAL:
        lead += "; provisional until 30 pairs"
    return f"{lead}. {exact_text(exact)}."

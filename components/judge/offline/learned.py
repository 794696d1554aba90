"""Learns to mark one question from a teacher's marks, and tests itself on them before it may speak."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from components.judge.offline.features import AnswerFeatures, Rows, Sample
from components.judge.offline.figures import qwk, qwk_interval, short, short_interval
from components.judge.offline.ridge import Cuts, Ridge, fit_ridge, match_distribution
from components.judge.offline.wording_check import reference
from components.marking import Confidence, Question, QuestionType, Scale, Scheme

Numbers = NDArray[np.float64]
LEAST_MARKS = 10
LEAST_QWK = 0.3
WORDING_WORTH = 4  # the wording check counts as much as this many of the teacher's marks
FOLDS = 10
SEED = 20_260
SURE_ACCURACY = 0.8  # exact on the surest quarter, from which it may be called sure
FAIR_ACCURACY = 0.6
LEAST_TESTED = 8  # marks in the surest quarter, below which its accuracy proves nothing


@dataclass(frozen=True)
class MarkedAnswer:
    """An answer with a teacher's mark: `in_view` if it was given with a proposal in view, `imported` if not here."""

    text: str
    mark: float
    in_view: bool = False
    imported: bool = False


@dataclass(frozen=True)
class NotEnough:
    """Why nothing was learned, in words for a teacher."""

    reason: str


@dataclass(frozen=True)
class Guess:
    """A learned mark, its certainty from 0 to 1, and how far the marker's own tests say it may be relied on."""

    mark: float
    certainty: float
    confidence: Confidence


@dataclass(frozen=True)
class LearnedMarker:
    """What was learned from `n` marks on one question. Can be pickled; the same marks always give the same marker.

    `in_view` of the marks were given with a proposal in view, which draws them towards it; `imported` came from
    outside. `qwk` and `interval` are on predictions of marks it had not seen (10 folds), `length_qwk` is what answer
    length alone reaches in the same test. It is `trusted` from LEAST_QWK up and above length; `reason` says so.
    """

    n: int
    in_view: int
    imported: int
    qwk: float
    interval: tuple[float, float] | None
    length_qwk: float
    trusted: bool
    reason: str
    scale: Scale
    sure_from: float
    fair_from: float
    _features: AnswerFeatures
    _model: _Model

    @property
    def figures(self) -> str:
        """`Learned from your 37 marks. Tested on them: QWK .58 (.41–.71)`, and what flatters that figure."""
        said = f"{self.source}. Tested on them: QWK {short(self.qwk)}{short_interval(self.interval)}"
        if self.in_view:
            said += f", flattered by the {self.in_view} given with a proposal in view"
        return said

    @property
    def source(self) -> str:
        """Whose marks it learned from."""
        if self.imported:
            return f"Learned from {self.n} marks, {self.imported} of them imported"
        return f"Learned from your {self.n} marks"

    def guess(self, text: str) -> Guess:
        """The mark for an answer. Takes some milliseconds."""
        predicted = self._model.predict(self._features([text]))
        mark = float(self._model.cuts.mark(predicted)[0])
        certainty = float(self._model.cuts.certainty(predicted)[0])
        if certainty >= self.sure_from:
            return Guess(mark, certainty, Confidence.SURE)
        return Guess(mark, certainty, Confidence.FAIRLY_SURE if certainty >= self.fair_from else Confidence.UNSURE)


@dataclass(frozen=True)
class _Model:
    """A ridge blended with the wording check, and the cuts into marks."""

    seen: Sample
    ridge: Ridge
    cuts: Cuts
    max_mark: float

    @classmethod
    def fit(cls, seen: Sample, marks: Numbers, max_mark: float) -> _Model:
        ridge = fit_ridge(*seen.kernels(seen), marks)
        blended = _blend(ridge.left_out, seen.shares * max_mark, len(marks))
        return cls(seen, ridge, match_distribution(blended, marks), max_mark)

    def predict(self, sample: Sample) -> Numbers:
        predicted = self.ridge.predict(*sample.kernels(self.seen))
        return _blend(predicted, sample.shares * self.max_mark, len(self.seen.shares))


def train(
    question: Question, scheme: Scheme, marked: Sequence[MarkedAnswer], unmarked: Sequence[str] = ()
) -> LearnedMarker | NotEnough:
    """A marker learned from the teacher's marks on one question; about a second for 200.

    `unmarked` answers teach how common each word is. Blank answers are left out. Raises MarkError for a mark that
    is not on the scale; NotEnough for an essay, under LEAST_MARKS marks, or marks that are all the same.
    """
    for number, answer in enumerate(marked, 1):
        scheme.scale.check(answer.mark, f"Marked answer {number}")
    if question.type is QuestionType.ESSAY:
        return NotEnough("Essays are not learned: their marks do not follow from their words.")
    written = [answer for answer in marked if answer.text.strip()]
    if len(written) < LEAST_MARKS:
        return NotEnough(f"{len(written)} of the {LEAST_MARKS} marks needed to learn from, blank answers not counted.")
    marks = np.array([answer.mark for answer in written], dtype=np.float64)
    if len(np.unique(marks)) < 2:
        return NotEnough(f"All {len(marks)} marks are {marks[0]:g}, so there is nothing to tell apart yet.")
    texts = [answer.text for answer in written]
    others = [text for text in unmarked if text.strip()]
    features = AnswerFeatures(reference(question, scheme), [*texts, *others])
    seen = features.fit([*texts, *others])[np.arange(len(texts))]
    tested = _out_of_fold(marks, _model_fold(seen, marks, scheme.max_mark))
    lengths = np.log1p(np.array([len(text.split()) or 1 for text in texts], dtype=np.float64))
    by_length = _out_of_fold(marks, _length_fold(lengths, marks))
    reached, length_reached = qwk(tested.marks, marks), qwk(by_length.marks, marks)
    trusted, reason = _verdict(reached, length_reached)
    sure_from, fair_from = _confidence_bounds(tested, marks)
    return LearnedMarker(
        n=len(marks),
        in_view=sum(answer.in_view for answer in written),
        imported=sum(answer.imported for answer in written),
        qwk=reached,
        interval=qwk_interval(tested.marks, marks),
        length_qwk=length_reached,
        trusted=trusted,
        reason=reason,
        scale=scheme.scale,
        sure_from=sure_from,
        fair_from=fair_from,
        _features=features,
        _model=_Model.fit(seen, marks, scheme.max_mark),
    )


@dataclass(frozen=True)
class _Tested:
    """Marks predicted for answers left out of the fit, and how certain each was."""

    marks: Numbers
    certainty: Numbers


Fold = Callable[[Rows, Rows], tuple[Cuts, Numbers]]


def _out_of_fold(marks: Numbers, fold: Fold) -> _Tested:
    """Predictions of every mark by fits that had not seen it, cuts included. Folds are dealt by rank of mark."""
    shuffled = np.random.default_rng(SEED).permutation(len(marks))
    by_mark = shuffled[np.argsort(marks[shuffled], kind="stable")]
    tested, certainty = np.empty_like(marks), np.empty_like(marks)
    for start in range(FOLDS):
        out = by_mark[start::FOLDS]
        kept = np.setdiff1d(by_mark, out)
        cuts, predicted = fold(kept, out)
        tested[out], certainty[out] = cuts.mark(predicted), cuts.certainty(predicted)
    return _Tested(tested, certainty)


def _model_fold(seen: Sample, marks: Numbers, max_mark: float) -> Fold:
    def fold(kept: Rows, out: Rows) -> tuple[Cuts, Numbers]:
        model = _Model.fit(seen[kept], marks[kept], max_mark)
        return model.cuts, model.predict(seen[out])

    return fold


def _length_fold(lengths: Numbers, marks: Numbers) -> Fold:
    def fold(kept: Rows, out: Rows) -> tuple[Cuts, Numbers]:
        predict = _line(lengths[kept], marks[kept])
        return match_distribution(predict(lengths[kept]), marks[kept]), predict(lengths[out])

    return fold


def _line(x: Numbers, y: Numbers) -> Callable[[Numbers], Numbers]:
    """Least squares through the points."""
    away = x - x.mean()
    slope = float(away @ y) / max(float(away @ away), 1e-9)
    return lambda new: np.asarray(y.mean() + slope * (new - x.mean()), dtype=np.float64)


def _blend(predicted: Numbers, wording: Numbers, n: int) -> Numbers:
    return np.asarray((n * predicted + WORDING_WORTH * wording) / (n + WORDING_WORTH), dtype=np.float64)


def _verdict(reached: float, by_length: float) -> tuple[bool, str]:
    if math.isnan(reached) or reached < LEAST_QWK:
        return False, f"Its QWK on your own marks is {short(reached)}, under {short(LEAST_QWK)}."
    if reached <= by_length:
        return False, f"Its QWK on your own marks is {short(reached)}; answer length alone reaches {short(by_length)}."
    return True, f"Its QWK on your own marks is {short(reached)}; answer length alone reaches {short(by_length)}."


def _confidence_bounds(tested: _Tested, marks: Numbers) -> tuple[float, float]:
    """Certainty from which it may say sure (its surest quarter) and fairly sure (the surer half), or infinity.

    Only where enough left-out answers of that quarter or half got exactly the teacher's mark.
    """
    right = tested.marks == marks
    sure, fair = (_bound(tested.certainty, right, *part) for part in ((0.75, SURE_ACCURACY), (0.5, FAIR_ACCURACY)))
    return sure, min(sure, fair)


def _bound(certainty: Numbers, right: NDArray[np.bool_], quantile: float, accuracy: float) -> float:
    bound = float(np.quantile(certainty, quantile))
    top = right[certainty >= bound]
    return bound if len(top) >= LEAST_TESTED and float(top.mean()) >= accuracy else math.inf

"""How two teachers agree on the same answers: GAOKAO-Bench's double-marked ones, by subject."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from components.agreement import Interval, Share, Statistic, quadratic_weighted_kappa, share
from components.agreement.pairs import FloatArray
from components.agreement.quantiles import student_t
from components.agreement.sums import Sums
from components.intake.benchmarks.items import ShippedResult
from components.workflow.benchmarks.figures_groups import grouped
from components.workflow.benchmarks.subjects import paper_name, subject_of

FEWEST = 10  # the engine's rule: under ten pairs no QWK is shown
ZERO = 1e-12
TWO_MARKS = 2


@dataclass(frozen=True)
class DoubleMarked:
    """One answer with two teachers' marks out of `full`; `item` is the same for every answer to the same question."""

    item: str
    paper: str
    subject: str
    full: float
    first: float
    second: float


@dataclass(frozen=True)
class TeacherRow:
    """A subject or paper. `qwk` is on mark fractions, `qwk_on_marks` on marks as given.

    `left_out` answers have fewer than two marks on their scale. `identical`: the teachers never differ.
    """

    name: str
    n: int
    items: int
    left_out: int
    qwk: Statistic
    qwk_on_marks: Statistic
    exact: Share

    @property
    def identical(self) -> bool:
        return self.n > 0 and self.exact.count == self.n


@dataclass(frozen=True)
class TeacherFigures:
    """`differing_only` is over the papers in which the two teachers differ at least once; None where that is all."""

    total: TeacherRow
    differing_only: TeacherRow | None
    by_subject: tuple[TeacherRow, ...]
    by_paper: tuple[TeacherRow, ...]


def teacher_figures(results: Iterable[ShippedResult]) -> TeacherFigures | None:
    """Agreement of two teachers, over everything, by subject and by paper; None where no answer has two marks.

    QWK on mark fractions is 1 − nΣd² / (nΣx² + nΣy² − 2ΣxΣy) of x = m₁/M and y = m₂/M over all answers as one set:
    the engine's quadratic-weighted kappa (design note on agreement), whose label set cancels, so that questions out of
    different maxima can share one scale. This gives the .96 that is quoted for GAOKAO-Bench's two teachers. Pooling
    within questions, the engine's headline for an exam, has two answers a question to go by here and gives .80: it
    asks how two teachers tell two answers to the *same* question apart, which is another and harder question.
    """
    marked = [
        each for each in results if each.item.open and (each.human_marks or not (each.corrections or each.grading))
    ]
    pairs = [pair for each in marked if (pair := _pair(each)) is not None]
    if not pairs:
        return None
    by_paper = _rows(marked, lambda each: paper_name(each.item.task))
    differing = {row.name for row in by_paper if row.n and not row.identical}
    some = [each for each in marked if paper_name(each.item.task) in differing]
    return TeacherFigures(
        total=_row("All", marked),
        differing_only=_row("Papers in which they differ", some) if len(some) < len(marked) and some else None,
        by_subject=_rows(marked, lambda each: subject_of(each.item)),
        by_paper=by_paper,
    )


def double_marked(results: Iterable[ShippedResult]) -> list[DoubleMarked]:
    """The written answers that have two teachers' marks, both on the scale."""
    return [pair for each in results if each.item.open and (pair := _pair(each)) is not None]


def qwk_over_items(x: Sequence[float] | FloatArray, y: Sequence[float] | FloatArray, items: Sequence[str]) -> Statistic:
    """QWK of all pairs as one set, its 95% interval by leaving out each item in turn.

    Answers to the same question are not independent, so whole items are left out (jackknife), on the scale of atanh,
    with t of one less than the items: as the delta method does for independent pairs. No interval where nothing varies.
    """
    xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    kappa = quadratic_weighted_kappa(xs, ys)
    if xs.size < FEWEST:
        return Statistic(None, f"QWK is shown from {FEWEST} pairs")
    if kappa.value is None:
        return kappa
    _, codes = np.unique(np.asarray(items), return_inverse=True)
    k = int(codes.max()) + 1
    columns = (np.ones_like(xs), xs, ys, xs * xs, ys * ys, xs * ys)
    parts = np.stack([np.bincount(codes, weights=column, minlength=k) for column in columns])
    with np.errstate(invalid="ignore"):
        without = Sums(*(parts.sum(axis=1, keepdims=True) - parts)).qwk
    if k < 3 or np.isnan(without).any():
        return Statistic(kappa.value, "no interval: too few items")
    error = math.sqrt((k - 1) / k * float(((without - without.mean()) ** 2).sum()))
    if error < ZERO or 1 - kappa.value**2 < ZERO:
        return Statistic(kappa.value, "no interval: QWK has no sampling spread here")
    centre, reach = math.atanh(kappa.value), student_t(k - 1) * error / (1 - kappa.value**2)
    interval = Interval(math.tanh(centre - reach), math.tanh(centre + reach), "jackknife over items")
    return Statistic(kappa.value, kappa.note, interval)


def _pair(result: ShippedResult) -> DoubleMarked | None:
    item, marks = result.item, result.human_marks
    on_scale = all(math.isfinite(mark) and 0 <= mark <= item.full_marks for mark in marks)
    if len(marks) != TWO_MARKS or not on_scale:
        return None
    return DoubleMarked(f"{item.task} {item.number}", paper_name(item.task), subject_of(item), item.full_marks, *marks)


def _rows(marked: Sequence[ShippedResult], named: Callable[[ShippedResult], str]) -> tuple[TeacherRow, ...]:
    return tuple(_row(name, group) for name, group in grouped(marked, named))


def _row(name: str, marked: Sequence[ShippedResult]) -> TeacherRow:
    pairs = double_marked(marked)
    first, second = np.array([p.first for p in pairs]), np.array([p.second for p in pairs])
    full, items = np.array([p.full for p in pairs]), [p.item for p in pairs]
    return TeacherRow(
        name=name,
        n=len(pairs),
        items=len(set(items)),
        left_out=len(marked) - len(pairs),
        qwk=qwk_over_items(first / full, second / full, items),
        qwk_on_marks=qwk_over_items(first, second, items),
        exact=share(int(np.count_nonzero(first == second)), len(pairs)),
    )

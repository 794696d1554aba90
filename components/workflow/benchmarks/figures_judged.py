"""A judge against the mean of two teachers on the same answers, as GAOKAO-Bench reports it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from components.agreement import Interval, Ratio, Statistic, cluster_interval, correlations, resample_counts
from components.agreement.pairs import FloatArray
from components.intake.benchmarks.items import ShippedResult
from components.workflow.benchmarks.figures_subjective import faults_of
from components.workflow.benchmarks.subjects import subject_of

ROWS_AT_ONCE = 250
MOST_RESAMPLED = 4000  # answers; a rank correlation compares each with each
RESAMPLED = "cluster bootstrap over items"


@dataclass(frozen=True)
class JudgedRow:
    """One answer: `item` names the question (the same for each answer to it), marks are out of `max_mark`."""

    item: str
    subject: str
    max_mark: float
    judge: float
    first: float
    second: float

    @property
    def teachers(self) -> float:
        return (self.first + self.second) / 2


@dataclass(frozen=True)
class JudgedFigures:
    """A subject's, or everything's. Correlations are of mark fractions, against the teachers' mean.

    `judge_total` and `teachers_total` are marks over all `n` answers, out of `full`; `deviation` is the difference of
    the totals as % of the teachers' (+: the judge gives more), `deviation_marks` the mean difference of an answer.
    """

    name: str
    n: int
    items: int
    full: float
    spearman: Statistic
    kendall: Statistic
    judge_total: float
    teachers_total: float
    deviation: Statistic
    deviation_marks: Statistic


@dataclass(frozen=True)
class JudgedAgainstTeachers:
    total: JudgedFigures
    by_subject: tuple[JudgedFigures, ...]


def judged_against_teachers(rows: Sequence[JudgedRow]) -> JudgedAgainstTeachers | None:
    """Spearman, Kendall τ-b and deviation of totals, with 95% intervals from resampling items; None without rows.

    Fractions, because a question out of 25 would outrank one out of 5 by its maximum alone and make any judge look
    good. Raises ValueError naming the item of a mark off its scale.
    """
    for row in rows:
        for mark in (row.judge, row.first, row.second):
            if not 0 <= mark <= row.max_mark:
                raise ValueError(f"{row.item}: {mark:g} is not a mark out of {row.max_mark:g}.")
    if not rows:
        return None
    subjects = sorted({row.subject for row in rows})
    return JudgedAgainstTeachers(
        _figures("All", rows),
        tuple(_figures(subject, [row for row in rows if row.subject == subject]) for subject in subjects),
    )


def judged_rows(results: Iterable[ShippedResult]) -> list[JudgedRow]:
    """The answers that two teachers and a judge have marked, wherever in the results the two stand.

    A judge's mark and the teachers' belong together where task, number and the reply are the same. Invalid marks of
    the judge are left out, as everywhere.
    """
    judged: dict[tuple[str, str, str], float] = {}
    taught: dict[tuple[str, str, str], ShippedResult] = {}
    for each in results:
        if not each.item.open:
            continue
        place = (each.item.task, each.item.number, each.model_output)
        if each.corrections and not faults_of(each.corrections, each.item.full_marks):
            judged[place] = each.corrections[0]
        on_scale = all(0 <= mark <= each.item.full_marks for mark in each.human_marks)
        if len(each.human_marks) == 2 and on_scale:
            taught[place] = each
    return [
        JudgedRow(
            f"{task} {number}",
            subject_of(taught[place].item),
            taught[place].item.full_marks,
            judged[place],
            *taught[place].human_marks,
        )
        for place in taught
        if place in judged
        for task, number, _ in [place]
    ]


def _figures(name: str, rows: Sequence[JudgedRow]) -> JudgedFigures:
    full = np.array([row.max_mark for row in rows])
    judge, teachers = np.array([row.judge for row in rows]), np.array([row.teachers for row in rows])
    _, codes = np.unique([row.item for row in rows], return_inverse=True)
    alike = correlations(judge / full, teachers / full)
    spearman, kendall = _with_intervals(alike.spearman, alike.kendall, judge / full, teachers / full, codes)
    gaps = np.bincount(codes, weights=judge - teachers)
    return JudgedFigures(
        name=name,
        n=len(rows),
        items=int(codes.max()) + 1,
        full=float(full.sum()),
        spearman=spearman,
        kendall=kendall,
        judge_total=float(judge.sum()),
        teachers_total=float(teachers.sum()),
        deviation=_ratio(gaps, np.bincount(codes, weights=teachers), 100.0, "the teachers gave no marks"),
        deviation_marks=_ratio(gaps, np.bincount(codes), 1.0, ""),
    )


def _ratio(numerator: ArrayLike, denominator: ArrayLike, factor: float, why: str) -> Statistic:
    top, below = np.asarray(numerator, dtype=np.float64), np.asarray(denominator, dtype=np.float64)
    if below.sum() == 0:
        return Statistic(None, why)
    ratio = Ratio(top, below, factor)
    interval, note = cluster_interval([ratio], -np.inf, np.inf)
    return Statistic(ratio.value, note, interval)


def _with_intervals(
    spearman: Statistic, kendall: Statistic, x: FloatArray, y: FloatArray, codes: NDArray[np.intp]
) -> tuple[Statistic, Statistic]:
    items = int(codes.max()) + 1
    if spearman.value is None or kendall.value is None:
        return spearman, kendall
    if items < 3 or x.size > MOST_RESAMPLED:
        why = "no interval: too few items" if items < 3 else f"no interval above {MOST_RESAMPLED:,} answers"
        return Statistic(spearman.value, why), Statistic(kendall.value, why)
    # Answers with the same two marks are alike to a rank: counted together, there are far fewer to compare.
    cells, cell = np.unique(np.stack([x, y]), axis=1, return_inverse=True)
    order = np.argsort(cell.ravel(), kind="stable")
    starts = np.searchsorted(cell.ravel()[order], np.arange(cells.shape[1]))
    drawn = resample_counts(items)
    blocks = [
        np.add.reduceat(drawn[first : first + ROWS_AT_ONCE][:, codes[order]], starts, axis=1)
        for first in range(0, drawn.shape[0], ROWS_AT_ONCE)
    ]
    ranks = np.concatenate([spearman_weighted(cells[0], cells[1], block) for block in blocks])
    taus = kendall_weighted(cells[0], cells[1], np.concatenate(blocks))
    return _percentiles(spearman.value, ranks), _percentiles(kendall.value, taus)


def _percentiles(value: float, replicates: FloatArray) -> Statistic:
    kept = replicates[np.isfinite(replicates)]
    if kept.size == 0 or kept.min() == kept.max():
        return Statistic(value, "no interval: it does not vary over items")
    low, high = np.quantile(kept, [0.025, 0.975])
    return Statistic(value, "", Interval(float(low), float(high), RESAMPLED))


def spearman_weighted(x: FloatArray, y: FloatArray, counts: FloatArray) -> FloatArray:
    """Spearman's ρ of each resample, a row of `counts` (how often each pair is in it): as on the repeated pairs."""
    rx, ry = _ranks(x, counts), _ranks(y, counts)
    n = counts.sum(axis=1)
    mx, my = (counts * rx).sum(axis=1) / n, (counts * ry).sum(axis=1) / n
    dx, dy = rx - mx[:, None], ry - my[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(
            (counts * dx * dy).sum(axis=1) / np.sqrt((counts * dx * dx).sum(axis=1) * (counts * dy * dy).sum(axis=1))
        )


def kendall_weighted(x: FloatArray, y: FloatArray, counts: FloatArray) -> FloatArray:
    """Kendall's τ-b of each resample, a row of `counts`: as on the repeated pairs."""
    by_x, by_y = (np.sign(v[:, None] - v[None, :]).astype(np.float32) for v in (x, y))
    often = counts.astype(np.float32)

    def over_pairs(signs: NDArray[np.float32]) -> FloatArray:
        return np.asarray(((often @ signs) * often).sum(axis=1, dtype=np.float64))

    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(over_pairs(by_x * by_y) / np.sqrt(over_pairs(np.abs(by_x)) * over_pairs(np.abs(by_y))))


def _ranks(values: FloatArray, counts: FloatArray) -> FloatArray:
    """Middle ranks within each resample: all below, and half of its own kind and one."""
    labels, codes = np.unique(values, return_inverse=True)
    kinds = np.zeros((counts.shape[0], labels.size))
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(labels.size))
    kinds[:] = np.add.reduceat(counts[:, order], starts, axis=1)
    middle = np.cumsum(kinds, axis=1) - kinds / 2 + 0.5
    return np.asarray(middle[:, codes])

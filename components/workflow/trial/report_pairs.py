"""Arms otherwise alike: with and without marking criteria, over the number of examples, and the same judge twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from components.agreement import (
    Coverage,
    JudgeComparison,
    Share,
    Statistic,
    exam_from_sums,
    judge_comparison,
    quadratic_weighted_kappa_interval,
)
from components.agreement.exam import FEWEST_FOR_AGGREGATE
from components.agreement.question import FEWEST_FOR_QWK
from components.workflow.trial.data import Arm
from components.workflow.trial.report_common import Marked
from components.workflow.trial.report_compare import Comparison, compare
from components.workflow.trial.report_qwk import question_sums_of

FEW = Statistic(None, f"QWK is shown from {FEWEST_FOR_QWK} responses")


@dataclass(frozen=True)
class CriteriaPair:
    """An arm told the marking criteria and one not, otherwise alike, against one human on the responses that both and
    that human marked. `difference` is the QWK with criteria less that without."""

    with_criteria: int
    without: int
    human: str
    n: int
    coverage: Coverage
    told: Statistic
    untold: Statistic
    difference: Statistic


@dataclass(frozen=True)
class ShotCurve:
    """Arms alike but for the number of examples, as (examples, arm), on the responses that all of them marked."""

    name: str
    points: tuple[tuple[int, int], ...]
    on: Comparison


@dataclass(frozen=True)
class Repeat:
    """The same judge asked twice in the same way: how often it said the same, and the QWK of the one with the other."""

    first: int
    second: int
    exact: Share
    qwk: Statistic
    coverage: Coverage


def criteria_pairs(marked: Marked) -> tuple[CriteriaPair, ...]:
    """Each pair against each human, in the arms' order. Examples show no grading process to an arm without criteria,
    as it would name them: such an arm is held against one with it where there is no other."""
    data = marked.data
    found = []
    for group in _alike(marked, lambda arm: (arm.judge_id, arm.shots, arm.repeat)):
        told = [place for place in group if data.arms[place].arm.criteria]
        for untold in (place for place in group if not data.arms[place].arm.criteria):
            grading = data.arms[untold].arm.grading
            alike = [place for place in told if data.arms[place].arm.grading is grading] or told
            if alike:
                found += _criteria(marked, alike[0], untold)
    return tuple(found)


def _criteria(marked: Marked, told: int, untold: int) -> list[CriteriaPair]:
    data = marked.data
    humans = [(data.first_marker or "the first marker", data.first)]
    if data.double_marked:
        humans.append((data.second_marker or "the second marker", data.second))
    made = []
    for name, marks in humans:
        rows = np.flatnonzero(marked.given[told] & marked.given[untold] & ~np.isnan(marks))
        a, b = data.arms[told].marks[rows], data.arms[untold].marks[rows]
        found = judge_comparison(a, b, marks[rows], data.question[rows], marked.maxima[rows])
        counts = np.bincount(data.question[rows], minlength=1)
        made.append(CriteriaPair(told, untold, name, found.n, found.coverage, *_headline(found, counts[counts > 0])))
    return made


def _headline(found: JudgeComparison, counts: np.ndarray) -> tuple[Statistic, Statistic, Statistic]:
    """Both judges' QWK and their difference: pooled where the median question has few responses."""
    if found.n < FEWEST_FOR_QWK:
        return FEW, FEW, FEW
    if counts.size > 1 and float(np.median(counts)) < FEWEST_FOR_AGGREGATE:
        return found.a.pooled, found.b.pooled, found.pooled_difference
    return found.a.aggregate, found.b.aggregate, found.difference


def shot_curves(marked: Marked) -> tuple[ShotCurve, ...]:
    """A curve for every set of arms that differ in their examples alone; whether these show grading does not matter
    to an arm with none, so it begins the curves of both."""
    data = marked.data
    curves = []
    for group in _alike(marked, lambda arm: (arm.judge_id, arm.criteria, arm.repeat)):
        bare = [place for place in group if not data.arms[place].arm.shots]
        for grading in (True, False):
            shown = [p for p in group if data.arms[p].arm.shots and data.arms[p].arm.grading is grading]
            by_shots = {data.arms[place].arm.shots: place for place in reversed([*bare, *shown])}
            if shown and len(by_shots) > 1:
                curves.append(_curve(marked, by_shots, grading))
    return tuple(curves)


def _curve(marked: Marked, by_shots: dict[int, int], grading: bool) -> ShotCurve:
    points = tuple(sorted(by_shots.items()))
    arm = marked.data.arms[points[0][1]].arm
    name = ", ".join(
        part
        for part in (
            arm.judge,
            "" if arm.criteria else "without criteria",
            "" if grading else "examples without grading",
            f"time {arm.repeat}" if arm.repeat > 1 else "",
        )
        if part
    )
    return ShotCurve(name, points, compare(marked, name, arms=[place for _, place in points]))


def repeats(marked: Marked) -> tuple[Repeat, ...]:
    """Each judge's second time against its first, its third against its second, and so on."""
    data = marked.data
    found = []
    for group in _alike(marked, lambda arm: (arm.judge_id, arm.shots, arm.grading, arm.criteria)):
        times = sorted(group, key=lambda place: data.arms[place].arm.repeat)
        found += [_repeat(marked, first, second) for first, second in pairwise(times)]
    return tuple(found)


def _repeat(marked: Marked, first: int, second: int) -> Repeat:
    data = marked.data
    rows = np.flatnonzero(marked.given[first] & marked.given[second])
    x, y = data.arms[first].marks[rows], data.arms[second].marks[rows]
    alone = None
    if np.unique(data.question[rows]).size == 1:
        alone = quadratic_weighted_kappa_interval(x, y)
    made = exam_from_sums(question_sums_of(data, rows, x, y), alone)
    return Repeat(first, second, made.exact, made.qwk, made.qwk_coverage)


def _alike(marked: Marked, key: Callable[[Arm], Hashable]) -> list[list[int]]:
    """Arms that share the key, two or more of them, by place; those that are the same in all else are one setting."""
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for place, each in enumerate(marked.data.arms):
        groups[key(each.arm)].append(place)
    return [group for group in groups.values() if len(group) > 1]

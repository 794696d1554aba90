"""R_A, R_H and Δ of the judges compared, all on one set of questions; QWK with one human where there is no second."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from components.agreement import (
    Coverage,
    QuestionSums,
    SecondMarkerReport,
    Statistic,
    exam_from_sums,
    quadratic_weighted_kappa_interval,
    second_marker_report,
)
from components.agreement.exam import FEWEST_FOR_AGGREGATE
from components.workflow.trial.data import Marks, TrialData
from components.workflow.trial.report_common import Common, Marked, Places
from components.workflow.trial.report_within import apart, influence, qwk_with_interval, standard_errors

ONCE = "marked by one human alone, so there is nobody to compare the judge's closeness with"


@dataclass(frozen=True)
class Closeness:
    """`arms` has each arm's R_A and Δ by its place. `pooled` says that all are pooled QWKs, as the median question has
    under 20 responses; `left_out` are the numbers of questions on which a compared pair's marks are all the same."""

    coverage: Coverage
    pooled: bool
    r_h: Statistic
    arms: Mapping[int, tuple[Statistic, Statistic]]
    left_out: tuple[str, ...]


def closeness(marked: Marked, common: Common) -> Closeness:
    """The figures on the common responses, of which there must be one, with an arm to compare."""
    return _twice(marked, common) if common.double else _once(marked, common)


def _twice(marked: Marked, common: Common) -> Closeness:
    data = marked.data
    reports = {arm: _report(marked, common.rows, arm) for arm in common.arms}
    of_each = [
        {int(str(q.question)) for q in report.questions if None not in (q.ai_e1, q.ai_e2, q.e1_e2)}
        for report in reports.values()
    ]
    everywhere = set.intersection(*of_each)
    asked = next(iter(reports.values())).questions
    pooled = _pools([q.n for q in asked])
    if not pooled and any(measurable != everywhere for measurable in of_each):
        rows = common.rows[np.isin(data.question[common.rows], sorted(everywhere))]
        reports = {arm: _report(marked, rows, arm) for arm in common.arms}
    most = {int(str(q.question)): q.max_mark for q in asked}
    behind = {int(str(q.question)) for q in asked if q.n >= 2} if pooled else everywhere
    coverage = replace(common.coverage, questions=len(behind), marks=sum(most[each] for each in behind))
    one = reports[common.arms[0]]
    alone = next(iter(everywhere)) if len(everywhere) == 1 and not pooled else None
    if alone is not None:
        rows = common.rows[data.question[common.rows] == alone]
        r_h, arms = _one_question(marked, rows, common)
    else:
        r_h = one.pooled_r_h if pooled else one.r_h
        arms = {
            arm: (report.pooled_r_a, report.pooled_delta) if pooled else (report.r_a, report.delta)
            for arm, report in reports.items()
        }
    return Closeness(coverage, pooled, r_h, arms, _numbers(data, set(most) - everywhere))


def _report(marked: Marked, rows: Places, arm: int) -> SecondMarkerReport:
    data = marked.data
    ai, codes = data.arms[arm].marks[rows], data.question[rows]
    return second_marker_report(ai, data.first[rows], data.second[rows], codes, marked.maxima[rows])


def _one_question(
    marked: Marked, rows: Places, common: Common
) -> tuple[Statistic, dict[int, tuple[Statistic, Statistic]]]:
    """A question alone has no others to make an interval over, so its responses make it."""
    data = marked.data
    codes, first, second = np.zeros(rows.size, dtype=np.int64), data.first[rows], data.second[rows]
    humans = influence(first, second, codes, 1)
    found = {}
    for arm in common.arms:
        ai = data.arms[arm].marks[rows]
        both = (influence(ai, first, codes, 1) + influence(ai, second, codes, 1)).half()
        less = both - humans
        r_a = qwk_with_interval(float(both.value[0]), float(standard_errors(both, codes, 1)[0][0]), rows.size)
        error = float(standard_errors(less, codes, 1)[0][0])
        delta = float(less.value[0])
        few = Statistic(delta, "no interval with fewer than three responses")
        found[arm] = (r_a, few if np.isnan(error) else apart(delta, error, rows.size - 1))
    error = float(standard_errors(humans, codes, 1)[0][0])
    return qwk_with_interval(float(humans.value[0]), error, rows.size), found


def _once(marked: Marked, common: Common) -> Closeness:
    data, rows = marked.data, common.rows
    sums = {arm: question_sums_of(data, rows, data.arms[arm].marks[rows], data.first[rows]) for arm in common.arms}
    nowhere = {left.question for each in sums.values() for left in exam_from_sums(each).left_out}
    used = next(iter(sums.values()))
    pooled = _pools([q.n for q in used])
    if not pooled:
        sums = {arm: [q for q in each if q.question not in nowhere] for arm, each in sums.items()}
    behind = [q for q in used if (q.n >= 2 if pooled else q.question not in nowhere)]
    coverage = replace(common.coverage, questions=len(behind), marks=sum(q.max_mark for q in behind))
    alone = behind[0].question if len(behind) == 1 and not pooled else None
    arms = {}
    for arm, each in sums.items():
        at = None
        if alone is not None:
            kept = rows[data.question[rows] == int(alone)]
            at = quadratic_weighted_kappa_interval(data.arms[arm].marks[kept], data.first[kept])
        made = exam_from_sums(each, at)
        arms[arm] = (made.pooled if pooled else made.aggregate, Statistic(None, ONCE))
    return Closeness(coverage, pooled, Statistic(None, ONCE), arms, _numbers(data, {int(each) for each in nowhere}))


def question_sums_of(data: TrialData, rows: Places, x: Marks, y: Marks) -> list[QuestionSums]:
    """The sums of x and y on each question met, named by the question's place in the trial."""
    codes, many = data.question[rows], len(data.questions)
    apart_by = np.abs(x - y)
    tolerance = np.array([question.tolerance for question in data.questions])[codes]
    columns = [
        np.bincount(codes, weights=values, minlength=many)
        for values in (np.ones(rows.size), x, y, x * x, y * y, x * y, apart_by <= 1e-9, apart_by <= tolerance + 1e-9)
    ]
    found = []
    for place, (n, sx, sy, sxx, syy, sxy, exact, within) in enumerate(np.array(columns).T.tolist()):
        if n:
            counts = {"n": int(n), "exact": int(exact), "within": int(within)}
            most = data.questions[place].max_mark
            found.append(QuestionSums(str(place), most, sx=sx, sy=sy, sxx=sxx, syy=syy, sxy=sxy, **counts))
    return found


def _pools(counts: list[int]) -> bool:
    """As over an exam: pooled while the median question has under 20, a question alone never."""
    return len(counts) > 1 and float(np.median(counts)) < FEWEST_FOR_AGGREGATE


def _numbers(data: TrialData, places: set[int]) -> tuple[str, ...]:
    return tuple(data.questions[place].number for place in sorted(places))

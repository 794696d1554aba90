"""What stands beside QWK: bias in % and in the humans' standard deviations, and the share within tolerance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from components.agreement import Ratio, Statistic, standardised_bias
from components.agreement.cluster import Combination, with_intervals
from components.workflow.trial.data import Marks
from components.workflow.trial.report_common import Common, Marked
from components.workflow.trial.report_within import mean_over_responses

SLACK = 1e-9
NO_SPREAD = "the humans gave every response to each question the same mark, so there is no scale to say it on"
ONCE = "marked by one human alone"


@dataclass(frozen=True)
class Beside:
    """`bias` is the mean of (AI − the humans' mean) in % of the maximum, `standardised` the mean of the same in SDs of
    a human's marks on the question, `within` the share (0 to 1) of the AI's marks within the question's tolerance of
    a human's, both humans counted alike, and `within_apart` that less the humans' own with each other."""

    bias: Statistic
    standardised: Statistic
    within: Statistic
    within_apart: Statistic


@dataclass(frozen=True)
class Means:
    """One value a response of what `Beside` has the means of, for intervals over responses."""

    standardised: Marks
    within_apart: Marks


def beside_humans(marked: Marked, common: Common) -> tuple[Statistic, Mapping[int, Beside], Mapping[int, Means]]:
    """The humans' own share within tolerance, and each arm's figures by its place.

    Means are over responses, their intervals over questions; over responses where there is one question.
    """
    data, rows = marked.data, common.rows
    asked = data.question[rows]
    codes = (np.cumsum(np.bincount(asked) > 0) - 1)[asked]
    maxima = marked.maxima[rows]
    tolerance = np.array([question.tolerance for question in data.questions])[data.question[rows]]
    humans = [data.first[rows], data.second[rows]] if common.double else [data.first[rows]]
    own = np.asarray(np.abs(humans[0] - humans[-1]) <= tolerance + SLACK, dtype=np.float64)
    made: list[tuple[Marks, float]] = [(own, 1.0)] if common.double else []
    standard, means = {}, {}
    for arm in common.arms:
        ai = data.arms[arm].marks[rows]
        bias = np.mean([100 * (ai - human) / maxima for human in humans], axis=0)
        within = np.mean([np.abs(ai - human) <= tolerance + SLACK for human in humans], axis=0)
        less = within - own if common.double else np.zeros(0)
        made += [(bias, 100.0), (within, 1.0), *([(less, 1.0)] if common.double else [])]
        z, scaled = _standardised(ai, humans, codes)
        standard[arm], means[arm] = _mean_standardised(z, codes[scaled]), Means(z, less)
    found = iter(_means(made, codes))
    of_humans = next(found) if common.double else Statistic(None, ONCE)
    by_arm = {}
    for arm in common.arms:
        bias_found, within_found = next(found), next(found)
        less_found = next(found) if common.double else Statistic(None, ONCE)
        by_arm[arm] = Beside(bias_found, standard[arm], within_found, less_found)
    return of_humans, by_arm, means


def _standardised(ai: Marks, humans: list[Marks], codes: np.ndarray) -> tuple[Marks, np.ndarray]:
    """The mean over the humans of (AI − human) / SD, for the responses (second) that have a scale to say it on."""
    each = np.array([standardised_bias(ai, human, codes) for human in humans])
    known = ~np.isnan(each)
    scaled = known.any(axis=0)
    z = np.where(known, each, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return z[scaled], scaled


def _mean_standardised(z: Marks, codes: np.ndarray) -> Statistic:
    if not z.size:
        return Statistic(None, NO_SPREAD)
    n = np.bincount(codes)
    compact = codes if n.all() else (np.cumsum(n > 0) - 1)[codes]
    return _means([(z, np.inf)], compact)[0]


def _means(values: list[tuple[Marks, float]], codes: np.ndarray) -> list[Statistic]:
    """The mean of each over responses, whose interval is kept within ± what stands beside it."""
    n = np.bincount(codes).astype(np.float64)
    if n.size == 1:
        return [mean_over_responses(each) for each, _ in values]
    return with_intervals(
        [
            Combination([Ratio(np.bincount(codes, weights=each).astype(np.float64), n)], -reach, reach)
            for each, reach in values
        ]
    )

"""An exam's few questions taken as they are, with intervals over responses: what a verdict rests on there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from components.agreement import Statistic
from components.workflow.trial.report_beside import Means
from components.workflow.trial.report_common import Common, Marked
from components.workflow.trial.report_within import apart, bounded, influence, mean_over_responses, weighted

FEWEST_QUESTIONS = 5


@dataclass(frozen=True)
class Few:
    """R_A and Δ as ΣM·QWK / ΣM, and the means of `Beside`, all over questions taken as they are."""

    r_a: Statistic
    delta: Statistic
    standardised: Statistic
    within_apart: Statistic


def few_questions(marked: Marked, common: Common, means: Mapping[int, Means]) -> Mapping[int, Few]:
    """Each arm's figures by its place; none where a question has under three responses or none is measurable.

    An interval over two questions is twelve standard errors wide, whatever they rest on: it asks how another exam
    would turn out. A verdict on this exam asks about its own questions, so that their responses are what varies. From
    five questions on the interval over questions serves both. Δ has no value where the part was marked once.
    """
    data, rows = marked.data, common.rows
    places, codes = np.unique(data.question[rows], return_inverse=True)
    many = places.size
    first, second = data.first[rows], data.second[rows]
    humans = influence(first, second, codes, many) if common.double else None
    made = {}
    for arm in common.arms:
        ai = data.arms[arm].marks[rows]
        both = influence(ai, first, codes, many)
        if common.double:
            both = (both + influence(ai, second, codes, many)).half()
        made[arm] = both
    defined = ~np.isnan(np.array([each.value for each in (*made.values(), *([humans] if humans else []))])).any(axis=0)
    weights = np.where(defined, [data.questions[place].max_mark for place in places], 0.0)
    if not defined.any() or (np.bincount(codes, minlength=many)[defined] < 3).any():
        return {}
    found = {}
    for arm, both in made.items():
        delta = Statistic(None, "marked by one human alone")
        if humans is not None:
            delta = apart(*weighted(both - humans, weights, codes))
        beside = (mean_over_responses(means[arm].standardised), mean_over_responses(means[arm].within_apart))
        found[arm] = Few(bounded(*weighted(both, weights, codes)), delta, *beside)
    return found

"""A part of a trial: how close each judge is to the humans, beside how close they are to each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from components.agreement import Coverage, Statistic, exam_from_sums, quadratic_weighted_kappa_interval
from components.agreement.question import FEWEST_FOR_QWK
from components.workflow.trial.report_beside import Beside, beside_humans
from components.workflow.trial.report_common import Common, Marked, Mask, common_set
from components.workflow.trial.report_few import FEWEST_QUESTIONS, Few, few_questions
from components.workflow.trial.report_qwk import ONCE, closeness, question_sums_of

LEAST_OF_ITS_OWN = 0.9  # of what an arm marked; compared on less, it may owe its figures to what others left out
TOO_FEW = Statistic(None, f"QWK is shown from {FEWEST_FOR_QWK} responses")


@dataclass(frozen=True)
class ArmFigures:
    """One arm on the common responses of a part.

    `r_a` is R_A, the mean of its QWKs with both humans (its QWK with the one where the part was marked once), and
    `delta` R_A − R_H. `few`, where the part has under five questions, has what a verdict
    goes by with intervals over responses.
    """

    arm: int
    r_a: Statistic
    delta: Statistic
    beside: Beside
    few: Few | None

    @property
    def bias(self) -> Statistic:
        """In % of the maximum, + where the AI is lenient."""
        return self.beside.bias


@dataclass(frozen=True)
class Comparison:
    """A part's figures, all on `common`; `coverage` is what R_A, R_H and Δ rest on, pooled QWKs where `pooled`.

    `r_h` has no value where the part was marked once. `tolerances` are those of its questions, and `not_measurable`
    the numbers of questions on which some pair's marks are all the same. `alone` has the same part again for each arm
    that is compared on under 90% of what it marked itself, on all of that.
    """

    name: str
    common: Common
    coverage: Coverage
    pooled: bool
    r_h: Statistic
    within_humans: Statistic
    arms: tuple[ArmFigures, ...]
    tolerances: tuple[float, ...]
    not_measurable: tuple[str, ...]
    alone: Mapping[int, Comparison] = field(default_factory=dict)

    @property
    def n(self) -> int:
        return self.common.n

    def of(self, arm: int) -> ArmFigures | None:
        """This arm's figures; None where it is not compared here."""
        return next((figures for figures in self.arms if figures.arm == arm), None)


def compare(marked: Marked, name: str, part: Mask | None = None, arms: Sequence[int] | None = None) -> Comparison:
    """The part's figures; those without a value say why. Under ten responses no QWK is given."""
    common = common_set(marked, part, arms)
    kept = {arm for arm in common.arms if common.n >= LEAST_OF_ITS_OWN * common.marked[arm]}
    alone = {arm: compare(marked, name, part, [arm]) for arm in common.arms if arm not in kept}
    return replace(_compared(marked, name, part, common), alone=alone)


def _compared(marked: Marked, name: str, part: Mask | None, common: Common) -> Comparison:
    data = marked.data
    used = np.unique(data.question[common.rows])
    tolerances = tuple(sorted({data.questions[place].tolerance for place in used}))
    if not common.n or not common.arms:
        nothing = Statistic(None, "no judge has marked a response that the humans have")
        return Comparison(
            name, common, common.coverage, False, _humans(marked, part, common), nothing, (), tolerances, ()
        )
    found = closeness(marked, common)
    of_humans, beside, means = beside_humans(marked, common)
    few: Mapping[int, Few] = {}
    if used.size < FEWEST_QUESTIONS and not found.pooled and common.n >= FEWEST_FOR_QWK:
        few = few_questions(marked, common, means)
    hidden = common.n < FEWEST_FOR_QWK
    return Comparison(
        name=name,
        common=common,
        coverage=found.coverage,
        pooled=found.pooled,
        r_h=_shown(found.r_h, hidden),
        within_humans=of_humans,
        arms=tuple(
            ArmFigures(arm, _shown(r_a, hidden), _shown(delta, hidden), beside[arm], few.get(arm))
            for arm, (r_a, delta) in found.arms.items()
        ),
        tolerances=tolerances,
        not_measurable=found.left_out,
    )


def _shown(found: Statistic, hidden: bool) -> Statistic:
    return TOO_FEW if hidden and found.value is not None else found


def _humans(marked: Marked, part: Mask | None, common: Common) -> Statistic:
    """The two humans with each other where no judge has marked yet."""
    if not common.double:
        return Statistic(None, ONCE)
    data = marked.data
    rows = np.flatnonzero(marked.twice if part is None else marked.twice & part)
    first, second = data.first[rows], data.second[rows]
    alone = quadratic_weighted_kappa_interval(first, second) if np.unique(data.question[rows]).size == 1 else None
    return exam_from_sums(question_sums_of(data, rows, first, second), alone).qwk

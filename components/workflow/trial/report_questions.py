"""Each question of a trial on its own: the QWK of every arm with the humans, and theirs with each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from components.agreement import Statistic
from components.agreement.question import FEWEST_FOR_QWK
from components.workflow.trial.data import Marks, TrialQuestion
from components.workflow.trial.report_common import LEAST_SHARE, Marked, Mask
from components.workflow.trial.report_within import Influence, influence, qwk_with_interval, standard_errors


@dataclass(frozen=True)
class ArmOnQuestion:
    """`r_a` is the mean of the QWKs with the two humans, which stand beside it; all None under ten responses."""

    arm: int
    r_a: Statistic
    first: float | None
    second: float | None


@dataclass(frozen=True)
class QuestionRow:
    """A question on the `n` responses that the humans and every arm compared on it marked, of `of` with human marks."""

    question: TrialQuestion
    n: int
    of: int
    r_h: Statistic
    arms: tuple[ArmOnQuestion, ...]

    def arm(self, place: int) -> Statistic:
        """The arm's R_A; without a value where it is not compared on this question."""
        found = (each.r_a for each in self.arms if each.arm == place)
        return next(found, Statistic(None, "not compared on this question"))


FEW = Statistic(None, f"QWK is shown from {FEWEST_FOR_QWK} responses")
ONCE = Statistic(None, "marked by one human alone")


def question_rows(marked: Marked) -> tuple[QuestionRow, ...]:
    """A row for every question with a human mark, in the trial's order.

    Which arms are compared is settled question by question, so that an arm which marked but some of them is among
    them there. A question is compared with two humans where two marked any of its responses.
    """
    data = marked.data
    many = len(data.questions)
    double = np.bincount(data.question[marked.twice], minlength=many) > 0
    human = np.where(double[data.question], marked.twice, marked.first)
    of = np.bincount(data.question[human], minlength=many)
    counts = np.array([np.bincount(data.question[human & given], minlength=many) for given in marked.given])
    counts = counts.reshape(len(data.arms), many)
    taking_part = (counts > 0) & (counts >= LEAST_SHARE * counts.max(axis=0, initial=0))
    kept = human.copy()
    for place in range(len(data.arms)):
        kept &= marked.given[place] | ~taking_part[place][data.question]
    n = np.bincount(data.question[kept], minlength=many)
    twice = kept & double[data.question]
    humans = _pair(marked, data.first, data.second, twice)
    found = [_arm(marked, place, taking_part[place], kept, twice) for place in range(len(data.arms))]
    rows = []
    for place, question in enumerate(data.questions):
        if not of[place]:
            continue
        hidden = n[place] < FEWEST_FOR_QWK
        r_h = FEW if hidden else _figure(*humans, place, int(n[place])) if double[place] else ONCE
        arms = tuple(
            ArmOnQuestion(arm, FEW, None, None)
            if hidden
            else ArmOnQuestion(
                arm,
                _figure(both, error, place, int(n[place])),
                _value(first, place),
                _value(second, place) if double[place] else None,
            )
            for arm, (both, error, first, second) in enumerate(found)
            if taking_part[arm][place]
        )
        rows.append(QuestionRow(question, int(n[place]), int(of[place]), r_h, arms))
    return tuple(rows)


def _arm(
    marked: Marked, arm: int, part: Mask, kept: Mask, twice: Mask
) -> tuple[Influence, Marks, Influence, Influence]:
    """The arm with both humans where there are two, else with the first; with each of them alone."""
    data, many = marked.data, len(marked.data.questions)
    inside = kept & part[data.question]
    rows, both_rows = np.flatnonzero(inside), np.flatnonzero(inside & twice)
    ai, codes = data.arms[arm].marks, data.question
    first = influence(ai[rows], data.first[rows], codes[rows], many)
    second = influence(ai[both_rows], data.second[both_rows], codes[both_rows], many)
    with_second = np.isin(rows, both_rows)
    each, value = first.each.copy(), first.value.copy()
    each[with_second] = (first.each[with_second] + second.each) / 2
    asked = np.unique(codes[both_rows])
    value[asked] = (first.value[asked] + second.value[asked]) / 2
    both = Influence(value, each)
    return both, standard_errors(both, codes[rows], many)[0], first, second


def _pair(marked: Marked, x: Marks, y: Marks, kept: Mask) -> tuple[Influence, Marks]:
    rows, many = np.flatnonzero(kept), len(marked.data.questions)
    codes = marked.data.question[rows]
    found = influence(x[rows], y[rows], codes, many)
    return found, standard_errors(found, codes, many)[0]


def _figure(found: Influence, error: Marks, place: int, n: int) -> Statistic:
    return qwk_with_interval(float(found.value[place]), float(error[place]), n)


def _value(found: Influence, place: int) -> float | None:
    return None if np.isnan(found.value[place]) else float(found.value[place])

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from components.agreement import (
    judge_comparison,
    quadratic_weighted_kappa_interval,
    qwk_standard_error,
    second_marker_report,
)
from components.marking import QuestionType
from components.workflow.trial.report_common import Marked, common_set
from components.workflow.trial.report_figures import trial_figures
from components.workflow.trial.report_within import influence, standard_errors
from tests.support import SHARED_DATA
from tests.trial_marks import NO, arm, noisy, question, trial

PHYSICS = SHARED_DATA / "physics_two_raters" / "physics_flat.csv"


def test_judges_are_compared_on_the_responses_that_all_of_them_and_both_humans_marked() -> None:
    # Response 1 lacks judge A, 2 lacks judge B, 3 the second human, 4 nobody, 5 nobody.
    marks = trial(
        [question("1"), question("2", 6)],
        [0, 0, 0, 1, 1],
        [1, 2, 3, 4, 5],
        [1, 2, NO, 4, 6],
        [arm("A", [NO, 2, 3, 4, 5], failed=1), arm("B", [1, NO, 3, 4, 5], judge=2, abstained=1)],
    )
    common = common_set(Marked(marks))
    assert list(common.rows) == [3, 4]
    assert (common.n, common.human, common.responses) == (2, 4, 5)
    assert str(common.coverage) == "1 of 2 questions, 60% of marks"


def test_a_judge_that_marked_under_half_of_what_others_did_does_not_shrink_the_comparison() -> None:
    marks = trial(
        [question()], [0] * 6, [1] * 6, [2] * 6, [arm("A", [1] * 6), arm("B", [1, 1, NO, NO, NO, NO], judge=2)]
    )
    common = common_set(Marked(marks))
    assert (common.arms, common.left_out, common.n) == ((0,), (1,), 6)
    half = trial([question()], [0] * 4, [1] * 4, [2] * 4, [arm("A", [1] * 4), arm("B", [1, 1, NO, NO], judge=2)])
    assert common_set(Marked(half)).arms == (0, 1)


def test_r_a_r_h_and_delta_are_those_of_the_second_marker_report_and_of_scikit_learn() -> None:
    e1, e2, ai = [], [], []
    places = []
    for place in range(6):
        a, b, c = noisy(place, 40)
        e1 += a
        e2 += b
        ai += c
        places += [place] * 40
    questions = [question(str(place + 1)) for place in range(6)]
    found = trial_figures(trial(questions, places, e1, e2, [arm("A", ai)])).everything
    said = second_marker_report(ai, e1, e2, places, 4)
    (figures,) = found.arms
    assert (figures.r_a, found.r_h, figures.delta) == (said.r_a, said.r_h, said.delta)
    assert figures.bias == said.bias_percent

    def mean_qwk(x: list[float], y: list[float]) -> float:
        parts = np.split(np.array(x), 6), np.split(np.array(y), 6)
        return float(np.mean([cohen_kappa_score(a, b, weights="quadratic") for a, b in zip(*parts, strict=True)]))

    assert found.r_h.value == pytest.approx(mean_qwk(e1, e2))
    assert figures.r_a.value == pytest.approx((mean_qwk(ai, e1) + mean_qwk(ai, e2)) / 2)


def test_every_judge_is_averaged_over_the_same_questions() -> None:
    # On question 2 judge A and both humans give 0 throughout: its QWK is 0/0, so B loses the question as well.
    e1, e2, ai = noisy(1, 40)
    zeros = [0.0] * 40
    e2_two = [*zeros[:-1], 1.0]
    marks = trial(
        [question("1"), question("2")],
        [0] * 40 + [1] * 40,
        e1 + zeros,
        e2 + e2_two,
        [arm("A", ai + zeros), arm("B", ai + e2_two, judge=2)],
    )
    found = trial_figures(marks).everything
    assert found.not_measurable == ("2",)
    assert str(found.coverage) == "1 of 2 questions, 50% of marks"
    a, b = found.arms
    assert a.r_a == b.r_a
    assert found.r_h.value == pytest.approx(cohen_kappa_score(e1, e2, weights="quadratic"))


def test_one_questions_interval_is_over_its_responses() -> None:
    e1, e2, ai = noisy(3, 60)
    found = trial_figures(trial([question()], [0] * 60, e1, e2, [arm("A", ai)])).everything
    alone = quadratic_weighted_kappa_interval(e1, e2)
    assert found.r_h.interval is not None
    assert alone.interval is not None
    assert (found.r_h.interval.low, found.r_h.interval.high) == pytest.approx((alone.interval.low, alone.interval.high))
    (figures,) = found.arms
    assert figures.delta.interval is not None
    assert figures.r_a.interval is not None


def test_the_influence_of_responses_gives_the_delta_methods_standard_error() -> None:
    x, y, z = (np.array(each) for each in noisy(5, 80))
    codes = np.zeros(80, dtype=np.int64)
    found = influence(x, y, codes, 1)
    error = standard_errors(found, codes, 1)[0][0]
    assert error == pytest.approx((qwk_standard_error(x, y).value or 0) * np.sqrt(80 / 79))
    # ½(κ(z,x) + κ(z,y)) − κ(x,y): leaving out each response in turn gives the same standard error to a few per cent.
    delta = (influence(z, x, codes, 1) + influence(z, y, codes, 1)).half() - found

    def value(kept: np.ndarray) -> float:
        kappa = [
            cohen_kappa_score(a[kept].astype(int), b[kept].astype(int), weights="quadratic", labels=range(5))
            for a, b in ((z, x), (z, y), (x, y))
        ]
        return float((kappa[0] + kappa[1]) / 2 - kappa[2])

    left_out = np.array([value(np.arange(80) != each) for each in range(80)])
    jackknife = np.sqrt(79 / 80 * ((left_out - left_out.mean()) ** 2).sum())
    assert delta.value[0] == pytest.approx(value(np.ones(80, dtype=bool)))
    assert standard_errors(delta, codes, 1)[0][0] == pytest.approx(jackknife, rel=0.08)


def test_bias_is_against_the_mean_of_both_humans_in_percent_of_the_maximum() -> None:
    # d = AI − mean: 4−3.5, 2−2, 0−1 of 4 marks: 12.5, 0, −25 %; the essay alone 10−7 of 20: 15%.
    marks = trial(
        [question("1"), question("2", 20, kind=QuestionType.ESSAY)],
        [0, 0, 0, 1],
        [3, 2, 1, 8],
        [4, 2, 1, 6],
        [arm("A", [4, 2, 0, 10])],
    )
    found = trial_figures(marks)
    assert found.everything.arms[0].bias.value == pytest.approx((12.5 + 0 - 25 + 15) / 4)
    assert found.essays is not None
    assert found.essays.arms[0].bias.value == pytest.approx(15)


def test_within_tolerance_counts_both_humans_alike_and_the_humans_with_each_other() -> None:
    # AI against E1: 0 1 2 0, against E2: 1 0 1 2; within 1: 3 of 4 and 3 of 4. Humans: 1 1 1 2, 3 of 4.
    marks = trial([question()], [0] * 4, [1, 2, 3, 4], [2, 3, 2, 2], [arm("A", [1, 3, 1, 4])])
    found = trial_figures(marks).everything
    assert found.arms[0].beside.within.value == pytest.approx(6 / 8)
    assert found.within_humans.value == pytest.approx(3 / 4)
    assert found.arms[0].beside.within_apart.value == pytest.approx(0)


def test_no_qwk_is_given_under_ten_responses() -> None:
    marks = trial([question()], [0] * 9, [1, 2, 3] * 3, [1, 2, 2] * 3, [arm("A", [1, 2, 3] * 3)])
    found = trial_figures(marks)
    assert found.everything.arms[0].r_a.value is None
    assert found.everything.r_h.value is None
    assert found.best is None
    assert found.questions[0].arm(0).value is None


def test_few_responses_a_question_are_pooled() -> None:
    e1, e2, ai = noisy(7, 45)
    places = [place for place in range(3) for _ in range(15)]
    questions = [question(str(each)) for each in (1, 2, 3)]
    found = trial_figures(trial(questions, places, e1, e2, [arm("A", ai)])).everything
    said = second_marker_report(ai, e1, e2, places, 4)
    assert found.pooled
    assert found.arms[0].r_a == said.pooled_r_a


def test_marked_once_the_figure_is_the_qwk_with_the_one_human_and_there_is_no_delta() -> None:
    e1, _, ai = noisy(11, 80)
    places = [0] * 40 + [1] * 40
    found = trial_figures(trial([question("1"), question("2")], places, e1, None, [arm("A", ai)])).everything
    parts = [cohen_kappa_score(ai[a : a + 40], e1[a : a + 40], weights="quadratic") for a in (0, 40)]
    assert found.arms[0].r_a.value == pytest.approx(np.mean(parts))
    assert found.r_h.value is None
    assert found.arms[0].delta.value is None
    assert "one human" in found.arms[0].delta.note


def test_the_best_is_the_highest_r_a_and_a_second_time_of_asking_is_no_second_try() -> None:
    e1, e2, good = noisy(13, 60)
    poor = noisy(13, 60, noise=2.0)[2]
    marks = trial(
        [question()],
        [0] * 60,
        e1,
        e2,
        [arm("Poor", poor), arm("Good", good, judge=2), arm("Good again", good, judge=2, repeat=2)],
    )
    found = trial_figures(marks)
    assert found.best is not None
    assert found.name(found.best) == "Good"
    assert found.tried == 2


def test_typed_and_handwritten_answers_are_compared_each_on_its_own() -> None:
    e1, e2, ai = noisy(17, 60)
    written = [True] * 30 + [False] * 30
    found = trial_figures(trial([question()], [0] * 60, e1, e2, [arm("A", ai)], written))
    assert found.typed is not None
    assert found.handwritten is not None
    expected = cohen_kappa_score(e1[:30], e2[:30], weights="quadratic")
    assert found.handwritten.r_h.value == pytest.approx(expected)
    assert found.typed.n == 30


def test_with_and_without_criteria_is_the_comparison_of_the_two_judges_with_each_human() -> None:
    marks = [noisy(place, 30) for place in range(8)]
    e1, e2, told = ([mark for each in marks for mark in each[part]] for part in range(3))
    untold = [mark for place in range(8) for mark in noisy(place, 30, noise=1.0)[2]]
    places = [place for place in range(8) for _ in range(30)]
    arms = [arm("A", told), arm("A, no criteria", untold, criteria=False), arm("B", told, judge=2)]
    found = trial_figures(trial([question(str(i + 1)) for i in range(8)], places, e1, e2, arms))
    first, second = found.criteria
    assert (first.human, second.human) == ("Ms Ahmed", "Mr Brown")
    assert first.difference == judge_comparison(told, untold, e1, places, 4).difference
    assert second.difference == judge_comparison(told, untold, e2, places, 4).difference


def test_a_curve_goes_through_the_arms_that_differ_in_examples_alone() -> None:
    e1, e2, ai = noisy(19, 40)
    arms = [
        arm("A", ai),
        arm("A, 3", ai, shots=3, grading=True),
        arm("A, 5", ai, shots=5, grading=True),
        arm("A, no criteria", ai, criteria=False),
        arm("B, 3", ai, judge=2, shots=3),
    ]
    (curve,) = trial_figures(trial([question()], [0] * 40, e1, e2, arms)).shots
    assert curve.points == ((0, 0), (3, 1), (5, 2))


def test_the_same_judge_twice_gives_its_exact_share_and_its_qwk_with_itself() -> None:
    again = [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 2, 3]
    once = [0, 1, 2, 3, 4, 0, 1, 2, 3, 3, 2, 2]
    marks = trial([question()], [0] * 12, once, once, [arm("A", once), arm("A again", again, repeat=2)])
    (found,) = trial_figures(marks).repeats
    assert (found.exact.count, found.exact.n) == (10, 12)
    assert found.qwk.value == pytest.approx(cohen_kappa_score(once, again, weights="quadratic"))
    assert found.qwk.interval is not None


@pytest.mark.skipif(not PHYSICS.exists(), reason="the physics marks are not at hand")
def test_the_published_physics_figures_come_out_question_by_question() -> None:
    with PHYSICS.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name.startswith("gpt4o_")]

    def totals(column: str) -> list[float]:
        return [float(sum(json.loads(row[column]))) if row[column] else NO for row in rows]

    places = [int(row["question"][1]) - 1 for row in rows]
    arms = [arm(name, totals(name), judge=place, kind="imported") for place, name in enumerate(names)]
    questions = [question(name, 3, "Physics") for name in ("Q1", "Q2", "Q3")]
    found = trial_figures(trial(questions, places, totals("human1_items"), totals("human2_items"), arms))
    humans = [row.r_h.value for row in found.questions]
    assert [round(value or 0, 2) for value in humans] == [0.93, 0.80, 0.90]
    best = ("gpt4o_detailed_compare", "gpt4o_detailed_compare_2", "gpt4o_detailed_compare_2")
    with_first = [
        next(each.first for each in row.arms if found.name(each.arm) == name)
        for row, name in zip(found.questions, best, strict=True)
    ]
    assert [round(value or 0, 2) for value in with_first] == [0.95, 0.81, 0.89]
    assert [row.n for row in found.questions] == [49, 21, 19]
    assert [found.name(place) for place in found.everything.common.left_out] == [
        "gpt4o_detailed_compare_2", "gpt4o_detailed_compare_3", "gpt4o_naive_cot_3", "gpt4o_detailed_compare_4",
    ]  # fmt: skip


@pytest.mark.parametrize("twice", [True, False])
def test_a_mark_off_its_questions_scale_is_named_and_never_counted(twice: bool) -> None:
    e1, e2, ai = noisy(1, 40)
    ai[3] = 9
    with pytest.raises(ValueError, match="Vela gave response 4 the mark 9, and question 1 is out of 4"):
        trial_figures(trial([question()], [0] * 40, e1, e2 if twice else None, [arm("Vela", ai)]))

"""Agreement over time and its drift, worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from components import agreement as ag


def approx(value: float) -> object:
    return pytest.approx(value, abs=1e-12)


# Running agreement


def test_running_qwk_worked_by_hand() -> None:
    # One marker at 0 and one at 0: undefined. 0, 1 against 0, 2: 1 − 2·1/(2·1 + 2·4 − 2·1·2). Then the known .8.
    found = ag.running_agreement([0, 1, 2], [0, 2, 2])
    assert found.n.tolist() == [1, 2, 3]
    assert np.isnan(found.value[0])
    assert found.value[1:].tolist() == [approx(1 - 2 / 6), approx(0.8)]
    assert np.isnan(found.low[:2]).all()


@pytest.mark.parametrize("n", [30, 300])
def test_the_running_interval_of_qwk_has_the_t_that_is_as_unlikely_as_the_anytime_multiplier(n: int) -> None:
    ai, teacher = [0, 1, 2, 1, 2, 2] * (n // 6), [0, 2, 2, 1, 1, 2] * (n // 6)
    found = ag.running_agreement(ai, teacher, every=n)
    kappa, error = ag.quadratic_weighted_kappa(ai, teacher).value, ag.qwk_standard_error(ai, teacher).value
    assert kappa is not None
    assert error is not None
    quantile = stats.t.isf(stats.norm.sf(ag.anytime_multiplier(n)), n - 1)
    reach = quantile * error * math.sqrt(n / (n - 1)) / (1 - kappa**2)
    assert found.low[0] == pytest.approx(math.tanh(math.atanh(kappa) - reach), abs=1e-9)
    assert found.high[0] == pytest.approx(math.tanh(math.atanh(kappa) + reach), abs=1e-9)


def test_running_figures_go_on_from_what_came_before_and_keep_the_last() -> None:
    ai, teacher = [0, 1, 2, 3, 1, 2, 0], [0, 2, 2, 3, 0, 2, 1]
    whole = ag.running_agreement(ai, teacher)
    later = ag.running_agreement(ai[3:], teacher[3:], ag.moments(ai[:3], teacher[:3]), every=3)
    assert later.n.tolist() == [6, 7]
    assert later.value.tolist() == [approx(whole.value[5]), approx(whole.value[6])]
    assert later.low.tolist() == [approx(whole.low[5]), approx(whole.low[6])]
    shares = ag.running_share([1, 0, 1, 1], start=(1, 2), every=3)
    assert (shares.n.tolist(), shares.value.tolist()) == ([5, 6], [approx(3 / 5), approx(4 / 6)])


def test_complete_agreement_has_no_running_interval_for_qwk() -> None:
    found = ag.running_agreement([0, 1, 2, 3, 4, 0.25], [0, 1, 2, 3, 4, 0.25])
    assert found.value[1:].tolist() == [1] * 5
    assert (found.standard_error[1:] == 0).all()
    assert np.isnan(found.low).all()


def test_the_running_interval_of_a_share_is_wilsons_with_the_anytime_multiplier() -> None:
    # After a hundred misses: 0 up to m²/(n + m²), m = 3.0352.
    found = ag.running_share([False] * 100)
    assert found.low[-1] == 0
    assert found.high[-1] == pytest.approx(3.0352**2 / (100 + 3.0352**2), abs=1e-5)
    assert ag.running_share([True] * 100).low[-1] == approx(1 - found.high[-1])


def test_no_pairs_make_no_running_figures_and_bad_input_is_refused() -> None:
    assert ag.running_agreement([], []).n.size == 0
    assert ag.running_share([]).n.size == 0
    with pytest.raises(ValueError, match="15 sums"):
        ag.running_agreement([1], [1], [1, 2, 3])
    with pytest.raises(ValueError, match="1 or more"):
        ag.running_agreement([1], [1], every=0)
    with pytest.raises(ValueError, match="3 of 2"):
        ag.running_share([True], start=(3, 2))
    with pytest.raises(ValueError, match="Pair 2: the AI's mark nan is missing"):
        ag.running_agreement([1, math.nan], [1, 1])


def test_looking_after_every_mark_seldom_leaves_the_truth_outside() -> None:
    draw = np.random.default_rng(2)
    outside = 0
    for _ in range(300):
        found = ag.running_share(draw.uniform(size=1000) < 0.7)
        outside += bool(((found.low > 0.7) | (found.high < 0.7)).any())
    # At most 5% in the long run, where 1.96 would leave it outside in over a third; here within three standard errors.
    assert outside / 300 < 0.05 + 0.038


def test_looking_at_qwk_after_every_mark_seldom_leaves_the_truth_outside() -> None:
    # Worth 0 to 4, each marker one off either way on two in five: the truth is the QWK of all 125 cases together.
    worth, first, second = (part.ravel() for part in np.meshgrid(np.arange(5), *[[-1, 0, 0, 0, 1]] * 2))
    ai, teacher = np.clip(worth + first, 0, 4), np.clip(worth + second, 0, 4)
    truth = ag.quadratic_weighted_kappa(ai, teacher).value
    draw = np.random.default_rng(6)
    outside = 0
    for _ in range(300):
        drawn = draw.integers(125, size=400)
        found = ag.running_agreement(ai[drawn], teacher[drawn])
        outside += bool(((found.low > truth) | (found.high < truth)).any())
    assert outside / 300 < 0.05 + 0.038


# Drift


def test_drift_is_measured_against_each_questions_own_baseline_where_it_has_five() -> None:
    # On a d = −1, 0, 1, 0, 0: mean 0, SD √½. b has four and c one: all ten have mean .4 and SD √(4.4/9).
    d = [-1, 0, 1, 0, 0, 1, 1, 1, 1, 0]
    question = ["a"] * 5 + ["b"] * 4 + ["c"]
    later, asked = [1, 1, 0], ["a", "b", "never seen"]
    teacher = np.full(13, 2)
    found = ag.standardised_differences(teacher + np.array(d + later), teacher, question + asked, baseline=10)
    spread = math.sqrt(4.4 / 9)
    assert found.z.tolist() == [approx(math.sqrt(2)), approx(0.6 / spread), approx(-0.4 / spread)]
    assert (found.baseline, found.own, found.note) == (10, approx(1 / 3), "")


def test_a_question_whose_baseline_all_differs_alike_borrows_the_spread_of_the_others() -> None:
    # b: five times +1. All ten: mean .5, SD √(4.5/9).
    d = np.array([-1, 0, 1, 0, 0, 1, 1, 1, 1, 1, 2])
    found = ag.standardised_differences(2 + d, np.full(11, 2), ["a"] * 5 + ["b"] * 6, baseline=10)
    assert found.z.tolist() == [approx(1 / math.sqrt(0.5))]


def test_without_a_baseline_there_is_nothing_to_measure_drift_against_and_the_reason_is_given() -> None:
    few = ag.standardised_differences([1] * 99, [1] * 99, ["a"] * 99)
    assert (few.z.size, few.baseline) == (0, 99)
    assert few.note == "drift is watched from 100 blind marks on; there are 99"
    alike = ag.standardised_differences([1] * 101, [2] * 101, ["a"] * 101)
    assert alike.z.size == 0
    assert "all differ alike" in alike.note
    exact = ag.standardised_differences([1, 2] * 50, [1, 1] * 50, ["a"] * 100)
    assert (exact.z.size, exact.own, exact.note) == (0, None, "")
    with pytest.raises(ValueError, match="two pairs"):
        ag.standardised_differences([1], [1], ["a"], baseline=1)
    with pytest.raises(ValueError, match="2 pairs of marks and 1 questions"):
        ag.standardised_differences([1, 1], [1, 1], ["a"])


def test_an_ai_that_turns_lenient_sets_off_the_alarm_soon_after() -> None:
    draw = np.random.default_rng(4)
    d = draw.choice([-1, 0, 1], p=[0.2, 0.6, 0.2], size=300)
    d[200:] += 1
    found = ag.standardised_differences(3 + d, np.full(300, 3), ["a"] * 300)
    alarm = ag.cusum(found.z)
    assert alarm.direction == "lenient"
    assert alarm.alarm is not None
    assert 100 <= alarm.alarm < 115

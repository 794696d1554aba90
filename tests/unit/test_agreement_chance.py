from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from components.agreement import (
    anchoring_effect,
    anchoring_effect_over,
    anytime_multiplier,
    beyond_chance,
    mean_probability,
    pairs_to_settle,
    qwk_standard_error,
)


def test_the_probability_of_a_mean_is_that_of_scipys_t_test() -> None:
    d = np.array([1, 0, 0, 1, -1, 2, 0, 1, 1, 0], dtype=float)
    assert mean_probability(float(d.mean()), float(d.std(ddof=1)), d.size) == pytest.approx(
        float(stats.ttest_1samp(d, 0).pvalue)
    )


def test_equal_differences_are_judged_by_their_side() -> None:
    # A sign test: all twelve on one side, 2 · ½¹².
    assert mean_probability(1.0, 0.0, 12) == pytest.approx(2 / 4096)
    assert mean_probability(0.0, 0.0, 12) == 1.0


def test_no_effect_within_each_question_is_no_effect_over_them_however_they_are_mixed() -> None:
    # 5 of 6 blind and 45 of 54 seen; 9 of 30 and 9 of 30. Pooled it would be 54/84 − 14/36 = +.25.
    found = anchoring_effect_over([(45, 54, 5, 6), (9, 30, 9, 30), (7, 9, 0, 0)])
    assert found.value == pytest.approx(0.0)
    assert found.interval is not None
    assert found.interval.low < 0 < found.interval.high


def test_an_effect_over_questions_is_the_mantel_haenszel_difference() -> None:
    # Weights n₁n₀/N: 40·10/50 = 8 and 20·20/40 = 10; differences .8 − .6 and .7 − .4: (8·.2 + 10·.3)/18.
    found = anchoring_effect_over([(32, 40, 6, 10), (14, 20, 8, 20)])
    assert found.value == pytest.approx((8 * 0.2 + 10 * 0.3) / 18)
    # Sato: P = (1600·6 − 100·32 + 400·(−30)/2)/2500 + (400·8 − 400·14 + 0)/1600 = .16 − 1.5;
    # Q = (32·4 + 6·8)/100 + (14·12 + 8·6)/80 = 1.76 + 2.7; the variance is (δP + Q)/18².
    assert found.interval is not None
    variance = (found.value * (0.16 - 1.5) + 1.76 + 2.7) / 18**2
    assert found.interval.high - found.value == pytest.approx(1.959964 * variance**0.5, rel=1e-6)


def test_one_question_keeps_newcombes_interval_and_none_says_why() -> None:
    assert anchoring_effect_over([(56, 70, 48, 80)]) == anchoring_effect(56, 70, 48, 80)
    assert anchoring_effect_over([(1, 2, 0, 0)]).value is None


def test_holm_lets_a_difference_stand_only_where_all_smaller_ones_do() -> None:
    # m = 4: .010 ≤ .05/4 stands, .016 ≤ .05/3 stands, .030 > .05/2 does not, and so .031 ≤ .05/1 does not either.
    assert beyond_chance([0.031, 0.010, 0.030, 0.016]) == (False, True, False, True)
    assert beyond_chance([]) == ()


def test_as_many_pairs_settle_a_question_as_bring_the_watched_interval_to_a_tenth() -> None:
    ai = [0, 1, 2, 3, 4, 4, 3, 2, 1, 0, 2, 2] * 4
    teacher = [0, 1, 2, 3, 4, 3, 3, 1, 1, 1, 2, 3] * 4
    error = qwk_standard_error(ai, teacher).value
    needed = pairs_to_settle(ai, teacher).value
    assert error is not None
    assert needed is not None
    n = int(needed)
    assert anytime_multiplier(n) * error * np.sqrt(48 / n) <= 0.1
    assert anytime_multiplier(n - 1) * error * np.sqrt(48 / (n - 1)) > 0.1


def test_marks_without_spread_say_why_nothing_would_settle_them() -> None:
    found = pairs_to_settle([1, 1, 1], [1, 1, 1])
    assert found.value is None
    assert found.note == "all 3 marks identical, QWK not measurable"

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from components.agreement import (
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


def test_differences_without_spread_prove_nothing() -> None:
    assert mean_probability(1.0, 0.0, 12) == 1.0


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

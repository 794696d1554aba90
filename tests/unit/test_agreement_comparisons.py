"""Two judges, two groups of candidates, ranges of marks and levels of confidence beside each other, worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from components import agreement as ag


def approx(value: float) -> object:
    return pytest.approx(value, abs=1e-12)


# Two judges

A = [0, 1, 2, 1, 1, 1]
B = [0, 2, 2, 1, 1, 1]
TEACHER = [0, 2, 2, 1, 1, 1]
QUESTION = ["a", "a", "a", "b", "b", "b"]
MAXIMUM = [2, 2, 2, 1, 1, 1]


def test_two_judges_on_two_questions_worked_by_hand() -> None:
    # On a: QWK .8 and 1, mean d²/M 1/6 and 0 of a chance 14/6/2. On b all marks are 1, for both judges.
    found = ag.judge_comparison(A, B, TEACHER, QUESTION, MAXIMUM)
    assert [found.a.aggregate.value, found.b.aggregate.value, found.difference.value] == pytest.approx([0.8, 1, -0.2])
    assert [found.a.pooled.value, found.b.pooled.value] == pytest.approx([6 / 7, 1])
    assert found.pooled_difference.value == approx(-1 / 7)
    assert (found.n, str(found.coverage)) == (6, "1 of 2 questions, 67% of marks")
    assert (found.a.exact.count, found.b.exact.count, found.a.exact.n) == (5, 6, 6)
    assert (found.a.bias_percent.value, found.b.bias_percent.value) == (approx(-50 / 6), 0)
    assert found.difference.interval is None
    assert "two questions" in found.difference.note


def test_a_question_that_one_judge_leaves_undefined_counts_for_neither() -> None:
    # On b only the second judge and the teacher gave one and the same mark throughout.
    found = ag.judge_comparison([0, 1, 2, 0, 1, 1], B, TEACHER, QUESTION, MAXIMUM)
    assert found.coverage.questions == 1
    assert found.a.aggregate.value == approx(0.8)


def test_what_both_judges_find_hard_cancels_in_the_interval_of_their_difference() -> None:
    draw = np.random.default_rng(3)
    question = np.repeat(np.arange(40), 40)
    teacher = draw.integers(0, 5, question.size)
    apart = np.where(draw.uniform(size=question.size) < draw.uniform(0, 0.8, 40)[question], 1, 0)
    a = np.abs(teacher - apart)
    b = np.where(draw.uniform(size=question.size) < 0.05, np.abs(teacher - 1), a)
    found = ag.judge_comparison(a, b, teacher, question, 4)
    per_question = [
        [ag.quadratic_weighted_kappa(judge[question == q], teacher[question == q]).value for q in range(40)]
        for judge in (a, b)
    ]
    replicates = ag.resample_counts(40) @ np.subtract(*np.array(per_question)) / 40
    low, high = np.quantile(replicates, [0.025, 0.975])
    assert found.difference.interval is not None
    assert (found.difference.interval.low, found.difference.interval.high) == pytest.approx((low, high), abs=1e-12)
    alone = found.a.aggregate.interval
    assert alone is not None
    assert high - low < (alone.high - alone.low) / 3


def test_judges_without_common_responses_are_undefined_with_reasons() -> None:
    found = ag.judge_comparison([], [], [], [], [])
    undefined = [found.difference, found.pooled_difference, found.a.aggregate, found.b.bias_percent]
    assert all(figure.value is None and figure.note for figure in undefined)
    assert found.a.exact.value is None


def test_a_comparison_of_judges_refuses_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="Pair 2: the second judge's mark 3 is above"):
        ag.judge_comparison([1, 1], [1, 3], [1, 1], ["a", "a"], 2)
    with pytest.raises(ValueError, match="the teacher's mark 1, the question 2"):
        ag.judge_comparison([1, 1], [1, 1], [1], ["a", "a"], 2)
    with pytest.raises(ValueError, match=r"Row 2: a count is a whole number from 0, not 1\.5"):
        ag.judge_comparison([1, 1], [1, 1], [1, 1], ["a", "a"], 2, counts=[1, 1.5])
    with pytest.raises(ValueError, match="Response 2: its maximum"):
        ag.judge_comparison([1] * 3, [1] * 3, [1] * 3, ["a"] * 3, [2, 3, 2], counts=[0, 1, 1])
    with pytest.raises(ValueError, match="1 counts for 2 rows"):
        ag.second_marker_report([1, 1], [1, 1], [1, 1], ["a", "a"], 2, counts=[1])


# Groups of candidates


def test_standardised_bias_is_in_standard_deviations_of_the_questions_own_marks() -> None:
    # SD of 0, 2, 4 is 2; b has none, c but one response.
    found = ag.standardised_bias([1, 2, 4, 1, 1, 3], [0, 2, 4, 1, 1, 2], ["a", "a", "a", "b", "b", "c"])
    assert found[:3].tolist() == [0.5, 0, 0]
    assert np.isnan(found[3:]).all()


def group(*means: float) -> list[float]:
    return [mean for mean in means for _ in range(10)]


def test_a_groups_bias_worked_by_hand_with_candidates_as_units() -> None:
    # Means .4 and 0. Each candidate's ten responses sum to ±1 about their side's mean: variance 2/1 · 2/20² = .01 on
    # either side. .02²/(.01² + .01²) = 2 degrees of freedom, where t is 4.302653.
    z = group(0.5, 0.3, 0.1, -0.1)
    candidates = group(1, 2, 3, 4)
    found = ag.group_bias(z, candidates, [c <= 2 for c in candidates])
    assert found.difference.value == approx(0.4)
    assert (found.n, found.candidates, found.others, found.other_candidates) == (20, 2, 20, 2)
    reach = 4.302653 * math.sqrt(0.02)
    assert found.difference.interval is not None
    assert found.difference.interval.low == pytest.approx(0.4 - reach, abs=1e-6)
    assert found.difference.interval.high == pytest.approx(0.4 + reach, abs=1e-6)


@pytest.mark.parametrize(("own", "note"), [(True, "the group has 19"), (False, "the other candidates have 19")])
def test_under_twenty_responses_a_groups_bias_is_not_shown(own: bool, note: str) -> None:
    z = [math.nan, *group(0.5, 0.3, 0.1, -0.1)[1:]]
    candidates = group(1, 2, 3, 4)
    found = ag.group_bias(z, candidates, [(c <= 2) == own for c in candidates])
    assert found.difference == ag.Statistic(None, f"shown from 20 responses; {note}")


def test_a_group_of_one_candidate_has_no_interval_but_the_reason() -> None:
    candidates = [1] * 20 + [2] * 10 + [3] * 10
    found = ag.group_bias([0.5] * 20 + [0.1] * 20, candidates, [c == 1 for c in candidates])
    assert found.difference.value == approx(0.4)
    assert found.difference.interval is None
    assert "two candidates" in found.difference.note


def test_a_candidate_on_both_sides_is_refused() -> None:
    with pytest.raises(ValueError, match="both in the group and not"):
        ag.group_bias([0.1, 0.2], ["a", "a"], [True, False])


def test_the_interval_of_a_groups_bias_covers_where_candidates_responses_are_alike() -> None:
    draw = np.random.default_rng(11)
    candidates, runs, covered = np.repeat(np.arange(30), 20), 400, 0
    for _ in range(runs):
        z = draw.normal(size=30)[candidates] * 0.5 + draw.normal(size=candidates.size)
        interval = ag.group_bias(z, candidates, candidates < 12).difference.interval
        assert interval is not None
        covered += interval.low <= 0 <= interval.high
    # 95% of 400 within three standard errors; taking responses as independent would cover some 60%.
    assert abs(covered / runs - 0.95) < 0.033


# Ranges of marks


def test_bias_in_thirds_of_the_scale_worked_by_hand() -> None:
    # Means of the two marks: ½ and ½ | 2 (a third of six: middle) and 3½ | 5 and 6.
    low, middle, high = ag.bias_by_range([1, 0, 2, 3, 6, 6], [0, 1, 2, 4, 4, 6], 6)
    assert [part.n for part in (low, middle, high)] == [2, 2, 2]
    assert [part.mean_signed.value for part in (low, middle, high)] == [0, -0.5, 1]
    assert high.bias_percent.value == approx(100 / 6)
    assert (middle.low, middle.high) == (approx(1 / 3), approx(2 / 3))
    # Differences 0 and −1: −½ ± t₁ · √½/√2, t₁ = 12.706205.
    assert middle.mean_signed.interval is not None
    assert middle.mean_signed.interval.low == pytest.approx(-0.5 - 12.706205 / 2, abs=1e-6)


def test_a_range_without_pairs_says_so_and_full_marks_are_in_the_last() -> None:
    low, high = ag.bias_by_range([3, 1], [3, 1], [3, 1], ranges=2)
    assert (low.n, high.n) == (0, 2)
    assert low.mean_signed.note == "no response has both marks yet"
    with pytest.raises(ValueError, match="at least one range"):
        ag.bias_by_range([1], [1], 2, ranges=0)


def test_a_fair_ai_is_fair_in_every_range_though_not_by_the_teachers_mark() -> None:
    draw = np.random.default_rng(5)
    worth = draw.integers(2, 11, 4000)
    ai, teacher = (np.clip(worth + draw.integers(-2, 3, 4000), 0, 12) for _ in range(2))
    for part in ag.bias_by_range(ai, teacher, 12):
        assert part.mean_signed.value is not None
        assert abs(part.mean_signed.value) < 0.15
    by_teacher = [float((ai - teacher)[chosen].mean()) for chosen in (teacher < 4, teacher >= 8)]
    assert by_teacher[0] > 0.5
    assert by_teacher[1] < -0.5


# Levels of confidence


def test_the_surest_responses_are_taken_first() -> None:
    found = ag.coverage_error([6, 3, 0, 1], [0, 1, 0, 1])
    assert [(point.covered, point.n, point.outside.count) for point in found] == [
        (0.6, 6, 0),
        (0.9, 9, 1),
        (0.9, 9, 1),
        (1, 10, 2),
    ]
    assert found[-1].outside.interval == ag.wilson_interval(2, 10)


def test_levels_without_responses_make_no_points_and_impossible_counts_are_refused() -> None:
    assert ag.coverage_error([0, 0], [0, 0]) == ()
    assert ag.coverage_error([0, 2], [0, 1])[0].outside.value is None
    with pytest.raises(ValueError, match="3 of 2"):
        ag.coverage_error([2], [3])
    with pytest.raises(ValueError, match="2 levels and 1 counts"):
        ag.coverage_error([2, 1], [1])

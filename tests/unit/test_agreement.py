"""Agreement against hand-worked and published values, and its properties."""

from __future__ import annotations

import math
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from components import agreement as ag

Columns = tuple[list[float], list[float]]


@st.composite
def marked(
    draw: st.DrawFn, step: float = 1.0, least: int = 1, most: int = 12
) -> tuple[list[float], list[float], float]:
    """Complete pairs on a scale 0, step … max_mark, and that maximum."""
    top = draw(st.integers(1, most))
    n = draw(st.integers(least, 25))
    column = st.lists(st.integers(0, top).map(lambda i: i * step), min_size=n, max_size=n)
    return draw(column), draw(column), top * step


def approx(value: float) -> object:
    return pytest.approx(value, abs=1e-12)


# Kappas


def test_kappas_of_three_pairs_worked_by_hand() -> None:
    # Σd² = 1, Σx² = 5, Σy² = 8, Σx = 3, Σy = 4: 1 − 3/(15 + 24 − 24). Mean |x_i − y_j| = 9/9. Chance 1/3 of exact.
    ai, teacher = [0, 1, 2], [0, 2, 2]
    assert ag.quadratic_weighted_kappa(ai, teacher) == ag.Statistic(approx(0.8))
    assert ag.linear_weighted_kappa(ai, teacher).value == approx(2 / 3)
    assert ag.cohen_kappa(ai, teacher).value == approx(0.5)


def test_kappa_of_one_and_the_same_mark_throughout_is_undefined_with_the_reason() -> None:
    for kappa in (ag.quadratic_weighted_kappa, ag.linear_weighted_kappa, ag.cohen_kappa):
        found = kappa([3, 3, 3], [3, 3, 3])
        assert found.value is None
        assert found.note.startswith("all 3 marks identical")


@pytest.mark.parametrize(
    ("ai", "teacher"), [([3, 3, 3], [2, 3, 4]), ([2, 3, 4], [3, 3, 3]), ([2, 2, 2], [3, 3, 3]), ([2], [3])]
)
def test_kappa_without_spread_is_zero_and_flagged(ai: list[float], teacher: list[float]) -> None:
    for kappa in (ag.quadratic_weighted_kappa, ag.linear_weighted_kappa, ag.cohen_kappa):
        found = kappa(ai, teacher)
        assert found.value == 0
        assert "no spread" in found.note


def test_kappa_of_no_pairs_is_undefined_with_the_reason() -> None:
    assert ag.quadratic_weighted_kappa([], []) == ag.Statistic(None, "no response has both marks yet")
    assert ag.linear_weighted_kappa([], []).value is None
    assert ag.cohen_kappa([], []).value is None


def test_marks_that_are_not_exact_in_binary_still_count_as_constant() -> None:
    thirds = [1 / 3] * 7
    assert ag.quadratic_weighted_kappa(thirds, thirds).value is None
    assert ag.quadratic_weighted_kappa([0.1] * 7, [0.7] * 7).value == 0


@settings(deadline=None)
@given(marked(step=0.5))
def test_qwk_is_symmetric_and_in_range(pairs: tuple[list[float], list[float], float]) -> None:
    ai, teacher, _ = pairs
    value, mirrored = (ag.quadratic_weighted_kappa(*both).value for both in ((ai, teacher), (teacher, ai)))
    assert mirrored is value is None or mirrored == approx(value or 0.0)
    assert value is None or -1 <= value <= 1


@settings(deadline=None)
@given(marked(), st.integers(0, 9))
def test_qwk_does_not_depend_on_the_label_set(pairs: tuple[list[float], list[float], float], shift: int) -> None:
    ai, teacher, _ = pairs
    value = ag.quadratic_weighted_kappa(ai, teacher).value
    moved = ag.quadratic_weighted_kappa([m + shift for m in ai], [m + shift for m in teacher]).value
    halved = ag.quadratic_weighted_kappa([m / 2 for m in ai], [m / 2 for m in teacher]).value
    for other in (moved, halved):
        assert other is value is None or other == approx(value or 0.0)


@settings(max_examples=60, deadline=None)
@given(marked())
def test_qwk_equals_scikit_learn_given_the_full_label_set(pairs: tuple[list[float], list[float], float]) -> None:
    ai, teacher, top = pairs
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = {
            weights: cohen_kappa_score(ai, teacher, weights=weights, labels=np.arange(top + 1))
            for weights in ("quadratic", "linear", None)
        }
    ours = {
        "quadratic": ag.quadratic_weighted_kappa(ai, teacher).value,
        "linear": ag.linear_weighted_kappa(ai, teacher).value,
        None: ag.cohen_kappa(ai, teacher).value,
    }
    for weights, value in ours.items():
        assert (value is None) == math.isnan(theirs[weights])
        assert value is None or value == pytest.approx(theirs[weights], abs=1e-10)


@settings(max_examples=40, deadline=None)
@given(marked(least=4, most=6))
def test_qwk_standard_error_is_that_of_its_numerical_influence(pairs: tuple[list[float], list[float], float]) -> None:
    ai, teacher, _ = pairs
    found = ag.qwk_standard_error(ai, teacher)
    if found.value is None or "no spread" in ag.quadratic_weighted_kappa(ai, teacher).note:
        return
    n, influence = len(ai), []
    for i in range(n):
        heavier, lighter = (ag.quadratic_weighted_kappa(ai, teacher, _tilted(n, i, by)).value for by in (1e-5, -1e-5))
        assert heavier is not None
        assert lighter is not None
        influence.append(n * (heavier - lighter) / 2e-5)
    influence_without_mean = np.array(influence) - np.mean(influence)
    assert found.value == pytest.approx(math.sqrt((influence_without_mean**2).mean() / n), abs=1e-5)


def _tilted(n: int, i: int, by: float) -> list[float]:
    return [1 + by if j == i else 1.0 for j in range(n)]


def test_qwk_interval_of_a_balanced_one_mark_question() -> None:
    # κ = .7 with equal margins has n·SE² = 1 − κ² = .51, so atanh κ ± t₁₉₉ · √(.51/199) / .51, t₁₉₉ = 1.97196.
    ai = [0] * 100 + [1] * 100
    teacher = [0] * 85 + [1] * 100 + [0] * 15
    found = ag.quadratic_weighted_kappa_interval(ai, teacher)
    reach = 1.971956 * math.sqrt(0.51 / 199) / 0.51
    assert found.value == approx(0.7)
    assert found.interval is not None
    assert found.interval.low == pytest.approx(math.tanh(math.atanh(0.7) - reach), abs=1e-6)
    assert found.interval.high == pytest.approx(math.tanh(math.atanh(0.7) + reach), abs=1e-6)


@pytest.mark.parametrize(("ai", "teacher"), [([0, 1, 2, 3], [0, 1, 2, 3]), ([1, 2], [1, 3]), ([3, 3, 3], [2, 3, 4])])
def test_qwk_without_sampling_spread_has_no_interval_but_the_reason(ai: list[float], teacher: list[float]) -> None:
    found = ag.quadratic_weighted_kappa_interval(ai, teacher)
    assert found.interval is None
    assert "no interval" in found.note


# Six sums


@settings(deadline=None)
@given(marked(step=0.25))
def test_six_sums_give_the_same_figures_as_the_pairs(pairs: tuple[list[float], list[float], float]) -> None:
    ai, teacher, top = pairs
    x, y = np.array(ai), np.array(teacher)
    found = ag.from_sums(len(ai), x.sum(), y.sum(), (x * x).sum(), (y * y).sum(), (x * y).sum())
    whole = ag.differences(ai, teacher, top, step=0.25)
    kappa = ag.quadratic_weighted_kappa(ai, teacher)
    for one, other in (
        (found.qwk, kappa),
        (found.rmse, whole.rmse),
        (found.mean_signed, whole.mean_signed),
        (found.sd, whole.sd),
    ):
        assert (one.value is None) == (other.value is None)
        assert one.value is None or one.value == pytest.approx(other.value, abs=1e-7)
    assert found.qwk.note == kappa.note


def test_six_sums_of_no_pairs_give_no_figures() -> None:
    found = ag.from_sums(0, 0, 0, 0, 0, 0)
    assert (found.qwk.value, found.mean_signed.value, found.rmse.value, found.sd.value) == (None,) * 4


@pytest.mark.parametrize("sums", [(2, 4, 4, 1, 8, 8), (2, 2, 2, 2, 2, 9), (-1, 0, 0, 0, 0, 0), (0, 1, 0, 1, 0, 0)])
def test_sums_that_no_marks_have_are_refused(sums: tuple[int, float, float, float, float, float]) -> None:
    with pytest.raises(ValueError, match="No marks have these sums"):
        ag.from_sums(*sums)


# Differences and shares


def test_differences_of_four_pairs_worked_by_hand() -> None:
    # d = 1, 0, −2, 0: mean −1/4, Σd² = 5, SD² = (5 − 4/16)/3 = 19/12.
    found = ag.differences([4, 2, 1, 0], [3, 2, 3, 0], max_mark=4, tolerance=2, step=1)
    sd = math.sqrt(19 / 12)
    assert (found.exact.count, found.within.count, found.adjacent.count, found.n) == (2, 4, 3, 4)
    assert (found.exact.value, found.within.value, found.adjacent.value) == (0.5, 1, 0.75)
    assert (found.mae.value, found.mean_signed.value, found.bias_percent.value) == (0.75, -0.25, -6.25)
    assert found.rmse.value == approx(math.sqrt(5 / 4))
    assert found.sd.value == approx(sd)
    assert found.limits is not None
    assert found.limits.low == approx(-0.25 - 1.96 * sd)
    assert found.limits.high == approx(-0.25 + 1.96 * sd)
    # t with 3 degrees of freedom is 3.182446.
    assert found.mean_signed.interval is not None
    assert found.mean_signed.interval.high == pytest.approx(-0.25 + 3.182446 * sd / 2, abs=1e-6)


def test_adjacent_is_one_step_where_half_marks_are_given() -> None:
    found = ag.differences([0.5, 1, 3], [0, 2, 3], max_mark=3, tolerance=1, step=0.5)
    assert (found.adjacent.count, found.within.count) == (2, 3)


def test_adjacent_is_hidden_where_one_step_is_the_whole_question() -> None:
    found = ag.differences([0, 1], [1, 1], max_mark=1)
    assert found.adjacent.value is None
    assert "one step is the whole question" in found.adjacent.note


def test_differences_of_no_pairs_and_of_one_are_undefined_with_reasons() -> None:
    none = ag.differences([], [], max_mark=3)
    assert all(figure.value is None and figure.note for figure in (none.exact, none.mae, none.mean_signed, none.sd))
    one = ag.differences([2], [3], max_mark=3)
    assert one.mean_signed.value == -1
    assert (one.sd.value, one.limits) == (None, None)
    assert "two pairs" in one.sd.note


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_intervals_are_those_of_newcombe_1998(k: int, n: int, low: float, high: float) -> None:
    found = ag.wilson_interval(k, n)
    assert found is not None
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


def test_wilson_interval_of_nothing_is_none_and_of_an_impossible_count_refused() -> None:
    assert ag.wilson_interval(0, 0) is None
    assert ag.share(0, 0).note
    with pytest.raises(ValueError, match="3 of 2"):
        ag.wilson_interval(3, 2)


@pytest.mark.parametrize(
    ("ai", "teacher", "message"),
    [
        ([1, 6], [1, 5], "Pair 2: the AI's mark 6 is above the maximum"),
        ([1, 2], [-1, 5], "Pair 1: the teacher's mark -1 is below 0"),
        ([1, 2.5], [1, 2], "Pair 2: the AI's mark 2.5 is not a multiple of 1"),
        ([1, math.nan], [1, 2], "Pair 2: the AI's mark nan is missing"),
        ([1, 2], [None, 2], "Pair 1: the teacher's mark nan is missing"),
        ([1, 2, 3], [1, 2], "3 marks of one marker and 2 of the other"),
        ([[1, 2]], [[1, 2]], "one column"),
    ],
)
def test_marks_off_the_scale_or_missing_are_refused_by_position(ai: object, teacher: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ag.question_agreement(ai, teacher, max_mark=5)  # type: ignore[arg-type]


# One question and its standing

SPREAD: Columns = ([0, 1, 2, 3, 4, 2, 1, 3, 0, 4], [0, 1, 2, 3, 4, 3, 1, 2, 0, 4])


def repeated(times: int) -> Columns:
    return SPREAD[0] * times, SPREAD[1] * times


def test_fewer_than_ten_pairs_show_counts_and_direction_but_no_qwk() -> None:
    found = ag.question_agreement(SPREAD[0][:9], SPREAD[1][:9], max_mark=4)
    assert found.standing is ag.Standing.TOO_FEW
    assert found.qwk == ag.Statistic(None, "QWK is shown from 10 pairs")
    assert found.raw_qwk.value is not None
    assert found.sentence == (
        "9 pairs so far. Exactly the same mark on 7 of 9 (78%, likely 45–94%). "
        "On average the AI gives neither more nor less. QWK is shown from 10 pairs."
    )


@pytest.mark.parametrize(("times", "standing"), [(1, "provisional"), (2, "provisional"), (3, "plain"), (9, "plain")])
def test_qwk_is_provisional_from_ten_pairs_and_plain_from_thirty(times: int, standing: str) -> None:
    found = ag.question_agreement(*repeated(times), max_mark=4)
    assert found.standing == standing
    # d² sums to 2 in each ten, Σx² = Σy² = 60, Σx = Σy = 20: 1 − 20/(1200 − 800).
    assert found.qwk.value == approx(0.95)
    assert found.qwk.interval is not None
    assert ("provisional until 30 pairs" in found.sentence) == (standing == "provisional")
    assert f"On {10 * times} pairs the AI and the teacher agree at QWK .95 (" in found.sentence


def test_all_marks_identical_is_said_in_words() -> None:
    found = ag.question_agreement([3] * 14, [3] * 14, max_mark=4)
    assert found.standing is ag.Standing.IDENTICAL
    assert found.qwk.value is None
    assert found.sentence == "All 14 marks identical, QWK not measurable."
    assert ag.question_agreement([3] * 4, [3] * 4, max_mark=4).standing is ag.Standing.TOO_FEW


def test_a_marker_without_spread_is_said_in_words() -> None:
    found = ag.question_agreement([3] * 12, [3, 2] * 6, max_mark=4)
    assert found.qwk.value == 0
    assert "same mark, so QWK is 0" in found.sentence
    assert "On average the AI gives 0.50 marks more" in found.sentence


def test_a_one_mark_question_shows_kappa_with_exact_and_ac1() -> None:
    # Both give 1 but for one 0 of the AI's in twelve, where the teacher gave 1, and one shared 0.
    ai, teacher = [0, 0] + [1] * 10, [0, 1] + [1] * 10
    found = ag.question_agreement(ai, teacher, max_mark=1)
    kappa = 1 - (1 / 12) / (1 - (2 / 12 * 1 / 12 + 10 / 12 * 11 / 12))
    ones = 21 / 24
    assert found.kappa_name == "κ"
    assert found.qwk.value == approx(kappa)
    assert ag.cohen_kappa(ai, teacher).value == approx(kappa)
    assert found.ac1.value == approx(1 - (1 / 12) / (1 - 2 * ones * (1 - ones)))
    assert "κ .62" in found.sentence
    assert "AC1" in found.sentence
    assert "Exactly the same mark on 11 of 12" in found.sentence
    assert ag.question_agreement([0.5] * 3, [0.5] * 3, max_mark=0.5, step=0.5).kappa_name == "κ"


def test_ac1_is_for_one_step_questions_only() -> None:
    found = ag.question_agreement(*SPREAD, max_mark=4)
    assert found.ac1.value is None
    assert found.ac1.note


def test_a_question_without_pairs_says_so() -> None:
    assert ag.question_agreement([], [], max_mark=4).sentence == "No response has both marks yet."


def test_a_larger_maximum_leaves_qwk_alone() -> None:
    one, other = (ag.question_agreement(*SPREAD, max_mark=top).qwk for top in (4, 40))
    assert one == other


# An exam

FIRST = ag.QuestionPairs("1", [0, 1, 2], [0, 2, 2], 2)
SECOND = ag.QuestionPairs("2", [0, 1, 1, 0], [0, 1, 0, 0], 1)


def test_exam_figures_of_two_questions_worked_by_hand() -> None:
    # QWK .8 on 2 marks and .5 on 1. A = 1/6 and 1/4; B = 14/6/2 and 7/12.
    found = ag.exam_agreement([FIRST, SECOND])
    assert found.aggregate.value == approx((2 * 0.8 + 0.5) / 3)
    assert found.pooled.value == approx(1 - (1 / 6 + 1 / 4) / (7 / 6 + 7 / 12))
    assert (found.n, found.median_pairs, found.headline) == (7, 3.5, "pooled")
    assert found.exact.count == 5
    # Signed differences over the maximum: −1/2 and +1, in seven pairs.
    assert found.bias_percent.value == approx(100 * 0.5 / 7)


def test_exam_with_fewer_than_ten_pairs_shows_no_qwk() -> None:
    found = ag.exam_agreement([FIRST, SECOND])
    assert found.standing is ag.Standing.TOO_FEW
    assert found.qwk.value is None
    assert "QWK is shown from 10 pairs" in found.sentence


def test_exam_interval_of_four_equal_questions_is_t_with_three_degrees_of_freedom() -> None:
    kinds = [FIRST, SECOND, FIRST, SECOND]
    found = ag.exam_agreement(ag.QuestionPairs(str(i), kind.ai, kind.teacher, 2) for i, kind in enumerate(kinds))
    # QWK .8, .5, .8, .5 at equal weight: SE = √(4/3 · 4 · .15²)/4, t₃ = 3.182446.
    reach = 3.182446 * math.sqrt(4 / 3 * 4 * 0.15**2) / 4
    interval = found.aggregate.interval
    assert interval is not None
    assert found.aggregate.value == approx(0.65)
    assert (interval.low, interval.high) == pytest.approx((0.65 - reach, 0.65 + reach), abs=1e-6)
    assert interval.method == "t over questions"


def test_exam_interval_stays_within_the_scale_and_is_refused_for_one_question() -> None:
    two = ag.exam_agreement([FIRST, SECOND]).aggregate.interval
    assert two is not None
    assert (two.low, two.high) == (-1, 1)
    one = ag.exam_agreement([FIRST]).aggregate
    assert one.interval is None
    assert "two questions" in one.note


def test_coverage_names_the_questions_and_marks_the_aggregate_rests_on() -> None:
    def question(i: int, top: float, constant: bool) -> ag.QuestionPairs:
        ai, teacher = ([1] * 20, [1] * 20) if constant else ([0, 1] * 10, [0, 1] * 9 + [1, 1])
        return ag.QuestionPairs(str(i), ai, teacher, top)

    tops = [3] * 10 + [2] * 10
    found = ag.exam_agreement(question(i, top, constant=i >= 18) for i, top in enumerate(tops))
    assert str(found.coverage) == "18 of 20 questions, 92% of marks"
    assert [(left.question, left.reason) for left in found.left_out] == [
        ("18", "all 20 marks identical, QWK not measurable"),
        ("19", "all 20 marks identical, QWK not measurable"),
    ]
    assert str(found.pooled_coverage) == "20 of 20 questions, 100% of marks"
    assert found.headline == "aggregate"
    assert found.qwk == found.aggregate
    assert found.standing is ag.Standing.PLAIN
    assert "over 18 of 20 questions, 92% of marks" in found.sentence


def test_coverage_never_rounds_up_to_all_the_marks() -> None:
    assert str(ag.Coverage(19, 20, 199.5, 200)) == "19 of 20 questions, 99% of marks"


def test_the_pooled_figure_is_the_headline_while_the_median_question_has_under_twenty_pairs() -> None:
    def exam(n: int) -> ag.ExamAgreement:
        return ag.exam_agreement(ag.QuestionPairs(q, [0, 1] * n, [0, 1] * (n - 1) + [1, 1], 1) for q in "abc")

    assert (exam(9).headline, exam(10).headline) == ("pooled", "aggregate")


def test_one_pair_a_question_gives_no_headline_and_says_why() -> None:
    found = ag.exam_agreement(ag.QuestionPairs(str(i), [1], [i % 2], 2) for i in range(14))
    assert found.qwk.value is None
    assert found.standing is ag.Standing.TOO_FEW
    assert "no question has two pairs yet" in found.sentence


def test_exams_without_pairs_or_spread_say_so() -> None:
    empty = ag.exam_agreement([ag.QuestionPairs("1", [], [], 3)])
    assert empty.sentence == "No response has both marks yet."
    assert empty.left_out[0].reason == "no response has both marks yet"
    assert ag.exam_agreement([]).qwk.value is None
    same = ag.exam_agreement(ag.QuestionPairs(q, [2] * 12, [2] * 12, 3) for q in "ab")
    assert same.standing is ag.Standing.IDENTICAL
    assert "not measurable" in same.sentence


def test_a_bad_mark_in_an_exam_is_refused_by_question_and_position() -> None:
    with pytest.raises(ValueError, match=r"Question 2\(b\): Pair 2: the teacher's mark 4 is above"):
        ag.exam_agreement([FIRST, ag.QuestionPairs("2(b)", [1, 1], [1, 4], 3)])


def test_a_question_given_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="given twice"):
        ag.exam_agreement([FIRST, FIRST])


def test_kept_sums_give_the_same_exam_as_the_pairs() -> None:
    pairs = random_exam(12)
    assert ag.exam_from_sums([ag.question_sums(question) for question in pairs]) == ag.exam_agreement(pairs)


def random_exam(questions: int) -> list[ag.QuestionPairs]:
    rng = np.random.default_rng(5)
    exam = []
    for i in range(questions):
        top, n = int(rng.integers(1, 7)), int(rng.integers(20, 40))
        teacher = rng.integers(0, top + 1, n)
        ai = np.clip(teacher + rng.integers(-1, 2, n), 0, top)
        exam.append(ag.QuestionPairs(str(i), ai, teacher, top))
    return exam


def test_count_matrix_bootstrap_equals_recomputing_every_resampled_exam() -> None:
    exam = [ag.question_sums(question) for question in random_exam(40)]
    counts = ag.resample_counts(40, resamples=60)
    qwk = np.array([ag.from_sums(q.n, q.sx, q.sy, q.sxx, q.syy, q.sxy).qwk.value for q in exam])
    tops = np.array([q.max_mark for q in exam])
    fast = ag.Ratio(tops * qwk, tops).replicates(counts)
    slow = []
    for row in counts:
        drawn = [q for q, times in zip(exam, row, strict=True) for _ in range(int(times))]
        again = [ag.QuestionSums(str(i), *list(vars(q).values())[1:]) for i, q in enumerate(drawn)]
        slow.append(ag.exam_from_sums(again).aggregate.value)
    assert np.abs(fast - np.array(slow)).max() < 1e-12


def test_exam_interval_is_the_bootstrap_from_thirty_effective_questions_on_and_repeats_exactly() -> None:
    exam = [ag.QuestionPairs(q.question, q.ai, q.teacher, 6) for q in random_exam(40)]
    found, again = ag.exam_agreement(exam), ag.exam_agreement(exam)
    interval = found.aggregate.interval
    assert interval is not None
    assert found.aggregate.value is not None
    assert interval.method == "cluster bootstrap over questions"
    assert interval.low < found.aggregate.value < interval.high
    assert found == again
    assert ag.resample_counts(40).shape == (2000, 40)
    assert (ag.resample_counts(40).sum(axis=1) == 40).all()


# Other coefficients

KRIPPENDORFF = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""


@pytest.mark.parametrize(("level", "alpha"), [("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_is_that_of_krippendorff_2011(level: str, alpha: float) -> None:
    rows = [[math.nan if m == "." else float(m) for m in line.split()] for line in KRIPPENDORFF.strip().splitlines()]
    found = ag.krippendorff_alpha(np.array(rows).T, level)
    assert found.value == pytest.approx(alpha, abs=5e-4)


def test_alpha_without_spread_or_pairs_is_undefined_with_the_reason() -> None:
    assert "identical" in ag.krippendorff_alpha([[2, 2], [2, 2]]).note
    assert ag.krippendorff_alpha([[2, math.nan]]).note == "no response has two marks"
    with pytest.raises(ValueError, match="nominal"):
        ag.krippendorff_alpha([[2, 2]], "nominal")


def test_intraclass_correlations_are_those_of_shrout_and_fleiss_1979() -> None:
    table = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    found = ag.icc(table)
    assert found.icc21.value == pytest.approx(0.29, abs=5e-3)
    assert found.icc31.value == pytest.approx(0.71, abs=5e-3)
    assert ag.icc([[3, 3], [3, 3]]).icc21.value is None
    with pytest.raises(ValueError, match="every marker"):
        ag.icc([[3, math.nan], [3, 3]])


def test_gwet_coefficients_worked_by_hand() -> None:
    # Exact 3/4, share of ones 7/8: 1 − (1/4)/(1 − 2·7/64).
    assert ag.gwet_ac1([1, 1, 1, 0], [1, 1, 1, 1], 1).value == approx(0.68)
    # Weighted agreement 11/12; shares 2/6, 1/6, 3/6; weights sum to 6 of 9: chance 22/36.
    assert ag.gwet_ac2([0, 1, 2], [0, 2, 2], 2).value == approx(11 / 14)
    assert ag.gwet_ac2([3, 3], [3, 3], 4).value == 1
    assert ag.gwet_ac2([], [], 4).value is None


def test_correlations_of_a_lenient_but_consistent_marker_are_one() -> None:
    found = ag.correlations([2, 3, 4, 5], [1, 2, 3, 4])
    assert [f.value for f in (found.pearson, found.spearman, found.kendall)] == pytest.approx([1, 1, 1])
    assert "three pairs" in ag.correlations([1, 2], [1, 2]).pearson.note
    assert "same mark" in ag.correlations([1, 1, 1], [1, 2, 3]).kendall.note


def test_prmse_worked_by_hand() -> None:
    # Means 1, 3, 5.5: variance 61/12; marking error (0 + 0 + 1)/6; the AI is off by 0, 0, .5.
    true_variance = 61 / 12 - 1 / 12
    assert ag.prmse([1, 3, 6], [1, 3, 5], [1, 3, 6]).value == approx(1 - (0.25 / 3 - 1 / 12) / true_variance)
    assert ag.prmse([1, 2], [0, 2], [2, 0]).value is None


# The second-marker report, whole scripts, live figures


def test_second_marker_report_worked_by_hand() -> None:
    found = ag.second_marker_report(
        ai=[0, 1, 2, 1, 1, 1],
        e1=[0, 2, 2, 1, 1, 1],
        e2=[0, 2, 2, 1, 1, 1],
        question=["a", "a", "a", "b", "b", "b"],
        max_mark=[2, 2, 2, 1, 1, 1],
    )
    assert [found.r_a.value, found.r_h.value, found.delta.value] == pytest.approx([0.8, 1.0, -0.2])
    assert str(found.coverage) == "1 of 2 questions, 67% of marks"
    assert found.bias_percent.value == approx(-50 / 6)
    assert [(q.question, q.n, q.e1_e2) for q in found.questions] == [("a", 3, 1.0), ("b", 3, None)]


def test_second_marker_intervals_share_one_resample() -> None:
    rng = np.random.default_rng(8)
    question = np.repeat(np.arange(40), 25)
    e1 = rng.integers(0, 5, question.size)
    e2, ai = (np.clip(e1 + rng.integers(-1, 2, question.size), 0, 4) for _ in range(2))
    found = ag.second_marker_report(ai, e1, e2, question.tolist(), 4)
    per_question = [(q.ai_e1, q.ai_e2, q.e1_e2) for q in found.questions]
    counts = ag.resample_counts(40)
    values = np.array(per_question, dtype=float).T
    delta = (values[0] + values[1]) / 2 - values[2]
    low, high = np.quantile(counts @ delta / 40, [0.025, 0.975])
    assert found.delta.interval is not None
    assert (found.delta.interval.low, found.delta.interval.high) == pytest.approx((low, high), abs=1e-12)
    assert found.pooled_delta.interval is not None
    assert found.pooled_delta.value == pytest.approx(found.delta.value, abs=0.03)


def test_second_marker_report_refuses_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="Response 1: its maximum"):
        ag.second_marker_report([1, 1], [1, 1], [1, 1], ["a", "a"], [2, 3])
    with pytest.raises(ValueError, match="Pair 2: the second examiner's mark 3 is above"):
        ag.second_marker_report([1, 1], [1, 1], [1, 3], ["a", "a"], 2)
    with pytest.raises(ValueError, match="the AI's mark 1, the first examiner's mark 2"):
        ag.second_marker_report([1], [1, 1], [1, 1], ["a", "a"], 2)
    assert ag.second_marker_report([], [], [], [], []).r_a.value is None


def test_a_total_on_the_boundary_earns_the_grade() -> None:
    found = ag.same_grade([9, 10, 25], [10, 12, 19], boundaries=[20, 10])
    assert (found.count, found.n) == (1, 3)
    assert ag.same_grade([9], [9], []).note == "no grade boundaries are set"


def test_converted_total_adds_each_part_at_its_rate() -> None:
    parts = [ag.SubjectPart(0.5, 60, 0.25, 40), ag.SubjectPart(1, 10, 0, 90)]
    assert ag.converted_total(parts) == approx(30 + 10 + 10)


def test_anytime_interval_is_wider_than_1_96_standard_errors() -> None:
    # nρ² = 7.93615: √(2 · 8.93615/7.93615 · ln(√8.93615/.05)) = 3.0352.
    found = ag.anytime_interval(0.8, 0.01, 100)
    assert found.high - 0.8 == pytest.approx(0.030352, abs=1e-6)
    with pytest.raises(ValueError, match="at least one pair"):
        ag.anytime_multiplier(0)


def test_sample_size_of_a_one_mark_question_at_kappa_seven_tenths() -> None:
    ai = [0] * 100 + [1] * 100
    teacher = [0] * 85 + [1] * 100 + [0] * 15
    assert ag.sample_size(ai, teacher, half_width=0.1).value == 197
    assert ag.sample_size([0, 1, 0], [0, 1, 0]).value is None
    assert "identical" in ag.sample_size([1, 1], [1, 1]).note
    with pytest.raises(ValueError, match="above 0"):
        ag.sample_size(ai, teacher, half_width=0)


def test_anchoring_effect_has_the_interval_of_newcombe_1998() -> None:
    found = ag.anchoring_effect(56, 70, 48, 80)
    assert found.value == approx(0.2)
    assert found.interval is not None
    assert (round(found.interval.low, 4), round(found.interval.high, 4)) == (0.0524, 0.3339)
    assert ag.anchoring_effect(1, 2, 0, 0).note == "no response was marked blind"
    assert ag.anchoring_effect(0, 0, 1, 2).note == "no response was marked with the AI's mark in view"


@pytest.mark.parametrize(("sign", "direction"), [(1, "lenient"), (-1, "severe")])
def test_cusum_alarms_when_the_drift_has_added_up(sign: int, direction: str) -> None:
    # Each mark adds 1 − .25: 12.0 after the sixteenth, over 12 after the seventeenth.
    found = ag.cusum([sign] * 20)
    assert (found.alarm, found.direction) == (16, direction)
    assert ag.cusum([1, -1] * 50).alarm is None


def test_the_package_loads_without_scipy() -> None:
    code = "import sys, components.agreement; print('scipy' in sys.modules)"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"

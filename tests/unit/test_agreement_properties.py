"""What holds of the engine whatever the marks are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components import agreement as ag

Pairs = tuple[list[float], list[float], float]
quick = settings(max_examples=60, deadline=None)
seeds = st.integers(0, 2**32 - 1)


@st.composite
def marked(draw: st.DrawFn, least: int = 1) -> Pairs:
    """Complete pairs on a scale 0, step … max_mark, and that maximum."""
    top, step, n = draw(st.integers(1, 10)), draw(st.sampled_from([1.0, 0.5, 0.25])), draw(st.integers(least, 25))
    column = st.lists(st.integers(0, top).map(lambda i: i * step), min_size=n, max_size=n)
    return draw(column), draw(column), top * step


def same(one: ag.Statistic, other: ag.Statistic, sign: float = 1.0) -> bool:
    if one.value is None or other.value is None:
        return one.value is other.value
    return one.value == pytest.approx(sign * other.value, abs=1e-9)


@quick
@given(marked())
def test_coefficients_do_not_ask_which_marker_is_which(pairs: Pairs) -> None:
    ai, teacher, top = pairs
    for figure in (ag.linear_weighted_kappa, ag.cohen_kappa):
        assert same(figure(ai, teacher), figure(teacher, ai))
    assert same(ag.gwet_ac2(ai, teacher, top, 0.25), ag.gwet_ac2(teacher, ai, top, 0.25))
    for level in ("interval", "ordinal"):
        columns = [np.column_stack(both) for both in ((ai, teacher), (teacher, ai))]
        assert same(*(ag.krippendorff_alpha(table, level) for table in columns))
    assert same(ag.qwk_standard_error(ai, teacher), ag.qwk_standard_error(teacher, ai))


@quick
@given(marked())
def test_the_other_marker_s_view_turns_the_bias_round_and_keeps_the_shares(pairs: Pairs) -> None:
    ai, teacher, top = pairs
    found, mirrored = ag.differences(ai, teacher, top, 1, 0.25), ag.differences(teacher, ai, top, 1, 0.25)
    assert (found.exact, found.within, found.mae) == (mirrored.exact, mirrored.within, mirrored.mae)
    assert same(found.mean_signed, mirrored.mean_signed, sign=-1)
    assert same(found.bias_percent, mirrored.bias_percent, sign=-1)


@quick
@given(marked())
def test_coefficients_stay_in_range_and_full_agreement_is_one(pairs: Pairs) -> None:
    ai, teacher, top = pairs
    for figure in (
        ag.linear_weighted_kappa(ai, teacher),
        ag.cohen_kappa(ai, teacher),
        ag.gwet_ac2(ai, teacher, top, 0.25),
        ag.krippendorff_alpha(np.column_stack([ai, teacher])),
        ag.correlations(ai, teacher).kendall,
    ):
        assert figure.value is None or -1 - 1e-9 <= figure.value <= 1 + 1e-9
    for figure in (ag.quadratic_weighted_kappa(ai, ai), ag.linear_weighted_kappa(ai, ai), ag.cohen_kappa(ai, ai)):
        assert (figure.value is None) == (len(set(ai)) == 1)
        assert figure.value is None or figure.value == 1
    interval = ag.quadratic_weighted_kappa_interval(ai, teacher).interval
    assert interval is None or -1 <= interval.low <= interval.high <= 1


@quick
@given(marked(), st.integers(1, 9), st.integers(0, 20))
def test_marks_nobody_gave_and_moving_all_marks_change_no_coefficient(pairs: Pairs, shift: int, more: int) -> None:
    ai, teacher, top = pairs
    moved = [mark + shift for mark in ai], [mark + shift for mark in teacher]
    for figure in (ag.linear_weighted_kappa, ag.cohen_kappa, ag.qwk_standard_error):
        assert same(figure(ai, teacher), figure(*moved))
    assert same(*(ag.krippendorff_alpha(np.column_stack(both)) for both in ((ai, teacher), moved)))
    wider = ag.question_agreement(*moved, top + shift + more, 0.25).raw_qwk
    assert same(ag.question_agreement(ai, teacher, top, 0.25).raw_qwk, wider)


@quick
@given(marked())
def test_a_questions_further_figures_are_those_of_its_pairs(pairs: Pairs) -> None:
    ai, teacher, top = pairs
    found = ag.question_agreement(ai, teacher, top, 0.25)
    table = np.column_stack([ai, teacher])
    assert same(found.linear_kappa, ag.linear_weighted_kappa(ai, teacher))
    assert same(found.ac2, ag.gwet_ac2(ai, teacher, top, 0.25))
    assert same(found.alpha, ag.krippendorff_alpha(table))
    assert same(found.icc.icc21, ag.icc(table).icc21)
    assert same(found.correlations.spearman, ag.correlations(ai, teacher).spearman)
    assert same(found.enough, ag.sample_size(ai, teacher))
    assert found == ag.question_agreement(ai, teacher, top, 0.25)


# One exam, three marks on each response


def an_exam(seed: int, questions: int, most: int = 12) -> tuple[np.ndarray, ...]:
    """The AI's marks, two examiners', the question and its maximum; some questions may have no spread."""
    draw = np.random.default_rng(seed)
    top = draw.integers(1, 7, questions).astype(float)
    question = np.repeat(np.arange(questions), draw.integers(1, most, questions))
    worth = draw.uniform(size=question.size)
    marks = [
        np.clip(np.round(top[question] * (worth + draw.normal(0, 0.2, question.size))), 0, top[question])
        for _ in range(3)
    ]
    return *marks, question, top[question]


def figures(report: ag.SecondMarkerReport) -> list[float | None]:
    names = ("r_a", "r_h", "delta", "pooled_r_a", "pooled_r_h", "pooled_delta", "bias_percent")
    made: list[float | None] = []
    for name in names:
        statistic: ag.Statistic = getattr(report, name)
        interval = statistic.interval
        made += [statistic.value, interval and interval.low, interval and interval.high]
    return made


def near(values: list[float | None]) -> list[object]:
    return [None if value is None else pytest.approx(value, abs=1e-12) for value in values]


@settings(max_examples=30, deadline=None)
@given(seeds, st.sampled_from([3, 40]))
def test_tallies_give_the_same_report_as_the_rows_they_stand_for(seed: int, questions: int) -> None:
    columns = an_exam(seed, questions)
    counts = np.random.default_rng(seed + 1).integers(0, 4, columns[0].size)
    tallied = ag.second_marker_report(*columns, counts=counts)
    rows = ag.second_marker_report(*(np.repeat(column, counts) for column in columns))
    assert figures(tallied) == near(figures(rows))
    assert (tallied.n, tallied.coverage, tallied.questions) == (rows.n, rows.coverage, rows.questions)


@settings(max_examples=30, deadline=None)
@given(seeds, st.sampled_from([3, 40]))
def test_tallies_give_the_same_comparison_of_judges_as_the_rows_they_stand_for(seed: int, questions: int) -> None:
    columns = an_exam(seed, questions)
    counts = np.random.default_rng(seed + 1).integers(0, 4, columns[0].size)
    tallied = ag.judge_comparison(*columns, counts=counts)
    rows = ag.judge_comparison(*(np.repeat(column, counts) for column in columns))
    for one, other in ((tallied.difference, rows.difference), (tallied.pooled_difference, rows.pooled_difference)):
        assert same(one, other)
        assert (one.interval is None) == (other.interval is None)
        assert one.interval is None or one.interval.low == pytest.approx(
            getattr(other.interval, "low", None), abs=1e-12
        )
    assert (tallied.n, tallied.coverage, tallied.a.exact) == (rows.n, rows.coverage, rows.a.exact)
    assert same(tallied.b.bias_percent, rows.b.bias_percent)


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_exchanging_the_judges_turns_the_comparison_round(seed: int) -> None:
    a, b, teacher, question, most = an_exam(seed, 12)
    found, mirrored = (
        ag.judge_comparison(a, b, teacher, question, most),
        ag.judge_comparison(b, a, teacher, question, most),
    )
    assert (found.a, found.b) == (mirrored.b, mirrored.a)
    assert same(found.difference, mirrored.difference, sign=-1)
    assert same(found.pooled_difference, mirrored.pooled_difference, sign=-1)


@settings(max_examples=10, deadline=None)
@given(seeds)
def test_resampling_by_counts_equals_reporting_on_the_resampled_questions(seed: int) -> None:
    ai, e1, e2, question, most = an_exam(seed, 36, most=9)
    three = [[column[question == q] for column in (ai, e1, e2)] for q in range(36)]
    top = np.array([most[question == q][0] for q in range(36)])
    whole = ag.second_marker_report(ai, e1, e2, question, most)
    qwk = np.array([(q.ai_e1, q.ai_e2, q.e1_e2) for q in whole.questions], dtype=float)
    common = ~np.isnan(qwk).any(axis=1)
    r_a, r_h = (qwk[:, 0] + qwk[:, 1]) / 2, qwk[:, 2]
    several = [q for q in range(36) if three[q][0].size > 1]
    apart = {pair: np.array([pooled_parts(*pair, three[q], top[q]) for q in several]).T for pair in PAIRS}

    counts = ag.resample_counts(int(common.sum()), resamples=4, seed=seed)
    weights = top[common]
    for row, drawn in enumerate(counts):
        report = reported(three, top, np.repeat(np.flatnonzero(common), drawn.astype(int)))
        for found, figure in ((report.r_a, r_a), (report.r_h, r_h), (report.delta, r_a - r_h)):
            by_counts = ag.Ratio(weights * figure[common], weights).replicates(counts)[row]
            assert found.value == pytest.approx(by_counts, abs=1e-12)

    counts = ag.resample_counts(len(several), resamples=4, seed=seed)
    for row, drawn in enumerate(counts):
        report = reported(three, top, np.repeat(several, drawn.astype(int)))
        first, second, humans = (1 + ag.Ratio(*apart[pair], -1.0).replicates(counts)[row] for pair in PAIRS)
        assert report.pooled_r_a.value == pytest.approx((first + second) / 2, abs=1e-12)
        assert report.pooled_r_h.value == pytest.approx(humans, abs=1e-12)
        assert report.pooled_delta.value == pytest.approx((first + second) / 2 - humans, abs=1e-12)


PAIRS = ((0, 1), (0, 2), (1, 2))


def pooled_parts(i: int, j: int, marks: list[np.ndarray], top: float) -> tuple[float, float]:
    """A and B of one question by their definition, from all pairs of its responses."""
    x, y = marks[i], marks[j]
    crossed = (x[:, None] - y[None, :]) ** 2
    return float(np.diag(crossed).mean() / top), float(crossed[~np.eye(x.size, dtype=bool)].mean() / top)


def reported(three: list[list[np.ndarray]], top: np.ndarray, drawn: np.ndarray) -> ag.SecondMarkerReport:
    """The report on the questions drawn, each time one is drawn a question of its own."""
    columns = [np.concatenate([three[q][i] for q in drawn]) for i in range(3)]
    sizes = [three[q][0].size for q in drawn]
    return ag.second_marker_report(*columns, np.repeat(np.arange(drawn.size), sizes), np.repeat(top[drawn], sizes))


@quick
@given(st.lists(st.integers(-3, 12) | st.just(10_000_000), max_size=30))
def test_questions_are_numbered_alike_from_a_list_and_from_an_array(question: list[int]) -> None:
    ones = [1.0] * len(question)
    listed = ag.second_marker_report(ones, ones, ones, question, 2)
    assert listed == ag.second_marker_report(ones, ones, ones, np.array(question, dtype=np.int64), 2)


# Figures as pairs come in


@quick
@given(marked(least=2), st.integers(0, 24), st.integers(1, 6))
def test_running_figures_equal_those_of_the_pairs_so_far(pairs: Pairs, before: int, every: int) -> None:
    ai, teacher, _ = (np.array(part) for part in pairs)
    before = min(before, ai.size - 1)
    start = ag.moments(ai[:before], teacher[:before])
    found = ag.running_agreement(ai[before:], teacher[before:], start, every)
    assert found.n[-1] == ai.size
    for place, n in enumerate(found.n):
        kappa = ag.quadratic_weighted_kappa(ai[:n], teacher[:n])
        error = ag.qwk_standard_error(ai[:n], teacher[:n]).value
        assert np.isnan(found.value[place]) == (kappa.value is None)
        assert kappa.value is None or found.value[place] == pytest.approx(kappa.value, abs=1e-9)
        if kappa.value is None or "no spread" in kappa.note:
            assert np.isnan(found.standard_error[place])
            assert np.isnan(found.low[place])
        else:
            assert found.standard_error[place] == pytest.approx(error, abs=1e-9)

from __future__ import annotations

import pytest

from components.agreement import Interval, Statistic, coverage_error, share
from components.agreement.limits import limits_in_percent
from components.widgets.charts.accept import Accepted, accept_bars, pace_dots
from components.widgets.charts.bland_altman import Bubble, bland_altman
from components.widgets.charts.confusion import Square, confusion, confusion_in_words
from components.widgets.charts.coverage import coverage_curve
from components.widgets.charts.dots import QuestionValue, dots_by_question, dots_in_words
from components.widgets.charts.over_time import RunningPoint, cusum_lines, running_line
from components.widgets.figures import qwk_text

HIDDEN = Statistic(None, "QWK is shown from 10 pairs")
KNOWN = Statistic(0.6, "", Interval(0.4, 0.7))


def test_a_question_without_a_figure_keeps_its_row_and_has_no_dot() -> None:
    values = [QuestionValue("1", "Judge", 12, KNOWN, opens="one"), QuestionValue("2", "Judge", 9, HIDDEN, opens="two")]
    figure = dots_by_question(values, "QWK", qwk_text, (0.0, 1.0))
    (dots,) = figure.data
    assert list(dots.y) == ["1"]
    assert list(dots.customdata) == ["one"]
    assert list(figure.layout.yaxis.categoryarray) == ["1", "2"]
    assert dots_in_words(values, "QWK", qwk_text).endswith("1 question without a figure.")


def test_two_teachers_are_drawn_as_a_shape_of_their_own_and_as_a_band_over_all() -> None:
    values = [QuestionValue("1", "Judge", 40, KNOWN, Statistic(0.8)), QuestionValue("2", "Judge", 40, KNOWN)]
    figure = dots_by_question(values, "QWK", qwk_text, band=Statistic(0.75, "", Interval(0.7, 0.8)))
    by_name = {trace.name: trace for trace in figure.data}
    assert list(by_name["two teachers"].x) == [0.8]
    assert by_name["two teachers"].marker.symbol != by_name["Judge"].marker.symbol
    assert [(s.x0, s.x1) for s in figure.layout.shapes] == [(0.7, 0.8), (0.75, 0.75)]


def test_two_judges_on_one_question_share_its_row() -> None:
    values = [QuestionValue("1", "First", 40, KNOWN), QuestionValue("1", "Second", 40, Statistic(0.5))]
    figure = dots_by_question(values, "QWK", qwk_text)
    assert list(figure.layout.yaxis.categoryarray) == ["1"]
    assert [trace.name for trace in figure.data] == ["First", "Second"]


def test_a_name_is_no_markup() -> None:
    figure = dots_by_question([QuestionValue("1", "<b>J</b>", 40, KNOWN)], "QWK", qwk_text)
    assert figure.data[0].name == "&lt;b>J&lt;/b>"


def test_only_the_opened_mark_has_a_ring() -> None:
    values = [QuestionValue("1", "Judge", 40, KNOWN, opens="one"), QuestionValue("2", "Judge", 40, KNOWN, opens="two")]
    figure = dots_by_question(values, "QWK", qwk_text, chosen="two")
    assert [bool(width) for width in figure.data[0].marker.line.width] == [False, True]


SQUARES = [Square(2, 2, 7, 0, "a"), Square(1, 2, 3, 0, "b"), Square(3, 0, 1, 1, "c")]


def test_each_square_has_its_number_and_says_which_side_of_tolerance_it_is_on() -> None:
    figure = confusion(SQUARES, 3, 1)
    drawn = {trace.name: (trace.x[0], trace.y[0], trace.text[0], trace.customdata[0]) for trace in figure.data}
    assert drawn == {
        "the same mark": (2, 2, "7", "a"),
        "within tolerance": (1, 2, "3", "b"),
        "outside tolerance": (3, 0, "1", "c"),
    }


def test_squares_that_are_not_all_outside_tolerance_go_with_most_of_their_pairs() -> None:
    assert Square(50, 60, 10, 4).kind == "within tolerance"
    assert Square(50, 60, 10, 6).kind == "outside tolerance"


def test_the_squares_are_said_in_words() -> None:
    assert confusion_in_words(SQUARES) == (
        "Of 11 pairs, 7 lie on the diagonal, where both gave the same; the AI gave more on 1 and less on 3."
    )
    assert confusion_in_words([]) == "There are no pairs yet."
    assert confusion_in_words([Square(1, 1, 4, 0)]) == "On all 4 pairs both gave the same mark."


def test_bubbles_stand_where_their_marks_are_and_grow_with_their_number() -> None:
    figure = bland_altman([Bubble(1.5, 1, 1), Bubble(2, 0, 9)], 3, 0.1, Interval(-1, 1.2))
    (bubbles,) = figure.data
    assert (list(bubbles.x), list(bubbles.y)) == ([1.5, 2], [1, 0])
    assert bubbles.marker.size[1] > bubbles.marker.size[0]
    assert {(shape.y0, shape.y1) for shape in figure.layout.shapes} == {(-1, 1.2), (0.1, 0.1)}


def test_without_limits_there_is_no_band() -> None:
    assert len(bland_altman([Bubble(1, 0, 3)], 2, 0.0, None).layout.shapes) == 1


def test_limits_in_percent_are_those_of_differences_in_per_cent_of_each_maximum() -> None:
    # Differences of +50% six times and −50% four times: mean 10, SD √(10·2500 − 10·100)/9 = √(24000/9).
    ai, teacher, most = [2, 1], [1, 3], [2, 4]
    mean, limits = limits_in_percent(ai, teacher, most, counts=[6, 4])
    assert mean == pytest.approx(10)
    assert limits is not None
    reach = 1.96 * (24000 / 9) ** 0.5
    assert (limits.low, limits.high) == (pytest.approx(10 - reach), pytest.approx(10 + reach))


def test_limits_are_not_given_under_ten_pairs() -> None:
    assert limits_in_percent([1], [0], [2], counts=[9]) == (pytest.approx(50), None)
    assert limits_in_percent([], [], []) == (None, None)


def test_the_curve_has_a_dot_for_each_level_with_the_share_outside_tolerance() -> None:
    points = coverage_error([60, 40], [3, 9])
    figure = coverage_curve(points, ["sure", "and unsure"], ["a", "b"])
    (curve,) = figure.data
    assert list(curve.x) == [60, 100]
    assert list(curve.y) == [5, 12]
    assert list(curve.customdata) == ["a", "b"]


def test_accept_rates_are_bars_and_questions_without_one_are_left_out() -> None:
    rows = [Accepted("1", share(3, 4), 30, 10, "one", "one blind"), Accepted("2", share(0, 0), 20, None, "two")]
    (bars,) = accept_bars(rows).data
    assert (list(bars.y), list(bars.x), list(bars.customdata)) == (["1"], [75], ["one"])
    blind, seen = pace_dots(rows).data
    assert list(blind.x) == [30, 20]
    assert list(seen.x) == [10]
    assert (list(blind.customdata), list(seen.customdata)) == (["one blind", ""], ["one"])


def test_a_running_figure_is_drawn_from_where_it_is_defined() -> None:
    points = [RunningPoint(9, None, None, None, "then"), RunningPoint(10, 0.5, 0.2, 0.8, "now", "key")]
    band, line = running_line(points, "QWK", (0, 1), percent=False).data
    assert (list(line.x), list(line.y), list(line.customdata)) == ([10], [0.5], ["key"])
    assert list(band.y) == [0.8, 0.2]


def test_shares_run_in_per_cent() -> None:
    (line,) = running_line([RunningPoint(1, 0.5, None, None, "now")], "Within tolerance", (0, 1), percent=True).data
    assert list(line.y) == [50]


def test_an_alarm_stands_at_the_mark_that_raised_it() -> None:
    path = [("a", 1.0, 0.0), ("b", 13.0, 0.0), ("c", 12.0, 0.0)]
    figure = cusum_lines(path, [101, 102, 103], 12.0, 1, ["x", "y", "z"])
    assert [(shape.x0, shape.y0) for shape in figure.layout.shapes if shape.x0 == shape.x1] == [(102, 0)]
    assert list(figure.data[0].x) == [101, 102, 103]

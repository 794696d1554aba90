"""A figure for each question as a dot on a line, against what two teachers reach."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from components.agreement import Statistic
from components.widgets.charts.frame import (
    FRAME_PIXELS,
    NEUTRAL,
    ROW_PIXELS,
    SYMBOLS,
    across,
    colour,
    finish,
    human_band,
    literal,
    question_axis,
    ring,
)

Writer = Callable[[Statistic], str]


@dataclass(frozen=True)
class QuestionValue:
    """One question's figure for one judge. Questions whose `statistic` has no value are named and left empty.

    `teachers` is the same figure of two teachers with each other, and `opens` what a click on the dot gives back.
    """

    question: str
    judge: str
    n: int
    statistic: Statistic
    teachers: Statistic | None = None
    opens: str = ""


def dots_by_question(
    values: Sequence[QuestionValue],
    name: str,
    text: Writer,
    reach: tuple[float, float] | None = None,
    *,
    band: Statistic | None = None,
    rows: str = "Question",
    chosen: str = "",
) -> go.Figure:
    """A dot with its 95% interval for each question, in the given order from the top, one colour and shape a judge.

    `text` writes a figure for the hover; `reach` is the least that the axis shows. `band` is what two teachers reach
    over all questions, drawn behind the dots. `chosen` is the `opens` of the dot that has been opened.
    """
    figure = go.Figure()
    if band is not None and band.value is not None:
        human_band(figure, band, "two teachers over all", upright=True)
    for i, judge in enumerate(dict.fromkeys(value.judge for value in values)):
        shown = [v for v in values if v.judge == judge and v.statistic.value is not None]
        if shown:
            _dots(figure, i, judge, shown, text, rows, chosen)
    _teachers(figure, [v for v in values if v.teachers is not None and v.teachers.value is not None], text)
    low, high = _reach(values, reach)
    names = list(dict.fromkeys(value.question for value in values))
    finish(figure, FRAME_PIXELS + ROW_PIXELS * len(names))
    figure.update_xaxes(title=name, range=[low, high], zeroline=True, zerolinewidth=2)
    question_axis(figure, names, rows)
    return figure


def _dots(
    figure: go.Figure, place: int, judge: str, shown: list[QuestionValue], text: Writer, rows: str, chosen: str
) -> None:
    middle = [v.statistic.value or 0.0 for v in shown]
    figure.add_scatter(
        x=middle,
        y=[v.question for v in shown],
        name=literal(judge),
        mode="markers",
        marker={
            "size": 11,
            "symbol": SYMBOLS[place % len(SYMBOLS)],
            "color": colour(figure, place % len(SYMBOLS)),
            "opacity": 1,
            "line": ring([v.opens for v in shown], chosen),
        },
        error_x=across(middle, [v.statistic.interval for v in shown]),
        customdata=[v.opens for v in shown],
        hovertext=[literal(f"{rows} {v.question}: {text(v.statistic)}, n = {v.n:,}") for v in shown],
        hoverinfo="text",
    )


def _teachers(figure: go.Figure, shown: list[QuestionValue], text: Writer) -> None:
    if not shown:
        return
    figure.add_scatter(
        x=[v.teachers.value for v in shown if v.teachers is not None],
        y=[v.question for v in shown],
        name="two teachers",
        mode="markers",
        marker={"size": 12, "symbol": "line-ns-open", "color": colour(figure, NEUTRAL), "line": {"width": 3}},
        hovertext=[literal(f"Two teachers on {v.question}: {text(v.teachers)}") for v in shown if v.teachers],
        hoverinfo="text",
    )


def dots_in_words(values: Sequence[QuestionValue], name: str, text: Writer) -> str:
    """What the dot plot shows, for someone who cannot see it."""
    known = sorted((v for v in values if v.statistic.value is not None), key=lambda v: v.statistic.value or 0.0)
    if not known:
        return f"{name}: no question has enough pairs yet."
    low, high = known[0], known[-1]
    words = f"{name} by question. Lowest: question {low.question}, {text(low.statistic)}."
    if len(known) > 1:
        words += f" Highest: question {high.question}, {text(high.statistic)}."
    missing = len(values) - len(known)
    if missing:
        words += f" {missing} question{'' if missing == 1 else 's'} without a figure."
    return words


def _reach(values: Sequence[QuestionValue], least: tuple[float, float] | None) -> tuple[float, float]:
    ends = list(least or ())
    for value in values:
        for statistic in (value.statistic, value.teachers):
            if statistic is not None and statistic.value is not None:
                ends.append(statistic.value)
        if value.statistic.interval is not None:
            ends += [value.statistic.interval.low, value.statistic.interval.high]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    margin = 0.04 * (high - low or 1.0)
    return low - margin, high + margin

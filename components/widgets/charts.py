"""Charts in the theme's own colours, each with its figures in words beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from components.agreement import Statistic

ROW_PIXELS = 30
FRAME_PIXELS = 110
SYMBOLS = ("circle", "diamond", "square", "triangle-up")


@dataclass(frozen=True)
class QuestionValue:
    """One question's figure for one judge. Questions whose `statistic` has no value are named and left empty."""

    question: str
    judge: str
    n: int
    statistic: Statistic


def dots_by_question(
    values: Sequence[QuestionValue],
    name: str,
    text: Callable[[Statistic], str],
    reach: tuple[float, float] | None = None,
) -> go.Figure:
    """A dot with its 95% interval for each question, in the given order from the top, one colour and shape a judge.

    `text` writes a figure for the hover; `reach` is the least that the axis shows.
    """
    figure = go.Figure()
    colours = figure.layout.template.layout.colorway
    for i, judge in enumerate(dict.fromkeys(value.judge for value in values)):
        shown = [v for v in values if v.judge == judge and v.statistic.value is not None]
        if not shown:
            continue
        middle = [v.statistic.value or 0.0 for v in shown]
        bounds = [v.statistic.interval for v in shown]
        figure.add_scatter(
            x=middle,
            y=[v.question for v in shown],
            name=_literal(judge),
            mode="markers",
            # By name: Plotly drops the theme's colours as a whole where the theme has fewer than the ten it may have.
            marker={"size": 10, "symbol": SYMBOLS[i % len(SYMBOLS)], "color": colours[i % len(SYMBOLS)]},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [b.high - x if b else 0 for x, b in zip(middle, bounds, strict=True)],
                "arrayminus": [x - b.low if b else 0 for x, b in zip(middle, bounds, strict=True)],
                "thickness": 1.5,
                "width": 4,
            },
            hovertext=[_literal(f"Question {v.question}: {text(v.statistic)}, n = {v.n:,}") for v in shown],
            hoverinfo="text",
        )
    low, high = _reach(values, reach)
    figure.update_layout(
        height=FRAME_PIXELS + ROW_PIXELS * len(values),
        margin={"l": 8, "r": 16, "t": 40, "b": 8},
        legend={"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
        showlegend=True,
        dragmode=False,
    )
    figure.update_xaxes(title=name, range=[low, high], zeroline=True, zerolinewidth=2, fixedrange=True)
    figure.update_yaxes(
        title="Question",
        type="category",
        categoryorder="array",
        categoryarray=[value.question for value in values],
        range=[len(values) - 0.5, -0.5],
        dtick=1,
        fixedrange=True,
    )
    return figure


def dots_in_words(values: Sequence[QuestionValue], name: str, text: Callable[[Statistic], str]) -> str:
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
        if value.statistic.value is not None:
            ends.append(value.statistic.value)
        if value.statistic.interval is not None:
            ends += [value.statistic.interval.low, value.statistic.interval.high]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    margin = 0.04 * (high - low or 1.0)
    return low - margin, high + margin


def _literal(text: str) -> str:
    # Plotly reads a few HTML tags in names; a judge's name or a question's number is not markup.
    return text.replace("&", "&amp;").replace("<", "&lt;")

"""The report's charts on the page, drawn in the theme from the same data as the file's."""

from __future__ import annotations

from collections.abc import Callable

import plotly.graph_objects as go
import streamlit as st

from components.agreement import Statistic
from components.widgets.charts.cost import Priced, cost_in_words, cost_plane
from components.widgets.charts.dots import QuestionValue, dots_by_question, dots_in_words
from components.widgets.charts.frame import NEUTRAL, ROW_PIXELS, colour, literal
from components.widgets.charts.shots import ShotLine, shot_lines, shots_in_words
from components.widgets.figures import qwk_text
from components.workflow.trial.report_shapes import Chart, CostPlane, Curves, Dots, delta_likely, likely_signed

TALLEST = 620
PLAIN_CHART = {"displayModeBar": False, "doubleClick": False, "scrollZoom": False}
LINE = 16  # letters of a name on one line beside the chart: a phone is narrow
LINES = 3
LINE_PIXELS, GAP_PIXELS = 16, 6  # of a line of a name, and between two names


def draw(name: str, chart: Chart) -> None:
    """The chart with its text alternative; a tall one scrolls in its place."""
    if isinstance(chart, Dots):
        figure, alt = _dots(chart)
    elif isinstance(chart, CostPlane):
        figure, alt = _cost(chart)
    else:
        figure, alt = _curves(chart)
    tall = (figure.layout.height or 0) > TALLEST
    with st.container(height=TALLEST if tall else "content", border=False, key=f"trial_chart_{name}_frame"):
        st.plotly_chart(figure, key=f"trial_chart_{name}", alt=alt, config=PLAIN_CHART)


def _dots(chart: Dots) -> tuple[go.Figure, str]:
    values = [QuestionValue(row.label, row.series, row.n, row.found, row.humans) for row in chart.rows]
    text = _writer(chart)
    figure = dots_by_question(values, chart.title, text, chart.reach, band=chart.band, rows=chart.rows_are)
    if chart.line:
        figure.add_vline(x=chart.line, line={"color": colour(figure, NEUTRAL), "dash": "dot", "width": 1})
    if len({value.judge for value in values}) == 1 and not any(row.humans for row in chart.rows) and chart.band is None:
        figure.update_layout(showlegend=False)
    names = list(dict.fromkeys(row.label for row in chart.rows))
    told = [wrapped(each) for each in names]
    most = max((each.count("<br>") + 1 for each in told), default=1)
    taller = len(names) * max(0, most * LINE_PIXELS + GAP_PIXELS - ROW_PIXELS)
    figure.update_layout(height=figure.layout.height + taller)
    figure.update_yaxes(tickmode="array", tickvals=names, ticktext=told, title=None)
    return figure, _in_words(chart, values, text)


def _in_words(chart: Dots, values: list[QuestionValue], text: Callable[[Statistic], str]) -> str:
    if chart.rows_are == "Question":
        return dots_in_words(values, chart.title, text)
    several = len({value.judge for value in values}) > 1
    told = "; ".join(f"{v.question}{f', {v.judge}' if several else ''}: {text(v.statistic)}" for v in values)
    humans = f" The humans with each other: {text(chart.band)}." if chart.band is not None else ""
    return f"{chart.title}. {told}.{humans}"


def _writer(chart: Dots) -> Callable[[Statistic], str]:
    if chart.percent:
        return _percent_text
    return delta_likely if chart.signed else qwk_text


def _percent_text(found: Statistic) -> str:
    if found.value is None:
        return found.note
    ends = f" ({likely_signed(found.interval)})" if found.interval else ""
    return f"{found.value:+.1f}%{ends}".replace("-", "−")


def _cost(chart: CostPlane) -> tuple[go.Figure, str]:
    points = [Priced(point.name, point.dollars, point.found) for point in chart.points]
    return cost_plane(points, chart.band), cost_in_words(points, chart.band)


def _curves(chart: Curves) -> tuple[go.Figure, str]:
    lines = [ShotLine(name, points) for name, points in chart.lines]
    return shot_lines(lines, chart.band), shots_in_words(lines)


def wrapped(name: str) -> str:
    """A name on up to three short lines; what is left of a longer one stands in the hover and the table."""
    lines = [""]
    for word in name.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > LINE:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    kept = [line if len(line) <= LINE + 4 else f"{line[: LINE + 3]}…" for line in lines[:LINES]]
    if len(lines) > LINES:
        kept[-1] = f"{kept[-1].rstrip('…')} …"
    return "<br>".join(literal(line) for line in kept)

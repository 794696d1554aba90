"""What the judge's own confidence is worth: how often it is outside tolerance among what it was surest of."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from components.agreement import CoveragePoint, Interval
from components.widgets.charts.frame import across, colour, finish, ring

HEIGHT = 360


def coverage_curve(
    points: Sequence[CoveragePoint], levels: Sequence[str], opens: Sequence[str], chosen: str = ""
) -> go.Figure:
    """A dot for each level of confidence taken in, the surest first: the share of marks left to a quick look across,
    the share of these outside tolerance upwards, with its 95% interval. `levels` name the level each dot takes in."""
    figure = go.Figure()
    known = [each for each in zip(points, levels, opens, strict=True) if each[0].outside.value is not None]
    middle = [100 * (p.outside.value or 0.0) for p, _, _ in known]
    bars = across(middle, [p.outside.interval and _percent(p) for p, _, _ in known])
    figure.add_scatter(
        x=[100 * p.covered for p, _, _ in known],
        y=middle,
        mode="lines+markers+text",
        line={"color": colour(figure, 0), "width": 2},
        marker={"size": 12, "opacity": 1, "line": ring([key for _, _, key in known], chosen)},
        error_y=bars,
        text=[level for _, level, _ in known],
        textposition=[
            "top right" if place + 1 < len(middle) and middle[place + 1] < y else "bottom right"
            for place, y in enumerate(middle)
        ],
        cliponaxis=False,
        customdata=[key for _, _, key in known],
        hovertext=[
            f"The surest {100 * p.covered:.0f}% ({p.n:,}): {p.outside.count:,} outside tolerance" for p, _, _ in known
        ],
        hoverinfo="text",
    )
    highest = max([5.0, *(y + up for y, up in zip(middle, bars["array"], strict=True))])
    finish(figure, HEIGHT, legend=False)
    figure.update_xaxes(
        title="Marks left to a quick look, the surest first",
        range=[0, 130],  # room for the last name
        tickvals=[0, 25, 50, 75, 100],
        ticksuffix="%",
    )
    figure.update_yaxes(title="Outside tolerance", range=[0, 1.1 * highest], ticksuffix="%", rangemode="tozero")
    return figure


def _percent(point: CoveragePoint) -> Interval:
    interval = point.outside.interval
    assert interval is not None
    return Interval(100 * interval.low, 100 * interval.high)

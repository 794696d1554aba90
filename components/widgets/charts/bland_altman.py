"""How far apart the two marks are, and whether that hangs together with how good the response is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from components.agreement import Interval
from components.widgets.charts.frame import LENIENT_AXIS, NEUTRAL, colour, finish, number, ring

HEIGHT = 420
SMALLEST, LARGEST = 9, 38


@dataclass(frozen=True)
class Bubble:
    """`n` pairs alike: the mean of their two marks, and the AI's minus the teacher's; `opens` is a click's."""

    mean: float
    difference: float
    n: int
    opens: str = ""


def bland_altman(
    bubbles: Sequence[Bubble],
    top: float,
    mean: float | None,
    limits: Interval | None,
    unit: str = "marks",
    chosen: str = "",
) -> go.Figure:
    """A bubble for pairs that are alike, larger the more they are; lines at the mean difference and at the limits
    between which 95 of 100 differences lie. No pair is moved to be seen better."""
    figure = go.Figure()
    most = max((bubble.n for bubble in bubbles), default=1)
    grey = colour(figure, NEUTRAL)
    if limits is not None:
        figure.add_hrect(y0=limits.low, y1=limits.high, fillcolor=grey, opacity=0.1, line_width=0, layer="below")
    if mean is not None:
        figure.add_hline(y=mean, line={"color": grey, "width": 1.5, "dash": "dash"}, layer="below")
    figure.add_scatter(
        x=[b.mean for b in bubbles],
        y=[b.difference for b in bubbles],
        mode="markers",
        marker={
            "size": [SMALLEST + (LARGEST - SMALLEST) * ((b.n - 1) / max(most - 1, 1)) ** 0.5 for b in bubbles],
            "color": colour(figure, 0),
            "opacity": 0.65,
            "line": ring([b.opens for b in bubbles], chosen),
        },
        customdata=[b.opens for b in bubbles],
        hovertext=[
            f"Mean {number(round(b.mean, 2))}, AI − teacher {b.difference:+g}: {b.n:,}".replace("-", "−")
            for b in bubbles
        ],
        hoverinfo="text",
        cliponaxis=False,
    )
    ends = [abs(b.difference) for b in bubbles] + ([abs(limits.low), abs(limits.high)] if limits else [])
    furthest = 1.15 * max([*ends, 1.0])
    finish(figure, HEIGHT, legend=False)
    figure.update_traces(unselected={"marker": {"opacity": 0.45}})
    figure.update_xaxes(title=f"Mean of both, {unit}", range=[-0.08 * top, 1.08 * top], zeroline=False)
    figure.update_yaxes(
        title=LENIENT_AXIS.format(unit=unit), range=[-furthest, furthest], zeroline=True, zerolinewidth=2
    )
    return figure

"""How agreement came about, and whether the AI's marks have moved: figures in the order in which marks were given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from components.widgets.charts.frame import NEUTRAL, colour, finish, literal, ring

HEIGHT = 340


@dataclass(frozen=True)
class RunningPoint:
    """A figure after `n` marks with the interval that holds however often it is looked at; None where undefined.

    `when` is said in the hover, and `opens` what a click gives back.
    """

    n: int
    value: float | None
    low: float | None
    high: float | None
    when: str
    opens: str = ""


def running_line(
    points: Sequence[RunningPoint], name: str, reach: tuple[float, float], *, percent: bool, chosen: str = ""
) -> go.Figure:
    """The figure after each mark, with its anytime interval as a band."""
    figure = go.Figure()
    known = [point for point in points if point.value is not None]
    bounded = [point for point in known if point.low is not None and point.high is not None]
    scale, suffix = (100, "%") if percent else (1, "")
    blue = colour(figure, 0)
    if bounded:
        figure.add_scatter(
            x=[p.n for p in bounded] + [p.n for p in reversed(bounded)],
            y=[scale * (p.high or 0) for p in bounded] + [scale * (p.low or 0) for p in reversed(bounded)],
            fill="toself",
            mode="lines",
            line={"width": 0, "color": blue},
            opacity=0.18,
            hoverinfo="skip",
            name="likely, whenever you look",
        )
    figure.add_scatter(
        x=[p.n for p in known],
        y=[scale * (p.value or 0) for p in known],
        name=literal(name),
        mode="lines+markers",
        line={"color": blue, "width": 2},
        marker={"size": 7 if len(known) <= 60 else 5, "opacity": 1, "line": ring([p.opens for p in known], chosen)},
        customdata=[p.opens for p in known],
        hovertext=[
            literal(f"After {p.n:,} marks, {p.when}: {scale * (p.value or 0):.{0 if percent else 2}f}{suffix}")
            for p in known
        ],
        hoverinfo="text",
    )
    finish(figure, HEIGHT)
    figure.update_xaxes(title="Blind marks, in the order given", zeroline=False)
    figure.update_yaxes(title=literal(name), range=[scale * reach[0], scale * reach[1]], ticksuffix=suffix)
    return figure


def cusum_lines(
    path: Sequence[tuple[str, float, float]],
    order: Sequence[int],
    limit: float,
    alarm: int | None,
    opens: Sequence[str],
) -> go.Figure:
    """Both sides of a CUSUM against its limit. `path` is (when, lenient side, severe side), `order` which mark each is,
    and `alarm` the first of the path at which a side was past the limit."""
    figure = go.Figure()
    for place, name in enumerate(("towards lenient", "towards severe")):
        figure.add_scatter(
            x=list(order),
            y=[each[place + 1] for each in path],
            name=name,
            mode="lines+markers",
            line={"color": colour(figure, (1, 0)[place]), "width": 2, "dash": ("solid", "dot")[place]},
            marker={"size": 4, "opacity": 1},
            customdata=list(opens),
            hovertext=[f"{each[0]}: {each[place + 1]:.1f} {name}" for each in path],
            hoverinfo="text",
        )
    grey = colour(figure, NEUTRAL)
    figure.add_hline(y=limit, line={"color": grey, "dash": "dash", "width": 1.5}, annotation_text="alarm above this")
    if alarm is not None:
        figure.add_vline(x=order[alarm], line={"color": colour(figure, 1), "width": 2}, annotation_text="alarm")
    highest = max([limit, *(max(up, down) for _, up, down in path)])
    finish(figure, HEIGHT)
    figure.update_xaxes(title="Blind marks watched, in the order given", zeroline=False)
    figure.update_yaxes(title="Sum of the drift", range=[0, 1.15 * highest])
    return figure

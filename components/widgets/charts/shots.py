"""QWK over the number of marked examples that a judge is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from components.agreement import Statistic
from components.widgets.charts.frame import HUMANS, SYMBOLS, across, colour, finish, human_band, literal
from components.widgets.figures import qwk_text

HEIGHT = 380
DASHES = ("solid", "dash", "dot", "dashdot")


@dataclass(frozen=True)
class ShotLine:
    """A judge's QWK with the humans at each number of examples, fewest first; points without a value are left out."""

    name: str
    points: tuple[tuple[int, Statistic], ...]


def shot_lines(lines: Sequence[ShotLine], band: Statistic | None = None) -> go.Figure:
    """A line a judge, with each point's 95% interval; `band` is what the humans reach with each other."""
    figure = go.Figure()
    if band is not None and band.value is not None:
        human_band(figure, band, HUMANS)
    for place, line in enumerate(lines):
        known = [(shots, found) for shots, found in line.points if found.value is not None]
        middle = [found.value or 0.0 for _, found in known]
        look = place % len(SYMBOLS)
        figure.add_scatter(
            x=[shots for shots, _ in known],
            y=middle,
            name=literal(line.name),
            mode="lines+markers",
            line={"color": colour(figure, look), "width": 2, "dash": DASHES[look]},
            marker={"size": 10, "symbol": SYMBOLS[look], "opacity": 1},
            error_y=across(middle, [found.interval for _, found in known]),
            hovertext=[literal(f"{line.name}, {shots} examples: {qwk_text(found)}") for shots, found in known],
            hoverinfo="text",
        )
    finish(figure, HEIGHT + 22 * len(lines))
    figure.update_layout(legend={"orientation": "h", "y": -0.25, "yanchor": "top"}, margin={"t": 12})
    asked = sorted({shots for line in lines for shots, _ in line.points})
    figure.update_xaxes(title="Marked examples shown", tickvals=asked, zeroline=False)
    figure.update_yaxes(title="QWK with the humans")
    return figure


def shots_in_words(lines: Sequence[ShotLine]) -> str:
    """What the lines show, for someone who cannot see them."""
    told = "; ".join(
        f"{line.name}: " + ", ".join(f"{qwk_text(found)} with {shots}" for shots, found in line.points)
        for line in lines
    )
    return f"QWK by the number of marked examples shown. {told}."

"""QWK against price: what a judge costs for 1,000 responses, and how close it comes to what humans reach."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from components.agreement import Statistic
from components.widgets.charts.frame import HUMANS, NEUTRAL, SYMBOLS, across, colour, finish, human_band, literal
from components.widgets.figures import qwk_text

HEIGHT = 420
LEAST_TOP = 0.5


@dataclass(frozen=True)
class Priced:
    """A judge with its price, in US dollars above 0 for 1,000 responses, and its QWK with the humans."""

    name: str
    dollars: float
    qwk: Statistic


def cost_plane(points: Sequence[Priced], band: Statistic | None = None) -> go.Figure:
    """A dot a judge on a log axis of dollars, its interval upright; `band` is what the humans reach with each other.

    A judge that is free has no place on a log axis: leave it out and name it. Raises ValueError for a price of 0.
    """
    if any(point.dollars <= 0 for point in points):
        raise ValueError("A price of 0 has no place on a logarithmic axis.")
    figure = go.Figure()
    if band is not None and band.value is not None:
        human_band(figure, band, HUMANS)
    for place, point in enumerate(points):
        value = point.qwk.value or 0.0
        figure.add_scatter(
            x=[point.dollars],
            y=[value],
            name=literal(point.name),
            mode="markers",
            marker={"size": 12, "symbol": SYMBOLS[place % len(SYMBOLS)], "color": _colour(figure, place), "opacity": 1},
            error_y=across([value], [point.qwk.interval]),
            hovertext=[literal(f"{point.name}: ${point.dollars:,.4g} for 1,000, {qwk_text(point.qwk)}")],
            hoverinfo="text",
        )
    powers = [math.log10(point.dollars) for point in points] or [0.0]
    finish(figure, HEIGHT + 22 * len(points))
    figure.update_layout(legend={"orientation": "h", "y": -0.25, "yanchor": "top"}, margin={"t": 12})
    figure.update_xaxes(
        title="US dollars for 1,000 responses (log axis)",
        type="log",
        range=[min(powers) - 0.3, max(powers) + 0.3],
        tickvals=(ticks := _ticks(min(powers) - 0.3, max(powers) + 0.3)),
        ticktext=[f"${tick:,.4g}" for tick in ticks],
    )
    figure.update_yaxes(title="QWK with the humans", range=[_lowest([p.qwk for p in points], band), 1.0])
    return figure


def cost_in_words(points: Sequence[Priced], band: Statistic | None = None) -> str:
    """What the plane shows, for someone who cannot see it."""
    if not points:
        return "QWK against price: no judge has both."
    told = "; ".join(
        f"{point.name}: ${point.dollars:,.4g}, {qwk_text(point.qwk)}"
        for point in sorted(points, key=lambda each: each.dollars)
    )
    humans = "" if band is None or band.value is None else f" The humans reach {qwk_text(band)} with each other."
    return f"QWK against the price of 1,000 responses, the cheapest first. {told}.{humans}"


def _ticks(low: float, high: float) -> list[float]:
    """Round dollars between two powers of ten: every 1, 2 and 5 of a narrow range, powers alone of a wide one."""
    steps = (1, 2, 5) if high - low < 2.5 else (1,)
    tried = [step * 10.0**power for power in range(math.floor(low), math.ceil(high) + 1) for step in steps]
    return [dollars for dollars in tried if low <= math.log10(dollars) <= high]


def _lowest(found: Sequence[Statistic], band: Statistic | None) -> float:
    ends = [LEAST_TOP]
    for each in (*found, *([band] if band is not None else [])):
        if each.value is not None:
            ends.append(each.interval.low if each.interval else each.value)
    return min(ends) - 0.03


def _colour(figure: go.Figure, place: int) -> str:
    """Every colour of the theme but its grey, which is the humans'."""
    kept = [at for at in range(10) if at != NEUTRAL]
    return colour(figure, kept[place % len(kept)])

"""What the charts have in common: the theme's colours, a quiet frame, and text that is never markup."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from components.agreement import Interval, Statistic

ROW_PIXELS = 30
FRAME_PIXELS = 110
SYMBOLS = ("circle", "diamond", "square", "triangle-up")
NEUTRAL = 6
"""Where the theme's list of colours has its grey."""
HUMANS = "the humans with each other"
LENIENT_AXIS = "← AI severe · {unit} · AI lenient →"


def colour(figure: go.Figure, place: int) -> str:
    """The theme's colour at this place. By name: Plotly drops a theme's colours as a whole where there are few."""
    colours = figure.layout.template.layout.colorway
    return str(colours[place % len(colours)])


def finish(figure: go.Figure, height: int, *, legend: bool = True) -> go.Figure:
    """The frame of every chart: nothing to drag or zoom, so that a finger that scrolls the page scrolls it."""
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 16, "t": 40 if legend else 12, "b": 8},
        legend={"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0, "itemclick": False, "itemdoubleclick": False},
        showlegend=legend,
        dragmode=False,
        hovermode="closest",
    )
    figure.update_xaxes(fixedrange=True)
    figure.update_yaxes(fixedrange=True)
    return figure


def question_axis(figure: go.Figure, names: list[str], title: str = "Question") -> None:
    """Rows by name, the first of them on top."""
    figure.update_yaxes(
        title=title,
        type="category",
        categoryorder="array",
        categoryarray=names,
        range=[len(names) - 0.5, -0.5],
        dtick=1,
    )


def across(middle: list[float], bounds: list[Interval | None]) -> dict[str, Any]:
    """Error bars of points at `middle`, none where there is no interval."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [b.high - x if b else 0 for x, b in zip(middle, bounds, strict=True)],
        "arrayminus": [x - b.low if b else 0 for x, b in zip(middle, bounds, strict=True)],
        "thickness": 1.5,
        "width": 4,
    }


def human_band(figure: go.Figure, band: Statistic, name: str, *, upright: bool = False) -> None:
    """What humans reach, behind the marks: a band with a dashed line, and their entry in the legend.

    It lies at a height of the y axis, or stands at a place on the x axis where it is `upright`. `band` has a value.
    """
    grey = colour(figure, NEUTRAL)
    line = {"color": grey, "dash": "dash", "width": 1.5}
    if band.interval is not None:
        low, high = band.interval.low, band.interval.high
        look = {"fillcolor": grey, "opacity": 0.13, "line_width": 0, "layer": "below"}
        figure.add_vrect(low, high, **look) if upright else figure.add_hrect(low, high, **look)
    (figure.add_vline if upright else figure.add_hline)(band.value, line=line, layer="below")
    # A shape has no entry in the legend; an empty line of its look does.
    figure.add_scatter(x=[None], y=[None], mode="lines", name=name, line=line, hoverinfo="skip")


def ring(opens: list[str], chosen: str) -> dict[str, Any]:
    """A line round the mark that the reader has opened, and round no other."""
    return {"width": [3 if chosen and key == chosen else 0 for key in opens]}


def literal(text: str) -> str:
    """Plotly reads a few HTML tags in names; a judge's name or a question's number is not markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def number(value: float) -> str:
    """2, 2.5"""
    return f"{value:g}"

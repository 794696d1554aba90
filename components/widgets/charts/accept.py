"""How often teachers let a proposal stand, and how long they take: not agreement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from components.agreement import Share
from components.widgets.charts.frame import FRAME_PIXELS, NEUTRAL, SYMBOLS, colour, finish, literal, question_axis, ring

ROW = 34


@dataclass(frozen=True)
class Accepted:
    """A question's accept rate, and the mean seconds of a mark given blind and with the proposal in view.

    `opens` is what a mark about the marks in view carries, `opens_blind` one about the blind marks.
    """

    question: str
    share: Share
    seconds_blind: float | None
    seconds_visible: float | None
    opens: str = ""
    opens_blind: str = ""


def accept_bars(rows: Sequence[Accepted], chosen: str = "") -> go.Figure:
    """A bar for each question: the share of proposals that teachers let stand, in %."""
    figure = go.Figure()
    shown = [row for row in rows if row.share.value is not None]
    figure.add_bar(
        x=[100 * (row.share.value or 0.0) for row in shown],
        y=[row.question for row in shown],
        orientation="h",
        marker={
            "color": colour(figure, 3),
            "opacity": 0.5,
            "line": {**ring([row.opens for row in shown], chosen), "color": colour(figure, NEUTRAL)},
        },
        text=[f"{100 * (row.share.value or 0.0):.0f}%" for row in shown],
        textposition="inside",
        insidetextanchor="start",
        textfont={"color": colour(figure, NEUTRAL)},
        customdata=[row.opens for row in shown],
        hovertext=[literal(f"Question {r.question}: {r.share.count:,} of {r.share.n:,} as proposed") for r in shown],
        hoverinfo="text",
    )
    finish(figure, FRAME_PIXELS + ROW * len(shown), legend=False)
    figure.update_xaxes(title="Accepted as proposed", range=[0, 102], ticksuffix="%", dtick=25)
    question_axis(figure, [row.question for row in shown])
    return figure


def pace_dots(rows: Sequence[Accepted], chosen: str = "") -> go.Figure:
    """Mean seconds a response by question, blind and with the proposal in view as two shapes."""
    figure = go.Figure()
    shown = [row for row in rows if row.seconds_blind is not None or row.seconds_visible is not None]
    kinds = (
        ("marked blind", [(row.question, row.seconds_blind, row.opens_blind) for row in shown]),
        ("proposal in view", [(row.question, row.seconds_visible, row.opens) for row in shown]),
    )
    for place, (name, times) in enumerate(kinds):
        timed = [(question, seconds, opens) for question, seconds, opens in times if seconds is not None]
        figure.add_scatter(
            x=[seconds for _, seconds, _ in timed],
            y=[question for question, _, _ in timed],
            name=name,
            mode="markers",
            marker={
                "size": 11,
                "symbol": SYMBOLS[place],
                "color": colour(figure, (0, 3)[place]),
                "line": {**ring([opens for *_, opens in timed], chosen), "color": colour(figure, NEUTRAL)},
            },
            customdata=[opens for *_, opens in timed],
            hovertext=[
                literal(f"Question {question}, {name}: {seconds:.0f} seconds") for question, seconds, _ in timed
            ],
            hoverinfo="text",
        )
    finish(figure, FRAME_PIXELS + ROW * len(shown))
    figure.update_xaxes(title="Mean seconds a response", rangemode="tozero")
    question_axis(figure, [row.question for row in shown])
    return figure

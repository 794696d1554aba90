"""Which marks the AI gave where teachers gave which: a square for each two marks, with the number of pairs in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from components.widgets.charts.frame import FRAME_PIXELS, NEUTRAL, colour, finish, number, ring

SQUARES_PIXELS = 330
LARGEST_SQUARE = 40
FAINTEST, STRONGEST = 0.22, 0.55  # the number in a square must be read on each
SAME, WITHIN, OUTSIDE = "the same mark", "within tolerance", "outside tolerance"
PLACES = {SAME: 2, WITHIN: 0, OUTSIDE: 1}


@dataclass(frozen=True)
class Square:
    """`n` pairs with the AI's mark `ai` and the teacher's mark `teacher`; `opens` is what a click gives back.

    `outside` is how many of them are outside their question's tolerance: all or none where that is one question.
    """

    ai: float
    teacher: float
    n: int
    outside: int
    opens: str = ""

    @property
    def kind(self) -> str:
        if self.ai == self.teacher and not self.outside:
            return SAME
        return OUTSIDE if 2 * self.outside > self.n else WITHIN


def confusion(squares: Sequence[Square], top: float, step: float, unit: str = "mark", chosen: str = "") -> go.Figure:
    """The AI's marks across, teachers' marks upwards, from 0 to `top` by `step`; on the diagonal both gave the same.

    Drawn as square markers, as a heat map's cells cannot be clicked.
    """
    figure = go.Figure()
    places = round(top / step) + 1
    size = min(LARGEST_SQUARE, SQUARES_PIXELS / places)
    most = max((square.n for square in squares), default=1)
    for kind, place in PLACES.items():
        shown = [square for square in squares if square.kind == kind]
        if not shown:
            continue
        figure.add_scatter(
            x=[s.ai for s in shown],
            y=[s.teacher for s in shown],
            name=kind,
            mode="markers+text",
            text=[f"{s.n:,}" for s in shown],
            textfont={"size": 13 if size > 26 else 10, "color": colour(figure, NEUTRAL)},
            marker={
                "symbol": "square",
                "size": size,
                "color": colour(figure, place),
                "opacity": [FAINTEST + (STRONGEST - FAINTEST) * (s.n / most) ** 0.5 for s in shown],
                "line": ring([s.opens for s in shown], chosen),
            },
            customdata=[s.opens for s in shown],
            hovertext=[f"AI {number(s.ai)}, teacher {number(s.teacher)}: {s.n:,}, {kind}" for s in shown],
            hoverinfo="text",
        )
    grey = colour(figure, NEUTRAL)
    figure.add_shape(
        type="line", x0=0, y0=0, x1=top, y1=top, line={"color": grey, "width": 1, "dash": "dot"}, layer="below"
    )
    ends = [-0.6 * step, top + 0.6 * step]
    every = step * max(1, round((places - 1) / 10))
    finish(figure, FRAME_PIXELS + round(max(places * (size + 6), 160)))
    # Plotly greys out what is not clicked; the ring alone shows what is.
    figure.update_traces(unselected={"marker": {"opacity": STRONGEST / 2}})
    figure.update_xaxes(title=f"AI's {unit}", range=ends, dtick=every, tick0=0, zeroline=False)
    figure.update_yaxes(title=f"Teacher's {unit}", range=ends, dtick=every, tick0=0, zeroline=False)
    return figure


def confusion_in_words(squares: Sequence[Square]) -> str:
    """What the squares show, in a sentence: where the two differ most often."""
    n = sum(square.n for square in squares)
    if not n:
        return "There are no pairs yet."
    apart = [square for square in squares if square.ai != square.teacher]
    if not apart:
        return f"On all {n:,} pairs both gave the same mark." if n > 1 else "On the one pair both gave the same mark."
    higher = sum(square.n for square in apart if square.ai > square.teacher)
    lower = sum(square.n for square in apart if square.ai < square.teacher)
    return (
        f"Of {n:,} pairs, {n - higher - lower:,} lie on the diagonal, where both gave the same; the AI gave more on "
        f"{higher:,} and less on {lower:,}."
    )

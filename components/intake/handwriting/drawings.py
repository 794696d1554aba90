"""What a candidate draws beside the words: a number line, a factor tree, a triangle, a circuit, a bar chart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from components.intake.handwriting.hand import Hand
from components.intake.handwriting.strokes import Points, Stroke, ruled, smooth, straight
from components.intake.handwriting.writer import Written, write

Place = tuple[float, float]


class _Drawing(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class NumberLine(_Drawing):
    """Ticks from `low` to `high`; circles at `open` and `filled`, a line from one to another or to an arrow."""

    kind: Literal["number_line"] = "number_line"
    low: int
    high: int
    open: tuple[float, ...] = ()
    filled: tuple[float, ...] = ()
    line: tuple[float, float] | None = None
    arrow: Literal["left", "right"] | None = None


class FactorTree(_Drawing):
    """`tree` is [number, branch, branch, …], a branch such a list again or the text of a leaf."""

    kind: Literal["factor_tree"] = "factor_tree"
    tree: list[Any]
    circled: bool = True


class Triangle(_Drawing):
    """A right-angled triangle, the right angle at the lower right, with what its sides and its angle are labelled."""

    kind: Literal["triangle"] = "triangle"
    base: str = ""
    height: str = ""
    slope: str = ""
    angle: str = ""
    square: bool = True  # whether the right angle is marked


class Circuit(_Drawing):
    """A loop with a cell and a lamp; the meters are in series in the loop, across the lamp, or left out."""

    kind: Literal["circuit"] = "circuit"
    ammeter: Literal["series", "across", "none"] = "series"
    voltmeter: Literal["series", "across", "none"] = "across"
    gap: bool = False  # a wire that does not close


class BarChart(_Drawing):
    """Bars over labels, on an axis in steps of `step`."""

    kind: Literal["bar_chart"] = "bar_chart"
    labels: tuple[str, ...]
    values: tuple[float, ...]
    step: float = 2
    top: float = 12
    up: str = ""
    along: str = ""
    by_ruler: bool = True
    touching: bool = False


Drawing = Annotated[NumberLine | FactorTree | Triangle | Circuit | BarChart, Field(discriminator="kind")]


class _Sketch:
    """Gathers the strokes of one drawing."""

    def __init__(self, hand: Hand, seed: int) -> None:
        self.hand = hand
        self.draw = np.random.default_rng((hand.seed, seed, 7))
        self.strokes: list[Stroke] = []

    def add(self, points: Points) -> None:
        self.strokes.append(Stroke(points, self.hand.pen, self.hand.ink))

    def line(self, start: Place, end: Place, bend: float = 1.6, by_ruler: bool = False) -> None:
        self.add(ruled(start, end) if by_ruler else straight(start, end, self.draw, bend))

    def circle(self, centre: Place, radius: float, filled: bool = False) -> None:
        turn = np.linspace(0, 2 * np.pi * 1.06, 22) + self.draw.uniform(0, 6)
        reach = radius * (1 + self.draw.normal(0, 0.04) + 0.07 * np.sin(turn + self.draw.uniform(0, 6)))
        self.add(np.stack([centre[0] + reach * np.cos(turn), centre[1] + reach * np.sin(turn)], axis=1))
        if filled:
            turn = np.linspace(0, 2 * np.pi * 4, 60)
            reach = np.linspace(radius, 0.5, 60)
            self.add(np.stack([centre[0] + reach * np.cos(turn), centre[1] + reach * np.sin(turn)], axis=1))

    def text(self, text: str, centre: Place) -> float:
        """Writes it about this place; gives its width."""
        written = write(text, self.hand, width=900, left=0, top=0, line=40, seed=int(self.draw.integers(1 << 30)))
        if not written.strokes:
            return 0.0
        points = np.concatenate([stroke.points for stroke in written.strokes])
        (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
        dx, dy = centre[0] - (x0 + x1) / 2, centre[1] - (y0 + y1) / 2
        self.strokes += [stroke.moved(dx, dy) for stroke in written.strokes]
        return float(x1 - x0)

    def room(self, text: str) -> float:
        """About half the width that the text will have."""
        return len(text) * self.hand.size * 0.52 * self.hand.stretch

    def arrow(self, tip: Place, toward: float) -> None:
        """An arrow's head at the tip; toward is 1 for right, -1 for left."""
        x, y = tip
        self.add(np.array([(x - 12 * toward, y - 8), (x, y), (x - 11 * toward, y + 8)]))


def sketch(drawing: Drawing, hand: Hand, *, left: float, top: float, width: float, seed: int = 0) -> Written:
    """The drawing in the hand, its left upper corner at (left, top), at most `width` pixels wide."""
    pen = _Sketch(hand, seed)
    bottom = _DRAWERS[drawing.kind](pen, drawing, left, top, width)
    # Nobody draws a thing in the same size and place as the next person.
    scale = pen.draw.uniform(0.85, 1.04) * np.array([1.0, pen.draw.uniform(0.93, 1.05)])
    reach = max(float(stroke.points[:, 0].max()) for stroke in pen.strokes) - left
    shift = pen.draw.uniform(0, max(0.0, min(110.0, width - reach * scale[0])))
    corner = np.array([left, top])
    strokes = [
        Stroke((stroke.points - corner) * scale + corner + (shift, 0), stroke.pen, stroke.ink) for stroke in pen.strokes
    ]
    return Written(tuple(strokes), top + (bottom - top) * float(scale[1]))


def _number_line(pen: _Sketch, drawing: NumberLine, left: float, top: float, width: float) -> float:
    y, right = top + 62, left + min(width, 700)

    def place(value: float) -> float:
        return left + 30 + (right - left - 60) * (value - drawing.low) / (drawing.high - drawing.low)

    pen.line((left, y), (right, y), 1.2)
    pen.arrow((right, y), 1)
    pen.arrow((left, y), -1)
    for tick in range(drawing.low, drawing.high + 1):
        x = place(tick) + pen.draw.normal(0, 1)
        pen.line((x, y - 8), (x, y + 9), 0.4)
        pen.text(str(tick).replace("-", "−"), (x, y + 30))
    above = y - 30
    if drawing.line:
        start, end = (place(value) for value in drawing.line)
        start += 7 if drawing.line[0] in (*drawing.open, *drawing.filled) else 0
        end -= 7 if drawing.line[1] in (*drawing.open, *drawing.filled) else 0
        pen.line((start, above), (end, above), 1)
        if drawing.arrow:
            pen.arrow(
                (end, above) if drawing.arrow == "right" else (start, above), 1 if drawing.arrow == "right" else -1
            )
    for value in drawing.open:
        pen.circle((place(value), above), 7)
    for value in drawing.filled:
        pen.circle((place(value), above), 7, filled=True)
    return y + 70


def _factor_tree(pen: _Sketch, drawing: FactorTree, left: float, top: float, width: float) -> float:
    lowest = top

    def leaves(node: Any) -> int:
        return sum(leaves(branch) for branch in node[1:]) if isinstance(node, list) else 1

    def grow(node: Any, x0: float, x1: float, y: float) -> Place:
        nonlocal lowest
        lowest = max(lowest, y)
        here = ((x0 + x1) / 2 + pen.draw.normal(0, 4), y + pen.draw.normal(0, 2))
        length = pen.text(str(node[0] if isinstance(node, list) else node), here)
        if not isinstance(node, list):
            if drawing.circled:
                pen.circle(here, max(length / 2 + 9, pen.hand.size * 1.15))
            return here
        at, share = x0, (x1 - x0) / leaves(node)
        for branch in node[1:]:
            end = at + share * leaves(branch)
            below = grow(branch, at, end, y + 88)
            pen.line(
                (here[0] + (below[0] - here[0]) * 0.22, y + 22), (here[0] + (below[0] - here[0]) * 0.85, y + 62), 1
            )
            at = end
        return here

    grow(drawing.tree, left + 60, left + 60 + min(width, 120 * leaves(drawing.tree)), top + 24)
    return lowest + 62


def _triangle(pen: _Sketch, drawing: Triangle, left: float, top: float, width: float) -> float:
    a, b, c = (left + 60.0, top + 170.0), (left + 330.0, top + 172.0), (left + 328.0, top + 14.0)
    for start, end in ((a, b), (b, c), (c, a)):
        pen.line(start, end, 2)
    if drawing.square:
        pen.add(np.array([(b[0] - 20, b[1]), (b[0] - 20, b[1] - 20), (b[0], b[1] - 19)]))
    pen.text(drawing.base, ((a[0] + b[0]) / 2, a[1] + 26))
    pen.text(drawing.height, (b[0] + 24 + pen.room(drawing.height), (b[1] + c[1]) / 2))
    pen.text(drawing.slope, ((a[0] + c[0]) / 2 - 12 - pen.room(drawing.slope), (a[1] + c[1]) / 2 - 20))
    if drawing.angle:
        pen.add(smooth([(a[0] + 46, a[1]), (a[0] + 44, a[1] - 14), (a[0] + 38, a[1] - 23)]))
        pen.text(drawing.angle, (a[0] + 76, a[1] - 17))
    return a[1] + 78


def _circuit(pen: _Sketch, drawing: Circuit, left: float, top: float, width: float) -> float:
    x0, x1, y0, y1, r = left + 40, left + 440, top + 30, top + 190, 21.0
    middle = (x0 + x1) / 2
    pen.line((x0, y0), (middle - 10, y0))  # the cell, on the upper wire
    pen.line((middle - 10, y0 - 22), (middle - 10, y0 + 22), 0.8)
    pen.line((middle + 6, y0 - 11), (middle + 6, y0 + 11), 0.8)
    pen.line((middle + 6, y0), (x1, y0))
    meter = "A" if drawing.ammeter == "series" else "V" if drawing.voltmeter == "series" else ""
    side = (y0 + y1) / 2
    if meter:
        pen.line((x1, y0), (x1, side - r))
        pen.circle((x1, side), r)
        pen.text(meter, (x1, side))
        pen.line((x1, side + r), (x1, y1))
    else:
        pen.line((x1, y0), (x1, y1))
    pen.line((x0, y0), (x0, side - 14 if drawing.gap else y1))
    if drawing.gap:
        pen.line((x0, side + 22), (x0, y1))
    pen.line((x0, y1), (middle - r, y1))
    pen.circle((middle, y1), r)
    for sign in (1, -1):
        pen.line((middle - r * 0.7, y1 - sign * r * 0.7), (middle + r * 0.7, y1 + sign * r * 0.7), 0.8)
    pen.line((middle + r, y1), (x1, y1))
    meter = "V" if drawing.voltmeter == "across" else "A" if drawing.ammeter == "across" else ""
    if not meter:
        return y1 + 80
    below, out = y1 + 72, 82.0
    pen.line((middle - out, y1), (middle - out, below))
    pen.line((middle - out, below), (middle - r, below))
    pen.circle((middle, below), r)
    pen.text(meter, (middle, below))
    pen.line((middle + r, below), (middle + out, below))
    pen.line((middle + out, below), (middle + out, y1))
    return below + 74


def _bar_chart(pen: _Sketch, drawing: BarChart, left: float, top: float, width: float) -> float:
    x0, y0, high = left + 78, top + 268.0, 250.0
    gap = 0.0 if drawing.touching else 26.0
    bar = min(82.0, (min(width, 640) - 90) / len(drawing.labels) - gap)
    right = x0 + len(drawing.labels) * (bar + gap) + 24
    pen.line((x0, y0), (x0, y0 - high - 12), by_ruler=drawing.by_ruler)
    pen.line((x0, y0), (right, y0), by_ruler=drawing.by_ruler)
    for mark in range(int(drawing.top / drawing.step) + 1):
        y = y0 - high * mark * drawing.step / drawing.top
        pen.line((x0 - 7, y), (x0, y), 0.4)
        pen.text(f"{mark * drawing.step:g}", (x0 - 28, y))
    for place, (label, value) in enumerate(zip(drawing.labels, drawing.values, strict=True)):
        a = x0 + (gap or 12.0) + place * (bar + gap)
        b, y = a + bar, y0 - high * value / drawing.top
        for start, end in (((a, y0), (a, y)), ((a, y), (b, y)), ((b, y), (b, y0))):
            pen.line(start, end, 1.2, by_ruler=drawing.by_ruler)
        pen.text(label, ((a + b) / 2, y0 + 24))
    if drawing.up:
        pen.text(drawing.up, (x0 + 110, top - 20))
    if drawing.along:
        pen.text(drawing.along, ((x0 + right) / 2, y0 + 64))
    return y0 + 112


_DRAWERS: dict[str, Callable[..., float]] = {
    "number_line": _number_line,
    "factor_tree": _factor_tree,
    "triangle": _triangle,
    "circuit": _circuit,
    "bar_chart": _bar_chart,
}

"""A stroke: where a pen went down, ran and was lifted. And the curves and small faults that make it human."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from components.intake.handwriting.letters import Form

Points = NDArray[np.float64]
STEPS = 7  # points a curve gets between two of its form's


@dataclass(frozen=True, eq=False)
class Stroke:
    """One movement of the pen. `points` is n × 2, in pixels from the page's top left; `pen` is its width in pixels."""

    points: Points
    pen: float
    ink: tuple[int, int, int]

    def moved(self, x: float, y: float) -> Stroke:
        return Stroke(self.points + np.array([x, y]), self.pen, self.ink)


@cache
def curves(form: Form) -> tuple[Points, ...]:
    """The form's strokes as smooth lines of close points, y upwards."""
    return tuple(_curve(stroke) for stroke in form.strokes)


def smooth(points: Sequence[tuple[float, float]]) -> Points:
    """A smooth line of close points through these."""
    return _curve([(x, y, False) for x, y in points])


def _curve(stroke: Sequence[tuple[float, float, bool]]) -> Points:
    pieces: list[Points] = []
    run: list[tuple[float, float]] = []
    for x, y, sharp in stroke:
        run.append((x, y))
        if sharp:
            pieces.append(_spline(run))
            run = [(x, y)]
    if len(run) > 1 or not pieces:
        pieces.append(_spline(run))
    return np.concatenate(pieces)


def _spline(run: Sequence[tuple[float, float]]) -> Points:
    """Catmull-Rom through the points; its ends continue straight on."""
    points = np.array(run, dtype=float)
    if len(points) == 1:
        return points
    ends = np.concatenate([[2 * points[0] - points[1]], points, [2 * points[-1] - points[-2]]])
    before, start, end, after = ends[:-3, None], ends[1:-2, None], ends[2:-1, None], ends[3:, None]
    t = np.linspace(0, 1, STEPS + 1)[None, :, None]
    curve = 0.5 * (
        2 * start
        + (end - before) * t
        + (2 * before - 5 * start + 4 * end - after) * t**2
        + (3 * (start - end) + after - before) * t**3
    )
    flat: Points = np.concatenate([curve[:, :-1].reshape(-1, 2), points[-1:]])
    return flat


def straight(start: tuple[float, float], end: tuple[float, float], draw: np.random.Generator, bend: float) -> Points:
    """A line drawn without a ruler: it bows by about `bend` pixels and ends a little off."""
    a, b = np.array(start), np.array(end) + draw.normal(0, bend / 2, 2)
    length = max(1.0, float(np.hypot(*(b - a))))
    t = np.linspace(0, 1, max(4, int(length / 8)))[:, None]
    across = np.array([a[1] - b[1], b[0] - a[0]]) / length
    bow = np.sin(np.pi * t) * draw.normal(0, bend) + np.sin(3 * np.pi * t) * draw.normal(0, bend / 3)
    line: Points = a + (b - a) * t + across * bow
    return line


def ruled(start: tuple[float, float], end: tuple[float, float]) -> Points:
    """A line drawn along a ruler."""
    return np.array([start, end], dtype=float)

"""By how many degrees a page leans, found from its ruled lines or its lines of writing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from components.paper.bare import Pixels

Points = NDArray[np.float64]

WIDEST_ANGLE = 15.0
"""Degrees to either side. A page that leans more is turned by hand first."""

_MOST_POINTS = 30_000
_FEWEST_POINTS = 150
_DARK = 14.0
_CLEAR_PEAK = 1.6
_ONE_LINE = 7


def leaning(dark: Pixels, within: NDArray[np.bool_] | None = None) -> float | None:
    """Degrees to turn the page clockwise (negative: anticlockwise) so that its lines are level, to about 0.2°.

    `dark` is how much darker than its paper each pixel is (height × width); `within` where paper is. None where there
    is too little on the page, or no angle at which lines stand out.
    """
    marked = dark > max(_DARK, 4.0 * float(np.median(dark)))
    if within is not None:
        marked &= within
    rows, columns = np.nonzero(marked)
    if len(rows) < _FEWEST_POINTS:
        return None
    chance = np.random.default_rng(0)
    if len(rows) > _MOST_POINTS:
        kept = chance.choice(len(rows), _MOST_POINTS, replace=False)
        rows, columns = rows[kept], columns[kept]
    weights = np.minimum(dark[rows, columns], 80.0).astype(np.float64)
    # Points in the middle of their pixels would line up with the grid, and every page would seem level.
    y = rows + chance.uniform(-0.5, 0.5, len(rows))
    x = columns + chance.uniform(-0.5, 0.5, len(rows))
    coarse = np.arange(-WIDEST_ANGLE - 1, WIDEST_ANGLE + 1.01, 0.5)
    clarity = np.array([_clarity(x, y, weights, angle, 2.0) for angle in coarse])
    best = float(coarse[clarity.argmax()])
    if clarity.max() < _CLEAR_PEAK * np.median(clarity) or abs(best) > WIDEST_ANGLE:
        return None
    for reach, step, width in ((0.6, 0.1, 1.5), (0.12, 0.02, 1.0)):
        fine = np.arange(best - reach, best + reach + step / 2, step)
        clarity = np.array([_clarity(x, y, weights, angle, width) for angle in fine])
        best = float(np.average(fine, weights=np.maximum(clarity - 0.8 * clarity.max(), 0) + 1e-9))
    return None if _of_one_line(x, y, weights, best) else -best


def _edges(x: Points, y: Points, weights: Points, angle: float, width: float) -> Points:
    """How much the ink grows or shrinks from one row to the next, rows lying along the angle."""
    radians = np.deg2rad(angle)
    across = (y * np.cos(radians) - x * np.sin(radians)) / width
    profile = np.bincount((across - across.min()).astype(np.int64), weights)
    return np.square(np.diff(profile, prepend=0.0, append=0.0))


def _clarity(x: Points, y: Points, weights: Points, angle: float, width: float) -> float:
    """How sharply rows of ink and empty rows alternate when looked at along the angle."""
    return float(_edges(x, y, weights, angle, width).sum())


def _of_one_line(x: Points, y: Points, weights: Points, angle: float) -> bool:
    """Whether the angle is that of one straight thing alone: the side of a triangle, say."""
    edges = _edges(x, y, weights, angle, 1.0)
    return float(np.convolve(edges, np.ones(_ONE_LINE)).max()) > 0.45 * float(edges.sum())

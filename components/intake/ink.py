"""Drawings as the canvas reports them: checked, scaled, rubbed out, and laid on their paper as a picture."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from components.intake.errors import IntakeError
from components.intake.handwriting.paper import Paper, inked, render
from components.intake.handwriting.strokes import Stroke

Drawing = dict[str, Any]
Points = NDArray[np.float64]

PAGE_WIDTH, PAGE_HEIGHT = 900, 644  # the units of a stored drawing: pixels of its picture
RUBBER = "#ff00c8"  # a stroke of this colour rubs out what lies under it
MOST_STROKES = 4_000
MOST_POINTS = 400_000

_CURVE_STEPS = 8
_CUT_STEP = 2.0  # units between the points at which a stroke can be cut
_NUMBERS = {"M": 2, "L": 2, "Q": 4, "C": 6, "Z": 0}


def page_drawing(reported: object, scale: float) -> Drawing:
    """What the canvas reports, drawn at `scale` screen pixels a unit, as strokes in units of the page.

    Rubbing out is done, and what was moved or turned on screen is where it was put; the same in gives the same out.
    Raises IntakeError for what no canvas of ours reports, and for a drawing over MOST_STROKES or MOST_POINTS.
    """
    try:
        objects = dict(reported)["objects"]  # type: ignore[call-overload]
        strokes = [_path(each, 1 / scale) for each in objects]
    except (TypeError, ValueError, KeyError, IndexError) as error:
        raise IntakeError("The drawing could not be read. Reload the page; what was saved is still there.") from error
    if len(strokes) > MOST_STROKES or sum(len(stroke["path"]) for stroke in strokes) > MOST_POINTS:
        raise IntakeError("This page is full. Go on with another page.")
    kept: list[Drawing] = []
    for stroke in strokes:
        kept = _rubbed(kept, stroke) if stroke["stroke"] == RUBBER else [*kept, stroke]
    return {"objects": kept}


def rubbed_out(reported: Any) -> bool:
    """Whether the eraser has been used in what `page_drawing` has read."""
    return any(each["stroke"] == RUBBER for each in reported["objects"])


def screen_drawing(drawing: Drawing, scale: float) -> Drawing:
    """A stored drawing for a canvas of `scale` screen pixels a unit."""
    return {"objects": [_path(stroke, scale) for stroke in drawing["objects"]]}


def stroke_count(drawing: Drawing) -> int:
    return len(drawing["objects"])


def paper_png(paper: Paper) -> bytes:
    """An empty sheet."""
    return _png(render([], paper, PAGE_WIDTH, PAGE_HEIGHT))


def picture_png(drawing: Drawing, paper: Paper) -> bytes:
    """The drawing on its paper as it was seen, PAGE_WIDTH × PAGE_HEIGHT pixels."""
    page = render([], paper, PAGE_WIDTH, PAGE_HEIGHT)
    for _, group in groupby(strokes_of(drawing), key=lambda stroke: stroke.ink):
        page = inked(page, list(group))
    return _png(page)


def strokes_of(drawing: Drawing) -> list[Stroke]:
    """The strokes of a stored drawing as lines of close points."""
    return [
        Stroke(_flat(stroke["path"]), stroke["strokeWidth"], _rgb(stroke["stroke"])) for stroke in drawing["objects"]
    ]


def _path(reported: Any, factor: float) -> Drawing:
    """One stroke with its place, turn and scale put into its points, all sizes times `factor`."""
    if reported["type"] not in ("Path", "path"):
        raise ValueError(reported["type"])
    commands = [_command(command) for command in reported["path"]]
    turn, grown = _placing(reported, commands)
    moved = [
        [command[0], *((np.reshape(command[1:], (-1, 2)) @ turn[:, :2].T + turn[:, 2]) * factor).ravel().tolist()]
        for command in commands
    ]
    rounded = [[command[0], *(round(number, 2) for number in command[1:])] for command in moved]
    _rgb(reported["stroke"])
    width = float(reported["strokeWidth"])
    if not 0 < width < 1000:
        raise ValueError(width)
    return _stroke(rounded, str(reported["stroke"]), width * grown * factor)


def _stroke(commands: list[list[Any]], colour: str, width: float) -> Drawing:
    """A stroke as the canvas draws it; its place is the middle of its box."""
    low, high = _box(commands)
    return {
        "type": "Path",
        "originX": "center",
        "originY": "center",
        "left": round(float(low[0] + high[0]) / 2, 3),
        "top": round(float(low[1] + high[1]) / 2, 3),
        "width": round(float(high[0] - low[0]), 3),
        "height": round(float(high[1] - low[1]), 3),
        "fill": None,
        "stroke": colour,
        "strokeWidth": round(width, 2),
        "strokeLineCap": "round",
        "strokeLineJoin": "round",
        "path": commands,
    }


def _command(command: Any) -> list[Any]:
    letter, *numbers = command
    numbers = [float(number) for number in numbers]
    if len(numbers) != _NUMBERS[letter] or not all(math.isfinite(n) and abs(n) < 1e6 for n in numbers):
        raise ValueError(command)
    return [letter, *numbers]


def _placing(reported: Any, commands: list[list[Any]]) -> tuple[Points, float]:
    """The 2 × 3 matrix that takes the path's own points to where they are seen, and how much it widens the pen."""
    low, high = _box(commands)
    scale_x, scale_y = float(reported.get("scaleX", 1)), float(reported.get("scaleY", 1))
    angle = math.radians(float(reported.get("angle", 0)))
    cos, sin = math.cos(angle), math.sin(angle)
    rotate = np.array([[cos, -sin], [sin, cos]])
    flip = [-1.0 if reported.get(name) else 1.0 for name in ("flipX", "flipY")]
    lean = [math.tan(math.radians(float(reported.get(name, 0)))) for name in ("skewX", "skewY")]
    skew = np.array([[1.0, lean[0]], [0.0, 1.0]]) @ np.array([[1.0, 0.0], [lean[1], 1.0]])
    turn = rotate @ np.diag([scale_x * flip[0], scale_y * flip[1]]) @ skew
    middle = np.array([float(reported["left"]), float(reported["top"])])
    pen = float(reported["strokeWidth"])
    half = (np.array([scale_x, scale_y]) * (high - low + pen)) / 2
    away = [
        {"left": 1.0, "top": 1.0, "right": -1.0, "bottom": -1.0}.get(reported.get(name, "left"), 0.0)
        for name in ("originX", "originY")
    ]
    middle = middle + rotate @ (half * away)
    shift = middle - turn @ ((low + high) / 2)
    if not np.isfinite(turn).all() or not np.isfinite(shift).all():
        raise ValueError("not a place")
    return np.column_stack([turn, shift]), math.sqrt(abs(float(np.linalg.det(turn))))


def _box(commands: Sequence[Sequence[Any]]) -> tuple[Points, Points]:
    points = _flat(commands)
    return points.min(axis=0), points.max(axis=0)


def _flat(commands: Sequence[Sequence[Any]]) -> Points:
    """The path as a line of points."""
    parts: list[Points] = []
    at = start = np.zeros(2)
    for letter, *numbers in commands:
        nodes = np.reshape(np.asarray(numbers, dtype=np.float64), (-1, 2))
        if letter == "M":
            at = start = nodes[0]
            parts.append(nodes)
        elif letter == "Z":
            parts.append(start[None, :])
        else:
            parts.append(_curve(np.vstack([at, nodes])))
            at = nodes[-1]
    if not parts:
        raise ValueError("an empty path")
    return np.concatenate(parts)


def _curve(nodes: Points) -> Points:
    """A Bézier curve's points after its first node; a line's are its end alone."""
    if len(nodes) == 2:
        return nodes[1:]
    along = np.linspace(0, 1, _CURVE_STEPS + 1)[1:, None, None]
    layers = np.repeat(nodes[None], len(along), axis=0)
    while layers.shape[1] > 1:
        layers = layers[:, :-1] * (1 - along) + layers[:, 1:] * along
    points: Points = layers[:, 0]
    return points


def _rubbed(strokes: list[Drawing], rubber: Drawing) -> list[Drawing]:
    """The strokes without what the rubber went over: cut where it crossed them, gone where nothing is left."""
    over = KDTree(_dense(_flat(rubber["path"])))
    kept: list[Drawing] = []
    for stroke in strokes:
        points = _dense(_flat(stroke["path"]))
        away, _ = over.query(points)
        hit = away <= (rubber["strokeWidth"] + 0.5 * stroke["strokeWidth"]) / 2
        if not hit.any():
            kept.append(stroke)
            continue
        edges = np.flatnonzero(np.diff(np.concatenate([[True], hit, [True]]).astype(np.int8)))
        for first, last in zip(edges[::2], edges[1::2], strict=True):
            if last - first > 1:
                line = np.round(points[first:last], 1).tolist()
                commands = [["M", *line[0]], *(["L", *point] for point in line[1:])]
                kept.append(_stroke(commands, stroke["stroke"], stroke["strokeWidth"]))
    return kept


def _dense(points: Points) -> Points:
    """The line with a point at every _CUT_STEP units or less."""
    parts = [points[:1]]
    for one, other in pairwise(points):
        steps = max(1, math.ceil(float(np.hypot(*(other - one))) / _CUT_STEP))
        parts.append(one + (other - one) * np.linspace(0, 1, steps + 1)[1:, None])
    return np.concatenate(parts)


def _rgb(colour: str) -> tuple[int, int, int]:
    if len(colour) != 7 or not colour.startswith("#"):
        raise ValueError(colour)
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue


def _png(image: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()

"""Strokes as the drawing canvas keeps them (fabric.js paths), so that a drawn answer can be opened there again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from components.intake.handwriting.strokes import Points, Stroke

VERSION = "7.4.0"  # of fabric.js in streamlit-drawable-canvas 0.13
NEAR = 0.5  # pixels: a point this close to midway between its neighbours is not missed


def canvas_json(strokes: Sequence[Stroke]) -> dict[str, Any]:
    """What the canvas gives as `json_data` for these strokes drawn by hand, and takes as `initial_drawing`."""
    return {"version": VERSION, "objects": [_path(stroke) for stroke in strokes]}


def _path(stroke: Stroke) -> dict[str, Any]:
    points = _fewer(stroke.points)
    if len(points) == 1:
        points = np.concatenate([points, points + 0.1])
    points = np.round(points, 1)
    (x0, y0), (x1, y1) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    red, green, blue = stroke.ink
    written = points.tolist()
    return {
        "type": "Path",
        "version": VERSION,
        "originX": "center",
        "originY": "center",
        "left": round((x0 + x1) / 2, 2),
        "top": round((y0 + y1) / 2, 2),
        "width": round(x1 - x0, 1),
        "height": round(y1 - y0, 1),
        "fill": None,
        "stroke": f"#{red:02x}{green:02x}{blue:02x}",
        "strokeWidth": round(stroke.pen, 2),
        "strokeLineCap": "round",
        "strokeLineJoin": "round",
        "path": [["M", *written[0]], *(["L", *point] for point in written[1:])],
    }


def _fewer(points: Points) -> Points:
    """The points without every second one that lies on the line anyway; corners and ends stay."""
    inner = points[1:-1:2]
    after = points[2::2][: len(inner)]
    off = np.abs(inner - (points[0:-2:2][: len(inner)] + after) / 2).max(axis=1, initial=0)
    kept = np.ones(len(points), dtype=bool)
    kept[1:-1:2] = off > NEAR
    return points[kept]

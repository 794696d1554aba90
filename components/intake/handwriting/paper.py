"""Paper and ink: strokes rendered over plain, ruled or squared paper, antialiased."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from components.intake.handwriting.strokes import Points, Stroke

LINE = 46  # pixels between ruled lines
SQUARE = 23  # pixels between squares
MARGIN = 84  # pixels left of the margin's line
FINE = 3  # ink is drawn this many times larger, then reduced


class Paper(StrEnum):
    PLAIN = "plain"
    RULED = "ruled"
    SQUARED = "squared"


@cache
def _sheet(paper: Paper, width: int, height: int) -> Image.Image:
    sheet = Image.new("RGB", (width, height), (253, 252, 248))
    draw = ImageDraw.Draw(sheet)
    if paper is Paper.RULED:
        for y in range(LINE * 2, height, LINE):
            draw.line((0, y, width, y), (186, 206, 230))
    if paper is Paper.SQUARED:
        for x in range(SQUARE, width, SQUARE):
            draw.line((x, 0, x, height), (206, 220, 236))
        for y in range(SQUARE, height, SQUARE):
            draw.line((0, y, width, y), (206, 220, 236))
    if paper is not Paper.PLAIN:
        draw.line((MARGIN, 0, MARGIN, height), (238, 170, 176), 2)
    return sheet


def render(strokes: Sequence[Stroke], paper: Paper, width: int, height: int) -> Image.Image:
    """The strokes on a sheet of the paper, width × height pixels."""
    return inked(_sheet(paper, width, height).copy(), strokes)


def inked(page: Image.Image, strokes: Sequence[Stroke]) -> Image.Image:
    """The page, in colour or grey, with the strokes drawn on it; what runs over its edge is cut."""
    for ink in dict.fromkeys(stroke.ink for stroke in strokes):
        _lay(page, [stroke for stroke in strokes if stroke.ink == ink], ink)
    return page


def _lay(page: Image.Image, strokes: Sequence[Stroke], ink: tuple[int, int, int]) -> None:
    reach = max(stroke.pen for stroke in strokes) + 2
    low = np.maximum(0, np.min([stroke.points.min(axis=0) for stroke in strokes], axis=0) - reach).astype(int)
    high = np.max([stroke.points.max(axis=0) for stroke in strokes], axis=0) + reach
    high = np.minimum(page.size, np.ceil(high)).astype(int)
    if np.any(high <= low):
        return
    width, height = (high - low).tolist()
    fine = np.zeros((height * FINE, width * FINE), dtype=np.uint8)
    for pen in dict.fromkeys(stroke.pen for stroke in strokes):
        spots = np.concatenate([_spots(stroke.points, pen) for stroke in strokes if stroke.pen == pen])
        _stamp(fine, (spots - low) * FINE, pen * FINE / 2)
    mask = Image.fromarray(fine).reduce(FINE)
    colour = ink if page.mode == "RGB" else round(0.3 * ink[0] + 0.59 * ink[1] + 0.11 * ink[2])
    page.paste(colour, (int(low[0]), int(low[1])), mask)


def _spots(points: Points, pen: float) -> Points:
    """Points so close along the line that round spots on them make it whole."""
    steps = np.hypot(*np.diff(points, axis=0).T)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    if along[-1] == 0:
        return points[:1]
    at = np.linspace(0, along[-1], int(along[-1] / (pen / 4)) + 2)
    return np.stack([np.interp(at, along, points[:, 0]), np.interp(at, along, points[:, 1])], axis=1)


def _stamp(fine: NDArray[np.uint8], spots: Points, radius: float) -> None:
    height, width = fine.shape
    centres = np.rint(spots).astype(np.int32)
    span = int(radius + 1)
    inside = np.all((centres >= span) & (centres < (width - span, height - span)), axis=1)
    centres = np.unique(centres[inside, 1] * width + centres[inside, 0])
    flat = fine.reshape(-1)
    for dy in range(-span, span + 1):
        for dx in range(-span, span + 1):
            if dx * dx + dy * dy <= radius * radius:
                flat[centres + (dy * width + dx)] = 255

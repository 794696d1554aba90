"""The sheet of paper on a picture: where it lies, and how it is turned."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter
from scipy import ndimage

_LEAST_CONTRAST = 40
_LEAST_FILLED = 0.85


def reduced(image: Image.Image, longest_side: int) -> Image.Image:
    """A copy at most that large, by whole-number averaging, which keeps thin strokes and loses noise."""
    factor = -(-max(image.size) // longest_side)
    return image.reduce(factor) if factor > 1 else image


def sheet(image: Image.Image) -> NDArray[np.bool_] | None:
    """Where a bright sheet lies on something darker, height × width; None where no such sheet is plain to see.

    For a small copy of the picture: a few hundred pixels are enough.
    """
    grey = np.asarray(image.convert("L").filter(ImageFilter.MaxFilter(5)).filter(ImageFilter.MedianFilter(5)))
    bright = ndimage.binary_opening(grey > _between(grey), iterations=2)
    parts: tuple[Any, int] = ndimage.label(bright)
    labels, count = parts
    if not count:
        return None
    largest = labels == 1 + int(np.argmax(np.bincount(labels.ravel())[1:]))
    paper: NDArray[np.bool_] = ndimage.binary_fill_holes(largest)
    share = float(paper.mean())
    if not 0.15 < share < 0.97:
        return None
    if float(np.median(grey[paper])) - float(np.median(grey[~paper])) < _LEAST_CONTRAST:
        return None
    if sheet_angle(paper)[1] < _LEAST_FILLED:
        return None
    inner: NDArray[np.bool_] = ndimage.binary_erosion(paper, iterations=2)  # as far as the first filter grew it
    return inner


def sheet_angle(paper: NDArray[np.bool_]) -> tuple[float, float]:
    """Degrees to turn the sheet clockwise to stand upright, and how much of the box about it then is paper, 0–1."""
    rim = paper & ~ndimage.binary_erosion(paper)
    y, x = (axis.astype(np.float64) for axis in np.nonzero(rim))
    angles = np.arange(-16.0, 16.01, 0.25)
    areas = []
    for radians in np.deg2rad(angles):
        across = x * np.cos(radians) - y * np.sin(radians)
        down = x * np.sin(radians) + y * np.cos(radians)
        areas.append((np.ptp(across) + 1) * (np.ptp(down) + 1))
    best = int(np.argmin(areas))
    return float(angles[best]), float(paper.sum() / areas[best])


def _between(grey: NDArray[np.uint8]) -> int:
    """Otsu's threshold: the brightness that parts a picture best into a dark and a bright half."""
    counts = np.bincount(grey.ravel(), minlength=256).astype(np.float64)
    below = np.cumsum(counts)
    weighted = np.cumsum(counts * np.arange(256))
    above = below[-1] - below
    gap = weighted / np.maximum(below, 1) - (weighted[-1] - weighted) / np.maximum(above, 1)
    return int(np.argmax(below * above * np.square(gap)))

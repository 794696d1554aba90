"""Whether anything is written on a picture of paper: ruling, texture, shadows and printed borders do not count."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from components.intake.picture_paper import reduced
from components.intake.pictures import decoded
from components.paper.bare import darkness
from components.paper.ruling import ruling

_SIDE = 1600
_EDGE = 0.03
_LEAST_LENGTH = 8
_LEAST_AREA = 14
_SURE = 16.0
_LIKELY = 9.0


def ink_share(content: bytes) -> float:
    """The share of a stored picture's area that is written on, 0–1. Raises PictureFault for a broken picture."""
    return float(_strokes(decoded(content)).mean())


def blank(content: bytes) -> bool:
    """Whether nothing is written on a stored picture, not even a faint digit. Raises PictureFault for a broken one."""
    return not _strokes(decoded(content)).any()


def _strokes(image: Image.Image) -> NDArray[np.bool_]:
    """The pixels of what is written, on a reduced copy."""
    dark = darkness(reduced(image, _SIDE))
    printed = ndimage.binary_dilation(ruling(dark, lone_lines=True), iterations=2)
    # Not the darkest channel: JPEG smears the colour of printed lines far beside them, but not their brightness.
    calm = ndimage.gaussian_filter(dark.mean(axis=2), 1.0)
    grain = calm[~printed]
    middle = float(np.median(grain)) if grain.size else 0.0
    rough = 1.48 * float(np.median(np.abs(grain - middle))) if grain.size else 0.0
    calm = np.where(printed, 0.0, calm - middle)
    likely = calm > max(_LIKELY, 3.0 * rough)
    parts: tuple[Any, int] = ndimage.label(likely, np.ones((3, 3)))
    labels, count = parts
    if not count:
        return likely
    numbers = np.arange(1, count + 1)
    kept = np.zeros(count + 1, dtype=bool)
    kept[1:] = ndimage.maximum(calm, labels, numbers) > max(_SURE, 6.0 * rough)
    kept[1:] &= np.bincount(labels.ravel(), minlength=count + 1)[1:] >= _LEAST_AREA
    edge = max(3, round(_EDGE * min(likely.shape)))
    for number, where in enumerate(ndimage.find_objects(labels), 1):
        kept[number] &= not _specked_or_edging(where, likely.shape, edge)
    strokes: NDArray[np.bool_] = kept[labels]
    if strokes.any():
        strokes &= calm > 0.4 * float(np.percentile(calm[strokes], 90))  # without the blur about them
    return strokes


def _specked_or_edging(where: tuple[slice, slice], shape: tuple[int, ...], edge: int) -> bool:
    """Too short for a stroke, or wholly in the strip along one edge, where a neighbour's box or border shows."""
    if max(side.stop - side.start for side in where) < _LEAST_LENGTH:
        return True
    return any(side.stop <= edge or side.start >= whole - edge for side, whole in zip(where, shape, strict=True))

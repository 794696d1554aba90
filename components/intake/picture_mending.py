"""Straightening, cropping and contrast of a page's picture, offered beside the original."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from components.intake.picture_angle import WIDEST_ANGLE, leaning
from components.intake.picture_colours import encoded
from components.intake.picture_paper import reduced, sheet, sheet_angle
from components.intake.pictures import OpenedPicture, decoded
from components.paper.bare import bare_paper, darkness

Box = tuple[int, int, int, int]
Mask = NDArray[np.bool_]

_LEAST_ANGLE = 0.3
_LEAST_CROPPED = 0.12
_MARGIN = 0.03
_FINDING_SIDE = 1000
_SHEET_SIDE = 300
_INK = 30.0
_DIM = 200
_UNEVEN = 25
_FAINT = 90
_STRONGEST_STRETCH = 64


@dataclass(frozen=True)
class Offer:
    """What could be mended. Parts are None where nothing needed doing; `picture` is None where no part did.

    `angle` is in degrees clockwise, as the picture was turned. `box` is (left, top, right, bottom) in pixels of the
    picture once turned, at its full size with whole corners. `said` is a sentence for a teacher.
    """

    picture: OpenedPicture | None
    angle: float | None
    box: Box | None
    contrast: bool
    said: str


@dataclass(frozen=True)
class _Found:
    """What was seen on a reduced copy: `small`, its bare paper, the ink and the sheet on it, and how far to turn it."""

    small: Image.Image
    bare: Image.Image
    dark: NDArray[np.float32]
    ink: Mask
    paper: Mask | None
    angle: float | None


def offered(content: bytes) -> Offer:
    """A stored picture (PNG or JPEG) set straight, cropped to its sheet or writing, with even, readable contrast.

    Looks on reduced copies, works at full size: under a second for a telephone's photograph. Raises PictureFault for
    a broken picture.
    """
    image = decoded(content)
    found = _looked_at(image)
    box = _crop(found, image.size)
    needs_light = _needs_contrast(found)
    if found.angle is None and box is None and not needs_light:
        return Offer(None, None, None, False, "Nothing needed doing: the picture is straight, close and clear.")
    mended = image
    if found.angle is not None or box is not None:
        mended = _turned(image, found.angle or 0.0, box, _paper_colour(found))
    if needs_light:
        mended = _evened(mended)
    data, mime = encoded(mended, lossless=content.startswith(b"\x89PNG"))
    picture = OpenedPicture(data, mime, mended.width, mended.height)
    return Offer(picture, found.angle, box, needs_light, _sentence(found, box, needs_light))


def _looked_at(image: Image.Image) -> _Found:
    small = reduced(image, _FINDING_SIDE)
    bare = bare_paper(small)
    dark = darkness(small, bare).max(axis=2)
    paper = sheet(reduced(small, _SHEET_SIDE))
    within = None
    if paper is not None:
        paper = np.asarray(Image.fromarray(paper).resize(small.size))
        within = ndimage.binary_erosion(paper, iterations=max(4, max(small.size) // 60))
    ink = dark > max(_INK, 5.0 * float(np.median(dark)))
    ink = ndimage.uniform_filter((ink if within is None else ink & within).astype(np.float32), 3) > 0.3
    angle = leaning(dark, within)
    if angle is None and paper is not None:
        angle = sheet_angle(paper)[0]
    if angle is not None and not _LEAST_ANGLE <= abs(angle) <= WIDEST_ANGLE:
        angle = None
    return _Found(small, bare, dark, ink, paper, None if angle is None else round(angle, 2))


def _crop(found: _Found, size: tuple[int, int]) -> Box | None:
    """About the sheet where one is seen, else about the ink with a margin; None where that gains little."""
    shown = found.ink if found.paper is None else found.paper
    turned = np.asarray(_turned(Image.fromarray(shown.astype(np.uint8) * 255), found.angle or 0.0, None, 0)) > 127
    rows, columns = turned.sum(axis=1), turned.sum(axis=0)
    least = 0.5 if found.paper is not None else 0.0
    down = np.nonzero(rows > least * rows.max(initial=0))[0]
    across = np.nonzero(columns > least * columns.max(initial=0))[0]
    if not len(down) or not len(across):
        return None
    margin = -0.005 if found.paper is not None else _MARGIN
    extra = margin * max(turned.shape)
    scale = max(size) / max(found.small.size)
    width, height = _canvas(size, found.angle or 0.0)
    box = (
        max(0, int((across[0] - extra) * scale)),
        max(0, int((down[0] - extra) * scale)),
        min(width, int((across[-1] + 1 + extra) * scale)),
        min(height, int((down[-1] + 1 + extra) * scale)),
    )
    area = (box[2] - box[0]) * (box[3] - box[1])
    return box if 0 < area < (1 - _LEAST_CROPPED) * width * height else None


def _needs_contrast(found: _Found) -> bool:
    """Whether the paper is dim or unevenly lit, or what is on it faint."""
    bare = np.asarray(found.bare.convert("L"))
    if found.paper is not None:
        bare = bare[ndimage.binary_erosion(found.paper, iterations=8)]
    if not bare.size:
        return False
    darkest, usual, brightest = np.percentile(bare, (5, 50, 95))
    if usual < _DIM or brightest - darkest > _UNEVEN:
        return True
    strokes = found.dark[found.ink]
    return bool(len(strokes) > 50 and np.percentile(strokes, 85) < _FAINT)


def _paper_colour(found: _Found) -> int | tuple[int, ...]:
    bare = np.asarray(found.bare)
    seen = bare[np.ones(bare.shape[:2], dtype=bool) if found.paper is None else found.paper]
    middle = np.median(seen, axis=0)
    return int(middle) if bare.ndim == 2 else tuple(int(value) for value in middle)


def _canvas(size: tuple[int, int], angle: float) -> tuple[int, int]:
    cos, sin = abs(np.cos(np.deg2rad(angle))), abs(np.sin(np.deg2rad(angle)))
    width, height = size
    return round(width * cos + height * sin), round(width * sin + height * cos)


def _turned(image: Image.Image, angle: float, box: Box | None, fill: int | tuple[int, ...]) -> Image.Image:
    """Turned clockwise about its middle on a canvas that holds all of it, then cropped: in one pass."""
    width, height = _canvas(image.size, angle)
    left, top, right, bottom = box or (0, 0, width, height)
    if not angle:
        return image.crop((left, top, right, bottom))
    cos, sin = float(np.cos(np.deg2rad(angle))), float(np.sin(np.deg2rad(angle)))
    x, y = left - width / 2, top - height / 2
    back = (cos, sin, cos * x + sin * y + image.width / 2, -sin, cos, cos * y - sin * x + image.height / 2)
    size = (right - left, bottom - top)
    return image.transform(size, Image.Transform.AFFINE, back, Image.Resampling.BICUBIC, fillcolor=fill)


def _evened(image: Image.Image) -> Image.Image:
    """Paper white everywhere, the darkest tenth of what is on it dark; colours stay."""
    small = reduced(image, _FINDING_SIDE)
    bare = bare_paper(small)
    paper = np.maximum(np.asarray(bare.resize(image.size, Image.Resampling.BILINEAR)), 16)
    flat = np.asarray(image).astype(np.uint16) * np.uint16(255) // paper
    dark = darkness(small, bare).max(axis=2)
    grain = 1.5 * float(np.median(dark))
    strokes = dark[dark > max(_INK, 5.0 * float(np.median(dark)))]
    deepest = float(np.percentile(strokes, 90)) if len(strokes) > 50 else 255.0
    white = 255.0 - min(grain, 30.0)
    black = min(max(0.0, 255.0 - 1.1 * deepest), white - _STRONGEST_STRETCH)
    levels = np.clip((np.arange(256) - black) / (white - black), 0.0, 1.0) ** 1.2 * 255.0
    return Image.fromarray(np.rint(levels).astype(np.uint8)[np.minimum(flat, 255)])


def _sentence(found: _Found, box: Box | None, contrast: bool) -> str:
    done = []
    if found.angle is not None:
        way = "clockwise" if found.angle > 0 else "anticlockwise"
        done.append(f"turned {way} by {abs(found.angle):.1f}°")
    if box is not None:
        done.append("cropped to the sheet" if found.paper is not None else "cropped to what is written")
    if contrast:
        done.append("lit evenly, with stronger contrast")
    said = done[0] if len(done) == 1 else ", ".join(done[:-1]) + " and " + done[-1]
    return f"{said[0].upper()}{said[1:]}. The original is kept."

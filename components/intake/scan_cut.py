"""Cuts an answer's region out of a lined-up page, and tells whether anything is written in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Literal

import numpy as np
from PIL import Image, ImageDraw
from scipy import ndimage

from components.intake.book_layout import PAGE_HEIGHT, PAGE_WIDTH, Frame
from components.intake.page_regions import ScanFault, TemplateRegion
from components.intake.scan_pages import ScanPage
from components.intake.scan_register import apply

MARGIN_X, MARGIN_Y = 0.0095, 0.0067  # 2 mm of A4: people write over the edge
_STRAIGHT = 0.0088  # a slope of half a degree cannot be seen, and copying leaves every pixel as it was
_OFF_PAGE = 0.02  # how much of the page's width or height may be missing beyond the picture's edge
_DARKER, _FEWEST = 26, 6  # levels under the paper; pixels at half size that make the smallest stroke, 2 mm of pencil
_QUALITY = 85


@dataclass(frozen=True)
class Print:
    """What is printed in and around the regions, so that it does not count as ink.

    `lines` are in fractions of the page. `ink` is a picture, white where the template has print, with the 3×3 matrix
    from fractions to its pixels.
    """

    lines: tuple[tuple[float, float, float, float], ...] = ()
    ink: Image.Image | None = None
    to_ink: np.ndarray | None = None


@dataclass(frozen=True)
class CutPicture:
    """A region as a picture file; `blank` when nothing but print and specks is in it."""

    data: bytes
    mime: Literal["image/jpeg"]
    width: int
    height: int
    blank: bool


def frame_print(frame: Frame) -> Print:
    """The printed frame of an answer book and its ruling."""
    right, bottom = frame.x + frame.w, frame.y + frame.h
    edges = [
        (frame.x, frame.y, right, frame.y),
        (frame.x, bottom, right, bottom),
        (frame.x, frame.y, frame.x, bottom),
        (right, frame.y, right, bottom),
    ]
    return Print(
        tuple(
            (x0 / PAGE_WIDTH, y0 / PAGE_HEIGHT, x1 / PAGE_WIDTH, y1 / PAGE_HEIGHT)
            for x0, y0, x1, y1 in (*edges, *frame.rules())
        )
    )


def cut_region(page: ScanPage, matrix: np.ndarray, region: TemplateRegion, printed: Print) -> CutPicture:
    """The region with 2 mm around it. `matrix` leads from fractions of the printed page to the picture's pixels.

    A page lying straight is copied as it is; a skew one is straightened. Raises ScanFault, in words without the page's
    name, when a part of the region lies beyond the picture's edge.
    """
    box = region.corners(MARGIN_X, MARGIN_Y)
    _check_on_page(page, matrix, region)
    picture, to_cut = _cut_out(page.image, matrix, box)
    grey = picture if picture.mode == "L" else picture.convert("L")
    blank = not written(grey, to_cut, printed)
    data = BytesIO()
    picture.save(data, "JPEG", quality=_QUALITY)
    return CutPicture(data.getvalue(), "image/jpeg", picture.width, picture.height, blank)


def written(grey: Image.Image, to_cut: np.ndarray, printed: Print) -> bool:
    """Whether anything but print, paper and specks is on the cut: in doubt it is taken as written on."""
    half = grey.reduce(2)
    mask = _printed_mask(half.size, np.diag([0.5, 0.5, 1.0]) @ to_cut, printed)
    pixels = np.asarray(half)
    ink = (pixels < paper_level(half, 0.7) - _DARKER) & ~mask
    count = int(ink.sum())
    if count < _FEWEST:
        return False
    if count > pixels.size // 20:
        return True
    labels, _ = ndimage.label(ink, structure=np.ones((3, 3)))
    return bool(np.bincount(labels.reshape(-1))[1:].max() >= _FEWEST)


def paper_level(grey: Image.Image, share: float) -> int:
    """The level, 0 to 255, that this share of the picture is at or below: that of the paper, as most of it is paper."""
    levels = np.cumsum(grey.histogram())
    return int(np.searchsorted(levels, share * levels[-1]))


def _check_on_page(page: ScanPage, matrix: np.ndarray, region: TemplateRegion) -> None:
    left, top, right, bottom = region.corners()
    corners = apply(matrix, [(left, top), (right, top), (right, bottom), (left, bottom)])
    size = np.array(page.grey.size)
    if (corners < -_OFF_PAGE * size).any() or (corners > (1 + _OFF_PAGE) * size).any():
        raise ScanFault(f"a part of the answer to question {region.question} lies beyond the edge of the scan")


def _cut_out(
    image: Image.Image, matrix: np.ndarray, box: tuple[float, float, float, float]
) -> tuple[Image.Image, np.ndarray]:
    """The cut, and the matrix from fractions of the page to the cut's pixels."""
    left, top, right, bottom = box
    corners = apply(matrix, [(left, top), (right, top), (right, bottom), (left, bottom)])
    across, down = corners[1] - corners[0], corners[3] - corners[0]
    slopes = (across[1] / across[0], (corners[2] - corners[3])[1] / (corners[2] - corners[3])[0], down[0] / down[1])
    if max(map(abs, slopes)) < _STRAIGHT:
        x0, y0 = np.maximum(0, np.floor(corners.min(axis=0))).astype(int)
        x1, y1 = np.minimum([image.width, image.height], np.ceil(corners.max(axis=0))).astype(int)
        shift = np.array([[1.0, 0.0, -x0], [0.0, 1.0, -y0], [0.0, 0.0, 1.0]])
        return image.crop((int(x0), int(y0), int(x1), int(y1))), shift @ matrix
    width, height = max(1, round(float(np.linalg.norm(across)))), max(1, round(float(np.linalg.norm(down))))
    from_cut = np.array([[(right - left) / width, 0, left], [0, (bottom - top) / height, top], [0, 0, 1.0]])
    return _warped(image, matrix @ from_cut, (width, height), white=True), np.linalg.inv(from_cut)


def _warped(image: Image.Image, back: np.ndarray, size: tuple[int, int], *, white: bool) -> Image.Image:
    """The picture seen through `back`, a 3×3 matrix from the wanted pixels to the picture's."""
    data = (back / back[2, 2]).reshape(-1)
    fill = (255,) * len(image.getbands()) if white else (0,) * len(image.getbands())
    affine = abs(data[6]) < 1e-9 and abs(data[7]) < 1e-9
    how = Image.Transform.AFFINE if affine else Image.Transform.PERSPECTIVE
    color = fill if len(fill) > 1 else fill[0]
    if not (white and affine):
        sampling = Image.Resampling.BILINEAR if white else Image.Resampling.NEAREST
        return image.transform(size, how, data[: 6 if affine else 8].tolist(), sampling, fillcolor=color)
    # The mean of two samples a quarter of a pixel either side: as clear as Pillow's bilinear, in a third of its time.
    aside = np.array([0.0, 0.0, 0.25, 0.0, 0.0, 0.25])
    first, second = (image.transform(size, how, (data[:6] + by * aside).tolist(), fillcolor=color) for by in (-1, 1))
    return Image.blend(first, second, 0.5)


def _printed_mask(size: tuple[int, int], to_mask: np.ndarray, printed: Print) -> np.ndarray:
    """True where print is expected, with a tolerance of about half a millimetre."""
    mask = Image.new("L", size, 0)
    draw = ImageDraw.Draw(mask)
    scale = float(np.hypot(to_mask[0, 0], to_mask[1, 0]) / 620)  # 1 at half of 150 dpi on A4
    width = max(3, round(5 * scale))
    ends = np.array(printed.lines).reshape(-1, 2)
    for (x0, y0), (x1, y1) in _pairs(apply(to_mask, ends)) if len(ends) else ():
        draw.line((x0 - 0.5, y0 - 0.5, x1 - 0.5, y1 - 0.5), fill=255, width=width)
    found = np.asarray(mask) > 0
    if printed.ink is not None and printed.to_ink is not None:
        back = printed.to_ink @ np.linalg.inv(to_mask)
        found = found | (np.asarray(_warped(printed.ink, back, size, white=False)) > 0)
    return found


def _pairs(points: np.ndarray) -> Sequence[tuple[np.ndarray, np.ndarray]]:
    return list(zip(points[::2], points[1::2], strict=True))

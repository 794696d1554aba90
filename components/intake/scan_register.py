"""Lines a scanned page up with the page it was printed from, by its corner marks and codes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image
from scipy import ndimage

from components.intake.book_layout import CODE_CORNERS, CODE_SIZE, MARK_CENTRES, MARK_SIZE, PAGE_HEIGHT, PAGE_WIDTH
from components.intake.page_regions import ScanFault
from components.intake.scan_codes import BookPageCodes

_PAGE = np.array([PAGE_WIDTH, PAGE_HEIGHT])
_NOT_LINED_UP = "its corner squares could not be found, so its answers cannot be cut out for certain"


def register_book(grey: Image.Image, codes: BookPageCodes | None) -> np.ndarray:
    """The 3×3 matrix from fractions of the printed page to pixels of the upright page.

    Affine by least squares over the corner marks (and the codes where a mark is hidden); projective where the page was
    photographed at a slant. Without codes the page is taken to fill the picture. Raises ScanFault, in words without
    the page's name, where the page cannot be lined up to within a millimetre.
    """
    pixels = np.asarray(grey)
    known, seen = _code_points(codes)
    if codes is None:
        known, seen = _corners_of_page(pixels)
        start = fit_affine(known, seen)
    else:
        start = fit_affine(known, seen) if len(known) >= 8 else _fit_similarity(known, seen)
    unit = float(np.hypot(start[0, 1], start[1, 1]) / PAGE_HEIGHT)  # pixels a point
    marks = [(mark, spot) for mark in MARK_CENTRES if (spot := _find_mark(pixels, start, mark, unit)) is not None]
    if codes is None and len(marks) < 4:
        raise ScanFault(_NOT_LINED_UP)
    at = np.array([mark for mark, _ in marks]).reshape(-1, 2) / _PAGE
    spots = np.array([spot for _, spot in marks]).reshape(-1, 2)
    millimetre = unit * 72 / 25.4
    if len(marks) >= 3:
        matrix = fit_affine(at, spots)
        if len(marks) == 4 and misfit(matrix, at, spots).max() > 0.25 * millimetre:
            matrix = _fit_projective(at, spots)
    else:
        at, spots = np.vstack((at, known)), np.vstack((spots, seen))
        if np.ptp(at, axis=0).min() < 0.5:
            raise ScanFault(_NOT_LINED_UP)
        matrix = fit_affine(at, spots)
    off = misfit(matrix, known, seen) if codes is not None else np.zeros(1)
    if np.median(off) > 1.2 * millimetre or not plausible(matrix, PAGE_HEIGHT / PAGE_WIDTH):
        raise ScanFault("its corner squares and codes do not fit together; it may be folded or torn")
    return matrix


def fit_affine(at: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """The affine 3×3 matrix that takes `at` nearest to `seen`, by least squares."""
    found, *_ = np.linalg.lstsq(np.column_stack((at, np.ones(len(at)))), seen, rcond=None)
    return np.vstack((found.T, [0.0, 0.0, 1.0]))


def apply(matrix: np.ndarray, points: Sequence[Sequence[float]] | np.ndarray) -> np.ndarray:
    """The points (n × 2) taken through a 3×3 matrix."""
    moved = np.column_stack((np.asarray(points, dtype=float), np.ones(len(points)))) @ matrix.T
    return np.asarray(moved[:, :2] / moved[:, 2:])


def misfit(matrix: np.ndarray, at: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """How far each point lands from where it was seen, in pixels."""
    return np.asarray(np.linalg.norm(apply(matrix, at) - seen, axis=1))


def plausible(matrix: np.ndarray, aspect: float) -> bool:
    """Whether a sheet of paper (height / width = aspect) can lie so: hardly stretched or sheared, turned under 15°."""
    top_left, top_right, bottom_left = apply(matrix, [(0, 0), (1, 0), (0, 1)])
    across, down = top_right - top_left, bottom_left - top_left
    wide, high = np.linalg.norm(across), np.linalg.norm(down)
    if min(wide, high) < 50:
        return False
    stretch = high / wide / aspect
    shear = abs(float(across @ down)) / (wide * high)
    return bool(0.92 < stretch < 1.09 and shear < 0.06 and across[0] > 0 and abs(across[1] / across[0]) < 0.27)


def _code_points(codes: BookPageCodes | None) -> tuple[np.ndarray, np.ndarray]:
    known: list[tuple[float, float]] = []
    seen: list[tuple[float, float]] = []
    for code, found in codes.found if codes else ():
        x, y = CODE_CORNERS[code.end]
        known += [(x, y), (x + CODE_SIZE, y), (x + CODE_SIZE, y + CODE_SIZE), (x, y + CODE_SIZE)]
        seen += found.corners
    return np.array(known).reshape(-1, 2) / _PAGE, np.array(seen).reshape(-1, 2)


def _corners_of_page(pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    height, width = pixels.shape
    unit = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
    return unit, unit * [width, height]


def _fit_similarity(known: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Turn, scale and shift alone: all that one small code tells reliably about the whole page."""
    points = known * _PAGE
    a, b = points - points.mean(axis=0), seen - seen.mean(axis=0)
    size = (a**2).sum()
    cos, sin = (a * b).sum() / size, (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum() / size
    turn = np.array([[cos, -sin], [sin, cos]])
    shift = seen.mean(axis=0) - turn @ points.mean(axis=0)
    return np.vstack((np.column_stack((turn * _PAGE, shift)), [0.0, 0.0, 1.0]))


def _fit_projective(at: np.ndarray, seen: np.ndarray) -> np.ndarray:
    rows = []
    for (x, y), (u, v) in zip(at, seen, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
    found, *_ = np.linalg.lstsq(np.array(rows), seen.reshape(-1), rcond=None)
    return np.asarray(np.append(found, 1.0).reshape(3, 3))


def _find_mark(
    pixels: np.ndarray, start: np.ndarray, mark: tuple[float, float], unit: float
) -> tuple[float, float] | None:
    """The middle of the black square near where the mark should be, in pixels."""
    side = MARK_SIZE * unit
    radius = round(side / 2 + 20 * unit)
    x, y = (round(float(each)) for each in apply(start, [np.array(mark) / _PAGE])[0])
    left, top = max(0, x - radius), max(0, y - radius)
    window = pixels[top : max(0, y + radius), left : max(0, x + radius)]
    if window.size == 0 or int(window.max()) - int(window.min()) < 70:
        return None
    labels, _ = ndimage.label(window < (int(window.max()) + int(window.min())) / 2)
    best: tuple[float, tuple[float, float]] | None = None
    for index, box in enumerate(ndimage.find_objects(labels), 1):
        high, wide = box[0].stop - box[0].start, box[1].stop - box[1].start
        if not (0.7 * side < high < 1.4 * side and 0.7 * side < wide < 1.4 * side):
            continue
        inside = labels[box] == index
        if inside.sum() < 0.72 * high * wide:
            continue
        rows, columns = inside.sum(axis=1), inside.sum(axis=0)
        spot = (
            left + box[1].start + 0.5 + float(columns @ np.arange(wide)) / columns.sum(),
            top + box[0].start + 0.5 + float(rows @ np.arange(high)) / rows.sum(),
        )
        away = float(np.hypot(spot[0] - x, spot[1] - y))
        if best is None or away < best[0]:
            best = (away, spot)
    return best[1] if best else None

"""Lines a scanned page up with a template page by what is printed on both: headings, frames, question texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PIL import Image
from scipy import fft

from components.intake.page_regions import ScanFault
from components.intake.scan_pages import turned
from components.intake.scan_register import apply, fit_affine, misfit, plausible
from components.intake.scan_template import (
    COARSE,
    FEWEST_PATCHES,
    PATCH,
    TemplatePage,
    around,
    ink_of,
    likeness_of,
    paper_of,
    spectrum_of,
    thickened,
)

_NEAR, _FAR = 64, 96  # how far about a patch is looked for at first, and in a second try: sides of a square
_ANGLES = (0.0, 1.5, -1.5, 3.0, -3.0, 4.5, -4.5)
_ALIKE = 0.45  # correlation above which a patch is found
_PRINT_FOUND, _PATCHES_FOUND, _OTHER_PAGE = 0.66, 0.4, 0.2  # shares of the print, of the patches; a lead over others


@dataclass(frozen=True)
class Match:
    """How a scanned page lies. `turn` comes first: degrees anticlockwise the picture must be turned; then `matrix`
    leads from fractions of the template page to pixels of the turned picture; `linear` is its turn and scale.
    `lined_up` is False for plain paper."""

    turn: int
    matrix: np.ndarray
    linear: np.ndarray
    lined_up: bool = True


def match_page(grey: Image.Image, template: TemplatePage, like: Match | None = None) -> Match:
    """How the scan lies on this template page; `like` is how a page before it lay: its scale is tried first.

    Raises ScanFault, in words without the page's name, when the scan does not show this page, or shows another of the
    template's better. A page of plain paper cannot be compared and is taken to lie as it was scanned.
    """
    on_side = (grey.width > grey.height) != (template.grey.width > template.grey.height)
    if template.plain:
        if on_side:
            raise ScanFault("it lies on its side and the template has too little print to tell which way up it is")
        return Match(0, np.diag([grey.width, grey.height, 1.0]), np.eye(2), lined_up=False)
    scale = float(np.sqrt(abs(np.linalg.det(like.linear)))) if like is not None and like.lined_up else 1.0
    tries = [(np.eye(2) * (scale if abs(scale - 1) > 0.012 else 1.0), _NEAR)]
    tries += [(_turn(angle), _FAR) for angle in _ANGLES]
    sides: dict[int, tuple[np.ndarray, float]] = {}
    for linear, window in tries:
        for turn in (90, 270) if on_side else (0, 180):
            if turn not in sides:
                sides[turn] = _as_small_as(turned(grey, turn), template)
            small, zoom = sides[turn]
            found = _try(small, template, linear, window)
            if found is not None and _shows(found, small, template):
                to_template = np.diag([template.small.shape[1], template.small.shape[0], 1.0])
                return Match(turn, np.diag([zoom, zoom, 1.0]) @ found @ to_template, found[:2, :2])
    raise ScanFault(f"it does not look like page {template.number} of the template")


def _as_small_as(picture: Image.Image, template: TemplatePage) -> tuple[np.ndarray, float]:
    """The scan at the size the template is compared at, and how many of its pixels make one of those."""
    wide, high = picture.width / template.grey.width, picture.height / template.grey.height
    if abs(wide - 1) < 0.08 and abs(high - 1) < 0.08:  # the same resolution: what differs is drift, to be found
        return np.asarray(picture.reduce(template.reduced)), float(template.reduced)
    zoom = wide * template.reduced
    size = (max(1, round(picture.width / zoom)), max(1, round(picture.height / zoom)))
    return np.asarray(picture.resize(size, Image.Resampling.BOX)), zoom


def _try(small: np.ndarray, template: TemplatePage, linear: np.ndarray, window: int) -> np.ndarray | None:
    """The matrix from the template's small pixels to the scan's, supposing a turn and scale near `linear`."""
    back = np.eye(3)
    if np.abs(linear - np.eye(2)).max() > 0.004:
        small, back = _undone(small, template.small.shape, linear)
    shift = _coarse_shift(small, template)
    at = template.patches
    matrix = np.array([[1.0, 0.0, shift[0]], [0.0, 1.0, shift[1]], [0.0, 0.0, 1.0]])
    for _ in range(3):
        seen, sure = _find_patches(small, template, matrix, window)
        kept = sure > _ALIKE
        for _ in range(4):
            if kept.sum() < FEWEST_PATCHES or np.ptp(at[kept], axis=0).min() < 0.25 * min(template.small.shape):
                return None
            matrix = fit_affine(at[kept], seen[kept])
            off = misfit(matrix, at, seen)
            kept = (sure > _ALIKE) & (off < max(1.5, 2 * float(np.median(off[kept]))))
        if kept.mean() >= _PATCHES_FOUND and misfit(matrix, at[kept], seen[kept]).max() < 2:
            break
    else:
        return None
    height, width = template.small.shape
    matrix = back @ matrix
    return matrix if plausible(matrix @ np.diag([width, height, 1.0]), height / width) else None


def _shows(matrix: np.ndarray, small: np.ndarray, template: TemplatePage) -> bool:
    """Whether the template's print is found on the scan, and more of it than of any other template page's."""
    ink = thickened(ink_of(small, 28), 1)
    paper = paper_of(small)
    edge = np.array(small.shape[::-1]) - 1

    def mean(values: np.ndarray, points: np.ndarray) -> float:
        at = np.floor(apply(matrix, points + 0.5)).astype(int)
        at = at[(at >= 0).all(axis=1) & (at <= edge).all(axis=1)]
        return float(values[at[:, 1], at[:, 0]].sum(dtype=float) / max(1, len(points)))

    def darkness(points: np.ndarray) -> float:
        shades = [mean(dark, points + np.array((x, y))) for x in (-1, 0, 1) for y in (-1, 0, 1)]
        return sum(shades) / len(shades)

    dark = paper - np.minimum(small, paper)
    if mean(ink, template.points) < _PRINT_FOUND:
        return False
    for differences in template.against.values():
        here = darkness(differences.here) / differences.here_dark
        there = darkness(differences.there) / differences.there_dark
        if not len(differences.here):  # all that is here is on the other page too, which has more
            here = 0.6
        if differences.tell and here < there + _OTHER_PAGE:
            return False
    return True


def _find_patches(
    small: np.ndarray, template: TemplatePage, matrix: np.ndarray, side: int
) -> tuple[np.ndarray, np.ndarray]:
    """Where each patch of the template lies on the scan near `matrix`, and how sure that is (correlation, -1 to 1)."""
    guess = np.rint(apply(matrix, template.patches)).astype(int)
    guess = np.clip(guess, -side // 2, np.array(small.shape[::-1]) + side // 2)
    likeness = likeness_of(around(template.small, template.patches, PATCH), around(small, guess, side))
    reach = likeness.shape[1]
    best = likeness.reshape(len(guess), -1).argmax(axis=1)
    x, y = best % reach, best // reach
    number = np.arange(len(guess))
    fine = [
        _peak(likeness[number, y, np.maximum(0, x - 1)], likeness[number, y, np.minimum(reach - 1, x + 1)]),
        _peak(likeness[number, np.maximum(0, y - 1), x], likeness[number, np.minimum(reach - 1, y + 1), x]),
    ]
    top = likeness[number, y, x]
    moved = np.column_stack([at + each(top) for at, each in zip((x, y), fine, strict=True)]) - reach // 2
    return guess + moved, top


def _peak(before: np.ndarray, after: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Where the top of a parabola through three neighbours lies, -0.5 to 0.5 beside the middle one."""

    def place(top: np.ndarray) -> np.ndarray:
        bend = before + after - 2 * top
        return np.asarray(np.clip((before - after) / np.where(bend < -1e-6, 2 * bend, -np.inf), -0.5, 0.5))

    return place


def _coarse_shift(small: np.ndarray, template: TemplatePage) -> tuple[float, float]:
    overlap = fft.irfft2(spectrum_of(small) * np.conj(template.spectrum), COARSE)
    y, x = (int(each) for each in np.unravel_index(int(overlap.argmax()), overlap.shape))
    high, wide = COARSE
    return 2.0 * (x - wide if x > wide // 2 else x), 2.0 * (y - high if y > high // 2 else y)


def _turn(angle: float) -> np.ndarray:
    turn = np.deg2rad(angle)
    return np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])


def _undone(small: np.ndarray, shape: tuple[int, ...], linear: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The scan with a turn and scale about its middle taken away, and the matrix back to the scan's pixels."""
    middle = np.array(small.shape[::-1]) / 2
    back = np.vstack((np.column_stack((linear, middle - linear @ (np.array(shape[::-1]) / 2))), [0.0, 0.0, 1.0]))
    picture = Image.fromarray(small).transform(
        (shape[1], shape[0]),
        Image.Transform.AFFINE,
        back[:2].reshape(-1).tolist(),
        Image.Resampling.BILINEAR,
        fillcolor=255,
    )
    return np.asarray(picture), back

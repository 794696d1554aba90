"""Printed ruled or squared lines on a picture of paper, told from writing by their length, beat and colour."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from components.paper.bare import Pixels

Mask = NDArray[np.bool_]

_FAINTEST = 6.0
_LEAST_SPAN = 0.45
_FULL_SPAN = 0.85
_EDGE = 0.12
_COMB = 3
_COLOUR_ROOM = 14.0


@dataclass(frozen=True)
class _Line:
    """One long thin thing. `where` is the box of its pixels, `own` which of the box are its, `at` its place in pixels
    across its direction, `span` the share of the picture it runs along, `colour` its usual darkness by
    channel, `thick` its pixels from rim to rim."""

    where: tuple[slice, slice]
    own: Mask
    at: float
    span: float
    colour: NDArray[np.float32]
    thick: float


def ruling(darkness: Pixels, *, lone_lines: bool) -> Mask:
    """The pixels of printed lines across and down; those under ink of another colour or darker are not among them.

    `darkness` is how much darker than its paper each pixel is, 0–255: height × width × channels. Lines count where at
    least three lie at an even distance and run along nearly half of the picture or more. With `lone_lines` one that
    runs from side to side or along an edge counts too: a border, a margin or an answer line, but perhaps also a
    ruler's line in pen. Lines may lean by about four degrees and bend a little.
    """
    turned = np.ascontiguousarray(darkness.transpose(1, 0, 2))
    across, down = _printed(darkness, lone_lines), _printed(turned, lone_lines)
    rows, columns = _drawn(across, darkness.shape[:2]), _drawn(down, turned.shape[:2]).T
    found = np.zeros(darkness.shape[:2], dtype=bool)
    if not (across or down):
        return found
    grain, calm = _grain(darkness), ndimage.uniform_filter(darkness, (3, 3, 1))
    other = (calm.max(axis=2) > 2 * _FAINTEST + grain) & ~(rows | columns)
    for line in across:
        _add(found, line, calm, other, columns, grain)
    for line in down:
        _add(found.T, line, calm.transpose(1, 0, 2), other.T, rows.T, grain)
    return found


def _grain(darkness: Pixels) -> float:
    """How dark bare paper is at most in nearly all of its pixels once smoothed: by its noise and its texture."""
    dark = darkness.max(axis=2)
    middle = float(np.median(dark))
    return middle + 2.0 * float(np.median(np.abs(dark - middle)))


def _printed(darkness: Pixels, lone_lines: bool) -> list[_Line]:
    """The lines across the picture that are no writing."""
    height, width = darkness.shape[:2]
    if width < 40 or height < 8:
        return []
    lines = _long_things(darkness)
    even = _evenly_spaced([line.at for line in lines])
    lone = [lone_lines and (line.span >= _FULL_SPAN or _along_an_edge(line, height)) for line in lines]
    printed = [line for line, fits, alone in zip(lines, even, lone, strict=True) if fits or alone]
    if len(printed) < _COMB:
        return printed
    # One that is written on from end to end seems to have the colour of the ink; its neighbours know better.
    most = 1.25 * np.median([line.colour for line in printed], axis=0) + _FAINTEST
    return [replace(line, colour=np.minimum(line.colour, most).astype(np.float32)) for line in printed]


def _along_an_edge(line: _Line, height: int) -> bool:
    rows = line.where[0]
    return bool(rows.stop <= _EDGE * height or rows.start >= (1 - _EDGE) * height)


def _drawn(lines: list[_Line], shape: tuple[int, ...]) -> Mask:
    mask = np.zeros(shape, dtype=bool)
    for line in lines:
        mask[line.where] |= line.own
    return mask


def _add(found: Mask, line: _Line, calm: Pixels, other: Mask, crossing: Mask, grain: float) -> None:
    """Marks the line's pixels but for those that ink covers: darker than the line in some channel, with their rims, or
    part of a stroke of any colour that goes on above and below."""
    rows, columns = line.where
    reach = min(6, 2 + round(float(line.own.sum()) / line.own.shape[1]))
    top, bottom = max(0, rows.start - reach), min(calm.shape[0], rows.stop + reach)
    wide = (slice(top, bottom), columns)
    own = np.zeros((bottom - top, line.own.shape[1]), dtype=bool)
    own[rows.start - top : rows.stop - top] = line.own
    room = np.maximum(_COLOUR_ROOM + grain / 2, 0.35 * line.colour) + crossing[wide][..., None] * line.colour
    over = (calm[wide] > line.colour + room).any(axis=2)
    size = 2 * reach + 1
    # A filter's origin moves its window wholly to one side of the pixel.
    above = ndimage.maximum_filter1d(other[wide].astype(np.uint8), size, axis=0, origin=reach)
    below = ndimage.maximum_filter1d(other[wide].astype(np.uint8), size, axis=0, origin=-reach)
    ink = ndimage.binary_dilation(over, np.ones((1, 3), dtype=bool)) | ((above & below) > 0)
    found[wide] |= own & ~ink


def _long_things(darkness: Pixels) -> list[_Line]:
    height, width = darkness.shape[:2]
    dark = darkness.mean(axis=2)  # JPEG smears the colour of a line far beside it, but not its brightness
    smooth = ndimage.uniform_filter1d(dark, 9, axis=1)
    # A line is darker than what lies a little above and below it; a shaded field or a shadow is not.
    reach = max(4, height // 120)
    beside = np.minimum(ndimage.shift(smooth, (reach, 0), mode="nearest", order=0), np.roll(smooth, -reach, axis=0))
    ridge = smooth - np.maximum(beside, 0) > _FAINTEST
    thick = ndimage.maximum_filter1d(ridge.astype(np.float32), 3, axis=0)
    length = max(24, width // 12)
    full = ndimage.uniform_filter1d(thick, length, axis=1) > 0.8
    along = ndimage.maximum_filter1d(full.astype(np.uint8), length, axis=1) > 0
    body = along & (ndimage.maximum_filter1d(ridge.astype(np.uint8), 3, axis=0) > 0)
    joined: tuple[Any, int] = ndimage.label(ndimage.maximum_filter1d(body.astype(np.uint8), 9, axis=1), np.ones((3, 3)))
    labels, _ = joined
    lines = []
    for number, where in enumerate(ndimage.find_objects(labels), 1):
        span = (where[1].stop - where[1].start) / width
        if span < _LEAST_SPAN:
            continue
        own = labels[where] == number
        line = _line(darkness[where], where, own, span)
        if line is not None and line.thick <= max(9, height / 60):
            lines.append(line)
    return sorted(lines, key=lambda line: line.at)


def _line(darkness: Pixels, where: tuple[slice, slice], own: Mask, span: float) -> _Line | None:
    """The colour is that of the darkest pixel in each column, in the lighter part of columns: ink is on the others.

    None where hardly any pixel has that colour."""
    total = np.where(own, darkness.sum(axis=2), -1)
    peak_rows = total.argmax(axis=0)
    peaks = darkness[peak_rows, np.arange(own.shape[1])]
    peaks = peaks[total.max(axis=0) > _FAINTEST]
    if not len(peaks):
        peaks = darkness[own]
    strength = peaks.sum(axis=1)
    colour = np.median(peaks[strength <= np.quantile(strength, 0.4)], axis=0)
    # Writing that touches a line neither shifts nor thickens it.
    plain = own & (np.abs(darkness - colour).max(axis=2) < _COLOUR_ROOM + 0.35 * colour.max())
    rows, columns = np.nonzero(plain)
    if len(rows) < own.shape[1] / 4:
        return None
    slope = np.mean((columns - columns.mean()) * (rows - rows.mean())) / max(1.0, float(columns.var()))
    at = where[0].start + rows.mean() + slope * (own.shape[1] / 2 - columns.mean())
    thick = len(rows) / np.count_nonzero(plain.any(axis=0))
    return _Line(where, own, float(at), span, colour.astype(np.float32), thick)


def _evenly_spaced(places: list[float]) -> list[bool]:
    """Which of the lines, in order of place, lie in a comb of at least three with one distance."""
    if len(places) < _COMB:
        return [False] * len(places)
    gaps = [after - before for before, after in pairwise(places)]
    usual = float(np.median(gaps))
    even = [
        usual > 4 and abs(gap / usual - max(1, round(gap / usual))) * usual <= max(2.5, 0.15 * usual) for gap in gaps
    ]
    if sum(even) < _COMB - 1:
        return [False] * len(places)
    before = [False, *even]
    after = [*even, False]
    return [a or b for a, b in zip(before, after, strict=True)]

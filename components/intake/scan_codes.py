"""Codes on a page: those of an answer book, and a candidate's number on a separator page."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from components.intake.book_code import PageCode, is_page_code, read_page_code
from components.intake.page_regions import ScanFault

_WIDE, _HIGH = 0.28, 0.16  # a code stays in this share of the page at 5° of skew
_CORNERS = {"top right": (1, 0), "bottom left": (0, 1), "top left": (0, 0), "bottom right": (1, 1)}


@dataclass(frozen=True)
class FoundCode:
    """A code's text and its corners in pixels, from its own top left clockwise."""

    text: str
    corners: tuple[tuple[float, float], ...]

    @property
    def turn(self) -> int:
        """How far anticlockwise the page must be turned (0, 90, 180, 270) for this code to stand upright."""
        (x0, y0), (x1, y1) = self.corners[0], self.corners[1]
        return round(float(np.degrees(np.arctan2(y1 - y0, x1 - x0))) / 90) % 4 * 90


@dataclass(frozen=True)
class BookPageCodes:
    """What the codes of one page agree on, which of them were read, and which way up the page lies."""

    code: PageCode
    found: tuple[tuple[PageCode, FoundCode], ...]
    turn: int


def book_codes(grey: Image.Image) -> BookPageCodes | None:
    """The answer book's codes on the page; None where there are none.

    Raises ScanFault in words (without the page's name) for codes that contradict each other, are damaged, or are of
    another version.
    """
    fault: ScanFault | None = None
    read: list[tuple[PageCode, FoundCode]] = []
    for look in (_easy, _turned, _hard):
        for found in look(grey):
            if is_page_code(found.text):
                try:
                    read.append((read_page_code(found.text), found))
                except ScanFault as why:
                    fault = why
        if read:
            break
    if fault:
        raise fault
    if not read:
        return None
    first = read[0][0]
    for code, found in read[1:]:
        same = (code.exam_key, code.layout, code.candidate, code.page, code.pages) == (
            first.exam_key,
            first.layout,
            first.candidate,
            first.page,
            first.pages,
        )
        if not same or found.turn != read[0][1].turn:
            raise ScanFault(
                f"its codes contradict each other (candidate {first.candidate} page {first.page}, candidate "
                f"{code.candidate} page {code.page}): two sheets may lie over each other"
            )
    return BookPageCodes(first, tuple(read), read[0][1].turn)


def separator_codes(grey: Image.Image, ignore: Collection[str] = ()) -> list[str]:
    """The texts of the codes on the page, each once, without those to `ignore` (codes printed on the exam itself)."""
    small = grey.reduce(2) if max(grey.size) > 1200 else grey
    found = {code.text.strip() for code in _read(small, any_format=True, hard=True)}
    if not found and small is not grey and _busy(small):
        found = {code.text.strip() for code in _read(grey, any_format=True, hard=True)}
    return sorted(found - set(ignore) - {""})


def _busy(small: Image.Image) -> bool:
    """Whether a part of the page is half black in fine pieces, as a bar code is that was too fine to read."""
    tiles = np.asarray(small.reduce(16))
    return bool(((tiles > 60) & (tiles < 175)).sum() >= 3)


def _easy(grey: Image.Image) -> Iterator[FoundCode]:
    yield from _in_corner(grey, "top right")
    yield from _in_corner(grey, "bottom left")


def _turned(grey: Image.Image) -> Iterator[FoundCode]:
    yield from _in_corner(grey, "top left")
    yield from _in_corner(grey, "bottom right")


def _hard(grey: Image.Image) -> Iterator[FoundCode]:
    """Every way there is, for pages that were photographed from afar, smudged or blurred."""
    found = list(_read(grey, hard=True))
    if not found:
        for corner in _CORNERS:
            found += _in_corner(grey, corner, larger=True)
    yield from found


def _in_corner(grey: Image.Image, corner: str, *, larger: bool = False) -> Iterator[FoundCode]:
    right, bottom = _CORNERS[corner]
    wide, high = (_WIDE, _HIGH) if grey.height >= grey.width else (_HIGH, _WIDE)
    width, height = int(grey.width * wide), int(grey.height * high)
    left, top = (grey.width - width) * right, (grey.height - height) * bottom
    window = grey.crop((left, top, left + width, top + height))
    if larger:
        window = window.resize((width * 2, height * 2), Image.Resampling.BICUBIC)
    zoom = 2 if larger else 1
    for code in _read(window, hard=larger):
        yield FoundCode(code.text, tuple((left + x / zoom, top + y / zoom) for x, y in code.corners))


def _read(grey: Image.Image, *, any_format: bool = False, hard: bool = False) -> Iterator[FoundCode]:
    import zxingcpp  # noqa: PLC0415  # loaded only when pages are read

    kinds = zxingcpp.BarcodeFormat
    formats: Any = kinds.QRCode
    if any_format:
        formats = [kinds.QRCode, kinds.Code128, kinds.Code39, kinds.DataMatrix]
    codes = zxingcpp.read_barcodes(
        np.asarray(grey), formats=formats, try_rotate=hard, try_downscale=hard, try_invert=False
    )
    for code in codes:
        place = code.position
        corners = (place.top_left, place.top_right, place.bottom_right, place.bottom_left)
        yield FoundCode(code.text, tuple((float(point.x), float(point.y)) for point in corners))

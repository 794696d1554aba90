"""Simulated scans: tokens drawn into answers say, outside of all codes, whose answer to which question a cut shows."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pypdfium2
from PIL import Image, ImageDraw, ImageFilter
from scipy import ndimage

DPI = 150
_COLUMNS, _STEP, _DOT = 6, 13, 4  # dots in a row, and pixels
_SPECK = 12  # pixels that noise may darken side by side


def rendered(pdf: bytes) -> list[Image.Image]:
    """The pages of a PDF in grey at 150 dpi."""
    document = pypdfium2.PdfDocument(pdf)
    pages = [page.render(scale=DPI / 72).to_pil().convert("L") for page in document]
    document.close()
    return pages


def draw_token(page: Image.Image, value: int, x: float, y: float) -> None:
    """Dots about x, y (pixels): a full row, two rows of the value's 11 bits and a parity, a full row."""
    assert 0 <= value < 2**11
    bits = [value >> i & 1 for i in range(11)]
    rows = [[1] * _COLUMNS, bits[:6], [*bits[6:], sum(bits) % 2], [1] * _COLUMNS]
    draw = ImageDraw.Draw(page)
    for row, dots in enumerate(rows):
        for column, on in enumerate(dots):
            if on:
                at = (x + (column - (_COLUMNS - 1) / 2) * _STEP, y + (row - 1.5) * _STEP)
                draw.ellipse((at[0] - _DOT, at[1] - _DOT, at[0] + _DOT, at[1] + _DOT), fill=20)


def read_token(picture: bytes) -> int:
    """The value of the one token on the picture. Fails when there is none, or anything else as dark."""
    grey = np.asarray(Image.open(io.BytesIO(picture)).convert("L"))
    labels, count = ndimage.label(grey < 120)
    labels[np.isin(labels, np.flatnonzero(np.bincount(labels.reshape(-1)) < _SPECK))] = 0
    labels, count = ndimage.label(labels > 0)
    assert count >= 2 * _COLUMNS, f"{count} dots"
    spots = np.array(ndimage.center_of_mass(labels > 0, labels, range(1, count + 1)))
    low, high = spots.min(axis=0), spots.max(axis=0)
    rows = np.rint((spots[:, 0] - low[0]) / (high[0] - low[0]) * 3).astype(int)
    columns = np.rint((spots[:, 1] - low[1]) / (high[1] - low[1]) * (_COLUMNS - 1)).astype(int)
    grid = np.zeros((4, _COLUMNS), dtype=int)
    np.add.at(grid, (rows, columns), 1)
    assert grid.max() == 1
    assert grid[[0, 3]].all()
    bits = [*grid[1], *grid[2][:5]]
    assert sum(bits) % 2 == grid[2][5], "parity"
    return int(sum(int(bit) << i for i, bit in enumerate(bits)))


@dataclass(frozen=True)
class Wear:
    """What a scanner does to a page: degrees, pixels, a factor, levels of noise, pixels of blur."""

    angle: float = 0.0
    shift: tuple[float, float] = (0.0, 0.0)
    scale: float = 1.0
    noise: float = 0.0
    blur: float = 0.0
    upside_down: bool = False
    paper: int = 245
    ink: int = 15


def scanned(page: Image.Image, wear: Wear, seed: int = 0) -> Image.Image:
    """The page as a scanner gives it back, the same size."""
    turn = np.deg2rad(wear.angle)
    cos, sin = np.cos(turn) / wear.scale, np.sin(turn) / wear.scale
    x, y = page.width / 2, page.height / 2
    left, top = x + wear.shift[0], y + wear.shift[1]
    data = (cos, -sin, x - cos * left + sin * top, sin, cos, y - sin * left - cos * top)
    if wear.angle or wear.shift != (0.0, 0.0) or wear.scale != 1:
        how, sampling = Image.Transform.AFFINE, Image.Resampling.BILINEAR
        page = page.transform(page.size, how, data, sampling, fillcolor=255)
    if wear.blur:
        page = page.filter(ImageFilter.GaussianBlur(wear.blur))
    if wear.noise:
        levels = np.asarray(page, dtype=np.float32) * ((wear.paper - wear.ink) / 255) + wear.ink
        noise = np.random.default_rng(seed).standard_normal(levels.shape, dtype=np.float32) * wear.noise
        page = Image.fromarray((levels + noise).clip(0, 255).astype(np.uint8))
    return page.transpose(Image.Transpose.ROTATE_180) if wear.upside_down else page


def scan_pdf(pages: Sequence[Image.Image], quality: int = 80) -> bytes:
    """A PDF with one JPEG a page, as scanners make them."""
    first, *others = (page.copy() for page in pages)  # Pillow keeps what it was told at an earlier save
    out = io.BytesIO()
    first.save(out, "PDF", save_all=True, append_images=others, resolution=DPI, quality=quality)
    return out.getvalue()


def scan_tiff(pages: Sequence[Image.Image]) -> bytes:
    first, *others = (page.copy() for page in pages)
    out = io.BytesIO()
    first.save(out, "TIFF", save_all=True, append_images=others, compression="tiff_lzw", dpi=(DPI, DPI))
    return out.getvalue()

"""An answer on its sheet: words and drawing in a hand, on paper, as drawn on screen, photographed or scanned."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops

from components.intake.handwriting.drawings import Drawing, sketch
from components.intake.handwriting.hand import Hand
from components.intake.handwriting.paper import LINE, MARGIN, Paper, render
from components.intake.handwriting.strokes import Stroke
from components.intake.handwriting.writer import Written, write

WIDTH, LEAST_HEIGHT = 900, 414
LEFT = MARGIN + 14
ROOM = WIDTH - LEFT - 28


@dataclass(frozen=True)
class Sheet:
    """Strokes on paper, sizes in pixels."""

    strokes: tuple[Stroke, ...]
    paper: Paper
    width: int
    height: int

    def picture(self) -> Image.Image:
        return render(self.strokes, self.paper, self.width, self.height)


def sheet(
    text: str, drawing: Drawing | None, hand: Hand, paper: Paper, *, drawing_first: bool = True, seed: int = 0
) -> Sheet:
    """The answer set out down the sheet, which is as long as it needs. Raises KeyError as `write` does."""

    def words(top: float) -> Written:
        baseline = math.ceil(max(top, 2 * LINE) / LINE) * LINE - 3
        return write(text, hand, width=ROOM, left=LEFT, top=baseline, line=LINE, seed=seed)

    def figure(top: float) -> Written:
        assert drawing is not None
        return sketch(drawing, hand, left=LEFT, top=top, width=ROOM, seed=seed)

    if drawing is None:
        parts = [words(2 * LINE)]
    elif drawing_first:
        above = figure(LINE)
        parts = [above, words(above.bottom + 6)]
    else:
        above = words(2 * LINE)
        parts = [above, figure(above.bottom - LINE + 12)]
    height = max(LEAST_HEIGHT, math.ceil((parts[-1].bottom + 8) / LINE) * LINE)
    return Sheet(tuple(stroke for part in parts for stroke in part.strokes), paper, WIDTH, height)


def photographed(picture: Image.Image, seed: int) -> Image.Image:
    """The picture as a telephone sees it: a little turned and skewed, brighter on one side, soft."""
    draw = np.random.default_rng((seed, 1))
    width, height = picture.size
    turn, skew = draw.normal(0, 0.012), draw.normal(0, 0.008)
    across = (1.0, turn + skew, -turn * height / 2, -turn, 1.0, turn * width / 2)
    turned = picture.transform(picture.size, Image.Transform.AFFINE, across, Image.Resampling.BILINEAR, fillcolor=TABLE)
    x, y = np.linspace(-1, 1, 16)[None, :], np.linspace(-1, 1, 16)[:, None]
    light = 234 + 16 * x * draw.choice((-1, 1)) + 11 * y * draw.choice((-1, 1)) - 9 * (x**2 + y**2)
    shade = Image.fromarray(light.astype(np.uint8)).resize(picture.size, Image.Resampling.BILINEAR)
    return ImageChops.multiply(turned, shade.convert("RGB"))


TABLE = (196, 188, 176)  # what lies under a photographed sheet


def scanned(picture: Image.Image, seed: int) -> Image.Image:
    """The picture as a school's scanner sees it: grey, a little turned and shifted, with grain."""
    draw = np.random.default_rng((seed, 2))
    turn, shift = float(draw.normal(0, 0.5)), tuple(draw.integers(-4, 5, 2).tolist())
    turned = picture.convert("L").rotate(turn, Image.Resampling.BILINEAR, translate=shift, fillcolor=250)
    grain = Image.fromarray(_grain()).crop((seed % 16, seed % 32, seed % 16 + turned.width, seed % 32 + turned.height))
    return ImageChops.subtract(turned, grain)


@cache
def _grain() -> NDArray[np.uint8]:
    """What a scanner takes away from white, for a page at 150 dots per inch and some more."""
    draw = np.random.default_rng(3)
    return np.tile(draw.gamma(1.4, 2.2, (460, 320)).clip(0, 30).astype(np.uint8), (4, 4))


def jpeg(picture: Image.Image, quality: int = 82) -> bytes:
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=quality)
    return file.getvalue()


def png(picture: Image.Image) -> bytes:
    """A small PNG: paper and ink need few colours."""
    file = io.BytesIO()
    picture.quantize(32, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(file, "PNG", compress_level=6)
    return file.getvalue()

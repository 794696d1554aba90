"""What a picture's paper would look like with nothing on it, and how much darker what is on it is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

Pixels = NDArray[np.float32]

_STEP = 4
_WINDOW = 9
_BRIGHTER = _WINDOW * _WINDOW * 13 // 20  # above the median: dense writing covers more than half of its lines


def bare_paper(image: Image.Image) -> Image.Image:
    """The picture without what is written on it: light and shadow only. For strokes of up to about 16 pixels."""
    small = image.reduce((min(_STEP, image.width), min(_STEP, image.height)))
    bare = small.filter(ImageFilter.MaxFilter(3)).filter(ImageFilter.RankFilter(_WINDOW, _BRIGHTER))
    return bare.filter(ImageFilter.BoxBlur(1)).resize(image.size, Image.Resampling.BILINEAR)


def darkness(image: Image.Image, bare: Image.Image | None = None) -> Pixels:
    """How much darker than its bare paper each pixel is, as if the paper were white: 0–255, height × width × channels.

    `bare` is the picture's bare paper where that is known already.
    """
    paper = np.maximum(np.asarray(bare or bare_paper(image), dtype=np.float32), 16.0)
    seen = np.asarray(image, dtype=np.float32)
    dark: Pixels = np.clip(255.0 - seen * (255.0 / paper), 0.0, 255.0)
    return dark if dark.ndim == 3 else dark[..., None]

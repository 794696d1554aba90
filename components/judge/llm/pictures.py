"""A picture of an answer as it is sent to a model that sees: small enough, without metadata, on request unruled."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image, ImageOps

from components.judge.llm.prompt import PictureError
from components.paper.bare import bare_paper, darkness

_QUALITIES = (90, 80, 70, 55, 40)
_SMALLEST_SIDE = 200
"""Pixels. Nobody reads handwriting below this, model or person."""


def for_model(content: bytes, longest_side: int, most_bytes: int, *, without_ruling: bool = False) -> bytes:
    """The picture upright as PNG or JPEG, at most `longest_side` pixels long and `most_bytes` bytes large.

    A PNG stays one where it fits. `without_ruling` paints printed lines in the colour of the paper beside them. Raises
    PictureError for bytes that are no PNG or JPEG, and where the limits leave no readable picture.
    """
    image = _plain(content, longest_side)
    if without_ruling:
        image = _unruled(image)
    if content.startswith(b"\x89PNG"):
        data = _saved(image, "PNG", compress_level=6)
        if len(data) <= most_bytes:
            return data
    while True:
        for quality in _QUALITIES:
            data = _saved(image, "JPEG", quality=quality, optimize=True)
            if len(data) <= most_bytes:
                return data
        size = (max(1, image.width * 3 // 4), max(1, image.height * 3 // 4))
        if max(size) < _SMALLEST_SIDE:
            raise PictureError(
                f"A picture of this response cannot be made readable within the {most_bytes:,} bytes that "
                "this judge may send. Allow it more in the judge's settings."
            )
        image = image.resize(size, Image.Resampling.LANCZOS)


def _plain(content: bytes, longest_side: int) -> Image.Image:
    """Upright, mode L or RGB on white, no longer than the limit, nothing but pixels."""
    try:
        with Image.open(io.BytesIO(content), formats=["PNG", "JPEG"]) as opened:
            opened.draft(None, (longest_side, longest_side))
            image = ImageOps.exif_transpose(opened)
            if image.mode not in ("L", "RGB"):
                paper = Image.new("RGBA", image.size, "white")
                image = Image.alpha_composite(paper, image.convert("RGBA")).convert("RGB")
    except Exception as error:  # decoders raise errors of many kinds on bytes they do not expect
        raise PictureError("A picture of this response is broken, so it cannot be sent to a model.") from error
    longest = max(image.size)
    if longest > longest_side:
        size = (max(1, image.width * longest_side // longest), max(1, image.height * longest_side // longest))
        image = image.resize(size, Image.Resampling.LANCZOS, reducing_gap=2.0)
    image.info = {}
    return image


def _unruled(image: Image.Image) -> Image.Image:
    from components.paper.ruling import ruling  # noqa: PLC0415 — brings in scipy, which few runs need

    bare = bare_paper(image)
    printed = ruling(darkness(image, bare), lone_lines=False)
    clean = np.array(image)
    clean[printed] = np.asarray(bare)[printed]
    return Image.fromarray(clean)


def _saved(image: Image.Image, kind: str, **how: int) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **how)
    return out.getvalue()

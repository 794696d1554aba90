"""Any decoded picture into plain 8-bit grey or sRGB colours on white, and that into bytes that say nothing else."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image, ImageCms, ImageOps

LONGEST_SIDE = 3000
"""Pixels. An A4 page has 250 dots an inch then, which is more than small handwriting needs."""

JPEG_QUALITY = 88
SMALL_PNG = 1_000_000
"""Bytes up to which a picture without losses stays one, even where JPEG were smaller."""

_WHITE_IS_ZERO = 0
_PHOTOMETRIC = 262


def plain(image: Image.Image, longest_side: int = LONGEST_SIDE) -> Image.Image:
    """The picture upright, on white, in mode L or RGB (sRGB), its longest side at most `longest_side` pixels.

    Carries no metadata. Decodes the picture, so it raises whatever Pillow raises for a broken one.
    """
    image.load()
    profile = image.info.get("icc_profile")
    flat = _shrunk(_on_white(_upright(_positive(image))), longest_side)
    flat = _in_srgb(flat, profile)
    flat.info = {}
    return flat


def encoded(image: Image.Image, *, lossless: bool) -> tuple[bytes, str]:
    """Bytes and MIME type: JPEG, or PNG for a `lossless` source where that is the smaller one or small anyway."""
    image.info = {}
    if not lossless:
        return _jpeg(image), "image/jpeg"
    png = io.BytesIO()
    image.save(png, "PNG", compress_level=6)
    if png.tell() <= SMALL_PNG:
        return png.getvalue(), "image/png"
    jpeg = _jpeg(image)
    return (jpeg, "image/jpeg") if len(jpeg) < png.tell() else (png.getvalue(), "image/png")


def _jpeg(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "JPEG", quality=JPEG_QUALITY, optimize=True)
    return out.getvalue()


def _positive(image: Image.Image) -> Image.Image:
    """Pillow itself turns scans that count from white into positives, but not those of 16 bits."""
    if image.mode != "I;16" or getattr(image, "tag_v2", {}).get(_PHOTOMETRIC) != _WHITE_IS_ZERO:
        return image
    positive = Image.fromarray(np.uint16(65535) - np.asarray(image).astype(np.uint16))
    positive.info = image.info
    return positive


def _upright(image: Image.Image) -> Image.Image:
    try:
        return ImageOps.exif_transpose(image)
    except Exception:  # a camera's broken notes are no reason to refuse its picture
        return image


def _shrunk(image: Image.Image, longest_side: int) -> Image.Image:
    longest = max(image.size)
    if longest <= longest_side:
        return image
    size = (max(1, round(side * longest_side / longest)) for side in image.size)
    width, height = size
    return image.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=2.0)


def _on_white(image: Image.Image) -> Image.Image:
    """In mode L, RGB, CMYK or LAB: 8 bits a channel, nothing transparent."""
    if image.mode.startswith("I;16") or image.mode in ("I", "F"):
        return _eight_bit(image)
    if image.mode == "1":
        return image.convert("L")
    if image.mode in ("LA", "La", "PA", "RGBA", "RGBa") or "transparency" in image.info:
        return _composited(image)
    if image.mode in ("L", "RGB", "CMYK", "LAB"):
        return image.copy()
    return image.convert("RGB")


def _composited(image: Image.Image) -> Image.Image:
    grey = image.mode in ("LA", "La")
    clear = image.convert("LA" if grey else "RGBA")
    paper = Image.new("L" if grey else "RGB", clear.size, "white")
    paper.paste(clear.convert(paper.mode), mask=clear.getchannel("A"))
    return paper


def _eight_bit(image: Image.Image) -> Image.Image:
    values = np.nan_to_num(np.asarray(image).astype(np.float32), nan=0.0, posinf=0.0, neginf=0.0)
    top = float(values.max(initial=0.0))
    least_full = 1.0 if image.mode == "F" and top <= 1 else 255.0 if image.mode == "F" else 65535.0
    full = max(least_full, top)
    grey = np.clip(np.rint(values * (255.0 / full)), 0, 255).astype(np.uint8)
    return Image.fromarray(grey)


def _in_srgb(image: Image.Image, profile: bytes | None) -> Image.Image:
    """Colours as they were meant. Without a profile, or with a broken one, the usual meaning of the mode."""
    if image.mode == "LAB":
        return _converted(image, ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB"))) or image.getchannel("L")
    if profile:
        try:
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            known = ImageCms.getProfileDescription(source).startswith("sRGB")
        except (ImageCms.PyCMSError, OSError, TypeError, ValueError):
            known = True
            source = None
        if source is not None and not (known and image.mode == "RGB"):
            converted = _converted(image, source)
            if converted is not None:
                return converted.getchannel("R") if image.mode == "L" else converted
    return image.convert("RGB") if image.mode == "CMYK" else image


def _converted(image: Image.Image, source: ImageCms.ImageCmsProfile) -> Image.Image | None:
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))
    try:
        return ImageCms.profileToProfile(image, source, srgb, outputMode="RGB")
    except (ImageCms.PyCMSError, OSError, TypeError, ValueError):
        return None  # a profile for another kind of picture

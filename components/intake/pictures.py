"""Uploaded picture files into pages to be stored: upright, without metadata, PNG or JPEG; or refused in words."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass

from PIL import Image

from components.intake.errors import IntakeError
from components.intake.picture_colours import JPEG_QUALITY, LONGEST_SIDE, encoded, plain

__all__ = [
    "JPEG_QUALITY",
    "LONGEST_SIDE",
    "MOST_BYTES",
    "MOST_PAGES",
    "MOST_PIXELS",
    "MOST_PIXELS_IN_ALL",
    "OpenedPicture",
    "PictureFault",
    "decoded",
    "opened",
    "rotated",
]

MOST_BYTES = 40_000_000
MOST_PIXELS = 100_000_000
MOST_PAGES = 50
MOST_PIXELS_IN_ALL = 300_000_000

_SIGNATURES: tuple[tuple[tuple[bytes, ...], str], ...] = (
    ((b"\x89PNG\r\n\x1a\n",), "PNG"),
    ((b"\xff\xd8\xff",), "JPEG"),
    ((b"GIF87a", b"GIF89a"), "GIF"),
    ((b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"), "TIFF"),
)
_AVIF_BRANDS = {b"avif", b"avis"}
_HEIC_BRANDS = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"}
_LOSSLESS = {"PNG", "GIF", "TIFF"}
_SAVE_AS = "Save it as PNG or JPEG and upload that file."
_OTHERS: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "a ZIP or Office file. Upload the pictures in it one by one, or save the document as PDF."),
    (b"\xd0\xcf\x11\xe0", "an Office file. Save it as PDF and add that as a script."),
    (b"BM", f"a BMP picture, which is not read here. {_SAVE_AS}"),
    (b"8BPS", f"a Photoshop file. {_SAVE_AS}"),
    (b"\xff\x0a", f"a JPEG XL picture, which is not read here. {_SAVE_AS}"),
    (b"\x00\x00\x00\x0cJXL ", f"a JPEG XL picture, which is not read here. {_SAVE_AS}"),
    (b"\x00\x00\x00\x0cjP  ", f"a JPEG 2000 picture, which is not read here. {_SAVE_AS}"),
    (b"%!PS", f"a PostScript file. {_SAVE_AS}"),
)


class PictureFault(IntakeError):
    """A picture that cannot be used. The message names the file and says what to do; it is for a teacher to read."""


@dataclass(frozen=True)
class OpenedPicture:
    """One page: upright, without metadata, 8-bit grey or sRGB. `mime` is image/png or image/jpeg; sizes in pixels."""

    content: bytes
    mime: str
    width: int
    height: int


def opened(name: str, data: bytes) -> list[OpenedPicture]:
    """Every page of a picture file in order; of an animation the first frame. The same bytes for the same file.

    PNG, JPEG, WebP, AVIF, TIFF, HEIC and GIF, told apart by content and not by the name. Raises PictureFault, and
    nothing else, for any other file, a broken one, and one over MOST_BYTES, MOST_PIXELS a page, MOST_PAGES or
    MOST_PIXELS_IN_ALL. Sizes are read from the headers before anything is decoded.
    """
    kind = _kind(name, data)
    try:
        return [_page(image, kind) for image in _images(name, data, kind)]
    except PictureFault:
        raise
    except MemoryError as error:
        raise PictureFault(
            f"“{name}” needs more memory than this computer has free. Save it at a smaller size and upload that file."
        ) from error
    except Exception as error:  # decoders raise errors of many kinds on bytes they do not expect
        raise _broken(name, kind) from error


def decoded(content: bytes) -> Image.Image:
    """A stored picture (PNG or JPEG) for work on its pixels: mode L or RGB. Raises PictureFault if it is broken."""
    try:
        with Image.open(io.BytesIO(content), formats=["PNG", "JPEG"]) as image:
            return plain(image)
    except Exception as error:  # as in `opened`
        raise PictureFault("This stored picture cannot be read. Upload the file again.") from error


def rotated(content: bytes, quarter_turns: int) -> bytes:
    """A stored picture turned clockwise by quarter turns (negative: the other way); itself for a whole turn.

    A PNG stays a PNG and loses nothing; a JPEG keeps its quality settings. Raises PictureFault if it is broken.
    """
    turns = quarter_turns % 4
    if not turns:
        return content
    way = {1: Image.Transpose.ROTATE_270, 2: Image.Transpose.ROTATE_180, 3: Image.Transpose.ROTATE_90}[turns]
    out = io.BytesIO()
    try:
        with Image.open(io.BytesIO(content), formats=["PNG", "JPEG"]) as image:
            tables = getattr(image, "quantization", None)
            turned = plain(image, max(image.size)).transpose(way)
        if tables:
            turned.save(out, "JPEG", qtables=tables, optimize=True)
        else:
            turned.save(out, "PNG", compress_level=6)
    except Exception as error:  # as in `opened`
        raise PictureFault("This stored picture cannot be turned. Upload the file again.") from error
    return out.getvalue()


def _kind(name: str, data: bytes) -> str:
    if not data:
        raise PictureFault(f"“{name}” is empty. Upload the picture again.")
    if len(data) > MOST_BYTES:
        raise PictureFault(
            f"“{name}” has {len(data) / 1e6:.0f} MB; a picture may have {MOST_BYTES / 1e6:.0f} MB. "
            "Save it at a smaller size or a lower quality and upload that file."
        )
    kind = _by_signature(data)
    if kind:
        return kind
    raise PictureFault(f"“{name}” is {_what_else(data)}")


def _by_signature(data: bytes) -> str | None:
    for starts, kind in _SIGNATURES:
        if data.startswith(starts):
            return kind
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "WEBP"
    if data[4:8] != b"ftyp":
        return None
    size = min(int.from_bytes(data[:4], "big"), 256)
    brands = {data[8:12], *(data[at : at + 4] for at in range(16, size, 4))}
    if brands & _AVIF_BRANDS:
        return "AVIF"
    return "HEIC" if brands & _HEIC_BRANDS else None


def _what_else(data: bytes) -> str:
    """What a file is that is no picture we read, and what to do with it: the rest of a sentence."""
    head = data[:2048].lstrip(b"\xef\xbb\xbf \t\r\n")
    if b"%PDF-" in data[:1024]:
        return "a PDF. Add it as a script, where PDF pages are read, or save the page as PNG and upload that file."
    if b"<svg" in head.lower() and head.startswith(b"<"):
        return "an SVG drawing, which is not read here. Export it from your drawing program as PNG and upload that."
    if data[4:8] == b"ftyp":
        return "a video. Take a photograph of the page, or a screenshot, and upload that."
    for start, what in _OTHERS:
        if data.startswith(start):
            return what
    return "not a picture of a known kind. Upload a photograph, or PNG, JPEG, WebP, AVIF, TIFF, HEIC or GIF."


def _broken(name: str, kind: str) -> PictureFault:
    return PictureFault(
        f"“{name}” begins as a {kind} picture, but is broken or incomplete. "
        "Take the photograph or export the file again, and upload the new one."
    )


def _images(name: str, data: bytes, kind: str) -> Iterator[Image.Image]:
    """The pages undecoded, one at a time, once all their sizes are known to be within limits."""
    if kind == "HEIC":
        yield from _heic_images(name, data)
        return
    formats = ["JPEG", "MPO"] if kind == "JPEG" else [kind]
    try:
        with Image.open(io.BytesIO(data), formats=formats) as image:
            frames = _tiff_pages(name, image) if kind == "TIFF" else [0]
            if kind != "TIFF":
                _refuse_large(name, [image.size])
            for frame in frames:
                if frame:
                    image.seek(frame)
                yield image
    except Image.DecompressionBombError as error:
        raise _too_many_pixels(name) from error


def _heic_images(name: str, data: bytes) -> Iterator[Image.Image]:
    import pillow_heif  # noqa: PLC0415  # loads a video decoder, which only photographs of an iPhone need

    file = pillow_heif.open_heif(io.BytesIO(data), convert_hdr_to_8bit=True)
    pages = list(file)
    _refuse_large(name, [page.size for page in pages])
    if not pages:
        raise _broken(name, "HEIC")
    for page in pages:
        yield page.to_pillow()


def _tiff_pages(name: str, image: Image.Image) -> list[int]:
    """The frames that are pages: not the thumbnails and masks that some scanners put beside them."""
    subfile_type, thumbnail_or_mask = 254, 0b101
    pages, sizes = [], []
    frame = 0
    while True:
        try:
            image.seek(frame)
        except EOFError:
            break
        kind = getattr(image, "tag_v2", {}).get(subfile_type, 0)
        if not (isinstance(kind, int) and kind & thumbnail_or_mask):
            pages.append(frame)
            sizes.append(image.size)
        _refuse_large(name, sizes)
        frame += 1
        if frame > 4 * MOST_PAGES:
            raise _too_many_pages(name)
    if not pages:
        raise _broken(name, "TIFF")
    image.seek(pages[0])
    return pages


def _refuse_large(name: str, sizes: list[tuple[int, int]]) -> None:
    if any(width * height > MOST_PIXELS for width, height in sizes):
        raise _too_many_pixels(name)
    if len(sizes) > MOST_PAGES:
        raise _too_many_pages(name)
    if sum(width * height for width, height in sizes) > MOST_PIXELS_IN_ALL:
        raise PictureFault(
            f"The pages of “{name}” have over {MOST_PIXELS_IN_ALL // 1_000_000} megapixels together. "
            "Scan at 300 dots an inch or less, or upload it in parts."
        )


def _too_many_pixels(name: str) -> PictureFault:
    return PictureFault(
        f"“{name}” has over {MOST_PIXELS // 1_000_000} megapixels. Save it at a smaller size and upload that file; "
        "300 dots an inch are plenty for a page."
    )


def _too_many_pages(name: str) -> PictureFault:
    return PictureFault(f"“{name}” has more than {MOST_PAGES} pages. Upload it in parts.")


def _page(image: Image.Image, kind: str) -> OpenedPicture:
    if kind == "JPEG":
        longest = max(image.size)
        fitting = [max(1, side * LONGEST_SIDE // longest) for side in image.size]
        image.draft(None, (fitting[0], fitting[1]))  # decodes at a half or a quarter where that is enough
    flat = plain(image)
    content, mime = encoded(flat, lossless=kind in _LOSSLESS)
    return OpenedPicture(content, mime, flat.width, flat.height)

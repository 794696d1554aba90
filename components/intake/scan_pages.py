"""Pages of scanned files as pictures, one at a time: PDF by pypdfium2, TIFF and other pictures by Pillow."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageOps

from components.intake.page_regions import ScanFault

PDFIUM = threading.RLock()  # PDFium may not be called from two threads at once; every call in the app must hold this
MOST_PIXELS = 40_000_000  # A3 at 300 dpi has 17 million
_MOST_IMAGE_PIXELS = 160_000_000  # of all pictures inside one PDF page, before they are scaled down
MOST_PAGES_A_FILE = 5000
_IMAGE, _TEXT, _INVISIBLE = 3, 1, 3  # PDFium's numbers for object types and for the text a scanner lays under a scan


@dataclass(frozen=True)
class ScanFile:
    """A file as it came in; `content` is its bytes or where it lies."""

    name: str
    content: bytes | Path

    @property
    def is_pdf(self) -> bool:
        return self.head(1024).lstrip()[:5] == b"%PDF-" or self.name.lower().endswith(".pdf")

    def head(self, length: int) -> bytes:
        if isinstance(self.content, bytes):
            return self.content[:length]
        with self.content.open("rb") as file:
            return file.read(length)


@dataclass(frozen=True)
class TextSpan:
    """Printed words of a PDF page; the box is in fractions of the page from its top left."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    def is_like(self, other: TextSpan) -> bool:
        """Whether the other has the same words at the same place, to a hundredth of the page."""
        near = abs(self.left - other.left) < 0.01 and abs(self.top - other.top) < 0.01
        return near and self.text == other.text


@dataclass(frozen=True)
class ScanPage:
    """A page as a picture (mode RGB, RGBX or L), its grey version, and the printed text where the PDF has any."""

    file: str
    number: int
    pages: int
    image: Image.Image
    grey: Image.Image
    spans: tuple[TextSpan, ...] = ()

    def turned(self, degrees: int) -> ScanPage:
        """The page turned anticlockwise by 90, 180 or 270 degrees. Printed text is kept for upright pages only."""
        if not degrees:
            return self
        grey = turned(self.grey, degrees)
        image = grey if self.image is self.grey else turned(self.image, degrees)
        return ScanPage(self.file, self.number, self.pages, image, grey)

    def array(self) -> np.ndarray:
        return np.asarray(self.grey)

    def text_in(self, left: float, top: float, right: float, bottom: float) -> str:
        """The printed words whose middle lies in the box (fractions), line by line; "" for a scan."""
        inside = [
            span
            for span in self.spans
            if left <= (span.left + span.right) / 2 <= right and top <= (span.top + span.bottom) / 2 <= bottom
        ]
        return "\n".join(line for line in _lines(inside) if line)


def turned(picture: Image.Image, degrees: int) -> Image.Image:
    """The picture turned anticlockwise by 0, 90, 180 or 270 degrees, no pixel lost."""
    turns = {90: Image.Transpose.ROTATE_90, 180: Image.Transpose.ROTATE_180, 270: Image.Transpose.ROTATE_270}
    return picture.transpose(turns[degrees]) if degrees else picture


def page_count(file: ScanFile) -> int:
    """How many pages the file has. Raises ScanFault when it cannot be read."""
    if file.is_pdf:
        with PDFIUM, _open_pdf(file) as pdf:
            return len(pdf)
    with _open_picture(file) as picture:
        return _frames(file, picture)


def pages_of(
    file: ScanFile, dpi: int = 150, *, colour: bool = False, only: Sequence[int] | None = None
) -> Iterator[ScanPage]:
    """The file's pages, or `only` those with these numbers (from 1), one in memory at a time.

    Raises ScanFault naming the file when it has a password, is broken, has no pages, or a page is far too large.
    """
    yield from _pdf_pages(file, dpi, colour, only) if file.is_pdf else _picture_pages(file, dpi, colour, only)


@contextmanager
def _open_pdf(file: ScanFile) -> Iterator[Any]:
    import pypdfium2  # noqa: PLC0415  # a tenth of a second, and only for scans

    try:
        pdf = pypdfium2.PdfDocument(file.content)
        if pdf.get_formtype():
            pdf.init_forms()
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise ScanFault(f"“{file.name}” has a password. Save it without one and choose that file.") from error
        raise ScanFault(
            f"“{file.name}” is not a PDF that can be read; it may be damaged or cut off. Scan or download it again."
        ) from error
    try:
        if len(pdf) == 0:
            raise ScanFault(f"“{file.name}” has no pages. Scan it again.")
        if len(pdf) > MOST_PAGES_A_FILE:
            raise ScanFault(f"“{file.name}” has {len(pdf)} pages; {MOST_PAGES_A_FILE} are the most. Split the file.")
        yield pdf
    finally:
        pdf.close()


def _pdf_pages(file: ScanFile, dpi: int, colour: bool, only: Sequence[int] | None) -> Iterator[ScanPage]:
    with PDFIUM:
        opened = _open_pdf(file)
        pdf = opened.__enter__()
    try:
        count = len(pdf)
        for number in range(1, count + 1) if only is None else only:
            with PDFIUM:
                page = _render(file, pdf, number, count, dpi, colour)
            yield page
    finally:
        with PDFIUM:
            opened.__exit__(None, None, None)


def _render(file: ScanFile, pdf: Any, number: int, count: int, dpi: int, colour: bool) -> ScanPage:
    import pypdfium2  # noqa: PLC0415

    try:
        page = pdf[number - 1]
        try:
            width, height = page.get_size()
            pixels = width * height * (dpi / 72) ** 2
            drawn, scanned = _content(page)
            if pixels > MOST_PIXELS or drawn > _MOST_IMAGE_PIXELS or min(width, height) < 20:
                raise ScanFault(
                    f"“{file.name}” page {number} is {width / 28.35:.0f} × {height / 28.35:.0f} cm "
                    "or holds a picture of extreme size; that is no exam page. Scan it again on A4 or A3."
                )
            # Four bytes a pixel are quickest in both PDFium and Pillow; PDFium's own grey takes longer than colour.
            bitmap = page.render(scale=dpi / 72, prefer_bgrx=True, rev_byteorder=True)
            size = (bitmap.width, bitmap.height)
            drawn_page = Image.frombuffer("RGBX", size, bitmap.buffer, "raw", "RGBX", bitmap.stride, 1)
            grey = drawn_page.convert("L")
            image = drawn_page.copy() if colour else grey
            bitmap.close()  # drawn_page lies in its memory and ends here
            spans = () if scanned else _spans(page)
        finally:
            page.close()
    except pypdfium2.PdfiumError as error:
        raise ScanFault(f"“{file.name}” page {number} cannot be drawn; it is damaged. Scan that page again.") from error
    return ScanPage(file.name, number, count, image, grey, spans)


def _content(page: Any) -> tuple[int, bool]:
    """How many pixels the page's pictures have, and whether a picture fills the page: then its text is a guess of the
    scanner's, not print."""
    width, height = page.get_size()
    pixels, scanned = 0, False
    for item in page.get_objects(filter=(_IMAGE,), max_depth=3):
        columns, rows = item.get_px_size()
        pixels += columns * rows
        left, bottom, right, top = item.get_bounds()
        scanned = scanned or (right - left) * (top - bottom) > 0.7 * width * height
    return pixels, scanned


def _spans(page: Any) -> tuple[TextSpan, ...]:
    from pypdfium2 import raw  # noqa: PLC0415

    if any(raw.FPDFTextObj_GetTextRenderMode(each.raw) == _INVISIBLE for each in page.get_objects(filter=(_TEXT,))):
        return ()
    left, bottom, right, top = page.get_bbox()
    width, height, rotation = right - left, top - bottom, page.get_rotation()
    words = page.get_textpage()
    spans = []
    for index in range(words.count_rects()):
        box = words.get_rect(index)
        text = words.get_text_bounded(*box).strip()
        corners = [((x - left) / width, (top - y) / height) for x, y in (box[:2], box[2:])]
        xs, ys = zip(*(_rotated(*corner, rotation) for corner in corners), strict=True)
        if text:
            spans.append(TextSpan(text, min(xs), min(ys), max(xs), max(ys)))
    words.close()
    return tuple(spans)


def _rotated(x: float, y: float, rotation: int) -> tuple[float, float]:
    return {0: (x, y), 90: (1 - y, x), 180: (1 - x, 1 - y), 270: (y, 1 - x)}[rotation]


def _lines(spans: Sequence[TextSpan]) -> list[str]:
    lines: list[list[TextSpan]] = []
    for span in sorted(spans, key=lambda each: (each.top + each.bottom) / 2):
        middle = (span.top + span.bottom) / 2
        if lines and lines[-1][-1].top <= middle <= lines[-1][-1].bottom:
            lines[-1].append(span)
        else:
            lines.append([span])
    return [" ".join(each.text for each in sorted(line, key=lambda each: each.left)) for line in lines]


@contextmanager
def _open_picture(file: ScanFile) -> Iterator[Image.Image]:
    if file.name.lower().endswith((".heic", ".heif")):
        import pillow_heif  # noqa: PLC0415

        pillow_heif.register_heif_opener()
    try:
        picture = Image.open(BytesIO(file.content) if isinstance(file.content, bytes) else file.content)
    except Image.DecompressionBombError as error:
        raise ScanFault(f"“{file.name}” is a picture of extreme size. Scan it again on A4.") from error
    except Exception as error:  # Pillow raises whatever a damaged header brings up
        raise ScanFault(
            f"“{file.name}” is not a PDF or a picture that can be read. Scan or download it again."
        ) from error
    with picture:
        yield picture


def _frames(file: ScanFile, picture: Image.Image) -> int:
    if picture.format != "TIFF":
        return 1
    try:
        count = int(getattr(picture, "n_frames", 1))
    except Exception as error:
        raise ScanFault(f"“{file.name}” is damaged: its pages cannot be counted. Scan it again.") from error
    if count > MOST_PAGES_A_FILE:
        raise ScanFault(f"“{file.name}” has {count} pages; {MOST_PAGES_A_FILE} are the most. Split the file.")
    return count


def _picture_pages(file: ScanFile, dpi: int, colour: bool, only: Sequence[int] | None) -> Iterator[ScanPage]:
    with _open_picture(file) as picture:
        count = _frames(file, picture)
        longest = int(dpi * 297 / 25.4 * 1.35)
        for number in range(1, count + 1) if only is None else only:
            try:
                if count > 1:
                    picture.seek(number - 1)
                if picture.width * picture.height > 2 * MOST_PIXELS:
                    raise ScanFault(f"“{file.name}” page {number} is a picture of extreme size. Scan it again on A4.")
                picture.draft(None, (longest, longest))
                page = _flat(ImageOps.exif_transpose(picture), colour)
            except ScanFault:
                raise
            except Exception as error:
                raise ScanFault(f"“{file.name}” page {number} is damaged. Scan that page again.") from error
            if max(page.size) > longest:
                page.thumbnail((longest, longest), Image.Resampling.BOX, reducing_gap=2)
            yield ScanPage(file.name, number, count, page, page if page.mode == "L" else page.convert("L"))


def _flat(picture: Image.Image, colour: bool) -> Image.Image:
    """The picture in grey or RGB on white paper, whatever it was: 1 bit, palette, transparent, 16 bits, CMYK."""
    if picture.mode.startswith("I;16") or picture.mode in ("I", "F"):
        levels = np.asarray(picture, dtype=np.float32)
        top = 65535.0 if levels.max(initial=0) > 255 else 255.0
        picture = Image.fromarray((levels * (255 / top)).clip(0, 255).astype(np.uint8))
    if picture.has_transparency_data:
        picture = picture.convert("RGBA")
        picture = Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture)
    return picture.convert("RGB" if colour else "L")

"""Prints answer books: a PDF with a book per candidate whose pages say themselves whose they are."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np

from components.intake.book_code import LONGEST_CANDIDATE, End, PageCode, short_hash
from components.intake.book_layout import (
    CODE_CORNERS,
    CODE_SIZE,
    LEFT,
    MARK_CENTRES,
    MARK_SIZE,
    PAGE_HEIGHT,
    PAGE_WIDTH,
    RIGHT,
    TEXT_SIZE,
    BookPage,
    BookQuestion,
    book_layout,
    font_for,
    layout_hash,
    text_width,
)
from components.intake.page_regions import ScanFault
from components.intake.thumbnails import thumbnail

_RULE_GREY, _FRAME_GREY = 0.78, 0.55
_LONGEST_SIDE = 1600  # pixels of a printed picture: more than 200 an inch over the page's width
_ENDS: tuple[End, End] = ("T", "B")


@dataclass(frozen=True)
class AnswerBook:
    """What reading back needs: the exam's key and the pages as they were printed."""

    exam_key: str
    pages: tuple[BookPage, ...]

    @property
    def layout(self) -> str:
        return layout_hash(self.pages)


def answer_book(title: str, questions: Sequence[BookQuestion], exam_key: str = "") -> AnswerBook:
    """The book of these questions. Without an exam key (letters and digits that last as long as the exam) the title
    stands for the exam. Raises ScanFault when the questions cannot be laid out."""
    key = exam_key or short_hash(title.strip())
    if not (key.isascii() and key.isalnum() and len(key) <= 16):
        raise ScanFault(f"The exam's key “{key}” must be at most 16 letters and digits.")
    return AnswerBook(key, book_layout(questions))


def print_answer_books(
    title: str,
    questions: Sequence[BookQuestion],
    candidates: Sequence[str],
    *,
    exam_key: str = "",
    pictures: Mapping[str, bytes] = MappingProxyType({}),
) -> bytes:
    """A PDF (A4) with a book for each candidate, in the list's order. `pictures` are PNG or JPEG by name.

    Raises ScanFault without candidates, for one named twice, without a number or above 40 characters.
    """
    from reportlab.pdfgen.canvas import Canvas  # noqa: PLC0415  # a fifth of a second, and only for books

    book = answer_book(title, questions, exam_key)
    names = checked_candidates(candidates)
    layout = book.layout
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(PAGE_WIDTH, PAGE_HEIGHT), pageCompression=1, invariant=1)
    canvas.setTitle(title)
    for number, page in enumerate(book.pages, 1):
        canvas.beginForm(f"page{number}")
        _draw_frames(canvas, page)
        _draw_pictures(canvas, page, pictures)
        canvas.endForm()
    for candidate in names:
        for number in range(1, len(book.pages) + 1):
            _draw_header(canvas, title, candidate, number, len(book.pages))
            for end in _ENDS:
                code = PageCode(book.exam_key, layout, candidate, number, len(book.pages), end)
                draw_code(canvas, code.payload(), *CODE_CORNERS[end], CODE_SIZE)
            canvas.doForm(f"page{number}")
            canvas.showPage()
    canvas.save()
    return out.getvalue()


def print_separators(candidates: Sequence[str]) -> bytes:
    """A PDF with a page per candidate to lay before their script: the number, and a code with the number alone."""
    from reportlab.pdfgen.canvas import Canvas  # noqa: PLC0415

    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(PAGE_WIDTH, PAGE_HEIGHT), pageCompression=1, invariant=1)
    for candidate in checked_candidates(candidates):
        for x, y in ((RIGHT - 150, 60), (LEFT, PAGE_HEIGHT - 210)):
            draw_code(canvas, candidate, x, y, 150)
        _text(canvas, candidate, LEFT, PAGE_HEIGHT / 2, 40, bold=True)
        _text(canvas, "Separator page: lay it before this candidate's script.", LEFT, PAGE_HEIGHT / 2 + 30, 12)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def checked_candidates(candidates: Sequence[str]) -> list[str]:
    """The numbers without spaces around. Raises ScanFault for none, a blank, a long or a repeated one."""
    names = [candidate.strip() for candidate in candidates]
    if not names:
        raise ScanFault("There are no candidates. Add the class list first.")
    seen: set[str] = set()
    for row, name in enumerate(names, 1):
        if not name:
            raise ScanFault(f"Row {row} of the class list has no candidate number.")
        if len(name) > LONGEST_CANDIDATE or not name.isprintable():
            raise ScanFault(f"Row {row}: “{name[:20]}…” is too long or has a line break; 40 characters are the most.")
        if name in seen:
            raise ScanFault(f"Row {row}: candidate {name} stands twice in the class list. Give each their own number.")
        seen.add(name)
    return names


def draw_code(canvas: Any, text: str, x: float, y: float, size: float) -> None:
    """A QR code of the text, its top left corner at x, y from the page's top left."""
    modules = _modules(text)
    step = size / len(modules)
    path = canvas.beginPath()
    for row, cells in enumerate(modules):
        edges = np.flatnonzero(np.diff(np.concatenate(([0], cells, [0]))))
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            path.rect(x + start * step, PAGE_HEIGHT - y - (row + 1) * step, (end - start) * step, step)
    canvas.setFillGray(0)
    canvas.drawPath(path, stroke=0, fill=1)


@lru_cache(maxsize=4)
def _modules(text: str) -> np.ndarray:
    """The code's modules, 1 where black, without the quiet zone."""
    import zxingcpp  # noqa: PLC0415

    code = zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.QRCode, ec_level="M")
    return (np.asarray(code.to_image(scale=1, add_quiet_zones=False)) < 128).astype(np.int8)


def _draw_header(canvas: Any, title: str, candidate: str, page: int, pages: int) -> None:
    width = RIGHT - LEFT - CODE_SIZE - 16
    canvas.setFillGray(0)
    _text(canvas, title, LEFT, 40, 12, bold=True, width=width)
    _text(canvas, f"Candidate {candidate}", LEFT, 60, 14, bold=True, width=width)
    _text(canvas, f"Page {page} of {pages}", LEFT, 78, 10)
    note = "Write inside the frames. Keep the corner squares and both codes clean."
    _text(canvas, note, LEFT + CODE_SIZE + 16, PAGE_HEIGHT - 30, 8)


def _draw_frames(canvas: Any, page: BookPage) -> None:
    canvas.setFillGray(0)
    for x, y in MARK_CENTRES:
        canvas.rect(x - MARK_SIZE / 2, PAGE_HEIGHT - y - MARK_SIZE / 2, MARK_SIZE, MARK_SIZE, stroke=0, fill=1)
    for line in page.lines:
        size = 12.0 if line.heading else TEXT_SIZE
        _text(canvas, line.text, LEFT, line.y, size, bold=line.heading, width=RIGHT - LEFT - 70 * line.heading)
        if line.right:
            canvas.setFont("Helvetica", 10)
            canvas.drawRightString(RIGHT, PAGE_HEIGHT - line.y, line.right)
    for frame in page.frames:
        canvas.setStrokeGray(_RULE_GREY)
        canvas.setLineWidth(0.5)
        canvas.lines([(x0, PAGE_HEIGHT - y0, x1, PAGE_HEIGHT - y1) for x0, y0, x1, y1 in frame.rules()])
        canvas.setStrokeGray(_FRAME_GREY)
        canvas.setLineWidth(0.9)
        canvas.rect(frame.x, PAGE_HEIGHT - frame.y - frame.h, frame.w, frame.h, stroke=1, fill=0)


def _draw_pictures(canvas: Any, page: BookPage, pictures: Mapping[str, bytes]) -> None:
    from reportlab.lib.utils import ImageReader  # noqa: PLC0415

    for placed in page.pictures:
        small = thumbnail(pictures[placed.name], _LONGEST_SIDE)
        bottom = PAGE_HEIGHT - placed.y - placed.h
        canvas.drawImage(ImageReader(io.BytesIO(small)), placed.x, bottom, placed.w, placed.h)


def _text(canvas: Any, text: str, x: float, y: float, size: float, *, bold: bool = False, width: float = 0) -> None:
    """The text with its baseline at y from the page's top, set smaller where it would be wider than `width`."""
    natural = text_width(text, size, bold=bold)
    fits = max(5.0, min(size, size * width / natural)) if width and natural else size
    canvas.setFont(font_for(text, bold=bold), fits)
    canvas.drawString(x, PAGE_HEIGHT - y, text)

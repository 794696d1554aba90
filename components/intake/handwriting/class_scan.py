"""A scanned class as one PDF: for each candidate a separator page with their number's code, then their script."""

from __future__ import annotations

import io
import textwrap
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from PIL import Image, ImageDraw, ImageFont

from components.intake.handwriting.answer_sheet import Sheet, scanned
from components.intake.handwriting.paper import inked
from components.intake.handwriting.strokes import Stroke
from components.intake.page_regions import TemplateRegion

DPI = 150
PAGE = (1240, 1754)  # A4 at DPI, pixels
ALWAYS = time.struct_time((2026, 11, 30, 0, 0, 0, 0, 0, 0))  # when the scan says it was made
INK, FRAME = 30, 110  # greys of what is printed
INSET = 10  # pixels kept free inside a region's frame


@dataclass(frozen=True)
class Script:
    """A candidate's answers by question number; a question left out is left blank."""

    candidate: str
    answers: Mapping[str, Sheet]


@dataclass(frozen=True)
class PrintedPaper:
    """The paper that was written on: its title, where the answers stand, and what is asked there, by question."""

    title: str
    regions: tuple[TemplateRegion, ...]
    asked: tuple[tuple[str, str], ...] = ()

    @property
    def pages(self) -> int:
        return max(region.page for region in self.regions)


def class_scan(scripts: Sequence[Script], paper: PrintedPaper) -> bytes:
    """The PDF: a separator page and the paper's pages for each script, as a school's scanner gives them.

    Its pages are grey pictures of 150 dots per inch. The same scripts give the same bytes. Raises ValueError for none.
    """
    if not scripts:
        raise ValueError("There are no scripts to scan.")
    pages = (page for script in scripts for page in _pages(script, paper))
    return _pdf([scanned(page, seed) for seed, page in enumerate(pages)], f"{paper.title}: scanned scripts (synthetic)")


def template_pdf(paper: PrintedPaper) -> bytes:
    """The paper as it was printed, nobody's answers on it: what a scan of it is read by."""
    return _pdf([_printed(paper, number) for number in range(1, paper.pages + 1)], paper.title)


def _pdf(pages: Sequence[Image.Image], title: str) -> bytes:
    file = io.BytesIO()
    pages[0].save(
        file,
        "PDF",
        save_all=True,
        append_images=pages[1:],
        resolution=DPI,
        quality=60,
        title=title,
        creationDate=ALWAYS,
        modDate=ALWAYS,
    )
    return file.getvalue()


def _pages(script: Script, paper: PrintedPaper) -> list[Image.Image]:
    pages = [_separator(script.candidate)]
    for number in range(1, paper.pages + 1):
        strokes = [
            stroke
            for region in paper.regions
            if region.page == number and region.question in script.answers
            for stroke in _fitted(script.answers[region.question], region)
        ]
        pages.append(inked(_printed(paper, number).copy(), strokes))
    return pages


def _fitted(answer: Sheet, region: TemplateRegion) -> list[Stroke]:
    """The answer's strokes moved into the region, made smaller where it is too large for it."""
    left, top, right, bottom = _box(region)
    scale = min(1.1, (right - left - 2 * INSET) / answer.width, (bottom - top - 2 * INSET) / answer.height)
    corner = (left + INSET, top + INSET)
    return [Stroke(stroke.points * scale + corner, stroke.pen * scale, stroke.ink) for stroke in answer.strokes]


def _box(region: TemplateRegion) -> tuple[int, int, int, int]:
    width, height = PAGE
    left, top, right, bottom = region.corners()
    return round(left * width), round(top * height), round(right * width), round(bottom * height)


@cache
def _printed(paper: PrintedPaper, number: int) -> Image.Image:
    """A page of the paper: its title, and each question with a frame for the answer."""
    page = Image.new("L", PAGE, 255)
    draw = ImageDraw.Draw(page)
    draw.text((86, 60), paper.title, INK, ImageFont.load_default(26))
    draw.text((PAGE[0] - 220, 60), f"Page {number} of {paper.pages}", INK, ImageFont.load_default(22))
    draw.line((86, 100, PAGE[0] - 86, 100), INK, 2)
    asked = dict(paper.asked)
    for region in paper.regions:
        if region.page == number:
            left, top, right, bottom = _box(region)
            lines = textwrap.wrap(asked.get(region.question, ""), 92)
            draw.text(
                (left, top - 46 - 28 * len(lines)), f"Question {region.question}", INK, ImageFont.load_default(26)
            )
            for up, line in enumerate(reversed(lines), 1):
                draw.text((left, top - 10 - 28 * up), line, INK, ImageFont.load_default(21))
            draw.rectangle((left, top, right, bottom), outline=FRAME, width=2)
    return page


def _separator(candidate: str) -> Image.Image:
    """A page with the candidate's number as a code, and nothing else that a machine could read as one."""
    import zxingcpp  # noqa: PLC0415

    page = Image.new("L", PAGE, 255)
    code = Image.fromarray(zxingcpp.create_barcode(candidate, zxingcpp.BarcodeFormat.QRCode).to_image(scale=14))
    page.paste(code, ((PAGE[0] - code.width) // 2, 380))
    draw = ImageDraw.Draw(page)
    text = f"Candidate {candidate}"
    draw.text((PAGE[0] // 2, 900), text, INK, ImageFont.load_default(54), anchor="mm")
    return page

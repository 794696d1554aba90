"""Reads one page: whose it is, which page, and its answers cut out; or why a person must look at it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

import numpy as np

from components.intake.answer_book import AnswerBook
from components.intake.page_regions import ScanFault, TemplateRegion
from components.intake.scan_codes import BookPageCodes, book_codes
from components.intake.scan_cut import Print, cut_region, frame_print
from components.intake.scan_journal import CutRecord, PageRecord
from components.intake.scan_match import Match, match_page
from components.intake.scan_order import Order, Place, about_page, empty_page
from components.intake.scan_pages import ScanPage, TextSpan
from components.intake.scan_register import register_book
from components.intake.scan_template import TemplatePage
from components.intake.scan_types import Level, Settled

Save = Callable[[bytes], str]  # keeps a picture and gives the name it has in the folder


class Reader(Protocol):
    """Reads the pages of a scan in their order. `saw` hears of every record, those of an earlier session too."""

    def read(self, file: int, page: ScanPage, settled: Settled | None, save: Save) -> PageRecord: ...

    def saw(self, record: PageRecord) -> None: ...


class Region(NamedTuple):
    """A region with its part of the question, and what is printed in it."""

    part: int
    region: TemplateRegion
    printed: Print


@dataclass(frozen=True)
class BookReader:
    """Pages of answer books, in any order: the codes say whose they are."""

    book: AnswerBook

    def saw(self, record: PageRecord) -> None:
        """The order does not matter."""

    def read(self, file: int, page: ScanPage, settled: Settled | None, save: Save) -> PageRecord:
        about = about_page(page)
        try:
            if settled:
                page, codes = page.turned(settled.turn), None
                candidate, number = settled.candidate, settled.page
            else:
                codes = book_codes(page.grey)
                if codes is None:
                    return self._without_code(file, page)
                if wrong := self._wrong_book(codes):
                    whose = codes.code.candidate
                    return PageRecord(file, page.number, "wrong book", "error", f"{about}: {wrong}", whose)
                if codes.turn:
                    page = page.turned(codes.turn)
                    codes = book_codes(page.grey)
                    if codes is None or codes.turn:
                        raise ScanFault("it could not be turned upright")
                candidate, number = codes.code.candidate, codes.code.page
            if not 1 <= number <= len(self.book.pages):
                raise ScanFault(f"the book has no page {number}")
            matrix = register_book(page.grey, codes)
            frames = self.book.pages[number - 1].frames
            regions = [Region(f.part, f.region(number), frame_print(f)) for f in frames]
            cuts = _cut_all(page, matrix, regions, save)
        except ScanFault as fault:
            return PageRecord(file, page.number, "unreadable", "error", f"{about}: {fault}.", settled=settled)
        message = f"{about}: candidate {candidate}, page {number}."
        return PageRecord(file, page.number, "used", "ok", message, candidate, number, cuts, settled)

    def _without_code(self, file: int, page: ScanPage) -> PageRecord:
        if empty_page(page.grey):
            return PageRecord(file, page.number, "blank page", "ok", f"{about_page(page)}: nothing is on it.")
        return PageRecord(
            file,
            page.number,
            "unreadable",
            "error",
            f"{about_page(page)}: no code of an answer book could be read. Say whose page it is, or leave it out.",
        )

    def _wrong_book(self, codes: BookPageCodes) -> str:
        if codes.code.exam_key != self.book.exam_key:
            return "this page belongs to a book of another exam. Choose that exam, or leave the page out."
        if codes.code.layout != self.book.layout or codes.code.pages != len(self.book.pages):
            return (
                "this book was printed from other questions than the exam has now, so its answers may stand elsewhere. "
                "Give the exam the questions (and the room for answers) it had when the books were printed."
            )
        return ""


@dataclass
class TemplateReader:
    """Pages without codes: the order says whose they are, and the template page's print must agree."""

    template: Sequence[TemplatePage]
    regions: Sequence[TemplateRegion]
    order: Order
    spans: Sequence[Sequence[TextSpan]] = ()
    _like: dict[int, Match] = field(default_factory=dict)
    _ready: dict[int, list[Region]] = field(default_factory=dict)

    def saw(self, record: PageRecord) -> None:
        self.order.saw(record)

    def read(self, file: int, page: ScanPage, settled: Settled | None, save: Save) -> PageRecord:
        if not settled and (separator := self.order.separates(file, page)):
            return separator
        about = about_page(page)
        place = Place(settled.candidate, settled.page) if settled else self.order.place(file, page.number)
        if place.fault:
            return PageRecord(file, page.number, place.result, "error", f"{about}: {place.fault}", place.candidate)
        level: Level = "ok"
        message = f"{about}: candidate {place.candidate}, page {place.page}."
        try:
            if not 1 <= place.page <= len(self.template):
                raise ScanFault(f"the template has no page {place.page}")
            page, match = self._lined_up(page, self.template[place.page - 1], settled)
            if not match.lined_up:
                level = "warning"
                message += " There was too little print to line it up by: compare its cuts with care."
            page = self._without_the_papers_own_text(page, place.page)
            cuts = _cut_all(page, match.matrix, self._regions_of(place.page), save)
        except ScanFault as fault:
            words = f"{about}, expected to be candidate {place.candidate} page {place.page}: {fault}. "
            words += "Say whose page it is, or leave it out."
            return PageRecord(file, page.number, "unreadable", "error", words, place.candidate, settled=settled)
        return PageRecord(file, page.number, "used", level, message, place.candidate, place.page, cuts, settled)

    def _lined_up(self, page: ScanPage, template: TemplatePage, settled: Settled | None) -> tuple[ScanPage, Match]:
        try:
            match = match_page(page.grey, template, self._like.get(template.number))
        except ScanFault:
            if settled is None:
                raise
            page = page.turned(settled.turn)  # a person has seen it: cut where the regions should be
            return page, Match(0, np.diag([page.grey.width, page.grey.height, 1.0]), np.eye(2), lined_up=False)
        self._like[template.number] = match
        return page.turned(match.turn), match

    def _without_the_papers_own_text(self, page: ScanPage, number: int) -> ScanPage:
        own = self.spans[number - 1] if self.spans and page.spans else ()
        kept = tuple(span for span in page.spans if not any(span.is_like(other) for other in own))
        return page if len(kept) == len(page.spans) else replace(page, spans=kept)

    def _regions_of(self, number: int) -> list[Region]:
        """The regions on a template page; a question's parts are counted over all pages, in the order drawn."""
        if number not in self._ready:
            printed = self.template[number - 1].printed()
            parts: dict[str, int] = {}
            found = []
            for region in sorted(self.regions, key=lambda each: each.page):
                parts[region.question] = parts.get(region.question, 0) + 1
                if region.page == number:
                    found.append(Region(parts[region.question], region, printed))
            self._ready[number] = found
        return self._ready[number]


def _cut_all(page: ScanPage, matrix: np.ndarray, regions: Sequence[Region], save: Save) -> tuple[CutRecord, ...]:
    cuts = []
    for part, region, printed in regions:
        cut = cut_region(page, matrix, region, printed)
        text = page.text_in(*region.corners())
        name = save(cut.data)
        blank = cut.blank and not text
        cuts.append(CutRecord(region.question, part, name, cut.mime, cut.width, cut.height, blank, text))
    return tuple(cuts)

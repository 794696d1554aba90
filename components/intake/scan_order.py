"""What a page's place in the scan says about whose it is: a file each, fixed page numbers, or separator pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

import numpy as np
from PIL import Image

from components.intake.book_code import is_page_code
from components.intake.scan_codes import separator_codes
from components.intake.scan_cut import Print, written
from components.intake.scan_journal import PageRecord
from components.intake.scan_pages import ScanPage
from components.intake.scan_types import Result


class Place(NamedTuple):
    """Which candidate's which page a page should be by its position; or why that is not known."""

    candidate: str
    page: int
    fault: str = ""
    result: Result = "extra page"


class Order(Protocol):
    """What the position of a page says. `separates` is a record's for a page between scripts, or None."""

    def separates(self, file: int, page: ScanPage) -> PageRecord | None: ...

    def place(self, file: int, page: int) -> Place: ...

    def saw(self, record: PageRecord) -> None: ...


@dataclass
class ByFile:
    """One candidate a file or a folder: `owners` gives each file's candidate ("" where unknown, `why` says why) and a
    name for the script that its pages go on with."""

    owners: Sequence[tuple[str, str]]
    pages: int
    why: Sequence[str]
    _seen: Counter[str] = field(default_factory=Counter)

    def separates(self, file: int, page: ScanPage) -> PageRecord | None:
        return None

    def place(self, file: int, page: int) -> Place:
        candidate, script = self.owners[file]
        if not candidate:
            return Place("", 0, self.why[file], "unknown candidate")
        if self._seen[script] >= self.pages:
            return Place(candidate, 0, f"the template has {self.pages} pages, and this is one more. Leave it out?")
        return Place(candidate, self._seen[script] + 1)

    def saw(self, record: PageRecord) -> None:
        self._seen[self.owners[record.file][1]] += record.result != "left out"


@dataclass
class Fixed:
    """Every candidate of the list has the same number of pages, one script after the other."""

    candidates: Sequence[str]
    pages: int
    _seen: int = 0

    def separates(self, file: int, page: ScanPage) -> PageRecord | None:
        return None

    def place(self, file: int, page: int) -> Place:
        index, number = divmod(self._seen, self.pages)
        if index >= len(self.candidates):
            return Place("", 0, "there are more pages than candidates in the list.")
        return Place(self.candidates[index], number + 1)

    def saw(self, record: PageRecord) -> None:
        self._seen += record.result != "left out"


@dataclass
class Separated:
    """A separator lies before each script: a blank page (candidates in the list's order) or a code with the number."""

    kind: Literal["blank", "coded"]
    candidates: Sequence[str]
    pages: int
    ignore: frozenset[str] = frozenset()
    scripts: int = 0
    _candidate: str = ""
    _page: int = 0
    _after_separator: bool = True

    def separates(self, file: int, page: ScanPage) -> PageRecord | None:
        about = about_page(page)
        empty = empty_page(page.grey)
        if empty and (self.kind == "blank" or self._after_separator):
            return PageRecord(file, page.number, "separator", "ok", f"{about}: a blank page between scripts.")
        if self.kind == "blank" or empty:
            return None
        return self._coded(page, file, about)

    def _coded(self, page: ScanPage, file: int, about: str) -> PageRecord | None:
        codes = separator_codes(page.grey, self.ignore)
        if any(is_page_code(code) for code in codes):
            return PageRecord(
                file, page.number, "wrong book", "error", f"{about}: a page of an answer book. Read it as answer books."
            )
        if len(codes) > 1:
            return PageRecord(
                file, page.number, "unreadable", "error", f"{about}: several codes ({', '.join(codes)}). Which is it?"
            )
        if codes:
            known = codes[0] in self.candidates
            words = f"{about}: the separator of candidate {codes[0][:40]}"
            if known:
                return PageRecord(file, page.number, "separator", "ok", f"{words}.", codes[0])
            words += ", who is not in the class list. Add the candidate, or leave out this page and the script."
            return PageRecord(file, page.number, "unknown candidate", "error", words, codes[0][:40])
        return None

    def place(self, file: int, page: int) -> Place:
        if self.kind == "blank" and self._after_separator:
            if self.scripts >= len(self.candidates):
                return Place("", 0, f"the list has {len(self.candidates)} candidates, and this is one script more.")
            return Place(self.candidates[self.scripts], 1)
        if not self._candidate:
            return Place("", 0, "no separator was read before it, so its candidate is not known.", "unknown candidate")
        if self._page >= self.pages:
            words = f"candidate {self._candidate} has had {self.pages} pages already; is a separator missing before it?"
            return Place(self._candidate, 0, words)
        return Place(self._candidate, self._page + 1)

    def saw(self, record: PageRecord) -> None:
        if record.result == "left out":
            return
        if self.kind == "coded":
            if record.result in ("separator", "unknown candidate", "wrong book") and record.candidate:
                self._candidate = record.candidate if record.result == "separator" else ""
                self._page, self._after_separator = 0, True
                self.scripts += 1
            elif record.result != "separator":
                self._page, self._after_separator = self._page + 1, False
        elif record.result == "separator":
            self._after_separator = True
        else:
            if self._after_separator:
                self._candidate = self.candidates[self.scripts] if self.scripts < len(self.candidates) else ""
                self.scripts, self._page = self.scripts + 1, 0
            self._page, self._after_separator = self._page + 1, False


def empty_page(grey: Image.Image) -> bool:
    """Whether nothing is on the page but specks and the shadow of its edges."""
    width, height = grey.size
    inner = grey.crop((int(width * 0.04), int(height * 0.03), int(width * 0.96), int(height * 0.97)))
    return not written(inner, np.diag([inner.width, inner.height, 1.0]), Print())


def about_page(page: ScanPage) -> str:
    """The page's name in messages."""
    return f"“{page.file}” page {page.number}"

"""What the codes on an answer book say: whose page this is, of which exam, and printed from which questions."""

from __future__ import annotations

import base64
import hashlib
import zlib
from dataclasses import dataclass
from typing import Literal

from components.intake.page_regions import ScanFault

End = Literal["T", "B"]
_VERSION = "SM1"
LONGEST_CANDIDATE = 40
MOST_PAGES = 200


@dataclass(frozen=True)
class PageCode:
    """One code. `end` is T for the code at the top right, B for the one at the bottom left."""

    exam_key: str
    layout: str
    candidate: str
    page: int
    pages: int
    end: End

    def payload(self) -> str:
        """The text inside the code: version, exam, layout, page/pages, end, checksum, candidate."""
        body = (_VERSION, self.exam_key, self.layout, f"{self.page}/{self.pages}", self.end)
        return "|".join((*body, _checksum("|".join((*body, self.candidate))), self.candidate))


def is_page_code(text: str) -> bool:
    """Whether the text claims to be a code of an answer book, of this or another version."""
    return text.startswith("SM") and text.count("|") >= 2


def read_page_code(text: str) -> PageCode:
    """The code's meaning. Raises ScanFault in words for another version or a checksum that does not fit."""
    parts = text.split("|", 6)
    if parts[0] != _VERSION:
        raise ScanFault("its code is of another version of Second Marker; print the books again with this one")
    if len(parts) != 7 or _checksum("|".join((*parts[:5], parts[6]))) != parts[5]:
        raise ScanFault("its code is damaged or was made by hand: the checksum does not fit")
    _, exam_key, layout, pages, end, _, candidate = parts
    page, _, of = pages.partition("/")
    if end not in ("T", "B") or not page.isdecimal() or not of.isdecimal() or not 1 <= int(page) <= int(of):
        raise ScanFault("its code cannot be understood")
    return PageCode(exam_key, layout, candidate, int(page), int(of), "T" if end == "T" else "B")


def short_hash(text: str) -> str:
    """Eight letters and digits that stand for the text: the same on every machine and day."""
    return base64.b32encode(hashlib.sha256(text.encode()).digest())[:8].decode()


def _checksum(text: str) -> str:
    return base64.b32encode(zlib.crc32(text.encode()).to_bytes(4, "big")).decode().rstrip("=")

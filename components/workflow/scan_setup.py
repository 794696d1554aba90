"""How a scan is to be read: its files, the class list, the template's regions, and what a person has settled."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from components.intake.page_regions import TemplateRegion
from components.marking.scheme import Frozen

Way = Literal["books", "file", "fixed pages", "blank separators", "coded separators"]


class Kept(Frozen):
    """A file that came in: the name it had, and the name it has in the scan's folder."""

    name: str
    file: str


class Region(Frozen):
    """A question's place on the template: page from 1, the rest fractions of the page."""

    question: str
    page: int
    x: float
    y: float
    w: float
    h: float

    def template_region(self) -> TemplateRegion:
        return TemplateRegion(self.question, self.page, self.x, self.y, self.w, self.h)


class Ruling(Frozen):
    """What a person said about a page: whose and which it is; without a candidate it is left out."""

    file: str
    page: int
    candidate: str = ""
    book_page: int = 0
    turn: Literal[0, 90, 180, 270] = 0


class ScanSetup(Frozen):
    """How a scan is to be read. `looks_blank` is what a person said of single cuts, by their names."""

    way: Way
    files: tuple[Kept, ...]
    candidates: tuple[str, ...]
    book_id: int | None = None
    template: Kept | None = None
    regions: tuple[Region, ...] = ()
    colour: bool = False
    rulings: tuple[Ruling, ...] = ()
    accept_missing: tuple[str, ...] = ()
    looks_blank: dict[str, bool] = Field(default_factory=dict)

    def read_by(self) -> str:
        """Stands for everything that decides what reading gives."""
        return self.model_dump_json(exclude={"looks_blank"})

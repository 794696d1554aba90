"""What reading scans gives: cuts, a report that accounts for every page, and what a person may settle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from components.intake.page_regions import ScanFault

Level = Literal["ok", "warning", "error"]
Result = Literal[
    "used",
    "separator",
    "blank page",
    "left out",
    "unreadable",
    "wrong book",
    "duplicate page",
    "unknown candidate",
    "extra page",
    "missing page",
    "absent",
]


@dataclass(frozen=True)
class Settled:
    """What a person says about a page that could not be placed: whose it is and which page, or leave it out (blank)."""

    candidate: str = ""
    page: int = 0
    turn: int = 0

    @property
    def left_out(self) -> bool:
        return not self.candidate


Settlements = Mapping[tuple[str, int], Settled]  # by file name and page


@dataclass(frozen=True)
class Cut:
    """One region of one candidate. `part` counts from 1 where a question has several regions, in their order; `source`
    says in words where it stood. `blank`: nothing is written in it, to be offered as "no response". `text` is print."""

    candidate: str
    question: str
    part: int
    path: Path
    mime: str
    width: int
    height: int
    source: str
    blank: bool
    text: str = ""

    def picture(self) -> bytes:
        return self.path.read_bytes()


@dataclass(frozen=True)
class PageReport:
    """What became of a page. Page 0 is about the whole file, and a row without a file about a candidate."""

    file: str
    page: int
    level: Level
    result: Result
    message: str
    candidate: str = ""


@dataclass(frozen=True)
class Progress:
    """How far reading is: pages done, pages in all."""

    done: int
    total: int


@dataclass(frozen=True)
class ScanPlan:
    """Every page accounted for, and the cuts whose candidate and question are certain, to be looked at.

    Nothing may be stored while there are problems: `storable()` gives the cuts only when the plan is ok.
    """

    cuts: tuple[Cut, ...]
    report: tuple[PageReport, ...]

    @property
    def problems(self) -> tuple[PageReport, ...]:
        return tuple(row for row in self.report if row.level == "error")

    @property
    def warnings(self) -> tuple[PageReport, ...]:
        return tuple(row for row in self.report if row.level == "warning")

    @property
    def ok(self) -> bool:
        return not self.problems

    def storable(self) -> tuple[Cut, ...]:
        """The cuts, all of them. Raises ScanFault while a page or a candidate needs a person."""
        if not self.ok:
            raise ScanFault(
                f"{len(self.problems)} problem{'s' if len(self.problems) > 1 else ''} must be settled before anything "
                f"is stored. The first: {self.problems[0].message}"
            )
        return self.cuts

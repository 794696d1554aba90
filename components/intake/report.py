"""The row-by-row report of an import, on screen and as a file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from components.intake.planned import ImportPlan

Level = Literal["error", "warning", "ok"]
# What makes a spreadsheet take a cell for a formula: OWASP, "CSV Injection", with the full-width forms.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


@dataclass(frozen=True, slots=True)
class RowReport:
    """What was found in one row, by its number in the file. A row may have several of them."""

    row: int
    level: Level
    message: str


class Report:
    """Gathers errors and warnings while rows are checked."""

    def __init__(self) -> None:
        self.errors = 0
        self._found: dict[int, list[RowReport]] = {}

    def error(self, row: int, problem: str) -> None:
        self.errors += 1
        self._add(row, "error", problem)

    def whole(self, header_row: int, problem: str) -> None:
        """An error of the whole import, shown at the heading."""
        self.errors += 1
        self._found.setdefault(header_row, []).append(RowReport(header_row, "error", problem))

    def warning(self, row: int, problem: str) -> None:
        self._add(row, "warning", problem)

    def _add(self, row: int, level: Level, problem: str) -> None:
        entry = RowReport(row, level, f"Row {row}: {problem}")
        found = self._found.setdefault(row, [])
        if entry not in found:  # one row of a file may give several of the table
            found.append(entry)

    def entries(self, rows: Iterable[int]) -> tuple[RowReport, ...]:
        """Everything found, by row; a row of `rows` with nothing found is "ok"."""
        found = {row: [RowReport(row, "ok", "Nothing wrong.")] for row in rows} | self._found
        return tuple(entry for row in sorted(found) for entry in found[row])


def report_csv(plan: ImportPlan) -> bytes:
    """The report as a CSV file with a byte order mark, so that spreadsheets read it as UTF-8; formulas defused."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(["row", "result", "message"])
    writer.writerows([entry.row, entry.level, defused(entry.message)] for entry in plan.report)
    return out.getvalue().encode("utf-8-sig")


def defused(cell: str) -> str:
    """The cell with a ' before it where a spreadsheet would take it for a formula."""
    return f"'{cell}" if cell.lstrip(" ").startswith(_FORMULA_STARTS) else cell

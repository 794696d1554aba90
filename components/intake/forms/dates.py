"""Cells that look like a date where an answer or a mark should be: spreadsheets turn 1/2 into one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from components.intake.cells import looks_like_date
from components.intake.report import RowReport

_SHOWN = 10


def date_checks(what: str, cells: Iterable[tuple[int, str]]) -> list[RowReport]:
    """A warning for each cell, given with its row, that looks like a date. `what` names it in words."""
    return [
        RowReport(
            number,
            "warning",
            f"Row {number}: the {what}, “{cell.strip()}”, looks like a date, which spreadsheets make of 1/2 or 2/1. "
            "Compare it with what was written.",
        )
        for number, cell in cells
        if looks_like_date(cell)
    ]


def date_note(suspected: Sequence[RowReport]) -> list[str]:
    """The warnings in one sentence, or nothing."""
    if not suspected:
        return []
    rows = sorted({check.row for check in suspected})
    shown = ", ".join(map(str, rows[:_SHOWN])) + (f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else "")
    return [
        f"{len(suspected)} cell{'s look' if len(suspected) > 1 else ' looks'} like a date, which spreadsheets make of "
        f"1/2, in row{'s' if len(rows) > 1 else ''} {shown}. Compare with what was written: they came in as they stand."
    ]

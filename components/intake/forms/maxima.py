"""The maximum marks that a table does not say, filled in by question; and a plan with what was found before it."""

from __future__ import annotations

from collections.abc import Mapping as Dict
from collections.abc import Sequence
from dataclasses import replace

from components.intake.columns import Mapping
from components.intake.planned import ImportPlan
from components.intake.report import RowReport
from components.intake.tables import Table
from components.marking import format_mark

_HEADING = "max mark"


def with_maxima(table: Table, mapping: Mapping, maxima: Dict[str, float]) -> tuple[Table, Mapping]:
    """The table and its mapping with these maxima, by question number, wherever it says none."""
    if mapping.question is None or not maxima:
        return table, mapping
    asked = table.column(mapping.question)
    said = [""] * len(asked) if mapping.max_mark is None else table.column(mapping.max_mark)
    shown = {number: format_mark(maximum) for number, maximum in maxima.items()}
    filled = [
        cell if cell.strip() else shown.get(" ".join(number.split()), "")
        for cell, number in zip(said, asked, strict=True)
    ]
    if filled == said:
        return table, mapping
    heading = _HEADING
    while heading in table.columns:
        heading += " given"
    rows = tuple((*row, cell) for row, cell in zip(table.rows, filled, strict=True))
    return replace(table, columns=(*table.columns, heading), rows=rows), replace(mapping, max_mark=heading)


def with_checks(plan: ImportPlan, checks: Sequence[RowReport]) -> ImportPlan:
    """The plan with what was said of rows before it was made in its report."""
    said = {entry.row for entry in checks}
    report = [entry for entry in plan.report if entry.level != "ok" or entry.row not in said]
    return replace(plan, report=tuple(sorted([*checks, *report], key=lambda entry: entry.row)))

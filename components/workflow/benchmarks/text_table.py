"""A table in plain text, for a terminal."""

from __future__ import annotations

import unicodedata

from components.workflow.agreement.tables import Table, Value


def in_text(table: Table) -> str:
    """The table under its name, columns in line; columns that are empty throughout are left out."""
    kept = [place for place in range(len(table.columns)) if any(row[place] not in (None, "") for row in table.rows)]
    rows = [[table.columns[place] for place in kept]]
    rows += [[_cell(row[place]) for place in kept] for row in table.rows]
    widths = [max(_width(row[place]) for row in rows) for place in range(len(kept))]
    lines = ["  ".join(_padded(cell, widths[i], i > 0) for i, cell in enumerate(row)).rstrip() for row in rows]
    return "\n".join([table.name.capitalize(), *lines])


def _cell(value: Value) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _padded(cell: str, width: int, right: bool) -> str:
    space = " " * (width - _width(cell))
    return space + cell if right else cell + space


def _width(text: str) -> int:
    """How many columns of a terminal it takes: Chinese characters are two wide."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)

"""A table in plain text, for a terminal."""

from __future__ import annotations

import unicodedata

from components.workflow.agreement.tables import Table, Value

LONGEST = 48  # of a cell that stands in its column


def in_text(table: Table) -> str:
    """The table under its name, columns in line; empty ones are left out, sentences stand under their row."""
    kept = [place for place in range(len(table.columns)) if any(row[place] not in (None, "") for row in table.rows)]
    rows = [[_cell(row[place]) for place in kept] for row in table.rows]
    long = [i for i in range(len(kept)) if i and any(_width(row[i]) > LONGEST for row in rows)]
    short = [i for i in range(len(kept)) if i not in long]
    headed = [[table.columns[place] for place in kept], *rows]
    widths = {i: max(_width(row[i]) for row in headed) for i in short}
    lines = []
    for number, row in enumerate(headed):
        lines.append("  ".join(_padded(row[i], widths[i], i > 0) for i in short).rstrip())
        lines += [f"    {headed[0][i]}: {row[i]}" for i in long if number and row[i] not in ("", "-")]
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

"""The bytes of a file as a table, with the heading where the layouts of forms have theirs."""

from __future__ import annotations

from components.intake.columns import plain_heading
from components.intake.errors import IntakeError
from components.intake.forms.form_apps import TIMESTAMPS
from components.intake.forms.headings import is_part, is_role, question_heading
from components.intake.forms.json_rows import looks_like_json, read_json
from components.intake.forms.people import names_a_person
from components.intake.tables import RawRows, Table, read_rows, table_under

_LOOK_DOWN = 20
# Headings that only these programs write: then a question as long as a page may stand beside them.
_SIGNATURES = (
    frozenset({"start time", "completion time"}),
    frozenset({"name", "id", "submitted"}),
    frozenset({"sid", "email", "status"}),
    frozenset({"state", "started on"}),
    frozenset({"status", "started"}),
)


def read_any(name: str, content: bytes, sheet: str | None = None) -> Table:
    """The table in a CSV, TSV, XLSX, JSON or JSONL file. Raises IntakeError, naming the file and what to do."""
    if looks_like_json(name, content):
        return read_json(name, content)
    raw = read_rows(name, content, sheet)
    header = _header_index(raw.rows)
    if header is None:
        return table_under(name, raw)
    if header + 1 < len(raw.rows) and (joined := _two_rows(raw.rows[header], raw.rows[header + 1])):
        rows = [*raw.rows[:header], [], joined, *raw.rows[header + 2 :]]
        notes = [*raw.notes, f"The heading takes two rows, {header + 1} and {header + 2}, which were read together."]
        raw, header = RawRows(rows, notes, raw.sheets, raw.sheet, raw.sha256), header + 1
    if len({cell.strip() for cell in raw.rows[header]} - {""}) < 2:
        raise IntakeError(f"“{name}” is not a table: its heading names one column. Choose a file with several.")
    return table_under(name, raw, header)


def _header_index(rows: list[list[str]]) -> int | None:
    """The heading of a known program, or the first row of several cells that names a candidate or two questions."""
    first_of_several: int | None = None
    for index, row in enumerate(rows[:_LOOK_DOWN]):
        cells = [cell for cell in row if cell.strip()]
        if len(cells) < 2:
            continue
        short = [plain_heading(cell) for cell in cells if len(cell) <= 80]
        if any(signature.issubset(short) for signature in _SIGNATURES) or (short and short[0] in TIMESTAMPS):
            return index
        if first_of_several is None:
            first_of_several = index
    if first_of_several is None:
        return None
    cells = [cell for cell in rows[first_of_several] if cell.strip()]
    return first_of_several if names_a_person(cells[0]) else None


def _two_rows(upper: list[str], lower: list[str]) -> list[str] | None:
    """One heading of two rows, where the upper has a question over the cells “Answer” and “Mark”, or “a” and “b”.

    None where the second row is no part of the heading.
    """
    width = max(len(upper), len(lower))
    upper = [*upper, *[""] * (width - len(upper))]
    lower = [*lower, *[""] * (width - len(lower))]
    if not any(under.strip() and not top.strip() for top, under in zip(upper, lower, strict=True)):
        return None  # nothing stands beside a merged cell: a key of right answers a, b, c is no heading
    joined: list[str] = []
    over = ""
    parts = 0
    for top, under in zip(upper, lower, strict=True):
        over = top.strip() or over
        below = under.strip()
        if below and below != top.strip() and question_heading(over) and (is_role(below) or is_part(below)):
            parts += 1
            joined.append(f"{over} {below}" if is_role(below) else f"{over}({below.strip('()')})")
        elif top.strip() and (not below or below == top.strip()):
            joined.append(top.strip())
        elif not top.strip() and not below:
            joined.append("")
        else:
            return None
    return joined if parts >= 2 else None

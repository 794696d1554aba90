"""Tables as files that other programs open."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterable

from components.intake.report import defused
from components.workflow.agreement.tables import Table, Value

LONGEST_SHEET_NAME = 31
WIDEST_COLUMN = 60
ROWS_LOOKED_AT = 200
_MADE_AT = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*")
_MOMENT = (1980, 1, 1, 0, 0, 0)  # a file's own time would make two exports of the same figures differ


def csv_bytes(table: Table) -> bytes:
    """The table as CSV: UTF-8 with a mark at its start, which Excel needs to read it so. Text that a spreadsheet would
    take for a formula begins with an apostrophe."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([harmless(name) for name in table.columns])
    writer.writerows([harmless(cell) for cell in row] for row in table.rows)
    return text.getvalue().encode("utf-8-sig")


def csv_zip(tables: Iterable[Table]) -> bytes:
    """A ZIP with one CSV a table. The same tables always make the same bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for table in tables:
            entry = zipfile.ZipInfo(f"{table.name}.csv", _MOMENT)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, csv_bytes(table))
    return made.getvalue()


def workbook(tables: Iterable[Table]) -> bytes:
    """An XLSX workbook with a sheet a table. The same tables always make the same bytes."""
    import openpyxl  # noqa: PLC0415  # half a second, and only for workbooks
    from openpyxl.styles import Alignment, Font  # noqa: PLC0415
    from openpyxl.utils import get_column_letter  # noqa: PLC0415

    book = openpyxl.Workbook()
    book.remove(book.active)
    for table in tables:
        sheet = book.create_sheet(table.name[:LONGEST_SHEET_NAME])
        for row in (table.columns, *table.rows):
            sheet.append([_for_sheet(cell) for cell in row])
        for cell in sheet[1]:
            cell.font = Font(bold=True)
            cell.alignment = Alignment(wrap_text=True, vertical="top")
        sheet.freeze_panes = "B2"
        for position, width in enumerate(_widths(table), start=1):
            sheet.column_dimensions[get_column_letter(position)].width = width
    made = io.BytesIO()
    book.save(made)
    return _without_moments(made.getvalue())


def harmless(value: Value) -> Value:
    """The value; text that a spreadsheet would run as a formula with an apostrophe before it."""
    return defused(value) if isinstance(value, str) else value


def _for_sheet(value: Value) -> Value:
    """A cell that XLSX can hold: no control characters, which XML has no place for."""
    safe = harmless(value)
    return "".join(c for c in safe if c >= " " or c in "\t\n") if isinstance(safe, str) else safe


def _widths(table: Table) -> list[float]:
    looked_at = table.rows[:ROWS_LOOKED_AT]
    return [
        min(WIDEST_COLUMN, 2 + max(min(len(name), 14), *(len(str(row[i])) for row in looked_at), 6))
        if looked_at
        else min(WIDEST_COLUMN, 2 + len(name))
        for i, name in enumerate(table.columns)
    ]


def _without_moments(content: bytes) -> bytes:
    """The workbook without the time at which it was made."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            body = old.read(name)
            if name == "docProps/core.xml":
                body = _MADE_AT.sub(rb"\g<1>1980-01-01T00:00:00Z", body)
            entry = zipfile.ZipInfo(name, _MOMENT)
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, body)
    return made.getvalue()

"""A CSV, TSV or XLSX file as a table of text, with notes in words on what was recognised."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass

from components.intake.errors import IntakeError
from components.intake.text_file import read_text
from components.intake.workbook import read_workbook

LARGEST = 200 * 1024 * 1024
_OLE = b"\xd0\xcf\x11\xe0"
_OTHER_KINDS = {
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"{\\rtf": "a text document",
    b"<": "a web page or XML file",
    b"\x1f\x8b": "a compressed file",
    b"Rar!": "a compressed file",
    b"7z\xbc\xaf": "a compressed file",
}
_NUMBER = re.compile(r"[-+]?\d+([.,]\d+)?")
_LONGEST_HEADING = 200


@dataclass(frozen=True)
class Table:
    """A file's cells as text. Rows are as wide as `columns`; blank rows and what stands above the heading are left out.

    `row_numbers` are the rows' numbers in the file as a spreadsheet shows them (the heading is usually row 1). They
    repeat where one row of the file gave several, as a row a candidate gives one a question.
    `too_wide` and `too_narrow` hold the numbers of rows with more or fewer cells than headings: often an answer that
    holds a comma or a line break but no quotation marks. `sha256` is the file's.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    row_numbers: tuple[int, ...]
    header_row: int
    too_wide: frozenset[int]
    too_narrow: frozenset[int]
    notes: tuple[str, ...]
    sheets: tuple[str, ...]
    sheet: str | None
    sha256: str

    def column(self, name: str) -> list[str]:
        """A column's cells, top to bottom. Raises KeyError when there is no such column."""
        if name not in self.columns:
            raise KeyError(name)
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    def keys(self) -> tuple[int, ...]:
        """A number of each row that no other has: its number in the file, or its place where those repeat."""
        distinct = len(set(self.row_numbers)) == len(self.row_numbers)
        return self.row_numbers if distinct else tuple(range(1, len(self.rows) + 1))


@dataclass(frozen=True)
class RawRows:
    """A file's cells as text before a heading is chosen, blank rows and what stands above it included."""

    rows: list[list[str]]
    notes: list[str]
    sheets: tuple[str, ...]
    sheet: str | None
    sha256: str


def read_table(name: str, content: bytes, sheet: str | None = None) -> Table:
    """The table in a CSV, TSV or XLSX file, judged by its content rather than its name.

    `sheet` picks a sheet of a workbook; otherwise the first with anything in it. Raises IntakeError, naming the file
    and what to do, when there is no table to read.
    """
    return table_under(name, read_rows(name, content, sheet))


def read_rows(name: str, content: bytes, sheet: str | None = None) -> RawRows:
    """All rows of a CSV, TSV or XLSX file. Raises IntakeError as `read_table` does."""
    _refuse(name, content)
    sheets: tuple[str, ...] = ()
    read_sheet: str | None = None
    if content.startswith(b"PK"):
        rows, notes, sheets, read_sheet = read_workbook(name, content, sheet)
    else:
        rows, notes = read_text(name, content)
    return RawRows(rows, notes, sheets, read_sheet, hashlib.sha256(content).hexdigest())


def table_under(name: str, raw: RawRows, header: int | None = None) -> Table:
    """The table whose heading is the given one of the raw rows, from 0; otherwise the first that can be one.

    Raises IntakeError, naming the file, when none can be the heading or nothing stands under it.
    """
    if header is None:
        header = _header_index(name, raw.rows)
    notes = list(raw.notes)
    if any(any(row) for row in raw.rows[:header]):
        notes.append(f"The heading is row {header + 1}; what stands above it was left out.")
    columns = _columns(raw.rows[header], notes)
    body = {
        number: cells
        for number, cells in enumerate(raw.rows[header + 1 :], start=header + 2)
        if any(cell and not cell.isspace() for cell in cells)
    }
    if not body:
        raise IntakeError(f"“{name}” has a heading but no rows under it. Choose a file with one row a response.")
    too_wide, too_narrow = _misfits(body, len(columns), len(raw.rows[header]), text=not raw.sheets)
    return Table(
        name=name,
        columns=columns,
        rows=tuple(_fitted(cells, len(columns)) for cells in body.values()),
        row_numbers=tuple(body),
        header_row=header + 1,
        too_wide=too_wide,
        too_narrow=too_narrow,
        notes=tuple(notes),
        sheets=raw.sheets,
        sheet=raw.sheet,
        sha256=raw.sha256,
    )


def _refuse(name: str, content: bytes) -> None:
    if len(content) > LARGEST:
        raise IntakeError(f"“{name}” is larger than 200 MB. Split the table into smaller files.")
    if not content.strip(b"\0\t\r\n \xef\xbb\xbf"):
        raise IntakeError(f"“{name}” is empty. Choose another file.")
    if content.startswith(_OLE):
        if "EncryptedPackage".encode("utf-16-le") in content:
            raise IntakeError(f"“{name}” is protected by a password. Save a copy without one and choose that.")
        raise IntakeError(f"“{name}” is an old Excel file (.xls). Save it as XLSX or CSV UTF-8 and choose that.")
    for start, kind in _OTHER_KINDS.items():
        if content.lstrip(b"\xef\xbb\xbf \r\n").startswith(start):
            raise IntakeError(f"“{name}” is {kind}, not a table. Save the table as XLSX or CSV UTF-8 and choose that.")


def _header_index(name: str, raw: list[list[str]]) -> int:
    """The first row with two cells or more. Raises IntakeError when it cannot be a heading."""
    for index, row in enumerate(raw):
        cells = [cell.strip() for cell in row if cell.strip()]
        if len(cells) < 2:
            continue
        numbers = sum(_NUMBER.fullmatch(cell) is not None for cell in cells)
        if 2 * numbers > len(cells) or max(len(cell) for cell in cells) > _LONGEST_HEADING:
            raise IntakeError(
                f"“{name}” has no heading: row {index + 1} holds data. Put a first row above it that names each "
                "column, such as candidate, question, answer, max mark, mark."
            )
        return index
    raise IntakeError(f"“{name}” is not a table: no row has two cells. Choose a file with one row a response.")


def _columns(header: list[str], notes: list[str]) -> tuple[str, ...]:
    """Headings with blanks named by their letter and repeated ones numbered: mark, mark (2)."""
    names = [" ".join(cell.split()) for cell in header]
    while names and not names[-1]:
        names.pop()
    columns: list[str] = []
    for index, heading in enumerate(names):
        name = heading or f"column {_letters(index)}"
        copy = name
        number = 2
        while copy in columns:
            copy = f"{name} ({number})"
            number += 1
        columns.append(copy)
    repeated = [f"“{name}”" for name, count in Counter(names).items() if name and count > 1]
    if repeated:
        notes.append(f"More than one column is headed {', '.join(repeated)}; the later ones are numbered.")
    if "" in names:
        notes.append("A column without a heading is called by its letter.")
    return tuple(columns)


def _letters(index: int) -> str:
    """A column's letters in a spreadsheet: A, B … Z, AA."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _misfits(
    body: dict[int, list[str]], columns: int, header_width: int, *, text: bool
) -> tuple[frozenset[int], frozenset[int]]:
    """The rows that are too wide and too narrow. In text a blank cell counts: it may stand where a mark was shifted."""
    wide = {number for number, cells in body.items() if any(cell.strip() for cell in cells[columns:])}
    if not text:
        return frozenset(wide), frozenset()
    # Some programs end every row, but not the heading, with a delimiter.
    usual = max(header_width, min(len(cells) for cells in body.values()))
    wide |= {number for number, cells in body.items() if len(cells) > usual}
    return frozenset(wide), frozenset(number for number, cells in body.items() if len(cells) < columns)


def _fitted(cells: list[str], width: int) -> tuple[str, ...]:
    padded = [*cells[:width], *[""] * (width - len(cells))]
    return tuple(cell.replace("\r\n", "\n").replace("\r", "\n") for cell in padded)

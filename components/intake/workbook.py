"""XLSX workbooks into raw rows of text, each cell as the teacher sees it."""

from __future__ import annotations

import datetime
import io
import re
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from components.intake.errors import IntakeError

_LARGEST_UNPACKED = 500_000_000
_FORMULA_TAGS = (b"<f>", b"<f ", b"<x:f>", b"<x:f ")
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell ref="([A-Z]+)(\d+):[A-Z]+(\d+)"')
_OF_ONE = re.compile(
    r".*\b(?:marks?|scores?|points?|answers?|responses?|totals?)\b.*|q(?:u|uestion)?\s*\.?\s*\d.*|\d{1,2}(?:\s*[a-z(.].*)?"
    r"|.*(?:得分|分数|评分|作答|答案).*",
    re.IGNORECASE,
)
_OF_ALL = re.compile(r"max|out of|available|possible|scheme|guide|rubric|model answer|满分|标准|参考", re.IGNORECASE)
_DATES = {datetime.datetime, datetime.date, datetime.time}
_PADDED = re.compile(r"0{2,}")


def read_workbook(
    name: str, content: bytes, sheet: str | None
) -> tuple[list[list[str]], list[str], tuple[str, ...], str]:
    """Raw rows, notes, the names of all sheets, and the sheet that was read: the first with anything in it.

    Raises IntakeError when this is not a workbook, or has no such sheet.
    """
    _check_archive(name, content)
    try:
        with _open(content) as book:
            sheets = tuple(str(each.title) for each in book.worksheets)
            if sheet is not None and sheet not in sheets:
                raise IntakeError(f"“{name}” has no sheet “{sheet}”. It has: {', '.join(sheets)}.")
            for title in (sheet,) if sheet is not None else sheets:
                rows, notes = _read_sheet(book[title], content)
                if any(any(row) for row in rows):
                    break
            else:
                raise IntakeError(f"“{name}” is empty: no sheet has anything in it. Choose another file.")
    except IntakeError:
        raise
    except Exception as error:  # openpyxl raises whatever a damaged part brings up
        raise IntakeError(
            f"“{name}” could not be read as a workbook; it may be damaged. "
            "Open it in your spreadsheet program, save it as XLSX or CSV UTF-8, and try that file."
        ) from error
    if len(sheets) > 1:
        notes.insert(0, f"Sheet “{title}” was read, of {len(sheets)}: {', '.join(sheets)}.")
    return rows, notes, sheets, title


def _check_archive(name: str, content: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = set(archive.namelist())
            unpacked = sum(part.file_size for part in archive.infolist())
    except zipfile.BadZipFile as error:
        raise IntakeError(f"“{name}” is damaged: it was perhaps cut off in a download. Get the file again.") from error
    if "xl/workbook.xml" not in names:
        raise IntakeError(
            f"“{name}” is not an XLSX workbook. Save the table as XLSX or CSV UTF-8 and choose that file."
        )
    if unpacked > _LARGEST_UNPACKED:
        raise IntakeError(f"“{name}” unpacks to more than 500 MB. Split the table into smaller files.")


@contextmanager
def _open(content: bytes, *, values: bool = True) -> Iterator[Any]:
    import openpyxl  # noqa: PLC0415  # half a second, and only for workbooks

    with warnings.catch_warnings():  # openpyxl warns of charts and validations, which hold no responses
        warnings.simplefilter("ignore")
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=values)
        try:
            yield book
        finally:
            book.close()


def _read_sheet(sheet: Any, content: bytes) -> tuple[list[list[str]], list[str]]:
    notes: list[str] = []
    with sheet._get_source() as source:  # the read-only reader tells neither formulas nor merged cells
        xml = source.read()
    rows, dates = _cells(sheet)
    if dates:
        notes.append(
            f"{dates} cell{'s hold a date' if dates > 1 else ' holds a date'}: spreadsheets turn 1/2 into one."
        )
    if any(tag in xml for tag in _FORMULA_TAGS):
        unknown = _keep_uncalculated(rows, sheet.title, content)
        notes.append("Formula cells were read as the value they show.")
        if unknown:
            notes.append(
                f"{unknown} formula cell{'s have' if unknown > 1 else ' has'} no value and came in as written."
            )
    merged = [area for area in _MERGED.findall(xml, max(xml.rfind(b"</sheetData"), 0)) if area[1] != area[2]]
    given = [area for area in merged if _is_of_one(rows, *area[:2])]
    for area in merged:
        if area not in given:
            _fill_down(rows, *area)
    if len(given) < len(merged):
        notes.append("Merged cells: each row of a merged area was given its value.")
    if given:
        cells = ", ".join(f"{letters.decode()}{top.decode()}" for letters, top, _ in given[:5])
        more = " …" if len(given) > 5 else ""
        notes.append(
            f"Merged cells of marks or answers ({cells}{more}): the first row alone was given the value, as nobody can "
            "say that it is the others' too."
        )
    return rows, notes


def _cells(sheet: Any) -> tuple[list[list[str]], int]:
    """Every row as text, and how many cells are dates where the others of their column are none: a time of sending
    is a date in every row."""
    sheet.reset_dimensions()  # some programs write wrong ones, and the reader would cut the table there
    if any(_PADDED.fullmatch(each) for each in sheet.parent._number_formats):
        rows = [[_padded(cell) for cell in cells] for cells in sheet.iter_rows()]
    else:  # a third faster
        rows = [list(values) for values in sheet.iter_rows(values_only=True)]
    dates = Counter(place for row in rows for place, value in enumerate(row) if type(value) in _DATES)
    strange = 0
    for place, found in dates.items():
        filled = sum(len(row) > place and row[place] not in (None, "") for row in rows) - 1  # less the heading
        strange += found if 2 * found <= filled else 0
    return [[_shown(value) for value in row] for row in rows], strange


def _padded(cell: Any) -> object:
    """A cell's value, with leading zeros where its format shows them: 17 under 0000 is 0017."""
    value = cell.value
    if isinstance(value, int) and not isinstance(value, bool):
        zeros = _PADDED.fullmatch(cell.number_format)
        return str(value).zfill(len(zeros.group())) if zeros else value
    return value


def _shown(value: object) -> str:
    """A cell's value as it is written in the sheet: 3, not 3.0."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value.replace("_x000D_", "") if "_x000D_" in value else value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else f"{value:.15g}"  # 15 digits are all a spreadsheet keeps
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    return str(value)


def _keep_uncalculated(rows: list[list[str]], title: str, content: bytes) -> int:
    """Put the formula's text where the workbook was saved without its value; how many of them there are."""
    count = 0
    with _open(content, values=False) as book:
        sheet = book[title]
        sheet.reset_dimensions()
        for row, cells in zip(rows, sheet.iter_rows(), strict=True):
            for place, cell in enumerate(cells):
                if cell.data_type == "f" and not row[place]:
                    row[place] = str(getattr(cell.value, "text", cell.value))
                    count += 1
    return count


def _is_of_one(rows: list[list[str]], letters: bytes, top: bytes) -> bool:
    """Whether a merged area stands under a heading of marks or answers, which are of one candidate and question."""
    column = _column_index(letters)
    above = (row[column] for row in rows[: int(top) - 1] if len(row) > column and row[column].strip())
    heading = " ".join(next(above, "").replace("_", " ").split())
    return _OF_ONE.fullmatch(heading) is not None and _OF_ALL.search(heading) is None


def _fill_down(rows: list[list[str]], letters: bytes, top: bytes, bottom: bytes) -> None:
    """Give each row of a merged area the value of its first. Not sideways: a title over the table stays one cell."""
    column, first = _column_index(letters), int(top) - 1
    if first >= len(rows) or column >= len(rows[first]):
        return
    for row in rows[first + 1 : int(bottom)]:
        if any(row):  # a blank row stays blank
            row.extend([""] * (column + 1 - len(row)))
            row[column] = rows[first][column]


def _column_index(letters: bytes) -> int:
    index = 0
    for letter in letters:
        index = index * 26 + letter - 64
    return index - 1

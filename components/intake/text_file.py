"""Delimited text into raw rows: which encoding, which delimiter, and quoted cells."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections import Counter
from itertools import islice

from components.intake.errors import IntakeError

# Most likely first. Kept short: among dozens of one-byte code pages a short file fits several equally well.
_GUESSES = ["cp1252", "gb18030", "big5", "mac_roman"]
_ENCODING_NAMES = {
    "utf-8-sig": "UTF-8",
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "cp1252": "Windows-1252 (Western European)",
    "gb18030": "GB 18030 (simplified Chinese)",
    "big5": "Big5 (traditional Chinese)",
    "mac_roman": "Mac Roman",
}
_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_SAMPLE = 64 * 1024
_SNIFFED_ROWS = 200


def read_text(name: str, content: bytes) -> tuple[list[list[str]], list[str]]:
    """The raw rows of a delimited text file, blank lines as [], and notes on what was recognised.

    Raises IntakeError for bytes that are no text, one column only, or quotation marks that do not pair up.
    """
    text, notes = _decode(name, content)
    nuls = text.count("\0")
    if nuls:
        text = text.replace("\0", "")
        notes.append(f"{nuls} NUL character{'s' if nuls > 1 else ''} left out of the text.")
    _refuse_binary(name, text)
    delimiter, text = _delimiter(name, text)
    notes.append(f"Columns separated by {_DELIMITERS[delimiter]}.")
    return _rows(name, text, delimiter, notes), notes


def _decode(name: str, content: bytes) -> tuple[str, list[str]]:
    for encoding in _encodings(content):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        note = f"Text read as {_ENCODING_NAMES[encoding]}."
        if encoding in _GUESSES:
            note += " The file does not say so: check accents and symbols in the preview."
        return text, [note]
    raise IntakeError(
        f"“{name}” is in a text encoding that was not recognised. "
        "Open it in your spreadsheet program, save it as “CSV UTF-8” or XLSX, and try that file."
    )


def _encodings(content: bytes) -> list[str]:
    """What to try in turn; Unicode first, since text in another encoding is hardly ever valid UTF-8."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return ["utf-16"]
    head = content[:4096]
    for encoding, nuls in (("utf-16-le", head[1::2].count(0)), ("utf-16-be", head[0::2].count(0))):
        if nuls > len(head) / 5:
            return [encoding]
    utf8 = "utf-8-sig" if content.startswith(b"\xef\xbb\xbf") else "utf-8"
    try:
        content.decode(utf8)
        return [utf8]
    except UnicodeDecodeError:
        return _guesses(content)


def _guesses(content: bytes) -> list[str]:
    from charset_normalizer import from_bytes  # noqa: PLC0415  # only for files that are not UTF-8

    lines = content.splitlines(keepends=True)
    telling: list[bytes] = []
    size = 0
    for line in lines:
        if not line.isascii():
            telling.append(line)
            size += len(line)
        if size > _SAMPLE:
            break
    found = [match.encoding for match in from_bytes(b"".join(telling), cp_isolation=_GUESSES)]
    return found + [encoding for encoding in _GUESSES if encoding not in found]


def _refuse_binary(name: str, text: str) -> None:
    head = text[:10_000]
    controls = sum(unicodedata.category(char) == "Cc" and not char.isspace() for char in head)
    if controls > len(head) / 50:
        raise IntakeError(
            f"“{name}” is not a table of text. Choose a CSV file or an XLSX workbook with one row a response."
        )


def _delimiter(name: str, text: str) -> tuple[str, str]:
    """The delimiter, and the text without Excel's own `sep=` line where it has one."""
    first, _, rest = text.partition("\n")
    if first.strip().lower() in {f"sep={delimiter}" for delimiter in _DELIMITERS} | {"sep="}:
        return (first.strip("\r")[4:5] or "\t"), rest
    fits = {delimiter: _fit(text[:_SAMPLE], delimiter) for delimiter in _DELIMITERS}
    best = max(fits, key=lambda delimiter: fits[delimiter])
    if fits[best][2] < 2:
        raise IntakeError(
            f"“{name}” has one column only. A table needs commas, semicolons or tabs between its columns, "
            "and at least a candidate, a question and an answer in each row."
        )
    return best, text


def _fit(sample: str, delimiter: str) -> tuple[bool, int, int, float]:
    """How well a delimiter explains the sample: most rows alike, an early heading, its columns, share of rows alike."""
    try:
        rows = list(islice(csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter), _SNIFFED_ROWS))
    except csv.Error:
        return False, 0, 0, 0.0
    widths = [len(row) for row in (rows[:-1] if len(rows) > 2 else rows) if row]
    header = next((place for place, width in enumerate(widths) if width > 1), None)
    if header is None:
        return False, 0, 0, 0.0
    alike = Counter(widths[header:])[widths[header]] / len(widths[header:])
    return alike >= 0.8, -header, widths[header], alike


def _rows(name: str, text: str, delimiter: str, notes: list[str]) -> list[list[str]]:
    rows: list[list[str]] = []
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True):
            rows.append(row)
    except csv.Error as error:
        if delimiter == "\t" and '"' in text:
            notes.append("Quotation marks were read as ordinary characters, as they do not pair up.")
            lines = io.StringIO(text, newline="")
            return list(csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE))
        raise IntakeError(
            f"“{name}”, row {len(rows) + 1}: the quotation marks in a cell do not pair up, or a cell is over "
            f"{csv.field_size_limit():,} characters long. Open the file in your spreadsheet program, correct that row "
            "and save it again; it then doubles quotation marks inside a cell by itself."
        ) from error
    return rows

"""Lines of a PDF's text in reading order, and the cells of a row that stands under a table's headings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from components.intake.errors import IntakeError
from components.intake.mark_scheme.draft import SourceLine
from components.intake.mark_scheme.table_rows import roles_of
from components.intake.mark_scheme.wording import CODE

_MOST_PAGES = 200
_GAP = 12  # points between the words of two columns, at the least
_MARK = re.compile(r"^[(\[]\s*\d{1,2}\s*(?:marks?)?\s*[)\]]$")
_CHINESE = "\u2e80"  # the letters from here on are Chinese


# What opens a line of its own, however full the line above is.
_OPENS = re.compile(
    rf"^(?:[•◦●○▪▸‣·*■□◆➢►❖\uf0a7\uf0b7①-⑳–-]\s?\S|\(?(?:\d{{1,2}}|[a-z]|[ivx]+)[.)]|{CODE}\b|[\[(]|Question\b|Q\d|第\d|Level\b|Accept\b|Allow\b|Reject\b"
    r"|Ignore\b|Do not\b|NOT\b|AO\d)",
    re.I,
)


@dataclass(frozen=True)
class _Piece:
    """A run of words and where it stands, in points from the page's left and bottom."""

    left: float
    right: float
    bottom: float
    top: float
    text: str

    def wraps_into(self, after: _Piece, limit: float) -> bool:
        """Whether the line ended only because the first word of the next had no room before `limit`."""
        letter = (after.right - after.left) / max(len(after.text), 1)
        # Chinese breaks anywhere: its first word is one letter.
        word = 1 if after.text[0] > _CHINESE else len(after.text.split()[0])
        return self.right + letter * (word + 1) > limit and (
            _MARK.match(after.text) is not None or not _OPENS.match(after.text)
        )


@dataclass(frozen=True)
class _Row:
    """Pieces side by side, left to right, on a page whose text ends at `limit`."""

    pieces: list[_Piece]
    limit: float = 0.0


def pdf_lines(file_name: str, content: bytes) -> tuple[SourceLine, ...]:
    """The text's lines; rows of a table with their cells. Raises IntakeError for a spoilt or protected file."""
    import pypdfium2  # noqa: PLC0415  # slow to import, and only for PDFs

    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        reason = "is protected by a password" if "password" in str(error).lower() else "is not a PDF that can be read"
        raise IntakeError(f"“{file_name}” {reason}. Save it again without one, or paste its text.") from error
    try:
        if len(document) > _MOST_PAGES:
            raise IntakeError(f"“{file_name}” has {len(document)} pages; {_MOST_PAGES} are the most. Split it.")
        rows = [row for place in range(len(document)) for row in [*_page_rows(document[place]), _Row([])]]
    except pypdfium2.PdfiumError as error:
        raise IntakeError(f"A page of “{file_name}” cannot be read. Save it again, or paste its text.") from error
    finally:
        document.close()
    return tuple(SourceLine(number, text, cells) for number, (text, cells) in enumerate(_lines(rows), 1))


def _page_rows(page: Any) -> list[_Row]:
    """The page's pieces by rows from top to bottom."""
    words = page.get_textpage()
    pieces = []
    for place in range(words.count_rects()):
        left, bottom, right, top = words.get_rect(place)
        text = " ".join(words.get_text_bounded(left, bottom, right, top).split())
        if text:
            pieces.append(_Piece(left, right, bottom, top, text))
    rows: list[list[_Piece]] = []
    for piece in sorted(pieces, key=lambda piece: -(piece.top + piece.bottom) / 2):
        middle = (piece.top + piece.bottom) / 2
        if rows and rows[-1][0].bottom <= middle <= rows[-1][0].top:
            rows[-1].append(piece)
        else:
            rows.append([piece])
    # The right margin is taken to be as wide as the left.
    furthest = max((piece.right for piece in pieces), default=0.0)
    limit = max(furthest, page.get_width() - min((piece.left for piece in pieces), default=0.0))
    return [_Row(_joined(sorted(row, key=lambda piece: piece.left)), limit) for row in rows]


def _joined(row: list[_Piece]) -> list[_Piece]:
    """Pieces that stand a space apart as one; a wider gap parts columns."""
    joined = [row[0]]
    for piece in row[1:]:
        last = joined[-1]
        gap, height = piece.left - last.right, max(last.top - last.bottom, 1.0)
        if gap < 1.2 * height:
            between = " " if gap > 0.1 * height else ""
            joined[-1] = _Piece(
                last.left,
                piece.right,
                min(last.bottom, piece.bottom),
                max(last.top, piece.top),
                last.text + between + piece.text,
            )
        else:
            joined.append(piece)
    return joined


def _lines(rows: list[_Row]) -> list[tuple[str, tuple[str, ...]]]:
    """(text, cells) of each line; a line or cell that only ran out of room is joined with what follows it."""
    lines: list[tuple[str, tuple[str, ...]]] = []
    table: _Table | None = None
    above: _Piece | None = None
    for row in rows:
        texts = tuple(piece.text for piece in row.pieces)
        roles = roles_of(texts) if len(texts) > 1 else None
        if roles is not None:
            table = _Table(row, roles)
            lines.append(("\t".join(texts), texts))
        elif table is not None and table.holds(row):
            cells = table.cells(row)
            if table.opens(cells) or not (lines and lines[-1][1]):
                lines.append(("\t".join(texts), tuple(cells)))
            else:
                lines[-1] = (f"{lines[-1][0]} {' '.join(texts)}", table.wrapped(lines[-1][1], row))
            table.keep(row)
        else:
            table = table if not texts else None
            if len(texts) == 1 and above is not None and above.wraps_into(row.pieces[0], row.limit):
                lines[-1] = (_run_on(lines[-1][0], texts[0]), ())
            else:
                lines.append(("\t".join(texts), ()))
        above = row.pieces[0] if len(texts) == 1 and table is None else None
    return lines


def _run_on(line: str, more: str) -> str:
    return line + ("" if line[-1:] > _CHINESE and more[:1] > _CHINESE else " ") + more


class _Table:
    """The columns under a row of headings, and the last piece read in each."""

    def __init__(self, heads: _Row, roles: dict[int, str]) -> None:
        self._starts = [piece.left for piece in heads.pieces]
        self._opening = {place for place, role in roles.items() if role in ("question", "marks", "level")}
        self._above: dict[int, _Piece] = {}

    def holds(self, row: _Row) -> bool:
        return 0 < len(row.pieces) <= len(self._starts) and all(self._column(piece) is not None for piece in row.pieces)

    def opens(self, cells: list[str]) -> bool:
        return any(cells[place] for place in self._opening)

    def cells(self, row: _Row) -> list[str]:
        cells = [""] * len(self._starts)
        for piece in row.pieces:
            place = self._column(piece) or 0
            cells[place] = f"{cells[place]} {piece.text}".strip()
        return cells

    def keep(self, row: _Row) -> None:
        for piece in row.pieces:
            self._above[self._column(piece) or 0] = piece

    def wrapped(self, cells: tuple[str, ...], row: _Row) -> tuple[str, ...]:
        """The cells with the row's words added to them."""
        longer = list(cells)
        for piece in row.pieces:
            place = self._column(piece) or 0
            limit = self._starts[place + 1] - _GAP if place + 1 < len(self._starts) else row.limit
            above = self._above.get(place)
            if above is not None and above.wraps_into(piece, limit):
                longer[place] = _run_on(longer[place], piece.text)
            else:
                longer[place] = f"{longer[place]}\n{piece.text}".strip()
        return tuple(longer)

    def _column(self, piece: _Piece) -> int | None:
        """The column whose heading begins nearest above the piece's left edge."""
        nearest = min(range(len(self._starts)), key=lambda place: abs(self._starts[place] - piece.left))
        return nearest if abs(self._starts[nearest] - piece.left) < 25 else None

"""Paragraphs, lists and tables of a DOCX file, read from its XML with nothing but the standard library."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections import Counter
from xml.etree import ElementTree
from xml.parsers import expat

from components.intake.errors import IntakeError
from components.intake.mark_scheme.draft import SourceLine

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_LARGEST_PART = 30_000_000  # bytes, unpacked
_MOST_PIECES, _DEEPEST = 1_000_000, 200  # XML elements
# What zipfile raises for spoilt, locked and unusual archives, and expat for what is no XML.
_UNREADABLE = (zipfile.BadZipFile, zlib.error, expat.ExpatError, KeyError, ValueError, RuntimeError, EOFError, OSError)
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")


def docx_lines(file_name: str, content: bytes) -> tuple[SourceLine, ...]:
    """A line for every paragraph, and one with cells for every row of a table.

    Raises IntakeError for a file that is no DOCX, is spoilt or protected, or that would swell without bound.
    """
    spoilt = IntakeError(
        f"“{file_name}” is not a DOCX that can be read; it may be cut off or protected by a password. "
        "Save it again as DOCX or PDF, or paste its text."
    )
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            body = _part(archive, "word/document.xml").find(f"{_W}body")
            names = archive.namelist()
            numbering = _part(archive, "word/numbering.xml") if "word/numbering.xml" in names else None
    except _UNREADABLE as error:
        raise spoilt from error
    if body is None:
        raise spoilt
    return _Body(_formats(numbering)).read(body)


def _part(archive: zipfile.ZipFile, name: str) -> ElementTree.Element:
    """The root of one XML part. Raises ValueError for one too large, too deep, or with a document type in it."""
    with archive.open(name) as part:
        content = part.read(_LARGEST_PART + 1)
    if len(content) > _LARGEST_PART:
        raise ValueError("too large")
    builder = ElementTree.TreeBuilder()
    parser = expat.ParserCreate(namespace_separator="}")
    depth = pieces = 0

    def refuse(*_: object) -> None:
        # Entities are declared in a document type only, and Word writes none.
        raise ValueError("a document type")

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth, pieces
        depth, pieces = depth + 1, pieces + 1
        if depth > _DEEPEST or pieces > _MOST_PIECES:
            raise ValueError("too deep or too much")
        builder.start(_named(tag), {_named(key): value for key, value in attributes.items()})

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(_named(tag))

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.Parse(content, True)
    return builder.close()


def _named(name: str) -> str:
    return "{" + name if "}" in name else name


def _formats(numbering: ElementTree.Element | None) -> dict[tuple[str, str], str]:
    """The format (bullet, decimal, lowerLetter…) of each list and depth of the file."""
    if numbering is None:
        return {}
    kinds: dict[tuple[str, str], str] = {}
    for abstract in numbering.iter(f"{_W}abstractNum"):
        for level in abstract.iter(f"{_W}lvl"):
            kind = level.find(f"{_W}numFmt")
            key = abstract.get(f"{_W}abstractNumId", ""), level.get(f"{_W}ilvl", "0")
            kinds[key] = kind.get(f"{_W}val", "bullet") if kind is not None else "bullet"
    formats = {}
    for listed in numbering.iter(f"{_W}num"):
        used = listed.find(f"{_W}abstractNumId")
        for (abstract_id, depth), name in kinds.items():
            if used is not None and used.get(f"{_W}val") == abstract_id:
                formats[(listed.get(f"{_W}numId", ""), depth)] = name
    return formats


class _Body:
    def __init__(self, formats: dict[tuple[str, str], str]) -> None:
        self._formats = formats
        self._counts: Counter[tuple[str, str]] = Counter()
        self._lines: list[SourceLine] = []

    def read(self, body: ElementTree.Element) -> tuple[SourceLine, ...]:
        self._children(body)
        return tuple(self._lines)

    def _children(self, parent: ElementTree.Element) -> None:
        for child in parent:
            if child.tag == f"{_W}p":
                for text in self._paragraph(child).split("\n"):
                    self._lines.append(SourceLine(len(self._lines) + 1, text))
            elif child.tag == f"{_W}tbl":
                for row in child.findall(f"{_W}tr"):
                    cells = tuple(self._cell(cell) for cell in row.findall(f"{_W}tc"))
                    self._lines.append(SourceLine(len(self._lines) + 1, " | ".join(cells).replace("\n", " / "), cells))
                # What follows a table is not part of it.
                self._lines.append(SourceLine(len(self._lines) + 1, ""))
            elif child.tag in (f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins"):
                self._children(child)

    def _cell(self, cell: ElementTree.Element) -> str:
        return "\n".join(self._paragraph(paragraph) for paragraph in cell.iter(f"{_W}p")).strip()

    def _paragraph(self, paragraph: ElementTree.Element) -> str:
        text = "".join(_words(piece) for piece in _runs(paragraph))
        return self._bullet(paragraph) + text if text.strip() else ""

    def _bullet(self, paragraph: ElementTree.Element) -> str:
        listed = paragraph.find(f"{_W}pPr/{_W}numPr")
        style = paragraph.find(f"{_W}pPr/{_W}pStyle")
        if listed is None:
            return "• " if style is not None and "ListBullet" in style.get(f"{_W}val", "").replace(" ", "") else ""
        key = tuple(_value(listed, name, "0") for name in ("numId", "ilvl"))
        kind = self._formats.get((key[0], key[1]), "bullet")
        if key[0] == "0":
            return ""
        self._counts[(key[0], key[1])] += 1
        count = self._counts[(key[0], key[1])]
        if kind == "lowerLetter" and count <= 26:
            return f"({chr(ord('a') + count - 1)}) "
        if kind == "lowerRoman" and count <= len(_ROMAN):
            return f"({_ROMAN[count - 1]}) "
        return f"{count}. " if kind.startswith("decimal") else "• "


def _runs(paragraph: ElementTree.Element) -> list[ElementTree.Element]:
    """What can hold words, in order; not what was deleted with changes tracked."""
    kept = []
    for child in paragraph:
        if child.tag in (f"{_W}del", f"{_W}moveFrom", f"{_W}pPr"):
            continue
        if child.tag in (f"{_W}t", f"{_W}tab", f"{_W}br", f"{_W}noBreakHyphen") or child.tag.endswith("}t"):
            kept.append(child)
        else:
            kept.extend(_runs(child))
    return kept


def _words(piece: ElementTree.Element) -> str:
    special = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}noBreakHyphen": "-"}
    return special.get(piece.tag, piece.text or "")


def _value(parent: ElementTree.Element, name: str, without: str) -> str:
    found = parent.find(f"{_W}{name}")
    return without if found is None else found.get(f"{_W}val", without)

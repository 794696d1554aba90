"""A mark scheme's file or pasted text into numbered lines."""

from __future__ import annotations

import re

from components.intake.errors import IntakeError
from components.intake.mark_scheme.docx import docx_lines
from components.intake.mark_scheme.draft import SourceLine
from components.intake.mark_scheme.pdf import pdf_lines

_BAR = re.compile(r"\s\|(?=\s|$)")
LARGEST = 20_000_000  # bytes


def source_lines(file_name: str, content: bytes) -> tuple[SourceLine, ...]:
    """The lines of a DOCX, PDF, Markdown or plain text file, blank ones included.

    Raises IntakeError for a file of another kind, a spoilt or protected one, or one with no text in it.
    """
    if len(content) > LARGEST:
        raise IntakeError(f"“{file_name}” is over {LARGEST // 1_000_000} MB. Take the pictures out, or paste the text.")
    if content.startswith(b"%PDF") or file_name.lower().endswith(".pdf"):
        lines = pdf_lines(file_name, content)
    elif content.startswith(b"PK") or file_name.lower().endswith(".docx"):
        lines = docx_lines(file_name, content)
    elif content.startswith(b"\xd0\xcf\x11\xe0") or file_name.lower().endswith((".doc", ".odt", ".rtf", ".pages")):
        raise IntakeError(f"“{file_name}” is in an older or another format. Save it as DOCX or PDF, or paste its text.")
    else:
        lines = text_lines(_decoded(file_name, content))
    if not any(line.text.strip() or any(line.cells) for line in lines):
        raise IntakeError(f"No text was found in “{file_name}”. A scan has none: paste the scheme's text instead.")
    return lines


def text_lines(text: str) -> tuple[SourceLine, ...]:
    """The lines of pasted text or Markdown: rows between bars, and rows of three or more tabbed cells, as cells."""
    return tuple(_line(number, line) for number, line in enumerate(text.splitlines(), 1))


def _line(number: int, line: str) -> SourceLine:
    plain = line.strip()
    if plain.startswith("|") and plain.count("|") > 2:
        inner = plain.removeprefix("|").removesuffix("|")
        cells = [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", inner)]
        return SourceLine(number, line, tuple(re.sub(r"\s*<br\s*/?>\s*", "\n", cell) for cell in cells))
    if len(_BAR.findall(plain)) > 2:
        return SourceLine(number, line, tuple(cell.strip() for cell in _BAR.split(plain)))
    if line.count("\t") > 1:
        return SourceLine(number, line, tuple(cell.strip() for cell in line.split("\t")))
    return SourceLine(number, line)


def _decoded(file_name: str, content: bytes) -> str:
    encodings = ["utf-16"] if content.startswith((b"\xff\xfe", b"\xfe\xff")) else ["utf-8-sig", "gb18030", "cp1252"]
    if not content.startswith((b"\xff\xfe", b"\xfe\xff")) and b"\0" in content:
        raise IntakeError(f"“{file_name}” is not text. Choose a DOCX, PDF, Markdown or text file.")
    for encoding in encodings:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise IntakeError(f"“{file_name}” is in a text encoding that was not recognised. Save it as UTF-8, or paste it.")

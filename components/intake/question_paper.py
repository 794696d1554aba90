"""A question paper's PDF: the text of each question by its number, and pictures of its pages."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from components.intake.errors import IntakeError
from components.intake.mark_scheme import source_lines
from components.intake.page_regions import ScanFault
from components.intake.scan_pages import ScanFile, page_count, pages_of

_MAIN = re.compile(r"^(?:Question\s*|Q\.?\s*)?0*(\d{1,3})(?:\s*[.)]|(?=\s*\()|(?=\s)|$)\s*", re.IGNORECASE)
_LABEL = re.compile(r"^\(([a-z]|[ivx]+|\d)\)\s*", re.IGNORECASE)
_PART = re.compile(r"\d+|[a-z]+", re.IGNORECASE)
_ROMAN = re.compile(r"[ivx]+")
# What a paper prints around its questions: room to write in, marks, and what is said of the pages.
_AROUND = re.compile(
    r"^(?:[._…\s]{4,}|[(\[]\s*\d{1,2}\s*(?:marks?)?\s*[)\]]|\d{1,3}|page \d+(?: of \d+)?|turn over.*|p\.?t\.?o\.?"
    r"|\(?total (?:for )?question.*|total[:\s]+\d+ marks?|do not write.*|blank page"
    r"|end of (?:questions?|paper|test).*)$",
    re.IGNORECASE,
)
_DOTS = re.compile(r"[._…]{6,}")
_MARKS_AT_END = re.compile(r"\s*[(\[]\s*(?:\d{1,2}|\d{1,2}\s*marks?)\s*[)\]]\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class PaperText:
    """One question's text; `stimulus` is what stands before its parts, for every part of that question alike."""

    text: str
    stimulus: str = ""


@dataclass(frozen=True)
class Paper:
    """A question paper: its pages, and the lines of its text, none where it is a scan."""

    file: ScanFile
    pages: int
    lines: tuple[str, ...]


def read_paper(file_name: str, content: bytes) -> Paper:
    """The paper of a PDF. Raises IntakeError for a file that is none, is spoilt or has a password."""
    file = ScanFile(file_name, content)
    if not file.is_pdf:
        raise IntakeError(f"“{file_name}” is not a PDF. Save the question paper as PDF and choose that file.")
    try:
        pages = page_count(file)
    except ScanFault as error:
        raise IntakeError(str(error)) from error
    try:
        lines = tuple(" ".join(line.text.split()) for line in source_lines(file_name, content))
    except IntakeError:
        lines = ()  # a scan has pages to look at all the same
    return Paper(file, pages, lines)


def page_picture(paper: Paper, number: int, dpi: int = 110) -> bytes:
    """A page, from 1, as a PNG. Raises IntakeError where it cannot be drawn."""
    try:
        page = next(pages_of(paper.file, dpi, colour=True, only=[number]))
    except ScanFault as error:
        raise IntakeError(str(error)) from error
    file = io.BytesIO()
    page.image.convert("RGB").save(file, "PNG")
    return file.getvalue()


def paper_texts(lines: Iterable[str], numbers: Sequence[str]) -> dict[str, PaperText]:
    """By the exam's numbers, what the paper has between a line that starts with that number and the next such line.

    Only numbers of the exam, in rising order, begin a question: a line such as “3 cm of wire” may still be taken for
    one. Numbers that the paper does not have are left out.
    """
    wanted = {path: number for number in numbers if (path := _path(number))}
    found: dict[tuple[str, ...], list[str]] = {}
    here: tuple[str, ...] = ()
    for line in lines:
        text = line.strip()
        for path, rest in _labels(text, here, wanted):
            here, text = path, rest
            found.setdefault(here, [])
        if here and not _AROUND.match(text):
            found[here].append(_MARKS_AT_END.sub("", _DOTS.sub("", text)).strip())
    texts = {path: "\n".join(kept).strip() for path, kept in found.items()}
    filled = {}
    for path, number in wanted.items():
        stems = [texts.get(path[:depth], "") for depth in range(1, len(path)) if path[:depth] not in wanted]
        paper = PaperText(_tidy(texts.get(path, "")), _tidy("\n\n".join(stem for stem in stems if stem)))
        if paper.text:
            filled[number] = paper
    return filled


def _labels(
    text: str, here: tuple[str, ...], wanted: dict[tuple[str, ...], str]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each question that the line begins, outermost first, with what is left of the line behind its label."""
    known = {path[:depth] for path in wanted for depth in range(1, len(path) + 1)}
    main = _MAIN.match(text)
    if main and (main[1],) in known:
        rest = text[main.end() :]
        if not here or int(main[1]) > int(here[0]):
            here, text = (main[1],), rest
            yield here, text
        elif here[0] == main[1] and rest.startswith("("):  # “3 (b)” below “3 (a)”
            text = rest
    while here and (label := _LABEL.match(text)):
        path = _deeper(here, label[1].casefold(), known)
        if path is None:
            return
        here, text = path, text[label.end() :]
        yield here, text


def _deeper(here: tuple[str, ...], name: str, known: set[tuple[str, ...]]) -> tuple[str, ...] | None:
    """The part of this name: inside the question at hand, else beside it, else beside what holds it."""
    for depth in range(len(here), 0, -1):
        if (*here[:depth], name) in known:
            return (*here[:depth], name)
    return None


def _path(number: str) -> tuple[str, ...]:
    """3(b)(ii) and 3bii as 3, b, ii; nothing for a number that does not begin with a figure."""
    parts = [part.casefold() for part in _PART.findall(number)]
    split: list[str] = []
    for part in parts:
        if len(part) > 1 and part.isalpha() and not _ROMAN.fullmatch(part) and _ROMAN.fullmatch(part[1:]):
            split += [part[0], part[1:]]
        else:
            split.append(part.lstrip("0") or "0" if part.isdigit() else part)
    return tuple(split) if split and split[0].isdigit() else ()


def _tidy(text: str) -> str:
    return re.sub(r"\n{3,}", "\n\n", text).strip()

"""How an answer book is laid out: shared by printing it and reading it back, so that the two cannot differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from components.intake.book_code import MOST_PAGES, short_hash
from components.intake.page_regions import ScanFault, TemplateRegion

Paper = Literal["ruled", "squared", "plain"]

MM = 72 / 25.4
PAGE_WIDTH, PAGE_HEIGHT = 595.276, 841.89  # A4 in points; all places below are points from the top left corner
LEFT, RIGHT = 48.0, PAGE_WIDTH - 48.0
BODY_TOP, BODY_BOTTOM = 98.0, PAGE_HEIGHT - 98.0
MARK_SIZE, _MARK_INSET = 14.0, 30.0
CODE_SIZE = 64.0
LINE_PITCH, SQUARE = 8 * MM, 5 * MM
TEXT_SIZE, TEXT_PITCH = 10.5, 14.0
_HEADING, _GAP = 20.0, 14.0
_MOST_LINES_BY_MARKS = 24
_MOST_PICTURE_HEIGHT, _PICTURE_GAP = 270.0, 8.0

MARK_CENTRES = tuple(
    (x, y) for y in (_MARK_INSET, PAGE_HEIGHT - _MARK_INSET) for x in (_MARK_INSET, PAGE_WIDTH - _MARK_INSET)
)
CODE_CORNERS = {"T": (RIGHT - CODE_SIZE, 22.0), "B": (LEFT, PAGE_HEIGHT - 22.0 - CODE_SIZE)}


@dataclass(frozen=True)
class BookPicture:
    """A picture of a question by what it is called where its bytes are; its size in pixels."""

    name: str
    width: int
    height: int

    def printed(self) -> tuple[float, float]:
        """Its width and height in points: 150 pixels an inch, smaller where that is wider or higher than there is
        room for."""
        scale = min(72 / 150, (RIGHT - LEFT) / self.width, _MOST_PICTURE_HEIGHT / self.height)
        return self.width * scale, self.height * scale


@dataclass(frozen=True)
class BookQuestion:
    """A question to print. Room for the answer: `lines` of 8 mm, or `height` in mm, else two lines a mark.

    Its pictures stand one below the other between its words and the answer's frame.
    """

    number: str
    text: str = ""
    max_mark: float = 1.0
    lines: int | None = None
    height: float | None = None
    paper: Paper = "ruled"
    pictures: tuple[BookPicture, ...] = ()

    def room(self) -> float:
        """The height of the answer's frame in points. Raises ScanFault when it is not above 0."""
        if self.height is not None:
            room = self.height * MM
        else:
            by_marks = min(_MOST_LINES_BY_MARKS, max(2, round(2 * self.max_mark)))
            room = (self.lines if self.lines is not None else by_marks) * LINE_PITCH
        if not 5 * MM <= room <= 100 * (BODY_BOTTOM - BODY_TOP):
            raise ScanFault(
                f"Question {self.number}: give its answer at least one line, or 5 mm, and at most 100 pages."
            )
        return room


@dataclass(frozen=True)
class Frame:
    """Where an answer is written, in points from the top left; `part` counts from 1 where a question needs pages."""

    question: str
    part: int
    x: float
    y: float
    w: float
    h: float
    paper: Paper

    def rules(self) -> list[tuple[float, float, float, float]]:
        """The printed lines inside the frame, each x0, y0, x1, y1."""
        if self.paper == "plain":
            return []
        pitch = LINE_PITCH if self.paper == "ruled" else SQUARE
        right, bottom = self.x + self.w, self.y + self.h
        lines = [(self.x, self.y + i * pitch, right, self.y + i * pitch) for i in range(1, _count(self.h, pitch))]
        if self.paper == "squared":
            lines += [(self.x + i * pitch, self.y, self.x + i * pitch, bottom) for i in range(1, _count(self.w, pitch))]
        return lines

    def region(self, page: int) -> TemplateRegion:
        return TemplateRegion(
            self.question,
            page,
            self.x / PAGE_WIDTH,
            self.y / PAGE_HEIGHT,
            self.w / PAGE_WIDTH,
            self.h / PAGE_HEIGHT,
        )


@dataclass(frozen=True)
class Line:
    """Printed words at a baseline; a heading is bold, and its marks stand at the right."""

    text: str
    y: float
    heading: bool = False
    right: str = ""


@dataclass(frozen=True)
class PlacedPicture:
    """A picture where it is printed, in points from the top left."""

    name: str
    x: float
    y: float
    w: float
    h: float


@dataclass(frozen=True)
class BookPage:
    """One page: what is printed and where answers go."""

    lines: tuple[Line, ...]
    frames: tuple[Frame, ...]
    pictures: tuple[PlacedPicture, ...] = ()


@dataclass
class _Flow:
    pages: list[BookPage] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    pictures: list[PlacedPicture] = field(default_factory=list)
    y: float = BODY_TOP

    def turn(self) -> None:
        if self.lines or self.frames or self.pictures:
            self.pages.append(BookPage(tuple(self.lines), tuple(self.frames), tuple(self.pictures)))
            self.lines, self.frames, self.pictures = [], [], []
        self.y = BODY_TOP

    def need(self, height: float) -> None:
        if self.y + height > BODY_BOTTOM + 0.01:
            self.turn()

    def line(self, line: str, height: float, *, heading: bool = False, right: str = "") -> None:
        self.need(height)
        self.lines.append(Line(line, self.y + height - 5, heading, right))
        self.y += height

    def picture(self, picture: BookPicture) -> None:
        width, height = picture.printed()
        self.need(height)
        self.pictures.append(PlacedPicture(picture.name, LEFT, self.y, width, height))
        self.y += height + _PICTURE_GAP


def book_layout(questions: Sequence[BookQuestion]) -> tuple[BookPage, ...]:
    """The pages of one candidate's book: a frame is never split; one taller than a page becomes several, each a part.

    Raises ScanFault without questions, for one named twice or without a number, and above 200 pages.
    """
    numbers = [question.number.strip() for question in questions]
    if not numbers or not all(numbers):
        raise ScanFault("An answer book needs at least one question, and each question a number.")
    if twice := sorted({number for number in numbers if numbers.count(number) > 1}):
        raise ScanFault(f"Question {', '.join(twice)} stands twice in the book. Give each its own number.")
    flow = _Flow()
    for question in questions:
        _place(flow, question)
    flow.turn()
    if len(flow.pages) > MOST_PAGES:
        raise ScanFault(f"The book would have {len(flow.pages)} pages; {MOST_PAGES} are the most. Give fewer lines.")
    return tuple(flow.pages)


def _place(flow: _Flow, question: BookQuestion) -> None:
    room, body = question.room(), BODY_BOTTOM - BODY_TOP
    words = wrapped(question.text, RIGHT - LEFT)
    pictures = sum(picture.printed()[1] + _PICTURE_GAP for picture in question.pictures)
    above = _HEADING + len(words) * TEXT_PITCH + 4 + pictures
    together = body * (0.8 if pictures else 0.5)  # what stands above a frame is kept with it up to this height
    flow.need(min(above + min(room, body - above), body) if above < together else _HEADING + TEXT_PITCH)
    marks = f"[{question.max_mark:g} mark{'' if question.max_mark == 1 else 's'}]"
    flow.line(f"Question {question.number.strip()}", _HEADING, heading=True, right=marks)
    for text in words:
        flow.line(text, TEXT_PITCH)
    flow.y += 4
    for picture in question.pictures:
        flow.picture(picture)
    part = 0
    while room > 1:
        if part or flow.y + min(room, body) > BODY_BOTTOM + 0.01:
            free = BODY_BOTTOM - flow.y
            if part or room <= body or free < body / 3:
                flow.turn()
        part += 1
        free = BODY_BOTTOM - flow.y
        height = room if room <= free + 0.01 else free - free % LINE_PITCH
        flow.frames.append(Frame(question.number.strip(), part, LEFT, flow.y, RIGHT - LEFT, height, question.paper))
        flow.y += height + _GAP
        room -= height
        if 1 < room < LINE_PITCH:
            room = LINE_PITCH  # a last part too low to write in


def layout_hash(pages: Sequence[BookPage]) -> str:
    """Stands for the places of all frames: a book with other questions, or other room for them, has another."""
    frames = [
        f"{number}:{f.question}:{f.part}:{f.x:.1f}:{f.y:.1f}:{f.w:.1f}:{f.h:.1f}"
        for number, page in enumerate(pages, 1)
        for f in page.frames
    ]
    return short_hash("\n".join((str(len(pages)), *frames)))


def wrapped(text: str, width: float, size: float = TEXT_SIZE) -> list[str]:
    """The text in lines that fit the width in points; a Chinese line may break at any character."""
    lines = []
    for paragraph in text.strip().splitlines():
        line = ""
        for word in _words(paragraph):
            if line and text_width(line + word.rstrip(), size) > width:
                lines.append(line.rstrip())
                line = ""
            for piece in _pieces(word, width, size):
                if line and text_width(line + piece.rstrip(), size) > width:
                    lines.append(line.rstrip())
                    line = ""
                line += piece
        lines.append(line.rstrip())
    return lines


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    from reportlab.pdfbase import pdfmetrics  # noqa: PLC0415  # a fifth of a second, and only for books

    return float(pdfmetrics.stringWidth(text, font_for(text, bold=bold), size))


def font_for(text: str, *, bold: bool = False) -> str:
    """The font that has these characters: Helvetica, or the reader's own Chinese one, which needs no file here."""
    from reportlab.pdfbase import pdfmetrics  # noqa: PLC0415
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont  # noqa: PLC0415

    try:
        text.encode("cp1252")
    except UnicodeEncodeError:
        if "STSong-Light" not in pdfmetrics.getRegisteredFontNames():
            pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
        return "STSong-Light"
    return "Helvetica-Bold" if bold else "Helvetica"


def _words(paragraph: str) -> list[str]:
    words, word = [], ""
    for char in paragraph:
        word += char
        if char in " \t-" or char > "⺀":
            words.append(word)
            word = ""
    return [*words, word] if word else words


def _pieces(word: str, width: float, size: float) -> list[str]:
    """The word, cut where it alone is wider than the line."""
    pieces, piece = [], ""
    for char in word:
        if piece and text_width(piece + char, size) > width:
            pieces.append(piece)
            piece = ""
        piece += char
    return [*pieces, piece]


def _count(length: float, pitch: float) -> int:
    return int((length - 1) // pitch) + 1

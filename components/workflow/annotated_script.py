"""A candidate's script as a PDF, with what teachers drew on it burnt in: the pictures themselves stay untouched."""

from __future__ import annotations

import io
from dataclasses import dataclass

from pydantic import TypeAdapter
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader, simpleSplit
from reportlab.pdfgen.canvas import Canvas

from components.intake.book_layout import font_for
from components.marking import Outcome, format_mark
from components.workflow.annotating import Line, Ring, Stamp, Stroke, Words
from storage import Store, decisions, exams, pictures, responses, standings
from storage import annotations as drawings
from storage.annotations import Annotation
from storage.pictures import Page

COLOURS = {"red": "#d1142a", "green": "#0a7d33", "blue": "#1a56c4", "black": "#1b1b1b"}
MARGIN, HEAD, TEXT_SIZE = 36.0, 24.0, 11.0
_STROKES: TypeAdapter[list[Stroke]] = TypeAdapter(list[Stroke])


@dataclass(frozen=True)
class _Sheet:
    """Where a picture stands on a PDF page, in points; y grows downwards in the picture, upwards in the PDF."""

    left: float
    bottom: float
    width: float
    height: float

    def x(self, share: float) -> float:
        return self.left + share * self.width

    def y(self, share: float) -> float:
        return self.bottom + (1 - share) * self.height


def annotated_script(store: Store, exam_id: int, candidate: str) -> bytes:
    """The PDF of one candidate's answers in the exam's order, each under its question and final mark.

    Raises LookupError where the exam has no such candidate.
    """
    with store.read() as db:
        exam = exams.get(db, exam_id)
        found = responses.of_candidate(db, exam_id, candidate)
        if exam is None or not found:
            raise LookupError(f"There is no candidate {candidate} with an answer in this exam.")
        file = io.BytesIO()
        canvas = Canvas(file, pagesize=A4, invariant=True)
        canvas.setTitle(f"{exam.title}: candidate {candidate}")
        for response in found:
            question = exams.question(db, response.question_id).question
            standing = standings.get(db, response.id)
            comments = [d.comment for d in decisions.live(db, response.id) if d.comment]
            mark = "not marked"
            if standing is not None and standing.outcome == Outcome.NO_RESPONSE:
                mark = "no response"
            elif standing is not None and standing.final_mark is not None:
                mark = f"{format_mark(standing.final_mark)} of {format_mark(question.max_mark)}"
            head = f"{exam.title} · candidate {candidate} · question {question.number} · {mark}"
            drawn = drawings.of_response(db, response.id)
            pages = pictures.pages(db, response.id)
            for page in pages:
                _picture_page(canvas, head, pictures.content(db, page.sha256), page, drawn)
            if response.text.strip() or comments or not pages:
                _text_page(canvas, head, response.text, comments)
        canvas.save()
    return file.getvalue()


def annotated_picture(content: bytes, page: Page, drawn: list[Annotation]) -> bytes:
    """One picture of an answer with what was drawn on it, and nothing else, as a PDF page as wide as A4."""
    sheet = _Sheet(0, 0, A4[0], A4[0] * page.height / page.width)
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(sheet.width, sheet.height), invariant=True)
    _annotated(canvas, sheet, content, page, drawn)
    canvas.showPage()
    canvas.save()
    return file.getvalue()


def _picture_page(canvas: Canvas, head: str, content: bytes, page: Page, drawn: list[Annotation]) -> None:
    _head(canvas, head)
    room_w, room_h = A4[0] - 2 * MARGIN, A4[1] - 2 * MARGIN - HEAD
    scale = min(room_w / page.width, room_h / page.height)
    width, height = page.width * scale, page.height * scale
    sheet = _Sheet((A4[0] - width) / 2, A4[1] - MARGIN - HEAD - height, width, height)
    _annotated(canvas, sheet, content, page, drawn)
    canvas.showPage()


def _annotated(canvas: Canvas, sheet: _Sheet, content: bytes, page: Page, drawn: list[Annotation]) -> None:
    canvas.drawImage(ImageReader(io.BytesIO(content)), sheet.left, sheet.bottom, sheet.width, sheet.height)
    for annotation in drawn:
        if annotation.page == page.page:
            for stroke in _STROKES.validate_python(annotation.strokes):
                _draw(canvas, stroke, sheet)


def _draw(canvas: Canvas, stroke: Stroke, sheet: _Sheet) -> None:
    colour = HexColor(COLOURS[stroke.colour])
    canvas.saveState()
    canvas.setStrokeColor(colour)
    canvas.setFillColor(colour)
    canvas.setLineCap(1)
    canvas.setLineJoin(1)
    match stroke:
        case Line():
            canvas.setLineWidth(stroke.width * sheet.width)
            path = canvas.beginPath()
            path.moveTo(sheet.x(stroke.points[0][0]), sheet.y(stroke.points[0][1]))
            for x, y in stroke.points[1:] or stroke.points:
                path.lineTo(sheet.x(x), sheet.y(y))
            canvas.drawPath(path)
        case Ring():
            canvas.setLineWidth(stroke.width * sheet.width)
            canvas.ellipse(sheet.x(stroke.x0), sheet.y(stroke.y0), sheet.x(stroke.x1), sheet.y(stroke.y1))
        case Stamp() | Words():
            _stamp(canvas, stroke, sheet)
    canvas.restoreState()


def _stamp(canvas: Canvas, stroke: Stamp | Words, sheet: _Sheet) -> None:
    size = stroke.size * sheet.width
    canvas.translate(sheet.x(stroke.x), sheet.y(stroke.y))
    canvas.rotate(-stroke.turn)  # turned clockwise, and the PDF turns the other way
    if stroke.kind in ("tick", "cross"):
        canvas.scale(size, -size)
        canvas.setLineWidth(0.14)
        path = canvas.beginPath()
        lines = [[(-0.45, 0.05), (-0.12, 0.4), (0.5, -0.45)]]
        if stroke.kind == "cross":
            lines = [[(-0.4, -0.4), (0.4, 0.4)], [(0.4, -0.4), (-0.4, 0.4)]]
        for first, *others in lines:
            path.moveTo(*first)
            for point in others:
                path.lineTo(*point)
        canvas.drawPath(path)
        return
    canvas.setFont(font_for(stroke.text, bold=stroke.kind == "label"), size)
    middle = -0.35 * size
    if stroke.kind == "label":
        canvas.drawCentredString(0, middle, stroke.text)
    else:
        canvas.drawString(0, middle, stroke.text)


def _text_page(canvas: Canvas, head: str, text: str, comments: list[str]) -> None:
    _head(canvas, head)
    y = A4[1] - MARGIN - HEAD
    words = text.strip() or "(nothing written)"
    for part in (words, *(f"Teacher: {comment}" for comment in comments)):
        font = font_for(part, bold=part is not words)
        canvas.setFont(font, TEXT_SIZE)
        room = A4[0] - 2 * MARGIN
        for line in [piece for row in part.split("\n") for piece in simpleSplit(row, font, TEXT_SIZE, room) or [""]]:
            if y < 2 * MARGIN:
                canvas.showPage()
                _head(canvas, head)
                canvas.setFont(font, TEXT_SIZE)
                y = A4[1] - MARGIN - HEAD
            y -= 1.4 * TEXT_SIZE
            canvas.drawString(MARGIN, y, line)
        y -= TEXT_SIZE
    canvas.showPage()


def _head(canvas: Canvas, head: str) -> None:
    canvas.setFont(font_for(head), 9)
    canvas.drawString(MARGIN, A4[1] - MARGIN, head)

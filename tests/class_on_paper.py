"""A small class on paper: an exam of two questions, answer books written in and scanned, a paper without codes."""

from __future__ import annotations

import io
from functools import lru_cache

from PIL import Image

from components.workflow import printing
from components.workflow.connections import default_judges
from components.workflow.printing import Room, books_file
from components.workflow.scan_setup import Region
from storage import Store, exams
from tests.scans import DPI, Wear, draw_token, rendered, scanned
from tests.support import two_point_question

NUMBERS = ("0417", "0418", "0420")
ROOMS = (
    Room(number="1", text="Why does the rate fall?", max_mark=2, lines=5),
    Room(number="2(b)", text="Draw a cell.", max_mark=2, lines=6, paper="squared"),
)
UNIT = DPI / 72


def add_paper_exam(store: Store) -> int:
    """The exam, without candidates or answers. Gives its id."""
    _, offline = default_judges(store)
    with store.write() as db:
        exam = exams.add_exam(db, "Mock", judge_id=offline)
        for room in ROOMS:
            exams.add_question(db, exam, *two_point_question(room.number))
    return exam


def token(candidate: str, question: str) -> int:
    return 16 * NUMBERS.index(candidate) + [room.number for room in ROOMS].index(question) + 1


def written(store: Store, book_id: int, skip: tuple[str, str] = ("", "")) -> list[Image.Image]:
    """The printed books with each answer's token written in, but for one, as a scanner gives them back."""
    wanted = printing.printed(store, book_id)
    (layout,) = wanted.book().pages
    pages = rendered(books_file(store, book_id).read_bytes())
    for candidate, page in zip(wanted.candidates, pages, strict=True):
        for frame in layout.frames:
            if (candidate, frame.question) != skip:
                middle = ((frame.x + frame.w / 2) * UNIT, (frame.y + frame.h / 2) * UNIT)
                draw_token(page, token(candidate, frame.question), *middle)
    return [scanned(page, Wear(angle=0.5, shift=(5, -8), noise=4), seed) for seed, page in enumerate(pages)]


PAPER_REGIONS = (
    Region(question="1", page=1, x=0.1, y=0.15, w=0.8, h=0.25),
    Region(question="2(b)", page=1, x=0.1, y=0.55, w=0.8, h=0.25),
)


@lru_cache(maxsize=1)
def template() -> bytes:
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(595, 842), invariant=1)
    canvas.setFont("Helvetica", 11)
    lines = ("Mock paper 2026 Biology: answer both questions", "Explain why the rate falls above forty degrees")
    for y, text in zip((790, 760), lines, strict=True):
        canvas.drawString(60, y, text)
    canvas.drawString(60, 420, "2(b) Draw a cell and name the parts you can see in it")
    canvas.drawString(60, 60, "End of the paper. Check your answers before you hand them in.")
    canvas.showPage()
    canvas.save()
    return out.getvalue()

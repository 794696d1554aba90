"""The demo exam on paper: invented answers written by the stroke writer, as pictures and as one scanned class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from zlib import crc32

from pydantic import TypeAdapter
from sqlite_utils import Database

from components.intake.handwriting.answer_sheet import Sheet, jpeg, photographed, png, scanned, sheet
from components.intake.handwriting.canvas import canvas_json
from components.intake.handwriting.class_scan import PrintedPaper, Script, class_scan, template_pdf
from components.intake.handwriting.drawings import Drawing
from components.intake.handwriting.hand import hand
from components.intake.handwriting.paper import Paper
from components.intake.page_regions import TemplateRegion
from components.workflow import demo_content
from storage import markers, pictures, responses
from storage.pictures import NewPage, Picture

# Where the answers stand on the paper's three pages: question, page, then top and height as fractions of the page.
REGIONS = tuple(
    TemplateRegion(question, page, 0.07, top, 0.86, height)
    for question, page, top, height in (
        ("1", 1, 0.14, 0.38),
        ("2", 1, 0.61, 0.33),
        ("3", 2, 0.14, 0.34),
        ("4", 2, 0.58, 0.38),
        ("5", 3, 0.14, 0.24),
        ("6", 3, 0.48, 0.46),
    )
)


@dataclass(frozen=True)
class PaperAnswer:
    """One candidate's answer to one question; `text` and `drawing` are what the stroke writer puts on paper."""

    candidate: str
    text: str
    drawing: Drawing | None
    awarded: tuple[str, ...]
    mark: float | None
    second_mark: float | None
    why: str

    @property
    def blank(self) -> bool:
        return not self.text and self.drawing is None


@cache
def content() -> tuple[dict[str, Any], tuple[dict[str, Any], ...]]:
    """(the exam's own file, its questions' files in exam order)."""
    return demo_content.read(demo_content.DEMO / "paper")


def answers_of(item: dict[str, Any]) -> list[PaperAnswer]:
    """The answers in a question's file."""
    return TypeAdapter(list[PaperAnswer]).validate_python(item["answers"])


def install(db: Database, judge_id: int) -> int:
    """The new exam's id, its answers' pictures drawn and stored. No job is queued."""
    exam, questions = content()
    exam_id = demo_content.add_exam(db, exam, judge_id)
    candidates = responses.add_candidates(db, exam_id, exam["candidates"])
    second_marker = markers.ensure_external(db, exam["second_marker"])
    for item in questions:
        question_id = demo_content.add_question(db, exam_id, item)
        number = item["question"]["number"]
        for answer in answers_of(item):
            candidate_id = candidates[answer.candidate]
            kind = exam["candidates"][answer.candidate]["kind"]
            added = responses.add_responses(db, exam_id, [(question_id, candidate_id, "")], kind=kind)
            response_id = added[question_id, candidate_id]
            if not answer.blank:
                pictures.attach(db, response_id, [_pages(answer.candidate)[number]])
            if answer.candidate in exam["second_marked"]:
                demo_content.import_mark(db, response_id, second_marker, answer.second_mark)
    demo_content.fix_blind_sample(db, exam_id)
    return exam_id


def sheets(candidate: str) -> dict[str, Sheet]:
    """The candidate's answers by question number, as strokes on paper; blank ones are left out."""
    exam, questions = content()
    person = exam["candidates"][candidate]
    writer, paper = hand(person["hand"]), Paper(person["paper"])
    return {
        item["question"]["number"]: sheet(
            answer.text, answer.drawing, writer, paper, drawing_first=item["drawing_first"], seed=seed
        )
        for seed, item in enumerate(questions)
        for answer in answers_of(item)
        if answer.candidate == candidate and not answer.blank
    }


def demo_class_scan(candidates: Sequence[str] | None = None) -> bytes:
    """The class's scripts scanned into one PDF, a separator page before each; all candidates unless some are named."""
    chosen = list(content()[0]["candidates"]) if candidates is None else candidates
    return class_scan([Script(number, sheets(number)) for number in chosen], _printed_paper())


def demo_template() -> bytes:
    """The printed paper as a PDF, blank: the template on which REGIONS lie."""
    return template_pdf(_printed_paper())


def _printed_paper() -> PrintedPaper:
    exam, questions = content()
    asked = [(item["question"]["number"], item["question"]["text"].split("\n")[0]) for item in questions]
    return PrintedPaper(exam["title"], REGIONS, tuple((number, text.replace("$", "")) for number, text in asked))


def draw_all() -> None:
    """Draw every answer now, about two seconds' work the first time, so that `install` is quick inside a write."""
    for candidate in content()[0]["candidates"]:
        _pages(candidate)


@cache
def _pages(candidate: str) -> dict[str, NewPage]:
    """The candidate's answers as stored pictures, by question number; the same in every store, so drawn once."""
    kind = content()[0]["candidates"][candidate]["kind"]
    return {
        number: _page(answer, kind, f"{candidate}, question {number}") for number, answer in sheets(candidate).items()
    }


def _page(answer: Sheet, kind: str, about: str) -> NewPage:
    picture, seed = answer.picture(), crc32(about.encode())
    if kind == "drawn":
        stored = Picture(png(picture), "image/png", answer.width, answer.height)
        return NewPage(stored, strokes=canvas_json(answer.strokes), source="drawn by the stroke writer")
    seen = photographed(picture, seed) if kind == "photographed" else scanned(picture, seed)
    stored = Picture(jpeg(seen), "image/jpeg", answer.width, answer.height)
    return NewPage(stored, source=f"{kind} {about} (synthetic)")

"""Feedback for candidates: what they got, for what, and what their teacher wrote, as a file each that prints."""

from __future__ import annotations

import base64
import io
import re
import zipfile
from collections.abc import Callable
from functools import lru_cache
from typing import BinaryIO

from PIL import Image
from sqlite_utils import Database

from components.intake.scan_pages import PDFIUM
from components.intake.thumbnails import thumbnail
from components.marking import Stage
from components.workflow.annotated_script import annotated_picture
from components.workflow.marks_out.credit import credit
from components.workflow.marks_out.feedback_page import QuestionFeedback, feedback_page
from components.workflow.marks_out.pack_format import MOMENT
from components.workflow.marks_out.totals import ExamTotals, ScriptTotal, State, exam_totals, totals_in
from storage import Store, mark_book, pictures, question_pictures, responses
from storage import annotations as drawings
from storage.annotations import Annotation
from storage.pictures import Page

LONGEST_SIDE = 1400  # pixels of a picture, enough for A4 at 150 dots an inch
JPEG_QUALITY = 75


def feedback(store: Store, exam_id: int, candidate: str) -> bytes:
    """One candidate's feedback as an HTML file that asks no host for anything. It names nobody.

    Raises LookupError where there is no such exam or candidate, MarkError where the exam's rules do not fit it.
    """
    with store.read() as db:
        totals = totals_in(db, exam_id, candidate)
        return _file(db, totals, totals.scripts[0])


def feedback_zip(
    store: Store, exam_id: int, target: BinaryIO, told: Callable[[int, int], None] = lambda done, total: None
) -> int:
    """Write every candidate's feedback into a ZIP, a file each, one at a time in memory; gives how many.

    `told` hears how many of how many are in; what it raises ends it. Raises as `feedback` does.
    """
    totals = exam_totals(store, exam_id)
    names: set[str] = set()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for done, script in enumerate(totals.scripts):
            told(done, len(totals.scripts))
            with store.read() as db:
                file = _file(db, totals, script)
            entry = zipfile.ZipInfo(_name(script.candidate, names), MOMENT)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, file)
    return len(totals.scripts)


def file_name(candidate: str) -> str:
    """What a candidate's file is called: their number, where every system can have it in a name."""
    return f"feedback-{re.sub(r'[^0-9A-Za-z_-]+', '_', candidate)[:60] or 'candidate'}.html"


def _name(candidate: str, taken: set[str]) -> str:
    stem, place = file_name(candidate).removesuffix(".html"), 1
    name = f"{stem}.html"
    while name.casefold() in taken:
        place += 1
        name = f"{stem}-{place}.html"
    taken.add(name.casefold())
    return name


def _file(db: Database, totals: ExamTotals, script: ScriptTotal) -> bytes:
    finals = mark_book.final_decisions(db, script.candidate_id)
    texts = {each.id: each.text for each in responses.of_candidate(db, totals.exam.id, script.candidate)}
    shown = pictures.pages_of(db, list(texts))
    made = []
    for stored, mark in zip(totals.questions, script.questions, strict=True):
        final = None if mark.response_id is None else finals.get(mark.response_id)
        # What an adjudicator writes is a reason for colleagues; a comment on a mark that fell would contradict.
        comment = "" if final is None or final.stage == Stage.ADJUDICATED else final.comment
        found = credit(stored.question, final, mark.mark) if final and mark.state is State.MARKED else None
        pages = shown.get(mark.response_id, []) if mark.response_id is not None else []
        drawn = drawings.of_response(db, mark.response_id) if pages and mark.response_id is not None else []
        made.append(
            QuestionFeedback(
                stored.question,
                mark,
                texts.get(mark.response_id or 0, ""),
                tuple(_picture(pictures.content(db, page.sha256), page, drawn) for page in pages),
                found,
                comment,
                tuple((_figure(content), caption) for content, caption in question_pictures.shown(db, stored.id)),
            )
        )
    return feedback_page(totals, script, made).encode()


# Every candidate's file has the same ones.
@lru_cache(maxsize=16)
def _figure(content: bytes) -> str:
    return _address(thumbnail(content, LONGEST_SIDE))


def _picture(content: bytes, page: Page, drawn: list[Annotation]) -> str:
    drawn = [annotation for annotation in drawn if annotation.page == page.page]
    jpeg = _burnt_in(content, page, drawn) if drawn else thumbnail(content, LONGEST_SIDE)
    return _address(jpeg)


def _address(jpeg: bytes) -> str:
    return "data:image/jpeg;base64," + base64.b64encode(jpeg).decode()


def _burnt_in(content: bytes, page: Page, drawn: list[Annotation]) -> bytes:
    import pypdfium2  # noqa: PLC0415  # a tenth of a second, and only for pictures that were drawn on

    pdf = annotated_picture(content, page, drawn)
    with PDFIUM:
        opened = pypdfium2.PdfDocument(pdf)
        try:
            sheet = opened[0]
            width, height = sheet.get_size()
            image: Image.Image = sheet.render(scale=LONGEST_SIDE / max(width, height)).to_pil()
            image = image.convert("RGB")
        finally:
            opened.close()
    out = io.BytesIO()
    image.save(out, "JPEG", quality=JPEG_QUALITY)
    return out.getvalue()

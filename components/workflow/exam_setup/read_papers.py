"""Texts of a question paper into the questions of an exam that have none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from components.intake.question_paper import PaperText, paper_texts
from components.marking import Marker
from components.workflow.exam_setup.body import QuestionBody
from components.workflow.exam_setup.editing import Opened, open_question, open_thread, unfinished
from components.workflow.exam_setup.read_schemes import Placed, settled
from components.workflow.import_match import matched
from components.workflow.review.rules import must_be_head
from storage import Store, exams


def texts_for(store: Store, exam_id: int, lines: Sequence[str]) -> dict[str, PaperText]:
    """What the paper's lines have for questions of the exam, and drafts of it, whose text is empty; by number."""
    there = _by_number(store, exam_id)
    # All numbers are looked for: a question with a text ends the one before it.
    found = paper_texts(lines, list(there))
    return {number: text for number, text in found.items() if not there[number].body.text.strip()}


def heading_texts(store: Store, exam_id: int, headings: Mapping[str, str]) -> dict[str, PaperText]:
    """By the exam's numbers, the headings (by the file's numbers) of questions in the exam whose text is empty."""
    with store.read() as db:
        there = {stored.question.number: stored.question for stored in exams.questions(db, exam_id)}
        drafts = {draft.question_id for draft in unfinished(db, exam_id)}
        ids = {stored.question.number: stored.id for stored in exams.questions(db, exam_id)}
    return {
        own: PaperText(headings[number].strip())
        for number, own in matched(headings, list(there)).items()
        if headings[number].strip() and not there[own].text.strip() and ids[own] not in drafts
    }


def fill_texts(store: Store, marker: Marker, exam_id: int, texts: Mapping[str, PaperText]) -> list[Placed]:
    """Put the texts where there is none yet: as drafts, saved at once where nothing is missing. Says what became of
    each. Raises MarkError for a marker who is no head of department."""
    must_be_head(marker)
    there = _by_number(store, exam_id)
    return [
        settled(store, marker, there[number], partial(_fill, found=text))
        for number, text in texts.items()
        if number in there and text.text.strip()
    ]


def _fill(body: QuestionBody, found: PaperText) -> None:
    if not body.text.strip():
        body.text = found.text.strip()
    if not body.stimulus.strip():
        body.stimulus = found.stimulus.strip()


def _by_number(store: Store, exam_id: int) -> dict[str, Opened]:
    with store.read() as db:
        ids = [stored.id for stored in exams.questions(db, exam_id)]
        threads = [draft.thread for draft in unfinished(db, exam_id) if draft.question_id is None]
    opened = [*(open_question(store, each) for each in ids), *(open_thread(store, each) for each in threads)]
    return {each.body.number.strip(): each for each in reversed(opened) if each is not None}

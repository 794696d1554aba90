"""The questions of an exam as a list: their order, one split into its parts, one taken out."""

from __future__ import annotations

from pydantic import ValidationError
from sqlite_utils import Database

from components.marking import Marker, MarkError, Question, Scheme, on_step
from components.workflow.exam_setup.body import PictureBody, body_of
from components.workflow.exam_setup.editing import GONE
from components.workflow.exam_setup.numbers import Part, part_numbers, parts_of
from components.workflow.review.rules import must_be_head
from storage import Store, exam_setup, exams, question_drafts, question_pictures
from storage.exams import StoredQuestion
from storage.question_drafts import DraftState


def move(store: Store, marker: Marker, question_id: int, by: int) -> None:
    """Move a question up (by −1) or down (by 1) in its exam; at an end it stays where it is."""
    must_be_head(marker)
    with store.write() as db:
        stored = _question(db, question_id)
        order = [each.id for each in exams.questions(db, stored.exam_id)]
        place = order.index(question_id)
        order.insert(max(0, place + by), order.pop(place))
        exam_setup.reorder(db, stored.exam_id, order, marker.id)


def split(store: Store, marker: Marker, question_id: int) -> list[int]:
    """Split a question into (a), (b) and so on, as its text has them, else into two; gives the parts' ids in order.

    What stands before the parts becomes every part's stimulus, as a judge reads each part alone. The first keeps the
    mark scheme. Raises MarkError, with nothing changed, for a question that has responses, is being edited, or is one
    of several that a candidate chooses from.
    """
    must_be_head(marker)
    with store.write() as db:
        stored = _question(db, question_id)
        _may_split(db, stored)
        question = stored.question
        before, found = parts_of(question.text)
        parts = found or [Part(question.text, None), Part("", None)]
        stimulus = "\n\n".join(text for text in (question.stimulus, before if found else "") if text)
        numbers = part_numbers(question.number, len(parts))
        # Its own marks only where every part has some: else what is left over belongs to it.
        first_most = parts[0].marks if all(part.marks for part in parts) else None
        first, scheme = _first(
            question, stored.scheme, numbers[0], parts[0].text, stimulus, first_most or question.max_mark
        )
        rule = exam_setup.tolerance_rule(db, stored.exam_id)
        exam_setup.rename_in_sections(db, stored.exam_id, {question.number: numbers})
        exam_setup.update_question(
            db,
            question_id,
            first.model_copy(update={"tolerance": rule.of(first.max_mark, first.mark_step)}),
            marker.id,
        )
        if scheme != stored.scheme:
            exams.add_scheme_version(db, question_id, first, scheme, marker.id)
        ids = [question_id]
        shown = question_pictures.of(db, question_id)
        for number, part in zip(numbers[1:], parts[1:], strict=True):
            most = part.marks if part.marks and on_step(part.marks, question.mark_step) else 1.0
            new = question.model_copy(
                update={
                    "number": number,
                    "text": part.text,
                    "stimulus": stimulus,
                    "max_mark": most,
                    "tolerance": rule.of(most, question.mark_step),
                    "model_answer": "",
                    "analysis": "",
                    "aos": (),
                }
            )
            exam_setup.check_number(db, stored.exam_id, number)
            ids.append(
                exams.add_question(
                    db, stored.exam_id, new, Scheme(max_mark=most, mark_step=question.mark_step), marker.id
                )
            )
            question_pictures.set_of(db, ids[-1], shown)
        order = [each.id for each in exams.questions(db, stored.exam_id) if each.id not in ids[1:]]
        place = order.index(question_id) + 1
        exam_setup.reorder(db, stored.exam_id, [*order[:place], *ids[1:], *order[place:]], marker.id)
    return ids


def remove(store: Store, marker: Marker, question_id: int) -> str:
    """Take a question out of its exam; what it was stays among the drafts, from which it can be brought back. Gives
    its number. Raises MarkError as `exam_setup.remove_question` does."""
    must_be_head(marker)
    with store.write() as db:
        stored = _question(db, question_id)
        pictures = [
            PictureBody(sha256=each.sha256, caption=each.caption) for each in question_pictures.of(db, question_id)
        ]
        thread = question_drafts.thread_with(db, question_id)
        newest = question_drafts.newest(db, thread)
        if newest is not None and newest.state is DraftState.EDITED:
            body = newest.body
        else:
            body = body_of(stored.question, stored.scheme, pictures).model_dump()
        exam_setup.remove_question(db, question_id, marker.id)
        question_drafts.add(db, thread, stored.exam_id, question_id, body, DraftState.DROPPED, marker.id)
    return stored.question.number


def _question(db: Database, question_id: int) -> StoredQuestion:
    try:
        stored = exams.question(db, question_id)
    except LookupError:
        raise MarkError("This question is no longer in the exam. Nothing was changed.") from None
    if exams.get(db, stored.exam_id) is None:
        raise MarkError(GONE)
    return stored


def _may_split(db: Database, stored: StoredQuestion) -> None:
    number = stored.question.number
    if exam_setup.response_count(db, stored.id):
        raise MarkError(
            f"Question {number} has responses: they answer the whole of it, so it stays whole. "
            "Duplicate the exam to split the question there."
        )
    newest = question_drafts.newest(db, question_drafts.thread_with(db, stored.id))
    if newest is not None and newest.state is DraftState.EDITED:
        raise MarkError(f"Question {number} has changes that are not saved. Save or drop them, then split it.")
    for section in exam_setup.settings(db, stored.exam_id).get("sections") or []:
        asked = section.get("answer")
        if number in section.get("questions", []) and asked is not None and asked < len(section["questions"]):
            raise MarkError(
                f"Question {number} is one of those a candidate chooses from in “{section.get('title', '')}”, which "
                "counts whole questions. Take it out of that section first."
            )


def _first(
    question: Question, scheme: Scheme, number: str, text: str, stimulus: str, most: float
) -> tuple[Question, Scheme]:
    """The first part, out of the marks its text gives where the scheme can be kept with them, else out of all."""
    try:
        kept = Scheme.model_validate(scheme.model_dump() | {"max_mark": most})
    except (ValidationError, MarkError):
        most, kept = question.max_mark, scheme
    changed = {"number": number, "text": text, "stimulus": stimulus, "max_mark": most}
    return question.model_copy(update=changed), kept

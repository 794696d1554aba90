"""Editing a question: every change is kept as a draft, and a draft that is right becomes the question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlite_utils import Database

from components.marking import Marker, MarkError, ToleranceRule
from components.workflow.exam_setup.body import PictureBody, QuestionBody, body_of
from components.workflow.exam_setup.checking import Checked, check
from components.workflow.exam_setup.numbers import next_number
from components.workflow.review.rules import must_be_head
from storage import Store, exam_setup, exams, question_drafts, question_pictures
from storage.exams import StoredQuestion
from storage.question_drafts import Draft, DraftState
from storage.question_pictures import QuestionPicture

GONE = "This exam is no longer here; it may have been archived or reset. Nothing was saved."


@dataclass(frozen=True)
class Opened:
    """A question in its editor. `stored` is None for one that is not in the exam yet, `draft` where nothing is typed
    that is not saved. `scale_fixed`: it has responses, so maximum and step stay. `overtaken`: the mark scheme has got
    a version since this draft was begun, which saving would replace."""

    exam_id: int
    thread: str
    body: QuestionBody
    stored: StoredQuestion | None
    draft: Draft | None
    checked: Checked
    rule: ToleranceRule
    scale_fixed: bool
    overtaken: bool


@dataclass(frozen=True)
class Saved:
    """`new_version` is the scheme's new version, None where the scheme stayed as it was."""

    question_id: int
    number: str
    new_version: int | None


def open_question(store: Store, question_id: int) -> Opened | None:
    """The question with what was typed last, saved or not; None where there is no such question."""
    with store.read() as db:
        try:
            stored = exams.question(db, question_id)
        except LookupError:
            return None
        return _opened(db, question_drafts.thread_with(db, question_id), stored.exam_id)


def open_thread(store: Store, thread: str) -> Opened | None:
    """A new question as it was typed last; None where there is no such draft."""
    with store.read() as db:
        newest = question_drafts.newest(db, thread)
        return None if newest is None else _opened(db, thread, newest.exam_id)


def start_new(store: Store, marker: Marker, exam_id: int, *, copy_of: int | None = None) -> str:
    """Begin a question, empty or as a copy of another behind which it is to stand; gives its thread."""
    must_be_head(marker)
    with store.write() as db:
        exam = exams.get(db, exam_id)
        if exam is None:
            raise MarkError(GONE)
        questions = exams.questions(db, exam_id)
        taken = [each.question.number for each in questions]
        taken += [str(draft.body.get("number", "")) for draft in unfinished(db, exam_id)]
        if copy_of is None:
            last = questions[-1].question if questions else None
            body = QuestionBody(language=exam.language, subject=last.subject if last else "")
            body.number = next_number("", taken)
        else:
            source = exams.question(db, copy_of)
            body = _body(db, source, exam_setup.tolerance_rule(db, exam_id))
            body.base_scheme_id = None
            body.number, body.after = next_number(source.question.number, taken), copy_of
        thread = question_drafts.new_thread()
        question_drafts.add(db, thread, exam_id, None, body.model_dump(), DraftState.EDITED, marker.id)
    return thread


def change(store: Store, marker: Marker, opened: Opened, how: Callable[[QuestionBody], None]) -> None:
    """Change the question as it was typed last, by whoever, and keep that as a draft. Nothing different: no draft.

    Raises MarkError for a marker who is no head of department, or where the exam is gone.
    """
    must_be_head(marker)
    with store.write(durable=False) as db:
        if exams.get(db, opened.exam_id) is None:
            raise MarkError(GONE)
        now = _opened(db, opened.thread, opened.exam_id)
        body = now.body.model_copy(deep=True)
        how(body)
        if body != now.body:
            question_id = None if now.stored is None else now.stored.id
            question_drafts.add(
                db, now.thread, now.exam_id, question_id, body.model_dump(), DraftState.EDITED, marker.id
            )


def save(store: Store, marker: Marker, opened: Opened, *, over: bool = False) -> Saved:
    """Make the draft the question. A changed scheme is a new version; `over` lets it replace one that was made since
    the draft was begun. Raises MarkError, with the draft kept, for one that is not right yet."""
    must_be_head(marker)
    with store.write() as db:
        if exams.get(db, opened.exam_id) is None:
            raise MarkError(GONE)
        now = _opened(db, opened.thread, opened.exam_id)
        question, scheme = now.checked.question, now.checked.scheme
        if question is None or scheme is None:
            raise MarkError("This question is not right yet. It is kept as a draft.")
        if now.overtaken and not over:
            raise MarkError("The mark scheme has been changed since this draft was begun.")
        version = None
        if now.stored is None:
            exam_setup.check_number(db, now.exam_id, question.number)
            question_id = exams.add_question(db, now.exam_id, question, scheme, marker.id)
            _put_behind(db, now.exam_id, question_id, now.body.after, marker)
        else:
            question_id = now.stored.id
            exam_setup.update_question(db, question_id, question, marker.id)
            if scheme != now.stored.scheme:
                exams.add_scheme_version(db, question_id, question, scheme, marker.id)
                version = exams.question(db, question_id).scheme_version
        shown = [QuestionPicture(picture.sha256, picture.caption) for picture in now.body.pictures]
        question_pictures.set_of(db, question_id, shown)
        body = _body(db, exams.question(db, question_id), now.rule)
        question_drafts.add(db, now.thread, now.exam_id, question_id, body.model_dump(), DraftState.SAVED, marker.id)
    return Saved(question_id, question.number, version)


def drop(store: Store, marker: Marker, opened: Opened) -> None:
    """Throw the draft away; the question is as it was saved. It stays in the history."""
    must_be_head(marker)
    with store.write() as db:
        now = _opened(db, opened.thread, opened.exam_id)
        if now.draft is not None:
            question_id = None if now.stored is None else now.stored.id
            question_drafts.add(
                db, now.thread, now.exam_id, question_id, now.body.model_dump(), DraftState.DROPPED, marker.id
            )


def restore(store: Store, marker: Marker, draft_id: int) -> str:
    """Go on from an earlier state: it becomes the newest draft of its question. Gives its thread."""
    must_be_head(marker)
    with store.write() as db:
        earlier = question_drafts.get(db, draft_id)
        if earlier is None or exams.get(db, earlier.exam_id) is None:
            raise MarkError(GONE)
        now = _opened(db, earlier.thread, earlier.exam_id)
        body = QuestionBody.model_validate(earlier.body)
        question_id = None
        if now.stored is not None:
            question_id = now.stored.id
            # What it replaces is what stands now: the person has just looked at both.
            body.base_scheme_id = now.stored.scheme_id
        question_drafts.add(db, now.thread, now.exam_id, question_id, body.model_dump(), DraftState.EDITED, marker.id)
    return earlier.thread


def unfinished(db: Database, exam_id: int) -> list[Draft]:
    """Drafts that are not in the exam as they stand: questions to come, and changes to those that are there."""
    return [draft for draft in question_drafts.of_exam(db, exam_id) if draft.state is DraftState.EDITED]


def thrown_away(db: Database, exam_id: int) -> list[Draft]:
    """Questions that were thrown away or taken out of the exam, and can be brought back as drafts."""
    there = {stored.id for stored in exams.questions(db, exam_id)}
    return [
        draft
        for draft in question_drafts.of_exam(db, exam_id)
        if draft.state is DraftState.DROPPED and draft.question_id not in there
    ]


def _opened(db: Database, thread: str, exam_id: int) -> Opened:
    questions = exams.questions(db, exam_id)
    newest = question_drafts.newest(db, thread)
    named = thread.removeprefix("question-")
    question_id = newest.question_id if newest is not None else int(named) if named.isdecimal() else None
    stored = next((each for each in questions if each.id == question_id), None)
    rule = exam_setup.tolerance_rule(db, exam_id)
    draft = newest if newest is not None and newest.state is DraftState.EDITED else None
    if draft is None and stored is not None:
        body = _body(db, stored, rule)
    elif newest is not None:
        body = QuestionBody.model_validate(newest.body)
    else:
        raise MarkError(GONE)
    fixed = stored.scheme.scale if stored is not None and exam_setup.response_count(db, stored.id) else None
    taken = frozenset(each.question.number for each in questions if each.id != question_id)
    return Opened(
        exam_id=exam_id,
        thread=thread,
        body=body,
        stored=stored,
        draft=draft,
        checked=check(body, rule, taken, fixed),
        rule=rule,
        scale_fixed=fixed is not None,
        overtaken=stored is not None and draft is not None and body.base_scheme_id != stored.scheme_id,
    )


def _body(db: Database, stored: StoredQuestion, rule: ToleranceRule) -> QuestionBody:
    question = stored.question
    return body_of(
        question,
        stored.scheme,
        [PictureBody(sha256=each.sha256, caption=each.caption) for each in question_pictures.of(db, stored.id)],
        by_rule=question.tolerance == rule.of(question.max_mark, question.mark_step),
        scheme_id=stored.scheme_id,
    )


def _put_behind(db: Database, exam_id: int, question_id: int, after: int | None, marker: Marker) -> None:
    order = [each.id for each in exams.questions(db, exam_id) if each.id != question_id]
    if after in order:
        order.insert(order.index(after) + 1, question_id)
        exam_setup.reorder(db, exam_id, order, marker.id)

"""A mark scheme that was read, and confirmed by a teacher, into the drafts and questions of an exam."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from components.intake.mark_scheme import QuestionDraft
from components.intake.spelling import question_key
from components.marking import Marker, MarkError, QuestionType, format_mark
from components.workflow.exam_setup.body import GroupBody, LevelBody, ObjectiveBody, PointBody, QuestionBody
from components.workflow.exam_setup.checking import hints
from components.workflow.exam_setup.editing import (
    GONE,
    Opened,
    change,
    open_question,
    open_thread,
    save,
    start_new,
    unfinished,
)
from components.workflow.import_match import matched
from components.workflow.review.rules import must_be_head
from storage import Store, exams

_METHOD = re.compile(r"d*[MA]\d")


@dataclass(frozen=True)
class Place:
    """Where a question of the scheme goes: a question of the exam, a draft that is not in it yet, or a new one.

    `opened` is None for a new one. `reasons` say why it cannot go anywhere; `said` is what a teacher should know first.
    """

    number: str
    opened: Opened | None
    said: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Placed:
    """What became of one question. `saved`: it is in the exam as read. `lacks` is what is still to be done, in words.

    `thread` opens its draft, where it is not saved; `version` is the scheme's new version, where it got one.
    """

    number: str
    new: bool
    saved: bool
    lacks: tuple[str, ...]
    question_id: int | None
    thread: str
    version: int | None = None


def fill(body: QuestionBody, read: QuestionDraft, *, scale_fixed: bool = False) -> None:
    """Put the scheme as read in the place of the draft's points, groups, levels and words, right yet or not.

    A key of a choice or a number stays, and so does a note or free text where the scheme has none. `scale_fixed`: the
    question has responses, so its maximum and step stay.
    """
    body.points = [
        PointBody(
            id=f"p{place}",
            code=point.code,
            text=point.text,
            marks=point.marks or None,
            accept="\n".join((*point.alternatives, *point.accept)),
            reject="\n".join(point.reject),
            needs=list(point.needs),
            group=point.group or "",
            follow_through=point.follow_through,
        )
        for place, point in enumerate(read.points)
    ]
    used = {point.group for point in read.points} | {need for point in read.points for need in point.needs}
    body.groups = [
        GroupBody(id=f"g{place}", code=group.code, text=group.text, cap=group.cap)
        for place, group in enumerate(read.groups)
        if group.code in used  # all its points may have been dropped
    ]
    names = dict(read.objective_names)
    body.objectives = [
        ObjectiveBody(
            id=f"o{place}",
            code=code,
            name=names.get(code, ""),
            levels=[
                LevelBody(
                    id=f"o{place}l{rung}", level=band.level, low=band.low, high=band.high, descriptor=band.descriptor
                )
                for rung, band in enumerate(sorted(read.levels, key=lambda band: band.low))
                if band.objective == code
            ],
        )
        for place, code in enumerate(dict.fromkeys(band.objective for band in read.levels))
    ]
    body.scheme_text = "\n".join(f"- {entry}" for entry in read.indicative) or body.scheme_text
    body.note = "\n".join(read.notes()) or body.note
    body.aos = body.aos or ", ".join(read.aos)
    if not scale_fixed:
        body.max_mark, body.mark_step = read.max_mark, read.mark_step


def places(store: Store, exam_id: int, numbers: Sequence[str]) -> list[Place]:
    """For each number of the scheme, in order, where it goes: “3(b)(ii)” and “3bii” are one question."""
    with store.read() as db:
        there = {stored.question.number: stored.id for stored in exams.questions(db, exam_id)}
        drafts = {
            str(draft.body.get("number", "")).strip(): draft.thread
            for draft in unfinished(db, exam_id)
            if draft.question_id is None
        }
    found = matched(numbers, [*there, *(number for number in drafts if number and number not in there)])
    keys = Counter(question_key(number) for number in numbers if number.strip())
    placed = []
    for number in numbers:
        if not number.strip():
            placed.append(Place(number, None, reasons=("No number was found for this question. Type it in.",)))
            continue
        if keys[question_key(number)] > 1:
            words = f"The scheme has question {number} more than once. Leave one out, or correct its number."
            placed.append(Place(number, None, reasons=(words,)))
            continue
        of_exam = found.get(number, "")
        opened = None
        if of_exam in there:
            opened = open_question(store, there[of_exam])
        elif of_exam in drafts:
            opened = open_thread(store, drafts[of_exam])
        placed.append(Place(number, opened, () if opened is None else _replaced(opened)))
    return placed


def read_into(store: Store, marker: Marker, exam_id: int, read: Sequence[QuestionDraft]) -> list[Placed]:
    """Put every question of a scheme into the exam: as a draft first, and saved at once where nothing is missing.

    A question on which somebody has typed what is not saved yet stays a draft. Raises MarkError, with nothing done,
    for a marker who is no head of department, or a question that cannot be placed.
    """
    must_be_head(marker)
    with store.read() as db:
        if exams.get(db, exam_id) is None:
            raise MarkError(GONE)
    where = places(store, exam_id, [question.number for question in read])
    for place in where:
        if place.reasons:
            raise MarkError(" ".join(place.reasons))
    placed: list[Placed] = []
    behind: int | None = None
    for question, place in zip(read, where, strict=True):
        done = _placed(store, marker, exam_id, question, place.opened, behind)
        behind = done.question_id if done.question_id is not None else behind
        placed.append(done)
    return placed


def _placed(
    store: Store, marker: Marker, exam_id: int, read: QuestionDraft, there: Opened | None, behind: int | None
) -> Placed:
    opened = there or open_thread(store, start_new(store, marker, exam_id))
    if opened is None:
        raise MarkError(GONE)

    def how(body: QuestionBody) -> None:
        fill(body, read, scale_fixed=opened.scale_fixed)
        if there is None:
            body.number, body.after, body.type = read.number.strip(), behind, type_of(read)
            body.text = read.title.strip()

    return settled(store, marker, opened, how, new=there is None)


def settled(
    store: Store, marker: Marker, opened: Opened, how: Callable[[QuestionBody], None], *, new: bool = False
) -> Placed:
    """Change a question as its draft, and save it where nothing is missing and nobody had typed anything before.

    `new`: its draft was begun just now.
    """
    typed = opened.draft is not None and not new
    change(store, marker, opened, how)
    now = open_thread(store, opened.thread) or opened
    lacks = [words for _, words in now.checked.reasons]
    if now.checked.question is None or now.checked.scheme is None:
        return _kept(now, lacks)
    lacks += hints(now.checked.question, now.checked.scheme)
    if typed and now.stored is not None:
        return _kept(now, ["It had changes that are not saved. Look at them, then save.", *lacks])
    if now.draft is None:  # it was so already, word for word
        return Placed(now.body.number, False, True, tuple(lacks), now.stored.id if now.stored else None, "")
    try:
        saved = save(store, marker, now)
    except MarkError as error:
        return _kept(now, [str(error), *lacks])
    return Placed(saved.number, now.stored is None, True, tuple(lacks), saved.question_id, "", saved.new_version)


def type_of(read: QuestionDraft) -> str:
    """The type of a new question, by its scheme: levels, method and accuracy marks, else a short answer."""
    if read.levels:
        return QuestionType.LEVELS
    return QuestionType.WORKING if any(_METHOD.match(point.code) for point in read.points) else QuestionType.SHORT


def _kept(opened: Opened, lacks: list[str]) -> Placed:
    stored = opened.stored
    return Placed(
        opened.body.number, stored is None, False, tuple(lacks), None if stored is None else stored.id, opened.thread
    )


def _replaced(opened: Opened) -> tuple[str, ...]:
    said = []
    if opened.stored is not None:
        scheme = opened.stored.scheme
        if scheme.points or scheme.objectives or scheme.text:
            said.append(
                f"It replaces mark scheme v{opened.stored.scheme_version} of question {opened.body.number}. "
                "Marks that were given keep the version they were given under."
            )
    if opened.scale_fixed and opened.body.max_mark is not None:
        said.append(f"The question has responses, so its maximum stays at {format_mark(opened.body.max_mark)}.")
    return tuple(said)

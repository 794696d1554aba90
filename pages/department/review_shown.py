"""A response under review in the terms of the desk that shows it."""

from __future__ import annotations

from dataclasses import replace

from components.marking import Decision, Marker, Role, Stage, WhatStands
from components.widgets.desk import Adjudication, Shown, ShownGiven
from components.workflow.answer_view import AnswerView
from components.workflow.review.opening import Given, OpenReview
from components.workflow.review.rules import RULES, in_words
from pages.shared.clock import moment_text
from pages.shared.desk_shown import shown
from storage.decisions import Note

STAGES = {
    Stage.BLIND: "given blind",
    Stage.AI_FIRST: "with the AI's mark in view",
    Stage.REVEALED: "after the AI's mark was revealed",
    Stage.ADJUDICATED: "adjudicated",
    Stage.IMPORTED: "imported",
}
DECIDE_FIRST = "Decide first; the other marks, their reasons and any flag appear after yours."
CANNOT_HIDE = "You have been shown these marks, so they cannot be hidden from you."


def shown_for_review(found: OpenReview, view: AnswerView, points: tuple[str, ...] | None, marker: Marker) -> Shown:
    """The answer with the AI's verdicts, and with what people said of it by name where the reader may know names."""
    named = marker.role is Role.HEAD
    notes = [_note(note, named) for note in found.opened.notes if note.kind == "comment" or _settles(note)]
    if found.opened.own is not None and found.opened.own.comment:
        notes.append(f"Your reason: {found.opened.own.comment}")
    return replace(
        shown(found.opened, view if named else _unnamed(view), points),
        notes=tuple(notes),
        mark_first=DECIDE_FIRST,
        no_proposal="The AI has no mark on this response.",
    )


def adjudication(
    found: OpenReview | None, rule: WhatStands, marker: Marker, progress: str, *, hide: bool
) -> Adjudication:
    """What stands beside the answer; of nothing on the desk, how much waits."""
    read_only = marker.role is not Role.HEAD
    if found is None:
        return Adjudication(progress, read_only=read_only)
    words = [f"This exam's rule: {_lower(RULES[rule])}."]
    if hide and not found.hidden and found.opened.own is None and not read_only:
        words.append(CANNOT_HIDE)
    teachers = found.teachers
    return Adjudication(
        progress,
        hidden=found.hidden,
        read_only=read_only,
        given=tuple(_given(each) for each in found.given),
        teachers_id=None if teachers is None else teachers.decision.id,
        grades=(_grades(found),) if found.grades else (),
        flag=_flag(found, marker),
        stands=found.stands,
        rule=" ".join(words),
    )


def _given(given: Given) -> ShownGiven:
    decision = given.decision
    how = [STAGES[decision.stage] + (", the other marks hidden" if decision.marks_hidden else "")]
    how.append(moment_text(decision.created_at))
    return ShownGiven(
        decision.id,
        given.name,
        in_words(decision),
        ", ".join(how),
        f"Take {in_words(decision)}",
        _points(decision),
        decision.comment,
    )


def _points(decision: Decision) -> str:
    if decision.points is None:
        return ""
    return f"Ticked {', '.join(decision.points)}" if decision.points else "Ticked no point"


def _grades(found: OpenReview) -> str:
    parts = [f"{total:g} with {_whose(name)} mark: {grade}" for name, total, grade in found.grades]
    return f"The candidate's grade hangs on this. Total {'; '.join(parts)}."


def _whose(name: str) -> str:
    return "the AI's" if name == "AI" else f"{name}'s"


def _flag(found: OpenReview, marker: Marker) -> str:
    if found.flag is None:
        return ""
    who = found.flag.marker_name if marker.role is Role.HEAD else "a teacher"
    text = f": {found.flag.text}" if found.flag.text else ", without a word of why"
    return f"Flagged by {who}, {moment_text(found.flag.created_at)}{text}"


def _settles(note: Note) -> bool:
    return note.kind == "unflag" and bool(note.text)


def _note(note: Note, named: bool) -> str:
    who = note.marker_name if named else "A marker"
    return f"{who} settled the flag: {note.text}" if _settles(note) else f"{who}: {note.text}"


def _unnamed(view: AnswerView) -> AnswerView:
    pages = tuple(
        replace(page, others=tuple(replace(other, marker_name="a marker") for other in page.others))
        for page in view.pages
    )
    return replace(view, pages=pages)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]

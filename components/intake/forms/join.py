"""The responses and the grades report of one quiz as one file: the answers of the one with the marks of the other."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from components.intake.errors import IntakeError
from components.intake.forms.attempts import person_key
from components.intake.forms.recognise import Recognised, recognised
from components.intake.forms.wide_form import Asked, WideForm
from components.intake.report import RowReport
from components.intake.spelling import may_be_one


def can_join(one: Recognised, other: Recognised) -> bool:
    """Whether one of two files has answers only and the other marks only, of the same questions."""
    return isinstance(_pair(one, other), tuple)


def join(one: Recognised, other: Recognised) -> Recognised:
    """The two of one quiz, in either order; rows are those of the responses.

    Raises IntakeError when they are not answers and marks of the same questions by the same candidates.
    """
    pair = _pair(one, other)
    if isinstance(pair, str):
        raise IntakeError(pair)
    answers, marks = pair
    places = _places(answers, marks)
    names = f"“{answers.source.name}” and “{marks.source.name}”"
    shared = [place for place in places if place is not None]
    if not shared:
        raise IntakeError(f"{names} have no candidate in common. Choose the two reports of one quiz.")
    # A report may have the best attempt alone where the other has the last: its marks are for other answers.
    other_attempts = [
        row
        for (row, cells), place in zip(answers.rows, places, strict=True)
        if place is not None and _other_time(cells, marks.rows[place][1], answers, marks)
    ]
    if 2 * len(other_attempts) > len(shared):
        raise IntakeError(
            f"{names} are of different quizzes: candidates finished them at other times. Choose two of one."
        )
    places = [None if row in other_attempts else place for (row, _), place in zip(answers.rows, places, strict=True)]
    joined = tuple(_joined(each, marks.asked, places) for each in answers.asked)
    notes, checks = _missing(answers, marks, places, other_attempts)
    digest = hashlib.sha256(f"{answers.source.sha256} {marks.source.sha256}".encode()).hexdigest()
    source = replace(answers.source, name=f"{answers.source.name} + {marks.source.name}", sha256=digest)
    form = replace(
        answers,
        source=source,
        asked=joined,
        notes=(
            *answers.notes,
            *(note for note in marks.notes if note not in answers.notes and "no answers" not in note),
            *notes,
        ),
        checks=(*answers.checks, *checks),
    )
    return recognised(
        "Moodle quiz responses and grades", f"{names} are of one quiz and were joined by candidate.", form
    )


def _places(answers: WideForm, marks: WideForm) -> list[int | None]:
    """For each row of the answers the place of that person's row of the marks; None where nobody is certainly it."""
    by_person: dict[tuple[str, str], list[int]] = {}
    for place, (_, cells) in enumerate(marks.rows):
        if (key := person_key(cells, marks.shape)) is not None:
            by_person.setdefault(key, []).append(place)
    places: list[int | None] = []
    for _, cells in answers.rows:
        key, name = person_key(cells, answers.shape), answers.shape.people.person(cells)[0]
        found = [
            place
            for place in (by_person.get(key, []) if key is not None else [])
            if may_be_one(marks.shape.people.person(marks.rows[place][1])[0], name)
        ]
        places.append(found[0] if len(found) == 1 else None)
    return places


def _pair(one: Recognised, other: Recognised) -> tuple[WideForm, WideForm] | str:
    """The form with the answers and that with the marks, or why they are no pair."""
    names = f"“{one.source.name}” and “{other.source.name}”"
    forms = [each.form for each in (one, other) if isinstance(each.form, WideForm) and each.layout.startswith("Moodle")]
    answers = [form for form in forms if all(each.marks is None for each in form.asked)]
    marks = [form for form in forms if form not in answers and not any(any(each.answers) for each in form.asked)]
    if len(answers) != 1 or len(marks) != 1:
        return f"{names} are not a responses and a grades report of Moodle. Choose one of each, of the same quiz."
    if {each.number for each in answers[0].asked} != {each.number for each in marks[0].asked}:
        return (
            f"{names} are of different quizzes: one has {len(answers[0].asked)} questions and the other "
            f"{len(marks[0].asked)}. Choose the two reports of one quiz."
        )
    return answers[0], marks[0]


def _other_time(cells: Sequence[str], others: Sequence[str], answers: WideForm, marks: WideForm) -> bool:
    """Whether a candidate finished at another time in one report than in the other."""
    mine, theirs = answers.shape.attempts.finished, marks.shape.attempts.finished
    return mine is not None and theirs is not None and cells[mine].split() != others[theirs].split()


def _joined(each: Asked, others: Sequence[Asked], places: Sequence[int | None]) -> Asked:
    other = next(other for other in others if other.number == each.number)
    assert other.marks is not None
    marks = other.marks
    return replace(
        each,
        max_mark=other.max_mark,
        marks=tuple("" if place is None else marks[place] for place in places),
    )


def _missing(
    answers: WideForm, marks: WideForm, places: Sequence[int | None], other_attempts: Sequence[int]
) -> tuple[list[str], list[RowReport]]:
    """What is said of candidates who are in one report only, or with another attempt in each."""
    unmarked = [
        row for (row, _), place in zip(answers.rows, places, strict=True) if place is None and row not in other_attempts
    ]
    checks = [
        RowReport(row, "warning", f"Row {row}: the grades report has no marks of this candidate.") for row in unmarked
    ]
    checks += [
        RowReport(
            row,
            "warning",
            f"Row {row}: the grades report has this candidate's marks of another attempt, which finished at another "
            "time. They were left out.",
        )
        for row in other_attempts
    ]
    notes: list[str] = []
    if unmarked:
        notes.append(f"{len(unmarked)} of {len(places)} candidates are not in the grades report and have no marks.")
    if other_attempts:
        notes.append(
            f"{len(other_attempts)} of {len(places)} candidates have another attempt in the grades report; its marks "
            "are not for these answers and were left out. Export both reports with the same attempts."
        )
    without = len(marks.rows) - sum(place is not None for place in places) - len(other_attempts)
    if without:
        notes.append(f"{without} of {len(marks.rows)} rows of the grades report have no responses and were left out.")
    return notes, checks

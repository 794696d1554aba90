"""Moodle's quiz reports: responses (what was answered) and grades (what each question was given)."""

from __future__ import annotations

import re

from components.intake.columns import plain_heading
from components.intake.forms.headings import number_of, without_repeat
from components.intake.forms.people import find_people
from components.intake.forms.shape import Attempts, QuestionColumns, Shape
from components.intake.tables import Table

_GRADE = re.compile(r"(?:Q\.|Question)\s*(\d{1,3})\s*/\s*(\d{1,4}(?:[.,]\d+)?)", re.IGNORECASE)
_PART = re.compile(r"(Question|Response|Right answer)\s+(\d{1,3})", re.IGNORECASE)
_WHOLE = re.compile(r"Grade\s*/\s*(\d{1,4}(?:[.,]\d+)?)", re.IGNORECASE)
_STATES = ("state", "status")
_FINISHED = ("completed", "finished")
_IGNORED = ("started on", "started", "time taken", "duration", "institution", "department", "overall feedback")
_NONE = frozenset({"-", "–", "—"})


def moodle(table: Table) -> Shape | None:
    """A responses or a grades report, or the two in one; it has Moodle's own columns besides those of questions."""
    plain = [plain_heading(column) for column in table.columns]
    questions, named = _questions(table)
    marks = [column for column in named if _GRADE.fullmatch(column)]
    whole = [place for place, column in enumerate(table.columns) if _WHOLE.fullmatch(without_repeat(column))]
    state = next((plain.index(each) for each in _STATES if each in plain), None)
    finished = next((plain.index(each) for each in _FINISHED if each in plain), None)
    if not questions or not (whole or (state is not None and finished is not None)):
        return None
    answers = [column for column in named if column not in marks]
    kind = "responses and grades" if marks and answers else "grades" if marks else "responses"
    marks_of_it = [named[0], *([named[-1]] if len(named) > 1 else [])]
    marks_of_it += [table.columns[place] for place in (*whole, *(() if state is None else (state,)))]
    notes: list[str] = []
    if not answers:
        notes.append(
            "A grades report has marks but no answers, so every answer is blank. "
            "Choose the responses report of the same quiz too, and the two are joined."
        )
    ignored = {place for place, heading in enumerate(plain) if heading in _IGNORED} | set(whole)
    return Shape(
        layout=f"Moodle quiz {kind}",
        why=f"It has the columns {', '.join(f'“{column}”' for column in marks_of_it)} of a Moodle {kind} report.",
        questions=questions,
        people=find_people(table),
        groups=tuple(plain.index(each) for each in ("groups", "group") if each in plain)[:1],
        attempts=Attempts(state=state, finished=finished),
        one_each=True,
        no_answer=_NONE,
        unmarked=_NONE,
        scaled_to=number_of(_WHOLE.fullmatch(without_repeat(table.columns[whole[0]]))[1]) if whole else None,  # type: ignore[index]
        ignored=frozenset(ignored),
        notes=tuple(notes),
    )


def _questions(table: Table) -> tuple[tuple[QuestionColumns, ...], list[str]]:
    """The questions by their numbers, and the headings that made them."""
    marks: dict[str, tuple[int, float]] = {}
    parts: dict[str, dict[str, int]] = {"question": {}, "response": {}, "right answer": {}}
    named: list[str] = []
    for place, column in enumerate(table.columns):
        heading = without_repeat(column)
        if grade := _GRADE.fullmatch(heading):
            marks.setdefault(grade[1], (place, number_of(grade[2])))
        elif part := _PART.fullmatch(heading):
            parts[" ".join(part[1].casefold().split())].setdefault(part[2], place)
        else:
            continue
        named.append(column)
    responses = parts["response"]
    if not marks and not responses:
        return (), []
    numbers = sorted({*marks, *responses}, key=int)
    return tuple(
        QuestionColumns(
            number=number,
            text=_only_value(table, parts["question"].get(number)),
            max_mark=marks[number][1] if number in marks else None,
            answer=responses.get(number),
            mark=marks[number][0] if number in marks else None,
            scheme=parts["right answer"].get(number),
        )
        for number in numbers
    ), named


def _only_value(table: Table, place: int | None) -> str:
    """The wording of a question where all rows have the same; a quiz may draw another for each candidate."""
    if place is None:
        return ""
    values = {row[place].strip() for row in table.rows} - {"", "-"}
    return values.pop() if len(values) == 1 else ""

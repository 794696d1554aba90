"""Canvas: the student analysis report of a quiz, where a column of points follows each question's answers."""

from __future__ import annotations

import re

from components.intake.columns import plain_heading
from components.intake.forms.headings import max_in_text, number_of, plain_text, without_repeat
from components.intake.forms.people import find_people
from components.intake.forms.shape import Attempts, QuestionColumns, Shape
from components.intake.tables import Table

_QUESTION = re.compile(r"(\d{2,}):\s*(.*)", re.DOTALL)
_POINTS = re.compile(r"\d{1,4}(?:\.\d+)?")
_OWN = frozenset({"name", "id", "sis id", "submitted"})
_IGNORED = frozenset({"section id", "section sis id", "n correct", "n incorrect", "score", "root account"})


def canvas(table: Table) -> Shape | None:
    """A student analysis report. The heading of a points column is what the question is out of."""
    plain = [plain_heading(column) for column in table.columns]
    columns = [without_repeat(column) for column in table.columns]
    found = [place for place, column in enumerate(columns) if _QUESTION.fullmatch(column)]
    if not found or len(_OWN.intersection(plain)) < 3:
        return None
    questions: list[QuestionColumns] = []
    ignored = {place for place, heading in enumerate(plain) if heading in _IGNORED}
    surveys = 0
    for place in found:
        after = place + 1
        has_points = after < len(columns) and _POINTS.fullmatch(columns[after]) is not None
        points = number_of(columns[after]) if has_points else None
        if points == 0:
            surveys += 1
            ignored |= {place, after}
            continue
        match = _QUESTION.fullmatch(columns[place])
        assert match is not None
        text, said = max_in_text(plain_text(match[2]))
        number = str(len(questions) + 1)
        questions.append(
            QuestionColumns(number, text, points or said, answer=place, mark=after if has_points else None)
        )
    if not questions:
        return None
    first = columns[found[0]]
    notes = ["Questions are numbered in the order of the report; Canvas names them by an id."]
    if surveys:
        notes.append(f"{surveys} question{'s' if surveys > 1 else ''} out of 0 points left out.")
    return Shape(
        layout="Canvas quiz student analysis",
        why=f"It has the columns “name”, “id” and “submitted”, and questions such as “{first[:40]}” with their points.",
        questions=tuple(questions),
        people=find_people(table, taken=[*found, *ignored]),
        groups=(plain.index("section"),) if "section" in plain else (),
        attempts=Attempts(
            finished=plain.index("submitted") if "submitted" in plain else None,
            number=plain.index("attempt") if "attempt" in plain else None,
        ),
        one_each=True,
        ignored=frozenset(ignored),
        notes=tuple(notes),
    )

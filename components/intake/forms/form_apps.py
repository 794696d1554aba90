"""Google Forms (its responses and its quiz CSV) and Microsoft Forms: headings are the questions' own words."""

from __future__ import annotations

import re
from collections.abc import Collection

from components.intake.cells import NotAMarkError, read_mark
from components.intake.columns import group_columns, plain_heading
from components.intake.forms.headings import number_and_text, numbered
from components.intake.forms.people import find_people
from components.intake.forms.shape import Attempts, QuestionColumns, Shape
from components.intake.tables import Table

TIMESTAMPS = frozenset({"timestamp", "时间戳记", "时间戳", "horodateur", "zeitstempel", "marca temporal"})
_GOOGLE_WHOLE = frozenset({"total score", "score", "总分", "得分"})
_GOOGLE_PART = re.compile(r"(.*) \[(Score|Feedback)\]( \(\d+\))?", re.DOTALL | re.IGNORECASE)
_MICROSOFT_PART = re.compile(r"(Points|Feedback)\s*[-–]\s*(.*)", re.DOTALL | re.IGNORECASE)
_MICROSOFT_OWN = frozenset({"start time", "completion time"})
_MICROSOFT_WHOLE = frozenset({"total points", "quiz feedback", "grade posted time", "last modified time", "language"})
_UNMARKED = re.compile(r"[-–—]+\s*/\s*(\d{1,4}(?:[.,]\d+)?)")


def google_forms(table: Table) -> Shape | None:
    """A Google form's responses, or its quiz CSV with “Question [Score]” and “Question [Feedback]”."""
    plain = [plain_heading(column) for column in table.columns]
    if plain[0] not in TIMESTAMPS:
        return None
    scores: dict[str, int] = {}
    ignored: set[int] = set()
    for place, column in enumerate(table.columns):
        part = _GOOGLE_PART.fullmatch(column)
        # Of two questions in the same words the second column of each kind is numbered: “Why?” and “Why? (2)”.
        question = f"{part[1]}{part[3] or ''}" if part else ""
        if part and question in table.columns:
            ignored.add(place)
            if part[2].casefold() == "score":
                scores[question] = place
    ignored |= {place for place, heading in enumerate(plain) if heading in _GOOGLE_WHOLE}
    quiz = bool(scores)
    return _form(
        table,
        layout="Google Forms quiz" if quiz else "Google Forms responses",
        why=(
            f"The first column is “{table.columns[0]}”"
            + (", and questions have a “[Score]” column beside them." if quiz else ", and the others are questions.")
        ),
        marks=scores,
        own={0} | ignored,
        attempts=Attempts(finished=0),
    )


def microsoft_forms(table: Table) -> Shape | None:
    """A Microsoft form's responses, with “Points - …” and “Feedback - …” where it is a quiz."""
    plain = [plain_heading(column) for column in table.columns]
    if not _MICROSOFT_OWN.issubset(plain):
        return None
    points: dict[str, int] = {}
    ignored = {place for place, heading in enumerate(plain) if heading in _MICROSOFT_OWN | _MICROSOFT_WHOLE}
    for place, column in enumerate(table.columns):
        part = _MICROSOFT_PART.fullmatch(column)
        if part and part[2] in table.columns:
            ignored.add(place)
            if part[1].casefold() == "points":
                points[part[2]] = place
    return _form(
        table,
        layout="Microsoft Forms quiz" if points else "Microsoft Forms responses",
        why=(
            "It has the columns “Start time” and “Completion time” of Microsoft Forms"
            + (", and questions have a “Points - …” column beside them." if points else ".")
        ),
        marks=points,
        own=ignored,
        attempts=Attempts(finished=plain.index("completion time")),
    )


def _form(
    table: Table, layout: str, why: str, marks: dict[str, int], own: set[int], attempts: Attempts
) -> Shape | None:
    people = find_people(table, taken=own)
    groups = tuple(
        table.columns.index(column) for column in group_columns(table) if table.columns.index(column) not in own
    )
    places = [
        place
        for place in range(len(table.columns))
        if place not in own and place not in people.all() and place not in groups
    ]
    if not places:
        return None
    taken = numbered([number_and_text(table.columns[place]) for place in places])
    questions = tuple(
        QuestionColumns(
            number,
            text,
            max_mark or _out_of(table, marks.get(table.columns[place])),
            answer=place,
            mark=marks.get(table.columns[place]),
        )
        for place, (number, text, max_mark) in zip(places, taken, strict=True)
    )
    notes = ["A form's headings are its questions: each column that is not about the candidate was taken for one."]
    if not any(question.max_mark for question in questions):
        notes.append("The file does not say what questions are out of: the exam it goes into does, or you do, below.")
    return Shape(
        layout=layout,
        why=why,
        questions=questions,
        people=people,
        groups=groups,
        attempts=attempts,
        one_each=True,
        unmarked=_unmarked(table, list(marks.values())),
        ignored=frozenset(own),
        notes=tuple(notes),
    )


def _out_of(table: Table, place: int | None) -> float | None:
    """The maximum in “4.00 / 5.00” or “-- / 5.00”, where the cells of a column agree."""
    found: set[float] = set()
    for row in table.rows if place is not None else ():
        cell = row[place or 0].strip()
        if unmarked := _UNMARKED.fullmatch(cell):
            found.add(float(unmarked[1].replace(",", ".")))
            continue
        try:
            out_of = read_mark(cell).out_of
        except NotAMarkError:
            continue
        if out_of is not None:
            found.add(out_of)
    return found.pop() if len(found) == 1 else None


def _unmarked(table: Table, places: Collection[int]) -> frozenset[str]:
    cells = {row[place].strip().casefold() for row in table.rows for place in places}
    return frozenset(cell for cell in cells if _UNMARKED.fullmatch(cell))

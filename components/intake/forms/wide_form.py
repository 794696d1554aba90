"""A wide table with its shape, tidied: one row a candidate, marks as plain numbers. It gives the long table."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from components.intake.columns import Mapping, group_name
from components.intake.forms.people import (
    PersonalColumn,
    Pseudonym,
    names_apart,
    personal_columns,
    running,
    suspected_width,
)
from components.intake.forms.shape import Shape
from components.intake.forms.tabled import Choices, FormQuestion, Tabled
from components.intake.report import RowReport
from components.intake.tables import Table
from components.marking import format_mark


@dataclass(frozen=True)
class Asked:
    """A question with its cells, one a kept row; `maxima` has one a row where the file has, and may disagree."""

    number: str
    text: str
    scheme: str
    max_mark: float | None
    answers: tuple[str, ...]
    marks: tuple[str, ...] | None
    maxima: tuple[str, ...] | None = None


@dataclass(frozen=True)
class WideForm:
    """`rows` are those kept, with their numbers in the file; `checks` say by row what was left out or looks wrong."""

    source: Table
    shape: Shape
    rows: tuple[tuple[int, Sequence[str]], ...]
    asked: tuple[Asked, ...]
    notes: tuple[str, ...]
    checks: tuple[RowReport, ...]

    def questions(self) -> tuple[FormQuestion, ...]:
        return tuple(
            FormQuestion(each.number, each.text, each.max_mark, any(each.answers), _some(each.marks))
            for each in self.asked
        )

    def personal(self) -> tuple[PersonalColumn, ...]:
        return personal_columns(self.source, self.shape.people, number_kept=self._has_numbers())

    def suspected_width(self) -> int | None:
        return suspected_width(self._own_numbers()) if self._has_numbers() else None

    def tabled(self, choices: Choices) -> Tabled:
        """The long table: a row for each candidate and question, in the order of the file."""
        numbers, notes = self._numbers(choices)
        groups = [(f"group: {group_name(self.source.columns[place])}", place) for place in self.shape.groups]
        maxima = [
            each.max_mark if each.max_mark is not None else choices.max_marks.get(each.number) for each in self.asked
        ]
        has = {
            "question text": any(each.text for each in self.asked),
            "max mark": any(maximum is not None for maximum in maxima) or any(each.maxima for each in self.asked),
            "mark scheme": any(each.scheme for each in self.asked),
            "mark": any(_some(each.marks) for each in self.asked),
        }
        extra = [column for column, wanted in has.items() if wanted]
        told = [
            (each, [self._column(each, column, maximum) for column in extra])
            for each, maximum in zip(self.asked, maxima, strict=True)
        ]
        lines: list[tuple[str, ...]] = []
        for place, ((_, cells), number) in enumerate(zip(self.rows, numbers, strict=True)):
            values = [cells[group] for _, group in groups]
            for each, columns in told:
                said = [column[place] for column in columns]
                lines.append((number, each.number, each.answers[place], *said, *values))
        kept = tuple(number for number, _ in self.rows for _ in self.asked)
        table = replace(
            self.source,
            columns=("candidate", "question", "answer", *extra, *(name for name, _ in groups)),
            rows=tuple(lines),
            row_numbers=kept,
            too_wide=self.source.too_wide & set(kept),
            too_narrow=self.source.too_narrow & set(kept),
        )
        mapping = Mapping(
            candidate="candidate",
            question="question",
            answer="answer",
            question_text="question text" if has["question text"] else None,
            max_mark="max mark" if has["max mark"] else None,
            mark_scheme="mark scheme" if has["mark scheme"] else None,
            mark_1="mark" if has["mark"] else None,
            groups=tuple(name for name, _ in groups),
            why=dict.fromkeys(("candidate", "question", "answer", *extra), self.shape.why),
        )
        return Tabled(table, mapping, self._pseudonyms(numbers), tuple(notes))

    def _column(self, each: Asked, column: str, maximum: float | None) -> Sequence[str]:
        """A question's cells of a column of the long table, one a kept row."""
        if column == "mark" and each.marks is not None:
            return each.marks
        if column == "max mark" and each.maxima:
            return each.maxima
        shown = "" if maximum is None else format_mark(maximum)
        same = {"question text": each.text, "max mark": shown, "mark scheme": each.scheme}
        return [same.get(column, "")] * len(self.rows)

    def _own_numbers(self) -> list[str]:
        place = self.shape.people.number
        return [] if place is None else [cells[place].strip() for _, cells in self.rows]

    def _has_numbers(self) -> bool:
        """Whether the file's own numbers are used: all rows have one, or nothing else tells people apart."""
        own = self._own_numbers()
        return any(own) and (all(own) or not self.shape.people.personal())

    def _numbers(self, choices: Choices) -> tuple[list[str], list[str]]:
        own = self._own_numbers()
        given: dict[object, str] = {}
        running_numbers = [
            given.setdefault((own and own[place]) or place, running(len(given))) for place in range(len(self.rows))
        ]
        if choices.numbers == "names":
            people: list[tuple[Hashable, str, str]] = []
            for place, (_, cells) in enumerate(self.rows):
                name, email = self.shape.people.person(cells)
                number = _number(own, place)
                people.append(((own and own[place]) or email or place, name or email or number, email or number))
            return names_apart(people), []
        if choices.numbers == "own" and self._has_numbers():
            return [choices.padded(number) for number in own], []
        notes: list[str] = []
        if choices.numbers == "own" and any(own):
            blank = sum(not number for number in own)
            notes.append(
                f"{blank} of {len(own)} candidates have no number in “{self.source.columns[self.shape.people.number or 0]}”"  # noqa: E501
                ", so all were given running numbers."
            )
        elif not any(own):
            notes.append("Candidates were given the numbers 0001, 0002… in the order of the file.")
        return running_numbers, notes

    def _pseudonyms(self, numbers: Sequence[str]) -> tuple[Pseudonym, ...]:
        people = self.shape.people
        if not people.personal():
            return ()
        further = [*people.other, *people.spare]
        if people.number is not None and not self._has_numbers():
            further.append(people.number)
        found: list[Pseudonym] = []
        for number, (_, cells) in zip(numbers, self.rows, strict=True):
            other = tuple(
                (self.source.columns[place], cells[place].strip()) for place in further if cells[place].strip()
            )
            found.append(Pseudonym(number, *people.person(cells), other))
        return tuple(found)


def _some(marks: Sequence[str] | None) -> bool:
    """Whether a mark was given: a quiz that nobody has marked has the columns all the same."""
    return any(cell.strip() for cell in marks or ())


def _number(own: Sequence[str], place: int) -> str:
    """A candidate's own number where there is one, else their running number."""
    return (own[place] if own else "") or running(place)

"""A long table, a row a response: as it stands, but for the columns that say who somebody is."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from components.intake.columns import Mapping, guess_mapping, is_personal
from components.intake.forms.dates import date_checks, date_note
from components.intake.forms.people import (
    People,
    PersonalColumn,
    Pseudonym,
    find_people,
    holds_addresses,
    look_like_names,
    names_apart,
    personal_columns,
    running,
    suspected_width,
)
from components.intake.forms.tabled import Choices, FormQuestion, Tabled
from components.intake.report import RowReport
from components.intake.tables import Table

_CANDIDATE = "candidate"


@dataclass(frozen=True)
class LongForm:
    """`mapping` is the guess for the source, names included; `number` the place of the candidate numbers, if any."""

    source: Table
    mapping: Mapping
    people: People
    number: int | None
    checks: tuple[RowReport, ...]
    notes: tuple[str, ...]

    def questions(self) -> tuple[FormQuestion, ...]:
        """The questions by the numbers the table gives them, in the order of the file."""
        if self.mapping.question is None:
            return ()
        numbers = dict.fromkeys(" ".join(cell.split()) for cell in self.source.column(self.mapping.question))
        marked = any((self.mapping.mark_1, self.mapping.mark_2))
        return tuple(
            FormQuestion(number, "", None, self.mapping.answer is not None, marked) for number in numbers if number
        )

    def personal(self) -> tuple[PersonalColumn, ...]:
        return personal_columns(self.source, replace(self.people, number=self.number, spare=()), number_kept=True)

    def suspected_width(self) -> int | None:
        return None if self.number is None else suspected_width(self._column(self.number))

    def tabled(self, choices: Choices) -> Tabled:
        """The table without personal columns; the source itself where it has none and nothing is chosen."""
        removed = set(self.people.personal())
        numbers = self._numbers(choices)
        own = [] if self.number is None else [row[self.number] for row in self.source.rows]
        if not removed and numbers in (own, []):
            return Tabled(self.source, self.mapping, (), ())
        place = self.number if self.number is not None else min(removed)
        kept = [each for each in range(len(self.source.columns)) if each == place or each not in removed]
        heading = self.source.columns[place]
        if place in removed or is_personal(self.source, heading):
            heading = self._free_heading(kept)
        columns = tuple(heading if each == place else self.source.columns[each] for each in kept)
        table = replace(
            self.source,
            columns=columns,
            rows=tuple(
                tuple(number if each == place else row[each] for each in kept)
                for number, row in zip(numbers, self.source.rows, strict=True)
            ),
        )
        mapping = replace(guess_mapping(table), candidate=heading)
        return Tabled(table, mapping, self._pseudonyms(numbers) if removed else (), ())

    def _column(self, place: int) -> list[str]:
        return [row[place].strip() for row in self.source.rows]

    def _numbers(self, choices: Choices) -> list[str]:
        """A number for each row; the same for the same person. Empty where no column tells candidates apart."""
        if self.number is not None and choices.numbers == "own":
            if choices.width is None:
                return [row[self.number] for row in self.source.rows]
            return [choices.padded(number) for number in self._column(self.number)]
        given: dict[tuple[str, ...], str] = {}
        numbers: list[str] = []
        named: list[tuple[Hashable, str, str]] = []
        for row in self.source.rows:
            name, email = self.people.person(row)
            own = "" if self.number is None else row[self.number].strip()
            key = (own,) if own else (name.casefold(), email.casefold())
            # Where nothing tells who it is, the planner reports the row.
            numbers.append(given.setdefault(key, running(len(given))) if any(key) else "")
            named.append((key, name or email or numbers[-1], own or email))
        if choices.numbers == "names":
            numbers = names_apart(named)
        return numbers if self.people.personal() or self.number is not None else []

    def _free_heading(self, kept: Sequence[int]) -> str:
        heading = _CANDIDATE
        while heading in {self.source.columns[each] for each in kept}:
            heading += " number"
        return heading

    def _pseudonyms(self, numbers: Sequence[str]) -> tuple[Pseudonym, ...]:
        """One a candidate, from the first of their rows that says anything."""
        found: dict[str, Pseudonym] = {}
        for number, row in zip(map(str.strip, numbers), self.source.rows, strict=True):
            if not number or (number in found and (found[number].name or found[number].email)):
                continue
            other = tuple(
                (self.source.columns[each], row[each].strip()) for each in self.people.other if row[each].strip()
            )
            found[number] = Pseudonym(number, *self.people.person(row), other)
        return tuple(found.values())


def long_form(table: Table, mapping: Mapping) -> LongForm:
    """The form of a table with the guessed mapping, whatever of it was found."""
    fields = {table.columns.index(column) for name, column in mapping.chosen().items() if name != "candidate"}
    fields |= {table.columns.index(each.column) for each in mapping.ais()}
    people = find_people(table, taken=fields)
    candidate = None if mapping.candidate is None else table.columns.index(mapping.candidate)
    named = set(people.personal()) | fields | ({candidate} if candidate is not None else set())
    further = {
        place
        for place, column in enumerate(table.columns)
        if place not in named and place != people.number and _is_personal(table, place, column)
    }
    people = replace(people, other=tuple(sorted({*people.other, *further})))
    number = candidate if candidate is not None and candidate not in people.personal() else people.number
    if number is not None and look_like_names([row[number] for row in table.rows[:200]]):
        people, number = replace(people, name=number, number=None), None
    checks: list[RowReport] = []
    for what, column in (("answer", mapping.answer), ("mark", mapping.mark_1), ("mark", mapping.mark_2)):
        if column is not None:
            checks += date_checks(what, zip(table.row_numbers, table.column(column), strict=True))
    return LongForm(table, mapping, people, number, tuple(checks), (*table.notes, *date_note(checks)))


def _is_personal(table: Table, place: int, column: str) -> bool:
    """By its heading, or by holding addresses and little else: a text that quotes an address is no personal column."""
    return holds_addresses(table, place) or is_personal(replace(table, rows=()), column)

"""What a layout says of a table: which column holds what. Every layout module gives one of these, or None."""

from __future__ import annotations

from dataclasses import dataclass

from components.intake.forms.people import People


@dataclass(frozen=True)
class QuestionColumns:
    """A question of a wide table and the places of the columns that hold its answers, marks and so on."""

    number: str
    text: str = ""
    max_mark: float | None = None
    answer: int | None = None
    mark: int | None = None
    maximum: int | None = None
    scheme: int | None = None


@dataclass(frozen=True)
class Attempts:
    """The places of the columns that tell attempts apart. Where all are None, every row is somebody's only one."""

    state: int | None = None
    finished: int | None = None
    number: int | None = None

    def all(self) -> frozenset[int]:
        return frozenset(place for place in (self.state, self.finished, self.number) if place is not None)


@dataclass(frozen=True)
class Shape:
    """A wide table as its layout reads it: a row a candidate, columns of questions.

    `no_answer` are cells that mean there is none, in lower case. `scaled_to` is the maximum that a Moodle quiz was
    scaled to. `one_each`: a second row of a person is a second attempt, of which one is kept. `faults` keep the table
    from being imported.
    """

    layout: str
    why: str
    questions: tuple[QuestionColumns, ...]
    people: People
    groups: tuple[int, ...] = ()
    attempts: Attempts = Attempts()
    one_each: bool = False
    no_answer: frozenset[str] = frozenset()
    unmarked: frozenset[str] = frozenset()
    scaled_to: float | None = None
    ignored: frozenset[int] = frozenset()
    left_out_rows: frozenset[int] = frozenset()
    notes: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()

    def places(self) -> frozenset[int]:
        """The places of all columns that have a use or that are known and ignored."""
        questions = {
            place
            for question in self.questions
            for place in (question.answer, question.mark, question.maximum, question.scheme)
            if place is not None
        }
        return frozenset(questions) | self.people.all() | set(self.groups) | self.attempts.all() | self.ignored

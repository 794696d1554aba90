"""What a recognised file becomes: a long table for the planner, with the key to its candidates apart."""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import dataclass, field
from typing import Literal

from components.intake.columns import Mapping
from components.intake.forms.people import Pseudonym
from components.intake.tables import Table

Numbers = Literal["own", "running", "names"]


@dataclass(frozen=True)
class Choices:
    """What the teacher chooses of a recognised file.

    `numbers`: "own" takes the file's candidate numbers where it has them, else 0001, 0002…; "running" never takes
    them; "names" keeps names or addresses in their stead. `width` pads numbers of digits with zeros to that many.
    `max_marks` gives by question number the maximum marks that the file does not say.
    """

    numbers: Numbers = "own"
    width: int | None = None
    max_marks: Dict[str, float] = field(default_factory=dict, hash=False)

    def padded(self, number: str) -> str:
        """A candidate number as wide as chosen."""
        return number.zfill(self.width) if self.width and number.isascii() and number.isdigit() else number


@dataclass(frozen=True)
class Tabled:
    """The table to plan and its mapping. `pseudonyms` is the key: it is stored apart, or dropped.

    `notes` say how the candidates got their numbers; what was recognised is said in `Recognised.notes`.
    """

    table: Table
    mapping: Mapping
    pseudonyms: tuple[Pseudonym, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class FormQuestion:
    """A question of a file as it was recognised. Its maximum is None where the file does not say."""

    number: str
    text: str
    max_mark: float | None
    has_answers: bool
    has_marks: bool

"""What an import would store, once every row of its table was checked."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

from components.intake.report import RowReport
from components.marking import Question, QuestionType, Scheme


@dataclass(frozen=True)
class Defaults:
    """What the teacher gives for all rows where the table does not say: a blank `question` or None is no default."""

    max_mark: float | None = None
    question: str = ""
    type: QuestionType = QuestionType.SHORT
    language: str = "en"
    subject: str = ""


@dataclass(frozen=True)
class PlannedQuestion:
    """A question with its scheme; the scheme is the table's free text, or empty."""

    question: Question
    scheme: Scheme


@dataclass(frozen=True, slots=True)
class PlannedResponse:
    """An answer; it may be blank. `row` is its own in the plan: its row in the file, or one of `Table.keys`."""

    row: int
    candidate: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class PlannedMark:
    """A person's mark for the response of `row`; `marker` is 1 or 2."""

    row: int
    marker: int
    mark: float


@dataclass(frozen=True, slots=True)
class PlannedAIMark:
    """An AI's mark for the response of `row`, and the marks of its items where it gave them.

    `judge` is the name it is kept under; blank where the file has one AI alone, which is then named after the file.
    """

    row: int
    mark: float
    judge: str = ""
    items: tuple[float, ...] = ()


@dataclass(frozen=True)
class ImportPlan:
    """What an import would store. With any error in the report nothing is planned: tuples and groups are empty.

    Questions and responses stand in the order of the file. `sha256` is the file's, `sheet` the workbook's sheet.
    `groups` has by candidate number the values by group, as in {"0417": {"class": "11A"}}.
    """

    file_name: str
    sheet: str | None
    sha256: str
    questions: tuple[PlannedQuestion, ...]
    responses: tuple[PlannedResponse, ...]
    human_marks: tuple[PlannedMark, ...]
    ai_marks: tuple[PlannedAIMark, ...]
    report: tuple[RowReport, ...]
    groups: dict[str, dict[str, str]] = field(default_factory=dict, hash=False)

    @property
    def problems(self) -> int:
        """How many errors the report has."""
        return sum(entry.level == "error" for entry in self.report)

    @property
    def warnings(self) -> int:
        return sum(entry.level == "warning" for entry in self.report)

    @cached_property
    def ai_judges(self) -> dict[str, int]:
        """How many marks each AI gave, by its name, in the order of the file; a blank name is the file's only AI."""
        return Counter(given.judge for given in self.ai_marks)

    @property
    def ok(self) -> bool:
        return self.problems == 0

"""Which part of an exam a reader of the agreement page looks at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from components.marking import QuestionType, Stage
from storage.exams import StoredQuestion
from storage.pairs import Wanted


@dataclass(frozen=True)
class Selection:
    """An exam, or what is left of it by every part that is set.

    `questions` are numbers. Without a judge, each question's figures are about the judge whose proposals stand on the
    desk. Dates are days in UTC, both included. `groups` are (name, value) that the candidate must have, as
    ("class", "11A").
    """

    exam_id: int
    questions: tuple[str, ...] = ()
    aos: tuple[str, ...] = ()
    types: tuple[QuestionType, ...] = ()
    judge_id: int | None = None
    marker_id: int | None = None
    stage: Stage | None = None
    handwritten: bool | None = None
    since: date | None = None
    until: date | None = None
    groups: tuple[tuple[str, str], ...] = ()

    @property
    def of_one_teacher(self) -> bool:
        """Whether it picks among the marks that several teachers gave a response."""
        return any(part is not None for part in (self.marker_id, self.stage, self.since, self.until))

    def chooses(self, stored: StoredQuestion) -> bool:
        """Whether the question is in the selection."""
        question = stored.question
        return (
            (not self.questions or question.number in self.questions)
            and (not self.aos or bool(set(self.aos) & set(objectives(stored))))
            and (not self.types or question.type in self.types)
        )

    def wanted(self, questions: Sequence[StoredQuestion]) -> Wanted:
        """The pairs to read for these questions, which are those of the exam that the selection chooses."""
        return Wanted(
            exam_id=self.exam_id,
            question_ids=tuple(stored.id for stored in questions),
            judge_id=self.judge_id,
            marker_id=self.marker_id,
            stage=self.stage,
            handwritten=self.handwritten,
            since=None if self.since is None else self.since.isoformat(),
            until=None if self.until is None else self.until.isoformat(),
            groups=self.groups,
        )


def objectives(stored: StoredQuestion) -> tuple[str, ...]:
    """The assessment objectives a question is about: its own, and those its scheme has levels for."""
    return tuple(dict.fromkeys((*stored.question.aos, *(each.code for each in stored.scheme.objectives))))

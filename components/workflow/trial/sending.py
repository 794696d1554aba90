"""What an arm is told of a question: its scheme or none, and examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from components.judge import Judge
from components.marking import Exemplar
from components.workflow.inputs import inputs_hashes, reads_exemplars
from components.workflow.proposing import Part
from components.workflow.trial.arms import without_criteria
from storage.exams import StoredQuestion
from storage.judges import StoredJudge
from storage.responses import StoredResponse


class How(Protocol):
    """An arm, chosen or stored, as far as it says what is shown."""

    @property
    def shots(self) -> int: ...

    @property
    def criteria(self) -> bool: ...


@dataclass(frozen=True)
class Asked:
    """A question as an arm asks it, and the examples that its judge is shown."""

    question: StoredQuestion
    examples: tuple[Exemplar, ...]
    shots: int

    @classmethod
    def about(cls, judge: Judge, question: StoredQuestion, examples: tuple[Exemplar, ...], how: How) -> Asked:
        """Only a language model by our own protocol is shown examples."""
        shown = examples if reads_exemplars(judge) else ()
        return cls(question if how.criteria else without_criteria(question), shown, how.shots)

    def part(self, stored: StoredJudge, judge: Judge, answers: list[StoredResponse]) -> Part:
        """These answers as a part of a run."""
        hashes = inputs_hashes(judge, self.question, answers, self.examples, self.shots)
        return Part(self.question, stored, judge, self.examples, answers, hashes, len(answers))

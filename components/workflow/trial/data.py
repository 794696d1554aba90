"""A trial's marks as the report needs them: one row a response, one column an arm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from components.marking import QuestionType

Marks = NDArray[np.float64]  # one a response, NaN where there is none


@dataclass(frozen=True)
class TrialQuestion:
    id: int
    number: str
    subject: str
    type: QuestionType
    max_mark: float
    mark_step: float
    tolerance: float


@dataclass(frozen=True)
class Arm:
    """One way of asking. `settings` are the judge's own, as stored (protocol, effort, temperature, samples …)."""

    id: int
    name: str  # unlike every other arm's of the trial
    judge_id: int
    judge: str
    kind: str  # of the judge: llm, offline, imported …
    model: str
    settings: dict[str, Any]
    shots: int
    grading: bool
    criteria: bool
    repeat: int


@dataclass(frozen=True)
class ArmMarks:
    """What an arm gave, and what that took; `price` is in US dollars, None where one of its prices is not known.

    `sent` responses went to a model; rules, the offline matcher and imported marks send none.
    """

    arm: Arm
    marks: Marks
    abstained: int
    failed: int
    missing: int  # not asked yet
    sent: int
    price: float | None
    tokens_in: int
    tokens_out: int
    seconds: float
    models: tuple[str, ...]  # as the servers reported them
    prompts: tuple[str, ...]  # version and hash

    @property
    def per_thousand(self) -> float | None:
        """US dollars for 1,000 responses; None while any price is unknown or nothing was sent."""
        return None if self.price is None or not self.sent else 1000 * self.price / self.sent


@dataclass(frozen=True)
class TrialData:
    """All that the report rests on. `question` has for each response its place in `questions`."""

    trial_id: int
    title: str
    exam: str
    created_at: str
    first_marker: str
    second_marker: str  # "" where nothing was marked twice
    questions: tuple[TrialQuestion, ...]
    response_ids: NDArray[np.int64]
    question: NDArray[np.int64]
    handwritten: NDArray[np.bool_]
    first: Marks
    second: Marks
    arms: tuple[ArmMarks, ...]

    @property
    def marked(self) -> bool:
        """Whether a human has marked any of it."""
        return bool((~np.isnan(self.first)).any())

    @property
    def double_marked(self) -> bool:
        return bool((~np.isnan(self.second)).any())

    def max_marks(self) -> Marks:
        """Each response's maximum mark."""
        return np.array([question.max_mark for question in self.questions])[self.question]

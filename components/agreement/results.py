"""What the engine hands out: frozen figures, each with the reason in words where it is undefined."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True)
class Interval:
    """A 95% interval (or, for Bland–Altman, limits of agreement). `method` names how it was made."""

    low: float
    high: float
    method: str = ""


@dataclass(frozen=True)
class Statistic:
    """One figure. `value` is None where undefined, and `note` then says why.

    A note may also stand beside a value that needs a word of care ("no spread"), or say why there is no interval.
    """

    value: float | None
    note: str = ""
    interval: Interval | None = None


@dataclass(frozen=True)
class Share:
    """`count` of `n` pairs, with Wilson's interval. `value` is None where undefined or hidden; `note` says why."""

    count: int
    n: int
    value: float | None
    interval: Interval | None
    note: str = ""


class Standing(StrEnum):
    """How much a screen may say: the small-n rule."""

    TOO_FEW = "too few"
    PROVISIONAL = "provisional"
    PLAIN = "plain"
    IDENTICAL = "identical"


@dataclass(frozen=True)
class Coverage:
    """How much of an exam an aggregate rests on."""

    questions: int
    of_questions: int
    marks: float
    of_marks: float

    def __str__(self) -> str:
        share = self.marks / self.of_marks if self.of_marks else 0.0
        # 99.6% is not "100% of marks" while a question is missing.
        percent = round(100 * share) if self.questions in (0, self.of_questions) else min(99, round(100 * share))
        return f"{self.questions} of {self.of_questions} questions, {percent}% of marks"

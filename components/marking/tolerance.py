"""How far apart two markers may be: an exam's rule, from which each question's tolerance follows."""

from __future__ import annotations

import math
from enum import StrEnum

from pydantic import field_validator

from components.marking.marks import MarkError
from components.marking.question import default_tolerance
from components.marking.scheme import Frozen


class ToleranceKind(StrEnum):
    USUAL = "usual"  # `default_tolerance`
    PERCENT = "percent"  # of the question's maximum
    MARKS = "marks"  # the same for every question
    NONE = "none"


class ToleranceRule(Frozen):
    """An exam's rule. `amount` is in per cent of the maximum or in marks, by the kind; the others have none."""

    kind: ToleranceKind = ToleranceKind.USUAL
    amount: float = 0.0

    @field_validator("amount")
    @classmethod
    def _is_an_amount(cls, amount: float) -> float:
        if not (math.isfinite(amount) and 0 <= amount <= 100):
            raise MarkError(f"A tolerance must be from 0 to 100, not {amount:g}.")
        return amount

    def of(self, max_mark: float, mark_step: float) -> float:
        """The tolerance in marks of a question: 0 for a one-mark question, else on its step and below its maximum.

        A percentage that is not a whole number of steps goes to the nearest one, up where it is half-way.
        """
        if max_mark <= 1:
            return 0.0
        if self.kind is ToleranceKind.USUAL:
            return default_tolerance(max_mark)
        if self.kind is ToleranceKind.NONE:
            return 0.0
        marks = max_mark * self.amount / 100 if self.kind is ToleranceKind.PERCENT else self.amount
        steps = math.floor(marks / mark_step + 0.5 + 1e-9)
        return min(steps * mark_step, max_mark - mark_step)

"""The scale a mark stands on, and what makes a mark legal."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

MARK_STEPS = (1.0, 0.5, 0.25)


class MarkError(ValueError):
    """A mark, a verdict or a scheme that cannot be right. The message is for a teacher to read."""


@dataclass(frozen=True)
class Scale:
    """Marks 0, step, 2·step … max_mark. Raises MarkError when the two do not fit together."""

    max_mark: float
    mark_step: float = 1.0

    def __post_init__(self) -> None:
        if self.mark_step not in MARK_STEPS:
            raise MarkError(f"The mark step must be 1, 0.5 or 0.25, not {self.mark_step:g}.")
        if not math.isfinite(self.max_mark) or self.max_mark <= 0:
            raise MarkError(f"The maximum mark must be above 0, not {self.max_mark:g}.")
        if not on_step(self.max_mark, self.mark_step):
            raise MarkError(f"The maximum mark {self.max_mark:g} is not a multiple of {self.mark_step:g}.")

    def marks(self) -> list[float]:
        """Every legal mark, from 0 to max_mark."""
        return [i * self.mark_step for i in range(round(self.max_mark / self.mark_step) + 1)]

    def check(self, mark: float, about: str = "This response") -> float:
        """The mark as a float when it is legal. Raises MarkError naming `about`; never clamps or rounds."""
        if not isinstance(mark, int | float) or isinstance(mark, bool) or not math.isfinite(mark):
            raise MarkError(f"{about}: {mark!r} is not a mark.")
        if not 0 <= mark <= self.max_mark:
            raise MarkError(f"{about}: {mark:g} is outside 0 to {self.max_mark:g}.")
        if not on_step(mark, self.mark_step):
            raise MarkError(f"{about}: {mark:g} is not a multiple of {self.mark_step:g}.")
        return float(mark)


def on_step(mark: float, step: float) -> bool:
    """Whether mark is a whole number of steps. Exact, as 1, 0.5 and 0.25 are exact in binary."""
    return (mark / step).is_integer() if isinstance(mark, float) else (float(mark) / step).is_integer()


def coarsest_step(marks: Iterable[float]) -> float:
    """The largest of MARK_STEPS on which all the marks stand. Raises MarkError where one stands on none."""
    given = tuple(marks)
    for step in MARK_STEPS:
        if all(on_step(mark, step) for mark in given):
            return step
    raise MarkError("A mark is not a whole number of quarter marks.")


def format_mark(mark: float | None) -> str:
    """A mark as people write it: 3, 2.5, 0.25; an em dash where there is none."""
    return "—" if mark is None else f"{mark:g}"

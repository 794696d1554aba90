"""What part of the marks was earned, with an interval of the kind that the marks allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from components.agreement import Interval, Ratio, cluster_interval, wilson_interval

NOTHING = "no marks to count"


@dataclass(frozen=True)
class Rate:
    """`marks` of `full` on `items`; `value` is their share (0 to 1), None with a `note` where there is nothing."""

    items: int
    marks: float
    full: float
    value: float | None
    interval: Interval | None
    note: str = ""

    @property
    def rounded(self) -> float | None:
        """The share to the three decimals that GAOKAO-Bench's files keep, and convert from."""
        return None if self.value is None else round(self.value, 3)


def rate(marks: Sequence[float], full: Sequence[float]) -> Rate:
    """The share of the marks that was earned, one entry an item.

    Where every item is worth the same and earned all or nothing, that is a share of items, with Wilson's interval.
    Otherwise items weigh unequally or earn in part, and whole items are resampled (a t interval over items where
    these are worth fewer than 30 equal ones). Raises ValueError unless each mark is between 0 and its item's.
    """
    earned, possible = np.asarray(marks, dtype=np.float64), np.asarray(full, dtype=np.float64)
    if earned.shape != possible.shape or not ((earned >= 0) & (earned <= possible + 1e-9)).all():
        raise ValueError("Each item's marks must be between 0 and what it is out of.")
    total, of = float(earned.sum()), float(possible.sum())
    if of == 0:
        return Rate(earned.size, total, of, None, None, NOTHING)
    if (possible == possible[0]).all() and ((earned == 0) | (earned == possible)).all():
        interval = wilson_interval(int(np.count_nonzero(earned)), earned.size)
        return Rate(earned.size, total, of, total / of, interval)
    interval, note = cluster_interval([Ratio(earned, possible)], 0.0, 1.0)
    return Rate(earned.size, total, of, total / of, interval, note)

"""Undoes the scaling of Moodle, which shows a quiz out of 38 with a grade out of 10 in marks of 0.26."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from components.marking import on_step

_LARGEST_TOTAL = 500
_ROUNDING = 0.00501  # two decimals are shown
_SMALLEST_UNIT = 0.06  # of less, a quarter is so little that rounding explains any mark


@dataclass(frozen=True)
class Unscaled:
    """The maxima and marks as they were given, and what a mark of them became."""

    maxima: tuple[float, ...]
    marks: tuple[tuple[float | None, ...], ...]
    unit: float
    total: int


def unscaled(
    maxima: Sequence[float], marks: Sequence[Sequence[float | None]], scaled_to: float | None
) -> Unscaled | None:
    """The whole maxima and quarter marks that explain what is shown; None where nothing was scaled, or none does.

    Maxima that stand on quarters were not scaled: a mark of 0.33 beside them is a third of one, and no quarter mark.
    `marks` holds a sequence for each question. The least total that explains all of them is taken.
    """
    if not maxima or min(maxima) <= 0 or all(on_step(maximum, 0.25) for maximum in maxima):
        return None
    whole = scaled_to or sum(maxima)
    if any(mark is not None and not 0 <= mark <= whole for column in marks for mark in column):
        return None
    for total in range(len(maxima), _LARGEST_TOTAL + 1):
        unit = whole / total
        if unit < _SMALLEST_UNIT:
            break
        raw = [round(value / unit) for value in maxima]
        if sum(raw) != total or any(not _explains(each, unit, value) for each, value in zip(raw, maxima, strict=True)):
            continue
        columns = [[None if mark is None else round(4 * mark / unit) / 4 for mark in column] for column in marks]
        if all(
            mark is None or (each is not None and _explains(each, unit, mark))
            for column, given in zip(columns, marks, strict=True)
            for each, mark in zip(column, given, strict=True)
        ):
            return Unscaled(tuple(map(float, raw)), tuple(map(tuple, columns)), unit, total)
    return None


def _explains(raw: float, unit: float, shown: float) -> bool:
    return raw >= 0 and abs(raw * unit - shown) <= _ROUNDING

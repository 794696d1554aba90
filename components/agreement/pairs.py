"""Checks that two markers' marks are complete pairs on the question's scale."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

# Marks are quarters and so exact in binary, but a mean of three markers is not.
SLACK = 1e-9


def paired(
    ai: ArrayLike,
    teacher: ArrayLike,
    max_mark: ArrayLike | None = None,
    step: float | None = None,
    names: tuple[str, str] = ("the AI's mark", "the teacher's mark"),
) -> tuple[FloatArray, FloatArray]:
    """Both columns as arrays. Empty ones are allowed.

    `max_mark` is one number or one per pair. Raises ValueError naming the pair (counted from 1) where a mark is
    missing, below 0, above `max_mark` or off `step`, and where the columns differ in length.
    """
    x, y = column(ai), column(teacher)
    if x.size != y.size:
        raise ValueError(f"There are {x.size} marks of one marker and {y.size} of the other; give complete pairs.")
    check_scale(max_mark, step)
    for marks, name in zip((x, y), names, strict=True):
        check_marks(marks, name, max_mark, step)
    return x, y


def column(marks: ArrayLike) -> FloatArray:
    """One marker's marks as a one-dimensional array. Raises ValueError for any other shape."""
    values = np.asarray(marks, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"Marks must be one column, not {values.ndim} dimensions.")
    return values


def check_scale(max_mark: ArrayLike | None, step: float | None) -> None:
    """Raises ValueError when a maximum or a step is not above 0, or they do not fit together."""
    if max_mark is not None:
        most = np.asarray(max_mark, dtype=np.float64)
        if not (np.isfinite(most) & (most > 0)).all():
            raise ValueError("The maximum mark must be above 0.")
        if step is not None and step > 0 and _off_step(most, step).any():
            raise ValueError(f"The maximum mark is not a multiple of the step {step:g}.")
    if step is not None and not step > 0:
        raise ValueError(f"The mark step must be above 0, not {step:g}.")


def check_marks(marks: FloatArray, name: str, max_mark: ArrayLike | None, step: float | None) -> None:
    """Raises ValueError naming the first pair (from 1) whose mark is missing or off the scale."""
    _refuse(~np.isfinite(marks), marks, name, "is missing; give complete pairs")
    _refuse(marks < 0, marks, name, "is below 0")
    if max_mark is not None:
        most = np.broadcast_to(np.asarray(max_mark, dtype=np.float64), marks.shape)
        _refuse(marks > most, marks, name, "is above the maximum mark")
    if step is not None:
        _refuse(_off_step(marks, step), marks, name, f"is not a multiple of {step:g}")


def _refuse(wrong: NDArray[np.bool_], marks: FloatArray, name: str, why: str) -> None:
    if wrong.any():
        position = int(np.argmax(wrong))
        raise ValueError(f"Pair {position + 1}: {name} {marks[position]:g} {why}.")


def _off_step(marks: FloatArray, step: float) -> NDArray[np.bool_]:
    steps = marks / step
    return np.asarray(np.abs(steps - np.round(steps)) > SLACK)

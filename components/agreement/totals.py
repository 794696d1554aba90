"""Whole scripts: converted totals (GAOKAO-Bench) and whether two totals fall in the same grade."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from components.agreement.differences import share
from components.agreement.pairs import paired
from components.agreement.results import Share


@dataclass(frozen=True)
class SubjectPart:
    """One subject: the rates (0 to 1) earned on its objective and subjective parts, and what each counts for."""

    objective_rate: float
    objective_marks: float
    subjective_rate: float
    subjective_marks: float


def converted_total(parts: Iterable[SubjectPart]) -> float:
    """S = Σ R_obj·M_obj + R_subj·M_subj, in marks."""
    return sum(p.objective_rate * p.objective_marks + p.subjective_rate * p.subjective_marks for p in parts)


def same_grade(ai_totals: ArrayLike, teacher_totals: ArrayLike, boundaries: Sequence[float]) -> Share:
    """Share of scripts whose two totals fall in the same grade; a total on a boundary earns the grade.

    `boundaries` are each grade's lowest total, in any order. None where there are none.
    """
    names = ("the AI's total", "the teacher's total")
    x, y = paired(ai_totals, teacher_totals, names=names)
    if not boundaries:
        return Share(0, x.size, None, None, "no grade boundaries are set")
    ordered = np.sort(np.asarray(boundaries, dtype=np.float64))
    grades = (np.searchsorted(ordered, totals, side="right") for totals in (x, y))
    return share(int(np.count_nonzero(np.equal(*grades))), x.size)

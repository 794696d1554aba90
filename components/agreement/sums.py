"""QWK, bias and RMSE from six sums, so that a database can keep a question's agreement without its pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from components.agreement.pairs import FloatArray
from components.agreement.results import Statistic

# Sums of quarter marks are exact; this only catches the rounding of marks that are not, such as means of three.
ROUNDING = 1e-14

NO_PAIRS = "no response has both marks yet"


@dataclass(frozen=True)
class Sums:
    """n, Σx, Σy, Σx², Σy², Σxy of pairs (x the AI's mark, y the teacher's), or an array of each, one per question.

    Sums add: those of two sets of pairs together are those of their union.
    """

    n: FloatArray
    sx: FloatArray
    sy: FloatArray
    sxx: FloatArray
    syy: FloatArray
    sxy: FloatArray

    @property
    def squared_differences(self) -> FloatArray:
        """Σd², d = x − y."""
        return np.maximum(self.sxx + self.syy - 2 * self.sxy, 0.0)

    @property
    def all_squared_differences(self) -> FloatArray:
        """Σ over every i and j, i = j too, of (x_i − y_j)²; 0 exactly when all marks are one and the same."""
        total = self.n * (self.sxx + self.syy) - 2 * self.sx * self.sy
        return np.where(total <= ROUNDING * self.n * (self.sxx + self.syy), 0.0, total)

    @property
    def no_spread(self) -> NDArray[np.bool_]:
        """Whether one marker, or each, gave a single mark throughout."""
        return _constant(self.n, self.sx, self.sxx) | _constant(self.n, self.sy, self.syy)

    @property
    def qwk(self) -> FloatArray:
        """QWK, nan where it is 0/0."""
        chance = self.all_squared_differences
        with np.errstate(invalid="ignore", divide="ignore"):
            kappa = np.maximum(1 - self.n * self.squared_differences / chance, -1.0)
        return np.where(chance == 0, np.nan, np.where(self.no_spread, 0.0, kappa))


@dataclass(frozen=True)
class SumsAgreement:
    """What six sums tell of one question: QWK, mean signed difference (+: the AI is lenient), RMSE, SD (ddof 1)."""

    n: int
    qwk: Statistic
    mean_signed: Statistic
    rmse: Statistic
    sd: Statistic


def sums_of(x: FloatArray, y: FloatArray, weights: FloatArray | None = None) -> Sums:
    """The six sums of one question's pairs; with weights, n is their total."""
    w = np.ones_like(x) if weights is None else weights
    parts = (w, w * x, w * y, w * x * x, w * y * y, w * x * y)
    return Sums(*(np.asarray(part.sum(), dtype=np.float64) for part in parts))


def from_sums(n: int, sx: float, sy: float, sxx: float, syy: float, sxy: float) -> SumsAgreement:
    """A question's agreement from its six sums alone, equal to that from its pairs.

    Raises ValueError when no pairs could have these sums.
    """
    sums = Sums(*(np.asarray(value, dtype=np.float64) for value in (n, sx, sy, sxx, syy, sxy)))
    _check_possible(sums)
    if n == 0:
        none = Statistic(None, NO_PAIRS)
        return SumsAgreement(0, none, none, none, none)
    mean = (sx - sy) / n
    squared = float(sums.squared_differences)
    sd = (
        Statistic(math.sqrt(max(squared - n * mean * mean, 0.0) / (n - 1)))
        if n > 1
        else Statistic(None, "a standard deviation needs two pairs")
    )
    return SumsAgreement(n, qwk_statistic(sums, n), Statistic(mean), Statistic(math.sqrt(squared / n)), sd)


def qwk_statistic(sums: Sums, count: int, name: str = "QWK") -> Statistic:
    """QWK of one question's sums over `count` pairs, with its note."""
    if count == 0:
        return Statistic(None, NO_PAIRS)
    value = float(sums.qwk)
    if math.isnan(value):
        return Statistic(None, all_identical(count, name))
    return Statistic(value, no_spread(name) if bool(sums.no_spread) else "")


def all_identical(count: int, name: str = "QWK") -> str:
    """The reason why a kappa of `count` pairs with one and the same mark throughout is undefined."""
    marks = "both marks of the one pair" if count == 1 else f"all {count} marks"
    return f"{marks} identical, {name} not measurable"


def no_spread(name: str = "QWK") -> str:
    """The word of care beside a kappa of 0 that only says that a marker gave one mark throughout."""
    return f"no spread: a marker gave every response the same mark, so {name} is 0 however close the marks are"


def _constant(n: FloatArray, total: FloatArray, squares: FloatArray) -> NDArray[np.bool_]:
    return np.asarray(n * squares - total * total <= ROUNDING * n * squares)


def _check_possible(sums: Sums) -> None:
    n, sx, sy, sxx, syy, sxy = (float(value) for value in (sums.n, sums.sx, sums.sy, sums.sxx, sums.syy, sums.sxy))
    slack = 1e-9 * (1 + abs(n)) * (1 + sxx + syy)
    possible = (
        n >= 0
        and min(sx, sy, sxx, syy, sxy) >= 0
        and n * sxx - sx * sx >= -slack
        and n * syy - sy * sy >= -slack
        and sxx + syy - 2 * sxy >= -slack
        and (n > 0 or max(sx, sy, sxx, syy, sxy) == 0)
    )
    if not possible:
        raise ValueError(f"No marks have these sums: {n:g}, {sx:g}, {sy:g}, {sxx:g}, {syy:g}, {sxy:g}.")

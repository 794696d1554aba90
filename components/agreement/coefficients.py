"""Other published coefficients of agreement: Gwet, Krippendorff, intraclass, correlations, PRMSE."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from components.agreement.pairs import FloatArray, check_marks, column, paired
from components.agreement.results import Statistic
from components.agreement.sums import NO_PAIRS

LEVELS = ("interval", "ordinal")


@dataclass(frozen=True)
class IntraclassCorrelations:
    """Shrout and Fleiss (1979): ICC(2,1), absolute agreement of single marks, and ICC(3,1), their consistency."""

    icc21: Statistic
    icc31: Statistic


@dataclass(frozen=True)
class Correlations:
    """How alike two markers order the responses; blind to one being lenient throughout."""

    pearson: Statistic
    spearman: Statistic
    kendall: Statistic


def gwet_ac1(ai: ArrayLike, teacher: ArrayLike, max_mark: float, step: float = 1.0) -> Statistic:
    """Gwet's AC1 over the marks 0, step … max_mark. Unlike κ it does not fall when nearly all marks are the same."""
    x, y = paired(ai, teacher, max_mark, step)
    if x.size == 0:
        return Statistic(None, NO_PAIRS)
    marks = round(max_mark / step) + 1
    chance = _mixed_spread(x, y) / (marks - 1)
    return Statistic(1 - float((np.abs(x - y) > step / 2).mean()) / (1 - chance))


def gwet_ac2(ai: ArrayLike, teacher: ArrayLike, max_mark: float, step: float = 1.0) -> Statistic:
    """Gwet's AC2 with quadratic weights over the full scale 0, step … max_mark, which it needs and QWK does not."""
    x, y = paired(ai, teacher, max_mark, step)
    if x.size == 0:
        return Statistic(None, NO_PAIRS)
    marks = round(max_mark / step) + 1
    # Σ over all k, l of 1 − (k − l)²/(marks − 1)².
    weights = marks**2 - marks**2 * (marks**2 - 1) / (6 * (marks - 1) ** 2)
    chance = weights / (marks * (marks - 1)) * _mixed_spread(x, y)
    return Statistic(1 - float(((x - y) ** 2).mean()) / max_mark**2 / (1 - chance))


def krippendorff_alpha(ratings: ArrayLike, level: str = "interval") -> Statistic:
    """Krippendorff's α of a table, one row a response, one column a marker; nan where a marker gave no mark.

    `level` is "interval" or "ordinal". Rows with fewer than two marks are dropped. None when all marks that are left
    are one and the same. Raises ValueError for another level.
    """
    if level not in LEVELS:
        raise ValueError(f"The level is one of {', '.join(LEVELS)}, not {level!r}.")
    table = _table(ratings)
    given = ~np.isnan(table)
    table, given = table[given.sum(axis=1) >= 2], given[given.sum(axis=1) >= 2]
    if table.size == 0:
        return Statistic(None, "no response has two marks")
    if level == "ordinal":
        # The ordinal distance of two marks is the difference of their middle ranks.
        _, codes, counts = np.unique(table[given], return_inverse=True, return_counts=True)
        ranks = np.full(table.shape, np.nan)
        ranks[given] = (np.cumsum(counts) - counts / 2)[codes]
        table = ranks
    values = table[given] - table[given][0]
    n = values.size
    expected = 2 * (n * (values**2).sum() - values.sum() ** 2) / (n * (n - 1))
    if (values == 0).all():
        return Statistic(None, f"all {n} marks identical, α not measurable")
    per_row = given.sum(axis=1)
    centred = np.where(given, table - (np.nansum(table, axis=1) / per_row)[:, None], 0.0)
    observed = (2 * per_row / (per_row - 1) * (centred**2).sum(axis=1)).sum() / n
    return Statistic(float(1 - observed / expected))


def icc(ratings: ArrayLike) -> IntraclassCorrelations:
    """ICC(2,1) and ICC(3,1) of a complete table, one row a response, one column a marker.

    None with fewer than two rows or columns, or without variance. Raises ValueError where a mark is missing.
    """
    table = _table(ratings)
    if np.isnan(table).any():
        raise ValueError("An intraclass correlation needs a mark by every marker for every response.")
    n, k = table.shape
    if n < 2 or k < 2:
        none = Statistic(None, "needs two responses and two markers")
        return IntraclassCorrelations(none, none)
    table = table - table[0, 0]
    rows, columns, grand = table.mean(axis=1), table.mean(axis=0), table.mean()
    between_rows = k * ((rows - grand) ** 2).sum() / (n - 1)
    between_columns = n * ((columns - grand) ** 2).sum() / (k - 1)
    error = ((table - rows[:, None] - columns[None, :] + grand) ** 2).sum() / ((n - 1) * (k - 1))
    scale = (table**2).mean()
    return IntraclassCorrelations(
        _ratio(between_rows - error, between_rows + (k - 1) * error + k * (between_columns - error) / n, scale),
        _ratio(between_rows - error, between_rows + (k - 1) * error, scale),
    )


def correlations(ai: ArrayLike, teacher: ArrayLike) -> Correlations:
    """Pearson r, Spearman ρ and Kendall τ-b as SciPy has them; None for n < 3 or where a marker gave one mark."""
    x, y = paired(ai, teacher)
    why = ""
    if x.size < 3:
        why = "a correlation needs three pairs"
    elif (x == x[0]).all() or (y == y[0]).all():
        why = "a marker gave every response the same mark"
    if why:
        none = Statistic(None, why)
        return Correlations(none, none, none)
    from scipy import stats  # noqa: PLC0415

    return Correlations(
        Statistic(float(stats.pearsonr(x, y).statistic)),
        Statistic(float(stats.spearmanr(x, y).statistic)),
        Statistic(float(stats.kendalltau(x, y).statistic)),
    )


def prmse(ai: ArrayLike, e1: ArrayLike, e2: ArrayLike) -> Statistic:
    """Share of the variance of true marks that the AI predicts, marking error of two examiners taken out (RSMTool)."""
    first, second = paired(e1, e2, names=("the first marker's mark", "the second marker's mark"))
    machine = column(ai)
    if machine.size != first.size:
        raise ValueError(f"There are {machine.size} AI marks and {first.size} double-marked responses.")
    check_marks(machine, "the AI's mark", None, None)
    if first.size < 2:
        return Statistic(None, "needs two double-marked responses")
    mean = (first + second) / 2
    error = ((first - second) ** 2).mean() / 2
    true_variance = mean.var(ddof=1) - error / 2
    if true_variance <= 0:
        return Statistic(None, "the two markers' differences outweigh the spread of their marks")
    return Statistic(float(1 - (((machine - mean) ** 2).mean() - error / 2) / true_variance))


def _mixed_spread(x: FloatArray, y: FloatArray) -> float:
    """Σ π(1 − π), π the share of a mark among both markers' marks."""
    _, counts = np.unique(np.concatenate([x, y]), return_counts=True)
    shares = counts / counts.sum()
    return float((shares * (1 - shares)).sum())


def _table(ratings: ArrayLike) -> FloatArray:
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError("Ratings are a table: one row a response, one column a marker.")
    if np.isinf(table).any():
        raise ValueError("A mark in the table is infinite.")
    return table


def _ratio(numerator: float, denominator: float, scale: float) -> Statistic:
    if denominator <= 1e-12 * scale or math.isclose(denominator, 0.0):
        return Statistic(None, "the marks have no variance")
    return Statistic(float(numerator / denominator))

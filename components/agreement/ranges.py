"""Where on the scale an AI is lenient or severe."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from components.agreement.differences import mean_with_interval
from components.agreement.pairs import FloatArray, paired
from components.agreement.results import Statistic
from components.agreement.sums import NO_PAIRS


@dataclass(frozen=True)
class RangeBias:
    """The pairs whose mean mark is `low` up to `high` of the maximum (0 to 1), and the AI's bias on them.

    `mean_signed` is in marks, `bias_percent` in % of the maximum; + means the AI is lenient. Both have t intervals.
    """

    low: float
    high: float
    n: int
    mean_signed: Statistic
    bias_percent: Statistic


def bias_by_range(ai: ArrayLike, teacher: ArrayLike, max_mark: ArrayLike, ranges: int = 3) -> tuple[RangeBias, ...]:
    """The AI's bias on low, middle and high marks, or as many equal ranges as asked for, each without its upper end.

    A pair's place is the mean of its two marks, as in Bland and Altman's plot (1995), not the teacher's mark. Teachers
    differ from each other too, so those responses which one marks low tend to get more from anybody else, and those
    marked high less: by the teacher's mark even a fair AI looks lenient at the bottom and severe at the top. The mean
    favours neither marker; what is left shows that one of them spreads the marks more widely. `max_mark` is one
    number or one per pair. Raises ValueError naming the pair whose mark is missing or off the scale, or if ranges < 1.
    """
    if ranges < 1:
        raise ValueError(f"Marks fall in at least one range, not {ranges}.")
    x, y = paired(ai, teacher, max_mark)
    most = np.broadcast_to(np.asarray(max_mark, dtype=np.float64), x.shape)
    # One division of numbers that are exact in binary: a third, which is not, is never compared with.
    place = np.minimum(np.floor(ranges * (x + y) / (2 * most)), ranges - 1)
    d = x - y
    return tuple(
        RangeBias(
            low=number / ranges,
            high=(number + 1) / ranges,
            n=int(np.count_nonzero(place == number)),
            mean_signed=_mean(d[place == number]),
            bias_percent=_mean(100 * (d / most)[place == number]),
        )
        for number in range(ranges)
    )


def _mean(values: FloatArray) -> Statistic:
    return mean_with_interval(values) if values.size else Statistic(None, NO_PAIRS)

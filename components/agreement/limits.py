"""Bland and Altman's limits over questions with different maxima, in % of each one's."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from components.agreement.by_question import frequencies
from components.agreement.pairs import paired
from components.agreement.results import Interval

FEWEST = 10


def limits_in_percent(
    ai: ArrayLike, teacher: ArrayLike, max_mark: ArrayLike, counts: ArrayLike | None = None
) -> tuple[float | None, Interval | None]:
    """The mean of 100·(AI − teacher)/M, + where the AI is lenient, and mean ± 1.96 SD (ddof 1).

    `max_mark` is one number or one a row; `counts`, where given, how many pairs each row stands for. The mean is None
    without pairs, the limits under ten. Raises ValueError naming the pair whose mark is missing or off the scale.
    """
    x, y = paired(ai, teacher, max_mark)
    times = frequencies(counts, x.size)
    n = float(times.sum())
    if n == 0:
        return None, None
    d = 100 * (x - y) / np.broadcast_to(np.asarray(max_mark, dtype=np.float64), x.shape)
    mean = float(times @ d / n)
    if n < FEWEST:
        return mean, None
    reach = 1.96 * float(np.sqrt(times @ (d - mean) ** 2 / (n - 1)))
    return mean, Interval(mean - reach, mean + reach, "Bland–Altman")

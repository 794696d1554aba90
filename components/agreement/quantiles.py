"""Quantiles for 95% intervals. SciPy is imported on first use: it is slow to load and many pages need no interval."""

from __future__ import annotations

NORMAL = 1.959963984540054


def student_t(degrees: float) -> float:
    """The .975 quantile of Student's t; `degrees` of freedom need not be whole."""
    from scipy.special import stdtrit  # noqa: PLC0415

    return float(stdtrit(degrees, 0.975))

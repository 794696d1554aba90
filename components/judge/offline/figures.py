"""How well held-out marks agree with the teacher's: QWK, its interval, and how a judge writes them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def qwk(x: Numbers, y: Numbers) -> float:
    """1 − nΣd² / (nΣx² + nΣy² − 2ΣxΣy); NaN where both are one and the same constant mark."""
    spread = np.mean(x**2) + np.mean(y**2) - 2 * np.mean(x) * np.mean(y)
    return float(1 - np.mean((x - y) ** 2) / spread) if spread > 1e-12 else math.nan


def qwk_interval(x: Numbers, y: Numbers) -> tuple[float, float] | None:
    """95% interval of a QWK by the delta method on atanh's scale with Student's t; None where it has no spread."""
    from scipy.special import stdtrit  # noqa: PLC0415 - slow to import, and the wording check needs none of it

    n = len(x)
    kappa = qwk(x, y)
    if n < 3 or not abs(kappa) < 1:
        return None
    off = np.mean((x - y) ** 2)
    spread = np.mean(x**2) + np.mean(y**2) - 2 * np.mean(x) * np.mean(y)
    off_influence = (x - y) ** 2 - off
    spread_influence = x**2 + y**2 - 2 * (x * np.mean(y) + y * np.mean(x))
    spread_influence -= np.mean(spread_influence)
    influence = -off_influence / spread + off * spread_influence / spread**2
    error = math.sqrt(float(np.mean(influence**2)) / (n - 1))
    if error == 0:
        return None
    half = float(stdtrit(n - 1, 0.975)) * error / (1 - kappa**2)
    return math.tanh(math.atanh(kappa) - half), math.tanh(math.atanh(kappa) + half)


def short(value: float) -> str:
    """A QWK as it is printed: .58, −.05, 1.00; "not measurable" for NaN."""
    if math.isnan(value):
        return "not measurable"
    text = f"{abs(value):.2f}"
    return ("−" if value < 0 and text != "0.00" else "") + (text[1:] if text.startswith("0") else text)


def short_interval(interval: tuple[float, float] | None) -> str:
    """An interval as it is printed behind its QWK: " (.41–.71)"; nothing where there is none."""
    return f" ({short(interval[0])}–{short(interval[1])})" if interval else ""

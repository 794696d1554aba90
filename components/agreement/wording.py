"""Figures in words, as a head of department reads them."""

from __future__ import annotations

from components.agreement.differences import Differences
from components.agreement.results import Interval, Share, Statistic


def kappa_text(value: float) -> str:
    """A coefficient to two places without its leading 0: .81, −.12, 1.00."""
    text = f"{abs(value):.2f}".removeprefix("0")
    return f"−{text}" if value < 0 and text != ".00" else text


def kappa_with_interval(name: str, statistic: Statistic) -> str:
    """QWK .81 (.77–.85); the name and the value alone where there is no interval."""
    if statistic.value is None:
        return f"{name} not measurable"
    return f"{name} {kappa_text(statistic.value)}{_bounds(statistic.interval)}"


def exact_text(exact: Share) -> str:
    """Exactly the same mark on 7 of 9 (78%, likely 45–94%)."""
    if exact.value is None or exact.interval is None:
        return exact.note
    low, high = round(100 * exact.interval.low), round(100 * exact.interval.high)
    return (
        f"Exactly the same mark on {exact.count:,} of {exact.n:,} ({round(100 * exact.value)}%, likely {low}–{high}%)"
    )


def direction_text(figures: Differences) -> str:
    """Which marker gives more, in marks on average."""
    mean = figures.mean_signed.value
    if mean is None:
        return figures.mean_signed.note
    if abs(mean) < 0.005:
        return "On average the AI gives neither more nor less"
    return f"On average the AI gives {abs(mean):.2f} marks {'more' if mean > 0 else 'less'}"


def count_of(n: int, thing: str) -> str:
    """1 pair, 2 pairs."""
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"


def _bounds(interval: Interval | None) -> str:
    if interval is None:
        return ""
    low, high = kappa_text(interval.low), kappa_text(interval.high)
    return f" ({low}–{high})" if interval.low >= 0 else f" ({low} to {high})"

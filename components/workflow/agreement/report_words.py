"""Figures as the report writes them."""

from __future__ import annotations

from components.agreement import Interval, Share, kappa_text


def bounds_text(interval: Interval | None) -> str:
    """.41–.71"""
    if interval is None:
        return "—"
    joint = "–" if interval.low >= 0 else " to "
    return f"{kappa_text(interval.low)}{joint}{kappa_text(interval.high)}"


def percent(part: Share) -> str:
    """78%"""
    return "—" if part.value is None else f"{100 * part.value:.0f}%"


def likely_percent(part: Share) -> str:
    """45–94%"""
    return "—" if part.interval is None else f"{100 * part.interval.low:.0f}–{100 * part.interval.high:.0f}%"


def signed(value: float | None, places: int = 2) -> str:
    """+0.30, or −0.30."""
    if value is None:
        return "—"
    text = f"{value:+.{places}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")

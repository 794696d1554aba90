"""Agreement's figures in few words, for tiles, tables and charts."""

from __future__ import annotations

import re

from components.agreement import Interval, Share, Statistic, kappa_text, kappa_with_interval

NO_FIGURE = "—"


def lenient_text(mean: Statistic) -> str:
    """The direction of a mean signed difference (AI − teacher) as a sentence; nothing where there is none."""
    return "" if mean.value is None else f"On average: {lenient_short(mean)}."


def lenient_short(mean: Statistic) -> str:
    """AI lenient by 0.30 marks."""
    if mean.value is None:
        return mean.note
    if abs(mean.value) < 0.005:
        return "AI neither lenient nor severe"
    return f"AI {'lenient' if mean.value > 0 else 'severe'} by {abs(mean.value):.2f} marks"


def qwk_value(qwk: Statistic) -> str:
    """.58"""
    return NO_FIGURE if qwk.value is None else kappa_text(qwk.value)


def under_qwk(qwk: Statistic, n: int) -> str:
    """What stands under a QWK: its interval and how many pairs it rests on, or why there is none."""
    if qwk.value is None:
        return f"n = {n:,}: {qwk.note.removeprefix('QWK is ')}"
    return f"n = {n:,}" + (f", likely {interval_text(qwk.interval)}" if qwk.interval else "")


def qwk_text(qwk: Statistic) -> str:
    """QWK .58 (.41–.71)."""
    return kappa_with_interval("QWK", qwk)


def signed(mean: Statistic) -> str:
    """+0.30, −0.30 or 0.00."""
    return NO_FIGURE if mean.value is None else _with_sign(mean.value)


def signed_interval(interval: Interval | None) -> str:
    """−0.30 to +0.12"""
    if interval is None:
        return NO_FIGURE
    return f"{_with_sign(interval.low)} to {_with_sign(interval.high)}"


def _with_sign(value: float) -> str:
    text = f"{value:+.2f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def percent(part: Share) -> str:
    """78%"""
    return NO_FIGURE if part.value is None else f"{100 * part.value:.0f}%"


def in_percent(part: Share) -> float | None:
    """78.0, for a table that writes the % itself."""
    return None if part.value is None else 100 * part.value


def share_text(part: Share) -> str:
    """7 of 9, likely 45–94%."""
    return f"{part.count:,} of {part.n:,}, likely {likely(part.interval)}"


def likely(interval: Interval | None) -> str:
    """45–94%"""
    return NO_FIGURE if interval is None else f"{100 * interval.low:.0f}–{100 * interval.high:.0f}%"


def interval_text(interval: Interval | None) -> str:
    """.41–.71"""
    if interval is None:
        return NO_FIGURE
    joint = "–" if interval.low >= 0 else " to "
    return f"{kappa_text(interval.low)}{joint}{kappa_text(interval.high)}"


def count(n: int, thing: str) -> str:
    """1 question, 2 questions."""
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def plain(text: str) -> str:
    """Text in which nothing is Markdown, such as a judge's name; an invisible joiner keeps an address from linking."""
    text = re.sub(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?<=@)", "\u2060", text)
    return re.sub(r"([\\`*_{}\[\]()<>#+\-.!|~$:])", r"\\\1", text)

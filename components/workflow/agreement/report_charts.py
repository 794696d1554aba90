"""The report's charts: each is SVG text, small enough to stand on one printed page."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from components.agreement import Interval, Standing, Statistic, kappa_text
from components.workflow.agreement import report_svg as svg
from components.workflow.agreement.figures import QuestionFigures, each_pair
from components.workflow.agreement.over_time import Point
from components.workflow.agreement.report_svg import Axis
from components.workflow.agreement.report_words import signed
from components.workflow.agreement.tables import two_teachers_qwk

WIDTH = 680
ROW = 19
LINE = 14  # between two lines of small words
ROWS_A_CHART = 21  # two such charts fit on a page
FINEST_SQUARES = 13  # marks a side, beyond which a number in a square cannot be read
TRUSTED_QWK = 0.7


@dataclass(frozen=True)
class _Row:
    label: str
    found: Statistic
    said: str
    provisional: bool
    teachers: Statistic | None = None


def qwk_charts(questions: Sequence[QuestionFigures], teachers: Statistic | None = None) -> tuple[str, ...]:
    """A dot with its interval for each question's QWK, a few charts where there are many questions.

    `teachers` is two teachers' QWK over the exam, drawn as a band behind the dots.
    """
    rows = [
        _Row(
            q.question.number,
            q.agreement.qwk,
            _qwk_said(q),
            q.agreement.standing is Standing.PROVISIONAL,
            two_teachers_qwk(q),
        )
        for q in questions
    ]
    ends = [_ends(row.found) for row in rows if row.found.value is not None]
    low = min([0.0, *(low for low, _ in ends)])
    return _dot_charts("qwk", "QWK by question", rows, (math.floor(low * 5) / 5, 1.0), band=teachers, line=TRUSTED_QWK)


def bias_charts(questions: Sequence[QuestionFigures]) -> tuple[str, ...]:
    """A dot with its interval for each question's mean difference in % of its maximum, + where the AI is lenient."""
    rows = [
        _Row(
            q.question.number,
            q.agreement.differences.bias_percent,
            _bias_said(q),
            q.agreement.n < 30,
        )
        for q in questions
    ]
    ends = [abs(end) for row in rows if row.found.value is not None for end in _ends(row.found)]
    reach = min(100.0, max(5.0, 5.0 * math.ceil(max(ends, default=5.0) / 5)))
    title = "Mean difference by question, % of its maximum (right of 0: AI lenient)"
    return _dot_charts("bias", title, rows, (-reach, reach), line=0.0, percent=True)


def _ends(found: Statistic) -> tuple[float, float]:
    value = found.value or 0.0
    return (found.interval.low, found.interval.high) if found.interval else (value, value)


def _qwk_said(q: QuestionFigures) -> str:
    qwk = q.agreement.qwk
    if qwk.value is None:
        return f"no figure, n = {q.agreement.n:,}"
    return f"{kappa_text(qwk.value)}, n = {q.agreement.n:,}"


def _bias_said(q: QuestionFigures) -> str:
    bias = q.agreement.differences.bias_percent.value
    return "no pairs" if bias is None else f"{_percent(bias)}%, n = {q.agreement.n:,}"


def _percent(value: float) -> str:
    return signed(value, 1)


def _dot_charts(
    name: str,
    title: str,
    rows: Sequence[_Row],
    reach: tuple[float, float],
    *,
    band: Statistic | None = None,
    line: float,
    percent: bool = False,
) -> tuple[str, ...]:
    parts = -(-len(rows) // ROWS_A_CHART)
    size = -(-len(rows) // max(parts, 1))
    return tuple(
        _dot_chart(
            f"{name}{part}",
            title if parts == 1 else f"{title}, part {part + 1} of {parts}",
            rows[part * size : (part + 1) * size],
            reach,
            band,
            line,
            percent,
        )
        for part in range(parts)
    )


def _dot_chart(
    name: str,
    title: str,
    rows: Sequence[_Row],
    reach: tuple[float, float],
    band: Statistic | None,
    line: float,
    percent: bool,
) -> str:
    axis = Axis(*reach, 120, WIDTH - 150)
    top, bottom = 26, 30 + ROW * len(rows)
    parts = [svg.text(0, 14, title, size=13)]
    if band is not None and band.value is not None and band.interval is not None:
        low, high = axis.at(band.interval.low), axis.at(band.interval.high)
        parts.append(svg.box(low, top, high - low, bottom - top, svg.BAND))
    for tick in svg.ticks(*reach, 8):
        parts.append(svg.line(axis.at(tick), top, axis.at(tick), bottom, svg.PALE, 0.7))
        written = f"{tick:+g}%".replace("-", "−") if percent else kappa_text(tick)
        parts.append(svg.text(axis.at(tick), bottom + 16, "0%" if percent and tick == 0 else written, "middle"))
    parts.append(svg.line(axis.at(line), top, axis.at(line), bottom, svg.INK, 1.2, "" if percent else "5 4"))
    if band is not None and band.value is not None:
        parts.append(svg.line(axis.at(band.value), top, axis.at(band.value), bottom, svg.RED, 1.2, "2 3"))
    for place, row in enumerate(rows):
        parts += _dot_row(row, axis, top + 2 + ROW * (place + 0.5))
    told = f"{title}. " + "; ".join(f"question {row.label}: {row.said}" for row in rows) + "."
    return svg.drawing(name, WIDTH, bottom + 24, title, told, parts)


def _dot_row(row: _Row, axis: Axis, y: float) -> list[str]:
    parts = [
        svg.text(112, y + 4, svg.shortened(row.label), "end"),
        svg.text(WIDTH - 140, y + 4, row.said, colour=svg.INK),
    ]
    if row.teachers is not None and row.teachers.value is not None:
        parts.append(svg.diamond(axis.at(row.teachers.value), y))
    if row.found.value is not None:
        low, high = _ends(row.found)
        parts.append(svg.line(axis.at(low), y, axis.at(high), y, svg.BLUE, 2))
        parts.append(svg.dot(axis.at(row.found.value), y, hollow=row.provisional))
    return parts


def confusion_chart(q: QuestionFigures) -> str:
    """How often the AI gave which mark where teachers gave which: numbers in squares, or dots of that area where the
    scale is too fine for numbers."""
    top, step = q.question.max_mark, q.question.mark_step
    places = round(top / step) + 1
    numbers = places <= FINEST_SQUARES
    side = min(34.0, 250 / places)
    length = side * places
    across, up = (
        Axis(0, top, 46 + side / 2, 46 + length - side / 2),
        Axis(0, top, 24 + length - side / 2, 24 + side / 2),
    )
    most = max((n for *_, n in q.alike), default=1)
    parts = [svg.text(46, 15, f"Question {svg.shortened(q.question.number, 20)}", size=13)]
    parts.append(svg.line(46, 24 + length, 46 + length, 24, svg.PALE, 1, "3 3"))
    for ai, teacher, n in q.alike:
        x, y = across.at(ai), up.at(teacher)
        colour = svg.BLUE if abs(ai - teacher) <= q.question.tolerance + 1e-9 else svg.RED
        if numbers:
            shade = 0.12 + 0.5 * math.sqrt(n / most)
            parts.append(svg.box(x - side / 2 + 1, y - side / 2 + 1, side - 2, side - 2, colour, opacity=shade))
            parts.append(svg.text(x, y + 4, f"{n:,}", "middle", size=min(12, side / 2)))
        else:
            parts.append(svg.dot(x, y, 2 + 6 * math.sqrt(n / most), colour, opacity=0.6))
    parts.append(svg.box(46, 24, length, length, "none", stroke=svg.PALE))
    every = max(1, math.ceil((places - 1) / 10))
    for tick in (step * place for place in range(0, places, every)):
        parts.append(svg.text(across.at(tick), 40 + length, f"{tick:g}", "middle", size=11))
        parts.append(svg.text(40, up.at(tick) + 4, f"{tick:g}", "end", size=11))
    parts.append(svg.text(46 + length / 2, 56 + length, "AI’s mark", "middle"))
    middle = 24 + length / 2
    parts.append(f'<g transform="rotate(-90 14 {middle:.1f})">{svg.text(14, middle, "Teacher’s mark", "middle")}</g>')
    told = "; ".join(f"AI {ai:g}, teacher {teacher:g}: {n:,}" for ai, teacher, n in q.alike) or "no pairs"
    title = f"Question {q.question.number}: the AI’s mark against the teacher’s"
    return svg.drawing(f"confusion{q.question_id}", max(length + 60, 160), length + 66, title, told, parts)


@dataclass(frozen=True)
class Spread:
    """Differences of all pairs in % of their question's maximum: how many, their mean, and the limits between which
    95 of 100 lie."""

    bubbles: tuple[tuple[float, float, int], ...]  # (mean of both, AI − teacher, pairs)
    n: int
    mean: float | None
    limits: Interval | None


def spread_of(questions: Sequence[QuestionFigures]) -> Spread:
    """Bland and Altman's figures over questions of different maxima; limits need two pairs."""
    counted: dict[tuple[float, float], int] = defaultdict(int)
    for q in questions:
        for ai, teacher, n in q.alike:
            scale = 100 / q.question.max_mark
            counted[round(scale * (ai + teacher) / 2, 3), round(scale * (ai - teacher), 3)] += n
    differences = [(100 * (x - y) / q.question.max_mark) for q in questions for x, y in [each_pair(q.alike)]]
    d = np.concatenate(differences) if differences else np.empty(0)
    bubbles = tuple((mean, apart, n) for (mean, apart), n in sorted(counted.items()))
    if d.size < 2:
        return Spread(bubbles, d.size, float(d[0]) if d.size else None, None)
    mean, sd = float(d.mean()), float(d.std(ddof=1))
    return Spread(bubbles, d.size, mean, Interval(mean - 1.96 * sd, mean + 1.96 * sd, "Bland–Altman"))


def bland_altman_chart(spread: Spread) -> str:
    """Each pair's difference over the mean of its two marks, in % of the maximum; alike pairs are one larger dot."""
    bottom, left, right = 260.0, 70.0, WIDTH - 130.0
    ends = [abs(apart) for _, apart, _ in spread.bubbles]
    if spread.limits is not None:
        ends += [abs(spread.limits.low), abs(spread.limits.high)]
    reach = 10.0 * math.ceil(max([10.0, *ends]) / 10)
    across, up = Axis(0, 100, left, right), Axis(-reach, reach, bottom, 20)
    most = max((n for *_, n in spread.bubbles), default=1)
    parts = []
    if spread.limits is not None:
        top = up.at(spread.limits.high)
        parts.append(svg.box(left, top, right - left, up.at(spread.limits.low) - top, svg.BAND))
        middle = up.at(spread.mean or 0.0)
        for name, value, y in (
            ("upper limit", spread.limits.high, min(top, middle - LINE)),
            ("lower limit", spread.limits.low, max(up.at(spread.limits.low), middle + LINE)),
        ):
            parts.append(svg.text(right + 18, y + 4, f"{name} {_percent(value)}%", size=11))
    for tick in svg.ticks(-reach, reach):
        parts.append(svg.line(left, up.at(tick), right, up.at(tick), svg.INK if tick == 0 else svg.PALE, 0.8))
        written = "0%" if tick == 0 else f"{tick:+g}%".replace("-", "−")
        parts.append(svg.text(left - 6, up.at(tick) + 4, written, "end", size=11))
    for tick in svg.ticks(0, 100):
        parts.append(svg.text(across.at(tick), bottom + 16, f"{tick:g}%", "middle", size=11))
    for mean, apart, n in spread.bubbles:
        parts.append(svg.dot(across.at(mean), up.at(apart), 2.5 + 9 * math.sqrt(n / most), opacity=0.35))
    if spread.mean is not None:
        parts.append(svg.line(left, up.at(spread.mean), right, up.at(spread.mean), svg.RED, 1.5, "6 4"))
        parts.append(svg.text(right + 18, up.at(spread.mean) + 4, f"mean {_percent(spread.mean)}%", size=11))
    parts.append(svg.text((left + right) / 2, bottom + 34, "Mean of both marks, % of the maximum", "middle"))
    parts.append(svg.text(left, 12, "AI − teacher, % of the maximum (above 0: AI lenient)"))
    told = f"{spread.n:,} pairs. " + (
        ""
        if spread.mean is None or spread.limits is None
        else f"Mean difference {_percent(spread.mean)}% of the maximum; 95 of 100 differences lie between "
        f"{_percent(spread.limits.low)}% and {_percent(spread.limits.high)}%."
    )
    return svg.drawing("spread", WIDTH, bottom + 42, "How far apart the two marks are", told, parts)


def running_chart(points: Sequence[Point], name: str, *, percent: bool) -> str:
    """The running figure over the number of blind pairs, with the interval that holds however often one looks."""
    known = [point for point in points if point.value is not None]
    bottom, left, right = 210.0, 60.0, WIDTH - 40.0
    low = 0.0 if percent else min([0.0, *(max(-1.0, point.low) for point in known if point.low is not None)])
    up = Axis(math.floor(low * 5) / 5, 1.0, bottom, 20)
    first, last = (known[0].n, known[-1].n) if known else (0, 1)
    across = Axis(min(first, last - 1), last, left, right)
    parts = []
    banded = [p for p in known if p.low is not None and p.high is not None]
    if len(banded) > 1:
        upper = [(across.at(p.n), up.at(p.high or 0.0)) for p in banded]
        lower = [(across.at(p.n), up.at(p.low or 0.0)) for p in reversed(banded)]
        parts.append(svg.area([*upper, *lower]))
    for tick in svg.ticks(up.low, up.high):
        parts.append(svg.line(left, up.at(tick), right, up.at(tick), svg.PALE, 0.7))
        written = f"{100 * tick:.0f}%" if percent else kappa_text(tick)
        parts.append(svg.text(left - 6, up.at(tick) + 4, written, "end", size=11))
    for tick in svg.ticks(across.low, across.high):
        if tick == round(tick):
            parts.append(svg.text(across.at(tick), bottom + 16, f"{tick:,.0f}", "middle", size=11))
    if len(known) > 1:
        parts.append(svg.path([(across.at(p.n), up.at(p.value or 0.0)) for p in known]))
    elif known:
        parts.append(svg.dot(across.at(last), up.at(known[0].value or 0.0)))
    parts.append(svg.text((left + right) / 2, bottom + 34, "Blind pairs so far", "middle"))
    parts.append(svg.text(left, 12, name))
    told = "No figure yet."
    if known and known[-1].value is not None:
        value = known[-1].value
        told = f"After {last:,} blind pairs: {f'{100 * value:.0f}%' if percent else kappa_text(value)}."
    return svg.drawing("running", WIDTH, bottom + 42, f"{name}, as marking went on", told, parts)

"""The report's charts as SVG text for the file: dots with their intervals, QWK against price, QWK over examples."""

from __future__ import annotations

import math
from collections.abc import Sequence

from components.agreement import Statistic, kappa_text
from components.workflow.agreement import report_svg as svg
from components.workflow.agreement.report_svg import Axis
from components.workflow.agreement.report_words import signed
from components.workflow.trial.report_bias_cost import money
from components.workflow.trial.report_shapes import Chart, CostPlane, Curves, DotRow, Dots, apart_text, qwk_likely

WIDTH = 680
LABEL = 190
ROW, GAP, TOP = 17, 6, 44
ROWS_A_CHART = 24
COLOURS = (svg.BLUE, svg.RED, "#009e73", "#b8860b", "#cc79a7", "#4d4d4d")
LETTERS = 26


def drawings(name: str, chart: Chart) -> tuple[str, ...]:
    """The chart as one SVG, or several where it has many rows. `name` must differ from all others on the page."""
    if isinstance(chart, Dots):
        return _dots(name, chart)
    return (_cost(name, chart) if isinstance(chart, CostPlane) else _curves(name, chart),)


def _dots(name: str, chart: Dots) -> tuple[str, ...]:
    labels = list(dict.fromkeys(row.label for row in chart.rows))
    series = list(dict.fromkeys(row.series for row in chart.rows))
    parts = max(1, -(-len(labels) // ROWS_A_CHART))
    size = -(-len(labels) // parts)
    made = []
    for part in range(parts):
        kept = labels[part * size : (part + 1) * size]
        title = chart.title if parts == 1 else f"{chart.title}, part {part + 1} of {parts}"
        made.append(_dot_part(f"{name}{part}", title, chart, kept, series))
    return tuple(made)


def _dot_part(name: str, title: str, chart: Dots, labels: Sequence[str], series: Sequence[str]) -> str:
    low, high = _reach(chart)
    axis = Axis(low, high, LABEL + 8, WIDTH - 105)
    tall = ROW * max(1, len(series)) + GAP
    bottom = TOP + tall * len(labels)
    parts = [svg.text(0, 14, title, size=13), *_legend(chart, series)]
    parts += _band(chart.band, axis, TOP, bottom)
    for tick in svg.ticks(low, high, 8):
        parts.append(svg.line(axis.at(tick), TOP, axis.at(tick), bottom, svg.PALE, 0.7))
        parts.append(svg.text(axis.at(tick), bottom + 16, _written(chart, tick, 0), "middle"))
    if chart.line is not None:
        dash = "" if chart.line == 0 else "5 4"
        parts.append(svg.line(axis.at(chart.line), TOP, axis.at(chart.line), bottom, svg.INK, 1.2, dash))
    for place, label in enumerate(labels):
        y = TOP + tall * place + GAP / 2
        parts.append(svg.text(LABEL, y + tall / 2 + 1, svg.shortened(label, LETTERS), "end"))
        for row in (row for row in chart.rows if row.label == label):
            at = series.index(row.series)
            parts += _dot(chart, row, axis, y + ROW * (at + 0.5), COLOURS[at % len(COLOURS)])
    inside = set(labels)
    told = f"{title}. " + "; ".join(
        f"{row.label}{f', {row.series}' if len(series) > 1 else ''}: {_said(chart, row)}"
        for row in chart.rows
        if row.label in inside
    )
    return svg.drawing(name, WIDTH, bottom + 24, title, f"{told}.", parts)


def _dot(chart: Dots, row: DotRow, axis: Axis, y: float, colour: str) -> list[str]:
    parts = [svg.text(WIDTH - 98, y + 4, _said(chart, row), size=11)]
    if row.humans is not None and row.humans.value is not None:
        parts.append(svg.diamond(axis.at(row.humans.value), y, colour="#4d4d4d"))
    if row.found.value is not None:
        if row.found.interval is not None:
            low, high = row.found.interval.low, row.found.interval.high
            parts.append(svg.line(axis.at(low), y, axis.at(high), y, colour, 2))
        parts.append(svg.dot(axis.at(row.found.value), y, colour=colour, hollow=row.n < 30))
    return parts


def _said(chart: Dots, row: DotRow) -> str:
    value = row.found.value
    return f"no figure, n={row.n:,}" if value is None else f"{_written(chart, value, 1)}, n={row.n:,}"


def _written(chart: Dots, value: float, places: int) -> str:
    if chart.percent:
        return f"{signed(value, places)}%"
    return apart_text(value) if chart.signed else kappa_text(value)


def _reach(chart: Dots) -> tuple[float, float]:
    """What the axis shows: at least what is asked for, and every interval."""
    ends = list(chart.reach)
    for row in chart.rows:
        if row.found.interval is not None:
            ends += [row.found.interval.low, row.found.interval.high]
    low, high = min(ends), max(ends)
    fine = 5.0 if chart.percent else 0.05 if chart.signed else 0.1
    return math.floor(low / fine + 1e-9) * fine, math.ceil(high / fine - 1e-9) * fine


def _legend(chart: Dots, series: Sequence[str]) -> list[str]:
    parts, x = [], float(LABEL + 8)
    if len(series) > 1:
        for place, name in enumerate(series):
            parts += [svg.dot(x, 30, colour=COLOURS[place % len(COLOURS)]), svg.text(x + 9, 34, name, size=11)]
            x += 24 + 6.2 * len(name)
    if any(row.humans is not None for row in chart.rows):
        parts += [svg.diamond(x, 30, colour="#4d4d4d"), svg.text(x + 9, 34, "the humans with each other", size=11)]
    elif chart.band is not None and chart.band.value is not None:
        parts += [svg.box(x - 5, 25, 14, 10, svg.BAND), svg.text(x + 14, 34, "the humans with each other", size=11)]
    return parts


def _band(band: Statistic | None, axis: Axis, top: float, bottom: float) -> list[str]:
    if band is None or band.value is None:
        return []
    parts = []
    if band.interval is not None:
        low, high = axis.at(band.interval.low), axis.at(band.interval.high)
        parts.append(svg.box(low, top, max(high - low, 1), bottom - top, svg.BAND))
    return [*parts, svg.line(axis.at(band.value), top, axis.at(band.value), bottom, svg.RED, 1.2, "2 3")]


def _plane(band: Statistic | None, values: Sequence[Statistic], height: float) -> tuple[Axis, list[str]]:
    """The upright QWK axis of a chart with its lines and the humans' band."""
    known = [*values, *([band] if band is not None else [])]
    lows = [each.interval.low if each.interval else each.value or 0.0 for each in known]
    up = Axis(math.floor(min([0.5, *lows]) * 10 + 1e-9) / 10, 1.0, height, 30)
    parts = []
    if band is not None and band.value is not None:
        if band.interval is not None:
            top, bottom = up.at(band.interval.high), up.at(band.interval.low)
            parts.append(svg.box(46, top, WIDTH - 60, max(bottom - top, 1), svg.BAND))
        parts.append(svg.line(46, up.at(band.value), WIDTH - 14, up.at(band.value), svg.RED, 1.2, "2 3"))
        parts.append(svg.text(50, up.at(band.value) - 4, "the humans with each other", size=11))
    for tick in svg.ticks(up.low, up.high, 6):
        parts.append(svg.line(46, up.at(tick), WIDTH - 14, up.at(tick), svg.PALE, 0.7))
        parts.append(svg.text(40, up.at(tick) + 4, kappa_text(tick), "end"))
    return up, parts


def _upright(found: Statistic, x: float, up: Axis, colour: str) -> list[str]:
    parts = []
    if found.interval is not None:
        parts.append(svg.line(x, up.at(found.interval.low), x, up.at(found.interval.high), colour, 2))
    return [*parts, svg.dot(x, up.at(found.value or 0.0), colour=colour)]


def _cost(name: str, chart: CostPlane) -> str:
    up, parts = _plane(chart.band, [point.found for point in chart.points], 250)
    powers = [math.log10(point.dollars) for point in chart.points]
    low, high = math.floor(min(powers)), max(math.ceil(max(powers)), math.floor(min(powers)) + 1)
    across = Axis(low, high, 60, WIDTH - 130)
    for power in range(low, high + 1):
        parts.append(svg.line(across.at(power), 30, across.at(power), 250, svg.PALE, 0.7))
        parts.append(svg.text(across.at(power), 266, f"${10.0**power:g}", "middle"))
    ordered = sorted(chart.points, key=lambda each: each.found.value or 0.0)
    last = math.inf
    for place, point in enumerate(ordered):
        x = across.at(math.log10(point.dollars))
        colour = COLOURS[place % len(COLOURS)]
        parts += _upright(point.found, x, up, colour)
        last = min(up.at(point.found.value or 0.0) + 4, last - 12)  # names do not lie on each other
        parts.append(svg.text(x + 8, last, svg.shortened(point.name, 20), size=11))
    parts += [svg.text(0, 14, chart.title, size=13), svg.text(WIDTH / 2, 284, "dollars, log axis", "middle", size=11)]
    told = "; ".join(f"{each.name}: {money(each.dollars)}, QWK {qwk_likely(each.found)}" for each in chart.points)
    return svg.drawing(name, WIDTH, 290, chart.title, f"{chart.title}. {told}.", parts)


def _curves(name: str, chart: Curves) -> str:
    up, parts = _plane(chart.band, [found for _, points in chart.lines for _, found in points if found.value], 250)
    most = max((shots for _, points in chart.lines for shots, _ in points), default=1)
    across = Axis(0, max(most, 1), 70, WIDTH - 40)
    for shots in sorted({shots for _, points in chart.lines for shots, _ in points}):
        parts.append(svg.text(across.at(shots), 266, str(shots), "middle"))
    told = []
    for place, (line, points) in enumerate(chart.lines):
        colour, known = COLOURS[place % len(COLOURS)], [each for each in points if each[1].value is not None]
        aside = 5 * place  # lines through the same points stay apart
        parts.append(svg.path([(across.at(s) + aside, up.at(f.value or 0.0)) for s, f in known], colour))
        for shots, found in known:
            parts += _upright(found, across.at(shots) + aside, up, colour)
        y = 302 + 15 * place
        parts += [svg.dot(52, y - 4, colour=colour), svg.text(62, y, line, size=11)]
        told.append(f"{line}: " + ", ".join(f"{qwk_likely(found)} with {shots}" for shots, found in points))
    parts += [svg.text(0, 14, chart.title, size=13), svg.text(WIDTH / 2, 284, "examples shown", "middle", size=11)]
    height = 300 + 15 * len(chart.lines)
    return svg.drawing(name, WIDTH, height, chart.title, f"{chart.title}. {'; '.join(told)}.", parts)

"""What a section of the report is made of: sentences, then a chart as data that a page or a file draws, then tables."""

from __future__ import annotations

from dataclasses import dataclass, field

from components.agreement import Interval, Statistic, kappa_text
from components.workflow.agreement.report_words import bounds_text, signed
from components.workflow.agreement.tables import Table, Value

NONE = "—"


@dataclass(frozen=True)
class DotRow:
    """A figure on the row `label`, of the series `series`; `humans` is what the humans reach there."""

    label: str
    series: str
    n: int
    found: Statistic
    humans: Statistic | None = None


@dataclass(frozen=True)
class Dots:
    """A dot with its interval for each row. `rows_are` names what a row is; `band` is what the humans reach over all;
    `line` a value to draw a line at; `percent` figures are in %, others are QWKs or their differences."""

    title: str
    rows_are: str
    rows: tuple[DotRow, ...]
    reach: tuple[float, float]
    band: Statistic | None = None
    line: float | None = None
    percent: bool = False
    signed: bool = False


@dataclass(frozen=True)
class CostPoint:
    name: str
    dollars: float  # for 1,000 responses, above 0
    found: Statistic


@dataclass(frozen=True)
class CostPlane:
    """QWK against US dollars for 1,000 responses on a log axis, with the humans' band."""

    title: str
    points: tuple[CostPoint, ...]
    band: Statistic | None


@dataclass(frozen=True)
class Curves:
    """A line for each name through its (number of examples, QWK), with the humans' band."""

    title: str
    lines: tuple[tuple[str, tuple[tuple[int, Statistic], ...]], ...]
    band: Statistic | None


Chart = Dots | CostPlane | Curves


@dataclass(frozen=True)
class Section:
    """`said` stands first, then the chart, then the tables; `note` says how to read them."""

    key: str
    title: str
    said: tuple[str, ...]
    chart: Chart | None = None
    tables: tuple[Table, ...] = field(default=())
    note: str = ""

    @property
    def drawn(self) -> Chart | None:
        """The chart, unless nothing would stand in it."""
        if isinstance(self.chart, Dots):
            there = any(each.value is not None for row in self.chart.rows for each in (row.found, row.humans) if each)
        elif isinstance(self.chart, Curves):
            there = any(points for _, points in self.chart.lines)
        else:
            there = self.chart is not None and bool(self.chart.points)
        return self.chart if there else None


def qwk(found: Statistic) -> str:
    """.83, or a dash."""
    return NONE if found.value is None else kappa_text(found.value)


def likely(interval: Interval | None) -> str:
    """.80–.86"""
    return bounds_text(interval)


def apart_text(value: float | None) -> str:
    """+.03, −.48 or .00, of a difference of QWKs or one in standard deviations."""
    if value is None:
        return NONE
    text = kappa_text(value)
    return f"+{text}" if value > 0 and text != ".00" else text


def likely_apart(interval: Interval | None) -> str:
    """−.08 to +.03"""
    return NONE if interval is None else f"{apart_text(interval.low)} to {apart_text(interval.high)}"


def likely_signed(interval: Interval | None) -> str:
    """−1.8 to +0.3, of a figure in %."""
    return NONE if interval is None else f"{signed(interval.low, 1)} to {signed(interval.high, 1)}"


def likely_percent(interval: Interval | None) -> str:
    """91–97%, of a share from 0 to 1."""
    return NONE if interval is None else f"{100 * max(interval.low, 0):.0f}–{100 * min(interval.high, 1):.0f}%"


def percent(found: Statistic) -> str:
    """94%, of a share from 0 to 1."""
    return NONE if found.value is None else f"{100 * found.value:.0f}%"


def qwk_likely(found: Statistic) -> str:
    """.83 (.80–.86), or why there is none."""
    if found.value is None:
        return found.note or NONE
    return kappa_text(found.value) + (f" ({likely(found.interval)})" if found.interval else "")


def delta_likely(found: Statistic) -> str:
    """−.02 (−.05 to +.01), or why there is none."""
    if found.value is None:
        return found.note or NONE
    return apart_text(found.value) + (f" ({likely_apart(found.interval)})" if found.interval else "")


def responses(n: int) -> str:
    """1 response, 20 responses."""
    return f"{n:,} response{'' if n == 1 else 's'}"


def shown(name: str, columns: tuple[str, ...], rows: list[tuple[Value, ...]]) -> Table:
    return Table(name, columns, tuple(rows))

"""The report's sections on bias and on price."""

from __future__ import annotations

from components.workflow.agreement.report_words import signed
from components.workflow.agreement.tables import Value
from components.workflow.trial.report_figures import TrialFigures
from components.workflow.trial.report_rules import direction_of
from components.workflow.trial.report_shapes import (
    NONE,
    CostPlane,
    CostPoint,
    DotRow,
    Dots,
    Section,
    likely,
    likely_signed,
    qwk,
    shown,
)
from components.workflow.trial.report_verdict import listed


def bias_section(found: TrialFigures) -> Section:
    """Lenient or severe: each arm over all questions, and on essays and levels."""
    parts = [part for part in (found.everything, found.essays) if part is not None and part.arms]
    if found.essays is not None and found.essays.common.rows.size == found.everything.common.rows.size:
        parts = parts[:1]
    rows: list[tuple[Value, ...]] = []
    dots = []
    for arm in range(len(found.data.arms)):
        for part in parts:
            figures = part.of(arm)
            if figures is None:
                continue
            bias = figures.bias
            in_words = direction_of(bias)
            if bias.interval is not None and bias.interval.low <= 0 <= bias.interval.high:
                in_words += ", which may be chance"
            ends = likely_signed(bias.interval)
            rows.append((found.name(arm), part.name, signed(bias.value, 1), ends, in_words, part.n))
            dots.append(DotRow(found.name(arm), part.name, part.n, bias))
    said = _bias_said(found)
    reach = max([5.0, *(abs(end) for dot in dots if dot.found.interval for end in _ends(dot))])
    chart = (
        Dots("Bias, % of the maximum", "Judge", tuple(dots), (-reach, reach), line=0.0, percent=True, signed=True)
        if dots
        else None
    )
    columns = ("Judge", "On", "Bias, % of the maximum", "Likely", "In words", "Responses")
    note = "Against the mean of both humans: right of 0 the judge is lenient, left of it severe."
    return Section("bias", "Lenient or severe", said, chart, (shown("Bias", columns, rows),), note)


def _ends(dot: DotRow) -> tuple[float, float]:
    assert dot.found.interval is not None
    return dot.found.interval.low, dot.found.interval.high


def _bias_said(found: TrialFigures) -> tuple[str, ...]:
    part = found.essays if found.essays is not None and found.essays.arms else found.everything
    on = "On essays and answers marked by levels" if part is found.essays else "Over all questions"
    told = [
        (figures.bias.value, found.name(figures.arm), direction_of(figures.bias))
        for figures in part.arms
        if figures.bias.value is not None
    ]
    if not told:
        return ("No judge's bias can be told yet.",)
    told.sort()
    if len(told) == 1:
        return (f"{on} {told[0][1]} is {told[0][2]}.",)
    (low, most, severe), (high, least, lenient) = told[0], told[-1]
    first = "most severe" if low < 0 else "least lenient"
    last = "most lenient" if high > 0 else "least severe"
    return (f"{on} the {first} judge is {most}, {severe}; the {last} {least}, {lenient}.",)


def cost_section(found: TrialFigures) -> Section:
    """QWK against the price of 1,000 responses; what has no price, or none to plot, is named."""
    part = found.everything
    points, rows = [], []
    free, unknown, unsent = [], [], []
    for arm, each in enumerate(found.data.arms):
        figures = part.of(arm)
        r_a = None if figures is None else figures.r_a
        price = each.per_thousand
        if not each.sent:
            unsent.append(each.arm.name)
        elif price is None:
            unknown.append(each.arm.name)
        elif price == 0:
            free.append(each.arm.name)
        elif r_a is not None and r_a.value is not None:
            points.append(CostPoint(each.arm.name, price, r_a))
        said = "sends nothing" if not each.sent else "not known" if price is None else money(price)
        rows.append((each.arm.name, said, *((qwk(r_a), likely(r_a.interval)) if r_a else (NONE, NONE)), each.sent))
    said_first = []
    if points:
        best = max(points, key=lambda point: point.found.value or 0.0)
        cheap = min(points, key=lambda point: point.dollars)
        said_first.append(
            f"1,000 responses cost {money(cheap.dollars)} with {cheap.name} (QWK {qwk(cheap.found)})"
            + (f" and {money(best.dollars)} with {best.name} (QWK {qwk(best.found)})." if best is not cheap else ".")
        )
    else:
        said_first.append("No judge has both a price and a QWK to draw.")
    said_first += [
        f"{text}: {listed(names)}."
        for text, names in (
            ("Free", free),
            ("Price not known, so not drawn", unknown),
            ("Sent nothing to a model, so without a price", unsent),
        )
        if names
    ]
    band = part.r_h if part.r_h.value is not None else None
    chart = CostPlane("QWK against US dollars for 1,000 responses", tuple(points), band) if points else None
    columns = ("Judge", "1,000 responses", "R_A", "R_A, likely", "Responses sent")
    note = "The dollars are those of the responses sent, failed ones too. The axis is logarithmic."
    return Section("cost", "Price", tuple(said_first), chart, (shown("Price", columns, list(rows)),), note)


def money(dollars: float) -> str:
    """$12.34, $0.0123."""
    if 0 < dollars < 0.0001:
        return "less than $0.0001"
    return f"${dollars:,.2f}" if dollars == 0 or dollars >= 1 else f"${dollars:.4f}"

"""What the judge's own confidence is worth: may the surest marks be left to a quick look?"""

from __future__ import annotations

import streamlit as st

from components.agreement import CoveragePoint, coverage_error
from components.widgets.charts.coverage import coverage_curve
from components.widgets.figures import in_percent, likely, percent
from components.workflow.agreement.figures import CONFIDENCES, ExamFigures
from pages.department.agreement_behind import Opened, is_outside, open_key
from pages.department.agreement_beside import chart_and_table

LEVELS = (*CONFIDENCES, "")
NAMES = {"": "no confidence given"}
FEWEST = 10
FEW_OUTSIDE = 0.05
AT_MOST_OUTSIDE = 0.1  # by the upper end of the interval: 0 of 10 may well be 1 in 4
column = st.column_config


def show_sureness(figures: ExamFigures) -> None:
    counted = [(level, *_count(figures, level)) for level in LEVELS]
    present = [(level, n, outside) for level, n, outside in counted if n]
    if not present:
        st.markdown("There are no pairs yet.")
        return
    points = coverage_error([n for _, n, _ in present], [outside for *_, outside in present])
    names = [NAMES.get(level, level) for level, *_ in present]
    words = sureness_text(points, names)
    st.markdown(words)
    opens = [
        Opened(
            "Outside tolerance, though " + " or ".join(names[: place + 1]),
            outside=True,
            confidences=tuple(level for level, *_ in present[: place + 1]),
        )
        for place in range(len(present))
    ]
    labels = [name if place == 0 else f"and {name}" for place, name in enumerate(names)]
    figure = coverage_curve(points, labels, [opened.key for opened in opens], open_key())
    rows = [
        {
            "The judge was": label,
            "Marks": point.n,
            "Of all": 100 * point.covered,
            "Outside tolerance": in_percent(point.outside),
            "Likely": likely(point.outside.interval),
        }
        for label, point in zip(labels, points, strict=True)
    ]
    columns = {
        "Marks": column.NumberColumn(format="localized", width=65),
        "Of all": column.NumberColumn(format="%.0f%%", width=65),
        "Outside tolerance": column.NumberColumn(format="%.0f%%", width=130),
        "Likely": column.TextColumn(width=85, help="95% interval (Wilson)."),
    }
    chart_and_table("sureness", figure, words, rows, columns, opens)
    st.caption("Each row takes in the rows above it. Whoever leaves marks to a quick look still looks at each of them.")


def sureness_text(points: tuple[CoveragePoint, ...], names: list[str]) -> str:
    """Which share of the marks may be left to a quick look, and how many of these are outside tolerance."""
    every = points[-1]
    if every.n < FEWEST:
        return f"Too early to say: it is told from {FEWEST} pairs on."
    if len(points) == 1:
        return (
            f"The judge says of every mark alike that it is “{names[0]}”, so its confidence sorts nothing: "
            f"{percent(every.outside)} are outside tolerance."
        )
    if every.outside.count == 0:
        return (
            f"None of the {every.n:,} marks is outside tolerance (likely {likely(every.outside.interval)}), so the "
            "judge's confidence has nothing to sort."
        )
    able = [point for point in points[:-1] if point.n >= FEWEST]
    if not able:
        return f"Too early to say: the judge was “{names[0]}” of {points[0].n:,} marks alone, and {FEWEST} are needed."
    good = [point for point in able if (point.outside.value or 0.0) <= FEW_OUTSIDE]
    sure = [point for point in good if point.outside.interval and point.outside.interval.high <= AT_MOST_OUTSIDE]
    best = next(iter(sure[::-1] or good[::-1] or able))
    surest, outside = f"{100 * best.covered:.0f}%", f"{percent(best.outside)} outside tolerance"
    against = f"(likely {likely(best.outside.interval)}), against {percent(every.outside)} of all"
    if sure:
        text = f"Leave the surest {surest} to a quick look: {outside} {against}."
    elif (best.outside.value or 0.0) >= (every.outside.value or 0.0):
        text = f"The judge's confidence is no help here: even of its surest {surest} there are {outside} {against}."
    elif good:
        text = f"Perhaps a quick look would do for the surest {surest}: {outside} {against}. More pairs would tell."
    else:
        text = f"Not even its surest marks can be left to a quick look: of the surest {surest}, {outside} {against}."
    return text


def _count(figures: ExamFigures, level: str) -> tuple[int, int]:
    alike = [(q.question, *pair) for q in figures.questions for pair in q.by_confidence.get(level, ())]
    return sum(n for *_, n in alike), sum(n for question, ai, teacher, n in alike if is_outside(question, ai, teacher))

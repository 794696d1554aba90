"""Agreement as marks came in: is enough marked by now, and have the AI's marks moved?"""

from __future__ import annotations

import time
from zoneinfo import ZoneInfo

import streamlit as st

from components.marking import Stage
from components.widgets.charts.over_time import RunningPoint, cusum_lines, running_line
from components.widgets.figures import plain
from components.workflow.agreement.drift import drift_text
from components.workflow.agreement.figures import ExamFigures
from components.workflow.agreement.over_time import OverTime, Point, over_time
from pages.department.agreement_behind import Opened, moment, open_key
from pages.department.agreement_beside import chart, chart_and_table
from storage import Store

DRIFT_SECONDS = 20
MOST_ROWS = 60
column = st.column_config
state = st.session_state


def latest(store: Store, figures: ExamFigures, *, at_once: bool) -> OverTime:
    """The selection over time, kept while its figures are the same; unless wanted at once, up to 20 seconds longer.

    A drift takes dozens of marks to show, and reading them all again at each decision would slow the page down.
    """
    kept = state.get("agreement_over_time")
    if kept is not None:
        of, made, since = kept
        fresh = not at_once and of.selection == figures.selection and time.monotonic() - since < DRIFT_SECONDS
        if of is figures or fresh:
            found: OverTime = made
            return found
    made = over_time(store, figures.selection, figures)
    state["agreement_over_time"] = (figures, made, time.monotonic())
    return made


def drift_sentence(store: Store, figures: ExamFigures) -> str:
    """That the AI's marks have moved, in a sentence; "" where they have not or it cannot be told."""
    found = latest(store, figures, at_once=False).drift
    return drift_text(found, zone()) if found.sure else ""


def zone() -> ZoneInfo:
    return ZoneInfo(st.context.timezone or "UTC")


def show_time(store: Store, figures: ExamFigures) -> None:
    made = latest(store, figures, at_once=True)
    st.markdown(f"{plain(made.enough_text)} {plain(drift_text(made.drift, zone()))}")
    points, name, percent = (made.qwk, "QWK", False) if made.qwk else (made.within, "Within tolerance", True)
    if not points:
        return
    known = [point for point in points if point.value is not None]
    lowest = min([0.0, *(p.low for p in known if p.low is not None)])
    figure = running_line([_point(each) for each in points], name, (lowest, 1.0), percent=percent, chosen=open_key())
    scale = 100 if percent else 1
    rows = [
        {
            "After": point.n,
            name: None if point.value is None else scale * point.value,
            "from": None if point.low is None else scale * point.low,
            "to": None if point.high is None else scale * point.high,
            "When": moment(point.at),
        }
        for point in points[:: -max(1, -(-len(points) // MOST_ROWS))]
    ]
    number = column.NumberColumn(format="%.0f%%" if percent else "%.2f", width=70)
    columns = {
        "After": column.NumberColumn(format="localized", width=70, help="How many blind marks."),
        name: column.NumberColumn(format="%.0f%%" if percent else "%.2f", width=120),
        "from": number,
        "to": number,
        "When": column.TextColumn(width=150),
    }
    chart_and_table("time", figure, f"{name} after each blind mark. {made.enough_text}", rows, columns)
    if made.shown < made.n:
        st.caption(f"The newest {made.shown:,} of {made.n:,} blind marks are drawn; the figures count all of them.")
    _drift(made)


def _drift(made: OverTime) -> None:
    check = made.drift
    if not check.path:
        return
    st.markdown("##### Has the AI moved?")
    opens = [_since(at).key for at, _, _ in check.path]
    path = [(moment(at), up, down) for at, up, down in check.path]
    # A long path is thinned evenly: which mark each point is follows from its place.
    order = [check.baseline + round((place + 1) * check.watched / len(path)) for place in range(len(path))]
    raised = check.drifted.alarm_at if check.drifted is not None else None
    alarm = next((place for place, each in enumerate(check.path) if raised is not None and each[0] >= raised), None)
    figure = cusum_lines(path, order, check.limit, alarm, opens)
    chart("drift", figure, drift_text(check, zone()))
    st.caption(
        f"A CUSUM: it adds up by how much the AI differs from what it did on the first {check.baseline} blind marks, "
        "less what chance brings. Above the dashed line that is no longer chance."
    )


def _point(point: Point) -> RunningPoint:
    return RunningPoint(point.n, point.value, point.low, point.high, moment(point.at), _since(point.at).key)


def _since(at: str) -> Opened:
    return Opened(f"Marked blind since {moment(at)}", since=at, stage=Stage.BLIND)

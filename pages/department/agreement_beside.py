"""A chart with its numbers as a table beside it, each mark and each row of which opens the responses behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from components.widgets.figures import NO_FIGURE
from pages.department.agreement_behind import Opened, close, now_open, open_this, opened_from

TALLEST = 620
MOST_ROWS_AT_ONCE = 14
LEAST_WIDTH = 350
PLAIN_CHART = {"displayModeBar": False, "doubleClick": False, "scrollZoom": False}

state = st.session_state


def chart_and_table(
    name: str,
    figure: go.Figure,
    alt: str,
    rows: Sequence[Mapping[str, Any]],
    columns: Mapping[str, Any],
    opens: Sequence[Opened] = (),
) -> None:
    """The chart, and beside it on a wide screen, below it on a narrow one, the table; `opens` are the rows' own."""
    with st.grid(2, min_column_width=LEAST_WIDTH, key=f"agreement_grid_{name}"):
        with st.container():
            chart(name, figure, alt)
        with st.container():
            table(name, rows, columns, alt, opens)


def chart(name: str, figure: go.Figure, alt: str) -> None:
    """A chart that gives back what is clicked; a tall one scrolls in its place."""
    key = f"agreement_chart_{name}"
    tall = (figure.layout.height or 0) > TALLEST
    with st.container(height=TALLEST if tall else "content", border=False, key=f"{key}_frame"):
        st.plotly_chart(
            figure,
            key=key,
            alt=alt,
            config=PLAIN_CHART,
            on_select=lambda: _clicked(key),
            selection_mode="points",
        )


def table(
    name: str,
    rows: Sequence[Mapping[str, Any]],
    columns: Mapping[str, Any],
    alt: str,
    opens: Sequence[Opened] = (),
) -> None:
    """The numbers; with `opens`, the tick of a row opens what is behind it, as a click on the chart does."""
    key = f"agreement_table_{name}_{state.get('agreement_closed', 0)}"
    shown: dict[str, Any] = {
        "height": "content" if len(rows) <= MOST_ROWS_AT_ONCE else 530,
        "hide_index": True,
        "placeholder": NO_FIGURE,
        "alt": f"The same in numbers. {alt}",
        "column_config": columns,
    }
    if opens:
        st.dataframe(
            list(rows),
            key=key,
            on_select=lambda: _ticked(key, opens),
            selection_mode="single-row",
            **shown,
        )
    else:
        st.dataframe(list(rows), **shown)


def _clicked(key: str) -> None:
    """Keep what was clicked. An empty selection is the browser's own, when a chart is drawn anew: nothing closes."""
    points = state[key].selection.points
    found = [point.get("customdata") for point in points]
    said = found[-1] if found else None
    text = said[0] if isinstance(said, list) and said else said
    if isinstance(text, str) and text:
        close()
        open_this(opened_from(text))


def _ticked(key: str, opens: Sequence[Opened]) -> None:
    ticked = [row for row in state[key].selection.rows if row < len(opens)]
    if ticked:
        open_this(opens[ticked[-1]])
    elif now_open() in opens:
        open_this(None)

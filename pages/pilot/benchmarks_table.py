"""A benchmark's table on the screen: what it says in words, the table, and the same as a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from components.widgets.figures import plain
from components.workflow.agreement.export import csv_bytes
from components.workflow.agreement.tables import Table, Value

ROW_PIXELS, HEAD_PIXELS, MOST_ROWS = 35, 38, 16
# Of the first column: at most the longest subject, and on a phone figures beside it.
LEAST_PIXELS, FIRST_PIXELS, LETTER, EDGES = 90, 216, 7, 22
PERCENT, THREE, TWO, ONE = "%.1f%%", "%.3f", "%.2f", "%.1f"


def show_table(
    table: Table, said: str, key: str, formats: Mapping[str, str] | None = None, leading: Sequence[str] = ()
) -> None:
    """The table under what it says. `formats` are by column; those in PERCENT are shares, from 0 to 1 in the file.

    The first column stays in place on a phone, where the others are moved under the finger; `leading` are those that
    stand beside it, so that they are seen there without that.
    """
    formats = formats or {}
    st.caption(plain(said))
    shown = {
        name: [_cell(row[place], formats.get(name, "")) for row in table.rows]
        for place, name in enumerate(table.columns)
    }
    st.dataframe(
        shown,
        hide_index=True,
        placeholder="—",
        column_order=list(dict.fromkeys((table.columns[0], *leading, *table.columns))),
        height=HEAD_PIXELS + ROW_PIXELS * min(MOST_ROWS, max(1, len(table.rows))),
        column_config={
            table.columns[0]: st.column_config.TextColumn(pinned=True, width=_first_width(table)),
            **{
                name: st.column_config.NumberColumn(format="localized")  # 1,724, as in the sentences
                for place, name in enumerate(table.columns)
                if table.rows and all(isinstance(row[place], int) for row in table.rows)
            },
            **{name: st.column_config.NumberColumn(format=format_) for name, format_ in formats.items()},
        },
        key=f"benchmark_table_{key}",
    )
    download(table, key)


def download(table: Table, key: str) -> None:
    """The button that gives the table as a file."""
    st.download_button(
        "Download as CSV",
        lambda: csv_bytes(table),
        file_name=f"{table.name.replace(' ', '_')}.csv",
        mime="text/csv",
        icon=":material/download:",
        key=f"benchmark_download_{key}",
        on_click="ignore",
    )


def _first_width(table: Table) -> int:
    """As wide as its longest name, within bounds; in pixels."""
    longest = max((len(str(row[0])) for row in table.rows), default=0)
    return min(FIRST_PIXELS, max(LEAST_PIXELS, EDGES + LETTER * longest))


def _cell(value: Value, format_: str) -> Value:
    return 100 * value if format_ == PERCENT and isinstance(value, int | float) else value

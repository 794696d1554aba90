"""A section of a trial's report on the page: its sentences, then its chart, then its tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from components.widgets.figures import plain
from components.workflow.agreement.tables import Table, Value
from components.workflow.trial.report import TrialReport
from components.workflow.trial.report_apart import questions_section
from components.workflow.trial.report_figures import TrialFigures
from components.workflow.trial.report_methods import definitions, limits, methods
from components.workflow.trial.report_sections import EACH_JUDGE, OTHER_JUDGES
from components.workflow.trial.report_shapes import Section
from components.workflow.trial.report_tables import trial_csv
from components.workflow.trial.report_why import IN_WORDS
from pages.pilot.trial_report_charts import draw

MOST_ROWS_AT_ONCE = 14
# Of the first column: judges whose names begin alike are told apart by their ends. It stays in sight as long as a
# phone's 390 pixels leave room beside it.
FIRST_WIDTHS, MOST_PINNED, LETTER, EDGES = (140, 420), 262, 7, 22
WORDY = {"In words", "Rests on", "Prompt"}
WIDTHS = {
    "Part": 130, "Verdict": 70, "QWK with the humans": 160, "Δ to the humans' own": 175, "Bias": 195,
    "What would settle it": 230,
}  # fmt: skip
column = st.column_config


def show_section(report: TrialReport, key: str, trial_id: int) -> None:
    """The section with this key."""
    section = next(each for each in report.sections if each.key == key)
    if key == "questions" and (arm := _choose_judge(report.figures, trial_id)) is not None:
        section = questions_section(report.figures, arm)
    _show(section, len(report.verdict.arms))


def _choose_judge(found: TrialFigures, trial_id: int) -> int | None:
    """Whose questions are drawn; the best judge first."""
    names = {place: each.arm.name for place, each in enumerate(found.data.arms)}
    if found.best is None or len(names) < 2:
        return found.best
    order = [found.best, *(place for place in names if place != found.best)]
    return st.selectbox("Draw", order, format_func=names.__getitem__, key=f"trial_questions_of_{trial_id}", width=520)


def _show(section: Section, arms: int) -> None:
    # The verdict's own sentences stand above the control already.
    first, *others = section.said[-1:] if section.key == "verdict" else section.said
    st.markdown(plain(first))
    for each in others:
        (st.markdown if section.key in ("criteria", "absent") else st.caption)(plain(each))
    if section.drawn is not None:
        draw(f"{section.key}", section.drawn)
    if section.note:
        st.caption(plain(section.note))
    for place, table in enumerate(section.tables):
        key = f"{section.key}_{place}_{arms}"
        if table.name == IN_WORDS:
            _reasons(table, key)
            continue
        st.markdown(f"##### {plain(table.name)}")
        if table.name in (EACH_JUDGE, OTHER_JUDGES):
            st.markdown("\n".join(f"- {_sentence(row)}" for row in table.rows))
        else:
            show_table(table, key)
            _download(table, key)


def _reasons(table: Table, key: str) -> None:
    """Every part's reasons as sentences, one judge at a time."""
    with st.expander(table.name, icon=":material/notes:"):
        judges = list(dict.fromkeys(str(row[0]) for row in table.rows))
        chosen = judges[0]
        if len(judges) > 1:
            chosen = st.selectbox("Judge", judges, key=f"trial_reasons_{key}", width=520)
        st.markdown("\n".join(f"- {_sentence(row[1:])}" for row in table.rows if row[0] == chosen))
        _download(table, key)


def _download(table: Table, key: str) -> None:
    st.download_button(
        "This table (CSV)",
        lambda: trial_csv(table),
        file_name=f"{table.name}.csv",
        mime="text/csv",
        key=f"trial_csv_{key}",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
        help="The table as it stands here. “All tables (CSV)” has its figures as numbers, with every digit.",
    )


def show_table(table: Table, key: str) -> None:
    """The table as the page's own, its first column kept in sight where that leaves room for the others."""
    configured: dict[str, Any] = {name: column.TextColumn(width=260) for name in table.columns if name in WORDY}
    configured |= {name: column.TextColumn(width=WIDTHS[name]) for name in table.columns if name in WIDTHS}
    for place, name in enumerate(table.columns):
        if table.rows and all(isinstance(row[place], int) for row in table.rows):
            configured[name] = column.NumberColumn(format="localized")
    first = _first_width(table)
    configured[table.columns[0]] = column.TextColumn(pinned=first <= MOST_PINNED, width=first)
    st.dataframe(
        [dict(zip(table.columns, row, strict=True)) for row in table.rows],
        key=f"trial_table_{key}",
        hide_index=True,
        height="content" if len(table.rows) <= MOST_ROWS_AT_ONCE else 530,
        alt=f"{table.name}: the same in numbers.",
        column_config=configured,
    )


def _first_width(table: Table) -> int:
    """As wide as its longest name, within bounds; in pixels."""
    longest = max((len(str(row[0])) for row in table.rows), default=0)
    narrowest, widest = FIRST_WIDTHS
    return min(widest, max(narrowest, EDGES + LETTER * longest))


def _sentence(row: Sequence[Value]) -> str:
    """**Judge** · said, or **part** · fit · said."""
    first, *between = (plain(str(cell)) for cell in row)
    return " · ".join((f"**{first}**", *between))


def show_methods(found: TrialFigures) -> None:
    """How the figures came about, what limits them, and what the words mean."""
    for each in methods(found):
        st.markdown(plain(each))
    st.markdown("##### Limits")
    st.markdown("\n".join(f"- {plain(each)}" for each in limits(found)))
    st.markdown("##### What the words mean")
    for word in definitions():
        st.markdown(f"**{plain(word.term)}** {plain(word.plain)}")
        st.caption(plain(word.exact))

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
from components.workflow.trial.report_shapes import Section
from pages.pilot.trial_report_charts import draw

MOST_ROWS_AT_ONCE = 14
WORDY = {"In words", "Rests on", "Prompt"}
SENTENCES = ("Each judge in a sentence", "Why")
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
        (st.markdown if section.key == "criteria" else st.caption)(plain(each))
    if section.chart is not None:
        draw(f"{section.key}", section.chart)
    if section.note:
        st.caption(plain(section.note))
    for place, table in enumerate(section.tables):
        if len(section.tables) > 1:
            st.markdown(f"##### {plain(table.name)}")
        show_table(table, f"{section.key}_{place}_{arms}")


def show_table(table: Table, key: str) -> None:
    """The table as the page's own, its first column kept in sight."""
    if table.name in SENTENCES:
        st.markdown("\n".join(f"- {_sentence(row)}" for row in table.rows))
        return
    configured: dict[str, Any] = {name: column.TextColumn(width=260) for name in table.columns if name in WORDY}
    for place, name in enumerate(table.columns):
        if table.rows and all(isinstance(row[place], int) for row in table.rows):
            configured[name] = column.NumberColumn(format="localized")
    configured[table.columns[0]] = column.TextColumn(pinned=True, width=130)
    st.dataframe(
        [dict(zip(table.columns, row, strict=True)) for row in table.rows],
        key=f"trial_table_{key}",
        hide_index=True,
        height="content" if len(table.rows) <= MOST_ROWS_AT_ONCE else 530,
        alt=f"{table.name}: the same in numbers.",
        column_config=configured,
    )


def _sentence(row: Sequence[Value]) -> str:
    """**Judge** · said, or **Judge** · for what · **fit** · said."""
    judge, *between, said = (plain(str(cell)) for cell in row)
    middle = f"{between[0]} · **{between[1]}** · " if between else ""
    return f"**{judge}** · {middle}{said}"


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

"""What was read of one question, for a teacher to correct: points, groups, levels and words, and what is wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from components.intake.mark_scheme import QuestionDraft
from components.marking import ToleranceRule, format_mark
from components.widgets.figures import plain
from components.workflow.exam_setup import QuestionBody, check, hints
from components.workflow.exam_setup.read_schemes import fill
from pages.department import scheme_reading_rows as rows

_LETTERS = 26  # of a point's words in one line of its cell
_TOTALS = re.compile(r"^[^:]*: (?:the \w+ come to |no maximum mark|\S+ is worth |\S+ has no words)")
_POINT_COLUMNS = ("code", "text", "marks", "keep", "needs", "group", "accept", "reject", "follow_through")


def edited(read: QuestionDraft, key: str) -> QuestionDraft:
    """The tables and boxes of a question; gives what they hold now."""
    now = read
    if read.points or not read.levels:
        now = rows.with_points(now, _points(read, key))
    if read.groups:
        now = rows.with_groups(now, _groups(read, key))
    if read.levels:
        now = rows.with_levels(now, _levels(read, key))
    indicative, note = "\n".join(read.indicative), "\n".join(read.notes())
    if indicative:
        indicative = st.text_area("Indicative content, one entry a line", indicative, key=f"{key}_indicative")
    if note:
        note = st.text_area("Guidance, special cases and what to ignore, one a line", note, key=f"{key}_note")
    return rows.with_words(now, indicative, note)


def name_of(read: QuestionDraft) -> str:
    """What the reader's problems with this question begin with."""
    return f"Question {read.number}: " if read.number else "The scheme: "


def show_assumed(read: QuestionDraft, problems: Sequence[str]) -> None:
    """What the source did not say, and was taken to be so; and what did not fit together when it was read."""
    for said in problems:
        # Totals and the maximum are said as they are now, not as they were read.
        if said.startswith(name_of(read)) and not _TOTALS.search(said):
            st.markdown(f":orange[:material/warning: {plain(said.removeprefix(name_of(read)))}]")
    words = [f"{point.code}: {entry}" for point in read.points for entry in point.assumed]
    words += read.assumed
    if words:
        st.caption("Assumed:  \n" + "  \n".join(f":material/info: {plain(each)}" for each in words))


def show_faults(read: QuestionDraft, body: QuestionBody, rule: ToleranceRule, *, scale_fixed: bool) -> None:
    """What keeps the question as it is now from being saved, and where its total is not its maximum."""
    tried = body.model_copy(deep=True)
    fill(tried, read, scale_fixed=scale_fixed)
    checked = check(tried, rule)
    for _, words in checked.reasons:
        st.markdown(f":red[:material/error: {plain(words)}]")
    if checked.question is None or checked.scheme is None:
        return
    for words in hints(checked.question, checked.scheme):
        if words.startswith("The scheme comes to") or words.startswith("There is no mark scheme"):
            st.markdown(f":orange[:material/warning: {plain(words)}]")


def total_words(read: QuestionDraft) -> str:
    """Points come to 3 of 4 marks."""
    most = "no maximum" if read.max_mark is None else f"{format_mark(read.max_mark)} marks"
    return f"comes to {format_mark(read.total)} of {most}"


def with_maximum(read: QuestionDraft, key: str, *, fixed: float | None) -> QuestionDraft:
    """A box for the maximum mark; `fixed` is that of a question which has responses."""
    value = st.number_input(
        "Maximum mark",
        min_value=0.0,
        step=1.0,
        format="%g",
        value=read.max_mark if fixed is None else fixed,
        key=f"{key}_max",
        disabled=fixed is not None,
    )
    return replace(read, max_mark=value)


def _points(read: QuestionDraft, key: str) -> Sequence[rows.Row]:
    codes = [point.code for point in read.points] + [group.code for group in read.groups]
    config: dict[str, Any] = {
        "keep": st.column_config.CheckboxColumn("Keep", default=True, width=76),
        "code": st.column_config.TextColumn("Code", width=76, max_chars=40),
        "marks": st.column_config.NumberColumn(
            "Marks", min_value=0.0, step=read.mark_step, format="%g", width=82, default=read.mark_step
        ),
        "text": st.column_config.TextColumn("What earns it", width=226),
        "needs": st.column_config.MultiselectColumn("Needs", options=codes, accept_new_options=True, width=100),
        "group": st.column_config.SelectboxColumn(
            "Group", options=["", *(group.code for group in read.groups)], width=86
        ),
        "accept": st.column_config.ListColumn("Accept", width=180),
        "reject": st.column_config.ListColumn("Reject", width=140),
        "follow_through": st.column_config.CheckboxColumn("ft", width=60, help="Earned by following through an error"),
    }
    return _table("points", rows.point_rows(read), ["was", *_POINT_COLUMNS], key, config, _POINT_COLUMNS, add=True)


def _groups(read: QuestionDraft, key: str) -> Sequence[rows.Row]:
    st.caption("Groups: points that together give at most so many marks")
    config: dict[str, Any] = {
        "code": st.column_config.TextColumn("Group", disabled=True, width=70),
        "cap": st.column_config.NumberColumn("At most", min_value=0.0, step=read.mark_step, format="%g", width=96),
        "text": st.column_config.TextColumn("In words", width=300),
    }
    return _table("groups", rows.group_rows(read), list(config), key, config, tuple(config))


def _levels(read: QuestionDraft, key: str) -> Sequence[rows.Row]:
    st.caption("Levels")
    config: dict[str, Any] = {
        "level": st.column_config.NumberColumn("Level", step=1, format="%d", width=76),
        "low": st.column_config.NumberColumn("From", min_value=0.0, step=read.mark_step, format="%g", width=76),
        "high": st.column_config.NumberColumn("To", min_value=0.0, step=read.mark_step, format="%g", width=76),
        "descriptor": st.column_config.TextColumn("Descriptor", width=230),
        "keep": st.column_config.CheckboxColumn("Keep", default=True, width=76),
        "objective": st.column_config.TextColumn("Of", width=90),
    }
    return _table("levels", rows.level_rows(read), list(config), key, config, tuple(config), add=True)


def _table(
    name: str,
    given: list[dict[str, Any]],
    columns: list[str],
    key: str,
    config: dict[str, Any],
    order: tuple[str, ...],
    *,
    add: bool = False,
) -> list[dict[str, Any]]:
    changed = st.data_editor(
        pd.DataFrame(given, columns=columns),
        column_config=config,
        column_order=order,
        hide_index=True,
        num_rows="add" if add else "fixed",
        row_height=_row_height(given),
        height="content",
        key=f"{key}_{name}",
    )
    return [dict(row) for row in changed.to_dict("records")]


def _row_height(given: list[dict[str, Any]]) -> int:
    """Pixels in which the longest of the rows' words is read whole, up to ten lines."""
    longest = max((len(row.get("text") or row.get("descriptor") or "") for row in given), default=0)
    return 24 + 20 * min(10, longest // _LETTERS + 1)

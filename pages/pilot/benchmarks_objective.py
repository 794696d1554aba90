"""The tables of objective questions that were marked by both rules, whether shipped or sat here."""

from __future__ import annotations

import streamlit as st

from components.agreement import count_of
from components.workflow.benchmarks.figures_objective import ObjectiveFigures
from components.workflow.benchmarks.figures_tables import differing_table, objective_table
from pages.pilot.benchmarks_table import PERCENT, show_table

FORMATS = dict.fromkeys(
    (
        *("Rate, published rules", "Low", "High", "Rate, ours, of all", "Rate, ours, of what was read"),
        *("Low, ours", "High, ours"),
    ),
    PERCENT,
)


def objective_tables(figures: ObjectiveFigures, said: str, key: str) -> None:
    """Marks and rates by subject, paper and year under what they say, and the replies on which the rules differ."""
    tables = {"subject": figures.by_subject, "paper": figures.by_paper, "year": figures.by_year}
    for (group, rows), tab in zip(tables.items(), st.tabs([f"By {group}" for group in tables]), strict=True):
        with tab:
            show_table(
                objective_table(f"objective by {group}", (*rows, figures.total)),
                said,
                f"objective_{group}_{key}",
                FORMATS,
            )
    if figures.differing:
        with st.expander(f"Read or marked differently: {count_of(len(figures.differing), 'question')}"):
            show_table(
                differing_table(figures.differing),
                "Each reply to which the two rules give different marks, or which ours could not read in one way.",
                f"differing_{key}",
            )

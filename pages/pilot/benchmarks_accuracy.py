"""A sitting of E-EVAL or M3KE in tables: what was right, by subject, by cluster and by level."""

from __future__ import annotations

import streamlit as st

from components.agreement import count_of
from components.widgets.figures import likely, plain
from components.workflow.benchmarks.figures_accuracy import Accuracy
from components.workflow.benchmarks.figures_tables import accuracy_table
from pages.pilot.benchmarks_table import PERCENT, show_table

_FORMATS = dict.fromkeys(
    ("Accuracy", "Low", "High", "Accuracy of what was read", "Low, read", "High, read", "Mean of its subjects"), PERCENT
)


def accuracy_section(found: Accuracy, key: str, *, private: bool) -> None:
    """A sentence with what was right of all, then the tables. `key` tells sittings on one page apart.

    `private` says that there is a submission file for the questions without a public answer.
    """
    st.markdown(plain(accuracy_sentence(found, private=private)))
    groups = {"By subject": found.by_subject, "Arts, science, clusters": found.by_cluster, "By level": found.by_level}
    for (label, rows), tab in zip(groups.items(), st.tabs(list(groups)), strict=True):
        with tab:
            show_table(
                accuracy_table(label.lower().replace(",", ""), (*rows, found.total)),
                "Accuracy counts a reply that could not be read as wrong, which is the published way; of what was "
                "read leaves such replies out. Low and high: where it likely lies (Wilson, 95%). The mean of its "
                "subjects weighs each alike, however many questions it has.",
                f"accuracy_{label.split()[-1]}_{key}",
                _FORMATS,
                leading=("Accuracy",),
            )


def accuracy_sentence(found: Accuracy, *, private: bool) -> str:
    """What was right of all, and what stays outside that figure and why."""
    total = found.total
    if total.of_all.value is None:
        said = "Nothing of this sitting can be marked yet."
    else:
        said = (
            f"Right on {total.of_all.count:,} of {total.of_all.n:,} ({100 * total.of_all.value:.1f}%, likely "
            f"{likely(total.of_all.interval)})."
        )
        if total.unread and total.of_read.value is not None:
            said += (
                f" {total.unread:,} could not be read and count as wrong; of those that were read "
                f"{100 * total.of_read.value:.1f}% are right."
            )
    if total.failed:
        said += f" {count_of(total.failed, 'question')} got no reply and are in no figure."
    if total.no_key:
        whose = count_of(total.no_key, "question")
        if private:
            said += f" The answers to {whose} are private: download the submission file for them."
        else:
            said += f" The files that were loaded give no answer to {whose}: such are in no figure."
    return said

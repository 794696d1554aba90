"""The written part of a benchmark on the screen: its tables, and whose marks a sitting's written answers have."""

from __future__ import annotations

from dataclasses import astuple

import streamlit as st

from components.widgets.figures import plain
from components.workflow.benchmarks.figures_converted import Converted
from components.workflow.benchmarks.figures_objective import ObjectiveFigures
from components.workflow.benchmarks.figures_subjective import SubjectiveFigures
from components.workflow.benchmarks.figures_tables import (
    converted_table,
    coverage_table,
    judged_table,
    subjective_table,
)
from components.workflow.benchmarks.making_exams import source_of_sitting
from components.workflow.benchmarks.marked_written import (
    By,
    Marked,
    WrittenPart,
    who_marked_sitting,
    written_part,
)
from components.workflow.benchmarks.wording import written_words
from pages.pilot.benchmarks_table import ONE, PERCENT, THREE, TWO, show_table
from storage import Store, benchmarks, imports, marks_given
from storage.sitting_progress import Took
from storage.sittings import Sitting

SUBJECTIVE = {
    "Marks, original's counting": TWO, "Rate, original's counting": PERCENT, "Rate, ours": PERCENT,
    "Low, ours": PERCENT, "High, ours": PERCENT,
}  # fmt: skip
JUDGED = {
    "Spearman": THREE, "Low": THREE, "High": THREE, "Kendall τ-b": THREE, "Low τ": THREE, "High τ": THREE,
    "Judge's marks": ONE, "Teachers' marks": ONE, "Deviation %": ONE, "Low %": ONE, "High %": ONE,
    "Marks per answer": TWO,
}  # fmt: skip


def show_converted(figures: Converted, key: str) -> None:
    """The converted totals of streams and subjects."""
    table = converted_table(figures)
    show_table(
        table,
        "A subject's rate on each part times what the part counts for in the exam; a stream is six subjects, 750 "
        "marks. As published: rates rounded to three decimals first, which moves a total by up to a few tenths. "
        "Ours: replies that could not be read earn nothing, answers without a valid mark are left out.",
        f"converted_{key}",
        dict.fromkeys([name for name in table.columns[1:] if name != "Out of"], TWO),
    )


def written_tables(figures: SubjectiveFigures, said: str, key: str) -> None:
    """Marks and rates by subject, paper and year under what they say."""
    tables = {"subject": figures.by_subject, "paper": figures.by_paper, "year": figures.by_year}
    for (group, rows), tab in zip(tables.items(), st.tabs([f"By {group}" for group in tables]), strict=True):
        with tab:
            show_table(
                subjective_table(f"written by {group}", (*rows, figures.total)),
                said,
                f"subjective_{group}_{key}",
                SUBJECTIVE,
            )


def written_section(store: Store, sitting: Sitting, took: Took, objective: ObjectiveFigures | None) -> None:
    """A sitting's written answers as the chosen one has marked them; else what to do so that they are marked."""
    with store.read() as db:
        if next(benchmarks.replies_of(db, sitting.id, written=True), None) is None:
            return
        made, state = imports.of_source(db, source_of_sitting(sitting)), marks_given.state(db)
    st.markdown("**Written answers**")
    if not made:
        st.caption("They are in no exam yet. Make an exam of them below, for judges or teachers to mark.")
        return
    marked = who_marked_sitting(store, sitting)
    if not marked:
        st.caption(
            "Nobody has marked the exams made of them yet. Let teachers mark them on the desk, or a judge under Runs; "
            "what they earned then stands here."
        )
        return
    chosen = st.selectbox(
        "Written answers marked by",
        marked,
        format_func=lambda each: each.name,
        key=f"sitting_marked_by_{sitting.id}",
        width=480,
    )
    part = _part((str(store.path), sitting.id, astuple(took), state, chosen), store, sitting, chosen, objective)
    if part is not None:
        _show(part, f"sitting_{sitting.id}")


def _show(part: WrittenPart, key: str) -> None:
    st.markdown(plain(written_words(part)))
    if part.converted is not None:
        show_converted(part.converted, key)
    if part.subjective is not None:
        written_tables(
            part.subjective,
            "Of the answers that are marked: what share of their marks was earned. Low and high: where the rate likely "
            "lies (95%).",
            key,
        )
    with st.expander("How many are marked, by subject"):
        show_table(
            coverage_table((*part.coverage, part.total)),
            "Of what the model wrote in this sitting: how much is in an exam, and marked there.",
            f"coverage_{key}",
        )
    if part.judged is not None:
        show_table(
            judged_table((*part.judged.by_subject, part.judged.total)),
            "Against the mean of the two teachers, answer by answer on mark fractions. Deviation: the judge's total "
            "against the teachers'; + means it gives more.",
            f"judged_{key}",
            JUDGED,
        )
    elif part.marked.by is not By.TEACHERS:
        st.caption("Where two teachers have marked the same answers blind, the judge is compared with them here.")


@st.cache_data(max_entries=20, show_spinner="Counting the marks …")
def _part(
    rests_on: tuple[object, ...],
    _store: Store,
    _sitting: Sitting,
    _marked: Marked,
    _objective: ObjectiveFigures | None,
) -> WrittenPart | None:
    return written_part(_store, _sitting, _marked, _objective)

"""What loaded results of GAOKAO-Bench say: the published figures made again, and every table behind them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import streamlit as st

from components.agreement import count_of
from components.intake.benchmarks.items import Loaded
from components.widgets.figures import plain
from components.workflow.benchmarks.figures_gaokao import GaokaoFigures, ModelFigures, gaokao_figures
from components.workflow.benchmarks.figures_judged import JudgedRow
from components.workflow.benchmarks.figures_objective import ObjectiveFigures
from components.workflow.benchmarks.figures_subjective import SubjectiveFigures
from components.workflow.benchmarks.figures_tables import (
    beside_table,
    invalid_table,
    judged_table,
    teacher_table,
)
from components.workflow.benchmarks.figures_teachers import TeacherFigures
from pages.pilot.benchmarks_objective import objective_tables
from pages.pilot.benchmarks_table import PERCENT, THREE, download, show_table
from pages.pilot.benchmarks_written import JUDGED, show_converted, written_tables

_TEACHERS = {"QWK on fractions": THREE, "Low": THREE, "High": THREE, "QWK on marks": THREE, "Same mark": PERCENT}
_GROUPS = {"subject": "By subject", "paper": "By paper"}


def figures_section(
    loaded: Sequence[Loaded], key: str = "", judged: Sequence[tuple[str, Sequence[JudgedRow]]] = ()
) -> None:
    """The figures of what was loaded. `key` names its content, such as its hash; without one it is made here.

    `judged` are marks that judges gave here to the double-marked answers, by judge.
    """
    if not any(part.results for part in loaded):
        st.info(
            "These files hold questions and no results. Let a model sit them below; to see published figures made "
            "again, load GAOKAO-Bench's folders Results and human_double_marked.",
            icon=":material/info:",
        )
        return
    figures = _figures(key or content_key(loaded), tuple(judged), list(loaded))
    if figures is None:
        st.info("Figures are made of GAOKAO-Bench's results, and these are none.", icon=":material/info:")
        return
    _reproduced(figures)
    for place, model in enumerate(figures.models):
        _model(model, f"{place}")
    if figures.teachers is not None:
        _teachers(figures.teachers)
        _judged(figures)


@st.cache_data(max_entries=4, show_spinner="Marking the shipped replies again …")
def _figures(
    key: str, judged: Sequence[tuple[str, Sequence[JudgedRow]]], _loaded: list[Loaded]
) -> GaokaoFigures | None:
    return gaokao_figures(_loaded, judged)


def content_key(loaded: Sequence[Loaded]) -> str:
    """A hash of all that the figures rest on."""
    digest = hashlib.sha256()
    for part in loaded:
        for each in part.results:
            item = each.item
            said = (
                part.benchmark, item.task, item.number, item.year, item.subject, item.kind, item.key, item.points,
                each.model, each.judge, each.corrections, each.human_marks, each.model_answers, bool(each.grading),
            )  # fmt: skip
            digest.update(repr(said).encode())
            digest.update(each.model_output.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _reproduced(figures: GaokaoFigures) -> None:
    compared = [row for row in figures.beside if row.same is not None]
    same = sum(bool(row.same) for row in compared)
    if not compared:
        said = "None of these results has a published figure to compare with; ours are below."
    elif same == len(compared):
        said = f"All {count_of(len(compared), 'published figure')} that these results can give are reproduced."
    else:
        said = f"{same} of {count_of(len(compared), 'published figure')} that these results can give are reproduced."
    st.markdown(f"**{plain(said)}**")
    table = beside_table(figures.beside)
    columns = (*table.columns[:-1], "Same")  # the last one's own name is wider than a phone has room for
    st.table([dict(zip(columns, map(_marked, row), strict=True)) for row in table.rows], hide_index=True)
    st.caption(
        "Published: as the benchmark's authors ship it. Here: worked out now from the replies and marks, by their "
        "rules. By our rules: with nothing guessed and nothing invalid counted."
    )
    download(table, "beside")


def _marked(cell: object) -> str:
    """A cell of a table that reads Markdown."""
    return plain(str(cell))


def _model(model: ModelFigures, key: str) -> None:
    st.subheader(plain(f"What {model.name} earned"))
    if model.judge:
        st.caption(plain(f"Its written answers were marked by {model.judge}."))
    if model.converted is not None:
        show_converted(model.converted, key)
    if model.objective is not None:
        _objective(model.objective, key)
    if model.subjective is not None:
        _subjective(model.subjective, key)


def _objective(figures: ObjectiveFigures, key: str) -> None:
    total = figures.total
    st.markdown("**Objective questions**")
    said = (
        f"By the published rules {total.published.marks:,.0f} of {total.full:,.0f} marks on "
        f"{count_of(total.items, 'question')}. The published reading takes whatever letter it finds; ours takes an "
        f"answer only where the reply gives one, and could not read {count_of(total.unread, 'sub-question')}. "
        f"The replies were read again here: {_as_shipped(figures)}."
    )
    st.markdown(plain(said))
    objective_tables(
        figures,
        "Low and high are where the rate likely lies (95%): Wilson's interval where each question is all or nothing "
        "and worth the same, else from drawing whole questions again.",
        key,
    )


def _as_shipped(figures: ObjectiveFigures) -> str:
    if not figures.shipped_differs:
        return "the answers read are those that came with the files"
    return f"on {count_of(figures.shipped_differs, 'question')} the answers read are others than came with the files"


def _subjective(figures: SubjectiveFigures, key: str) -> None:
    total, faults = figures.total, figures.faults
    st.markdown("**Written questions**")
    said = (
        f"The original counts the mean of whatever marks its judge gave: {total.published_marks:,.2f} of "
        f"{total.full:,.0f}. "
    )
    if total.invalid:
        why = ", ".join(f"{fault}: {count:,}" for fault, count in faults.items() if count)
        said += (
            f"Of {count_of(total.items, 'answer')} {total.invalid:,} got no valid mark ({why}). Without these, "
            f"{total.ours.marks:,.0f} of {total.ours.full:,.0f}."
        )
    else:
        said += "Every mark is valid."
    st.markdown(plain(said))
    written_tables(
        figures, "Ours counts one whole mark from 0 to the maximum, and leaves the rest out of both sides.", key
    )
    if figures.invalid:
        with st.expander(f"Marks that are not counted: {total.invalid:,}"):
            show_table(
                invalid_table(figures.invalid),
                "The judge's marks that are none by the benchmark's own instruction: one whole total on the scale. In "
                "a paper whose gaps count 1.5 each, a half can be a fair mark all the same.",
                f"invalid_{key}",
            )


def _teachers(figures: TeacherFigures) -> None:
    st.subheader("How two teachers agree on the same answers")
    total, some = figures.total, figures.differing_only
    identical = [row.name for row in figures.by_paper if row.identical]
    said = (
        f"{count_of(total.n, 'answer')} to {count_of(total.items, 'question')} have two teachers' marks"
        f"{f'; {total.left_out:,} more have fewer than two' if total.left_out else ''}."
    )
    if identical:
        said += (
            f" In {', '.join(identical)} all pairs are identical, which looks agreed or copied rather than marked "
            "twice."
        )
    if some is not None and some.qwk.value is not None:
        said += f" Without such papers QWK is {some.qwk.value:.3f}, on {count_of(some.n, 'answer')}."
    st.markdown(plain(said))
    tables = {"subject": figures.by_subject, "paper": figures.by_paper}
    for (group, rows), tab in zip(tables.items(), st.tabs([_GROUPS[group] for group in tables]), strict=True):
        with tab:
            show_table(
                teacher_table(f"teachers by {group}", (*rows, *([] if some is None else [some]), total)),
                "QWK on fractions: each mark divided by its maximum, all answers of the group as one set. It rises "
                "with how unlike the questions are, so a group of several papers reads higher than its papers. Low "
                "and high from leaving out each question in turn.",
                f"teachers_{group}",
                _TEACHERS,
            )


def _judged(figures: GaokaoFigures) -> None:
    st.subheader("A judge against the two teachers")
    if not figures.judged:
        st.info(
            "No judge has marked these double-marked answers yet. Make exams of the written answers above and let a "
            "judge mark them, in a run or in a trial, or load results in which a judge has marked the same replies.",
            icon=":material/info:",
        )
    for place, (judge, against) in enumerate(figures.judged):
        show_table(
            judged_table((*against.by_subject, against.total)),
            f"{judge or 'The judge'} against the mean of the two teachers, answer by answer on mark fractions. "
            "Published: Spearman .825–.864, Kendall .685–.740. Deviation: the judge's total against the teachers'; "
            "+ means it gives more.",
            f"judged_{place}",
            JUDGED,
        )

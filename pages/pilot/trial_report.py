"""A trial's report on its page: the verdict, the files to take away, and one section at a time."""

from __future__ import annotations

import streamlit as st

from components.widgets.figures import count, plain
from components.workflow.trial.load import load
from components.workflow.trial.report import TrialReport, trial_report
from pages.pilot.trial_report_parts import show_methods, show_section
from pages.shared.offered import file_stem
from storage import Store, trial_answers, trials

METHODS = "methods"
state = st.session_state


def report_section(store: Store, trial_id: int) -> None:
    """The report of what the trial's arms have said so far."""
    with store.read() as db:
        trial = trials.get(db, trial_id)
        stamp = trial_answers.state(db, trial_id)
    if trial is None:
        return
    st.subheader("Report", anchor=False)
    names = (trial.title, trial.exam)
    try:
        report = _report(str(store.path), trial_id, stamp, names, store)
    except LookupError:
        st.info("This trial has been put away, or its exam has. Choose another above.")
        return
    except ValueError as error:
        st.error(plain(f"The report cannot be made: {error} Correct that mark's question, then open the trial again."))
        return
    if not stamp[0]:
        later = "Bring it up to date as the trial goes on." if trial.active else "Resume the trial above."
        st.info(f"No judge had answered when this report was made. {later}", icon=":material/hourglass_top:")
    if trial.active:
        with st.container(horizontal=True, vertical_alignment="center"):
            if stamp[0]:
                st.caption(f"So far, from {count(stamp[0], 'answer')}: the trial is under way.")
            st.button("Bring up to date", key="trial_report_again", icon=":material/refresh:")
    if not stamp[0]:
        return
    _lead(report)
    _files(report, trial_id)
    _sections(report, trial_id)


@st.cache_resource(max_entries=4, show_spinner="Comparing the judges …")
def _report(where: str, trial_id: int, stamp: tuple[int, int], names: tuple[str, str], _store: Store) -> TrialReport:
    """All but the last are what the report rests on: another trial, or one more answer, makes another."""
    return trial_report(load(_store, trial_id))


def _lead(report: TrialReport) -> None:
    verdict = report.verdict
    st.markdown(f"**{plain(verdict.sentence)}**")
    if verdict.caution:
        st.caption(plain(verdict.caution))


def _files(report: TrialReport, trial_id: int) -> None:
    data = report.figures.data
    name = file_stem(data.title, "trial", str(trial_id))
    with st.container(horizontal=True):
        st.download_button(
            "Report (HTML)",
            report.html,
            file_name=f"{name}-report.html",
            mime="text/html",
            key="trial_report_html",
            icon=":material/description:",
            on_click="ignore",
            help="One file with every section, methods, limits and definitions; it asks no host for anything and "
            "prints to PDF.",
        )
        st.download_button(
            "All tables (CSV)",
            report.zip,
            file_name=f"{name}-tables.zip",
            mime="application/zip",
            key="trial_report_zip",
            icon=":material/folder_zip:",
            on_click="ignore",
            help="A ZIP with a CSV file a table: every figure with its interval, and the settings.",
        )


def _sections(report: TrialReport, trial_id: int) -> None:
    titles = {section.key: section.title for section in report.sections} | {METHODS: "Methods"}
    key = "trial_report_section"
    if state.get(key) not in titles:
        state[key] = next(iter(titles))
    chosen = st.segmented_control("Look closer", list(titles), format_func=titles.__getitem__, key=key, required=True)
    with st.container(key=f"trial_section_{chosen}"):
        if chosen == METHODS:
            show_methods(report.figures)
        else:
            show_section(report, chosen, trial_id)

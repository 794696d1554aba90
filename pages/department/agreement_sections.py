"""The charts of the agreement page: one of them at a time, named in the address."""

from __future__ import annotations

import streamlit as st

from components.marking import Marker
from components.workflow.agreement.figures import ExamFigures
from pages.department import agreement_accept, agreement_compare, agreement_marks, agreement_questions
from pages.department.agreement_address import Offered, View
from pages.department.agreement_behind import close_elsewhere, show_behind
from pages.department.agreement_beside import table
from pages.department.agreement_sureness import show_sureness
from pages.department.agreement_time import show_time
from storage import Store, blind_sample

NAMES = {
    View.QUESTIONS: "By question",
    View.CONFUSION: "Mark by mark",
    View.BLAND_ALTMAN: "How far apart",
    View.BIAS: "Lenient or severe",
    View.TIME: "Over time",
    View.SURENESS: "The judge's confidence",
    View.ACCEPT: "Accept rate and pace",
    View.JUDGES: "Judges",
    View.GROUPS: "Groups of candidates",
    View.SAMPLE: "Blind sample",
}
column = st.column_config
state = st.session_state


def choose_view(choices: Offered, figures: ExamFigures) -> View:
    """The chosen chart. What the exam cannot have is not offered; without any pair the accept rate comes first."""
    views = [view for view in View if view is not View.GROUPS or choices.groups]
    if state.get("agreement_view") not in views:
        state["agreement_view"] = View.QUESTIONS if figures.overall.agreement.n else View.ACCEPT
    chosen: View = st.segmented_control(
        "Look closer",
        views,
        format_func=NAMES.__getitem__,
        key="agreement_view",
        required=True,
    )
    close_elsewhere((choices.exam_id, chosen))
    return chosen


def show_section(store: Store, figures: ExamFigures, choices: Offered, viewer: Marker, view: View) -> None:
    """The chart with its sentence and its numbers, and below it the responses that the reader has opened."""
    with st.container(key=f"agreement_section_{view}"):
        if view is View.ACCEPT:
            agreement_accept.show_accept(figures)
        elif view is View.SAMPLE:
            _sample(store, figures)
        elif view is View.JUDGES:
            agreement_compare.show_judges(store, figures, choices)
        elif not figures.overall.agreement.n:
            st.caption("Nothing to draw yet: this needs an AI's mark and a teacher's blind or imported one.")
        elif view is View.QUESTIONS:
            agreement_questions.by_question(figures)
        elif view is View.CONFUSION:
            agreement_marks.show_confusion(figures)
        elif view is View.BLAND_ALTMAN:
            agreement_marks.show_differences(figures)
        elif view is View.BIAS:
            agreement_questions.bias(figures)
        elif view is View.TIME:
            show_time(store, figures)
        elif view is View.SURENESS:
            show_sureness(figures)
        else:
            agreement_compare.show_groups(store, figures)
    if view not in (View.SAMPLE, View.JUDGES):
        st.caption("Click a mark on the chart, or tick a row, to see the responses behind it.")
    show_behind(store, figures, viewer)


def _sample(store: Store, figures: ExamFigures) -> None:
    with store.read() as db:
        samples = {each.question_id: each for each in blind_sample.of_exam(db, figures.exam.id)}
    rows = []
    for q in figures.questions:
        sample = samples[q.question_id]
        rows.append(
            {
                "Question": q.question.number,
                "In the sample": sample.responses,
                "Of its responses": 100 * sample.threshold,
                "Marked blind": q.blind,
                "Progress": min(100.0, 100 * q.blind / sample.responses) if sample.responses else None,
            }
        )
    wanted, marked = sum(row["In the sample"] for row in rows), sum(row["Marked blind"] for row in rows)
    if not wanted:
        st.markdown(
            "This exam has no blind sample, so only marks that teachers give blind of their own accord, and imported "
            "ones, count as agreement. A head of department can set a share on the Exams page."
        )
    else:
        st.markdown(
            f"{marked:,} responses are marked blind so far; the sample, drawn at random before any proposal is shown, "
            f"has {wanted:,}. These are what agreement rests on."
        )
    columns = {
        "Question": column.TextColumn(pinned=True, width=80),
        "In the sample": column.NumberColumn(format="localized", width=110),
        "Of its responses": column.NumberColumn(format="%.0f%%", width=120),
        "Marked blind": column.NumberColumn(format="localized", width=110),
        "Progress": column.ProgressColumn(format="%.0f%%", min_value=0, max_value=100),
    }
    table("sample", rows, columns, "The blind sample of each question and how much of it is marked.")
    st.page_link("pages/department/exams.py", label="Change the share on the Exams page", icon=":material/description:")

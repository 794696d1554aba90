"""Side by side: two judges on the same responses, a judge's versions, and groups of candidates."""

from __future__ import annotations

import streamlit as st

from components.widgets.charts.dots import QuestionValue, dots_by_question
from components.widgets.charts.frame import LENIENT_AXIS
from components.widgets.figures import in_percent, interval_text, plain, qwk_text, signed, signed_interval
from components.workflow.agreement.fairness import comparisons_text, fairness
from components.workflow.agreement.figures import ExamFigures
from components.workflow.agreement.judges import SideBySide, judge_versions, side_by_side
from pages.department.agreement_address import Offered
from pages.department.agreement_behind import Opened, open_key
from pages.department.agreement_beside import chart_and_table, table
from pages.department.agreement_filters import key_of
from storage import Store

column = st.column_config


def show_judges(store: Store, figures: ExamFigures, choices: Offered) -> None:
    ids = list(choices.judges)
    if len(ids) > 1:
        left, right = st.columns(2)
        words = choices.judges.__getitem__
        a = left.selectbox("Judge", ids, format_func=words, key=key_of("judge_a", choices.exam_id))
        b = right.selectbox("against", ids, index=1, format_func=words, key=key_of("judge_b", choices.exam_id))
        _side_by_side(side_by_side(store, figures.selection, a, b), (a, b))
    elif ids:
        st.markdown("One judge has marked here. Let another propose on the same responses to see them side by side.")
    else:
        st.markdown("No judge's mark has met a teacher's here yet.")
    _versions(store, figures)


def _side_by_side(found: SideBySide, ids: tuple[int, int]) -> None:
    st.markdown(plain(found.sentence))
    if found.comparison is None:
        return
    names = (found.judge_a, found.judge_b)
    values = [
        QuestionValue(
            q.number,
            name,
            q.n,
            judge.qwk,
            opens=Opened(f"Question {q.number}, {name}", q.number, judge_id=judge_id).key,
        )
        for q in found.questions
        for name, judge_id, judge in zip(names, ids, (q.a, q.b), strict=True)
    ]
    figure = dots_by_question(values, "QWK with teachers", qwk_text, (0.0, 1.0), chosen=open_key())
    rows = [
        {
            "Question": q.number,
            "Pairs": q.n,
            names[0]: q.a.qwk.value,
            names[1]: q.b.qwk.value,
            "Difference": q.difference.value,
            "Likely": signed_interval(q.difference.interval),
            "Exact, first": in_percent(q.a.exact),
            "Exact, second": in_percent(q.b.exact),
        }
        for q in found.questions
    ]
    qwk = column.NumberColumn(format="%.2f", width=110, help="QWK with teachers, from 10 pairs.")
    share = column.NumberColumn(format="%.0f%%", width=100)
    columns = {
        "Question": column.TextColumn(pinned=True, width=80),
        "Pairs": column.NumberColumn(format="localized", width=60),
        names[0]: qwk,
        names[1]: qwk,
        "Difference": column.NumberColumn(format="%+.2f", width=90, help="The first judge's QWK less the second's."),
        "Likely": column.TextColumn(width=120, help="95% interval; both judges on the same responses."),
        "Exact, first": share,
        "Exact, second": share,
    }
    chart_and_table("judges", figure, found.sentence, rows, columns)


def _versions(store: Store, figures: ExamFigures) -> None:
    versions = judge_versions(store, figures.selection)
    if not versions:
        return
    st.markdown("##### Versions over time")
    st.markdown("A judge with another model or prompt is another version. Each counts the pairs its own marks are in.")
    rows = [
        {
            "Judge": version.judge,
            "Model": version.model or None,
            "Prompt": version.prompt_version or None,
            "Mark scheme": version.scheme_version,
            "Proposed": version.first_day
            if version.first_day == version.last_day
            else f"{version.first_day} to {version.last_day}",
            "Pairs": version.n,
            "QWK": version.qwk.value,
            "Likely QWK": interval_text(version.qwk.interval),
            "Exact": in_percent(version.exact),
            "Difference": version.mean_signed,
        }
        for version in versions
    ]
    columns = {
        "Mark scheme": column.NumberColumn(format="version %d", help="Where the selection is one question."),
        "Pairs": column.NumberColumn(format="localized", width=65),
        "QWK": column.NumberColumn(format="%.2f", width=65, help="From 10 pairs."),
        "Exact": column.NumberColumn(format="%.0f%%", width=65),
        "Difference": column.NumberColumn(format="%+.2f", width=90, help="Mean of AI − teacher, in marks."),
    }
    table("versions", rows, columns, "The versions of each judge with their agreement.")


def show_groups(store: Store, figures: ExamFigures) -> None:
    groups = fairness(store, figures.selection)
    standing = [group for group in groups if group.beyond_chance]
    st.markdown(plain(" ".join([comparisons_text(groups), *(group.sentence for group in standing)])))
    shown = [group for group in groups if group.difference.value is not None]
    rows = [
        {
            "Group": f"{group.column} {group.value}",
            "Difference": group.difference.value,
            "Likely": signed_interval(group.difference.interval),
            "Responses": group.n,
            "Candidates": group.candidates,
            "In words": group.sentence,
        }
        for group in groups
    ]
    columns = {
        "Group": column.TextColumn(pinned=True, width=140),
        "Difference": column.NumberColumn(
            format="%+.2f",
            width=90,
            help="In SDs of teachers' marks: + where the AI favours the group.",
        ),
        "Likely": column.TextColumn(width=120, help="95% interval (t over candidates)."),
        "Responses": column.NumberColumn(format="localized", width=90),
        "Candidates": column.NumberColumn(format="localized", width=90),
        "In words": column.TextColumn(width="large"),
    }
    opens = [Opened(f"{group.column} {group.value}", group=(group.column, group.value)) for group in groups]
    if not shown:
        if groups:
            table("groups", rows, columns, "Groups of candidates.", opens)
        return
    values = [
        QuestionValue(
            f"{group.column} {group.value}",
            "against all others",
            group.n,
            group.difference,
            opens=Opened(f"{group.column} {group.value}", group=(group.column, group.value)).key,
        )
        for group in shown
    ]
    figure = dots_by_question(
        values,
        LENIENT_AXIS.format(unit="SD of marks"),
        signed,
        (-0.3, 0.3),
        rows="Group",
        chosen=open_key(),
    )
    figure.update_layout(showlegend=False, margin={"t": 12})
    chart_and_table("groups", figure, comparisons_text(groups), rows, columns, opens)
    st.caption(
        "A group's mean difference (AI − teacher) less that of all other candidates, in standard deviations of "
        "teachers' marks. Beyond ± 0.1 is commonly taken as a warning. Not shown under 20 responses."
    )

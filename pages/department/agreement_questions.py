"""Agreement and direction by question: where the AI is close to teachers, and where it is lenient or severe."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.agreement import RangeBias, Statistic, bias_by_range
from components.widgets.charts.dots import QuestionValue, dots_by_question, dots_in_words
from components.widgets.charts.frame import LENIENT_AXIS
from components.widgets.figures import (
    count,
    in_percent,
    interval_text,
    qwk_text,
    qwk_value,
    signed,
    signed_interval,
)
from components.workflow.agreement.figures import ExamFigures, QuestionFigures, each_pair
from pages.department.agreement_behind import Opened, open_key
from pages.department.agreement_beside import chart_and_table

FEWEST_DOUBLE_MARKED = 10
FEWEST = 10
RANGES = ("low third", "middle third", "high third")
column = st.column_config


def two_teachers(figures: ExamFigures) -> Statistic | None:
    """How closely two teachers agree over the questions; None while too few responses have been marked by two."""
    report = figures.second_marker
    if report is None or report.n < FEWEST_DOUBLE_MARKED:
        return None
    return report.r_h if report.n >= 20 * max(1, len(report.questions)) else report.pooled_r_h


def by_question(figures: ExamFigures) -> None:
    questions = figures.questions
    band = two_teachers(figures)
    values = [
        QuestionValue(
            q.question.number,
            q.judge or "",
            q.agreement.n,
            q.agreement.qwk,
            q.teachers if q.double_marked >= FEWEST_DOUBLE_MARKED else None,
            _all_of(q).key,
        )
        for q in questions
    ]
    words = dots_in_words(values, "QWK", qwk_text)
    against = ""
    if band is not None and band.value is not None:
        against = f" The dashed line is what two teachers reach with each other: {qwk_value(band)}."
    st.markdown(f"The further right a dot, the closer the AI is to teachers on that question. {words}{against}")
    figure = dots_by_question(
        values, "QWK: 0 is chance, 1 is perfect", qwk_text, (0.0, 1.0), band=band, chosen=open_key()
    )
    rows = [
        {
            "Question": q.question.number,
            "Pairs": q.agreement.n,
            "QWK": q.agreement.qwk.value,
            "Likely QWK": interval_text(q.agreement.qwk.interval),
            "Exact": in_percent(q.agreement.differences.exact),
            "Within": in_percent(q.agreement.differences.within),
            "Difference": q.agreement.differences.mean_signed.value,
            "Two teachers": q.teachers.value if q.double_marked >= FEWEST_DOUBLE_MARKED else None,
            "Double-marked": q.double_marked,
            "Judge": q.judge or "no proposal yet",
            "Tolerance": q.question.tolerance,
            "Out of": q.question.max_mark,
            "In words": q.agreement.sentence,
        }
        for q in questions
    ]
    columns = {
        "Question": column.TextColumn(pinned=True, width=80),
        "Pairs": column.NumberColumn(format="localized", width=60),
        "QWK": column.NumberColumn(
            format="%.2f", width=60, help="From 10 pairs; provisional until 30. On a one-mark question this is κ."
        ),
        "Likely QWK": column.TextColumn(width=95, help="95% interval."),
        "Exact": column.NumberColumn(format="%.0f%%", width=65),
        "Within": column.NumberColumn(format="%.0f%%", width=65, help="Within the question's tolerance."),
        "Difference": column.NumberColumn(
            format="%+.2f", width=90, help="Mean of AI − teacher, in marks: + means that the AI is lenient."
        ),
        "Two teachers": column.NumberColumn(
            format="%.2f", width=100, help="QWK of two teachers with each other, from 10 responses that both marked."
        ),
        "Double-marked": column.NumberColumn(format="localized", width=110, help="Responses that two have marked."),
        "Judge": column.TextColumn(help="Whose proposals these figures are about.", width=165),
        "Tolerance": column.NumberColumn(format="%g", width=85, help="In marks."),
        "Out of": column.NumberColumn(format="%g", width=65),
        "In words": column.TextColumn(width="large"),
    }
    chart_and_table("questions", figure, words, rows, columns, [_all_of(q) for q in questions])
    st.caption("Lines are 95% intervals: the true figure likely lies there. Under 30 pairs a figure is provisional.")


def bias(figures: ExamFigures) -> None:
    questions = figures.questions
    values = [
        QuestionValue(
            q.question.number, q.judge or "", q.agreement.n, q.agreement.differences.mean_signed, opens=_all_of(q).key
        )
        for q in questions
    ]
    words = dots_in_words(values, "Mean difference in marks", signed)
    st.markdown(f"{_direction(questions)} A line that crosses 0 may be chance.")
    figure = dots_by_question(values, LENIENT_AXIS.format(unit="marks"), signed, (-0.5, 0.5), chosen=open_key())
    rows = [
        {
            "Question": q.question.number,
            "Pairs": q.agreement.n,
            "Difference": q.agreement.differences.mean_signed.value,
            "Likely": signed_interval(q.agreement.differences.mean_signed.interval),
            "Of the maximum": q.agreement.differences.bias_percent.value,
            "Out of": q.question.max_mark,
        }
        for q in questions
    ]
    columns = {
        "Question": column.TextColumn(pinned=True, width=80),
        "Pairs": column.NumberColumn(format="localized", width=60),
        "Difference": column.NumberColumn(format="%+.2f", width=90, help="Mean of AI − teacher, in marks."),
        "Likely": column.TextColumn(width=120, help="95% interval (t)."),
        "Of the maximum": column.NumberColumn(format="%+.1f%%", width=120),
        "Out of": column.NumberColumn(format="%g", width=65),
    }
    chart_and_table("bias", figure, words, rows, columns, [_all_of(q) for q in questions])
    st.markdown("##### By how good the response is")
    _by_range(questions)


def _by_range(questions: Sequence[QuestionFigures]) -> None:
    marks = [(ai, teacher, q.question.max_mark, n) for q in questions for ai, teacher, n in q.alike]
    ai, teacher = each_pair([(ai, teacher, n) for ai, teacher, _, n in marks])
    most, _ = each_pair([(most, most, n) for _, _, most, n in marks])
    found = bias_by_range(ai, teacher, most)
    values = [
        QuestionValue(name, "mean difference", each.n, each.bias_percent, opens=_range(name, third).key)
        for third, (name, each) in enumerate(zip(RANGES, found, strict=True))
    ]
    st.markdown(_range_text(found))
    unit = "% of the maximum"
    figure = dots_by_question(
        values, LENIENT_AXIS.format(unit=unit), signed, (-5, 5), rows="Mean of both marks", chosen=open_key()
    )
    figure.update_layout(showlegend=False, margin={"t": 12})
    rows = [
        {
            "Mean of both": f"{name}: {100 * each.low:.0f}–{100 * each.high:.0f}%",
            "Pairs": each.n,
            "Of the maximum": each.bias_percent.value,
            "Likely": signed_interval(each.bias_percent.interval),
        }
        for name, each in zip(RANGES, found, strict=True)
    ]
    columns = {
        "Pairs": column.NumberColumn(format="localized", width=60),
        "Of the maximum": column.NumberColumn(format="%+.1f%%", width=120, help="Mean of AI − teacher."),
        "Likely": column.TextColumn(width=120, help="95% interval (t), in % of the maximum."),
    }
    opens = [_range(name, third) for third, name in enumerate(RANGES)]
    chart_and_table("ranges", figure, _range_text(found), rows, columns, opens)


def _range_text(found: Sequence[RangeBias]) -> str:
    enough = [(name, each) for name, each in zip(RANGES, found, strict=True) if each.n >= FEWEST]
    parts = []
    for name, each in enough:
        value = each.bias_percent.value or 0.0
        if is_told(each.bias_percent):
            parts.append(f"{'lenient' if value > 0 else 'severe'} in the {name} by {abs(value):.1f}% of the maximum")
    if parts:
        return f"The AI is {' and '.join(parts)}."
    if len(enough) < len(found):
        return f"Too early to say: that needs {FEWEST} pairs of weak, middling and strong responses each."
    return "Neither on weak nor on strong responses is the difference more than chance would bring."


def _range(name: str, third: int) -> Opened:
    return Opened(words=f"Mean of both marks in the {name}", third=third)


def _direction(questions: Sequence[QuestionFigures]) -> str:
    known = [q for q in questions if q.agreement.n >= FEWEST]
    apart = [q for q in known if is_told(q.agreement.differences.mean_signed)]
    if not known:
        return "Right of 0 the AI gives more than teachers, left of it less."
    lenient = sum((q.agreement.differences.mean_signed.value or 0) > 0 for q in apart)
    return (
        "Right of 0 the AI gives more than teachers, left of it less. "
        f"Of {count(len(known), 'question')} it is lenient on {lenient} and severe on {len(apart) - lenient}; on the "
        "others no direction can be told from chance."
    )


def is_told(mean: Statistic) -> bool:
    """Whether a mean of enough differences is told from 0: by its interval, or because all are one and the same."""
    if mean.interval is None:
        return bool(mean.value)
    return not mean.interval.low <= 0 <= mean.interval.high


def _all_of(q: QuestionFigures) -> Opened:
    return Opened(words=f"Question {q.question.number}", question=q.question.number)

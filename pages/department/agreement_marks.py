"""Mark against mark: which marks the AI gave where teachers gave which, and how far apart they are."""

from __future__ import annotations

from collections import defaultdict

import streamlit as st

from components.agreement import Interval
from components.agreement.limits import limits_in_percent
from components.widgets.charts.bland_altman import Bubble, bland_altman
from components.widgets.charts.confusion import Square, confusion, confusion_in_words
from components.workflow.agreement.figures import ExamFigures, QuestionFigures
from pages.department.agreement_behind import PERCENT_STEP, Opened, is_outside, near, open_key
from pages.department.agreement_beside import chart_and_table
from pages.department.agreement_filters import key_of

ALL = ""
FEWEST_FOR_LIMITS = 10
MOST_ROWS = 300
column = st.column_config
state = st.session_state


def choose_question(figures: ExamFigures) -> QuestionFigures | None:
    """The question that the chart is about; None for all of them in % of the maximum."""
    by_number = {q.question.number: q for q in figures.questions}
    key = key_of("at", figures.exam.id)
    if len(by_number) == 1:
        return next(iter(by_number.values()))
    if state.get(key, ALL) not in by_number:
        state[key] = ALL
    chosen: str = st.selectbox(
        "Of question",
        [ALL, *by_number],
        format_func=lambda number: f"Question {number}" if number else "all, in % of the maximum",
        key=key,
        width=260,
    )
    return by_number.get(chosen)


def show_confusion(figures: ExamFigures) -> None:
    one = choose_question(figures)
    squares = _percent_squares(figures) if one is None else _squares(one)
    words = confusion_in_words([square for square, _ in squares])
    st.markdown(
        f"Each square counts the responses that got these two marks. {words} Below the diagonal the AI was lenient, "
        "above it severe."
    )
    top, step, unit = (
        (100.0, float(PERCENT_STEP), "mark in % of the maximum")
        if one is None
        else (one.question.max_mark, one.question.mark_step, "mark")
    )
    figure = confusion([square for square, _ in squares], top, step, unit, open_key())
    shown = sorted(squares, key=lambda each: (-each[0].n, each[0].ai, each[0].teacher))[:MOST_ROWS]
    percent = "%" if one is None else ""
    rows = [
        {
            f"AI{percent and ', %'}": square.ai,
            f"Teacher{percent and ', %'}": square.teacher,
            "Pairs": square.n,
            "Outside tolerance": square.outside,
        }
        for square, _ in shown
    ]
    marks = column.NumberColumn(format="%g", width=80)
    columns = {
        "AI": marks,
        "Teacher": marks,
        "AI, %": marks,
        "Teacher, %": marks,
        "Pairs": column.NumberColumn(format="localized", width=70),
        "Outside tolerance": column.NumberColumn(format="localized", width=130),
    }
    chart_and_table("confusion", figure, words, rows, columns, [opened for _, opened in shown])
    if one is None:
        st.caption(
            "Marks are rounded to tens of per cent of their question's maximum. Choose a question for its marks."
        )


def show_differences(figures: ExamFigures) -> None:
    one = choose_question(figures)
    squares = _percent_squares(figures) if one is None else _squares(one)
    mean, limits = _limits(figures, one)
    unit = "% of the maximum" if one is None else "marks"
    words = _limits_text(mean, limits, "% of the maximum" if one is None else " marks")
    st.markdown(
        f"Each bubble is a pair of marks, larger where many responses have it: above 0 the AI gave more. {words}"
    )
    bubbles = [Bubble((s.ai + s.teacher) / 2, s.ai - s.teacher, s.n, opened.key) for s, opened in squares]
    top = 100.0 if one is None else one.question.max_mark
    figure = bland_altman(bubbles, top, mean, limits, unit, open_key())
    by_difference: dict[float, int] = defaultdict(int)
    for square, _ in squares:
        by_difference[square.ai - square.teacher] += square.n
    rows = [
        {f"AI − teacher, {'%' if one is None else 'marks'}": difference, "Pairs": n}
        for difference, n in sorted(by_difference.items())
    ]
    columns = {
        "AI − teacher, %": column.NumberColumn(format="%+g"),
        "AI − teacher, marks": column.NumberColumn(format="%+g"),
        "Pairs": column.NumberColumn(format="localized"),
    }
    chart_and_table("differences", figure, words, rows, columns)
    rounded = " Marks are rounded to tens of per cent for the bubbles, not for the lines." if one is None else ""
    st.caption(
        "After Bland and Altman: the dashed line is the mean difference, the grey band the limits of agreement (mean "
        f"± 1.96 SD).{rounded}"
    )


def _squares(q: QuestionFigures) -> list[tuple[Square, Opened]]:
    made = []
    for ai, teacher, n in q.alike:
        number = q.question.number
        opened = Opened(f"Question {number}, AI {ai:g}, teacher {teacher:g}", number, ai, teacher)
        made.append((Square(ai, teacher, n, n if is_outside(q.question, ai, teacher) else 0, opened.key), opened))
    return made


def _percent_squares(figures: ExamFigures) -> list[tuple[Square, Opened]]:
    counted: dict[tuple[float, float], list[int]] = defaultdict(lambda: [0, 0])
    for q in figures.questions:
        for ai, teacher, n in q.alike:
            cell = counted[near(ai, q.question.max_mark), near(teacher, q.question.max_mark)]
            cell[0] += n
            cell[1] += n if is_outside(q.question, ai, teacher) else 0
    made = []
    for (ai, teacher), (n, outside) in sorted(counted.items()):
        words = f"AI about {ai:g}%, teacher about {teacher:g}% of the maximum"
        opened = Opened(words, None, ai, teacher, percent=True)
        made.append((Square(ai, teacher, n, outside, opened.key), opened))
    return made


def _limits(figures: ExamFigures, one: QuestionFigures | None) -> tuple[float | None, Interval | None]:
    if one is not None:
        found = one.agreement.differences
        return found.mean_signed.value, found.limits if found.n >= FEWEST_FOR_LIMITS else None
    rows = [(ai, teacher, q.question.max_mark, n) for q in figures.questions for ai, teacher, n in q.alike]
    if not rows:
        return None, None
    ai, teacher, most, n = zip(*rows, strict=True)
    return limits_in_percent(ai, teacher, most, n)


def _limits_text(mean: float | None, limits: Interval | None, unit: str) -> str:
    if mean is None:
        return "There are no pairs yet."
    if limits is None:
        return f"From {FEWEST_FOR_LIMITS} pairs on it is said how far apart the two usually are."
    low, high = (f"{abs(value):.1f}{unit} {'more' if value > 0 else 'less'}" for value in (limits.low, limits.high))
    return f"On 95 of 100 responses the AI gives between {low} and {high} than the teacher."

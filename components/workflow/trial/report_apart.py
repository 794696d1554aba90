"""The report's sections on parts of the work: typed against handwritten, and question by question."""

from __future__ import annotations

from collections.abc import Callable
from string import ascii_uppercase

from components.agreement import Statistic
from components.workflow.agreement.report_words import signed
from components.workflow.agreement.tables import Table, Value
from components.workflow.trial.report_figures import TrialFigures
from components.workflow.trial.report_questions import QuestionRow
from components.workflow.trial.report_sections import QWK_REACH, rests_on, unlike
from components.workflow.trial.report_shapes import (
    DotRow,
    Dots,
    Section,
    apart_text,
    delta_likely,
    likely,
    likely_apart,
    likely_signed,
    qwk,
    qwk_likely,
    shown,
)

MOST_DRAWN = 40
MOST_NAMED = 3
MOST_BESIDE = 4


def hand_section(found: TrialFigures) -> Section | None:
    """Typed against handwritten; None where all answers are of one kind."""
    if found.typed is None or found.handwritten is None:
        return None
    parts = (found.typed, found.handwritten)
    rows: list[tuple[Value, ...]] = []
    dots = []
    for part in parts:
        if part.r_h.value is not None:
            rows.append((part.name, "the two humans", qwk(part.r_h), likely(part.r_h.interval), "", "", "", "", part.n))
    for arm in range(len(found.data.arms)):
        for part in parts:
            figures = part.of(arm)
            if figures is None:
                continue
            dots.append(DotRow(found.name(arm), part.name, part.n, figures.r_a))
            rows.append(
                (
                    part.name,
                    found.name(arm),
                    qwk(figures.r_a),
                    likely(figures.r_a.interval),
                    apart_text(figures.delta.value),
                    likely_apart(figures.delta.interval),
                    signed(figures.bias.value, 1),
                    likely_signed(figures.bias.interval),
                    part.n,
                )
            )
    dots += [DotRow("the two humans", part.name, part.n, part.r_h) for part in parts if part.r_h.value is not None]
    columns = unlike(("Answers", "Judge", "R_A", "Likely", "Δ", "Likely", "Bias, %", "Likely", "Responses"))
    chart = Dots("R_A on typed and on handwritten answers", "Judge", tuple(dots), QWK_REACH) if dots else None
    said = (_hand_said(found), *(f"{part.name.capitalize()}: {rests_on(found, part)}" for part in parts))
    note = (
        "The two kinds may come from other questions and other candidates, so compare Δ, in which what is hard for the "
        "humans too cancels, rather than R_A."
    )
    return Section("hand", "Typed and handwritten", said, chart, (shown("Typed and handwritten", columns, rows),), note)


def _hand_said(found: TrialFigures) -> str:
    if found.best is None or found.typed is None or found.handwritten is None:
        return "There is no QWK to compare yet."
    typed, written = found.typed.of(found.best), found.handwritten.of(found.best)
    if typed is None or written is None:
        return f"{found.name(found.best)} is not compared on both kinds."
    if typed.delta.value is None or written.delta.value is None:
        return (
            f"{found.name(found.best)} reaches {qwk_likely(typed.r_a)} on typed and {qwk_likely(written.r_a)} on "
            "handwritten answers."
        )
    return (
        f"Beside the humans {found.name(found.best)} comes to Δ {delta_likely(typed.delta)} on typed and "
        f"{delta_likely(written.delta)} on handwritten answers."
    )


def questions_section(found: TrialFigures, arm: int | None = None, *, letters: bool = False) -> Section:
    """Question by question: the chart is about one arm, the best where None, the table has them all.

    `letters` name the judges over the columns where there are many: a printed page is narrow.
    """
    chosen = found.best if arm is None else arm
    names = [each.arm.name for each in found.data.arms]
    lettered = letters and len(names) > MOST_NAMED
    short = [ascii_uppercase[place % 26] * (place // 26 + 1) for place in range(len(names))] if lettered else names
    key = f" {'; '.join(f'{letter}: {name}' for letter, name in zip(short, names, strict=True))}." if lettered else ""
    size = MOST_BESIDE if lettered else max(1, len(names))
    tables = tuple(
        _beside(found, short, range(len(names))[at : at + size]) for at in range(0, max(1, len(names)), size)
    )
    if chosen is None:
        said_first = "No question has a QWK of a judge yet."
        return Section("questions", "Question by question", (said_first,), tables=tables)
    known = [row for row in found.questions if row.arm(chosen).value is not None]
    drawn = sorted(known, key=_behind(chosen))[:MOST_DRAWN]
    kept = {id(row) for row in drawn}
    dots = tuple(
        DotRow(row.question.number, found.name(chosen), row.n, row.arm(chosen), _shown_humans(row))
        for row in found.questions
        if id(row) in kept
    )
    name = found.name(chosen)
    said = [_questions_said(name, chosen, known, len(found.questions))]
    if len(drawn) < len(known):
        said.append(f"Drawn are the {len(drawn)} questions on which it is furthest behind the humans.")
    chart = Dots(f"QWK of {name} by question", "Question", dots, QWK_REACH, line=0.7) if dots else None
    note = (
        "A judge's figure is the mean of its QWKs with the humans on the responses that they and all judges compared "
        "on the question marked; its range is over responses. Under 10 responses there is none." + key
    )
    return Section("questions", "Question by question", tuple(said), chart, tables, note)


def _beside(found: TrialFigures, names: list[str], arms: range) -> Table:
    """Some of the judges side by side, a row a question."""
    columns = ("Question", "Max.", "Responses", "Of", "Humans", *(names[arm] for arm in arms))
    rows: list[tuple[Value, ...]] = [
        (
            row.question.number,
            row.question.max_mark,
            row.n,
            row.of,
            _cell(row.r_h),
            *(_cell(row.arm(arm)) for arm in arms),
        )
        for row in found.questions
    ]
    all_of_them = len(arms) == len(names)
    return shown("By question" if all_of_them else f"By question, {names[arms[0]]} to {names[arms[-1]]}", columns, rows)


def _questions_said(name: str, arm: int, known: list[QuestionRow], many: int) -> str:
    if not known:
        return f"No question has enough responses for a QWK of {name} yet."
    values = [(row.arm(arm).value or 0.0, row) for row in known]
    low = min(values, key=lambda each: each[0])[1]
    below = sum(1 for value, _ in values if value < 0.7)
    said = f"{name} reaches a QWK of .70 on {len(known) - below:,} of the {len(known):,} questions that have one"
    said += f" (of {many:,} in all); lowest is question {low.question.number}, {qwk_likely(low.arm(arm))}"
    if low.r_h.value is not None:
        said += f", where the humans reach {qwk_likely(low.r_h)}"
    return f"{said}."


def _behind(arm: int) -> Callable[[QuestionRow], float]:
    """By how far the arm is behind the humans, or how low it is where there is one human."""

    def order(row: QuestionRow) -> float:
        value = row.arm(arm).value or 0.0
        return value - (1.0 if row.r_h.value is None else row.r_h.value)

    return order


def _shown_humans(row: QuestionRow) -> Statistic | None:
    return row.r_h if row.r_h.value is not None else None


def _cell(found: Statistic) -> str:
    """.83 (.80–.86), a dash where there is none."""
    return qwk_likely(found) if found.value is not None else "—"

"""The agreement figures as plain tables, for files that other people and other tools read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from components.agreement import Interval, SecondMarkerReport, Share, Statistic, coverage_error
from components.workflow.agreement.definitions import DEFINITIONS
from components.workflow.agreement.figures import CONFIDENCES, ExamFigures, QuestionFigures, Together

Value = str | float | int | None
FEWEST_FOR_KAPPA = 10
SLACK = 1e-9
PLACES = 6


@dataclass(frozen=True)
class Table:
    """`name` is at most 31 letters and none of []:*?/\\, so that it can name a sheet and a file. Cells are text,
    numbers or None where there is nothing."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]


def figure_tables(figures: ExamFigures) -> tuple[Table, ...]:
    """All that `figures` hold; shares are from 0 to 1, differences in marks with + where the AI is lenient."""
    return (
        overview(figures),
        by_question(figures.questions),
        accepted(figures.questions),
        confusion(figures.questions),
        by_confidence(figures.questions),
        two_teachers(figures),
        anchoring(figures),
    )


def definitions() -> Table:
    """What the columns mean."""
    return Table(
        "Definitions", ("Term", "In plain words", "Exactly"), tuple((d.term, d.plain, d.exact) for d in DEFINITIONS)
    )


def overview(figures: ExamFigures) -> Table:
    """The whole selection's figures, then each judge's where there are several."""
    parts = [("All", figures.overall), *((", ".join(part.judges), part) for part in figures.by_judge)]
    rows = [row for name, part in parts for row in _together(name, part)]
    counts: list[tuple[Value, ...]] = [
        ("All", "Blind pairs", figures.blind_pairs, None, None, None, ""),
        ("All", "Imported pairs", figures.imported_pairs, None, None, None, ""),
    ]
    columns = ("Of", "Figure", "Value", "Likely from", "Likely to", "n", "Note")
    return Table("Overview", columns, (*counts, *rows))


def _together(name: str, part: Together) -> list[tuple[Value, ...]]:
    agreement = part.agreement
    shown = agreement.n >= FEWEST_FOR_KAPPA
    few = Statistic(None, f"QWK is shown from {FEWEST_FOR_KAPPA} pairs")
    headline = "mean of the questions by marks" if agreement.headline == "aggregate" else "pooled over the questions"
    return [
        _row(name, "QWK", agreement.qwk, agreement.n, headline),
        _row(
            name, "QWK, mean by marks", agreement.aggregate if shown else few, agreement.n, f"on {agreement.coverage}"
        ),
        _row(name, "QWK, pooled", agreement.pooled if shown else few, agreement.n, f"on {agreement.pooled_coverage}"),
        _share_row(name, "Exactly the same", agreement.exact),
        _share_row(name, "Within tolerance", agreement.within),
        _row(name, "Mean difference in marks", part.mean_signed, agreement.n),
        _row(name, "Bias, % of the maximum", agreement.bias_percent, agreement.n),
        (name, "Standing", str(agreement.standing), None, None, agreement.n, agreement.sentence),
        _share_row(name, "Accept rate (AI's mark in view)", part.accept.accepted),
        (name, "Put up from the proposal", part.accept.up, None, None, part.accept.accepted.n, ""),
        (name, "Put down from the proposal", part.accept.down, None, None, part.accept.accepted.n, ""),
    ]


def _row(of: str, figure: str, found: Statistic, n: int, note: str = "") -> tuple[Value, ...]:
    said = "; ".join(part for part in (note, found.note) if part)
    return (of, figure, number(found.value), *bounds(found.interval), n, said)


def _share_row(of: str, figure: str, found: Share) -> tuple[Value, ...]:
    return (of, figure, number(found.value), *bounds(found.interval), found.n, found.note)


def by_question(questions: Sequence[QuestionFigures]) -> Table:
    """One row a question. Only `QWK whatever n` is given for fewer pairs than the screen gives a QWK for."""
    columns = (
        "Question", "Maximum", "Step", "Tolerance", "Judge", "Pairs", "Blind", "Imported", "Standing",
        "QWK", "QWK from", "QWK to", "QWK whatever n", "Exact", "Exact from", "Exact to",
        "Within tolerance", "Within from", "Within to", "MAE", "RMSE",
        "Mean difference", "Difference from", "Difference to", "Bias %", "Bias % from", "Bias % to",
        "SD", "Lower limit", "Upper limit", "Linear kappa", "AC1", "AC2", "Alpha",
        "Double-marked", "Two teachers' QWK", "Two teachers from", "Two teachers to", "Pairs that settle it",
        "In words",
    )  # fmt: skip
    return Table("By question", columns, tuple(_question(q) for q in questions))


def _question(q: QuestionFigures) -> tuple[Value, ...]:
    made, apart = q.agreement, q.agreement.differences
    enough_pairs = made.n >= FEWEST_FOR_KAPPA
    teachers = two_teachers_qwk(q)
    others = (
        [number(each.value) for each in (made.linear_kappa, made.ac1, made.ac2, made.alpha)]
        if enough_pairs
        else [None] * 4
    )
    return (
        q.question.number,
        q.question.max_mark,
        q.question.mark_step,
        q.question.tolerance,
        q.judge or "",
        made.n,
        q.blind,
        q.imported,
        str(made.standing),
        *_value_and_bounds(made.qwk),
        number(made.raw_qwk.value),
        *_value_and_bounds(apart.exact),
        *_value_and_bounds(apart.within),
        number(apart.mae.value),
        number(apart.rmse.value),
        *_value_and_bounds(apart.mean_signed),
        *_value_and_bounds(apart.bias_percent),
        number(apart.sd.value),
        *bounds(apart.limits),
        *others,
        q.double_marked,
        *_value_and_bounds(teachers),
        number(q.enough.value) if enough_pairs else None,
        made.sentence,
    )


def two_teachers_qwk(q: QuestionFigures) -> Statistic:
    """Two teachers' QWK on the question as far as it may be shown."""
    if q.double_marked < FEWEST_FOR_KAPPA:
        return Statistic(None, f"QWK is shown from {FEWEST_FOR_KAPPA} pairs")
    return q.teachers


def accepted(questions: Sequence[QuestionFigures]) -> Table:
    """Marks given with the proposal in view, and how long marks took."""
    columns = (
        "Question", "Judge", "Marked in view", "Accepted", "Accept rate", "Accept rate from", "Accept rate to",
        "Put up", "Put down", "Timed in view", "Seconds in view", "Timed blind or imported",
        "Seconds blind or imported",
    )  # fmt: skip
    return Table(
        "Accept rate and pace",
        columns,
        tuple(
            (
                q.question.number,
                q.judge or "",
                q.accept.accepted.n,
                q.accept.accepted.count,
                *_value_and_bounds(q.accept.accepted),
                q.accept.up,
                q.accept.down,
                q.pace_visible.n,
                number(q.pace_visible.seconds),
                q.pace_blind.n,
                number(q.pace_blind.seconds),
            )
            for q in questions
        ),
    )


def confusion(questions: Sequence[QuestionFigures]) -> Table:
    """How many pairs have just these two marks."""
    return Table(
        "Mark by mark",
        ("Question", "AI mark", "Teacher mark", "Pairs"),
        tuple((q.question.number, ai, teacher, n) for q in questions for ai, teacher, n in q.alike),
    )


def by_confidence(questions: Sequence[QuestionFigures]) -> Table:
    """Pairs outside tolerance among those of a confidence, and among these and all surer ones."""
    levels = (*CONFIDENCES, "")
    sizes = [sum(n for q in questions for _, _, n in q.by_confidence.get(level, ())) for level in levels]
    outside = [
        sum(
            n
            for q in questions
            for ai, teacher, n in q.by_confidence.get(level, ())
            if abs(ai - teacher) > q.question.tolerance + SLACK
        )
        for level in levels
    ]
    points = coverage_error(sizes, outside)
    columns = (
        "Confidence", "Pairs", "Outside tolerance", "Covered, surest first", "Pairs covered",
        "Outside among them", "Share outside", "Share from", "Share to",
    )  # fmt: skip
    return Table(
        "By confidence",
        columns,
        tuple(
            (
                level or "none given",
                size,
                wrong,
                number(point.covered),
                point.n,
                point.outside.count,
                *_value_and_bounds(point.outside),
            )
            for level, size, wrong, point in zip(levels, sizes, outside, points, strict=False)
            if size
        ),
    )


def two_teachers(figures: ExamFigures) -> Table:
    """The AI against two teachers on the responses that all have marked; no row where there is none."""
    report = figures.second_marker
    columns = ("Figure", "Value", "Likely from", "Likely to", "Responses", "Coverage", "Note")
    if report is None:
        return Table("AI and two teachers", columns, ())
    few = Statistic(None, f"shown from {FEWEST_FOR_KAPPA} responses")
    named = [
        ("R_A: AI with the teachers", report.r_a),
        ("R_H: the teachers with each other", report.r_h),
        ("Delta: R_A - R_H", report.delta),
        ("R_A, pooled", report.pooled_r_a),
        ("R_H, pooled", report.pooled_r_h),
        ("Delta, pooled", report.pooled_delta),
    ]
    shown = [(name, each if report.n >= FEWEST_FOR_KAPPA else few) for name, each in named]
    shown.append(("Bias against the teachers' mean, % of the maximum", report.bias_percent))
    return Table(
        "AI and two teachers",
        columns,
        tuple((name, *_value_and_bounds(each), report.n, _covering(name, report), each.note) for name, each in shown),
    )


def _covering(name: str, report: SecondMarkerReport) -> str:
    """What an aggregate rests on; pooled figures and bias rest on every response."""
    return str(report.coverage) if name.startswith(("R_", "Delta")) and "pooled" not in name else ""


def anchoring(figures: ExamFigures) -> Table:
    """How much a proposal in view sways its marker."""
    return Table(
        "Anchoring",
        ("Figure", "Value", "Likely from", "Likely to", "Note"),
        (
            (
                "Exact share in view less exact share blind",
                *_value_and_bounds(figures.anchoring),
                figures.anchoring.note,
            ),
        ),
    )


def number(value: float | None) -> float | None:
    """The value without the noise of its last binary digits."""
    return None if value is None else round(float(value), PLACES)


def bounds(interval: Interval | None) -> tuple[float | None, float | None]:
    """Both ends, or nothing twice."""
    return (None, None) if interval is None else (number(interval.low), number(interval.high))


def _value_and_bounds(found: Statistic | Share) -> tuple[Value, Value, Value]:
    return (number(found.value), *bounds(found.interval))


def named(tables: Iterable[Table]) -> dict[str, Table]:
    """The tables by name."""
    return {table.name: table for table in tables}

"""All tables of the report as numbers, for files that other tools read. Shares are from 0 to 1, QWKs as they are."""

from __future__ import annotations

from components.agreement import Share, Statistic
from components.workflow.agreement.export import csv_bytes, csv_zip
from components.workflow.agreement.tables import Table, Value, bounds, number
from components.workflow.trial.report_alike import arms_section
from components.workflow.trial.report_compare import Comparison
from components.workflow.trial.report_figures import TrialFigures
from components.workflow.trial.report_methods import definitions, limits, methods
from components.workflow.trial.report_verdict import TrialVerdict

BOUNDS = ("from", "to")


def trial_tables(found: TrialFigures, verdict: TrialVerdict) -> tuple[Table, ...]:
    """Everything as tables, in the order in which a reader wants them."""
    return (
        _verdicts(verdict),
        _rules(verdict),
        _parts(found),
        _coverage(found),
        _questions(found),
        _prices(found),
        _criteria(found),
        _examples(found),
        _twice(found),
        *arms_section(found).tables,
        Table("Methods", ("What", "In words"), _methods(found)),
        Table("Definitions", ("Term", "In plain words", "Exactly"), _definitions()),
    )


def trial_zip(found: TrialFigures, verdict: TrialVerdict) -> bytes:
    """A ZIP with one CSV a table: the same trial always makes the same bytes."""
    return csv_zip(trial_tables(found, verdict))


def trial_csv(table: Table) -> bytes:
    """One table as CSV; text that a spreadsheet would take for a formula is defused."""
    return csv_bytes(table)


def with_bounds(*names: str) -> tuple[str, ...]:
    return tuple(column for name in names for column in (name, *(f"{name} {end}" for end in BOUNDS)))


def _of(found: Statistic | Share | None) -> tuple[Value, Value, Value]:
    return (None, None, None) if found is None else (number(found.value), *bounds(found.interval))


def _verdicts(verdict: TrialVerdict) -> Table:
    rows = tuple(
        (each.name, part.part, str(part.standing), part.tolerance, part.why, part.more)
        for each in verdict.arms
        for part in each.parts
    )
    return Table("Verdict", ("Judge", "For", "Verdict", "At", "Reasons", "More responses needed"), rows)


def _rules(verdict: TrialVerdict) -> Table:
    rows = tuple(
        (each.name, part.part, rule.name, str(rule.standing), rule.said)
        for each in verdict.arms
        for part in each.parts
        for rule in part.rules
    )
    return Table("Rules", ("Judge", "For", "Rule", "Outcome", "Figures"), rows)


def _parts(found: TrialFigures) -> Table:
    columns = (
        "Kind", "Part", "Judge", "Responses", "Of marked by humans", "Of in the trial", "Questions", "Of questions",
        "Marks", "Of marks", "Pooled",
        *with_bounds("R_A", "R_H", "Delta", "Bias %", "Bias SD", "Within tolerance", "Within less humans' own"),
        "Humans within tolerance", "Best", "Interval", "Note",
    )  # fmt: skip
    kinds: list[tuple[str, Comparison | None]] = [
        ("all", found.everything),
        *(("subject", part) for part in found.subjects),
        *(("type", part) for part in found.types),
        ("essays and levels", found.essays),
        ("answers", found.typed),
        ("answers", found.handwritten),
    ]
    rows = [row for kind, part in kinds if part is not None for row in _part(found, kind, part)]
    return Table("Parts and judges", columns, tuple(rows))


def _part(found: TrialFigures, kind: str, part: Comparison) -> list[tuple[Value, ...]]:
    rests: tuple[Value, ...] = (
        part.n,
        part.common.human,
        part.common.responses,
        part.coverage.questions,
        part.coverage.of_questions,
        part.coverage.marks,
        part.coverage.of_marks,
        "yes" if part.pooled else "no",
    )
    rows: list[tuple[Value, ...]] = []
    for each in part.arms:
        beside = each.beside
        rows.append(
            (
                kind,
                part.name,
                found.name(each.arm),
                *rests,
                *_of(each.r_a),
                *_of(part.r_h),
                *_of(each.delta),
                *_of(beside.bias),
                *_of(beside.standardised),
                *_of(beside.within),
                *_of(beside.within_apart),
                number(part.within_humans.value),
                "yes" if each.arm == found.best else "no",
                each.r_a.interval.method if each.r_a.interval else "",
                "; ".join(dict.fromkeys(note for note in (each.r_a.note, each.delta.note) if note)),
            )
        )
    left = [found.name(arm) for arm in part.common.left_out]
    nothing: tuple[Value, ...] = (None,) * 22
    rows += [(kind, part.name, name, *rests, *nothing, "no", "", "not compared: too few marks") for name in left]
    return rows


def _coverage(found: TrialFigures) -> Table:
    total = int(found.data.response_ids.size)
    rows = tuple(
        (e.arm.name, total - e.abstained - e.failed - e.missing, e.abstained, e.failed, e.missing, total)
        for e in found.data.arms
    )
    return Table("Coverage", ("Judge", "Proposed", "Abstained", "Failed", "Not asked yet", "Of"), rows)


def _questions(found: TrialFigures) -> Table:
    columns = (
        "Question", "Subject", "Type", "Maximum", "Tolerance", "Judge", "Responses", "Of marked by humans",
        *with_bounds("R_A"), "QWK with the first", "QWK with the second", *with_bounds("R_H"), "Note",
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = []
    for row in found.questions:
        question = row.question
        about: tuple[Value, ...] = (
            question.number,
            question.subject,
            str(question.type),
            question.max_mark,
            question.tolerance,
        )
        counts = (row.n, row.of)
        rows += [
            (
                *about,
                found.name(each.arm),
                *counts,
                *_of(each.r_a),
                number(each.first),
                number(each.second),
                *_of(row.r_h),
                each.r_a.note,
            )
            for each in row.arms
        ]
        if not row.arms:
            rows.append((*about, "", *counts, None, None, None, None, None, *_of(row.r_h), "no judge has marks here"))
    return Table("By question", columns, tuple(rows))


def _prices(found: TrialFigures) -> Table:
    columns = (
        "Judge", "Dollars for 1,000 responses", "Dollars", "Responses sent", "Tokens in", "Tokens out", "Seconds",
        *with_bounds("R_A"), "Note",
    )  # fmt: skip
    rows = []
    for place, each in enumerate(found.data.arms):
        figures = found.everything.of(place)
        note = "sends nothing to a model" if not each.sent else "price not known" if each.price is None else ""
        rows.append(
            (
                each.arm.name,
                number(each.per_thousand),
                number(each.price),
                each.sent,
                each.tokens_in,
                each.tokens_out,
                number(each.seconds),
                *_of(None if figures is None else figures.r_a),
                note,
            )
        )
    return Table("Price", columns, tuple(rows))


def _criteria(found: TrialFigures) -> Table:
    columns = (
        "With criteria", "Without", "Against", "Responses", "Rests on",
        *with_bounds("QWK with", "QWK without", "Difference"),
    )  # fmt: skip
    rows = tuple(
        (
            found.name(pair.with_criteria),
            found.name(pair.without),
            pair.human,
            pair.n,
            str(pair.coverage),
            *_of(pair.told),
            *_of(pair.untold),
            *_of(pair.difference),
        )
        for pair in found.criteria
    )
    return Table("Criteria", columns, rows)


def _examples(found: TrialFigures) -> Table:
    rows = tuple(
        (curve.name, shots, curve.on.n, *_of(figures.r_a), *_of(curve.on.r_h), *_of(figures.delta))
        for curve in found.shots
        for shots, arm in curve.points
        if (figures := curve.on.of(arm)) is not None
    )
    return Table("Examples", ("Judge", "Examples", "Responses", *with_bounds("R_A", "R_H", "Delta")), rows)


def _twice(found: TrialFigures) -> Table:
    columns = (
        "Judge", "Again", "Responses", "Exactly the same", *with_bounds("Exact share", "QWK with itself"), "Rests on",
    )  # fmt: skip
    rows = tuple(
        (
            found.name(e.first),
            found.name(e.second),
            e.exact.n,
            e.exact.count,
            *_of(e.exact),
            *_of(e.qwk),
            str(e.coverage),
        )
        for e in found.repeats
    )
    return Table("Same judge twice", columns, rows)


def _methods(found: TrialFigures) -> tuple[tuple[Value, ...], ...]:
    return (
        *(("Methods", each) for each in methods(found)),
        *(("Limits", each) for each in limits(found)),
    )


def _definitions() -> tuple[tuple[Value, ...], ...]:
    return tuple((each.term, each.plain, each.exact) for each in definitions())

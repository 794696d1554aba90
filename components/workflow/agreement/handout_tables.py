"""Tables of what the live figures do not hold: over time, judges, groups, parts of the scale, the blind sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from components.agreement import bias_by_range
from components.workflow.agreement.fairness import GroupFairness
from components.workflow.agreement.figures import QuestionFigures, each_pair
from components.workflow.agreement.judges import JudgeVersion, SideBySide
from components.workflow.agreement.over_time import OverTime
from components.workflow.agreement.tables import Table, Value, bounds, number
from storage.blind_sample import QuestionSample

RANGES = ("low third", "middle third", "high third")


def ranges_table(questions: Sequence[QuestionFigures]) -> Table:
    """The AI's bias on low, middle and high marks over all questions, by the mean of both marks."""
    marks = [(each_pair(q.alike), q.question.max_mark) for q in questions if q.alike]
    columns = (
        "Mean of both marks", "Pairs", "Bias %", "Bias % from", "Bias % to", "Mean difference", "Difference from",
        "Difference to", "Note",
    )  # fmt: skip
    if not marks:
        return Table("By mark range", columns, ())
    ai, teacher = (np.concatenate([pair[side] for pair, _ in marks]) for side in (0, 1))
    most = np.concatenate([np.full(pair[0].size, maximum) for pair, maximum in marks])
    return Table(
        "By mark range",
        columns,
        tuple(
            (
                name,
                each.n,
                number(each.bias_percent.value),
                *bounds(each.bias_percent.interval),
                number(each.mean_signed.value),
                *bounds(each.mean_signed.interval),
                each.bias_percent.note,
            )
            for name, each in zip(RANGES, bias_by_range(ai, teacher, most, len(RANGES)), strict=True)
        ),
    )


def sample_table(questions: Sequence[QuestionFigures], samples: Mapping[int, QuestionSample]) -> Table:
    """The responses of each question that are drawn to be marked blind, and how many have been."""
    columns = ("Question", "In the sample", "Share of its responses", "Marked blind")
    rows = tuple(
        (q.question.number, sample.responses, number(sample.threshold), q.blind)
        for q in questions
        if (sample := samples.get(q.question_id)) is not None
    )
    return Table("Blind sample", columns, rows)


def over_time_table(marks: OverTime) -> Table:
    """The running figures over blind pairs, each with the interval that holds however often one looks."""
    columns = ("Figure", "Blind pairs", "At (UTC)", "Value", "Likely from", "Likely to")
    rows = [
        (name, point.n, point.at, number(point.value), number(point.low), number(point.high))
        for name, points in (("within tolerance", marks.within), ("QWK", marks.qwk))
        for point in points
    ]
    return Table("Over time", columns, tuple(rows))


def drift_table(marks: OverTime, text: str) -> Table:
    """What the watch for drift says, and its path."""
    check = marks.drift
    rows: list[tuple[Value, ...]] = [(text, None, None, None)]
    rows += [("", at, number(lenient), number(severe)) for at, lenient, severe in check.path]
    return Table("Drift", ("In words", "At (UTC)", "Lenient side", "Severe side"), tuple(rows))


def judges_table(judges: Sequence[SideBySide]) -> Table:
    """Two judges at a time on the same responses, over all and by question."""
    columns = (
        "First judge", "Second judge", "Question", "Responses", "First: QWK", "Second: QWK", "Difference in QWK",
        "Difference from", "Difference to", "First: exact", "Second: exact", "In words",
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = []
    for pair in judges:
        if pair.comparison is None:
            continue
        rows.append(
            (
                pair.judge_a,
                pair.judge_b,
                "all",
                pair.comparison.n,
                number(pair.a.value),
                number(pair.b.value),
                number(pair.difference.value),
                *bounds(pair.difference.interval),
                number(pair.comparison.a.exact.value),
                number(pair.comparison.b.exact.value),
                pair.sentence,
            )
        )
        rows += [
            (
                pair.judge_a,
                pair.judge_b,
                question.number,
                question.n,
                number(question.a.qwk.value),
                number(question.b.qwk.value),
                number(question.difference.value),
                *bounds(question.difference.interval),
                number(question.a.exact.value),
                number(question.b.exact.value),
                "",
            )
            for question in pair.questions
        ]
    return Table("Judges side by side", columns, tuple(rows))


def versions_table(versions: Sequence[JudgeVersion]) -> Table:
    """What each version of a judge has made of the selection."""
    columns = (
        "Judge", "Model", "Prompt version", "Mark scheme version", "From (UTC)", "To (UTC)", "Pairs", "QWK",
        "QWK from", "QWK to", "Exact", "Mean difference",
    )  # fmt: skip
    rows = tuple(
        (
            each.judge,
            each.model,
            each.prompt_version,
            each.scheme_version,
            each.first_day,
            each.last_day,
            each.n,
            number(each.qwk.value),
            *bounds(each.qwk.interval),
            number(each.exact.value),
            number(each.mean_signed),
        )
        for each in versions
    )
    return Table("Judge versions", columns, rows)


def groups_table(groups: Sequence[GroupFairness]) -> Table:
    """Each group of candidates against all others, in SD of teachers' marks; + where the AI favours the group."""
    columns = (
        "Column", "Group", "Difference in SD", "Likely from", "Likely to", "Responses", "Candidates",
        "Other responses", "Other candidates", "Beyond chance", "In words",
    )  # fmt: skip
    rows = tuple(
        (
            each.column,
            each.value,
            number(each.difference.value),
            *bounds(each.difference.interval),
            each.n,
            each.candidates,
            each.others,
            each.other_candidates,
            "yes" if each.beyond_chance else "no",
            each.sentence,
        )
        for each in groups
    )
    return Table("Groups of candidates", columns, rows)

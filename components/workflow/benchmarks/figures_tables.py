"""The benchmarks' figures as tables, for the screen and to take away: shares from 0 to 1, marks as they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from components.agreement import Interval, Statistic
from components.marking import format_mark
from components.workflow.agreement.tables import Table, Value
from components.workflow.benchmarks.figures_accuracy import AccuracyRow
from components.workflow.benchmarks.figures_converted import Converted, Total
from components.workflow.benchmarks.figures_gaokao import Beside
from components.workflow.benchmarks.figures_judged import JudgedFigures
from components.workflow.benchmarks.figures_knowledge import SubjectKnown
from components.workflow.benchmarks.figures_objective import ObjectiveItem, ObjectiveRow
from components.workflow.benchmarks.figures_subjective import SubjectiveRow, WrittenItem
from components.workflow.benchmarks.figures_teachers import TeacherRow
from components.workflow.benchmarks.marked_written import Coverage
from components.workflow.benchmarks.subjects import paper_name

SAME = {True: "yes", False: "no", None: ""}
UNREAD = "not read"


def beside_table(rows: Sequence[Beside]) -> Table:
    return Table(
        "reproduced",
        ("Figure", "Published", "Here", "By our rules", "Reproduced"),
        tuple((row.figure, row.published, row.here, row.ours, SAME[row.same]) for row in rows),
    )


def objective_table(name: str, rows: Iterable[ObjectiveRow]) -> Table:
    columns = (
        "Group", "Rate, published rules", "Low", "High", "Rate, ours, of all", "Rate, ours, of what was read",
        "Low, ours", "High, ours", "Questions", "Sub-questions", "Out of", "Marks, published rules", "Marks, ours",
        "Other number of answers", "Sub-questions not read",
    )  # fmt: skip
    return Table(
        name,
        columns,
        tuple(
            (
                row.name, row.published.value, *_ends(row.published.interval), row.ours_of_all.value, row.ours.value,
                *_ends(row.ours.interval), row.items, row.sub_questions, row.full, row.published.marks,
                row.ours.marks, row.length_mismatches, row.unread,
            )
            for row in rows
        ),
    )  # fmt: skip


def differing_table(items: Iterable[ObjectiveItem]) -> Table:
    return Table(
        "read differently",
        ("Paper", "Number", "Year", "Key", "Read, published rules", "Marks, published", "Read, ours", "Marks, ours"),
        tuple(
            (
                paper_name(item.task), item.number, item.year, " ".join(item.key), " ".join(item.published_answers),
                item.published,
                UNREAD if item.ours_answers is None else " ".join(letter or "?" for letter in item.ours_answers),
                None if item.ours_answers is None else item.ours,
            )
            for item in items
        ),
    )  # fmt: skip


def subjective_table(name: str, rows: Iterable[SubjectiveRow]) -> Table:
    columns = (
        "Group", "Rate, original's counting", "Rate, ours", "Low, ours", "High, ours", "Questions", "Left out",
        "Marks, original's counting", "Out of", "Marks, ours", "Out of, ours",
    )  # fmt: skip
    return Table(
        name,
        columns,
        tuple(
            (
                row.name, row.published_rate, row.ours.value, *_ends(row.ours.interval), row.items, row.invalid,
                row.published_marks, row.full, row.ours.marks, row.ours.full,
            )
            for row in rows
        ),
    )  # fmt: skip


def invalid_table(items: Iterable[WrittenItem]) -> Table:
    return Table(
        "invalid marks",
        ("Subject", "Paper", "Number", "Year", "Out of", "Given", "Why it is not counted"),
        tuple(
            (
                item.subject, paper_name(item.task), item.number, item.year, item.full,
                ", ".join(format_mark(mark) for mark in item.given), item.why,
            )
            for item in items
        ),
    )  # fmt: skip


def coverage_table(rows: Iterable[Coverage]) -> Table:
    return Table(
        "written answers marked",
        ("Group", "Written answers", "In an exam", "Marked"),
        tuple((row.subject, row.answers, row.in_exams, row.marked) for row in rows),
    )


def converted_table(figures: Converted) -> Table:
    columns = (
        "Subject", "Total, as published", "Total, not rounded", "Total, ours", "Out of", "Objective, as published",
        "Written, as published", "Objective, ours", "Written, ours",
    )  # fmt: skip

    def parts(total: Total) -> tuple[Value, Value]:
        return total.objective, total.subjective

    subjects: list[tuple[Value, ...]] = [
        (
            row.subject, row.published.total, row.unrounded.total, row.ours.total, row.out_of, *parts(row.published),
            *parts(row.ours),
        )
        for row in figures.subjects
    ]  # fmt: skip
    streams: list[tuple[Value, ...]] = [
        (row.stream, row.published, row.unrounded, row.ours, row.out_of, None, None, None, None)
        for row in figures.streams
    ]
    return Table("converted totals", columns, (*streams, *subjects))


def teacher_table(name: str, rows: Iterable[TeacherRow]) -> Table:
    columns = (
        "Group", "QWK on fractions", "Low", "High", "Same mark", "Answers with two marks", "Questions", "Left out",
        "QWK on marks", "Note",
    )  # fmt: skip
    return Table(
        name,
        columns,
        tuple(
            (
                row.name, row.qwk.value, *_ends(row.qwk.interval), row.exact.value, row.n, row.items, row.left_out,
                row.qwk_on_marks.value, teacher_note(row),
            )
            for row in rows
        ),
    )  # fmt: skip


def teacher_note(row: TeacherRow) -> str:
    """What a reader has to know of a row before quoting it."""
    if row.n == 0:
        return "no answer has two marks"
    if row.identical:
        return "every pair is identical: perhaps agreed or copied, no evidence of agreement"
    return row.qwk.note


def judged_table(rows: Iterable[JudgedFigures]) -> Table:
    columns = (
        "Group", "Answers", "Questions", "Spearman", "Low", "High", "Kendall τ-b", "Low τ", "High τ", "Judge's marks",
        "Teachers' marks", "Out of", "Deviation %", "Low %", "High %", "Marks per answer",
    )  # fmt: skip
    return Table(
        "judge and teachers",
        columns,
        tuple(
            (
                row.name, row.n, row.items, *_three(row.spearman), *_three(row.kendall), row.judge_total,
                row.teachers_total, row.full, *_three(row.deviation), row.deviation_marks.value,
            )
            for row in rows
        ),
    )  # fmt: skip


def accuracy_table(name: str, rows: Iterable[AccuracyRow]) -> Table:
    columns = (
        "Group", "Questions", "Right", "Accuracy", "Low", "High", "Not read", "Accuracy of what was read", "Low, read",
        "High, read", "Subjects", "Mean of its subjects", "No reply", "Private answer",
    )  # fmt: skip
    return Table(
        name,
        columns,
        tuple(
            (
                row.name, row.of_all.n, row.of_all.count, row.of_all.value, *_ends(row.of_all.interval), row.unread,
                row.of_read.value, *_ends(row.of_read.interval), row.subjects, row.mean_of_subjects, row.failed,
                row.no_key,
            )
            for row in rows
        ),
    )  # fmt: skip


def knowledge_table(rows: Iterable[SubjectKnown]) -> Table:
    return Table(
        "knowledge",
        ("Subject", "Questions", "Knows", "Low", "High", "Not read", "So it"),
        tuple(
            (
                row.name, row.rate.items, row.rate.value, *_ends(row.rate.interval), row.unread,
                f"{row.standing}{' (few questions)' if row.few else ''}",
            )
            for row in rows
        ),
    )  # fmt: skip


def _ends(interval: Interval | None) -> tuple[Value, Value]:
    return (None, None) if interval is None else (interval.low, interval.high)


def _three(figure: Statistic) -> tuple[Value, Value, Value]:
    return figure.value, *_ends(figure.interval)

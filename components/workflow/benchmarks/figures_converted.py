"""GAOKAO-Bench's converted totals: a subject's rates turned into marks out of 750, as a candidate's paper would be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from components.agreement import SubjectPart, converted_total
from components.workflow.benchmarks.figures_objective import ObjectiveFigures
from components.workflow.benchmarks.figures_subjective import SubjectiveFigures
from components.workflow.benchmarks.subjects import STREAMS, WEIGHTS, Weight


@dataclass(frozen=True)
class Total:
    """A subject's marks on the two parts and together; None where a part was not sat, or nothing of it is valid."""

    objective: float | None
    subjective: float | None

    @property
    def total(self) -> float | None:
        return None if self.objective is None or self.subjective is None else self.objective + self.subjective


@dataclass(frozen=True)
class ConvertedRow:
    """One subject out of `out_of`: as published (rates rounded to three decimals), the same unrounded, and by ours.

    By ours, an objective reply that could not be read earns nothing, as a candidate's would, and a written answer
    without a valid mark is left out.
    """

    subject: str
    out_of: float
    published: Total
    unrounded: Total
    ours: Total


@dataclass(frozen=True)
class StreamRow:
    """A stream's total; None where `missing` names subjects without one."""

    stream: str
    out_of: float
    published: float | None
    unrounded: float | None
    ours: float | None
    missing: tuple[str, ...]


@dataclass(frozen=True)
class Converted:
    subjects: tuple[ConvertedRow, ...]
    streams: tuple[StreamRow, ...]


def converted(objective: ObjectiveFigures | None, subjective: SubjectiveFigures | None) -> Converted | None:
    """The converted totals per subject and stream, total × fraction × rate; None where no subject has both parts."""
    if objective is None or subjective is None:
        return None
    exact_objective = {row.name: row.published.value for row in objective.by_subject}
    exact_written = {row.name: row.published_rate for row in subjective.by_subject}
    our_objective = {row.name: row.ours_of_all.value for row in objective.by_subject}
    our_written = {row.name: row.ours.value for row in subjective.by_subject}
    rows = tuple(
        ConvertedRow(
            weight.subject,
            weight.total,
            published=_total(weight, _rounded(exact_objective), _rounded(exact_written)),
            unrounded=_total(weight, exact_objective, exact_written),
            ours=_total(weight, our_objective, our_written),
        )
        for weight in WEIGHTS
        if weight.subject in exact_objective or weight.subject in exact_written
    )
    if not any(row.published.total is not None for row in rows):
        return None
    return Converted(rows, tuple(_stream(stream, subjects, rows) for stream, subjects in STREAMS.items()))


def _rounded(rates: Mapping[str, float | None]) -> dict[str, float | None]:
    return {subject: None if value is None else round(value, 3) for subject, value in rates.items()}


def _total(weight: Weight, objective: Mapping[str, float | None], written: Mapping[str, float | None]) -> Total:
    first, second = objective.get(weight.subject), written.get(weight.subject)
    return Total(
        None if first is None else converted_total([SubjectPart(first, weight.objective_marks, 0, 0)]),
        None if second is None else converted_total([SubjectPart(0, 0, second, weight.subjective_marks)]),
    )


def _stream(stream: str, subjects: tuple[str, ...], rows: tuple[ConvertedRow, ...]) -> StreamRow:
    by_subject = {row.subject: row for row in rows}
    there = [by_subject[subject] for subject in subjects if subject in by_subject]
    missing = tuple(
        subject for subject in subjects if subject not in by_subject or by_subject[subject].published.total is None
    )
    return StreamRow(
        stream,
        sum(weight.total for weight in WEIGHTS if weight.subject in subjects),
        published=None if missing else _sum([row.published.total for row in there]),
        unrounded=None if missing else _sum([row.unrounded.total for row in there]),
        ours=None if missing else _sum([row.ours.total for row in there]),
        missing=missing,
    )


def _sum(totals: list[float | None]) -> float | None:
    known = [total for total in totals if total is not None]
    return sum(known) if len(known) == len(totals) else None

"""GAOKAO-Bench's written questions from shipped judge marks: by the original's counting, and by ours."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from components.intake.benchmarks.items import ShippedResult
from components.marking import format_mark
from components.workflow.benchmarks.figures_groups import grouped
from components.workflow.benchmarks.figures_rates import Rate, rate
from components.workflow.benchmarks.subjects import paper_name, subject_of

ABOVE, BELOW, SEVERAL, NOT_WHOLE, NONE = (
    "above its maximum",
    "below 0",
    "more than one total",
    "not a whole mark",
    "no mark",
)


@dataclass(frozen=True)
class WrittenItem:
    """One written answer with the marks a judge gave it. `faults` say why these are no mark; empty where it is one."""

    task: str
    subject: str
    year: str
    number: str
    full: float
    given: tuple[float, ...]
    faults: tuple[str, ...]

    @property
    def counted(self) -> float:
        """What the original counts: the mean of the marks given, whatever they are; 0 where there is none."""
        return sum(self.given) / len(self.given) if self.given else 0.0

    @property
    def why(self) -> str:
        """The faults in a phrase: "more than one total (12, 11), above its maximum of 11"."""
        marks = ", ".join(format_mark(mark) for mark in self.given)
        said = {ABOVE: f"{ABOVE} of {format_mark(self.full)}"}
        phrases = [said.get(fault, fault) for fault in self.faults]
        return f"{', '.join(phrases)} ({marks})" if marks else ", ".join(phrases)


@dataclass(frozen=True)
class SubjectiveRow:
    """A subject, a paper or a year: `published_marks` of `full` by the original's counting, `ours` on valid marks."""

    name: str
    items: int
    full: float
    published_marks: float
    ours: Rate

    @property
    def published_rate(self) -> float | None:
        return self.published_marks / self.full if self.full else None

    @property
    def invalid(self) -> int:
        return self.items - self.ours.items


@dataclass(frozen=True)
class SubjectiveFigures:
    """`invalid` are the items left out by ours, `faults` how many items have each fault (one may have two)."""

    total: SubjectiveRow
    by_subject: tuple[SubjectiveRow, ...]
    by_paper: tuple[SubjectiveRow, ...]
    by_year: tuple[SubjectiveRow, ...]
    invalid: tuple[WrittenItem, ...]
    faults: dict[str, int]


def subjective_figures(results: Iterable[ShippedResult], *, parts: bool = False) -> SubjectiveFigures | None:
    """The figures of all written answers that a judge was asked to mark; None where there are none.

    `parts` lets parts of a mark count, as they do in a question marked here whose step is below 1.
    """
    items = [_written(each, parts) for each in results if each.item.open and (each.corrections or each.grading)]
    if not items:
        return None
    faults = Counter(fault for item in items for fault in item.faults)
    return SubjectiveFigures(
        total=_row("All", items),
        by_subject=_rows(items, lambda item: item.subject),
        by_paper=_rows(items, lambda item: paper_name(item.task)),
        by_year=_rows(items, lambda item: item.year),
        invalid=tuple(item for item in items if item.faults),
        faults={fault: faults[fault] for fault in (ABOVE, BELOW, SEVERAL, NOT_WHOLE, NONE)},
    )


def faults_of(given: Sequence[float], full: float, *, parts: bool = False) -> tuple[str, ...]:
    """Why what a judge gave is not a mark out of `full`: there is one, it is whole, and it lies on the scale.

    With `parts` it need not be whole.
    """
    found = {
        NONE: not given or not all(math.isfinite(mark) for mark in given),
        SEVERAL: len(given) > 1,
        ABOVE: any(mark > full for mark in given),
        BELOW: any(mark < 0 for mark in given),
        NOT_WHOLE: not parts and any(math.isfinite(mark) and mark != round(mark) for mark in given),
    }
    return tuple(fault for fault, wrong in found.items() if wrong)


def _written(result: ShippedResult, parts: bool) -> WrittenItem:
    item = result.item
    return WrittenItem(
        item.task,
        subject_of(item),
        item.year,
        item.number,
        item.full_marks,
        result.corrections,
        faults_of(result.corrections, item.full_marks, parts=parts),
    )


def _rows(items: Sequence[WrittenItem], named: Callable[[WrittenItem], str]) -> tuple[SubjectiveRow, ...]:
    return tuple(_row(name, group) for name, group in grouped(items, named))


def _row(name: str, items: Sequence[WrittenItem]) -> SubjectiveRow:
    valid = [item for item in items if not item.faults]
    return SubjectiveRow(
        name,
        len(items),
        sum(item.full for item in items),
        sum(item.counted for item in items),
        rate([item.counted for item in valid], [item.full for item in valid]),
    )

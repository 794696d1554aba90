"""GAOKAO-Bench's objective questions from shipped replies: marked by the published rules and by ours, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from components.intake.benchmarks.items import ShippedResult
from components.judge.objective.published import Rule, mark_item, read_answers
from components.workflow.benchmarks.figures_groups import grouped
from components.workflow.benchmarks.figures_rates import Rate, rate
from components.workflow.benchmarks.subjects import paper_name, subject_of


@dataclass(frozen=True)
class ObjectiveItem:
    """One reply, read and marked both ways.

    `ours_answers` is None where we could not read the reply; an entry of it is "" where one sub-question could not be
    read. `ours` counts only what was read, out of `ours_full`; `unread` is the number of sub-questions that were not.
    """

    task: str
    subject: str
    year: str
    number: str
    key: tuple[str, ...]
    full: float
    published_answers: tuple[str, ...]
    published: float
    length_mismatch: bool
    ours_answers: tuple[str, ...] | None
    ours: float
    ours_full: float
    unread: int
    shipped_differs: bool

    @property
    def differs(self) -> bool:
        """Whether the two rules give this reply different marks, or ours gives none to some of it."""
        return self.unread > 0 or self.published != self.ours


@dataclass(frozen=True)
class ObjectiveRow:
    """A subject, a paper or a year. `ours` is the rate on what was read, `ours_of_all` that with unread as 0 marks."""

    name: str
    items: int
    sub_questions: int
    full: float
    published: Rate
    length_mismatches: int
    ours: Rate
    ours_of_all: Rate
    unread: int


@dataclass(frozen=True)
class ObjectiveFigures:
    """`total` is over everything; `differing` are the replies to which the two rules give different marks.

    `shipped_differs` counts replies from which re-reading by the published rule takes other answers than the ones
    that came with the file.
    """

    total: ObjectiveRow
    by_subject: tuple[ObjectiveRow, ...]
    by_paper: tuple[ObjectiveRow, ...]
    by_year: tuple[ObjectiveRow, ...]
    differing: tuple[ObjectiveItem, ...]
    shipped_differs: int


def objective_figures(results: Iterable[ShippedResult]) -> ObjectiveFigures | None:
    """The figures of all objective results that have a key; None where there are none.

    The published rule re-reads the reply, word for word as it came, rather than trusting the answers shipped beside
    it: so it is the rule that is reproduced, and a file without shipped answers is marked alike.
    """
    items = [_marked(result) for result in results if not result.item.open and result.item.key]
    if not items:
        return None
    return ObjectiveFigures(
        total=_row("All", items),
        by_subject=_rows(items, lambda item: item.subject),
        by_paper=_rows(items, lambda item: paper_name(item.task)),
        by_year=_rows(items, lambda item: item.year),
        differing=tuple(item for item in items if item.differs),
        shipped_differs=sum(item.shipped_differs for item in items),
    )


def _marked(result: ShippedResult) -> ObjectiveItem:
    item, count = result.item, len(result.item.key)
    published = read_answers(result.model_output, item.kind, count, Rule.PUBLISHED) or ()
    theirs = mark_item(published, item.key, item.points, item.kind, Rule.PUBLISHED)
    answers = read_answers(result.model_output, item.kind, count)
    marks, unread = 0.0, count
    if answers is not None:
        ours = mark_item(answers, item.key, item.points, item.kind)
        marks, unread = ours.marks, ours.unread
    return ObjectiveItem(
        task=item.task,
        subject=subject_of(item),
        year=item.year,
        number=item.number,
        key=item.key,
        full=item.full_marks,
        published_answers=published,
        published=theirs.marks,
        length_mismatch=theirs.length_mismatch,
        ours_answers=answers,
        ours=marks,
        ours_full=item.points * (count - unread),
        unread=unread,
        shipped_differs=bool(result.model_answers) and result.model_answers != published,
    )


def _rows(items: Sequence[ObjectiveItem], named: Callable[[ObjectiveItem], str]) -> tuple[ObjectiveRow, ...]:
    return tuple(_row(name, group) for name, group in grouped(items, named))


def _row(name: str, items: Sequence[ObjectiveItem]) -> ObjectiveRow:
    full = [item.full for item in items]
    read = [item for item in items if item.ours_full > 0]
    return ObjectiveRow(
        name=name,
        items=len(items),
        sub_questions=sum(len(item.key) for item in items),
        full=sum(full),
        published=rate([item.published for item in items], full),
        length_mismatches=sum(item.length_mismatch for item in items),
        ours=rate([item.ours for item in read], [item.ours_full for item in read]),
        ours_of_all=rate([item.ours for item in items], full),
        unread=sum(item.unread for item in items),
    )

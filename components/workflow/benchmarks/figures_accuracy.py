"""What a model got right in a sitting of E-EVAL or M3KE, and its answers as a submission file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from components.agreement import Share, share
from components.workflow.benchmarks.figures_groups import grouped
from components.workflow.benchmarks.subjects import spoken
from storage.benchmarks import Result

NO_CLUSTER = "Not in a cluster"


class Outcome(StrEnum):
    RIGHT = "right"
    WRONG = "wrong"
    UNREAD = "unread"
    NO_KEY = "no key"
    FAILED = "failed"


@dataclass(frozen=True)
class SatRow:
    """What a model made of one question. `letter` is what was read from its reply, "" where nothing was."""

    task: str
    number: str
    subject: str
    level: str
    cluster: str
    outcome: Outcome
    letter: str = ""


@dataclass(frozen=True)
class AccuracyRow:
    """A group of questions with a key and a reply. `of_all` counts an unread reply as wrong, as is published.

    `of_read` leaves unread replies out, `mean_of_subjects` weighs each subject alike (unread wrong) where the group
    has several. `failed` questions got no reply, `no_key` ones have a private answer: neither is in any share.
    """

    name: str
    of_all: Share
    of_read: Share
    unread: int
    failed: int
    no_key: int
    subjects: int
    mean_of_subjects: float | None


@dataclass(frozen=True)
class Accuracy:
    total: AccuracyRow
    by_subject: tuple[AccuracyRow, ...]
    by_cluster: tuple[AccuracyRow, ...]
    by_level: tuple[AccuracyRow, ...]


@dataclass(frozen=True)
class _Task:
    task: str
    subject: str
    level: str
    cluster: str


def sat_rows(results: Iterable[Result]) -> Iterator[SatRow]:
    """The choice questions of a sitting, one at a time; those to be written out are left out."""
    for result in results:
        if result.kind != "open":
            letter = "".join(result.answers or ())
            place = (result.task, result.number, result.subject, result.level, result.cluster)
            yield SatRow(*place, _outcome(result), letter)


def accuracy(rows: Iterable[SatRow]) -> Accuracy | None:
    """Accuracy by subject (with its level), by cluster (E-EVAL's arts and science) and by level; None without rows.

    Only counts are kept of the rows, so that their number does not matter.
    """
    counts: dict[_Task, Counter[Outcome]] = {}
    for row in rows:
        place = _Task(row.task, row.subject or row.task, row.level, row.cluster)
        counts.setdefault(place, Counter())[row.outcome] += 1
    if not counts:
        return None
    return Accuracy(
        total=_row("All", list(counts.values())),
        by_subject=_rows(counts, lambda each: spoken(each.subject, each.level)),
        by_cluster=_rows(counts, lambda each: each.cluster[:1].upper() + each.cluster[1:] or NO_CLUSTER),
        by_level=_rows(counts, lambda each: each.level or "No level"),
    )


def submission(rows: Iterable[SatRow]) -> dict[str, dict[str, str]]:
    """The answers as a private test set takes them: {"high_school_biology": {"0": "A", …}, …}.

    Every question sat is in it, so that no number is missing; one whose reply could not be read has "", which counts
    as wrong. Nothing is guessed.
    """
    answers: dict[str, dict[str, str]] = {}
    for row in rows:
        answers.setdefault(row.task, {})[row.number] = row.letter
    return answers


def submission_file(rows: Iterable[SatRow]) -> bytes:
    """The submission as JSON in UTF-8."""
    return json.dumps(submission(rows), ensure_ascii=False, indent=1).encode()


def _outcome(result: Result) -> Outcome:
    if result.status == "failed":
        return Outcome.FAILED
    if not result.keyed:
        return Outcome.NO_KEY
    if result.mark is None:
        return Outcome.UNREAD
    return Outcome.RIGHT if result.mark >= result.full else Outcome.WRONG


def _rows(counts: dict[_Task, Counter[Outcome]], named: Callable[[_Task], str]) -> tuple[AccuracyRow, ...]:
    return tuple(_row(name, [counts[task] for task in tasks]) for name, tasks in grouped(counts, named))


def _row(name: str, tasks: list[Counter[Outcome]]) -> AccuracyRow:
    total: Counter[Outcome] = sum(tasks, Counter())
    right, unread = total[Outcome.RIGHT], total[Outcome.UNREAD]
    read = right + total[Outcome.WRONG]
    marked = [task for task in tasks if _asked(task)]
    means = [task[Outcome.RIGHT] / _asked(task) for task in marked]
    return AccuracyRow(
        name=name,
        of_all=share(right, read + unread),
        of_read=share(right, read),
        unread=unread,
        failed=total[Outcome.FAILED],
        no_key=total[Outcome.NO_KEY],
        subjects=len(tasks),
        mean_of_subjects=sum(means) / len(means) if len(means) > 1 else None,
    )


def _asked(task: Counter[Outcome]) -> int:
    return task[Outcome.RIGHT] + task[Outcome.WRONG] + task[Outcome.UNREAD]

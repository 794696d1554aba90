"""Judges mark what models wrote for a benchmark: a trial for each of its exams, of what nobody has marked too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from components.marking import Marker
from components.workflow.benchmarks.making_exams import source_of_sitting
from components.workflow.connections import Connections
from components.workflow.trial.arms import ArmChoice
from components.workflow.trial.planning import Plan, TrialOptions, plan, usual_markers, written
from components.workflow.trial.starting import start
from storage import Store, exams, imports
from storage.exams import Exam
from storage.sittings import Sitting
from storage.trial_marks import Counted

CENT = 0.01


@dataclass(frozen=True)
class Marking:
    """An exam that judges are to mark, and what that would take."""

    exam: Exam
    options: TrialOptions
    plan: Plan


def exams_of_written(store: Store, sitting: Sitting) -> list[int]:
    """The exams that were made of what the sitting's model wrote, oldest first."""
    with store.read() as db:
        return [found.exam_id for found in reversed(imports.of_source(db, source_of_sitting(sitting)))]


def marking_of(store: Store, connections: Connections, exam_id: int, arms: Sequence[ArmChoice]) -> Marking | None:
    """What it would take; None where the exam has been archived. Marks that teachers have given are compared with."""
    with store.read() as db:
        exam = exams.get(db, exam_id)
        if exam is None:
            return None
        base = TrialOptions(exam_id=exam_id, arms=tuple(arms), title=f"Marks for {exam.title}"[:120], unmarked=True)
        options = base.model_copy(update={"whose": usual_markers(db, exam_id, [each.id for each in written(db, base)])})
    return Marking(exam, options, plan(store, connections, options))


def together(wanted: Sequence[Marking]) -> Plan:
    """What all of them would take."""
    plans = [each.plan for each in wanted]
    marked = Counted(sum(each.marked.responses for each in plans), sum(each.marked.double_marked for each in plans))
    arms = tuple(arm for each in plans for arm in each.arms)
    withheld = bool(plans) and all(each.nothing_withheld for each in plans)
    return Plan(marked, sum(each.responses for each in plans), arms, withheld)


def begin_marking(
    store: Store, connections: Connections, wanted: Sequence[Marking], cap: float | None, marker: Marker
) -> list[int]:
    """Queue a trial for each exam; gives their ids. A `cap` in US dollars is shared out by what each is likely to cost.

    Raises TrialError, in words, where one cannot be begun; those before it are.
    """
    prices = [each.plan.price or 0.0 for each in wanted]
    shares = [price / sum(prices) if sum(prices) else 1 / len(wanted) for price in prices]
    begun = []
    for each, share in zip(wanted, shares, strict=True):
        own = None if cap is None else max(CENT, cap * share)
        begun.append(start(store, connections, each.options.model_copy(update={"cap": own}), marker))
    return begun

"""The command `mark`: judges mark what models wrote for a benchmark, with its marking criteria or without."""

from __future__ import annotations

import argparse
import sys

from components.marking import MarkError
from components.workflow.benchmarks.bar import Bar
from components.workflow.benchmarks.command_arms import add_arms, arms_of
from components.workflow.benchmarks.making_exams import exams_of_sitting
from components.workflow.benchmarks.marking import Marking, exams_of_written, marking_of, together
from components.workflow.benchmarks.outcomes import sitting_of
from components.workflow.benchmarks.trial_words import plan_words
from components.workflow.connections import Connections
from components.workflow.here import Ended
from components.workflow.purse import CAP_REACHED, LIKELY_TIMES
from components.workflow.trial.here import try_here
from components.workflow.trial.starting import same
from storage import Store, trial_answers


def add_mark(mark: argparse.ArgumentParser) -> None:
    mark.add_argument("sitting", type=int, nargs="?", help="whose written answers to mark; exams are made of them")
    mark.add_argument("--exams", type=int, nargs="+", default=[], help="mark these exams instead")
    add_arms(mark)
    mark.set_defaults(do=_mark)


def _mark(store: Store, asked: argparse.Namespace) -> int:
    connections = Connections.from_environment(store)
    wanted = [_marking(store, connections, asked, exam_id) for exam_id in _exams(store, asked)]
    for each in wanted:
        print(f"{each.exam.title}: {plan_words(each.plan)}", file=sys.stderr)
    if len(wanted) > 1:
        print(f"Together: {plan_words(together([*wanted]))}", file=sys.stderr)
    if asked.dry_run:
        return 0
    wholes = [each.plan.responses * len(each.options.arms) for each in wanted]
    estimate = max(
        (arm.price / arm.sent for each in wanted for arm in each.plan.arms if arm.price and arm.sent), default=0.0
    )
    spent = {}
    for each in wanted:
        before = same(store, connections, each.options)
        spent[each.exam.id] = 0.0 if before is None else _spent(store, before.id, estimate)
    bar, ended = Bar(), Ended("done", "")
    try:
        for place, each in enumerate(wanted):
            exam, options = each.exam, each.options
            others = sum(dollars for exam_id, dollars in spent.items() if exam_id != exam.id)
            if asked.cap is not None and asked.cap <= others:
                ended = Ended("failed", f"{CAP_REACHED} before {exam.title}.")
                break
            left = options.model_copy(update={"cap": None if asked.cap is None else asked.cap - others})
            behind, whole = sum(wholes[:place]), sum(wholes)
            trial_id, ended = try_here(store, connections, left, bar.part(behind, whole))
            spent[exam.id] = _spent(store, trial_id, estimate)
            bar.close()
            print(f"{exam.title}: trial {trial_id} {ended.status}: {ended.message}")
            if ended.status != "done":
                break
    finally:
        bar.close()
    return _say_end(ended, asked.sitting)


def _say_end(ended: Ended, sitting_id: int | None) -> int:
    if ended.status != "done":
        print(f"{ended.message} The same command goes on from here.", file=sys.stderr)
        return 1
    if sitting_id is not None:
        print(f"What it makes of the sitting: results {sitting_id}.", file=sys.stderr)
    return 0


def _exams(store: Store, asked: argparse.Namespace) -> list[int]:
    """The exams named, or those of the sitting, made where there are none yet. Raises MarkError."""
    if (asked.sitting is None) == (not asked.exams):
        raise MarkError("Name a sitting, or --exams with their numbers. The command “results” lists the sittings.")
    if asked.exams:
        return list(dict.fromkeys(asked.exams))
    sitting = sitting_of(store, asked.sitting)
    made = exams_of_sitting(store, sitting.id, None)
    for sentence in made.left_out:
        print(f"  {sentence}", file=sys.stderr)
    return exams_of_written(store, sitting)


def _marking(store: Store, connections: Connections, asked: argparse.Namespace, exam_id: int) -> Marking:
    arms = arms_of(store, connections, asked, exam_id, imported=False)
    found = marking_of(store, connections, exam_id, arms)
    if found is None:
        raise MarkError(f"There is no exam {exam_id}, or it has been archived.")
    return found


def _spent(store: Store, trial_id: int, estimate: float) -> float:
    """US dollars that the trial has spent; an unknown price counts as what is set aside for a response."""
    with store.read() as db:
        found = trial_answers.spent(db, trial_id).values()
    return sum(known + unknown * LIKELY_TIMES * estimate for known, unknown in found)

"""What a sitting came to, as tables and files."""

from __future__ import annotations

from itertools import chain

from components.intake.benchmarks import Benchmark, Item, ShippedResult
from components.judge.objective.choice_replies import without_thoughts
from components.marking import MarkError
from components.workflow.agreement.tables import Table
from components.workflow.benchmarks.asking_items import pages
from components.workflow.benchmarks.figures_accuracy import (
    Accuracy,
    Outcome,
    SatRow,
    accuracy,
    sat_rows,
    submission_file,
)
from components.workflow.benchmarks.figures_objective import ObjectiveFigures, objective_figures
from components.workflow.benchmarks.figures_tables import accuracy_table, objective_table
from components.workflow.benchmarks.sets import item_of
from components.workflow.benchmarks.settings import SittingSettings
from storage import Store, benchmarks, sittings
from storage.sittings import Sitting


def sitting_of(store: Store, sitting_id: int) -> Sitting:
    """Raises MarkError where there is no such sitting."""
    with store.read() as db:
        found = sittings.get(db, sitting_id)
    if found is None:
        raise MarkError(f"There is no sitting {sitting_id}. The command “results” without a number lists them.")
    return found


def accuracy_of(store: Store, sitting_id: int) -> Accuracy | None:
    """A sitting of E-EVAL or M3KE by subject, cluster and level; None where nothing was asked yet."""
    with store.read() as db:
        return accuracy(sat_rows(benchmarks.results_of_sitting(db, sitting_id)))


def objective_of(store: Store, sitting: Sitting) -> ObjectiveFigures | None:
    """A sitting of GAOKAO-Bench marked by the published rules and by ours; None where nothing can be marked yet."""
    with store.read() as db:
        return objective_figures(
            ShippedResult(
                item=Item.model_validate_json(body), model=sitting.model, model_output=without_thoughts(reply)
            )
            for body, reply in benchmarks.replies_of(db, sitting.id, written=False)
        )


def tables_of(store: Store, sitting_id: int) -> list[Table]:
    """What a sitting came to by subject and beyond; none where nothing can be marked yet. Raises MarkError."""
    sitting = sitting_of(store, sitting_id)
    if sitting.benchmark == Benchmark.GAOKAO_BENCH:
        figures = objective_of(store, sitting)
        if figures is None:
            return []
        total = (figures.total,)
        return [
            objective_table("by subject", (*figures.by_subject, *total)),
            objective_table("by paper", (*figures.by_paper, *total)),
            objective_table("by year", (*figures.by_year, *total)),
        ]
    found = accuracy_of(store, sitting_id)
    if found is None:
        return []
    return [
        accuracy_table("by subject", (*found.by_subject, found.total)),
        accuracy_table("by cluster", (*found.by_cluster, found.total)),
        accuracy_table("by level", (*found.by_level, found.total)),
    ]


def submission_of(store: Store, sitting_id: int) -> bytes:
    """The submission file for a private test set, with "" for each question of the sitting that has no answer.

    Raises MarkError where there is no answer to submit.
    """
    sitting = sitting_of(store, sitting_id)
    if sitting.benchmark == Benchmark.GAOKAO_BENCH:
        raise MarkError("GAOKAO-Bench has no private test set, so there is nothing to submit.")
    if "test" not in sitting.settings.get("splits", ()):
        raise MarkError("A submission holds answers to the test questions, and this sitting was not about those.")
    with store.read() as db:
        if not sittings.answered(db, sitting_id):
            raise MarkError("This sitting has no answer yet, so there is nothing to submit.")
    settings = SittingSettings.model_validate(sitting.settings).model_copy(update={"splits": ("test",)})
    every = (item_of(stored) for lot in pages(store, sitting.set_id, settings) for stored in lot)
    blank = (SatRow(each.task, each.number, each.subject, each.level, "", Outcome.FAILED) for each in every)
    with store.read() as db:
        results = benchmarks.results_of_sitting(db, sitting_id)
        return submission_file(chain(list(blank), sat_rows(each for each in results if each.split == "test")))

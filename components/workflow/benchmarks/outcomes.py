"""What a sitting came to, as tables and files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
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
from components.workflow.benchmarks.figures_tables import (
    accuracy_table,
    converted_table,
    judged_table,
    objective_table,
    subjective_table,
)
from components.workflow.benchmarks.marked_written import WrittenPart, who_marked_sitting, written_part
from components.workflow.benchmarks.sets import item_of
from components.workflow.benchmarks.settings import SittingSettings
from components.workflow.benchmarks.wording import written_words
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


def written_parts_of(store: Store, sitting: Sitting, objective: ObjectiveFigures | None) -> list[WrittenPart]:
    """The written part of a sitting of GAOKAO-Bench once for each that marked it: teachers, judges, judges on trial."""
    parts = [written_part(store, sitting, marked, objective) for marked in who_marked_sitting(store, sitting)]
    return [part for part in parts if part is not None]


def _written_tables(parts: Sequence[WrittenPart]) -> list[Table]:
    """Who marked the written answers, by number, and under each number what that gives."""
    if not parts:
        return []
    rows = tuple((place, part.marked.name, written_words(part)) for place, part in enumerate(parts, start=1))
    found = [Table("written answers marked by", ("No.", "Marked by", "How much"), rows)]
    for place, part in enumerate(parts, start=1):
        if part.converted is not None:
            found.append(replace(converted_table(part.converted), name=f"converted totals {place}"))
        if (groups := part.subjective) is not None:
            for name, group in (("subject", groups.by_subject), ("paper", groups.by_paper), ("year", groups.by_year)):
                found.append(subjective_table(f"written by {name} {place}", (*group, groups.total)))
        if part.judged is not None:
            judged = judged_table((*part.judged.by_subject, part.judged.total))
            found.append(replace(judged, name=f"judge and teachers {place}"))
    return found


def tables_of(store: Store, sitting_id: int) -> list[Table]:
    """What a sitting came to by subject and beyond; none where nothing can be marked yet. Raises MarkError."""
    sitting = sitting_of(store, sitting_id)
    if sitting.benchmark == Benchmark.GAOKAO_BENCH:
        figures = objective_of(store, sitting)
        written = _written_tables(written_parts_of(store, sitting, figures))
        if figures is None:
            return written
        total = (figures.total,)
        return [
            objective_table("by subject", (*figures.by_subject, *total)),
            objective_table("by paper", (*figures.by_paper, *total)),
            objective_table("by year", (*figures.by_year, *total)),
            *written,
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

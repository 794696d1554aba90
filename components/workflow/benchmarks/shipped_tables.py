"""The figures of results that were shipped with a benchmark, as tables: for the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from components.intake.benchmarks import Loaded
from components.marking import MarkError
from components.workflow.agreement.tables import Table
from components.workflow.benchmarks.figures_gaokao import GaokaoFigures, ModelFigures, gaokao_figures
from components.workflow.benchmarks.figures_tables import (
    beside_table,
    converted_table,
    invalid_table,
    judged_table,
    objective_table,
    subjective_table,
    teacher_table,
)
from components.workflow.benchmarks.marked_written import judged_here
from storage import Store


def shipped_tables(store: Store, loaded: Sequence[Loaded]) -> list[Table]:
    """Published figures beside ours, each model's, the teachers', and each judge's against them, those here too.

    Raises MarkError where there are no results of GAOKAO-Bench.
    """
    figures = gaokao_figures(loaded, judged_here(store, loaded))
    if figures is None:
        raise MarkError("Figures are made of GAOKAO-Bench's results, and there are none in these files.")
    models = [table for place, model in enumerate(figures.models, 1) for table in _of_model(model, place)]
    return [beside_table(figures.beside), *models, *_of_teachers(figures), *_of_judges(figures)]


def _of_model(model: ModelFigures, place: int) -> list[Table]:
    found = [Table(f"model {place}", ("Model", "Written answers marked by"), ((model.name, model.judge or None),))]
    if model.converted is not None:
        found.append(replace(converted_table(model.converted), name=f"converted totals, model {place}"))
    if (objective := model.objective) is not None:
        for group, rows in (
            ("subject", objective.by_subject),
            ("paper", objective.by_paper),
            ("year", objective.by_year),
        ):
            found.append(objective_table(f"objective by {group}, model {place}", (*rows, objective.total)))
    if (written := model.subjective) is not None:
        for group, them in (("subject", written.by_subject), ("paper", written.by_paper), ("year", written.by_year)):
            found.append(subjective_table(f"written by {group}, model {place}", (*them, written.total)))
        found.append(replace(invalid_table(written.invalid), name=f"marks not counted, model {place}"))
    return found


def _of_teachers(figures: GaokaoFigures) -> list[Table]:
    teachers = figures.teachers
    if teachers is None:
        return []
    ends = (*([] if teachers.differing_only is None else [teachers.differing_only]), teachers.total)
    groups = {"subject": teachers.by_subject, "paper": teachers.by_paper}
    return [teacher_table(f"two teachers by {group}", (*rows, *ends)) for group, rows in groups.items()]


def _of_judges(figures: GaokaoFigures) -> list[Table]:
    names = Table("judges", ("No.", "Judge"), tuple((place, name) for place, (name, _) in enumerate(figures.judged, 1)))
    found = [
        replace(judged_table((*judged.by_subject, judged.total)), name=f"judge {place} and teachers")
        for place, (_, judged) in enumerate(figures.judged, 1)
    ]
    return [names, *found] if found else []

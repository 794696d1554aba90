"""All figures of GAOKAO-Bench from what was loaded, and what of them is published, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from components.agreement import Statistic, kappa_text
from components.intake.benchmarks.items import Benchmark, Loaded, ShippedResult
from components.workflow.benchmarks.figures_converted import Converted, converted
from components.workflow.benchmarks.figures_judged import (
    JudgedAgainstTeachers,
    JudgedRow,
    judged_against_teachers,
    judged_rows,
)
from components.workflow.benchmarks.figures_objective import ObjectiveFigures, objective_figures
from components.workflow.benchmarks.figures_subjective import SubjectiveFigures, subjective_figures
from components.workflow.benchmarks.figures_teachers import TeacherFigures, teacher_figures

PUBLISHED_MODEL = "gpt-4-0314"  # whose results GAOKAO-Bench ships
MODEL_OF_TEACHERS = "gpt-3.5-turbo"  # whose answers its two teachers marked
NO_FIGURE = "—"


@dataclass(frozen=True)
class ModelFigures:
    """What one model earned; `judge` marked its written answers ("" where the files do not say, or none did)."""

    model: str
    judge: str
    objective: ObjectiveFigures | None
    subjective: SubjectiveFigures | None
    converted: Converted | None

    @property
    def name(self) -> str:
        return self.model or "a model without a name"


@dataclass(frozen=True)
class Beside:
    """A published figure, the same here by the published rules, and by ours. `same` is None where none is published."""

    figure: str
    published: str
    here: str
    ours: str
    same: bool | None


@dataclass(frozen=True)
class GaokaoFigures:
    models: tuple[ModelFigures, ...]
    teachers: TeacherFigures | None
    judged: tuple[tuple[str, JudgedAgainstTeachers], ...]  # by judge
    beside: tuple[Beside, ...]


def gaokao_figures(
    loaded: Iterable[Loaded], judged_here: Iterable[tuple[str, Sequence[JudgedRow]]] = ()
) -> GaokaoFigures | None:
    """The figures of every GAOKAO-Bench result among what was loaded; None where there is none.

    `judged_here` are marks that judges gave here to its double-marked answers, by judge.
    """
    results = [each for part in loaded if part.benchmark is Benchmark.GAOKAO_BENCH for each in part.results]
    if not results:
        return None
    models = tuple(figures for model in _names(each.model for each in results) for figures in _of_model(results, model))
    teachers = teacher_figures(results)
    shipped = [
        (judge, judged_rows(_seen_by(results, judge)))
        for judge in _names(each.judge for each in results if each.corrections)
    ]
    judged = tuple(
        (judge, found)
        for judge, rows in (*shipped, *judged_here)
        if (found := judged_against_teachers(rows)) is not None
    )
    as_shipped = {each.model for each in results if each.human_marks} == {MODEL_OF_TEACHERS}
    return GaokaoFigures(models, teachers, judged, tuple(_beside(models, teachers, judged, as_shipped)))


def _names(found: Iterable[str]) -> list[str]:
    return sorted(set(found))


def _seen_by(results: Sequence[ShippedResult], judge: str) -> list[ShippedResult]:
    return [each for each in results if each.human_marks or each.judge == judge]


def _of_model(results: Sequence[ShippedResult], model: str) -> list[ModelFigures]:
    """One for each judge of the model's written answers, or one without a judge; none where nothing is marked."""
    own = [each for each in results if each.model == model]
    objective = objective_figures(own)
    figures = []
    for judge in _names(each.judge for each in own if each.corrections or each.grading) or [""]:
        subjective = subjective_figures(each for each in own if each.judge == judge)
        if objective is not None or subjective is not None:
            figures.append(ModelFigures(model, judge, objective, subjective, converted(objective, subjective)))
    return figures


def _beside(
    models: Sequence[ModelFigures],
    teachers: TeacherFigures | None,
    judged: Sequence[tuple[str, JudgedAgainstTeachers]],
    teachers_as_shipped: bool,
) -> list[Beside]:
    found: list[Beside] = []
    seen: set[str] = set()  # a model that several judges marked has its objective figures once
    for each in models:
        shipped = each.model == PUBLISHED_MODEL
        whose = f"{each.name}, marked by {each.judge}" if each.judge else each.name
        alone = len(models) == 1
        ending = "" if alone else f" ({whose})"
        if each.objective is not None and each.model not in seen:
            found += _objective(each.objective, shipped, "" if alone else f" ({each.name})")
            seen.add(each.model)
        if each.subjective is not None:
            found.append(_subjective(each.subjective, shipped, ending))
        if each.converted is not None:
            found += _streams(each.converted, shipped, ending)
    if teachers is not None:
        qwk = _qwk(teachers.total.qwk)
        published = "about .96" if teachers_as_shipped else NO_FIGURE
        found.append(_line("Two teachers on the same answers, QWK on mark fractions", published, qwk, qwk, ".96"))
    for judge, against in judged:
        ending = f" ({judge})" if judge else ""
        for figure, value, published in (
            ("Spearman", against.total.spearman, ".825–.864"),
            ("Kendall τ", against.total.kendall, ".685–.740"),
        ):
            here = _qwk(value)
            found.append(Beside(f"Judge against two teachers' mean, {figure}{ending}", published, here, here, None))
    return found


def _objective(figures: ObjectiveFigures, shipped: bool, ending: str) -> list[Beside]:
    total = figures.total
    here = f"{total.published.marks:,.0f} of {total.full:,.0f}"
    mismatches = f"{total.length_mismatches:,}"
    return [
        _line(
            f"Objective questions, marks{ending}",
            "7,000 of 9,702" if shipped else NO_FIGURE,
            here,
            f"{total.ours.marks:,.0f} of {total.full:,.0f}",
        ),
        _line(
            f"Replies with another number of answers than the key{ending}",
            "37" if shipped else NO_FIGURE,
            mismatches,
            f"{sum(item.ours_answers is None for item in figures.differing):,} not readable",
        ),
    ]


def _subjective(figures: SubjectiveFigures, shipped: bool, ending: str) -> Beside:
    total = figures.total
    return _line(
        f"Written questions, marks{ending}",
        "7,672.83 of 11,839" if shipped else NO_FIGURE,
        f"{total.published_marks:,.2f} of {total.full:,.0f}",
        f"{total.ours.marks:,.0f} of {total.ours.full:,.0f}, {total.invalid:,} left out",
    )


def _streams(figures: Converted, shipped: bool, ending: str) -> list[Beside]:
    published = {"Arts stream": "548.3", "Science stream": "466.1"} if shipped else {}
    return [
        _line(
            f"Converted total of 750, {row.stream.lower()}{ending}",
            published.get(row.stream, NO_FIGURE),
            f"{row.published:.1f}",
            NO_FIGURE if row.ours is None else f"{row.ours:.1f}",
        )
        for row in figures.streams
        if row.published is not None
    ]


def _line(figure: str, published: str, here: str, ours: str, compared: str = "") -> Beside:
    same = None if published == NO_FIGURE else here == (compared or published)
    return Beside(figure, published, here, ours, same)


def _qwk(value: Statistic) -> str:
    return NO_FIGURE if value.value is None else kappa_text(value.value)

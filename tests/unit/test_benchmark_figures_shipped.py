"""The figures that GAOKAO-Bench ships, made again from the files as they are, loaded by our own loader."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest

from components.intake.benchmarks import Loaded, load_folder
from components.workflow.benchmarks.figures_gaokao import ModelFigures, gaokao_figures
from components.workflow.benchmarks.figures_objective import ObjectiveFigures, objective_figures
from components.workflow.benchmarks.figures_subjective import SubjectiveFigures
from components.workflow.benchmarks.figures_teachers import TeacherFigures, teacher_figures
from components.workflow.benchmarks.subjects import paper_name
from tests.support import SHARED_DATA

GAOKAO = SHARED_DATA / "gaokao_bench"
pytestmark = pytest.mark.skipif(not GAOKAO.is_dir(), reason="the shared data is not beside the repository")


@cache
def results() -> tuple[Loaded, ...]:
    return tuple(load_folder(GAOKAO / "Results"))


@cache
def model() -> ModelFigures:
    found = gaokao_figures(results())
    assert found is not None
    assert len(found.models) == 1
    return found.models[0]


@cache
def teachers() -> TeacherFigures:
    loaded = load_folder(GAOKAO / "human_double_marked")
    found = teacher_figures(each for part in loaded for each in part.results)
    assert found is not None
    return found


def objective() -> ObjectiveFigures:
    assert model().objective is not None
    return model().objective  # type: ignore[return-value]


def subjective() -> SubjectiveFigures:
    assert model().subjective is not None
    return model().subjective  # type: ignore[return-value]


def shipped_papers(path: str) -> dict[str, tuple[float, float, float, float]]:
    """By paper: marks, out of, questions, rate to three decimals, from the authors' own summary."""
    (file,) = (GAOKAO / "Results").glob(path)
    data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return {
        paper_name(paper): (row["correct_score"], row["total_score"], row["question_num"], row["scoring_rate"])
        for subject in data["subject"].values()
        for paper, row in subject["type"].items()
    }


def test_the_published_rules_give_7000_of_9702_with_37_length_mismatches() -> None:
    total = objective().total
    assert (total.items, total.sub_questions) == (1781, 2944)
    assert (total.published.marks, total.full, total.length_mismatches) == (7000, 9702, 37)
    assert objective().shipped_differs == 0  # re-reading each reply takes what the authors' own script took


def test_each_papers_objective_marks_are_those_of_the_authors_summary() -> None:
    made = {
        row.name: (row.published.marks, row.full, row.sub_questions, row.published.rounded)
        for row in objective().by_paper
    }
    assert made == shipped_papers("gpt_4_0314_obj/result/correction_score.json")


def test_ours_reads_fewer_replies_and_says_which() -> None:
    total = objective().total
    assert (total.ours.marks, total.ours.full, total.unread) == (6893, 9086, 126)
    assert sum(item.ours_answers is None for item in objective().differing) == 118


def test_the_originals_counting_of_the_judges_marks_gives_7672_83_of_11839() -> None:
    total = subjective().total
    assert (total.items, round(total.published_marks, 6), total.full) == (1030, 7672.83, 11839)
    made = {
        row.name: (row.published_marks, row.full, row.items, round(row.published_rate or 0, 3))
        for row in subjective().by_paper
    }
    shipped = shipped_papers("gpt_4_0314_sub/*/result/model_score.json")
    assert set(made) == set(shipped)
    for paper, figures in shipped.items():
        assert made[paper] == pytest.approx(figures), paper


def test_fifty_six_answers_have_no_valid_mark() -> None:
    assert len(subjective().invalid) == subjective().total.invalid == 56
    faults = subjective().faults
    assert (faults["above its maximum"], faults["more than one total"], faults["not a whole mark"]) == (3, 1, 53)
    assert faults["no mark"] == 0
    assert (subjective().total.ours.marks, subjective().total.ours.full) == (7179, 11183)


def test_the_converted_totals_are_548_3_for_arts_and_466_1_for_science() -> None:
    found = model().converted
    assert found is not None
    merged: dict[str, Any] = json.loads((GAOKAO / "Results" / "merge_score.json").read_text(encoding="utf-8"))
    named = {"Mathematics (science stream)": "Science-Math", "Mathematics (arts stream)": "Liberal-Arts-Math"}
    for row in found.subjects:
        shipped = merged[named.get(row.subject, row.subject)]
        assert row.published.objective == pytest.approx(shipped["Objective_score"]), row.subject
        assert row.published.subjective == pytest.approx(shipped["Subjective_score"]), row.subject
        assert row.published.total == pytest.approx(shipped["total_score"]), row.subject
    arts, science = found.streams
    assert (round(arts.published or 0, 1), round(science.published or 0, 1)) == (548.3, 466.1)
    assert arts.unrounded == pytest.approx(548.3, abs=0.3)
    assert science.unrounded == pytest.approx(465.998, abs=0.001)


def test_every_published_figure_is_said_to_be_reproduced() -> None:
    found = gaokao_figures(results())
    assert found is not None
    assert [(row.published, row.here, row.same) for row in found.beside] == [
        ("7,000 of 9,702", "7,000 of 9,702", True),
        ("37", "37", True),
        ("7,672.83 of 11,839", "7,672.83 of 11,839", True),
        ("548.3", "548.3", True),
        ("466.1", "466.1", True),
    ]


def named(rows: Iterable[Any], name: str) -> Any:
    return next(row for row in rows if row.name == name)


def test_two_teachers_agree_at_96_on_mark_fractions() -> None:
    total = teachers().total
    assert (total.n, total.left_out) == (1724, 336)  # two answers of each run to History are there twice
    assert total.qwk.value == pytest.approx(0.9616, abs=1e-4)
    assert (total.exact.count, total.exact.n) == (1222, 1724)
    assert named(teachers().by_subject, "Biology").qwk.value == pytest.approx(0.9943, abs=1e-4)
    assert named(teachers().by_subject, "History").qwk.value == pytest.approx(0.9082, abs=1e-4)
    classical = named(teachers().by_paper, "Chinese Language Classical Chinese Reading")
    assert classical.qwk.value == pytest.approx(0.5517, abs=1e-4)
    assert classical.qwk_on_marks.value == pytest.approx(0.6475, abs=1e-4)


def test_arts_mathematics_and_english_are_identical_and_named_so() -> None:
    assert [row.name for row in teachers().by_subject if row.identical] == ["English", "Mathematics (arts stream)"]
    assert teachers().differing_only is not None
    assert teachers().differing_only.qwk.value == pytest.approx(0.9466, abs=1e-4)  # type: ignore[union-attr]


def test_marking_all_replies_again_is_quick() -> None:
    replies = [each for part in results() for each in part.results]
    started = time.perf_counter()
    objective_figures(replies)
    assert time.perf_counter() - started < 5  # about one second alone on the machine

"""GAOKAO-Bench loaded as it is shipped: questions, results, two teachers' marks, and each quirk."""

from __future__ import annotations

import json
from typing import Any

import pytest

from components.intake.benchmarks import Benchmark, correction_fault, load_files, load_folder
from tests.benchmark_files import gaokao, objective, one
from tests.support import SHARED_DATA

needs_data = pytest.mark.skipif(not SHARED_DATA.exists(), reason="the shared data are not here")


def test_an_objective_file_gives_items_with_kind_key_points_subject_and_stream() -> None:
    loaded = one([("2010-2022_Biology_MCQs.json", gaokao("2010-2022_Biology_MCQs", objective(7, ["B"], 6)))])
    (item,) = loaded.items
    assert (loaded.benchmark, loaded.name, loaded.report) == (Benchmark.GAOKAO_BENCH, "GAOKAO-Bench", ())
    assert (item.task, item.number, item.kind, item.key) == ("2010-2022_Biology_MCQs", "7", "single_choice", ("B",))
    assert (item.points, item.year, item.category, item.analysis) == (6, "2021", "（我们的卷）", "叶绿体。")
    assert (item.subject, item.cluster, item.level) == ("Biology", "science", "High school")


@pytest.mark.parametrize(
    ("keyword", "kind", "subject", "streams"),
    [
        ("2010-2013_English_MCQs", "single_choice", "English", "both"),
        ("2010-2022_English_Fill_in_Blanks", "multi_question_choice", "English", "both"),
        ("2010-2022_English_Reading_Comp", "multi_question_choice", "English", "both"),
        ("2012-2022_English_Cloze_Test", "five_out_of_seven", "English", "both"),
        ("2010-2022_Chinese_Modern_Lit", "multi_question_choice", "Chinese", "both"),
        ("2010-2022_Chinese_Lang_and_Usage_MCQs", "multi_question_choice", "Chinese", "both"),
        ("2010-2022_Geography_MCQs", "multi_question_choice", "Geography", "arts"),
        ("2010-2022_History_MCQs", "single_choice", "History", "arts"),
        ("2010-2022_Political_Science_MCQs", "single_choice", "Politics", "arts"),
        ("2010-2022_Math_I_MCQs", "single_choice", "Mathematics (science stream)", "science"),
        ("2010-2022_Math_II_MCQs", "single_choice", "Mathematics (arts stream)", "arts"),
        ("2010-2022_Physics_MCQs", "multi_choice", "Physics", "science"),
        ("2010-2022_Chemistry_MCQs", "single_choice", "Chemistry", "science"),
    ],
)
def test_a_keyword_says_kind_subject_and_stream(keyword: str, kind: str, subject: str, streams: str) -> None:
    (item,) = one([("a.json", gaokao(keyword, objective(0, ["A"])))]).items
    assert (item.kind, item.subject, item.cluster) == (kind, subject, streams)


@pytest.mark.parametrize(
    ("answer", "kind", "key"),
    [
        (["C"], "single_choice", ("C",)),
        ("['D']", "single_choice", ("D",)),
        (["A", "C", "B"], "multi_question_choice", ("A", "C", "B")),
        (["CA"], "multi_choice", ("AC",)),
        (["A", "G", "B", "F", "C"], "five_out_of_seven", ("A", "G", "B", "F", "C")),
        ("叶绿体。", "open", ()),
    ],
)
def test_of_an_unknown_task_the_answers_tell_the_kind(answer: object, kind: str, key: tuple[str, ...]) -> None:
    loaded = one([("a.json", gaokao("2023_Ethics", objective(0, answer)))])
    assert (loaded.items[0].kind, loaded.items[0].key) == (kind, key)
    assert loaded.report == (
        "a.json: the keyword “2023_Ethics” names no subject of GAOKAO-Bench; loaded without a subject.",
    )


def test_points_are_a_sub_questions_in_objective_items_and_the_items_in_open_ones() -> None:
    reading = gaokao("2010-2022_English_Reading_Comp", objective(0, ["A", "B", "C"], 2))
    essay = gaokao("2010-2022_History_Open-ended_Questions", objective(0, "略", 25))
    items = one([("r.json", reading), ("h.json", essay)]).items
    assert [(item.kind, item.full_marks) for item in items] == [("multi_question_choice", 6), ("open", 25)]
    assert (items[1].answer, items[1].key) == ("略", ())


def test_bad_rows_are_said_with_file_and_item_and_the_others_are_loaded() -> None:
    rows = [
        objective(0, ["A"]), objective(1, [], 4), objective(2, ["A"], 0), objective(3, ["B"], question="  "),
        objective(4, ["无"]), "not a row", objective(0, ["A"]), objective(0, ["C"]),
    ]  # fmt: skip
    loaded = one([("Data/2010-2022_History_MCQs.json", gaokao("2010-2022_History_MCQs", *rows))])
    file = "2010-2022_History_MCQs.json"
    assert [(item.number, item.key) for item in loaded.items] == [
        ("0", ("A",)), ("1", ()), ("3", ("B",)), ("4", ()), ("0-2", ("C",)),
    ]  # fmt: skip
    assert loaded.items[2].faults == ("the question is blank.",)
    assert set(loaded.report) == {
        f"{file}, item 1: the key is nothing, not letters, so it cannot be marked.",
        f"{file}, item 2: no number of points above 0, so it cannot be marked; left out.",
        f"{file}, item 3: the question is blank.",
        f"{file}, item 4: the key is 无, not letters, so it cannot be marked.",
        f"{file}, place 5: neither a question nor an answer; left out.",
        f"{file}, item 0: there twice, word for word; the second is left out.",
        f"{file}, item 0 (0-2): another question has its number; told apart by its own.",
    }


def result(index: int, score: float, marks: object, field: str = "model_correction_score") -> dict[str, Any]:
    row = objective(
        index, None, score, standard_answer="叶绿体。", model_output="在叶绿体里。", model_correction="【总分】"
    )
    del row["answer"]
    return {**row, field: marks}


def test_a_judges_results_are_kept_as_shipped_and_the_invalid_ones_said() -> None:
    marks = [[8], [12, 11], [12], [7.5], [], [None], [-1], 9]
    rows = [result(index, 11, given) for index, given in enumerate(marks)]
    content = json.dumps(
        {
            "keyword": "2010-2022_Biology_Open-ended_Questions",
            "model_name": "m",
            "teacher_model_name": "t",
            "example": rows,
        }
    ).encode()
    loaded = one([("Results/m_sub/judged/m_2010-2022_Biology_Open-ended_Questions.json", content)])
    assert (loaded.name, loaded.items) == ("m_sub/judged", ())
    assert [shipped.corrections for shipped in loaded.results] == [
        (8,), (12, 11), (12,), (7.5,), (), (), (-1,), (9,),
    ]  # fmt: skip
    first = loaded.results[0]
    assert (first.model, first.judge, first.model_output, first.grading) == ("m", "t", "在叶绿体里。", "【总分】")
    assert (first.item.answer, first.item.points, first.item.open) == ("叶绿体。", 11, True)
    file = "m_2010-2022_Biology_Open-ended_Questions.json"
    assert loaded.report == (
        f"{file}, item 1 (12, 11 of 11): the judge's mark is invalid, there are two; not counted.",
        f"{file}, item 2 (12 of 11): the judge's mark is invalid, above the maximum; not counted.",
        f"{file}, item 3 (7.5 of 11): the judge's mark is invalid, not whole; not counted.",
        f"{file}, items 4–5: the judge's mark is invalid, there is none; not counted.",
        f"{file}, item 6 (-1 of 11): the judge's mark is invalid, below 0; not counted.",
    )
    assert correction_fault((8,), 11) == ""


def test_two_teachers_marks_are_read_from_lists_and_text_and_missing_ones_said() -> None:
    given = [[5, 4], "[13.5, 13]", [0, None], [None, None], [3, 16]]
    rows = [result(index, 15, marks, "correction_score") for index, marks in enumerate(given)]
    for row in rows:
        del row["model_correction"]
    keyword = "2014-2022_English_Language_Cloze_Passage"
    files = [(f"marked/{run}/gpt_{keyword}.json", gaokao(keyword, *rows)) for run in ("run1", "run2")]
    first, second = load_files(files)
    assert (first.name, second.name) == ("marked/run1", "marked/run2")
    assert [shipped.human_marks for shipped in first.results] == [(5, 4), (13.5, 13), (0,), (), (3, 16)]
    assert (first.results[0].model, first.results[0].corrections) == ("gpt", ())
    file = f"gpt_{keyword}.json"
    assert first.report == (
        f"{file}, item 2: one teacher's mark only, of two.",
        f"{file}, item 3: no teacher's mark.",
        f"{file}, item 4 (3, 16 of 15): a teacher's mark off the scale.",
    )


def test_objective_results_keep_what_the_benchmark_read() -> None:
    row = objective(0, ["A", "C"], 3, model_output="【答案】A【答案】C", model_answer=["A", "C"])
    row["standard_answer"] = row.pop("answer")
    (loaded,) = load_files(
        [("m_2010-2022_Chinese_Modern_Lit.json", gaokao("2010-2022_Chinese_Modern_Lit", row, model_name="m"))]
    )
    (shipped,) = loaded.results
    assert (loaded.name, shipped.model_answers, shipped.item.key) == ("m", ("A", "C"), ("A", "C"))


@needs_data
def test_the_shipped_gaokao_bench_is_whole() -> None:
    (data,) = load_folder(SHARED_DATA / "gaokao_bench" / "Data")
    closed = [item for item in data.items if not item.open]
    assert (len(closed), sum(len(item.key) for item in closed)) == (1_781, 2_944)
    assert len(data.items) - len(closed) == 1_030
    assert sum(item.full_marks for item in closed) == 9_702
    assert sum(item.full_marks for item in data.items if item.open) == 11_839
    assert (data.report, {item.subject for item in data.items} >= {"Politics", "Mathematics (arts stream)"}) == (
        (),
        True,
    )


@needs_data
def test_the_shipped_results_have_56_invalid_corrections() -> None:
    objective_part, judged = load_folder(SHARED_DATA / "gaokao_bench" / "Results")
    assert (len(objective_part.results), len(judged.results)) == (1_781, 1_030)
    assert {result.judge for result in judged.results} == {"gpt-4-1106-preview"}
    faults = [fault for r in judged.results if (fault := correction_fault(r.corrections, r.item.points))]
    assert sorted({fault: faults.count(fault) for fault in faults}.items()) == [
        ("above the maximum", 2), ("not whole", 53), ("there are two", 1),
    ]  # fmt: skip


@needs_data
def test_the_teachers_runs_load_without_their_repeated_rows() -> None:
    runs = load_folder(SHARED_DATA / "gaokao_bench" / "human_double_marked")
    assert [(run.name, len(run.results)) for run in runs] == [
        ("human_double_marked/run1", 1_030), ("human_double_marked/run2", 1_030),
    ]  # fmt: skip
    assert [sum(len(result.human_marks) == 2 for result in run.results) for run in runs] == [862, 862]

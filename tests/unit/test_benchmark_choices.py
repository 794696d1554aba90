"""E-EVAL and M3KE loaded as they are shipped, with each quirk."""

from __future__ import annotations

import pytest

from components.intake.benchmarks import likely_original, load_folder
from tests.benchmark_files import M3KE_NAME, csv, four, m3ke, one
from tests.support import SHARED_DATA

needs_data = pytest.mark.skipif(not SHARED_DATA.exists(), reason="the shared data are not here")


def test_an_e_eval_file_gives_task_level_subject_cluster_and_split() -> None:
    content = csv("0,哪一个是偶数？,一,二,三,五,B,二是偶数。", head="id,question,A,B,C,D,answer,explanation")
    loaded = one([("data/dev/Primary_School_Mathematics_dev.csv", content)])
    (item,) = loaded.items
    assert (item.task, item.level, item.subject, item.cluster, item.split) == (
        "primary_school_mathematics", "Primary school", "Mathematics", "science", "dev",
    )  # fmt: skip
    assert (item.number, item.options, item.key, item.analysis) == (
        "0", {"A": "一", "B": "二", "C": "三", "D": "五"}, ("B",), "二是偶数。",
    )  # fmt: skip
    assert loaded.report == ()


def test_e_evals_23_subjects_are_13_of_arts_and_10_of_science() -> None:
    upper = ["Biology", "Chemistry", "Chinese", "English", "Geography", "History", "Mathematics", "Physics", "Politics"]
    names = [f"{level}_School_{subject}" for level in ("High", "Middle") for subject in upper]
    names += [f"Primary_School_{subject}" for subject in ("Chinese", "English", "Ethics", "Mathematics", "Science")]
    items = one([(f"val/{name}_val.csv", csv("0,问,一,二,三,四,A")) for name in names]).items
    assert [sum(item.cluster == cluster for item in items) for cluster in ("arts", "science")] == [13, 10]


def test_e_evals_quirks_are_accepted_and_said() -> None:
    rows = [
        "0,问,一,二,三,四,A ", "1,,一,二,三,四,B", "2,问,一, ,三,四,c", "3,问,一,二,三,四,E",
        "4,比例尺,01:02:00,5:1,2:1,1:5,A", "5,,,,,,", "6,问,一,二,三,四,",
    ]  # fmt: skip
    loaded = one([("val/High_School_Physics_val.csv", csv(*rows))])
    assert [item.key for item in loaded.items] == [("A",), ("B",), ("C",), (), ("A",), ()]
    assert loaded.items[2].faults == ("option B is empty.",)
    file = "val/High_School_Physics_val.csv"
    assert set(loaded.report) == {
        "1 question has no answer in the files (private test answers). A model can sit them; its answers are written "
        "to a submission file instead of marked.",
        f"{file}, row 2: spaces around the answer; read without them.",
        f"{file}, row 3: the question is blank.",
        f"{file}, row 4: option B is empty.",
        f"{file}, row 4: the answer's letter is written oddly; read as a plain capital.",
        f"{file}, row 5: the answer “E” is none of A, B, C, D, so the question cannot be marked.",
        f"{file}, row 6: option A, “01:02:00”, looks turned by a spreadsheet; it was likely 1:2.",
        f"{file}, row 7: neither a question nor options; left out.",
    }


def test_commas_decide_between_columns_where_questions_hold_tabs_and_quotes() -> None:
    rows = [f'{number},选（\t）或\t“{number}”,一\t,"二,三",四,五,A' for number in range(30)]
    loaded = one([("val/Primary_School_Ethics_val.csv", csv(*rows))])
    assert [item.options["B"] for item in loaded.items] == ["二,三"] * 30
    assert loaded.report == ()


def test_a_test_file_without_answers_loads_for_a_submission() -> None:
    content = csv("0,问,一,二,三,四", "1,问二,一,二,三,四", head="id,question,A,B,C,D")
    loaded = one([("High_School_Chinese (1).csv", content)])
    assert [(item.split, item.key, item.task) for item in loaded.items] == [("test", (), "high_school_chinese")] * 2
    assert loaded.report[0].startswith("2 questions have no answer in the files (private test answers).")


def test_an_m3ke_file_gives_task_cluster_and_level() -> None:
    loaded = one([("dev/Chinese-Arts & Humanities-Junior high school.jsonl", m3ke(four(0), four(1, "D")))])
    item = loaded.items[1]
    assert (item.task, item.subject) == ("Chinese-Arts & Humanities-Junior high school", "Chinese")
    assert (item.cluster, item.level, item.split, item.key) == (
        "Arts & Humanities",
        "Junior high school",
        "dev",
        ("D",),
    )
    assert loaded.report == ()


def test_a_level_cut_short_is_mended_and_said() -> None:
    loaded = one([("test/Physics-Natural Sciences-High schoo.jsonl", m3ke(four(0, "")))])
    assert (loaded.items[0].level, loaded.items[0].split) == ("High school", "test")
    assert loaded.items[0].task == "Physics-Natural Sciences-High school"
    assert (
        "test/Physics-Natural Sciences-High schoo.jsonl: the level is written “High schoo”; taken as “High school”."
        in loaded.report
    )


def test_m3kes_bad_lines_and_options_are_said_with_their_line() -> None:
    content = m3ke(four(0, A="01:05:00", C=None), {"id": 1}, four(2, B=7.0)) + b'\n{"id": 3, "quest\n[1]\n'
    loaded = one([(M3KE_NAME, content)])
    assert [(item.number, item.options["B"]) for item in loaded.items] == [("0", "二"), ("2", "7")]
    assert set(loaded.report) == {
        f"{M3KE_NAME}, line 1: option A, “01:05:00”, looks turned by a spreadsheet; it was likely 1:5.",
        f"{M3KE_NAME}, line 1: option C is empty.",
        f"{M3KE_NAME}, line 2: neither a question nor options; left out.",
        f"{M3KE_NAME}, lines 4–5: not a question in JSON (is the line cut off?); left out.",
    }


@pytest.mark.parametrize(
    ("answers", "split"), [(("A", "B"), "dev"), (("", ""), "test")]
)  # fmt: skip
def test_a_single_m3ke_file_without_its_folder_is_told_by_its_answers(answers: tuple[str, str], split: str) -> None:
    name = M3KE_NAME.removeprefix("dev/")
    assert one([(name, m3ke(four(0, answers[0]), four(1, answers[1])))]).items[0].split == split


@pytest.mark.parametrize(
    ("option", "likely"),
    [
        ("01:02:00", "1:2"), ("04:25:00", "4:25"), ("12:00:00", "12:0 or 11:60"), ("1900-01-01 01:09:00", "25:9"),
        ("1900-01-02 00:00:00", "2"), ("2023-01-04 00:00:00", "1/4 or 1月4日"), ("2023-05-08", "5/8 or 5月8日"),
        ("44930", "1/4"),
        ("44960", "2/3"), ("45054", "5/8"), ("0.0833333333333333", "2:0 or 1:60"), ("4-Jan", "1/4"), ("Mar-05", "3/5"),
        ("1:2", None), ("1/4", None), ("12:30", None), ("1919-05-04", None), ("40801", None), ("0.75", None),
        ("1919年5月4日", None), ("0.1428571428571428", None), ("2023-13-40", None), ("叶绿体", None), ("", None),
    ],
)  # fmt: skip
def test_what_a_spreadsheet_made_of_a_ratio_or_fraction_is_guessed(option: str, likely: str | None) -> None:
    assert likely_original(option) == likely


@needs_data
def test_the_shipped_m3ke_has_five_answered_questions_for_each_of_71_tasks() -> None:
    (data,) = load_folder(SHARED_DATA / "m3ke")
    tasks = [item.task for item in data.items]
    assert (len(set(tasks)), {tasks.count(task) for task in set(tasks)}) == (71, {5})
    assert all(item.key and item.split == "dev" for item in data.items)
    clusters = {(item.task, item.cluster) for item in data.items}
    assert [sum(cluster == name for _, cluster in clusters) for name in (
        "Arts & Humanities", "Social Sciences", "Natural Sciences", "Other",
    )] == [12, 21, 31, 7]  # fmt: skip

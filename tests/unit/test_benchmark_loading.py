"""Folders, ZIPs and files of any published benchmark, and those of none."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from components.intake import IntakeError
from components.intake.benchmarks import load_files, load_folder
from tests.benchmark_files import M3KE_NAME, csv, four, gaokao, m3ke, objective, one


def test_a_folder_gives_each_benchmark_in_it_and_says_what_it_left_out(tmp_path: Path) -> None:
    for name, content in {
        "E/val/High_School_Biology_val.csv": csv("0,问,一,二,三,四,A"),
        "M/" + M3KE_NAME: m3ke(four(0)),
        "G/Data/a.json": gaokao("2010-2022_History_MCQs", objective(0, ["A"])),
        "G/Results/all/m.json": gaokao("2010-2022_History_MCQs", objective(0, ["A"], model_output="A"), model_name="m"),
        "G/Results/score.json": b'{"model_name": "m", "total_score": 9}',
        "M/mapping.json": b'{"Other": []}',
        "M/whole.zip": b"PK\x03\x04 not looked at",
        "LICENSE": b"words",
        ".cache/High_School_Biology_val.csv": b"never looked at",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    loaded = load_folder(tmp_path)
    assert [(part.name, len(part.items), len(part.results)) for part in loaded] == [
        ("E-EVAL", 1, 0), ("GAOKAO-Bench", 1, 0), ("Results/all", 0, 1), ("M3KE", 1, 0),
    ]  # fmt: skip
    left_out = [line for line in loaded[0].report if line.startswith("Left out")]
    assert len(left_out) == 2
    assert "score.json” has totals that came with results, and no answers. Load the files beside it." in left_out[0]
    assert "mapping.json” is no GAOKAO-Bench file" in left_out[1]
    single = load_folder(tmp_path / "M" / M3KE_NAME)
    assert [item.split for item in single[0].items] == ["dev"]


def test_a_zip_is_opened() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(M3KE_NAME, m3ke(four(0)))
        archive.writestr("test/Biology-Natural Sciences-High school.jsonl", m3ke(four(0, "")))
        archive.writestr("__MACOSX/dev/._Biology.jsonl", b"\0")
        archive.writestr("readme.txt", b"words")
    loaded = one([("M3KE.zip", packed.getvalue())])
    assert [(item.split, item.number) for item in loaded.items] == [("dev", "0"), ("test", "0")]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("marks.csv", b"question,max mark,answer\n1,2,cell\n", "is no E-EVAL file: it has no column A, B, C, D"),
        ("physics.csv", csv("0,q,a,b,c,d,A"), "its name does not say level and subject"),
        ("empty.csv", b"", "is empty"),
        ("a.json", b'{"example": ', "cannot be read as JSON; it may be cut off"),
        ("a.json", b"[" * 50_000, "cannot be read as JSON"),
        ("a.json", b'{"items": []}', "is no GAOKAO-Bench file: those have “keywords”"),
        ("a.json", b'{"example": [1, 2]}', "nothing in its “example” is a question"),
        ("a.json", b"\xff\xfe\xfa", "is not in UTF-8"),
        ("lines.jsonl", b'{"text": "a"}\n', "is no M3KE file"),
        ("biology.jsonl", m3ke(four(0)), "its name does not say task, cluster and level"),
        ("scheme.pdf", b"%PDF-1.7", "is of no benchmark"),
        ("a.zip", b"PK\x03\x04 cut off", "is not a ZIP that can be read"),
    ],
)
def test_a_file_of_no_benchmark_is_refused_in_words(name: str, content: bytes, words: str) -> None:
    with pytest.raises(IntakeError) as refused:
        load_files([(name, content)])
    assert words in str(refused.value)
    assert name in str(refused.value)


def test_folders_without_a_benchmark_are_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(IntakeError, match="There is no folder “missing”"):
        load_folder(tmp_path / "missing")
    with pytest.raises(IntakeError, match="There is no JSON, JSON-lines or CSV file there"):
        load_folder(tmp_path)
    (tmp_path / "a.json").write_bytes(b"{}")
    (tmp_path / "b.json").write_bytes(b"{}")
    with pytest.raises(IntakeError, match="None of the 2 files is of GAOKAO-Bench, E-EVAL or M3KE"):
        load_folder(tmp_path)


def test_a_place_that_is_no_benchmark_is_refused_unread_and_in_words(tmp_path: Path) -> None:
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(3_000_000_000)
    (tmp_path / "notes.txt").write_bytes(m3ke(four(0)))
    for path, words in [
        (huge, "is larger than 200 MB"),
        (tmp_path, "is larger than 200 MB"),
        (tmp_path / "notes.txt", "is of no benchmark"),
        (Path("/dev/zero"), "There is no folder"),
        (Path("~no-such-person/data"), "cannot be opened"),
        (tmp_path / ("x" * 5_000), "cannot be opened"),
    ]:
        with pytest.raises(IntakeError, match=words):
            load_folder(path)


def test_a_half_character_that_nothing_could_keep_becomes_a_question_mark() -> None:
    (choices,) = load_files(
        [("test/Law-Other-College.jsonl", rb'{"id": 1, "question": "\ud800?", "A": "\ud83d\ude00"}')]
    )
    assert (choices.items[0].question, choices.items[0].options["A"]) == ("??", "😀")
    written = (
        rb'{"keywords": "2010-2022_Physics_MCQs", "example": [{"question": "\udfff", "answer": ["A"], "score": 6}]}'
    )
    (gaokao,) = load_files([("a.json", written)])
    assert gaokao.items[0].question == "?"


def test_the_largest_benchmark_loads_in_modest_memory(tmp_path: Path) -> None:
    lines = m3ke(*(four(number, "") for number in range(300)))
    (tmp_path / "test").mkdir()
    for task in range(20):
        (tmp_path / "test" / f"Task {task}-Other-College.jsonl").write_bytes(lines)
    tracemalloc.start()
    (loaded,) = load_folder(tmp_path)
    used, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(loaded.items) == 6_000
    assert most < used + 4_000_000  # beyond what the items take, one file at a time


TASK = "2010-2022_Physics_Open-ended_Questions"


def asked(index: object, question: str, criterion: object = None, **more: object) -> dict[str, object]:
    row = {"year": "2021", "category": "x", "question": question, "answer": "key", "analysis": "", "score": 2}
    return {**row, "index": index, **({} if criterion is None else {"marking_criterion": criterion}), **more}


def criteria_of(*files: tuple[str, bytes]) -> tuple[dict[str, str], str]:
    """By question, what it is marked by, results' questions too; and what was said."""
    loaded = load_files(list(files))
    items = [item for part in loaded for item in (*part.items, *(result.item for result in part.results))]
    return {item.question: item.criteria for item in items}, "\n".join(line for part in loaded for line in part.report)


def told(*rows: dict[str, object], head: str = TASK, name: str = TASK) -> tuple[str, bytes]:
    return f"criteria/{name}_marking_criterion.json", gaokao(head, *rows)


def test_criteria_of_two_questions_with_one_number_stay_with_their_own() -> None:
    found, _ = criteria_of(
        ("a/x.json", gaokao(TASK, asked(0, "First?"))), ("b/y.json", gaokao(TASK, asked(0, "Second?", "of the second")))
    )
    assert found == {"First?": "", "Second?": "of the second"}
    found, said = criteria_of(
        ("a/x.json", gaokao(TASK, asked(0, "First?"), asked(0, "Second?"))),
        told({"index": 0, "marking_criterion": "c"}),
    )
    assert found == {"First?": "", "Second?": ""}
    assert "without a question of their number, or with two, are left out" in said


def test_a_results_question_has_the_criteria_of_the_same_question_alone() -> None:
    data = ("Data/x.json", gaokao(TASK, asked(0, "Why does it rise?", "two marks"), asked(1, "Why?", "one mark")))
    results = gaokao(TASK, asked(0, "Why  does it rise?", model_output="o"), asked(1, "How?", model_output="o"))
    found, _ = criteria_of(data, (f"Results/m_{TASK}.json", results))
    assert found == {
        "Why does it rise?": "two marks", "Why?": "one mark", "Why  does it rise?": "two marks", "How?": ""
    }  # fmt: skip


@pytest.mark.parametrize("index", [1, "1", 1.0, " 1 "])
@pytest.mark.parametrize(("head", "name"), [(TASK, "x"), ("Physics", TASK), (TASK.lower(), "x")])
def test_a_criterion_finds_its_question_however_number_and_task_are_written(
    index: object, head: str, name: str
) -> None:
    rows = ({"index": index, "marking_criterion": ["a mark", "another"]},)
    found, said = criteria_of(("a/x.json", gaokao(TASK, asked(1, "Why?"))), told(*rows, head=head, name=name))
    assert found == {"Why?": "a mark\nanother"}
    assert "Marking criteria: of 1 told, 1 found their question." in said


def test_criteria_that_find_no_question_or_stand_twice_are_said() -> None:
    rows = [
        {"index": 1, "marking_criterion": "first"},
        {"index": 1, "marking_criterion": "other"},
        {"index": 9, "marking_criterion": "lost"},
        {"marking_criterion": "of which?"},
    ]
    found, said = criteria_of(("a/x.json", gaokao(TASK, asked(1, "Why?"))), told(*rows))
    assert found == {"Why?": "first"}
    assert f"left out: {TASK} 9." in said
    assert "of which the first count: 1" in said
    assert "marking criteria without the number of their question; left out." in said

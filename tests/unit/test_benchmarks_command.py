"""The command line of the benchmarks: the same store as the app's, stopped and gone on with, and its files."""

from __future__ import annotations

import csv
import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from components.judge import prices
from components.workflow.benchmarks.bar import Bar
from components.workflow.benchmarks.command import main
from components.workflow.benchmarks.wording import in_words
from storage import Store, benchmarks, jobs, judges, sitting_progress, sittings
from tests.model_server import completion, model_server
from tests.support import new_store

HEAD = "id,question,A,B,C,D,answer"
FOLDERS = {
    "dev": (HEAD + ",explanation", [f"{i},dev问题{i},甲,乙,丙,丁,B,因为{i}" for i in range(2)]),
    "val": (HEAD, [f"{i},val问题{i},甲,乙,丙,丁,{'AB'[i % 2]}" for i in range(4)]),
    "test": ("id,question,A,B,C,D", [f"{i},test问题{i},甲,乙,丙,丁" for i in range(3)]),
}


@pytest.fixture
def e_eval(tmp_path: Path) -> Path:
    folder = tmp_path / "E-EVAL"
    for split, (head, rows) in FOLDERS.items():
        (folder / split).mkdir(parents=True)
        (folder / split / f"High_School_Biology_{split}.csv").write_text("\n".join([head, *rows]), encoding="utf-8")
    return folder


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The store that the command writes to."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("SECOND_MARKER_DATA", str(folder))
    store = new_store(folder)
    yield store
    store.close()


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def server(asked: list[str]) -> Iterator[str]:
    def reply(words: str) -> tuple[int, dict[str, Any]]:
        asked.append(words)
        return completion("答案是B。", "m", 50, 5)

    with model_server(reply) as base_url:
        yield base_url


def sit(folder: Path | str, server: str, *more: str) -> int:
    return main(["sit", str(folder), "--base-url", server, "--model", "m", *more])


def test_a_folder_is_sat_once_and_its_results_are_printed_and_written(
    e_eval: Path, store: Store, server: str, asked: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sit(e_eval, server) == 0
    said = capsys.readouterr()
    assert "E-EVAL, zero-shot: 4 questions would be sent to m" in said.err
    assert "4 of 4" in said.err.splitlines()[-1]
    assert said.out == "Sitting 1 done: 4 answered.\n"
    assert sit(e_eval, server) == 0
    assert "nothing would be sent" in capsys.readouterr().err
    assert len(asked) == 4
    assert all("val问题" in words for words in asked)
    assert main(["results"]) == 0
    assert "zero-shot · 4 answered" in capsys.readouterr().out
    assert main(["results", "1"]) == 0
    assert "high-school biology" in capsys.readouterr().out
    assert main(["results", "1", "--csv", str(tmp_path / "out")]) == 0
    with (tmp_path / "out" / "sitting_1_by_subject.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert [(row["Group"], row["Right"], row["Questions"]) for row in rows] == [
        ("high-school biology", "2", "4"),
        ("All", "2", "4"),
    ]
    with store.read() as db:
        assert [each.items for each in benchmarks.listed(db)] == [9]
        assert [each.model for each in judges.listed(db) if each.kind == judges.LLM] == ["m"]
        assert len(sittings.listed(db)) == 1


def test_ctrl_c_stops_a_sitting_that_the_same_command_goes_on_with(
    e_eval: Path, store: Store, asked: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    def reply(words: str) -> tuple[int, dict[str, Any]]:
        asked.append(words)
        if len(asked) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return completion("B", "m")

    rows = [f"{i},val问题{i},甲,乙,丙,丁,B" for i in range(400)]
    (e_eval / "val" / "High_School_Biology_val.csv").write_text("\n".join([HEAD, *rows]), encoding="utf-8")
    with model_server(reply) as base_url:
        assert sit(e_eval, base_url, "--at-once", "1") == 1
        said = capsys.readouterr()
        assert "Sitting 1 cancelled: Stopped after" in said.out
        assert "The same command goes on from here." in said.err
        before = len(asked)
        assert 2 <= before < 400
        assert sit(e_eval, base_url, "--at-once", "1") == 0
    assert "Sitting 1 done: 400 answered." in capsys.readouterr().out
    assert len(asked) == len(set(asked)) == 400


def test_a_second_ctrl_c_does_not_leave_the_sitting_for_the_app_to_go_on_with(
    e_eval: Path, store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupted = threading.Event()

    def reply(words: str) -> tuple[int, dict[str, Any]]:
        interrupted.wait(10)
        return completion("B", "m")

    monkeypatch.setattr(Bar, "draw", lambda bar, done, total: os.kill(os.getpid(), signal.SIGINT))
    with model_server(reply) as base_url:
        assert sit(e_eval, base_url) == 130
        interrupted.set()
    assert "the same command goes on" in capsys.readouterr().err
    with store.read() as db:
        assert jobs.active(db) == []
        (sitting,) = sittings.listed(db)
        assert "Resume goes on from there" in sitting_progress.state_of(db, sitting).message


def test_a_refused_command_leaves_the_cap_of_the_sitting_that_is_under_way(
    e_eval: Path, store: Store, server: str, asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "prices.toml"
    file.write_text('[models]\n"m" = { input = 1, output = 1 }\n')
    monkeypatch.setattr(prices, "PRICES", file)
    assert sit(e_eval, server, "--cap", "5") == 0
    with store.write() as db:
        (sitting,) = sittings.listed(db)
        jobs.again(db, sitting.job_id or 0)
        jobs.claim(db, "the app")
    assert sit(e_eval, server) == 1
    with store.read() as db:
        assert sittings.listed(db)[0].settings["cap"] == 5


def test_a_private_test_set_gives_a_submission_file(
    e_eval: Path, store: Store, server: str, asked: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = ("--protocol", "answer_only", "--shots", "2", "--splits", "test")
    assert sit(e_eval, server, *wanted) == 0
    assert all(words.count("答案：B\n") == 2 and "dev问题1" in words for words in asked)
    assert main(["submit", "1", "--out", str(tmp_path / "submission.json")]) == 0
    assert json.loads((tmp_path / "submission.json").read_text(encoding="utf-8")) == {
        "high_school_biology": {"0": "B", "1": "B", "2": "B"}
    }


def test_what_cannot_be_done_is_said_in_words(
    e_eval: Path, store: Store, server: str, asked: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    refused = [
        (["--protocol", "n_shot"], "is not asked by the protocol"),
        (["--protocol", "answer_only", "--shots", "5"], "no 5 worked questions for high_school_biology"),
        (["--shots", "9"], "less than or equal to 5"),
        (["--tasks", "physics*"], "No task is called physics*. There are high_school_biology."),
        (["--cap", "1"], "The price of m is not known"),
    ]
    for options, words in refused:
        assert sit(e_eval, server, *options) == 1
        assert words in capsys.readouterr().err
    assert sit("7", server) == 1
    assert "There is no set 7" in capsys.readouterr().err
    assert sit(e_eval / "nowhere", server) == 1
    assert "There is no folder “nowhere”" in capsys.readouterr().err
    assert main(["results", "5"]) == 1
    assert "There is no sitting 5" in capsys.readouterr().err
    assert sit(e_eval, server, "--dry-run") == 0
    assert main(["results", "9" * 30]) == 1
    assert "There is no such number" in capsys.readouterr().err
    assert asked == []
    assert sit(e_eval, server, "--splits", "test") == 0
    assert main(["submit", "1", "--out", str(e_eval / "nowhere" / "a.json")]) == 1
    assert "nowhere/a.json” cannot be opened (No such file" in capsys.readouterr().err


def test_a_judge_of_the_app_with_the_same_settings_is_the_one_that_sits(
    e_eval: Path, store: Store, server: str
) -> None:
    with store.write() as db:
        judge_id = judges.ensure(db, "Ours", judges.LLM, "m", {"base_url": server, "protocol": "full"})
    assert sit(e_eval, server) == 0
    with store.read() as db:
        assert [each.judge_id for each in sittings.listed(db)] == [judge_id]


@pytest.mark.parametrize(("seconds", "words"), [(0.2, "1 s"), (89, "89 s"), (600, "10 min"), (7500, "2 h 5 min")])
def test_a_time_to_wait_is_said_roughly(seconds: float, words: str) -> None:
    assert in_words(seconds) == words

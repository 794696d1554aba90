"""Trials and the marking of a sitting's written answers from the command line, in the same store as the app's."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from components.judge.llm import Endpoint, Protocol
from components.workflow.benchmarks.command import main
from components.workflow.benchmarks.marking import marking_of
from components.workflow.connections import Connections
from components.workflow.trial.arms import ArmChoice
from storage import Store, exams, jobs, judges, sittings, trial_answers, trials
from tests.benchmark_files import gaokao
from tests.llama import MODEL, llama_server
from tests.model_server import completion, model_server
from tests.support import new_store

HEAD = "student,question,response,max_score,human1,human2,gpt-x"


def rows(count: int) -> list[str]:
    """Two humans give the marks of the answers' words but for the 40th, and the vendor one below."""
    marks = [(i % 3, 1 if i == 39 else i % 3, max(0, i % 3 - 1)) for i in range(count)]
    return [f"{i},1,answer {i} worth {own},2,{own},{other},{ai}" for i, (own, other, ai) in enumerate(marks)]


MARKS = {"abstain": None, "evidence": [], "reason": "So.", "not_sure": False}


class Model:
    """A model that sits (its written answer is "worth N" by the question's number) and marks what is worth N with N."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.tokens = 1000
        self.tells_usage = True
        self.interrupt_at = 0
        self.interrupt_by = signal.SIGINT
        self._lock = threading.Lock()

    def __call__(self, words: str) -> tuple[int, dict[str, Any]]:
        with self._lock:
            self.asked.append(words)
            if len(self.asked) == self.interrupt_at:
                os.kill(os.getpid(), self.interrupt_by)
        if "<answer>" not in words:
            worth = "2" if "第一题" in words else "1"
            return completion(f"【解析】我的作答 worth {worth} <eoe>", "cheap", *self._usage())
        mark = int(words.split("<answer>")[1].split("worth ")[1][0])
        return completion({**MARKS, "mark": mark}, "cheap", *self._usage())

    def _usage(self) -> tuple[int, int]:
        return (self.tokens, 10) if self.tells_usage else (0, 0)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, price_file: Path) -> Iterator[Store]:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("SECOND_MARKER_DATA", str(folder))
    store = new_store(folder)
    yield store
    store.close()


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def server(model: Model) -> Iterator[str]:
    with model_server(model) as base_url:
        yield base_url


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "marked_twice.csv"
    file.write_text("\n".join([HEAD, *rows(40)]), encoding="utf-8")
    return file


def a_trial(what: object, server: str, *more: str) -> int:
    return main(["trial", str(what), "--model", "cheap", "--base-url", server, *more])


def test_a_double_marked_table_becomes_a_trial_with_its_report(
    table: Path, store: Store, server: str, model: Model, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert a_trial(table, server) == 0
    said = capsys.readouterr()
    assert "40 responses to 1 question, 80 human marks, 40 AI marks" in said.err
    assert "mark by the first marker “human1”" in said.err
    assert "40 responses, 40 of them marked twice." in said.err
    assert "80 of 80" in said.err
    assert said.out.startswith("Trial 1 done: 80 marks.\n")
    assert len(model.asked) == 40

    assert main(["report"]) == 0
    assert "1  marked twice, trial 1 · marked twice · 2 arms, 40 responses · done" in capsys.readouterr().out
    assert main(["report", "1"]) == 0
    told = capsys.readouterr().out
    assert "By subject" in told
    assert "gpt-x" in told
    assert main(["report", "1", "--out", str(tmp_path / "out")]) == 0
    assert "<html" in (tmp_path / "out" / "trial_1_report.html").read_text(encoding="utf-8")
    with (tmp_path / "out" / "trial_1_parts_and_judges.csv").open(encoding="utf-8-sig") as file:
        rows = {row["Judge"]: row for row in csv.DictReader(file) if row["Kind"] == "all"}
    # The vendor gives a mark less on 26 of 40 (13 each are worth 1 and 2): 26 marks of 80 below the first human; the
    # second gave 1 instead of 0 once, so that the mean human is half a mark of 40 further up.
    assert float(rows["gpt-x"]["Bias %"]) == pytest.approx(100 * (-26 - 0.5) / 80)
    assert float(rows["cheap"]["Bias %"]) == pytest.approx(100 * -0.5 / 80)


def test_the_same_command_asks_nothing_again(
    table: Path, store: Store, server: str, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    assert a_trial(table, server, "--title", "Vendors") == 0
    capsys.readouterr()
    assert a_trial(table, server) == 0
    said = capsys.readouterr()
    assert "“marked_twice.csv” is imported already, as exam 1" in said.err
    assert said.out.startswith("Trial 1 done")
    assert a_trial(1, server, "--criteria", "with", "without") == 0
    assert len(model.asked) == 40  # there is no scheme to withhold, so that it is the same question
    said = capsys.readouterr()
    assert "No question has marking criteria" in said.err
    assert said.out.startswith("Trial 2 done")
    with store.read() as db:
        assert [each.title for each in trials.listed(db)] == ["Vendors, trial 2", "Vendors"]


def test_marks_given_since_make_a_new_trial(table: Path, store: Store, server: str, model: Model) -> None:
    assert a_trial(table, server) == 0
    with store.read() as db:
        (question,) = exams.questions(db, 1)
    from tests.reviewing import give
    from tests.support import add_marker

    with store.read() as db:
        response_id = db.execute("SELECT max(id) FROM responses WHERE question_id = ?", (question.id,)).fetchone()[0]
    give(store, response_id, add_marker(store, "Ms Khan"), 2)
    assert a_trial(1, server) == 0
    with store.read() as db:
        assert len(trials.listed(db)) == 1  # hers is a third mark, and a trial takes two
    with store.write() as db:
        db.execute("UPDATE trial_responses SET first_mark = 1 WHERE response_id = ?", (response_id,))
    assert a_trial(1, server) == 0
    with store.read() as db:
        assert len(trials.listed(db)) == 2
    assert len(model.asked) == 40


def test_ctrl_c_stops_a_trial_that_the_same_command_goes_on_with(
    table: Path, store: Store, server: str, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    table.write_text("\n".join([HEAD, *rows(150)]), encoding="utf-8")
    model.interrupt_at = 3
    assert a_trial(table, server, "--at-once", "1") == 1
    said = capsys.readouterr()
    assert "Trial 1 cancelled: Stopped after" in said.out
    assert "The same command goes on from here." in said.err
    assert 3 <= len(model.asked) < 150
    assert a_trial(table, server, "--at-once", "1") == 0
    assert len(model.asked) == len(set(model.asked)) == 150


def test_a_dry_run_says_what_it_would_take_and_leaves_nothing(
    table: Path, store: Store, server: str, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    assert a_trial(table, server, "--dry-run") == 0
    said = capsys.readouterr().err
    assert "40 responses, 40 of them marked twice. In all $0.0" in said
    with store.read() as db:
        assert exams.listed(db) == []
        assert [each.kind for each in judges.listed(db) if each.kind == judges.LLM] == []
    assert model.asked == []


def test_what_an_import_leaves_out_is_said(
    table: Path, store: Store, server: str, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    table.write_text("\n".join([HEAD, *rows(40), rows(40)[7]]), encoding="utf-8")
    assert main(["trial", str(table), "--offline"]) == 0
    said = capsys.readouterr().err
    assert "Row 42: " in said
    assert "Row 42: Row 42" not in said


@pytest.mark.parametrize("signal_", [signal.SIGTERM, signal.SIGHUP])
def test_a_command_told_to_end_leaves_nothing_for_the_app_to_go_on_with(
    table: Path, store: Store, server: str, model: Model, capsys: pytest.CaptureFixture[str], signal_: signal.Signals
) -> None:
    table.write_text("\n".join([HEAD, *rows(150)]), encoding="utf-8")
    model.interrupt_at, model.interrupt_by = 3, signal_
    assert a_trial(table, server, "--at-once", "1") == 1
    said = capsys.readouterr()
    assert "Trial 1 cancelled" in said.out
    assert "fit as second marker" not in said.out
    with store.read() as db:
        assert jobs.active(db) == []


def test_a_cap_stops_a_trial_and_a_higher_one_lets_it_go_on(
    table: Path, store: Store, server: str, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    model.tokens = 100_000  # ten cents each
    assert a_trial(table, server, "--cap", "1", "--at-once", "1") == 1
    assert "Trial 1 failed: Stopped at the spending cap" in capsys.readouterr().out
    # Three times the dearest is set aside: after seven, at $0.7003, the eighth might cost $0.3001.
    assert len(model.asked) == 7
    assert a_trial(table, server, "--cap", "10", "--at-once", "1") == 0
    assert len(model.asked) == 40


def test_what_cannot_be_tried_is_said_in_words(
    table: Path, store: Store, server: str, model: Model, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wide, broken, tool = tmp_path / "wide.csv", tmp_path / "broken.csv", tmp_path / "tool.csv"
    wide.write_text("student,Q1 [2],Q2 [3]\n" + "\n".join(f"s{i},1,2" for i in range(9)), encoding="utf-8")
    broken.write_text("\n".join([HEAD, *rows(40), "41,1,answer,2,7,1,1"]), encoding="utf-8")
    tool.write_text("\n".join([HEAD.replace("human1", "Anna").replace("human2", "Ben"), *rows(40)]), encoding="utf-8")
    refused: list[tuple[list[str], str]] = [
        ([str(wide)], "is no table of a row a response"),
        ([str(broken)], "Row 42: "),
        ([str(tool), "--columns", "mark_3=Anna"], "There is no field mark_3"),
        ([str(tool)], "has no marks of people by its headings"),
        ([str(tool), "--columns", "mark_1=Anna", "mark_1=Ben"], "A field stands twice"),
        ([str(tool), "--columns", "Anna"], "Write --columns as FIELD=COLUMN"),
        (["9"], "There is no exam 9. There are none yet."),
        ([str(tmp_path / "nowhere.csv")], "nowhere.csv” cannot be opened (No such file"),
    ]
    for arguments, words in refused:
        assert main(["trial", *arguments, "--offline"]) == 1
        assert words in capsys.readouterr().err, arguments
    with store.read() as db:
        assert exams.listed(db) == []
    columns = ("--columns", "mark_1=Anna", "mark_2=Ben")
    assert main(["trial", str(tool), *columns, "--markers", "Anna A", "Ben B", "--offline"]) == 0
    refused = [
        (
            [str(tool), "--columns", "mark_1=Ben", "--offline"],
            "imported already, as exam 1, tool, and by other columns",
        ),
        (["1", "--offline", "--markers", "Anna A", "Anna A"], "two different names"),
        (["1", "--offline", "--markers", "", "Ben B"], "two different names"),
        (["1", "--model", " "], "Give --model the name of a model"),
        (["1", "--model", "m", "--base-url", "ftp://x"], "“ftp://x” is no address of a server"),
        (["~nobody-of-this-name/x.csv", "--offline"], "the home of somebody who has none here"),
        (["1"], "Name a judge: --model, --judges or --offline."),
        (["1", "--judges", "grok*"], "No judge is called “grok*”."),
        (["1", "--offline", "--questions", "7"], "The exam has no question 7. It has 1."),
        (["1", "--offline", "--markers", "Eve", ""], "Those who have: Anna A, Ben B."),
        (["1", "--model", "dear", "--base-url", server, "--cap", "1"], "The price of dear is not known"),
        (["1", "--model", "cheap", "--shots", "44"], "less than or equal to"),
    ]
    with store.write() as db:
        judges.retire(db, next(each.id for each in judges.listed(db) if each.kind == judges.IMPORTED))
    for arguments, words in refused:
        assert main(["trial", *arguments]) == 1
        assert words in capsys.readouterr().err, arguments
    assert model.asked == []
    assert main(["report", "4"]) == 1
    assert "There is no trial 4" in capsys.readouterr().err


def written(index: int, question: str, score: float, criterion: str = "") -> dict[str, Any]:
    row = {"year": "2021", "category": "（我们的卷）", "question": question, "answer": "因为热胀冷缩。", "analysis": ""}
    return {**row, "index": index, "score": score} | ({"marking_criterion": criterion} if criterion else {})


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """Two subjects' written questions: physics out of 4 and 2 with criteria for the first, history out of 2."""
    folder = tmp_path / "papers"
    folder.mkdir()
    rows = {
        "2010-2022_Physics_Open-ended_Questions": [
            written(0, "第一题？", 4, "提到热胀得两分。"),
            written(1, "第二题？", 2),
        ],
        "2010-2022_History_Open-ended_Questions": [written(0, "第三题？", 2)],
    }
    for keyword, asked in rows.items():
        (folder / f"{keyword}.json").write_bytes(gaokao(keyword, *asked))
    return folder


def sat(papers: Path, server: str) -> None:
    assert main(["sit", str(papers), "--model", "cheap", "--base-url", server]) == 0


def a_marking(server: str, *more: str) -> int:
    return main(["mark", *more, "--model", "judge-x", "--base-url", server])


def test_a_judge_marks_a_sittings_written_answers_with_and_without_criteria(
    papers: Path, store: Store, server: str, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    sat(papers, server)
    model.asked.clear()
    capsys.readouterr()
    assert a_marking(server, "1", "--criteria", "with", "without") == 0
    said = capsys.readouterr()
    assert "2 responses, 0 of them marked twice. 2 have no human mark" in said.err
    assert "6 of 6" in said.err
    assert "What it makes of the sitting: results 1." in said.err
    # Physics' first is asked with its criteria and without; the others have none, so once serves for both.
    assert sorted("提到热胀得两分" in words for words in model.asked) == [False, False, False, True]
    assert main(["results", "1"]) == 0
    told = capsys.readouterr().out
    assert "on trial: judge-x · without criteria" in told
    assert "3 of 3 written answers marked by on trial: judge-x." in told
    # 2 of 4 and 1 of 2 in physics, 1 of 2 in history.
    marks = [line.split() for line in told.splitlines() if line.startswith(("Physics  ", "History  ", "All  "))]
    assert [marks[0], marks[1], marks[2]] == [
        ["History", "0.5", "0.5", "1", "0", "1", "2", "1", "2"],
        ["Physics", "0.5", "0.5", "2", "0", "3", "6", "3", "6"],
        ["All", "0.5", "0.5", "3", "0", "4", "8", "4", "8"],
    ]
    assert a_marking(server, "1", "--criteria", "with", "without") == 0
    assert len(model.asked) == 4


def test_a_marking_goes_on_and_its_cap_holds_for_all_exams(
    papers: Path, store: Store, server: str, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    sat(papers, server)
    model.asked.clear()
    model.tokens = 100_000

    def marking(cap: str) -> int:
        return main(["mark", "1", "--model", "cheap", "--base-url", server, "--at-once", "1", "--cap", cap])

    assert marking("0.35") == 1
    assert "Stopped at the spending cap" in capsys.readouterr().err
    assert len(model.asked) == 1  # at $0.10; the next exam's first might cost $0.30
    assert marking("0.45") == 1
    assert len(model.asked) == 2
    assert marking("5") == 0
    assert len(model.asked) == 3


def test_the_cap_of_a_marking_counts_replies_without_a_price_over_all_exams(
    papers: Path, store: Store, server: str, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    sat(papers, server)
    assert main(["exam", "1"]) == 0
    model.asked.clear()
    model.tells_usage = False
    connections = Connections()
    arms = [ArmChoice(judge_id=connections.connect(store, Endpoint(server, "cheap"), ""))]
    plans = [found.plan for exam_id in (1, 2) if (found := marking_of(store, connections, exam_id, arms)) is not None]
    each = max((plan.price or 0) / plan.responses for plan in plans)
    # A reply without a price counts as three times its estimate: after one, a second does not fit.
    cap = f"{4.5 * each:.6f}"
    assert main(["mark", "1", "--model", "cheap", "--base-url", server, "--at-once", "1", "--cap", cap]) == 1
    assert "Stopped at the spending cap" in capsys.readouterr().err
    assert len(model.asked) == 1


def test_what_a_sitting_that_went_on_has_written_since_is_marked_too_and_nothing_twice(
    papers: Path, store: Store, server: str, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sit", str(papers), "--model", "cheap", "--base-url", server, "--tasks", "*History*"]) == 0
    assert a_marking(server, "1") == 0
    assert main(["sit", str(papers), "--model", "cheap", "--base-url", server]) == 0  # another sitting, all of it
    model.asked.clear()
    assert a_marking(server, "2") == 0
    assert len(model.asked) == 3
    with store.write() as db:  # the first sitting goes on with what the second has
        replies = db.execute("SELECT item_id, reply FROM sitting_answers WHERE sitting_id = 2").fetchall()
        sittings.keep(db, 1, [(row["item_id"], sittings.Answer("answered", row["reply"])) for row in replies])
    model.asked.clear()
    assert a_marking(server, "1") == 0
    assert ["第三题" in words for words in model.asked] == [False, False]
    capsys.readouterr()
    assert main(["results", "1"]) == 0
    assert "3 of 3 written answers marked by on trial: judge-x" in capsys.readouterr().out


def test_marking_wants_a_sitting_or_exams(
    papers: Path, store: Store, server: str, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    sat(papers, server)
    refused = [
        (["mark", "--offline"], "Name a sitting, or --exams"),
        (["mark", "1", "--exams", "1", "--offline"], "Name a sitting, or --exams"),
        (["mark", "4", "--offline"], "There is no sitting 4"),
        (["mark", "--exams", "4", "--offline"], "There is no exam 4"),
    ]
    for arguments, words in refused:
        capsys.readouterr()
        assert main(arguments) == 1
        assert words in capsys.readouterr().err
    assert main(["exam", "1"]) == 0
    assert main(["mark", "--exams", "1", "2", "--offline", "--dry-run"]) == 0
    with store.read() as db:
        assert trials.listed(db) == []
        assert len(sittings.listed(db)) == 1


def test_a_judge_stands_beside_the_teachers_of_shipped_results(
    tmp_path: Path, store: Store, server: str, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    keyword = "2010-2022_Physics_Open-ended_Questions"
    # The model's answers are worth 0 to 3 of 4, as one teacher says; the other gives one more, so that their mean keeps
    # the order, which the judge has too.
    answers = [
        written(n, f"问题{n}？", 4) | {"model_output": f"作答 worth {n}", "correction_score": [n, n + 1]}
        for n in range(4)
    ]
    folder = tmp_path / "human_double_marked"
    folder.mkdir()
    (folder / f"our-model_{keyword}.json").write_bytes(gaokao(keyword, *answers, model_name="our-model"))
    assert main(["load", str(folder), "--exams"]) == 0
    assert "Exam 1: GAOKAO-Bench · Physics · our-model" in capsys.readouterr().out
    assert main(["mark", "--exams", "1", "--model", "cheap", "--base-url", server]) == 0
    assert "4 responses, 4 of them marked twice." in capsys.readouterr().err
    assert main(["load", str(folder), "--figures"]) == 0
    told = capsys.readouterr().out
    assert "1    on trial: cheap" in told
    judged = told[told.index("Judge 1 and teachers") :].splitlines()
    row = dict(zip(re.split(r"\s{2,}", judged[1]), re.split(r"\s{2,}", judged[-1]), strict=True))
    # 0 + 1 + 2 + 3 marks against 0.5 + 1.5 + 2.5 + 3.5: a quarter below.
    assert (row["Spearman"], row["Kendall τ-b"], row["Judge's marks"], row["Teachers' marks"]) == ("1", "1", "6", "8")
    assert row["Deviation %"] == "-25"
    assert main(["load", str(folder), "--figures", "--csv", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out" / "shipped_two_teachers_by_subject.csv").exists()


def test_criteria_in_a_file_of_their_own_belong_to_the_questions_of_their_numbers(
    tmp_path: Path, papers: Path, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    criteria = {
        "example": [{"index": 1, "marking_criterion": "提到冷缩得一分。"}, {"index": 9, "marking_criterion": "无。"}]
    }
    name = "2010-2022_Physics_Open-ended_Questions_marking_criterion.json"
    (papers / name).write_text(json.dumps(criteria, ensure_ascii=False), encoding="utf-8")
    assert main(["load", str(papers)]) == 0
    with store.read() as db:
        told = [
            json.loads(row[0]).get("criteria", "") for row in db.execute("SELECT body FROM benchmark_items ORDER BY id")
        ]
    assert sorted(told) == ["", "提到冷缩得一分。", "提到热胀得两分。"]
    assert main(["load", str(papers / name)]) == 1
    assert "marking criteria for 2 questions and no questions" in capsys.readouterr().err


@pytest.fixture(scope="module")
def llama() -> Iterator[str]:
    with llama_server() as base_url:
        yield base_url


def test_a_real_model_is_tried_by_every_prompt_on_a_double_marked_table(
    table: Path, store: Store, llama: str, capsys: pytest.CaptureFixture[str]
) -> None:
    table.write_text("\n".join([HEAD, *rows(1)]), encoding="utf-8")
    asked = ("--base-url", llama, "--model", MODEL, "--max-tokens", "24")
    assert main(["trial", str(table), *asked, "--protocols", *Protocol]) == 0
    said = capsys.readouterr()
    assert "4 of 4" in said.err  # three prompts and the imported AI
    with store.read() as db:
        found = {
            arm.judge.settings.get("protocol", "imported"): trial_answers.newest(db, arm.id)
            for arm in trials.arms(db, 1)
        }
    assert set(found) == {*Protocol, "imported"}
    for answers in found.values():
        assert len(answers) == 1
        assert all(mark in (0, 1, 2) if status == "proposed" else mark is None for _, status, mark in answers)
    assert main(["report", "1"]) == 0


def test_a_real_model_sits_written_questions_and_marks_them_with_and_without_criteria(
    papers: Path, store: Store, llama: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("--base-url", llama, "--model", MODEL, "--max-tokens", "24")
    assert main(["sit", str(papers), *asked, "--tasks", "*Physics*"]) == 0
    assert main(["mark", "1", *asked, "--protocols", "gaokao", "--criteria", "with", "without"]) == 0
    assert "4 of 4" in capsys.readouterr().err
    with store.read() as db:
        arms = [arm for trial in trials.listed(db) for arm in trials.arms(db, trial.id)]
        found = [answer for arm in arms for answer in trial_answers.newest(db, arm.id)]
    assert sorted(arm.criteria for arm in arms) == [False, True]
    assert len(found) == 4
    assert all(0 <= mark <= 4 if status == "proposed" else mark is None for _, status, mark in found)

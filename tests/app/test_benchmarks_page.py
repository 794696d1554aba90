"""The benchmarks page: loading one, letting a model sit it, what it got right, and exams of what models wrote."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components.intake.benchmarks import load_folder
from components.judge.llm import Endpoint
from components.marking import Marker, Role
from components.workflow.benchmarks.sets import store_set
from components.workflow.benchmarks.settings import Protocol, SittingSettings
from components.workflow.benchmarks.sitting import begin
from components.workflow.connections import Connections
from storage import Store, benchmarks, exams, jobs, responses, sittings
from storage.sittings import Answer
from tests.model_server import completion, model_server
from tests.support import add_exam, add_marker

PAGE = "pages/pilot/benchmarks.py"
OpenPage = Callable[..., AppTest]
HEAD = "id,question,A,B,C,D,answer"


@pytest.fixture
def lead(store: Store) -> Marker:
    add_exam(store, [["x"]])  # or the app installs the demo exam
    return add_marker(store, "Dr Li", Role.PILOT)


@pytest.fixture
def e_eval(tmp_path: Path) -> Path:
    folder = tmp_path / "E-EVAL"
    for split, rows in {
        "dev": [f"{i},dev问题{i},甲,乙,丙,丁,B,因为" for i in range(2)],
        "val": [f"{i},val问题{i},甲,乙,丙,丁,{'AB'[i % 2]}" for i in range(4)],
    }.items():
        (folder / split).mkdir(parents=True)
        head = f"{HEAD},explanation" if split == "dev" else HEAD
        (folder / split / f"High_School_Biology_{split}.csv").write_text("\n".join([head, *rows]), encoding="utf-8")
    (folder / "notes.json").write_text("{}")
    return folder


@pytest.fixture
def server() -> Iterator[str]:
    def reply(words: str) -> tuple[int, dict[str, Any]]:
        return completion("我不知道" if "val问题3" in words else "答案是A。", "m", 50, 5)

    with model_server(reply) as base_url:
        yield base_url


def texts(at: AppTest) -> str:
    drawn = [*at.markdown, *at.caption, *at.info, *at.warning, *at.error, *at.success, *at.title, *at.subheader]
    bars = [bar.proto.text for bar in at.get("progress")]
    labels = [each.label for each in at.expander]
    return "\n".join([*(str(each.value) for each in drawn), *bars, *labels]).replace("\\", "")


def labels(at: AppTest) -> list[str]:
    return [button.label for button in at.button]


def press(at: AppTest, label: str) -> None:
    next(button for button in at.button if button.label == label).click().run()
    assert not at.exception


def load(at: AppTest, folder: Path) -> None:
    at.text_input(key="benchmark_folder").input(str(folder)).run()
    press(at, "Load the folder")


def a_sitting(store: Store, folder: Path, base_url: str = "http://127.0.0.1:9/v1") -> int:
    (loaded,) = [part for part in load_folder(folder) if part.items]
    judge_id = Connections().connect(store, Endpoint(base_url, "m"), "")
    settings = SittingSettings(protocol=Protocol.ZERO_SHOT, splits=("val",))
    return begin(store, store_set(store, loaded), judge_id, settings, None)


def an_end(store: Store, sitting_id: int, status: str, message: str = "") -> None:
    """Its job is taken by another worker, is at 1 of 4, and ends so."""
    with store.write() as db:
        found = sittings.get(db, sitting_id)
        assert found is not None
        job_id = found.job_id or 0
        jobs.claim(db, "another")
        jobs.beat(db, job_id, "another", 1, 4)
        if status == "cancelled":
            jobs.cancel(db, job_id)
        elif status != "running":
            jobs.finish(db, job_id, "another", status, message)


def test_a_teacher_may_not_enter(app: OpenPage, store: Store, lead: Marker) -> None:
    at = app(PAGE, add_marker(store, "Ms Khan"))
    assert "for a head of department or a pilot lead" in texts(at)
    assert not at.title


def test_without_a_benchmark_the_page_says_what_it_is_for_and_what_comes_first(app: OpenPage, lead: Marker) -> None:
    at = app(PAGE, lead)
    assert not at.exception
    assert "A model that cannot sit the paper should not mark it" in texts(at)
    assert "load their folder or ZIP above" in texts(at)
    assert "Start" not in labels(at)
    press(at, "Load the folder")
    assert "Write where the folder is" in texts(at)


def test_a_folder_is_loaded_with_what_was_found_wrong_in_it(app: OpenPage, lead: Marker, e_eval: Path) -> None:
    at = app(PAGE, lead)
    load(at, e_eval)
    assert "Loaded 6 questions." in texts(at)
    assert "E-EVAL: 6 questions (2 dev, 4 val) in 1 task · 1 note" in texts(at)
    assert "Only a language model can sit a paper" not in texts(at)
    load(at, e_eval / "nowhere")
    assert "There is no folder “nowhere”" in texts(at)


def test_a_model_sits_it_and_what_it_got_right_is_shown(
    app: OpenPage, store: Store, lead: Marker, e_eval: Path, server: str
) -> None:
    judge_id = Connections().connect(store, Endpoint(server, "m"), "")
    at = app(PAGE, lead)
    load(at, e_eval)
    at.session_state["sit_a_benchmark"] = True
    at.run()
    assert "Choose a judge to see what the sitting would take" in texts(at)
    at.selectbox(key="sit_judge").select(judge_id).run()
    assert "4 questions would be sent to m: about" in texts(at)
    assert "does not have its price" in texts(at)
    press(at, "Start")
    until = time.monotonic() + 20
    while "Done, 4 of 4" not in texts(at) and time.monotonic() < until:
        time.sleep(0.2)
        at.run()
    assert "Done, 4 of 4: 4 answered, 1 of them not readable" in texts(at)
    with store.read() as db:
        (sitting,) = sittings.listed(db)
        marks = [each.mark for each in benchmarks.results_of_sitting(db, sitting.id)]
    assert marks == [1, 0, 1, None]
    at.session_state[f"sitting_outcome_{sitting.id}"] = True
    at.session_state[f"sitting_unread_{sitting.id}"] = True
    at.run()
    assert "1 reply could not be read" in texts(at)
    assert "我不知道" in [reply for table in at.dataframe for reply in table.value.get("Reply", ())]
    assert not at.exception
    assert "Right on 2 of 4 (50.0%" in texts(at)
    at.button(key=f"sitting_archive_{sitting.id}").click().run()
    with store.read() as db:
        assert sittings.listed(db) == []
        assert list(benchmarks.results_of_judge(db, judge_id)) == []
        assert len(benchmarks.listed(db)) == 1


def test_a_sitting_under_way_can_be_cancelled_and_goes_on(
    app: OpenPage, store: Store, lead: Marker, e_eval: Path
) -> None:
    sitting_id = a_sitting(store, e_eval)
    an_end(store, sitting_id, "running")
    at = app(PAGE, lead)
    assert not at.exception
    assert "1 of 4" in texts(at)
    assert "zero-shot · val, all tasks" in texts(at)
    press(at, "Cancel")
    at.run()
    assert "Cancelled at 1 of 4. What was answered is kept." in texts(at)
    press(at, "Resume")
    with store.read() as db:
        sitting = sittings.get(db, sitting_id)
        assert sitting is not None
        job = jobs.get(db, sitting.job_id or 0)
    assert job is not None
    assert job.status != "cancelled"


def test_a_stopped_sitting_says_why_and_a_higher_cap_lets_it_go_on(
    app: OpenPage, store: Store, lead: Marker, e_eval: Path
) -> None:
    sitting_id = a_sitting(store, e_eval)
    an_end(store, sitting_id, "failed", "Stopped at the spending cap: $1.0000 of $1.00 is spent.")
    with store.write() as db:
        sitting = sittings.get(db, sitting_id)
        assert sitting is not None
        item = benchmarks.items_of(db, sitting.set_id, "high_school_biology", "val", 1)[0]
        sittings.keep(db, sitting_id, [(item.id, Answer("failed", reason="The *filter* refused it."))])
    at = app(PAGE, lead)
    assert "$1.00 is spent" in texts(at)
    assert "1 question failed" in texts(at)
    at.number_input(key=f"sitting_cap_{sitting_id}").set_value(5.0)
    press(at, "Resume")
    with store.read() as db:
        sitting = sittings.get(db, sitting_id)
    assert sitting is not None
    assert sitting.settings["cap"] == 5


def test_exams_are_made_of_shipped_answers_with_valid_marks_alone(
    app: OpenPage, store: Store, lead: Marker, tmp_path: Path
) -> None:
    folder = tmp_path / "human_double_marked"
    folder.mkdir()
    rows = [
        {
            "year": "2020",
            "category": "（全国卷）",
            "question": f"第{number}题：为什么？",
            "standard_answer": "因为热胀冷缩。",
            "analysis": "略",
            "index": number,
            "score": 4,
            "model_name": "old-model",
            "model_output": f"答{number}",
            "correction_score": marks,
        }
        for number, marks in enumerate([[3, 3.5], [4], [9, 2]])
    ]
    name = "2010-2022_Physics_Open-ended_Questions"
    (folder / f"old-model_{name}.json").write_text(json.dumps({"keyword": name, "example": rows}), encoding="utf-8")
    at = app(PAGE, lead)
    load(at, folder)
    press(at, "Make exams of the written answers")
    assert "Made 1 exam: GAOKAO-Bench · Physics · old-model" in texts(at)
    with store.read() as db:
        exam = next(each for each in exams.listed(db) if each.title.startswith("GAOKAO"))
        questions = exams.questions(db, exam.id)
        given = db.execute(
            "SELECT m.name, r.text, d.mark, d.stage FROM decisions d JOIN markers m ON m.id = d.marker_id "
            "JOIN responses r ON r.id = d.response_id WHERE r.exam_id = ? ORDER BY r.id, m.name",
            (exam.id,),
        ).fetchall()
        answers = [responses.of_question(db, question.id)[0].text for question in questions]
    assert [(each.question.max_mark, each.question.mark_step) for each in questions] == [(4, 0.5), (4, 1), (4, 1)]
    assert questions[0].question.model_answer == "因为热胀冷缩。"
    assert {each.question.language for each in questions} == {"zh"}
    assert answers == ["答0", "答1", "答2"]
    assert [tuple(row) for row in given] == [
        ("Teacher 1", "答0", 3, "imported"),
        ("Teacher 2", "答0", 3.5, "imported"),
        ("Teacher 1", "答1", 4, "imported"),
        ("Teacher 2", "答2", 2, "imported"),
    ]
    assert "Teacher 1's mark 9 is none of its 4" in texts(at)
    press(at, "Make exams of the written answers")
    assert "imported already" in texts(at)


def test_a_question_without_an_answer_in_the_files_is_not_called_private_where_there_is_no_submission_file(
    app: OpenPage, store: Store, lead: Marker, e_eval: Path
) -> None:
    with (e_eval / "val" / "High_School_Biology_val.csv").open("a", encoding="utf-8") as file:
        file.write("\n4,val问题4,甲,乙,丙,丁,E")
    sitting_id = a_sitting(store, e_eval)
    an_end(store, sitting_id, "done", "Done.")
    with store.write() as db:
        sitting = sittings.get(db, sitting_id)
        assert sitting is not None
        items = benchmarks.items_of(db, sitting.set_id, "high_school_biology", "val", 9)
        sittings.keep(db, sitting_id, [(item.id, Answer("answered", reply="A")) for item in items])
    at = app(PAGE, lead)
    at.session_state[f"sitting_outcome_{sitting_id}"] = True
    at.run()
    assert not at.exception
    assert "The files that were loaded give no answer to 1 question" in texts(at)
    assert "private" not in texts(at)

"""Exams made of what models wrote for a benchmark: the marks that came along, and what is left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from components.intake.benchmarks import Benchmark, Item, Loaded, ShippedResult
from components.judge.llm import Endpoint
from components.marking import MarkError
from components.workflow.benchmarks.making_exams import Written, exam_plan, exams_of_results, exams_of_sitting
from components.workflow.benchmarks.sets import store_set
from components.workflow.benchmarks.settings import Protocol, SittingSettings
from components.workflow.benchmarks.sitting import begin
from components.workflow.connections import Connections
from components.workflow.worker import Worker
from storage import exams, judges, responses, verdicts
from tests.model_server import completion, model_server
from tests.support import new_store


def written_item(number: int, subject: str = "Physics", points: float = 4, kind: str = "open") -> Item:
    return Item(
        benchmark=Benchmark.GAOKAO_BENCH,
        task=f"2010-2022_{subject}_Open-ended_Questions",
        number=str(number),
        split="test",
        question=f"试题 {number}：为什么？",
        kind=kind,
        key=() if kind == "open" else ("A",),
        points=points,
        answer="因为热胀冷缩。",
        analysis="先看温度。",
        subject=subject,
    )


def shipped(number: int, marks: tuple[float, ...], judge: str = "old-judge", output: str = "答") -> ShippedResult:
    return ShippedResult(
        item=written_item(number), model="old-model", model_output=output, judge=judge, corrections=marks
    )


def test_a_sittings_written_answers_become_an_exam_a_subject_without_the_models_thoughts(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    items = (written_item(1), written_item(2), written_item(1, "History", 10), written_item(9, kind="single_choice"))
    set_id = store_set(store, Loaded(benchmark=Benchmark.GAOKAO_BENCH, name="Papers", items=items))

    def reply(words: str) -> tuple[int, dict[str, Any]]:
        assert "需要写出解答" in words or "单项选择题" in words
        return completion("<think>试试【答案】B</think>【解析】想<eoe>【答案】热胀冷缩<eoa>", "m")

    with model_server(reply) as base_url:
        connections = Connections()
        judge_id = connections.connect(store, Endpoint(base_url, "m"), "")
        sitting_id = begin(store, set_id, judge_id, SittingSettings(protocol=Protocol.GAOKAO), None)
        with pytest.raises(MarkError, match="no answers in this sitting yet"):
            exams_of_sitting(store, sitting_id, None)
        assert Worker(store, connections).do_one()
    made = exams_of_sitting(store, sitting_id, None)
    assert list(made.exams.values()) == ["GAOKAO-Bench · Physics · m", "GAOKAO-Bench · History · m"]
    assert made.left_out == ()
    with store.read() as db:
        physics, history = (exams.questions(db, exam_id) for exam_id in made.exams)
        answers = [responses.of_question(db, question.id)[0].text for question in physics]
    assert [each.question.number for each in physics] == [
        "Physics Open-ended Questions 1",
        "Physics Open-ended Questions 2",
    ]
    assert (history[0].question.max_mark, history[0].question.mark_step, history[0].question.language) == (10, 1, "zh")
    assert (physics[0].question.model_answer, physics[0].question.analysis) == ("因为热胀冷缩。", "先看温度。")
    assert answers == ["【解析】想<eoe>【答案】热胀冷缩<eoa>"] * 2
    again = exams_of_sitting(store, sitting_id, None)
    assert (again.exams, again.left_out, again.already) == ({}, (), 3)
    store.close()


def test_a_judges_valid_marks_come_along_and_the_others_are_listed(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    results = (shipped(1, (3,)), shipped(2, (5,)), shipped(3, (2, 3)), shipped(4, (2.5,)), shipped(5, ()))
    made = exams_of_results(store, [Loaded(benchmark=Benchmark.GAOKAO_BENCH, name="r", results=results)], None)
    assert [sentence.split("old-model: ")[1] for sentence in made.left_out] == [
        "old-judge's mark 5 of 4 does not count (above the maximum).",
        "old-judge's mark 2 and 3 of 4 does not count (there are two).",
        "old-judge's mark 2.5 of 4 does not count (not whole).",
        "old-judge gave no mark.",
    ]
    (exam_id,) = made.exams
    with store.read() as db:
        exam = exams.get(db, exam_id)
        assert exam is not None
        judge = judges.get(db, exam.judge_id or 0)
        questions = exams.questions(db, exam_id)
        first = responses.of_question(db, questions[0].id)[0]
        proposal = verdicts.newest(db, [first.id], exam.judge_id or 0).get(first.id)
    assert judge is not None
    assert (judge.name, judge.kind) == ("old-judge (shipped with GAOKAO-Bench)", judges.IMPORTED)
    assert proposal is not None
    assert proposal.proposal.mark == 3
    assert len(questions) == 5
    store.close()


def test_two_answers_of_one_model_are_two_candidates_and_two_judges_of_one_answer_are_not(tmp_path: Path) -> None:
    parts = [
        Loaded(benchmark=Benchmark.GAOKAO_BENCH, name="human/run1", results=(shipped(1, (3,), output="甲"),)),
        Loaded(benchmark=Benchmark.GAOKAO_BENCH, name="human/run2", results=(shipped(1, (2,), output="乙"),)),
        Loaded(benchmark=Benchmark.GAOKAO_BENCH, name="other", results=(shipped(1, (4,), "another", output="甲"),)),
    ]
    store = new_store(tmp_path)
    (exam_id,) = exams_of_results(store, parts, None).exams
    with store.read() as db:
        (question,) = exams.questions(db, exam_id)
        answers = responses.of_question(db, question.id)
        names = {judge.name for judge in judges.listed(db) if judge.kind == judges.IMPORTED}
    assert sorted(answer.text for answer in answers) == ["乙", "甲"]
    assert names == {"old-judge (shipped with GAOKAO-Bench)", "another (shipped with GAOKAO-Bench)"}
    store.close()


def test_a_half_mark_of_a_teacher_makes_the_step_a_half_and_a_maximum_off_the_scale_is_left_out() -> None:
    plan = exam_plan(
        "Physics",
        [
            Written(written_item(1), "m", "答", (3.5, 4)),
            Written(written_item(2, points=4.5), "m", "答"),
            Written(written_item(3, points=3.3), "m", "答", (1,)),
        ],
        "here",
    )
    assert [(each.question.max_mark, each.question.mark_step) for each in plan.questions] == [(4, 0.5), (4.5, 0.5)]
    assert [(mark.marker, mark.mark) for mark in plan.human_marks] == [(1, 3.5), (2, 4)]
    assert len(plan.responses) == 2
    assert "its maximum 3.3 is no number of quarter marks" in plan.report[0].message

"""What a model wrote in a sitting, marked in the exams made of it, and what that comes to by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from components.intake.benchmarks import Benchmark, Item, Loaded, ShippedResult
from components.marking import Outcome, Proposal, ProposalStatus, Stage
from components.workflow.benchmarks.figures_gaokao import gaokao_figures
from components.workflow.benchmarks.making_exams import exams_of_results, exams_of_sitting
from components.workflow.benchmarks.marked_written import WrittenPart, judged_here, who_marked_sitting, written_part
from components.workflow.benchmarks.outcomes import objective_of, sitting_of, tables_of
from components.workflow.benchmarks.sets import store_set
from components.workflow.benchmarks.wording import written_words
from storage import Store, decisions, exams, judges, proposals, responses, sittings, trial_answers, trials
from storage.trials import NewArm
from tests.support import add_marker, new_store
from tests.unit.test_benchmark_exams import written_item

TEACHERS = "teachers (final marks)"
REPLY = "<think>嗯</think>【解析】热胀冷缩{} <eoe>"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = new_store(tmp_path)
    yield store
    store.close()


def items() -> list[Item]:
    """Physics: 6 objective marks, and written questions out of 4, 10 and 6; History: one written out of 10."""
    choice = Item(
        benchmark=Benchmark.GAOKAO_BENCH, task="2010-2022_Physics_MCQs", number="0", split="test", question="?",
        key=("A",), points=6, subject="Physics", year="2010",
    )  # fmt: skip
    return [
        choice,
        *(written_item(number, points=full) for number, full in ((1, 4), (2, 10), (3, 6))),
        written_item(1, "History", 10),
    ]


def a_sitting(store: Store, *, of: int = 5) -> int:
    """The first `of` items are answered, the objective one right."""
    set_id = store_set(store, Loaded(benchmark=Benchmark.GAOKAO_BENCH, name="Papers", items=tuple(items())))
    with store.write() as db:
        sitting_id = sittings.add(db, set_id, judges.ensure(db, "m", judges.LLM, "m"), {"protocol": "gaokao"}, None)
    answer(store, sitting_id, {n: "【答案】A<eoa>" if n == 0 else REPLY.format(n) for n in range(of)})
    return sitting_id


def answer(store: Store, sitting_id: int, replies: Mapping[int, str]) -> None:
    with store.write() as db:
        ids = [row["id"] for row in db.execute("SELECT id FROM benchmark_items ORDER BY position")]
        sittings.keep(db, sitting_id, [(ids[n], sittings.Answer("answered", said)) for n, said in replies.items()])


def physics(store: Store, sitting_id: int) -> tuple[int, list[int]]:
    """The exam of its physics, and its responses in order."""
    made = exams_of_sitting(store, sitting_id, None)
    exam_id = next(exam_id for exam_id, title in made.exams.items() if "Physics" in title)
    with store.read() as db:
        questions = exams.questions(db, exam_id)
        return exam_id, [responses.of_question(db, question.id)[0].id for question in questions]


def decide(store: Store, marks: Mapping[int, float | None], name: str = "Ms Khan") -> None:
    marker = add_marker(store, name)
    with store.write() as db:
        for response_id, mark in marks.items():
            outcome = Outcome.NO_RESPONSE if mark is None else Outcome.MARK
            decisions.record(db, response_id, marker.id, outcome, Stage.BLIND, mark=mark)


def propose(store: Store, marks: Mapping[int, float], name: str = "judge-x") -> int:
    with store.write() as db:
        judge_id = judges.ensure(db, name, judges.IMPORTED)
        for response_id, mark in marks.items():
            found = responses.get(db, response_id)
            assert found is not None
            scheme_id = exams.question(db, found.question_id).scheme_id
            proposals.add(db, response_id, judge_id, scheme_id, proposal(mark))
    return judge_id


def proposal(mark: float) -> Proposal:
    return Proposal(status=ProposalStatus.PROPOSED, mark=mark, label="judge-x")


def part_by(store: Store, sitting_id: int, name: str) -> WrittenPart:
    sitting = sitting_of(store, sitting_id)
    marked = next(each for each in who_marked_sitting(store, sitting) if each.name == name)
    part = written_part(store, sitting, marked, objective_of(store, sitting))
    assert part is not None
    return part


def test_teachers_marks_give_rates_and_converted_totals_of_what_is_marked(store: Store) -> None:
    sitting_id = a_sitting(store)
    _, (first, second, _) = physics(store, sitting_id)
    assert who_marked_sitting(store, sitting_of(store, sitting_id)) == []
    decide(store, {first: 3, second: 5})
    part = part_by(store, sitting_id, TEACHERS)
    assert part.subjective is not None
    assert part.converted is not None
    (row,) = part.subjective.by_subject
    assert (row.name, row.published_marks, row.full, row.ours.value) == ("Physics", 8, 14, 8 / 14)
    assert [each.name for each in part.subjective.by_paper] == ["Physics Open-ended Questions"]
    (total,) = part.converted.subjects
    assert total.unrounded.total == pytest.approx(110 * 0.4 + 110 * 0.6 * 8 / 14)
    assert total.published.total == pytest.approx(110 * 0.4 + 110 * 0.6 * 0.571)
    said = written_words(part)
    assert said.startswith("2 of 4 written answers marked by teachers (final marks).")
    assert "Only a part is marked yet of Physics (2 of 3)." in said
    assert "No total yet for History: no written answer is marked." in said
    assert "Science stream: no total without Chinese, English" in said


def test_a_total_of_a_sitting_that_is_not_through_says_what_it_rests_on(store: Store) -> None:
    sitting_id = a_sitting(store, of=2)
    _, (first,) = physics(store, sitting_id)
    decide(store, {first: 3})
    part = part_by(store, sitting_id, TEACHERS)
    assert part.converted is not None
    assert "A total rests on the questions that are answered, only a part of Physics (2 of 4)." in written_words(part)
    answer(store, sitting_id, {2: "x", 3: "y"})
    assert "only a part of Physics (" not in written_words(part_by(store, sitting_id, TEACHERS))


def test_a_subject_without_objective_answers_has_no_total_and_says_so(store: Store) -> None:
    sitting_id = a_sitting(store, of=0)
    answer(store, sitting_id, {1: "x"})
    _, (first,) = physics(store, sitting_id)
    decide(store, {first: 3})
    part = part_by(store, sitting_id, TEACHERS)
    assert part.converted is None
    assert "No total for Physics: none of its objective questions counts yet." in written_words(part)


def test_no_response_is_a_0_and_an_unmarked_answer_is_none(store: Store) -> None:
    sitting_id = a_sitting(store)
    _, (first, second, _) = physics(store, sitting_id)
    decide(store, {first: None, second: 10})
    part = part_by(store, sitting_id, TEACHERS)
    assert part.subjective is not None
    assert (part.subjective.total.ours.marks, part.subjective.total.ours.full) == (10, 14)


def test_a_judges_newest_marks_count_and_stand_beside_two_teachers(store: Store) -> None:
    sitting_id = a_sitting(store)
    _, (first, second, third) = physics(store, sitting_id)
    decide(store, {first: 3, second: 6, third: 6})
    decide(store, {first: 4, second: 4}, "Mr Ito")
    propose(store, {first: 1, second: 6, third: 3})
    propose(store, {first: 2})
    part = part_by(store, sitting_id, "judge-x")
    assert part.subjective is not None
    assert (part.subjective.total.ours.marks, part.subjective.total.ours.full) == (11, 20)
    assert part.judged is not None
    total = part.judged.total
    assert (total.n, total.judge_total, total.teachers_total, total.full) == (2, 8, 3.5 + 5, 14)
    assert total.deviation.value == pytest.approx(100 * (8 - 8.5) / 8.5)
    assert part_by(store, sitting_id, TEACHERS).judged is None


def test_the_marks_of_a_judge_on_trial_are_one_choice_over_the_trials_of_all_subjects(store: Store) -> None:
    sitting_id = a_sitting(store)
    made = exams_of_sitting(store, sitting_id, None)
    judge_id = propose(store, {})
    with store.write() as db:
        for mark, exam_id in enumerate(made.exams, start=2):
            trial_id = trials.add(db, exam_id, "Pilot", {}, None, [NewArm(judge_id)])
            (arm,) = trials.arms(db, trial_id)
            question = exams.questions(db, exam_id)[0]
            response_id = responses.of_question(db, question.id)[0].id
            trial_answers.keep_each(db, arm.id, [(response_id, question.scheme_id, "", proposal(mark))])
    part = part_by(store, sitting_id, "on trial: judge-x")
    assert [(each.subject, each.marked) for each in part.coverage] == [("History", 1), ("Physics", 1)]
    assert part.subjective is not None
    assert {row.name: row.ours.marks for row in part.subjective.by_subject} == {"Physics": 2, "History": 3}


def test_a_mark_counts_for_the_reply_that_was_marked_and_an_exam_made_later_has_the_others(store: Store) -> None:
    sitting_id = a_sitting(store, of=3)
    _, (first, second) = physics(store, sitting_id)
    decide(store, {first: 3, second: 5})
    answer(store, sitting_id, {2: "另一个回答", 3: REPLY.format(3)})
    part = part_by(store, sitting_id, TEACHERS)
    assert (part.total.answers, part.total.in_exams, part.total.marked) == (3, 1, 1)
    assert "2 are in no exam; make exams of the sitting again" in written_words(part)
    _, (again, third) = physics(store, sitting_id)  # the first is in an exam already
    decide(store, {again: 2, third: 6}, "Mr Ito")
    part = part_by(store, sitting_id, TEACHERS)
    assert part.subjective is not None
    assert (part.subjective.total.ours.marks, part.subjective.total.ours.full) == (3 + 2 + 6, 20)


def test_the_same_words_to_two_questions_whose_numbers_were_swapped_keep_their_own_marks(store: Store) -> None:
    sitting_id = a_sitting(store)
    answer(store, sitting_id, {1: "无", 2: "无"})
    exam_id, (_, second, _) = physics(store, sitting_id)
    with store.write() as db:
        one, two = exams.questions(db, exam_id)[:2]
        for number, question in (("-", one), (one.question.number, two), (two.question.number, one)):
            db.execute("UPDATE questions SET number = ? WHERE id = ?", (number, question.id))
    decide(store, {second: 9})
    part = part_by(store, sitting_id, TEACHERS)
    assert part.subjective is not None
    assert (part.subjective.total.ours.marks, part.subjective.total.ours.full) == (9, 10)


def test_questions_of_one_number_are_told_apart_when_the_sitting_goes_on_after_the_exam(store: Store) -> None:
    twice = tuple(
        written_item(1, points=full).model_copy(update={"question": said}) for said, full in (("甲？", 4), ("乙？", 10))
    )
    set_id = store_set(store, Loaded(benchmark=Benchmark.GAOKAO_BENCH, name="Twice", items=twice))
    with store.write() as db:
        sitting_id = sittings.add(db, set_id, judges.ensure(db, "m", judges.LLM, "m"), {"protocol": "gaokao"}, None)
    answer(store, sitting_id, {1: "无"})
    _, (second,) = physics(store, sitting_id)
    decide(store, {second: 9})
    answer(store, sitting_id, {0: "无"})
    part = part_by(store, sitting_id, TEACHERS)
    assert (part.total.answers, part.total.in_exams, part.total.marked) == (2, 1, 1)
    assert part.subjective is not None
    assert (part.subjective.total.ours.marks, part.subjective.total.ours.full) == (9, 10)
    _, (first,) = physics(store, sitting_id)
    decide(store, {first: 3}, "Mr Ito")
    part = part_by(store, sitting_id, TEACHERS)
    assert (part.total.answers, part.total.in_exams, part.total.marked) == (2, 2, 2)
    assert part.subjective is not None
    assert (part.subjective.total.ours.marks, part.subjective.total.ours.full) == (12, 14)


def test_the_tables_name_who_marked_and_give_the_converted_totals(store: Store) -> None:
    sitting_id = a_sitting(store)
    _, (first, _, _) = physics(store, sitting_id)
    decide(store, {first: 3})
    propose(store, {first: 2})
    tables = {table.name: table for table in tables_of(store, sitting_id)}
    assert [row[:2] for row in tables["written answers marked by"].rows] == [(1, TEACHERS), (2, "judge-x")]
    by_name = {row[0]: row for row in tables["converted totals 2"].rows}
    assert by_name["Physics"][1] == pytest.approx(44 + 33)
    assert by_name["Science stream"][1] is None
    assert all(len(name) <= 31 for name in tables)


def test_a_judge_that_marks_the_double_marked_answers_here_is_compared_with_their_two_teachers(store: Store) -> None:
    results = tuple(
        ShippedResult(item=written_item(n), model="old", model_output=f"答{n}", human_marks=marks)
        for n, marks in enumerate([(3, 4), (1, 1), (2, 3), (0, 4)])
    )
    loaded = [Loaded(benchmark=Benchmark.GAOKAO_BENCH, name="human", results=results)]
    assert judged_here(store, loaded) == []
    (exam_id,) = exams_of_results(store, loaded, None).exams
    with store.read() as db:
        ids = [responses.of_question(db, question.id)[0].id for question in exams.questions(db, exam_id)]
    propose(store, dict(zip(ids, (4, 1, 2), strict=False)))
    ((name, rows),) = judged_here(store, loaded)
    assert name == "judge-x"
    assert [(row.judge, row.teachers) for row in rows] == [(4, 3.5), (1, 1), (2, 2.5)]
    figures = gaokao_figures(loaded, [(name, rows)])
    assert figures is not None
    ((_, against),) = figures.judged
    assert against.total.spearman.value == pytest.approx(1)
    assert any(row.figure == "Judge against two teachers' mean, Spearman (judge-x)" for row in figures.beside)

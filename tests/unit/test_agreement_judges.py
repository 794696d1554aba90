"""Two judges on the same responses, and the versions of a judge."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.marking import Stage
from components.workflow.agreement.judges import JudgeChoice, judge_versions, judges_with_pairs, side_by_side
from components.workflow.agreement.selection import Selection
from storage import Store, exams, standings
from tests.pair_material import another_judge, desk_judge, give, plain_question, propose
from tests.support import add_exam, add_marker, new_store

TEACHER = [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 2, 2]
CLOSE = [0, 1, 2, 3, 4, 0, 1, 2, 3, 3, 2, 3]  # two are a mark off
FAR = [2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 2, 2]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def exam_of(store: Store, *candidates: int) -> tuple[int, list[list[int]]]:
    questions = [plain_question(str(i + 1)) for i in range(len(candidates))]
    return add_exam(store, [["an answer"] * n for n in candidates], questions=questions)


def test_two_judges_are_compared_on_the_responses_that_both_have_marked_alone(store: Store) -> None:
    exam_id, (ids,) = exam_of(store, 14)
    other = another_judge(store, "Other")
    propose(store, ids[:12], CLOSE)
    propose(store, ids, [*FAR, 0, 0], judge_id=other)
    give(store, ids, [*TEACHER, 4, 4], add_marker(store))
    found = side_by_side(store, Selection(exam_id), desk_judge(store), other)
    assert found.comparison is not None
    assert (found.comparison.n, found.judge_a, found.judge_b) == (12, "Offline matcher", "Other")
    assert (found.comparison.a.exact.count, found.comparison.b.exact.count) == (10, 5)
    (question,) = found.questions
    assert (question.number, question.n, question.a.exact.count, question.b.exact.count) == ("1", 12, 10, 5)
    # The teacher gives 24, the close judge 24 too, the far one 25.
    assert (question.a.mean_signed, question.b.mean_signed) == (0, pytest.approx(1 / 12))
    # Σd² = 2 and 19; Σx² = 66 and 53; Σy² = 68.
    close, far = 1 - 12 * 2 / (12 * (66 + 68) - 2 * 24 * 24), 1 - 12 * 19 / (12 * (53 + 68) - 2 * 25 * 24)
    assert question.a.qwk.value == pytest.approx(close)
    assert question.b.qwk.value == pytest.approx(far)
    assert found.difference.value == pytest.approx(close - far)
    assert found.difference.interval is not None
    assert 0 < found.difference.interval.low < close - far < found.difference.interval.high
    assert found.sentence.startswith(
        "On the same 12 responses QWK with teachers is .95 for Offline matcher and .10 for Other: "
        "Offline matcher is closer, by .85 (likely "
    )


def test_an_exam_of_several_questions_is_compared_over_its_questions(store: Store) -> None:
    exam_id, grid = exam_of(store, 12, 12, 12)
    other = another_judge(store, "Other")
    for ids in grid:
        propose(store, ids, CLOSE)
        propose(store, ids, TEACHER, judge_id=other)
        give(store, ids, TEACHER, add_marker(store, f"Ms {ids[0]}"))
    found = side_by_side(store, Selection(exam_id), desk_judge(store), other)
    assert found.comparison is not None
    assert found.headline == "pooled", "each question has 12 pairs"
    assert (found.b.value, found.b) == (pytest.approx(1), found.comparison.b.pooled)
    assert found.difference == found.comparison.pooled_difference
    assert [question.number for question in found.questions] == ["1", "2", "3"]
    only = side_by_side(store, Selection(exam_id, questions=("2",)), desk_judge(store), other)
    assert [question.number for question in only.questions] == ["2"]


def test_under_ten_common_responses_there_is_no_qwk(store: Store) -> None:
    exam_id, (ids,) = exam_of(store, 9)
    other = another_judge(store, "Other")
    propose(store, ids, CLOSE[:9])
    propose(store, ids, FAR[:9], judge_id=other)
    give(store, ids, TEACHER[:9], add_marker(store), Stage.IMPORTED)
    found = side_by_side(store, Selection(exam_id), desk_judge(store), other)
    assert found.comparison is not None
    assert (found.a.value, found.difference.value) == (None, None)
    assert (found.questions[0].a.qwk.value, found.questions[0].difference.value) == (None, None)
    assert found.questions[0].a.exact.count == 9
    assert found.sentence == "Too early to say: 9 responses with both judges' marks and a teacher's."


def test_judges_without_common_responses_are_not_compared_and_the_reason_is_said(store: Store) -> None:
    exam_id, (ids,) = exam_of(store, 4)
    other = another_judge(store, "Other")
    propose(store, ids[:2], [1, 1])
    propose(store, ids[1:], [1, 1, 1], judge_id=other)
    give(store, [ids[0], ids[2]], [1, 1], add_marker(store))
    give(store, [ids[1]], [1], add_marker(store, "Seeing"), Stage.AI_FIRST)
    found = side_by_side(store, Selection(exam_id), desk_judge(store), other)
    assert found.comparison is None
    assert found.reason.startswith("No response here has proposals by both Offline matcher and Other and a teacher's")
    same = side_by_side(store, Selection(exam_id), other, other)
    assert same.reason == "These are one and the same judge. Choose another to compare it with."
    with pytest.raises(LookupError, match="no judge 99"):
        side_by_side(store, Selection(exam_id), other, 99)


def test_a_judges_versions_are_told_by_the_model_and_prompt_that_proposed(store: Store) -> None:
    exam_id, (ids, others) = exam_of(store, 12, 12)
    judge = another_judge(store, "Judge")
    with store.write() as db:
        exams.set_judge(db, exam_id, judge, None)
    propose(store, ids, FAR, judge_id=judge, model="m-1", prompt="p1")
    propose(store, others[:5], CLOSE[:5], judge_id=judge, model="m-2", prompt="p1")
    propose(store, others[5:], CLOSE[5:], judge_id=judge, model="m-2", prompt="p2")
    with store.write() as db:
        standings.refresh_exam(db, exam_id)
    give(store, ids + others, TEACHER + TEACHER, add_marker(store))
    first, second, third = judge_versions(store, Selection(exam_id))
    assert [(v.judge, v.model, v.prompt_version, v.n) for v in (first, second, third)] == [
        ("Judge", "m-1", "p1", 12),
        ("Judge", "m-2", "p1", 5),
        ("Judge", "m-2", "p2", 7),
    ]
    assert (first.exact.count, second.exact.count, third.exact.count) == (5, 5, 5)
    assert (first.mean_signed, second.mean_signed) == (pytest.approx(1 / 12), 0)
    assert first.qwk.value == pytest.approx(1 - 12 * 19 / (12 * (53 + 68) - 2 * 25 * 24))
    assert (second.qwk.value, second.scheme_version) == (None, None)
    assert first.first_day == first.last_day
    assert len(first.first_day) == 10


def test_on_one_question_versions_of_its_mark_scheme_stand_apart(store: Store) -> None:
    exam_id, (ids, _) = exam_of(store, 12, 12)
    propose(store, ids[:4], TEACHER[:4])
    with store.write() as db:
        stored = exams.questions(db, exam_id)[0]
        exams.add_scheme_version(db, stored.id, stored.question, stored.scheme)
    propose(store, ids[4:], FAR[4:])
    give(store, ids, TEACHER, add_marker(store))
    found = judge_versions(store, Selection(exam_id, questions=("1",)))
    assert [(version.scheme_version, version.n, version.exact.count) for version in found] == [(1, 4, 4), (2, 8, 4)]
    assert len(judge_versions(store, Selection(exam_id))) == 1


def test_the_judges_that_can_be_chosen_are_those_with_agreement_pairs(store: Store) -> None:
    exam_id, (ids,) = exam_of(store, 4)
    for name, marks, count in (("Bea", [1], 1), ("Zoe", [1, 1], 2)):
        propose(store, ids[:count], marks, judge_id=another_judge(store, name))
    propose(store, ids[2:3], [1])
    give(store, ids[:2], [1, 1], add_marker(store))
    give(store, ids[2:3], [1], add_marker(store, "Seeing"), Stage.AI_FIRST)
    choices = judges_with_pairs(store, exam_id)
    assert [(choice.name, choice.n) for choice in choices] == [("Bea", 1), ("Zoe", 2)]
    assert isinstance(choices[0], JudgeChoice)

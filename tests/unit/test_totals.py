"""A candidate's total by the exam's rules, worked by hand, and what a script lacks before it has one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from components.marking import Marker, MarkError, Outcome, Question, QuestionType, Role, Scheme, Stage, WhatStands
from components.workflow.marks_out.sections import Missing, Section, TotalRules, settings_of, total_rules
from components.workflow.marks_out.totals import ScriptTotal, State, exam_totals
from components.workflow.review.rules import set_rules
from storage import Store, decisions, exams, responses
from storage.mark_book import StoredRules
from tests.support import add_marker, new_store

# 1 and 2 always count; of 3, 4 and 5 the best two.
NUMBERS = ("1", "2", "3", "4", "5")
MOST = {"1": 2.0, "2": 4.0, "3": 10.0, "4": 10.0, "5": 10.0}
BEST_TWO = TotalRules((Section("Section B", ("3", "4", "5"), 2),))
NR = "no response"
Given = float | str | None  # a mark, NR, or None for a response that nobody has marked


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def teacher(store: Store) -> Marker:
    return add_marker(store)


def make(
    store: Store,
    teacher: Marker,
    script: dict[str, Given],
    rules: TotalRules = BEST_TWO,
    boundaries: Sequence[tuple[str, float]] = (),
) -> tuple[int, dict[str, int]]:
    """An exam of one candidate; a question that the script does not name has no response in it."""
    with store.write() as db:
        exam_id = exams.add_exam(db, "Mock", blind_share=0)
        ids = {}
        for number in NUMBERS:
            question = Question(
                number=number, type=QuestionType.SHORT, text="Why?", max_mark=MOST[number], mark_step=0.5
            )
            ids[number] = exams.add_question(
                db, exam_id, question, Scheme(max_mark=MOST[number], mark_step=0.5, text="Because.")
            )
        candidate = responses.add_candidates(db, exam_id, ["0417"])["0417"]
        made = responses.add_responses(db, exam_id, [(ids[number], candidate, "x") for number in script])
        response_ids = {number: made[ids[number], candidate] for number in script}
        settings = settings_of(rules) | {"boundaries": [list(each) for each in boundaries]}
        db.execute("UPDATE exams SET settings = ? WHERE id = ?", (json.dumps(settings), exam_id))
        for number, given in script.items():
            if given == NR:
                decisions.record(db, response_ids[number], teacher.id, Outcome.NO_RESPONSE, Stage.BLIND)
            elif given is not None:
                decisions.record(db, response_ids[number], teacher.id, Outcome.MARK, Stage.BLIND, mark=float(given))
    return exam_id, response_ids


def total(store: Store, teacher: Marker, script: dict[str, Given], **more: Any) -> ScriptTotal:
    exam_id, _ = make(store, teacher, script, **more)
    [found] = exam_totals(store, exam_id).scripts
    return found


def test_without_sections_every_question_counts(store: Store, teacher: Marker) -> None:
    script = total(store, teacher, {"1": 2, "2": 3.5, "3": 7, "4": 8.5, "5": 0}, rules=TotalRules())
    assert (script.total, script.out_of, script.complete) == (21, 36, True)
    assert script.percent == pytest.approx(58.333, abs=0.001)
    assert script.grade is None


def test_the_best_two_of_three_count(store: Store, teacher: Marker) -> None:
    script = total(store, teacher, {"1": 1.5, "2": 4, "3": 6, "4": 9.5, "5": 7})
    assert (script.total, script.out_of) == (1.5 + 4 + 9.5 + 7, 2 + 4 + 20)
    assert [mark.number for mark in script.questions if mark.counts] == ["1", "2", "4", "5"]
    [section] = script.sections
    assert (section.total, section.out_of, section.complete) == (16.5, 20, True)


def test_of_equal_marks_the_earlier_question_counts(store: Store, teacher: Marker) -> None:
    script = total(store, teacher, {"1": 0, "2": 0, "3": 5, "4": 5, "5": 5})
    assert [mark.number for mark in script.questions if mark.counts] == ["1", "2", "3", "4"]


def test_no_response_counts_nothing_and_is_shown_as_such(store: Store, teacher: Marker) -> None:
    script = total(store, teacher, {"1": NR, "2": 4, "3": NR, "4": 9, "5": NR})
    assert (script.total, script.complete) == (13, True)
    assert [mark.state for mark in script.questions[:2]] == [State.NO_RESPONSE, State.MARKED]
    assert script.questions[0].mark is None


def test_a_script_with_an_unmarked_response_is_incomplete_and_says_which(store: Store, teacher: Marker) -> None:
    script = total(store, teacher, {"1": None, "2": 4, "3": 9, "4": 9, "5": None}, boundaries=[("A", 0)])
    assert not script.complete
    assert script.lacks == "2 of 5 questions not marked: 1, 5"
    assert script.total == 22  # so far
    assert script.grade is None


def test_an_unmarked_optional_question_matters_only_while_it_can_change_the_total(
    store: Store, teacher: Marker
) -> None:
    # Two are at the maximum of 10 already: whatever 5 gets, the total stays.
    settled = total(store, teacher, {"1": 2, "2": 4, "3": 10, "4": 10, "5": None}, boundaries=[("A", 26)])
    assert (settled.complete, settled.total, settled.grade) == (True, 26, "A")
    assert settled.questions[4].state is State.NOT_MARKED
    open_still = total(store, teacher, {"1": 2, "2": 4, "3": 10, "4": 9.5, "5": None})
    assert open_still.waiting == ("5",)
    assert not open_still.sections[0].complete


def test_an_optional_question_without_an_answer_was_not_chosen(store: Store, teacher: Marker) -> None:
    script = total(store, teacher, {"1": 2, "2": 4, "3": 6, "5": 7})
    assert (script.complete, script.total, script.out_of) == (True, 19, 26)
    assert script.questions[3].state is State.NOT_CHOSEN
    assert not script.questions[3].counts


def test_a_missing_answer_makes_the_script_incomplete_unless_the_rule_is_zero(store: Store, teacher: Marker) -> None:
    script = total(store, teacher, {"1": 2, "3": 6, "4": 7})
    assert script.lacks == "1 of 5 questions without an answer in the exam: 2"
    zero = TotalRules(BEST_TWO.sections, Missing.ZERO)
    counted = total(store, teacher, {"1": 2, "3": 6, "4": 7}, rules=zero)
    assert (counted.complete, counted.total, counted.out_of) == (True, 15, 26)
    assert counted.questions[1].state is State.NO_ANSWER


def test_too_few_answers_in_a_section_are_missing_answers(store: Store, teacher: Marker) -> None:
    script = total(store, teacher, {"1": None, "2": 4, "3": 6})
    assert script.lacks == ("1 of 5 questions not marked: 1; 2 of 5 questions without an answer in the exam: 4, 5")
    zero = TotalRules(BEST_TWO.sections, Missing.ZERO)
    assert total(store, teacher, {"1": 2, "2": 4, "3": 6}, rules=zero).total == 12


@pytest.mark.parametrize(("mark", "grade"), [(4.0, "A"), (3.5, "B"), (2.0, "B"), (1.5, "ungraded")])
def test_the_grade_is_the_best_whose_lowest_total_is_reached(
    store: Store, teacher: Marker, mark: float, grade: str
) -> None:
    script = total(store, teacher, {"1": 2, "2": mark, "3": 10, "4": 10, "5": NR}, boundaries=[("A", 26), ("B", 24)])
    assert script.grade == grade


@pytest.mark.parametrize(
    ("rule", "final"),
    [
        # The teacher gave 2, the adjudicator 3.5; question 2's tolerance is 0, and a mean goes up to the next half.
        (WhatStands.ADJUDICATOR, 3.5),
        (WhatStands.TEACHER, 2.0),
        (WhatStands.WITHIN_TOLERANCE, 3.5),
        (WhatStands.MEAN, 3.0),
    ],
)
def test_an_adjudicated_mark_counts_by_the_exams_rule(
    store: Store, teacher: Marker, rule: WhatStands, final: float
) -> None:
    exam_id, ids = make(store, teacher, {"1": 2, "2": 2, "3": 10, "4": 10, "5": NR})
    head = add_marker(store, "Dr Ferris", Role.HEAD)
    with store.write() as db:
        decisions.record(db, ids["2"], head.id, Outcome.MARK, Stage.ADJUDICATED, mark=3.5)
    set_rules(store, head, exam_id, rule, [])
    [script] = exam_totals(store, exam_id).scripts
    assert script.questions[1].mark == final
    assert script.total == 22 + final


def test_an_undone_mark_no_longer_counts(store: Store, teacher: Marker) -> None:
    exam_id, ids = make(store, teacher, {"1": 2, "2": 2, "3": 10, "4": 10, "5": 0})
    with store.write() as db:
        made = decisions.record(db, ids["1"], teacher.id, Outcome.MARK, Stage.BLIND, mark=1)
        decisions.undo(db, made.decision_id, teacher.id)
    assert exam_totals(store, exam_id).scripts[0].questions[0].mark == 2


def test_sections_are_read_in_the_exams_order_and_kept_as_they_were_set() -> None:
    stored = StoredRules([{"title": "B", "questions": ["5", "3", "3"], "answer": 1}], "zero")
    rules = total_rules(stored, NUMBERS)
    assert rules == TotalRules((Section("B", ("3", "5"), 1),), Missing.ZERO)
    kept = settings_of(rules)
    assert total_rules(StoredRules(kept["sections"], kept["missing"]), NUMBERS) == rules
    assert total_rules(StoredRules([], None), NUMBERS) == TotalRules()
    assert total_rules(StoredRules([{"questions": ["1", "2"]}], None), NUMBERS).sections == (
        Section("Section 1", ("1", "2"), 2),
    )


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ([{"title": "B", "questions": ["9"]}], "B has question 9, which the exam does not have"),
        ([{"title": "A", "questions": ["1"]}, {"title": "B", "questions": ["1"]}], "Question 1 is in A and in B"),
        ([{"title": "B", "questions": ["1", "2"], "answer": 3}], "B asks for 3 of its 2 questions"),
        ([{"title": "B", "questions": ["1", "2"], "answer": 0}], "B asks for 0 of its 2"),
        ([{"title": "B", "questions": []}], "B has no questions"),
        ([{"title": "B"}], "cannot be read"),
        ("two of three", "cannot be read"),
    ],
)
def test_rules_that_do_not_fit_the_exam_are_refused_in_words(sections: Any, words: str) -> None:
    with pytest.raises(MarkError, match=words):
        total_rules(StoredRules(sections, None), NUMBERS)


def test_an_exam_or_a_candidate_that_is_not_there_is_said(store: Store, teacher: Marker) -> None:
    exam_id, _ = make(store, teacher, {"1": 2})
    with pytest.raises(LookupError, match="no exam 99"):
        exam_totals(store, 99)
    with pytest.raises(LookupError, match="no candidate 0001"):
        exam_totals(store, exam_id, "0001")
    assert exam_totals(store, exam_id, "0417").scripts[0].candidate == "0417"

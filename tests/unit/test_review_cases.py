"""Boundary cases of exams in which not every response counts: they agree with the mark book."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from components.marking import Marker, MarkError, Role, WhatStands
from components.workflow.marks_out.sections import Missing, Section, TotalRules, settings_of
from components.workflow.marks_out.totals import exam_totals
from components.workflow.review import rules
from components.workflow.review.opening import open_for_review
from components.workflow.review.queue import Review, Wanted, review
from storage import Store, exams
from tests.reviewing import give, propose
from tests.support import add_exam, add_marker, new_store, two_point_question

# Question 1 always counts; of 2 and 3 the better one.
BEST_OF_TWO = TotalRules((Section("Section B", ("2", "3"), 1),))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def teacher(store: Store) -> Marker:
    return add_marker(store)


@pytest.fixture
def head(store: Store) -> Marker:
    return add_marker(store, "Dr Osei", Role.HEAD)


def exam_of(store: Store, total_rules: TotalRules = BEST_OF_TWO) -> tuple[int, list[int]]:
    """One candidate, three questions of 10 marks, a grade A from 15; the response ids."""
    questions = [two_point_question(str(i), max_mark=10) for i in (1, 2, 3)]
    exam_id, ids = add_exam(store, [["x"]] * 3, questions=questions)
    settings = settings_of(total_rules) | {"boundaries": [["A", 15]]}
    with store.write() as db:
        db.execute("UPDATE exams SET settings = ? WHERE id = ?", (json.dumps(settings), exam_id))
    return exam_id, [row[0] for row in ids]


def mark(store: Store, teacher: Marker, ids: list[int], given: list[tuple[float | None, float | None]]) -> None:
    """(the AI's, the teacher's) of each response."""
    for response_id, (ai, teachers) in zip(ids, given, strict=True):
        if ai is not None:
            propose(store, response_id, ai)
        if teachers is not None:
            give(store, response_id, teacher, teachers)


def cases(found: Review) -> dict[int, tuple[float, float] | None]:
    return {entry.waiting.response_id: entry.waiting.totals for entry in found.entries}


def test_a_dispute_about_an_answer_that_does_not_count_is_no_boundary_case(
    store: Store, teacher: Marker, head: Marker
) -> None:
    exam_id, ids = exam_of(store)
    # 8 + 6 is 14, and 3's 0 or 5 is worse than 2's 6. Summed, it would be 14 or 19.
    mark(store, teacher, ids, [(8, 8), (6, 6), (5, 0)])
    found = review(store, Wanted(exam_id))
    assert (found.at_boundary, cases(found)) == (0, {ids[2]: None})
    opened = open_for_review(store, ids[2], head, hide=False)
    assert opened is not None
    assert opened.grades == ()


def test_a_dispute_about_which_answer_counts_is_one_with_the_mark_books_totals(
    store: Store, teacher: Marker, head: Marker
) -> None:
    exam_id, ids = exam_of(store)
    mark(store, teacher, ids, [(8, 8), (6, 6), (9, 4)])  # 8 + 6 = 14, or 8 + 9 = 17
    found = review(store, Wanted(exam_id))
    assert (found.at_boundary, cases(found)) == (1, {ids[2]: (14, 17)})
    assert found.entries[0].grades == ("ungraded", "A")
    assert exam_totals(store, exam_id).scripts[0].total == 14
    opened = open_for_review(store, ids[2], head, hide=False)
    assert opened is not None
    assert opened.grades == (("AI", 17, "A"), ("Ms Khan", 14, "ungraded"))


def test_a_script_that_lacks_a_mark_which_may_count_has_no_total_for_a_grade_to_hang_on(
    store: Store, teacher: Marker
) -> None:
    exam_id, ids = exam_of(store)
    mark(store, teacher, ids, [(9, 4), (6, 6), (None, None)])
    assert review(store, Wanted(exam_id)).at_boundary == 0


def test_a_missing_answer_is_counted_as_the_exam_counts_it(store: Store, teacher: Marker) -> None:
    for missing, expected in ((Missing.INCOMPLETE, 0), (Missing.ZERO, 1)):
        exam_id, ids = exam_of(store, TotalRules(missing=missing))
        with store.write() as db:
            exams.add_question(db, exam_id, *two_point_question("4", max_mark=10))
        mark(store, teacher, ids, [(8, 8), (6, 2), (4, 4)])  # 18 or 14; nothing to question 4
        assert review(store, Wanted(exam_id)).at_boundary == expected
        assert exam_totals(store, exam_id).scripts[0].complete is bool(expected)


def test_boundaries_go_as_far_as_a_total_can(store: Store, head: Marker) -> None:
    exam_id, _ = exam_of(store)
    rules.set_rules(store, head, exam_id, WhatStands.ADJUDICATOR, [("A", 20)])
    with pytest.raises(MarkError, match="totals go from 0 to 20"):
        rules.set_rules(store, head, exam_id, WhatStands.ADJUDICATOR, [("A", 21)])


def test_rules_that_do_not_fit_the_exam_leave_the_queue_as_it_is_without_boundary_cases(
    store: Store, teacher: Marker, head: Marker
) -> None:
    exam_id, ids = exam_of(store, TotalRules((Section("Section B", ("7",), 1),)))
    mark(store, teacher, ids, [(8, 8), (6, 6), (9, 4)])
    found = review(store, Wanted(exam_id))
    assert (found.at_boundary, found.ids) == (0, (ids[2],))
    assert open_for_review(store, ids[2], head, hide=False) is not None

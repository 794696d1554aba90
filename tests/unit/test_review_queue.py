"""The order in which disagreements and flags come to a head of department."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.marking import Marker, MarkError, Role, Stage, WhatStands
from components.workflow import desk
from components.workflow.desk import Walk
from components.workflow.review import rules
from components.workflow.review.opening import open_for_review
from components.workflow.review.queue import Show, Wanted, review, summary_text
from storage import Store, decisions, exams, reviews
from storage.standings import Filter
from tests.reviewing import give, propose, standing_of
from tests.support import add_exam, add_marker, new_store, two_point_question


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def teacher(store: Store) -> Marker:
    return add_marker(store)


@pytest.fixture
def head(store: Store) -> Marker:
    return add_marker(store, "Dr Osei", Role.HEAD)


def exam_of(store: Store, candidates: int, *max_marks: float, step: float = 1) -> tuple[int, list[list[int]]]:
    questions = [two_point_question(str(i), max_mark=most, step=step) for i, most in enumerate(max_marks, 1)]
    return add_exam(store, [["x"] * candidates for _ in max_marks], questions=questions)


def order(store: Store, exam_id: int, show: Show = Show.ALL, question_id: int | None = None) -> list[int]:
    return list(review(store, Wanted(exam_id, show, question_id)).ids)


def test_the_largest_gap_comes_first_then_its_share_of_the_maximum_then_question_and_candidate(
    store: Store, teacher: Marker
) -> None:
    exam_id, [q1, q2] = exam_of(store, 4, 10, 4)
    for response, ai, mark in (
        (q1[0], 5, 3),  # 2 of 10
        (q1[1], 8, 2),  # 6 of 10
        (q1[2], 5, 5),  # none
        (q1[3], 4, 6),  # 2 of 10
        (q2[0], 4, 2),  # 2 of 4
        (q2[2], 0, 3),  # 3 of 4
    ):
        propose(store, response, ai)
        give(store, response, teacher, mark)
    assert order(store, exam_id) == [q1[1], q2[2], q2[0], q1[0], q1[3]]


def test_within_tolerance_is_no_disagreement(store: Store, teacher: Marker) -> None:
    exam_id, [[near, far]] = exam_of(store, 2, 10)
    with store.write() as db:
        db.execute("UPDATE questions SET tolerance = 1")
    for response, mark in ((near, 6), (far, 7)):
        propose(store, response, 5)
        give(store, response, teacher, mark)
    assert order(store, exam_id) == [far]


def test_no_response_is_as_far_from_a_mark_as_0_for_totals_count_it_so(store: Store, teacher: Marker) -> None:
    exam_id, [[missed, earned_0, two_teachers, near]] = exam_of(store, 4, 10)
    with store.write() as db:
        db.execute("UPDATE questions SET tolerance = 1")
    propose(store, missed, 2)
    propose(store, earned_0, 0)
    propose(store, near, 1)
    for response in (missed, earned_0, two_teachers, near):
        give(store, response, teacher, None)
    give(store, two_teachers, add_marker(store, "Mr Bell"), 3)
    found = review(store, Wanted(exam_id))
    assert [(each.waiting.response_id, each.waiting.gap) for each in found.entries] == [(two_teachers, 3), (missed, 2)]
    assert standing_of(store, missed).final_mark is None
    differing = Walk(exam_id, wanted=Filter.DIFFERS)
    assert desk.start(store, differing, teacher) == missed
    assert desk.upcoming(store, differing, teacher, missed) is None


def test_a_grade_can_hang_on_a_response_that_got_no_response(store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, [[first, other], [second, another]] = exam_of(store, 2, 10, 10)
    for response, ai, mark in ((first, 5, 5), (second, 4, None), (other, 5, 5), (another, 3, None)):
        propose(store, response, ai)
        give(store, response, teacher, mark)
    rules.set_rules(store, head, exam_id, WhatStands.ADJUDICATOR, [("A", 9)])
    found = review(store, Wanted(exam_id))
    assert [(entry.waiting.response_id, entry.waiting.totals) for entry in found.entries] == [
        (second, (5, 9)),
        (another, None),
    ]
    opened = open_for_review(store, second, head, hide=False)
    assert opened is not None
    assert opened.grades == (("AI", 9, "A"), ("Ms Khan", 5, rules.UNGRADED))


def test_a_response_whose_candidates_grade_hangs_on_it_comes_before_a_larger_gap(
    store: Store, teacher: Marker, head: Marker
) -> None:
    # Totals by the final marks, which are the teacher's: 0001 has 9 + 3 = 12, 0002 has 2 + 4 = 6, 0003 has 5 + 5 = 10.
    exam_id, [q1, q2] = exam_of(store, 3, 10, 10)
    for response, ai, mark in (
        (q1[0], 9, 9),
        (q2[0], 8, 3),  # gap 5: 12 or 17, both a B
        (q1[1], 2, 2),
        (q2[1], 6, 4),  # gap 2: 6 or 8, both ungraded
        (q1[2], 4, 5),  # gap 1: 10 or 9, B or ungraded
        (q2[2], 5, 5),
    ):
        propose(store, response, ai)
        give(store, response, teacher, mark)
    assert order(store, exam_id) == [q2[0], q2[1], q1[2]]
    rules.set_rules(store, head, exam_id, WhatStands.ADJUDICATOR, [("A", 18), ("B", 10)])
    found = review(store, Wanted(exam_id))
    assert list(found.ids) == [q1[2], q2[0], q2[1]]
    assert found.entries[0].grades == (rules.UNGRADED, "B")
    assert found.entries[0].waiting.totals == (9, 10)
    assert [entry.grades for entry in found.entries[1:]] == [None, None]
    assert summary_text(found, Show.ALL) == (
        "3 disagreements (a grade hangs on 1 of them) to settle; none adjudicated so far."
    )


def test_a_third_mark_can_make_a_boundary_case_where_the_latest_and_the_ais_do_not(
    store: Store, teacher: Marker, head: Marker
) -> None:
    exam_id, [[response]] = exam_of(store, 1, 10)
    propose(store, response, 6)
    give(store, response, teacher, 3)
    give(store, response, add_marker(store, "Mr Bell"), 5)
    rules.set_rules(store, head, exam_id, WhatStands.ADJUDICATOR, [("A", 9), ("B", 4)])
    [entry] = review(store, Wanted(exam_id)).entries
    assert entry.waiting.gap == 3
    assert entry.waiting.totals == (3, 6)
    assert entry.grades == (rules.UNGRADED, "B")


def test_a_candidate_without_all_final_marks_has_no_total_for_a_grade_to_hang_on(
    store: Store, teacher: Marker, head: Marker
) -> None:
    exam_id, [[first], [second]] = exam_of(store, 1, 10, 10)
    propose(store, first, 6)
    give(store, first, teacher, 3)
    rules.set_rules(store, head, exam_id, WhatStands.ADJUDICATOR, [("A", 5)])
    assert review(store, Wanted(exam_id)).at_boundary == 0
    give(store, second, teacher, None)  # no response is an end too, worth nothing
    assert review(store, Wanted(exam_id)).at_boundary == 1


def test_flags_without_a_disagreement_come_last_with_who_said_what(store: Store, teacher: Marker) -> None:
    exam_id, [[flagged, disputed, both]] = exam_of(store, 3, 10)
    for response, ai, mark in ((disputed, 5, 4), (both, 5, 2)):
        propose(store, response, ai)
        give(store, response, teacher, mark)
    with store.write() as db:
        decisions.add_note(db, flagged, teacher.id, "comment", "Is this the right page?")
        decisions.add_note(db, flagged, teacher.id, "flag")
        decisions.add_note(db, both, teacher.id, "flag", "Looks copied.")
    found = review(store, Wanted(exam_id))
    assert list(found.ids) == [both, disputed, flagged]
    assert [entry.flag and (entry.flag.text, entry.flag.marker_name) for entry in found.entries] == [
        ("Looks copied.", "Ms Khan"),
        None,
        ("Is this the right page?", "Ms Khan"),
    ]
    assert (found.disputes, found.flags) == (2, 1)
    assert order(store, exam_id, Show.DISPUTES) == [both, disputed]
    assert order(store, exam_id, Show.FLAGS) == [both, flagged]
    assert order(store, exam_id, Show.SETTLED) == []


def test_one_question_alone_and_another_exam_not_at_all(store: Store, teacher: Marker) -> None:
    exam_id, [q1, q2] = exam_of(store, 1, 10, 10)
    _, [[elsewhere]] = exam_of(store, 1, 10)
    for response in (q1[0], q2[0], elsewhere):
        propose(store, response, 5)
        give(store, response, teacher, 1)
    with store.read() as db:
        second = exams.questions(db, exam_id)[1].id
    assert order(store, exam_id, question_id=second) == [q2[0]]
    assert review(store, Wanted(exam_id, question_id=second)).waiting == 1


def test_the_first_two_hundred_are_listed_and_all_are_counted(store: Store, teacher: Marker) -> None:
    exam_id, [row] = exam_of(store, 203, 10)
    for response in row:
        propose(store, response, 5)
        give(store, response, teacher, 3, Stage.IMPORTED)
    found = review(store, Wanted(exam_id))
    assert (len(found.entries), found.waiting) == (200, 203)


def test_an_exam_that_was_taken_back_is_said_so(store: Store) -> None:
    exam_id, _ = exam_of(store, 1, 10)
    with store.write() as db:
        exams.archive(db, exam_id, None, "test")
    with pytest.raises(MarkError, match="reset or taken back"):
        review(store, Wanted(exam_id))


def test_what_still_waits_of_a_walk_keeps_its_order(store: Store, teacher: Marker) -> None:
    _, [row] = exam_of(store, 3, 10)
    for response in (row[0], row[2]):
        propose(store, response, 5)
        give(store, response, teacher, 3)
    with store.read() as db:
        assert reviews.still_waiting(db, [row[2], row[1], row[0]], reviews.Kind.ALL) == [row[2], row[0]]
        assert reviews.still_waiting(db, row, reviews.Kind.FLAGS) == []

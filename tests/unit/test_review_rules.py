"""What stands after an adjudication, by each rule an exam can have, and the words for it; grade boundaries."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.marking import Marker, MarkError, Outcome, Role, WhatStands
from components.workflow.review import rules
from storage import Store, events, exams
from tests.reviewing import act, give, propose, standing_of
from tests.support import add_exam, add_marker, new_store, two_point_question


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def head(store: Store) -> Marker:
    return add_marker(store, "Dr Osei", Role.HEAD)


def disputed(
    store: Store, head: Marker, rule: WhatStands, *teachers: float | None, step: float = 0.5, tolerance: float = 1
) -> int:
    """A response out of 10 to which the AI gives 9 and each teacher in turn their mark."""
    question = two_point_question("1", max_mark=10, step=step)
    exam_id, [[response]] = add_exam(store, [["x"]], questions=[question])
    with store.write() as db:
        db.execute("UPDATE questions SET tolerance = ?", (tolerance,))
    propose(store, response, 9)
    for i, mark in enumerate(teachers):
        give(store, response, add_marker(store, f"Teacher {i}"), mark)
    if rule is not WhatStands.ADJUDICATOR:
        rules.set_rules(store, head, exam_id, rule, [])
    return response


@pytest.mark.parametrize(
    ("rule", "teachers", "given", "stands", "words"),
    [
        (WhatStands.ADJUDICATOR, (5,), 4, 4, "You gave 4, which stands."),
        (WhatStands.TEACHER, (5,), 4, 5, "You gave 4. By this exam's rule the teacher's 5 stands."),
        (WhatStands.TEACHER, (2, 5), 4, 5, "You gave 4. By this exam's rule the teacher's 5 stands."),
        (
            WhatStands.WITHIN_TOLERANCE,
            (5,),
            4,
            5,
            "You gave 4. By this exam's rule the teacher's 5 stands, as it is within tolerance (1).",
        ),
        (
            WhatStands.WITHIN_TOLERANCE,
            (5.5,),
            4,
            4,
            "You gave 4, which stands: the teacher's 5.5 is further from it than the tolerance of 1.",
        ),
        (
            WhatStands.WITHIN_TOLERANCE,
            (4, 7),  # the first teacher's is near enough, the latest is not
            4.5,
            4.5,
            "You gave 4.5, which stands: the teacher's 7 is further from it than the tolerance of 1.",
        ),
        (
            WhatStands.MEAN,
            (6,),
            4,
            5,
            "You gave 4. By this exam's rule the mean of that and the teacher's 6 stands: 5.",
        ),
        (
            WhatStands.MEAN,
            (4.5,),  # 4.25 is between two half marks
            4,
            4.5,
            "You gave 4. By this exam's rule the mean of that and the teacher's 4.5 stands: "
            "4.25, up to the next step 4.5.",
        ),
        (
            WhatStands.TEACHER,
            (None,),
            4,
            4,
            "You gave 4, which stands: the teacher gave no response, and the exam's rule needs two marks.",
        ),
        (
            WhatStands.MEAN,
            (None,),
            4,
            4,
            "You gave 4, which stands: the teacher gave no response, and the exam's rule needs two marks.",
        ),
        (WhatStands.MEAN, (), 4, 4, "You gave 4, which stands."),
    ],
)
def test_what_stands_follows_the_exams_rule_and_is_said(
    store: Store,
    head: Marker,
    rule: WhatStands,
    teachers: tuple[float | None, ...],
    given: float,
    stands: float,
    words: str,
) -> None:
    response = disputed(store, head, rule, *teachers)
    said = act(store, head, "mark", response, mark=given).notice
    assert standing_of(store, response).final_mark == stands
    assert said == f"Saved for candidate 0001, question 1: {words}"


def test_a_mean_in_whole_marks_goes_up(store: Store, head: Marker) -> None:
    response = disputed(store, head, WhatStands.MEAN, 5, step=1)
    said = act(store, head, "mark", response, mark=4).notice
    assert standing_of(store, response).final_mark == 5
    assert said.endswith("the mean of that and the teacher's 5 stands: 4.5, up to the next step 5.")


@pytest.mark.parametrize("rule", list(WhatStands))
def test_no_response_by_the_adjudicator_stands_by_every_rule_as_it_is_no_mark(
    store: Store, head: Marker, rule: WhatStands
) -> None:
    response = disputed(store, head, rule, 5)
    said = act(store, head, "no_response", response).notice
    standing = standing_of(store, response)
    assert (standing.outcome, standing.final_mark) == (Outcome.NO_RESPONSE, None)
    assert "You gave no response, which stands" in said


def test_changing_the_rule_changes_what_stands_at_once_and_is_in_the_audit_log(store: Store, head: Marker) -> None:
    response = disputed(store, head, WhatStands.ADJUDICATOR, 6)
    act(store, head, "mark", response, mark=4)
    exam_id = standing_of(store, response).exam_id
    for rule, mark in ((WhatStands.TEACHER, 6), (WhatStands.MEAN, 5), (WhatStands.ADJUDICATOR, 4)):
        rules.set_rules(store, head, exam_id, rule, [("A", 8)])
        assert standing_of(store, response).final_mark == mark
    with store.read() as db:
        newest = events.latest(db)[0]
        exam = exams.get(db, exam_id)
    assert (newest.kind, newest.marker_name) == ("rules set", "Dr Osei")
    assert newest.body == {"what_stands": "adjudicator", "boundaries": [["A", 8]]}
    assert exam is not None
    assert (exam.what_stands, exam.boundaries) == (WhatStands.ADJUDICATOR, (("A", 8),))


def test_boundaries_are_read_from_lines_or_table_cells_and_sorted_best_first() -> None:
    rows = rules.parse_boundaries("C: 36\n\nA*\t61.5\nGrade 4   10\n")
    assert rules.check_boundaries(rows, 80) == (("A*", 61.5), ("C", 36), ("Grade 4", 10))
    assert rules.boundaries_text((("A*", 61.5), ("C", 36))) == "A* 61.5\nC 36"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A 54\nB", "“B” does not end in a lowest total"),
        ("A nan", "does not end in a lowest total"),
        ("54", "The grade that begins at 54 has no name"),
        ("A 54\nA 45", "Grade A is there twice"),
        ("A 54\nB 54", "Grades A and B both begin at 54"),
        ("A 81", "Grade A begins at 81, but this exam's totals go from 0 to 80"),
        ("A -1", "Grade A begins at -1"),
        (f"{'A' * 21} 5", "too long for a grade"),
    ],
)
def test_boundaries_that_cannot_be_right_are_refused_in_words(text: str, said: str) -> None:
    with pytest.raises(MarkError, match=said):
        rules.check_boundaries(rules.parse_boundaries(text), 80)


def test_boundaries_are_set_before_there_is_a_question_and_told_where_questions_do_not_reach_them(
    store: Store, head: Marker
) -> None:
    with store.write() as db:
        exam_id = exams.add_exam(db, "Mock")
    rules.set_rules(store, head, exam_id, WhatStands.MEAN, [("A", 3), ("B", 2)])
    with pytest.raises(MarkError, match="no total is below 0"):
        rules.set_rules(store, head, exam_id, WhatStands.MEAN, [("A", -1)])
    with store.write() as db:
        boundaries = (("A", 3.0), ("B", 2.0))
        assert rules.out_of_reach(boundaries, rules.most_marks(db, exam_id)) == []
        exams.add_question(db, exam_id, *two_point_question())  # out of 2
        assert rules.out_of_reach(boundaries, rules.most_marks(db, exam_id)) == ["A"]


def test_a_total_earns_the_grade_whose_boundary_it_reaches() -> None:
    boundaries = (("A", 54.0), ("B", 45.0))
    assert [rules.grade_of(total, boundaries) for total in (54, 53.5, 45, 44)] == ["A", "B", "B", "ungraded"]


def test_rules_that_cannot_be_right_change_nothing(store: Store, head: Marker) -> None:
    exam_id, _ = add_exam(store, [["x"]])
    with pytest.raises(MarkError, match="totals go from 0 to 2"):
        rules.set_rules(store, head, exam_id, WhatStands.MEAN, [("A", 3)])
    with store.read() as db:
        exam = exams.get(db, exam_id)
    assert exam is not None
    assert (exam.what_stands, exam.boundaries) == (WhatStands.ADJUDICATOR, ())


@pytest.mark.parametrize("role", [Role.TEACHER, Role.PILOT])
def test_only_a_head_of_department_sets_rules(store: Store, role: Role) -> None:
    exam_id, _ = add_exam(store, [["x"]])
    with pytest.raises(MarkError, match="Only a head of department"):
        rules.set_rules(store, add_marker(store, "Someone", role), exam_id, WhatStands.MEAN, [])

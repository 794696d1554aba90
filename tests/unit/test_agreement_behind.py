"""The responses behind a mark of a chart, and who may see them."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.marking import Confidence, Marker, Outcome, Role, Stage
from components.workflow.agreement.behind import responses_behind
from components.workflow.agreement.selection import Selection
from components.workflow.opening import open_response
from storage import Store, decisions, exams, pairs, proposals
from tests.pair_material import give, plain_question, propose
from tests.support import add_exam, add_marker, new_store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def head(store: Store) -> Marker:
    return add_marker(store, "Head", Role.HEAD)


def exam_of(store: Store, *candidates: int) -> tuple[int, list[list[int]]]:
    questions = [plain_question(str(i + 1)) for i in range(len(candidates))]
    return add_exam(store, [["an answer"] * n for n in candidates], questions=questions)


def test_each_part_that_is_set_must_hold(store: Store, head: Marker) -> None:
    exam_id, (ids, (*others, _)) = exam_of(store, 4, 4)
    ada = add_marker(store, "Ada")
    propose(store, ids, [0, 1, 2, 4])
    propose(store, others, [1, 1, 1], confidence=Confidence.UNSURE)
    give(store, ids, [0, 2, 4, 1], ada)
    give(store, others[:1], [1], ada, Stage.IMPORTED)
    give(store, others[1:], [1, 3], ada, Stage.AI_FIRST)

    def behind(selection: Selection | None = None, **parts: object) -> list[int]:
        found = responses_behind(store, selection or Selection(exam_id), head, **parts)  # type: ignore[arg-type]
        assert found.n == len(found.rows)
        return [row.response_id for row in found.rows]

    a, b, c, d = ids
    imported, seen, raised = others
    assert behind() == [imported, d, c, b, a], "newest first, and nothing that was marked with the AI's mark in view"
    assert behind(question="1") == [d, c, b, a]
    assert behind(question="1", ai=1, teacher=2) == [b]
    assert behind(difference_at_least=2) == [d, c]
    assert behind(difference_at_least=3) == [d]
    assert behind(confidence="unsure") == [imported]
    assert behind(stage=Stage.IMPORTED) == [imported]
    assert behind(kind=pairs.ACCEPT) == [raised, seen]
    assert behind(kind=pairs.ACCEPT, difference_at_least=1) == [raised]
    assert behind(Selection(exam_id, questions=("2",))) == [imported]
    assert behind(Selection(exam_id, questions=("2",)), question="1") == []
    assert behind(Selection(exam_id, stage=Stage.BLIND), stage=Stage.IMPORTED) == []
    assert behind(Selection(exam_id, marker_id=ada.id), ai=4) == [d]
    third = responses_behind(store, Selection(exam_id), head).rows[2].at
    assert behind(since=third) == [imported, d, c]
    assert behind(since=third, difference_at_least=3) == [d]


def test_a_row_has_what_a_reader_needs_and_the_rest_are_counted(store: Store, head: Marker) -> None:
    exam_id, (ids,) = exam_of(store, 6)
    propose(store, ids, [1] * 6, confidence=Confidence.FAIRLY_SURE)
    give(store, ids, [2] * 6, add_marker(store, "Ada"))
    for parts in ({}, {"ai": 1.0}):
        found = responses_behind(store, Selection(exam_id), head, most=2, **parts)  # type: ignore[arg-type]
        assert (len(found.rows), found.n, found.own_only) == (2, 6, False)
    row = found.rows[0]
    assert (row.response_id, row.question, row.candidate) == (ids[5], "1", "0006")
    assert (row.ai, row.teacher, row.stage, row.confidence) == (1, 2, Stage.BLIND, "fairly sure")
    assert row.marker == "Ada"
    assert row.at > "2020"


def test_markers_are_named_to_heads_of_department_alone(store: Store, head: Marker) -> None:
    exam_id, (ids,) = exam_of(store, 1)
    ada = add_marker(store, "Ada")
    propose(store, ids, [1])
    give(store, ids, [2], ada)
    viewers = (head, add_marker(store, "Lead", Role.PILOT), ada)
    shown = [responses_behind(store, Selection(exam_id), viewer).rows[0].marker for viewer in viewers]
    assert shown == ["Ada", "", ""]


def test_a_teacher_sees_the_ais_mark_only_where_a_mark_of_their_own_stands(store: Store) -> None:
    exam_id, (ids,) = exam_of(store, 4)
    with store.write() as db:
        exams.set_blind(db, exam_id, True, None)
    ada, ben = add_marker(store, "Ada"), add_marker(store, "Ben")
    propose(store, ids, [1] * 4)
    given = give(store, ids[:3], [2] * 3, ben)
    give(store, ids[2:], [3] * 2, ada)
    found = responses_behind(store, Selection(exam_id), ada)
    assert ([row.response_id for row in found.rows], found.n, found.own_only) == ([ids[3], ids[2]], 2, True)
    found = responses_behind(store, Selection(exam_id), ada, question="1", ai=1, most=1)
    assert ([row.response_id for row in found.rows], found.n) == ([ids[3]], 2)
    with store.write() as db:
        decisions.undo(db, given[0], ben.id)
    assert [row.response_id for row in responses_behind(store, Selection(exam_id), ben).rows] == [ids[2], ids[1]]
    still_blind = open_response(store, ids[0], ben)
    assert still_blind is not None
    assert still_blind.proposal is None


def test_who_is_shown_an_ais_mark_here_is_not_blind_to_it_afterwards(store: Store, head: Marker) -> None:
    exam_id, (ids,) = exam_of(store, 3)
    with store.write() as db:
        exams.set_blind(db, exam_id, True, None)
    made = propose(store, ids, [1] * 3)
    give(store, ids, [2] * 3, add_marker(store, "Ada"))
    responses_behind(store, Selection(exam_id), head, most=2)
    with store.read() as db:
        seen = [
            proposals.seen_by(db, response, head.id, proposal) for response, proposal in zip(ids, made, strict=True)
        ]
    assert seen == [False, True, True], "the two that were in the list"
    opened = [open_response(store, response, head) for response in ids]
    assert [each is not None and each.proposal is not None for each in opened] == [False, True, True]


def test_a_mark_taken_back_after_this_list_was_seen_still_counts_as_blind(store: Store) -> None:
    exam_id, (ids,) = exam_of(store, 1)
    ada = add_marker(store, "Ada")
    propose(store, ids, [1])
    (given,) = give(store, ids, [4], ada)
    responses_behind(store, Selection(exam_id), ada)
    with store.write() as db:
        decisions.undo(db, given, ada.id)
        decisions.record(db, ids[0], ada.id, Outcome.MARK, Stage.REVEALED, mark=1)
        left = pairs.cells(db, pairs.AGREEMENT, Selection(exam_id).wanted(exams.questions(db, exam_id)))
    assert [(cell.ai, cell.teacher, cell.n) for cell in left] == [(1, 4, 1)]


def test_an_exam_without_proposals_has_nothing_behind_it(store: Store, head: Marker) -> None:
    exam_id, _ = exam_of(store, 2)
    assert responses_behind(store, Selection(exam_id), head).rows == ()
    with pytest.raises(LookupError):
        responses_behind(store, Selection(exam_id + 1), head)

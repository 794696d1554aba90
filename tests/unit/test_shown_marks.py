"""Who has been shown another person's mark on a response marks it blind no more, whether there is a proposal or not."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from components.marking import Marker, Phase, Role, Stage
from components.workflow import desk
from components.workflow.desk import Press, Result, Walk
from components.workflow.opening import OpenResponse, open_response
from components.workflow.review.opening import open_for_review
from storage import Store, connect, decisions, pairs, rulings
from storage.pairs import Wanted
from storage.standings import Filter
from tests.reviewing import give, propose
from tests.support import add_exam, add_marker, new_store

BEFORE_SHOWN = 8


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def teacher(store: Store) -> Marker:
    return add_marker(store)


@pytest.fixture
def head(store: Store) -> Marker:
    return add_marker(store, "Dr Osei", Role.HEAD)


@pytest.fixture
def exam(store: Store) -> tuple[int, int]:
    """An exam that is blind throughout, and its one response."""
    exam_id, [[response]] = add_exam(store, [["x"]], blind_share=1)
    return exam_id, response


def press(store: Store, exam: tuple[int, int], marker: Marker, action: str, name: str, **more: object) -> Result:
    at = {"action": action, "action_id": name, "marker_id": marker.id, "response_id": exam[1]}
    return desk.act(store, marker, Walk(exam[0]), Press.model_validate(at | more))


def opened(store: Store, exam: tuple[int, int], marker: Marker) -> OpenResponse:
    found = open_response(store, exam[1], marker)
    assert found is not None
    return found


def stages(store: Store, response_id: int, marker: Marker) -> list[Stage]:
    with store.read() as db:
        return [each.stage for each in decisions.live(db, response_id) if each.marker_id == marker.id]


def agreement(store: Store, exam_id: int) -> list[tuple[float, float, int]]:
    with store.read() as db:
        return [(cell.ai, cell.teacher, cell.n) for cell in pairs.cells(db, pairs.AGREEMENT, Wanted(exam_id))]


def test_a_head_who_was_shown_a_teachers_mark_makes_no_independent_pair_whenever_the_proposal_comes(
    store: Store, exam: tuple[int, int], teacher: Marker, head: Marker
) -> None:
    exam_id, response = exam
    give(store, response, teacher, 0)
    open_for_review(store, response, head, hide=False)
    assert opened(store, exam, head).phase is Phase.MARK
    press(store, exam, head, "mark", "1", mark=0)
    propose(store, response, 2)
    assert stages(store, response, head) == [Stage.REVEALED]
    assert agreement(store, exam_id) == [(2, 0, 1)]  # the teacher's alone
    with store.read() as db:
        assert pairs.double_cells(db, Wanted(exam_id)) == []
        assert pairs.cells(db, pairs.ACCEPT, Wanted(exam_id)) == []


def test_who_was_shown_a_mark_first_and_the_proposal_later_counts_for_the_accept_rate(
    store: Store, exam: tuple[int, int], teacher: Marker, head: Marker
) -> None:
    exam_id, response = exam
    give(store, response, teacher, 0)
    open_for_review(store, response, head, hide=False)
    proposal = propose(store, response, 2)
    assert opened(store, exam, head).proposal is not None
    press(store, exam, head, "accept", "1", proposal_id=proposal)
    assert stages(store, response, head) == [Stage.AI_FIRST]
    with store.read() as db:
        assert [(cell.ai, cell.teacher) for cell in pairs.cells(db, pairs.ACCEPT, Wanted(exam_id))] == [(2, 2)]


def test_the_filters_that_tell_of_the_ai_lead_there_who_was_shown_a_mark_and_nobody_else(
    store: Store, exam: tuple[int, int], teacher: Marker, head: Marker
) -> None:
    exam_id, response = exam
    give(store, response, teacher, 0)
    open_for_review(store, response, head, hide=False)
    propose(store, response, 2)
    differing = Walk(exam_id, wanted=Filter.DIFFERS)
    assert desk.start(store, differing, head) == response
    assert desk.start(store, differing, add_marker(store, "Mr Bell")) is None


def test_a_review_that_shows_nobodys_mark_leaves_its_reader_blind(
    store: Store, exam: tuple[int, int], teacher: Marker, head: Marker
) -> None:
    exam_id, response = exam
    with store.write() as db:
        decisions.add_note(db, response, teacher.id, "flag")
    open_for_review(store, response, head, hide=False)
    press(store, exam, head, "mark", "1", mark=1)
    open_for_review(store, response, head, hide=False)  # their own mark alone
    press(store, exam, head, "mark", "2", mark=2)
    propose(store, response, 2)
    assert stages(store, response, head) == [Stage.BLIND, Stage.BLIND]
    assert agreement(store, exam_id) == [(2, 2, 1)]


def test_words_about_a_response_may_name_a_mark_so_who_read_them_is_not_blind(
    store: Store, exam: tuple[int, int], teacher: Marker, head: Marker
) -> None:
    with store.write() as db:
        decisions.add_note(db, exam[1], teacher.id, "flag", "Worth a 2?")
    open_for_review(store, exam[1], head, hide=False)
    press(store, exam, head, "mark", "1", mark=2)
    assert stages(store, exam[1], head) == [Stage.REVEALED]


def test_who_is_told_what_a_colleague_gave_meanwhile_cannot_give_another_mark_blind(
    store: Store, exam: tuple[int, int], teacher: Marker
) -> None:
    exam_id, response = exam
    other = add_marker(store, "Mr Bell")
    seen = opened(store, exam, teacher).seen_decision_id
    give(store, response, other, 0)
    said = press(store, exam, teacher, "mark", "1", mark=2, seen_decision_id=seen).notice
    assert "Meanwhile Mr Bell had given it 0" in said
    with store.read() as db:
        first = decisions.live(db, response)[-1]
    press(store, exam, teacher, "undo", "2", undo_decision_id=first.id)
    press(store, exam, teacher, "mark", "3", mark=0)
    assert stages(store, response, teacher) == [Stage.REVEALED]
    propose(store, response, 1)
    with store.read() as db:
        [double] = pairs.double_cells(db, Wanted(exam_id))
    # What they gave before they were told still counts: undoing does not remove just the disagreements.
    assert {double.first, double.second} == {2, 0}


def test_what_an_older_version_had_logged_as_shown_is_still_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr(connect, "MIGRATIONS", connect.MIGRATIONS[:BEFORE_SHOWN])
        older.setattr(connect, "NEWEST_VERSION", BEFORE_SHOWN)
        old = Store(tmp_path / "second-marker.db")
        head = add_marker(old, "Dr Osei", Role.HEAD)
        old.close()
    with closing(sqlite3.connect(old.path, isolation_level=None)) as raw:
        raw.executescript("""
            INSERT INTO exams (id, title, created_at) VALUES (1, 'Old', '2026-01-01');
            INSERT INTO questions (id, exam_id, position, number, type, text, max_mark)
                VALUES (1, 1, 1, '1', 'short', 'Why?', 4);
            INSERT INTO candidates VALUES (1, 1, '0001', 1, '{}'), (2, 1, '0002', 2, '{}');
            INSERT INTO responses (id, exam_id, question_id, candidate_id, created_at)
                VALUES (1, 1, 1, 1, '2026-01-01'), (2, 1, 1, 2, '2026-01-01');
        """)
        for about in ("response 1", "response 1", "response 99"):
            raw.execute(
                "INSERT INTO events (marker_id, kind, about, created_at) VALUES (?, 'marks shown', ?, '2026-01-02')",
                (head.id, about),
            )
    with new_store(tmp_path).read() as db:
        assert rulings.has_been_shown(db, 1, head.id)
        assert not rulings.has_been_shown(db, 2, head.id)

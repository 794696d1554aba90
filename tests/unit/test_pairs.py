"""Tallies, double-marked responses, and which pairs a selection reads, against pairs that are counted here."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from components.marking import Marker, Outcome, Stage
from components.workflow.connections import default_judges
from storage import Store, decisions, pairs, proposals, standings
from storage.pairs import Wanted
from tests.support import add_exam, add_marker, new_store, propose_points

POINTS: dict[int, tuple[str, ...]] = {0: (), 1: ("M1",), 2: ("M1", "A1")}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def give(
    store: Store, response_id: int, marker: Marker, mark: float, stage: Stage, proposal: int, seconds: float | None = 9
) -> int:
    with store.write() as db:
        if stage is not Stage.IMPORTED and stage is not Stage.BLIND:
            proposals.record_sighting(db, response_id, marker.id, proposal)
        return decisions.record(
            db, response_id, marker.id, Outcome.MARK, stage, mark=mark, proposal_id=proposal, seconds=seconds
        ).decision_id


ALIKE = "exam_id, kind, question_id, judge_id, stage, handwritten, confidence, ai_mark, teacher_mark"


def recounted(store: Store) -> Counter[tuple[Any, ...]]:
    with store.read() as db:
        return Counter(tuple(row) for row in db.execute(f"SELECT {ALIKE} FROM pairs WHERE counted = 1"))


def tallied(store: Store) -> Counter[tuple[Any, ...]]:
    with store.read() as db:
        rows = db.execute(f"SELECT {ALIKE}, n FROM tallies WHERE n > 0").fetchall()
    return Counter({tuple(row)[:-1]: row["n"] for row in rows})


def test_tallies_stay_those_of_the_pairs_through_marks_second_opinions_undos_and_changed_proposals(
    store: Store,
) -> None:
    people = [add_marker(store, name) for name in ("Ada", "Ben", "Cem")]
    _, grid = add_exam(store, [["a"] * 6, ["b"] * 6])
    ids = [response for row in grid for response in row]
    proposed = {r: propose_points(store, r, POINTS[r % 3]) for r in ids}
    draw = random.Random(5)
    mine: list[tuple[int, int]] = []
    for _ in range(160):
        response, person = draw.choice(ids), draw.choice(people)
        done = draw.random()
        if done < 0.15:
            proposed[response] = propose_points(store, response, POINTS[draw.randrange(3)])
        elif done < 0.3 and mine:
            decision, marker_id = mine.pop(draw.randrange(len(mine)))
            with store.write() as db:
                decisions.undo(db, decision, marker_id)
        else:
            stage = draw.choice([Stage.BLIND, Stage.IMPORTED, Stage.AI_FIRST, Stage.REVEALED])
            seconds = draw.choice([None, 4.0, 4000.0])
            decision = give(store, response, person, draw.randrange(3), stage, proposed[response], seconds)
            mine.append((decision, person.id))
    assert len(recounted(store)) > 10
    assert tallied(store) == recounted(store)
    with store.read() as db:
        timed = db.execute("SELECT sum(timed), sum(seconds) FROM tallies").fetchone()
        of_pairs = db.execute("SELECT count(seconds), total(seconds) FROM pairs WHERE counted = 1").fetchone()
        doubles = db.execute("SELECT sum(n) FROM double_tallies").fetchone()[0]
        double = db.execute("SELECT count(*) FROM double_marked").fetchone()[0]
    assert tuple(timed) == pytest.approx(tuple(of_pairs))
    assert doubles == double > 3
    assert set(of_pairs) != {0}, "4 seconds count, an hour does not"


def test_of_two_teachers_the_later_mark_counts_and_both_stand_beside_the_ai(store: Store) -> None:
    ada, ben = add_marker(store, "Ada"), add_marker(store, "Ben")
    exam_id, ((response,),) = add_exam(store, [["a"]])
    proposal = propose_points(store, response, ("M1", "A1"))
    give(store, response, ben, 1, Stage.BLIND, proposal)
    give(store, response, ada, 0, Stage.IMPORTED, proposal)
    _, offline = default_judges(store)
    with store.read() as db:
        (all_of_them,) = pairs.cells(db, pairs.AGREEMENT, Wanted(exam_id))
        (bens,) = pairs.cells(db, pairs.AGREEMENT, Wanted(exam_id, marker_id=ben.id))
        (double,) = pairs.double_cells(db, Wanted(exam_id, judge_id=offline))
    assert (all_of_them.ai, all_of_them.teacher, all_of_them.stage, all_of_them.n) == (2, 0, Stage.IMPORTED, 1)
    assert (bens.ai, bens.teacher, bens.stage) == (2, 1, Stage.BLIND)
    assert (double.ai, double.first, double.second, double.n) == (2, 0, 1, 1), "the teachers in the order of their ids"


def test_each_part_of_a_selection_leaves_only_the_pairs_it_names(store: Store) -> None:
    ada, ben = add_marker(store, "Ada"), add_marker(store, "Ben")
    exam_id, grid = add_exam(store, [["a", "b"], ["c", "d"]])
    for row, mark in zip(grid, (0, 1), strict=True):
        for response, marker, stage in zip(row, (ada, ben), (Stage.BLIND, Stage.IMPORTED), strict=True):
            give(store, response, marker, mark, stage, propose_points(store, response, ("M1",)))
    with store.write() as db:
        db.execute('UPDATE candidates SET groups = \'{"class": "11A"}\' WHERE position = 1')
        db.execute("UPDATE responses SET kind = 'scanned' WHERE id = ?", (grid[1][1],))
        standings.refresh(db, grid[1][1])
        questions = [r["id"] for r in db.execute("SELECT id FROM questions WHERE exam_id = ? ORDER BY id", (exam_id,))]
    with store.read() as db:
        given = db.execute("SELECT date(min(given_at)) AS day FROM pairs").fetchone()["day"]

    def teachers(wanted: Wanted) -> list[float]:
        with store.read() as db:
            return sorted(cell.teacher for cell in pairs.cells(db, pairs.AGREEMENT, wanted) for _ in range(cell.n))

    assert teachers(Wanted(exam_id)) == [0, 0, 1, 1]
    assert teachers(Wanted(exam_id, question_ids=(questions[1],))) == [1, 1]
    assert teachers(Wanted(exam_id, stage=Stage.BLIND)) == [0, 1]
    assert teachers(Wanted(exam_id, handwritten=True)) == [1]
    assert teachers(Wanted(exam_id, marker_id=ben.id)) == [0, 1]
    assert teachers(Wanted(exam_id, since=given, until=given)) == [0, 0, 1, 1]
    assert teachers(Wanted(exam_id, until="2000-01-01")) == []
    assert teachers(Wanted(exam_id, groups=(("class", "11A"),))) == [0, 1]
    assert teachers(Wanted(exam_id, groups=(("class", "11B"),))) == []
    assert teachers(Wanted(exam_id, groups=(("class", "11A"),), question_ids=(questions[0],))) == [0]


def test_the_newest_pairs_come_oldest_first(store: Store) -> None:
    ada = add_marker(store, "Ada")
    exam_id, (ids,) = add_exam(store, [["a", "b", "c"]])
    for response, mark in zip(ids, (0, 1, 2), strict=True):
        give(store, response, ada, mark, Stage.BLIND, propose_points(store, response, ("M1",)))
    with store.read() as db:
        found = pairs.newest(db, pairs.AGREEMENT, Wanted(exam_id, stage=Stage.BLIND), 2)
    assert [(pair.response_id, pair.teacher) for pair in found] == [(ids[1], 1), (ids[2], 2)]

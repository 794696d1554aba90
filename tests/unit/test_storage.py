"""The database: opening, migrating, refusing, and what may never change in it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from components.marking import MarkError, Outcome, Role, Stage
from storage import Store, StoreError, connect, data_folder, decisions, events, exams, markers, standings
from tests.support import add_exam, add_marker, new_store, propose_points, two_point_question


def test_the_data_folder_is_the_one_the_environment_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECOND_MARKER_DATA", str(tmp_path / "marks"))
    assert data_folder() == tmp_path / "marks"
    monkeypatch.delenv("SECOND_MARKER_DATA")
    assert "second-marker" in str(data_folder())


def test_a_database_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    with closing(sqlite3.connect(store.path)) as raw:
        raw.execute("PRAGMA user_version = 99")
    before = store.path.read_bytes()
    with pytest.raises(StoreError, match="newer version"):
        Store(store.path)
    assert store.path.read_bytes() == before


def test_a_file_that_is_no_database_is_named_in_the_error(tmp_path: Path) -> None:
    path = tmp_path / "second-marker.db"
    path.write_text("shopping list, eggs, " * 500)
    with pytest.raises(StoreError, match="not a Second Marker database"):
        Store(path)


def test_an_older_database_is_migrated_after_a_backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = new_store(tmp_path)
    add_marker(store, "Kept through migration")
    newer = tmp_path / "0002_more.sql"
    newer.write_text("CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT;\n")
    monkeypatch.setattr(connect, "MIGRATIONS", [*connect.MIGRATIONS, newer])
    monkeypatch.setattr(connect, "NEWEST_VERSION", connect.NEWEST_VERSION + 1)
    migrated = Store(store.path)
    with migrated.read() as db:
        assert "more" in db.table_names()
        assert markers.find(db, "Kept through migration") is not None
    (backup,) = (tmp_path / "backups").iterdir()
    with closing(sqlite3.connect(backup)) as raw:
        assert raw.execute("PRAGMA user_version").fetchone()[0] == connect.NEWEST_VERSION - 1
        assert raw.execute("SELECT name FROM markers").fetchall() == [("Kept through migration",)]


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = new_store(tmp_path)
    broken = tmp_path / "0002_broken.sql"
    broken.write_text("CREATE TABLE half (id INTEGER PRIMARY KEY) STRICT;\nCREATE TABLE nonsense (;\n")
    monkeypatch.setattr(connect, "MIGRATIONS", [*connect.MIGRATIONS, broken])
    monkeypatch.setattr(connect, "NEWEST_VERSION", connect.NEWEST_VERSION + 1)
    with pytest.raises(sqlite3.OperationalError):
        Store(store.path)
    with closing(sqlite3.connect(store.path)) as raw:
        assert raw.execute("SELECT count(*) FROM sqlite_master WHERE name = 'half'").fetchone()[0] == 0
        assert raw.execute("PRAGMA user_version").fetchone()[0] == connect.NEWEST_VERSION - 1


def test_every_table_is_strict_and_foreign_keys_hold(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    with store.read() as db:
        lax = db.execute(
            "SELECT name FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND strict = 0"
        ).fetchall()
        assert lax == []
    with pytest.raises(sqlite3.IntegrityError), store.write() as db:
        db.execute("INSERT INTO candidates (exam_id, number, position) VALUES (999, '0401', 1)")


@pytest.mark.parametrize(
    "attempt",
    [
        "UPDATE decisions SET mark = 2",
        "DELETE FROM decisions",
        "UPDATE events SET kind = 'x'",
        "DELETE FROM events",
        "UPDATE proposals SET mark = 2",
        "DELETE FROM proposals",
        "UPDATE schemes SET body = '{}'",
        "UPDATE notes SET text = ''",
        "DELETE FROM notes",
        "INSERT OR REPLACE INTO decisions SELECT * FROM decisions",
    ],
)
def test_what_was_said_cannot_be_changed_or_removed(tmp_path: Path, attempt: str) -> None:
    store = new_store(tmp_path)
    marker = add_marker(store)
    _, [[response]] = add_exam(store, [["enzymes are denatured"]])
    propose_points(store, response, ["M1"])
    with store.write() as db:
        decisions.record(db, response, marker.id, Outcome.MARK, Stage.AI_FIRST, mark=1)
        decisions.add_note(db, response, marker.id, "comment", "well put")
    with pytest.raises(sqlite3.IntegrityError), store.write() as db:
        db.execute(attempt)
    with store.read() as db:
        assert [decision.mark for decision in decisions.history(db, response)] == [1]


def test_the_final_mark_is_the_latest_adjudication_else_the_latest_live_decision(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    khan, okafor, head = add_marker(store), add_marker(store, "Mr Okafor"), add_marker(store, "Dr Li", Role.HEAD)
    _, [[response]] = add_exam(store, [["an answer"]])

    def final() -> float | None:
        with store.read() as db:
            standing = standings.get(db, response)
            assert standing is not None
            return standing.final_mark

    def decide(marker_id: int, mark: float, stage: Stage) -> int:
        with store.write() as db:
            return decisions.record(db, response, marker_id, Outcome.MARK, stage, mark=mark).decision_id

    assert final() is None
    decide(okafor.id, 2, Stage.IMPORTED)
    assert final() == 2
    first = decide(khan.id, 0, Stage.AI_FIRST)
    assert final() == 0
    adjudicated = decide(head.id, 1, Stage.ADJUDICATED)
    decide(khan.id, 2, Stage.AI_FIRST)
    assert final() == 1
    with store.write() as db:
        decisions.undo(db, adjudicated, head.id)
    assert final() == 2
    with store.write() as db:
        assert decisions.undo(db, first, khan.id) is not None
        assert decisions.undo(db, first, khan.id) is None  # a second undo of the same mark adds nothing
    with store.read() as db:
        assert len(decisions.history(db, response)) == 6
    with pytest.raises(MarkError, match="Only Ms Khan"), store.write() as db:
        decisions.undo(db, first, okafor.id)


def test_no_response_is_a_state_of_its_own_and_not_a_zero(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    marker = add_marker(store)
    exam_id, [[response]] = add_exam(store, [[""]])
    with store.write() as db:
        decisions.record(db, response, marker.id, Outcome.NO_RESPONSE, Stage.BLIND)
    with store.read() as db:
        standing = standings.get(db, response)
        assert standing is not None
        assert (standing.outcome, standing.final_mark, standing.marked) == ("no_response", None, True)
        assert standings.progress(db, exam_id) == (1, 1)


def test_an_imported_mark_alone_leaves_a_response_to_be_marked(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    marker = add_marker(store)
    exam_id, [[response]] = add_exam(store, [["an answer"]])
    with store.write() as db:
        decisions.record(db, response, marker.id, Outcome.MARK, Stage.IMPORTED, mark=1)
    with store.read() as db:
        assert standings.progress(db, exam_id) == (0, 1)
        assert standings.neighbour(db, exam_id, standings.Order.BY_QUESTION, standings.Filter.UNMARKED) == response


@pytest.mark.parametrize("mark", [-1, 3, 0.5])
def test_a_mark_off_the_scale_never_enters_the_store(tmp_path: Path, mark: float) -> None:
    store = new_store(tmp_path)
    marker = add_marker(store)
    _, [[response]] = add_exam(store, [["an answer"]])
    with pytest.raises(MarkError, match="Candidate 0001, question 1"), store.write() as db:
        decisions.record(db, response, marker.id, Outcome.MARK, Stage.BLIND, mark=mark)
    with store.read() as db:
        assert decisions.history(db, response) == []


def test_the_same_press_twice_is_one_decision(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    marker = add_marker(store)
    _, [[response]] = add_exam(store, [["an answer"]])
    ids = []
    for _ in range(2):
        with store.write() as db:
            recorded = decisions.record(
                db, response, marker.id, Outcome.MARK, Stage.BLIND, mark=1, action_id="one-press"
            )
            ids.append((recorded.decision_id, recorded.repeated))
    assert ids == [(ids[0][0], False), (ids[0][0], True)]


def test_two_orders_walk_the_exam_by_question_and_by_script(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, grid = add_exam(store, [["a", "b", "c"], ["d", "e", "f"]])

    def walk(order: standings.Order, backwards: bool = False) -> list[int]:
        seen: list[int] = []
        beside = None
        with store.read() as db:
            while True:
                found = standings.neighbour(
                    db, exam_id, order, standings.Filter.ALL, beside=beside, backwards=backwards
                )
                if found is None:
                    return seen
                seen.append(found)
                beside = standings.get(db, found)

    by_question = [*grid[0], *grid[1]]
    by_script = [grid[q][c] for c in range(3) for q in range(2)]
    assert walk(standings.Order.BY_QUESTION) == by_question
    assert walk(standings.Order.BY_SCRIPT) == by_script
    assert walk(standings.Order.BY_SCRIPT, backwards=True) == by_script[::-1]


def test_a_scheme_edited_is_a_new_version_and_old_marks_keep_theirs(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    marker = add_marker(store)
    exam_id, [[response]] = add_exam(store, [["an answer"]])
    question, scheme = two_point_question()
    with store.write() as db:
        first = exams.questions(db, exam_id)[0]
        decisions.record(db, response, marker.id, Outcome.MARK, Stage.BLIND, mark=1)
        exams.add_scheme_version(db, first.id, question, scheme.model_copy(update={"note": "accept 'wrecked'"}))
    with store.read() as db:
        newest = exams.questions(db, exam_id)[0]
        assert (newest.scheme_version, newest.scheme.note) == (2, "accept 'wrecked'")
        assert decisions.history(db, response)[0].scheme_id == first.scheme_id
    with pytest.raises(MarkError, match="out of 3"), store.write() as db:
        exams.add_scheme_version(db, first.id, question, scheme.model_copy(update={"max_mark": 3}))


def test_an_error_inside_a_transaction_leaves_no_trace(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    with pytest.raises(MarkError), store.write() as db:
        markers.add(db, "Half done", Role.TEACHER) and markers.add(db, "", Role.TEACHER)
    with store.read() as db:
        assert markers.find(db, "Half done") is None
        assert events.latest(db) == []


def test_a_name_is_taken_once_whatever_its_letters_case(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    add_marker(store, "Ms Khan")
    with pytest.raises(MarkError, match="already a marker called"), store.write() as db:
        markers.add(db, "  ms  KHAN ", Role.HEAD)
    with pytest.raises(MarkError, match="Give the marker a name"), store.write() as db:
        markers.add(db, "   ", Role.HEAD)

"""A pack takes the place of the untouched demo, byte for byte, and of nothing that anybody has worked on."""

from __future__ import annotations

import io
import sqlite3
from pathlib import Path

import pytest

from components.marking import Marker, MarkError, Outcome, Role, Stage
from components.workflow import demo
from components.workflow.connections import Connections
from components.workflow.desk import Press, Walk, act
from components.workflow.marks_out.pack_format import PackError
from components.workflow.marks_out.restore import restore
from components.workflow.worker import Worker
from storage import Store, decisions, events, exams, fresh, jobs, judges, markers
from tests.support import add_exam, add_marker, new_store, propose_points
from tests.unit.test_evidence_pack import packed


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Of an exam with the number 1, as any install's first one has, marked by the second of its profiles."""
    store = new_store(tmp_path_factory.mktemp("there"))
    add_marker(store, "Ms Khan")
    head = add_marker(store, "Dr Osei", Role.HEAD)
    exam_id, [[first, _]] = add_exam(store, [["it is denatured", "heat"]], title="Mock")
    propose_points(store, first, ["M1"])
    with store.write() as db:
        decisions.record(db, first, head.id, Outcome.MARK, Stage.BLIND, mark=2)
    return packed(store, exam_id)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The database of a fresh install with its demo, all proposals made."""
    folder = tmp_path_factory.mktemp("demo")
    store = new_store(folder)
    demo.install_if_fresh(store)
    worker = Worker(store, Connections())
    while worker.do_one():
        pass
    copy = folder / "copy.db"
    with sqlite3.connect(copy) as target, store.read() as db:
        db.conn.backup(target)
    return copy.read_bytes()


@pytest.fixture
def here(tmp_path: Path, installed: bytes) -> Store:
    (tmp_path / "second-marker.db").write_bytes(installed)
    return new_store(tmp_path)


def viewer(store: Store) -> Marker:
    with store.read() as db:
        return next(each for each in markers.profiles(db) if each.role is Role.HEAD)


def test_a_pack_takes_the_place_of_the_untouched_demo_byte_for_byte(here: Store, pack: bytes) -> None:
    with here.read() as db:
        assert fresh.why_not(db) == ""
        triggers = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name").fetchall()
    head = viewer(here)
    restored = restore(here, io.BytesIO(pack), head, for_demo=True)
    assert packed(here, restored.exam_id) == pack
    with here.read() as db:
        assert [exam.title for exam in exams.listed(db)] == ["Mock"]
        assert {each.name for each in markers.profiles(db)} == {"Dr Osei", *(name for name, _ in demo.PROFILES)}
        assert restored.marker_id is not None
        known = markers.get(db, restored.marker_id)
        assert known is not None
        assert (known.name, known.role) == (head.name, Role.HEAD)
        assert (events.latest(db)[0].kind, events.latest(db)[0].marker_name) == ("evidence pack restored", head.name)
        assert [tuple(row) for row in triggers] == [
            tuple(row) for row in db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
        ]
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    with pytest.raises(sqlite3.IntegrityError), here.write() as db:
        db.execute("DELETE FROM decisions")
    demo.install_if_fresh(here)
    with here.read() as db:
        assert [exam.title for exam in exams.listed(db)] == ["Mock"], "the demo does not come back"


def test_a_pack_that_cannot_be_used_leaves_the_demo_as_it_was(here: Store, pack: bytes) -> None:
    with here.read() as db:
        before = list(db.conn.iterdump())
    spoilt = bytearray(pack)
    spoilt[len(pack) // 2] ^= 1
    with pytest.raises(PackError):
        restore(here, io.BytesIO(bytes(spoilt)), viewer(here), for_demo=True)
    with here.read() as db:
        assert list(db.conn.iterdump()) == before


def test_what_anybody_has_worked_on_stays(here: Store, pack: bytes) -> None:
    head = viewer(here)
    with here.write() as db:
        exam = exams.listed(db)[0]
        exams.set_blind(db, exam.id, True, head.id)
    with pytest.raises(PackError, match=r"has worked here already \(blind mode on\)\. An evidence pack keeps"):
        restore(here, io.BytesIO(pack), head, for_demo=True)
    with here.read() as db:
        assert len(exams.listed(db)) == 2


def test_a_mark_an_exam_or_a_running_job_keep_the_demo(here: Store) -> None:
    head = viewer(here)
    with here.write() as db:
        response = db.execute("SELECT min(id) FROM responses").fetchone()[0]
        decisions.record(db, response, head.id, Outcome.NO_RESPONSE, Stage.BLIND)
        assert fresh.why_not(db) == f"{head.name} has marked here, in the demo."
        jobs.add(db, "propose", {"exam_id": 1})
        assert "still being made" in fresh.why_not(db)
        exams.add_exam(db, "Own")
        assert fresh.why_not(db) == "There is an exam of your own here, “Own”."


def test_a_language_model_that_somebody_connected_stays_with_its_settings(here: Store, pack: bytes) -> None:
    with here.write() as db:
        judges.ensure(db, "Our model", judges.LLM, "m", {"base_url": "http://127.0.0.1:1/v1"})
        assert fresh.why_not(db) == ""
    restored = restore(here, io.BytesIO(pack), viewer(here), for_demo=True)
    assert packed(here, restored.exam_id) == pack
    with here.read() as db:
        kept = judges.find(db, "Our model")
    assert kept is not None
    assert (kept.kind, kept.model, kept.settings) == (judges.LLM, "m", {"base_url": "http://127.0.0.1:1/v1"})


def test_a_mark_that_waited_for_a_restore_is_not_stored_as_somebody_elses(here: Store, pack: bytes) -> None:
    with here.read() as db:
        before = {each.id: each for each in markers.profiles(db)}
    restored = restore(here, io.BytesIO(pack), viewer(here), for_demo=True)
    with here.read() as db:
        stranger = next(each for each in markers.profiles(db) if each.name == "Dr Osei")
        response = db.execute("SELECT min(id) FROM responses").fetchone()[0]
        marks = db.execute("SELECT count(*) FROM decisions").fetchone()[0]
    at_the_desk = before[stranger.id]
    press = Press(action="mark", action_id="a", marker_id=at_the_desk.id, response_id=response, mark=1)
    with pytest.raises(MarkError, match="Nothing was saved"):
        act(here, at_the_desk, Walk(restored.exam_id), press)
    with here.read() as db:
        assert db.execute("SELECT count(*) FROM decisions").fetchone()[0] == marks

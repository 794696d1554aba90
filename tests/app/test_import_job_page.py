"""A large import on the exams page: its progress for everybody, Cancel, and what became of it."""

from __future__ import annotations

import time

import pytest
from streamlit.testing.v1 import AppTest

from components.intake.forms import Pseudonym
from components.marking import Marker, Role
from components.workflow import import_wanted
from components.workflow.import_order import order
from components.workflow.import_waiting import note_how_far
from components.workflow.import_wanted import Wanted
from storage import Store, exams, jobs
from tests.app.conftest import OpenPage
from tests.app.test_exams_page import PAGE, SMALL, labels, press, texts, titles, upload
from tests.support import add_exam, add_marker
from tests.unit.test_import_table import plan_of


@pytest.fixture
def head(store: Store) -> Marker:
    add_exam(store, [["an answer"]])
    return add_marker(store, "Dr Li", Role.HEAD)


def ordered(store: Store, marker: Marker, status: str = "running", message: str = "") -> int:
    """An import that another worker has taken, and perhaps ended."""
    people = (Pseudonym("0417", "Ada Quillfeather", ""),)
    wanted = Wanted(plan_of(SMALL.decode()), people, "Year 11 *mock*", None, ("Rater one", "Rater two"))
    job_id = order(store, wanted, marker)
    with store.write() as db:
        job = jobs.claim(db, "worker")
        assert job is not None
        if status != "running":
            jobs.finish(db, job_id, "worker", status, message)
    note_how_far(store, job, 0.35, "Storing 2 AI marks")
    return job_id


def until_done(at: AppTest, store: Store) -> None:
    """Wait for the app's own worker."""
    for _ in range(200):
        with store.read() as db:
            if not [job for job in jobs.active(db) if job.kind == "import"]:
                break
        time.sleep(0.02)
    at.run()
    assert not at.exception


def test_a_large_table_is_imported_by_the_worker_and_told_as_one_stored_at_once(
    app: OpenPage, store: Store, head: Marker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_wanted, "LARGE", 2)
    at = upload(app(PAGE, head), SMALL)
    press(at, "Import 2 responses")
    assert "Import 2 responses" not in labels(at), "the form is empty again"
    until_done(at, store)
    assert titles(store) == ["Test exam", "year 11"]
    assert "“year 11”: 2 responses of 2 candidates to 1 question, with 3 human marks and 2 AI marks." in texts(at)
    again = app(PAGE, head)
    assert "“year 11”: 2 responses of 2 candidates to 1 question" in texts(again), "in another session too"
    press(again, "Close")
    assert "2 responses of 2 candidates to 1 question" not in texts(again)
    press(at, "Undo the import")
    assert titles(store) == ["Test exam"]
    assert "2 responses of 2 candidates to 1 question" not in texts(at)


def test_a_name_that_is_somebodys_profile_is_refused_at_the_press_and_the_form_stays(
    app: OpenPage, store: Store, head: Marker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_wanted, "LARGE", 2)
    at = upload(app(PAGE, head), SMALL)
    next(box for box in at.text_input if box.label == "Name of the first marker").set_value("Dr Li").run()
    press(at, "Import 2 responses")
    assert "Dr Li is a profile here" in texts(at)
    assert "Import 2 responses" in labels(at)
    assert titles(store) == ["Test exam"]


def test_everybody_sees_how_far_an_import_is_and_it_can_be_called_off(
    app: OpenPage, store: Store, head: Marker
) -> None:
    job_id = ordered(store, head)
    at = app(PAGE, add_marker(store, "Mr Bell", Role.HEAD))
    assert "Importing 2 responses: Year 11 *mock*" in texts(at)
    assert "Storing 2 AI marks" in texts(at)
    press(at, "Cancel")
    with store.read() as db:
        job = jobs.get(db, job_id)
    assert job is not None
    assert job.status == "cancelled"
    at.run()
    assert "Importing" not in texts(at)
    at = app(PAGE, head)
    assert "“Year 11 *mock*”: the import was cancelled, and nothing of it is stored." in texts(at)
    press(at, "Close")
    assert "the import was cancelled" not in texts(at)


def test_a_failed_import_says_what_happened_and_what_to_do(app: OpenPage, store: Store, head: Marker) -> None:
    why = "Nothing was imported. The disk is full. Free some space on it, then try again."
    ordered(store, head, "failed", why)
    at = app(PAGE, head)
    assert [each.value.replace("\\", "") for each in at.error] == [f"“Year 11 *mock*”: {why}"]
    with store.read() as db:
        assert [exam.title for exam in exams.listed(db)] == ["Test exam"]

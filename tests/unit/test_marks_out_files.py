"""Feedback and evidence packs as files that the background worker makes, and that are removed again."""

from __future__ import annotations

import hashlib
import io
import os
import time
import zipfile
from pathlib import Path

import pytest

from components.marking import Marker, MarkError, Outcome, Role, Stage
from components.workflow.connections import Connections
from components.workflow.marks_out.files import (
    KEPT_DAYS,
    Kind,
    cancel,
    do_files,
    file_of,
    latest,
    order,
    remove_old,
    take,
)
from components.workflow.marks_out.taking import note_feedback_shown, note_taken
from components.workflow.worker import Worker
from storage import Store, decisions, events, exams, jobs, proposals, rulings
from tests.support import add_exam, add_marker, new_store, propose_points


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
def worker(store: Store) -> Worker:
    return Worker(store, Connections.from_environment(store))


def marked(store: Store, teacher: Marker, candidates: int = 2) -> tuple[int, list[int]]:
    exam_id, [ids] = add_exam(store, [["x"] * candidates])
    with store.write() as db:
        for response_id in ids:
            decisions.record(db, response_id, teacher.id, Outcome.MARK, Stage.BLIND, mark=1)
    return exam_id, ids


def made(store: Store, worker: Worker, exam_id: int, kind: Kind, marker: Marker) -> int:
    job_id = order(store, exam_id, kind, marker)
    assert worker.do_one()
    job = latest(store, exam_id, kind)
    assert job is not None
    assert (job.id, job.status) == (job_id, "done"), job.message
    return job_id


def test_feedback_is_made_by_the_worker_a_file_a_candidate(
    store: Store, teacher: Marker, head: Marker, worker: Worker
) -> None:
    exam_id, _ = marked(store, teacher)
    job_id = made(store, worker, exam_id, Kind.FEEDBACK, head)
    with zipfile.ZipFile(io.BytesIO(take(store, exam_id, Kind.FEEDBACK, job_id, head))) as archive:
        assert archive.namelist() == ["feedback-0001.html", "feedback-0002.html"]
    job = latest(store, exam_id, Kind.FEEDBACK)
    assert job is not None
    assert job.message == "Feedback for 2 candidates."


def test_two_evidence_packs_of_the_same_record_are_the_same_and_the_first_file_is_removed(
    store: Store, teacher: Marker, head: Marker, worker: Worker
) -> None:
    exam_id, ids = marked(store, teacher)
    propose_points(store, ids[0], ("M1",))
    first = made(store, worker, exam_id, Kind.EVIDENCE, head)
    digest = hashlib.sha256(take(store, exam_id, Kind.EVIDENCE, first, head)).hexdigest()
    second = made(store, worker, exam_id, Kind.EVIDENCE, head)
    assert hashlib.sha256(take(store, exam_id, Kind.EVIDENCE, second, head)).hexdigest() == digest
    assert not file_of(store, exam_id, Kind.EVIDENCE, first).parent.exists()
    with pytest.raises(MarkError, match="no longer there"):
        take(store, exam_id, Kind.EVIDENCE, first, head)


def test_what_is_taken_away_is_in_the_log_and_the_marks_in_it_are_known_to_who_took_it(
    store: Store, teacher: Marker, head: Marker, worker: Worker
) -> None:
    exam_id, [marked_one, other] = marked(store, teacher)
    proposal_id = propose_points(store, marked_one, ("M1",))
    job_id = made(store, worker, exam_id, Kind.EVIDENCE, head)
    colleague = add_marker(store, "Ms Ward", Role.HEAD)
    take(store, exam_id, Kind.EVIDENCE, job_id, colleague)
    with store.read() as db:
        for who in (head, colleague):
            assert proposals.seen_by(db, marked_one, who.id, proposal_id)
            assert rulings.has_been_shown(db, other, who.id)
        assert not rulings.has_been_shown(db, other, teacher.id)  # it is their own mark
        said = [(event.kind, event.marker_name) for event in events.latest(db) if event.about == "marks out"]
    assert said == [("evidence pack taken away", "Ms Ward"), ("evidence pack ordered", "Dr Osei")]


def test_feedback_shows_only_the_proposals_behind_final_marks(store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, [[behind, beside]] = add_exam(store, [["x", "y"]])
    first, second = propose_points(store, behind, ("M1",)), propose_points(store, beside, ("M1",))
    with store.write() as db:
        proposals.record_sighting(db, behind, teacher.id, first)
        decisions.record(db, behind, teacher.id, Outcome.MARK, Stage.AI_FIRST, mark=1, proposal_id=first)
    order(store, exam_id, Kind.FEEDBACK, head)
    with store.read() as db:
        assert proposals.seen_by(db, behind, head.id, first)
        assert not proposals.seen_by(db, beside, head.id, second)


def test_one_file_is_made_at_a_time(store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, _ = marked(store, teacher)
    first = order(store, exam_id, Kind.FEEDBACK, head)
    assert order(store, exam_id, Kind.FEEDBACK, add_marker(store, "Ms Ward", Role.PILOT)) == first
    cancel(store, first)
    assert order(store, exam_id, Kind.FEEDBACK, head) != first


@pytest.mark.parametrize("kind", list(Kind))
def test_a_job_that_is_cancelled_half_way_leaves_no_file(
    store: Store, teacher: Marker, head: Marker, kind: Kind
) -> None:
    exam_id, _ = marked(store, teacher)
    job_id = order(store, exam_id, kind, head)
    with store.write() as db:
        job = jobs.claim(db, "me")
    assert job is not None
    assert do_files(store, job, lambda done, total, message: False) == "Cancelled."
    assert not file_of(store, exam_id, kind, job_id).parent.exists()


def test_an_exam_whose_rules_do_not_fit_fails_in_words(
    store: Store, teacher: Marker, head: Marker, worker: Worker
) -> None:
    exam_id, _ = marked(store, teacher)
    with store.write() as db:
        db.execute("""UPDATE exams SET settings = '{"sections": [{"title": "B", "questions": ["9"]}]}'""")
    order(store, exam_id, Kind.FEEDBACK, head)
    worker.do_one()
    job = latest(store, exam_id, Kind.FEEDBACK)
    assert job is not None
    assert (job.status, job.message) == (
        "failed",
        "B has question 9, which the exam does not have. Correct the section on the exam's page.",
    )


def test_a_data_folder_that_takes_no_file_fails_in_words(
    store: Store, teacher: Marker, head: Marker, worker: Worker
) -> None:
    exam_id, _ = marked(store, teacher)
    (store.path.parent / "marks-out").write_text("in the way")
    order(store, exam_id, Kind.FEEDBACK, head)
    worker.do_one()
    job = latest(store, exam_id, Kind.FEEDBACK)
    assert job is not None
    assert job.status == "failed"
    assert job.message.startswith("The data folder could not take the file")


def test_files_are_removed_after_a_week(store: Store, teacher: Marker, head: Marker, worker: Worker) -> None:
    exam_id, _ = marked(store, teacher)
    place = file_of(store, exam_id, Kind.FEEDBACK, made(store, worker, exam_id, Kind.FEEDBACK, head))
    now = time.time()
    os.utime(place.parent, (now, now))
    remove_old(store, now + (KEPT_DAYS - 1) * 86_400)
    assert place.exists()
    remove_old(store, now + (KEPT_DAYS + 1) * 86_400)
    assert not place.parent.exists()


def test_who_may_not_have_a_file_is_told_why(store: Store, teacher: Marker) -> None:
    exam_id, _ = marked(store, teacher)
    lead = add_marker(store, "Mr Lead", Role.PILOT)
    with pytest.raises(MarkError, match="for a head of department; you are here as Mr Lead, pilot lead"):
        order(store, exam_id, Kind.EVIDENCE, lead)
    with pytest.raises(MarkError, match="you are here as Ms Khan, teacher"):
        order(store, exam_id, Kind.FEEDBACK, teacher)
    with store.write() as db:
        exams.archive(db, exam_id, None, "put away")
    with pytest.raises(MarkError, match="reset or taken back"):
        order(store, exam_id, Kind.FEEDBACK, lead)


def test_who_takes_marks_away_is_noted_and_may_not_mark_those_responses_blind_any_more(
    store: Store, teacher: Marker, head: Marker
) -> None:
    exam_id, [first, second] = marked(store, teacher)
    note_taken(store, exam_id, head, "moodle.csv", marks=False)  # totals alone
    with store.read() as db:
        assert not rulings.has_been_shown(db, first, head.id)
    note_feedback_shown(store, exam_id, head, "0002")
    with store.read() as db:
        assert [rulings.has_been_shown(db, each, head.id) for each in (first, second)] == [False, True]
    note_taken(store, exam_id, head, "mark-book.csv", marks=True)
    with store.read() as db:
        assert rulings.has_been_shown(db, first, head.id)
        newest = events.latest(db, 1)[0]
    assert (newest.kind, newest.marker_name, newest.about) == ("marks taken away", "Dr Osei", "marks out")
    assert newest.body == {"exam_id": exam_id, "file": "mark-book.csv"}

"""Large imports as jobs: done once or not at all, called off, and without a name left behind in a file."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from components.intake.forms import Pseudonym
from components.intake.question_paper import PaperText
from components.marking import Marker, MarkError, Outcome, Role, Stage
from components.workflow.connections import Connections, default_judges
from components.workflow.import_job import do_import
from components.workflow.import_order import cancel, close, made_by, order, told_of
from components.workflow.import_table import import_plan, undo_import
from components.workflow.import_waiting import file_of, forget_ended, how_far, read
from components.workflow.import_wanted import Wanted
from components.workflow.worker import Worker
from storage import Store, decisions, exams, jobs, markers, pseudonyms, responses
from storage.jobs import Job
from storage.pseudonyms import Known
from tests.support import add_exam, add_marker, new_store
from tests.unit.test_import_table import everything, many_rows, plan_of

ADA = Pseudonym("0417", "Ada Quillfeather", "ada@quillfeather.example")
TABLE = "candidate,question,answer,max mark,mark 1,AI mark\n0417,1,it is denatured,4,3,4\n0418,1,no idea,4,0,1\n"
LONG_AGO = "2020-01-01T00:00:00.000000+00:00"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def head(store: Store) -> Marker:
    return add_marker(store, "Dr Li", Role.HEAD)


@pytest.fixture
def worker(store: Store) -> Worker:
    return Worker(store, Connections.from_environment(store))


def wanted(text: str = TABLE, exam_id: int | None = None, name: str = "mock.csv") -> Wanted:
    return Wanted(plan_of(text, name), (ADA,), "Mock", exam_id, ("Rater one", ""))


def large(rows: int) -> Wanted:
    return Wanted(many_rows(rows, "big.csv"), (replace(ADA, number="00000"),), "Big", None, ("One", "Two"))


def job(store: Store, job_id: int) -> Job:
    with store.read() as db:
        found = jobs.get(db, job_id)
    assert found is not None
    return found


def titles(store: Store) -> list[str]:
    with store.read() as db:
        return [exam.title for exam in exams.listed(db)]


def waiting_files(store: Store) -> list[Path]:
    return list((store.path.parent / "imports").glob("*"))


def files_with_a_name(store: Store) -> list[str]:
    """Of all files of the data folder, those that hold the candidate's name."""
    return [
        place.name
        for place in store.path.parent.rglob("*")
        if place.is_file() and b"quillfeather" in place.read_bytes().lower()
    ]


def lose_worker(store: Store, job_id: int) -> None:
    """The job as a process leaves it that was killed a while ago."""
    with store.write() as db:
        db.execute(
            "UPDATE jobs SET status = 'running', claimed_by = 'x', heartbeat_at = ? WHERE id = ?", (LONG_AGO, job_id)
        )


def test_a_large_table_is_stored_by_the_worker_as_at_once(store: Store, head: Marker, worker: Worker) -> None:
    job_id = order(store, large(1_500), head)
    assert titles(store) == [], "nothing is stored by the press"
    assert how_far(store, job(store, job_id)) == (0.0, "Waiting for its turn")
    assert worker.do_one()
    done = job(store, job_id)
    assert (done.status, done.message) == ("done", "Imported.")
    made = made_by(done)
    assert made is not None
    assert (made.responses, made.human_marks, made.ai_marks) == (1_500, 3_000, 1_500)
    by_job = everything(store)
    with store.read() as db:
        assert [each.name for each in pseudonyms.of_exam(db, made.exam_id)] == ["Ada Quillfeather"]
    assert waiting_files(store) == []
    other = new_store(store.path.parent / "other")
    import_plan(
        other,
        many_rows(1_500, "big.csv"),
        title="Big",
        marker=None,
        first_marker_name="One",
        second_marker_name="Two",
    )
    at_once = everything(other)
    for table in ("questions", "responses", "standings", "decisions", "proposals", "pairs"):
        assert by_job[table] == at_once[table], table


def test_the_file_and_the_job_tell_nothing_by_their_names(store: Store, head: Marker) -> None:
    job_id = order(store, wanted(), head)
    [place] = waiting_files(store)
    assert place.stem == job(store, job_id).payload["key"]
    assert len(place.stem) == 32
    assert "quillfeather" not in str(job(store, job_id).payload).lower()


def test_what_was_ordered_is_stored_whatever_characters_it_has(store: Store, head: Marker, worker: Worker) -> None:
    odd = "=1+1 “酶” \\u0000 <b>\x07\U0001f9ea"
    order(store, wanted(f'candidate,question,answer,max mark\n0417,1,"{odd}",4\n'), head)
    assert worker.do_one()
    with store.read() as db:
        [exam] = exams.listed(db)
        [question] = exams.questions(db, exam.id)
        assert [each.text for each in responses.of_question(db, question.id)] == [odd]


def test_a_plan_is_read_as_it_was_ordered(store: Store, head: Marker) -> None:
    asked = replace(large(2_500), texts={"1": PaperText("Why?", "A table.")}, judge="offline")
    assert read(store, job(store, order(store, asked, head))) == asked


def test_a_second_press_finds_the_job_of_the_first(store: Store, head: Marker, worker: Worker) -> None:
    first = order(store, wanted(), head)
    assert order(store, wanted(), head) == first
    assert len(waiting_files(store)) == 1
    assert worker.do_one()
    with pytest.raises(MarkError, match="is imported already, as the exam “Mock”"):
        order(store, wanted(), head)
    assert waiting_files(store) == []


def test_a_name_that_will_not_do_is_told_at_the_press_and_makes_nobody(store: Store, head: Marker) -> None:
    with pytest.raises(MarkError, match="Dr Li is a profile here"):
        order(store, replace(wanted(), marker_names=("Dr Li", "")), head)
    order(store, wanted(), head)
    with store.read() as db:
        assert markers.find(db, "Rater one") is None, "a marker is made with the marks"
    assert len(waiting_files(store)) == 1


def test_an_import_called_off_before_its_turn_stores_nothing(store: Store, head: Marker, worker: Worker) -> None:
    job_id = order(store, wanted(), head)
    cancel(store, job_id)
    assert files_with_a_name(store) == []
    assert not worker.do_one()
    assert job(store, job_id).status == "cancelled"
    assert titles(store) == []
    assert waiting_files(store) == []
    assert files_with_a_name(store) == []


def test_an_import_called_off_while_it_is_stored_is_undone_and_leaves_no_name(
    store: Store, head: Marker, worker: Worker
) -> None:
    default_judges(store)
    before = everything(store)
    job_id = order(store, large(4_000), head)
    doing = threading.Thread(target=worker.do_one)
    doing.start()
    while how_far(store, job(store, job_id))[1] != "Storing 8,000 human marks":
        doing.join(0.002)
        assert doing.is_alive(), "it ended before it could be called off"
    called = time.monotonic()
    cancel(store, job_id)
    doing.join()
    forget_ended(store)
    assert time.monotonic() - called < 1, "it does not go on to its end"
    assert job(store, job_id).status == "cancelled"
    assert {**everything(store), "jobs": 0} == {**before, "jobs": 0}
    assert waiting_files(store) == []
    assert files_with_a_name(store) == [], "nor in what the database had written and taken back"


def test_names_that_a_killed_worker_had_written_go_when_the_import_is_called_off(
    store: Store, head: Marker, worker: Worker
) -> None:
    exam_id, _ = add_exam(store, [["an answer"]])
    job_id = order(store, wanted(), head)
    with suppress(InterruptedError), store.write() as db:
        db.execute("PRAGMA cache_size = 1")  # pages go to the log before the commit, as those of a large import do
        pseudonyms.add(db, exam_id, [Known(str(number), ADA.name, ADA.email) for number in range(2_000)])
        raise InterruptedError
    assert "second-marker.db-wal" in files_with_a_name(store)
    cancel(store, job_id)
    worker.do_one()
    assert files_with_a_name(store) == []


def test_calling_off_what_is_stored_by_then_changes_nothing(store: Store, head: Marker) -> None:
    job_id = order(store, wanted(), head)
    running = claimed(store, job_id)
    do_import(store, running, lambda *_: True)
    cancel(store, job_id)
    assert job(store, job_id).status == "running", "its worker ends it as done"
    assert titles(store) == ["Mock"]


def claimed(store: Store, job_id: int) -> Job:
    with store.write() as db:
        taken = jobs.claim(db, "worker")
    assert taken is not None
    assert taken.id == job_id
    return taken


def test_a_worker_killed_before_the_commit_leaves_the_import_to_the_next(
    store: Store, head: Marker, worker: Worker
) -> None:
    job_id = order(store, wanted(), head)
    lose_worker(store, job_id)
    assert worker.do_one()
    assert job(store, job_id).status == "done"
    assert titles(store) == ["Mock"]
    assert waiting_files(store) == []


@pytest.mark.parametrize("file_left", [True, False])
def test_a_worker_killed_after_the_commit_makes_no_second_exam(
    store: Store, head: Marker, worker: Worker, *, file_left: bool
) -> None:
    job_id = order(store, wanted(), head)
    [place] = waiting_files(store)
    body = place.read_bytes()
    do_import(store, claimed(store, job_id), lambda *_: True)
    if file_left:
        place.write_bytes(body)
    lose_worker(store, job_id)
    assert worker.do_one()
    assert job(store, job_id).status == "done"
    assert titles(store) == ["Mock"]
    assert waiting_files(store) == []


def test_a_worker_that_stops_keeps_the_file_for_the_next(store: Store, head: Marker, worker: Worker) -> None:
    job_id = order(store, wanted(), head)
    do_import(store, claimed(store, job_id), lambda *_: False)
    assert len(waiting_files(store)) == 1
    assert titles(store) == []
    lose_worker(store, job_id)
    assert worker.do_one()
    assert titles(store) == ["Mock"]


def test_a_failed_import_says_why_and_its_file_goes(store: Store, head: Marker, worker: Worker) -> None:
    exam_id, _ = add_exam(store, [["an answer"]])
    job_id = order(store, wanted(exam_id=exam_id), head)  # its question 1 is out of 4, the exam's out of 2
    assert worker.do_one()
    failed = job(store, job_id)
    assert failed.status == "failed"
    assert "1" in failed.message
    assert "out of" in failed.message
    assert waiting_files(store) == []
    assert files_with_a_name(store) == []


@pytest.mark.parametrize("kept", [0, 9, 500, -4])
def test_a_damaged_file_fails_in_words_and_stores_nothing(
    store: Store, head: Marker, worker: Worker, kept: int
) -> None:
    job_id = order(store, wanted(), head)
    place = file_of(store, job(store, job_id).payload["key"])
    place.write_bytes(place.read_bytes()[:kept])
    assert worker.do_one()
    assert job(store, job_id).message == (
        "Nothing was imported: the copy of the file is damaged. Choose the file again."
    )
    assert titles(store) == []
    assert waiting_files(store) == []


def test_a_file_that_lost_some_of_its_lines_is_damaged_too(store: Store, head: Marker, worker: Worker) -> None:
    for lines in (slice(0, 2), slice(4, None)):
        unmarked = replace(large(2_500), marker_names=("", ""))
        unmarked = replace(unmarked, plan=replace(unmarked.plan, human_marks=(), ai_marks=()))
        job_id = order(store, unmarked, head)
        place = file_of(store, job(store, job_id).payload["key"])
        kept = place.read_bytes().split(b"\n")
        place.write_bytes(b"\n".join(kept[lines] + [b"end"] * (lines.start == 0)))
        assert worker.do_one()
        assert "the copy of the file is damaged" in job(store, job_id).message
        assert titles(store) == []


def test_files_of_jobs_that_ended_go_at_the_workers_next_look(store: Store, head: Marker, worker: Worker) -> None:
    job_id = order(store, wanted(), head)
    with store.write() as db:
        jobs.cancel(db, job_id)  # as archiving its exam would
    orphan = file_of(store, "0" * 32)
    orphan.write_bytes(b"of a process killed while it ordered")
    kept = order(store, wanted(TABLE + "0419,1,x,4,1,1\n", name="other.csv"), head)
    forget_ended(store)
    assert [place.stem for place in waiting_files(store)] == [job(store, kept).payload["key"]]
    assert worker.do_one()
    assert waiting_files(store) == []


def test_into_an_exam_marks_are_added_and_empty_questions_get_their_text(
    store: Store, head: Marker, worker: Worker
) -> None:
    made = import_plan(store, plan_of(TABLE), title="Mock", marker=head, first_marker_name="Rater one")
    more = TABLE + "0419,1,the site no longer fits,4,2,2\n"
    job_id = order(
        store,
        replace(wanted(more, made.exam_id, "more.csv"), people=(), texts={"1": PaperText("Why does the rate fall?")}),
        head,
    )
    assert worker.do_one()
    done = job(store, job_id)
    added = made_by(done)
    assert added is not None
    assert (added.responses, added.human_marks, added.ai_marks, added.added) == (1, 1, 1, True)
    with store.read() as db:
        [question] = exams.questions(db, made.exam_id)
    assert question.question.text == "Why does the rate fall?"
    assert done.payload["texts"] == 1
    again = order(store, wanted(more, made.exam_id, "more.csv"), head)
    assert worker.do_one()
    assert job(store, again).message == "Everything in this file is in the exam already."
    assert made_by(job(store, again)) is None


def test_what_became_of_an_import_is_told_to_its_marker_until_it_is_closed(
    store: Store, head: Marker, worker: Worker
) -> None:
    other = add_marker(store, "Mr Bell", Role.HEAD)
    job_id = order(store, wanted(), head)
    for anybody in (head, other):
        under_way, ended = told_of(store, anybody)
        assert ([each.id for each in under_way], ended) == ([job_id], [])
    worker.do_one()
    assert [each.id for each in told_of(store, head)[1]] == [job_id]
    assert told_of(store, other) == ([], [])
    close(store, job_id)
    assert told_of(store, head) == ([], [])
    made = made_by(job(store, job_id))
    assert made is not None
    undo_import(store, made.import_id, head)
    assert titles(store) == []
    assert job(store, order(store, wanted(), head)).status == "queued", "once undone it can be imported again"


def test_a_mark_given_while_an_import_is_stored_waits_for_its_turn(store: Store, head: Marker, worker: Worker) -> None:
    _, [ids] = add_exam(store, [["an answer"]])
    with store.read() as db:
        assert db.execute("PRAGMA busy_timeout").fetchone()[0] == 60_000
    job_id = order(store, large(2_000), head)
    doing = threading.Thread(target=worker.do_one)
    doing.start()
    while not how_far(store, job(store, job_id))[1].startswith("Storing"):
        doing.join(0.002)
        assert doing.is_alive()
    with store.write() as db:
        decisions.record(db, ids[0], head.id, Outcome.MARK, Stage.BLIND, mark=1)
    doing.join()
    assert job(store, job_id).status == "done"
    with store.read() as db:
        assert [each.mark for each in decisions.live(db, ids[0])] == [1]

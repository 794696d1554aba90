"""Proposals made in the background: by which judge, when again, when never, and what stops it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from components.judge.llm import Endpoint
from components.marking import ChoiceKey, Marker, Question, QuestionType, Scheme
from components.workflow import cohort, desk
from components.workflow.cohort import RunOptions
from components.workflow.connections import Connections, default_judges
from components.workflow.desk import Press, Walk
from components.workflow.worker import Worker
from storage import Store, exams, jobs, judges, proposals, standings
from tests.llama import MODEL, llama_server
from tests.support import add_exam, add_marker, new_store, start_run, two_point_question

ROOT = Path(__file__).parents[2]
ANSWERS = [
    "the enzyme is denatured so the active site no longer fits",
    "it is denatured",
    "the heat kills the enzyme",
    "the active site no longer fits the substrate because the enzyme is denatured by heat",
    "no idea",
    "the bonds break and it is denatured, the substrate cannot fit the active site",
    "it goes faster",
    "active site changes shape",
    "the enzyme gets denatured and its active site does not fit now",
    "enzymes die",
    "the enzyme is denatured, the active site no longer fits, so it slows",
    "because temperature",
]  # fmt: skip
MARKS = [2, 1, 0, 2, 0, 2, 0, 0, 2, 0, 2, 0]


def choice_question(number: str) -> tuple[Question, Scheme]:
    question = Question(number=number, type=QuestionType.SINGLE_CHOICE, text="Which?", max_mark=1)
    return question, Scheme(max_mark=1, choice=ChoiceKey(options={"A": "x", "B": "y"}, correct=("B",)))


def newest(store: Store, response_id: int) -> proposals.StoredProposal:
    with store.read() as db:
        standing = standings.get(db, response_id)
        assert standing is not None
        assert standing.proposal_id is not None
        return proposals.get(db, standing.proposal_id)


def count(store: Store) -> int:
    with store.read() as db:
        return int(db.execute("SELECT count(*) FROM proposals").fetchone()[0])


def ask(store: Store, exam_id: int, judge_id: int, marker: Marker, connections: Connections | None = None) -> jobs.Job:
    options = RunOptions(exam_id=exam_id, judge_id=judge_id)
    job_id = cohort.start(store, options, marker, on_desk=True)
    Worker(store, connections or Connections()).do_one()
    with store.read() as db:
        job = jobs.get(db, job_id)
    assert job is not None
    return job


def test_objective_questions_are_calculated_and_open_ones_matched(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    _, offline = default_judges(store)
    exam_id, grid = add_exam(
        store, [ANSWERS[:2], ["B", "A"]], questions=[two_point_question("1"), choice_question("2")]
    )
    job = ask(store, exam_id, offline, add_marker(store))
    assert (job.status, job.done, job.total) == ("done", 4, 4)
    assert "Offline matcher, not an LLM" in newest(store, grid[0][0]).proposal.label
    assert newest(store, grid[1][0]).proposal.label == "Checked by calculation"
    assert [newest(store, r).proposal.mark for r in grid[1]] == [1, 0]


def test_the_same_inputs_are_answered_from_the_store(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    _, offline = default_judges(store)
    marker = add_marker(store)
    exam_id, _ = add_exam(store, [ANSWERS[:3]])
    ask(store, exam_id, offline, marker)
    assert count(store) == 3
    ask(store, exam_id, offline, marker)
    assert count(store) == 3
    with store.write() as db:
        stored = exams.questions(db, exam_id)[0]
        exams.add_scheme_version(db, stored.id, stored.question, stored.scheme.model_copy(update={"text": "edited"}))
    ask(store, exam_id, offline, marker)
    assert count(store) == 6  # another scheme is a new question to the judge
    with store.write() as db:
        stored = exams.questions(db, exam_id)[0]
        noted = stored.scheme.model_copy(update={"note": "for a language model"})
        exams.add_scheme_version(db, stored.id, stored.question, noted)
    ask(store, exam_id, offline, marker)
    assert count(store) == 6  # which this judge does not read


def test_the_judge_learns_from_marks_and_never_remakes_a_decided_response(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    _, offline = default_judges(store)
    marker = add_marker(store)
    waiting = ["the enzyme was denatured and the site no longer fits", "dont know"]
    exam_id, [row] = add_exam(store, [[*ANSWERS, *ANSWERS[::-1][:3], *waiting]])
    ask(store, exam_id, offline, marker)
    decided, undecided = row[:15], row[15:]
    before = {response: newest(store, response).id for response in row}
    for i, (response, mark) in enumerate(zip(decided, [*MARKS, 0, 2, 0], strict=True)):
        press = Press(action="mark", action_id=str(i), marker_id=marker.id, response_id=response, mark=mark)
        desk.act(store, marker, Walk(exam_id), press)
    with store.read() as db:
        queued = [job.kind for job in jobs.active(db)]
    assert queued == ["learn"]
    assert Worker(store, Connections()).do_one()
    assert {response: newest(store, response).id for response in decided} == {r: before[r] for r in decided}
    for response in undecided:
        renewed = newest(store, response)
        assert renewed.id > before[response]
        assert "Learned from your 15 marks" in renewed.proposal.label + renewed.proposal.reason


def test_an_llm_judge_proposes_through_a_real_server(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, [row] = add_exam(store, [ANSWERS[:2]])
    connections = Connections()
    with llama_server() as base_url:
        judge_id = connections.connect(store, Endpoint(base_url, MODEL, max_tokens=150, temperature=0.0), None)
        job = ask(store, exam_id, judge_id, add_marker(store), connections)
    assert job.status == "done"
    for response in row:
        made = newest(store, response)
        assert made.judge_id == judge_id
        assert made.proposal.usage.raw_reply
        if made.proposal.mark is None:
            assert made.proposal.reason
        else:
            assert made.proposal.mark in (0, 1, 2)


def test_a_wrong_key_stops_the_job_in_words(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, [row] = add_exam(store, [ANSWERS[:3]])
    connections = Connections()
    with llama_server(api_key="the-right-key") as base_url:
        judge_id = connections.connect(store, Endpoint(base_url, MODEL, "a-wrong-key"), None)
        job = ask(store, exam_id, judge_id, add_marker(store), connections)
    assert job.status == "failed"
    assert "key" in job.message
    assert count(store) == 0
    with store.read() as db:
        standing = standings.get(db, row[0])
    assert standing is not None
    assert standing.proposal_id is None


def test_a_judge_whose_key_is_gone_says_to_connect_it_again(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, _ = add_exam(store, [ANSWERS[:3]])
    judge_id = Connections().connect(store, Endpoint("http://127.0.0.1:9/v1", "m", "k"), None)
    job = ask(store, exam_id, judge_id, add_marker(store))
    assert job.status == "failed"
    assert "Connect it again" in job.message


def test_switching_the_judge_switches_what_stands_on_the_desk(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    _, offline = default_judges(store)
    marker = add_marker(store)
    exam_id, [row] = add_exam(store, [ANSWERS[:2]])
    ask(store, exam_id, offline, marker)
    with store.write() as db:
        other = judges.ensure(db, "Vendor X", judges.IMPORTED)
    ask(store, exam_id, other, marker)
    with store.read() as db:
        standing = standings.get(db, row[0])
    assert standing is not None
    assert standing.proposal_id is None
    ask(store, exam_id, offline, marker)
    assert newest(store, row[0]).judge_id == offline


KILLED_CHILD = """
import sys
from pathlib import Path
from components.workflow import connections
from components.workflow.connections import Connections
from components.workflow.worker import Worker
from storage import Store

class SlowJudge:
    name, version = "Offline matcher", "slow"
    def propose(self, *a, **k):
        print("asked", flush=True)
        sys.stdin.read()

connections.OfflineJudge = SlowJudge
Worker(Store(Path(sys.argv[1])), Connections()).do_one()
"""


def test_a_job_of_a_killed_worker_is_done_by_the_next(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    _, offline = default_judges(store)
    exam_id, [row] = add_exam(store, [ANSWERS[:3]])
    job_id = start_run(store, exam_id, offline)
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED_CHILD, str(store.path)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdout is not None
    assert child.stdout.readline() == "asked\n"
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    worker = Worker(store, Connections())
    assert not worker.do_one()  # its last sign of life is too fresh to call it lost
    with store.write() as db:
        long_ago = (datetime.now(UTC) - timedelta(minutes=1)).isoformat(timespec="microseconds")
        db.execute("UPDATE jobs SET heartbeat_at = ? WHERE id = ?", (long_ago, job_id))
    assert worker.do_one()
    with store.read() as db:
        job = jobs.get(db, job_id)
    assert job is not None
    assert job.status == "done"
    assert all(newest(store, response).proposal.status for response in row)

"""The runs page: starting a run and what it would take, what each run took, pausing, resuming and retrying."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components.judge.llm import Endpoint, Protocol
from components.marking import Marker, Outcome, Proposal, ProposalStatus, Role, Stage, Usage
from components.workflow.connections import Connections, default_judges
from storage import Store, decisions, exams, jobs, judges, proposals, responses, runs
from storage.runs import Run
from tests.model_server import completion, model_server
from tests.support import add_exam, add_marker, two_point_question

PAGE = "pages/pilot/runs.py"
pytestmark = pytest.mark.usefixtures("price_file")
MODEL = "cheap-2026-01-02"
GOOD = {
    "points": [
        {"code": code, "evidence": ["denatured"], "reason": "Said.", "awarded": True, "not_sure": False}
        for code in ("M1", "A1")
    ]
}
OpenPage = Callable[..., AppTest]


@pytest.fixture
def lead(store: Store) -> Marker:
    return add_marker(store, "Dr Li", Role.PILOT)


def llm(store: Store, exam_id: int, model: str = "cheap") -> int:
    """A language model that is not connected, chosen for the exam."""
    with store.write() as db:
        judge_id = judges.ensure(db, f"{model} somewhere", judges.LLM, model)
        exams.set_judge(db, exam_id, judge_id, None)
    return judge_id


def a_run(store: Store, exam_id: int, judge_id: int, status: str, message: str = "") -> int:
    """A job that another worker has taken, 2 of 5 done, and perhaps ended. Gives its run's id."""
    with store.write() as db:
        job_id = jobs.add(db, "propose", {"exam_id": exam_id})
        assert jobs.claim(db, "worker") is not None
        run_id = runs.begin(db, exam_id, judge_id, job_id)
        jobs.beat(db, job_id, "worker", 2, 5, "Question 3(b)")
        if status == "cancelled":
            jobs.cancel(db, job_id)
        elif status != "running":
            jobs.finish(db, job_id, "worker", status, message)
    return run_id


def failed(store: Store, response_id: int, judge_id: int, run_id: int, price: float | None) -> None:
    usage = Usage(model="cheap-2026-01-02", tokens_in=1000, tokens_out=200, price=price, seconds=2, raw_reply="?")
    made = Proposal(status=ProposalStatus.FAILED, label="cheap", reason="The reply was *no* JSON.", usage=usage)
    with store.write() as db:
        response = responses.get(db, response_id)
        assert response is not None
        scheme_id = exams.question(db, response.question_id).scheme_id
        proposals.add(db, response_id, judge_id, scheme_id, made, run_id=run_id)


def texts(at: AppTest) -> str:
    drawn = [*at.markdown, *at.caption, *at.info, *at.warning, *at.title]
    drawn_progress = [bar.proto.text for bar in at.get("progress")]
    return "\n".join([*(each.value for each in drawn), *drawn_progress]).replace("\\", "")


def figures(at: AppTest) -> dict[str, str]:
    return {each.label: each.value.replace("\\", "") for each in at.metric}


def labels(at: AppTest) -> list[str]:
    return [button.label for button in at.button]


def press(at: AppTest, label: str) -> None:
    next(button for button in at.button if button.label == label).click().run()
    assert not at.exception


def status(store: Store, run_id: int) -> str:
    with store.read() as db:
        row = db.execute(
            "SELECT status FROM jobs j JOIN runs r ON r.job_id = j.id WHERE r.id = ?", (run_id,)
        ).fetchone()
    return str(row["status"])


def test_a_teacher_is_told_who_may_enter(app: OpenPage, store: Store) -> None:
    add_exam(store, [["x"]])
    at = app(PAGE, add_marker(store))
    assert not at.exception
    assert "for a head of department or a pilot lead" in at.warning[0].value
    assert not at.title


def test_without_a_run_the_panel_that_starts_one_is_open(app: OpenPage, store: Store, lead: Marker) -> None:
    add_exam(store, [["x"]])
    at = app(PAGE, lead)
    assert not at.exception
    assert "Choose an exam and a judge above" in at.info[0].value
    assert "Start" in labels(at)
    assert "All runs together" not in [each.value for each in at.subheader]


def test_without_an_exam_the_panel_leads_to_the_exams(app: OpenPage, store: Store, lead: Marker) -> None:
    exam_id, _ = add_exam(store, [["x"]])
    with store.write() as db:
        exams.archive(db, exam_id, None, "test")
    at = app(PAGE, lead)
    assert not at.exception
    assert "Start" not in labels(at)
    press(at, "Go to exams")
    assert at.title[0].value == "Exams"


def test_a_run_under_way_shows_how_far_it_is_and_can_be_cancelled(app: OpenPage, store: Store, lead: Marker) -> None:
    exam_id, _ = add_exam(store, [["x"]], title="Mock *A*")
    run_id = a_run(store, exam_id, llm(store, exam_id), "running")
    at = app(PAGE, lead)
    assert not at.exception
    assert "Mock *A*" in texts(at)
    assert "cheap somewhere" in texts(at)
    assert "2 of 5 · Question 3(b)" in texts(at)
    assert "Resume" not in labels(at)
    press(at, "Cancel")
    assert status(store, run_id) == "cancelled"
    at.run()
    assert "Cancelled at 2 of 5" in texts(at)
    assert "Resume" in labels(at)


def test_a_stopped_run_says_why_and_resume_queues_the_same_job(app: OpenPage, store: Store, lead: Marker) -> None:
    exam_id, _ = add_exam(store, [["x"]])
    run_id = a_run(store, exam_id, llm(store, exam_id), "failed", "The key was refused.")
    at = app(PAGE, lead)
    assert "The key was refused." in texts(at)
    press(at, "Resume")
    # It may be waiting, or the app's own worker may have found already that this model is not connected.
    with store.read() as db:
        found = db.execute("SELECT status, message FROM jobs WHERE kind = 'propose'").fetchall()
    assert len(found) == 1
    assert found[0]["message"] != "The key was refused."
    assert status(store, run_id) in ("queued", "running", "failed")


def test_a_finished_offline_run_costs_nothing_and_says_so(app: OpenPage, store: Store, lead: Marker) -> None:
    exam_id, _ = add_exam(store, [["x"]])
    a_run(store, exam_id, default_judges(store)[1], "done", "5 proposed.")
    at = app(PAGE, lead)
    assert "Done, 2 of 5: 5 proposed." in texts(at)
    assert "Costs nothing: no language model is asked." in texts(at)
    assert figures(at)["Cost"] == "$0.00"
    assert "tokens" not in texts(at).split("Prices are worked out")[0]
    assert "Resume" in labels(at)  # three of the five are not there yet


def test_cost_tokens_and_failures_are_shown_and_failures_can_be_retried(
    app: OpenPage, store: Store, lead: Marker
) -> None:
    exam_id, [row] = add_exam(store, [["a", "b"]])
    judge_id = llm(store, exam_id)
    run_id = a_run(store, exam_id, judge_id, "done", "2 failed.")
    failed(store, row[0], judge_id, run_id, 0.0018)
    failed(store, row[1], judge_id, run_id, 0.0012)
    at = app(PAGE, lead)
    assert not at.exception
    of_the_run = {
        "Proposals made": "2",
        "Cost": "$0.0030",
        "Cost per 1,000": "$1.50",
        "Judge's time": "4.0 s",
        "Time per 1,000": "33 min",
    }
    assert [(each.label, each.value.replace("\\", "")) for each in at.metric] == 2 * list(of_the_run.items())
    assert "2,000 tokens sent and 400 received" in texts(at)
    assert "2 responses failed" in [each.label for each in at.expander]
    listed = at.dataframe[0].value
    assert listed["Question"].tolist() == ["1", "1"]
    assert listed["Candidate"].tolist() == ["0001", "0002"]
    assert listed["Reason"].tolist() == ["The reply was *no* JSON."] * 2
    press(at, "Retry failed")
    with store.read() as db:
        messages = [row["message"] for row in db.execute("SELECT message FROM jobs WHERE kind = 'propose'")]
    assert len(messages) == 1
    assert messages[0] != "2 failed."


def test_an_unknown_price_is_said_in_words(app: OpenPage, store: Store, lead: Marker) -> None:
    exam_id, [row] = add_exam(store, [["a"]])
    judge_id = llm(store, exam_id)
    run_id = a_run(store, exam_id, judge_id, "done", "1 failed.")
    failed(store, row[0], judge_id, run_id, None)
    at = app(PAGE, lead)
    assert figures(at)["Cost"] == "not known"
    assert "assets/prices.toml does not have cheap-2026-01-02" in texts(at)


def test_a_broken_price_file_is_told(app: OpenPage, store: Store, lead: Marker, price_file: Path) -> None:
    add_exam(store, [["x"]])
    price_file.write_text("[models\n# broken")
    at = app(PAGE, lead)
    assert not at.exception
    assert "cannot be read" in texts(at)


def test_many_runs_are_shown_in_parts(app: OpenPage, store: Store, lead: Marker) -> None:
    exam_id, _ = add_exam(store, [["x"]])
    for i in range(23):
        a_run(store, exam_id, default_judges(store)[1], "done", f"Run {i}.")
    at = app(PAGE, lead)
    assert "Run 22." in texts(at)
    assert "Run 2." not in texts(at)
    press(at, "Show older runs")
    assert "Run 2." in texts(at)
    assert "Show older runs" not in labels(at)


def open_panel(at: AppTest) -> None:
    at.session_state["start_a_run"] = True
    at.run()


def runs_of(store: Store) -> list[Run]:
    with store.read() as db:
        return runs.listed(db, datetime.now(UTC))


def wait_for(at: AppTest, store: Store, status: str) -> Run:
    """The only run, once the app's own worker has brought it to this status; the page as it is then."""
    deadline = time.monotonic() + 20
    while [run.status for run in runs_of(store)] != [status] and time.monotonic() < deadline:
        at.run()
    at.run()
    assert not at.exception
    [run] = runs_of(store)
    assert run.status == status, run.message
    return run


def model(store: Store, base_url: str = "http://127.0.0.1:9/v1", name: str = "cheap", **endpoint: Any) -> int:
    """A language model that the app connects by itself, as it needs no key."""
    return Connections().connect(store, Endpoint(base_url, name, **endpoint), "")


def test_a_run_of_some_questions_is_started_and_done(app: OpenPage, store: Store, lead: Marker) -> None:
    exam_id, [_, second] = add_exam(store, [["the enzyme is denatured"], ["it melts"]])
    with store.read() as db:
        question = exams.questions(db, exam_id)[1]
    at = app(PAGE, lead)
    assert "This judge has not proposed on 2 responses yet." in texts(at)
    assert "costs nothing" in texts(at)
    at.multiselect(key=f"run_questions_{exam_id}").select(question.id).run()
    assert "This judge has not proposed on 1 response yet." in texts(at)
    press(at, "Start")
    assert "1 of 2 questions" in texts(at)
    assert "Start" not in labels(at)  # the panel closes, so that the new run is seen
    run = wait_for(at, store, "done")
    assert (run.judge_id, run.chosen, run.total) == (default_judges(store)[1], 1, 1)
    assert "Done, 1 of 1" in texts(at)
    with store.read() as db:
        proposed = [row["response_id"] for row in db.execute("SELECT response_id FROM proposals")]
    assert proposed == second


def test_a_run_beside_the_desk_leaves_its_judge_there(app: OpenPage, store: Store, lead: Marker) -> None:
    exam_id, _ = add_exam(store, [["x"]])
    judge_id = model(store)
    at = app(PAGE, lead)
    at.selectbox(key=f"run_judge_{exam_id}").select(judge_id).run()
    at.toggle(key="run_on_desk").set_value(False).run()
    press(at, "Start")
    with store.read() as db:
        exam = exams.get(db, exam_id)
    assert exam is not None
    assert exam.judge_id == default_judges(store)[1]
    assert [run.judge_id for run in runs_of(store)] == [judge_id]


def test_examples_are_chosen_and_a_shortage_is_told(app: OpenPage, store: Store, lead: Marker) -> None:
    exam_id, [row] = add_exam(store, [["denatured", "melts", "dies"]])
    judge_id = model(store)
    with store.write() as db:
        exams.set_judge(db, exam_id, judge_id, None)
        decisions.record(db, row[0], lead.id, Outcome.MARK, Stage.BLIND, mark=1)
    at = app(PAGE, lead)
    assert at.toggle(key="run_grading").disabled
    at.segmented_control(key="run_shots").set_value(2).run()
    at.toggle(key="run_grading").set_value(False).run()
    assert "Fewer than 2 marked responses to show as examples: question 1 has 1." in texts(at)
    press(at, "Start")
    [run] = runs_of(store)
    assert (run.shots, run.grading) == (2, False)
    assert "2 examples" in texts(at)
    with store.read() as db:
        job = jobs.get(db, run.job_id)
    assert job is not None
    [[example]] = job.payload["chosen"].values()
    assert (example["response_id"], example["mark"], example["grading"]) == (row[0], 1, "")


def test_only_a_judge_that_reads_examples_is_offered_them(app: OpenPage, store: Store, lead: Marker) -> None:
    exam_id, _ = add_exam(store, [["x"]])
    published = model(store, protocol=Protocol.MEDLY)
    at = app(PAGE, lead)
    assert "only a language model by the full protocol is shown marked responses" in texts(at)
    assert not at.number_input  # the offline judge spends nothing
    at.selectbox(key=f"run_judge_{exam_id}").select(published).run()
    assert "a published prompt is asked as it was published" in texts(at)
    assert not at.segmented_control
    assert at.number_input(key="run_cap").value is None


@pytest.mark.parametrize(("name", "told"), [("cheap", "about $0."), ("mystery-7b", "The price is not known")])
def test_tokens_and_price_of_a_model_are_estimated_beforehand(
    app: OpenPage, store: Store, lead: Marker, name: str, told: str
) -> None:
    exam_id, _ = add_exam(store, [["a", "b", "c"]])
    judge_id = model(store, name=name)
    with store.write() as db:
        exams.set_judge(db, exam_id, judge_id, None)
    at = app(PAGE, lead)
    assert not at.exception
    assert "Estimate: about" in texts(at)
    assert told in texts(at)
    assert "only an estimate" in texts(at)


def test_an_edited_price_counts_at_once(app: OpenPage, store: Store, lead: Marker, price_file: Path) -> None:
    exam_id, _ = add_exam(store, [["a", "b", "c"]])
    judge_id = model(store, name="mystery-7b")
    with store.write() as db:
        exams.set_judge(db, exam_id, judge_id, None)
    at = app(PAGE, lead)
    assert "The price is not known" in texts(at)
    price_file.write_text('[models]\n"mystery-7b" = { input = 10, output = 40 }\n')
    at.run()
    assert "The price is not known" not in texts(at)
    assert "at the prices in assets/prices.toml" in texts(at)


def test_a_cap_for_a_model_of_unknown_price_is_refused_in_words(app: OpenPage, store: Store, lead: Marker) -> None:
    exam_id, _ = add_exam(store, [["a"]])
    judge_id = model(store, name="mystery-7b")
    with store.write() as db:
        exams.set_judge(db, exam_id, judge_id, None)
    at = app(PAGE, lead)
    at.number_input(key="run_cap").set_value(5.0).run()
    assert "A spending cap needs a price" in texts(at)
    press(at, "Start")
    assert "The price of mystery-7b is not known, so no spending cap can be kept" in at.error[0].value.replace("\\", "")
    assert runs_of(store) == []


def test_a_run_stopped_at_its_cap_goes_on_with_a_higher_one(app: OpenPage, store: Store, lead: Marker) -> None:
    exam_id, _ = add_exam(store, [[f"it is denatured, no. {i}" for i in range(8)]])
    with model_server(lambda words: completion(GOOD, MODEL, 1000, 200)) as base_url:
        judge_id = model(store, base_url, MODEL)
        with store.write() as db:
            exams.set_judge(db, exam_id, judge_id, None)
        at = app(PAGE, lead)
        at.number_input(key="run_cap").set_value(0.01).run()
        press(at, "Start")
        # Each costs $0.0018, and three times that is set aside: after three, $0.0054 + $0.0054 is above the cap.
        stopped = wait_for(at, store, "failed")
        assert stopped.took.made == 3
        assert "Stopped at the spending cap: $0.0054 of $0.01 is spent" in texts(at)
        assert "all questions · cap $0.01" in texts(at)
        cap = at.number_input(key=f"cap_{stopped.job_id}")
        assert cap.value == 0.02
        cap.set_value(1.0).run()
        press(at, "Resume")
        ended = wait_for(at, store, "done")
    assert (ended.job_id, ended.cap, ended.took.made) == (stopped.job_id, 1.0, 8)
    assert ended.took.price == pytest.approx(8 * 0.0018)


def test_a_run_is_paused_and_goes_on(app: OpenPage, store: Store, lead: Marker) -> None:
    exam_id, _ = add_exam(store, [["x"]])
    run_id = a_run(store, exam_id, llm(store, exam_id), "running")
    at = app(PAGE, lead)
    press(at, "Pause")
    [run] = runs_of(store)
    assert (run.id, run.paused) == (run_id, True)
    at.run()
    assert "Paused at 2 of 5" in texts(at)
    assert "Pause" not in labels(at)
    assert "Cancel" in labels(at)
    press(at, "Go on")
    [run] = runs_of(store)
    assert not run.paused


def test_two_runs_at_once_on_one_exam_are_both_shown(app: OpenPage, store: Store, lead: Marker) -> None:
    exam_id, _ = add_exam(store, [["x"]])
    for name in ("cheap", "dear"):
        judge_id = llm(store, exam_id, name)
        with store.write() as db:
            job_id = jobs.add(db, "propose", {"exam_id": exam_id, "judge_id": judge_id})
            jobs.claim(db, "worker")
            runs.begin(db, exam_id, judge_id, job_id)
            jobs.beat(db, job_id, "worker", len(name), 9)
    at = app(PAGE, lead)
    assert not at.exception
    assert "cheap somewhere" in texts(at)
    assert "5 of 9" in texts(at)
    assert "dear somewhere" in texts(at)
    assert "4 of 9" in texts(at)
    assert labels(at).count("Pause") == 2


def test_by_subject_and_every_proposal_are_read_when_opened(app: OpenPage, store: Store, lead: Marker) -> None:
    questions = [
        (question.model_copy(update={"subject": subject}), scheme)
        for subject, (question, scheme) in zip(("Biology", "Physics"), map(two_point_question, ("1", "2")), strict=True)
    ]
    exam_id, [biology, physics] = add_exam(store, [["a", "b"], ["c", "d"]], questions=questions)
    judge_id = llm(store, exam_id)
    run_id = a_run(store, exam_id, judge_id, "done", "3 failed.")
    for response_id, price in ((biology[0], 0.001), (biology[1], 0.002), (physics[0], 0.004)):
        failed(store, response_id, judge_id, run_id, price)
    [run] = runs_of(store)
    at = app(PAGE, lead)
    together = at.dataframe[-1].value
    assert together["Subject"].tolist() == ["Biology", "Physics"]
    at.session_state[f"subjects_{run.job_id}_{run_id}"] = True
    at.session_state[f"proposals_{run.job_id}_{run_id}"] = True
    at.run()
    assert not at.exception
    _, by_subject, proposed, _ = (each.value for each in at.dataframe)
    assert by_subject["Subject"].tolist() == ["Biology", "Physics"]
    assert by_subject["Responses"].tolist() == [2, 1]
    assert by_subject["Cost"].tolist() == ["$0.0030", "$0.0040"]
    assert by_subject["Cost per 1,000"].tolist() == ["$1.50", "$4.00"]
    assert by_subject["Time"].tolist() == ["4.0 s", "2.0 s"]
    assert proposed["Question"].tolist() == ["2", "1", "1"]
    assert proposed["Outcome"].tolist() == ["failed"] * 3
    assert proposed["US dollars"].tolist() == [0.004, 0.002, 0.001]
    assert proposed["Tokens sent"].tolist() == [1000] * 3


def test_a_disconnected_judge_is_not_offered_and_an_imported_one_is_for_the_desk(
    app: OpenPage, store: Store, lead: Marker
) -> None:
    exam_id, _ = add_exam(store, [["x"]])
    with store.write() as db:
        judges.ensure(db, "Gone model", judges.LLM, "gone")
        imported = judges.ensure(db, "Another tool", judges.IMPORTED)
    at = app(PAGE, lead)
    choice = at.selectbox(key=f"run_judge_{exam_id}")
    assert choice.options == ["Offline matcher", "Another tool"]
    choice.select(imported).run()
    assert "This judge's marks were imported, so it is never asked and costs nothing." in texts(at)
    press(at, "Start")
    wait_for(at, store, "done")
    assert "Costs nothing: this judge's marks were imported" in texts(at)
    with store.read() as db:
        exam = exams.get(db, exam_id)
    assert exam is not None
    assert exam.judge_id == imported

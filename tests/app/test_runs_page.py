"""The runs page, and what the judges page says before a run is started."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.judge import prices
from components.judge.llm import Endpoint
from components.marking import Marker, Proposal, ProposalStatus, Role, Usage
from components.workflow.connections import Connections, default_judges
from storage import Store, exams, jobs, judges, proposals, responses, runs
from tests.support import add_exam, add_marker

PAGE, JUDGES = "pages/pilot/runs.py", "pages/pilot/judges.py"
OpenPage = Callable[..., AppTest]


@pytest.fixture
def lead(store: Store) -> Marker:
    return add_marker(store, "Dr Li", Role.PILOT)


@pytest.fixture(autouse=True)
def price_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "prices.toml"
    file.write_text('[models]\n"cheap" = { input = 1, output = 4 }\n')
    monkeypatch.setattr(prices, "PRICES", file)
    return file


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


def test_without_a_run_the_page_leads_to_the_judges(app: OpenPage, store: Store, lead: Marker) -> None:
    add_exam(store, [["x"]])
    at = app(PAGE, lead)
    assert not at.exception
    assert "No judge has been asked about an exam" in at.info[0].value
    press(at, "Go to the judges")
    assert at.title[0].value == "Judges"


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
    assert "Resume" not in labels(at)


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
    assert figures(at) == {"Proposals made": "2", "Cost": "$0.0030", "Cost per 1,000 responses": "$1.50"}
    assert "2,000 tokens sent and 400 received in 4.0 s of the judge's time" in texts(at)
    assert at.expander[0].label == "2 responses failed"
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


def test_the_judges_page_says_beforehand_what_a_run_would_take(app: OpenPage, store: Store, lead: Marker) -> None:
    add_exam(store, [["a", "b", "c"]])
    at = app(JUDGES, lead)
    assert not at.exception
    said = "This judge has not proposed on 3 responses yet. It asks no language model, so it costs nothing."
    assert said in texts(at)


@pytest.mark.parametrize(("model", "told"), [("cheap", "about $0."), ("mystery-7b", "The price is not known")])
def test_the_judges_page_estimates_tokens_and_price_of_a_model(
    app: OpenPage, store: Store, lead: Marker, model: str, told: str
) -> None:
    exam_id, _ = add_exam(store, [["a", "b", "c"]])
    judge_id = Connections().connect(store, Endpoint("http://127.0.0.1:9/v1", model), "")
    with store.write() as db:
        exams.set_judge(db, exam_id, judge_id, None)
    at = app(JUDGES, lead)
    assert not at.exception
    assert "Estimate: about" in texts(at)
    assert told in texts(at)
    assert "only an estimate" in texts(at)

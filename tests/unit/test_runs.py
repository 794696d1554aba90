"""Runs: a row for each propose job, what it took, what failed, and going on without asking twice."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from components.judge import prices
from components.judge.llm import Endpoint
from components.marking import ChoiceKey, Question, QuestionType, Scheme
from components.workflow.estimate import estimate, tokens
from components.workflow.judging import Connections, choose_judge, default_judges, go_on
from components.workflow.worker import Worker
from pages.pilot import run_words
from storage import Store, jobs, runs
from storage.runs import Run, Took
from tests.model_server import completion, model_server
from tests.support import add_exam, add_marker, new_store, two_point_question

MODEL = "cheap-2026-01-02"
GOOD = {
    "points": [
        {"code": code, "evidence": ["denatured"], "reason": "Said.", "awarded": True, "not_sure": False}
        for code in ("M1", "A1")
    ]
}
ANSWERS = [f"it is denatured, no. {i}" for i in range(6)]
CHOICE = (
    Question(number="2", type=QuestionType.SINGLE_CHOICE, text="Which?", max_mark=1),
    Scheme(max_mark=1, choice=ChoiceKey(options={"A": "x", "B": "y"}, correct=("B",))),
)


@pytest.fixture(autouse=True)
def price_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """$1 a million tokens in, $4 out."""
    file = tmp_path / "prices.toml"
    file.write_text('[models]\n"cheap" = { input = 1, output = 4 }\n')
    monkeypatch.setattr(prices, "PRICES", file)


class Model:
    """Replies to each answer as the test's function says, and keeps what it was asked about, in order."""

    def __init__(self, reply: Callable[[str, int], tuple[int, dict[str, Any]]] | None = None) -> None:
        self.asked: list[str] = []
        self.reply = reply or (lambda answer, times: completion(GOOD, MODEL, 1000, 200))
        self._lock = Lock()

    def __call__(self, words: str) -> tuple[int, dict[str, Any]]:
        found = re.search(r"<answer>\n(.*)\n</answer>", words)
        with self._lock:
            self.asked.append(found[1] if found else "asked again")
            times = len(self.asked)
        return self.reply(self.asked[times - 1], times)


def connect(store: Store, connections: Connections, base_url: str, model: str = MODEL) -> int:
    return connections.connect(store, Endpoint(base_url, model), "")


def the_run(store: Store) -> Run:
    with store.read() as db:
        [run] = runs.listed(db, datetime.now(UTC))
    return run


def start(store: Store, connections: Connections, exam_id: int, judge_id: int) -> Run:
    choose_judge(store, exam_id, judge_id, add_marker(store))
    assert Worker(store, connections).do_one()
    return the_run(store)


def test_a_run_sums_what_its_model_took(tmp_path: Path) -> None:
    store, model, connections = new_store(tmp_path), Model(), Connections()
    exam_id, _ = add_exam(store, [[*ANSWERS[:3], " "], ["A", "B", "B", "A"]], questions=[two_point_question(), CHOICE])
    with model_server(model) as base_url:
        run = start(store, connections, exam_id, connect(store, connections, base_url))
    assert (run.exam, run.judge_kind, run.status, run.done, run.total) == ("Test exam", "llm", "done", 8, 8)
    assert len(model.asked) == 3
    # Each of three asked: 1,000 × $1/M + 200 × $4/M = $0.0018. The blank one is free, and so are the four by rule.
    assert run.took.price == pytest.approx(0.0054)
    assert run.took.per_thousand == pytest.approx(1.35)  # $0.0054 / 4 × 1,000
    assert (run.took.made, run.took.asked, run.took.unpriced) == (8, 4, 0)
    assert (run.took.tokens_in, run.took.tokens_out) == (3000, 600)
    assert run.took.seconds > 0
    assert run_words.cost(run) == "$0.0054"
    assert run_words.cost_per_thousand(run.took) == "$1.35"
    with store.read() as db:
        named = db.execute("SELECT DISTINCT run_id FROM proposals").fetchall()
    assert [row["run_id"] for row in named] == [run.id]


@pytest.mark.parametrize(
    ("model", "tokens_in", "told"), [("mystery-7b", 1000, "mystery-7b"), (MODEL, 0, "reported no tokens")]
)
def test_an_unknown_price_is_said_and_never_taken_for_nothing(
    tmp_path: Path, model: str, tokens_in: int, told: str
) -> None:
    store, connections = new_store(tmp_path), Connections()
    exam_id, _ = add_exam(store, [ANSWERS[:2]])
    with model_server(Model(lambda answer, times: completion(GOOD, model, tokens_in))) as base_url:
        run = start(store, connections, exam_id, connect(store, connections, base_url))
    assert (run.took.unpriced, run.took.per_thousand) == (2, None)
    assert run_words.cost(run) == "not known"
    assert told in run_words.cost_note(run)


def test_the_offline_judge_costs_nothing_and_says_so(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, _ = add_exam(store, [ANSWERS])
    run = start(store, Connections(), exam_id, default_judges(store)[1])
    assert (run.took.made, run.took.asked, run.took.price) == (6, 0, 0)
    assert run_words.cost(run) == "$0.00"
    assert run_words.cost_note(run) == "Costs nothing: no language model is asked."


def test_a_stopped_run_goes_on_as_the_same_run_and_pays_for_nothing_twice(tmp_path: Path) -> None:
    store, connections = new_store(tmp_path), Connections()
    exam_id, _ = add_exam(store, [ANSWERS])

    def key_expires(answer: str, times: int) -> tuple[int, dict[str, Any]]:
        if times > 4:
            return 401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}
        return completion(GOOD, MODEL, 1000, 200)

    model = Model(key_expires)
    with model_server(model) as base_url:
        stopped = start(store, connections, exam_id, connect(store, connections, base_url))
        assert (stopped.status, stopped.newest, stopped.took.made) == ("failed", True, 4)
        paid = model.asked[:4]
        model.asked.clear()
        model.reply = lambda answer, times: completion(GOOD, MODEL, 1000, 200)
        assert go_on(store, stopped.job_id)
        assert Worker(store, connections).do_one()
        assert sorted(model.asked + paid) == ANSWERS
        ended = the_run(store)
        assert (ended.id, ended.job_id, ended.status) == (stopped.id, stopped.job_id, "done")
        assert (ended.done, ended.total, ended.took.made) == (6, 6, 6)
        assert ended.took.price == pytest.approx(6 * 0.0018)
        assert go_on(store, stopped.job_id)
        assert Worker(store, connections).do_one()
    assert len(model.asked) == 2
    assert the_run(store).took.made == 6


def test_failures_are_named_and_a_retry_asks_those_alone(tmp_path: Path) -> None:
    store, connections = new_store(tmp_path), Connections()
    exam_id, [row] = add_exam(store, [ANSWERS[:3]])

    def babbles(answer: str, times: int) -> tuple[int, dict[str, Any]]:
        bad = answer in (ANSWERS[1], "asked again")
        return completion("I would rather not." if bad else GOOD, MODEL, 1000, 200)

    model = Model(babbles)
    with model_server(model) as base_url:
        run = start(store, connections, exam_id, connect(store, connections, base_url))
        assert run.status == "done"
        assert run.id is not None
        with store.read() as db:
            [failure] = runs.failures(db, run.id)
        assert (failure.response_id, failure.question, failure.candidate) == (row[1], "1", "0002")
        assert "could not be used" in failure.reason
        assert run.took.price == pytest.approx(5 * 0.0018)  # two good replies, and three for the one that failed
        model.asked.clear()
        model.reply = lambda answer, times: completion(GOOD, MODEL, 1000, 200)
        assert go_on(store, run.job_id)
        assert Worker(store, connections).do_one()
    assert model.asked == [ANSWERS[1]]
    with store.read() as db:
        assert runs.failures(db, run.id) == []
    again = the_run(store)
    assert (again.took.made, again.took.asked) == (4, 3)
    assert again.took.price == pytest.approx(6 * 0.0018)
    assert again.took.per_thousand == pytest.approx(3.6)  # $0.0108 for 3 responses, retries included


def test_a_run_that_another_has_replaced_does_not_go_on(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    _, offline = default_judges(store)
    marker = add_marker(store)
    exam_id, _ = add_exam(store, [ANSWERS])
    first = choose_judge(store, exam_id, offline, marker)
    second = choose_judge(store, exam_id, offline, marker)
    assert not go_on(store, first)
    with store.write() as db:
        jobs.cancel(db, second)
        newest = {run.job_id: (run.status, run.newest) for run in runs.listed(db, datetime.now(UTC))}
    assert newest == {first: ("cancelled", False), second: ("cancelled", True)}
    assert go_on(store, second)
    assert Worker(store, Connections()).do_one()
    with store.read() as db:
        statuses = {run.job_id: run.status for run in runs.listed(db, datetime.now(UTC))}
    assert statuses == {first: "cancelled", second: "done"}


MOMENT = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
GOING = Run(
    id=1, job_id=1, exam_id=1, exam="Mock", judge="m", judge_kind="llm", model="m", status="running", done=15, total=60,
    message="Question 3", created_at=MOMENT, started_at=MOMENT - timedelta(seconds=30), finished_at=None, newest=True,
    took=Took(made=15, asked=15, recent=15),
)  # fmt: skip


def test_rate_and_time_left_are_those_of_the_last_minute() -> None:
    # 15 in the 30 s since it began are 30 a minute; the other 45 take a minute and a half.
    assert GOING.per_minute(MOMENT) == pytest.approx(30)
    assert GOING.seconds_left(MOMENT) == pytest.approx(90)
    assert run_words.pace(GOING, MOMENT) == "15 of 60 · Question 3 · 30 a minute · about 1 min 30 s left"
    long_ago = replace(GOING, started_at=MOMENT - timedelta(hours=1))
    assert long_ago.per_minute(MOMENT) == pytest.approx(15)
    assert replace(GOING, took=Took()).per_minute(MOMENT) is None
    assert replace(GOING, status="done").seconds_left(MOMENT) is None
    waiting = replace(GOING, status="queued", done=0, total=0)
    assert run_words.pace(waiting, MOMENT) == "Waiting for its turn"


def test_what_was_made_before_a_pause_does_not_count_towards_the_rate(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    _, offline = default_judges(store)
    exam_id, _ = add_exam(store, [ANSWERS])
    run = start(store, Connections(), exam_id, offline)
    assert run.took.recent == 6
    with store.write() as db:
        assert runs.begin(db, exam_id, offline, run.job_id) == run.id
    assert the_run(store).took.recent == 0


def test_sums_of_money_and_time_read_as_a_person_writes_them() -> None:
    assert [run_words.dollars(each) for each in (0, 0.00001, 0.0054, 1.35, 1234.5)] == [
        "$0.00", "less than $0.0001", "$0.0054", "$1.35", "$1,234.50",
    ]  # fmt: skip
    assert [run_words.duration(each) for each in (0.44, 45, 59.7, 200, 7500)] == [
        "0.4 s", "45 s", "1 min 0 s", "3 min 20 s", "2 h 5 min",
    ]  # fmt: skip


def test_the_estimate_counts_what_the_judge_has_not_seen(tmp_path: Path) -> None:
    store, model, connections = new_store(tmp_path), Model(), Connections()
    exam_id, _ = add_exam(store, [[*ANSWERS[:3], " "], ["A", "B", "B", "A"]], questions=[two_point_question(), CHOICE])
    with model_server(model) as base_url:
        judge_id = connect(store, connections, base_url)
        before = estimate(store, connections, exam_id, judge_id)
        assert before is not None
        assert (before.unseen, before.by_rule, before.sent) == (4, 4, 3)
        assert before.tokens_out == 3 * (30 + 2 * 70)
        assert before.price == pytest.approx((before.tokens_in + 4 * before.tokens_out) / 1e6)
        said = run_words.estimate_text(before)
        assert "has not proposed on 4 responses" in said
        assert "Estimate: about" in said
        assert "1 of them is blank" in said
        start(store, connections, exam_id, judge_id)
        after = estimate(store, connections, exam_id, judge_id)
    assert after is not None
    assert after.unseen == 0
    assert "nothing would be asked" in run_words.estimate_text(after)


def test_the_estimate_grows_by_a_token_for_four_characters(tmp_path: Path) -> None:
    assert [tokens(text) for text in ("", "a", "abcd", "abcde", "酶变性了")] == [0, 1, 1, 2, 3]
    store, connections = new_store(tmp_path), Connections()
    short, _ = add_exam(store, [["x" * 4]])
    long, _ = add_exam(store, [["x" * 404]], title="Long")
    judge_id = connect(store, connections, "http://127.0.0.1:9/v1", "mystery-7b")
    first, second = (estimate(store, connections, exam_id, judge_id) for exam_id in (short, long))
    assert first is not None
    assert second is not None
    assert second.tokens_in - first.tokens_in == 100
    assert first.price is None
    assert "The price is not known: assets/prices.toml does not have mystery-7b." in run_words.estimate_text(first)


def test_the_estimate_of_a_judge_that_sends_nothing_is_nothing(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, _ = add_exam(store, [ANSWERS])
    ahead = estimate(store, Connections(), exam_id, default_judges(store)[1])
    assert ahead is not None
    assert run_words.estimate_text(ahead) == (
        "This judge has not proposed on 6 responses yet. It asks no language model, so it costs nothing."
    )

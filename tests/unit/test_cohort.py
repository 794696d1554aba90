"""Runs over cohorts: nothing paid twice after a crash, fair shares, caps, pausing, samples, exemplars."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from components.judge import prices
from components.judge.llm import Endpoint, apart
from components.marking import Confidence, ProposalStatus
from components.workflow import cohort
from components.workflow.cohort import RunError, RunOptions, go_on
from components.workflow.connections import Connections
from components.workflow.worker import Worker
from storage import Store, jobs, judges, proposals
from tests.kill_and_resume import kill_and_resume
from tests.model_server import completion, model_server, serving
from tests.support import add_exam, add_marker, new_store, start_run

MODEL = "cheap-2026-01-02"


@pytest.fixture(autouse=True)
def price_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """$1 a million tokens in, $4 out."""
    file = tmp_path / "prices.toml"
    file.write_text('[models]\n"cheap" = { input = 1, output = 4 }\n"mine" = { input = 0, output = 0 }\n')
    monkeypatch.setattr(prices, "PRICES", file)


def good(*awarded: str) -> dict[str, Any]:
    return {
        "points": [
            {"code": code, "evidence": ["denatured"], "reason": "Said.", "awarded": code in awarded, "not_sure": False}
            for code in ("M1", "A1")
        ]
    }


def connect(store: Store, connections: Connections, base_url: str, **settings: Any) -> int:
    model = settings.pop("model", MODEL)
    return connections.connect(store, Endpoint(base_url, model, **settings), "")


def answers(count: int) -> list[str]:
    return [f"it is denatured, no. {i}" for i in range(count)]


def work(store: Store, connections: Connections, job_id: int) -> jobs.Job:
    assert Worker(store, connections).do_one()
    with store.read() as db:
        job = jobs.get(db, job_id)
    assert job is not None
    return job


def made(store: Store, response_id: int) -> list[proposals.StoredProposal]:
    with store.read() as db:
        rows = db.execute("SELECT id FROM proposals WHERE response_id = ? ORDER BY id", (response_id,)).fetchall()
        return [proposals.get(db, row["id"]) for row in rows]


# --- After a crash --------------------------------------------------------------------------------------------------


def test_a_run_resumed_after_kill_9_asks_no_response_twice_unless_a_person_retries(tmp_path: Path) -> None:
    outcome = kill_and_resume(tmp_path, 300, latency=0.05, at_once=16, kill_after=100)
    assert outcome.stored_at_kill < 300
    assert set(outcome.asked.values()) == {1}
    # What was with the model at the kill is failed, and said so: out, about to go out, or back a moment ago.
    assert 0 < len(outcome.lost) <= 60
    assert set(outcome.again) == outcome.lost
    assert set(outcome.again.values()) == {1}
    assert outcome.unproposed == 0


# --- Two at once ----------------------------------------------------------------------------------------------------


class Gate:
    """A server that answers only when it is let, and counts what it is asked by exam."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.order: list[str] = []
        self._lock = threading.Lock()
        self.most, self._now = 0, 0

    def __call__(self, words: str) -> tuple[int, dict[str, Any]]:
        found = re.search(r"(first|second) exam", words)
        assert found is not None
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
            self.order.append(found[1])
        threading.Event().wait(0.01)
        with self._lock:
            self._now -= 1
        return completion(good("M1"), MODEL, 1000, 200)


def test_two_runs_of_one_judge_get_equal_shares_and_keep_its_limit_together(tmp_path: Path) -> None:
    store, connections, gate = new_store(tmp_path), Connections(), Gate()
    exams = [
        add_exam(store, [[f"{name} exam, no. {i}" for i in range(60)]], title=name)[0] for name in ("first", "second")
    ]
    with model_server(gate) as base_url:
        judge_id = connect(store, connections, base_url, at_once=4)
        started = [start_run(store, exam_id, judge_id) for exam_id in exams]
        worker = Worker(store, connections)
        worker.start()
        wait_for(lambda: all(status(store, job_id) == "done" for job_id in started))
        worker.stop()
    assert gate.most <= 4
    both = gate.order[10:80]  # past the first moments, when one run may be alone, and before either ends
    assert 0.4 <= both.count("first") / len(both) <= 0.6


def status(store: Store, job_id: int) -> str:
    with store.read() as db:
        job = jobs.get(db, job_id)
    assert job is not None
    return job.status


def wait_for(come: Callable[[], bool]) -> None:
    deadline = threading.Event()
    for _ in range(600):
        if come():
            return
        deadline.wait(0.05)
    raise AssertionError("it did not come about within half a minute")


# --- Pausing and caps -----------------------------------------------------------------------------------------------


def test_a_paused_run_asks_nothing_more_until_it_goes_on(tmp_path: Path) -> None:
    store, connections = new_store(tmp_path), Connections()
    exam_id, _ = add_exam(store, [answers(60)])
    asked: list[str] = []
    job_id = 0

    def reply(words: str) -> tuple[int, dict[str, Any]]:
        asked.append(words)
        if len(asked) == 5:
            with store.write() as db:
                jobs.pause(db, job_id)
        threading.Event().wait(0.02)
        return completion(good("M1"), MODEL, 1000, 200)

    with model_server(reply) as base_url:
        job_id = start_run(store, exam_id, connect(store, connections, base_url, at_once=1))
        paused = work(store, connections, job_id)
        assert paused.status == "queued"
        assert not Worker(store, connections).do_one()  # no worker takes it
        before = len(asked)
        assert before < 60
        go_on(store, job_id)
        assert work(store, connections, job_id).status == "done"
    assert len(asked) == 60


def test_a_run_never_spends_past_its_cap_and_goes_on_with_a_higher_one(tmp_path: Path) -> None:
    store, connections = new_store(tmp_path), Connections()
    exam_id, [row] = add_exam(store, [answers(60)])
    asked: list[str] = []

    def reply(words: str) -> tuple[int, dict[str, Any]]:
        asked.append(words)
        return completion(good("M1"), MODEL, 1000, 200)  # $0.0018

    with model_server(reply) as base_url:
        job_id = start_run(store, exam_id, connect(store, connections, base_url, at_once=8), cap=0.05)
        stopped = work(store, connections, job_id)
        spent = 0.0018 * len(asked)
        assert stopped.status == "failed"
        assert f"Stopped at the spending cap: ${spent:.4f} of $0.05" in stopped.message
        # Three times the dearest reply is kept back for re-asking: 0.05 - 3 × 0.0018 = 0.0446, which is 24 replies.
        assert 0.0446 - 0.0018 <= spent <= 0.05
        go_on(store, job_id, cap=1.0)
        assert work(store, connections, job_id).status == "done"
    assert len(asked) == 60
    assert all(len(made(store, response)) == 1 for response in row)


def test_a_cap_needs_a_known_price(tmp_path: Path) -> None:
    store, connections = new_store(tmp_path), Connections()
    exam_id, _ = add_exam(store, [answers(1)])
    judge_id = connect(store, connections, "http://127.0.0.1:9/v1", model="mystery-7b")
    options = RunOptions(exam_id=exam_id, judge_id=judge_id, cap=5)
    with pytest.raises(RunError, match=r"price of mystery-7b is not known.*assets/prices.toml"):
        cohort.start(store, options, add_marker(store), on_desk=True)
    with store.read() as db:
        assert jobs.active(db) == []
    mine = connect(store, connections, "http://127.0.0.1:9/v1", model="mine")
    assert cohort.start(store, options.model_copy(update={"judge_id": mine}), None, on_desk=True)


# --- One bad response, chosen questions, another judge ----------------------------------------------------------------


def test_one_bad_response_never_stops_a_run(tmp_path: Path) -> None:
    store, connections = new_store(tmp_path), Connections()
    exam_id, [row] = add_exam(store, [["it is denatured", "this one breaks the server", *answers(8)]])

    def reply(words: str) -> tuple[int, dict[str, Any]]:
        if "breaks the server" in words:
            return 400, {"error": {"message": "the request is not to my liking"}}
        return completion(good("M1"), MODEL, 1000, 200)

    with model_server(reply) as base_url:
        job_id = start_run(store, exam_id, connect(store, connections, base_url))
        assert work(store, connections, job_id).status == "done"
    [bad] = made(store, row[1])
    assert bad.proposal.status is ProposalStatus.FAILED
    assert "refused the request (400): the request is not to my liking" in bad.proposal.reason
    assert [made(store, response)[0].proposal.mark for response in row[2:]] == [1.0] * 8


def test_only_the_chosen_questions_are_asked_about(tmp_path: Path) -> None:
    store, connections = new_store(tmp_path), Connections()
    exam_id, [first, second] = add_exam(store, [answers(3), answers(3)])
    with store.read() as db:
        chosen = int(db.execute("SELECT question_id FROM responses WHERE id = ?", (second[0],)).fetchone()[0])
    with model_server(lambda words: completion(good("M1"), MODEL, 1000, 200)) as base_url:
        job_id = start_run(store, exam_id, connect(store, connections, base_url), questions=(chosen,))
        job = work(store, connections, job_id)
    assert (job.done, job.total) == (3, 3)
    assert [len(made(store, response)) for response in (*first, *second)] == [0, 0, 0, 1, 1, 1]


def test_a_run_beside_the_desk_leaves_the_desks_judge_as_it_is(tmp_path: Path) -> None:
    store, connections = new_store(tmp_path), Connections()
    exam_id, [row] = add_exam(store, [answers(2)])
    with model_server(lambda words: completion(good("M1"), MODEL, 1000, 200)) as base_url:
        judge_id = connect(store, connections, base_url)
        cohort.start(store, RunOptions(exam_id=exam_id, judge_id=judge_id), None, on_desk=False)
        assert Worker(store, connections).do_one()
    assert [each.judge_id for each in made(store, row[0])] == [judge_id]
    with store.read() as db:
        shown = db.execute("SELECT proposal_id FROM standings WHERE response_id = ?", (row[0],)).fetchone()[0]
    assert shown is None


# --- Samples --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("replies", "mark", "samples", "confidence"),
    [
        ([(), ("M1",), ("M1",)], 1, (0, 1, 1), Confidence.UNSURE),  # 0 to 1 is beyond a tolerance of 0
        ([("M1",), ("M1",), ("M1",)], 1, (1, 1, 1), Confidence.SURE),
        ([("M1", "A1"), (), ("M1",)], 1, (2, 0, 1), Confidence.UNSURE),
        ([("M1", "A1"), ("M1",)], 1, (2, 1), Confidence.UNSURE),  # of two the lower
    ],
)
def test_the_middle_of_several_samples_is_proposed_and_the_spread_kept(
    tmp_path: Path,
    replies: list[tuple[str, ...]],
    mark: float,
    samples: tuple[float, ...],
    confidence: Confidence,
) -> None:
    store, connections = new_store(tmp_path), Connections()
    exam_id, [row] = add_exam(store, [answers(1)])
    seeds: list[int] = []

    def reply(asked: dict[str, Any], headers: dict[str, str]) -> Any:
        from tests.model_server import Said

        seeds.append(asked["seed"])
        return Said(*completion(good(*replies[asked["seed"] - 7]), MODEL, 1000, 200))

    with serving(reply) as base_url:
        judge_id = connect(store, connections, base_url, samples=len(replies), seed=7)
        work(store, connections, start_run(store, exam_id, judge_id))
    [stored] = made(store, row[0])
    proposal = stored.proposal
    assert (proposal.mark, proposal.samples, proposal.confidence) == (mark, samples, confidence)
    assert sorted(seeds) == list(range(7, 7 + len(replies)))
    assert proposal.usage.tokens_in == 1000 * len(replies)
    assert proposal.usage.price == pytest.approx(0.0018 * len(replies))
    assert all(f"[sample {i}]" in proposal.usage.raw_reply for i in range(1, len(replies) + 1))


# --- Judges ---------------------------------------------------------------------------------------------------------


def test_what_an_endpoint_takes_is_found_out_once_and_kept_over_a_restart(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, _ = add_exam(store, [answers(12)])
    formats: list[str] = []

    def reply(asked: dict[str, Any], headers: dict[str, str]) -> Any:
        from tests.model_server import Said

        formats.append(asked.get("response_format", {}).get("type", "text"))
        if formats[-1] == "json_schema":
            return Said(400, {"error": {"message": "response_format json_schema is not supported"}})
        return Said(*completion(good("M1"), MODEL, 1000, 200))

    with serving(reply) as base_url:
        connections = Connections()
        judge_id = connect(store, connections, base_url, at_once=6)
        work(store, connections, start_run(store, exam_id, judge_id))
        assert Counter(formats) == {"json_schema": 1, "json_object": 12}
        with store.read() as db:
            found = judges.capabilities(db, base_url, MODEL)
        assert found is not None
        assert found["format"] == "json_object"
        formats.clear()
        again = Connections.from_environment(store)
        other, _ = add_exam(store, [answers(3)], title="Other")
        work(store, again, start_run(store, other, judge_id))
    assert formats == ["json_object"] * 3


def test_a_judge_never_changes_and_its_name_stays_its_own(tmp_path: Path) -> None:
    store, connections = new_store(tmp_path), Connections()
    judge_id = connect(store, connections, "http://127.0.0.1:9/v1", temperature=0.5)
    with store.read() as db:
        stored = judges.get(db, judge_id)
    assert stored is not None
    assert stored.name == f"{MODEL} at http://127.0.0.1:9/v1, temperature 0.5"
    assert connect(store, connections, "http://127.0.0.1:9/v1", temperature=0.5, at_once=2) == judge_id
    other = Endpoint("http://127.0.0.1:9/v1", MODEL, temperature=0.7)
    with pytest.raises(ValueError, match="already another judge called"):
        connections.connect(store, other, "", stored.name)
    with store.write() as db, pytest.raises(Exception, match="duplicate it"):
        db.execute("UPDATE judges SET settings = json_set(settings, '$.temperature', 1) WHERE id = ?", (judge_id,))


def test_the_limit_narrows_when_told_and_widens_again() -> None:
    from components.judge.llm.limiter import Limiter

    async def story() -> list[int]:
        limits = []
        limiter = Limiter(16)
        async with limiter.turn() as first, limiter.turn() as second:
            limiter.narrow(first, 0.0)
            limits.append(limiter.now)
            limiter.narrow(second, 0.0)  # it was out before the first refusal, so it is the same one
            limits.append(limiter.now)
        for _ in range(8):
            limiter.replied()
        limits.append(limiter.now)
        for _ in range(500):
            limiter.replied()
        return [*limits, limiter.now]

    assert apart(story()) == [8, 8, 9, 16]


def test_a_rate_limit_holds_the_others_too(tmp_path: Path) -> None:
    from tests.model_server import Said

    store, connections = new_store(tmp_path), Connections()
    exam_id, [row] = add_exam(store, [answers(6)])
    times: list[float] = []
    refused: list[float] = []

    def reply(asked: dict[str, Any], headers: dict[str, str]) -> Said:
        import time

        if len(times) == 1 and not refused:
            refused.append(time.monotonic())
            return Said(429, {"error": {"message": "slow down"}}, {"Retry-After": "0.4"})
        times.append(time.monotonic())
        return Said(*completion(good("M1"), MODEL, 1000, 200))

    with serving(reply) as base_url:
        work(store, connections, start_run(store, exam_id, connect(store, connections, base_url, at_once=2)))
    assert all(len(made(store, response)) == 1 for response in row)
    late = [moment for moment in times if moment > refused[0] + 0.05]
    assert min(late) >= refused[0] + 0.4  # what was out with it may come before


def test_exemplars_are_those_of_the_runs_start_and_recorded_by_id(tmp_path: Path) -> None:
    from components.workflow import desk
    from components.workflow.desk import Press, Walk

    store, connections = new_store(tmp_path), Connections()
    exam_id, [row] = add_exam(store, [["it is denatured, an example", *answers(2)]])
    marker = add_marker(store)
    press = Press(action="mark", action_id="1", marker_id=marker.id, response_id=row[0], mark=1)
    desk.act(store, marker, Walk(exam_id), press)
    asked: list[str] = []

    def reply(words: str) -> tuple[int, dict[str, Any]]:
        asked.append(words)
        return completion(good("M1"), MODEL, 1000, 200)

    with model_server(reply) as base_url:
        judge_id = connect(store, connections, base_url)
        work(store, connections, start_run(store, exam_id, judge_id))
        assert len(asked) == 3
        job_id = start_run(store, exam_id, judge_id, shots=2)
        press = Press(action="mark", action_id="2", marker_id=marker.id, response_id=row[1], mark=0)
        desk.act(store, marker, Walk(exam_id), press)  # after the start: no example of this run
        work(store, connections, job_id)
        # The example itself is judged without examples, which has been done before; the others are asked anew.
        assert len(asked) == 5
        assert sum("it is denatured, an example" in words for words in asked[3:]) == 2
        assert json.dumps(asked[3:]).count("it is denatured, no. 0") == 1
        go_on(store, job_id)
        work(store, connections, job_id)
    assert len(asked) == 5
    assert [each.proposal.exemplars for each in made(store, row[2])] == [(), (f"r{row[0]}",)]


# --- What a reviewer found ------------------------------------------------------------------------------------------


def test_a_run_let_go_on_while_replies_are_out_is_done_once_and_whole(tmp_path: Path) -> None:
    store, connections = new_store(tmp_path), Connections()
    exam_id, [row] = add_exam(store, [answers(30)])
    asked: list[str] = []
    job_id = 0

    def reply(words: str) -> tuple[int, dict[str, Any]]:
        asked.append(words)
        if len(asked) == 5:
            with store.write() as db:
                jobs.pause(db, job_id)
            go_on(store, job_id)  # while three others are still out
        threading.Event().wait(0.1)
        return completion(good("M1"), MODEL, 1000, 200)

    worker = Worker(store, connections)
    with model_server(reply) as base_url:
        judge_id = connect(store, connections, base_url, at_once=4)
        job_id = start_run(store, exam_id, judge_id)
        worker.start()
        wait_for(lambda: status(store, job_id) == "done")
        worker.stop()
    assert len(asked) == 30
    assert [[each.proposal.mark for each in made(store, response)] for response in row] == [[1.0]] * 30


def test_half_a_character_in_a_reply_does_not_cost_the_run(tmp_path: Path) -> None:
    store, connections = new_store(tmp_path), Connections()
    exam_id, [row] = add_exam(store, [answers(3)])
    broken = good("M1")
    broken["points"][0]["reason"] = "Said so \ud83d."
    with model_server(lambda words: completion(json.dumps(broken), MODEL, 1000, 200)) as base_url:
        job = work(store, connections, start_run(store, exam_id, connect(store, connections, base_url)))
    assert job.status == "done"
    assert made(store, row[0])[0].proposal.verdicts[0].reason == "Said so ?."


def test_a_cap_holds_over_resuming_where_the_server_reports_no_tokens(tmp_path: Path) -> None:
    store, connections = new_store(tmp_path), Connections()
    exam_id, _ = add_exam(store, [answers(60)])
    asked: list[str] = []

    def reply(words: str) -> tuple[int, dict[str, Any]]:
        asked.append(words)
        return completion(good("M1"), MODEL)

    with model_server(reply) as base_url:
        job_id = start_run(store, exam_id, connect(store, connections, base_url, at_once=8), cap=0.05)
        assert "Stopped at the spending cap" in work(store, connections, job_id).message
        first = len(asked)
        assert 0 < first < 60
        go_on(store, job_id)
        work(store, connections, job_id)
    assert len(asked) == first


def test_the_price_is_that_of_the_model_asked_for_where_the_servers_name_for_it_is_unknown(tmp_path: Path) -> None:
    store, connections = new_store(tmp_path), Connections()
    exam_id, [row] = add_exam(store, [answers(1)])
    with model_server(lambda words: completion(good("M1"), "something-else", 1000, 200)) as base_url:
        work(store, connections, start_run(store, exam_id, connect(store, connections, base_url)))
    assert made(store, row[0])[0].proposal.usage.price == pytest.approx(0.0018)


def test_one_flagged_answer_fails_alone(tmp_path: Path) -> None:
    store, connections = new_store(tmp_path), Connections()
    exam_id, [row] = add_exam(store, [["it is denatured, flagged", *answers(4)]])

    def reply(words: str) -> tuple[int, dict[str, Any]]:
        if "flagged" in words:
            return 403, {"error": {"message": "This model requires moderation and your input was flagged", "code": 403}}
        return completion(good("M1"), MODEL, 1000, 200)

    with model_server(reply) as base_url:
        job = work(store, connections, start_run(store, exam_id, connect(store, connections, base_url)))
    assert job.status == "done"
    assert "content filter refused" in made(store, row[0])[0].proposal.reason
    assert [made(store, response)[0].proposal.mark for response in row[1:]] == [1.0] * 4


def test_what_waits_for_its_turn_is_not_sent_after_a_cancel(tmp_path: Path) -> None:
    store, connections = new_store(tmp_path), Connections()
    exam_id, _ = add_exam(store, [answers(40)])
    asked: list[str] = []
    job_id = 0
    cancelled = threading.Event()

    def reply(words: str) -> tuple[int, dict[str, Any]]:
        asked.append(words)
        if len(asked) == 1:  # the first is alone, as it finds out what the endpoint takes: all others wait
            with store.write() as db:
                jobs.cancel(db, job_id)
            cancelled.wait(1.5)
        return completion(good("M1"), MODEL, 1000, 200)

    with model_server(reply) as base_url:
        job_id = start_run(store, exam_id, connect(store, connections, base_url, at_once=16))
        assert work(store, connections, job_id).status == "cancelled"
    assert len(asked) == 1


def test_samples_paid_before_the_judge_stopped_are_on_the_bill(tmp_path: Path) -> None:
    store, connections = new_store(tmp_path), Connections()
    exam_id, [row] = add_exam(store, [answers(1)])
    times: list[int] = []

    def reply(words: str) -> tuple[int, dict[str, Any]]:
        times.append(1)
        if len(times) == 3:
            return 401, {"error": {"message": "Incorrect API key provided"}}
        return completion(good("M1"), MODEL, 1000, 200)

    with model_server(reply) as base_url:
        judge_id = connect(store, connections, base_url, samples=3, at_once=1)
        job = work(store, connections, start_run(store, exam_id, judge_id))
    assert job.status == "failed"
    [failed] = made(store, row[0])
    assert failed.proposal.status is ProposalStatus.FAILED
    assert failed.proposal.usage.price == pytest.approx(2 * 0.0018)


def test_a_limit_told_inside_a_success_is_waited_out(tmp_path: Path) -> None:
    store, connections = new_store(tmp_path), Connections()
    exam_id, [row] = add_exam(store, [answers(2)])
    asked: list[str] = []

    def reply(words: str) -> tuple[int, dict[str, Any]]:
        asked.append(words)
        if len(asked) == 1:
            return 200, {"id": "c", "object": "error", "choices": [], "error": {"message": "Rate limit", "code": 429}}
        return completion(good("M1"), MODEL, 1000, 200)

    with model_server(reply) as base_url:
        work(store, connections, start_run(store, exam_id, connect(store, connections, base_url, at_once=1)))
    assert [made(store, response)[0].proposal.mark for response in row] == [1.0, 1.0]


def test_a_judge_that_took_the_environments_name_does_not_keep_the_app_from_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = new_store(tmp_path)
    other = Endpoint("http://127.0.0.1:9/v1", "m", samples=3)
    Connections().connect(store, other, None, "m at http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("SECOND_MARKER_MODEL", "m")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert Connections.from_environment(store)

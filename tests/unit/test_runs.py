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

from components.judge.llm import Endpoint
from components.marking import ChoiceKey, Question, QuestionType, Scheme
from components.workflow.cohort import RunOptions, go_on
from components.workflow.connections import Connections, default_judges
from components.workflow.estimate import Estimate, estimate
from components.workflow.tokens import tokens
from components.workflow.worker import Worker
from pages.pilot import run_costs, run_words
from storage import Store, exams, jobs, judges, runs
from storage.runs import Run, Took
from tests.model_server import completion, model_server
from tests.support import add_exam, new_store, start_run, two_point_question

pytestmark = pytest.mark.usefixtures("price_file")
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
    start_run(store, exam_id, judge_id)
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
    assert run_words.cost(run.took) == "$0.0054"
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
        run = start(store, connections, exam_id, connect(store, connections, base_url, model))
    assert (run.took.unpriced, run.took.per_thousand) == (2, None)
    assert run_words.cost(run.took) == "not known"
    assert told in run_words.cost_note(run)


def test_the_offline_judge_costs_nothing_and_says_so(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, _ = add_exam(store, [ANSWERS])
    run = start(store, Connections(), exam_id, default_judges(store)[1])
    assert (run.took.made, run.took.asked, run.took.price) == (6, 0, 0)
    assert run_words.cost(run.took) == "$0.00"
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
        assert (stopped.status, stopped.took.made) == ("failed", 4)
        paid = model.asked[:4]
        model.asked.clear()
        model.reply = lambda answer, times: completion(GOOD, MODEL, 1000, 200)
        go_on(store, stopped.job_id)
        assert Worker(store, connections).do_one()
        assert sorted(model.asked + paid) == ANSWERS
        ended = the_run(store)
        assert (ended.id, ended.job_id, ended.status) == (stopped.id, stopped.job_id, "done")
        assert (ended.done, ended.total, ended.took.made) == (6, 6, 6)
        assert ended.took.price == pytest.approx(6 * 0.0018)
        go_on(store, stopped.job_id)
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
        go_on(store, run.job_id)
        assert Worker(store, connections).do_one()
    assert model.asked == [ANSWERS[1]]
    with store.read() as db:
        assert runs.failures(db, run.id) == []
    again = the_run(store)
    assert (again.took.made, again.took.asked) == (4, 3)
    assert again.took.price == pytest.approx(6 * 0.0018)
    assert again.took.per_thousand == pytest.approx(3.6)  # $0.0108 for 3 responses, retries included


MOMENT = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
GOING = Run(
    id=1, job_id=1, batch=False, exam_id=1, exam="Mock", judge_id=3, judge="m", judge_kind="llm", model="m",
    status="running", paused=False, done=15, total=60, message="Question 3", created_at=MOMENT,
    started_at=MOMENT - timedelta(seconds=30), finished_at=None, questions=8, chosen=None, subjects=1, shots=0,
    grading=True, cap=None, took=Took(made=15, asked=15, recent=15),
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
    assert "m · LLM" not in run_words.pace(replace(GOING, message="m · LLM"), MOMENT)
    aside = replace(GOING, status="queued", paused=True)
    assert aside.per_minute(MOMENT) is None
    assert run_words.pace(aside, MOMENT) == "Paused at 15 of 60"


def test_what_a_run_was_asked_to_do_reads_in_words() -> None:
    assert run_words.options(GOING) == "all questions"
    chosen = replace(GOING, chosen=3, shots=3, cap=5.0)
    assert run_words.options(chosen) == "3 of 8 questions · 3 examples with grading · cap $5.00"
    assert run_words.options(replace(GOING, shots=1, grading=False)) == "all questions · 1 example"


def test_a_cap_below_the_estimate_is_told_beforehand() -> None:
    ahead = Estimate(10, 0, llm=True, model="m", sent=10, price=2.5)
    assert run_words.cap_text(ahead, None) == ""
    assert run_words.cap_text(ahead, 2.5) == ""
    assert "above the cap of $2.00" in run_words.cap_text(ahead, 2.0)
    assert "does not have m" in run_words.cap_text(replace(ahead, price=None), 2.0)
    assert run_words.cap_text(replace(ahead, sent=0), 0.01) == ""


def test_questions_with_too_few_marked_responses_are_named() -> None:
    assert run_words.examples_text({"1": 3, "2": 4}, 3) == ""
    assert run_words.examples_text({"1": 2, "2": 0, "3": 3}, 3) == (
        "Fewer than 3 marked responses to show as examples: question 1 has 2, question 2 has none."
    )
    many = run_words.examples_text({str(i): 0 for i in range(7)}, 1)
    assert many.endswith("question 4 has none, 2 more questions likewise.")


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
    assert [run_words.duration_short(each) for each in (0.44, 45, 59.7, 200, 2000, 3590, 7500, 50_000)] == [
        "0.4 s", "45 s", "1.0 min", "3.3 min", "33 min", "1.0 h", "2.1 h", "14 h",
    ]  # fmt: skip


def test_the_estimate_counts_what_the_judge_has_not_seen(tmp_path: Path) -> None:
    store, model, connections = new_store(tmp_path), Model(), Connections()
    exam_id, _ = add_exam(store, [[*ANSWERS[:3], " "], ["A", "B", "B", "A"]], questions=[two_point_question(), CHOICE])
    with model_server(model) as base_url:
        judge_id = connect(store, connections, base_url)
        before = estimate(store, connections, RunOptions(exam_id=exam_id, judge_id=judge_id))
        assert before is not None
        assert (before.unseen, before.by_rule, before.sent) == (4, 4, 3)
        assert before.tokens_out == 3 * (30 + 2 * 70)
        assert before.price == pytest.approx((before.tokens_in + 4 * before.tokens_out) / 1e6)
        said = run_words.estimate_text(before)
        assert "has not proposed on 4 responses" in said
        assert "Estimate: about" in said
        assert "1 of them is blank" in said
        start(store, connections, exam_id, judge_id)
        after = estimate(store, connections, RunOptions(exam_id=exam_id, judge_id=judge_id))
    assert after is not None
    assert after.unseen == 0
    assert "nothing would be asked" in run_words.estimate_text(after)


def test_the_estimate_grows_by_a_token_for_four_characters(tmp_path: Path) -> None:
    assert [tokens(text) for text in ("", "a", "abcd", "abcde", "酶变性了")] == [0, 1, 1, 2, 3]
    store, connections = new_store(tmp_path), Connections()
    short, _ = add_exam(store, [["x" * 4]])
    long, _ = add_exam(store, [["x" * 404]], title="Long")
    judge_id = connect(store, connections, "http://127.0.0.1:9/v1", "mystery-7b")
    first, second = (
        estimate(store, connections, RunOptions(exam_id=exam_id, judge_id=judge_id)) for exam_id in (short, long)
    )
    assert first is not None
    assert second is not None
    assert second.tokens_in - first.tokens_in == 100
    assert first.price is None
    assert "The price is not known: assets/prices.toml does not have mystery-7b." in run_words.estimate_text(first)


def test_the_estimate_of_a_judge_that_sends_nothing_is_nothing(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, _ = add_exam(store, [ANSWERS])
    ahead = estimate(store, Connections(), RunOptions(exam_id=exam_id, judge_id=default_judges(store)[1]))
    assert ahead is not None
    assert run_words.estimate_text(ahead) == (
        "This judge has not proposed on 6 responses yet. It asks no language model, so it costs nothing."
    )


def test_cost_and_time_are_told_by_subject_and_for_all_runs_together(tmp_path: Path) -> None:
    store, connections = new_store(tmp_path), Connections()
    subjects = ("Biology", "Physics", "")
    questions = [
        (question.model_copy(update={"subject": subject}), scheme)
        for subject, (question, scheme) in zip(subjects, map(two_point_question, ("1", "2", "3")), strict=True)
    ]
    exam_id, _ = add_exam(store, [ANSWERS[:3]] * 3, questions=questions)
    other, _ = add_exam(store, [ANSWERS[:2]], title="Another")
    gone, _ = add_exam(store, [ANSWERS[:2]], title="Archived")
    with model_server(Model()) as base_url:
        model = connect(store, connections, base_url)
        offline = default_judges(store)[1]
        for exam, judge in ((exam_id, model), (exam_id, offline), (other, model), (gone, model)):
            start_run(store, exam, judge)
            assert Worker(store, connections).do_one()
    with store.write() as db:
        exams.archive(db, gone, None, "test")
        listed = {(run.exam_id, run.judge_id): run for run in runs.listed(db, datetime.now(UTC))}
        run = listed[exam_id, model]
        assert run.id is not None
        of_run, of_all = dict(runs.by_subject(db, [run.id])), dict(runs.by_subject(db))
    assert run.subjects == 3
    # Every reply costs $0.0018; the offline judge asks nobody.
    assert list(of_run) == ["Biology", "no subject", "Physics"]
    assert [(took.responses, took.asked) for took in of_run.values()] == [(3, 3)] * 3
    assert of_run["Physics"].price == pytest.approx(3 * 0.0018)
    assert sum(took.seconds for took in of_run.values()) == pytest.approx(run.took.seconds)
    assert {subject: (took.responses, took.asked) for subject, took in of_all.items()} == {
        "Biology": (6, 3), "Physics": (6, 3), "no subject": (8, 5),
    }  # fmt: skip
    together = of_all["Biology"] + of_all["Physics"] + of_all["no subject"]
    assert together.price == pytest.approx(11 * 0.0018)
    assert together.per_thousand == pytest.approx(1.8)
    assert (together.made, together.tokens_in, together.tokens_out) == (20, 11_000, 2_200)


def test_time_for_a_thousand_responses_is_the_models_alone_where_one_was_asked() -> None:
    asked = Took(responses=10, asked=4, seconds=9.0, asked_seconds=8.0)
    assert asked.seconds_per_thousand == pytest.approx(2000)
    assert Took(responses=10, seconds=0.5).seconds_per_thousand == pytest.approx(50)
    assert Took().seconds_per_thousand is None
    summed = Took(unpriced=1, unknown_models=("b",)) + Took(unpriced=2, unknown_models=("a", "b"))
    assert (summed.unpriced, summed.unknown_models) == (3, ("a", "b"))


def test_a_run_knows_what_it_was_asked_to_do_and_by_whom_even_when_its_judge_is_retired(tmp_path: Path) -> None:
    store, connections = new_store(tmp_path), Connections()
    exam_id, _ = add_exam(store, [ANSWERS[:2]] * 3)
    with store.read() as db:
        first, second, _ = (each.id for each in exams.questions(db, exam_id))
    judge_id = connect(store, connections, "http://127.0.0.1:9/v1")
    job_id = start_run(store, exam_id, judge_id, questions=(first, second), shots=2, grading=False, cap=1.5)
    with store.write() as db:
        judges.retire(db, judge_id)
        jobs.pause(db, job_id)
        assert runs.paused(db, job_id)
    run = the_run(store)
    assert (run.judge_id, run.judge) == (judge_id, f"{MODEL} at http://127.0.0.1:9/v1")
    assert (run.questions, run.chosen, run.shots, run.grading, run.cap) == (3, 2, 2, False, 1.5)
    assert (run.status, run.paused, run.active) == ("queued", True, True)


def test_a_job_from_before_runs_had_options_is_the_exams_judge_on_all_questions(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, _ = add_exam(store, [ANSWERS[:2]])
    with store.write() as db:
        jobs.add(db, "propose", {"exam_id": exam_id})
    run = the_run(store)
    assert run.judge_id == default_judges(store)[1]
    assert (run.chosen, run.shots, run.grading, run.cap, run.paused) == (None, 0, True, None, False)


def test_every_proposal_is_listed_newest_first_and_safe_for_a_spreadsheet(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, _ = add_exam(store, [[ANSWERS[0], " "]], questions=[two_point_question("=1+1")])
    run = start(store, Connections(), exam_id, default_judges(store)[1])
    assert run.id is not None
    with store.read() as db:
        second, first = runs.proposals_of(db, run.id)
        assert runs.proposals_of(db, run.id, 1) == [second]
    assert (first.candidate, first.status, first.mark, first.max_mark) == ("0001", "proposed", 1, 2)
    assert (second.candidate, second.status, second.mark) == ("0002", "abstained", None)
    assert (first.price, second.price) == (0, 0)  # no model was asked, so it is known that they cost nothing
    lines = run_costs.as_csv([first, second]).decode("utf-8-sig").splitlines()
    assert lines[0].startswith("Question,Candidate,Outcome,Mark,Out of,By,Seconds")
    assert lines[1].startswith("'=1+1,0001,mark,1,2,")
    assert lines[2].startswith("'=1+1,0002,left to the teacher,,2,")

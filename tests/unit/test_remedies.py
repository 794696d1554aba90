"""Remedies: a changed scheme tried on a sample, apart from the desk, then applied or dropped."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from threading import Event, Lock
from typing import Any

import pytest

from components.judge.llm import Endpoint
from components.marking import Marker, MarkingPoint, Outcome, Question, QuestionType, Role, Scheme, Stage
from components.workflow import progress
from components.workflow.cohort import RunOptions
from components.workflow.connections import Connections
from components.workflow.exemplars import Chosen
from components.workflow.review import remedies as remedying
from components.workflow.review.comparison import Change, Compared, compared, summary
from components.workflow.review.patterns import Kind, Pattern, find_patterns
from components.workflow.review.remedy_error import RemedyError
from components.workflow.review.sample import choose_sample
from components.workflow.review.wording import PointWords, changes, lines, reworded
from components.workflow.worker import Worker
from storage import Store, decisions, exams, jobs, judges, proposals, remedies, verdicts
from storage.remedies import Remedy, State
from tests.model_server import completion, model_server
from tests.support import add_exam, add_marker, new_store

pytestmark = pytest.mark.usefixtures("price_file")
MODEL = "cheap-2026-01-02"
ONE_POINT = (
    Question(number="4(a)", type=QuestionType.SHORT, text="Why does the rate fall?", max_mark=1),
    Scheme(max_mark=1, points=(MarkingPoint(code="B1", text="the enzyme is denatured"),)),
)
# The offline matcher finds the scheme's words in the first, not in the others.
SAYS_IT, SAYS_IT_OTHERWISE, WRONG = "the enzyme is denatured", "its molecules melt apart", "there is no sugar left"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def head(store: Store) -> Marker:
    return add_marker(store, "Dr Head", Role.HEAD)


def work(store: Store, connections: Connections) -> None:
    assert Worker(store, connections).do_one()


def exam_with_marks(store: Store, connections: Connections, judge_id: int | None = None) -> tuple[int, list[int]]:
    """Four who say it, ten who say it otherwise, two who are wrong; proposals made, teachers right about all."""
    answers = [SAYS_IT] * 4 + [SAYS_IT_OTHERWISE] * 10 + [WRONG] * 2
    exam_id, [ids] = add_exam(store, [answers], questions=[ONE_POINT])
    teacher = add_marker(store)
    with store.write() as db:
        if judge_id is not None:
            exams.set_judge(db, exam_id, judge_id, None)
        jobs.add(
            db,
            "propose",
            RunOptions(exam_id=exam_id, judge_id=judge_id or default_judges_of(store)).model_dump(mode="json"),
        )
    work(store, connections)
    with store.write() as db:
        for response_id, answer in zip(ids, answers, strict=True):
            decisions.record(db, response_id, teacher.id, Outcome.MARK, Stage.BLIND, mark=float(answer is not WRONG))
    return exam_id, ids


def default_judges_of(store: Store) -> int:
    with store.read() as db:
        return next(judge.id for judge in judges.listed(db) if judge.kind == judges.OFFLINE)


def pattern_of(store: Store, exam_id: int, kind: Kind = Kind.BIAS) -> Pattern:
    return next(pattern for pattern in find_patterns(store, exam_id).patterns if pattern.kind is kind)


def drafted(store: Store, exam_id: int, head: Marker, **words: Any) -> int:
    remedy_id = remedying.draft(store, pattern_of(store, exam_id), head)
    remedying.redraft(store, remedy_id, reworded(the(store, remedy_id).draft, **words), head)
    return remedy_id


def accepting(*wordings: str) -> dict[str, Any]:
    return {"points": {"B1": PointWords("the enzyme is denatured", wordings)}}


def the(store: Store, remedy_id: int) -> Remedy:
    with store.read() as db:
        remedy = remedies.get(db, remedy_id)
    assert remedy is not None
    return remedy


def rows_of(store: Store, remedy_id: int) -> list[Compared]:
    with store.read() as db:
        return compared(the(store, remedy_id), remedies.results(db, remedy_id))


DESK = ("proposals", "schemes", "standings", "pairs", "tallies", "decisions", "runs", "transcripts", "sightings")


def desk(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """All that a teacher's desk and the agreement rest on."""
    with store.read() as db:
        return {table: [tuple(row) for row in db.execute(f"SELECT * FROM {table}")] for table in DESK}


def test_a_wording_that_the_offline_matcher_then_finds_improves_the_sample_and_leaves_the_desk_alone(
    store: Store, head: Marker
) -> None:
    connections = Connections()
    exam_id, ids = exam_with_marks(store, connections)
    before = desk(store)
    remedy_id = drafted(store, exam_id, head, **accepting("molecules melt apart"))
    ahead = remedying.outlook(store, connections, remedy_id, 16)
    assert (len(ahead.sample), ahead.model, ahead.sent, ahead.price) == (16, "", 0, 0.0)
    remedying.try_it(store, connections, remedy_id, 16, head)
    assert the(store, remedy_id).state is State.TRYING
    work(store, connections)
    remedy = the(store, remedy_id)
    assert remedy.state is State.TRIED
    assert desk(store) == before
    rows = rows_of(store, remedy_id)
    # All 16: exact with the teacher on 4 + 2 before (the ten are missed), on all 16 after.
    assert summary(rows).sentence == (
        "On 16 responses: exact with the teacher 6 → 16, mean difference −0.6 → 0.0; 10 got better, 0 got worse."
    )
    assert {row.response_id for row in rows} == set(ids)
    chosen = [row for row in rows if row.chosen]
    assert chosen
    assert all(row.change is Change.BETTER for row in chosen)
    assert {row.response_id for row in chosen} <= set(ids[4:14])
    assert summary(rows, chosen=True).n + summary(rows, chosen=False).n == 16


def test_an_applied_draft_is_a_new_version_and_the_judge_can_be_asked_again_about_the_question(
    store: Store, head: Marker
) -> None:
    connections = Connections()
    exam_id, _ = exam_with_marks(store, connections)
    remedy_id = drafted(store, exam_id, head, **accepting("molecules melt apart"))
    remedying.try_it(store, connections, remedy_id, 10, head)
    work(store, connections)
    assert remedying.apply(store, remedy_id, head) == 2
    assert the(store, remedy_id).state is State.APPLIED
    with store.read() as db:
        question = exams.questions(db, exam_id)[0]
        waiting = jobs.waiting(db)
    assert question.scheme.points[0].accept == ("molecules melt apart",)
    assert the(store, remedy_id).applied_scheme_id == question.scheme_id
    assert not waiting, "asking again is offered, not done"
    remedying.ask_again(store, remedy_id, head)
    work(store, connections)
    with store.read() as db:
        made = db.execute(
            "SELECT count(*) AS n, sum(mark) AS marks FROM proposals WHERE scheme_id = ?", (question.scheme_id,)
        ).fetchone()
    assert (made["n"], made["marks"]) == (16, 14)
    assert not [each for each in find_patterns(store, exam_id).patterns if each.kind is Kind.BIAS]
    with pytest.raises(RemedyError, match="has been applied meanwhile"):
        remedying.drop(store, remedy_id, head)


def test_a_draft_is_refused_where_the_scheme_has_been_changed_meanwhile_and_can_start_from_the_new_one(
    store: Store, head: Marker
) -> None:
    connections = Connections()
    exam_id, _ = exam_with_marks(store, connections)
    remedy_id = drafted(store, exam_id, head, **accepting("molecules melt apart"))
    remedying.try_it(store, connections, remedy_id, 10, head)
    work(store, connections)
    with store.write() as db:
        question = exams.questions(db, exam_id)[0]
        other = question.scheme.model_copy(update={"note": "someone else's"})
        exams.add_scheme_version(db, question.id, question.question, other)
    with pytest.raises(RemedyError, match=r"scheme of question 4\(a\) has been changed meanwhile, to v2"):
        remedying.apply(store, remedy_id, head)
    with store.read() as db:
        assert exams.questions(db, exam_id)[0].scheme_version == 2
    renewed = remedying.revise(store, remedy_id, head)
    assert the(store, renewed).draft.note == "someone else's"
    assert the(store, remedy_id).state is State.DROPPED


def test_only_a_head_of_department_applies_and_only_what_was_tried_to_its_end(store: Store, head: Marker) -> None:
    connections = Connections()
    exam_id, _ = exam_with_marks(store, connections)
    lead = add_marker(store, "Pia Lot", Role.PILOT)
    remedy_id = drafted(store, exam_id, lead, **accepting("molecules melt apart"))
    with pytest.raises(RemedyError, match="Try the draft to its end first"):
        remedying.apply(store, remedy_id, head)
    remedying.try_it(store, connections, remedy_id, 10, lead)
    work(store, connections)
    with pytest.raises(RemedyError, match="Only a head of department"):
        remedying.apply(store, remedy_id, lead)
    with pytest.raises(RemedyError, match="for heads of department and pilot leads"):
        remedying.drop(store, remedy_id, add_marker(store, "Mr Teach"))
    assert remedying.apply(store, remedy_id, head) == 2


def test_a_dropped_remedy_stays_on_record_with_its_results_and_changes_nothing(store: Store, head: Marker) -> None:
    connections = Connections()
    exam_id, _ = exam_with_marks(store, connections)
    before = desk(store)
    remedy_id = drafted(store, exam_id, head, **accepting("molecules melt apart"))
    remedying.try_it(store, connections, remedy_id, 10, head)
    work(store, connections)
    remedying.drop(store, remedy_id, head)
    assert desk(store) == before
    assert the(store, remedy_id).state is State.DROPPED
    assert summary(rows_of(store, remedy_id)).n == 10
    with store.read() as db:
        assert [each.id for each in remedies.listed(db, exam_id)] == [remedy_id]


def test_a_tried_draft_is_changed_in_a_new_remedy_on_the_same_sample(store: Store, head: Marker) -> None:
    connections = Connections()
    exam_id, _ = exam_with_marks(store, connections)
    first = drafted(store, exam_id, head, **accepting("it melts"))
    remedying.try_it(store, connections, first, 10, head)
    with pytest.raises(RemedyError, match="stays as it is"):
        remedying.redraft(store, first, the(store, first).draft, head)
    second = remedying.revise(store, first, head)
    assert the(store, first).state is State.DROPPED
    assert the(store, second).draft == the(store, first).draft
    remedying.redraft(store, second, reworded(the(store, second).draft, **accepting("melt apart")), head)
    remedying.try_it(store, connections, second, 10, head)
    assert the(store, second).sample == the(store, first).sample


def test_a_draft_that_changes_nothing_the_judge_reads_is_not_tried(store: Store, head: Marker) -> None:
    connections = Connections()
    exam_id, _ = exam_with_marks(store, connections)
    remedy_id = remedying.draft(store, pattern_of(store, exam_id), head)
    assert remedying.draft(store, pattern_of(store, exam_id), head) == remedy_id, "an untried draft serves again"
    with pytest.raises(RemedyError, match="The draft is the scheme as it is"):
        remedying.try_it(store, connections, remedy_id, 10, head)
    remedying.redraft(store, remedy_id, reworded(the(store, remedy_id).draft, note="Accept melting."), head)
    with pytest.raises(RemedyError, match="reads the scheme's wording only, not the note"):
        remedying.try_it(store, connections, remedy_id, 10, head)
    assert the(store, remedy_id).state is State.DRAFTED


def test_a_remedy_changes_words_only(store: Store, head: Marker) -> None:
    connections = Connections()
    exam_id, _ = exam_with_marks(store, connections)
    remedy_id = remedying.draft(store, pattern_of(store, exam_id), head)
    other = ONE_POINT[1].model_copy(update={"points": (MarkingPoint(code="M1", text="the enzyme is denatured"),)})
    with pytest.raises(RemedyError, match="codes, marks and structure stay"):
        remedying.redraft(store, remedy_id, other, head)
    with pytest.raises(RemedyError, match="Point B1 is left without words"):
        reworded(ONE_POINT[1], points={"B1": PointWords("  ")})
    with pytest.raises(RemedyError, match="note has 1,001 characters"):
        reworded(ONE_POINT[1], note="x" * 1001)
    new = reworded(
        ONE_POINT[1], note="Be kind.", points={"B1": PointWords("it is denatured", lines("melts\n\n melts "))}
    )
    assert changes(ONE_POINT[1], new) == [
        "Note to the judge: added “Be kind.”",
        "B1: “the enzyme is denatured” becomes “it is denatured”",
        "B1, accept: added “melts”",
    ]


# ---- with a language model


class Model:
    """Awards B1 where the answer says it, or where it melts and the note is there; keeps all it was sent."""

    def __init__(self, reply: Callable[[int], tuple[int, dict[str, Any]] | None] | None = None) -> None:
        self.prompts: list[str] = []
        self.reply = reply or (lambda times: None)
        self._lock = Lock()

    def __call__(self, words: str) -> tuple[int, dict[str, Any]]:
        with self._lock:
            self.prompts.append(words)
            times = len(self.prompts)
        if (other := self.reply(times)) is not None:
            return other
        answer = self.answer(words)
        awarded = "denatured" in answer or ("melt" in answer and NOTE in words)
        verdict = {"code": "B1", "evidence": [answer[:6]], "reason": "", "awarded": awarded, "not_sure": False}
        return completion({"points": [verdict]}, MODEL, 1000, 200)

    @staticmethod
    def answer(words: str) -> str:
        found = re.search(r"<answer>\n(.*)\n</answer>", words)
        return found[1] if found else "asked again"


NOTE = "Accept any way of saying that it melts."
KEY_EXPIRED = (401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}})


def connected(store: Store, connections: Connections, base_url: str, at_once: int = 1) -> int:
    return connections.connect(store, Endpoint(base_url, MODEL, at_once=at_once), "")


def test_the_note_reaches_the_model_and_the_price_is_told_before_and_after(store: Store, head: Marker) -> None:
    connections, model = Connections(), Model()
    with model_server(model) as base_url:
        exam_id, _ = exam_with_marks(store, connections, connected(store, connections, base_url, 4))
        before = desk(store)
        assert len(model.prompts) == 16
        model.prompts.clear()
        remedy_id = drafted(store, exam_id, head, note=NOTE)
        ahead = remedying.outlook(store, connections, remedy_id, 12)
        assert (len(ahead.sample), ahead.model, ahead.sent) == (12, MODEL, 12)
        assert ahead.price is not None
        assert ahead.price > 0
        remedying.try_it(store, connections, remedy_id, 12, head)
        work(store, connections)
    assert len(model.prompts) == 12
    assert all(NOTE in prompt for prompt in model.prompts)
    assert the(store, remedy_id).state is State.TRIED
    after = desk(store)
    assert after == before
    rows = rows_of(store, remedy_id)
    assert all(row.after == row.teacher for row in rows)
    assert summary(rows).better == sum(row.before != row.teacher for row in rows) > 0
    with store.read() as db:
        results = remedies.results(db, remedy_id)
    # 1,000 × $1/M + 200 × $4/M = $0.0018 each.
    assert sum(result.paid or 0 for result in results.values()) == pytest.approx(12 * 0.0018)
    assert {result.unpriced for result in results.values()} == {0}


def test_a_stopped_judge_says_why_and_going_on_asks_only_the_rest(store: Store, head: Marker) -> None:
    connections, model = Connections(), Model()
    with model_server(model) as base_url:
        exam_id, _ = exam_with_marks(store, connections, connected(store, connections, base_url))
        remedy_id = drafted(store, exam_id, head, note=NOTE)
        model.prompts.clear()
        model.reply = lambda times: KEY_EXPIRED if times > 3 else None
        job_id = remedying.try_it(store, connections, remedy_id, 8, head)
        work(store, connections)
        with store.read() as db:
            job = jobs.get(db, job_id)
        assert job is not None
        assert (job.status, job.done, job.total) == ("failed", 3, 8)
        assert "key" in job.message
        assert the(store, remedy_id).state is State.TRYING
        assert summary(rows_of(store, remedy_id)).n == 3
        model.prompts.clear()
        model.reply = lambda times: None
        remedying.go_on(store, remedy_id, head)
        work(store, connections)
    assert len(model.prompts) == 5
    assert the(store, remedy_id).state is State.TRIED
    assert summary(rows_of(store, remedy_id)).n == 8


def test_a_cancelled_trial_keeps_what_it_tried_and_sends_no_more(
    store: Store, head: Marker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "TELL_SECONDS", 0.02)
    connections, model = Connections(), Model()
    with model_server(model) as base_url:
        exam_id, _ = exam_with_marks(store, connections, connected(store, connections, base_url))
        remedy_id = drafted(store, exam_id, head, note=NOTE)
        model.prompts.clear()

        def cancel_at_the_second(times: int) -> None:
            if times == 2:
                remedying.cancel(store, remedy_id, head)
                Event().wait(0.5)  # while this reply is out the worker hears of it

        model.reply = cancel_at_the_second
        job_id = remedying.try_it(store, connections, remedy_id, 16, head)
        work(store, connections)
    with store.read() as db:
        job = jobs.get(db, job_id)
    assert job is not None
    assert job.status == "cancelled"
    assert the(store, remedy_id).state is State.TRYING
    tried = summary(rows_of(store, remedy_id)).n
    assert tried == len(model.prompts)
    assert tried >= 2


def test_a_failed_reply_is_no_mark_and_is_asked_again_on_request_at_its_own_price(store: Store, head: Marker) -> None:
    connections, model = Connections(), Model()
    with model_server(model) as base_url:
        exam_id, _ = exam_with_marks(store, connections, connected(store, connections, base_url))
        remedy_id = drafted(store, exam_id, head, note=NOTE)
        model.prompts.clear()
        model.reply = lambda times: completion("no JSON", MODEL, 1000, 200) if times <= 3 else None
        remedying.try_it(store, connections, remedy_id, 4, head)
        work(store, connections)
        assert the(store, remedy_id).state is State.TRIED
        told = summary(rows_of(store, remedy_id))
        assert (told.n, told.failed, told.both) == (4, 1, 3)
        model.prompts.clear()
        model.reply = lambda times: None
        remedying.go_on(store, remedy_id, head)
        work(store, connections)
    assert len(model.prompts) == 1
    assert summary(rows_of(store, remedy_id)).failed == 0
    with store.read() as db:
        paid = sum(result.paid or 0 for result in remedies.results(db, remedy_id).values())
    assert paid == pytest.approx((3 + 3 + 1) * 0.0018)  # three tries of the failed one, three others, and once more


def test_what_was_with_the_model_when_the_server_ended_is_said_to_be_lost_and_not_paid_twice_unasked(
    store: Store, head: Marker
) -> None:
    connections, model = Connections(), Model()
    with model_server(model) as base_url:
        exam_id, _ = exam_with_marks(store, connections, connected(store, connections, base_url))
        remedy_id = drafted(store, exam_id, head, note=NOTE)
        remedying.try_it(store, connections, remedy_id, 4, head)
        lost = the(store, remedy_id).sample[0].response_id
        with store.write() as db:
            assert remedies.claim(db, remedy_id, [lost]) == {lost}  # as the server did just before it ended
        model.prompts.clear()
        work(store, connections)
        assert len(model.prompts) == 3
        with store.read() as db:
            after = remedies.results(db, remedy_id)[lost].after
        assert after is not None
        assert "the reply was lost and may have been paid for" in after.reason
        remedying.go_on(store, remedy_id, head)
        work(store, connections)
    assert len(model.prompts) == 4
    assert summary(rows_of(store, remedy_id)).failed == 0


def test_a_trial_shows_the_model_the_examples_that_the_desks_run_showed(store: Store, head: Marker) -> None:
    connections, model = Connections(), Model()
    with model_server(model) as base_url:
        judge_id = connected(store, connections, base_url)
        exam_id, ids = exam_with_marks(store, connections, judge_id)
        with store.write() as db:
            question_id = exams.questions(db, exam_id)[0].id
            chosen = {question_id: (Chosen(response_id=ids[0], mark=1, grading="an example of ours"),)}
            options = RunOptions(exam_id=exam_id, judge_id=judge_id, shots=1, chosen=chosen)
            jobs.add(db, "propose", options.model_dump(mode="json"))
        work(store, connections)
        remedy_id = drafted(store, exam_id, head, note=NOTE)
        model.prompts.clear()
        remedying.try_it(store, connections, remedy_id, 6, head)
        work(store, connections)
    own = sum(each.response_id == ids[0] for each in the(store, remedy_id).sample)
    assert sum("an example of ours" in prompt for prompt in model.prompts) == 6 - own
    assert remedying.run_again(store, remedy_id).shots == 1


def test_a_judge_without_its_key_is_not_tried_and_says_so(store: Store, head: Marker) -> None:
    connections = Connections()
    with model_server(Model()) as base_url:
        exam_id, _ = exam_with_marks(store, connections, connected(store, connections, base_url))
    remedy_id = drafted(store, exam_id, head, note=NOTE)
    with pytest.raises(RemedyError, match=r"is not connected\. Connect it again on the Judges page"):
        remedying.try_it(store, Connections(), remedy_id, 6, head)
    job_id = remedying.try_it(store, connections, remedy_id, 6, head)
    work(store, Connections())
    with store.read() as db:
        job = jobs.get(db, job_id)
    assert job is not None
    assert job.status == "failed"
    assert "is not connected" in job.message


def test_a_draft_whose_every_trial_failed_is_not_applied_and_says_how_many_failed(store: Store, head: Marker) -> None:
    connections, model = Connections(), Model()
    with model_server(model) as base_url:
        exam_id, _ = exam_with_marks(store, connections, connected(store, connections, base_url))
        remedy_id = drafted(store, exam_id, head, note=NOTE)
        model.reply = lambda times: completion("no JSON", MODEL, 1000, 200)
        remedying.try_it(store, connections, remedy_id, 3, head)
        work(store, connections)
        assert summary(rows_of(store, remedy_id)).failed == 3
        with pytest.raises(RemedyError, match=r"failed on every response of this trial \(3 of 3\).*again first"):
            remedying.apply(store, remedy_id, head)
        with store.read() as db:
            assert exams.questions(db, exam_id)[0].scheme_version == 1
        model.reply = lambda times: None
        remedying.go_on(store, remedy_id, head)
        work(store, connections)
    assert remedying.apply(store, remedy_id, head) == 2


def test_what_a_model_proposed_under_another_version_of_the_scheme_is_no_before(store: Store, head: Marker) -> None:
    connections, model = Connections(), Model()
    with model_server(model) as base_url:
        exam_id, ids = exam_with_marks(store, connections, connected(store, connections, base_url))
        with store.write() as db:
            [question] = exams.questions(db, exam_id)
            newer = reworded(question.scheme, points={"B1": PointWords("the enzyme is denatured", ("melts",))})
            exams.add_scheme_version(db, question.id, question.question, newer, head.id)
            scheme_id = exams.question(db, question.id).scheme_id
            judge_id = exams.get(db, exam_id).judge_id  # type: ignore[union-attr]
            was = verdicts.newest(db, ids, judge_id or 0)
            for response_id in ids[:4]:  # since then the judge has come to four of them alone
                proposals.add(db, response_id, judge_id or 0, scheme_id, was[response_id].proposal)
        remedy_id = drafted(store, exam_id, head, note=NOTE)
        remedying.try_it(store, connections, remedy_id, 16, head)
        work(store, connections)
    found = summary(rows_of(store, remedy_id))
    assert (found.n, found.both, found.older, found.better) == (16, 4, 12, 0)
    assert found.sentence == (
        "On 16 responses: exact with the teacher 4 → 4, mean difference 0.0 → 0.0; 0 got better, 0 got worse; 12 left "
        "out, as what was proposed before was under another version of the scheme."
    )


# ---- the parts


def test_a_sample_is_half_at_random_from_all_and_half_from_those_behind_the_pattern() -> None:
    marks = dict.fromkeys(range(100), 1.0)
    behind = set(range(30))
    sample = choose_sample(marks, behind, 20, random.Random("4"))
    assert sample == choose_sample(marks, behind, 20, random.Random("4"))
    assert sample != choose_sample(marks, behind, 20, random.Random("5"))
    assert len({each.response_id for each in sample}) == 20
    assert [each.chosen for each in sample] == [True] * 10 + [False] * 10
    assert {each.response_id for each in sample if each.chosen} <= behind
    few = choose_sample({1: 0.0, 2: 1.0, 3: 1.0}, {2, 99}, 20, random.Random("4"))
    assert {each.response_id for each in few} == {1, 2, 3}
    assert not choose_sample({}, {1}, 20, random.Random("4"))


def test_the_summary_counts_marks_that_came_and_went_apart_from_those_that_moved() -> None:
    def row(teacher: float, before: float | None, after: float | None, change: Change, chosen: bool) -> Compared:
        return Compared(1, chosen, teacher, before, after, change)

    rows = [
        row(2, 1, 2, Change.BETTER, True),
        row(2, 0, 1, Change.BETTER, True),
        row(2, 2, 1, Change.WORSE, False),
        row(2, None, 2, Change.GAINED, False),
        row(2, 2, None, Change.LOST, False),
        row(2, 1, None, Change.WAITING, False),
    ]
    assert summary(rows).sentence == (
        "On 5 responses: exact with the teacher 1 → 1, mean difference −1.0 → −0.7; 2 got better, 1 got worse; 1 have "
        "a proposal now that had none; 1 have none now."
    )
    assert summary(rows, chosen=True).sentence == (
        "On 2 responses: exact with the teacher 0 → 1, mean difference −1.5 → −0.5; 2 got better, 0 got worse."
    )
    assert summary([]).sentence == "On 0 responses: nothing has been tried yet."

"""Trials: several ways of asking about marked responses, paid for once, kept apart from the desk."""

from __future__ import annotations

import io
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from components.judge.llm import Endpoint, Protocol
from components.marking import Marker, Proposal, ProposalStatus, QuestionType, Role, Stage
from components.workflow import cohort, demo
from components.workflow.cohort import RunOptions
from components.workflow.connections import Connections, default_judges
from components.workflow.estimate import estimate
from components.workflow.marks_out.evidence import write_pack
from components.workflow.marks_out.restore import restore
from components.workflow.trial import demo as demo_trial
from components.workflow.trial import running
from components.workflow.trial.arms import ArmChoice, Named, Variants, choices, names
from components.workflow.trial.data import TrialData
from components.workflow.trial.load import load
from components.workflow.trial.planning import TrialOptions, plan, usual_markers
from components.workflow.trial.starting import TrialError, start
from components.workflow.worker import Worker
from storage import Store, answer_pages, decisions, events, exams, jobs, judges, trial_answers, trial_marks, trials
from storage.trials import Trial
from tests.model_server import completion, model_server
from tests.reviewing import give, propose
from tests.support import add_exam, add_marker, new_store, start_run, two_point_question

pytestmark = pytest.mark.usefixtures("price_file")
MODEL = "cheap-2026-01-02"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def lead(store: Store) -> Marker:
    return add_marker(store, "Dr Li", Role.PILOT)


class Model:
    """A model that gives every answer the mark in its words ("worth 1"), by whichever prompt it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.replies: Callable[[str], tuple[int, dict[str, Any]] | None] = lambda _: None
        self._lock = threading.Lock()

    def __call__(self, words: str) -> tuple[int, dict[str, Any]]:
        with self._lock:
            self.asked.append(words)
        other = self.replies(words)
        if other is not None or "<answer>" not in words:  # asked again, for a reply that could not be used
            return other or completion("still no idea", MODEL, 1000, 200)
        answer = words.split("<answer>")[1]
        mark = 2 if "worth 2" in answer else 1 if "worth 1" in answer else 0
        points = [
            {"code": code, "evidence": [], "reason": "So.", "awarded": mark >= worth, "not_sure": False}
            for code, worth in (("M1", 1), ("A1", 2))
        ]
        if "【题目】" in words:
            said: dict[str, Any] = {"process": "So.", "total": mark}
        elif "M1 [1]" in words and words.startswith("# Question"):
            said = {"abstain": None, "points": points}
        else:
            said = {"abstain": None, "evidence": [], "reason": "So.", "mark": mark, "not_sure": False}
        return completion(said, MODEL, 1000, 200)


def marked_exam(store: Store, worth: list[int], second: list[int | None] | None = None) -> tuple[int, list[int]]:
    """One question; answer i is worth worth[i], and two teachers gave worth[i] and second[i], blind."""
    exam_id, [ids] = add_exam(store, [[f"answer {i}, worth {mark}" for i, mark in enumerate(worth)]])
    first, other = add_marker(store, "Ms Khan"), add_marker(store, "Mr Bell")
    for response_id, mark, again in zip(ids, worth, second or worth, strict=True):
        give(store, response_id, first, mark)
        if again is not None:
            give(store, response_id, other, again)
    return exam_id, ids


def connect(store: Store, connections: Connections, base_url: str, **settings: Any) -> int:
    model = settings.pop("model", MODEL)
    return connections.connect(store, Endpoint(base_url, model, **settings), "")


def begin(store: Store, connections: Connections, lead: Marker, exam_id: int, *arms: ArmChoice, **options: Any) -> int:
    with store.read() as db:
        questions = [each.id for each in exams.questions(db, exam_id)]
        options.setdefault("whose", usual_markers(db, exam_id, questions))
    return start(store, connections, TrialOptions(exam_id=exam_id, arms=arms, **options), lead)


def work(store: Store, connections: Connections, trial_id: int) -> Trial:
    assert Worker(store, connections).do_one()
    return the(store, trial_id)


def the(store: Store, trial_id: int) -> Trial:
    with store.read() as db:
        trial = trials.get(db, trial_id)
    assert trial is not None
    return trial


def marks(data: TrialData) -> list[list[float]]:
    return [arm.marks.tolist() for arm in data.arms]


DESK = ("proposals", "schemes", "standings", "pairs", "tallies", "decisions", "runs", "transcripts", "sightings")


def desk(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    with store.read() as db:
        return {table: [tuple(row) for row in db.execute(f"SELECT * FROM {table}")] for table in DESK}


# --- Whose marks ----------------------------------------------------------------------------------------------------


def test_only_marks_given_without_the_ais_in_sight_count(store: Store, lead: Marker) -> None:
    exam_id, [ids] = add_exam(store, [["a", "b", "c", "d", "e"]])
    khan, bell = add_marker(store, "Ms Khan"), add_marker(store, "Mr Bell")
    give(store, ids[0], khan, 2)
    give(store, ids[0], bell, 1, Stage.IMPORTED)
    give(store, ids[1], khan, 2, Stage.AI_FIRST)  # saw it
    give(store, ids[1], bell, 1)
    give(store, ids[2], khan, None)  # no response is no mark
    give(store, ids[3], khan, 1)
    give(store, ids[3], khan, 0)  # the latest word counts
    give(store, ids[3], bell, 2, Stage.REVEALED)
    undone = give(store, ids[4], khan, 1)
    with store.write() as db:
        decisions.undo(db, undone, khan.id)
    _, offline = default_judges(store)
    trial_id = begin(store, Connections(), lead, exam_id, ArmChoice(judge_id=offline), whose=(khan.id, bell.id))
    data = load(store, trial_id)
    assert data.response_ids.tolist() == [ids[0], ids[3]]
    assert data.first.tolist() == [2, 0]
    assert data.second[0] == 1
    assert np.isnan(data.second[1])
    assert (data.first_marker, data.second_marker) == ("Ms Khan", "Mr Bell")


def test_neither_marks_of_other_pages_nor_of_a_file_that_was_taken_back_count(store: Store, lead: Marker) -> None:
    exam_id, ids = marked_exam(store, [0, 1, 2, 1])
    with store.write() as db:
        vendor = judges.ensure(db, "Vendor", judges.IMPORTED)
        scheme_id = exams.questions(db, exam_id)[0].scheme_id
        undone, kept = (
            db.execute(
                "INSERT INTO imports (exam_id, filename, sha256, report, created_at, undone_at, added) "
                "VALUES (?, 'marks.csv', ?, '{}', '2026-01-01', ?, 1)",
                (exam_id, "0" * 64, at),
            ).lastrowid
            for at in ("2026-01-02", None)
        )
        for response_id, import_id, mark in ((ids[0], kept, 0.0), (ids[0], undone, 2.0), (ids[1], undone, 2.0)):
            db.execute(
                "INSERT INTO proposals (response_id, judge_id, scheme_id, import_id, status, mark, label, created_at) "
                "VALUES (?, ?, ?, ?, 'proposed', ?, 'Vendor', '2026-01-01')",
                (response_id, vendor, scheme_id, import_id, mark),
            )
        events.log(db, answer_pages.CHANGED, f"response {ids[2]}")
    connections = Connections()
    [arm] = plan(store, connections, TrialOptions(exam_id=exam_id, arms=(ArmChoice(judge_id=vendor),))).arms
    assert arm.known == 1
    trial_id = begin(store, connections, lead, exam_id, ArmChoice(judge_id=vendor))
    work(store, connections, trial_id)
    data = load(store, trial_id)
    assert data.response_ids.tolist() == [ids[0], ids[1], ids[3]]
    assert np.nan_to_num(data.arms[0].marks, nan=-1).tolist() == [0, -1, -1]


def test_by_default_the_two_with_the_most_marks_count_else_the_first_two_of_each_response(store: Store) -> None:
    exam_id, [ids] = add_exam(store, [[*"abcdef"]])
    people = [add_marker(store, name) for name in ("A", "B", "C", "D")]
    with store.read() as db:
        assert usual_markers(db, exam_id, [exams.questions(db, exam_id)[0].id]) is None
    # A marks twice with B and D; C marks four times, each with somebody else or alone.
    for response, one, other in ((0, 0, 1), (1, 3, 0), (2, 2, 1), (3, 2, 3), (4, 2, 3), (5, 2, 1)):
        give(store, ids[response], people[one], 1)
        give(store, ids[response], people[other], 2)
    with store.read() as db:
        question = [exams.questions(db, exam_id)[0].id]
        assert [(m.name, m.marks) for m in trial_marks.markers_of(db, exam_id, question)] == [
            *(("C", 4), ("B", 3)),
            *(("D", 3), ("A", 2)),
        ]
        # C and B share 2 of the 6 that were marked twice, less than half.
        assert usual_markers(db, exam_id, question) is None
        assert trial_marks.counted(db, trial_marks.Basis(exam_id, question, None)) == trial_marks.Counted(6, 6)
        assert trial_marks.counted(
            db, trial_marks.Basis(exam_id, question, (people[2].id, people[1].id))
        ) == trial_marks.Counted(4, 2)
    give(store, ids[3], people[1], 0)
    with store.read() as db:
        assert usual_markers(db, exam_id, question) == (people[1].id, people[2].id)


def test_what_a_trial_compares_with_stays_as_it_was_when_it_began(store: Store, lead: Marker) -> None:
    exam_id, ids = marked_exam(store, [0, 1, 2])
    connections = Connections()
    _, offline = default_judges(store)
    trial_id = begin(store, connections, lead, exam_id, ArmChoice(judge_id=offline))
    with store.read() as db:
        khan = next(each.marker_id for each in trial_marks.markers_of(db, exam_id, None) if each.name == "Ms Khan")
    give(store, ids[0], Marker(khan, "Ms Khan", Role.TEACHER), 2)
    question, scheme = two_point_question("1")
    with store.write() as db:
        question_id = exams.questions(db, exam_id)[0].id
        exams.add_scheme_version(db, question_id, question, scheme.model_copy(update={"note": "Be kind."}))
    work(store, connections, trial_id)
    data = load(store, trial_id)
    assert data.first.tolist() == [0, 1, 2]
    with store.read() as db:
        [asked] = trials.questions(db, trial_id)
        under = db.execute("SELECT DISTINCT scheme_id FROM trial_proposals").fetchall()
    assert (asked.scheme_version, asked.scheme.note) == (1, "")
    assert [row[0] for row in under] == [asked.scheme_id]


def test_an_exam_without_such_marks_is_refused_in_words_and_leaves_nothing(store: Store, lead: Marker) -> None:
    exam_id, _ = add_exam(store, [["a", "b"]])
    _, offline = default_judges(store)
    with pytest.raises(TrialError, match="nothing to compare with"):
        begin(store, Connections(), lead, exam_id, ArmChoice(judge_id=offline))
    with store.read() as db:
        assert trials.listed(db) == []
        assert jobs.active(db) == []


def test_work_marked_once_is_compared_with_that_one_marker(store: Store, lead: Marker) -> None:
    exam_id, _ = marked_exam(store, [0, 2], [None, None])
    _, offline = default_judges(store)
    data = load(store, begin(store, Connections(), lead, exam_id, ArmChoice(judge_id=offline)))
    assert (data.first_marker, data.second_marker, data.double_marked) == ("Ms Khan", "", False)
    assert data.first.tolist() == [0, 2]


# --- Arms -----------------------------------------------------------------------------------------------------------


def test_every_combination_is_an_arm_but_for_those_that_come_to_the_same(store: Store) -> None:
    connections = Connections()
    judge_id = connect(store, connections, "http://127.0.0.1:9/v1")
    with store.read() as db:
        stored = judges.get(db, judge_id)
    assert stored is not None
    found = choices(
        stored,
        Variants(
            protocols=(None, Protocol.MEDLY),
            efforts=(None, "high"),
            shots=(0, 3),
            criteria=(True, False),
            times=2,
        ),
    )
    # Our own prompt: 2 efforts × 2 schemes × 2 shots × 2 times. Medly's sets the effort and has no examples: 2 × 2.
    assert len(found) == 16 + 4
    assert all(not arm.grading for arm in found if not arm.criteria)


def test_arms_have_names_that_can_be_told_apart(store: Store) -> None:
    medly = {"protocol": "medly"}
    told = names(
        [
            Named("One", "llm", "gpt-x", {"protocol": "full"}),
            Named("One", "llm", "gpt-x", medly, 0, True, False, 2),
            Named("One", "llm", "gpt-x", {"samples": 3, "reasoning_effort": "high"}, 3),
            Named("One", "llm", "gpt-x", {}, 1, False),
            Named("Vendor", "imported", "", {}),
            Named("Here", "llm", "llama", {}),
            Named("There", "llm", "llama", {}),
        ]
    )
    assert told == [
        "gpt-x",
        "gpt-x · Medly's prompt · without criteria · again",
        "gpt-x · high reasoning · 3 samples · 3 examples",
        "gpt-x · 1 example, marks only",
        "Vendor",
        "Here",
        "There",
    ]


def test_a_variant_of_a_judge_is_another_judge_made_when_the_trial_begins(store: Store, lead: Marker) -> None:
    exam_id, _ = marked_exam(store, [1, 2])
    connections, model = Connections(), Model()
    with model_server(model) as base_url:
        judge_id = connect(store, connections, base_url)
        arms = [
            ArmChoice(judge_id=judge_id),
            ArmChoice(judge_id=judge_id, protocol=Protocol.GAOKAO, samples=3),
            ArmChoice(judge_id=judge_id, effort="high"),
        ]
        options = TrialOptions(exam_id=exam_id, arms=tuple(arms))
        ahead = plan(store, connections, options)
        with store.read() as db:
            assert [judge.id for judge in judges.listed(db) if judge.kind == judges.LLM] == [judge_id]
        trial_id = begin(store, connections, lead, exam_id, *arms)
        trial = work(store, connections, trial_id)
    assert trial.status == "done"
    data = load(store, trial_id)
    assert (
        [arm.arm.name for arm in data.arms]
        == [arm.name for arm in ahead.arms]
        == [
            MODEL,
            f"{MODEL} · GAOKAO-Bench's prompt · 3 samples",
            f"{MODEL} · high reasoning",
        ]
    )
    assert marks(data) == [[1, 2]] * 3
    assert Counter("【题目】" in words for words in model.asked) == {True: 6, False: 4}
    # $1 a million sent and $4 received: 1,000 and 200 tokens are $0.0018 a reply.
    assert data.arms[0].price == pytest.approx(2 * 0.0018)
    assert data.arms[0].per_thousand == pytest.approx(1.8)
    assert data.arms[1].per_thousand == pytest.approx(3 * 1.8)
    assert data.arms[0].models == (MODEL,)
    assert data.arms[0].prompts[0].startswith("points.en.v1 (")


def test_without_criteria_the_scheme_is_withheld_and_the_whole_answer_gets_one_mark(store: Store, lead: Marker) -> None:
    exam_id, _ = marked_exam(store, [0, 1, 2])
    connections, model = Connections(), Model()
    with model_server(model) as base_url:
        judge_id = connect(store, connections, base_url)
        arms = [ArmChoice(judge_id=judge_id), ArmChoice(judge_id=judge_id, criteria=False)]
        trial_id = begin(store, connections, lead, exam_id, *arms)
        work(store, connections, trial_id)
    told = [words for words in model.asked if "the enzyme is denatured" in words]
    withheld = [words for words in model.asked if "the enzyme is denatured" not in words]
    assert (len(told), len(withheld)) == (3, 3)
    assert all("Possible marks: 0, 1, 2." in words for words in withheld)
    assert marks(load(store, trial_id)) == [[0, 1, 2]] * 2
    with store.read() as db:
        rows = db.execute("SELECT DISTINCT prompt_version FROM trial_proposals ORDER BY 1").fetchall()
    assert [row[0] for row in rows] == ["free_text.en.v1", "points.en.v1"]


def test_examples_are_those_of_the_beginning_and_never_the_response_itself(store: Store, lead: Marker) -> None:
    exam_id, ids = marked_exam(store, [0, 1, 2])
    connections, model = Connections(), Model()
    with model_server(model) as base_url:
        judge_id = connect(store, connections, base_url)
        trial_id = begin(
            store, connections, lead, exam_id, ArmChoice(judge_id=judge_id, shots=2, grading=False, criteria=False)
        )
        work(store, connections, trial_id)
    assert len(model.asked) == 3
    for words in model.asked:
        own = words.split("<answer>")[1].split("</answer>")[0].strip()
        assert words.count("<example>") == 2
        assert own not in words.split("# Response")[0]
        assert "M1" not in words
    with store.read() as db:
        [arm] = trials.arms(db, trial_id)
    assert {each["response_id"] for each in next(iter(arm.chosen.values()))} == set(ids)


# --- Not paid twice -------------------------------------------------------------------------------------------------


def test_what_the_desk_has_is_taken_over_and_the_second_asking_is_asked_anew(store: Store, lead: Marker) -> None:
    exam_id, ids = marked_exam(store, [0, 1, 2])
    connections, model = Connections(), Model()
    with model_server(model) as base_url:
        judge_id = connect(store, connections, base_url)
        start_run(store, exam_id, judge_id)
        assert Worker(store, connections).do_one()
        assert len(model.asked) == 3
        before = desk(store)
        arms = [ArmChoice(judge_id=judge_id), ArmChoice(judge_id=judge_id, repeat=2)]
        ahead = plan(store, connections, TrialOptions(exam_id=exam_id, arms=tuple(arms)))
        assert [(arm.known, arm.sent) for arm in ahead.arms] == [(3, 0), (0, 3)]
        trial_id = begin(store, connections, lead, exam_id, *arms)
        work(store, connections, trial_id)
        assert len(model.asked) == 6
        again = begin(store, connections, lead, exam_id, *arms)
        trial = work(store, connections, again)
        assert len(model.asked) == 6
    assert trial.message == "6 marks."
    first, second = load(store, trial_id), load(store, again)
    assert marks(first) == marks(second) == [[0, 1, 2]] * 2
    assert [arm.sent for arm in first.arms] == [3, 3]  # what asking takes, wherever it was paid
    assert desk(store) == before
    with store.read() as db:
        taken = db.execute("SELECT proposal_id, taken_id, raw_reply FROM trial_proposals ORDER BY id").fetchall()
        assert trial_answers.spent(db, again) == {}
    assert [row[0] is not None for row in taken[:3]] == [True] * 3
    assert [row[1] is not None for row in taken[-3:]] == [True] * 3
    assert set(first.response_ids.tolist()) == set(ids)


def test_a_variant_that_is_another_chosen_judge_is_one_arm(store: Store, lead: Marker) -> None:
    exam_id, _ = marked_exam(store, [0, 1, 2])
    connections, model = Connections(), Model()
    with model_server(model) as base_url:
        plain, cool = (
            connect(store, connections, base_url),
            connect(store, connections, base_url, reasoning_effort="low"),
        )
        arms = [ArmChoice(judge_id=plain), ArmChoice(judge_id=plain, effort="low"), ArmChoice(judge_id=cool)]
        ahead = plan(store, connections, TrialOptions(exam_id=exam_id, arms=tuple(arms)))
        assert [arm.sent for arm in ahead.arms] == [3, 3]
        trial_id = begin(store, connections, lead, exam_id, *arms)
        assert work(store, connections, trial_id).message == "6 marks."
        assert len(model.asked) == 6


def test_a_run_takes_over_what_its_judge_has_said_on_trial(store: Store, lead: Marker) -> None:
    exam_id, ids = marked_exam(store, [0, 1, 2], [0, 1, None])
    model = Model()
    with model_server(model) as base_url:
        connections = Connections()
        judge_id = connect(store, connections, base_url)
        with store.read() as db:
            (question,) = exams.questions(db, exam_id)
        arms = [
            ArmChoice(judge_id=judge_id),
            ArmChoice(judge_id=judge_id, repeat=2),
            ArmChoice(judge_id=judge_id, criteria=False),
        ]
        trial_id = begin(store, connections, lead, exam_id, *arms)
        assert work(store, connections, trial_id).status == "done"
        asked = len(model.asked)
        options = RunOptions(exam_id=exam_id, judge_id=judge_id)
        ahead = estimate(store, connections, options)
        assert ahead is not None
        assert (ahead.unseen, ahead.on_trial, ahead.sent) == (3, 3, 0)
        start_run(store, exam_id, judge_id)
        assert Worker(store, connections).do_one()
        assert len(model.asked) == asked
        after = estimate(store, connections, options)
        assert after is not None
        assert (after.unseen, after.on_trial) == (0, 0)
    with store.read() as db:
        rows = db.execute(
            "SELECT response_id, mark, scheme_id, run_id, price, raw_reply <> '' FROM proposals "
            "WHERE judge_id = ? ORDER BY response_id",
            (judge_id,),
        ).fetchall()
        on_desk = db.execute(
            "SELECT s.response_id, p.mark FROM standings s JOIN proposals p ON p.id = s.proposal_id ORDER BY 1"
        ).fetchall()
    assert [tuple(row) for row in rows] == [
        (response_id, mark, question.scheme_id, None, pytest.approx(0.0018), 1)
        for response_id, mark in zip(ids, (0, 1, 2), strict=True)
    ]
    assert [tuple(row) for row in on_desk] == list(zip(ids, (0, 1, 2), strict=True))


def test_imported_marks_are_an_arm_and_nothing_is_asked(store: Store, lead: Marker) -> None:
    exam_id, ids = marked_exam(store, [0, 1, 2])
    connections = Connections()
    propose(store, ids[2], 2.0)  # of another judge
    with store.write() as db:
        vendor = judges.ensure(db, "Vendor", judges.IMPORTED)
        scheme_id = exams.questions(db, exam_id)[0].scheme_id
        for response_id, mark in zip(ids[:2], (1.0, 2.0), strict=True):
            db.execute(
                "INSERT INTO proposals (response_id, judge_id, scheme_id, status, mark, label, created_at) "
                "VALUES (?, ?, ?, 'proposed', ?, 'Vendor', '2026-01-01')",
                (response_id, vendor, scheme_id, mark),
            )
    before = desk(store)
    trial_id = begin(store, connections, lead, exam_id, ArmChoice(judge_id=vendor))
    trial = work(store, connections, trial_id)
    [arm] = load(store, trial_id).arms
    assert (trial.status, trial.done, trial.total) == ("done", 3, 3)
    assert arm.marks[:2].tolist() == [1, 2]
    assert (arm.missing, arm.sent, arm.price, arm.per_thousand) == (1, 0, 0.0, None)
    assert desk(store) == before


# --- Failing, stopping, going on ------------------------------------------------------------------------------------


def test_what_failed_is_asked_again_on_resuming_and_nothing_else(store: Store, lead: Marker) -> None:
    exam_id, _ = marked_exam(store, [0, 1, 2])
    connections, model = Connections(), Model()
    model.replies = lambda words: completion("no idea", MODEL, 1000, 200) if "answer 1," in words else None
    with model_server(model) as base_url:
        judge_id = connect(store, connections, base_url)
        trial_id = begin(store, connections, lead, exam_id, ArmChoice(judge_id=judge_id))
        trial = work(store, connections, trial_id)
        assert trial.message == "2 marks, 1 failed (resume to ask them again)."
        [arm] = load(store, trial_id).arms
        assert (arm.failed, arm.missing) == (1, 0)
        assert len(model.asked) == 2 + 3  # asked three times, in vain
        model.replies = lambda _: None
        cohort.go_on(store, job_of(store, trial_id))
        trial = work(store, connections, trial_id)
    assert trial.message == "3 marks."
    [arm] = load(store, trial_id).arms
    assert arm.marks.tolist() == [0, 1, 2]
    assert len(model.asked) == 6
    # What the failed one took counts: six replies at $0.0018 on three responses.
    assert arm.price == pytest.approx(6 * 0.0018)
    assert arm.per_thousand == pytest.approx(3.6)


def test_what_a_crash_left_with_the_model_fails_in_words_and_is_asked_again_only_by_a_person(
    store: Store, lead: Marker
) -> None:
    exam_id, ids = marked_exam(store, [0, 1, 2])
    connections, model = Connections(), Model()
    with model_server(model) as base_url:
        judge_id = connect(store, connections, base_url)
        trial_id = begin(store, connections, lead, exam_id, ArmChoice(judge_id=judge_id))
        with store.write() as db:
            [arm] = trials.arms(db, trial_id)
            trial_answers.claim(db, arm.id, [ids[1]])  # as the lost process noted it
        trial = work(store, connections, trial_id)
        assert (trial.done, len(model.asked)) == (3, 2)
        with store.read() as db:
            row = db.execute("SELECT reason, price FROM trial_proposals WHERE status = 'failed'").fetchone()
            assert trial_answers.left_out(db, arm.id) == []
        assert "may have been paid for" in row["reason"]
        assert row["price"] is None
        assert load(store, trial_id).arms[0].per_thousand == pytest.approx(1.8)
        cohort.go_on(store, job_of(store, trial_id))
        work(store, connections, trial_id)
    assert len(model.asked) == 3
    assert load(store, trial_id).arms[0].marks.tolist() == [0, 1, 2]


def test_a_cap_over_all_arms_stops_the_trial_before_it_is_passed_and_a_higher_one_goes_on(
    store: Store, lead: Marker
) -> None:
    exam_id, _ = marked_exam(store, [0, 1, 2, 0, 1])
    connections, model = Connections(), Model()
    with model_server(model) as base_url:
        judge_id = connect(store, connections, base_url, at_once=1)
        _, offline = default_judges(store)
        arms = [ArmChoice(judge_id=judge_id), ArmChoice(judge_id=judge_id, repeat=2), ArmChoice(judge_id=offline)]
        # A reply is $0.0018, and three times that is set aside: after 7 are $0.0126 spent, the 8th would pass 0.0171.
        trial_id = begin(store, connections, lead, exam_id, *arms, cap=0.0171)
        trial = work(store, connections, trial_id)
        assert trial.status == "failed"
        assert trial.message.startswith("Stopped at the spending cap: $0.0126 of $0.0171 is spent")
        data = load(store, trial_id)
        assert [arm.missing for arm in data.arms] == [0, 3, 0]  # the one that is free goes on
        assert len(model.asked) == 7
        cohort.go_on(store, job_of(store, trial_id), 1.0)
        trial = work(store, connections, trial_id)
    assert (trial.status, trial.cap, len(model.asked)) == ("done", 1.0, 10)


def test_a_cap_is_refused_where_a_price_is_not_known(store: Store, lead: Marker) -> None:
    exam_id, _ = marked_exam(store, [0, 1])
    connections = Connections()
    judge_id = connect(store, connections, "http://127.0.0.1:9/v1", model="unheard-of")
    with pytest.raises(TrialError, match="price of unheard-of is not known"):
        begin(store, connections, lead, exam_id, ArmChoice(judge_id=judge_id), cap=1.0)
    [arm] = plan(store, connections, TrialOptions(exam_id=exam_id, arms=(ArmChoice(judge_id=judge_id),))).arms
    assert (arm.sent, arm.price, arm.seconds) == (2, None, None)


def test_an_arm_whose_key_is_gone_says_so_and_keeps_no_other_waiting(store: Store, lead: Marker) -> None:
    exam_id, _ = marked_exam(store, [0, 1, 2])
    connections, model = Connections(), Model()
    with model_server(model) as base_url:
        judge_id = connect(store, connections, base_url)
        _, offline = default_judges(store)
        trial_id = begin(store, connections, lead, exam_id, ArmChoice(judge_id=judge_id), ArmChoice(judge_id=offline))
        trial = work(store, Connections(), trial_id)  # the server has started anew
        assert (trial.status, trial.done) == ("failed", 3)
        assert "is not connected. Connect it again on the Judges page" in trial.message
        assert [arm.missing for arm in load(store, trial_id).arms] == [3, 0]
        cohort.go_on(store, job_of(store, trial_id))
        assert work(store, connections, trial_id).status == "done"
    assert len(model.asked) == 3


def test_a_cancelled_trial_keeps_what_was_answered(store: Store, lead: Marker) -> None:
    exam_id, _ = marked_exam(store, [0, 1, 2] * 20)
    connections, model = Connections(), Model()

    def cancel_at_ten(words: str) -> None:
        if len(model.asked) == 10:
            with store.write() as db:
                jobs.cancel(db, job_of(store, trial_id))

    model.replies = cancel_at_ten
    with model_server(model) as base_url:
        judge_id = connect(store, connections, base_url, at_once=2)
        trial_id = begin(store, connections, lead, exam_id, ArmChoice(judge_id=judge_id))
        trial = work(store, connections, trial_id)
        asked = len(model.asked)
        [arm] = load(store, trial_id).arms
        assert trial.status == "cancelled"
        if arm.missing:  # the count is told twice a second, and sixty answers may be quicker
            cohort.go_on(store, job_of(store, trial_id))
            work(store, connections, trial_id)
        assert len(model.asked) == 60
    assert 10 <= asked <= 60
    assert load(store, trial_id).arms[0].missing == 0


def test_arms_go_forward_together_so_that_they_can_be_compared_while_the_trial_runs(
    store: Store, lead: Marker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "CHUNK", 2)
    exam_id, _ = marked_exam(store, [0, 1, 2, 1, 0])
    connections, model = Connections(), Model()
    with model_server(model) as base_url:
        judge_id = connect(store, connections, base_url, at_once=1)
        arms = [ArmChoice(judge_id=judge_id), ArmChoice(judge_id=judge_id, protocol=Protocol.GAOKAO)]
        # Seven replies at $0.0018 fit under the cap, three times one set aside, and the eighth does not.
        trial_id = begin(store, connections, lead, exam_id, *arms, cap=0.0171)
        work(store, connections, trial_id)
        by_prompt = ["gaokao" if "【题目】" in words else "full" for words in model.asked]
        assert by_prompt == ["full", "full", "gaokao", "gaokao", "full", "full", "gaokao"]
        assert [arm.missing for arm in load(store, trial_id).arms] == [1, 2]
        cohort.go_on(store, job_of(store, trial_id), 1.0)
        assert work(store, connections, trial_id).status == "done"
    assert marks(load(store, trial_id)) == [[0, 1, 2, 1, 0]] * 2
    assert len(model.asked) == 10


def test_what_a_run_has_out_now_is_left_to_it(store: Store, lead: Marker) -> None:
    exam_id, ids = marked_exam(store, [0, 1, 2])
    connections, model = Connections(), Model()
    with model_server(model) as base_url:
        judge_id = connect(store, connections, base_url)
        start_run(store, exam_id, judge_id)
        assert Worker(store, connections).do_one()
        with store.write() as db:
            hashes = dict(db.execute("SELECT response_id, inputs_hash FROM proposals").fetchall())
            run = db.execute("SELECT max(id) FROM jobs").fetchone()[0]
        other = connect(store, connections, base_url, seed=7)  # another judge, of the same inputs
        with store.write() as db:
            inputs = (ids[2], other, hashes[ids[2]], run)
            db.execute("INSERT INTO asked (response_id, judge_id, inputs_hash, job_id) VALUES (?, ?, ?, ?)", inputs)
        trial_id = begin(store, connections, lead, exam_id, ArmChoice(judge_id=other))
        trial = work(store, connections, trial_id)
    assert len(model.asked) == 3 + 2
    assert trial.message == "2 marks. 1 is with a run or another trial now; resume when that has ended."


def test_two_trials_side_by_side_ask_and_pay_once(store: Store, lead: Marker, monkeypatch: pytest.MonkeyPatch) -> None:
    exam_id, ids = marked_exam(store, [0, 1, 2, 1] * 5)
    connections, model = Connections(), Model()
    with model_server(model) as base_url:
        judge_id = connect(store, connections, base_url, at_once=1)
        trial_id, other = (begin(store, connections, lead, exam_id, ArmChoice(judge_id=judge_id)) for _ in range(2))
        with store.read() as db:
            [arm] = trials.arms(db, other)
        planned = running.take_over

        def meanwhile(*about: Any) -> Any:
            """The other trial is told of all but one, which it still has out, after this one has planned."""
            found = planned(*about)
            monkeypatch.setattr(running, "take_over", planned)
            with store.write() as db:
                trial_answers.claim(db, arm.id, [ids[7]])
                inputs = {each: part.hashes[each] for part in found[0] for each in ids}
                said = [(each, arm_scheme, inputs[each], proposal) for each in ids if each != ids[7]]
                trial_answers.keep_each(db, arm.id, said)
            return found

        with store.read() as db:
            arm_scheme = exams.questions(db, exam_id)[0].scheme_id
        proposal = Proposal(status=ProposalStatus.PROPOSED, mark=1, label=MODEL)
        monkeypatch.setattr(running, "take_over", meanwhile)
        trial = work(store, connections, trial_id)
        assert model.asked == []
        assert trial.message == "19 marks. 1 is with a run or another trial now; resume when that has ended."
        cancelled = job_of(store, other)
        with store.write() as db:
            jobs.cancel(db, cancelled)  # what it left with the model keeps nobody waiting
        cohort.go_on(store, job_of(store, trial_id))
        assert work(store, connections, trial_id).message == "20 marks."
    assert len(model.asked) == 1


def test_a_trial_put_away_asks_no_more(store: Store, lead: Marker) -> None:
    exam_id, _ = marked_exam(store, [0, 1])
    connections, model = Connections(), Model()
    with model_server(model) as base_url:
        judge_id = connect(store, connections, base_url)
        trial_id = begin(store, connections, lead, exam_id, ArmChoice(judge_id=judge_id))
        with store.write() as db:
            trials.archive(db, trial_id)  # on a screen that does not know of its going on
        assert not Worker(store, connections).do_one()
    assert model.asked == []


def test_a_trial_comes_back_with_its_exams_evidence_pack_and_reads_the_same(
    store: Store, lead: Marker, tmp_path: Path
) -> None:
    exam_id, _ = marked_exam(store, [0, 1, 2], [1, None, 2])
    connections, model = Connections(), Model()
    with model_server(model) as base_url:
        judge_id = connect(store, connections, base_url)
        trial_id = begin(store, connections, lead, exam_id, ArmChoice(judge_id=judge_id, shots=1))
        work(store, connections, trial_id)
    pack = io.BytesIO()
    write_pack(store, exam_id, pack)
    fresh = new_store(tmp_path / "fresh")
    restore(fresh, io.BytesIO(pack.getvalue()))
    here, there = load(store, trial_id), load(fresh, trial_id)
    assert repr(replace(here, arms=())) == repr(replace(there, arms=()))
    assert marks(here) == marks(there) == [[0, 1, 2]]
    assert (here.second[0], here.arms[0].arm.name) == (1, f"{MODEL} · 1 example")
    assert here.arms[0].price == there.arms[0].price == pytest.approx(3 * 0.0018)
    assert the(fresh, trial_id).status == "done"


# --- The demo trial -------------------------------------------------------------------------------------------------


def test_the_demo_trial_compares_two_offline_judges_on_what_two_teachers_marked(store: Store) -> None:
    _, offline = default_judges(store)
    with store.write() as db:
        demo.install_typed(db, offline)
    connections = Connections()
    trial_id = demo_trial.run_demo(store, connections, None)
    trial = work(store, connections, trial_id)
    assert trial.status == "done"
    data = load(store, trial_id)
    usual, exact = data.arms
    assert (usual.arm.name, exact.arm.name) == ("Offline matcher", "Offline matcher, exact words")
    assert data.double_marked
    assert all(question.type not in (QuestionType.SINGLE_CHOICE, QuestionType.NUMERIC) for question in data.questions)
    both = ~np.isnan(usual.marks) & ~np.isnan(exact.marks)
    assert both.sum() > 100
    # Exact words never find more than the usual matcher does, and here often less.
    assert (exact.marks[both] <= usual.marks[both]).all()
    assert (exact.marks[both] < usual.marks[both]).mean() > 0.1
    assert load(store, trial_id).arms[1].marks.tobytes() == exact.marks.tobytes()


def test_an_exact_words_judge_wants_the_schemes_spelling_and_more_than_half_of_a_point(store: Store) -> None:
    question, scheme = two_point_question()
    texts = ["the enzyme is denatured", "the enzime is denaturd", "denatured, and much else besides this"]
    exam_id, [ids] = add_exam(store, [texts], questions=[(question, scheme)])
    for response_id in ids:
        give(store, response_id, add_marker(store, f"T{response_id}"), 1)
    connections = Connections()
    _, offline = default_judges(store)
    with store.read() as db:
        found = judges.get(db, offline)
    assert found is not None
    arms = choices(found, Variants(exact=True))
    trial_id = start(store, connections, TrialOptions(exam_id=exam_id, arms=tuple(arms)), None)
    work(store, connections, trial_id)
    usual, exact = marks(load(store, trial_id))
    assert usual == [1, 1, 1]
    assert exact == [1, 0, 0]


def job_of(store: Store, trial_id: int) -> int:
    job_id = the(store, trial_id).job_id
    assert job_id is not None
    return job_id

"""Several sittings of one benchmark: each question is counted once, asked once, and no figure contradicts another."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from components.intake.benchmarks.items import Item
from components.marking import MarkError
from components.workflow.benchmarks import sitting as sitting_job
from components.workflow.benchmarks.figures_knowledge import knowledge, known_rows
from components.workflow.benchmarks.outcomes import objective_of, sitting_of, submission_of
from components.workflow.benchmarks.settings import Protocol, SittingSettings
from storage import Store, benchmarks, sittings
from storage.benchmarks import Result
from storage.sittings import Answer
from tests.model_server import completion, model_server
from tests.support import new_store
from tests.unit.test_sitting import BIOLOGY, a_set, connected, e_eval, gaokao, sit, took

NOWHERE = "http://127.0.0.1:9/v1"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = new_store(tmp_path)
    yield store
    store.close()


def sat(store: Store, set_id: int, judge_id: int, marks: Sequence[float | None], **settings: object) -> int:
    """A sitting in which the set's first questions earned these marks; None had no reply."""
    chosen = SittingSettings.model_validate({"protocol": "zero_shot", **settings}).model_dump(mode="json")
    with store.write() as db:
        sitting_id = sittings.add(db, set_id, judge_id, chosen, None)
        rows = db.execute("SELECT id FROM benchmark_items WHERE set_id = ? ORDER BY position", (set_id,)).fetchall()
        answers = [
            Answer("failed", reason="No reply.") if mark is None else Answer("answered", "A", ("A",), mark)
            for mark in marks
        ]
        sittings.keep(db, sitting_id, [(row["id"], each) for row, each in zip(rows, answers, strict=False)])
    return sitting_id


def counted(store: Store, judge_id: int) -> list[Result]:
    with store.read() as db:
        return list(benchmarks.results_of_judge(db, judge_id))


def test_a_question_of_two_loads_of_a_benchmark_counts_once_on_the_card(store: Store) -> None:
    _, judge_id = connected(store, NOWHERE)
    dev, val = [e_eval(number, "dev") for number in range(3)], [e_eval(number) for number in range(5)]
    mended = [val[0].model_copy(update={"question": "Mended?"}), *val[1:]]
    sat(store, a_set(store, dev), judge_id, [0, 0, 0])
    full = sat(store, a_set(store, [*dev, *val]), judge_id, [1] * 8)
    again = sat(store, a_set(store, mended), judge_id, [1, 1, 1, 1, None])
    found = counted(store, judge_id)
    assert [(each.split, each.number, each.mark) for each in found] == [
        *(("dev", str(number), 1) for number in range(3)),
        *(("val", str(number), 1) for number in range(5)),
    ]
    assert {each.sitting_id for each in found} == {full}
    with store.write() as db:
        sittings.archive(db, full)
    assert [(each.sitting_id, each.split) for each in counted(store, judge_id) if each.split == "val"] == [
        (again, "val")
    ] * 5


def test_a_newer_sitting_of_questions_without_a_key_does_not_hide_what_is_known(store: Store) -> None:
    _, judge_id = connected(store, NOWHERE)
    private = [e_eval(number, "test", key=()) for number in range(4)]
    known = sat(store, a_set(store, [e_eval(number, "test") for number in range(3)]), judge_id, [1, 0, 1])
    sat(store, a_set(store, private), judge_id, [0] * 4)
    assert {each.sitting_id for each in counted(store, judge_id)} == {known}


def test_two_loads_of_a_benchmark_have_names_that_tell_them_apart(store: Store) -> None:
    for items in ([e_eval(1)], [e_eval(1), e_eval(2)], [e_eval(2)]):
        a_set(store, items)
    with store.read() as db:
        assert [each.name for each in benchmarks.listed(db)] == ["Small (3)", "Small (2)", "Small"]


def test_sittings_that_share_questions_do_not_run_at_once_and_pay_twice(store: Store) -> None:
    set_id = a_set(store, [e_eval(1), e_eval(2), e_eval(3, "dev")])
    _, judge_id = connected(store, NOWHERE)
    chosen = SittingSettings(protocol=Protocol.ZERO_SHOT, splits=("val",))
    one_task = chosen.model_copy(update={"tasks": (BIOLOGY,)})
    first = sitting_job.begin(store, set_id, judge_id, chosen, None)
    with pytest.raises(MarkError, match=f"Sitting {first}, which is under way or paused, asks this judge some of the"):
        sitting_job.begin(store, set_id, judge_id, one_task, None)
    for other in ({"splits": ("dev",)}, {"protocol": Protocol.ANSWER_ONLY, "shots": 1}):
        sitting_job.begin(store, set_id, judge_id, chosen.model_copy(update=other), None)
    ended = sat(store, set_id, judge_id, [1], tasks=[BIOLOGY], splits=["val"])
    with store.write() as db:
        db.execute("INSERT INTO jobs (kind, payload, status, created_at) VALUES ('sit', '{}', 'done', '2026-01-01')")
        sittings.set_job(db, ended, db.execute("SELECT max(id) AS id FROM jobs").fetchone()["id"])
    with pytest.raises(MarkError, match="Let it end first"):
        sitting_job.go_on(store, ended)


def test_a_reply_read_in_part_counts_alike_in_the_sittings_table_and_on_the_card(store: Store) -> None:
    paper = [gaokao(1, "multi_question_choice", ("A", "C", "B", "D"), 3, "2010-2022_Geography_MCQs")]

    def reply(words: str) -> tuple[int, dict[str, object]]:
        marks = "".join(f"【解析】…<eoe>【答案】{letter}<eoa>" for letter in ("A", "C", "不知道", "A"))
        return completion(marks, "cheap", 100, 20)

    with model_server(reply) as base_url:
        connections, judge_id = connected(store, base_url)
        sitting_id, _ = sit(store, connections, a_set(store, paper), judge_id, Protocol.GAOKAO)
    (found,) = counted(store, judge_id)
    assert (found.answers, found.mark) == (("A", "C", "", "A"), None)
    assert "the whole has no mark" in found.reason
    figures = objective_of(store, sitting_of(store, sitting_id))
    assert figures is not None
    total = figures.total
    assert (total.ours.marks, total.ours.full, total.ours_of_all.value, total.unread) == (6, 9, 0.5, 1)
    known = knowledge(known_rows([found]))
    assert known is not None
    assert known.subjects[0].rate.value == total.ours_of_all.value
    assert known.subjects[0].unread == took(store, sitting_id).unread == 1
    assert "1 of its 1 replies could not be read in full" in known.sentence


def test_a_submission_of_a_sitting_that_was_stopped_has_every_question(store: Store) -> None:
    _, judge_id = connected(store, NOWHERE)
    set_id = a_set(store, [e_eval(0), *(e_eval(number, "test", key=()) for number in range(4))])
    sitting_id = sat(store, set_id, judge_id, [1, 0, None], splits=["val", "test"])
    assert json.loads(submission_of(store, sitting_id)) == {BIOLOGY: {"0": "A", "1": "", "2": "", "3": ""}}


def test_what_a_large_sitting_would_take_is_reckoned_from_some_of_its_questions(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def question(number: int) -> Item:
        return e_eval(number).model_copy(update={"question": "题" * (number % 97)})

    set_id = a_set(store, [question(number) for number in range(900)])
    connections, judge_id = connected(store, NOWHERE)
    chosen = SittingSettings(protocol=Protocol.ZERO_SHOT, splits=("val",))
    exact = sitting_job.ahead(store, connections, set_id, judge_id, chosen)
    monkeypatch.setattr(sitting_job, "SAMPLED", 200)
    reckoned = sitting_job.ahead(store, connections, set_id, judge_id, chosen)
    assert exact is not None
    assert reckoned is not None
    assert (reckoned.items, reckoned.sent, reckoned.tokens_out) == (900, 900, exact.tokens_out)
    assert reckoned.tokens_in == pytest.approx(exact.tokens_in, rel=0.02)
    assert reckoned.tokens_in != exact.tokens_in
    sat(store, set_id, judge_id, [1])
    assert sitting_job.ahead(store, connections, set_id, judge_id, chosen) == exact

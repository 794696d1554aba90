"""Blind marks over time: the running figures, when they are enough, and the watch for drift."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from components.agreement import quadratic_weighted_kappa
from components.marking import Stage
from components.workflow.agreement import over_time as module
from components.workflow.agreement.drift import drift_check, drift_text
from components.workflow.agreement.figures import exam_figures
from components.workflow.agreement.over_time import OverTime, over_time
from components.workflow.agreement.selection import Selection
from storage import Store, exams, pair_rows, pairs
from storage.pair_rows import Asked
from storage.pairs import Pair, Wanted
from tests.pair_material import another_judge, desk_judge, give, plain_question, propose
from tests.support import add_exam, add_marker, new_store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def looked(store: Store, selection: Selection) -> OverTime:
    return over_time(store, selection, exam_figures(store, selection))


def exam_of(store: Store, *candidates: int, tolerance: float = 0) -> tuple[int, list[list[int]]]:
    questions = [plain_question(str(i + 1), tolerance=tolerance) for i in range(len(candidates))]
    return add_exam(store, [["an answer"] * n for n in candidates], questions=questions)


def test_the_share_within_tolerance_runs_over_blind_marks_in_the_order_they_were_given(store: Store) -> None:
    ada = add_marker(store, "Ada")
    exam_id, (ids, others) = exam_of(store, 4, 4, tolerance=1)
    propose(store, ids + others, [3, 3, 3, 3, 0, 0, 0, 0])
    give(store, others[:2], [4, 4], ada, Stage.AI_FIRST)
    give(store, others[2:], [4, 4], ada, Stage.IMPORTED)
    give(store, [ids[2], ids[0], ids[3], ids[1]], [2, 0, 3, 4], ada)
    found = looked(store, Selection(exam_id))
    assert [(point.n, point.value) for point in found.within] == [
        (1, 1.0),
        (2, 0.5),
        (3, pytest.approx(2 / 3)),
        (4, 0.75),
    ]
    times = [point.at for point in found.within]
    assert times == sorted(times)
    assert (found.n, found.shown, found.qwk) == (4, 4, ()), "two questions have no QWK that runs"
    assert not found.enough
    assert found.enough_text.startswith("Not enough is marked yet: after 4 blind pairs 75% within tolerance")
    assert found.drift.reason == "Drift is watched from 100 blind marks on; there are 4."


def test_one_question_has_a_running_qwk_from_ten_pairs_on(store: Store) -> None:
    ada = add_marker(store, "Ada")
    exam_id, (ids,) = exam_of(store, 12)
    ai, teacher = [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 4, 0], [0, 1, 2, 3, 4, 1, 2, 2, 2, 4, 3, 0]
    propose(store, ids, ai)
    give(store, ids, teacher, ada)
    found = looked(store, Selection(exam_id))
    assert [point.value for point in found.qwk[:9]] == [None] * 9
    # Of the first ten: n = 10, Σd² = 3, Σx = 20, Σy = 21, Σx² = 60, Σy² = 59.
    assert found.qwk[9].value == pytest.approx(1 - 10 * 3 / (10 * (60 + 59) - 2 * 20 * 21))
    last = found.qwk[-1]
    assert last.n == 12
    assert last.low is not None
    assert last.high is not None
    assert last.low < 1 - 12 * 4 / (12 * (76 + 68) - 2 * 24 * 24) < last.high
    assert found.enough == ((last.high - last.low) / 2 <= 0.1)


def test_pairs_before_the_window_are_counted_in_what_is_drawn(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = add_marker(store, "Ada")
    exam_id, (ids,) = exam_of(store, 20)
    ai = [i % 5 for i in range(20)]
    teacher = [min(4, mark + (i % 3 == 0)) for i, mark in enumerate(ai)]
    propose(store, ids, ai)
    give(store, ids, teacher, ada)
    whole = looked(store, Selection(exam_id))
    monkeypatch.setattr(module, "WINDOW", 5)
    found = looked(store, Selection(exam_id))
    assert (found.n, found.shown) == (20, 5)
    assert [point.n for point in found.within] == [16, 17, 18, 19, 20]
    assert [point.value for point in found.within] == pytest.approx([point.value for point in whole.within[15:]])
    assert found.within[0].at == whole.within[15].at
    assert found.qwk[-1].value == pytest.approx(quadratic_weighted_kappa(ai, teacher).value)
    assert found.qwk[-1].low == pytest.approx(whole.qwk[-1].low)


def test_many_marks_are_thinned_to_four_hundred_points_and_the_last_is_kept(store: Store) -> None:
    ada = add_marker(store, "Ada")
    exam_id, (ids,) = exam_of(store, 405)
    propose(store, ids, [2] * 405)
    give(store, ids, [2 + (i % 2) for i in range(405)], ada)
    found = looked(store, Selection(exam_id))
    assert len(found.within) <= 400
    assert found.within[-1].n == 405
    assert found.within[-1].value == pytest.approx(203 / 405)
    assert found.enough is False, "the AI gave one mark throughout, so QWK says nothing"


def test_enough_is_marked_once_the_interval_is_within_a_tenth(store: Store) -> None:
    ada = add_marker(store, "Ada")
    exam_id, (ids, others) = exam_of(store, 120, 120)
    propose(store, ids + others, [3] * 240)
    give(store, ids + others, [3] * 239 + [0], ada)
    found = looked(store, Selection(exam_id))
    assert found.enough
    assert found.enough_text.startswith("Enough is marked: 100% within tolerance is known to ± ")
    imported = looked(store, Selection(exam_id, stage=Stage.IMPORTED))
    assert (imported.n, imported.enough_text) == (0, "None of these marks was given blind.")


def test_marks_about_several_judges_come_in_the_order_they_were_given(store: Store) -> None:
    exam_id, (ids, others) = exam_of(store, 3, 3)
    other = another_judge(store, "Other")
    propose(store, ids + others, [1] * 6)
    propose(store, ids + others, [2] * 6, judge_id=other)
    give(store, [ids[0], others[1], others[0], ids[2], others[2], ids[1]], [3] * 6, add_marker(store))
    with store.read() as db:
        first, second = (stored.id for stored in exams.questions(db, exam_id))
        judged = {first: desk_judge(store), second: other}
        newest = pair_rows.newest_of(db, pairs.AGREEMENT, Wanted(exam_id), judged, 4)
        oldest = pair_rows.oldest_of(db, pairs.AGREEMENT, Wanted(exam_id), judged, 4)
        behind, n = pair_rows.behind(db, Wanted(exam_id), judged, Asked(pairs.AGREEMENT), 4)
    assert [(p.response_id, p.ai) for p in newest] == [(others[0], 2), (ids[2], 1), (others[2], 2), (ids[1], 1)]
    assert [(p.response_id, p.ai) for p in oldest] == [(ids[0], 1), (others[1], 2), (others[0], 2), (ids[2], 1)]
    assert ([row.response_id for row in behind], n) == ([ids[1], others[2], ids[2], others[0]], 6)


def pair(place: int, difference: float, question_id: int = 1) -> Pair:
    at = f"2026-11-14T{10 + place // 60:02}:{place % 60:02}:00.000000+00:00"
    return Pair(place, question_id, 1, Stage.BLIND, "", 2 + difference, 2, at, place)


STEADY = [(0, 1, 0, -1)[i % 4] for i in range(100)]  # mean 0, SD √(50/99) = .711


def test_a_drift_is_told_from_its_beginning_with_its_direction_and_questions() -> None:
    calm = [pair(i, d, 1 + i % 2) for i, d in enumerate(STEADY)]
    # On question 2 alone d is ±1 and 0 no more, but 2; question 1 keeps to 0: z = 0 and 2/1.01 = 1.98 in turn.
    moved = [pair(100 + i, 2 * (i % 2), 1 + i % 2) for i in range(40)]
    found = drift_check(calm + moved, {1: "1", 2: "2(b)"})
    assert found.drifted is not None
    assert (found.baseline, found.watched, found.sure) == (100, 40, True)
    assert (found.drifted.direction, found.drifted.questions) == ("lenient", ("2(b)",))
    # Each second mark adds 1.98 − .25 and the one between takes .25 away: with the eighth, 1.73 + 7 · 1.48 > 12.
    assert found.drifted.since == moved[1].given_at
    assert found.drifted.alarm_at == moved[15].given_at
    assert drift_text(found) == (
        "Since 14 Nov, 11:41 the AI has been more lenient than on the first 100 blind marks, mostly on 2(b)."
    )
    assert "Since 14 Nov, 13:41 " in drift_text(found, ZoneInfo("Europe/Helsinki"))


def test_severity_that_has_passed_is_no_drift_now() -> None:
    moved = [pair(100 + i, -2) for i in range(10)] + [pair(110 + i, STEADY[i % 100]) for i in range(120)]
    found = drift_check([pair(i, d) for i, d in enumerate(STEADY)] + moved, {1: "1"})
    assert found.drifted is not None
    assert (found.drifted.direction, found.drifted.since) == ("severe", moved[0].given_at)
    assert found.drifted.until is not None
    assert not found.sure
    assert drift_text(found).startswith("No drift now. From 14 Nov, 11:40 to 14 Nov, ")


def test_an_alarm_against_a_baseline_of_five_marks_is_only_a_suspicion() -> None:
    # Question 2 has five of the first hundred, by chance all a little low; then it goes on as question 1 does.
    calm = [pair(i, -0.5 + 0.5 * (i % 3) if i >= 95 else d, 1 + (i >= 95)) for i, d in enumerate(STEADY)]
    later = [pair(100 + i, (0, 1, 0, 0)[i % 4], 2) for i in range(80)]
    found = drift_check(calm + later, {1: "1", 2: "2"})
    assert found.drifted is not None
    assert found.drifted.until is None
    assert not found.sure
    assert "may have been more lenient" in drift_text(found)
    assert "these are too few to tell that from chance" in drift_text(found)


def test_marks_that_keep_to_the_first_hundred_are_no_drift() -> None:
    found = drift_check([pair(i, d) for i, d in enumerate(STEADY * 3)], {1: "1"})
    assert found.drifted is None
    assert drift_text(found) == (
        "No drift: the AI's marks keep to what they were on the first 100 blind marks (200 watched since)."
    )
    just_the_baseline = drift_check([pair(i, d) for i, d in enumerate(STEADY)], {1: "1"})
    assert "drift is watched from the next one on" in just_the_baseline.reason


def test_questions_that_the_first_hundred_hardly_hold_are_a_word_of_care() -> None:
    other = [pair(100 + i, STEADY[i], 2) for i in range(40)]
    found = drift_check([pair(i, d) for i, d in enumerate(STEADY)] + other, {1: "1", 2: "2"})
    assert found.care.startswith("Most marks since are on questions with few of the first 100")

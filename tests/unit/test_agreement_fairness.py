"""Groups of candidates against all others: how much more lenient the AI is to them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_ind

from components.marking import Stage
from components.workflow.agreement.fairness import comparisons_text, fairness
from components.workflow.agreement.selection import Selection
from storage import Store
from tests.pair_material import give, plain_question, propose
from tests.support import add_exam, add_marker, new_store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def exam_of(store: Store, groups: Sequence[dict[str, str]], questions: int = 1) -> tuple[int, list[list[int]]]:
    made = [plain_question(str(i + 1), tolerance=1) for i in range(questions)]
    exam_id, grid = add_exam(store, [["an answer"] * len(groups)] * questions, questions=made)
    with store.write() as db:
        for place, group in enumerate(groups, 1):
            db.execute(
                "UPDATE candidates SET groups = ? WHERE exam_id = ? AND position = ?",
                (json.dumps(group), exam_id, place),
            )
    return exam_id, grid


def test_a_groups_bias_is_that_beyond_the_others_in_sds_of_the_teachers_marks(store: Store) -> None:
    classes = [{"class": "11A"}] * 20 + [{"class": "11B"}] * 30
    exam_id, (ids,) = exam_of(store, classes)
    teacher = [1 + 2 * (i % 2) for i in range(50)]  # 1 and 3 in turn: SD √(50/49)
    extra = [0] * 20 + [(0, 1, 0)[i % 3] for i in range(30)]
    propose(store, ids, [mark + more for mark, more in zip(teacher, extra, strict=True)])
    give(store, ids, teacher, add_marker(store))
    first, second = fairness(store, Selection(exam_id))
    z = np.array(extra) / np.sqrt(50 / 49)
    assert (second.column, second.value, second.n, second.candidates) == ("class", "11B", 30, 30)
    assert (second.others, second.other_candidates) == (20, 20)
    assert second.difference.value == pytest.approx(1 / 3 / np.sqrt(50 / 49))
    assert first.difference.value == pytest.approx(-second.difference.value)
    # With one response a candidate it is Welch's t test.
    welch = ttest_ind(z[20:], z[:20], equal_var=False)
    low, high = welch.confidence_interval()
    assert second.difference.interval is not None
    assert (second.difference.interval.low, second.difference.interval.high) == pytest.approx((low, high))
    assert welch.pvalue < 0.05 / 2
    assert (first.beyond_chance, second.beyond_chance) == (True, True)
    assert second.sentence == (
        f"The AI is 0.33 SD more lenient to 11B than to the others ({low:.2f} to {high:.2f}), on 30 responses."
    )
    assert first.sentence.startswith("The AI is 0.33 SD more severe to 11A than to the others (0.1")
    assert comparisons_text((first, second)) == (
        "2 comparisons were made, and of 20 about one looks like something by chance alone. Allowing for that (Holm's "
        "method), 2 stand out."
    )


def test_a_group_under_twenty_responses_is_suppressed_with_the_reason(store: Store) -> None:
    exam_id, (ids,) = exam_of(
        store, [{"class": "11A", "tier": "higher"}] * 20 + [{"class": "11B", "tier": "higher"}] * 19
    )
    teacher = [i % 4 for i in range(39)]
    propose(store, ids, teacher)
    give(store, ids, teacher, add_marker(store))
    found = fairness(store, Selection(exam_id))
    assert [(group.value, group.difference.value, group.n) for group in found] == [
        ("11A", None, 20),
        ("11B", None, 19),
        ("higher", None, 39),
    ]
    assert found[1].sentence == "11B: shown from 20 responses; the group has 19."
    assert "the other candidates have 0" in found[2].sentence
    assert not any(group.beyond_chance for group in found)
    assert comparisons_text(found).startswith("No group can be compared yet")


def test_many_groups_of_which_one_looks_odd_do_not_make_it_stand_out(store: Store) -> None:
    groups = [{"class": f"{i % 10}"} for i in range(300)]
    exam_id, (ids,) = exam_of(store, groups)
    teacher = [i % 4 for i in range(300)]
    # The AI gives a mark more on 16 of the 30 of class 7 and on 9 of the 30 of each other.
    extra = [int(i // 10 < (16 if i % 10 == 7 else 9)) for i in range(300)]
    propose(store, ids, [mark + more for mark, more in zip(teacher, extra, strict=True)])
    give(store, ids, teacher, add_marker(store))
    found = fairness(store, Selection(exam_id))
    odd = found[7]
    assert odd.difference.interval is not None
    assert odd.difference.interval.low > 0
    z = np.array(extra) / np.std(teacher, ddof=1)
    member = np.arange(300) % 10 == 7
    assert 0.05 / 10 < ttest_ind(z[member], z[~member], equal_var=False).pvalue < 0.05
    assert not any(group.beyond_chance for group in found)
    assert odd.sentence.endswith("on 30 responses; with 10 groups looked at, chance may bring as much.")
    assert comparisons_text(found).endswith("none stands out.")


def test_a_candidates_several_responses_count_as_one_candidate(store: Store) -> None:
    exam_id, grid = exam_of(store, [{"class": "A"}] * 10 + [{"class": "B"}] * 10, questions=3)
    teacher = [i % 4 for i in range(20)]
    # Each candidate of A gets the same extra mark on every question or on none.
    for ids in grid:
        propose(store, ids, [mark + (i < 5) for i, mark in enumerate(teacher)])
        give(store, ids, teacher, add_marker(store, f"Ms {ids[0]}"))
    of_a, _ = fairness(store, Selection(exam_id))
    assert (of_a.n, of_a.candidates, of_a.other_candidates) == (30, 10, 10)
    sd = np.std(teacher, ddof=1)
    assert of_a.difference.value == pytest.approx(0.5 / sd)
    welch = ttest_ind(np.array([1] * 5 + [0] * 5) / sd, [0] * 10, equal_var=False)
    low, high = welch.confidence_interval()
    assert of_a.difference.interval is not None
    assert (of_a.difference.interval.low, of_a.difference.interval.high) == pytest.approx((low, high))


def test_only_the_selections_pairs_count_and_marks_given_with_the_ai_in_view_never(store: Store) -> None:
    exam_id, (ids, others) = exam_of(store, [{"class": "A"}] * 20 + [{"class": "B"}] * 20, questions=2)
    teacher = [i % 4 for i in range(40)]
    propose(store, ids + others, [mark + 1 for mark in teacher] * 2)
    give(store, ids, teacher, add_marker(store, "Ada"))
    give(store, others, teacher, add_marker(store, "Ben"), Stage.AI_FIRST)
    assert [group.n for group in fairness(store, Selection(exam_id))] == [20, 20]
    assert [group.n for group in fairness(store, Selection(exam_id, questions=("2",)))] == [0, 0]
    alike = fairness(store, Selection(exam_id))[0]
    assert alike.sentence == "The AI treats A like the others: 0.00 SD apart, on 20 responses."


def test_candidates_without_groups_have_nothing_to_compare(store: Store) -> None:
    exam_id, (ids,) = exam_of(store, [{}] * 3)
    propose(store, ids, [1, 1, 1])
    give(store, ids, [1, 1, 1], add_marker(store))
    assert fairness(store, Selection(exam_id)) == ()
    assert comparisons_text(()).startswith("The candidates of this exam carry no groups")
    with pytest.raises(LookupError):
        fairness(store, Selection(exam_id + 1))

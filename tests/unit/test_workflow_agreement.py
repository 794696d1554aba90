from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from components.marking import Marker, Outcome, Question, QuestionType, Scheme, Stage, WholeVerdict, propose_from
from components.workflow.agreement.figures import exam_figures
from components.workflow.agreement.pulse import pulse
from components.workflow.agreement.selection import Selection
from components.workflow.answers import Arriving, bring_in
from components.workflow.connections import default_judges
from storage import Store, decisions, exam_setup, exams, jobs, judges, proposals, responses, standings
from storage.pictures import NewPage, Picture
from tests.support import add_exam, add_marker, new_store, propose_points

POINTS: dict[int, tuple[str, ...]] = {0: (), 1: ("M1",), 2: ("M1", "A1")}

# Worked by hand: d = 0 −1 0 0 −1 0 0 0 1 2, so Σd² = 7; Σx = 13, Σx² = 23, Σy = 12, Σy² = 20, and
# QWK = 1 − 10·7/(10·23 + 10·20 − 2·13·12) = 1 − 70/118.
AI = [0, 0, 1, 1, 1, 2, 2, 2, 2, 2]
TEACHER = [0, 1, 1, 1, 2, 2, 2, 2, 1, 0]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def teacher(store: Store) -> Marker:
    return add_marker(store)


def give(store: Store, response_id: int, marker: Marker, mark: float | None, stage: Stage, proposal: int = 0) -> int:
    outcome = Outcome.NO_RESPONSE if mark is None else Outcome.MARK
    with store.write() as db:
        if proposal and stage is Stage.AI_FIRST:
            proposals.record_sighting(db, response_id, marker.id, proposal)
        return decisions.record(
            db, response_id, marker.id, outcome, stage, mark=mark, proposal_id=proposal or None
        ).decision_id


def proposed_exam(store: Store, ai: Sequence[int]) -> tuple[int, list[int], list[int]]:
    """(exam, responses, proposals) of an exam with one question, on which the offline judge gave these marks."""
    exam_id, (ids,) = add_exam(store, [[f"answer {i}" for i in range(len(ai))]])
    return exam_id, ids, [propose_points(store, r, POINTS[mark]) for r, mark in zip(ids, ai, strict=True)]


def propose_whole(store: Store, response_id: int, judge_id: int, mark: float) -> int:
    with store.write() as db:
        response = responses.get(db, response_id)
        assert response is not None
        question = exams.question(db, response.question_id)
        proposal = propose_from((WholeVerdict(mark=mark),), question.scheme, label="Test judge")
        return proposals.add(db, response_id, judge_id, question.scheme_id, proposal)


def test_figures_of_blind_marks_are_those_worked_by_hand(store: Store, teacher: Marker) -> None:
    question = Question(number="3(b)", type=QuestionType.SHORT, text="Why?", max_mark=2, tolerance=1)
    exam_id, (ids,) = add_exam(store, [["x"] * 10], questions=[(question, Scheme(max_mark=2))])
    _, offline = default_judges(store)
    for response_id, ai, mark in zip(ids, AI, TEACHER, strict=True):
        propose_whole(store, response_id, offline, ai)
        give(store, response_id, teacher, mark, Stage.BLIND)
    figures = exam_figures(store, Selection(exam_id))
    (row,) = figures.questions
    assert row.question.number == "3(b)"
    assert row.agreement.n == 10
    assert row.agreement.qwk.value == pytest.approx(1 - 70 / 118)
    assert row.agreement.differences.exact.count == 6
    assert row.agreement.differences.within.count == 9
    assert row.agreement.differences.mean_signed.value == pytest.approx(0.1)
    overall = figures.overall
    assert (overall.agreement.n, overall.agreement.exact.count, overall.agreement.within.count) == (10, 6, 9)
    assert overall.mean_signed.value == pytest.approx(0.1)
    assert overall.accept.accepted.n == 0
    assert (figures.blind_pairs, figures.imported_pairs) == (10, 0)


def test_marks_given_with_the_proposal_in_view_make_the_accept_rate_and_nothing_else(
    store: Store, teacher: Marker
) -> None:
    exam_id, ids, made = proposed_exam(store, [2, 2, 1, 0, 1])
    for response_id, proposal, mark in zip(ids, made, [2, 2, 2, 0, 0], strict=True):
        give(store, response_id, teacher, mark, Stage.AI_FIRST, proposal)
    figures = exam_figures(store, Selection(exam_id))
    assert figures.overall.agreement.n == 0
    assert figures.questions[0].agreement.n == 0
    assert figures.overall.mean_signed.value is None
    accept = figures.overall.accept
    assert (accept.accepted.count, accept.accepted.n, accept.up, accept.down) == (3, 5, 1, 1)
    assert accept.accepted.interval is not None
    # Wilson: (3 + z²/2)/(5 + z²) ± z/(5 + z²) · √(3·2/5 + z²/4), z = 1.95996.
    assert accept.accepted.interval.low == pytest.approx(0.2307, abs=1e-4)
    assert accept.accepted.interval.high == pytest.approx(0.8824, abs=1e-4)
    assert figures.questions[0].accept == accept


def test_a_blind_mark_stays_in_agreement_when_its_marker_marks_again_after_seeing_the_proposal(
    store: Store, teacher: Marker
) -> None:
    exam_id, ids, made = proposed_exam(store, [2])
    give(store, ids[0], teacher, 0, Stage.BLIND, made[0])
    give(store, ids[0], teacher, 2, Stage.AI_FIRST, made[0])
    figures = exam_figures(store, Selection(exam_id))
    assert figures.overall.agreement.n == 1
    assert figures.overall.mean_signed.value == 2
    assert (figures.overall.accept.accepted.count, figures.overall.accept.accepted.n) == (1, 1)


def test_a_mark_revised_after_the_reveal_counts_in_neither(store: Store, teacher: Marker) -> None:
    exam_id, ids, made = proposed_exam(store, [2])
    give(store, ids[0], teacher, 1, Stage.BLIND, made[0])
    give(store, ids[0], teacher, 2, Stage.REVEALED, made[0])
    figures = exam_figures(store, Selection(exam_id))
    assert figures.overall.mean_signed.value == 1
    assert figures.overall.accept.accepted.n == 0


def test_an_undone_mark_leaves_the_figures(store: Store, teacher: Marker) -> None:
    exam_id, ids, made = proposed_exam(store, [2, 1])
    blind = give(store, ids[0], teacher, 1, Stage.BLIND, made[0])
    seen = give(store, ids[1], teacher, 1, Stage.AI_FIRST, made[1])
    assert exam_figures(store, Selection(exam_id)).overall.agreement.n == 1
    with store.write() as db:
        decisions.undo(db, blind, teacher.id)
        decisions.undo(db, seen, teacher.id)
    figures = exam_figures(store, Selection(exam_id))
    assert figures.overall.agreement.n == 0
    assert figures.overall.accept.accepted.n == 0


def test_imported_marks_count_as_agreement_and_are_told_from_blind_ones(store: Store, teacher: Marker) -> None:
    exam_id, ids, made = proposed_exam(store, [2, 1, 0])
    outside = add_marker(store, "Second marker")
    for response_id in ids[:2]:
        give(store, response_id, outside, 1, Stage.IMPORTED)
    give(store, ids[2], teacher, 0, Stage.BLIND, made[2])
    figures = exam_figures(store, Selection(exam_id))
    assert figures.overall.agreement.n == 3
    assert (figures.blind_pairs, figures.imported_pairs) == (1, 2)


def test_no_response_is_no_pair(store: Store, teacher: Marker) -> None:
    exam_id, ids, made = proposed_exam(store, [0, 0])
    give(store, ids[0], teacher, None, Stage.BLIND, made[0])
    give(store, ids[1], teacher, None, Stage.AI_FIRST, made[1])
    figures = exam_figures(store, Selection(exam_id))
    assert figures.overall.agreement.n == 0
    assert figures.overall.accept.accepted.n == 0


def test_objective_questions_are_about_the_marks_by_calculation(store: Store, teacher: Marker) -> None:
    choice = Question(number="1", type=QuestionType.SINGLE_CHOICE, text="Which?", max_mark=1)
    short = Question(number="2", type=QuestionType.SHORT, text="Why?", max_mark=2)
    exam_id, (choices, shorts) = add_exam(
        store,
        [["B", "C"], ["x", "y"]],
        questions=[(choice, Scheme(max_mark=1)), (short, Scheme(max_mark=2))],
    )
    objective, offline = default_judges(store)
    for response_id, ai, mark in zip(choices, [1, 0], [1, 0], strict=True):
        propose_whole(store, response_id, objective, ai)
        give(store, response_id, teacher, mark, Stage.BLIND)
    for response_id, ai, mark in zip(shorts, [2, 2], [0, 1], strict=True):
        propose_whole(store, response_id, offline, ai)
        give(store, response_id, teacher, mark, Stage.BLIND)
    with store.read() as db:
        names = [found.name for judge_id in (objective, offline) if (found := judges.get(db, judge_id))]
    figures = exam_figures(store, Selection(exam_id))
    assert [row.judge for row in figures.questions] == names
    assert list(figures.overall.judges) == names
    assert [(part.judges, part.questions) for part in figures.by_judge] == [
        ((names[0],), ("1",)),
        ((names[1],), ("2",)),
    ]
    assert [part.mean_signed.value for part in figures.by_judge] == [0, 1.5]
    assert figures.overall.mean_signed.value == 0.75


def test_only_the_judge_on_the_desk_counts(store: Store, teacher: Marker) -> None:
    exam_id, ids, made = proposed_exam(store, [0])
    give(store, ids[0], teacher, 1, Stage.BLIND, made[0])
    with store.write() as db:
        other = judges.ensure(db, "Another judge", judges.LLM, "some-model")
    propose_whole(store, ids[0], other, 2)
    before = exam_figures(store, Selection(exam_id))
    assert before.overall.mean_signed.value == -1
    assert before.by_judge == ()
    with store.write() as db:
        exams.set_judge(db, exam_id, other, None)
        standings.refresh_exam(db, exam_id)
    after = exam_figures(store, Selection(exam_id))
    assert after.questions[0].judge == "Another judge"
    assert after.overall.mean_signed.value == 1


def test_questions_without_proposals_or_marks_are_listed_with_nothing_to_show(store: Store) -> None:
    exam_id, _ = add_exam(store, [["x"], ["y"]])
    figures = exam_figures(store, Selection(exam_id))
    assert [(row.question.number, row.judge, row.agreement.n) for row in figures.questions] == [
        ("1", None, 0),
        ("2", None, 0),
    ]
    assert figures.overall.judges == ()
    assert figures.last_mark_at is None


def test_an_exam_that_is_gone_has_no_figures_and_no_pulse(store: Store) -> None:
    exam_id, _ = add_exam(store, [["x"]])
    with store.write() as db:
        exams.archive(db, exam_id, None, "test")
    assert pulse(store, exam_id) is None
    with pytest.raises(LookupError, match=f"no exam {exam_id}"):
        exam_figures(store, Selection(exam_id))


def test_the_pulse_moves_with_every_decision_undo_and_proposal_and_is_still_otherwise(
    store: Store, teacher: Marker
) -> None:
    exam_id, (ids,) = add_exam(store, [["x", "y"]])
    beats = [pulse(store, exam_id)]
    made = propose_points(store, ids[0], ["M1"])
    beats.append(pulse(store, exam_id))
    decision = give(store, ids[0], teacher, 1, Stage.BLIND, made)
    beats.append(pulse(store, exam_id))
    with store.write() as db:
        decisions.undo(db, decision, teacher.id)
    beats.append(pulse(store, exam_id))
    assert pulse(store, exam_id) == beats[-1]
    assert len({beat.changes for beat in beats if beat}) == 4
    assert [(beat.marked, beat.responses) for beat in beats if beat] == [(0, 2), (0, 2), (1, 2), (0, 2)]


def test_the_pulse_moves_with_what_the_figures_are_counted_by(store: Store, teacher: Marker) -> None:
    exam_id, _ = add_exam(store, [[""]])
    beats = [pulse(store, exam_id)]
    with store.read() as db:
        [stored] = exams.questions(db, exam_id)
    with store.write() as db:
        exam_setup.update_question(db, stored.id, stored.question.model_copy(update={"tolerance": 1}), teacher.id)
    beats.append(pulse(store, exam_id))
    page = NewPage(Picture(b"x", "image/png", 4, 3))
    bring_in(store, teacher, stored.id, [Arriving("0001", "drawn", pages=(page,), seen=())])
    beats.append(pulse(store, exam_id))
    assert len({beat.changes for beat in beats if beat}) == 3
    assert pulse(store, exam_id) == beats[-1]


def test_the_pulse_tells_how_far_proposing_is_and_moves_when_it_ends(store: Store) -> None:
    exam_id, _ = add_exam(store, [["x"]])
    other_exam, _ = add_exam(store, [["x"]], title="Another")
    with store.write() as db:
        job_id = jobs.add(db, "propose", {"exam_id": exam_id})
        jobs.claim(db, "worker")
        jobs.beat(db, job_id, "worker", 120, 600)
    at_work, elsewhere = pulse(store, exam_id), pulse(store, other_exam)
    assert at_work is not None
    assert at_work.proposing == (120, 600)
    assert elsewhere is not None
    assert elsewhere.proposing is None
    with store.write() as db:
        jobs.finish(db, job_id, "worker", "failed", "No key.")
    ended = pulse(store, exam_id)
    assert ended is not None
    assert ended.proposing is None
    assert ended.changes != at_work.changes

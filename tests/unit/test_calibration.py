"""How often a judge was right at a confidence: which marks are counted, which never, and how it is said."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from components.marking import Confidence, Marker, Outcome, Phase, Proposal, ProposalStatus, Stage
from components.workflow import desk, opening
from components.workflow.calibration import Calibration, Scope, calibration_of, calibration_text
from components.workflow.connections import default_judges
from storage import Store, decisions, exams, judges, proposals
from tests.support import abstain_on, add_exam, add_marker, new_store, two_point_question

SURE, UNSURE = Confidence.SURE, Confidence.UNSURE


class Marked:
    """An exam of two questions out of 4 with tolerance 1, 40 responses each; the AI always proposes 2."""

    def __init__(self, folder: Path, tolerances: tuple[float, float] = (1, 1)) -> None:
        self.store: Store = new_store(folder)
        self.teacher: Marker = add_marker(self.store)
        self.colleague: Marker = add_marker(self.store, "Mr Okafor")
        self.judge = default_judges(self.store)[1]
        built = [two_point_question(str(i + 1), max_mark=4) for i in range(2)]
        questions = [(q.model_copy(update={"tolerance": t}), s) for (q, s), t in zip(built, tolerances, strict=True)]
        answers = [["an answer"] * 40] * 2
        self.exam_id, (self.first, self.second) = add_exam(self.store, answers, questions=questions)

    def propose(self, responses: Sequence[int], confidence: Confidence | None = SURE, judge: int | None = None) -> None:
        with self.store.write() as db:
            for response in responses:
                proposal = Proposal(status=ProposalStatus.PROPOSED, label="A judge", mark=2, confidence=confidence)
                proposals.add(db, response, judge or self.judge, self.scheme_of(response), proposal)

    def scheme_of(self, response: int) -> int:
        with self.store.read() as db:
            return exams.questions(db, self.exam_id)[0 if response in self.first else 1].scheme_id

    def mark(self, responses: Sequence[int], marks: Sequence[float], stage: Stage = Stage.BLIND) -> None:
        with self.store.write() as db:
            for response, mark in zip(responses, marks, strict=True):
                decisions.record(db, response, self.colleague.id, Outcome.MARK, stage, mark=mark)

    def calibration(self, response: int) -> Calibration | None:
        """What is said where this response's newest proposal by the judge is shown."""
        with self.store.read() as db:
            newest = "SELECT max(id) FROM proposals WHERE response_id = ? AND judge_id = ?"
            proposal = proposals.get(db, db.execute(newest, (response, self.judge)).fetchone()[0])
            question = exams.questions(db, self.exam_id)[0 if response in self.first else 1]
            return calibration_of(db, proposal, question)


def test_twenty_marks_given_without_seeing_it_are_enough_and_nineteen_are_not(tmp_path: Path) -> None:
    at = Marked(tmp_path)
    at.propose(at.first)
    at.mark(at.first[:19], [2] * 10 + [1] * 4 + [3] * 3 + [0, 4])  # 10 the same, 7 one mark off, 2 two marks off
    assert at.calibration(at.first[39]) is None
    at.mark(at.first[19:20], [3])
    assert at.calibration(at.first[39]) == Calibration(18, 20, Scope.QUESTION)


def test_a_question_with_too_few_of_its_own_says_what_the_whole_exam_says(tmp_path: Path) -> None:
    at = Marked(tmp_path, tolerances=(1, 0))
    at.propose([*at.first, *at.second])
    at.mark(at.first[:15], [1] * 12 + [0] * 3)  # within 1: 12
    at.mark(at.second[:15], [2] * 10 + [1] * 5)  # within 0, each question by its own tolerance: 10
    assert at.calibration(at.first[39]) == Calibration(22, 30, Scope.EXAM)
    assert at.calibration(at.second[39]) == Calibration(22, 30, Scope.EXAM)


def test_marks_given_with_the_proposal_in_view_are_never_counted(tmp_path: Path) -> None:
    at = Marked(tmp_path)
    at.propose(at.first)
    for response in at.first[:30]:
        opened = opening.open_response(at.store, response, at.colleague)
        assert opened is not None
        assert opened.proposal is not None
        press = desk.Press(
            action="accept",
            action_id=f"press-{response}",
            marker_id=at.colleague.id,
            response_id=response,
            proposal_id=opened.proposal.id,
        )
        desk.act(at.store, at.colleague, desk.Walk(at.exam_id), press)
    with at.store.read() as db:
        assert db.execute("SELECT count(*) FROM pairs WHERE kind = 'accept'").fetchone()[0] == 30
    assert at.calibration(at.first[39]) is None


def test_imported_marks_are_counted(tmp_path: Path) -> None:
    at = Marked(tmp_path)
    at.propose(at.first)
    at.mark(at.first[:20], [2] * 15 + [4] * 5, Stage.IMPORTED)
    assert at.calibration(at.first[39]) == Calibration(15, 20, Scope.QUESTION)


def test_the_mark_of_the_response_on_the_desk_is_left_out(tmp_path: Path) -> None:
    at = Marked(tmp_path)
    at.propose(at.first)
    at.mark(at.first[:21], [2] * 20 + [0])
    assert at.calibration(at.first[39]) == Calibration(20, 21, Scope.QUESTION)
    assert at.calibration(at.first[20]) == Calibration(20, 20, Scope.QUESTION)
    assert at.calibration(at.first[0]) == Calibration(19, 20, Scope.QUESTION)


def test_another_judge_and_another_confidence_are_not_counted(tmp_path: Path) -> None:
    at = Marked(tmp_path)
    with at.store.write() as db:
        other = judges.ensure(db, "Another", judges.LLM)
    at.propose(at.first[:25], UNSURE)
    at.propose(at.first[25:39], SURE)
    at.propose(at.first[:30], SURE, other)
    at.propose(at.first[39:], SURE)
    at.mark(at.first[:39], [0] * 25 + [2] * 14)
    assert at.calibration(at.first[39]) is None  # 14 of its own at this confidence
    assert at.calibration(at.first[0]) == Calibration(0, 24, Scope.QUESTION)


def test_without_a_mark_or_a_confidence_nothing_is_said(tmp_path: Path) -> None:
    at = Marked(tmp_path)
    at.propose(at.first[:30], None)
    at.mark(at.first[:30], [2] * 30)
    assert at.calibration(at.first[0]) is None
    abstain_on(at.store, at.first[39])
    assert at.calibration(at.first[39]) is None


def test_a_blind_marker_learns_nothing_of_it_before_the_reveal(tmp_path: Path) -> None:
    at = Marked(tmp_path)
    at.propose(at.first)
    at.mark(at.first[:25], [2] * 25)
    with at.store.write() as db:
        exams.set_blind(db, at.exam_id, True, None)
    on_desk = at.first[30]
    opened = opening.open_response(at.store, on_desk, at.teacher)
    assert opened is not None
    assert (opened.phase, opened.calibration) == (Phase.BLIND, None)
    press = desk.Press(action="mark", action_id="x", marker_id=at.teacher.id, response_id=on_desk, mark=0)
    desk.act(at.store, at.teacher, desk.Walk(at.exam_id), press)
    revealed = opening.open_response(at.store, on_desk, at.teacher)
    assert revealed is not None
    assert revealed.phase is Phase.REVEAL
    assert revealed.calibration == Calibration(25, 25, Scope.QUESTION)  # without the 0 just given


@pytest.mark.parametrize(
    ("within", "of", "said"),
    [
        (30, 30, "every time so far"),
        (29, 30, "about 19 times in 20"),
        (19, 20, "about 19 times in 20"),
        (94, 100, "about 9 times in 10"),
        (27, 30, "about 9 times in 10"),
        (10, 20, "about 5 times in 10"),
        (2, 20, "about 1 time in 10"),
        (1, 20, "about 1 time in 10"),
        (1, 21, "hardly ever"),
        (0, 20, "never so far"),
    ],
)
def test_a_share_is_said_in_times(within: int, of: int, said: str) -> None:
    assert (
        calibration_text(Calibration(within, of, Scope.EXAM), 1)
        == f"Within tolerance {said} at this confidence ({within} of {of} marks given without seeing it, this exam)"
    )


def test_a_question_that_allows_no_difference_says_exactly_right() -> None:
    own = calibration_text(Calibration(27, 30, Scope.QUESTION), 0)
    assert own == (
        "Exactly right about 9 times in 10 at this confidence (27 of 30 marks given without seeing it, this question)"
    )
    assert calibration_text(Calibration(27, 30, Scope.EXAM), 0).startswith("Within tolerance about 9 times in 10")

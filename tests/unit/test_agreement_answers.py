"""The five answers of the agreement page, for exams small enough to work their figures by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from components.marking import Marker, Outcome, Question, QuestionType, Scheme, Stage, WholeVerdict, propose_from
from components.workflow.agreement.answers import Answer, answers
from components.workflow.agreement.figures import exam_figures
from components.workflow.agreement.selection import Selection
from components.workflow.connections import default_judges
from storage import Store, decisions, exams, proposals
from tests.support import add_exam, add_marker, new_store

Marks = Sequence[tuple[float, float]]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def marked(store: Store, questions: dict[str, Marks], max_mark: float = 4) -> tuple[int, list[list[int]], Marker]:
    """An exam in which the AI gave the first and a blind teacher the second of each question's marks."""
    teacher = add_marker(store)
    longest = max(map(len, questions.values()))
    made = [
        (Question(number=number, type=QuestionType.SHORT, text="Why?", max_mark=max_mark), Scheme(max_mark=max_mark))
        for number in questions
    ]
    exam_id, grid = add_exam(store, [["x"] * longest for _ in questions], questions=made)
    _, offline = default_judges(store)
    with store.write() as db:
        stored = exams.questions(db, exam_id)
        for question, ids, marks in zip(stored, grid, questions.values(), strict=True):
            for response_id, (ai, given) in zip(ids, marks, strict=False):
                proposal = propose_from((WholeVerdict(mark=ai),), question.scheme, label="Test judge")
                made_id = proposals.add(db, response_id, offline, question.scheme_id, proposal)
                decisions.record(
                    db, response_id, teacher.id, Outcome.MARK, Stage.BLIND, mark=given, proposal_id=made_id
                )
    return exam_id, grid, teacher


def answered(store: Store, exam_id: int, disputes: int = 0, drift: str = "") -> dict[str, Answer]:
    found = answers(exam_figures(store, Selection(exam_id)), disputes, drift)
    assert [answer.question for answer in found] == [
        "Can we trust the AI's marks here?",
        "Where not?",
        "In which direction?",
        "Is it noise?",
        "What should I do next?",
    ]
    return dict(zip(("trust", "where", "direction", "noise", "next"), found, strict=True))


def test_without_a_pair_the_answers_say_what_is_missing_and_how_to_get_it(store: Store) -> None:
    exam_id, _, _ = marked(store, {"1": [(2, 2)]})
    with store.write() as db:
        db.execute("DELETE FROM pairs")
    found = answered(store, exam_id)
    assert found["trust"].text.startswith("There is nothing to go by yet")
    assert found["where"].text == "No question has 10 pairs yet, so none can be judged by itself."
    assert [(step.page, step.text) for step in found["next"].steps] == [
        ("exams", "Switch on the blind sample for this exam: only marks given blind can be compared.")
    ]


def test_five_pairs_are_too_early_and_the_next_step_is_five_more(store: Store) -> None:
    exam_id, _, _ = marked(store, {"1": [(2, 2), (3, 3), (1, 2), (4, 4), (0, 0)]})
    found = answered(store, exam_id)
    # Wilson for 4 of 5: 38–96%.
    assert found["trust"].text == (
        "Too early to say: 5 pairs so far. Exactly the same mark on 4 of 5 (80%, likely 38–96%). "
        "From 10 pairs on there is a figure."
    )
    assert found["noise"].text == "That cannot be told yet: no question has 10 pairs."
    (step,) = found["next"].steps
    assert step.text == "5 more pairs on question 1 would give a first figure: mark there, blind."
    assert (step.page, step.query) == ("mark", {"exam": str(exam_id), "question": "1"})


def test_a_lenient_question_is_named_with_its_marks_told_from_noise_and_sent_to_review(store: Store) -> None:
    # Question 1: the AI gives 1 more on 24 of 40, so 0.6 on average; question 2: the same marks throughout.
    lenient = [(1 + i % 3, 1 + i % 3) for i in range(16)] + [(2 + i % 3, 1 + i % 3) for i in range(24)]
    fair = [(i % 5, i % 5) for i in range(38)] + [(1, 2), (2, 1)]
    exam_id, _, _ = marked(store, {"1": lenient, "2": fair})
    found = answered(store, exam_id)
    assert "It is lenient on question 1 (by 0.6 marks)." in found["direction"].text
    assert "severe" not in found["direction"].text
    assert found["direction"].text.startswith(
        "Over all, the AI is lenient by 0.30 marks a response, +7.5% of the maximum"
    )
    assert found["noise"].text == (
        "Not on question 1: with 2 questions looked at, chance alone would bring a difference like that in less than "
        "one exam in 20."
    )
    steps = found["next"].steps
    assert steps[0].text == (
        "Look into question 1, where the AI is lenient by 0.6 marks: see the pattern, try a remedy."
    )
    assert steps[0].query == {"exam": str(exam_id), "question": "1", "show": "patterns"}


def test_disputes_come_first_and_a_drift_is_told_with_the_noise(store: Store) -> None:
    exam_id, _, _ = marked(store, {"1": [(i % 5, i % 5) for i in range(40)]})
    found = answered(store, exam_id, disputes=3, drift="Since Monday the AI has been more lenient.")
    assert found["next"].steps[0].text == (
        "Settle the 3 responses of this exam on which the marks are further apart than tolerance."
    )
    assert found["next"].steps[0].page == "review"
    assert found["noise"].text.endswith("Since Monday the AI has been more lenient.")


def test_a_weak_question_is_named_with_its_figure_and_a_strong_exam_is_trusted(store: Store) -> None:
    good = [(i % 5, i % 5) for i in range(60)] + [(1, 2), (3, 2)]
    weak = [((i * 7) % 5, (i * 3) % 5) for i in range(60)]
    exam_id, _, _ = marked(store, {"1": good, "2": weak})
    found = answered(store, exam_id)
    assert found["where"].text.startswith("On question 2 (QWK ")
    strong, _, _ = marked(new_store(store.path.parent / "strong"), {"1": good, "2": good, "3": [*good, (0, 1)]})
    other = Store(store.path.parent / "strong" / "second-marker.db")
    found = answered(other, strong)
    assert found["trust"].text.startswith("Largely, yes. On 187 blind pairs the AI agrees with teachers at QWK ")
    assert found["where"].text == "No question stands out as weak among the 3 that can be judged."
    assert found["next"].text == "Nothing is pressing. Look again when more has been marked."


def test_a_figure_from_two_questions_is_not_said_of_hundreds(store: Store) -> None:
    """Pooled QWK needs two pairs on a question: here only four of 34 pairs are behind it."""
    questions: dict[str, Marks] = {str(i): [(4, 0)] for i in range(30)}
    exam_id, _, _ = marked(store, questions | {"a": [(0, 0), (4, 4)], "b": [(1, 1), (3, 3)]})
    text = answered(store, exam_id)["trust"].text
    assert text.startswith("Too early to say: 34 pairs so far, hardly two of them on one question.")
    assert "QWK" not in text


def test_one_question_is_judged_by_its_own_interval(store: Store) -> None:
    exam_id, _, _ = marked(store, {"1": [(i % 5, i % 5) for i in range(24)] + [(4, 0), (0, 4), (3, 1), (1, 3)] * 2})
    assert answered(store, exam_id)["trust"].text.startswith("It is not settled yet. On 32 blind pairs")


def test_a_judge_that_always_gives_one_more_is_no_noise(store: Store) -> None:
    exam_id, _, _ = marked(store, {"1": [(1 + i % 4, i % 4) for i in range(40)]})
    found = answered(store, exam_id)
    assert found["direction"].text.endswith("It is lenient on question 1 (by 1.0 marks).")
    assert found["noise"].text.startswith("Not on question 1")
    assert found["next"].steps[0].query["show"] == "patterns"


def test_a_judge_that_gives_everyone_full_marks_is_weak_and_identical_marks_are_no_missing_pairs(store: Store) -> None:
    exam_id, _, _ = marked(store, {"1": [(4, i % 5) for i in range(40)], "2": [(2, 2)] * 30})
    assert answered(store, exam_id)["where"].text == (
        "On question 1 (QWK .00: a marker gave everyone the same mark). "
        "On question 2 all marks are one and the same, so QWK cannot be measured."
    )


def test_figures_of_one_stage_stand_beside_no_other_teachers(store: Store) -> None:
    """Two teachers' marks are not of one stage, marker or day."""
    exam_id, grid, _ = marked(store, {"1": [(i % 5, i % 5) for i in range(40)]})
    other = add_marker(store, "Mr Okoro")
    with store.write() as db:
        for place, response_id in enumerate(grid[0]):
            decisions.record(db, response_id, other.id, Outcome.MARK, Stage.IMPORTED, mark=place % 5)
    assert exam_figures(store, Selection(exam_id)).second_marker is not None
    for part in (Selection(exam_id, stage=Stage.BLIND), Selection(exam_id, marker_id=other.id)):
        found = exam_figures(store, part)
        assert found.second_marker is None
        assert found.questions[0].double_marked == 0


def test_an_exam_that_two_teachers_marked_is_compared_with_them(store: Store) -> None:
    exam_id, grid, _ = marked(store, {str(q): [(i % 5, i % 5) for i in range(20)] for q in range(3)})
    other = add_marker(store, "Mr Okoro")
    with store.write() as db:
        for row in grid:
            for place, response_id in enumerate(row):
                mark = place % 5 if place else 1
                decisions.record(db, response_id, other.id, Outcome.MARK, Stage.IMPORTED, mark=mark)
    text = answered(store, exam_id)["trust"].text
    assert "; on the 60 that two teachers marked they agree with each other at " in text


def test_to_a_teacher_a_question_with_few_pairs_is_one_without(store: Store) -> None:
    exam_id, _, _ = marked(store, {"1": [(2, 0)] * 9, "2": [(i % 5, i % 5) for i in range(10)]})
    found = exam_figures(store, Selection(exam_id), fewest=10)
    assert [q.agreement.n for q in found.questions] == [0, 10]
    assert found.overall.agreement.n == 10
    assert found.overall.mean_signed.value == 0
    assert found.blind_pairs == 10

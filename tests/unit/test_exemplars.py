"""Which decided responses are shown to a judge as examples, in which order, and what is said of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from components.judge.llm import Endpoint, LLMJudge
from components.marking import (
    AssessmentObjective,
    Evidence,
    Level,
    LevelVerdict,
    Marker,
    MarkError,
    MarkingPoint,
    Outcome,
    Question,
    QuestionType,
    Response,
    Role,
    Scheme,
    Stage,
    WholeVerdict,
    propose_from,
)
from components.workflow import exemplars
from components.workflow.connections import default_judges
from components.workflow.exemplars import Chosen
from storage import Store, decisions, events, exams, proposals, standardisation
from storage.exams import StoredQuestion
from tests.model_server import completion, model_server
from tests.support import add_exam, add_marker, new_store, propose_points, two_point_question

# 13 marks: 0 three times, 1 twice, 2 five times, 3 once, 4 twice.
MARKS = (2, 0, 4, 2, 1, 2, 0, 3, 2, 1, 4, 0, 2)
FOUR_MARKS = (
    Question(number="1", type=QuestionType.SHORT, text="Why?", max_mark=4),
    Scheme(max_mark=4, text="One mark for each reason."),
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def head(store: Store) -> Marker:
    return add_marker(store, "Dr Head", Role.HEAD)


def decide(store: Store, response_id: int, marker: Marker, mark: float | None, stage: Stage = Stage.BLIND) -> int:
    outcome = Outcome.NO_RESPONSE if mark is None else Outcome.MARK
    with store.write() as db:
        return decisions.record(db, response_id, marker.id, outcome, stage, mark=mark).decision_id


def marked_exam(store: Store, marker: Marker, marks: Sequence[float | None]) -> tuple[StoredQuestion, list[int]]:
    """A question out of 4 whose responses have these marks; None is "no response"."""
    answers = [f"answer {i}" for i in range(len(marks))]
    exam_id, [ids] = add_exam(store, [answers], questions=[FOUR_MARKS])
    for response_id, mark in zip(ids, marks, strict=True):
        decide(store, response_id, marker, mark)
    return only_question(store, exam_id), ids


def only_question(store: Store, exam_id: int) -> StoredQuestion:
    with store.read() as db:
        return exams.questions(db, exam_id)[0]


def chosen(store: Store, question: StoredQuestion, shots: int, *, grading: bool = False) -> tuple[Chosen, ...]:
    with store.read() as db:
        return exemplars.choose(db, question, shots, grading=grading)


def pick(store: Store, marker: Marker, *response_ids: int) -> None:
    for response_id in response_ids:
        with store.write() as db:
            standardisation.choose(db, response_id, marker.id)


# Which, and in which order


@pytest.mark.parametrize(
    ("shots", "marks"),
    [
        (0, []),
        (1, [2, 0]),
        (2, [0, 4, 2]),
        (3, [0, 4, 2, 1]),
        (4, [0, 4, 2, 1, 3]),
        (5, [0, 4, 2, 1, 3, 0]),
    ],
)
def test_examples_are_spread_over_the_marks_given_with_one_to_spare(
    store: Store, head: Marker, shots: int, marks: list[float]
) -> None:
    question, ids = marked_exam(store, head, MARKS)
    made = chosen(store, question, shots)
    assert [each.mark for each in made] == marks
    assert [MARKS[ids.index(each.response_id)] for each in made] == marks
    assert len({each.response_id for each in made}) == len(made)
    assert all(each.grading == "" for each in made)


def test_the_spread_covers_the_marks_given_not_the_scale(store: Store, head: Marker) -> None:
    question, _ = marked_exam(store, head, [1, 1, 1.0, 2, 2])
    assert [each.mark for each in chosen(store, question, 2)] == [1, 2, 1]
    assert [each.mark for each in chosen(store, question, 5)] == [1, 2, 1, 2, 1], "five there are, so none to spare"


def test_the_same_examples_come_every_time_and_the_earliest_response_of_a_mark_first(
    store: Store, head: Marker
) -> None:
    question, ids = marked_exam(store, head, [3, 0, 3, 0])
    first = chosen(store, question, 3)
    assert [each.response_id for each in first] == [ids[1], ids[0], ids[3], ids[2]]
    assert chosen(store, question, 3) == first


def test_marks_given_without_the_proposal_in_view_are_preferred(store: Store, head: Marker) -> None:
    exam_id, [ids] = add_exam(store, [["a", "b", "c", "d"]], questions=[FOUR_MARKS])
    stages = [Stage.AI_FIRST, Stage.REVEALED, Stage.ADJUDICATED, Stage.IMPORTED]
    for response_id, stage in zip(ids, stages, strict=True):
        decide(store, response_id, head, 2, stage)
    made = chosen(store, only_question(store, exam_id), 3)
    assert [each.response_id for each in made] == [ids[2], ids[3], ids[0], ids[1]]


def test_blank_answers_no_response_and_undecided_ones_are_never_examples(store: Store, head: Marker) -> None:
    answers = ["an answer", "", " \n\t", "\u200b \ufeff", "left alone", "not decided", "undone"]
    exam_id, [ids] = add_exam(store, [answers], questions=[FOUR_MARKS])
    for response_id, mark in zip(ids[:5], [3, 0, 0, 0, None], strict=True):
        decide(store, response_id, head, mark)
    undone = decide(store, ids[6], head, 4)
    with store.write() as db:
        decisions.undo(db, undone, head.id)
    assert [each.response_id for each in chosen(store, only_question(store, exam_id), 5)] == [ids[0]]


def test_standardisation_responses_come_first_in_the_order_chosen_and_the_rest_fill_the_gaps(
    store: Store, head: Marker
) -> None:
    question, ids = marked_exam(store, head, MARKS)
    pick(store, head, ids[12], ids[5])  # both have the mark 2
    made = chosen(store, question, 5)
    assert [each.response_id for each in made[:2]] == [ids[12], ids[5]]
    assert [each.mark for each in made] == [2, 2, 0, 4, 1, 3]
    assert [each.response_id for each in chosen(store, question, 1)] == [ids[12], ids[5]]


def test_a_standardisation_response_that_has_lost_its_mark_is_not_shown(store: Store, head: Marker) -> None:
    question, ids = marked_exam(store, head, [3, 1])
    pick(store, head, ids[1])
    with store.write() as db:
        decisions.undo(db, decisions.live(db, ids[1])[0].id, head.id)
    assert [each.response_id for each in chosen(store, question, 2)] == [ids[0]]


def test_the_final_mark_is_the_one_shown(store: Store, head: Marker) -> None:
    question, ids = marked_exam(store, head, [3])
    decide(store, ids[0], head, 1, Stage.ADJUDICATED)
    decide(store, ids[0], add_marker(store, "Mr Late"), 4)
    assert chosen(store, question, 1) == (Chosen(response_id=ids[0], mark=1.0, grading=""),)


# What a judge is shown of them


def test_a_response_is_never_shown_itself_and_still_gets_as_many(store: Store, head: Marker) -> None:
    question, ids = marked_exam(store, head, MARKS)
    made = chosen(store, question, 3)
    with store.read() as db:
        loaded = exemplars.loaded(db, made)
    first = [f"r{each.response_id}" for each in made]
    assert [each.response_id for each in loaded] == first
    other = next(i for i in ids if f"r{i}" not in first)
    assert [e.response_id for e in exemplars.for_response(loaded, f"r{other}", 3)] == first[:3]
    assert [e.response_id for e in exemplars.for_response(loaded, first[1], 3)] == [first[0], first[2], first[3]]
    assert exemplars.for_response(loaded, first[1], 0) == ()


def test_examples_survive_a_jobs_payload(store: Store, head: Marker) -> None:
    question, ids = marked_exam(store, head, [3])
    made = chosen(store, question, 1)
    payload = json.dumps([each.model_dump() for each in made])
    assert json.loads(payload) == [{"response_id": ids[0], "mark": 3.0, "grading": ""}]
    assert tuple(Chosen(**each) for each in json.loads(payload)) == made


def test_the_examples_reach_the_model_with_their_grading_and_are_named_by_the_proposal(
    store: Store, head: Marker
) -> None:
    answers = ["the enzyme is denatured", "it is hot", "the very answer"]
    exam_id, [ids] = add_exam(store, [answers])
    decide_points(store, ids[0], head, ("M1",))
    decide_points(store, ids[1], head, ())
    decide_points(store, ids[2], head, ("M1", "A1"))
    question = only_question(store, exam_id)
    made = chosen(store, question, 2, grading=True)
    with store.read() as db:
        shown = exemplars.for_response(exemplars.loaded(db, made), f"r{ids[2]}", 2)
    asked: list[str] = []

    def reply(words: str) -> tuple[int, dict[str, object]]:
        asked.append(words)
        point = {"evidence": [], "reason": "why", "awarded": False, "not_sure": False}
        return completion({"abstain": None, "points": [{"code": code, **point} for code in ("M1", "A1")]}, "m")

    with model_server(reply) as base_url:
        judge = LLMJudge(Endpoint(base_url, "m"))
        response = Response(id=f"r{ids[2]}", text=answers[2])
        proposal = judge.propose(question.question, question.scheme, response, shown)
    (words,) = asked
    assert "it is hot\n</example>\n\nMark: 0 of 2\nM1: not awarded\nA1: not awarded\n" in words
    assert "the enzyme is denatured\n</example>\n\nMark: 1 of 2\nM1: awarded\nA1: not awarded\n" in words
    assert words.count("the very answer") == 1, "as the answer to mark, not as an example"
    assert words.index("</example>") < words.index("the very answer")
    assert proposal.exemplars == (f"r{ids[1]}", f"r{ids[0]}")


# The grading process in words


def decide_points(
    store: Store,
    response_id: int,
    marker: Marker,
    points: tuple[str, ...] | None,
    *,
    mark: float | None = None,
    comment: str = "",
    proposal_id: int | None = None,
) -> None:
    with store.write() as db:
        decisions.record(
            db,
            response_id,
            marker.id,
            Outcome.MARK,
            Stage.AI_FIRST,
            mark=float(len(points or ())) if mark is None else mark,
            points=points,
            comment=comment,
            proposal_id=proposal_id,
        )


def grading(store: Store, exam_id: int) -> str:
    (made,) = chosen(store, only_question(store, exam_id), 1, grading=True)
    return made.grading


def test_ticked_points_are_told_point_by_point_with_the_teachers_comment(store: Store, head: Marker) -> None:
    exam_id, [[response]] = add_exam(store, [["it is denatured"]])
    decide_points(store, response, head, ("M1",), comment="Says nothing of the active site.\n")
    assert grading(store, exam_id) == "M1: awarded\nA1: not awarded\nSays nothing of the active site."
    assert chosen(store, only_question(store, exam_id), 1)[0].grading == "", "answer-only"


@pytest.mark.parametrize("points", [None, ("M1",)])
def test_a_proposal_that_the_teacher_agrees_with_gives_its_quotes_and_reasons(
    store: Store, head: Marker, points: tuple[str, ...] | None
) -> None:
    exam_id, [[response]] = add_exam(store, [["it is denatured"]])
    proposal = propose_points(store, response, ["M1"], "is denatured")
    decide_points(store, response, head, points, mark=1, proposal_id=proposal)
    assert grading(store, exam_id) == (
        "M1: awarded; “is denatured”; About the enzyme is denatured.\n"
        "A1: not awarded; About the active site no longer fits."
    )


def test_what_a_teacher_overruled_is_not_told_as_theirs(store: Store, head: Marker) -> None:
    question = Question(number="1", type=QuestionType.SHORT, text="Why?", max_mark=2)
    points = (MarkingPoint(code="M1", text="denatured"), MarkingPoint(code="B1", text="no longer fits"))
    scheme = Scheme(max_mark=2, points=points)
    exam_id, [[response]] = add_exam(store, [["it is denatured"]], questions=[(question, scheme)])
    proposal = propose_points(store, response, ["M1"], "is denatured")
    decide_points(store, response, head, ("B1",), proposal_id=proposal)  # the same mark for another point
    assert grading(store, exam_id) == "M1: not awarded\nB1: awarded"
    decide_points(store, response, head, None, mark=2, comment="Both.", proposal_id=proposal)
    assert grading(store, exam_id) == "Both."


def test_points_of_a_scheme_that_has_changed_since_are_not_told(store: Store, head: Marker) -> None:
    exam_id, [[response]] = add_exam(store, [["it is denatured"]])
    proposal = propose_points(store, response, ["M1"])
    decide_points(store, response, head, ("M1",), proposal_id=proposal)
    stored = only_question(store, exam_id)
    renamed = tuple(p.model_copy(update={"code": f"X{p.code}", "needs": ()}) for p in stored.scheme.points)
    with store.write() as db:
        exams.add_scheme_version(db, stored.id, stored.question, stored.scheme.model_copy(update={"points": renamed}))
    assert grading(store, exam_id) == ""


def test_levels_and_whole_answers_are_told_in_words(store: Store, head: Marker) -> None:
    level = AssessmentObjective(code="AO1", levels=(Level(level=1, low=1, high=2, descriptor="some"),))
    levels = (
        Question(number="1", type=QuestionType.LEVELS, text="Discuss.", max_mark=2),
        Scheme(max_mark=2, objectives=(level,)),
    )
    whole = (Question(number="2", type=QuestionType.SHORT, text="Why?", max_mark=2), Scheme(max_mark=2, text="Two."))
    exam_id, [[first], [second]] = add_exam(store, [["clear but thin"], ["because"]], questions=[levels, whole])
    found = (Evidence(quote="clear", start=0, end=5), Evidence(quote="never said"))
    judged = (
        (first, LevelVerdict(objective="AO1", level=1, mark=2, evidence=found, reason="Clear.")),
        (second, WholeVerdict(mark=1, reason="One reason.")),
    )
    _, offline = default_judges(store)
    with store.read() as db:
        questions = exams.questions(db, exam_id)
    told = []
    for question, (response, verdict) in zip(questions, judged, strict=True):
        made = propose_from((verdict,), question.scheme, label="Offline matcher")
        with store.write() as db:
            proposal = proposals.add(db, response, offline, question.scheme_id, made)
        decide_points(store, response, head, None, mark=verdict.mark, proposal_id=proposal)
        told += [each.grading for each in chosen(store, question, 1, grading=True)]
    assert told == ["AO1: level 1; mark 2; “clear”; Clear.", "One reason."]


def test_a_chinese_questions_grading_is_told_in_chinese(store: Store, head: Marker) -> None:
    question, scheme = two_point_question()
    chinese = question.model_copy(update={"language": "zh-CN"})
    exam_id, [[response]] = add_exam(store, [["酶变性"]], questions=[(chinese, scheme)])
    decide_points(store, response, head, ("M1",), comment="未提活性部位。")
    assert grading(store, exam_id) == "M1：给分\nA1：不给分\n未提活性部位。"


# Standardisation responses


def test_choosing_and_dropping_keep_the_order_and_are_logged_once(store: Store, head: Marker) -> None:
    question, ids = marked_exam(store, head, [3, 1, 2])
    pick(store, head, ids[2], ids[0], ids[1], ids[2])
    with store.write() as db:
        assert standardisation.of_question(db, question.id) == [ids[2], ids[0], ids[1]]
        standardisation.drop(db, ids[0], head.id)
        standardisation.drop(db, ids[0], head.id)
    pick(store, head, ids[0])
    with store.read() as db:
        assert standardisation.of_question(db, question.id) == [ids[2], ids[1], ids[0]]
        latest = [e for e in reversed(events.latest(db)) if e.kind.startswith("standardisation response")]
    logged = [(event.kind.split()[-1], event.about, event.marker_name) for event in latest]
    acts = [("chosen", 2), ("chosen", 0), ("chosen", 1), ("dropped", 0), ("chosen", 0)]
    assert logged == [(kind, f"response {ids[place]}", "Dr Head") for kind, place in acts]


def test_only_a_response_with_a_teachers_mark_and_words_can_be_chosen(store: Store, head: Marker) -> None:
    exam_id, [ids] = add_exam(store, [["not marked", "left", " "]])
    propose_points(store, ids[0], ["M1"])
    decide(store, ids[1], head, None)
    decide(store, ids[2], head, 0)
    for response_id, said in (
        (ids[0], "Candidate 0001, question 1: no teacher's mark stands on it"),
        (ids[1], "Candidate 0002, question 1: no teacher's mark stands on it"),
        (ids[2], "Candidate 0003, question 1: the answer has no words"),
        (999, "There is no response 999"),
    ):
        with store.write() as db, pytest.raises(MarkError, match=said):
            standardisation.choose(db, response_id, head.id)
    with store.read() as db:
        assert standardisation.of_question(db, only_question(store, exam_id).id) == []


def test_the_list_to_choose_from_is_bounded_and_keeps_the_chosen_on_top(store: Store, head: Marker) -> None:
    question, ids = marked_exam(store, head, [1, 2, 3, None, 4])
    pick(store, head, ids[4])
    with store.read() as db:
        listed, others = standardisation.decided(db, question.id, 2)
        found, matching = standardisation.decided(db, question.id, 2, "03")
    assert [(each.response_id, each.mark, each.chosen) for each in listed] == [
        (ids[4], 4, True),
        (ids[0], 1, False),
        (ids[1], 2, False),
    ]
    assert others == 3
    assert ([each.candidate_number for each in found], matching) == (["0005", "0003"], 1)

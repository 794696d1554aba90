"""Patterns in the AI's proposals, on small exams whose counts are made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from components.marking import (
    AssessmentObjective,
    Evidence,
    Level,
    LevelVerdict,
    MarkingPoint,
    Outcome,
    PointVerdict,
    Proposal,
    ProposalStatus,
    Question,
    QuestionType,
    Scheme,
    Stage,
    abstain,
    propose_from,
)
from components.workflow.connections import default_judges
from components.workflow.review.looked import sign_test
from components.workflow.review.patterns import Findings, Kind, Pattern, find_patterns
from storage import Store, decisions, exams, markers, proposals
from tests.support import add_exam, add_marker, new_store, propose_points

THREE = (
    Question(number="4(a)", type=QuestionType.SHORT, text="Why?", max_mark=3),
    Scheme(max_mark=3, points=tuple(MarkingPoint(code=code, text=f"says {code}") for code in ("M1", "A1", "B1"))),
)
LEVELS = (
    Question(number="6", type=QuestionType.LEVELS, text="Discuss.", max_mark=6),
    Scheme(
        max_mark=6,
        objectives=(
            AssessmentObjective(
                code="AO2",
                levels=tuple(Level(level=i, low=2 * i - 1, high=2 * i, descriptor=f"level {i}") for i in (1, 2, 3)),
            ),
        ),
    ),
)
Row = tuple[tuple[str, ...], tuple[str, ...]]  # the codes that the AI awards, and those that the teacher gives


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def marked_exam(store: Store, rows: Sequence[Row], *, ticks: bool = True) -> tuple[int, list[int]]:
    """An exam of one question out of 3, marked blind by one teacher; with ticks or with the mark alone."""
    exam_id, [ids] = add_exam(store, [["an answer"] * len(rows)], questions=[THREE])
    teacher = add_marker(store)
    for response_id, (ai, given) in zip(ids, rows, strict=True):
        propose_points(store, response_id, ai)
        with store.write() as db:
            decisions.record(
                db,
                response_id,
                teacher.id,
                Outcome.MARK,
                Stage.BLIND,
                mark=len(given),
                points=given if ticks else None,
            )
    return exam_id, ids


def of_kind(found: Findings, kind: Kind) -> list[Pattern]:
    return [pattern for pattern in found.patterns if pattern.kind is kind]


def test_a_point_that_the_ai_rarely_awards_is_set_against_teachers_ticks(store: Store) -> None:
    # B1: the AI on 1 of 20, teachers on 9 of 20; 8 responses lack it. M1 and A1 are given alike by both.
    alike: list[Row] = [(("M1", "A1"), ("M1", "A1"))] * 11
    exam_id, ids = marked_exam(store, [*alike, *[(("M1",), ("M1", "B1"))] * 8, (("B1",), ("B1",))])
    found = find_patterns(store, exam_id)
    [point] = of_kind(found, Kind.POINT)
    assert point.about == "B1"
    assert point.sentence == (
        "The AI hardly ever awards B1 on question 4(a): 1 of 20, where teachers gave it on 9 of the same 20."
    )
    assert point.counts == (("AI awarded", 1), ("teachers ticked", 9), ("responses", 20))
    assert (point.n, point.cost, set(point.responses)) == (20, 8, set(ids[11:19]))
    assert "reads the scheme's wording only, not the note" in point.suggestion
    assert "“accept”" in point.suggestion
    assert point.bar == ""
    assert find_patterns(store, exam_id).named(point.key) == point


def test_a_point_awarded_more_often_than_by_teachers_is_found_too(store: Store) -> None:
    # M1: the AI on 12 of 12, teachers on 6 of 12: 6 to 0, p = 2/64 = .03.
    exam_id, ids = marked_exam(store, [(("M1",), ("M1",))] * 6 + [(("M1",), ())] * 6)
    [point] = of_kind(find_patterns(store, exam_id), Kind.POINT)
    assert point.sentence == (
        "The AI always awards M1 on question 4(a): 12 of 12, where teachers gave it on 6 of the same 12."
    )
    assert set(point.responses) == set(ids[6:])
    assert "“reject”" in point.suggestion


@pytest.mark.parametrize(
    ("one_way", "other_way", "p"), [(0, 0, 1.0), (5, 0, 0.0625), (6, 0, 0.03125), (1, 7, 0.0703125), (3, 3, 1.0)]
)
def test_an_uneven_split_is_judged_by_the_exact_sign_test(one_way: int, other_way: int, p: float) -> None:
    assert sign_test(one_way, other_way) == pytest.approx(p)


def test_five_differences_on_a_point_are_no_pattern_yet(store: Store) -> None:
    exam_id, _ = marked_exam(store, [(("M1",), ("M1",))] * 7 + [((), ("M1",))] * 5)
    assert of_kind(find_patterns(store, exam_id), Kind.POINT) == []


def test_without_ticks_a_point_never_awarded_counts_where_teachers_gave_more(store: Store) -> None:
    # The AI never awards B1; teachers gave 1 mark more on 8 of 12: mean 8/12, t interval .35 to .98.
    exam_id, ids = marked_exam(store, [(("M1",), ("M1", "B1"))] * 8 + [(("M1",), ("M1",))] * 4, ticks=False)
    found = find_patterns(store, exam_id)
    points = {pattern.about: pattern for pattern in of_kind(found, Kind.POINT)}
    assert set(points) == {"A1", "B1"}, "neither is ever awarded, and which one is meant cannot be told"
    assert points["B1"].sentence == (
        "The AI never awards B1 on question 4(a) (0 of 12), and teachers gave 0.67 marks more on average."
    )
    assert (points["B1"].cost, set(points["B1"].responses)) == (8, set(ids[:8]))
    [leaning] = of_kind(found, Kind.BIAS)
    assert leaning.sentence == (
        "The AI is severe on question 4(a): 0.67 marks below teachers on average (likely 0.35 to 0.98) on 12 responses."
    )
    assert of_kind(found, Kind.MARK) == [], "a point explains the mark that is never given"


def test_a_point_never_awarded_is_nothing_where_teachers_agree(store: Store) -> None:
    exam_id, _ = marked_exam(store, [(("M1",), ("M1",))] * 30, ticks=False)
    found = find_patterns(store, exam_id)
    assert found.patterns == ()
    # 3 points, 4 marks, 1 mean (all answers are weak ones: 1 more), 2 on the desk.
    assert (found.comparisons, found.pairs, found.few) == (11, 30, ())


def test_nine_marked_responses_are_too_few_and_said_to_be(store: Store) -> None:
    exam_id, _ = marked_exam(store, [((), ("B1",))] * 9)
    found = find_patterns(store, exam_id)
    assert (found.patterns, found.pairs, found.few) == ((), 9, ("4(a)",))


def test_leniency_on_stronger_answers_alone_is_found_where_the_whole_question_shows_none(store: Store) -> None:
    # Ten strong answers +1 (AI 3, teacher 2); twenty weak ones −1 and +0 in turn make the whole about 0.
    strong: list[Row] = [(("M1", "A1", "B1"), ("M1", "A1"))] * 10
    weak: list[Row] = [((), ("M1",)), (("M1",), ("M1",))] * 10
    exam_id, ids = marked_exam(store, [*strong, *weak], ticks=False)
    found = {pattern.about: pattern for pattern in of_kind(find_patterns(store, exam_id), Kind.BIAS)}
    assert set(found) == {"stronger", "weaker"}
    assert found["stronger"].sentence == (
        "The AI is lenient on stronger answers to question 4(a): 1 mark above teachers on average (every difference "
        "is the same) on 10 responses."
    )
    assert set(found["stronger"].responses) == set(ids[:10])
    assert "severe on weaker answers to question 4(a): 0.5 marks below" in found["weaker"].sentence


def test_a_mark_is_reported_as_never_given_once_teachers_gave_it_five_times(store: Store) -> None:
    exam_id, [ids] = add_exam(store, [["an answer"] * 25], questions=[THREE])
    with store.write() as db:
        teacher = markers.ensure_external(db, "T")
    _, offline = default_judges(store)
    # The AI gives 1 or 3 and never 2; teachers gave 2 on five of the twenty-five.
    for place, response_id in enumerate(ids):
        propose_points(store, response_id, ("M1",) if place % 2 else ("M1", "A1", "B1"))
        mark = 2 if place < 5 else (1 if place % 2 else 3)
        with store.write() as db:
            decisions.record(db, response_id, teacher, Outcome.MARK, Stage.IMPORTED, mark=mark)
    [never] = of_kind(find_patterns(store, exam_id), Kind.MARK)
    assert never.sentence == (
        "The AI never gives 2 marks on question 4(a): 0 of 25, where teachers gave it on 5 of the same 25."
    )
    assert never.cost == 5
    assert never.judge_id == offline


def level_exam(store: Store, rows: Sequence[tuple[int, float]]) -> int:
    """One levels question: (the AI's level, at its higher mark; the teacher's mark)."""
    exam_id, [ids] = add_exam(store, [["an essay"] * len(rows)], questions=[LEVELS])
    teacher = add_marker(store)
    _, offline = default_judges(store)
    with store.write() as db:
        scheme_id = exams.questions(db, exam_id)[0].scheme_id
        for response_id, (level, mark) in zip(ids, rows, strict=True):
            verdict = LevelVerdict(objective="AO2", level=level, mark=2 * level)
            made = propose_from((verdict,), LEVELS[1], label="A judge")
            proposals.add(db, response_id, offline, scheme_id, made)
            decisions.record(db, response_id, teacher.id, Outcome.MARK, Stage.BLIND, mark=mark)
    return exam_id


def test_a_level_that_is_never_given_is_told_by_where_teachers_marks_lie(store: Store) -> None:
    exam_id = level_exam(store, [(2, 5)] * 5 + [(2, 4)] * 10 + [(1, 2)] * 5)
    found = find_patterns(store, exam_id)
    [never] = of_kind(found, Kind.LEVEL)
    assert never.sentence == (
        "The AI never gives level 3 for AO2 on question 6: 0 of 20, where teachers' marks are in that level on 5 of "
        "the same 20."
    )
    assert never.bar == "The offline matcher leaves essays and levels to the teacher whatever the scheme says."
    assert never.suggestion == ""


def test_answers_without_a_proposal_are_counted_blank_ones_apart(store: Store) -> None:
    exam_id, [ids] = add_exam(store, [["words"] * 12 + [" "] * 5], questions=[THREE])
    _, offline = default_judges(store)
    with store.write() as db:
        scheme_id = exams.questions(db, exam_id)[0].scheme_id
        failed = Proposal(status=ProposalStatus.FAILED, label="J", reason="No reply.")
        said = [abstain("J", "Unclear.")] * 2 + [failed] + [propose_from((), THREE[1], label="J")] * 9
        for response_id, proposal in zip(ids, [*said, *[abstain("J", "Blank.")] * 5], strict=True):
            proposals.add(db, response_id, offline, scheme_id, proposal)
    [pattern] = find_patterns(store, exam_id).patterns
    assert pattern.sentence == (
        "The AI proposes no mark on 3 of 12 answers to question 4(a) (25%): 2 left to the teacher, 1 failed. Most "
        "often it says: “Unclear.”"
    )
    assert (pattern.kind, pattern.cost, set(pattern.responses)) == (Kind.NO_PROPOSAL, 0, set(ids[:3]))


def test_quotes_that_are_not_in_the_answer_are_counted(store: Store) -> None:
    exam_id, [ids] = add_exam(store, [["the words"] * 10], questions=[THREE])
    _, offline = default_judges(store)
    with store.write() as db:
        scheme_id = exams.questions(db, exam_id)[0].scheme_id
        for place, response_id in enumerate(ids):
            quote = Evidence(quote="made up") if place < 2 else Evidence(quote="the words", start=0, end=9)
            verdict = PointVerdict(code="M1", awarded=True, evidence=(quote,))
            proposals.add(db, response_id, offline, scheme_id, propose_from((verdict,), THREE[1], label="J"))
    [pattern] = find_patterns(store, exam_id).patterns
    assert pattern.sentence == (
        "On question 4(a) 2 of 10 quotes that the AI rests its verdicts on are not in the answer (20%)."
    )
    assert set(pattern.responses) == set(ids[:2])


def test_marks_given_with_the_proposal_in_view_are_no_material_for_patterns(store: Store) -> None:
    exam_id, [ids] = add_exam(store, [["an answer"] * 12], questions=[THREE])
    teacher = add_marker(store)
    for response_id in ids:
        proposal = propose_points(store, response_id, ("M1",))
        with store.write() as db:
            proposals.record_sighting(db, response_id, teacher.id, proposal)
            decisions.record(db, response_id, teacher.id, Outcome.MARK, Stage.AI_FIRST, mark=3, proposal_id=proposal)
    found = find_patterns(store, exam_id)
    assert (found.patterns, found.pairs) == ((), 0)


def test_a_judge_asked_again_under_a_new_scheme_is_judged_by_what_it_says_now(store: Store) -> None:
    exam_id, ids = marked_exam(store, [((), ("B1",))] * 12)
    assert len(of_kind(find_patterns(store, exam_id), Kind.POINT)) == 1
    with store.write() as db:
        question = exams.questions(db, exam_id)[0]
        scheme = question.scheme.model_copy(update={"note": "B1 is easy to miss."})
        exams.add_scheme_version(db, question.id, question.question, scheme)
    [stale] = of_kind(find_patterns(store, exam_id), Kind.POINT)
    assert stale.older
    for response_id in ids:
        propose_points(store, response_id, ("B1",))
    assert find_patterns(store, exam_id).patterns == ()


def test_patterns_come_dearest_first_and_can_be_asked_for_one_question(store: Store) -> None:
    second = (THREE[0].model_copy(update={"number": "5"}), THREE[1])
    exam_id, [first, other] = add_exam(store, [["an answer"] * 12] * 2, questions=[THREE, second])
    teacher = add_marker(store)
    for ids, given in ((first, ("B1",)), (other, ("A1", "B1"))):
        for response_id in ids:
            propose_points(store, response_id, ())
            with store.write() as db:
                decisions.record(db, response_id, teacher.id, Outcome.MARK, Stage.BLIND, mark=len(given), points=given)
    found = find_patterns(store, exam_id)
    assert [pattern.cost for pattern in found.patterns] == sorted((p.cost for p in found.patterns), reverse=True)
    assert (found.patterns[0].kind, found.patterns[0].number, found.patterns[0].cost) == (Kind.BIAS, "5", 24)
    with store.read() as db:
        question_id = exams.questions(db, exam_id)[0].id
    assert {pattern.number for pattern in find_patterns(store, exam_id, question_id).patterns} == {"4(a)"}


def test_an_archived_exam_has_no_patterns(store: Store) -> None:
    exam_id, _ = marked_exam(store, [((), ("B1",))] * 12)
    with store.write() as db:
        exams.archive(db, exam_id, None, "test")
    assert find_patterns(store, exam_id).patterns == ()

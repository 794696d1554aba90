"""Adding marks: total(verdicts, scheme) by hand-worked cases and by property."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from components.marking import (
    AssessmentObjective,
    Level,
    LevelVerdict,
    MarkError,
    MarkingPoint,
    PointGroup,
    PointVerdict,
    Scale,
    Scheme,
    WholeVerdict,
    coarsest_step,
    earned_codes,
    total,
)


def award(*codes: str) -> list[PointVerdict]:
    return [PointVerdict(code=code, awarded=True) for code in codes]


WORKING = Scheme(
    max_mark=4,
    points=(
        MarkingPoint(code="M1", text="method"),
        MarkingPoint(code="A1", text="accuracy", needs=("M1",)),
        MarkingPoint(code="M2", text="second method"),
        MarkingPoint(code="A2", text="second accuracy", needs=("M2", "A1")),
    ),
)
ANY_THREE = Scheme(
    max_mark=3,
    points=tuple(MarkingPoint(code=f"P{i}", text=f"point {i}", group="any") for i in range(5)),
    groups=(PointGroup(code="any", text="any three of", cap=3),),
)
TWO_ROUTES = Scheme(
    max_mark=2,
    points=(
        MarkingPoint(code="M1", text="by factors", group="method"),
        MarkingPoint(code="M1b", text="by the formula", group="method"),
        MarkingPoint(code="A1", text="x = 3", needs=("method",)),
    ),
    groups=(PointGroup(code="method", cap=1),),
)


@pytest.mark.parametrize(
    ("scheme", "codes", "expected"),
    [
        (WORKING, ["M1", "A1", "M2", "A2"], 4),
        (WORKING, ["A1"], 0),  # accuracy without its method
        (WORKING, ["M2", "A2"], 1),  # A2 also needs A1
        (WORKING, ["A1", "M2", "A2"], 1),  # A1 is ticked but not earned, so A2 is not either
        (ANY_THREE, ["P0", "P1"], 2),
        (ANY_THREE, ["P0", "P1", "P2", "P3", "P4"], 3),
        (TWO_ROUTES, ["M1b", "A1"], 2),
        (TWO_ROUTES, ["M1", "M1b", "A1"], 2),
        (TWO_ROUTES, ["A1"], 0),
        (WORKING, [], 0),
    ],
)
def test_points_are_added_with_dependencies_and_caps(scheme: Scheme, codes: list[str], expected: float) -> None:
    assert total(award(*codes), scheme) == expected


def test_half_mark_points_add_exactly() -> None:
    scheme = Scheme(max_mark=1.5, mark_step=0.5, points=tuple(MarkingPoint(code=c, text=c, marks=0.5) for c in "abcd"))
    assert total(award("a", "b", "c"), scheme) == 1.5
    assert total(award("a", "b", "c", "d"), scheme) == 1.5  # more points than marks


def test_levels_of_two_objectives_add_up() -> None:
    bands = (
        Level(level=1, low=1, high=3, descriptor="some"),
        Level(level=2, low=4, high=6, descriptor="clear"),
    )
    scheme = Scheme(
        max_mark=12,
        objectives=(AssessmentObjective(code="AO5", levels=bands), AssessmentObjective(code="AO6", levels=bands)),
    )
    verdicts = [LevelVerdict(objective="AO5", level=2, mark=5), LevelVerdict(objective="AO6", level=1, mark=2)]
    assert total(verdicts, scheme) == 7
    assert total([LevelVerdict(objective="AO5", level=0, mark=0)], scheme) == 0
    with pytest.raises(MarkError, match="level 2 is 4 to 6 marks, not 3"):
        total([LevelVerdict(objective="AO5", level=2, mark=3)], scheme)
    with pytest.raises(MarkError, match="no level 3"):
        total([LevelVerdict(objective="AO5", level=3, mark=6)], scheme)
    with pytest.raises(MarkError, match="must be 0"):
        total([LevelVerdict(objective="AO5", level=0, mark=1)], scheme)


def test_a_verdict_the_scheme_does_not_know_is_an_error() -> None:
    with pytest.raises(MarkError, match="no marking point Z9"):
        total(award("Z9"), WORKING)
    with pytest.raises(MarkError, match="2 verdicts on marking point M1"):
        total(award("M1", "M1"), WORKING)
    with pytest.raises(MarkError, match="no assessment objective AO1"):
        total([LevelVerdict(objective="AO1", level=1, mark=1)], WORKING)


def test_a_mark_for_the_whole_answer_must_be_on_the_scale() -> None:
    free_text = Scheme(max_mark=3, text="Up to three marks for a reasoned judgement.")
    assert total([WholeVerdict(mark=2)], free_text) == 2
    for mark in (4, -1, 1.5, float("nan")):
        with pytest.raises(MarkError):
            total([WholeVerdict(mark=mark)], free_text)
    with pytest.raises(MarkError, match="cannot be mixed"):
        total([WholeVerdict(mark=1), *award("M1")], WORKING)


@pytest.mark.parametrize("mark", [-0.5, 4.5, 1.25, float("inf"), True, "3", None])
def test_an_illegal_mark_is_an_error_that_names_the_response(mark: object) -> None:
    with pytest.raises(MarkError, match=r"Candidate 0417, question 3\(b\)"):
        Scale(4, 0.5).check(mark, "Candidate 0417, question 3(b)")  # type: ignore[arg-type]


def test_a_scale_lists_every_legal_mark() -> None:
    assert Scale(2, 0.5).marks() == [0, 0.5, 1, 1.5, 2]
    assert Scale(3).marks() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "broken",
    [
        {"points": [{"code": "M1", "text": "a"}, {"code": "M1", "text": "b"}]},
        {"points": [{"code": "A1", "text": "a", "needs": ["M1"]}]},
        {"points": [{"code": "A1", "text": "a", "group": "g"}]},
        {"points": [{"code": "A1", "text": "a", "marks": 0.5}]},
        {"points": [{"code": "A", "text": "a", "needs": ["B"]}, {"code": "B", "text": "b", "needs": ["A"]}]},
        {"objectives": [{"code": "AO1", "levels": []}]},
        {"objectives": [{"code": "AO1", "levels": [
            {"level": 1, "low": 1, "high": 2, "descriptor": ""},
            {"level": 2, "low": 2, "high": 3, "descriptor": ""}]}]},
        {"numeric": {"correct": ["1"], "partial": {"2": 9}}},
        {"surprise": 1},
    ],
)  # fmt: skip
def test_a_scheme_that_cannot_be_right_is_refused(broken: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Scheme.model_validate({"max_mark": 4} | broken)


def test_points_in_a_circle_through_a_group_are_refused() -> None:
    with pytest.raises(ValidationError, match="circle"):
        Scheme(
            max_mark=2,
            points=(
                MarkingPoint(code="A", text="", group="g", needs=("B",)),
                MarkingPoint(code="B", text="", needs=("g",)),
            ),
            groups=(PointGroup(code="g", cap=1),),
        )


@st.composite
def schemes(draw: st.DrawFn) -> Scheme:
    step = draw(st.sampled_from([1.0, 0.5, 0.25]))
    groups = draw(st.lists(st.integers(1, 4).map(lambda steps: steps * step), max_size=2))
    codes = [f"P{i}" for i in range(draw(st.integers(1, 8)))]
    points = []
    for i, code in enumerate(codes):
        needs = draw(st.lists(st.sampled_from(codes[:i]), unique=True, max_size=2)) if i else []
        group = draw(st.sampled_from([None, *(f"G{k}" for k in range(len(groups)))]))
        marks = draw(st.integers(1, 3)) * step
        points.append(MarkingPoint(code=code, text=code, marks=marks, needs=tuple(needs), group=group))
    return Scheme(
        max_mark=draw(st.integers(1, 12)) * step,
        mark_step=step,
        points=tuple(points),
        groups=tuple(PointGroup(code=f"G{k}", cap=cap) for k, cap in enumerate(groups)),
    )


@given(schemes(), st.data(), st.randoms(use_true_random=False))
def test_total_is_always_a_legal_mark_whatever_is_ticked(
    scheme: Scheme, data: st.DataObject, rng: random.Random
) -> None:
    ticks = [PointVerdict(code=p.code, awarded=data.draw(st.booleans())) for p in scheme.points]
    mark = total(ticks, scheme)
    assert mark in scheme.scale.marks()
    shuffled = ticks.copy()
    rng.shuffle(shuffled)
    assert total(shuffled, scheme) == mark


@given(schemes(), st.data())
def test_an_unmet_dependency_earns_nothing(scheme: Scheme, data: st.DataObject) -> None:
    ticked = {p.code for p in scheme.points if data.draw(st.booleans())}
    earned = earned_codes(award(*ticked), scheme)
    for point in scheme.points:
        if point.code in earned:
            assert point.code in ticked
            assert set(point.needs) <= earned
    # Ticks that earn nothing can be left out without changing the mark.
    assert total(award(*sorted(earned)), scheme) == total(award(*sorted(ticked)), scheme)


@given(schemes(), st.data())
def test_one_more_tick_never_lowers_the_mark(scheme: Scheme, data: st.DataObject) -> None:
    ticked = {p.code for p in scheme.points if data.draw(st.booleans())}
    extra = data.draw(st.sampled_from([p.code for p in scheme.points]))
    assert total(award(*sorted(ticked | {extra})), scheme) >= total(award(*sorted(ticked)), scheme)


@pytest.mark.parametrize(("marks", "step"), [((3, 0), 1), ((2.5, 4), 0.5), ((1, 0.75, 0.5), 0.25), ((), 1)])
def test_the_coarsest_step_is_that_of_the_finest_mark(marks: tuple[float, ...], step: float) -> None:
    assert coarsest_step(marks) == step


def test_a_third_of_a_mark_stands_on_no_step() -> None:
    with pytest.raises(MarkError, match="quarter"):
        coarsest_step((1, 1 / 3))

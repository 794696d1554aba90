from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from components.marking import Marker, Outcome, QuestionType, Role, Stage
from components.workflow.agreement.selection import Selection
from pages.department.agreement_address import Offered, Place, View, offered, read, write
from storage import decisions
from tests.support import add_exam, add_marker, new_store, propose_points

HEAD, TEACHER = Marker(5, "Dr Osei", Role.HEAD), Marker(6, "Ms Khan", Role.TEACHER)
CHOICES = Offered(
    exam_id=3,
    questions=("1", "3(b)"),
    aos=("AO1",),
    types=(QuestionType.SHORT,),
    judges={2: "Offline matcher"},
    markers={5: "Dr Osei", 6: "Ms Khan"},
    groups={"class": ("11A", "11B"), "view": ("x",)},
)
FULL = Place(
    Selection(
        3,
        ("3(b)",),
        ("AO1",),
        (QuestionType.SHORT,),
        2,
        6,
        Stage.BLIND,
        True,
        date(2026, 11, 1),
        date(2026, 11, 30),
        (("class", "11A"), ("view", "x")),
    ),
    View.CONFUSION,
    "3(b)",
)


def test_a_place_and_its_address_are_one_and_the_same() -> None:
    address = write(FULL, HEAD)
    assert address == {
        "exam": ["3"],
        "question": ["3(b)"],
        "ao": ["AO1"],
        "type": ["short"],
        "judge": ["2"],
        "marker": ["6"],
        "stage": ["blind"],
        "answers": ["handwritten"],
        "from": ["2026-11-01"],
        "to": ["2026-11-30"],
        "class": ["11A"],
        "group.view": ["x"],
        "view": ["confusion"],
        "at": ["3(b)"],
    }
    assert read(address, CHOICES, HEAD) == FULL


def test_the_page_as_it_opens_is_the_exam_alone() -> None:
    assert write(Place(Selection(3), View.QUESTIONS), HEAD) == {"exam": ["3"]}
    assert read({"exam": ["3"]}, CHOICES, HEAD) == Place(Selection(3))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("question", "9"),
        ("ao", "AO9"),
        ("type", "poem"),
        ("judge", "77"),
        ("judge", "9" * 30),
        ("judge", "²"),
        ("marker", "77"),
        ("stage", "ai_first"),
        ("answers", "sung"),
        ("from", "yesterday"),
        ("class", "12Z"),
        ("view", "everything"),
        ("at", "9"),
        ("nonsense", "1"),
    ],
)
def test_what_an_address_gets_wrong_is_left_out(name: str, value: str) -> None:
    assert read({"exam": ["3"], name: [value]}, CHOICES, HEAD) == Place(Selection(3))


def test_days_in_the_wrong_order_are_left_out() -> None:
    assert read({"from": ["2026-11-30"], "to": ["2026-11-01"]}, CHOICES, HEAD) == Place(Selection(3))


def test_a_teacher_s_link_says_me_and_means_whoever_opens_it() -> None:
    own = Offered(3, ("1",), (), (), {}, {6: "only my own marks"})
    place = Place(Selection(3, marker_id=6))
    assert write(place, TEACHER) == {"exam": ["3"], "marker": ["me"]}
    assert read({"marker": ["me"]}, own, TEACHER) == place
    assert read({"marker": ["me"]}, CHOICES, HEAD).selection.marker_id == 5


def test_names_of_markers_are_offered_to_a_head_of_department_alone(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    teacher, other = add_marker(store, "Ms Khan"), add_marker(store, "Mr Lee")
    head, lead = add_marker(store, "Dr Osei", Role.HEAD), add_marker(store, "Dr Li", Role.PILOT)
    exam_id, ((response,),) = add_exam(store, [["x"]])
    propose_points(store, response, ["M1"])
    for marker in (teacher, other):
        with store.write() as db:
            decisions.record(db, response, marker.id, Outcome.MARK, Stage.BLIND, mark=1)
    assert offered(store, exam_id, head).markers == {teacher.id: "Ms Khan", other.id: "Mr Lee"}
    assert offered(store, exam_id, teacher).markers == {teacher.id: "only my own marks"}
    assert offered(store, exam_id, lead).markers == {}


def test_another_marker_cannot_be_asked_for_by_who_is_no_head() -> None:
    own = Offered(3, ("1",), (), (), {}, {6: "only my own marks"})
    assert read({"marker": ["5"]}, own, TEACHER).selection.marker_id is None

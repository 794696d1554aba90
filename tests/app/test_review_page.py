"""The review page in its states. Presses are tested in Chromium and at the workflow; this is what it shows."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components.marking import Marker, Outcome, Role, Stage, WhatStands
from storage import Store, decisions, exams
from tests.reviewing import act, give, propose, standing_of
from tests.support import add_exam, add_marker, propose_points, two_point_question

PAGE = "pages/department/review.py"
HIDE = "review_hide"
OpenPage = Callable[..., AppTest]


@pytest.fixture
def head(store: Store) -> Marker:
    return add_marker(store, "Dr Osei", Role.HEAD)


@pytest.fixture
def teacher(store: Store) -> Marker:
    return add_marker(store)


@pytest.fixture
def disputes(store: Store, teacher: Marker) -> tuple[int, list[int]]:
    """An exam with two disputes: on question 1 out of 10 (8 against 2), and on 2 out of 4 (4 against 3)."""
    questions = [two_point_question("1", max_mark=10), two_point_question("2", max_mark=4)]
    exam_id, [[first], [second]] = add_exam(store, [["enzymes"], ["heat"]], questions=questions)
    for response, ai, mark in ((first, 8, 2), (second, 4, 3)):
        propose(store, response, ai)
        give(store, response, teacher, mark, comment="Too vague.")
    return exam_id, [first, second]


def on_desk(at: AppTest) -> dict[str, Any]:
    """The data the desk component was given."""
    assert not at.exception
    (component,) = desks(at)
    return dict(json.loads(component.proto.json))


def desks(at: AppTest) -> list[Any]:
    return [each for each in at.get("bidi_component") if each.proto.component_name == "second_marker_desk"]


def words(at: AppTest) -> str:
    return "\n".join(part.value for part in [*at.markdown, *at.caption, *at.info, *at.warning, *at.success, *at.error])


def list_label(at: AppTest) -> str:
    return next(each.label for each in at.expander if "settle" in each.label)


def test_without_an_exam_the_page_says_so_and_leads_to_the_exams(app: OpenPage, store: Store, head: Marker) -> None:
    exam_id, _ = add_exam(store, [["x"]])
    with store.write() as db:
        exams.archive(db, exam_id, None, "test")
    at = app(PAGE, head)
    assert "There is no exam to review yet" in words(at)
    assert [link.label for link in at.get("page_link")] == ["Go to exams"]


def test_an_exam_that_nobody_has_marked_says_what_will_come(app: OpenPage, store: Store, head: Marker) -> None:
    add_exam(store, [["x"]])
    data = on_desk(app(PAGE, head))
    assert data["responseId"] is None
    assert data["emptyTitle"] == "Nothing to settle yet"
    assert data["emptyText"] == "Disagreements and flags come here as soon as teachers have marked."


def test_a_teacher_is_told_whose_page_it_is(app: OpenPage, store: Store, teacher: Marker) -> None:
    add_exam(store, [["x"]])
    at = app(PAGE, teacher)
    assert "This page is for a head of department or a pilot lead" in words(at)
    assert not desks(at)


def test_the_largest_disagreement_is_on_the_desk_with_both_marks_and_their_reasons(
    app: OpenPage, store: Store, head: Marker, disputes: tuple[int, list[int]]
) -> None:
    at = app(PAGE, head)
    data = on_desk(at)
    assert list_label(at) == "**2 disagreements to settle; none adjudicated so far.**"
    assert data["responseId"] == disputes[1][0]
    assert data["phase"] == "adjudicate"
    assert data["proposal"]["mark"] == 8
    [given] = data["review"]["given"]
    assert (given["name"], given["mark"], given["comment"]) == ("Ms Khan", "2", "Too vague.")
    assert given["how"].startswith("given blind, ")
    assert data["review"]["rule"] == "This exam's rule: the adjudicator's mark stands."
    assert at.query_params["response"] == str(disputes[1][0])


def test_a_link_opens_its_response_question_and_choice(
    app: OpenPage, store: Store, head: Marker, disputes: tuple[int, list[int]]
) -> None:
    exam_id, [first, second] = disputes
    add_exam(store, [["x"]], title="A newer exam")
    at = app(PAGE, head, exam=str(exam_id), question="2", show="disagreements", response=str(second))
    assert on_desk(at)["responseId"] == second
    assert at.selectbox(key="review_exam").value == exam_id
    assert at.selectbox(key="review_show").value == "disagreements"
    at.selectbox(key=f"review_question_{exam_id}").select_index(0).run()
    assert on_desk(at)["responseId"] == first
    assert "question" not in at.query_params


def test_a_link_to_a_response_that_is_gone_says_so(
    app: OpenPage, head: Marker, disputes: tuple[int, list[int]]
) -> None:
    data = on_desk(app(PAGE, head, exam=str(disputes[0]), response="99999"))
    assert data["responseId"] == disputes[1][0]
    assert data["notice"] == "The response that the link names is no longer here. This is another one."


def test_with_the_marks_hidden_nothing_of_them_reaches_the_browser(
    app: OpenPage, store: Store, head: Marker, teacher: Marker, disputes: tuple[int, list[int]]
) -> None:
    _, [_, second] = disputes
    with store.write() as db:
        decisions.add_note(db, second, teacher.id, "flag", "The AI says 4.")
    at = app(PAGE, head)  # the first response's marks are seen
    at.toggle(key=HIDE).set_value(True).run()
    data = on_desk(at)
    assert not data["review"]["hidden"]
    assert "You have been shown these marks" in data["review"]["rule"]
    at.query_params["response"] = str(second)
    at.run()
    data = on_desk(at)
    assert (data["responseId"], data["phase"], data["proposal"]) == (second, "blind", None)
    assert data["review"]["hidden"]
    assert (data["review"]["given"], data["review"]["flag"], data["notes"]) == ([], "", [])
    assert not data["flagged"]
    assert "Too vague" not in json.dumps(data)
    assert data["markFirst"].startswith("Decide first")
    act(store, head, "mark", second, mark=3, hidden=True)
    data = on_desk(at.run())
    assert data["review"]["given"][0]["mark"] == "3"
    assert data["own"]["label"] == "Your mark: 3 (adjudicated)"
    assert data["review"]["stands"] == "You gave 3, which stands."


def test_the_list_tells_gap_grade_and_flag_and_while_hidden_nothing(
    app: OpenPage, store: Store, head: Marker, teacher: Marker, disputes: tuple[int, list[int]]
) -> None:
    exam_id, [_, second] = disputes
    with store.write() as db:
        exams.set_rules(
            db, exam_id, None, what_stands=WhatStands.MEAN, boundaries=[("A", 10), ("B", 6)]
        )  # 5 or 6 with question 2's marks, 5 or 11 with question 1's
        decisions.add_note(db, second, teacher.id, "flag", "Looks copied.")
    at = app(PAGE, head)
    at.session_state["review_list_all"] = True
    at.run()
    rows = at.dataframe[0].value
    assert list(rows["Apart"]) == ["6 of 10", "1 of 4"]
    assert list(rows["Grade"]) == ["A or ungraded", "B or ungraded"]
    assert rows["Flag"][1].startswith("Looks copied. · Ms Khan, ")
    at.toggle(key=HIDE).set_value(True).run()
    assert list(at.dataframe[0].value.columns) == ["", "Question", "Candidate"]
    assert "a grade hangs" in list_label(at)


def test_rules_are_saved_from_the_popover_and_wrong_ones_refused_in_words(
    app: OpenPage, store: Store, head: Marker, disputes: tuple[int, list[int]]
) -> None:
    exam_id, _ = disputes
    at = app(PAGE, head)
    at.text_area[0].set_value("A 15")
    next(button for button in at.button if button.label == "Save the rules").click().run()
    assert "Grade A begins at 15, but this exam's totals go from 0 to 14." in words(at)
    at.text_area[0].set_value("A 10\nB 5")
    next(box for box in at.selectbox if box.label.startswith("What stands")).set_value(WhatStands.TEACHER)
    next(button for button in at.button if button.label == "Save the rules").click().run()
    assert "Saved. Final marks follow these rules" in words(at)
    with store.read() as db:
        exam = exams.get(db, exam_id)
    assert exam is not None
    assert (exam.what_stands, exam.boundaries) == (WhatStands.TEACHER, (("A", 10), ("B", 5)))
    data = on_desk(at)
    assert data["review"]["rule"] == "This exam's rule: the teacher's mark stands."
    assert data["review"]["grades"] == [
        "The candidate's grade hangs on this. Total 11 with the AI's mark: A; 5 with Ms Khan's mark: B."
    ]


def test_settled_ones_are_listed_with_what_stands(
    app: OpenPage, store: Store, head: Marker, disputes: tuple[int, list[int]]
) -> None:
    exam_id, [first, second] = disputes
    with store.write() as db:
        exams.set_rules(db, exam_id, None, what_stands=WhatStands.MEAN, boundaries=[])
    act(store, head, "mark", first, mark=5, comment="Half of it.")
    act(store, head, "mark", second, mark=3)
    at = app(PAGE, head, exam=str(exam_id), show="settled")
    rows = at.dataframe[0].value
    assert list(rows["Question"]) == ["2", "1"]
    assert list(rows["Gave"]) == ["3", "5"]
    assert list(rows["What stands"]) == ["3", "4, the mean"]  # 3.5 up to the next step
    assert list(rows["Reason"]) == ["", "Half of it."]
    assert list(rows["Who"]) == ["Dr Osei", "Dr Osei"]
    data = on_desk(at)
    assert data["responseId"] == second
    assert data["undo"]["label"] == "Undo 3 on 0001"
    at = app(PAGE, head, exam=str(exam_id))
    assert on_desk(at)["emptyTitle"] == "All settled"


def test_a_pilot_lead_looks_without_names_or_a_way_to_decide(
    app: OpenPage, store: Store, disputes: tuple[int, list[int]]
) -> None:
    at = app(PAGE, add_marker(store, "Prof Lead", Role.PILOT))
    data = on_desk(at)
    assert data["review"]["readOnly"]
    assert data["review"]["given"][0]["name"] == "Teacher"
    assert "Khan" not in json.dumps(data)
    assert not [toggle for toggle in at.toggle if toggle.key == HIDE]
    assert not [button for button in at.button if button.label == "Save the rules"]
    assert standing_of(store, disputes[1][0]).final_mark == 2


def test_points_that_the_teacher_ticked_are_said(app: OpenPage, store: Store, head: Marker, teacher: Marker) -> None:
    _, [[response]] = add_exam(store, [["x"]])
    propose_points(store, response, ["M1", "A1"])
    with store.write() as db:
        decisions.record(db, response, teacher.id, Outcome.MARK, Stage.AI_FIRST, mark=1, points=("M1",))
    [given] = on_desk(app(PAGE, head))["review"]["given"]
    assert given["points"] == "Ticked M1"
    assert given["how"].startswith("with the AI's mark in view, ")


def test_the_patterns_have_a_view_of_their_own(
    app: OpenPage, store: Store, head: Marker, disputes: tuple[int, list[int]]
) -> None:
    at = app(PAGE, head)
    at.segmented_control(key="review_view").set_value("Patterns and remedies").run()
    assert not at.exception
    assert not desks(at)
    at.segmented_control(key="review_view").set_value("Responses").run()
    assert on_desk(at)["responseId"] == disputes[1][0]


def test_a_link_to_the_patterns_opens_them_and_responses_are_one_press_away(
    app: OpenPage, store: Store, head: Marker, disputes: tuple[int, list[int]]
) -> None:
    exam_id, _ = disputes
    at = app(PAGE, head, exam=str(exam_id), question="1", show="patterns")
    assert not at.exception
    assert at.session_state["review_view"] == "Patterns and remedies"
    assert desks(at) == []
    at.segmented_control(key="review_view").set_value("Responses").run()
    assert on_desk(at)["questionNumber"] == "1"

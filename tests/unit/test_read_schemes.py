"""A mark scheme that was read goes to the exam's questions by their numbers, and makes those that are missing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from components.intake.mark_scheme import QuestionDraft, read_mark_scheme, text_lines
from components.marking import Marker, MarkError, QuestionType, Role
from components.workflow import exam_setup as setup
from components.workflow.exam_setup import QuestionBody, details
from components.workflow.exam_setup.read_schemes import fill, places, read_into
from pages.department import scheme_reading_rows as rows
from pages.department.scheme_reading_source import lines_by_question
from storage import Store, exams
from tests.support import add_exam, add_marker, new_store, two_point_question

SCHEME = """Question 1 [2 marks]
M1 Adds the two
A1 12
Question 3(b)(ii) [1 mark]
B1 Osmosis
Question 4 [4 marks]
Level 2 3-4 marks: a full account
Level 1 1-2 marks: a partial account
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def head(store: Store) -> Marker:
    return add_marker(store, "Dr Osei", Role.HEAD)


def read(text: str = SCHEME) -> list[QuestionDraft]:
    return list(read_mark_scheme(text_lines(text)).questions)


def test_a_scheme_makes_an_empty_exam_s_questions_in_its_order(store: Store, head: Marker) -> None:
    exam_id = details.create(store, head, "Mock")
    placed = read_into(store, head, exam_id, read())
    assert [(each.number, each.new, each.saved) for each in placed] == [
        ("1", True, True),
        ("3(b)(ii)", True, True),
        ("4", True, True),
    ]
    with store.read() as db:
        made = exams.questions(db, exam_id)
    assert [(each.question.number, each.question.max_mark, each.question.type) for each in made] == [
        ("1", 2, QuestionType.WORKING),
        ("3(b)(ii)", 1, QuestionType.SHORT),
        ("4", 4, QuestionType.LEVELS),
    ]
    assert [(point.code, point.text) for point in made[0].scheme.points] == [("M1", "Adds the two"), ("A1", "12")]
    assert [(band.low, band.high) for band in made[2].scheme.objectives[0].levels] == [(1, 2), (3, 4)]
    assert "has no text" in placed[0].lacks[0]


def test_a_question_is_found_however_its_number_is_written(store: Store, head: Marker) -> None:
    exam_id, _ = add_exam(store, [["a"]], questions=[two_point_question("3bii", max_mark=1)])
    (place,) = places(store, exam_id, ["3(b)(ii)"])
    assert place.opened is not None
    assert place.opened.stored is not None
    assert "replaces mark scheme v1" in place.said[0]
    (placed,) = read_into(store, head, exam_id, read()[1:2])
    assert (placed.number, placed.new, placed.saved, placed.version) == ("3bii", False, True, 2)


def test_a_new_question_stands_behind_the_one_before_it_in_the_scheme(store: Store, head: Marker) -> None:
    exam_id = details.create(store, head, "Mock")
    one, two, three = read()
    read_into(store, head, exam_id, [one, three])
    read_into(store, head, exam_id, [one, two, three])
    with store.read() as db:
        assert [each.question.number for each in exams.questions(db, exam_id)] == ["1", "3(b)(ii)", "4"]


def test_the_same_scheme_twice_changes_nothing(store: Store, head: Marker) -> None:
    exam_id = details.create(store, head, "Mock")
    read_into(store, head, exam_id, read())
    again = read_into(store, head, exam_id, read())
    assert [(each.new, each.saved, each.version) for each in again] == [(False, True, None)] * 3


def test_what_is_not_right_yet_is_kept_as_a_draft_with_what_it_lacks_and_found_again(
    store: Store, head: Marker
) -> None:
    exam_id = details.create(store, head, "Mock")
    one = replace(read()[0], max_mark=None)
    (placed,) = read_into(store, head, exam_id, [one])
    assert not placed.saved
    assert placed.lacks == ("Give the maximum mark, more than 0 and at most 1000.",)
    opened = setup.open_thread(store, placed.thread)
    assert opened is not None
    assert [point.text for point in opened.body.points] == ["Adds the two", "12"]
    (again,) = read_into(store, head, exam_id, read()[:1])
    assert (again.number, again.new, again.saved) == ("1", True, True)
    with store.read() as db:
        assert len(exams.questions(db, exam_id)) == 1


def test_a_question_somebody_is_editing_is_not_saved_over_their_heads(store: Store, head: Marker) -> None:
    exam_id, _ = add_exam(store, [["a"]])
    with store.read() as db:
        (stored,) = exams.questions(db, exam_id)
    opened = setup.open_question(store, stored.id)
    assert opened is not None
    setup.change(store, head, opened, lambda body: setattr(body, "text", "Half a tho"))
    (placed,) = read_into(store, head, exam_id, read()[:1])
    assert not placed.saved
    assert "changes that are not saved" in placed.lacks[0]
    with store.read() as db:
        assert exams.question(db, stored.id).scheme_version == 1


def test_a_question_with_responses_keeps_its_maximum(store: Store, head: Marker) -> None:
    exam_id, _ = add_exam(store, [["a"]], questions=[two_point_question("1", max_mark=3)])
    (place,) = places(store, exam_id, ["1"])
    assert any("stays at 3" in words for words in place.said)
    (placed,) = read_into(store, head, exam_id, read()[:1])
    assert placed.saved
    assert any("comes to 2 of 3 marks" in words for words in placed.lacks)


def test_a_number_twice_or_none_stops_everything_in_words(store: Store, head: Marker) -> None:
    exam_id = details.create(store, head, "Mock")
    one = read()[0]
    with pytest.raises(MarkError, match="more than once"):
        read_into(store, head, exam_id, [one, replace(one, number="Q1")])
    with pytest.raises(MarkError, match="No number was found"):
        read_into(store, head, exam_id, [replace(one, number="")])
    with store.read() as db:
        assert exams.questions(db, exam_id) == []


def test_a_teacher_who_is_no_head_cannot_put_a_scheme_in(store: Store, head: Marker) -> None:
    exam_id = details.create(store, head, "Mock")
    with pytest.raises(MarkError):
        read_into(store, add_marker(store), exam_id, read())


def test_a_key_and_a_note_stay_where_the_scheme_has_none() -> None:
    body = QuestionBody(number="1", note="Accept speed")
    body.numeric.correct = "12"
    fill(body, read()[0])
    assert (body.note, body.numeric.correct, body.max_mark) == ("Accept speed", "12", 2)


def test_rows_that_nobody_touched_give_what_was_read() -> None:
    (one,) = read("Question 1 [3 marks]\nM1 Adds the two, accept plus\ndM1 Halves them (dep on M1)\nA1 6 reject 6.5")
    again = rows.with_points(one, rows.point_rows(one))
    assert again.scheme().points == one.scheme().points


def test_a_dropped_point_is_needed_no_more_and_another_code_is_followed() -> None:
    (one,) = read("Question 1 [3 marks]\nM1 Adds\nM1 Halves\nA1 6")
    one = replace(
        one,
        points=(one.points[0], one.points[1], replace(one.points[2], needs=tuple(p.code for p in one.points[:2]))),
    )
    table = rows.point_rows(one)
    table[0]["keep"] = False
    table[1]["code"] = "M9"
    now = rows.with_points(one, [*table, {"code": "B1", "text": "says why", "marks": 1.0, "keep": None}])
    assert [(point.code, point.needs) for point in now.points] == [("M9", ()), ("A1", ("M9",)), ("B1", ())]


def test_every_line_is_shown_once_and_one_not_understood_where_it_stands() -> None:
    lines = text_lines(f"Mock paper 2026\n\n{SCHEME.replace('A1 12', 'A1 12' + chr(10) + '~~ ??')}")
    draft = read_mark_scheme(lines)
    above, of_question = lines_by_question(lines, draft)
    shown = [line.number for line in above] + [line.number for each in of_question for line in each]
    assert sorted(shown) == [line.number for line in lines if line.text.strip()]
    assert "~~ ??" in [line.text for line in of_question[0]]

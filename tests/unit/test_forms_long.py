"""Long tables come in as they always did, but without names; JSON comes in like them."""

import json

import pytest

from components.intake import IntakeError, guess_mapping, plan_import, read_table
from components.intake.forms import Choices, Pseudonym, recognise
from tests.form_files import answers, candidates, csv_file, errors, marks, maxima, notes, plan_of, planned, recognised
from tests.support import SHARED_DATA

PHYSICS = SHARED_DATA / "physics_two_raters"
OURS = b"candidate,question,answer,max mark,mark 1,mark 2,AI mark,class\n0417,1,heat,4,3,2,4,11A\n0418,1,,4,0,,0,11B\n"


def test_our_own_table_is_planned_exactly_as_before() -> None:
    found = recognise("marks.csv", OURS)
    assert found.layout == "Long table (a row a response)"
    assert "“candidate” (candidate number), “question” (question number), “answer” (answer)" in found.why
    before = read_table("marks.csv", OURS)
    made = found.to_table()
    assert (made.table, made.mapping, made.pseudonyms) == (before, guess_mapping(before), ())
    assert planned(found) == plan_import(before, guess_mapping(before))


def test_names_beside_numbers_go_to_the_key_and_out_of_the_table() -> None:
    found = recognised(
        "a.csv",
        ["Candidate", "First name", "Surname", "E-mail", "question", "answer", "max mark"],
        ["0417", "Ada", "Lovelace", "ada@school.example", "1", "heat", 2],
        ["0417", "Ada", "Lovelace", "ada@school.example", "2", "cold", 2],
    )
    made = found.to_table()
    assert made.table.columns == ("Candidate", "question", "answer", "max mark")
    assert made.pseudonyms == (Pseudonym("0417", "Ada Lovelace", "ada@school.example"),)
    assert answers(planned(found)) == {("0417", "1"): "heat", ("0417", "2"): "cold"}


@pytest.mark.parametrize("heading", ["Name", "Candidate", "Student", "E-mail", "Pupil"])
def test_where_a_name_or_address_is_all_there_is_running_numbers_take_its_place(heading: str) -> None:
    people = ["ada@x.example", "bob@x.example"] if heading == "E-mail" else ["Ada Lovelace", "O’Brien, Bob"]
    found = recognised(
        "a.csv",
        [heading, "question", "answer", "max mark"],
        [people[1], "1", "heat", 2],
        [people[0], "1", "cold", 2],
        [people[1], "2", "ice", 2],
    )
    assert answers(planned(found)) == {("0001", "1"): "heat", ("0002", "1"): "cold", ("0001", "2"): "ice"}
    key = [(each.number, each.name or each.email) for each in found.to_table().pseudonyms]
    assert key == [("0001", people[1]), ("0002", people[0])]
    assert candidates(planned(found, Choices(numbers="names"))) == [people[1], people[0]]


def test_two_of_one_name_are_told_apart_by_their_addresses() -> None:
    found = recognised(
        "a.csv",
        ["name", "email", "question", "answer", "max mark"],
        ["Wei Li", "wl1@x.example", "1", "heat", 2],
        ["Wei Li", "wl2@x.example", "1", "cold", 2],
    )
    assert answers(planned(found)) == {("0001", "1"): "heat", ("0002", "1"): "cold"}


def test_a_student_number_is_preferred_to_a_column_of_names() -> None:
    found = recognised(
        "a.csv", ["Student", "Student ID", "question", "answer", "max mark"], ["Ada Lovelace", "S7", "1", "heat", 2]
    )
    assert answers(planned(found)) == {("S7", "1"): "heat"}
    assert "Ada" not in str(found.to_table().table)


@pytest.mark.parametrize("value", ["Student A", "Candidate One", "candidate", "A7", "0417"])
def test_made_up_candidates_are_no_names(value: str) -> None:
    found = recognised(
        "a.csv",
        ["candidate", "question", "answer", "max mark"],
        *[[f"{value}{end}", "1", "x", 1] for end in ("", "b", "c", "d")],
    )
    assert candidates(planned(found)) == [value, f"{value}b", f"{value}c", f"{value}d"]


def test_answers_that_hold_an_address_stay() -> None:
    found = recognised(
        "a.csv", ["candidate", "question", "answer", "max mark"], ["1", "1", "write to ada@school.example", 1]
    )
    assert answers(planned(found)) == {("1", "1"): "write to ada@school.example"}


def test_the_marks_of_two_markers_beside_an_answer_are_no_questions() -> None:
    found = recognised("a.csv", ["student", "response", "score 1", "score 2"], ["7", "heat", 2, 1], ["8", "ice", 0, 0])
    plan = planned(found, max_mark=2)
    assert answers(plan) == {("7", "1"): "heat", ("8", "1"): "ice"}
    assert [each.mark for each in plan.human_marks] == [2, 1, 0, 0]


def test_a_table_without_a_name_in_any_row_says_what_is_missing() -> None:
    found = recognised("a.csv", ["Name", "question", "answer", "max mark"], ["", "1", "x", 1])
    assert errors(plan_of(found)) == ["Row 2: the candidate number is missing. Fill it in."]


def test_a_blank_candidate_is_still_reported_by_row() -> None:
    found = recognised(
        "a.csv", ["name", "question", "answer", "max mark"], ["Ada Lovelace", "1", "x", 1], ["", "1", "y", 1]
    )
    assert errors(plan_of(found)) == ["Row 3: the candidate number is missing. Fill it in."]


def test_eaten_zeros_in_a_long_table_are_padded_when_asked() -> None:
    found = recognised(
        "a.csv",
        ["candidate", "question", "answer", "max mark"],
        ["417", "1", "x", 1],
        ["2031", "1", "y", 1],
    )
    assert found.suspected_width == 4
    assert candidates(planned(found)) == ["417", "2031"]
    assert candidates(planned(found, Choices(width=4))) == ["0417", "2031"]


def test_a_date_in_an_answer_of_a_long_table_is_reported() -> None:
    found = recognised("a.csv", ["candidate", "question", "answer", "max mark"], ["1", "1", "2-Jan", 1])
    assert [check.row for check in found.checks] == [2]
    assert answers(planned(found)) == {("1", "1"): "2-Jan"}


def test_a_table_of_no_known_layout_is_left_to_the_teacher() -> None:
    found = recognised("a.csv", ["who", "what", "given"], ["7", "an answer", "2"])
    assert found.layout == "Table of another layout"
    assert "Choose the columns" in found.why
    assert found.to_table().table == read_table("a.csv", csv_file(["who", "what", "given"], ["7", "an answer", "2"]))


# JSON


def test_json_objects_are_rows() -> None:
    rows = [
        {"candidate": "0417", "question": 1, "answer": "heat\r\nrises", "max_mark": 4.0, "mark": 2.5},
        {"candidate": "0418", "question": 1, "answer": None, "max_mark": 4, "mark": None},
    ]
    for whole in (rows, {"exam": "Mock", "responses": rows}):
        plan = planned(recognise("a.json", json.dumps(whole).encode()))
        assert answers(plan) == {("0417", "1"): "heat\nrises", ("0418", "1"): ""}
        assert marks(plan) == {("0417", "1"): 2.5}
        assert maxima(plan) == {"1": 4}


def test_json_lines_are_rows_numbered_by_line() -> None:
    lines = '{"candidate": "0417", "question": "1", "answer": "heat", "max mark": 1, "mark": 7}\n\n'
    lines += '{"candidate": "0418", "question": "1", "answer": "cold", "max mark": 1, "mark": 9}\n'
    found = recognise("a.jsonl", b"\xef\xbb\xbf" + lines.encode())
    assert [each.row for each in plan_of(found).report] == [1, 3]
    assert "JSON lines" in notes(found)


@pytest.mark.parametrize(
    "given",
    [
        [{"question": "1", "answer": "heat", "mark": 2}, {"question": "2", "answer": "ice", "mark": 0}],
        {"1": {"answer": "heat", "mark": 2}, "2": {"answer": "ice", "mark": 0}},
    ],
)
def test_answers_inside_a_candidate_are_rows_and_questions_beside_them_give_maxima(given: object) -> None:
    whole = {
        "questions": [{"number": "1", "text": "Why does it rise?", "max_mark": 3}, {"number": "2", "max_mark": 1}],
        "responses": [{"candidate": "0417", "class": "11A", "answers": given}],
    }
    found = recognise("a.json", json.dumps(whole).encode())
    plan = planned(found)
    assert answers(plan) == {("0417", "1"): "heat", ("0417", "2"): "ice"}
    assert marks(plan) == {("0417", "1"): 2, ("0417", "2"): 0}
    assert maxima(plan) == {"1": 3, "2": 1}
    assert plan.groups == {"0417": {"class": "11A"}}


def test_json_with_a_key_a_question_is_a_wide_table() -> None:
    content = json.dumps([{"name": "Ada Lovelace", "Q1": "heat", "Q2": "ice"}]).encode()
    found = recognise("a.json", content)
    assert answers(planned(found, max_mark=2)) == {("0001", "1"): "heat", ("0001", "2"): "ice"}


def test_what_an_answer_says_of_itself_never_stands_for_its_candidate() -> None:
    answered = [{"id": "1", "name": "Heat", "answer": "up"}, {"id": "2", "name": "Cold", "answer": "down"}]
    content = json.dumps([{"id": "0417", "name": "Ada Lovelace", "answers": answered}]).encode()
    assert answers(planned(recognise("a.json", content), max_mark=2)) == {("0417", "1"): "up", ("0417", "2"): "down"}
    by_question = [{"question": "3", "responses": [{"id": "0417", "answer": "up"}, {"id": "0418", "answer": "down"}]}]
    found = recognise("a.json", json.dumps(by_question).encode())
    assert answers(planned(found, max_mark=2)) == {("0417", "3"): "up", ("0418", "3"): "down"}


def test_the_number_an_answer_stands_under_is_its_questions_even_beside_its_words() -> None:
    given = {"1": {"question": "Why?", "answer": "heat"}, "2": {"question": "How?", "answer": "ice"}}
    found = recognise("a.json", json.dumps([{"candidate": "0417", "answers": given}]).encode())
    assert answers(planned(found, max_mark=2)) == {("0417", "1"): "heat", ("0417", "2"): "ice"}


def test_a_paragraph_sign_inside_an_answer_ends_no_line() -> None:
    rows = [
        {"candidate": "0417", "question": "1", "answer": "a\u2028b"},
        {"candidate": "0418", "question": "1", "answer": "c"},
    ]
    content = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()
    assert answers(planned(recognise("a.jsonl", content), max_mark=2))["0417", "1"] == "a\u2028b"


def test_two_of_one_name_in_a_long_table_stay_two_where_names_are_kept() -> None:
    found = recognised(
        "a.csv",
        ["candidate number", "name", "question", "answer", "max mark", "mark"],
        ["0417", "Ada Lovelace", "1", "heat", 4, 1],
        ["0420", "Ada Lovelace", "2", "ice", 4, 3],
    )
    plan = planned(found, Choices(numbers="names"))
    assert marks(plan) == {("Ada Lovelace (0417)", "1"): 1, ("Ada Lovelace (0420)", "2"): 3}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'[{"candidate": "1", "question": "1"', "line 1, character 36: the JSON breaks off"),
        (b'{"exam": "Mock"}', "has no list of responses"),
        (b"[1, 2]", "item 1: this is not an object"),
        (b"[]", "holds no table"),
        (b"[" * 100_000, "nested too deep"),
        (b'[{"candidate": "\xff"}]', "not in UTF-8"),
        (b'[{"candidate": "0417", "answers": {"1": "heat", "1": "ice"}}]', "has the key “1” twice"),
    ],
)
def test_json_that_cannot_be_read_is_refused_in_words(content: bytes, message: str) -> None:
    with pytest.raises(IntakeError, match=message):
        recognise("a.json", content)


@pytest.mark.skipif(not PHYSICS.exists(), reason="the shared data are not here")
def test_the_real_physics_table_is_planned_as_before() -> None:
    content = (PHYSICS / "physics_flat.csv").read_bytes()
    before = read_table("physics_flat.csv", content)
    found = recognise("physics_flat.csv", content)
    assert found.to_table().table == before
    plan = planned(found)
    assert (len(plan.responses), len(plan.human_marks)) == (89, 178)

"""Identifiers of another system, as a list or from the key of names; and the sentences about an exam's scripts."""

from __future__ import annotations

import io
from pathlib import Path

import openpyxl
import pytest

from components.marking import MarkError, Outcome, Role, Stage
from components.workflow.marks_out.identifiers import key_columns, pasted_identifiers, read_identifiers
from components.workflow.marks_out.in_words import completeness, listed, missing_text, rule_lines
from components.workflow.marks_out.totals import exam_totals
from storage import Store, decisions, pseudonyms
from storage.pseudonyms import Known
from tests.support import add_exam, add_marker, new_store

CLASS = ["0417", "0418", "419"]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "0417,a@x.example\n0418,b@x.example",
        "0417\ta@x.example\n0418\tb@x.example\n",
        "Candidate number;E-mail\n0417;a@x.example\n\n0418;b@x.example",
        "417, a@x.example\n418, b@x.example",
        "0417,a@x.example\n0418,b@x.example\n419,",
        "0417,a@x.example\n0418,b@x.example\n0417,a@x.example",
    ],
)
def test_a_list_is_read_however_its_columns_are_parted(text: str) -> None:
    found = pasted_identifiers(text, CLASS)
    assert (found.by_candidate, found.unknown) == ({"0417": "a@x.example", "0418": "b@x.example"}, ())


def test_a_workbook_is_read_too_and_numbers_without_their_zeros_are_known() -> None:
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in (("Number", "SIS ID"), (417, 9001), (419, 9002)):
        book.active.append(row)
    book.save(file)
    assert read_identifiers("class.xlsx", file.getvalue(), CLASS).by_candidate == {"0417": "9001", "419": "9002"}


def test_numbers_that_the_exam_does_not_have_are_named() -> None:
    assert pasted_identifiers("0417,a\n0999,b\n0998,c", CLASS).unknown == ("0999", "0998")


def test_a_number_that_two_candidates_could_have_is_not_guessed() -> None:
    assert pasted_identifiers("7,a\n007,b", ["07", "007"]).by_candidate == {"007": "b"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("just words", "This is no list of two columns."),
        ("0417,a\n0417,b", "Row 2: candidate 0417 has two identifiers, a and b."),
        ("0417,a\n0418,a", "Row 2: a is the identifier of 0417 and of 0418."),
        ("0417,a,b\n0418,c,d", "Row 1 has more than two columns."),
        ("0999,a\n0998,b", "No row has one of this exam's candidate numbers"),
        (f"0417,{'x' * 201}", "Row 1: the identifier of 0417 is longer than 200 characters."),
    ],
)
def test_a_list_that_cannot_be_right_is_refused_in_words(text: str, said: str) -> None:
    with pytest.raises(MarkError) as refused:
        pasted_identifiers(text, CLASS)
    assert said in str(refused.value)


def test_the_key_of_names_gives_its_columns_to_a_head_alone(store: Store) -> None:
    exam_id, _ = add_exam(store, [["x", "y"]])
    with store.write() as db:
        people = [
            Known("0001", "Ann Jones", "a@x.example", (("UPN", "A1"),)),
            Known("0002", "Bo Khan", "", (("UPN", "B2"),)),
        ]
        pseudonyms.add(db, exam_id, people)
    head, lead = add_marker(store, "Dr Osei", Role.HEAD), add_marker(store, "Mr Lead", Role.PILOT)
    assert key_columns(store, exam_id, head) == {
        "E-mail": {"0001": "a@x.example"},
        "UPN": {"0001": "A1", "0002": "B2"},
        "Name": {"0001": "Ann Jones", "0002": "Bo Khan"},
    }
    with pytest.raises(MarkError, match="Only a head of department"):
        key_columns(store, exam_id, lead)


def test_what_scripts_lack_is_said_for_the_first_five(store: Store) -> None:
    teacher = add_marker(store)
    exam_id, [first, second] = add_exam(store, [["x"] * 8, ["x"] * 8])
    with store.write() as db:
        for response_id in (*first, second[0]):
            decisions.record(db, response_id, teacher.id, Outcome.MARK, Stage.BLIND, mark=1)
    totals = exam_totals(store, exam_id)
    assert completeness(totals) == (
        "1 of 8 scripts complete; 0002 lacks 2; 0003 lacks 2; 0004 lacks 2; 0005 lacks 2; 0006 lacks 2; and 2 more."
    )
    assert missing_text(totals.scripts[1]) == "not marked: 2"
    assert rule_lines(totals.exam, totals.rules) == [
        "Every question counts.",
        "A script with no answer here to a question that counts is incomplete until somebody enters it. Where a marker "
        "has entered “no response”, it counts 0.",
        "The adjudicator's mark stands after an adjudication; without one, the latest mark stands.",
        "No grade boundaries are set, so that there are no grades.",
    ]


def test_a_long_list_of_questions_is_cut_only_where_that_saves_something() -> None:
    assert listed("123456") == "1, 2, 3, 4, 5, 6"
    assert listed("1234567") == "1, 2, 3, 4, 5 and 2 more"

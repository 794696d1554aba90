"""The mark book, the tables of decisions and proposals, and the layouts that other systems import."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import NamedTuple

import openpyxl
import pytest

from components.marking import Marker, Outcome, Role, Stage
from components.workflow.agreement.export import csv_bytes, workbook
from components.workflow.agreement.tables import Table
from components.workflow.marks_out.layouts import (
    CanvasIdentifier,
    MoodleIdentifier,
    ascii_name,
    canvas,
    moodle,
    school_records,
)
from components.workflow.marks_out.mark_book import decisions_table, mark_book_table, proposals_table
from components.workflow.marks_out.totals import ExamTotals, exam_totals
from storage import Store, decisions, proposals, responses
from tests.support import add_exam, add_marker, new_store, propose_points, two_point_question


class Made(NamedTuple):
    store: Store
    exam_id: int
    ids: list[list[int]]
    teacher: Marker
    head: Marker


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Three candidates and three questions of 2 marks, of which 2 and 3 are a choice; the third script is not done.

    0001: 2, 1.5, no response → 3.5 of 4.  0002: 0, 0.5, 1 → 1 of 4.  0003: 2, not marked, 1.
    """
    store = new_store(tmp_path)
    questions = [two_point_question(number, step=0.5) for number in ("1", "2(a)", "3")]
    exam_id, ids = add_exam(store, [["a", "b", "c"]] * 3, title="=Mock", questions=questions)
    teacher, head = add_marker(store), add_marker(store, "Dr Ferris", Role.HEAD)
    marks = [[2, 0, 2], [1.5, 0.5, None], [None, 1, 1]]
    with store.write() as db:
        for row, given in zip(ids, marks, strict=True):
            for response_id, mark in zip(row, given, strict=True):
                if mark is not None:
                    decisions.record(db, response_id, teacher.id, Outcome.MARK, Stage.BLIND, mark=mark)
        decisions.record(db, ids[2][0], teacher.id, Outcome.NO_RESPONSE, Stage.BLIND)
        settings = {
            "sections": [{"title": "Choice", "questions": ["2(a)", "3"], "answer": 1}],
            "boundaries": [["A", 3.5], ["B", 2]],
        }
        db.execute("UPDATE exams SET settings = ? WHERE id = ?", (json.dumps(settings), exam_id))
        responses.add_candidates(db, exam_id, ["0001"], {"0001": {"class": "@11A"}})
    return Made(store, exam_id, ids, teacher, head)


def totals(made: Made) -> ExamTotals:
    return exam_totals(made.store, made.exam_id)


def read(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))


def records(table: Table) -> list[dict[str, object]]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def test_the_mark_book_has_every_mark_and_total_and_says_what_is_missing(made: Made) -> None:
    table = mark_book_table(totals(made))
    assert table.columns == (
        "Candidate", "class", "Q1 (/2)", "Q2(a) (/2)", "Q3 (/2)", "Choice (best 1 of 2)", "Total", "Out of", "%",
        "Grade", "Complete", "Still lacks",
    )  # fmt: skip
    assert table.rows == (
        ("0001", "@11A", 2, 1.5, "no response", 1.5, 3.5, 4, 87.5, "A", "yes", ""),
        ("0002", "", 0, 0.5, 1, 1, 1, 4, 25.0, "ungraded", "yes", ""),
        ("0003", "", 2, "not marked", 1, 1, 3, 4, None, None, "no", "1 of 3 questions not marked: 2(a)"),
    )


def test_formulas_are_defused_in_the_csv_and_in_the_workbook(made: Made) -> None:
    table = mark_book_table(totals(made))
    assert read(csv_bytes(table))[1][1] == "'@11A"
    sheet = openpyxl.load_workbook(io.BytesIO(workbook([table])))["Mark book"]
    assert (sheet["B2"].value, sheet["C2"].value, sheet["G2"].value) == ("'@11A", 2, 3.5)


def test_decisions_and_proposals_join_on_the_response(made: Made) -> None:
    first = made.ids[0][0]
    proposal = propose_points(made.store, first, ["M1"])
    with made.store.write() as db:
        proposals.record_sighting(db, first, made.head.id, proposal)
        given = decisions.record(
            db, first, made.head.id, Outcome.MARK, Stage.AI_FIRST, mark=1, points=("M1",), proposal_id=proposal,
            comment="=HYPERLINK(1)",
        )  # fmt: skip
        undone = decisions.record(db, first, made.teacher.id, Outcome.MARK, Stage.BLIND, mark=0)
        decisions.undo(db, undone.decision_id, made.teacher.id)
    table = decisions_table(made.store, made.exam_id, made.head)
    found = [row for row in records(table) if row["Response"] == first]
    assert [(r["Outcome"], r["Mark"], r["In force"], r["Behind the final mark"], r["Marker"]) for r in found] == [
        ("mark", 2, "yes", "no", "Ms Khan"),
        ("mark", 1, "yes", "yes", "Dr Ferris"),
        ("mark", 0, "no", "no", "Ms Khan"),
        ("undo", None, "no", "no", "Ms Khan"),
    ]
    assert found[1]["Decision"] == given.decision_id
    assert (found[1]["Proposal then"], found[1]["Points ticked"], found[1]["Mark scheme version"]) == (
        proposal,
        "M1",
        1,
    )
    assert found[3]["Undoes"] == undone.decision_id
    assert "'=HYPERLINK(1)" in csv_bytes(table).decode()
    [made_by_ai] = records(proposals_table(made.store, made.exam_id, made.head))
    assert made_by_ai["Response"] == first
    assert (made_by_ai["Proposal"], made_by_ai["Mark"], made_by_ai["Points awarded"]) == (proposal, 1, "M1")
    assert (made_by_ai["Status"], made_by_ai["Confidence"], made_by_ai["On the desk"]) == (
        "proposed", "fairly sure", "yes",
    )  # fmt: skip


def test_markers_are_named_for_heads_alone(made: Made) -> None:
    lead = add_marker(made.store, "Lead", Role.PILOT)
    assert {row["Marker"] for row in records(decisions_table(made.store, made.exam_id, lead))} == {"teacher 1"}


def test_a_teacher_gets_what_they_have_marked_themselves(made: Made) -> None:
    other = add_marker(made.store, "Mr Lowe")
    propose_points(made.store, made.ids[0][0], ["M1"])
    proposal = propose_points(made.store, made.ids[0][1], ["M1"])
    assert decisions_table(made.store, made.exam_id, other).rows == ()
    assert proposals_table(made.store, made.exam_id, other).rows == ()
    with made.store.write() as db:
        decisions.record(db, made.ids[0][1], other.id, Outcome.MARK, Stage.BLIND, mark=1)
    assert {row["Response"] for row in records(decisions_table(made.store, made.exam_id, other))} == {made.ids[0][1]}
    assert [row["Proposal"] for row in records(proposals_table(made.store, made.exam_id, other))] == [proposal]


def test_proposals_that_were_handed_out_count_as_seen(made: Made) -> None:
    proposal = propose_points(made.store, made.ids[0][0], ["M1"])
    proposals_table(made.store, made.exam_id, made.head)
    with made.store.read() as db:
        assert proposals.seen_by(db, made.ids[0][0], made.head.id, proposal)


def test_moodles_layout_has_complete_scripts_alone(made: Made) -> None:
    layout = moodle(totals(made))
    assert (layout.left_out, layout.unknown) == (("0003",), ())
    assert layout.csv() == b"ID number,'=Mock: total\r\n0001,3.5\r\n0002,1\r\n"


def test_moodles_layout_takes_the_schools_identifiers_and_questions(made: Made) -> None:
    by_mail = {"0001": "a@b.example"}
    layout = moodle(totals(made), MoodleIdentifier.EMAIL, by_mail, questions=True)
    assert read(layout.csv()) == [
        ["Email address", "'=Mock: question 1", "'=Mock: question 2(a)", "'=Mock: question 3", "'=Mock: total"],
        ["a@b.example", "2", "1.5", "0", "3.5"],
    ]
    assert layout.unknown == ("0002",)


def test_two_candidates_with_one_identifier_are_in_no_layout_as_one_would_get_the_others_mark(made: Made) -> None:
    shared = {"0001": "parents@x.example", "0002": "Parents@x.example ", "0003": "c@x.example"}
    found = moodle(totals(made), MoodleIdentifier.EMAIL, shared)
    assert (found.table.rows, found.left_out, found.unknown) == ((), ("0003",), ("0001", "0002"))


def test_canvas_layout_has_its_columns_and_the_row_of_points_possible(made: Made) -> None:
    layout = canvas(totals(made), CanvasIdentifier.SIS_LOGIN, assignment_id=77, section="11A")
    assert read(layout.csv()) == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "'=Mock (77)"],
        ["    Points Possible", "", "", "", "", "4"],
        ["Candidate 0001", "", "", "0001", "11A", "3.5"],
        ["Candidate 0002", "", "", "0002", "11A", "1"],
    ]
    assert layout.csv().startswith(b"Student")
    with_questions = canvas(totals(made), questions=True)
    assert read(with_questions.csv())[1][5:] == ["2", "2", "2", "4"]


def test_school_records_have_ascii_headers_and_the_grade(made: Made) -> None:
    layout = school_records(totals(made), {"0001": "A123", "0002": "A124"})
    assert layout.csv().isascii()
    assert read(layout.csv()) == [
        ["Candidate", "Q1", "Q2(a)", "Q3", "Total", "Out of", "Percent", "Grade"],
        ["A123", "2", "1.5", "0", "3.5", "4", "87.5", "A"],
        ["A124", "0", "0.5", "1", "1", "4", "25.0", "ungraded"],
    ]
    assert ascii_name("Qé–1 题") == "Qe_1 _"


def test_an_optional_question_that_was_not_chosen_is_empty_in_a_layout(made: Made) -> None:
    with made.store.write() as db:
        candidate = responses.add_candidates(db, made.exam_id, ["0004"])["0004"]
        questions = [row["id"] for row in db.execute("SELECT id FROM questions WHERE exam_id = ?", (made.exam_id,))]
        added = responses.add_responses(db, made.exam_id, [(q, candidate, "x") for q in questions[:2]])
        for response_id in added.values():
            decisions.record(db, response_id, made.teacher.id, Outcome.MARK, Stage.BLIND, mark=1)
    assert read(school_records(totals(made)).csv())[3] == ["0004", "1", "1", "", "2", "4", "50.0", "B"]


def test_an_exam_that_is_not_there_is_said(made: Made) -> None:
    with pytest.raises(LookupError, match="no exam 9"):
        decisions_table(made.store, 9, made.head)
    with pytest.raises(LookupError, match="no exam 9"):
        proposals_table(made.store, 9, made.head)

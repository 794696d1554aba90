"""Marks by several AIs in one table: recognised by column, kept as a judge each, added to an exam and taken back."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from components.intake import (
    AIColumn,
    Defaults,
    ImportPlan,
    Mapping,
    PlannedAIMark,
    guess_mapping,
    names_an_ai,
    plan_import,
    read_table,
)
from components.intake.ai_cells import read_ai_mark
from components.intake.cells import NotAMarkError
from components.intake.forms import recognise
from components.marking import MarkError, PointVerdict, WholeVerdict
from components.workflow.import_compare import Change, compare
from components.workflow.import_into import import_into
from components.workflow.import_table import import_plan, undo_import, why_not
from storage import Store, exams, judges, pairs, proposals, responses, standings
from tests.support import SHARED_DATA, add_exam, add_marker, new_store, two_point_question

PHYSICS = SHARED_DATA / "physics_two_raters" / "physics_flat.csv"
RATERS = {"first_marker_name": "Rater one", "second_marker_name": "Rater two"}
TWO = """candidate,question,answer,max mark,mark,gpt4o_cot,vendor b
1,1,a,3,2,"[1, 0, 1]",
2,1,b,3,0,"[0, 0, 0]",1
3,1,c,3,1,"[1, 1, 1]",2
"""


def plan_of(text: str, name: str = "vendors.csv", *, needs_answers: bool = True) -> ImportPlan:
    table = read_table(name, text.encode())
    plan = plan_import(table, guess_mapping(table), Defaults(max_mark=2), needs_answers=needs_answers)
    assert plan.ok, plan.report
    return plan


def stored_marks(store: Store, exam_id: int) -> dict[str, dict[tuple[str, str], float | None]]:
    """By judge, the marks by (candidate, question) that count."""
    found: dict[str, dict[tuple[str, str], float | None]] = {}
    with store.read() as db:
        rows = db.execute(
            "SELECT j.name, c.number, q.number, p.ai_mark FROM pairs p JOIN judges j ON j.id = p.judge_id "
            "JOIN responses r ON r.id = p.response_id JOIN candidates c ON c.id = r.candidate_id "
            "JOIN questions q ON q.id = r.question_id WHERE p.exam_id = ?",
            (exam_id,),
        )
        for judge, candidate, question, mark in map(tuple, rows):
            found.setdefault(judge, {})[candidate, question] = mark
    return found


@pytest.mark.parametrize(
    ("cell", "mark", "items"),
    [
        ("[0, 1, 1]", 2, (0, 1, 1)),
        ("0;1;1", 2, (0, 1, 1)),
        ("0, 1, 1", 2, (0, 1, 1)),
        ("[0. 1. .5]", 1.5, (0, 1, 0.5)),
        ("0,5;1", 1.5, (0.5, 1)),
        ("['1', '0']", 1, (1, 0)),
        ("(2)", 2, (2,)),
        ("1,5", 1.5, ()),
        ("2.0", 2, ()),
        ("4 / 5", 4, ()),
        ("", None, ()),
        ("nan", None, ()),
        ("[]", None, ()),
    ],
)
def test_a_cell_is_a_mark_or_a_list_of_item_marks(cell: str, mark: float | None, items: tuple[float, ...]) -> None:
    read = read_ai_mark(cell)
    assert (read.mark, read.items) == (mark, items)


@pytest.mark.parametrize("cell", ["[0, x, 1]", "[0, , 1]", "two; three", "see [1]", "[1, 2"])
def test_what_is_neither_is_said_to_be_no_mark(cell: str) -> None:
    with pytest.raises(NotAMarkError):
        read_ai_mark(cell)


def test_columns_of_ais_are_recognised_by_heading_and_values_on_their_questions_scale() -> None:
    table = read_table(
        "t.csv",
        b"candidate,question,answer,max mark,human1_items,gpt4o_items,gpt4o_total,gpt4o_tokens,score by claude,"
        b"llm percent,gemini comment,claude reason\n"
        b'1,1,x,3,"[0, 1, 1]","[1, 1, 1]",3,3,2,95,good,2\n2,1,y,3,"[0, 1, 1]",,,2,,80,bad,1\n',
    )
    found = guess_mapping(table)
    assert found.ai_mark is None
    assert [each.column for each in found.ai_columns] == ["gpt4o_items", "score by claude"]
    assert found.mark_1 is None, "items of a person are no mark of theirs"
    assert [names_an_ai(each) for each in ("AI mark", "Model score", "AI评分", "gpt-4o", "Vendor B")] == [
        *(False, False, False),
        *(True, True),
    ]


def test_a_lone_ai_needs_no_name_and_a_column_is_for_one_thing() -> None:
    assert guess_mapping(read_table("t.csv", b"candidate,question,answer,max mark,gpt-4o\n1,1,x,3,2\n")).ai_mark == (
        "gpt-4o"
    )
    table = read_table("t.csv", TWO.encode())
    columns = {"candidate": "candidate", "question": "question", "answer": "answer", "max_mark": "max mark"}

    def problem(*ais: AIColumn) -> str:
        (error,) = (
            e.message for e in plan_import(table, Mapping(**columns, ai_columns=ais)).report if e.level == "error"
        )
        return error

    assert "have the same name, “gpt”" in problem(AIColumn("gpt4o_cot", "GPT"), AIColumn("vendor b", "gpt"))
    assert "Give the AI of column “vendor b” a name." in problem(AIColumn("gpt4o_cot", "GPT"), AIColumn("vendor b"))
    assert "chosen for both the answer and the marks by GPT" in problem(AIColumn("answer", "GPT"))
    assert "There is no column “gone”" in problem(AIColumn("gone", "GPT"))


def test_an_ai_mark_that_cannot_be_names_its_row_and_column() -> None:
    table = read_table("t.csv", TWO.replace("[1, 1, 1]", "[1, 1, 2]").encode())
    plan = plan_import(table, guess_mapping(table))
    assert not plan.ok
    assert [e.message for e in plan.report if e.level == "error"] == [
        "Row 4: “gpt4o_cot”: 4 is outside 0 to 3. Correct it, or leave it blank."
    ]


def test_each_column_becomes_a_judge_of_its_own_and_blank_cells_are_no_marks(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    plan = plan_of(TWO)
    assert plan.ai_judges == {"gpt4o_cot": 3, "vendor b": 2}
    assert plan.ai_marks[0] == PlannedAIMark(2, 2, "gpt4o_cot", (1, 0, 1))
    done = import_plan(store, plan, title="Vendors", marker=None, imported_judge="vendor b", **RATERS)
    assert (done.human_marks, done.ai_marks) == (3, 5)
    assert stored_marks(store, done.exam_id) == {
        "gpt4o_cot": {("1", "1"): 2, ("2", "1"): 0, ("3", "1"): 3},
        "vendor b": {("2", "1"): 1, ("3", "1"): 2},
    }
    with store.read() as db:
        exam = exams.get(db, done.exam_id)
        assert exam is not None
        assert exam.judge_id is not None
        stands = judges.get(db, exam.judge_id)
        assert stands is not None
        assert (stands.name, stands.kind) == ("vendor b", judges.IMPORTED)
        (question,) = exams.questions(db, done.exam_id)
        first, *_ = responses.of_question(db, question.id)
        standing = standings.get(db, first.id)
        assert standing is not None
        assert standing.proposal_id is None, "vendor b did not mark the first"
        proposal = proposals.get(db, 1).proposal
    assert proposal.verdicts == (WholeVerdict(mark=2),)
    assert proposal.reason == "Item marks: 1, 0, 1."
    with pytest.raises(MarkError, match="no marks by “vendor c”"):
        import_plan(
            store,
            plan_of(TWO + '4,1,d,3,1,"[0, 0, 0]",\n'),
            title="x",
            marker=None,
            imported_judge="vendor c",
            **RATERS,
        )


def test_the_ai_that_marked_most_stands_on_the_desk_by_default_and_the_offline_judge_by_choice(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    by_default = import_plan(store, plan_of(TWO), title="One", marker=None, **RATERS)
    by_choice = import_plan(store, plan_of(TWO + "4,1,d,3,1,2,\n"), title="Two", marker=None, judge="offline", **RATERS)
    with store.read() as db:
        for made, kind in ((by_default, judges.IMPORTED), (by_choice, judges.OFFLINE)):
            exam = exams.get(db, made.exam_id)
            assert exam is not None
            assert exam.judge_id is not None
            stands = judges.get(db, exam.judge_id)
            assert stands is not None
            assert stands.kind == kind
            assert kind == judges.OFFLINE or stands.name == "gpt4o_cot"


def test_the_name_of_a_judge_that_marks_here_is_not_taken(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    with store.write() as db:
        judges.ensure(db, "vendor b", judges.LLM, "some-model")
    plan = plan_of(TWO)
    assert "“vendor b” is the name of a judge here" in why_not(store, plan)
    with pytest.raises(MarkError, match="Give the AI of the file another name"):
        import_plan(store, plan, title="Vendors", marker=None, **RATERS)
    with store.read() as db:
        assert exams.listed(db) == []


ONLY_AIS = 'candidate,question,VendorA,Vendor B\n0001,1,2,"[1, 0]"\n0002,1,,0;1\n'


def test_a_file_of_ai_marks_alone_is_recognised_and_added_to_the_exam_that_has_the_answers(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, ((first, _),) = add_exam(store, [["x", "y"]], questions=[two_point_question("1")])
    found = recognise("vendors.csv", ONLY_AIS.encode())
    assert found.layout == "Marks by AIs (a row a response)"
    assert "import it into the exam that has them" in found.why
    tabled = found.to_table()
    assert [each.column for each in tabled.mapping.ais()] == ["VendorA", "Vendor B"]
    refused = plan_import(tabled.table, tabled.mapping, Defaults(max_mark=2))
    assert "Choose the column that holds the answer." in [entry.message for entry in refused.report]
    plan = plan_of(ONLY_AIS, needs_answers=False)
    beside = compare(store, plan, exam_id)
    assert (beside.problems, beside.answers, beside.new_candidates, len(beside.ai_marks)) == ((), (), (), 3)
    done = import_into(store, plan, exam_id, marker=None)
    assert done is not None
    assert (done.responses, done.ai_marks) == (0, 3)
    with store.read() as db:
        rows = db.execute(
            "SELECT p.id, j.name, p.mark FROM proposals p JOIN judges j ON j.id = p.judge_id "
            "WHERE p.response_id = ? AND j.kind = 'imported'",
            (first,),
        ).fetchall()
        assert [(row["name"], row["mark"]) for row in rows] == [("VendorA", 2), ("Vendor B", 1)]
        codes = [point.code for point in exams.questions(db, exam_id)[0].scheme.points]
        assert proposals.get(db, rows[1]["id"]).proposal.verdicts == (
            PointVerdict(code=codes[0], awarded=True),
            PointVerdict(code=codes[1], awarded=False),
        )
    assert import_into(store, plan, exam_id, marker=None) is None, "the same file adds nothing"
    changed = plan_of(ONLY_AIS.replace("0001,1,2", "0001,1,1"), needs_answers=False)
    assert compare(store, changed, exam_id).changes == (Change("0001", "1", "mark by VendorA", "2", "1"),)


def test_ai_marks_of_nobody_in_the_exam_are_told_and_can_be_left_out(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, _ = add_exam(store, [["x"]], questions=[two_point_question("1")])
    plan = plan_of(ONLY_AIS, needs_answers=False)
    (problem,) = compare(store, plan, exam_id).problems
    assert "no response to go with them for candidate 0002's question 1" in problem
    assert compare(store, plan, exam_id).avoidable
    done = import_into(store, plan, exam_id, marker=None, leave_out=True)
    assert done is not None
    assert (done.responses, done.candidates, done.ai_marks) == (0, 0, 2)


def test_a_vendor_added_later_is_a_judge_beside_the_first_and_an_undo_takes_it_and_the_desk_back(
    tmp_path: Path,
) -> None:
    store = new_store(tmp_path)
    head = add_marker(store)
    first = import_plan(store, plan_of(TWO), title="Vendors", marker=None, **RATERS)
    before = stored_marks(store, first.exam_id)
    later = plan_of(
        "candidate,question,max mark,Vendor C,vendor b\n1,1,3,3,0\n2,1,3,1,1\n", "c.csv", needs_answers=False
    )
    assert compare(store, later, first.exam_id).changes == (), "vendor b said nothing of candidate 1 before"
    done = import_into(store, later, first.exam_id, marker=head, desk_judge="Vendor C")
    assert done is not None
    assert done.ai_marks == 3
    after = stored_marks(store, first.exam_id)
    assert after["Vendor C"] == {("1", "1"): 3, ("2", "1"): 1}
    assert after["vendor b"] == before["vendor b"] | {("1", "1"): 0}
    with store.read() as db:
        exam = exams.get(db, first.exam_id)
        assert exam is not None
        assert exam.judge_id == judges.find(db, "Vendor C").id  # type: ignore[union-attr]
    undo_import(store, done.import_id, head)
    assert stored_marks(store, first.exam_id) == before
    with store.write() as db:
        exam = exams.get(db, first.exam_id)
        assert exam is not None
        assert exam.judge_id == judges.find(db, "gpt4o_cot").id  # type: ignore[union-attr]
        rows = [tuple(row) for row in db.execute("SELECT * FROM standings")]
        standings.refresh_all(db)
        assert [tuple(row) for row in db.execute("SELECT * FROM standings")] == rows
    assert stored_marks(store, first.exam_id) == before, "and that is what a rebuild gives"


@pytest.mark.skipif(not PHYSICS.exists(), reason="the shared data is not beside the repository")
def test_the_physics_table_has_two_markers_and_eight_judges_each_with_its_own_marks(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    table = read_table(PHYSICS.name, PHYSICS.read_bytes())
    made = import_plan(store, plan_import(table, guess_mapping(table)), title="Physics", marker=None, **RATERS)
    with PHYSICS.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    variants = [column for column in rows[0] if column.startswith("gpt4o")]
    assert stored_marks(store, made.exam_id) == {
        variant: {
            (row["student"], row["question"]): float(sum(int(item) for item in row[variant].strip("[]").split(",")))
            for row in rows
            if row[variant]
        }
        for variant in variants
    }
    counted = {
        judge: dict(Counter(question for _, question in marks))
        for judge, marks in stored_marks(store, made.exam_id).items()
    }
    assert len(counted) == 8
    every = {"Q1": 49, "Q2": 21, "Q3": 19}
    last = {"Q3": 19}
    assert counted == {
        **dict.fromkeys(
            ("gpt4o_naive_cot_1", "gpt4o_naive_cot_2", "gpt4o_detailed_compare", "gpt4o_forced_compare"), every
        ),
        "gpt4o_detailed_compare_2": {"Q2": 21, "Q3": 19},
        **dict.fromkeys(("gpt4o_detailed_compare_3", "gpt4o_naive_cot_3", "gpt4o_detailed_compare_4"), last),
    }
    assert (made.responses, made.human_marks, made.ai_marks) == (89, 178, 4 * 89 + 40 + 3 * 19)
    with store.read() as db:
        assert len(pairs.cells(db, pairs.AGREEMENT, pairs.Wanted(made.exam_id))) > 0

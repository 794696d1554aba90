"""Adding a file to an exam that is there: matched, idempotent, told before it is stored, and taken back."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from components.intake import ImportPlan, RowReport, guess_mapping, plan_import, read_table
from components.intake.forms import Choices, Recognised, with_checks, with_maxima
from components.intake.spelling import question_key
from components.marking import MarkError, Outcome, Stage
from components.workflow.import_compare import Change, Comparison, compare
from components.workflow.import_into import import_into
from components.workflow.import_match import matched
from components.workflow.import_parts import Imported
from components.workflow.import_people import renumbered
from components.workflow.import_table import import_plan, undo_import
from storage import (
    Store,
    decisions,
    events,
    exam_setup,
    exams,
    import_state,
    imports,
    jobs,
    pairs,
    pseudonyms,
    responses,
    standings,
)
from storage.pseudonyms import Known
from tests import form_files
from tests.support import add_exam, add_marker, new_store, propose_points

FIRST = """candidate,question,answer,max mark,mark,class
0417,1,it is denatured,4,3,11A
0418,1,the shape changes,4,1,11B
"""
HEAD = "candidate,question,answer,max mark,mark,class\n"
NAMES = {"first_marker_name": "Rater one"}


def plan_of(text: str, name: str = "mock.csv") -> ImportPlan:
    table = read_table(name, text.encode())
    plan = plan_import(table, guess_mapping(table))
    assert plan.ok, plan.report
    return plan


def made(store: Store, text: str = FIRST) -> Imported:
    return import_plan(store, plan_of(text), title="Mock", marker=None, **NAMES)


def beside(store: Store, exam_id: int, text: str, **given: Any) -> Comparison:
    return compare(store, plan_of(text, "again.csv"), exam_id, ("Rater one", ""), **given)


def added(store: Store, exam_id: int, text: str, **given: Any) -> Imported | None:
    return import_into(store, plan_of(text, "again.csv"), exam_id, marker=None, **NAMES, **given)


def held(store: Store, exam_id: int) -> dict[tuple[str, str], tuple[str, float | None]]:
    """By (candidate, question) the answer and the mark that stands."""
    found = {}
    with store.read() as db:
        for stored in exams.questions(db, exam_id):
            for response in responses.of_question(db, stored.id):
                standing = standings.get(db, response.id)
                assert standing is not None
                found[response.candidate_number, stored.question.number] = (response.text, standing.final_mark)
    return found


def response_id(store: Store, exam_id: int, candidate: str, question: str = "1") -> int:
    with store.read() as db:
        return responses.places(db, exam_id)[candidate, question][0]


def test_the_same_file_again_adds_nothing_and_is_no_import(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id = made(store).exam_id
    found = beside(store, exam_id, FIRST)
    assert (found.nothing_new, found.same, found.problems, found.changes) == (True, 2, (), ())
    assert added(store, exam_id, FIRST) is None
    with store.read() as db:
        assert len(imports.listed(db)) == 1


def test_new_rows_are_added_and_a_changed_mark_is_told_and_becomes_a_new_mark_of_the_same_marker(
    tmp_path: Path,
) -> None:
    store = new_store(tmp_path)
    exam_id = made(store).exam_id
    later = HEAD + "0417,1,it is denatured,4,2,11A\n0418,1,the shape changes,4,1,11C\n0419,1,heat,4,0,11B\n"
    found = beside(store, exam_id, later)
    assert found.changes == (
        Change("0417", "1", "mark by Rater one", "3", "2"),
        Change("0418", "", "class", "11B", "11C"),
    )
    assert (found.new_candidates, found.same, found.problems) == (("0419",), 1, ())
    done = added(store, exam_id, later)
    assert done is not None
    assert (done.added, done.candidates, done.responses, done.human_marks) == (True, 1, 1, 2)
    assert held(store, exam_id) == {
        ("0417", "1"): ("it is denatured", 2),
        ("0418", "1"): ("the shape changes", 1),
        ("0419", "1"): ("heat", 0),
    }
    with store.read() as db:
        live = decisions.live(db, responses.places(db, exam_id)["0417", "1"][0])
        assert [(each.marker_name, each.mark, each.stage) for each in live] == [
            ("Rater one", 3, Stage.IMPORTED),
            ("Rater one", 2, Stage.IMPORTED),
        ]
    assert added(store, exam_id, later) is None, "the second time it is all there"


def test_undoing_takes_the_marks_back_and_the_added_responses_and_candidates_out(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id = made(store).exam_id
    before = held(store, exam_id)
    later = HEAD + "0417,1,it is denatured,4,2,11A\n0419,1,heat,4,4,11B\n"
    done = added(store, exam_id, later)
    assert done is not None
    propose_points(store, response_id(store, exam_id, "0419"), [])  # a judge may have spoken since
    assert undo_import(store, done.import_id, None) == ""
    assert held(store, exam_id) == before
    with store.read() as db:
        assert responses.candidates(db, exam_id) == ["0417", "0418"]
        assert standings.progress(db, exam_id) == (0, 2)
        assert [found.id for found in imports.listed(db)] == [1]
        assert [exam.id for exam in exams.listed(db)] == [exam_id]
        assert "import undone" in [event.kind for event in events.latest(db)]
        (apart,) = exam_setup.archived(db)
    assert apart.taken_out, "it is no exam to bring back"
    with store.write() as db:
        exam_setup.bring_back(db, apart.id, None)
    with store.read() as db:
        assert [exam.id for exam in exams.listed(db)] == [exam_id]
        kept = db.execute("SELECT text FROM responses ORDER BY id").fetchall()
        assert [row["text"] for row in kept] == ["it is denatured", "the shape changes", "heat"], "nothing is deleted"
    again = added(store, exam_id, later)
    assert again is not None
    assert held(store, exam_id)["0419", "1"] == ("heat", 4), "the same file can be imported again"


def test_pairs_and_derived_rows_are_those_of_a_rebuild_after_adding_and_undoing(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    text = "candidate,question,answer,max mark,mark,AI mark\n1,1,a,4,3,4\n2,1,b,4,1,1\n"
    exam_id = made(store, text).exam_id
    later = "candidate,question,answer,max mark,mark,AI mark\n1,1,a,4,4,4\n2,1,b,4,1,0\n3,1,c,4,2,2\n"

    def derived() -> list[list[tuple[Any, ...]]]:
        with store.read() as db:
            tables = ("standings", "pairs", "progress")
            rows = [[tuple(row) for row in db.execute(f"SELECT * FROM {table}")] for table in tables]
            return [*rows, [tuple(row) for row in db.execute("SELECT * FROM tallies WHERE n > 0")]]

    done = added(store, exam_id, later)
    assert done is not None
    assert (done.human_marks, done.ai_marks) == (2, 2)
    with store.read() as db:
        (question,) = (stored.id for stored in exams.questions(db, exam_id))
        cells = [(c.ai, c.teacher, c.n) for c in pairs.cells(db, pairs.AGREEMENT, pairs.Wanted(exam_id))]
    assert cells == [(0, 1, 1), (2, 2, 1), (4, 4, 1)]
    for _ in range(2):
        before = derived()
        with store.write() as db:
            standings.refresh_all(db)
        assert derived() == before
        undo_import(store, done.import_id, None)
    with store.read() as db:
        assert standings.progress(db, exam_id, question) == (0, 2)


def test_an_undo_takes_ai_marks_on_responses_that_were_there_out_of_agreement_and_keeps_them_on_record(
    tmp_path: Path,
) -> None:
    store = new_store(tmp_path)
    exam_id = made(store).exam_id
    file = "candidate,question,answer,max mark,AI mark\n0417,1,it is denatured,4,4\n"
    for _ in range(2):  # and the same file can be imported again
        done = added(store, exam_id, file)
        assert done is not None
        with store.read() as db:
            assert [(c.ai, c.teacher) for c in pairs.cells(db, pairs.AGREEMENT, pairs.Wanted(exam_id))] == [(4, 3)]
        assert "1 AI marks on responses that were there before count no more" in undo_import(
            store, done.import_id, None
        )
        with store.read() as db:
            assert pairs.cells(db, pairs.AGREEMENT, pairs.Wanted(exam_id)) == []
            assert import_state.imported_ai_marks(db, exam_id) == {}
    with store.read() as db:
        assert db.execute("SELECT count(*) FROM proposals").fetchone()[0] == 2, "nothing is deleted"


def test_an_import_is_not_undone_where_its_responses_have_been_marked_since(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, teacher = made(store).exam_id, add_marker(store)
    done = added(store, exam_id, HEAD + "0419,1,heat,4,4,11B\n")
    assert done is not None
    with store.write() as db:
        given = decisions.record(
            db, response_id(store, exam_id, "0419"), teacher.id, Outcome.MARK, Stage.AI_FIRST, mark=2
        )
    with pytest.raises(MarkError, match=r"candidate 0419's question 1 has been marked since. Undo those marks"):
        undo_import(store, done.import_id, teacher)
    with store.write() as db:
        decisions.undo(db, given.decision_id, teacher.id)
    undo_import(store, done.import_id, teacher)
    assert ("0419", "1") not in held(store, exam_id)


def test_only_the_newest_import_of_an_exam_is_undone(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id = made(store).exam_id
    first = added(store, exam_id, HEAD + "0419,1,heat,4,4,11B\n")
    second = added(store, exam_id, HEAD + "0420,1,cold,4,4,11B\n")
    assert first is not None
    assert second is not None
    with pytest.raises(MarkError, match=r"imported into this exam later. Undo that import first"):
        undo_import(store, first.import_id, None)
    with pytest.raises(MarkError, match=r"imported into this exam later. Undo that import first"):
        undo_import(store, 1, None)
    undo_import(store, second.import_id, None)
    undo_import(store, first.import_id, None)
    assert set(held(store, exam_id)) == {("0417", "1"), ("0418", "1")}


def test_a_changed_answer_is_a_problem_in_words_and_can_be_left_out_with_its_mark(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, teacher = made(store).exam_id, add_marker(store)
    later = HEAD + "0417,1,it melts,4,0,11A\n0418,1,something else,4,1,11B\n0419,1,heat,4,4,11B\n"
    with store.write() as db:
        decisions.record(db, response_id(store, exam_id, "0417"), teacher.id, Outcome.MARK, Stage.BLIND, mark=2)
    found = beside(store, exam_id, later)
    assert found.avoidable
    marked, unmarked = found.problems
    assert "Candidate 0417, question 1: the answer here is “it is denatured”, in this file “it melts”" in marked
    assert "has been marked, so it stays" in marked
    assert "Undo the import that brought it first" in unmarked
    with pytest.raises(MarkError, match="Candidate 0417"):
        added(store, exam_id, later)
    assert ("0419", "1") not in held(store, exam_id), "all of it or nothing"
    assert beside(store, exam_id, later, leave_out=True).left_out == 2
    done = added(store, exam_id, later, leave_out=True)
    assert done is not None
    assert held(store, exam_id)["0417", "1"] == ("it is denatured", 2)
    assert held(store, exam_id)["0419", "1"] == ("heat", 4)


def test_a_mark_that_would_stand_over_one_given_here_is_told(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, teacher = made(store).exam_id, add_marker(store)
    with store.write() as db:
        decisions.record(db, response_id(store, exam_id, "0417"), teacher.id, Outcome.MARK, Stage.BLIND, mark=2)
    later = HEAD + "0417,1,it is denatured,4,4,11A\n"
    assert beside(store, exam_id, later).changes == (
        Change("0417", "1", "mark by Rater one", "3", "4"),
        Change("0417", "1", "mark that stands, given here", "2", "4"),
    )
    assert beside(store, exam_id, FIRST).changes == ()


def test_a_file_of_marks_alone_leaves_the_answers_as_they_are(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id = made(store).exam_id
    found = beside(store, exam_id, HEAD + "0417,1,,4,4,11A\n0418,1,,4,1,11B\n")
    assert (found.problems, found.answers, len(found.marks)) == ((), (), 1)


def test_questions_are_matched_by_number_however_it_is_written(tmp_path: Path) -> None:
    numbers = ("3(b)(ii)", "3bii", "Q3b(ii)", "question 3 (b) (ii)", "3.b.ii", "Q. 03bII")
    assert {question_key(number) for number in numbers} == {"3bii"}
    assert question_key("1.2") != question_key("12")
    assert question_key("第3题") == question_key("3")
    assert matched(["Q1", "2"], ["1", "1a", "2"]) == {"Q1": "1", "2": "2"}
    assert matched(["3bii"], ["3(b)(ii)", "3b(ii)"]) == {}, "two would do, so neither is taken"
    store = new_store(tmp_path)
    exam_id = made(store, "candidate,question,answer,max mark\n1,3(b)(ii),a,2\n1,4,b,2\n").exam_id
    text = "candidate,question,answer,max mark\n2,Q3bii,c,2\n2,5,d,2\n"
    found = beside(store, exam_id, text)
    assert found.problems == ("The exam has no question 5. Leave it out, or add it to the exam.",)
    assert found.notes == (
        "Questions matched by number: Q3bii is 3(b)(ii).",
        "Not in this file: question 4 of the exam.",
    )
    assert added(store, exam_id, text, leave_out=True) is not None
    assert held(store, exam_id)["2", "3(b)(ii)"] == ("c", None)


def test_marks_off_the_exams_scale_are_refused(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id = made(store).exam_id
    half = beside(store, exam_id, HEAD + "0419,1,heat,4,2.5,11A\n")
    assert "Candidate 0419, question 1" in half.problems[0]
    other = beside(store, exam_id, HEAD + "0419,1,heat,5,2,11A\n")
    assert "out of 5 in this file and out of 4 in the exam" in other.problems[0]
    assert not other.avoidable
    answers = beside(store, exam_id, "candidate,question,answer,max mark\n0419,1,heat,5\n")
    assert (answers.problems, len(answers.answers)) == ((), 1)
    assert "out of 4 in the exam; the exam's stands" in answers.notes[0]


def test_a_file_with_no_question_of_the_exam_is_refused_and_so_is_a_name_of_a_profile(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id = made(store).exam_id
    assert "No question of this file" in " ".join(beside(store, exam_id, HEAD + "1,9,heat,4,2,11A\n").problems)
    teacher = add_marker(store)
    with pytest.raises(MarkError, match="is a profile here"):
        import_into(
            store,
            plan_of(HEAD + "0419,1,heat,4,2,11A\n"),
            exam_id,
            marker=teacher,
            first_marker_name=teacher.name,
        )


def form(*rows: tuple[str, ...]) -> Recognised:
    return form_files.recognised("form.csv", ("Timestamp", "Name", "Email Address", "Q1 [2 marks]"), *rows)


ADA = ("2026/11/01 9:00", "Ada Lovelace", "ada@example.org", "yes")
MARY = ("2026/11/01 9:05", "Mary Somerville", "mary@example.org", "no")
EVA = ("2026/11/01 9:07", "Eva Crane", "eva@example.org", "perhaps")


def test_people_keep_their_numbers_by_the_key_whatever_their_row(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    first = form(ADA, MARY).to_table(Choices())
    plan = plan_import(first.table, first.mapping)
    exam_id = import_plan(store, plan, title="Quiz", marker=None, people=first.pseudonyms).exam_id
    with store.read() as db:
        assert [(each.number, each.name) for each in pseudonyms.of_exam(db, exam_id)] == [
            ("0001", "Ada Lovelace"),
            ("0002", "Mary Somerville"),
        ]
        assert [job.kind for job in jobs.active(db)] == ["propose"]
    later = form(EVA, MARY, ADA).to_table(Choices())
    found = renumbered(store, exam_id, plan_import(later.table, later.mapping), later.pseudonyms)
    assert [each.candidate for each in found.plan.responses] == ["0003", "0002", "0001"]
    assert found.known == 2
    done = import_into(store, found.plan, exam_id, marker=None, people=found.people)
    assert done is not None
    assert (done.candidates, done.responses) == (1, 1)
    undo_import(store, done.import_id, None)
    with store.read() as db:
        assert len(pseudonyms.of_exam(db, exam_id)) == 2, "the names go with the import that brought them"


FAMILY = "family@example.org"
ANN = ("2026/11/01 9:00", "Ann Reed", FAMILY, "yes")
BEN = ("2026/11/01 9:05", "Ben Reed", FAMILY, "no")


def quiz_of(store: Store, *rows: tuple[str, ...]) -> int:
    first = form(*rows).to_table(Choices())
    plan = plan_import(first.table, first.mapping)
    return import_plan(store, plan, title="Quiz", marker=None, people=first.pseudonyms).exam_id


def numbers_of(store: Store, exam_id: int, *rows: tuple[str, ...]) -> list[str]:
    later = form(*rows).to_table(Choices())
    found = renumbered(store, exam_id, plan_import(later.table, later.mapping), later.pseudonyms)
    return [each.candidate for each in found.plan.responses]


def test_of_a_family_with_one_address_each_keeps_the_number_of_their_name(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id = quiz_of(store, ANN, BEN)
    assert numbers_of(store, exam_id, ANN) == ["0001"]
    assert numbers_of(store, exam_id, BEN) == ["0002"]
    assert numbers_of(store, exam_id, (ANN[0], "Reed, Ann", *ANN[2:])) == ["0001"]


def test_two_of_a_family_are_not_two_attempts_of_one(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id = quiz_of(store, ANN, BEN, ("2026/11/01 9:30", *ANN[1:3], "yes, again"))
    assert {place: answer for place, (answer, _) in held(store, exam_id).items()} == {
        ("0001", "1"): "yes, again",
        ("0002", "1"): "no",
    }


def test_an_address_with_another_name_is_nobody_who_is_there(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id = quiz_of(store, ANN)
    with pytest.raises(MarkError, match="the e-mail address of the exam's candidate 0001, but another name"):
        numbers_of(store, exam_id, BEN)


@pytest.mark.parametrize("written", ["417", "０４１７", "04 17"])
def test_a_new_candidate_written_almost_as_one_of_the_exam_is_refused(tmp_path: Path, written: str) -> None:
    store = new_store(tmp_path)
    exam_id = made(store).exam_id
    found = beside(store, exam_id, f"{HEAD}{written},1,it is denatured,4,2,11A\n")
    if written == "０４１７":  # the same number in other characters
        assert (found.problems, found.new_candidates, [each.new for each in found.changes]) == ((), (), ["2"])
        return
    (problem,) = found.problems
    assert f"Candidate “{written}” of this file is not one of the exam, but “0417” is" in problem
    with pytest.raises(MarkError, match="0417"):
        added(store, exam_id, f"{HEAD}{written},1,it is denatured,4,2,11A\n")


def test_without_the_key_nobody_is_taken_for_somebody_else(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    head = add_marker(store)
    first = form(ADA, MARY).to_table(Choices())
    plan = plan_import(first.table, first.mapping)
    exam_id = import_plan(store, plan, title="Quiz", marker=None, people=first.pseudonyms).exam_id
    with store.write() as db:
        assert pseudonyms.drop(db, exam_id, head.id) == 2
        assert pseudonyms.of_exam(db, exam_id) == []
        (event,) = (event for event in events.latest(db) if event.kind == "key of names dropped")
        assert (event.marker_name, event.body) == (head.name, {"names": 2})
    with pytest.raises(MarkError, match="the key of names is not kept"):
        renumbered(store, exam_id, plan, first.pseudonyms)


def test_the_bytes_of_dropped_names_are_in_no_file_and_other_exams_keep_theirs(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    gone, kept = (add_exam(store, [["a"]], title=title)[0] for title in ("Gone", "Kept"))
    shuffled = random.Random(6).sample(range(200), 200)  # rows that come in no order make pages split
    for at in shuffled:
        with store.write(durable=False) as db:
            pseudonyms.add(db, gone, [Known(f"{at:04d}", f"Lovelace {at}", f"lovelace{at}@school.example")])
            pseudonyms.add(db, kept, [Known(f"{at:04d}", f"Somerville {at}", "", (("SID", str(at)),))])
    with store.write() as db:
        assert pseudonyms.drop(db, gone, None) == 200
        assert pseudonyms.drop(db, gone, None) == 0
    assert any(b"ovelace" in file.read_bytes() for file in tmp_path.iterdir()), "the log has them still"
    assert store.empty_log()
    for file in tmp_path.iterdir():
        assert b"ovelace" not in file.read_bytes(), file.name
    with store.read() as db:
        found = pseudonyms.of_exam(db, kept)
        assert len(found) == 200
        assert Known("0003", "Somerville 3", "", (("SID", "3"),)) in found
    store.close()


def test_names_of_an_import_that_is_taken_back_are_in_no_file(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    first = form(ADA).to_table(Choices())
    exam_id = import_plan(
        store, plan_import(first.table, first.mapping), title="Quiz", marker=None, people=first.pseudonyms
    ).exam_id
    later = form(ADA, MARY).to_table(Choices())
    given = renumbered(store, exam_id, plan_import(later.table, later.mapping), later.pseudonyms)
    done = import_into(store, given.plan, exam_id, marker=None, people=given.people)
    assert done is not None
    undo_import(store, done.import_id, None)
    files = [file.read_bytes() for file in tmp_path.iterdir()]
    assert any(b"Lovelace" in content for content in files), "who was there before is known still"
    assert not any(b"Somerville" in content for content in files)
    store.close()


def test_maxima_are_filled_in_where_the_table_says_none_and_checks_join_the_report() -> None:
    table = read_table("t.csv", b"candidate,question,answer,max mark\n1,1,a,4\n1,2,b,\n1,3,c,\n")
    filled, mapping = with_maxima(table, guess_mapping(table), {"1": 9, "2": 2.5})
    assert mapping.max_mark == "max mark given"
    assert filled.column("max mark given") == ["4", "2.5", ""], "what the table says stands"
    assert with_maxima(table, guess_mapping(table), {}) == (table, guess_mapping(table))
    plan = plan_import(filled, mapping)
    said = [RowReport(2, "warning", "Row 2: left out."), RowReport(4, "warning", "Row 4: a date?")]
    report = with_checks(plan, said).report
    assert [(entry.row, entry.level) for entry in report] == [
        (2, "warning"),
        (3, "ok"),
        (4, "warning"),
        (4, "error"),
    ]

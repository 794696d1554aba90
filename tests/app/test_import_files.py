"""Importing other programs' files on the exams page: recognised and told, stored without names, added to an exam."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components.marking import Role
from pages.department.names_key import key_csv
from storage import Store, decisions, exams, import_state, judges, pseudonyms, responses
from tests.app.conftest import OpenPage
from tests.app.test_exams_page import PAGE, headings, labels, press, texts, titles, upload
from tests.form_files import csv_file, xlsx_file
from tests.support import SHARED_DATA, add_exam, add_marker, two_point_question

MOODLE = SHARED_DATA / "moodle"
PHYSICS = SHARED_DATA / "physics_two_raters" / "physics_flat.csv"
WHO = ["Surname", "First name", "Email address", "State", "Started on", "Completed", "Time taken"]
ADA = ["Lovelace", "Ada", "ada@school.example", "Finished", "1 May 2026 9:00 AM", "1 May 2026 9:30 AM", "30 mins"]
BOB = ["Brown", "Bob", "bob@school.example", "Finished", "1 May 2026 9:00 AM", "1 May 2026 9:31 AM", "31 mins"]


def choose(at: AppTest, *files: tuple[str, bytes]) -> AppTest:
    at.file_uploader[0].set_value([(name, content, "text/csv") for name, content in files]).run()
    assert not at.exception
    return at


def box(at: AppTest, label: str) -> Any:
    return next(
        each
        for each in (*at.selectbox, *at.number_input, *at.text_input, *at.checkbox, *at.radio)
        if each.label == label
    )


def moodle_pair() -> list[tuple[str, bytes]]:
    answers = csv_file(
        [*WHO, "Grade/5.00", "Response 1", "Response 2"],
        [*ADA, "Not yet graded", "heat breaks bonds", "-"],
        [*BOB, "Not yet graded", "it dies", "12 cm"],
    )
    marks = csv_file(
        [*WHO, "Grade/5.00", "Q. 1 /2.00", "Q. 2 /3.00"],
        [*BOB, "1.50", "0.50", "1.00"],
        [*ADA, "2.00", "2.00", "-"],
        ["Overall average", *[""] * 6, "1.75", "1.25", "1.00"],
    )
    return [("Quiz-responses.csv", answers), ("Quiz-grades.csv", marks)]


def newest(store: Store) -> exams.Exam:
    with store.read() as db:
        return exams.listed(db)[-1]


def stored(store: Store, exam_id: int) -> dict[tuple[str, str], tuple[str, list[float | None]]]:
    found = {}
    with store.read() as db:
        for question in exams.questions(db, exam_id):
            for response in responses.of_question(db, question.id):
                marks = [decision.mark for decision in decisions.live(db, response.id)]
                found[response.candidate_number, question.question.number] = (response.text, marks)
    return found


def names_kept(store: Store, exam_id: int) -> list[tuple[str, str, str]]:
    with store.read() as db:
        return [(each.number, each.name, each.email) for each in pseudonyms.of_exam(db, exam_id)]


def test_the_two_reports_of_a_moodle_quiz_become_one_exam_without_names(app: OpenPage, store: Store) -> None:
    add_exam(store, [["an answer"]])
    head = add_marker(store, "Dr Li", Role.HEAD)
    at = choose(app(PAGE, head), *moodle_pair())
    said = texts(at)
    assert "Moodle quiz responses and grades" in said
    assert "are of one quiz and were joined by candidate" in said
    assert "“Surname” (surname), “First name” (first name), “Email address” (e-mail)" in said
    assert "2 questions found" in said
    shown = [frame.value for frame in at.dataframe]
    assert any(list(frame.get("Maximum", [])) == [2, 3] for frame in shown)
    assert not any("Lovelace" in frame.to_string() for frame in shown), "the preview is of what is to be stored"
    box(at, "Title of the exam").set_value("Quiz").run()
    press(at, "Import 4 responses")
    exam = newest(store)
    assert stored(store, exam.id) == {
        ("0001", "1"): ("heat breaks bonds", [2]),
        ("0001", "2"): ("", []),
        ("0002", "1"): ("it dies", [0.5]),
        ("0002", "2"): ("12 cm", [1]),
    }
    key = [("0001", "Ada Lovelace", "ada@school.example"), ("0002", "Bob Brown", "bob@school.example")]
    assert names_kept(store, exam.id) == key
    at.session_state[f"key_{exam.id}"] = True
    at.run()
    assert "Who stands behind 2 candidate numbers" in texts(at)
    assert any("Ada Lovelace" in frame.value.to_string() for frame in at.dataframe)
    with store.read() as db:
        downloaded = key_csv([replace(each, name=f"={each.name}") for each in pseudonyms.of_exam(db, exam.id)])
    assert downloaded.decode("utf-8-sig").splitlines() == [
        "candidate,name,e-mail",
        "0001,'=Ada Lovelace,ada@school.example",
        "0002,'=Bob Brown,bob@school.example",
    ]
    press(at, "Drop the key")
    assert "2 names will be deleted for good." in texts(at)
    press(at, "Keep it")
    assert len(names_kept(store, exam.id)) == 2
    press(at, "Drop the key")
    press(at, "Drop it for good")
    assert names_kept(store, exam.id) == []
    assert "The key of “Quiz” is dropped: 2 names deleted." in texts(at)
    assert "Drop the key" not in labels(at)


def test_a_teacher_who_is_no_head_of_department_is_not_shown_the_key(app: OpenPage, store: Store) -> None:
    add_exam(store, [["an answer"]])
    at = press(choose(app(PAGE, add_marker(store)), *moodle_pair()), "Import 4 responses")
    exam = newest(store)
    at.session_state[f"key_{exam.id}"] = True
    at.run()
    assert names_kept(store, exam.id) != []
    assert "Drop the key" not in labels(at)
    assert "Lovelace" not in texts(at)


def forms(*rows: Sequence[object]) -> bytes:
    head = ["ID", "Start time", "Completion time", "Email", "Name", "1. What is osmosis?", "2. Name a cell. (1 mark)"]
    return xlsx_file(head, *rows)


ONE = [1, "2026-05-01 9:00", "2026-05-01 9:20", "ada@school.example", "Ada Lovelace", "water moves", "nerve"]
TWO = [2, "2026-05-01 9:00", "2026-05-01 9:21", "bob@school.example", "Bob Brown", "dunno", ""]
THREE = [3, "2026-05-01 9:00", "2026-05-01 9:22", "eva@school.example", "Eva Crane", "down a gradient", "egg"]


def test_a_microsoft_form_asks_for_the_maximum_it_does_not_say_and_grows_by_the_key(
    app: OpenPage, store: Store
) -> None:
    add_exam(store, [["an answer"]])
    at = choose(app(PAGE, add_marker(store)), ("Osmosis.xlsx", forms(ONE, TWO)))
    assert "Microsoft Forms" in texts(at)
    assert "question 1 has no maximum mark" in " ".join(at.dataframe[-1].value["What was found"])
    box(at, "Maximum of 1").set_value(3.0).run()
    press(at, "Import 4 responses")
    exam = newest(store)
    numbers = [number for number, _, _ in names_kept(store, exam.id)]
    with store.read() as db:
        assert [each.question.max_mark for each in exams.questions(db, exam.id)] == [3, 1]
    # A later download has a third candidate, first in the file: the others keep their numbers.
    choose(at, ("Osmosis later.xlsx", forms(THREE, ONE, TWO)))
    into = box(at, "Import into")
    assert into.index is not None, "what was proposed is shown as chosen"
    assert into.options[into.index] == "A new exam"
    into.set_value(exam.id).run()
    assert not at.exception
    said = texts(at)
    assert "Into “Osmosis”: 2 new responses, 1 new candidate, 0 new or changed marks, 4 rows already there." in said
    press(at, "Add 2 responses")
    assert "Into “Osmosis”: 2 responses." in texts(at)
    found = stored(store, exam.id)
    assert found[numbers[0], "1"] == ("water moves", [])
    assert [name for _, name, _ in names_kept(store, exam.id)] == ["Ada Lovelace", "Bob Brown", "Eva Crane"]
    # And again: nothing to add. Then the undo takes the third out.
    choose(at, ("Osmosis later.xlsx", forms(THREE, ONE, TWO)))
    box(at, "Import into").set_value(exam.id).run()
    assert "Everything in this file is in “Osmosis” already." in texts(at)
    assert not any(label.startswith("Add 2") for label in labels(at))
    press(at, "Undo the import", labels(at).count("Undo the import") - 1)
    assert len(stored(store, exam.id)) == 4
    assert titles(store) == ["Test exam", "Osmosis"]


def test_marks_go_into_an_exam_that_was_set_up_and_changes_are_shown_first(app: OpenPage, store: Store) -> None:
    exam_id, _ = add_exam(store, [["denatured"]], questions=[two_point_question("3(b)(ii)")], title="Set up")
    at = upload(app(PAGE, add_marker(store)), b"candidate,Q3bii\n0001,2\n0002,1\n", "marks.csv")
    box(at, "Import into").set_value(exam_id).run()
    assert "Questions matched by number: 3bii is 3(b)(ii)." in texts(at)
    press(at, "Add 1 response and 2 human marks")
    assert stored(store, exam_id) == {("0001", "3(b)(ii)"): ("denatured", [2]), ("0002", "3(b)(ii)"): ("", [1])}
    upload(at, b"candidate,Q3bii,Q9\n0001,0,5\n0002,1,7\n", "marks 2.csv")
    box(at, "Import into").set_value(exam_id).run()
    (changes,) = (frame.value for frame in at.dataframe if "In the file" in frame.value)
    assert changes[["Candidate", "Now", "In the file"]].to_numpy().tolist() == [["0001", "2", "0"]]
    assert "The exam has no question 9." in texts(at), "whatever it is out of"
    box(at, "Leave out the questions and changed answers that do not fit, and import the rest").check().run()
    press(at, "Add 1 human mark")
    assert stored(store, exam_id)["0001", "3(b)(ii)"] == ("denatured", [2, 0])


def test_a_changed_answer_and_an_unknown_question_can_be_left_out(app: OpenPage, store: Store) -> None:
    exam_id, _ = add_exam(store, [["denatured"]], title="Set up")
    at = upload(
        app(PAGE, add_marker(store)),
        b"candidate,question,answer,max mark\n0001,1,melted,2\n0002,1,heat,2\n0002,9,x,2\n",
        "more.csv",
    )
    box(at, "Import into").set_value(exam_id).run()
    said = texts(at)
    assert "The exam has no question 9. Leave it out, or add it to the exam." in said
    assert "Candidate 0001, question 1: the answer here is “denatured”, in this file “melted”" in said
    assert next(button for button in at.button if button.label.startswith("Add ")).disabled
    box(at, "Leave out the questions and changed answers that do not fit, and import the rest").check().run()
    press(at, "Add 1 response")
    assert stored(store, exam_id) == {("0001", "1"): ("denatured", []), ("0002", "1"): ("heat", [])}


def test_eaten_zeros_are_suspected_and_put_back_when_asked(app: OpenPage, store: Store) -> None:
    add_exam(store, [["an answer"]])
    rows = "".join(f"{number},1,x,2\n" for number in (417, 2033, 1188, 96))
    at = upload(app(PAGE, add_marker(store)), f"candidate,question,answer,max mark\n{rows}".encode())
    assert "a spreadsheet may have eaten their leading zeros" in texts(at)
    box(at, "Put the leading zeros back: pad candidate numbers to 4 digits").check().run()
    press(at, "Import 4 responses")
    assert {number for number, _ in stored(store, newest(store).id)} == {"0417", "2033", "1188", "0096"}


def test_names_can_be_kept_in_the_place_of_numbers_after_a_warning(app: OpenPage, store: Store) -> None:
    add_exam(store, [["an answer"]])
    at = choose(app(PAGE, add_marker(store)), *moodle_pair())
    box(at, "Candidates are known by").set_value("names").run()
    assert "Names or addresses then stand on every page" in texts(at)
    press(at, "Import 4 responses")
    exam = newest(store)
    assert {number for number, _ in stored(store, exam.id)} == {"Ada Lovelace", "Bob Brown"}
    assert names_kept(store, exam.id) == []


def test_files_that_do_not_belong_together_are_imported_one_after_the_other(app: OpenPage, store: Store) -> None:
    add_exam(store, [["an answer"]])
    table = b"candidate,question,answer,max mark\n1,1,x,2\n"
    at = choose(app(PAGE, add_marker(store)), ("one.csv", table), ("two.csv", table.replace(b"x", b"y")))
    assert "imported one after the other" in texts(at)
    assert box(at, "Title of the exam").value == "one"
    box(at, "Import this file now").set_value(1).run()
    assert box(at, "Title of the exam").value == "two"


@pytest.mark.skipif(not MOODLE.exists(), reason="the shared data are not here")
def test_the_real_moodle_files_are_imported_from_the_screen(app: OpenPage, store: Store) -> None:
    add_exam(store, [["an answer"]])
    at = app(PAGE, add_marker(store))
    before = len(titles(store))
    for name in sorted(path.name for path in MOODLE.glob("*.csv")):
        choose(at, (name, (MOODLE / name).read_bytes()))
        if "responses" in name:
            next(each for each in at.number_input if each.label == "Maximum mark").set_value(10.0).run()
        button = next(label for label in labels(at) if label.startswith("Import "))
        press(at, button)
        before += 1
        assert len(titles(store)) == before, f"{name}: {button}: {texts(at)}"


@pytest.mark.skipif(not PHYSICS.exists(), reason="the shared data are not here")
def test_the_real_physics_file_is_imported_from_the_screen(app: OpenPage, store: Store) -> None:
    add_exam(store, [["an answer"]])
    at = choose(app(PAGE, add_marker(store)), ("physics_flat.csv", PHYSICS.read_bytes()))
    assert "0 errors" in texts(at)
    with PHYSICS.open(newline="", encoding="utf-8") as file:
        variants = [column for column in next(csv.reader(file)) if column.startswith("gpt4o")]
    assert ais(at) == variants
    assert len(variants) == 8
    assert [box(at, f"Name of the {which} marker").value[:12] for which in ("first", "second")] == [
        "First marker",
        "Second marke",
    ]
    box(at, "Proposals shown on the marking page").set_value("gpt4o_forced_compare").run()
    press(at, "Import 89 responses")
    assert "physics flat" in headings(at)
    exam = newest(store)
    every = dict.fromkeys([name for name in variants if name[-1] in "e21" and name != "gpt4o_detailed_compare_2"], 89)
    with store.read() as db:
        counted = db.execute(
            "SELECT j.name, count(*) FROM proposals p JOIN judges j ON j.id = p.judge_id GROUP BY j.id"
        ).fetchall()
        assert {row[0]: row[1] for row in counted} == every | {
            "gpt4o_detailed_compare_2": 40,
            "gpt4o_detailed_compare_3": 19,
            "gpt4o_naive_cot_3": 19,
            "gpt4o_detailed_compare_4": 19,
        }
        assert exam.judge_id is not None
        stands = judges.get(db, exam.judge_id)
        assert stands is not None
        assert stands.name == "gpt4o_forced_compare"


def ais(at: AppTest) -> list[str]:
    return list(next(each.value for each in at.multiselect if each.label == "Marks by AIs"))


def test_columns_of_ais_can_be_unticked_and_renamed_and_must_have_names_of_their_own(
    app: OpenPage, store: Store
) -> None:
    add_exam(store, [["an answer"]])
    at = upload(
        app(PAGE, add_marker(store)), b'candidate,question,answer,max mark,gpt,claude,qwen\n1,1,x,3,2,"[1, 1]",7\n'
    )
    assert ais(at) == ["gpt", "claude"], "what is off the scale is no mark"
    box(at, "Name of the AI in “claude”").set_value("GPT").run()
    assert "have the same name" in " ".join(at.dataframe[-1].value["What was found"])
    next(each for each in at.multiselect if each.label == "Marks by AIs").set_value(["claude"]).run()
    box(at, "Name of the AI in “claude”").set_value("Claude, first prompt").run()
    press(at, "Import 1 response")
    with store.read() as db:
        rows = db.execute("SELECT j.name, p.mark FROM proposals p JOIN judges j ON j.id = p.judge_id").fetchall()
    assert [tuple(row) for row in rows] == [("Claude, first prompt", 2)]


def test_the_marks_of_another_tool_are_added_without_answers_and_taken_back(app: OpenPage, store: Store) -> None:
    exam_id, _ = add_exam(store, [["denatured", "heat"]], questions=[two_point_question("1")], title="Set up")
    at = upload(
        app(PAGE, add_marker(store)), b"candidate,question,Tool A,Tool B\n0001,1,2,1\n0002,1,,0;1\n", "tools.csv"
    )
    assert "Marks by AIs (a row a response)" in texts(at)
    assert "Choose the column that holds the answer." in " ".join(at.dataframe[-1].value["What was found"])
    box(at, "Import into").set_value(exam_id).run()
    assert ais(at) == ["Tool A", "Tool B"]
    assert "Into “Set up”: 0 new responses, 0 new candidates, 3 new or changed marks" in texts(at)
    desk = box(at, "Proposals shown on the marking page")
    assert desk.options[-1].startswith("As now")
    press(at, "Add 3 AI marks")
    assert "Into “Set up”: 3 AI marks." in texts(at)
    with store.read() as db:
        assert list(import_state.imported_judges(db, exam_id).values()) == ["Tool A", "Tool B"]
    press(at, "Undo the import", labels(at).count("Undo the import") - 1)
    with store.read() as db:
        assert import_state.imported_judges(db, exam_id) == {}


def test_the_ids_of_a_second_microsoft_form_are_not_taken_for_the_candidates_of_the_first(
    app: OpenPage, store: Store
) -> None:
    """Each form counts its answers from 1: whose answer it is, the key of names knows."""
    at = choose(app(PAGE, add_marker(store)), ("Osmosis.xlsx", forms(ONE, TWO)))
    box(at, "Maximum of 1").set_value(3.0).run()
    press(at, "Import 4 responses")
    exam = newest(store)
    before = stored(store, exam.id)
    stranger = (ONE[0], *THREE[1:])
    choose(at, ("Osmosis, other set.xlsx", forms(stranger)))
    box(at, "Import into").set_value(exam.id).run()
    press(at, "Add 2 responses")
    after = stored(store, exam.id)
    assert len(after) == 6
    assert {place: after[place] for place in before} == before


def test_an_exam_just_made_is_offered_first_and_gets_its_texts_from_the_headings(app: OpenPage, store: Store) -> None:
    add_exam(store, [["an answer"]], title="Older, marked")
    scheme = two_point_question("1", max_mark=3)[1]
    empty = [two_point_question("1", max_mark=3)[0].model_copy(update={"text": ""}), two_point_question("2")[0]]
    with store.write() as db:
        exam_id = exams.add_exam(db, "Just made")
        exams.add_question(db, exam_id, empty[0], scheme)
        exams.add_question(db, exam_id, empty[1], two_point_question("2")[1])
    head = add_marker(store, "Dr Osei", Role.HEAD)
    at = app("pages/department/exam_setup.py", head, exam=str(exam_id))
    assert "Import answers" in labels(at)
    at = choose(app(PAGE, head, **{"import": str(exam_id)}), ("Osmosis.xlsx", forms(ONE, TWO)))
    assert box(at, "Import into").value == exam_id
    assert "has no maximum mark" not in " ".join(at.dataframe[-1].value.get("What was found", []))
    assert "1: What is osmosis?" in texts(at)
    press(at, "Add 4 responses")
    assert "Into “Just made”: 4 responses. The text of 1 question was filled in." in texts(at)
    with store.read() as db:
        assert [each.question.text for each in exams.questions(db, exam_id)] == ["What is osmosis?", "Question 2: why?"]
    at = app("pages/department/exam_setup.py", head, exam=str(exam_id))
    assert "Import answers" not in labels(at), "it has answers"


def test_texts_stay_empty_where_the_teacher_does_not_want_them(app: OpenPage, store: Store) -> None:
    question, scheme = two_point_question("1", max_mark=3)
    with store.write() as db:
        exam_id = exams.add_exam(db, "Just made")
        for number in ("1", "2"):
            exams.add_question(db, exam_id, question.model_copy(update={"text": "", "number": number}), scheme)
    at = choose(app(PAGE, add_marker(store, "Dr Osei", Role.HEAD)), ("Osmosis.xlsx", forms(ONE, TWO)))
    assert box(at, "Import into").value == exam_id, "the newest exam waits for answers"
    next(each for each in at.checkbox if each.label.startswith("Fill in the text of 2 questions")).uncheck().run()
    press(at, "Add 4 responses")
    with store.read() as db:
        assert [each.question.text for each in exams.questions(db, exam_id)] == ["", ""]

"""The exams page in its states: the demo, no exam, proposals under way, blind marking, and importing a table."""

from __future__ import annotations

import io
from pathlib import Path

import openpyxl
import pytest
from streamlit.testing.v1 import AppTest

from components.marking import Outcome, Role, Stage
from components.workflow import demo, paper_demo
from components.workflow.marks_out.evidence import write_pack
from components.workflow.marks_out.restore import restore
from storage import Store, decisions, exams, jobs, judges, markers, responses, runs
from tests.app.conftest import OpenPage
from tests.support import add_exam, add_marker, new_store

PAGE = "pages/department/exams.py"
SMALL = b"""candidate,question,answer,max mark,mark 1,mark 2,AI mark
0417,1,because it is denatured,4,3,2,4
0418,1,,4,0,,0
"""
WRONG = b"""candidate,question,answer,max mark,mark 1
0417,1,because it is denatured,4,3
0418,1,nothing,4,9
0419,1,nothing,4,![x](https://example.org/x.png)
"""


def upload(at: AppTest, content: bytes, name: str = "year_11.csv") -> AppTest:
    at.file_uploader[0].set_value((name, content, "text/csv")).run()
    assert not at.exception
    return at


def labels(at: AppTest) -> list[str]:
    return [button.label for button in at.button]


def press(at: AppTest, label: str, nth: int = 0) -> AppTest:
    [button for button in at.button if button.label == label][nth].click().run()
    assert not at.exception
    return at


def headings(at: AppTest) -> list[str]:
    return [heading.value.replace("\\", "") for heading in [*at.title, *at.header, *at.subheader]]


def texts(at: AppTest) -> str:
    """Everything said in words on the page, without the backslashes that keep it from being Markdown."""
    said = [*at.markdown, *at.caption, *at.info, *at.success, *at.warning, *at.error]
    bars = [bar.proto.text for bar in at.get("progress")]
    return "\n".join([*(element.value for element in said), *bars]).replace("\\", "")


def titles(store: Store) -> list[str]:
    with store.read() as db:
        return [exam.title for exam in exams.listed(db)]


def demo_exam(store: Store, title: str = demo.content()[0]["title"]) -> exams.ExamSummary:
    with store.read() as db:
        (summary,) = [each for each in exams.summaries(db) if each.exam.demo and each.exam.title == title]
    return summary


@pytest.mark.parametrize("role", list(Role))
def test_every_role_sees_the_demo_exam_with_what_it_is(app: OpenPage, store: Store, role: Role) -> None:
    at = app(PAGE, add_marker(store, "Ms Khan", role))
    assert not at.exception
    summary = demo_exam(store)
    assert headings(at)[0] == "Exams"
    assert summary.exam.title in headings(at)
    assert f"{summary.questions} questions" in texts(at)
    assert f"{summary.candidates} candidates" in texts(at)
    assert summary.exam.notice in texts(at)
    assert f"0 of {summary.responses} responses marked here" in texts(at)
    assert labels(at).count("Reset the demo exam") == 2
    paper = demo_exam(store, paper_demo.content()[0]["title"])
    titles_shown = [heading for heading in headings(at) if heading in (summary.exam.title, paper.exam.title)]
    assert titles_shown == [summary.exam.title, paper.exam.title]
    assert "handwriting is synthetic" in texts(at)


def test_where_there_is_no_exam_the_demo_can_be_restored(app: OpenPage, store: Store) -> None:
    marker = add_marker(store)
    exam_id, _ = add_exam(store, [["an answer"]])
    with store.write() as db:
        exams.archive(db, exam_id, marker.id, "test")
    at = app(PAGE, marker)
    assert "There is no exam yet" in texts(at)
    press(at, "Restore the demo exam")
    assert "There is no exam yet" not in texts(at)
    assert demo_exam(store).exam.title in headings(at)


def test_a_pack_is_restored_in_the_place_of_the_untouched_demo(
    app: OpenPage, store: Store, tmp_path_factory: pytest.TempPathFactory
) -> None:
    there = new_store(tmp_path_factory.mktemp("there"))
    exam_id, _ = add_exam(there, [["it is denatured"]], title="Mock")
    pack = tmp_path_factory.mktemp("pack") / "pack.zip"
    with pack.open("wb") as file:
        write_pack(there, exam_id, file)
    demo.install_if_fresh(store)
    with store.write() as db:
        db.execute("UPDATE jobs SET status = 'done'")
        head = next(each for each in markers.profiles(db) if each.role is Role.HEAD)
    at = app(PAGE, head)
    assert "Only the demo is here, and nobody has worked on it" in texts(at)
    box = next(each for each in at.get("file_uploader") if each.proto.label == "Evidence pack (ZIP)")
    box.set_value(("pack.zip", pack.read_bytes(), "application/zip")).run()
    press(at, "Restore it")
    assert "“Mock” is back, with 1 response and 0 decisions." in texts(at)
    assert titles(store) == ["Mock"]
    assert "Restore it" not in labels(at)
    with store.read() as db:
        known = markers.get(db, at.session_state["marker_id"])
    assert known is not None
    assert known.name == head.name


def test_a_session_whose_profile_became_somebody_elses_by_a_restored_pack_chooses_again(
    app: OpenPage, store: Store, tmp_path_factory: pytest.TempPathFactory
) -> None:
    there = new_store(tmp_path_factory.mktemp("there"))
    stranger = add_marker(there, "Ms Khan", Role.HEAD)
    exam_id, [[response]] = add_exam(there, [["it is denatured"]], title="Mock")
    with there.write() as db:
        decisions.record(db, response, stranger.id, Outcome.MARK, Stage.BLIND, mark=2)
    file = io.BytesIO()
    write_pack(there, exam_id, file)
    demo.install_if_fresh(store)
    with store.write() as db:
        db.execute("UPDATE jobs SET status = 'done'")
        here = next(each for each in markers.profiles(db) if each.id == stranger.id)
    at = app(PAGE, here)
    file.seek(0)
    restore(store, file, None, for_demo=True)
    with store.read() as db:
        assert [each.name for each in markers.profiles(db) if each.id == here.id] == ["Ms Khan"]
    at.run()
    assert "marker_id" not in at.session_state
    assert "Who is marking?" in headings(at)


def test_resetting_the_demo_restores_it_and_archives_its_marks(app: OpenPage, store: Store) -> None:
    marker = add_marker(store)
    at = app(PAGE, marker)
    before = demo_exam(store).exam
    with store.write() as db:
        first = responses.of_question(db, exams.questions(db, before.id)[0].id)[0]
        decisions.record(db, first.id, marker.id, Outcome.MARK, Stage.AI_FIRST, mark=0)
    at.run()
    assert "1 of 600 responses marked here" in texts(at)
    press(at, "Reset the demo exam")
    after = demo_exam(store)
    assert after.exam.id != before.id
    assert after.marked == 0
    assert "0 of 600 responses marked here" in texts(at)
    assert "The demo exam is as it was at first" in texts(at)
    with store.read() as db:
        assert [decision.mark for decision in decisions.live(db, first.id) if decision.marker_id == marker.id] == [0]
    at.run()
    assert "The demo exam is as it was at first" not in texts(at), "said once"


def test_resetting_the_paper_demo_leaves_the_typed_one_and_its_marks(app: OpenPage, store: Store) -> None:
    marker = add_marker(store)
    at = app(PAGE, marker)
    typed, paper = demo_exam(store), demo_exam(store, paper_demo.content()[0]["title"])
    with store.write() as db:
        first = responses.of_question(db, exams.questions(db, typed.exam.id)[0].id)[0]
        decisions.record(db, first.id, marker.id, Outcome.MARK, Stage.AI_FIRST, mark=0)
    at.run()
    press(at, "Reset the demo exam", 1)
    assert demo_exam(store).exam.id == typed.exam.id
    assert "1 of 600 responses marked here" in texts(at)
    assert demo_exam(store, paper.exam.title).exam.id != paper.exam.id


def test_the_blind_switch_changes_the_exam_and_shows_what_another_session_chose(app: OpenPage, store: Store) -> None:
    marker = add_marker(store)
    exam_id, _ = add_exam(store, [["an answer"]])
    at = app(PAGE, marker)
    assert at.toggle(key=f"blind_{exam_id}").value is False
    at.toggle(key=f"blind_{exam_id}").set_value(True).run()
    assert is_blind(store, exam_id)
    assert at.toggle(key=f"blind_{exam_id}").value is True
    with store.write() as db:
        exams.set_blind(db, exam_id, False, None)
    at.run()
    assert at.toggle(key=f"blind_{exam_id}").value is False
    assert not is_blind(store, exam_id)


def is_blind(store: Store, exam_id: int) -> bool:
    with store.read() as db:
        exam = exams.get(db, exam_id)
    assert exam is not None
    return exam.blind


def test_a_head_of_department_changes_the_share_that_is_marked_blind(app: OpenPage, store: Store) -> None:
    exam_id, _ = add_exam(store, [["an answer"]], blind_share=0.1)
    at = app(PAGE, add_marker(store, "Dr Li", Role.HEAD))
    now = "10% of each question's responses, at least 30 on essays, are marked before the AI's mark is shown."
    assert now in texts(at)
    share = at.number_input(key=f"blind_share_{exam_id}")
    assert (share.value, share.disabled) == (10, False)
    assert "Agreement counts only marks given before the AI's was seen" in share.help
    share.set_value(25).run()
    assert not at.exception
    with store.read() as db:
        exam = exams.get(db, exam_id)
    assert exam is not None
    assert exam.blind_share == 0.25
    assert now.replace("10%", "25%") in texts(at)
    at.number_input(key=f"blind_share_{exam_id}").set_value(0).run()
    assert "No blind sample: the AI's mark comes first." in texts(at)


def test_a_teacher_reads_the_share_that_is_marked_blind_and_cannot_change_it(app: OpenPage, store: Store) -> None:
    add_exam(store, [["an answer"]], blind_share=0.075)
    at = app(PAGE, add_marker(store))
    assert "7.5% of each question's responses" in texts(at)
    assert not at.number_input


def test_the_blind_sample_waits_while_everything_is_marked_blind(app: OpenPage, store: Store) -> None:
    exam_id, _ = add_exam(store, [["an answer"]], blind_share=0.1)
    at = app(PAGE, add_marker(store, "Dr Li", Role.HEAD))
    at.toggle(key=f"blind_{exam_id}").set_value(True).run()
    assert not at.exception
    assert at.number_input(key=f"blind_share_{exam_id}").disabled
    assert "Every response is marked before the AI's mark is shown. The blind sample waits until that is off." in texts(
        at
    )


def test_questions_and_schemes_are_read_only_when_opened(app: OpenPage, store: Store) -> None:
    exam_id, _ = add_exam(store, [["an answer"]])
    at = app(PAGE, add_marker(store))
    assert "the enzyme is denatured" not in texts(at)
    at.session_state[f"questions_{exam_id}"] = True
    at.run()
    assert not at.exception
    assert "Question 1: why?" in texts(at)
    assert "the enzyme is denatured" in texts(at)


def test_a_note_to_the_judge_is_a_new_version_of_the_scheme(app: OpenPage, store: Store) -> None:
    exam_id, _ = add_exam(store, [["an answer"]])
    with store.read() as db:
        (before,) = exams.questions(db, exam_id)
    at = app(PAGE, add_marker(store))
    at.session_state[f"questions_{exam_id}"] = True
    at.run()
    key = f"note_{before.id}_1"
    at.text_area(key=key).set_value("Accept 'wrecked' for denatured.")
    at.button(key=f"save_{key}").click().run()
    assert not at.exception
    with store.read() as db:
        (after,) = exams.questions(db, exam_id)
    assert (after.scheme_version, after.scheme.note) == (2, "Accept 'wrecked' for denatured.")
    assert after.scheme.points == before.scheme.points
    assert "Accept 'wrecked' for denatured." in texts(at)


def job_of(store: Store, exam_id: int, status: str, message: str = "") -> int:
    """A propose job that another worker has taken, 120 of 600 done, and perhaps ended."""
    with store.write() as db:
        job_id = jobs.add(db, "propose", {"exam_id": exam_id})
        assert jobs.claim(db, "worker") is not None
        jobs.beat(db, job_id, "worker", 120, 600, "Question 3(b)")
        if status != "running":
            jobs.finish(db, job_id, "worker", status, message)
    return job_id


def test_running_proposals_show_how_far_they_are_and_can_be_cancelled(app: OpenPage, store: Store) -> None:
    exam_id, _ = add_exam(store, [["an answer"]])
    job_id = job_of(store, exam_id, "running")
    at = app(PAGE, add_marker(store))
    assert "Proposals: 120 of 600, Question 3(b)" in texts(at)
    press(at, "Cancel")
    with store.read() as db:
        job = jobs.get(db, job_id)
    assert job is not None
    assert job.status == "cancelled"
    at.run()
    assert "Making proposals was cancelled" in texts(at)
    assert "Cancel" not in labels(at)
    assert "Go on with the proposals" in labels(at)


def test_a_failed_proposal_job_says_why_and_can_be_tried_again(app: OpenPage, store: Store) -> None:
    exam_id, _ = add_exam(store, [["an answer"]])
    failed = job_of(store, exam_id, "failed", "The key was refused. Enter another on the Judges page.")
    at = app(PAGE, add_marker(store))
    assert "The key was refused. Enter another on the Judges page." in texts(at)
    press(at, "Try again")
    with store.read() as db:
        newest = jobs.latest_of_exam(db, "propose", exam_id)
    assert newest is not None
    assert newest.id == failed
    assert newest.status != "failed"
    assert "The key was refused" not in texts(at)


def test_paused_proposals_are_said_to_be_paused_and_go_on(app: OpenPage, store: Store) -> None:
    exam_id, _ = add_exam(store, [["an answer"]])
    job_id = job_of(store, exam_id, "running")
    with store.write() as db:
        jobs.pause(db, job_id)
    at = app(PAGE, add_marker(store))
    assert "Proposals: paused at 120 of 600" in texts(at)
    press(at, "Go on")
    with store.read() as db:
        assert not runs.paused(db, job_id)


def test_a_table_is_imported_and_its_import_undone(app: OpenPage, store: Store) -> None:
    add_exam(store, [["an answer"]])
    at = upload(app(PAGE, add_marker(store)), SMALL)
    assert "0 errors, 0 warnings, 2 rows with nothing wrong." in texts(at)
    assert next(box.value for box in at.selectbox if box.label == "Candidate number") == "candidate"
    assert next(box.value for box in at.multiselect if box.label == "Marks by AIs") == ["AI mark"]
    assert next(box.value for box in at.text_input if "AI in “AI mark”" in box.label) == (
        "Imported AI mark (year_11.csv)"
    )
    title = next(box for box in at.text_input if box.label == "Title of the exam")
    assert title.value == "year 11"
    title.set_value("Year 11 *mock*").run()
    press(at, "Import 2 responses")
    assert titles(store) == ["Test exam", "Year 11 *mock*"]
    assert "“Year 11 *mock*”: 2 responses of 2 candidates to 1 question, with 3 human marks and 2 AI marks." in texts(
        at
    )
    assert "Imported from year_11.csv" in texts(at)
    assert "Imported AI mark (year_11.csv)" in texts(at)
    assert "Import 2 responses" not in labels(at), "the form is empty again"
    with store.read() as db:
        imported = exams.listed(db)[1]
        (question,) = exams.questions(db, imported.id)
        first, second = responses.of_question(db, question.id)
        assert [(d.marker_name, d.mark) for d in decisions.live(db, first.id)] == [
            ("First marker of year_11", 3),
            ("Second marker of year_11", 2),
        ]
        assert [d.mark for d in decisions.live(db, second.id)] == [0]
    press(at, "Undo the import")
    assert titles(store) == ["Test exam"]
    assert "The import of “Year 11 *mock*” is undone." in texts(at)
    assert "2 responses of 2 candidates" not in texts(at)


def test_mark_opens_the_marking_page_on_that_exam(app: OpenPage, store: Store) -> None:
    first, _ = add_exam(store, [["an answer"]], title="First")
    add_exam(store, [["an answer"]], title="Second")
    at = app(PAGE, add_marker(store))
    at.button(key=f"Mark_{first}").click().run()
    assert not at.exception
    assert "Exams" not in headings(at)
    assert at.selectbox(key="exam_id").value == first


def test_a_table_with_errors_is_not_imported_and_says_which_rows(app: OpenPage, store: Store) -> None:
    add_exam(store, [["an answer"]])
    at = upload(app(PAGE, add_marker(store)), WRONG)
    assert "2 errors, 0 warnings, 1 row with nothing wrong." in texts(at)
    assert "2 errors in the report above" in texts(at)
    assert next(button for button in at.button if button.label == "Import 3 responses").disabled
    report = at.dataframe[-1].value
    assert list(report["Row"]) == [3, 4]
    assert "9 is outside 0 to 4" in report["What was found"][0]
    # Without the column that is wrong the table can be imported: nothing else typed is lost.
    next(box for box in at.text_input if box.label == "Title of the exam").set_value("Kept title").run()
    next(box for box in at.selectbox if box.label == "Mark by the first marker").set_value("").run()
    assert "0 errors" in texts(at)
    press(at, "Import 3 responses")
    assert titles(store) == ["Test exam", "Kept title"]


def test_a_default_stands_in_for_a_missing_column(app: OpenPage, store: Store) -> None:
    add_exam(store, [["an answer"]])
    at = upload(app(PAGE, add_marker(store)), b"candidate,answer,mark\n1,yes,2\n2,no,0\n")
    assert "Choose the column that holds the question number" in " ".join(at.dataframe[-1].value["What was found"])
    next(box for box in at.number_input if box.label == "Maximum mark").set_value(2.0).run()
    next(box for box in at.text_input if box.label == "Question number").set_value("5(b)").run()
    press(at, "Import 2 responses")
    with store.read() as db:
        (question,) = exams.questions(db, exams.listed(db)[1].id)
    assert (question.question.number, question.question.max_mark) == ("5(b)", 2)


def test_groups_of_candidates_are_recognised_chosen_and_left_out(app: OpenPage, store: Store) -> None:
    add_exam(store, [["an answer"]])
    content = (
        b"candidate,name,Class,Tier,House,question,answer,max mark\n"
        b"0417,A. Person,11A,Higher,*Red*,1,x,2\n0418,B. Person,11B,Higher,Blue,1,y,2\n"
    )
    at = upload(app(PAGE, add_marker(store)), content)
    (chosen,) = (box for box in at.multiselect if box.label == "Groups of candidates")
    assert chosen.value == ["Class", "Tier"]
    assert "name" not in chosen.options
    assert "Kept for each candidate: class, tier." in texts(at)
    chosen.set_value(["Class", "House"]).run()
    press(at, "Import 2 responses")
    with store.read() as db:
        found = responses.group_values(db, exams.listed(db)[1].id)
    assert found == {"class": ("11A", "11B"), "house": ("*Red*", "Blue")}


def test_a_file_that_is_no_table_is_refused_in_words(app: OpenPage, store: Store) -> None:
    add_exam(store, [["an answer"]])
    at = upload(app(PAGE, add_marker(store)), b"%PDF-1.7 ...", "scan.csv")
    assert "“scan.csv” is a PDF, not a table" in texts(at)
    assert not any(label.startswith("Import ") for label in labels(at))


def test_nothing_in_a_file_is_taken_for_markdown(app: OpenPage, store: Store) -> None:
    add_exam(store, [["an answer"]])
    at = upload(app(PAGE, add_marker(store)), b"%PDF-1.7 ...", "![x](https://example.org/x.png).csv")
    assert "![x](" not in at.error[0].value
    assert r"\!\[x\]" in at.error[0].value


def test_the_same_file_again_is_refused_before_the_button(app: OpenPage, store: Store) -> None:
    add_exam(store, [["an answer"]])
    at = press(upload(app(PAGE, add_marker(store)), SMALL), "Import 2 responses")
    upload(at, SMALL, "renamed.csv")
    assert "“renamed.csv” is imported already, as the exam “year 11”." in texts(at)
    assert next(button for button in at.button if button.label == "Import 2 responses").disabled


def test_a_name_that_is_somebodys_profile_is_refused_and_nothing_is_lost(app: OpenPage, store: Store) -> None:
    add_exam(store, [["an answer"]])
    at = upload(app(PAGE, add_marker(store, "Ms Khan")), SMALL)
    name = next(box for box in at.text_input if box.label == "Name of the first marker")
    name.set_value("ms khan").run()
    press(at, "Import 2 responses")
    assert "ms khan is a profile here" in texts(at)
    assert titles(store) == ["Test exam"]
    next(box for box in at.text_input if box.label == "Name of the first marker").set_value("Rater K").run()
    press(at, "Import 2 responses")
    assert len(titles(store)) == 2


def test_the_offline_judge_can_stand_on_the_desk_beside_imported_ai_marks(app: OpenPage, store: Store) -> None:
    add_exam(store, [["an answer"]])
    at = upload(app(PAGE, add_marker(store)), SMALL)
    at.button_group[-1].set_value("offline").run()
    press(at, "Import 2 responses")
    with store.read() as db:
        exam = exams.listed(db)[1]
        assert exam.judge_id is not None
        judge = judges.get(db, exam.judge_id)
        assert judge is not None
        assert judge.kind == judges.OFFLINE
        assert jobs.latest_of_exam(db, "propose", exam.id) is not None


def test_a_sheet_of_a_workbook_can_be_chosen(app: OpenPage, store: Store, tmp_path: Path) -> None:
    add_exam(store, [["an answer"]])
    book = openpyxl.Workbook()
    for sheet, rows in ((book.active, 1), (book.create_sheet("Paper 2"), 3)):
        sheet.append(["candidate", "question", "answer", "max mark"])
        for number in range(rows):
            sheet.append([str(number + 1), "1", "an answer", 2])
    buffer = io.BytesIO()
    book.save(buffer)
    at = upload(app(PAGE, add_marker(store)), buffer.getvalue(), "papers.xlsx")
    assert "Import 1 response" in labels(at)
    next(box for box in at.selectbox if box.label == "Sheet").set_value("Paper 2").run()
    press(at, "Import 3 responses")
    assert "Imported from papers.xlsx, sheet Paper 2" in texts(at)


def test_long_reports_are_cut_on_screen_and_say_so(app: OpenPage, store: Store) -> None:
    add_exam(store, [["an answer"]])
    rows = "".join(f"{n},1,an answer,4,9\n" for n in range(700))
    at = upload(app(PAGE, add_marker(store)), f"candidate,question,answer,max mark,mark\n{rows}".encode())
    assert "700 errors" in texts(at)
    assert len(at.dataframe[-1].value) == 500
    assert "The first 500 of 700. The download has all of them." in texts(at)


def test_where_there_are_many_exams_importing_is_one_press_from_the_top(app: OpenPage, store: Store) -> None:
    head = add_marker(store, "Dr Li", Role.HEAD)
    for title in ("One", "Two"):
        add_exam(store, [["x"]], title=title)
    assert "From files" not in labels(app(PAGE, head)), "it stands below the two of them"
    add_exam(store, [["x"]], title="Three")
    at = press(app(PAGE, head), "From files")
    assert headings(at) == ["Exams", "Import answers and marks"]
    press(at, "All exams")
    assert "Three" in headings(at)


def test_a_table_is_asked_about_under_each_heading_once(app: OpenPage, store: Store) -> None:
    add_exam(store, [["x"]])
    shown = headings(upload(app(PAGE, add_marker(store, "Dr Li", Role.HEAD)), SMALL))
    assert "Which column holds what" in shown
    assert len(shown) == len(set(shown))

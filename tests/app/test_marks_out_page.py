"""The page from which marks leave: totals, rules, files, feedback and evidence, by who is looking."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components.marking import Marker, Outcome, Role, Stage
from components.workflow.connections import Connections
from components.workflow.marks_out.files import Kind, latest
from components.workflow.marks_out.sections import Missing, Section, TotalRules, settings_of
from components.workflow.worker import Worker
from storage import Store, decisions, events, exams, mark_book, pseudonyms, rulings
from storage.pseudonyms import Known
from tests.app.conftest import OpenPage
from tests.support import add_exam, add_marker

PAGE = "pages/department/marks_out.py"


@pytest.fixture
def teacher(store: Store) -> Marker:
    return add_marker(store)


@pytest.fixture
def head(store: Store) -> Marker:
    return add_marker(store, "Dr Osei", Role.HEAD)


def marked(store: Store, teacher: Marker, *, but: tuple[tuple[int, int], ...] = ()) -> tuple[int, list[list[int]]]:
    """Two questions of 2 marks and three candidates, who got 1 and 2, but for those left unmarked."""
    exam_id, ids = add_exam(store, [["a", "b", "c"], ["d", "e", "f"]], title="Mock: *paper 1*")
    with store.write() as db:
        for question, row in enumerate(ids):
            for candidate, response_id in enumerate(row):
                if (question, candidate) not in but:
                    decisions.record(db, response_id, teacher.id, Outcome.MARK, Stage.BLIND, mark=question + 1)
    return exam_id, ids


def set_settings(store: Store, exam_id: int, settings: dict[str, Any]) -> None:
    with store.write() as db:
        db.execute("UPDATE exams SET settings = ? WHERE id = ?", (json.dumps(settings), exam_id))


def words(at: AppTest) -> str:
    """All the text of the page."""
    kinds = ("caption", "markdown", "info", "warning", "error", "success", "header", "title")
    return "\n".join(str(each.value) for kind in kinds for each in at.get(kind)).replace("\\", "")


def labels(at: AppTest, kind: str = "download_button") -> list[str]:
    return [each.proto.label for each in at.get(kind)]


def test_a_complete_exam_shows_every_total_and_every_file(
    app: OpenPage, store: Store, teacher: Marker, head: Marker
) -> None:
    exam_id, _ = marked(store, teacher)
    at = app(PAGE, head, exam=str(exam_id))
    assert not at.exception
    assert "3 of 3 scripts complete." in words(at)
    table = at.dataframe[0].value
    assert table["Total"].tolist() == [3, 3, 3]
    assert table["%"].tolist() == [75.0, 75.0, 75.0]
    assert "Grade" not in table
    assert labels(at) == [
        "Mark book (Excel)",
        "Mark book (CSV)",
        "All decisions (CSV)",
        "All proposals (CSV)",
        "Moodle (CSV)",
    ]
    assert [each.label for each in at.button if each.label.startswith("Make")] == [
        "Make: All feedback (ZIP)",
        "Make: Evidence pack (ZIP)",
    ]
    assert "Every question counts." in words(at)
    with store.read() as db:  # nothing was taken away by looking
        assert not any(event.about == "marks out" for event in events.latest(db))


def test_what_is_missing_is_said_with_the_way_to_it(app: OpenPage, store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, ids = marked(store, teacher, but=((0, 1), (1, 1)))
    set_settings(store, exam_id, {"boundaries": [["A", 3]]})
    at = app(PAGE, head, exam=str(exam_id))
    assert "2 of 3 scripts complete; 0002 lacks 1, 2." in words(at)
    table = at.dataframe[0].value
    assert table["Missing"].tolist() == ["", "not marked: 1, 2", ""]
    assert table["Grade"].tolist() == ["A", "", "A"]
    link = at.get("page_link")[0].proto
    assert link.label.replace("\\", "") == "Mark 0002: 1, 2"
    assert link.query_string == f"exam={exam_id}&response={ids[0][1]}"
    assert "Left out, as their scripts are incomplete: 0002 (1 candidate)." in words(at)
    at.segmented_control(key=f"marks_out_show_{exam_id}").set_value("Incomplete").run()
    assert at.dataframe[0].value["Candidate"].tolist() == ["0002"]


def test_a_head_changes_what_a_missing_answer_means(app: OpenPage, store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, _ = marked(store, teacher)
    with store.write() as db:
        third = exams.question(db, exams.questions(db, exam_id)[0].id).question.model_copy(update={"number": "3"})
        exams.add_question(db, exam_id, third, exams.questions(db, exam_id)[0].scheme)
    at = app(PAGE, head, exam=str(exam_id))
    assert "0 of 3 scripts complete; 0001 lacks 3; 0002 lacks 3; 0003 lacks 3." in words(at)
    at.segmented_control(key=f"marks_out_missing_{exam_id}_incomplete").set_value(Missing.ZERO).run()
    assert "3 of 3 scripts complete." in words(at)
    with store.read() as db:
        assert mark_book.rules(db, exam_id).missing == "zero"
    lead = add_marker(store, "Mr Lead", Role.PILOT)
    at = app(PAGE, lead, exam=str(exam_id))
    assert at.segmented_control(key=f"marks_out_missing_{exam_id}_zero").disabled


def test_rules_are_said_in_words(app: OpenPage, store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, _ = marked(store, teacher)
    rules = settings_of(TotalRules((Section("Section B", ("1", "2"), 1),)))
    set_settings(store, exam_id, rules | {"boundaries": [["A", 2], ["B", 1.5]], "what_stands": "mean"})
    said = words(app(PAGE, head, exam=str(exam_id)))
    assert "Section B: the best 1 of questions 1, 2 count." in said
    assert "Grades: A from 2, B from 1.5; ungraded below." in said
    assert "The mean of the teacher's and the adjudicator's mark stands" in said


def test_rules_that_do_not_fit_leave_the_evidence_pack_and_the_way_to_mend_them(
    app: OpenPage, store: Store, teacher: Marker, head: Marker
) -> None:
    exam_id, _ = marked(store, teacher)
    set_settings(store, exam_id, {"sections": [{"title": "B", "questions": ["9"]}]})
    at = app(PAGE, head, exam=str(exam_id))
    assert "B has question 9, which the exam does not have." in words(at)
    assert [each.label for each in at.button if each.key and each.key.startswith("marks_out")] == [
        "Go to the exam's sections",
        "Make: Evidence pack (ZIP)",
    ]


def test_identifiers_are_pasted_and_those_without_one_are_named(
    app: OpenPage, store: Store, teacher: Marker, head: Marker
) -> None:
    exam_id, _ = marked(store, teacher)
    at = app(PAGE, head, exam=str(exam_id))
    at.segmented_control(key=f"marks_out_by_{exam_id}").set_value("A list of mine").run()
    assert "No script can go into the file yet." in words(at)
    at.text_area(key=f"marks_out_list_{exam_id}_box").set_value("1,a.jones\n0003,b.khan\n0999,nobody").run()
    said = words(at)
    assert "2 candidates found in the list." in said
    assert "Not in this exam, and passed over: 0999." in said
    assert "Left out, as no identifier of their own is given for them: 0002 (1 candidate)." in said
    at.text_area(key=f"marks_out_list_{exam_id}_box").set_value("0001,a\n0002,a").run()
    assert "Row 2: a is the identifier of 0001 and of 0002." in words(at)


def test_the_key_of_names_is_offered_to_a_head_alone(
    app: OpenPage, store: Store, teacher: Marker, head: Marker
) -> None:
    exam_id, _ = marked(store, teacher)
    with store.write() as db:
        pseudonyms.add(db, exam_id, [Known(f"000{i}", f"Pupil {i}", f"p{i}@school.example") for i in (1, 2, 3)])
    at = app(PAGE, head, exam=str(exam_id))
    at.segmented_control(key=f"marks_out_by_{exam_id}").set_value("The key of names").run()
    assert at.selectbox(key=f"marks_out_key_{exam_id}").options == ["E-mail", "Name"]
    assert "Moodle (CSV)" in labels(at)
    lead = add_marker(store, "Mr Lead", Role.PILOT)
    at = app(PAGE, lead, exam=str(exam_id))
    assert at.segmented_control(key=f"marks_out_by_{exam_id}").options == ["Their candidate numbers", "A list of mine"]


@pytest.mark.parametrize("system", ["Canvas", "SIMS, Arbor and others"])
def test_each_system_has_its_file_and_how_to_import_it(
    app: OpenPage, store: Store, teacher: Marker, head: Marker, system: str
) -> None:
    exam_id, _ = marked(store, teacher)
    at = app(PAGE, head, exam=str(exam_id))
    at.segmented_control(key=f"marks_out_system_{exam_id}").set_value(system).run()
    assert {"Canvas": "Canvas (CSV)", "SIMS, Arbor and others": "School records (CSV)"}[system] in labels(at)
    assert {"Canvas": "in Grades, Import,", "SIMS, Arbor and others": "marksheet import"}[system] in words(at)


def test_feedback_is_previewed_and_the_marks_in_it_are_then_known(
    app: OpenPage, store: Store, teacher: Marker, head: Marker
) -> None:
    exam_id, ids = marked(store, teacher)
    at = app(PAGE, head, exam=str(exam_id))
    assert not at.get("iframe")
    at.selectbox(key=f"marks_out_preview_{exam_id}").set_value("0002").run()
    assert not at.exception
    [frame] = at.get("iframe")
    assert frame.proto.src.startswith("data:text/html;charset=utf-8;base64,")
    assert "This one (HTML)" in labels(at)
    with store.read() as db:
        assert rulings.has_been_shown(db, ids[0][1], head.id)
        assert not rulings.has_been_shown(db, ids[0][0], head.id)


@pytest.mark.usefixtures("without_a_worker")
def test_feedback_as_a_zip_is_ordered_watched_cancelled_and_offered_when_it_is_done(
    app: OpenPage, store: Store, teacher: Marker, head: Marker
) -> None:
    exam_id, _ = marked(store, teacher)
    at = app(PAGE, head, exam=str(exam_id))
    at.button(key=f"marks_out_make_feedback files_{exam_id}").click().run()
    assert not at.exception
    job = latest(store, exam_id, Kind.FEEDBACK)
    assert job is not None
    at.button(key=f"marks_out_cancel_{job.id}").click().run()
    assert "Make: All feedback (ZIP)" in [each.label for each in at.button]
    at.button(key=f"marks_out_make_feedback files_{exam_id}").click().run()
    assert Worker(store, Connections.from_environment(store)).do_one()
    at.run()
    assert "All feedback (ZIP)" in labels(at)
    assert "Feedback for 3 candidates. " in words(at)
    assert " kB, as the marks were at " in words(at)


def test_a_pilot_lead_gets_no_evidence_pack_and_a_teacher_not_the_page(
    app: OpenPage, store: Store, teacher: Marker
) -> None:
    exam_id, _ = marked(store, teacher)
    at = app(PAGE, add_marker(store, "Mr Lead", Role.PILOT), exam=str(exam_id))
    assert "It names every marker, so that it is for a head of department." in words(at)
    assert "Make: Evidence pack (ZIP)" not in [each.label for each in at.button]
    assert "Markers have numbers in place of names." in words(at)
    at = app(PAGE, teacher, exam=str(exam_id))
    assert "This page is for a head of department or a pilot lead." in words(at)
    assert not at.get("download_button")


def test_the_address_names_the_exam_and_a_wrong_one_opens_the_newest(
    app: OpenPage, store: Store, teacher: Marker, head: Marker
) -> None:
    first, _ = marked(store, teacher)
    second, _ = add_exam(store, [["x"]], title="Second")
    at = app(PAGE, head, exam=str(first))
    assert at.selectbox(key="marks_out_exam").value == first
    at.selectbox(key="marks_out_exam").set_value(second).run()
    assert at.query_params["exam"] == str(second)
    at = app(PAGE, head, exam="9" * 30)
    assert at.selectbox(key="marks_out_exam").value == second
    assert "0 of 1 script complete; 0001 lacks 1." in words(at)


def test_without_an_exam_a_head_may_restore_a_pack(app: OpenPage, store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, _ = marked(store, teacher)
    with store.write() as db:
        exams.archive(db, exam_id, head.id, "put away")
    at = app(PAGE, head)
    assert "There is no exam yet." in words(at)
    assert [each.proto.label for each in at.get("file_uploader")] == ["Evidence pack (ZIP)"]
    assert "marks_out.restore evidence.zip" in at.code[0].value
    at.get("file_uploader")[0].set_value(("pack.zip", b"no zip", "application/zip")).run()
    at.button[[each.label for each in at.button].index("Restore it")].click().run()
    assert "it cannot be read as a ZIP" in words(at)


def test_an_exam_without_candidates_says_how_answers_come_in(
    app: OpenPage, store: Store, teacher: Marker, head: Marker
) -> None:
    with store.write() as db:
        exam_id = exams.add_exam(db, "Empty", blind_share=0)
    at = app(PAGE, head, exam=str(exam_id))
    assert not at.exception
    assert "No candidate is in this exam yet. Answers come in on the Answers page" in words(at)
    assert not at.get("download_button")

"""Canvas's student analysis and Gradescope's exports come in with the maxima their headings give."""

import pytest

from components.intake.forms import Pseudonym, recognise
from tests.form_files import answers, candidates, csv_file, marks, maxima, notes, planned, recognised

CANVAS = ["name", "id", "sis_id", "section", "section_id", "section_sis_id", "submitted", "attempt"]
QUESTIONS = ["101: <p>Why is the <b>sky</b> blue?</p>", "2.0", "102: Pick&nbsp;one", "1.0", "103: Your tutor?", "0.0"]
FOOT = ["n correct", "n incorrect", "score"]
GRADESCOPE = ["First Name", "Last Name", "SID", "Email", "Sections", "Total Score", "Max Points", "Status"]
GRADESCOPE += ["Submission ID", "Submission Time", "Lateness (H:M:S)", "1: Osmosis (5.0 pts)", "2.1: Cells (2.5 pts)"]


def canvas_row(name: str, sis: str, time: str, attempt: int, *cells: str) -> list[object]:
    return [name, 77, sis, "Set 1", 5, "", time, attempt, *cells, "Dr Who", "0.0", 1, 0, 3]


def gradescope_row(first: str, sid: str, status: str, *given: str) -> list[object]:
    return [first, "Brown", sid, f"{first}@school.example", "11A", "", 7.5, status, 9001, "", "", *given]


def test_canvas_points_and_maxima_come_from_the_column_after_each_question() -> None:
    found = recognised(
        "Quiz Student Analysis Report.csv",
        [*CANVAS, *QUESTIONS, *FOOT],
        canvas_row("Ada Lovelace", "S1", "2026-05-01 09:30:00 UTC", 1, "light scatters", "1.5", "B", "1.0"),
        canvas_row("Bob Brown", "S2", "2026-05-01 09:31:00 UTC", 1, "", "0.0", "A", "0.0"),
    )
    assert found.layout == "Canvas quiz student analysis"
    assert "“submitted”" in found.why
    plan = planned(found)
    assert maxima(plan) == {"1": 2, "2": 1}
    assert [each.question.text for each in plan.questions] == ["Why is the sky blue?", "Pick one"]
    assert answers(plan)["S1", "1"] == "light scatters"
    assert marks(plan) == {("S1", "1"): 1.5, ("S1", "2"): 1, ("S2", "1"): 0, ("S2", "2"): 0}
    assert plan.groups["S1"] == {"section": "Set 1"}
    assert "1 question out of 0 points left out" in notes(found)
    assert found.to_table().pseudonyms[0] == Pseudonym("S1", "Ada Lovelace", "", (("id", "77"),))


def test_the_last_attempt_of_canvas_is_kept_whatever_its_row() -> None:
    found = recognised(
        "report.csv",
        [*CANVAS, *QUESTIONS, *FOOT],
        canvas_row("Ada Lovelace", "S1", "2026-05-02 09:30:00 UTC", 2, "second", "2.0", "B", "1.0"),
        canvas_row("Ada Lovelace", "S1", "2026-05-01 09:30:00 UTC", 1, "first", "0.0", "B", "1.0"),
    )
    assert answers(planned(found))["S1", "1"] == "second"
    assert "the last finished is kept, and row 3 left out" in notes(found)


def test_gradescope_scores_give_marks_without_answers_and_leave_missing_scripts_out() -> None:
    found = recognised(
        "Mock_scores.csv",
        GRADESCOPE,
        gradescope_row("Ada", "0417", "Graded", "4.0", "2.5"),
        gradescope_row("Bob", "0418", "Missing", "", ""),
        gradescope_row("Cy", "0419", "Graded", "3.25", ""),
    )
    assert found.layout == "Gradescope scores"
    plan = planned(found)
    assert maxima(plan) == {"1": 5, "2.1": 2.5}
    assert [each.question.text for each in plan.questions] == ["Osmosis", "Cells"]
    assert marks(plan) == {("0417", "1"): 4, ("0417", "2.1"): 2.5, ("0419", "1"): 3.25}
    assert plan.groups["0417"] == {"sections": "11A"}
    assert "no answers" in notes(found)
    assert "1 attempt was not finished and left out: row 3." in notes(found)


def test_where_some_have_no_student_number_all_get_running_numbers() -> None:
    found = recognised(
        "Mock_scores.csv",
        GRADESCOPE,
        gradescope_row("Ada", "0417", "Graded", "4.0", "2.5"),
        gradescope_row("Bob", "", "Graded", "1.0", "1.0"),
    )
    made = found.to_table()
    assert candidates(planned(found)) == ["0001", "0002"]
    assert "1 of 2 candidates have no number in “SID”" in "\n".join(made.notes)
    assert made.pseudonyms[0] == Pseudonym("0001", "Ada Brown", "Ada@school.example", (("SID", "0417"),))


@pytest.mark.parametrize(
    ("name", "number"), [("1_Osmosis.csv", "1"), ("345678_Question_3.2.csv", "3.2"), ("export.csv", "1")]
)
def test_gradescope_evaluations_hold_one_question_named_by_the_file(name: str, number: str) -> None:
    content = csv_file(
        [
            "Assignment Submission ID",
            "Question Submission ID",
            "First Name",
            "Last Name",
            "SID",
            "Email",
            "Score",
            "Submission Time",
            "Correct",
            "No unit",
            "Adjustment",
            "Comments",
            "Grader",
            "Tags",
        ],
        [
            1,
            2,
            "Ada",
            "Brown",
            "0417",
            "ada@school.example",
            "4.5",
            "",
            "true",
            "false",
            "",
            "Good, Ada",
            "Ms Khan",
            "",
        ],
        [],
        ["", "", "", "", "", "Point Values", "5.0", "", "0.0", "-0.5"],
        ["", "", "", "", "", "Rubric Type", "negative"],
        ["", "", "", "", "", "Scoring Method", "negative"],
    )
    found = recognise(name, content)
    assert found.layout == "Gradescope evaluations of one question"
    plan = planned(found)
    assert maxima(plan) == {number: 5}
    assert marks(plan) == {("0417", number): 4.5}
    assert candidates(plan) == ["0417"]

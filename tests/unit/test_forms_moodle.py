"""Moodle's quiz reports come in with their marks as they were given, one attempt a person, and no names."""

import pytest

from components.intake import IntakeError
from components.intake.forms import Pseudonym, can_join, join, recognise
from tests.form_files import answers, candidates, csv_file, marks, maxima, notes, plan_of, planned, recognised
from tests.support import SHARED_DATA

WHO = ["Surname", "First name", "Email address", "State", "Started on", "Completed", "Time taken"]
ADA = ["Lovelace", "Ada", "ada@school.example", "Finished", "1 May 2026 9:00 AM", "1 May 2026 9:30 AM", "30 mins"]
BOB = ["Brown", "Bob", "bob@school.example", "Finished", "1 May 2026 9:00 AM", "1 May 2026 9:31 AM", "31 mins"]
RESPONSES = [*WHO, "Grade/5.00", "Response 1", "Response 2"]
GRADES = [*WHO, "Grade/5.00", "Q. 1 /2.00", "Q. 2 /3.00"]
REAL = SHARED_DATA / "moodle"


def responses_file() -> bytes:
    return csv_file(
        RESPONSES,
        [*ADA, "Not yet graded", "heat breaks bonds", "-"],
        [*BOB, "Not yet graded", "it dies", "12 cm"],
    )


def grades_file() -> bytes:
    return csv_file(
        GRADES,
        [*BOB, "1.50", "0.50", "1.00"],
        [*ADA, "2.00", "2.00", "-"],
        ["Overall average", *[""] * 6, "1.75", "1.25", "1.00"],
    )


def test_a_responses_report_gives_answers_under_running_numbers() -> None:
    found = recognise("Quiz-responses.csv", responses_file())
    assert found.layout == "Moodle quiz responses"
    assert "“Response 1”" in found.why
    assert "“Grade/5.00”" in found.why
    plan = planned(found, max_mark=3)
    assert answers(plan) == {
        ("0001", "1"): "heat breaks bonds",
        ("0001", "2"): "",
        ("0002", "1"): "it dies",
        ("0002", "2"): "12 cm",
    }


def test_names_and_addresses_stand_in_the_key_only() -> None:
    found = recognise("Quiz-responses.csv", responses_file())
    assert [(each.column, each.kind) for each in found.personal] == [
        ("Surname", "surname"),
        ("First name", "first name"),
        ("Email address", "e-mail"),
    ]
    made = found.to_table()
    assert made.pseudonyms == (
        Pseudonym("0001", "Ada Lovelace", "ada@school.example"),
        Pseudonym("0002", "Bob Brown", "bob@school.example"),
    )
    everything = " ".join([*made.table.columns, *(cell for row in made.table.rows for cell in row)])
    assert not any(word in everything for word in ("Ada", "Lovelace", "Brown", "@"))


def test_a_grades_report_gives_marks_and_maxima_without_the_row_of_averages() -> None:
    found = recognise("Quiz-grades.csv", grades_file())
    assert found.layout == "Moodle quiz grades"
    plan = planned(found)
    assert maxima(plan) == {"1": 2, "2": 3}
    assert marks(plan) == {("0001", "1"): 0.5, ("0001", "2"): 1, ("0002", "1"): 2}
    assert set(answers(plan).values()) == {""}
    assert "“Overall average” (row 4)" in notes(found)
    assert [(check.row, "Overall average" in check.message) for check in found.checks] == [(4, True)]


def test_reports_name_the_rows_of_the_file_though_each_gave_several_responses() -> None:
    grades = csv_file(GRADES, [*ADA, "2.00", "2.00", "1.00"], [*BOB, "9.00", "9.00", "1.00"])
    plan = plan_of(recognise("grades.csv", grades))
    assert [(each.row, each.message) for each in plan.report if each.level == "error"] == [
        (3, "Row 3: mark by the first marker: 9 is outside 0 to 2. Correct it, or leave it blank.")
    ]


def test_marks_that_moodle_scaled_to_the_grade_come_in_as_they_were_given() -> None:
    """A quiz of 1 + 2 + 3 marks shown out of 10: one mark is 1.67."""
    found = recognised(
        "grades.csv",
        [*WHO, "Grade/10.00", "Q. 1 /1.67", "Q. 2 /3.33", "Q. 3 /5.00"],
        [*ADA, "7.50", "0.83", "1.67", "5.00"],
        [*BOB, "1.67", "1.67", "0.00", "-"],
    )
    plan = planned(found)
    assert maxima(plan) == {"1": 1, "2": 2, "3": 3}
    assert marks(plan) == {
        ("0001", "1"): 0.5,
        ("0001", "2"): 1,
        ("0001", "3"): 3,
        ("0002", "1"): 1,
        ("0002", "2"): 0,
    }
    assert "scaled the marks to a grade out of 10" in notes(found)
    assert "question 3 out of 3" in notes(found)


def test_marks_that_no_scaling_explains_are_reported_by_row() -> None:
    found = recognised("grades.csv", [*WHO, "Grade/2.00", "Q. 1 /1.00", "Q. 2 /1.00"], [*ADA, "1.37", "0.37", "1.00"])
    plan = plan_of(found)
    assert not plan.ok
    assert plan.report[0].row == 2
    assert "0.37 is not a whole number of quarter marks" in plan.report[0].message


def test_not_yet_graded_is_no_mark_and_said() -> None:
    plan = planned(recognised("g.csv", GRADES, [*ADA, "-", "Not yet graded", "3.00"]))
    assert marks(plan) == {("0001", "2"): 3}
    assert [each.row for each in plan.report if "read as not marked" in each.message] == [2]


def test_attempts_in_progress_are_left_out_and_the_last_finished_is_kept() -> None:
    def attempt(state: str, completed: str, answer: str) -> list[str]:
        return [*ADA[:3], state, "", completed, "", "-", answer, "x"]

    found = recognised(
        "responses.csv",
        RESPONSES,
        attempt("Finished", "2 May 2026 0:10 PM", "second"),
        attempt("Finished", "2 May 2026 11:50 AM", "first"),
        attempt("In progress", "-", "third, begun"),
        [*BOB, "-", "only", "y"],
    )
    plan = planned(found, max_mark=1)
    assert answers(plan)["0001", "1"] == "second"
    assert candidates(plan) == ["0001", "0002"]
    assert "1 attempt was not finished and left out: row 4." in notes(found)
    assert "the last finished is kept, and row 3 left out" in notes(found)
    assert [check.message for check in found.checks] == [
        "Row 3: left out, as row 2 is a later attempt.",
        "Row 4: left out, as its state is “In progress”.",
    ]


def test_where_times_do_not_tell_the_later_row_is_kept_and_that_is_said() -> None:
    found = recognised(
        "responses.csv",
        RESPONSES,
        [*ADA[:5], "01/02/2026", "", "-", "a", "x"],
        [*ADA[:5], "02/01/2026", "", "-", "b", "x"],
    )
    assert answers(planned(found, max_mark=1))["0001", "1"] == "b"
    assert "the later row of the file is kept" in notes(found)


def test_an_id_number_is_taken_for_the_candidate_number() -> None:
    found = recognised(
        "responses.csv",
        [*WHO[:2], "ID number", *WHO[2:], "Grade/1.00", "Response 1"],
        [*ADA[:2], "0417", *ADA[2:], "1.00", "yes"],
    )
    assert candidates(planned(found, max_mark=1)) == ["0417"]
    assert found.to_table().pseudonyms == (Pseudonym("0417", "Ada Lovelace", "ada@school.example"),)


def test_the_question_and_right_answer_become_text_and_scheme_where_all_have_the_same() -> None:
    found = recognised(
        "responses.csv",
        [
            *WHO,
            "Grade/2.00",
            "Question 1",
            "Response 1",
            "Right answer 1",
            "Question 2",
            "Response 2",
            "Right answer 2",
        ],
        [*ADA, "1.00", "2 + 2?", "4", "4", "3 + 1?", "5", "4"],
        [*BOB, "1.00", "2 + 2?", "5", "4", "5 + 1?", "6", "6"],
    )
    plan = planned(found, max_mark=1)
    first, second = plan.questions
    assert (first.question.text, first.scheme.text) == ("2 + 2?", "4")
    assert (second.question.text, second.scheme.text) == ("", "")
    assert "right answers to question 2 differ" in notes(found)


@pytest.mark.parametrize("swapped", [False, True])
def test_the_two_reports_of_a_quiz_are_joined_by_candidate_in_either_order(swapped: bool) -> None:
    one, other = recognise("r.csv", responses_file()), recognise("g.csv", grades_file())
    if swapped:
        one, other = other, one
    assert can_join(one, other)
    found = join(one, other)
    assert found.layout == "Moodle quiz responses and grades"
    plan = planned(found)
    assert answers(plan)["0002", "2"] == "12 cm"
    assert marks(plan) == {("0001", "1"): 2, ("0002", "1"): 0.5, ("0002", "2"): 1}
    assert plan.file_name == "r.csv + g.csv"
    assert plan.sha256 not in {one.source.sha256, other.source.sha256}
    assert "no answers" not in notes(found)


def test_a_candidate_in_one_report_only_is_named_by_row() -> None:
    grades = csv_file(GRADES, [*ADA, "2.00", "2.00", "1.00"])
    found = join(recognise("r.csv", responses_file()), recognise("g.csv", grades))
    assert "1 of 2 candidates are not in the grades report" in notes(found)
    assert [check.message for check in found.checks] == ["Row 3: the grades report has no marks of this candidate."]
    assert marks(planned(found)) == {("0001", "1"): 2, ("0001", "2"): 1}


def test_marks_of_another_attempt_are_not_given_to_the_answers_of_the_last() -> None:
    """Responses of all attempts beside the grades of each candidate's best one."""
    cyd = ["Cox", "Cyd", "cyd@school.example", *BOB[3:]]
    again = [*ADA[:5], "2 June 2026 9:30 AM", ADA[6]]
    responses = recognised(
        "r.csv",
        RESPONSES,
        [*ADA, "-", "first try", "1"],
        [*again, "-", "second try", "2"],
        [*BOB, "-", "it dies", "3"],
        [*cyd, "-", "it melts", "4"],
    )
    grades = recognised(
        "g.csv", GRADES, [*ADA, "2", "2.00", "1.00"], [*BOB, "1", "1.00", "0.00"], [*cyd, "0", "0.00", "0.00"]
    )
    found = join(responses, grades)
    plan = planned(found)
    assert answers(plan)["0001", "1"] == "second try"
    assert marks(plan) == {("0002", "1"): 1, ("0002", "2"): 0, ("0003", "1"): 0, ("0003", "2"): 0}
    assert "Row 3: the grades report has this candidate's marks of another attempt" in found.checks[-1].message
    assert "1 of 3 candidates have another attempt in the grades report" in notes(found)


def test_reports_of_different_quizzes_are_not_joined() -> None:
    responses = recognise("r.csv", responses_file())
    more = recognised("g.csv", [*GRADES, "Q. 3 /1.00"], [*ADA, "2.00", "2.00", "1.00", "1.00"])
    late = recognised("g.csv", GRADES, [*ADA[:5], "9 June 2026 9:30 AM", "", "2.00", "2.00", "1.00"])
    assert not can_join(responses, more)
    with pytest.raises(IntakeError, match="one has 2 questions and the other 3"):
        join(responses, more)
    with pytest.raises(IntakeError, match="finished them at other times"):
        join(responses, late)
    with pytest.raises(IntakeError, match="not a responses and a grades report"):
        join(responses, responses)


@pytest.mark.skipif(not REAL.exists(), reason="the shared data are not here")
@pytest.mark.parametrize(
    ("name", "raw", "marked"),
    [
        ("moodle_grades_Quiz_1.csv", [3, 1, 9, 8, 8, 1, 4, 4], 207),
        ("moodle_grades_Quiz_2.csv", [5, 15, 1, 6], 104),
        ("moodle_grades_Quiz_3.csv", [2, 3, 1, 1, 7], 130),
    ],
)
def test_real_grades_reports_come_in_unscaled(name: str, raw: list[float], marked: int) -> None:
    plan = planned(recognise(name, (REAL / name).read_bytes()))
    assert list(maxima(plan).values()) == raw
    assert (len(candidates(plan)), len(plan.human_marks)) == (26, marked)


@pytest.mark.skipif(not REAL.exists(), reason="the shared data are not here")
@pytest.mark.parametrize(("number", "questions"), [(1, 2), (2, 3)])
def test_real_responses_reports_come_in(number: int, questions: int) -> None:
    name = f"moodle_responses_Quiz_{number}.csv"
    found = recognise(name, (REAL / name).read_bytes())
    plan = planned(found, max_mark=1)
    assert len(plan.responses) == 26 * questions
    assert len(found.to_table().pseudonyms) == 26
    assert not any("@" in cell for row in found.to_table().table.rows for cell in (row[0], row[1]))

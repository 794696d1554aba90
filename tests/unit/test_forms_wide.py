"""Wide tables of a teacher's own: a row a candidate, a column a question, and quirks that spreadsheets bring."""

import datetime

import pytest

from components.intake.forms import Choices, recognise, with_checks
from components.intake.forms.headings import QuestionHeading, question_heading
from tests.form_files import (
    answers,
    candidates,
    csv_file,
    errors,
    marks,
    maxima,
    notes,
    plan_of,
    planned,
    recognised,
    xlsx_file,
)


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("Q1", QuestionHeading("1")),
        ("3(b)(ii)", QuestionHeading("3(b)(ii)")),
        ("Question 3 (b)", QuestionHeading("3(b)")),
        ("12bii", QuestionHeading("12bii")),
        ("Q1 (4)", QuestionHeading("1", max_mark=4)),
        ("Q1 /4", QuestionHeading("1", max_mark=4)),
        ("2 [1,5 marks]", QuestionHeading("2", max_mark=1.5)),
        ("Q1 out of 6", QuestionHeading("1", max_mark=6)),
        ("Q1 - 4 marks", QuestionHeading("1", max_mark=4)),
        ("1a mark", QuestionHeading("1a", "mark")),
        ("Answer 2", QuestionHeading("2", "answer")),
        ("Q2 mark (3)", QuestionHeading("2", "mark", 3)),
        ("Max Q2", QuestionHeading("2", "max")),
        ("Q2: Why? (3 marks)", QuestionHeading("2", max_mark=3, text="Why?")),
        ("第3题 (6分)", QuestionHeading("3", max_mark=6)),
        ("Set 1", None),
        ("Year 10", None),
        ("Total /20", None),
        ("2026", None),
        ("Name", None),
    ],
)
def test_a_heading_gives_the_number_of_its_question_and_what_it_is_out_of(
    heading: str, expected: QuestionHeading | None
) -> None:
    assert question_heading(heading) == expected


def test_a_row_of_maxima_under_the_heading_tells_marks_from_answers() -> None:
    found = recognised(
        "Mock.csv",
        ["Candidate", "Class", "Q1", "Q2(a)", "Total"],
        ["Max", "", 4, 2, 6],
        ["0417", "11A", 3, 1.5, 4.5],
        ["0418", "11B", 0, "", 0],
    )
    assert found.layout == "Wide table (a row a candidate)"
    assert "“Q1”" in found.why
    plan = planned(found)
    assert maxima(plan) == {"1": 4, "2(a)": 2}
    assert marks(plan) == {("0417", "1"): 3, ("0417", "2(a)"): 1.5, ("0418", "1"): 0}
    assert plan.groups["0417"] == {"class": "11A"}
    assert "Row 2 holds the maximum marks" in notes(found)
    assert "Totals left out, as they are worked out from the marks: “Total”." in notes(found)
    assert "taken for marks" in notes(found)


def test_words_under_the_questions_are_answers_out_of_what_the_heading_says() -> None:
    found = recognised("a.csv", ["Candidate", "Q1 (4)", "Q2 /2"], ["1", "heat", "12.5"], ["2", "", "13"])
    plan = planned(found)
    assert maxima(plan) == {"1": 4, "2": 2}
    assert answers(plan)["1", "2"] == "12.5"
    assert marks(plan) == {}
    assert "taken for answers, as they are not all numbers" in notes(found)


def test_numbers_can_be_said_to_be_answers() -> None:
    content = csv_file(["Candidate", "Q1 (1)", "Q2 (1)"], ["1", "7", "12"], ["2", "8", "11"])
    assert not plan_of(recognise("a.csv", content)).ok
    found = recognise("a.csv", content, cells="answers")
    assert answers(planned(found)) == {("1", "1"): "7", ("1", "2"): "12", ("2", "1"): "8", ("2", "2"): "11"}


def test_headings_that_are_bare_numbers_are_questions() -> None:
    found = recognised("a.csv", ["Candidate", "1", "2", "3"], ["Out of", 2, 3, 4], ["0417", 2, 1, 0])
    assert marks(planned(found)) == {("0417", "1"): 2, ("0417", "2"): 1, ("0417", "3"): 0}


def test_answer_mark_and_maximum_columns_of_a_question_belong_together() -> None:
    found = recognised(
        "a.csv",
        ["Candidate", "Q1 answer", "Q1 mark", "Q1 max", "Q2 answer", "Q2 mark", "Q2 max", "Q2 comment"],
        ["0417", "heat", 2, 3, "cold", 1, 1, "see me"],
        ["0418", "ice", "", 3, "", 0, 1, ""],
    )
    plan = planned(found)
    assert maxima(plan) == {"1": 3, "2": 1}
    assert answers(plan)["0418", "1"] == "ice"
    assert marks(plan) == {("0417", "1"): 2, ("0417", "2"): 1, ("0418", "2"): 0}


def test_maxima_that_disagree_are_an_error_in_their_row() -> None:
    found = recognised("a.csv", ["Candidate", "Q1 answer", "Q1 max"], ["1", "x", 3], ["2", "y", 4])
    assert "the maximum mark of question 1 is 4 here but 3 in row 2" in errors(plan_of(found))[0]


def test_marks_written_out_of_the_maximum_give_both() -> None:
    found = recognised("a.csv", ["Candidate", "Q1", "Q2"], ["1", "4 / 5", "1/2"], ["2", "2.5\u00a0/\u00a05", "0 / 2"])
    plan = planned(found)
    assert maxima(plan) == {"1": 5, "2": 2}
    assert marks(plan) == {("1", "1"): 4, ("1", "2"): 1, ("2", "1"): 2.5, ("2", "2"): 0}


@pytest.mark.parametrize("label", ["Average", "Class average", "Mean", "Std Dev", "平均分", "Total"])
def test_rows_of_averages_are_no_candidates(label: str) -> None:
    found = recognised("a.csv", ["Candidate", "Q1 (4)", "Q2 (4)"], ["0417", 3, 4], [label, 2.6, 3.71])
    assert candidates(planned(found)) == ["0417"]
    assert f"“{label}” (row 3)" in notes(found)


def test_max_and_min_at_the_end_are_no_candidates_beside_an_average_but_a_candidate_called_max_is_one() -> None:
    found = recognised(
        "a.csv",
        ["Name", "Q1 (4)", "Q2 (4)"],
        ["Ada Lovelace", 3, 4],
        ["Max", 4, 1],
        ["Eve", 1, 1],
        ["Average", 2.7, 2],
        ["Max", 4, 4],
        ["Min", 1, 1],
    )
    assert len(candidates(planned(found))) == 3
    assert [each.name for each in found.to_table().pseudonyms] == ["Ada Lovelace", "Max", "Eve"]


def test_semicolons_and_decimal_commas_in_windows_1252() -> None:
    content = csv_file(
        ["Schüler Nr", "Name", "Q1 (2,5)", "Q2 (4)"],
        ["1", "Jürgen Müller", "1,5", "3,25"],
        ["2", "Zoë Groß", "2,5", "0"],
        delimiter=";",
        encoding="cp1252",
    )
    found = recognise("Noten.csv", content)
    plan = planned(found)
    assert maxima(plan) == {"1": 2.5, "2": 4}
    assert list(marks(plan).values()) == [1.5, 3.25, 2.5, 0]
    assert found.to_table().pseudonyms[0].name == "Jürgen Müller"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_a_byte_order_mark_or_utf_16_changes_nothing(encoding: str) -> None:
    content = csv_file(["Candidate", "Q1 (4)", "Q2 (2)"], ["0417", "café", "né"], encoding=encoding)
    assert answers(planned(recognise("a.csv", content))) == {("0417", "1"): "café", ("0417", "2"): "né"}


def test_non_breaking_spaces_do_not_part_a_candidate_or_hide_a_heading() -> None:
    found = recognised(
        "a.csv", ["Candidate\u00a0number", "Q1\u00a0(4)", "Q2\u00a0(4)"], ["\u00a00417\u00a0", "3\u00a0", 2]
    )
    assert marks(planned(found)) == {("0417", "1"): 3, ("0417", "2"): 2}


def test_trailing_empty_columns_are_nothing() -> None:
    found = recognise("a.csv", b"Candidate,Q1 (4),Q2 (4),,,\r\n0417,3,4,,,\r\n0418,1,2,,,\r\n,,,,,\r\n")
    plan = planned(found)
    assert plan.warnings == 0
    assert candidates(plan) == ["0417", "0418"]


def test_a_title_over_the_table_is_left_out() -> None:
    found = recognise("a.xlsx", xlsx_file(["Year 11 mock 2026"], [], ["Candidate", "Q1 (4)", "Q2 (4)"], ["0417", 3, 4]))
    assert marks(planned(found)) == {("0417", "1"): 3, ("0417", "2"): 4}
    assert "heading is row 3" in notes(found)


def test_merged_headings_of_two_rows_are_read_together() -> None:
    found = recognise(
        "a.xlsx",
        xlsx_file(
            ["Candidate", "Question 1 (3)", None, "Question 2 (1)", None],
            [None, "Answer", "Mark", "Answer", "Mark"],
            ["0417", "heat", 2, "ice", 1],
            merged=["A1:A2", "B1:C1", "D1:E1"],
        ),
    )
    plan = planned(found)
    assert maxima(plan) == {"1": 3, "2": 1}
    assert answers(plan) == {("0417", "1"): "heat", ("0417", "2"): "ice"}
    assert marks(plan) == {("0417", "1"): 2, ("0417", "2"): 1}
    assert "The heading takes two rows, 1 and 2" in notes(found)
    assert [each.row for each in plan.report] == [3]


def test_a_row_of_right_choices_is_no_part_of_the_heading() -> None:
    found = recognised("a.csv", ["Candidate", "Q1 (1)", "Q2 (1)"], ["", "a", "b"], ["0417", "a", "c"])
    assert [each.number for each in found.questions] == ["1", "2"]


def test_parts_under_a_merged_question_are_questions() -> None:
    found = recognise(
        "a.xlsx",
        xlsx_file(
            ["Candidate", "Q1", None, "Q2"],
            [None, "a", "b", None],
            ["Max", 2, 3, 4],
            ["0417", 1, 2, 3],
            merged=["A1:A2", "B1:C1", "D1:D2"],
        ),
    )
    assert maxima(planned(found)) == {"1(a)": 2, "1(b)": 3, "2": 4}


def test_a_merged_class_holds_for_each_of_its_candidates() -> None:
    found = recognise(
        "a.xlsx",
        xlsx_file(
            ["Class", "Candidate", "Q1 (4)", "Q2 (4)"],
            ["11A", "0417", 1, 2],
            [None, "0418", 3, 4],
            merged=["A2:A3"],
        ),
    )
    assert planned(found).groups == {"0417": {"class": "11A"}, "0418": {"class": "11A"}}


@pytest.mark.parametrize("cell", ["2-Jan", "01/02/2026", "Jan-02", "1月2日", "2026-02-01"])
def test_a_date_in_a_column_of_marks_is_an_error_in_words(cell: str) -> None:
    found = recognised("a.csv", ["Candidate", "Q1 (4)", "Q2 (4)"], ["0417", 3, cell], ["0418", 2, 2])
    plan = plan_of(found)
    assert errors(plan) == [
        f"Row 2: mark by the first marker: “{cell}” is not a mark but a date, which spreadsheets make of 1/2 or 2/1. "
        "Write a number, or leave it blank where there is no mark."
    ]
    assert "1 cell looks like a date" in notes(found)


def test_a_date_that_excel_made_of_a_mark_is_never_a_mark() -> None:
    content = xlsx_file(["Candidate", "Q1 (4)", "Q2 (4)"], ["0417", 3, datetime.datetime(2026, 1, 2)], ["0418", 2, 1])
    assert "“2026-01-02” is not a mark but a date" in errors(plan_of(recognise("a.xlsx", content)))[0]


def test_a_date_in_an_answer_comes_in_as_it_stands_and_is_reported() -> None:
    found = recognised("a.csv", ["Candidate", "Q1 (1)", "Q2 (1)"], ["0417", "2-Jan", "x"], ["0418", "a half", "y"])
    assert answers(planned(found))["0417", "1"] == "2-Jan"
    assert found.checks[0].message == (
        "Row 2: the answer to question 1, “2-Jan”, looks like a date, which spreadsheets make of 1/2 or 2/1. "
        "Compare it with what was written."
    )


def test_eaten_leading_zeros_are_said_and_put_back_only_when_asked() -> None:
    found = recognised("a.csv", ["Candidate", "Q1 (4)", "Q2 (4)"], ["417", 3, 2], ["88", 3, 1], ["2031", 0, 0])
    assert candidates(planned(found)) == ["417", "88", "2031"]
    assert found.suspected_width == 4
    assert "have eaten their leading zeros" in notes(found)
    assert candidates(planned(found, Choices(width=4))) == ["0417", "0088", "2031"]


@pytest.mark.parametrize("numbers", [["8", "9", "10"], ["0417", "88"], ["417", "418"], ["A7", "B12"]])
def test_numbers_that_count_or_have_their_zeros_are_not_suspected(numbers: list[str]) -> None:
    found = recognised("a.csv", ["Candidate", "Q1 (4)", "Q2 (4)"], *[[number, 1, 1] for number in numbers])
    assert found.suspected_width is None


def test_names_in_two_columns_become_one_in_the_key() -> None:
    found = recognised("a.csv", ["Surname", "Forename", "Q1 (4)", "Q2 (4)"], ["Lovelace", "Ada", 3, 4])
    assert [(each.number, each.name) for each in found.to_table().pseudonyms] == [("0001", "Ada Lovelace")]


def test_the_same_candidate_twice_is_an_error_where_nothing_tells_which_is_later() -> None:
    found = recognised("a.csv", ["Candidate", "Q1 (4)", "Q2 (4)"], ["0417", 3, 4], ["0417", 1, 4])
    assert "Keep one of the two rows." in errors(plan_of(found))[0]


def test_a_column_of_attempts_tells_which_is_kept() -> None:
    found = recognised("a.csv", ["Candidate", "Attempt", "Q1 (4)", "Q2 (4)"], ["0417", 2, 3, 4], ["0417", 1, 1, 4])
    assert marks(planned(found)) == {("0417", "1"): 3, ("0417", "2"): 4}


def test_columns_that_are_left_out_are_named() -> None:
    found = recognised("a.csv", ["Candidate", "Q1 (4)", "Q2 (4)", "Desk", "%"], ["0417", 3, 4, "C3", "88%"])
    assert "neither questions nor about the candidate: “Desk”" in notes(found)


@pytest.mark.parametrize(
    ("headings", "told"),
    [
        (("Q1 (4)", "Q2 (4)", "Q1 (4)"), "“Q1 (4)”, “Q1 (4) (2)” would all be the marks of question 1"),
        (("Q1 mark", "Q2 mark", "Q1 score"), "“Q1 mark”, “Q1 score” would all be the marks of question 1"),
        (("Q1 mark", "Q2 mark", "Q1 mark 2"), "“Q1 mark”, “Q1 mark 2” would all be the marks of question 1"),
        (("Q1 first marker", "Q2", "Q1 second marker"), "“Q1 first marker”, “Q1 second marker” would all be"),
    ],
)
def test_two_columns_of_marks_of_one_question_are_refused_and_not_one_of_them_dropped(
    headings: tuple[str, str, str], told: str
) -> None:
    found = recognise("a.csv", csv_file(["candidate", *headings], ["0417", 1, 2, 3]))
    plan = with_checks(plan_of(found, max_mark=4), found.checks)
    assert not plan.ok
    assert told in errors(plan)[0]


def test_question_3_10_that_a_spreadsheet_made_3_1_is_refused() -> None:
    file = xlsx_file(["candidate", 3.1, 3.2, 3.10], ["0417", 1, 2, 3])
    found = recognise("a.xlsx", file)
    plan = with_checks(plan_of(found, max_mark=4), found.checks)
    assert not plan.ok
    assert "write such headings as Q3.10" in errors(plan)[0]


def test_two_of_one_name_stay_two_candidates_where_names_are_kept() -> None:
    found = recognised(
        "a.csv",
        ["candidate number", "name", "Q1 (4)", "Q2 (4)"],
        ["0417", "Ada Lovelace", 1, 2],
        ["0420", "Ada Lovelace", 1, 2],
        ["0421", "Alan Turing", 4, 3],
    )
    plan = planned(found, Choices(numbers="names"))
    assert candidates(plan) == ["Ada Lovelace (0417)", "Ada Lovelace (0420)", "Alan Turing"]


def test_one_candidate_in_two_rows_gets_one_running_number_and_is_an_error_still() -> None:
    found = recognised("a.csv", ["candidate", "Q1 (4)", "Q2 (4)"], ["0417", 1, 2], ["0420", 4, 4], ["0417", 3, 3])
    assert "candidate 0001's question 1 is in row 2 already" in errors(plan_of(found, Choices(numbers="running")))[0]

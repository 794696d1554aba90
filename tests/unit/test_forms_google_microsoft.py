"""Forms of Google and Microsoft, whose headings are the questions themselves, come in as questions and answers."""

import datetime

from components.intake.forms import Choices, Pseudonym, recognise
from tests.form_files import (
    answers,
    candidates,
    errors,
    marks,
    maxima,
    notes,
    plan_of,
    planned,
    recognised,
    xlsx_file,
)

OSMOSIS = "1. What is osmosis? (3 marks)"
CELL = "2. Name a cell. (1 mark)"


def microsoft_file(*rows: list[object]) -> bytes:
    return xlsx_file(
        [
            "ID",
            "Start time",
            "Completion time",
            "Email",
            "Name",
            "Total points",
            "Quiz feedback",
            "Grade posted time",
            "Why is it denatured?",
            "Points - Why is it denatured?",
            "Feedback - Why is it denatured?",
            "Class",
            "Define a mole",
            "Points - Define a mole",
            "Feedback - Define a mole",
        ],
        *rows,
    )


def microsoft_row(number: int, email: str, name: str, minute: int, *cells: object) -> list[object]:
    start = datetime.datetime(2026, 5, 1, 9, 0)
    return [number, start, start + datetime.timedelta(minutes=minute), email, name, 3, None, None, *cells]


def test_google_responses_give_a_question_for_each_heading_that_is_not_about_the_candidate() -> None:
    found = recognised(
        "Biology.csv",
        ["Timestamp", "Email Address", "Full name", "Class", OSMOSIS, CELL],
        ["2026/05/01 9:00:00 AM GMT+1", "ada@school.example", "Ada Lovelace", "11A", "water moves", "nerve"],
        ["2026/05/01 9:01:00 AM GMT+1", "bob@school.example", "Bob Brown", "11B", "", "blood, red"],
    )
    assert found.layout == "Google Forms responses"
    assert "“Timestamp”" in found.why
    plan = planned(found)
    assert maxima(plan) == {"1": 3, "2": 1}
    assert [each.question.text for each in plan.questions] == ["What is osmosis?", "Name a cell."]
    assert answers(plan)["0002", "2"] == "blood, red"
    assert plan.groups == {"0001": {"class": "11A"}, "0002": {"class": "11B"}}
    assert found.to_table().pseudonyms[1] == Pseudonym("0002", "Bob Brown", "bob@school.example")


def test_google_quiz_scores_become_marks_and_maxima_and_feedback_is_left() -> None:
    found = recognised(
        "Quiz.csv",
        ["Timestamp", "Username", "Total score"]
        + [
            heading
            for each in ("Your name", "Why?", "How?")
            for heading in (each, f"{each} [Score]", f"{each} [Feedback]")
        ],
        [
            "2026/05/01",
            "ada@school.example",
            "4.50 / 7.00",
            "Ada Lovelace",
            "-- / 0.00",
            "",
            "so",
            "4.00 / 5.00",
            "Good",
            "thus",
            "0.50 / 2.00",
            "",
        ],
        [
            "2026/05/01",
            "bob@school.example",
            "0.00 / 7.00",
            "Bob Brown",
            "-- / 0.00",
            "",
            "no",
            "0.00 / 5.00",
            "",
            "?",
            "-- / 2.00",
            "",
        ],
    )
    assert found.layout == "Google Forms quiz"
    plan = planned(found)
    assert maxima(plan) == {"1": 5, "2": 2}
    assert marks(plan) == {("0001", "1"): 4, ("0001", "2"): 0.5, ("0002", "1"): 0}
    assert answers(plan)["0001", "1"] == "so"
    assert plan.warnings == 0
    assert {each.column for each in found.personal} == {"Username", "Your name"}


def test_maxima_that_a_form_does_not_give_are_asked_for_and_can_be_given_by_question() -> None:
    found = recognised("f.csv", ["Timestamp", "Why?", "How?"], ["2026/05/01", "so", "thus"])
    assert "does not say what questions are out of" in notes(found)
    assert [(each.number, each.text, each.max_mark) for each in found.questions] == [
        ("1", "Why?", None),
        ("2", "How?", None),
    ]
    assert errors(plan_of(found)) == ["Choose the column that holds the maximum mark, or give it for all rows."]
    assert maxima(planned(found, Choices(max_marks={"1": 4, "2": 2}))) == {"1": 4, "2": 2}


def test_a_form_without_names_gives_running_numbers_and_no_key() -> None:
    found = recognised("f.csv", ["Timestamp", "Why? [2 marks]"], ["2026/05/01", "so"], ["2026/05/01", "thus"])
    assert answers(planned(found)) == {("0001", "1"): "so", ("0002", "1"): "thus"}
    assert found.to_table().pseudonyms == ()
    assert "numbers 0001, 0002… in the order of the file" in "\n".join(found.to_table().notes)


def test_a_second_sending_of_a_google_form_replaces_the_first() -> None:
    found = recognised(
        "f.csv",
        ["Timestamp", "Email Address", "Why? (2 marks)"],
        ["01/05/2026 09:00:00", "ada@school.example", "first"],
        ["01/05/2026 09:05:00", "bob@school.example", "only"],
        ["01/05/2026 09:10:00", "ADA@school.example", "second"],
    )
    assert answers(planned(found)) == {("0001", "1"): "second", ("0002", "1"): "only"}
    assert "row 2 left out" in notes(found)


def test_a_candidate_number_asked_for_in_the_form_is_used() -> None:
    found = recognised(
        "f.csv",
        ["Timestamp", "Email Address", "Candidate number", "Why? (2 marks)"],
        ["2026/05/01", "ada@school.example", "0417", "so"],
        ["2026/05/01", "bob@school.example", "0088", "thus"],
    )
    assert candidates(planned(found)) == ["0417", "0088"]
    assert candidates(planned(found, Choices(numbers="running"))) == ["0001", "0002"]
    assert candidates(planned(found, Choices(numbers="names"))) == ["ada@school.example", "bob@school.example"]


def test_answers_are_left_alone_even_where_they_hold_an_address() -> None:
    found = recognised(
        "f.csv",
        ["Timestamp", "Email Address", "Write the opening of a letter (2 marks)"],
        ["2026/05/01", "ada@school.example", "Dear head@school.example, I am Ada"],
    )
    assert answers(planned(found))["0001", "1"] == "Dear head@school.example, I am Ada"


def test_a_question_longer_than_a_usual_heading_is_a_heading_still() -> None:
    wording = "Explain in your own words " + "and with examples " * 20
    found = recognised("f.csv", ["Timestamp", wording, "Why?"], ["2026/05/01", "so", "thus"])
    assert found.questions[0].text == wording.strip()


def test_microsoft_forms_points_become_marks_under_the_ids_of_the_responses() -> None:
    found = recognise(
        "Chemistry.xlsx",
        microsoft_file(
            microsoft_row(1, "ada@school.example", "Ada Lovelace", 20, "heat", 2, "Good", "11A", "an amount", 1, None),
            microsoft_row(2, "bob@school.example", "Bob Brown", 21, "cold", 0.5, None, "11B", None, None, None),
        ),
    )
    assert found.layout == "Microsoft Forms quiz"
    assert "“Completion time”" in found.why
    plan = planned(found, Choices(max_marks={"1": 3, "2": 1}))
    assert answers(plan) == {
        ("1", "1"): "heat",
        ("1", "2"): "an amount",
        ("2", "1"): "cold",
        ("2", "2"): "",
    }
    assert marks(plan) == {("1", "1"): 2, ("1", "2"): 1, ("2", "1"): 0.5}
    assert plan.groups["2"] == {"class": "11B"}
    assert found.to_table().pseudonyms[0] == Pseudonym("1", "Ada Lovelace", "ada@school.example")


def test_microsoft_forms_keeps_the_last_of_two_responses_but_every_anonymous_one() -> None:
    cells = ["x", 1, None, "11A", "y", 1, None]
    found = recognise(
        "f.xlsx",
        microsoft_file(
            microsoft_row(1, "ada@school.example", "Ada Lovelace", 40, "late", *cells[1:]),
            microsoft_row(2, "ada@school.example", "Ada Lovelace", 20, "early", *cells[1:]),
            microsoft_row(3, "anonymous", "", 20, *cells),
            microsoft_row(4, "anonymous", "", 21, *cells),
        ),
    )
    plan = planned(found, max_mark=2)
    assert candidates(plan) == ["1", "3", "4"]
    assert answers(plan)["1", "1"] == "late"


def test_two_google_questions_in_the_same_words_keep_their_own_scores() -> None:
    found = recognised(
        "quiz.csv",
        ["Timestamp", "Candidate number", "Explain.", "Explain. [Score]", "Explain.", "Explain. [Score]"],
        ["2026/09/01 9:00:00 AM", "0417", "heat", "1 / 2", "ice", "3 / 4"],
    )
    plan = planned(found)
    assert answers(plan) == {("0417", "1"): "heat", ("0417", "2"): "ice"}
    assert marks(plan) == {("0417", "1"): 1, ("0417", "2"): 3}
    assert maxima(plan) == {"1": 2, "2": 4}

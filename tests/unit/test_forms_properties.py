"""Whatever the bytes, a file is recognised or refused in words; and no name gets through; and it is quick."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from components.intake import Defaults, IntakeError, plan_import
from components.intake.forms import Choices, Recognised, join, recognise
from components.workflow.import_table import import_plan
from storage import decisions, exams, responses
from tests.form_files import csv_file, planned
from tests.support import new_store

HEADINGS = [
    *("candidate", "Name", "Surname", "First name", "Email address", "ID", "SID", "Email", "Student ID", "Class"),
    *("question", "answer", "max mark", "mark", "State", "Completed", "Started on", "Grade/10.00", "Status", "attempt"),
    *("Q. 1 /0.79", "Q. 2 /2.00", "Response 1", "Right answer 1", "Question 1", "Timestamp", "Why?", "Why? [Score]"),
    *("Start time", "Completion time", "Points - Why?", "name", "id", "sis_id", "submitted", "11: How?", "1.0", "2"),
    *("Total Score", "Max Points", "1: Osmosis (5.0 pts)", "Assignment Submission ID", "Score", "Adjustment", "Q1"),
    *("Q1 (4)", "Q2 mark", "Q2 max", "3(b)", "", "Total", "a", "Answer"),
]
CELLS = [
    *("", "0417", "417", "12345", "Ada Lovelace", "ada@x.example", "Max", "Average", "Overall average", "Finished"),
    *("In progress", "4 / 5", "-- / 5.00", "-", "Not yet graded", "2-Jan", "01/02/2026", "0.26", "3", "2,5", "½"),
    *("19 April 2022 7:31 PM", "2026-05-01 09:00:00", "99 April 2022", "Point Values", "heat\nrises", "=1+1", "nan"),
    *("11A", "Missing", "1e9", "-3", "\u00a0", "²", "①", "٣", "x" * 300),
]
TABLES = st.lists(st.sampled_from(HEADINGS), min_size=2, max_size=12).flatmap(
    lambda headings: st.tuples(
        st.just(headings),
        st.lists(
            st.lists(st.sampled_from(CELLS), min_size=len(headings), max_size=len(headings)), min_size=1, max_size=6
        ),
    )
)
RELAXED = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def tried(name: str, content: bytes) -> Recognised | None:
    """The file recognised and planned in every way, or None where it is refused in words."""
    refused = ""
    try:
        found = recognise(name, content)
    except IntakeError as error:
        refused = str(error)
    if refused:
        assert refused.startswith("“")
        return None
    assert found.layout
    assert found.why
    for choices in (Choices(), Choices(numbers="running"), Choices(numbers="names", width=6, max_marks={"1": 4})):
        made = found.to_table(choices)
        assert all(len(row) == len(made.table.columns) for row in made.table.rows)
        assert len(made.table.rows) == len(made.table.row_numbers)
        plan_import(made.table, made.mapping, Defaults(max_mark=5, question="1"))
    return found


@RELAXED
@given(
    st.binary(max_size=300)
    | st.text(max_size=200).map(str.encode)
    | st.lists(st.sampled_from(list('{}[]",:;\t\n1a \ufeffé')), max_size=60).map(lambda each: "".join(each).encode()),
    st.sampled_from(["a.csv", "a.xlsx", "a.json", "a.jsonl", "a", ""]),
)
def test_any_bytes_are_recognised_or_refused_in_words(content: bytes, name: str) -> None:
    tried(name, content)


@RELAXED
@given(TABLES)
def test_any_mixture_of_known_headings_and_odd_cells_is_recognised_or_refused(
    table: tuple[list[str], list[list[str]]],
) -> None:
    tried("a.csv", csv_file(table[0], *table[1]))


@RELAXED
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.sampled_from(["responses", "answers", "candidate", "question", "Q1", "x"]), inner)
        ),
        max_leaves=12,
    )
)
def test_any_json_is_recognised_or_refused(value: object) -> None:
    tried("a.json", json.dumps(value).encode())
    tried("a.jsonl", (json.dumps({"candidate": value}) + "\n" + json.dumps(value)).encode())


@pytest.mark.parametrize(
    "headings",
    [
        ["Surname", "First name", "Email address", "State", "Completed", "Grade/2.00", "Response 1", "Q. 1 /2.00"],
        ["name", "id", "sis_id", "section", "submitted", "attempt", "11: Why?", "2.0"],
        ["First Name", "Last Name", "SID", "Email", "Total Score", "Max Points", "Status", "1: Why (2.0 pts)"],
        ["Timestamp", "Email Address", "Full name", "Why? (2 marks)"],
        ["ID", "Start time", "Completion time", "Email", "Name", "Why? (2 marks)"],
        ["Name", "E-mail", "Phone", "Q1 (2)", "Q2 (2)"],
        ["student name", "Parent email", "question", "answer", "max mark"],
        ["candidate", "name", "teacher e-mail", "question", "answer", "max mark"],
    ],
)
def test_no_name_or_address_is_left_in_the_table_of_any_layout(headings: list[str]) -> None:
    secret = {"name": "Secret Person", "mail": "secret@person.example", "phone": "0700secret"}

    def cell(heading: str) -> str:
        plain = heading.casefold()
        kind = next((kind for kind in ("mail", "phone", "name") if kind in plain), None)
        return secret[kind] if kind else "2" if any(sign in plain for sign in ("q", "why", ".0", "mark")) else "7"

    row = ["surnameSecret" if heading == "Surname" else cell(heading) for heading in headings]
    found = recognise("a.csv", csv_file(headings, row))
    made = found.to_table()
    assert "secret" not in str((made.table.columns, made.table.rows)).casefold()
    assert made.pseudonyms
    assert found.personal


def test_a_wide_file_reaches_the_store_with_each_mark_beside_its_answer(tmp_path: Path) -> None:
    who = ["Surname", "Email address", "State", "Completed"]
    rows = [["Brown", "b@x.example", "Finished", "1 May 2026"], ["Ash", "a@x.example", "Finished", "1 May 2026"]]
    answers = csv_file(
        [*who, "Grade/5.00", "Response 1", "Response 2"], [*rows[0], 3, "b1", "b2"], [*rows[1], 3, "a1", "a2"]
    )
    grades = csv_file([*who, "Grade/5.00", "Q. 1 /2.00", "Q. 2 /3.00"], [*rows[1], 3, 1, 3], [*rows[0], 2.5, 2, 0.5])
    plan = planned(join(recognise("r.csv", answers), recognise("g.csv", grades)))
    store = new_store(tmp_path)
    made = import_plan(store, plan, title="Quiz", marker=None, first_marker_name="Moodle", second_marker_name="")
    with store.read() as db:
        stored = {
            response.text: [decision.mark for decision in decisions.live(db, response.id)]
            for question in exams.questions(db, made.exam_id)
            for response in responses.of_question(db, question.id)
        }
    assert stored == {"b1": [2], "b2": [0.5], "a1": [1], "a2": [3]}


def test_the_year_of_a_large_school_is_recognised_and_planned_within_its_time() -> None:
    """32,534 responses of 4,067 candidates; processor time, so that a busy machine does not count."""
    answer = "the enzyme is denatured because heat breaks the bonds that hold its active site in shape " * 2
    rows = [[f"Surname{i}", "Ada", f"a{i}@x.example", *["3", answer] * 8] for i in range(4067)]
    headings = [cell for number in range(1, 9) for cell in (f"Q{number} mark (4)", f"Q{number} answer")]
    content = csv_file(["Surname", "First name", "Email", *headings], *rows)
    started = time.process_time()
    plan = planned(recognise("year.csv", content))
    spent = time.process_time() - started
    assert len(plan.responses) == 32_536
    assert spent < 1.2

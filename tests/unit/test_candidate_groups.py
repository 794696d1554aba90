"""Groups of candidates, such as class and tier: recognised in a table, checked, stored, and listed for a filter."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from components.intake import (
    Defaults,
    ImportPlan,
    Mapping,
    group_name,
    guess_mapping,
    is_personal,
    plan_import,
    read_table,
)
from components.workflow.import_table import import_plan
from storage import Store, responses
from tests.support import add_exam, new_store

ONE_QUESTION = Defaults(max_mark=2, question="1")


def guessed(headings: str, values: str) -> tuple[str, ...]:
    return guess_mapping(read_table("a.csv", f"{headings}\n{values}\n".encode())).groups


def plan_of(text: str, *groups: str, defaults: Defaults | None = None) -> ImportPlan:
    """The plan with the guessed columns; with other groups than guessed where any are named."""
    table = read_table("a.csv", text.encode())
    mapping = guess_mapping(table)
    if groups:
        mapping = Mapping(**mapping.chosen(), groups=groups)  # type: ignore[arg-type]
    return plan_import(table, mapping, defaults or ONE_QUESTION)


def errors(plan: ImportPlan) -> list[str]:
    return [entry.message for entry in plan.report if entry.level == "error"]


def stored_groups(store: Store, exam_id: int) -> dict[str, str]:
    with store.read() as db:
        rows = db.execute("SELECT number, groups FROM candidates WHERE exam_id = ? ORDER BY position", (exam_id,))
        return {row["number"]: row["groups"] for row in rows}


@pytest.mark.parametrize(
    "heading",
    [
        *("class", "Set", "FORM", "Tutor group", "tutor_group", "Tier", "tier of entry", "School", "Centre", "center"),
        *("Centre number", "Gender", "sex", "SEN", "SEN status", "SEND", "EAL", "PupilPremium", "pupil premium"),
        *("Year group", "yearGroup", "Ethnicity", "group: House", "Group:house", "group：house"),
        *("班级", "性别", "年级", "学校", "民族"),
    ],
)
def test_columns_headed_as_groups_usually_are_become_groups(heading: str) -> None:
    assert guessed(f"candidate,{heading},answer,mark", "1,x,an answer,2") == (heading,)


@pytest.mark.parametrize(
    "heading",
    [
        *(
            "name",
            "Full name",
            "Candidate's name",
            "surname",
            "Teacher name",
            "E-mail",
            "email address",
            "姓名",
            "邮箱",
        ),
        *("group: name", "group: pupil e-mail", "year", "comment", "group", "class average"),
    ],
)
def test_names_e_mails_and_other_columns_do_not(heading: str) -> None:
    assert guessed(f"candidate,{heading},answer,mark", "1,x,an answer,2") == ()


def test_a_column_of_e_mail_addresses_is_personal_whatever_its_heading() -> None:
    table = read_table("a.csv", b"candidate,class,answer\n1,,x\n2,Jo <jo@school.example>,y\n")
    assert is_personal(table, "class")
    assert guess_mapping(table).groups == ()


def test_a_group_is_called_by_its_heading_in_lower_case_without_the_prefix() -> None:
    named = [
        group_name(column) for column in ("Class", "  Tutor Group ", "group: Reading Age ", "GROUP:x", "班级", "group:")
    ]
    assert named == ["class", "tutor group", "reading age", "x", "班级", "group:"]


def test_each_candidate_has_the_values_of_all_their_rows_and_blank_is_none() -> None:
    plan = plan_of(
        "candidate,question,class,tier,answer\n"
        "0417,1, 11A ,,x\n"
        "0418,1,11B,Higher,x\n"
        "0417,2,11A,Foundation  tier,x\n"
        "0419,1,,  ,x\n"
    )
    assert plan.ok
    assert plan.groups == {
        "0417": {"class": "11A", "tier": "Foundation tier"},
        "0418": {"class": "11B", "tier": "Higher"},
    }


def test_two_values_for_one_candidate_are_an_error_that_names_row_candidate_and_both() -> None:
    plan = plan_of("candidate,question,class,answer\n0417,1,11A,x\n0418,1,11B,x\n0417,2,,x\n0417,3,11B,x\n")
    assert errors(plan) == [
        "Row 5: the class of candidate 0417 is “11B” here but “11A” in row 2. "
        "Give them one, or leave the column out of the groups."
    ]
    assert plan.groups == {}
    assert plan.responses == ()


def test_a_row_that_only_says_it_again_cannot_bring_another_group() -> None:
    plan = plan_of("candidate,class,answer\n0417,11A,x\n0417,11B,x\n")
    assert len(errors(plan)) == 1
    assert "“11B” here but “11A” in row 2" in errors(plan)[0]


def test_a_column_left_out_of_the_groups_is_not_checked_and_any_other_can_be_one() -> None:
    text = "candidate,question,class,House,answer\n0417,1,11A,Red,x\n0417,2,11B,Red,x\n"
    plan = plan_of(text, "House")
    assert plan.ok
    assert plan.groups == {"0417": {"house": "Red"}}


def test_a_value_has_at_most_60_characters() -> None:
    plan = plan_of(f"candidate,class,answer\n1,{'a' * 60},x\n2,{'b' * 61},x\n")
    (message,) = errors(plan)
    assert message.startswith("Row 3: class: “bbb")
    assert "over 60 characters" in message


def test_an_e_mail_address_far_down_a_group_column_is_an_error_of_its_row() -> None:
    rows = "".join(f"{number},11A,x\n" for number in range(300))
    assert errors(plan_of(f"candidate,class,answer\n{rows}300,jo@school.example,x\n")) == [
        "Row 302: class: this is an e-mail address, which is never a group. "
        "Take it out, or leave the column out of the groups."
    ]


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        (("zz",), "There is no column “zz”."),
        (("answer",), "Column “answer” is chosen for the groups and for something else."),
        (("name",), "Column “name” holds names or e-mail addresses, which are never groups."),
        (("class", "group: Class"), "“class” and “group: Class” would both be the group “class”."),
        ((f"group: {'h' * 61}",), "is over 60 characters"),
    ],
)
def test_a_choice_of_groups_that_cannot_work_is_said_before_any_row(groups: tuple[str, ...], words: str) -> None:
    text = f"candidate,answer,name,class,group: Class,group: {'h' * 61}\n1,x,A. Person,11A,11A,y\n"
    (message,) = errors(plan_of(text, *groups))
    assert words in message


def test_of_two_headings_that_would_be_one_group_the_first_is_guessed() -> None:
    assert guessed("candidate,class,group: Class,answer", "1,11A,11A,x") == ("class",)


def test_an_import_keeps_the_groups_with_its_candidates(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    plan = plan_of('candidate,班级,tier,answer\n0417,一班,,x\n0418,二班,"a ""b""",y\n0419,,,z\n')
    made = import_plan(store, plan, title="Mock", marker=None)
    assert stored_groups(store, made.exam_id) == {
        "0417": '{"班级": "一班"}',
        "0418": '{"班级": "二班", "tier": "a \\"b\\""}',
        "0419": "{}",
    }
    with store.read() as db:
        assert responses.group_values(db, made.exam_id) == {"tier": ('a "b"',), "班级": ("一班", "二班")}


def test_a_known_candidates_groups_are_completed_and_none_is_lost(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, _ = add_exam(store, [["an answer"]])
    with store.write() as db:
        first = responses.add_candidates(db, exam_id, ["1", "2"], {"1": {"class": "11A", "tier": "Higher"}})
        again = responses.add_candidates(db, exam_id, ["2", "1"], {"1": {"class": "11B"}, "2": {"sen": "K"}})
        responses.add_candidates(db, exam_id, ["1", "2"])
    assert again == first
    with store.read() as db:
        assert responses.group_values(db, exam_id) == {"class": ("11B",), "sen": ("K",), "tier": ("Higher",)}


def test_values_come_in_the_order_of_their_numbers_and_only_the_exams_own(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, _ = add_exam(store, [["an answer"]])
    other, _ = add_exam(store, [["an answer"]], title="Other")
    with store.write() as db:
        sets = {str(number): {"set": f"Set {number}"} for number in (10, 9, 1)}
        responses.add_candidates(db, exam_id, sets, sets)
        responses.add_candidates(db, other, ["1"], {"1": {"set": "Elsewhere"}})
    with store.read() as db:
        assert responses.group_values(db, exam_id) == {"set": ("Set 1", "Set 9", "Set 10")}
        assert responses.group_values(db, exam_id + other) == {}


def test_the_groups_of_50_000_candidates_are_listed_in_a_moment(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    exam_id, _ = add_exam(store, [["an answer"]])
    groups = {f"{n:05d}": {"class": f"11{n % 8}", "tier": "Higher", "school": f"S{n % 40}"} for n in range(50_000)}
    with store.write() as db:
        responses.add_candidates(db, exam_id, groups, groups)
    with store.read() as db:
        start = time.process_time()
        found = responses.group_values(db, exam_id)
        seconds = time.process_time() - start
    assert {name: len(values) for name, values in found.items()} == {"class": 8, "school": 40, "tier": 1}
    assert seconds < 0.5

"""A teacher's table comes in whole and as written, or not at all, with a report that says which row to mend."""

import csv
import datetime
import io
import json
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.intake import (
    Defaults,
    ImportPlan,
    IntakeError,
    Mapping,
    RowReport,
    guess_mapping,
    plan_import,
    read_table,
    report_csv,
)
from components.intake import tables as tables_module
from components.marking import QuestionType

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
HEADINGS = "candidate,question,answer,max mark,mark,second mark,ai mark\n"


def plan_of(text: str, defaults: Defaults | None = None, **mapping: str) -> ImportPlan:
    table = read_table("marks.csv", text.encode())
    return plan_import(table, Mapping(**mapping) if mapping else guess_mapping(table), defaults)


def messages(plan: ImportPlan, level: str) -> list[str]:
    return [entry.message for entry in plan.report if entry.level == level]


def only_error(plan: ImportPlan) -> str:
    assert not plan.ok
    assert plan.problems == 1
    assert plan.questions == plan.responses == plan.human_marks == plan.ai_marks == ()
    return messages(plan, "error")[0]


def workbook(*sheets: tuple[str, list[list[object]]]) -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    return saved(book)


def saved(book: object) -> bytes:
    out = io.BytesIO()
    book.save(out)  # type: ignore[attr-defined]
    return out.getvalue()


# Reading text


def test_utf8_with_a_byte_order_mark_leaves_no_trace_in_the_first_heading() -> None:
    table = read_table("a.csv", b"\xef\xbb\xbfcandidate,answer\n1,caf\xc3\xa9\n")
    assert table.columns == ("candidate", "answer")
    assert table.rows == (("1", "café"),)


@pytest.mark.parametrize(
    ("encoding", "answer"),
    [
        ("cp1252", "It’s 5 °C – café, naïve"),
        ("gb18030", "光合作用需要光"),
        ("big5", "植物行光合作用需要陽光"),
        ("mac_roman", "It’s 5 °C – café"),
        ("utf-16", "It’s 5 °C 光合作用"),
        ("utf-16-le", "It’s 5 °C – café"),
        ("utf-16-be", "It’s 5 °C – café"),
    ],
)
def test_encodings_of_real_spreadsheet_programs_are_recognised(encoding: str, answer: str) -> None:
    table = read_table("a.csv", f'candidate,question,answer\n1,1,"{answer}"\n'.encode(encoding))
    assert table.rows == (("1", "1", answer),)


def test_a_guessed_encoding_asks_the_teacher_to_look() -> None:
    table = read_table("a.csv", "candidate,answer\n1,café\n".encode("cp1252"))
    assert any("Windows-1252" in note and "check accents" in note for note in table.notes)


@pytest.mark.parametrize(
    ("delimiter", "name"),
    [(",", "commas"), (";", "semicolons"), ("\t", "tabs")],
)
def test_the_delimiter_is_recognised_though_answers_are_full_of_the_others(delimiter: str, name: str) -> None:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows(
        [["candidate", "question", "answer"], *[[str(n), "1", "a, b; c; d\te, f"] for n in range(20)]]
    )
    table = read_table("a.txt", out.getvalue().encode())
    assert table.columns == ("candidate", "question", "answer")
    assert {row[2] for row in table.rows} == {"a, b; c; d\te, f"}
    assert f"Columns separated by {name}." in table.notes


def test_the_line_by_which_excel_names_its_delimiter_is_not_a_row() -> None:
    table = read_table("a.csv", b"sep=;\r\ncandidate;answer\r\n1;a,b,c\r\n")
    assert table.columns == ("candidate", "answer")
    assert table.row_numbers == (2,)


def test_quoted_newlines_commas_and_quotation_marks_stay_in_the_answer() -> None:
    table = read_table("a.csv", b'candidate,answer\r\n1,"line 1\r\nline 2, ""quoted"""\r\n2,next\r\n')
    assert table.rows == (("1", 'line 1\nline 2, "quoted"'), ("2", "next"))
    assert table.row_numbers == (2, 3)


@given(
    answers=st.lists(
        st.text(st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n\t"), max_size=60),
        min_size=1,
        max_size=8,
    ),
    delimiter=st.sampled_from(",;\t"),
)
@settings(max_examples=200, deadline=None)
def test_any_answer_written_by_a_spreadsheet_comes_back_as_it_was(answers: list[str], delimiter: str) -> None:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(["candidate", "question", "answer", "max mark"])
    writer.writerows([str(number), "1", answer, "4"] for number, answer in enumerate(answers))
    table = read_table("a.csv", out.getvalue().encode())
    assert table.column("answer") == answers


def test_nul_bytes_are_left_out_and_said() -> None:
    table = read_table("a.csv", b"candidate,answer\n1,al\x00pha and a long enough answer\x00\n")
    assert table.rows == (("1", "alpha and a long enough answer"),)
    assert "2 NUL characters left out of the text." in table.notes


def test_what_looks_like_a_formula_is_kept_as_written() -> None:
    table = read_table("a.csv", b'candidate,answer\n1,"=HYPERLINK(""x"")"\n2,-3\n3,@home\n4,+1\n')
    assert table.column("answer") == ['=HYPERLINK("x")', "-3", "@home", "+1"]


def test_blank_rows_are_left_out_and_row_numbers_stay_those_of_the_file() -> None:
    table = read_table("a.csv", b"candidate,answer\n\n1,x\n , \n2,y\n")
    assert table.row_numbers == (3, 5)


def test_a_title_above_the_heading_is_passed_over() -> None:
    table = read_table("a.csv", b"Mock 2026 Physics\n\ncandidate,answer\n1,x\n")
    assert table.columns == ("candidate", "answer")
    assert (table.header_row, table.row_numbers) == (3, (4,))
    assert any("row 3" in note for note in table.notes)


def test_repeated_and_missing_headings_get_names_of_their_own() -> None:
    table = read_table("a.csv", b"candidate,mark,,mark,mark (2)\n1,2,x,3,4\n")
    assert table.columns == ("candidate", "mark", "column C", "mark (2)", "mark (2) (2)")
    assert any("“mark”" in note for note in table.notes)


def test_unpaired_quotation_marks_are_an_error_at_their_row_and_swallow_nothing() -> None:
    with pytest.raises(IntakeError, match=r"“a\.csv”, row 3"):
        read_table("a.csv", b'candidate,answer\n1,fine\n2,"never closed\n3,lost\n')


def test_tab_separated_text_without_quoting_keeps_its_quotation_marks() -> None:
    table = read_table("a.tsv", b'candidate\tanswer\n1\t"Yes" she said\n2\tok\n')
    assert table.column("answer") == ['"Yes" she said', "ok"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf \r\n", "is empty"),
        (b"%PDF-1.7 ...", "is a PDF"),
        (b"\x89PNG\r\n\x1a\n...", "is a picture"),
        (b"<html><table>", "web page"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, r"old Excel file \(.xls\)"),
        (b"\xd0\xcf\x11\xe0" + "EncryptedPackage".encode("utf-16-le"), "protected by a password"),
        (b"PK\x03\x04 cut off", "is damaged"),
        (b"just one column\nof words\n", "one column only"),
        (b"candidate,question,answer\n", "no rows under it"),
        (b"0012,1,the enzyme denatures,4,3\n0013,1,it gets hot,4,1\n", "has no heading"),
        (bytes(range(1, 32)) * 40, "not a table"),
    ],
)
def test_what_is_no_table_is_refused_by_name_and_with_what_to_do(content: bytes, words: str) -> None:
    with pytest.raises(IntakeError, match=words) as raised:
        read_table("physics mock.csv", content)
    assert "“physics mock.csv”" in str(raised.value)


def test_a_zip_that_is_no_workbook_is_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("word/document.xml", "<w/>")
    with pytest.raises(IntakeError, match="not an XLSX workbook"):
        read_table("a.xlsx", out.getvalue())


def test_a_file_over_the_limit_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables_module, "LARGEST", 10)
    with pytest.raises(IntakeError, match="larger than 200 MB"):
        read_table("a.csv", b"candidate,answer\n1,x\n")


# Reading workbooks


def test_a_workbooks_cells_come_as_they_are_written() -> None:
    content = workbook(
        (
            "Marks",
            [
                ["candidate", "answer", "mark", "when", "sure"],
                ["0017", "line 1\nline 2", 3.0, datetime.date(2026, 5, 4), True],
                [18, None, 2.5, None, None],
            ],
        )
    )
    table = read_table("a.xlsx", content)
    assert table.rows == (("0017", "line 1\nline 2", "3", "2026-05-04", "TRUE"), ("18", "", "2.5", "", ""))
    assert (table.sheets, table.sheet) == (("Marks",), "Marks")
    assert not any("date" in note for note in table.notes), "a column of dates is one"


def test_a_date_among_other_answers_is_told_and_times_of_sending_are_not() -> None:
    sent, stray = datetime.datetime(2026, 5, 4, 9, 1), datetime.date(2026, 2, 1)
    content = workbook(
        ("Marks", [["candidate", "sent", "answer"], ["1", sent, "3/4"], ["2", sent, stray], ["3", sent, "osmosis"]])
    )
    table = read_table("a.xlsx", content)
    assert [note for note in table.notes if "date" in note] == ["1 cell holds a date: spreadsheets turn 1/2 into one."]


def test_leading_zeros_that_a_cell_format_shows_are_kept() -> None:
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["candidate", "mark"])
    book.active.append([17, 3])
    book.active["A2"].number_format = "0000"
    assert read_table("a.xlsx", saved(book)).rows == (("0017", "3"),)


def test_merged_cells_give_their_value_to_each_row_but_a_title_over_the_table_stays_a_title() -> None:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["Mock"], ["candidate", "question", "answer"], ["0417", 1, "a"], [None, 2, "b"], ["0418", 1, "c"]):
        sheet.append(row)
    sheet.merge_cells("A1:C1")
    sheet.merge_cells("A3:A4")
    table = read_table("a.xlsx", saved(book))
    assert table.columns == ("candidate", "question", "answer")
    assert table.column("candidate") == ["0417", "0417", "0418"]
    assert table.row_numbers == (3, 4, 5)


def test_a_merged_mark_is_not_given_to_the_candidate_below() -> None:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    for row in (
        ["candidate", "question", "max mark", "mark"],
        ["0417", 1, 4, 3],
        ["0418", None, None, None],
        ["0419", 2, 4, 1],
    ):
        sheet.append(row)
    for area in ("B2:B3", "C2:C3", "D2:D3"):
        sheet.merge_cells(area)
    table = read_table("a.xlsx", saved(book))
    assert table.rows == (("0417", "1", "4", "3"), ("0418", "1", "4", ""), ("0419", "2", "4", "1"))
    assert "Merged cells of marks or answers (D2): the first row alone was given the value" in " ".join(table.notes)


def test_a_formula_gives_the_value_it_shows_and_its_text_where_it_was_never_calculated() -> None:
    content = workbook(("Marks", [["candidate", "mark", "bonus"], ["1", "=1+2", "=1+1"]]))
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for part in old.namelist():
            data = old.read(part)
            if part == "xl/worksheets/sheet1.xml":  # as Excel saves it: the formula with its last value
                before, after = b"<f>1+2</f><v />", b"<f>1+2</f><v>3</v>"
                assert data.count(before) == 1
                data = data.replace(before, after)
            new.writestr(part, data)
    table = read_table("a.xlsx", out.getvalue())
    assert table.rows == (("1", "3", "=1+1"),)
    assert any("1 formula cell has no value" in note for note in table.notes)


def test_the_first_sheet_with_anything_in_it_is_read_unless_another_is_named() -> None:
    content = workbook(
        ("Cover", []),
        ("Paper 1", [["candidate", "answer"], ["1", "x"]]),
        ("Paper 2", [["candidate", "answer"], ["2", "y"]]),
    )
    assert read_table("a.xlsx", content).sheet == "Paper 1"
    assert read_table("a.xlsx", content, sheet="Paper 2").rows == (("2", "y"),)
    assert read_table("a.xlsx", content).sheets == ("Cover", "Paper 1", "Paper 2")
    with pytest.raises(IntakeError, match="no sheet “Paper 3”"):
        read_table("a.xlsx", content, sheet="Paper 3")


def test_a_workbook_is_known_by_its_content_not_its_name() -> None:
    assert read_table("a.csv", workbook(("S", [["candidate", "answer"], ["1", "x"]]))).rows == (("1", "x"),)


# Guessing the columns


@pytest.mark.parametrize(
    ("headings", "values", "expected"),
    [
        (
            "candidate,question,answer,max mark,mark scheme,mark,AI mark",
            "0017,1(a),it denatures,4,M1 shape,3,2",
            {
                "candidate": "candidate",
                "question": "question",
                "answer": "answer",
                "max_mark": "max mark",
                "mark_scheme": "mark scheme",
                "mark_1": "mark",
                "ai_mark": "AI mark",
            },
        ),
        (
            "question,student,response,human1_items,human1_total,human2_total,max_score,gpt4o_cot",
            'Q1,1,an answer,"[0, 1, 1]",2,3,3,"[0, 1, 1]"',
            {
                "candidate": "student",
                "question": "question",
                "answer": "response",
                "max_mark": "max_score",
                "mark_1": "human1_total",
                "mark_2": "human2_total",
                "ai_mark": "gpt4o_cot",
            },
        ),
        (
            "考号,题号,题目,作答,满分,评分标准,一评,二评,AI评分,题型",
            "20260017,5,光合作用为什么需要光？请结合教材和图中的信息，用不少于五十个字说明其中的主要理由，并写出反应式,因为叶绿素,6,每点2分,4,5,3,short",
            {
                "candidate": "考号",
                "question": "题号",
                "question_text": "题目",
                "answer": "作答",
                "max_mark": "满分",
                "mark_scheme": "评分标准",
                "mark_1": "一评",
                "mark_2": "二评",
                "ai_mark": "AI评分",
                "type": "题型",
            },
        ),
        (
            "StudentID,Item No,Question,Reference answer,Student answer,Out of,Marker 1,Marker 2,gpt-4o score",
            "7,2,Explain in a sentence or two why the sky is blue at noon,scattering,it scatters,2,1,2,1.5",
            {
                "candidate": "StudentID",
                "question": "Item No",
                "question_text": "Question",
                "mark_scheme": "Reference answer",
                "answer": "Student answer",
                "max_mark": "Out of",
                "mark_1": "Marker 1",
                "mark_2": "Marker 2",
                "ai_mark": "gpt-4o score",
            },
        ),
        (
            "id,question,text,max,mark,mark",
            "7,2,it scatters,2,1,2",
            {
                "candidate": "id",
                "question": "question",
                "answer": "text",
                "max_mark": "max",
                "mark_1": "mark",
                "mark_2": "mark (2)",
            },
        ),
    ],
)
def test_columns_are_recognised_by_heading_and_values(headings: str, values: str, expected: dict[str, str]) -> None:
    mapping = guess_mapping(read_table("a.csv", f"{headings}\n{values}\n".encode()))
    assert mapping.chosen() == expected
    assert mapping.why.keys() == expected.keys()


def test_a_mark_heading_over_words_is_not_taken_for_marks() -> None:
    mapping = guess_mapping(read_table("a.csv", b"candidate,question,answer,mark\n1,1,x,well done\n2,1,y,try again\n"))
    assert mapping.mark_1 is None


# Planning


def test_a_good_table_becomes_questions_responses_and_marks() -> None:
    plan = plan_of(
        "candidate,question,answer,max mark,mark scheme,mark,second mark,ai mark\n"
        "0017,3(b),the enzyme denatures,4,M1 shape,3,2,4\n"
        "0017,4,,2,,,,\n"
        "0018,3(b),it melts,4,M1 shape,0,1,0\n"
    )
    assert plan.ok
    assert [(r.row, r.candidate, r.question, r.answer) for r in plan.responses] == [
        (2, "0017", "3(b)", "the enzyme denatures"),
        (3, "0017", "4", ""),
        (4, "0018", "3(b)", "it melts"),
    ]
    assert [(q.question.number, q.question.max_mark, q.question.type, q.scheme.text) for q in plan.questions] == [
        ("3(b)", 4.0, QuestionType.SHORT, "M1 shape"),
        ("4", 2.0, QuestionType.SHORT, ""),
    ]
    assert [(m.row, m.marker, m.mark) for m in plan.human_marks] == [(2, 1, 3), (2, 2, 2), (4, 1, 0), (4, 2, 1)]
    assert [(m.row, m.mark) for m in plan.ai_marks] == [(2, 4), (4, 0)]
    assert [(entry.row, entry.level) for entry in plan.report] == [(2, "ok"), (3, "ok"), (4, "ok")]


def test_the_plan_carries_the_files_sha256() -> None:
    # sha256 of the two lines below, by sha256sum
    plan = plan_of("candidate,question,answer,max mark\n1,1,x,1\n")
    assert plan.sha256 == "34c66673042e83f0c76745fb711d8a3998b06d68887fab92e06522a0aff27f1f"


@pytest.mark.parametrize(
    ("marks", "max_mark", "step"),
    [
        (["1", "2"], "4", 1.0),
        (["1", "2.5"], "4", 0.5),
        (["1,25", "2.5"], "4", 0.25),
        (["1"], "2.5", 0.5),
        ([], "3", 1.0),
    ],
)
def test_the_mark_step_is_the_coarsest_that_all_marks_stand_on(marks: list[str], max_mark: str, step: float) -> None:
    rows = "".join(f"{number};1;x;{max_mark};{mark}\n" for number, mark in enumerate(marks or [""]))
    plan = plan_of("candidate;question;answer;max mark;mark\n" + rows)
    assert plan.ok
    assert plan.questions[0].question.mark_step == plan.questions[0].scheme.mark_step == step


def test_decimal_commas_in_a_semicolon_file_are_marks() -> None:
    plan = plan_of("candidate;question;answer;max mark;mark\n1;1;x, y;4;2,5\n")
    assert [mark.mark for mark in plan.human_marks] == [2.5]


@pytest.mark.parametrize(
    ("cell", "mark"), [("3", 3), ("3.0", 3), (" 3 ", 3), ("２", 2), ("2½", 2.5), ("½", 0.5), ("3分", 3), ("3 marks", 3)]
)
def test_marks_are_read_as_people_write_them(cell: str, mark: float) -> None:
    plan = plan_of(f"{HEADINGS}1,1,x,4,{cell},,\n")
    assert [each.mark for each in plan.human_marks] == [mark]
    assert plan.warnings == 0


@pytest.mark.parametrize("cell", ["-", "–", "Not yet graded", "not yet graded "])
def test_signs_of_no_mark_are_no_mark_with_a_warning_never_0(cell: str) -> None:
    plan = plan_of(f"{HEADINGS}1,1,x,4,{cell},,\n")
    assert plan.ok
    assert plan.human_marks == ()
    assert messages(plan, "warning") == [f"Row 2: mark by the first marker: “{cell.strip()}” was read as not marked."]


def test_a_mark_out_of_the_maximum_is_read_with_a_warning() -> None:
    plan = plan_of(f"{HEADINGS}1,1,x,5,4 / 5,,\n")
    assert plan.ok
    assert plan.human_marks[0].mark == 4
    assert messages(plan, "warning") == ["Row 2: mark by the first marker: “4 / 5” was read as 4."]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (",1,x,4,1,,", "candidate number is missing"),
        ("1, ,x,4,1,,", "question number is missing"),
        ("1,1,x,4,good,,", "first marker: “good” is not a mark"),
        ("1,1,x,4,,75%,", "second marker: “75%” is not a mark"),
        ("1,1,x,4,nan,,", "“nan” is not a mark"),
        ("1,1,x,4,1e0,,", "“1e0” is not a mark"),
        ('1,1,x,4,"1,000",,', "“1,000” is not a mark"),
        ("1,1,x,4,5,,", "first marker: 5 is outside 0 to 4"),
        ("1,1,x,4,-1,,", "-1 is outside 0 to 4"),
        ("1,1,x,4,2.3,,", "2.3 is not a whole number of quarter marks"),
        ("1,1,x,4,,,7", "an ai: 7 is outside 0 to 4"),
        ("1,1,x,4,4 / 5,,", "out of 5, but the question's maximum is 4"),
        ("1,1,x,,1,,", "question 1 has no maximum mark"),
        ("1,1,x,0,,,", "maximum mark 0 is not"),
        ("1,1,x,4.1,,,", "maximum mark 4.1 is not"),
        ("1,1,x,four,,,", "maximum mark: “four” is not a mark"),
    ],
)
def test_one_bad_row_is_named_and_nothing_at_all_is_planned(row: str, words: str) -> None:
    plan = plan_of(f"{HEADINGS}9,9,fine,3,1,2,3\n{row}\n")
    message = only_error(plan)
    assert message.startswith("Row 3: ")
    assert words in message.replace("an AI", "an ai")


def test_an_answer_that_spills_into_the_next_columns_is_an_error_even_where_only_a_blank_falls_off() -> None:
    text = "candidate,question,max mark,answer,comment\n1,1,4,no,fine\n2,1,4,yes, it does,\n3,1,4,no,\n4,1,4,no,\n"
    message = only_error(plan_of(text))
    assert message.startswith("Row 3: it has more cells than there are headings")


def test_a_delimiter_at_the_end_of_every_row_spoils_nothing() -> None:
    plan = plan_of("candidate,question,answer,max mark\n1,1,x,3,\n2,1,y,3,\n")
    assert plan.ok
    assert plan.warnings == 0


def test_a_row_that_stops_short_comes_in_with_a_warning() -> None:
    plan = plan_of(f"{HEADINGS}1,1,x,4,,,\n2,1,y\n")
    assert plan.ok
    assert messages(plan, "warning")[0].startswith("Row 3: it has fewer cells than there are headings")


def test_rows_of_one_question_must_agree_on_its_maximum() -> None:
    message = only_error(plan_of(f"{HEADINGS}1,2,x,3,,,\n2,2,y,,,,\n3,2,z,4,,,\n"))
    assert message.startswith("Row 4: ")
    assert "is 4 here but 3 in row 2" in message


def test_rows_of_one_question_must_agree_on_its_mark_scheme() -> None:
    text = "candidate,question,answer,max mark,mark scheme\n1,2,x,3,M1 gradient\n2,2,y,3,\n3,2,z,3,M1 slope\n"
    message = only_error(plan_of(text))
    assert message.startswith("Row 4: the mark scheme of question 2 differs from row 2")


def test_a_maximum_given_for_all_rows_fills_only_questions_that_have_none() -> None:
    plan = plan_of(f"{HEADINGS}1,1,x,3,,,\n1,2,y,,6,,\n", Defaults(max_mark=6))
    assert {q.question.number: q.question.max_mark for q in plan.questions} == {"1": 3.0, "2": 6.0}


def test_a_table_of_one_question_needs_no_question_column() -> None:
    plan = plan_of("candidate,answer,max mark\n1,x,3\n2,y,3\n", Defaults(question="7(a)"))
    assert plan.ok
    assert {response.question for response in plan.responses} == {"7(a)"}


def test_the_same_row_twice_is_skipped_with_a_warning() -> None:
    plan = plan_of(f"{HEADINGS}1,1,x,4,3,,\n2,1,y,4,1,,\n1,1,x,4,3,,\n")
    assert plan.ok
    assert len(plan.responses) == len(plan.human_marks) == 2
    assert messages(plan, "warning") == [
        "Row 4: candidate 1's question 1 is in row 2 already, with the same content. This row was skipped."
    ]


@pytest.mark.parametrize(("answer", "mark", "words"), [("z", "3", "another answer"), ("x", "2", "other marks")])
def test_a_repeated_response_that_differs_is_an_error(answer: str, mark: str, words: str) -> None:
    message = only_error(plan_of(f"{HEADINGS}1,1,x,4,3,,\n1,1,{answer},4,{mark},,\n"))
    assert message.startswith("Row 3: candidate 1's question 1 is in row 2 already")
    assert words in message


def problems_of(rows: str) -> str:
    plan = plan_of(f"{HEADINGS}{rows}")
    assert not plan.ok
    assert plan.responses == ()
    return " ".join(entry.message for entry in plan.report if entry.level == "error")


@pytest.mark.parametrize(("one", "other"), [("007", "7"), ("a12", "A12"), ("B 7", "B7")])
def test_candidates_that_a_reader_takes_for_one_are_refused(one: str, other: str) -> None:
    said = problems_of(f"{one},1,x,4,,,\n{other},1,y,4,,,\n")
    assert f"Row 3: candidate “{other}” is written almost as “{one}” in row 2" in said


@pytest.mark.parametrize(("one", "other"), [("3(b)", "3b"), ("3b", "3(B)"), ("Q4", "4")])
def test_questions_that_a_reader_takes_for_one_are_refused(one: str, other: str) -> None:
    said = problems_of(f"1,{one},x,4,,,\n1,{other},y,4,,,\n")
    assert f"Row 3: question “{other}” is written almost as “{one}” in row 2" in said


def test_full_width_and_invisible_characters_make_no_other_candidate() -> None:
    plan = plan_of(f"{HEADINGS}0417,1,x,4,,,\n０４１７,2,y,4,,,\n0417\u200b,3(b),z,4,,,\n")
    assert [(each.candidate, each.question) for each in plan.responses] == [
        ("0417", "1"),
        ("0417", "2"),
        ("0417", "3(b)"),
    ]


def test_the_type_column_is_read_in_words() -> None:
    text = "candidate,question,answer,max mark,type\n1,1,B,1,Single choice\n1,2,y,6,\n"
    assert [q.question.type for q in plan_of(text).questions] == [QuestionType.SINGLE_CHOICE, QuestionType.SHORT]
    message = only_error(plan_of("candidate,question,answer,max mark,type\n1,1,B,1,riddle\n"))
    assert "“riddle” is not a question type" in message


@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        ({"question": "q", "answer": "a", "max_mark": "m"}, "Choose the column that holds the candidate number."),
        ({"candidate": "c", "answer": "a", "max_mark": "m"}, "question number, or give it for all rows."),
        ({"candidate": "c", "question": "q", "answer": "a"}, "maximum mark, or give it for all rows."),
        ({"candidate": "c", "question": "q", "answer": "a", "max_mark": "zz"}, "There is no column “zz”."),
        ({"candidate": "c", "question": "q", "answer": "q", "max_mark": "m"}, "Column “q” is chosen for both"),
    ],
)
def test_a_mapping_that_cannot_work_is_said_before_any_row(mapping: dict[str, str], words: str) -> None:
    assert words in only_error(plan_of("c,q,a,m\n1,1,x,3\n", **mapping))


def test_the_report_file_says_every_row_and_holds_no_formula() -> None:
    plan = plan_of(f"{HEADINGS}1,1,x,4,3,,\n2,1,y,4,5,,\n")
    shown = list(csv.reader(io.StringIO(report_csv(plan).decode("utf-8-sig"), newline="")))
    assert shown[0] == ["row", "result", "message"]
    assert [line[:2] for line in shown[1:]] == [["2", "ok"], ["3", "error"]]
    dangerous = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1"]
    hostile = ImportPlan(
        "a.csv", None, "", (), (), (), (), tuple(RowReport(n, "error", text) for n, text in enumerate(dangerous))
    )
    shown = list(csv.reader(io.StringIO(report_csv(hostile).decode("utf-8-sig"), newline="")))
    assert [line[2] for line in shown[1:]] == [f"'{text}" for text in dangerous]


def test_reading_and_planning_a_whole_year_groups_marks_takes_well_under_three_seconds() -> None:
    out = io.StringIO()
    out.write(HEADINGS)
    for number in range(32_534):
        out.write(f'{number // 14:05d},{number % 14},"the enzyme’s shape, changed {number}",4,{number % 5},1,2\n')
    content = out.getvalue().encode()
    start = time.process_time()
    table = read_table("a.csv", content)
    plan = plan_import(table, guess_mapping(table))
    assert time.process_time() - start < 3
    assert plan.ok
    assert len(plan.responses) == 32_534


def test_importing_intake_loads_neither_pandas_nor_openpyxl() -> None:
    code = "import components.intake, sys; print([m for m in ('pandas', 'openpyxl', 'streamlit') if m in sys.modules])"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# Real files


@pytest.mark.skipif(not SHARED.exists(), reason="shared data absent")
def test_the_physics_table_of_two_raters_comes_in_as_it_is() -> None:
    table = read_table("physics_flat.csv", (SHARED / "physics_two_raters" / "physics_flat.csv").read_bytes())
    mapping = guess_mapping(table)
    assert mapping.chosen() == {
        "candidate": "student",
        "question": "question",
        "answer": "response",
        "max_mark": "max_score",
        "mark_1": "human1_total",
        "mark_2": "human2_total",
    }
    plan = plan_import(table, mapping)
    assert plan.ok
    assert [(q.question.number, q.question.max_mark, q.question.mark_step) for q in plan.questions] == [
        ("Q1", 3.0, 1.0),
        ("Q2", 3.0, 1.0),
        ("Q3", 3.0, 1.0),
    ]
    assert len(plan.responses) == 89
    assert len(plan.human_marks) == 178


def gaokao_table(kind: str) -> tuple[bytes, list[dict[str, Any]]]:
    """Both runs of one subject, two teachers' marks each, as the CSV a school would keep, in Chinese headings."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(["考生", "题号", "题干", "作答", "满分", "参考答案", "一评", "二评"])
    items: list[dict[str, Any]] = []
    for run in ("run1", "run2"):
        path = SHARED / "gaokao_bench" / "human_double_marked" / run / f"gpt-3.5-turbo_{kind}.json"
        for item in json.loads(path.read_text(encoding="utf-8"))["example"]:
            first, second = item["correction_score"]
            answer = item["model_output"]
            row = [run, item["index"], item["question"], answer, item["score"], item["answer"], first, second]
            writer.writerow(row)
            items.append(item)
    return out.getvalue().encode("utf-8-sig"), items


@pytest.mark.skipif(not SHARED.exists(), reason="shared data absent")
def test_a_gaokao_subject_marked_by_two_teachers_comes_in_as_it_is() -> None:
    content, items = gaokao_table("2010-2022_Biology_Open-ended_Questions")
    table = read_table("gaokao.csv", content)
    plan = plan_import(table, guess_mapping(table), Defaults(language="zh"))
    assert messages(plan, "error") == messages(plan, "warning") == []
    assert [response.answer for response in plan.responses] == [item["model_output"] for item in items]
    assert [mark.mark for mark in plan.human_marks] == [mark for item in items for mark in item["correction_score"]]
    assert {q.question.language for q in plan.questions} == {"zh"}


@pytest.mark.skipif(not SHARED.exists(), reason="shared data absent")
def test_the_two_history_items_that_each_run_holds_twice_come_in_once() -> None:
    content, items = gaokao_table("2010-2022_History_Open-ended_Questions")
    table = read_table("gaokao.csv", content)
    plan = plan_import(table, guess_mapping(table))
    assert plan.ok
    assert len(items) == 260
    assert len(plan.responses) == 256
    assert len([message for message in messages(plan, "warning") if "was skipped" in message]) == 4

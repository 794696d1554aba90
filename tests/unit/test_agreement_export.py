from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path

import openpyxl
import pytest

from components.marking import Marker, Outcome, Question, QuestionType, Role, Scheme, Stage
from components.workflow.agreement.export import csv_bytes, csv_zip, workbook
from components.workflow.agreement.figures import exam_figures
from components.workflow.agreement.handout import handout
from components.workflow.agreement.pair_table import adjudications, pair_rows_table
from components.workflow.agreement.selection import Selection
from components.workflow.agreement.tables import Table, named
from storage import Store, decisions, exams, proposals
from tests.support import add_exam, add_marker, new_store, propose_points

POINTS: dict[int, tuple[str, ...]] = {0: (), 1: ("M1",), 2: ("M1", "A1")}

# Worked by hand: d = 0 −1 0 0 −1 0 0 0 1 2, QWK = 1 − 70/118 (see test_workflow_agreement).
AI = [0, 0, 1, 1, 1, 2, 2, 2, 2, 2]
TEACHER = [0, 1, 1, 1, 2, 2, 2, 2, 1, 0]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def teacher(store: Store) -> Marker:
    return add_marker(store)


@pytest.fixture
def head(store: Store) -> Marker:
    return add_marker(store, "Dr Ferris", Role.HEAD)


def give(
    store: Store,
    response_id: int,
    marker: Marker,
    mark: float,
    stage: Stage = Stage.BLIND,
    proposal: int = 0,
    comment: str = "",
) -> int:
    with store.write() as db:
        if proposal and stage is Stage.AI_FIRST:
            proposals.record_sighting(db, response_id, marker.id, proposal)
        return decisions.record(
            db,
            response_id,
            marker.id,
            Outcome.MARK,
            stage,
            mark=mark,
            comment=comment,
            proposal_id=proposal or None,
            marks_hidden=stage is Stage.ADJUDICATED,
        ).decision_id


def marked_exam(
    store: Store, teacher: Marker, ai: list[int], marks: list[int], **options: str
) -> tuple[int, list[int], list[int]]:
    """(exam, responses, proposals): one question out of 2, all marked blind."""
    exam_id, (ids,) = add_exam(store, [[f"answer {i}" for i in range(len(ai))]], **options)  # type: ignore[arg-type]
    made = [propose_points(store, r, POINTS[mark]) for r, mark in zip(ids, ai, strict=True)]
    for response_id, proposal, mark in zip(ids, made, marks, strict=True):
        give(store, response_id, teacher, mark, proposal=proposal)
    return exam_id, ids, made


def tables_of(store: Store, exam_id: int, viewer: Marker) -> tuple[Table, ...]:
    return handout(store, exam_figures(store, Selection(exam_id)), viewer).tables


def row_of(table: Table, at: int = 0) -> dict[str, object]:
    return dict(zip(table.columns, table.rows[at], strict=True))


def test_the_tables_hold_the_figures_worked_by_hand(store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, _, _ = marked_exam(store, teacher, AI, TEACHER)
    tables = named(tables_of(store, exam_id, head))
    row = row_of(tables["By question"])
    assert row["QWK"] == pytest.approx(1 - 70 / 118, abs=1e-6)
    assert row["QWK whatever n"] == row["QWK"]
    assert (row["Pairs"], row["Blind"], row["Imported"], row["Standing"]) == (10, 10, 0, "provisional")
    assert (row["Exact"], row["Within tolerance"]) == (0.6, 0.6)
    # Wilson's interval of 6 in 10: (6 + z²/2)/(10 + z²) ± z/(10 + z²) · √(6·4/10 + z²/4), z = 1.95996.
    assert (row["Exact from"], row["Exact to"]) == pytest.approx((0.312674, 0.831820), abs=1e-5)
    assert row["MAE"] == 0.5
    assert row["RMSE"] == pytest.approx(0.7**0.5, abs=1e-6)
    assert (row["Mean difference"], row["Bias %"]) == (0.1, 5.0)
    assert row["SD"] == pytest.approx((6.9 / 9) ** 0.5, abs=1e-6)
    assert row["Upper limit"] == pytest.approx(0.1 + 1.96 * (6.9 / 9) ** 0.5, abs=1e-6)
    assert set(tables["Mark by mark"].rows) == {
        ("1", 0, 0, 1),
        ("1", 0, 1, 1),
        ("1", 1, 1, 2),
        ("1", 1, 2, 1),
        ("1", 2, 2, 3),
        ("1", 2, 1, 1),
        ("1", 2, 0, 1),
    }
    confidence = row_of(tables["By confidence"])
    assert (confidence["Confidence"], confidence["Pairs"], confidence["Outside tolerance"]) == ("fairly sure", 10, 4)
    assert confidence["Share outside"] == 0.4


def test_the_tables_tell_bias_by_mark_range_and_how_far_the_blind_sample_is(
    store: Store, teacher: Marker, head: Marker
) -> None:
    exam_id, _, _ = marked_exam(store, teacher, AI, TEACHER)
    with store.write() as db:
        exams.set_blind(db, exam_id, True, head.id)
    tables = named(tables_of(store, exam_id, head))
    # Means of both marks 0 .5 | 1 1 1 | 1.5 1.5 2 2 2: the low third ends below 2/3, the high one begins at 4/3.
    assert [row[:2] for row in tables["By mark range"].rows] == [
        ("low third", 2),
        ("middle third", 3),
        ("high third", 5),
    ]
    # d: 0 −1 | 0 0 2 | −1 1 0 0 0, in % of 2 marks.
    assert [row[2] for row in tables["By mark range"].rows] == pytest.approx([-25, 100 / 3, 0], abs=1e-5)
    assert tables["Blind sample"].rows == (("1", 10, 1.0, 10),)


def test_the_tables_say_what_the_screen_says(store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, _, _ = marked_exam(store, teacher, AI, TEACHER)
    figures = exam_figures(store, Selection(exam_id))
    overview = {(row[0], row[1]): row for row in named(tables_of(store, exam_id, head))["Overview"].rows}
    qwk, exact = figures.overall.agreement.qwk, figures.overall.agreement.exact
    assert qwk.interval is None or overview["All", "QWK"][3:5] == pytest.approx((qwk.interval.low, qwk.interval.high))
    assert overview["All", "QWK"][2] == pytest.approx(qwk.value)
    assert overview["All", "Exactly the same"][2] == exact.value
    assert overview["All", "Mean difference in marks"][2] == pytest.approx(figures.overall.mean_signed.value)
    assert overview["All", "Standing"][6] == figures.overall.agreement.sentence


def test_under_ten_pairs_only_the_raw_column_has_a_kappa(store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, _, _ = marked_exam(store, teacher, [0, 1, 2, 2], [0, 1, 2, 1])
    tables = named(tables_of(store, exam_id, head))
    row = row_of(tables["By question"])
    assert [row[name] for name in ("QWK", "QWK from", "QWK to", "Linear kappa", "AC2", "Alpha")] == [None] * 6
    # Σd² = 1, Σx = 5, Σx² = 9, Σy = 4, Σy² = 6: 1 − 4·1/(4·9 + 4·6 − 2·5·4).
    assert row["QWK whatever n"] == pytest.approx(1 - 4 / 20)
    assert (row["Exact"], row["Mean difference"], row["Standing"]) == (0.75, 0.25, "too few")
    kappas = [each for each in tables["Overview"].rows if str(each[1]).startswith("QWK")]
    assert [each[2] for each in kappas] == [None, None, None]


def test_marks_given_with_the_proposal_in_view_stand_in_tables_of_their_own(
    store: Store, teacher: Marker, head: Marker
) -> None:
    exam_id, (ids,) = add_exam(store, [["a", "b", "c", "d"]])
    made = [propose_points(store, r, ("M1",)) for r in ids]
    for response_id, proposal, mark in zip(ids, made, [1, 1, 2, 0], strict=True):
        give(store, response_id, teacher, mark, Stage.AI_FIRST, proposal)
    tables = named(tables_of(store, exam_id, head))
    row = row_of(tables["Accept rate and pace"])
    assert (row["Marked in view"], row["Accepted"], row["Accept rate"]) == (4, 2, 0.5)
    assert (row["Put up"], row["Put down"]) == (1, 1)
    assert row_of(tables["By question"])["Pairs"] == 0
    assert tables["Mark by mark"].rows == ()


def test_every_table_is_in_both_files_with_the_same_cells(store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, _, _ = marked_exam(store, teacher, AI, TEACHER)
    tables = tables_of(store, exam_id, head)
    with zipfile.ZipFile(io.BytesIO(csv_zip(tables))) as archive:
        assert archive.namelist() == [f"{table.name}.csv" for table in tables]
        raw = archive.read("By question.csv")
    book = openpyxl.load_workbook(io.BytesIO(workbook(tables)))
    assert book.sheetnames == [table.name for table in tables]
    assert raw.startswith(b"\xef\xbb\xbf")
    from_csv = next(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"))))
    sheet = book["By question"]
    from_sheet = dict(zip((c.value for c in sheet[1]), (c.value for c in sheet[2]), strict=True))
    assert float(from_csv["QWK"]) == from_sheet["QWK"] == row_of(named(tables)["By question"])["QWK"]
    assert from_sheet["Pairs"] == 10
    assert sheet["A1"].font.bold
    assert sheet.freeze_panes == "B2"


def test_the_same_tables_make_the_same_files(store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, _, _ = marked_exam(store, teacher, AI, TEACHER)
    tables = tables_of(store, exam_id, head)
    assert workbook(tables) == workbook(tables)
    assert csv_zip(tables) == csv_zip(tables)
    assert b"1980-01-01T00:00:00Z" in zipfile.ZipFile(io.BytesIO(workbook(tables))).read("docProps/core.xml")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", " =", "＝", "＋", "－", "＠"])
def test_text_that_a_spreadsheet_would_run_is_made_harmless_and_numbers_stay_numbers(start: str) -> None:
    table = Table("T", ("=A", "n"), ((f"{start}HYPERLINK(1)", -1.5), ("plain, with \x00 and a ☃", None)))
    rows = list(csv.reader(io.StringIO(csv_bytes(table).decode("utf-8-sig"), newline="")))
    assert rows[0] == ["'=A", "n"]
    assert rows[1] == [f"'{start}HYPERLINK(1)", "-1.5"]
    sheet = openpyxl.load_workbook(io.BytesIO(workbook([table])))["T"]
    assert str(sheet["A2"].value).startswith("'")
    assert sheet["A2"].data_type == "s"
    assert sheet["B2"].value == -1.5
    assert sheet["A3"].value == "plain, with  and a ☃"


def test_a_hostile_exam_title_is_harmless_in_the_files(store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, _, _ = marked_exam(store, teacher, AI, TEACHER, title="=cmd|'/c calc'!A1")
    tables = tables_of(store, exam_id, head)
    sheet = openpyxl.load_workbook(io.BytesIO(workbook(tables)))["About"]
    assert sheet["B2"].value == "'=cmd|'/c calc'!A1"
    assert sheet["B2"].data_type == "s"


def test_every_pair_is_a_row_with_names_for_the_head_alone(store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, ids, _ = marked_exam(store, teacher, [2, 1], [1, 1])
    lead = add_marker(store, "Pilot lead", Role.PILOT)
    row = row_of(pair_rows_table(store, Selection(exam_id), head))
    assert (row["Kind"], row["Response"], row["Candidate"], row["Question"]) == ("agreement", ids[0], "0001", "1")
    assert (row["AI mark"], row["Teacher mark"], row["Difference"], row["Maximum"]) == (2, 1, 1, 2)
    assert (row["Stage"], row["Confidence"], row["Marker"]) == ("blind", "fairly sure", "Ms Khan")
    assert "Offline" in str(row["Judge"])
    assert {each[11] for each in pair_rows_table(store, Selection(exam_id), lead).rows} == {"teacher 1"}


def test_a_teacher_gets_no_pair_of_a_response_they_have_not_marked(store: Store, teacher: Marker) -> None:
    exam_id, ids, made = marked_exam(store, teacher, [2, 1], [1, 1])
    other = add_marker(store, "Mr Osei")
    assert pair_rows_table(store, Selection(exam_id), other).rows == ()
    give(store, ids[1], other, 2, proposal=made[1])
    assert [row[1] for row in pair_rows_table(store, Selection(exam_id), other).rows] == [ids[1]]


def test_who_has_taken_a_pair_away_marks_it_blind_no_more(store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, ids, made = marked_exam(store, teacher, [2], [1])
    with store.read() as db:
        assert not proposals.seen_by(db, ids[0], head.id, made[0])
    pair_rows_table(store, Selection(exam_id), head)
    with store.read() as db:
        assert proposals.seen_by(db, ids[0], head.id, made[0])
        assert not proposals.seen_by(db, ids[0], teacher.id, made[0])


def test_adjudications_say_all_marks_and_what_stands(store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, ids, _ = marked_exam(store, teacher, [2, 1], [0, 1])
    give(store, ids[0], head, 1, Stage.ADJUDICATED, comment="M1 only.")
    row = row_of(adjudications(store, Selection(exam_id), head))
    assert (row["Question"], row["Candidate"], row["AI mark"], row["Teachers' marks"]) == ("1", "0001", 2, "Ms Khan: 0")
    assert (row["Adjudicator's mark"], row["Mark that stands"], row["Marks hidden"]) == (1, 1, "yes")
    assert (row["Reason"], row["Adjudicator"]) == ("M1 only.", "Dr Ferris")


def test_adjudications_name_nobody_to_others_and_hide_what_a_teacher_may_still_mark(
    store: Store, teacher: Marker, head: Marker
) -> None:
    exam_id, ids, _ = marked_exam(store, teacher, [2, 1], [0, 1])
    give(store, ids[0], head, 1, Stage.ADJUDICATED, comment="M1 only.")
    other = add_marker(store, "Mr Osei")
    row = row_of(adjudications(store, Selection(exam_id), teacher))
    assert (row["Teachers' marks"], row["Adjudicator"]) == ("teacher 1: 0", "teacher 2")
    assert adjudications(store, Selection(exam_id), other).rows == ()
    assert "Ms Khan" not in str(tables_of(store, exam_id, other))


def test_tables_keep_to_the_selection(store: Store, teacher: Marker, head: Marker) -> None:
    questions = [
        (Question(number=number, type=QuestionType.SHORT, text="Why?", max_mark=2), Scheme(max_mark=2))
        for number in ("1", "2")
    ]
    exam_id, rows = add_exam(store, [["x"], ["y"]], questions=questions)
    for ids in rows:
        give(store, ids[0], teacher, 1)
    part = Selection(exam_id, questions=("2",))
    tables = named(handout(store, exam_figures(store, part), head).tables)
    assert [row[0] for row in tables["By question"].rows] == ["2"]
    assert ("Selection", "Question 2") in tables["About"].rows
    assert ("Responses", 1) in tables["About"].rows


def test_an_exam_that_is_gone_is_said_so(store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, _, _ = marked_exam(store, teacher, [1], [1])
    with store.write() as db:
        exams.archive(db, exam_id, None, "test")
    for gone in (pair_rows_table, adjudications):
        with pytest.raises(LookupError, match=f"no exam {exam_id}"):
            gone(store, Selection(exam_id), head)

"""Importing a table as an exam: all of it or nothing, once, undoable, and whatever stops the process in between."""

from __future__ import annotations

import csv
import io
import json
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from components.intake import Defaults, ImportPlan, Mapping, PlannedAIMark, guess_mapping, plan_import, read_table
from components.marking import MarkError, Outcome, ProposalStatus, Role, Stage
from components.workflow import opening
from components.workflow.import_table import Imported, import_plan, undo_import, why_not
from storage import Store, decisions, events, exams, imports, jobs, judges, markers, pairs, proposals, responses
from storage import standings as stored_standings
from tests.support import (
    SHARED_DATA,
    abstain_on,
    add_exam,
    add_marker,
    new_store,
    propose_points,
    two_point_question,
)

ROOT = Path(__file__).parents[2]
PHYSICS = SHARED_DATA / "physics_two_raters" / "physics_flat.csv"
GAOKAO = SHARED_DATA / "gaokao_bench" / "human_double_marked"
NAMES = {"first_marker_name": "Rater one", "second_marker_name": "Rater two"}

SMALL = """candidate,question,answer,max mark,mark scheme,mark 1,mark 2,AI mark
0417,1,because it is denatured,4,One mark each,3,2,4
0418,1,,4,One mark each,0,,0
0417,2,12.5,2,,1.5,2,2
"""


def plan_of(text: str, name: str = "mock.csv", defaults: Defaults | None = None) -> ImportPlan:
    table = read_table(name, text.encode())
    return plan_import(table, guess_mapping(table), defaults)


def imported(store: Store, plan: ImportPlan, **given: Any) -> Imported:
    return import_plan(store, plan, **{"title": "Mock", "marker": None, **NAMES, **given})


def marks_in_store(store: Store, exam_id: int) -> dict[tuple[str, str], dict[str, float | None]]:
    """Every imported mark by (candidate, question), by marker's name."""
    found: dict[tuple[str, str], dict[str, float | None]] = {}
    with store.read() as db:
        for question in exams.questions(db, exam_id):
            for response in responses.of_question(db, question.id):
                live = decisions.live(db, response.id)
                assert all(decision.stage is Stage.IMPORTED for decision in live)
                key = (response.candidate_number, question.question.number)
                found[key] = {decision.marker_name: decision.mark for decision in live}
    return found


def answers_in_store(store: Store, exam_id: int) -> dict[tuple[str, str], str]:
    with store.read() as db:
        return {
            (response.candidate_number, question.question.number): response.text
            for question in exams.questions(db, exam_id)
            for response in responses.of_question(db, question.id)
        }


def everything(store: Store) -> dict[str, int]:
    """How many rows each table has."""
    with store.read() as db:
        return {name: db.execute(f"SELECT count(*) FROM [{name}]").fetchone()[0] for name in db.table_names()}


def test_a_small_table_becomes_an_exam_with_its_answers_marks_and_schemes(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    marker = add_marker(store)
    made = imported(store, plan_of(SMALL), title=" Year 11 mock ", marker=marker)
    assert (made.questions, made.candidates, made.responses, made.human_marks, made.ai_marks) == (2, 2, 3, 5, 3)
    assert marks_in_store(store, made.exam_id) == {
        ("0417", "1"): {"Rater one": 3, "Rater two": 2},
        ("0418", "1"): {"Rater one": 0},
        ("0417", "2"): {"Rater one": 1.5, "Rater two": 2},
    }
    assert answers_in_store(store, made.exam_id) == {
        ("0417", "1"): "because it is denatured",
        ("0418", "1"): "",
        ("0417", "2"): "12.5",
    }
    with store.read() as db:
        (summary,) = exams.summaries(db)
        assert (summary.exam.title, summary.responses, summary.candidates) == ("Year 11 mock", 3, 2)
        assert summary.marked == 0, "imported marks are not marks given on this desk"
        first, second = exams.questions(db, made.exam_id)
        assert (first.question.max_mark, first.question.mark_step, first.scheme.text) == (4, 1, "One mark each")
        assert (second.question.max_mark, second.question.mark_step) == (2, 0.5)
        assert {profile.name for profile in markers.profiles(db)} == {"Ms Khan"}, "raters are nobody's profile here"
        assert ("table imported", "Ms Khan") in [(event.kind, event.marker_name) for event in events.latest(db)]


def test_ai_marks_stand_on_the_desk_as_proposals_that_say_where_they_come_from(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    made = imported(store, plan_of(SMALL))
    with store.read() as db:
        exam = exams.get(db, made.exam_id)
        assert exam is not None
        assert exam.judge_id is not None
        judge = judges.get(db, exam.judge_id)
        assert judge is not None
        assert (judge.kind, judge.name) == (judges.IMPORTED, "Imported AI mark (mock.csv)")
        question = exams.questions(db, made.exam_id)[0]
        standing = stored_standings.get(db, responses.of_question(db, question.id)[0].id)
        assert standing is not None
        assert standing.proposal_id is not None
        proposal = proposals.get(db, standing.proposal_id).proposal
        assert (proposal.status, proposal.mark) == (ProposalStatus.PROPOSED, 4)
        assert "imported from mock.csv" in proposal.label
        # AI 4 with 2, the later of 3 and 2; AI 0 with 0; AI 2 with 2, the later of 1.5 and 2.
        counted = [
            (cell.question_id, cell.ai, cell.teacher, cell.n)
            for cell in pairs.cells(db, pairs.AGREEMENT, pairs.Wanted(exam.id))
        ]
        first, second = (stored.id for stored in exams.questions(db, exam.id))
        assert counted == [(first, 0, 0, 1), (first, 4, 2, 1), (second, 2, 2, 1)]
        assert pairs.cells(db, pairs.ACCEPT, pairs.Wanted(exam.id)) == []
        assert jobs.active(db) == []


def test_the_offline_judge_proposes_where_the_table_has_no_ai_marks_or_where_it_is_chosen(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    without = imported(store, plan_of("candidate,question,answer,max mark\n1,1,yes,1\n", "plain.csv"))
    beside = imported(store, plan_of(SMALL), judge="offline")
    with store.read() as db:
        for made in (without, beside):
            exam = exams.get(db, made.exam_id)
            assert exam is not None
            assert exam.judge_id is not None
            judge = judges.get(db, exam.judge_id)
            assert judge is not None
            assert judge.kind == judges.OFFLINE
        queued = [(job.kind, job.payload) for job in jobs.active(db)]
        assert queued == [("propose", {"exam_id": made.exam_id}) for made in (without, beside)]
        judged = {cell.judge_id for cell in pairs.cells(db, pairs.AGREEMENT, pairs.Wanted(beside.exam_id))}
        assert len(judged) == 1, "the table's AI marks still count in agreement"


@pytest.mark.skipif(not PHYSICS.exists(), reason="the shared data is not beside the repository")
def test_the_physics_table_is_stored_with_both_raters_marks(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    table = read_table(PHYSICS.name, PHYSICS.read_bytes())
    made = imported(store, plan_import(table, guess_mapping(table)))
    with PHYSICS.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert made.responses == len(rows) == 89
    assert marks_in_store(store, made.exam_id) == {
        (row["student"], row["question"]): {
            "Rater one": float(row["human1_total"]),
            "Rater two": float(row["human2_total"]),
        }
        for row in rows
    }
    assert {key: text.strip() for key, text in answers_in_store(store, made.exam_id).items()} == {
        (row["student"], row["question"]): row["response"].replace("\r\n", "\n").strip() for row in rows
    }


@pytest.mark.skipif(not GAOKAO.exists(), reason="the shared data is not beside the repository")
@pytest.mark.parametrize(
    ("paper", "as_workbook"),
    [("2014-2022_English_Language_Cloze_Passage", True), ("2010-2022_Chinese_Language_Literary_Text_Reading", False)],
)
def test_a_gaokao_paper_as_a_table_is_stored_with_both_teachers_marks(
    tmp_path: Path, paper: str, as_workbook: bool
) -> None:
    store = new_store(tmp_path)
    items = {run: gaokao_items(paper, run) for run in ("run1", "run2")}
    content = gaokao_table(items, as_workbook=as_workbook)
    table = read_table("gaokao.xlsx" if as_workbook else "gaokao.csv", content)
    plan = plan_import(table, guess_mapping(table))
    assert plan.ok, [entry.message for entry in plan.report if entry.level == "error"]
    made = imported(store, plan)
    expected = {
        (run, str(item["index"])): {
            name: float(mark)
            for name, mark in zip(("Rater one", "Rater two"), item["correction_score"], strict=True)
            if mark is not None
        }
        for run, listed in items.items()
        for item in listed
    }
    assert marks_in_store(store, made.exam_id) == expected
    assert made.human_marks == sum(len(marks) for marks in expected.values())
    with store.read() as db:
        by_number = {stored.question.number: stored for stored in exams.questions(db, made.exam_id)}
    for item in items["run1"]:
        stored = by_number[str(item["index"])]
        assert stored.question.max_mark == item["score"]
        assert stored.question.text.split() == item["question"].split()


def gaokao_items(paper: str, run: str) -> list[dict[str, Any]]:
    file = GAOKAO / run / f"gpt-3.5-turbo_{paper}.json"
    items: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["example"]
    return items


def gaokao_table(items: dict[str, list[dict[str, Any]]], *, as_workbook: bool) -> bytes:
    """Each run of the model as one candidate, each item as one question."""
    rows: list[list[Any]] = [
        ["candidate", "question", "question text", "answer", "max mark", "mark scheme", "teacher 1", "teacher 2"]
    ]
    for run, listed in items.items():
        for item in listed:
            answer = str(item["answer"])
            texts = [run, item["index"], item["question"], item["model_output"], item["score"], answer]
            rows.append([*texts, *item["correction_score"]])
    if not as_workbook:
        out = io.StringIO(newline="")
        csv.writer(out).writerows(rows)
        return out.getvalue().encode()
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def test_a_plan_with_one_error_row_stores_nothing(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    imported(store, plan_of("candidate,question,answer,max mark\n1,1,yes,1\n", "earlier.csv"))
    before = everything(store)
    plan = plan_of(SMALL + "0419,1,too good,4,,5,4,4\n")
    with pytest.raises(MarkError, match="1 error"):
        imported(store, plan)
    assert everything(store) == before


@pytest.mark.parametrize("tampered", ["human", "ai"])
def test_a_mark_off_its_scale_is_refused_at_the_stores_own_border_and_nothing_stays(
    tmp_path: Path, tampered: str
) -> None:
    store = new_store(tmp_path)
    imported(store, plan_of("candidate,question,answer,max mark\n1,1,yes,1\n", "earlier.csv"))
    before = everything(store)
    plan = plan_of(SMALL)
    if tampered == "human":
        wrong = replace(plan, human_marks=(*plan.human_marks[:-1], replace(plan.human_marks[-1], mark=2.25)))
        message = "Candidate 0417, question 2: 2.25 is outside 0 to 2"
    else:
        wrong = replace(plan, ai_marks=(*plan.ai_marks[:-1], PlannedAIMark(plan.ai_marks[-1].row, 7)))
        message = "Question 2, AI mark: .*7 is outside 0 to 2"
    with pytest.raises(MarkError, match=message):
        imported(store, wrong)
    assert everything(store) == before


def test_the_same_file_is_imported_once_until_that_import_is_undone(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    plan = plan_of(SMALL)
    assert why_not(store, plan) == ""
    first = imported(store, plan, title="Spring mock")
    before = everything(store)
    assert "Spring mock" in why_not(store, plan)
    with pytest.raises(MarkError, match=r"mock\.csv.*imported already.*Spring mock"):
        imported(store, plan, title="Another")
    with pytest.raises(MarkError, match="imported already"):
        imported(store, replace(plan, file_name="renamed.csv"), title="Another")
    assert everything(store) == before
    undo_import(store, first.import_id, None)
    again = imported(store, plan, title="Another")
    assert again.exam_id != first.exam_id


def test_another_sheet_of_the_same_workbook_is_another_import(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    book = openpyxl.Workbook()
    for sheet in (book.active, book.create_sheet("Paper 2")):
        for row in (["candidate", "question", "answer", "max mark"], ["1", "1", f"on {sheet.title}", 2]):
            sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    for sheet in ("Sheet", "Paper 2"):
        table = read_table("papers.xlsx", buffer.getvalue(), sheet)
        made = imported(store, plan_import(table, guess_mapping(table)), title=sheet)
        assert answers_in_store(store, made.exam_id) == {("1", "1"): f"on {sheet}"}
        with pytest.raises(MarkError, match=f"sheet {sheet}"):
            imported(store, plan_import(table, guess_mapping(table)))


def test_undoing_an_import_takes_its_exam_and_jobs_away_and_keeps_the_marks_on_record(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    marker = add_marker(store)
    made = imported(store, plan_of(SMALL), judge="offline")
    before = everything(store)
    undo_import(store, made.import_id, marker)
    with store.read() as db:
        assert exams.listed(db) == []
        assert imports.listed(db) == []
        assert jobs.active(db) == []
        told = [(event.kind, event.marker_name, event.body) for event in events.latest(db)]
    assert told[0] == ("exam archived", "Ms Khan", {"why": "import of mock.csv undone"})
    after = everything(store)
    assert {name: after[name] for name in ("responses", "decisions", "proposals")} == {
        name: before[name] for name in ("responses", "decisions", "proposals")
    }
    undo_import(store, made.import_id, marker)
    assert everything(store) == after, "undoing it again does nothing"


def test_raters_keep_their_record_over_imports_but_are_never_a_profile(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    add_marker(store, "Ms Khan", Role.HEAD)
    before = everything(store)
    with pytest.raises(MarkError, match="ms khan is a profile here"):
        imported(store, plan_of(SMALL), first_marker_name="ms  khan")
    with pytest.raises(MarkError, match="the same name"):
        imported(store, plan_of(SMALL), second_marker_name="rater ONE")
    with pytest.raises(MarkError, match="second marker in the table a name"):
        imported(store, plan_of(SMALL), second_marker_name=" ")
    assert {**everything(store), "judges": 0} == {**before, "judges": 0}
    imported(store, plan_of(SMALL))
    raters = everything(store)["markers"]
    imported(store, plan_of(SMALL + "0420,1,because,4,,1,1,1\n", "second.csv"))
    assert everything(store)["markers"] == raters


def test_a_title_is_needed(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    with pytest.raises(MarkError, match="title"):
        imported(store, plan_of(SMALL), title="  ")
    assert everything(store)["exams"] == 0


def test_an_answer_with_nul_bytes_and_markup_is_kept_as_data(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    plan = plan_of("candidate,question,answer,max mark\n1,1,placeholder,1\n")
    nasty = "a\x00b <script>alert(1)</script> ![x](http://a/b.png) \u202eright to left " + "x" * 50_000
    made = imported(store, replace(plan, responses=(replace(plan.responses[0], answer=nasty),)))
    assert answers_in_store(store, made.exam_id) == {("1", "1"): nasty.replace("\x00", "\ufffd")}


def test_two_imports_at_once_both_stand_and_the_same_file_stands_once(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    first, second = many_rows(1_000, "first.csv"), many_rows(1_000, "second.csv", seed=2)

    def attempt(plan: ImportPlan) -> Imported | str:
        try:
            return imported(store, plan, title=plan.file_name)
        except MarkError as error:
            return str(error)

    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(attempt, [first, second, first, second]))
    stored = [each for each in made if isinstance(each, Imported)]
    refused = [each for each in made if isinstance(each, str)]
    assert len(stored) == len(refused) == 2
    assert all("imported already" in each for each in refused)
    with store.read() as db:
        assert sorted(exam.title for exam in exams.listed(db)) == ["first.csv", "second.csv"]
        assert [summary.responses for summary in exams.summaries(db)] == [1_000, 1_000]


def many_rows(rows: int, name: str, seed: int = 1) -> ImportPlan:
    return plan_of(many_rows_text(rows, seed), name)


def many_rows_text(rows: int, seed: int = 1) -> str:
    draw = random.Random(seed)
    lines = ["candidate,question,answer,max mark,mark 1,mark 2,AI mark"]
    for i in range(rows):
        marks = ",".join(str(draw.randint(0, 4)) for _ in range(3))
        lines.append(f"{i // 20:05d},{i % 20 + 1},answer {i} of file {seed},4,{marks}")
    return "\n".join(lines) + "\n"


CHILD = """
import sys
from pathlib import Path
from components.intake import guess_mapping, plan_import, read_table
from components.workflow.import_table import import_plan
from components.workflow.connections import default_judges
from storage import Store

store = Store(Path(sys.argv[1]))
table = read_table("big.csv", Path(sys.argv[2]).read_bytes())
plan = plan_import(table, guess_mapping(table))
default_judges(store)
print("ready", flush=True)
import_plan(store, plan, title="Big", marker=None, first_marker_name="One", second_marker_name="Two")
print("done", flush=True)
"""


def test_a_process_killed_in_the_middle_of_an_import_leaves_nothing_half_done(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    table = tmp_path / "big.csv"
    table.write_text(many_rows_text(20_000))
    journal = store.path.with_name(store.path.name + "-wal")
    command = [sys.executable, "-c", CHILD, str(store.path), str(table)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        # The journal of the small writes before is far under 1 MB: past that the import's own rows are in it.
        while not (journal.exists() and journal.stat().st_size > 1_000_000):
            assert still_running(child), "the import ended before it could be killed"
        child.kill()
        assert child.stdout.read() == "", "it was killed inside the import"
    reopened = Store(store.path)
    with reopened.read() as db:
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert exams.summaries(db) == []
    left = everything(reopened)
    assert [left[name] for name in ("exams", "imports", "responses", "standings", "decisions", "proposals")] == [0] * 6
    made = imported(reopened, many_rows(20_000, "big.csv"))
    assert (made.responses, made.human_marks, made.ai_marks) == (20_000, 40_000, 20_000)
    assert everything(reopened)["standings"] == 20_000


def still_running(child: subprocess.Popen[str]) -> bool:
    try:
        child.wait(timeout=0.002)
    except subprocess.TimeoutExpired:
        return True
    return False


def test_refreshing_an_exam_at_once_gives_what_refreshing_each_response_gives(tmp_path: Path) -> None:
    """A walk of random decisions, undos, flags and proposals over two exams, compared row by row."""
    store = new_store(tmp_path)
    people = [add_marker(store, name) for name in ("Ms Khan", "Mr Osei", "Dr Lind")]
    _, ids = add_exam(store, [["an answer"] * 6] * 3, questions=[two_point_question(str(n)) for n in range(3)])
    exam_id, more = add_exam(store, [["another"] * 6] * 2, title="Second")
    flat = [response for row in ids + more for response in row]
    draw = random.Random(7)
    for _ in range(450):
        response, person = draw.choice(flat), draw.choice(people)
        action = draw.choice(["propose", "abstain", "see", "note", "undo", "decide", "decide", "decide"])
        if action == "propose":
            propose_points(store, response, draw.choice([(), ("M1",), ("M1", "A1")]))
        elif action == "abstain":
            abstain_on(store, response)
        elif action == "see":
            opening.open_response(store, response, person)
        elif action == "note":
            with store.write() as db:
                decisions.add_note(db, response, person.id, draw.choice(["flag", "unflag", "comment"]))
        elif action == "undo":
            with store.write() as db:
                live = [each for each in decisions.live(db, response) if each.marker_id == person.id]
                if live:
                    decisions.undo(db, draw.choice(live).id, person.id)
        else:
            with store.write() as db:
                standing = stored_standings.get(db, response)
                assert standing is not None
                outcome = draw.choice([Outcome.MARK, Outcome.MARK, Outcome.NO_RESPONSE])
                decisions.record(
                    db,
                    response,
                    person.id,
                    outcome,
                    draw.choice(list(Stage)),
                    mark=draw.choice([0, 1, 2]) if outcome is Outcome.MARK else None,
                    proposal_id=standing.proposal_id,
                )
    one_by_one = derived(store)
    assert len(one_by_one["pairs"]) > 20
    with store.write() as db:
        db.execute(
            "UPDATE standings SET proposal_id = NULL, final_mark = 1, flagged = 1, differs = 1, unsure = 0, human = 0"
        )
        db.execute("DELETE FROM pairs")
        for exam in exams.listed(db):
            stored_standings.refresh_exam(db, exam.id)
    assert derived(store) == one_by_one
    with store.write() as db:
        db.execute("DELETE FROM pairs")
        stored_standings.refresh_exam(db, exam_id)
    left = {row["exam_id"] for row in derived(store)["pairs"].values()}
    assert left == {exam_id}, "another exam's rows are left alone"


def derived(store: Store) -> dict[str, dict[Any, dict[str, Any]]]:
    with store.read() as db:
        standings = {row["response_id"]: dict(row) for row in db.execute("SELECT * FROM standings")}
        made = {
            (row["response_id"], row["marker_id"], row["judge_id"], row["kind"]): dict(row)
            for row in db.execute("SELECT * FROM pairs")
        }
    return {"standings": standings, "pairs": made}


def test_imported_marks_stand_as_marks_recorded_one_by_one_would(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    made = imported(store, plan_of(SMALL))
    at_once = derived(store)
    with store.write() as db:
        for row in db.execute("SELECT id FROM responses WHERE exam_id = ?", (made.exam_id,)).fetchall():
            stored_standings.refresh(db, row["id"])
    assert derived(store) == at_once
    finals = sorted((row["final_mark"], row["marked"], row["human"]) for row in at_once["standings"].values())
    assert finals == [(0, 0, 1), (2, 0, 1), (2, 0, 1)], "the later rater's mark is the latest; none was given here"


def test_a_mapping_chosen_by_hand_is_followed(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    table = read_table("odd.csv", b"who,what,given\n7,an answer,2\n8,another,0\n")
    plan = plan_import(
        table,
        Mapping(candidate="who", answer="what", mark_1="given"),
        Defaults(max_mark=2, question="5(b)", subject="Chemistry"),
    )
    made = imported(store, plan)
    assert marks_in_store(store, made.exam_id) == {("7", "5(b)"): {"Rater one": 2}, ("8", "5(b)"): {"Rater one": 0}}
    with store.read() as db:
        exam = exams.get(db, made.exam_id)
        assert exam is not None
        assert exam.subject == "Chemistry"

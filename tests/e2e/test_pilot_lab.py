"""The pilot lead's stories in a browser: a trial with its report, a published benchmark, other tools compared."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Download, FilePayload, Locator, Page, expect

from components.marking import Role
from tests.benchmark_files import gaokao, objective
from tests.browser import AppServer, sign_in
from tests.support import SHARED_DATA, add_exam, add_marker, new_store

Serve = Callable[..., AppServer]
NewPage = Callable[..., Page]
LEAD = "Dr Li"


def drawn(page: Page) -> None:
    """Wait until the page stands still: a press while it is drawn again would be one that nobody makes."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    expect(page.get_by_text(re.compile("Traceback|has encountered an error"))).to_have_count(0)


def press(page: Page, name: str | re.Pattern[str]) -> None:
    page.get_by_role("button", name=name, exact=isinstance(name, str)).first.click()


def choose(page: Page, label: str, *options: str) -> None:
    """Choose the options in a box, of which one may be chosen or several."""
    for option in options:
        page.get_by_role("combobox", name=label, exact=True).click()
        page.get_by_role("option", name=option, exact=True).click()
    page.keyboard.press("Escape")
    drawn(page)


def open_page(page: Page, name: str) -> None:
    page.get_by_role("link", name=name, exact=True).click()
    expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
    drawn(page)


def downloaded(page: Page, button: Locator) -> Download:
    with page.expect_download() as started:
        button.click()
    return started.value


def fits(page: Page) -> bool:
    """Whether nothing has to be moved sideways to be read."""
    main = page.get_by_test_id("stMain")
    return bool(
        main.evaluate("node => node.scrollWidth <= node.clientWidth + 1")
        and page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
    )


def test_a_pilot_lead_runs_the_demo_trial_and_takes_its_report_away(serve: Serve, new_page: NewPage) -> None:
    app, page = serve(), new_page(accept_downloads=True)
    sign_in(page, app.url, "Demo pilot lead")
    open_page(page, "Trials")
    press(page, "Run the demo trial")
    closer = page.get_by_role("radiogroup", name="Look closer")
    expect(closer).to_be_visible()
    # What the report says before both judges have marked everything is no verdict on the demo yet.
    verdict = page.locator("strong", has_text=re.compile(r"^No judge is fit as second marker for this exam\."))
    expect(verdict.first).to_be_visible()
    drawn(page)
    said = verdict.first.inner_text()

    page.set_viewport_size({"width": 390, "height": 844})
    sections = closer.get_by_role("radio").all_inner_texts()
    assert sections[0] == "The verdict"
    assert sections[-1] == "Methods"
    for section in sections:
        chosen = closer.get_by_role("radio", name=section, exact=True)
        chosen.click()
        expect(chosen).to_be_checked()
        drawn(page)
        assert fits(page), section
    expect(page.get_by_role("heading", name="What the words mean")).to_be_visible()

    file = downloaded(page, page.get_by_role("button", name="Report (HTML)"))
    assert re.fullmatch(r"demo-trial-[a-z-]+-\d+-report\.html", file.suggested_filename)
    report = Path(file.path()).read_text("utf-8")
    assert "<script" not in report
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", report)
    alone = new_page(java_script_enabled=False)
    alone.set_content(report)
    expect(alone.get_by_text(said).first).to_be_visible()

    tables = downloaded(page, page.get_by_role("button", name="All tables (CSV)"))
    with zipfile.ZipFile(tables.path()) as packed:
        assert packed.testzip() is None
        rows = list(csv.DictReader(io.StringIO(packed.read("Coverage.csv").decode("utf-8-sig"))))
    assert [row["Judge"] for row in rows] == ["Offline matcher", "Offline matcher, exact words"]
    assert {row["Of"] for row in rows} == {"158"}


def replied(index: int, reply: str, key: list[str], points: float) -> dict[str, object]:
    return objective(index, key, points, model_output=reply)


def write_results(folder: Path) -> None:
    """A folder as GAOKAO-Bench's, with questions and answers of our own: our-model's results, and two teachers'.

    Objective, by the published rules and by ours (of what could be read):
    Biology  6 + 6 + 0 of 18; the letter of the second stands in its reasons: 6 of 12
    Physics  6 + 3 of 12; “CA” is “AC” to us: 12 of 12
    Geography  8 of 12, and two questions with one answer: 0 of 8; 8 of 12
    English  8 of 10; 8 of 10
    """
    answers = folder / "Results" / "our-model_obj"
    answers.mkdir(parents=True)
    for paper, *rows in (
        (
            "2010-2022_Biology_MCQs",
            replied(0, "【解析】光合作用。【答案】B <eoa>", ["B"], 6),
            replied(1, "A、B、C都不对，【答案】无正确答案 <eoa>", ["C"], 6),
            replied(2, "【答案】D <eoa>", ["A"], 6),
        ),
        (
            "2010-2022_Physics_MCQs",
            replied(0, "解：【答案】ACD <eoa>", ["ACD"], 6),
            replied(1, "解：【答案】CA <eoa>", ["AC"], 6),
        ),
        (
            "2010-2022_Geography_MCQs",
            replied(0, "【答案】C <eoa>\n【答案】A <eoa>\n【答案】B <eoa>", ["C", "A", "D"], 4),
            replied(1, "【答案】C <eoa>", ["C", "B"], 4),
        ),
        ("2012-2022_English_Cloze_Test", replied(0, "【答案】E G B A F <eoa>", ["E", "G", "B", "A", "D"], 2)),
    ):
        (answers / f"our-model_{paper}.json").write_bytes(gaokao(str(paper), *rows, model_name="our-model"))
    paper = "2010-2022_Biology_Open-ended_Questions"
    teachers, judged = folder / "human_double_marked" / "run1", folder / "Results" / "our-model_sub"
    for place, field, marks, head in (
        (teachers, "correction_score", [list(pair) for pair in TEACHERS], {}),
        (judged, "model_correction_score", [[mark] for mark in JUDGE], {"teacher_model_name": "our-judge"}),
    ):
        place.mkdir(parents=True)
        rows = [
            objective(
                number, "叶绿体里的色素。", 4, question=f"第{number}题：叶子为什么是绿的？", model_output=f"答{number}"
            )
            | {field: given}
            for number, given in enumerate(marks)
        ]
        (place / f"our-model_{paper}.json").write_bytes(gaokao(paper, *rows, model_name="our-model", **head))


# Twelve written answers out of 4. Σ(difference²) = 2, so QWK = 1 − (2/12) ÷ (156/12 − 2 × (26/12)²) = .95.
TEACHERS = list(zip((4, 3, 2, 1, 0, 4, 3, 2, 1, 0, 4, 2), (4, 3, 2, 1, 0, 4, 3, 2, 2, 0, 3, 2), strict=True))
JUDGE = (4, 3, 2, 1, 0, 4, 3, 2, 1, 1, 3, 5)  # comes to 29; the last is above its maximum, without it 24 of 44


def marks_of(page: Page, table: str) -> dict[str, dict[str, str]]:
    """A table of the page by its first column, from its file."""
    file = downloaded(page, page.locator(f".st-key-benchmark_download_{table}").get_by_role("button"))
    rows = list(csv.DictReader(io.StringIO(Path(file.path()).read_bytes().decode("utf-8-sig"))))
    return {next(iter(row.values())): row for row in rows}


def reproduced(page: Page) -> dict[str, list[str]]:
    """The rows of the table of published figures: figure → published, here, by our rules, whether the same."""
    rows = page.get_by_test_id("stTable").locator("tbody tr")
    expect(rows.first).to_be_visible()
    cells = [[cell.strip() for cell in row.locator("th, td").all_inner_texts()] for row in rows.all()]
    return {figure: rest for figure, *rest in cells}


def lead_on(serve: Serve, new_page: NewPage, folder: Path) -> Page:
    """The page of a pilot lead, on an installation that is in use: nothing of the demo is made."""
    (folder / "data").mkdir()
    with closing(new_store(folder / "data")) as store:
        add_marker(store, LEAD, Role.HEAD)  # who may import, too
        add_exam(store, [["it is denatured"]], title="An exam from before")
    app, page = serve(), new_page(accept_downloads=True)
    sign_in(page, app.url, LEAD)
    return page


def load_folder(page: Page, folder: Path) -> None:
    open_page(page, "Benchmarks")
    page.get_by_role("textbox", name="Folder, file or ZIP").fill(str(folder))
    press(page, "Load the folder")
    expect(page.get_by_text(re.compile(r"^Loaded .*shipped results\.$")).first).to_be_visible()
    drawn(page)


def test_shipped_results_are_marked_by_both_rules_and_their_judge_is_tried_against_two_teachers(
    serve: Serve, new_page: NewPage, tmp_path: Path
) -> None:
    write_results(tmp_path / "bench")
    page = lead_on(serve, new_page, tmp_path)
    load_folder(page, tmp_path / "bench")
    expect(page.get_by_text("By the published rules 37 of 60 marks on 8 questions.")).to_be_visible()
    assert reproduced(page) == {
        "Objective questions, marks": ["—", "37 of 60", "34 of 60", ""],
        "Replies with another number of answers than the key": ["—", "1", "2 not readable", ""],
        "Written questions, marks": ["—", "29.00 of 48", "24 of 44, 1 left out", ""],
        "Two teachers on the same answers, QWK on mark fractions": ["—", ".95", ".95", ""],
        "Judge against two teachers' mean, Spearman (our-judge)": [".825–.864", ".98", ".98", ""],
        "Judge against two teachers' mean, Kendall τ (our-judge)": [".685–.740", ".94", ".94", ""],
    }
    expect(page.get_by_text("None of these results has a published figure to compare with")).to_be_visible()
    by_rule = ("Marks, published rules", "Marks, ours", "Out of", "Other number of answers", "Sub-questions not read")
    objective_marks = marks_of(page, "objective_subject_0")
    assert {name: [row[column] for column in by_rule] for name, row in objective_marks.items()} == {
        "Biology": ["12.0", "6.0", "18.0", "0", "1"],
        "English": ["8.0", "8.0", "10.0", "0", "0"],
        "Geography": ["8.0", "8.0", "20.0", "1", "2"],
        "Physics": ["9.0", "12.0", "12.0", "0", "0"],
        "All": ["37.0", "34.0", "60.0", "1", "3"],
    }
    # Biology counts 90: 27 × .667 + 63 × .604 as published, 27 × 6/18 + 63 × 24/44 by ours.
    biology = marks_of(page, "converted_0")["Biology"]
    assert float(biology["Total, as published"]) == pytest.approx(18.009 + 38.052)
    assert float(biology["Total, ours"]) == pytest.approx(9 + 63 * 24 / 44)
    assert fits(page)

    expect(page.get_by_text("Marks that are not counted: 1")).to_be_visible()

    press(page, "Make exams of the written answers")
    expect(page.get_by_text("Made 1 exam: GAOKAO-Bench · Biology · our-model.").first).to_be_visible()
    expect(page.get_by_text("our-judge's mark 5 of 4 does not count (above the maximum)")).to_be_visible()
    drawn(page)
    open_page(page, "Trials")
    expect(page.get_by_role("combobox", name="Exam")).to_have_value("GAOKAO-Bench · Biology · our-model")
    expect(page.get_by_text("12 responses, 12 of them marked twice.")).to_be_visible()
    choose(page, "Judges", "our-judge (shipped with GAOKAO-Bench)")
    press(page, "Start the trial")
    expect(page.get_by_text("marks of Teacher 1 and Teacher 2")).to_be_visible()
    closer = page.get_by_role("radiogroup", name="Look closer")
    expect(closer).to_be_visible()
    expect(page.get_by_text("only 11 responses to go by").first).to_be_visible()


# 48 answers out of 4, two teachers a mark apart on 9 of them. Vendor A gives the lower mark: 9 halves below their mean,
# −4.5 of 192 marks. Vendor B gives one above the first teacher, except 9 times a full 4: 39 − 4.5 of 192.
VENDORS = """candidate,question,answer,max mark,first marker,second marker,vendor A,vendor B
""" + "".join(
    f"{number},1,“answer {number}”,4,{first},{second},{(first + second) // 2},{min(4, first + 1)}\n"
    for number in range(1, 49)
    for first in [number % 5]
    for second in [first if number % 4 else min(4, first + 1)]
)


def test_two_other_tools_marks_are_imported_and_compared(serve: Serve, new_page: NewPage, tmp_path: Path) -> None:
    page = lead_on(serve, new_page, tmp_path)
    open_page(page, "Exams")
    table = FilePayload(name="vendors.csv", mimeType="text/csv", buffer=VENDORS.encode())
    expect(page.get_by_role("heading", name="Import answers and marks")).to_be_visible()
    page.get_by_test_id("stFileUploader").filter(has_text="Files (CSV").locator("input").set_input_files(table)
    for vendor in ("vendor A", "vendor B"):
        expect(page.get_by_role("textbox", name=f"Name of the AI in “{vendor}”")).to_have_value(vendor)
    drawn(page)
    press(page, re.compile("^Import 48 responses"))
    expect(page.get_by_text("with 96 human marks and 96 AI marks")).to_be_visible()
    drawn(page)

    open_page(page, "Trials")
    expect(page.get_by_text("48 responses, 48 of them marked twice.")).to_be_visible()
    choose(page, "Judges", "vendor A", "vendor B")
    press(page, "Start the trial")
    expect(page.get_by_text("2 arms")).to_be_visible()
    closer = page.get_by_role("radiogroup", name="Look closer")
    expect(closer).to_be_visible()
    closer.get_by_role("radio", name="Lenient or severe").click()
    expect(page.get_by_text("the most severe judge is vendor A, severe by 2% of marks")).to_be_visible()
    expect(page.get_by_text("the most lenient vendor B, lenient by 18% of marks")).to_be_visible()


@pytest.mark.skipif(not (SHARED_DATA / "gaokao_bench").is_dir(), reason="GAOKAO-Bench's own files are not here")
def test_the_published_figures_of_gaokao_bench_come_out_again(serve: Serve, new_page: NewPage, tmp_path: Path) -> None:
    page = lead_on(serve, new_page, tmp_path)
    load_folder(page, SHARED_DATA / "gaokao_bench")
    figures = reproduced(page)
    assert {figure: row[:2] for figure, row in figures.items() if row[-1] == "yes"} == {
        "Objective questions, marks": ["7,000 of 9,702"] * 2,
        "Replies with another number of answers than the key": ["37"] * 2,
        "Written questions, marks": ["7,672.83 of 11,839"] * 2,
        "Converted total of 750, arts stream": ["548.3"] * 2,
        "Converted total of 750, science stream": ["466.1"] * 2,
        "Two teachers on the same answers, QWK on mark fractions": ["about .96", ".96"],
    }
    expect(page.get_by_text("All 6 published figures that these results can give are reproduced.")).to_be_visible()

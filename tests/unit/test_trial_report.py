from __future__ import annotations

import csv
import io
import re
import zipfile

import pytest

from components.agreement import Interval, Statistic
from components.agreement.cluster import RESAMPLES, SEED
from components.widgets.charts.cost import Priced, cost_in_words, cost_plane
from components.widgets.charts.shots import ShotLine, shot_lines, shots_in_words
from components.workflow.trial.data import TrialData
from components.workflow.trial.report import TrialReport, trial_report
from components.workflow.trial.report_apart import MOST_DRAWN, questions_section
from components.workflow.trial.report_charts import drawings
from components.workflow.trial.report_methods import limits, methods
from components.workflow.trial.report_shapes import CostPlane, CostPoint, Curves, Dots, Section, apart_text
from components.workflow.trial.report_tables import trial_csv
from pages.pilot.trial_report_charts import wrapped
from tests.trial_marks import NO, arm, noisy, question, trial
from tests.unit.test_agreement_report import Document

HOSTILE = '<script>alert(1)</script> & "Co" \''
FORMULA = "=HYPERLINK(1)"


def whole_trial(title: str = "Autumn trial", name: str = "Vela") -> TrialData:
    """Everything a report can have: two subjects, handwriting, criteria, examples, a second time, all prices."""
    e1: list[float] = []
    e2: list[float] = []
    ai: list[float] = []
    for place in range(6):
        a, b, c = noisy(place, 40)
        e1, e2, ai = e1 + a, e2 + b, ai + c
    worse = [mark for place in range(6) for mark in noisy(place, 40, noise=1.0)[2]]
    worse[0] = NO
    places = [place for place in range(6) for _ in range(40)]
    questions = [question(str(place + 1), 4, "Biology" if place < 3 else "Chemistry") for place in range(6)]
    llm = {"protocol": "full", "temperature": 0.2, "reasoning_effort": "low", "samples": 3, "seed": 11}
    arms = [
        arm(name, ai, settings=llm, price=0.24),
        arm("Vela, no criteria", worse, criteria=False, failed=1, settings=llm, price=None),
        arm("Vela, 3 examples", ai, shots=3, grading=True, settings=llm, price=0.48),
        arm("Vela again", worse, repeat=2, failed=1, settings=llm, price=0.0),
        arm("Vendor", ai, judge=2, kind="imported", price=0.0),
    ]
    return trial(questions, places, e1, e2, arms, [place % 2 == 0 for place in range(240)], title)


@pytest.fixture(scope="module")
def report() -> TrialReport:
    return trial_report(whole_trial())


def section(report: TrialReport, key: str) -> Section:
    return next(each for each in report.sections if each.key == key)


def test_the_report_has_every_section_in_the_order_of_its_questions(report: TrialReport) -> None:
    assert [each.key for each in report.sections] == [
        "verdict", "subjects", "judges", "bias", "cost", "hand", "questions", "criteria", "shots", "repeats", "arms",
    ]  # fmt: skip
    text = Document(report.html().decode()).text
    assert text.index(report.verdict.sentence) < text.index("By subject") < text.index("Methods") < text.index("Limits")


def test_what_a_trial_does_not_compare_is_said_with_how_the_next_one_would() -> None:
    marks = [float(n % 5) for n in range(40)]
    small = trial_report(trial([question("1")], [0] * 40, marks, None, [arm("A", marks)]))
    said = " ".join(section(small, "absent").said)
    for words in ("Typed against handwritten", "without the mark scheme", "“Ask everything twice”", "by one person"):
        assert words in said
    assert "Not in this trial" in Document(small.html().decode()).text


def test_the_same_marks_make_the_same_bytes_and_no_day_but_the_trials(report: TrialReport) -> None:
    again = trial_report(whole_trial())
    assert again.html() == report.html()
    assert again.zip() == report.zip()
    assert again.verdict == report.verdict
    days = set(re.findall(r"\d{1,2} [A-Z][a-z]{2} 20\d\d", report.html().decode()))
    assert days == {"30 Nov 2026"}


def test_the_file_runs_no_script_and_asks_no_host_for_anything(report: TrialReport) -> None:
    page = report.html().decode()
    document = Document(page)
    assert not {"script", "link", "img", "iframe", "object"} & set(document.tags)
    assert not [value for name, value in document.attributes if name in ("src", "href") or name.startswith("on")]
    assert "http:" not in page
    assert "https:" not in page
    assert "default-src 'none'" in page


def test_names_from_the_exam_are_data_in_the_file_and_in_the_tables() -> None:
    hostile = trial_report(whole_trial(title=HOSTILE, name=FORMULA))
    document = Document(hostile.html().decode())
    assert "script" not in document.tags
    assert "<script>alert(1)</script>" in document.text
    with zipfile.ZipFile(io.BytesIO(hostile.zip())) as archive:
        for name in archive.namelist():
            rows = list(csv.reader(io.StringIO(archive.read(name).decode("utf-8-sig"))))
            assert not [cell for row in rows for cell in row if cell.startswith("=")]


def test_the_tables_hold_the_figures_as_numbers(report: TrialReport) -> None:
    with zipfile.ZipFile(io.BytesIO(report.zip())) as archive:
        rows = list(csv.DictReader(io.StringIO(archive.read("Parts and judges.csv").decode("utf-8-sig"))))
        coverage = list(csv.DictReader(io.StringIO(archive.read("Coverage.csv").decode("utf-8-sig"))))
    first = rows[0]
    figures = report.figures.everything.arms[0]
    assert float(first["R_A"]) == pytest.approx(figures.r_a.value, abs=1e-6)
    assert float(first["Delta"]) == pytest.approx(float(first["R_A"]) - float(first["R_H"]), abs=2e-6)
    assert (first["Responses"], first["Of marked by humans"]) == ("239", "240")
    assert coverage[1] == {
        "Judge": "Vela, no criteria", "Proposed": "239", "Abstained": "0", "Failed": "1", "Not asked yet": "0",
        "Of": "240",
    }  # fmt: skip
    for table in report.tables():
        assert all(len(row) == len(table.columns) for row in table.rows), table.name
        assert len(set(table.columns)) == len(table.columns), table.name


def test_a_section_says_how_many_of_how_many_responses_its_figures_rest_on(report: TrialReport) -> None:
    said = " ".join(section(report, "judges").said)
    assert "239 responses that all 5 judges compared and both humans marked, of 240" in said
    assert "6 of 6 questions, 100% of marks" in said


def test_why_has_every_judge_for_every_part_the_whole_exam_first(report: TrialReport) -> None:
    others, why, sentences = section(report, "verdict").tables
    names = [each.name for each in report.verdict.arms]
    assert [row[0] for row in others.rows] == names[1:]  # the best one's sentence is in the answer
    assert [row[:2] for row in why.rows] == [
        (name, part) for part in ("all questions", "Biology", "Chemistry") for name in names
    ]
    assert len(sentences.rows) == len(why.rows)
    by_place = {row[:2]: dict(zip(why.columns, row, strict=True)) for row in why.rows}
    best = by_place["Vela", "all questions"]
    assert best["Verdict"] == "fit"
    assert best["What would settle it"] == "—"
    assert re.fullmatch(r"\.\d\d \(\.\d\d–(\.\d\d|1\.00)\)", str(best["QWK with the humans"]))
    assert re.fullmatch(r"[−+]?\.\d\d \([−+]?\.\d\d to [−+]?\.\d\d\)", str(best["Δ to the humans' own"]))
    assert re.fullmatch(r"\d+% \(\d+%\)", str(best["Within tolerance (humans)"]))
    assert by_place["Vela again", "all questions"]["Δ to the humans' own"] == "? −.13 (−.16 to −.10)"


def test_why_for_one_judge_names_no_judge_and_says_how_much_more_is_needed() -> None:
    e1, e2, ai = noisy(1, 12)
    report = trial_report(trial([question()], [0] * 12, e1, e2, [arm("Vela", ai)]))
    why = section(report, "verdict").tables[0]
    assert why.rows == (("all questions", "open", "—", "—", "—", "—", "at least 18 more responses"),)


def test_differences_of_qwks_have_no_zero_before_their_point(report: TrialReport) -> None:
    assert [apart_text(value) for value in (0.034, -0.48, 0.0, -0.001, 1.35, None)] == [
        "+.03", "−.48", ".00", ".00", "+1.35", "—",
    ]  # fmt: skip
    for each in report.sections:
        for table in each.tables:
            at = [place for place, name in enumerate(table.columns) if name.startswith(("Δ", "R_A", "QWK"))]
            assert not [row for row in table.rows for place in at if re.search(r"(?<!\d)0\.\d", str(row[place]))]


def test_a_table_alone_is_a_csv_that_runs_no_formula() -> None:
    hostile = trial_report(whole_trial(name=FORMULA))
    why = section(hostile, "verdict").tables[1]
    rows = list(csv.reader(io.StringIO(trial_csv(why).decode("utf-8-sig"))))
    assert tuple(rows[0]) == why.columns
    assert rows[1][0] == f"'{FORMULA}"


def test_prices_that_cannot_be_drawn_are_named_instead(report: TrialReport) -> None:
    cost = section(report, "cost")
    assert isinstance(cost.chart, CostPlane)
    assert {point.name: point.dollars for point in cost.chart.points} == {
        "Vela": pytest.approx(1.0), "Vela, 3 examples": pytest.approx(2.0),
    }  # fmt: skip
    said = " ".join(cost.said)
    assert "Free: Vela again." in said
    assert "Price not known, so not drawn: Vela, no criteria." in said
    assert "Sent nothing to a model, so without a price: Vendor." in said


def test_a_chart_in_which_nothing_would_stand_is_not_drawn_and_the_words_say_so() -> None:
    e1, e2, ai = noisy(1, 40)
    nothing = [NO] * len(ai)
    arms = [arm("Vela", nothing), arm("Vela, 2 examples", nothing, shots=2), arm("Vendor", ai, judge=2)]
    made = section(trial_report(trial([question()], [0] * len(ai), e1, e2, arms)), "shots")
    assert "by how many marked examples it is shown: no figure yet." in made.said[0]
    assert made.chart is not None
    assert made.drawn is None


def test_a_chart_with_a_figure_is_drawn(report: TrialReport) -> None:
    assert {each.key for each in report.sections if each.drawn is not None} == {
        each.key for each in report.sections if each.chart is not None
    }


def test_bias_is_said_in_words_with_whether_it_may_be_chance(report: TrialReport) -> None:
    rows = section(report, "bias").tables[0].rows
    assert all(re.match(r"(severe|lenient) by|neither", str(row[4])) for row in rows)
    assert any("which may be chance" in str(row[4]) for row in rows)


def test_questions_furthest_behind_the_humans_are_drawn_where_there_are_many() -> None:
    e1, e2, ai, places = [], [], [], []
    many = MOST_DRAWN + 5
    for place in range(many):
        a, b, c = noisy(place, 12)
        e1, e2, ai, places = e1 + a, e2 + b, ai + c, places + [place] * 12
    found = trial_report(
        trial([question(str(place + 1)) for place in range(many)], places, e1, e2, [arm("Vela", ai)])
    ).figures
    made = questions_section(found)
    assert isinstance(made.chart, Dots)
    assert len(made.chart.rows) == MOST_DRAWN
    assert len(made.tables[0].rows) == many
    left_out = {str(place + 1) for place in range(many)} - {row.label for row in made.chart.rows}
    behind = {row.question.number: (row.arm(0).value or 0) - (row.r_h.value or 0) for row in found.questions}
    assert min(behind[number] for number in left_out) >= max(behind[row.label] for row in made.chart.rows)
    assert len(drawings("q", made.chart)) == 2


def test_letters_stand_for_judges_where_a_printed_page_is_too_narrow(report: TrialReport) -> None:
    made = questions_section(report.figures, letters=True)
    assert [table.columns[5:] for table in made.tables] == [("A", "B", "C", "D"), ("E",)]
    assert "A: Vela; B: Vela, no criteria;" in made.note


def test_the_methods_are_the_settings_actually_used(report: TrialReport) -> None:
    text = " ".join(methods(report.figures))
    for said in (
        "240 responses to 6 questions of Mock paper (Biology and Chemistry)", "120 typed and 120 handwritten",
        "Ms Ahmed marked 240 of them and Mr Brown 240", "begun 30 Nov 2026", "model model-1", "model-1-2026-11",
        "full 3 (abc123)", "temperature 0.2", "reasoning effort low", "3 samples a response", "seed 11",
        "3 marked examples with their grading process", "without the marking criteria", "asked for the second time",
        "Vendor: marks of another tool, imported.", f"B = {RESAMPLES:,}, seed {SEED}", "Vela, no criteria 1",
    ):  # fmt: skip
        assert said in text, said
    assert "the most severe" not in text


def test_what_was_left_to_the_model_is_said_to_be_so() -> None:
    e1, e2, ai = noisy(1, 40)
    arms = [arm("Vela", ai), arm("GAOKAO", ai, judge=2, settings={"protocol": "gaokao"}),
            arm("Medly", ai, judge=3, settings={"protocol": "medly", "temperature": 1.0})]  # fmt: skip
    lines = methods(trial_report(trial([question()], [0] * 40, e1, e2, arms)).figures)
    assert "temperature left to the model, reasoning effort left to the model" in lines[1]
    assert "protocol gaokao, temperature 0" in lines[2]
    assert "protocol medly, temperature 1, reasoning effort least" in lines[3]


def test_a_trial_marked_once_says_so_in_place_of_a_band() -> None:
    e1, _, ai = noisy(1, 60)
    report = trial_report(trial([question()], [0] * 60, e1, None, [arm("Vela", ai)]))
    judges = section(report, "judges")
    assert isinstance(judges.chart, Dots)
    assert judges.chart.band is None
    assert "Marked by one human alone" in judges.said[0]
    assert "no R_H and no Δ" in section(report, "subjects").said[0]
    assert any("One human marked this work" in each for each in limits(report.figures))
    assert "R_H" in report.html().decode()


@pytest.mark.parametrize("marks", [[], [NO] * 3, [1, 2, 3]])
def test_a_trial_with_next_to_nothing_still_has_a_report(marks: list[float]) -> None:
    data = trial([question()] if marks else [], [0] * len(marks), [1, 2, 3][: len(marks)], None, [arm("Vela", marks)])
    report = trial_report(data)
    assert "cannot be said yet" in report.verdict.sentence
    assert Document(report.html().decode()).text
    assert report.zip()


def test_a_trial_that_nobody_marked_compares_with_nobody() -> None:
    arms = [arm("Vela", [1, 2, NO]), arm("Vela again", [1, 1, 2], repeat=2)]
    report = trial_report(trial([question()], [0] * 3, [NO] * 3, None, arms))
    assert "nobody has marked these responses" in report.verdict.sentence
    assert "Nobody had marked any of them." in methods(report.figures)[0]
    assert not any("one human" in each.casefold() or "one person" in each for each in limits(report.figures))
    assert [each.key for each in report.sections if each.key != "repeats"] == ["verdict", "arms"]


def test_every_chart_has_words_for_who_cannot_see_it(report: TrialReport) -> None:
    for each in report.sections:
        if each.chart is not None:
            for svg in drawings(each.key, each.chart):
                assert re.search(r"<desc[^>]*>[^<]{20,}</desc>", svg), each.key
    shots = section(report, "shots").chart
    assert isinstance(shots, Curves)
    assert [[point[0] for point in points] for _, points in shots.lines] == [[0, 3]]


KNOWN = Statistic(0.6, "", Interval(0.5, 0.7))


def test_price_is_on_a_log_axis_with_the_humans_band() -> None:
    points = [Priced("<b>A</b>", 0.1, KNOWN), Priced("B", 10, Statistic(0.8))]
    figure = cost_plane(points, Statistic(0.75, "", Interval(0.7, 0.8)))
    assert figure.layout.xaxis.type == "log"
    assert [trace.name for trace in figure.data] == ["the humans with each other", "&lt;b>A&lt;/b>", "B"]
    assert figure.layout.yaxis.range[0] < 0.5
    assert [(s.y0, s.y1) for s in figure.layout.shapes] == [(0.7, 0.8), (0.75, 0.75)]
    assert "A</b>: $0.1, QWK .60 (.50–.70)" in cost_in_words(points)
    with pytest.raises(ValueError, match="logarithmic"):
        cost_plane([Priced("Free", 0, KNOWN)])


def test_a_curve_leaves_out_points_without_a_figure() -> None:
    lines = [ShotLine("A", ((0, KNOWN), (3, Statistic(None, "QWK is shown from 10 pairs")), (5, KNOWN)))]
    (trace,) = shot_lines(lines).data
    assert list(trace.x) == [0, 5]
    assert list(trace.error_y.array) == pytest.approx([0.1, 0.1])
    assert "QWK not measurable with 3" in shots_in_words(lines)


def test_one_price_alone_can_be_drawn() -> None:
    (svg,) = drawings("c", CostPlane("QWK against price", (CostPoint("A", 0.5, KNOWN),), None))
    assert "$0.1" in svg
    assert "$1" in svg


def test_a_long_name_stands_on_a_few_short_lines_beside_a_chart() -> None:
    assert wrapped("gpt-4o mini · 3 examples, no grading") == "gpt-4o mini · 3<br>examples, no<br>grading"
    assert wrapped("<b>" + "x" * 30) == "&lt;b>" + "x" * 16 + "…"
    assert wrapped("one two three four five six seven eight nine ten").endswith(" …")

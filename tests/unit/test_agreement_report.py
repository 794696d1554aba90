from __future__ import annotations

import random
import re
from html.parser import HTMLParser
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from components.agreement import Interval, Statistic
from components.marking import Marker, Outcome, Question, QuestionType, Role, Scheme, Stage, WholeVerdict, propose_from
from components.workflow.agreement.answers import Answer, Step, answers
from components.workflow.agreement.figures import exam_figures
from components.workflow.agreement.handout import handout
from components.workflow.agreement.provenance import selection_text
from components.workflow.agreement.report import html_report
from components.workflow.agreement.report_charts import ROWS_A_CHART, qwk_charts, spread_of
from components.workflow.agreement.report_page import moment
from components.workflow.agreement.report_svg import ticks
from components.workflow.agreement.selection import Selection
from storage import Store, decisions, exams, judges, proposals
from tests.support import add_exam, add_marker, new_store

# d = 0 −1 0 0 −1 0 0 0 1 2: mean .1 of 2 marks, QWK = 1 − 70/118 = .41 (see test_workflow_agreement).
AI = [0, 0, 1, 1, 1, 2, 2, 2, 2, 2]
TEACHER = [0, 1, 1, 1, 2, 2, 2, 2, 1, 0]
HOSTILE = '<script>alert(1)</script> & "Co" \''


class Document(HTMLParser):
    """The words, elements and addresses of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.words))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def teacher(store: Store) -> Marker:
    return add_marker(store)


@pytest.fixture
def head(store: Store) -> Marker:
    return add_marker(store, "Dr Ferris", Role.HEAD)


def judged_exam(
    store: Store,
    teacher: Marker,
    ai: list[int],
    marks: list[int],
    *,
    title: str = "Biology Paper 1",
    judge: str = "Test judge",
    numbers: tuple[str, ...] = ("3(b)",),
    second: Marker | None = None,
) -> tuple[int, list[list[int]]]:
    """An exam with the same marks on each question, all given blind. `second` marks each response as the teacher."""
    questions = [
        (Question(number=number, type=QuestionType.SHORT, text="Why?", max_mark=2), Scheme(max_mark=2))
        for number in numbers
    ]
    exam_id, rows = add_exam(store, [["x"] * len(ai)] * len(numbers), questions=questions, title=title)
    with store.write() as db:
        judge_id = judges.ensure(db, judge, judges.LLM, "some-model")
        exams.set_judge(db, exam_id, judge_id, None)
        for stored, ids in zip(exams.questions(db, exam_id), rows, strict=True):
            for response_id, machine, mark in zip(ids, ai, marks, strict=True):
                made = propose_from((WholeVerdict(mark=machine),), stored.scheme, label=judge)
                proposals.add(db, response_id, judge_id, stored.scheme_id, made)
                for marker in (teacher, *([second] if second else [])):
                    decisions.record(db, response_id, marker.id, Outcome.MARK, Stage.BLIND, mark=mark)
    return exam_id, rows


def report_of(store: Store, exam_id: int, viewer: Marker, said: tuple[Answer, ...] | None = None) -> str:
    figures = exam_figures(store, Selection(exam_id))
    return html_report(handout(store, figures, viewer), answers(figures) if said is None else said)


def test_the_report_has_the_figures_worked_by_hand(store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, _ = judged_exam(store, teacher, AI, TEACHER)
    text = Document(report_of(store, exam_id, head)).text
    assert "QWK .41" in text
    assert "Exactly the same mark 60% 6 of 10, likely 31–83%" in text
    assert "Mean difference +0.10" in text
    assert "QWK by question. question 3(b): .41, n = 10." in text  # the chart, for who cannot see it
    assert "AI 2, teacher 0: 1" in text
    assert "These figures are provisional" in text
    assert "10 of 10 responses" in text


def test_the_five_answers_come_first_with_their_steps(store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, _ = judged_exam(store, teacher, AI, TEACHER)
    said = (Answer("Can we trust it?", "Perhaps."), Answer("And next?", "Two:", (Step("Mark <more>.", "mark"),)))
    text = Document(report_of(store, exam_id, head, said)).text
    assert text.index("Perhaps.") < text.index("Mark <more>.") < text.index("How the marks were compared")


def test_under_ten_pairs_the_report_gives_counts_and_no_kappa(store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, _ = judged_exam(store, teacher, [0, 1, 2, 2], [0, 1, 2, 1], second=add_marker(store, "Mr Osei"))
    text = Document(report_of(store, exam_id, head)).text
    assert "QWK — 4 pairs: QWK is shown from 10 pairs" in text
    assert "QWK by question" not in text
    assert "Too few pairs (under 10) for a QWK on question 3(b)." in text
    assert "Only 4 responses have the marks of two teachers" in text
    assert ".80" not in text  # what the raw estimate would be
    assert "From 10 pairs on this is drawn." in text


def test_the_report_asks_no_host_for_anything_and_runs_no_script(store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, _ = judged_exam(store, teacher, AI, TEACHER)
    page = report_of(store, exam_id, head)
    document = Document(page)
    assert "://" not in page
    assert "url(" not in page
    assert "@import" not in page
    assert not {"script", "img", "link", "iframe", "object", "embed", "image", "use", "a"} & set(document.tags)
    assert not [name for name, _ in document.attributes if name in ("src", "href", "srcset") or name.startswith("on")]
    policy = [value for name, value in document.attributes if name == "content" and "default-src" in value]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'"]


def test_titles_names_and_reasons_are_text_whatever_is_in_them(store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, rows = judged_exam(store, teacher, AI, TEACHER, title=HOSTILE, judge=HOSTILE, numbers=("<b>1</b>", "2"))
    with store.write() as db:
        decisions.record(
            db, rows[0][9], head.id, Outcome.MARK, Stage.ADJUDICATED, mark=1, comment="<img src=x onerror=y>"
        )
    page = report_of(store, exam_id, head, (Answer(HOSTILE, HOSTILE, (Step(HOSTILE, "mark"),)),))
    document = Document(page)
    assert not {"script", "img"} & set(document.tags)
    assert HOSTILE in document.text
    assert "<img src=x onerror=y>" in document.text
    assert "<b>1</b>" not in page


def test_every_chart_has_a_title_and_a_description(store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, _ = judged_exam(store, teacher, AI, TEACHER, numbers=("1", "2"))
    page = report_of(store, exam_id, head)
    drawn = re.findall(r'<svg[^>]* role="img" aria-labelledby="(\S+) (\S+)".*?</svg>', page)
    assert len(drawn) == page.count("<svg") == 6  # QWK, bias, spread, two confusions, running
    assert len({name for names in drawn for name in names}) == 12
    assert all(f'id="{name}">' in page for names in drawn for name in names)


def test_adjudications_are_listed_with_names_for_the_head_alone(store: Store, teacher: Marker, head: Marker) -> None:
    exam_id, rows = judged_exam(store, teacher, AI, TEACHER)
    with store.write() as db:
        decisions.record(db, rows[0][9], head.id, Outcome.MARK, Stage.ADJUDICATED, mark=1, comment="M1 only.")
    lead = add_marker(store, "Pilot lead", Role.PILOT)
    for_head, for_lead = (Document(report_of(store, exam_id, who)).text for who in (head, lead))
    assert "M1 only." in for_head
    assert "Ms Khan: 0" in for_head
    assert "Dr Ferris" in for_head
    assert "M1 only." in for_lead
    assert "teacher 1: 0" in for_lead
    assert "Ms Khan" not in for_lead
    assert "Dr Ferris" not in for_lead
    other = Document(report_of(store, exam_id, add_marker(store, "Mr Osei"))).text
    assert "M1 only." not in other


def test_an_exam_without_marks_makes_a_report_that_says_so(store: Store, head: Marker) -> None:
    exam_id, _ = add_exam(store, [["x"], ["y"]])
    text = Document(report_of(store, exam_id, head)).text
    assert "No judge has proposed marks for this exam yet." in text
    assert "No response has been marked blind yet" in text
    assert "There are 0 pairs in all." in text


def test_two_teachers_are_compared_with_the_ai_on_what_both_have_marked(
    store: Store, teacher: Marker, head: Marker
) -> None:
    exam_id, _ = judged_exam(store, teacher, AI * 2, TEACHER * 2, second=add_marker(store, "Mr Osei"))
    text = Document(report_of(store, exam_id, head)).text
    assert "On 20 responses two teachers gave marks" in text
    assert "The two teachers with each other (R_H) 1.00" in text
    assert "Difference (Δ) −.59" in text


def test_many_questions_are_drawn_on_several_charts_that_each_fit_a_page(store: Store, teacher: Marker) -> None:
    exam_id, _ = judged_exam(store, teacher, AI, TEACHER, numbers=tuple(str(i) for i in range(1, 51)))
    drawn = qwk_charts(exam_figures(store, Selection(exam_id)).questions)
    assert len(drawn) == 3
    assert [chart.count("<circle") for chart in drawn] == [17, 17, 16]
    heights = [float(height) for chart in drawn for height in re.findall(r'viewBox="0 0 680 ([\d.]+)"', chart)]
    assert max(heights) < 24 * ROWS_A_CHART + 80


def test_the_spread_over_questions_is_in_percent_of_the_maximum(store: Store, teacher: Marker) -> None:
    exam_id, _ = judged_exam(store, teacher, AI, TEACHER)
    spread = spread_of(exam_figures(store, Selection(exam_id)).questions)
    sd = 50 * (6.9 / 9) ** 0.5  # of d, from Σd² − (Σd)²/n = 7 − .1, as % of 2 marks
    assert spread.mean == pytest.approx(5.0)
    assert spread.limits == Interval(pytest.approx(5 - 1.96 * sd), pytest.approx(5 + 1.96 * sd), "Bland–Altman")  # type: ignore[arg-type]
    assert (50.0, 100.0, 1) in spread.bubbles


def test_a_question_without_a_figure_is_named_and_has_no_dot(store: Store, teacher: Marker) -> None:
    exam_id, _ = judged_exam(store, teacher, [0, 1, 2], [0, 1, 2])
    (chart,) = qwk_charts(exam_figures(store, Selection(exam_id)).questions, Statistic(None))
    assert "no figure, n = 3" in chart
    assert "<circle" not in chart


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0, 1, (0, 0.2, 0.4, 0.6, 0.8, 1)), (-30, 30, (-30, -20, -10)), (7, 23, (10, 15, 20)), (-0.2, 1, (-0.2, 0, 0.2))],
)
def test_ticks_are_round_values_within_the_axis(low: float, high: float, expected: tuple[float, ...]) -> None:
    assert ticks(low, high)[: len(expected)] == pytest.approx(expected)
    assert all(low <= tick <= high for tick in ticks(low, high))


def test_ticks_are_few_whatever_the_axis() -> None:
    drawn = random.Random(3)
    for _ in range(200):
        low, span = drawn.uniform(-100, 100), 10 ** drawn.uniform(-2, 6)
        assert 1 <= len(ticks(low, low + span)) <= 8


def test_the_selection_and_times_are_in_words() -> None:
    part = Selection(1, questions=("1", "2(a)"), handwritten=True, groups=(("class", "11A"),), marker_id=3)
    assert selection_text(part) == (
        "Questions 1, 2(a); marks by one teacher; handwritten answers; candidates with class 11A"
    )
    assert selection_text(Selection(1)) == "The whole exam"
    assert moment("2026-07-01T12:30:00+00:00", ZoneInfo("Europe/London")) == "1 Jul 2026, 13:30 BST"

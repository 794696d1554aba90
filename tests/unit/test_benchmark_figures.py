"""The published systems' figures from small results made by hand; test_benchmark_figures_shipped has the real ones."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

from components.agreement import correlations, resample_counts
from components.intake.benchmarks.items import Benchmark, Item, Loaded, ShippedResult
from components.workflow.benchmarks.figures_accuracy import Outcome, SatRow, accuracy, submission, submission_file
from components.workflow.benchmarks.figures_converted import converted
from components.workflow.benchmarks.figures_gaokao import gaokao_figures
from components.workflow.benchmarks.figures_judged import (
    JudgedRow,
    judged_against_teachers,
    judged_rows,
    kendall_weighted,
    spearman_weighted,
)
from components.workflow.benchmarks.figures_knowledge import KnownRow, Standing, knowledge
from components.workflow.benchmarks.figures_objective import objective_figures
from components.workflow.benchmarks.figures_rates import rate
from components.workflow.benchmarks.figures_subjective import subjective_figures
from components.workflow.benchmarks.figures_tables import beside_table, differing_table, invalid_table, teacher_table
from components.workflow.benchmarks.figures_teachers import teacher_figures
from components.workflow.benchmarks.subjects import paper_name, spoken


def objective(
    reply: str,
    key: str,
    task: str = "2010-2022_Biology_MCQs",
    kind: str = "single_choice",
    points: float = 6,
    subject: str = "Biology",
    number: str = "0",
    year: str = "2010",
    taken: tuple[str, ...] = (),
) -> ShippedResult:
    item = Item(
        benchmark=Benchmark.GAOKAO_BENCH, task=task, number=number, split="test", question="?", kind=kind,
        key=tuple(key.split()), points=points, subject=subject, year=year,
    )  # fmt: skip
    return ShippedResult(item=item, model="m", model_output=reply, model_answers=taken)


def written(
    *,
    given: tuple[float, ...] = (),
    human: tuple[float, ...] = (),
    full: float = 10,
    task: str = "2010-2022_Biology_Open-ended_Questions",
    subject: str = "Biology",
    number: str = "0",
    reply: str = "because",
    judge: str = "j",
) -> ShippedResult:
    item = Item(
        benchmark=Benchmark.GAOKAO_BENCH, task=task, number=number, split="test", question="?", kind="open",
        points=full, subject=subject, year="2011",
    )  # fmt: skip
    return ShippedResult(
        item=item, model="m", model_output=reply, judge=judge, grading="said" if given else "", corrections=given,
        human_marks=human,
    )  # fmt: skip


def test_a_reply_is_marked_by_the_published_rules_and_by_ours_side_by_side() -> None:
    figures = objective_figures(
        [
            objective("【答案】B <eoa>", "B", number="1", taken=("B",)),
            objective(
                "A、B、C都不对，【答案】无正确答案 <eoa>", "C", number="2", taken=("C",)
            ),  # a letter in the reasons
            objective("【答案】D <eoa>", "A", number="3", taken=("D",), year="2012"),
        ]
    )
    assert figures is not None
    assert (figures.total.published.marks, figures.total.full) == (12, 18)
    assert (figures.total.ours.marks, figures.total.ours.full, figures.total.unread) == (6, 12, 1)
    assert figures.total.ours_of_all.value == pytest.approx(6 / 18)
    assert [item.number for item in figures.differing] == ["2"]
    assert differing_table(figures.differing).rows[0][4:] == ("C", 6, "not read", None)
    assert [(row.name, row.items) for row in figures.by_year] == [("2010", 2), ("2012", 1)]
    assert figures.shipped_differs == 0


def test_answers_shipped_beside_a_reply_that_the_rule_would_not_read_from_it_are_counted() -> None:
    figures = objective_figures(
        [objective("【答案】B <eoa>", "B", taken=("C",)), objective("【答案】B", "B", number="1")]
    )
    assert figures is not None
    assert (figures.shipped_differs, figures.total.published.marks) == (1, 12)


def test_another_number_of_answers_than_the_key_is_a_length_mismatch_that_earns_nothing() -> None:
    several = objective("C A", "C A D", "2010-2022_Geography_MCQs", "multi_question_choice", 4, "Geography")
    figures = objective_figures([several])
    assert figures is not None
    assert (figures.total.length_mismatches, figures.total.published.marks, figures.total.full) == (1, 0, 12)
    assert figures.total.unread == 3  # ours does not know which sub-question the two letters answer


def test_physics_earns_half_for_a_part_of_the_key_and_then_the_rate_is_no_share_of_questions() -> None:
    physics = [
        objective(f"解：【答案】{answer} <eoa>", "ACD", "2010-2022_Physics_MCQs", "multi_choice", 6, "Physics", str(n))
        for n, answer in enumerate(("ACD", "AC", "AB", "ACD"))
    ]
    figures = objective_figures(physics)
    assert figures is not None
    assert figures.total.published.marks == 6 + 3 + 0 + 6
    assert figures.total.published.interval is not None
    assert figures.total.published.interval.method != "Wilson"


def test_no_objective_result_gives_no_figures() -> None:
    assert objective_figures([written(given=(3,))]) is None
    assert subjective_figures([objective("B", "B")]) is None
    assert teacher_figures([written(given=(3,))]) is None
    assert gaokao_figures([Loaded(benchmark=Benchmark.GAOKAO_BENCH, name="Data")]) is None


def test_a_share_of_equal_questions_has_wilsons_interval() -> None:
    found = rate([6, 0, 6, 6], [6, 6, 6, 6]).interval
    assert found is not None
    assert (found.low, found.high, found.method) == (
        pytest.approx(0.3006, abs=1e-4),
        pytest.approx(0.9544, abs=1e-4),
        "Wilson",
    )
    assert rate([], []).value is None
    with pytest.raises(ValueError, match="between 0 and"):
        rate([7], [6])


def test_a_judges_invalid_marks_are_listed_and_left_out_and_the_original_counts_them() -> None:
    figures = subjective_figures(
        [
            written(given=(7,), number="1"),
            written(given=(12, 11), number="2", full=11),
            written(given=(25,), number="3", full=12),
            written(given=(2.5,), number="4"),
            written(given=(-1,), number="5"),
            written(given=(), number="6").model_copy(update={"grading": "no total in it"}),
        ]
    )
    assert figures is not None
    assert figures.total.published_marks == 7 + 11.5 + 25 + 2.5 - 1 + 0
    assert figures.total.full == 10 + 11 + 12 + 10 + 10 + 10
    assert (figures.total.ours.marks, figures.total.ours.full, figures.total.invalid) == (7, 10, 5)
    assert figures.faults == {
        "above its maximum": 2, "below 0": 1, "more than one total": 1, "not a whole mark": 1, "no mark": 1,
    }  # fmt: skip
    assert [row[-1] for row in invalid_table(figures.invalid).rows] == [
        "more than one total, above its maximum of 11 (12, 11)",
        "above its maximum of 12 (25)",
        "not a whole mark (2.5)",
        "below 0 (-1)",
        "no mark",
    ]


def test_a_converted_total_is_total_times_fraction_times_rate_rounded_as_published_and_not() -> None:
    choices = objective_figures(
        [objective("【答案】B", "B", number=str(n)) for n in range(2)] + [objective("【答案】A", "B")]
    )
    essays = subjective_figures([written(given=(6,), full=7)])
    figures = converted(choices, essays)
    assert figures is not None
    biology = figures.subjects[0]
    assert (biology.subject, biology.out_of) == ("Biology", 90)
    assert biology.published.objective == pytest.approx(90 * 0.3 * 0.667)
    assert biology.published.total == pytest.approx(90 * 0.3 * 0.667 + 90 * 0.7 * 0.857)
    assert biology.unrounded.total == pytest.approx(90 * 0.3 * 2 / 3 + 90 * 0.7 * 6 / 7)
    science = figures.streams[1]
    assert (science.out_of, science.published) == (750, None)
    assert science.missing == ("Chinese", "English", "Mathematics (science stream)", "Physics", "Chemistry")
    assert converted(choices, None) is None


def test_a_subject_without_one_valid_mark_has_a_published_total_and_none_of_ours() -> None:
    figures = converted(objective_figures([objective("【答案】B", "B")]), subjective_figures([written(given=(2.5,))]))
    assert figures is not None
    assert figures.subjects[0].published.total == pytest.approx(90 * 0.3 + 90 * 0.7 * 0.25)
    assert figures.subjects[0].ours.total is None


def test_two_teachers_agree_on_mark_fractions_over_all_answers_as_one_set() -> None:
    of_five = [(3, 4, 5), (0, 0, 5), (5, 5, 5), (2, 1, 5)]
    marks = [*of_five, (10, 9, 10), (4, 6, 10), (0, 0, 10), (8, 8, 10), (6, 6, 10), (1, 2, 10), (10, 10, 10)]
    rows = [written(human=(a, b), full=full, number=str(n)) for n, (a, b, full) in enumerate(marks)]
    figures = teacher_figures([*rows, written(human=(5,), number="one"), written(number="none")])
    assert figures is not None
    x = np.array([a / full for a, _, full in marks])
    y = np.array([b / full for _, b, full in marks])
    by_hand = 1 - ((x - y) ** 2).mean() / ((x[:, None] - y[None, :]) ** 2).mean()
    assert figures.total.qwk.value == pytest.approx(by_hand)
    interval = figures.total.qwk.interval
    assert interval is not None
    assert interval.low < by_hand < interval.high
    assert (figures.total.n, figures.total.left_out, figures.total.exact.count) == (11, 2, 6)


def test_identical_pairs_are_named_and_no_evidence_of_agreement() -> None:
    same = [written(human=(n, n), number=str(n)) for n in range(10)]
    other = [
        written(human=(n, 9 - n), number=str(n), task="2010-2022_History_Open-ended_Questions", subject="History")
        for n in range(10)
    ]
    figures = teacher_figures([*same, *other])
    assert figures is not None
    biology, history = figures.by_paper
    assert (biology.identical, biology.qwk.value, biology.qwk.interval) == (True, 1.0, None)
    assert not history.identical
    assert "no evidence of agreement" in str(teacher_table("t", [biology]).rows[0][-1])
    assert figures.differing_only is not None
    assert figures.differing_only.n == 10
    assert figures.differing_only.qwk == history.qwk


def test_under_ten_pairs_no_qwk_is_shown() -> None:
    figures = teacher_figures([written(human=(n, n), number=str(n)) for n in range(9)])
    assert figures is not None
    assert figures.total.qwk.value is None
    assert "10 pairs" in figures.total.qwk.note


def judged(n: int, seed: int = 1) -> list[JudgedRow]:
    draw = np.random.default_rng(seed)
    rows = []
    for place in range(n):
        truth = int(draw.integers(11))
        first, second, judge = np.clip(truth + draw.integers(-1, 2, 3), 0, 10)
        rows.append(JudgedRow(f"q{place // 2}", "Biology", 10, float(judge), float(first), float(second)))
    return rows


def test_a_judge_is_held_against_the_mean_of_two_teachers() -> None:
    rows = [
        JudgedRow("a", "Biology", 10, 9, 8, 8), JudgedRow("b", "Biology", 10, 5, 4, 5),
        JudgedRow("c", "History", 20, 4, 2, 2), JudgedRow("d", "History", 20, 20, 18, 20),
    ]  # fmt: skip
    found = judged_against_teachers(rows)
    assert found is not None
    total = found.total
    assert (total.judge_total, total.teachers_total, total.full) == (38, 33.5, 60)
    assert total.deviation.value == pytest.approx(100 * 4.5 / 33.5)
    assert total.deviation_marks.value == pytest.approx(4.5 / 4)
    assert total.spearman.value == pytest.approx(1)
    assert [each.name for each in found.by_subject] == ["Biology", "History"]
    assert found.by_subject[0].spearman.note == "a correlation needs three pairs"
    with pytest.raises(ValueError, match="11 is not a mark out of 10"):
        judged_against_teachers([JudgedRow("a", "Biology", 10, 11, 8, 8)])


def test_its_correlations_have_intervals_from_drawing_questions_again() -> None:
    rows = judged(80)
    found = judged_against_teachers(rows)
    assert found is not None
    for figure in (found.total.spearman, found.total.kendall):
        assert figure.value is not None
        assert figure.interval is not None
        assert figure.interval.low < figure.value < figure.interval.high < 1
    x, y = [row.judge for row in rows], [row.teachers for row in rows]
    assert found.total.kendall == correlations(x, y).kendall.__class__(
        stats.kendalltau(x, y).statistic, "", found.total.kendall.interval
    )


def test_a_resampled_correlation_is_that_of_the_repeated_answers() -> None:
    rows = judged(30, seed=3)
    x, y = np.array([row.judge for row in rows]), np.array([row.teachers for row in rows])
    counts = resample_counts(30, 5, 7)
    repeated = [(np.repeat(x, row.astype(int)), np.repeat(y, row.astype(int))) for row in counts]
    assert spearman_weighted(x, y, counts) == pytest.approx([stats.spearmanr(a, b).statistic for a, b in repeated])
    assert kendall_weighted(x, y, counts) == pytest.approx(
        [stats.kendalltau(a, b).statistic for a, b in repeated], abs=1e-5
    )


def test_a_judge_is_found_wherever_it_has_marked_a_double_marked_reply() -> None:
    taught = [written(human=(n, n), number=str(n), judge="") for n in range(4)]
    marked = [written(given=(n,), number=str(n)) for n in range(3)]
    invalid = written(given=(2.5,), number="3")
    another_reply = written(given=(9,), number="3", reply="another")
    rows = judged_rows([*taught, *marked, invalid, another_reply])
    assert [(row.item.split()[-1], row.judge, row.first) for row in rows] == [("0", 0, 0), ("1", 1, 1), ("2", 2, 2)]
    figures = gaokao_figures(
        [Loaded(benchmark=Benchmark.GAOKAO_BENCH, name="all", results=(*taught, *marked, invalid, another_reply))]
    )
    assert figures is not None
    assert [judge for judge, _ in figures.judged] == ["j"]
    assert figures.judged[0][1].total.n == 3


def test_another_models_results_are_not_held_against_the_published_ones() -> None:
    pairs = [written(human=(n, 10 - n), number=str(n)) for n in range(11)]
    loaded = Loaded(benchmark=Benchmark.GAOKAO_BENCH, name="x", results=(objective("【答案】B", "B"), *pairs))
    figures = gaokao_figures([loaded])
    assert figures is not None
    assert [row[:2] for row in beside_table(figures.beside).rows] == [
        ("Objective questions, marks", "—"),
        ("Replies with another number of answers than the key", "—"),
        ("Two teachers on the same answers, QWK on mark fractions", "—"),
    ]
    assert all(row.same is None for row in figures.beside)


def test_a_model_that_two_judges_marked_has_its_objective_figures_once() -> None:
    marked = [written(given=(6,), judge=judge) for judge in ("first", "second")]
    loaded = Loaded(benchmark=Benchmark.GAOKAO_BENCH, name="x", results=(objective("【答案】B", "B"), *marked))
    figures = gaokao_figures([loaded])
    assert figures is not None
    assert [row.figure for row in figures.beside] == [
        "Objective questions, marks (m)",
        "Replies with another number of answers than the key (m)",
        "Written questions, marks (m, marked by first)",
        "Written questions, marks (m, marked by second)",
    ]


def sat(task: str, outcomes: str, subject: str, level: str, cluster: str) -> list[SatRow]:
    """r right, w wrong, u unread, k no key, f failed; letters A, B, C … in turn where something was read."""
    kinds = {"r": Outcome.RIGHT, "w": Outcome.WRONG, "u": Outcome.UNREAD, "k": Outcome.NO_KEY, "f": Outcome.FAILED}
    return [
        SatRow(task, str(n), subject, level, cluster, kinds[each], "" if each in "uf" else "ABCD"[n % 4])
        for n, each in enumerate(outcomes)
    ]


def test_accuracy_shows_both_readings_of_an_unread_reply() -> None:
    found = accuracy(
        [
            *sat("high_school_biology", "rrrwu", "Biology", "High school", "science"),
            *sat("primary_school_chinese", "rwwwkf", "Chinese", "Primary school", "arts"),
        ]
    )
    assert found is not None
    assert (found.total.of_all.count, found.total.of_all.n, found.total.of_read.n) == (4, 9, 8)
    assert (found.total.unread, found.total.no_key, found.total.failed) == (1, 1, 1)
    assert found.total.mean_of_subjects == pytest.approx((3 / 5 + 1 / 4) / 2)
    assert [(row.name, row.of_all.value, row.of_read.value) for row in found.by_subject] == [
        ("high-school biology", 0.6, 0.75),
        ("primary Chinese", 0.25, 0.25),
    ]
    assert [row.name for row in found.by_cluster] == ["Arts", "Science"]
    assert [row.name for row in found.by_level] == ["High school", "Primary school"]
    assert accuracy([]) is None


def test_a_sitting_with_private_answers_alone_has_no_accuracy_and_a_submission() -> None:
    rows = sat("high_school_biology", "kkk", "Biology", "High school", "science")
    found = accuracy(rows)
    assert found is not None
    assert (found.total.of_all.value, found.total.no_key) == (None, 3)
    assert submission(rows) == {"high_school_biology": {"0": "A", "1": "B", "2": "C"}}


def test_a_submission_has_every_question_and_guesses_none() -> None:
    rows = sat("high_school_biology", "kuk", "Biology", "High school", "science")
    assert json.loads(submission_file(rows)) == {"high_school_biology": {"0": "A", "1": "", "2": "C"}}


def known(
    right: int, wrong: int, unread: int = 0, subject: str = "Biology", level: str = "High school"
) -> list[KnownRow]:
    rights = [1.0] * right + [0.0] * wrong
    return [KnownRow(subject, level, each) for each in (*rights, *[None] * unread)]


def test_the_card_says_what_a_judge_knows_and_what_it_should_not_mark() -> None:
    found = knowledge([*known(91, 9), *known(48, 50, 2, "Mathematics", "Primary school")])
    assert found is not None
    assert found.sentence == (
        "Knows 91% of high-school biology (likely 84–95%, 100 questions), 48% of primary mathematics (likely 38–58%, "
        "100 questions). 2 of its 200 replies could not be read in full; what was not read counts as wrong."
    )
    assert found.advice.startswith("Should not mark primary mathematics: it would not pass the paper itself")
    assert [each.standing for each in found.subjects] == [Standing.KNOWS, Standing.DOES_NOT]


def test_questions_without_a_reply_are_said_on_the_card_and_in_no_share() -> None:
    found = knowledge([*known(91, 9), *[KnownRow("Biology", "High school", None, replied=False)] * 50])
    assert found is not None
    assert (found.subjects[0].rate.items, found.subjects[0].unread) == (100, 0)
    assert found.sentence.endswith("50 more questions got no reply, and no figure here counts them.")
    assert knowledge([KnownRow("Biology", "High school", None, replied=False)]) is None


def test_a_few_right_answers_do_not_show_that_a_judge_knows_a_subject() -> None:
    found = knowledge(known(4, 1))
    assert found is not None
    assert "only 5 questions" in found.sentence
    assert found.subjects[0].standing is Standing.UNSURE
    assert found.advice.startswith("Not shown to know high-school biology well enough to mark")
    assert "more questions first" in found.advice
    assert knowledge([]) is None


def test_a_judge_that_passes_all_is_still_not_said_to_mark_well() -> None:
    found = knowledge(known(95, 5))
    assert found is not None
    assert found.advice.startswith("Passes every paper it has sat")
    assert "see its agreement with teachers" in found.advice


def test_of_many_subjects_the_card_names_the_best_and_the_worst() -> None:
    found = knowledge([row for n in range(9) for row in known(10 * n, 100 - 10 * n, subject=f"Subject{n}", level="")])
    assert found is not None
    assert found.sentence.startswith("Knows 80% of subject8 (")
    assert "0% of subject0 (likely 0–4%, 100 questions) least, of 9 subjects." in found.sentence
    assert "subject4" not in found.sentence


@pytest.mark.parametrize(
    ("subject", "level", "said"),
    [
        ("Biology", "High school", "high-school biology"),
        ("Math", "Junior high school", "junior-high-school mathematics"),
        ("Chinese", "Primary school", "primary Chinese"),
        ("Mathematics (arts stream)", "High school", "high-school mathematics (arts stream)"),
        ("Basic Principle of Marxism", "College", "college basic principle of Marxism"),
        ("Film", "Other", "film"),
    ],
)
def test_a_subject_is_said_with_its_level(subject: str, level: str, said: str) -> None:
    assert spoken(subject, level) == said


def test_a_paper_is_named_without_its_years() -> None:
    assert paper_name("2010-2022_Math_II_Fill-in-the-Blank") == "Math II Fill-in-the-Blank"

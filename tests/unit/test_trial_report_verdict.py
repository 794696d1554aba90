from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from components.agreement import Interval, Statistic
from components.marking import QuestionType
from components.workflow.trial.data import TrialData
from components.workflow.trial.report_figures import trial_figures
from components.workflow.trial.report_rules import Standing, direction_of
from components.workflow.trial.report_sections import rests_on
from components.workflow.trial.report_verdict import ArmVerdict, TrialVerdict, listed, trial_verdict
from tests.trial_marks import arm, noisy, question, trial

SHORT, ESSAY = QuestionType.SHORT, QuestionType.ESSAY
Part = tuple[str, QuestionType, int, float]  # subject, type, maximum, by how many marks the judge is off


def exam(parts: Sequence[Part], responses: int = 60, noise: float = 0.4) -> TrialData:
    """A trial with six questions of each part."""
    questions, places = [], []
    e1: list[float] = []
    e2: list[float] = []
    ai: list[float] = []
    for subject, kind, most, shift in parts:
        for _ in range(6):
            a, b, c = noisy(len(questions), responses, most, noise=noise, shift=shift)
            e1, e2, ai = e1 + a, e2 + b, ai + c
            places += [len(questions)] * responses
            questions.append(question(str(len(questions) + 1), most, subject, kind))
    return trial(questions, places, e1, e2, [arm("Vela", ai)])


def verdict_on(marks: TrialData) -> TrialVerdict:
    return trial_verdict(trial_figures(marks))


def only(marks: TrialData) -> ArmVerdict:
    (found,) = verdict_on(marks).arms
    return found


def test_a_judge_may_be_fit_for_two_subjects_and_not_for_the_essay_with_the_reason() -> None:
    found = only(exam([("maths", SHORT, 4, 0), ("biology", SHORT, 4, 0), ("English", ESSAY, 8, -2)]))
    assert found.sentence.startswith("Fit as second marker for maths and biology at tolerance 1; not for English")
    assert found.sentence.removeprefix("Fit as second marker for maths and biology at tolerance 1; ") == (
        "not for English and essays: severe by 21% of marks and within tolerance on 39% of responses (the humans on "
        "98%)."
    )
    by_part = {part.part: part.standing for part in found.parts}
    assert (by_part["maths"], by_part["essays"]) == (Standing.FIT, Standing.NOT_FIT)


def test_an_exam_of_one_kind_has_one_sentence_with_all_its_reasons() -> None:
    found = only(exam([("maths", SHORT, 4, 0)]))
    assert found.sentence == (
        "Fit as second marker for this exam at tolerance 1: neither severe nor lenient, within tolerance on 98% of "
        "responses (the humans on 100%) and about as close to the humans as they are to each other (QWK .88 against "
        ".90)."
    )
    assert [rule.name for rule in found.whole.rules] == ["QWK", "Beside the humans", "Bias", "Tolerance"]
    assert all(rule.standing is Standing.FIT for rule in found.whole.rules)


def test_a_judge_far_behind_the_humans_is_not_fit_although_its_qwk_is_high() -> None:
    e1, e2, _ = noisy(1, 300, 8, noise=0.2)
    poor = noisy(1, 300, 8, noise=1.2)[2]
    found = only(trial([question("1", 8)], [0] * 300, e1, e2, [arm("Vela", poor)]))
    rules = {rule.name: rule.standing for rule in found.whole.rules}
    assert rules["QWK"] is Standing.FIT
    assert rules["Tolerance"] is Standing.NOT_FIT
    assert found.whole.standing is Standing.NOT_FIT


@pytest.mark.parametrize(("responses", "more"), [(29, 1), (12, 18)])
def test_under_thirty_responses_nothing_is_said_but_how_many_more_it_takes(responses: int, more: int) -> None:
    e1, e2, ai = noisy(1, responses)
    found = only(trial([question()], [0] * responses, e1, e2, [arm("Vela", ai)]))
    assert found.whole.standing is Standing.OPEN
    assert found.whole.more == more
    assert f"at least {more} more {'is' if more == 1 else 'are'} needed" in found.sentence


def test_a_range_that_crosses_a_line_is_open_and_says_how_many_more_responses_would_tell() -> None:
    e1, e2, ai = noisy(4, 40, noise=0.75)
    found = only(trial([question()], [0] * 40, e1, e2, [arm("Vela", ai)])).whole
    assert found.standing is Standing.OPEN
    (rule,) = [rule for rule in found.rules if rule.name == "QWK"]
    assert rule.standing is Standing.OPEN
    assert rule.times is not None
    assert rule.times > 1
    assert "cannot be said yet" in only(trial([question()], [0] * 40, e1, e2, [arm("Vela", ai)])).sentence


def test_marked_once_a_judge_cannot_be_fit_and_the_report_says_what_is_missing() -> None:
    e1, _, ai = noisy(2, 200)
    found = only(trial([question()], [0] * 200, e1, None, [arm("Vela", ai)]))
    assert found.whole.standing is Standing.OPEN
    assert "nobody marked a second time" in found.sentence
    assert [rule.name for rule in found.whole.rules] == ["QWK", "Bias"]


def test_marked_once_a_judge_that_is_far_off_is_not_fit_all_the_same() -> None:
    e1, _, _ = noisy(2, 200)
    found = only(trial([question()], [0] * 200, e1, None, [arm("Vela", list(reversed(e1)))]))
    assert found.whole.standing is Standing.NOT_FIT


def test_a_larger_bias_that_may_be_less_is_open_and_a_small_one_is_kept() -> None:
    e1, e2, _ = noisy(5, 60, noise=0.2)
    small = list(e1)
    found = only(trial([question()], [0] * 60, e1, e2, [arm("Vela", small)])).whole
    assert {rule.name: rule.standing for rule in found.rules}["Bias"] is Standing.FIT
    down = [max(0, mark - (1 if place % 4 == 0 else 0)) for place, mark in enumerate(e1)]
    (bias,) = [
        rule
        for rule in only(trial([question()], [0] * 60, e1, e2, [arm("Vela", down)])).whole.rules
        if rule.name == "Bias"
    ]
    assert bias.standing is Standing.OPEN
    assert "likely" in bias.said


def test_the_best_of_several_is_said_to_flatter_itself_and_a_single_one_is_not() -> None:
    e1, e2, ai = noisy(3, 60)
    other = noisy(3, 60, noise=1.5)[2]
    several = verdict_on(trial([question()], [0] * 60, e1, e2, [arm("Vela", ai), arm("Orion", other, judge=2)]))
    assert "picked as the best of 2" in several.caution
    assert [each.name for each in several.arms] == ["Vela", "Orion"]
    assert "Closest to the humans is Vela" in several.sentence
    assert verdict_on(trial([question()], [0] * 60, e1, e2, [arm("Vela", ai)])).caution == ""


def two_open(responses: int) -> TrialData:
    """Vela is a little severe and nearer the humans than Orion; neither can be told from a fit judge."""
    e1, e2, ai = noisy(0, responses, noise=0.75, shift=-0.35)
    arms = [arm("Vela", ai), arm("Orion", noisy(0, responses, noise=0.9)[2], judge=2)]
    return trial([question()], [0] * responses, e1, e2, arms)


def test_where_nothing_is_settled_the_answer_names_the_closest_judge_and_what_is_open_about_it() -> None:
    found = verdict_on(two_open(40))
    about = (
        ". Still open: whether it is severe (by 11% of marks) or that is chance, and whether it is as close to the "
        "humans as they are to each other (QWK .74 against .80); about 751 more responses would tell."
    )
    assert found.sentence == (f"No judge can be called fit as second marker yet. Closest to the humans is Vela{about}")
    assert found.arms[0].sentence == f"It cannot be said yet whether it is fit as second marker{about}"


def test_with_too_few_responses_the_answer_says_so_of_the_closest_judge() -> None:
    assert verdict_on(two_open(11)).sentence.endswith(
        "Closest to the humans is Vela: only 11 responses to go by; at least 19 more are needed."
    )


def test_judges_that_are_open_are_named_where_the_closest_is_not_one_of_them() -> None:
    e1, e2, _ = noisy(0, 60)
    severe = [max(0, mark - (each % 5 < 3)) for each, mark in enumerate(e1)]  # by a mark on three in five
    arms = [arm("Vela", severe), arm("Orion", noisy(0, 60, noise=0.75)[2], judge=2)]
    assert verdict_on(trial([question()], [0] * 60, e1, e2, arms)).sentence == (
        "No judge can be called fit as second marker yet; it is open for Orion. Closest to the humans is Vela: not fit "
        "as second marker for this exam: severe by 11% of marks."
    )


def test_perfect_agreement_throughout_is_fit() -> None:
    marks = [0.0, 1, 2, 3, 4] * 12
    found = only(trial([question("1"), question("2")], [0] * 30 + [1] * 30, marks, marks, [arm("Vela", marks)]))
    assert found.whole.standing is Standing.FIT


def test_no_judge_has_marked_yet() -> None:
    nothing = [float("nan")] * 40
    e1, e2, _ = noisy(3, 40)
    found = verdict_on(trial([question()], [0] * 40, e1, e2, [arm("Vela", nothing), arm("Orion", nothing, judge=2)]))
    assert found.sentence == "It cannot be said yet: no judge has marked a response that a human has marked."
    assert verdict_on(trial([question()], [0] * 40, e1, e2, [])).sentence == "This trial has no judge yet."


def test_a_judge_that_leaves_the_essays_to_people_is_not_called_fit_for_the_whole() -> None:
    marks = exam([("maths", SHORT, 4, 0), ("English", ESSAY, 8, 0)])
    ai = marks.arms[0].marks.copy()
    essays = marks.question >= 6
    ai[essays] = float("nan")
    found = only(replace(marks, arms=(arm("Vela", ai.tolist(), abstained=int(essays.sum())),)))
    assert found.whole.standing is Standing.OPEN
    assert "compared on 6 of 12 questions, 33% of marks only" in found.whole.why
    by_part = {part.part: part.standing for part in found.subjects}
    assert by_part == {"maths": Standing.FIT, "English": Standing.OPEN}
    assert "It gives no mark on 360 of 720 responses (50%), which people must mark." in found.sentence


def two_judges(out: np.ndarray, off: np.ndarray) -> TrialData:
    """One exam of ten questions: Vela marks all, three marks off on `off`; Orion is close and leaves `out` out."""
    e1, e2, close = (np.array(marks) for marks in noisy(5, 600, 8))
    vela, orion = noisy(5, 600, 8)[2], np.where(out, np.nan, close)
    vela = np.where(off, np.clip(np.array(vela) - 3, 0, 8), vela).tolist()
    places, questions = [each % 10 for each in range(600)], [question(str(each), 8) for each in range(1, 11)]
    arms = [arm("Vela", vela), arm("Orion", orion.tolist(), judge=2, abstained=int(out.sum()))]
    return trial(questions, places, e1.tolist(), e2.tolist(), arms)


def test_a_judge_is_not_fit_because_another_left_out_the_responses_it_gets_wrong() -> None:
    hard = np.random.default_rng(2).random(600) < 0.4
    found = {each.name: each for each in verdict_on(two_judges(hard, hard)).arms}
    assert found["Vela"].whole.standing is Standing.NOT_FIT
    assert f"(on all 600 responses that it marked, not only the {600 - int(hard.sum())} that every" in (
        found["Vela"].sentence
    )
    assert found["Orion"].whole.standing is Standing.FIT
    assert f"It gives no mark on {int(hard.sum())} of 600 responses" in found["Orion"].sentence


def test_a_judge_that_marked_all_is_fit_although_another_left_whole_questions_out() -> None:
    last = np.array([each % 10 >= 7 for each in range(600)])
    found = {each.name: each for each in verdict_on(two_judges(last, np.zeros(600, bool))).arms}
    assert (found["Vela"].whole.standing, found["Orion"].whole.standing) == (Standing.FIT, Standing.OPEN)
    assert "on all 600 responses that it marked, not only the 420" in found["Vela"].sentence


def test_judges_without_a_response_in_common_are_each_told_on_their_own() -> None:
    marks = two_judges(np.arange(600) < 300, np.zeros(600, bool))
    vela = marks.arms[0].marks.copy()
    vela[300:] = np.nan
    imported = [replace(each, arm=replace(each.arm, kind="imported")) for each in marks.arms]
    apart = replace(marks, arms=(replace(imported[0], marks=vela, missing=300), imported[1]))
    found = trial_figures(apart)
    assert found.everything.arms == ()
    assert trial_verdict(found).sentence == "Over all questions 2 of 2 judges are fit as second marker: Vela and Orion."
    assert rests_on(found, found.everything) == (
        "No response has a mark of both humans and of both judges compared, so they cannot be held side by side."
    )
    assert (
        trial_verdict(found)
        .arms[0]
        .sentence.endswith("Its file has no mark on 300 of 600 responses (50%), of which this says nothing.")
    )


def test_a_bias_is_called_by_the_figure_that_its_rule_goes_by() -> None:
    # Question 1: marks vary little and the judge is severe by 1; question 2: they vary much, and it is lenient by 3.
    e1, wide = [3.0, 4.0] * 60, [2.0, 18.0] * 60
    ai = [each - 1 for each in e1] + [each + 1.5 for each in wide]
    marks = trial([question("1", 20), question("2", 20)], [0] * 120 + [1] * 120, e1 + wide, e1 + wide, [arm("V", ai)])
    bias = next(rule for rule in only(marks).whole.rules if rule.name == "Bias")
    assert trial_figures(marks).everything.arms[0].bias.value == pytest.approx(1.25)  # lenient, in % of 20
    assert bias.said.startswith("severe where marks vary little, −.90 standard deviations")


def test_questions_on_which_all_marks_are_the_same_make_no_judge_fit() -> None:
    e1, e2, ai = noisy(3, 60)
    same = [4.0] * 60
    questions = [question("1"), question("2"), question("3")]
    marks = trial(questions, [0] * 60 + [1] * 60 + [2] * 60, e1 + 2 * same, e2 + 2 * same, [arm("V", ai + 2 * same)])
    found = only(marks).whole
    assert found.standing is Standing.OPEN
    assert "on most of the marks QWK is not measurable: it rests on 1 of 3 questions, 33% of marks" in found.why


def test_direction_is_said_in_words() -> None:
    assert direction_of(Statistic(-8.2, "", Interval(-10, -6))) == "severe by 8% of marks"
    assert direction_of(Statistic(0.44)) == "lenient by 0.4% of marks"
    assert direction_of(Statistic(0.01)) == "neither severe nor lenient"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(["Vela", "Vela, 3 examples", "Orion"]) == "Vela; Vela, 3 examples; and Orion"


def test_parts_with_too_few_responses_are_named_together_after_those_that_are_settled() -> None:
    marks = exam([("maths", SHORT, 4, 0), ("physics", SHORT, 4, 0), ("English", ESSAY, 8, -2)])
    few = marks.first.copy()
    for place in (6, 7, 8, 9, 10, 11):  # of each physics question four responses are marked by people
        few[[row for row in range(few.size) if marks.question[row] == place][4:]] = float("nan")
    found = only(replace(marks, first=few))
    assert found.sentence.startswith("Fit as second marker for maths at tolerance 1; not for English and essays: ")
    assert found.sentence.endswith(". For physics there are too few responses yet: at least 30 are needed.")
    (physics,) = [part for part in found.parts if part.part == "physics"]
    assert (physics.more, physics.settles) == (6, "at least 6 more responses")

"""Options that an answer turns down, and the letter A with its mark, are read as they are meant or not at all."""

from __future__ import annotations

import time

import pytest

from components.judge.objective import ObjectiveJudge
from components.judge.objective.choice import read_choice
from components.judge.objective.published import Kind, Rule, read_answers
from components.judge.objective.reading import Unreadable
from components.marking import ChoiceKey, Question, QuestionType, Response, Scheme

WORDS = {"A": "Osmosis", "B": "Photosynthesis", "C": "Respiration", "D": "Water"}
LETTERS = dict.fromkeys("ABCD", "")


def chosen(text: str, *, several: bool = False, options: dict[str, str] = LETTERS) -> str | None:
    """The letters read at the desk; None where the answer is left to the teacher."""
    try:
        return "".join(sorted(read_choice(text, ChoiceKey(options=options, correct=()), several).selection))
    except Unreadable:
        return None


@pytest.mark.parametrize(
    "text",
    [
        "不选A", "不是A", "排除A", "A错误", "A不对", "A是错的", "A项错误", "A选项明显不正确", "别选A", "不应该选A",
        "不能选A", "没有选A", "误选A", "如果选A", "难道选A", "为什么选A", "选A吗", "答案是A吗？", "答案不选A",
        "答案不可能是A",
        "排除选项A", "去掉选项A", "除了选项A", "不是选项A", "错误的选项是A", "错误答案：A", "选项A应该排除", "A被排除",
        "A可能不对", "答案：A×", "不必选A", "【答案】不选A",
        "not A", "not option A", "Definitely not A", "I would not choose A", "I would not choose option A",
        "can't be A", "It can't be A", "eliminate A", "eliminate option A", "We can rule out option A",
        "I reject option A",
        "I don't think the answer is A", "I doubt the answer is A", "The answer is not A", "The wrong answer is A",
        "incorrect option: A", "all but option A", "Is the answer A?", "A must be wrong", "A can be eliminated",
        "Option A should be excluded", "Option A is clearly wrong", "A cannot be right", "A could not be right",
        "A wrong", "option A (wrong)", "A, no",
    ],
)  # fmt: skip
def test_an_option_only_turned_down_is_not_chosen(text: str) -> None:
    assert chosen(text) is None
    assert chosen(text, several=True) is None
    assert read_answers(text, Kind.SINGLE_CHOICE, 1) is None


@pytest.mark.parametrize(
    "text",
    [
        "不选A，选C", "不选A\n选C", "选C，不选A", "选C不选A", "选C而不是A", "排除A，选C", "排除法选C",
        "排除选项A，故选C", "A错误\n答案：C", "A错选C", "不应该选A，应该选C", "不知道，选C", "不难看出应选C",
        "不得不选C", "无非选C",
        "没错选C", "C\n排除A", "答案：C\n不是A", "C非常合适", "下列不正确的是C，故选C", "不正确的选C",
        "C not A", "C, not A", "It is C not option A", "Not option A, option C", "A is wrong\nAnswer: C",
        "A is incorrect the answer is C", "The answer isn't A. Answer: C", "There is no doubt the answer is C",
        "I am not sure, but the answer is C", "This is the correct answer: C", "C, no doubt", "no the answer is C",
        "eliminate option A so the answer is C", "C because option A can be ruled out",
    ],
)  # fmt: skip
def test_the_option_chosen_beside_one_turned_down_is_read(text: str) -> None:
    assert chosen(text) == "C"
    assert read_answers(text, Kind.SINGLE_CHOICE, 1) == ("C",)


@pytest.mark.parametrize(
    "text", ["ABD，不选C", "选ABD不选C", "不选C，选ABD", "排除C，选ABD", "分别选A、B、D", "Options A, B and D, not C"]
)
def test_several_options_are_read_without_the_one_turned_down(text: str) -> None:
    assert chosen(text, several=True) == "ABD"
    assert read_answers(text, Kind.MULTI_CHOICE, 1) == ("ABD",)


@pytest.mark.parametrize(
    "text",
    [
        "A. water", "A) water", "(A) water", "(a) water", "a. water", "A. It moves", "Answer: A. water",
        "answer is a. water", "The answer is A. water", "Option A. water", "I think it is A. water",
        "答案：A. water", "选A. water",
        "【答案】A. was doing <eoa>", "A. No", "A. water, not B",
    ],
)  # fmt: skip
def test_a_with_its_mark_is_the_option(text: str) -> None:
    assert chosen(text) == "A"
    assert read_answers(text, Kind.SINGLE_CHOICE, 1) == ("A",)


@pytest.mark.parametrize(
    "text",
    [
        "A water", "A plant.", "(a water)", "The answer is a plant", "A.M. in the morning", "answer: a.m.", "A. no, B",
        "答案：A. ①② B. ①③ C. ②④ D. ③④", "答案：A. 水 C. 火", "Answer: A. water B. ice", "答案：A.B", "A. B is wrong",
    ],
)  # fmt: skip
def test_the_article_an_abbreviation_and_options_copied_out_are_no_choice(text: str) -> None:
    assert chosen(text) is None
    assert read_answers(text, Kind.SINGLE_CHOICE, 1) is None


def test_words_turned_down_are_not_the_option_they_belong_to() -> None:
    assert [chosen(text, options=WORDS) for text in ("not Osmosis", "No, Osmosis", "不是 Osmosis")] == [None] * 3
    assert chosen("the water", options=WORDS) == "D"


def test_the_letter_a_beside_another_options_words_is_left_to_the_teacher() -> None:
    assert chosen("A. Osmosis", options=WORDS) == "A"
    assert chosen("A. Respiration", options=WORDS) is None


def test_the_judge_gives_no_mark_for_an_option_turned_down() -> None:
    question = Question(number="1", type=QuestionType.SINGLE_CHOICE, text="Which?", max_mark=1)
    scheme = Scheme(max_mark=1, choice=ChoiceKey(options=LETTERS, correct=("A",)))
    marks = [
        ObjectiveJudge().propose(question, scheme, Response(id="r", text=text)).mark
        for text in ("不选A", "不选A，选C", "A. water")
    ]
    assert marks == [None, 0, 1]


def test_the_published_rule_still_takes_what_is_turned_down() -> None:
    assert read_answers("不选A", Kind.SINGLE_CHOICE, 1, Rule.PUBLISHED) == ("A",)
    assert read_answers("A. water", Kind.SINGLE_CHOICE, 1, Rule.PUBLISHED) == ("A",)


@pytest.mark.parametrize("filler", ["应该", "可能", "不", "not the ", "eliminate ", "all but ", "选不", "A. B"])
def test_a_long_run_of_denials_is_read_within_a_second(filler: str) -> None:
    text = "不" + filler * (4_000 // len(filler))
    started = time.perf_counter()
    chosen(text + "x选A")
    chosen("选A" + text)
    chosen(("不" + filler * 20 + "x选A") * 20)
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize(
    "text",
    [
        "My answer was B but now C", "I chose B at first", "My first answer was B", "Answer: B, no wait, C",
        "My answer is B. Sorry, I mean C", "My answer was B. Now I choose C", "The answer is B -> C",
        "The answer was B, then I changed it to C", "My answer was B; I originally thought the answer is B",
        "At first I thought the answer is B", "答案是B，后来改成C", "答案B，改为C", "答案：B→C",
        "一开始选B", "答案：B 但是我觉得C",
    ],
)  # fmt: skip
def test_an_answer_that_takes_its_option_back_is_left_to_the_teacher(text: str) -> None:
    assert chosen(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "My answer was B", "I chose B", "At first I thought A, but the answer is B", "The answer is B, not C",
        "The answer is B, but C is wrong", "The answer is B, but A plant needs it",
        "The answer is B. Now the plant dies",
        "Answer: B. Then C is reduced", "Answer: B. No C-C bond breaks", "Initially it is at rest so the answer is B",
        "Earlier experiments show that the answer is B", "原来的溶液是酸性故选B", "原来如此，选B", "答案是B，但是C错",
        "选B，因为原来A不对", "答案：B。现在我们看C项",
    ],
)  # fmt: skip
def test_words_of_correction_about_something_else_leave_the_option_as_it_is(text: str) -> None:
    assert chosen(text) == "B"


def test_where_several_may_be_chosen_options_set_out_one_after_another_are_not_the_first_alone() -> None:
    assert chosen("答案：B. x D. y", several=True) is None
    assert chosen("答案：B、D", several=True) == "BD"
    assert chosen("答案：B. D. Copperfield") != "D"


def test_a_long_answer_with_many_words_of_correction_is_read_at_once() -> None:
    began = time.perf_counter()
    chosen("The answer is B but " + "now i think " * 5000)
    chosen("一开始" * 5000 + "选B")
    assert time.perf_counter() - began < 1

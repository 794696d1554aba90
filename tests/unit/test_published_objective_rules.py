"""Objective items by GAOKAO-Bench's published rules and by ours, on hand-worked replies and on the shipped results."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.judge.objective import ObjectiveJudge
from components.judge.objective.published import ItemMark, Kind, Rule, mark_item, read_answers
from components.marking import ChoiceKey, NumericKey, Question, QuestionType, Response, Scheme

SHIPPED = Path(__file__).parents[2].parent / "shared" / "data" / "gaokao_bench" / "Results" / "gpt_4_0314_obj"
ONE, MANY = Kind.SINGLE_CHOICE, Kind.MULTI_CHOICE
SUBS, SEVEN = Kind.MULTI_QUESTION_CHOICE, Kind.FIVE_OUT_OF_SEVEN


@pytest.mark.parametrize(
    ("kind", "count", "text", "answers"),
    [
        (ONE, 1, "【解析】A错，C错。<eoe>\n【答案】: B <eoa>", "B"),
        (ONE, 1, "【答案】B，D <eoa>", "D"),
        (ONE, 1, "A、B、C都不对，【答案】无正确答案 <eoa>", "C"),
        (ONE, 1, "【答案】题目可能有误 <eoa>", ""),
        (ONE, 1, "the answer is b", ""),
        (ONE, 1, "B, since Darwin said so", "D"),
        (SUBS, 3, "（1）【答案】 C <eoa>\n（2）【答案】: A <eoa>\n（3）【答案】：D <eoa>", "C A D"),
        (SUBS, 3, "C B A, and then D", "C B A"),
        (SUBS, 3, "The passage.\n【答案】 C <eoa>\n【答案】 A <eoa>", "T C A"),
        (SUBS, 3, "A C", "A C"),
        (SUBS, 2, "（1）【答案】::A（2）【答案】 ： Z", "A Z"),
        (SUBS, 1, "【答案】 B", "B"),
        (SUBS, 2, "不知道", ""),
        (MANY, 1, "【解析】B错 <eoe>\n【答案】 A C D <eoa>", "ACD"),
        (MANY, 1, "【答案】 A C D <eoa> 因为 B 错，而其余各项均是正确的结论", ""),
        (MANY, 1, "【答案】AC<eoa>", "AC"),
        (MANY, 1, "解：【答案】 C A <eoa> 解析：B不对", "CAB"),
        (MANY, 1, "B 是错误的，经过推导，所以应该选 A D", "AD"),
        (MANY, 1, "解：【答案】无 <eoa>", ""),
        (SEVEN, 5, "【答案】 C F A E D <eoa>", "C F A E D"),
        (SEVEN, 5, "CFAEDBG", "C F A E D"),
        (SEVEN, 5, "C F A", "C F A"),
    ],
)
def test_the_published_rule_takes_the_letters_it_names(kind: Kind, count: int, text: str, answers: str) -> None:
    assert read_answers(text, kind, count, Rule.PUBLISHED) == tuple(answers.split())


@pytest.mark.parametrize(
    "text",
    [
        "B", "(B)", "b", "【答案】B <eoa>", "【答案】: B<eoa>", "【答案】：Ｂ <eoa>", "[答案] B", "【答案】\nB\n<eoa>",
        "【解析】A对C错D错。<eoe>\n【答案】B <eoa>", "【答案】B．①③ <eoa>", "【答案】B. was doing <eoa>",
        "【答案】B\n\nC is the trap here, and D too.", "【答案】B <eoa>\n【答案】B <eoa>",
        r"【答案】$\mathrm{B}$ <eoa>",
        "The answer is B.", "A是错的。所以正确答案是B。", r"So the answer is \boxed{B}.", "B, since Darwin said so",
        "【答案】B <eoa> C and D are for fools.", "【答案】**B** <eoa>", "【答案】B选项 <eoa>", "故选：B．",
    ],
)  # fmt: skip
def test_ours_reads_a_single_choice_however_it_is_written(text: str) -> None:
    assert read_answers(text, ONE, 1) == ("B",)


@pytest.mark.parametrize(
    "text",
    [
        "", " \n", "【答案】B，D <eoa>", "A、B、C都不对。【答案】无正确答案 <eoa>", "D对。【答案】题目可能有误 <eoa>",
        "【答案】A. ①② B. ①③ C. ②④ D. ③④ <eoa>", "【答案】A <eoa>\n【答案】B <eoa>", "【答案】A或B <eoa>",
        "【答案】 <eoa> B", "【答案】A\nActually it is B", "【答案】A <eoa> 更正：应选B", "E", "【答案】F <eoa>",
        "I do not know", "选项A、B、C、D都不正确。",
        "【答案】A除外 <eoa>", "【答案】B都不对 <eoa>", "【答案】非B <eoa>", "【答案】A对，C对",
        "A good plan by Doctor Brown", "B" * 6000 + "\n选C", "B\u202eC",
    ],
)  # fmt: skip
def test_ours_does_not_guess_a_single_choice(text: str) -> None:
    assert read_answers(text, ONE, 1) is None


@pytest.mark.parametrize(
    "text",
    [
        "ACD", "A, C, D", "【答案】ACD <eoa>", "【答案】 D C A <eoa>", "【答案】A、C和D <eoa>",
        "【解析】B错。<eoe>【答案】AC D",
        "【答案】ACD<eoa> 因为 B 错", "故选：ACD", "（A）（C）（D）", "【答案】ACD\n\nB is wrong because it is.",
    ],
)  # fmt: skip
def test_ours_reads_several_choices_in_order_and_not_beyond_the_field(text: str) -> None:
    assert read_answers(text, MANY, 1) == ("ACD",)


@pytest.mark.parametrize(
    "text",
    ["【答案】无 <eoa>", "A与C都不正确，【答案】无正确答案 <eoa>", "【答案】AC或AD <eoa>", "none", "A对，B错，C对"],
)
def test_ours_does_not_guess_several_choices(text: str) -> None:
    assert read_answers(text, MANY, 1) is None


@pytest.mark.parametrize(
    "text",
    [
        "（1）【答案】 C <eoa>\n（2）【答案】 A <eoa>\n（3）【答案】 D <eoa>",
        "（1）【答案】C（2）【答案】A（3）【答案】D",
        "56.【答案】C\n57.【答案】A\n58.【答案】D",
        "Bob said so. 【答案】 C <eoa> B is wrong. 【答案】 A <eoa> By Task 3: 【答案】 D <eoa>",
        "1. C\n2. A\n3. D", "1-3 CAD", "1～3：CAD", "C A D", "CAD", "c a d", "(1) C (2) A (3) D", "1.C 2.A 3.D",
        "【答案】 C A D <eoa>", "【答案】1. C 2. A 3. D <eoa>", "The answers are C, A, D.", "答案：C、A、D",
        "(1) 答案：C\n(2) 答案：A\n(3) 答案：D", "Answer: C\nAnswer: A\nAnswer: D", "56. C\n57. A\n58. D",
    ],
)  # fmt: skip
def test_ours_reads_one_letter_a_sub_question(text: str) -> None:
    assert read_answers(text, SUBS, 3) == ("C", "A", "D")


@pytest.mark.parametrize(
    "text",
    [
        "The passage.\n【答案】 C <eoa>\n【答案】 A <eoa>", "C A", "C A D B", "1. C\n3. D\n2. A", "1. C 2. A 4. D",
        "C A E",
        "【答案】无 <eoa>【答案】无 <eoa>【答案】无 <eoa>", "C A D\nB B B", "1 2 3", "Bad", "【答案】 C A <eoa>",
        "1. 2. C A D",
    ],
)  # fmt: skip
def test_ours_does_not_guess_which_sub_question_a_letter_answers(text: str) -> None:
    assert read_answers(text, SUBS, 3) is None


def test_one_sub_question_that_cannot_be_read_leaves_the_others_read() -> None:
    text = "【答案】 Smith and Sons are not in the passage. <eoa>\n【答案】 B <eoa>\n【答案】 A, C <eoa>"
    answers = read_answers(text, SUBS, 3)
    assert answers == ("", "B", "")
    assert read_answers(text, SUBS, 3, Rule.PUBLISHED) == ("S", "B", "A")
    mark = mark_item(answers, ("A", "B", "C"), 2, SUBS)
    assert mark == ItemMark(marks=2, length_mismatch=False, per_question=(None, 2, None))
    assert mark.unread == 2


@pytest.mark.parametrize(
    "text",
    [
        "C F A E D", "CFAED", "【答案】C F A E D <eoa>", "【答案】 CFAED", "36. C 37. F 38. A 39. E 40. D",
        "36-40 CFAED",
        "【答案】C,F,A,E,D <eoa> B and G are left over.", "Because of the gaps.\nC F A E D\nGood luck!", "71—75: CFAED",
        "【答案】C F A E D\n\nB and G are left over.",
    ],
)  # fmt: skip
def test_ours_reads_five_out_of_seven_as_an_ordered_list(text: str) -> None:
    assert read_answers(text, SEVEN, 5) == ("C", "F", "A", "E", "D")


@pytest.mark.parametrize(
    "text", ["C F A E", "CFAEDB", "A Good Essay Can Fail", "【答案】C F A E H <eoa>", "CFAED or CFAEG"]
)
def test_ours_does_not_guess_five_out_of_seven(text: str) -> None:
    assert read_answers(text, SEVEN, 5) is None


@given(
    st.text(alphabet="ABCDG abd,.()【】答案:：<eoa>选\n123-$\\*\u202e", max_size=40),
    st.sampled_from(Kind),
    st.integers(1, 5),
)
@settings(max_examples=300, deadline=None)
def test_whatever_is_read_has_one_entry_a_sub_question(text: str, kind: Kind, count: int) -> None:
    count = count if kind in (SUBS, SEVEN) else 1
    answers = read_answers(text, kind, count)
    if answers is not None:
        assert len(answers) == count
        assert any(answers)
        assert all(letter in text.upper() for answer in answers for letter in answer)


@pytest.mark.parametrize("filler", [" ", "*", "(", "A ", "1 ", "【答案】", "【答案】 ", "\\boxed{", "答案", "\n"])
def test_a_very_long_reply_is_read_within_a_second(filler: str) -> None:
    for kind in Kind:
        started = time.perf_counter()
        read_answers("【答案】" + filler * 2_000 + "【答案】B", kind, 5)
        read_answers(filler * 2_000 + "B", kind, 5)
        assert time.perf_counter() - started < 1


def test_an_unknown_kind_or_no_sub_question_is_an_error() -> None:
    with pytest.raises(ValueError, match="cloze"):
        read_answers("A", "cloze", 1)
    with pytest.raises(ValueError, match="at least one"):
        read_answers("A", ONE, 0)
    with pytest.raises(ValueError, match="key"):
        mark_item(("A",), ("",), 2, ONE)


@pytest.mark.parametrize(
    ("answer", "ours", "published"),
    [
        ("ACD", 6, 6), ("AC", 3, 3), ("D", 3, 3), ("AB", 0, 0), ("ABCD", 0, 0), ("B", 0, 0),
        ("DCA", 6, 3), ("AACD", 6, 3), ("AA", 3, 3),
    ],
)  # fmt: skip
def test_physics_earns_six_three_or_nothing(answer: str, ours: float, published: float) -> None:
    assert mark_item((answer,), ("ACD",), 6, MANY).marks == ours
    assert mark_item((answer,), ("ACD",), 6, MANY, Rule.PUBLISHED).marks == published


@pytest.mark.parametrize("rule", list(Rule))
def test_a_number_of_answers_that_is_not_the_keys_makes_the_whole_item_wrong(rule: Rule) -> None:
    wrong = ItemMark(marks=0, length_mismatch=True, per_question=(0, 0, 0))
    assert mark_item(("C", "A"), ("C", "A", "D"), 2, SUBS, rule) == wrong
    assert mark_item(("C", "A", "D", "B"), ("C", "A", "D"), 2, SUBS, rule) == wrong
    assert mark_item((), ("C", "A", "D"), 2, SUBS, rule) == wrong


@pytest.mark.parametrize("rule", list(Rule))
def test_each_sub_question_earns_its_points_by_place(rule: Rule) -> None:
    blanks = mark_item(("C", "D", "B", "A"), ("C", "D", "A", "B"), 1.5, SUBS, rule)
    assert blanks == ItemMark(marks=3, length_mismatch=False, per_question=(1.5, 1.5, 0, 0))
    assert mark_item(tuple("CFAED"), tuple("CFEAD"), 2, SEVEN, rule).per_question == (2, 2, 0, 0, 2)
    assert mark_item(("B",), ("B",), 5, ONE, rule).marks == 5


def _judged(question_type: QuestionType, scheme: Scheme, text: str) -> float | None:
    question = Question(number="1", type=question_type, text="?", max_mark=scheme.max_mark)
    return ObjectiveJudge().propose(question, scheme, Response(id="r", text=text)).mark


@pytest.mark.parametrize("answer", ["ACD", "AC", "D", "AB", "ABCD", "B", "DCA"])
def test_the_judge_gives_what_the_rule_gives_through_subset_marks(answer: str) -> None:
    key = ChoiceKey(options=dict.fromkeys("ABCD", ""), correct=("ACD",), subset_marks=3)
    mark = _judged(QuestionType.MULTIPLE_CHOICE, Scheme(max_mark=6, choice=key), f"【答案】{answer}")
    assert mark == mark_item((answer,), ("ACD",), 6, MANY).marks


def test_the_judge_follows_a_teachers_partial_credit_table() -> None:
    choice = ChoiceKey(options=dict.fromkeys("ABCD", ""), correct=("B",), partial={"C": 2})
    scheme = Scheme(max_mark=5, choice=choice)
    assert [_judged(QuestionType.SINGLE_CHOICE, scheme, text) for text in "BCA"] == [5, 2, 0]
    several = ChoiceKey(
        options=dict.fromkeys("ABCD", ""), correct=("ACD",), partial={"AC": 4, "ABCD": 1}, subset_marks=3
    )
    scheme = Scheme(max_mark=6, choice=several)
    marks = [_judged(QuestionType.MULTIPLE_CHOICE, scheme, text) for text in ("ACD", "C A", "AD", "ABCD", "AB")]
    assert marks == [6, 4, 3, 1, 0]
    numeric = Scheme(max_mark=3, numeric=NumericKey(correct=("12.5",), partial={"125": 1}))
    assert [_judged(QuestionType.NUMERIC, numeric, text) for text in ("x = 12.5", "125", "13")] == [3, 1, 0]


_KINDS = {
    "Physics_MCQs": MANY, "English_Cloze_Test": SEVEN, "Chinese_Modern_Lit": SUBS, "English_Fill_in_Blanks": SUBS,
    "Geography_MCQs": SUBS, "English_Reading_Comp": SUBS, "Chinese_Lang_and_Usage_MCQs": SUBS,
}  # fmt: skip


@dataclass(frozen=True)
class Shipped:
    """One item of the shipped results: the reply, its key, and the answers its authors took from it."""

    kind: Kind
    key: tuple[str, ...]
    points: float
    reply: str
    taken: tuple[str, ...]


def shipped_items() -> Iterator[Shipped]:
    for path in sorted(SHIPPED.glob("*.json")):
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        keyword = data["keyword"] if "keyword" in data else data["keywords"]
        kind = _KINDS.get(keyword.partition("_")[2], ONE)
        for item in data["example"]:
            key = item["standard_answer"] if "standard_answer" in item else item["answer"]
            yield Shipped(kind, tuple(key), item["score"], item["model_output"], tuple(item["model_answer"]))


@pytest.mark.skipif(not SHIPPED.is_dir(), reason="shared data absent")
def test_the_published_rules_give_the_published_figures() -> None:
    items = list(shipped_items())
    taken = [read_answers(item.reply, item.kind, len(item.key), Rule.PUBLISHED) for item in items]
    assert [answers for answers, item in zip(taken, items, strict=True) if answers != item.taken] == []
    marks = [
        mark_item(answers or (), item.key, item.points, item.kind, Rule.PUBLISHED)
        for answers, item in zip(taken, items, strict=True)
    ]
    assert (len(items), sum(len(item.key) for item in items)) == (1781, 2944)
    assert sum(item.points * len(item.key) for item in items) == 9702
    assert sum(mark.marks for mark in marks) == 7000
    assert sum(mark.length_mismatch for mark in marks) == 37


@pytest.mark.skipif(not SHIPPED.is_dir(), reason="shared data absent")
def test_ours_reads_most_shipped_replies_and_takes_no_letter_that_is_not_the_answer() -> None:
    unread = 0
    for item in shipped_items():
        answers = read_answers(item.reply, item.kind, len(item.key))
        unread += len(item.key) if answers is None else answers.count("")
        fields = item.reply.split("【答案】")[1:]
        if answers is not None and len(fields) == len(item.key) > 1:  # each letter read opens its own field
            assert all(field.lstrip(" :：\n").startswith(letter) for field, letter in zip(fields, answers, strict=True))
        if answers is not None and item.kind in (ONE, MANY, SEVEN):
            assert answers == item.taken
    assert unread < 0.05 * 2944

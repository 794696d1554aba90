"""One letter read in a model's whole reply: E-EVAL's reading, M3KE's, ours, and GAOKAO-Bench's on further shapes."""

from __future__ import annotations

import time

import pytest

from components.judge.objective.choice_replies import read_choice, read_eeval, read_m3ke
from components.judge.objective.published import Kind, Rule, mark_item, read_answers

PLAIN = [
    "B", " B \n", "B.", "B。", "Ｂ", "b", "ｂ", "(B)", "（B）", "[B]", "【B】", "「B」", "“B”", "**B**", "`B`", "*b*",
    "__B__", "B\n\n\n", "$B$", r"$\mathrm{B}$", r"\boxed{B}", r"$\boxed{\text{B}}$", "<answer>B</answer>", "<b>B</b>",
    "<think>A fits? No, C? No.</think>\n\nB", "答案是B", "答案是B。", "答案：B", "答案: B", "答案为B。", "答案为：Ｂ",
    "答案应为B", "答案应该是：B", "答案选B", "答案是选项B", "【答案】B", "【答案】: B <eoa>", "【答案】**B** <eoa>",
    "【解析】略 <eoe>\n【答案】 B <eoa>", "选B", "选择B", "故选B。", "故选：B", "应选（B）。", "所以答案是B。",
    "因此，正确答案是 **B. 叶绿体**。", "选项B是正确的。", "正确的一项是B", "The correct option is: B",
    "The answer is B.", "Answer: B", "**Answer:** B", "The answer is (B).", "The correct answer is option B.",
    "the correct option is b",
    "让我们一步一步思考，\n1. 光合作用在叶绿体中进行。\n2. 线粒体进行呼吸作用。\n所以答案是B。",
    "Photosynthesis needs chlorophyll.\nSo the answer is B",
    "First, A is for breathing. Then, C and D are walls. Therefore the answer is **B**.",
]  # fmt: skip


@pytest.mark.parametrize("reply", PLAIN)
def test_every_reading_reads_a_plain_answer(reply: str) -> None:
    assert (read_eeval(reply), read_m3ke(reply), read_choice(reply)) == ("B", "B", "B")


UNREADABLE = [
    "", "   ", "\n", "。", "?", "E", "（E）", "5", "不知道", "我无法回答这个问题。", "抱歉，作为人工智能我不能作答。",
    "所以答案是", "答案：", "故选", "I'm sorry, but I can't help with that.", "I do not know.",
    "Because chlorophyll is green", "Darwin said so", "Cell walls", "Bad question", "叶绿体", "the chloroplast",
    "Vitamin C is a vitamin.", "维生素C", "DNA", "AB", "ABCD", "答案是AB", "答案是E", "The answer is a plant.",
    "the answer is not here", "<think>The answer is B, or maybe", "<think>", "【解析】光合作用在叶绿体",
    "让我们一步一步思考，首先", "We must look at every option", "None of the above", "以上都不对", "答案不是A",
    "不选A",
]  # fmt: skip


@pytest.mark.parametrize("reply", UNREADABLE)
def test_no_reading_guesses_where_a_reply_has_no_letter_for_an_answer(reply: str) -> None:
    assert (read_eeval(reply), read_m3ke(reply), read_choice(reply)) == (None, None, None)


@pytest.mark.parametrize(
    ("reply", "eeval", "m3ke", "ours"),
    [
        ("B. 叶绿体", "B", "B", "B"),
        ("B、叶绿体", "B", "B", "B"),
        ("B：因为叶绿体含有叶绿素", "B", "B", "B"),
        ("B because the others breathe", "B", "B", "B"),
        ("A. the cell wall", "A", "A", "A"),
        ("C) water, which a plant drinks", "C", "C", "C"),
        ("B\n\n因为光合作用在叶绿体中进行。", "B", "B", "B"),
        ("A is wrong, B is wrong, so the answer is C.", "A", "C", "C"),
        ("A错误，B错误，D也错误，所以答案是C。", "A", "C", "C"),
        ("A项错误，B项正确，C项错误，D项错误。", "A", None, None),
        ("A. 错 B. 对 C. 错 D. 错", "A", None, None),
        ("A、B错误，D正确，故选D。", "A", "D", "D"),
        ("A或B", "A", None, None),
        ("A or B", "A", None, None),
        ("A plant needs light.", "A", None, None),
        ("答案是A或B", "A", "A", None),
        ("答案是A、C。", "A", "A", None),
        ("The answer is A or C.", "A", "A", None),
        ("The answer is A. The answer is C.", "C", "C", None),
        ("答案：A\n更正：答案：B", "B", "B", None),
        ("最初我选A，仔细看后，所以应选C。", "C", "C", "C"),
        ("At first the answer is A. Therefore the final answer is D.", "D", "D", "D"),
        ("The wrong option is A, so the answer is D.", "D", "D", "D"),
        ("若选A则与题意矛盾，故选B。", "B", "B", "B"),
        ("有的同学会误选A，正确答案是D。", "D", "D", "D"),
        ("不选A，选B。", "B", "B", "B"),
        ("答案是A吗？不，应选C。", "C", "C", "C"),
        ("A与原文不符，C偷换概念，D没有提到。所以，选项B是正确的。", "A", "B", "B"),
        ("We need light. A does not give it, C is water. So option B is correct.", None, None, "B"),
        ("选项A是正确的，选项B是正确的，所以选项D是正确的。", "D", "D", None),
        ("选项A是正确的，选项C是正确的，所以选项D是错误的。", "C", "C", None),
        ("综合考虑，C选项最符合题意。", None, None, "C"),
        ("I think it is C", None, None, "C"),
        ("b) the chloroplast", "B", None, "B"),
        ("解方程得 $a=-2$ 和 $a=1$，前者不在选项中，所以我们选择 $a=1$。", None, None, None),
        (
            "光合作用需要光。我们逐一看各选项，它们都与细胞有关，但功能各不相同，需要仔细比较。选项C提到水。",
            None,
            None,
            None,
        ),
        ("I would choose D.", None, None, "D"),
        ("C符合题意。", "C", "C", "C"),
        ("经分析，C符合题意，其余不符合。", None, None, "C"),
        ("Answer: C\n\nA and B are too small; D is too big.", "C", "C", "C"),
        ("答案：C\n解析：A错，B错，D错。", "C", "C", "C"),
        ("The answer is C. Wait, actually B fits better", "C", "C", None),
        ("A\n\nQuestion: Which organ? A. heart B. lung\nthe correct option is: B", "A", "A", None),
        ("【答案】A <eoa>\n【答案】C <eoa>", "C", "C", None),
        ("【解析】A对，C错。<eoe>【答案】 <eoa>", None, None, None),
        ("Option A is wrong. Option B is wrong. Option D is right.", None, None, None),
        ("1. A选项错误\n2. B选项错误\n3. 因此选择D", "D", "D", "D"),
        ("C.", "C", "C", "C"),
        ("正确的是D", None, None, "D"),
        ("D is the correct answer.", "D", "D", "D"),
        ("So, D is the correct answer, and A is not.", None, None, "D"),
        ("综上所述，本题应选择答案 D", "D", "D", "D"),
    ],
)
def test_where_replies_go_through_several_letters_ours_wants_a_conclusion(
    reply: str, eeval: str | None, m3ke: str | None, ours: str | None
) -> None:
    assert (read_eeval(reply), read_m3ke(reply), read_choice(reply)) == (eeval, m3ke, ours)


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("A错误。B错误。所以答案是C。", "C"),
        ("A", "A"),
        ("A选项说法有误，C选项也有误", None),
        ("答案是A……不，答案是D。", "D"),
        ("D没有道理，选项B是正确的。", "B"),
    ],
)
def test_e_eval_reads_a_reasoned_reply_by_its_phrases_alone(reply: str, letter: str | None) -> None:
    assert read_eeval(reply, reasoned=True) == letter


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("B", "B"),
        ("A is too small. C is too large. The correct option is: B", "B"),
        ("First, Paris lies on the Seine.\n\nthe correct option is: A.", "A"),
        ("C. Nice is by the sea, so it is not the capital.", None),
        ("Let me see. D", None),
        ("The correct option is: A. But wait, the capital moved: the correct option is: D", "D"),
        ("**The correct option is: C**", "C"),
        ("So the answer is (D).", "D"),
        ("所以答案是B。", "B"),
        ("<think>the correct option is: A</think>the correct option is: B", "B"),
        ("Step 1: read the options A, B, C, D. Step 2:", None),
    ],
)
def test_m3ke_reads_a_reasoned_reply_by_its_phrases_alone(reply: str, letter: str | None) -> None:
    assert read_m3ke(reply, reasoned=True) == letter


OPTIONS = {"A": "the cell wall", "B": "the chloroplast", "C": "water", "D": "线粒体"}


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("the chloroplast", "B"),
        ("The chloroplast.", "B"),
        ("线粒体", "D"),
        ("C. water", "C"),
        ("the nucleus", None),
        ("A. water", None),
        ("B. the chloroplast", "B"),
        ("The answer is C.", "C"),
    ],
)
def test_an_options_own_words_are_a_choice_where_the_options_are_known(reply: str, letter: str | None) -> None:
    assert read_choice(reply, OPTIONS) == letter


def test_very_long_replies_are_read_quickly() -> None:
    long_reasoning = "A is wrong, and C is too small. 选项B的说法。 " * 5_000 + "So the answer is D."
    runaway = "答案" + " " * 50_000 + "\n" * 50_000 + "\\boxed{" + " " * 50_000
    began = time.perf_counter()
    assert [read(long_reasoning) for read in (read_m3ke, read_choice)] == ["D", "D"]
    assert [read(runaway) for read in (read_eeval, read_m3ke, read_choice)] == [None, None, None]
    for stuck in '(["<【_':  # a model that goes on with one token until its limit
        assert [read(stuck * 30_000) for read in (read_eeval, read_m3ke, read_choice)] == [None, None, None]
    assert time.perf_counter() - began < 2


ONE, SUBS, MANY, SEVEN = Kind.SINGLE_CHOICE, Kind.MULTI_QUESTION_CHOICE, Kind.MULTI_CHOICE, Kind.FIVE_OUT_OF_SEVEN


@pytest.mark.parametrize(
    ("kind", "key", "points", "reply", "published", "ours"),
    [
        # a marked field, and marks on the way
        (ONE, "C", 4, "【解析】A、B说法错误。<eoe>\n【答案】C<eoa>", 4, 4),
        (ONE, "C", 4, "【解析】D错。<eoe>\n【答案】 Ｃ <eoa>", 0, 4),
        (ONE, "C", 4, "【答案】c", None, 4),
        (ONE, "C", 4, "【答案】C <eoa> A is a trap", 0, 4),
        (ONE, "C", 4, "【解析】先看A，再看C", 4, None),
        (ONE, "C", 4, "【答案】", None, None),
        (ONE, "C", 4, "抱歉，我无法回答。", None, None),
        (ONE, "B", 6, "Choose carefully", 0, None),
        (ONE, "B", 6, "【答案】A、B <eoa>", 6, None),
        # one letter for each sub-question
        (SUBS, "ADB", 2, "（1）【答案】A <eoa>（2）【答案】D <eoa>（3）【答案】B <eoa>", 6, 6),
        (SUBS, "ADB", 2, "（1）【答案】A <eoa>（2）【答案】C <eoa>（3）【答案】B <eoa>", 4, 4),
        (SUBS, "ADB", 2, "A D B", 6, 6),
        (SUBS, "ADB", 2, "1. A\n2. D", 0, None),
        (SUBS, "ADB", 2, "【答案】ADB <eoa>", 6, 6),
        (SUBS, "AD", 4, "36. A\n37. D", 8, 8),
        # several letters: all, a part, one wrong
        (MANY, ["AC"], 6, "【解析】B错。<eoe>【答案】AC <eoa>", 6, 6),
        (MANY, ["AC"], 6, "【解析】D错。<eoe>【答案】 A <eoa>", 3, 3),
        (MANY, ["AC"], 6, "【解析】略。<eoe>【答案】ABC <eoa>", 0, 0),
        (MANY, ["AC"], 6, "【解析】略。<eoe>【答案】C，A <eoa>", 3, 6),
        (MANY, ["B"], 6, "【解析】略。<eoe>【答案】B <eoa>", 6, 6),
        (MANY, ["BD"], 6, "【解析】还在算", None, None),
        # five of seven
        (SEVEN, "GBAFE", 2, "【答案】G B A F E <eoa>", 10, 10),
        (SEVEN, "GBAFE", 2, "【答案】GBAEF <eoa>", 6, 6),
        (SEVEN, "GBAFE", 2, "G B A F", 0, None),
        (SEVEN, "GBAFE", 2, "36.G 37.B 38.A 39.F 40.E", 10, 10),
    ],
)
def test_gaokao_replies_earn_what_each_rule_gives_and_nothing_is_guessed(
    kind: Kind, key: str | list[str], points: float, reply: str, published: float | None, ours: float | None
) -> None:
    """None: no answer was read, which ours leaves unmarked and the benchmark counts as 0."""
    for rule, marks in ((Rule.PUBLISHED, published), (Rule.OURS, ours)):
        answers = read_answers(reply, kind, len(key), rule)
        assert (mark_item(answers, tuple(key), points, kind, rule).marks if answers else None) == marks

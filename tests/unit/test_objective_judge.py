"""Choice questions marked by rule, and what every objective proposal is like."""

from __future__ import annotations

import json
import timeit
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.judge.objective import ObjectiveJudge
from components.marking import (
    ChoiceKey,
    Confidence,
    NumericKey,
    Proposal,
    ProposalStatus,
    Question,
    QuestionType,
    Response,
    Scheme,
    WholeVerdict,
)

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
OPTIONS = {"A": "Osmosis", "B": "Photosynthesis", "C": "Respiration", "D": "Diffusion"}


def marked(
    text: str,
    *correct: str,
    options: dict[str, str] = OPTIONS,
    max_mark: float = 1,
    several: bool = False,
    partial: dict[str, float] | None = None,
    subset_marks: float | None = None,
) -> Proposal:
    question_type = QuestionType.MULTIPLE_CHOICE if several else QuestionType.SINGLE_CHOICE
    key = ChoiceKey(options=options, correct=correct, partial=partial or {}, subset_marks=subset_marks)
    return ObjectiveJudge().propose(
        Question(number="1", type=question_type, text="Which?", max_mark=max_mark),
        Scheme(max_mark=max_mark, choice=key),
        Response(id="r1", text=text),
    )


def verdict(proposal: Proposal) -> WholeVerdict:
    (only,) = proposal.verdicts
    assert isinstance(only, WholeVerdict)
    return only


@pytest.mark.parametrize(
    "text",
    [
        "B", "b", "b)", "(B)", "B.", " B \n", "Ｂ", "（Ｂ）", "BB", "**B**", "“B”", "Answer: B", "answer = b", "Ans B",
        "The answer is B.", "My answer is (b)", "Option B", "the correct option is (b).", "选B", "选择B", "答案：B",
        "【答案】B", "正确答案应该是B选项。", "photosynthesis", "Photosynthesis.", "It is photosynthesis",
        "B: Photosynthesis", "b - photosynthesis",
    ],
)  # fmt: skip
def test_a_single_choice_is_read_however_it_is_written(text: str) -> None:
    assert marked(text, "B").mark == 1


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("B because plants make food", 1),
        ("B, because A plant is green", 1),
        ("B because C is wrong", 1),
        ("B not C", 1),
        ("I think it is B", 1),
        ("选项A错误，选项B正确", 1),
        ("A because it moves", 0),
        ("D is the answer", 0),
        ("It's C", 0),
    ],
)
def test_a_choice_picked_out_of_a_sentence_is_fairly_sure(text: str, mark: float) -> None:
    proposal = marked(text, "B")
    assert (proposal.mark, proposal.confidence) == (mark, Confidence.FAIRLY_SURE)


@pytest.mark.parametrize("text", ["C", "d)", "Answer: A", "a", "respiration", "A: Osmosis"])
def test_a_readable_wrong_choice_is_0_with_its_reason(text: str) -> None:
    proposal = marked(text, "B")
    assert proposal.mark == 0
    assert verdict(proposal).reason.endswith("is not the key, B.")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A or B", "wavers"),
        ("B or C?", "wavers"),
        ("答案：A或B", "wavers"),
        ("A, B", "names A and B"),
        ("bad", "names A, B and D"),
        ("B. No, C", "goes on to name C"),
        ("A is wrong so B", "Please decide"),
        ("answer: A\nanswer: B", "A, then B"),
        ("B) Respiration", "by its words, as C"),
        ("B is wrong", "without clearly choosing"),
        ("not B", "No option"),
        ("A plant makes its own food", "No option"),
        ("answer is a plant", "No option"),
        ("I do not know", "No option"),
        ("all of them", "No option"),
        ("E", "E is not one of the options"),
        ("", "blank"),
        (" \n ", "blank"),
    ],
)
def test_a_choice_that_cannot_be_read_in_one_way_gets_no_proposal(text: str, words: str) -> None:
    proposal = marked(text, "B")
    assert (proposal.status, proposal.mark) == (ProposalStatus.ABSTAINED, None)
    assert words in proposal.reason


@pytest.mark.parametrize(
    "text",
    [
        "AD", "DA", "A, D", "A and D", "A & D", "a d", "(A)(D)", "A;D", "A\nD", "A、D", "A和D", "ＡＤ", "AAD",
        "A, D, A", "答案：AD", "Options A and D", "Osmosis; Diffusion", "Osmosis\nDiffusion", "A, D because they move",
    ],
)  # fmt: skip
def test_several_choices_compare_as_a_set(text: str) -> None:
    assert marked(text, "AD", several=True, max_mark=6).mark == 6


@pytest.mark.parametrize(
    ("text", "mark"),
    [("ACD", 6), ("AC", 3), ("D", 3), ("AB", 0), ("ABCD", 0), ("B", 1), ("C D", 2)],
)
def test_partial_credit_follows_the_table_then_the_subset_rule(text: str, mark: float) -> None:
    proposal = marked(text, "ACD", several=True, max_mark=6, subset_marks=3, partial={"B": 1, "CD": 2})
    assert proposal.mark == mark


def test_part_of_the_key_is_0_where_the_scheme_gives_nothing_for_it() -> None:
    proposal = marked("A", "AD", several=True)
    assert proposal.mark == 0
    assert verdict(proposal).reason == "A is only part of the key, AD."


def test_each_of_several_keys_is_right() -> None:
    assert [marked(text, "B", "C").mark for text in ("B", "C", "D")] == [1, 1, 0]


def test_a_letter_i_is_an_option_only_where_it_stands_as_one() -> None:
    options = {letter: f"reason {letter}" for letter in "FGHI"}
    assert marked("I", "I", options=options).mark == 1
    assert marked("I because it is hot", "I", options=options).mark == 1
    assert marked("I went home", "I", options=options).mark is None


def test_options_may_be_numbered_or_unnamed() -> None:
    numbered = {"1": "ten", "2": "twenty", "3": "thirty"}
    assert marked("2)", "2", options=numbered).mark == 1
    assert marked("twenty", "2", options=numbered).mark == 1
    assert marked("ii", "ii", options={"i": "x", "ii": "y", "iii": "z"}).mark == 1
    assert marked("C A", "AC", options={}, several=True).mark == 1


def test_a_key_that_names_no_option_is_reported_not_marked_by() -> None:
    proposal = marked("B", "Z")
    assert proposal.mark is None
    assert "key Z" in proposal.reason


def test_the_evidence_is_the_words_read_where_they_stand() -> None:
    text = "I worked it out.\nAnswer: （Ｂ）"
    (evidence,) = verdict(marked(text, "B")).evidence
    assert evidence.start is not None
    assert evidence.quote == text[evidence.start : evidence.end] == "Ｂ"


def test_every_proposal_says_it_was_checked_by_calculation() -> None:
    right, unread = marked("B", "B"), marked("?", "B")
    assert right.label == unread.label == ObjectiveJudge.name == "Checked by calculation"
    assert (right.status, right.confidence) == (ProposalStatus.PROPOSED, Confidence.SURE)
    assert verdict(right).reason == "B is the key."


def test_a_picture_alone_is_not_marked_and_beside_words_is_flagged() -> None:
    question = Question(number="1", type=QuestionType.SINGLE_CHOICE, text="Which?", max_mark=1)
    scheme = Scheme(max_mark=1, choice=ChoiceKey(options=OPTIONS, correct=("B",)))
    judge = ObjectiveJudge()
    alone = judge.propose(question, scheme, Response(id="r", pictures=(b"png",)))
    beside = judge.propose(question, scheme, Response(id="r", text="B", pictures=(b"png",)))
    assert alone.mark is None
    assert "picture" in alone.reason
    assert (beside.mark, beside.confidence) == (1, Confidence.FAIRLY_SURE)
    assert [flag.kind for flag in beside.flags] == ["picture"]


@pytest.mark.parametrize(
    ("question_type", "scheme", "words"),
    [
        (QuestionType.SINGLE_CHOICE, Scheme(max_mark=1, numeric=NumericKey(correct=("5",))), "no choice key"),
        (QuestionType.NUMERIC, Scheme(max_mark=1, choice=ChoiceKey(options={}, correct=("B",))), "no numeric key"),
        (QuestionType.NUMERIC, Scheme(max_mark=1, numeric=NumericKey(correct=())), "no key"),
        (QuestionType.SHORT, Scheme(max_mark=1), "Only choice and numeric"),
    ],
)
def test_a_question_without_the_key_it_needs_gets_no_proposal(
    question_type: QuestionType, scheme: Scheme, words: str
) -> None:
    question = Question(number="1", type=question_type, text="?", max_mark=1)
    proposal = ObjectiveJudge().propose(question, scheme, Response(id="r", text="B"))
    assert proposal.mark is None
    assert words in proposal.reason


@given(st.text(alphabet="ABCD abcd,.()和选答案:;?!\n½−²=0123456789%/^x√é\u200b\u202e", max_size=30))
@settings(max_examples=200, deadline=None)
def test_no_answer_whatever_makes_the_judge_raise_or_quote_what_is_not_there(text: str) -> None:
    numeric = ObjectiveJudge().propose(
        Question(number="1", type=QuestionType.NUMERIC, text="?", max_mark=1),
        Scheme(max_mark=1, numeric=NumericKey(correct=("12.5 m/s", "2x+1"))),
        Response(id="r", text=text),
    )
    for proposal in (numeric, marked(text, "B"), marked(text, "AD", several=True)):
        for one in proposal.verdicts:
            assert [text[e.start : e.end] for e in one.evidence] == [e.quote for e in one.evidence]
            assert one.evidence[0].quote.strip()


def test_a_choice_is_marked_within_two_milliseconds() -> None:
    assert min(timeit.repeat(lambda: marked("B because C is wrong", "B"), number=1, repeat=50)) < 0.002


def _gaokao_single_choices() -> list[tuple[str, str, str]]:
    """A model's long answers with the letter its own authors took from each: (key, letter taken, answer)."""
    found = []
    for path in sorted((SHARED / "gaokao_bench" / "Results" / "gpt_4_0314_obj").glob("*.json")):
        for item in json.loads(path.read_text(encoding="utf-8"))["example"]:
            key, taken = (json.loads(str(item[name]).replace("'", '"')) for name in ("standard_answer", "model_answer"))
            if len(key) == len(taken) == 1 and len(key[0]) == 1:
                found.append((key[0], taken[0], item["model_output"]))
    return found


@pytest.mark.skipif(not (SHARED / "gaokao_bench").exists(), reason="shared data absent")
def test_real_long_answers_are_read_as_their_authors_read_them_or_not_at_all() -> None:
    items = _gaokao_single_choices()
    options = {letter: f"option {letter}" for letter in "ABCDEFG"}
    marks = [marked(answer, key, options=options).mark for key, _, answer in items]
    read = [(mark, float(key == taken)) for mark, (key, taken, _) in zip(marks, items, strict=True) if mark is not None]
    assert len(items) > 1000
    assert len(read) > 0.9 * len(items)
    assert all(mark == expected for mark, expected in read)


@pytest.mark.parametrize("text", ["A对，B错，C对", "A 正确 B 不正确 C 正确", "A√ B× C√"])
def test_options_judged_one_by_one_are_left_to_the_teacher(text: str) -> None:
    proposal = marked(text, "AC", several=True, max_mark=2)
    assert proposal.status is ProposalStatus.ABSTAINED
    assert "one by one" in proposal.reason

"""Several sub-questions answered in one response, and the published rule by name, on hand-worked answers."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from components.judge.objective import ObjectiveJudge
from components.marking import (
    ChoiceKey,
    Confidence,
    Proposal,
    ProposalStatus,
    Question,
    QuestionType,
    Response,
    Scheme,
    WholeVerdict,
)
from components.widgets.author import scheme_markdown

SEVEN = dict.fromkeys("ABCDEFG", "")
FOUR = dict.fromkeys("ABCD", "")
GAPS = ChoiceKey(options=SEVEN, each=("B", "D", "A", "C", "G"))
SUBS = ChoiceKey(options=FOUR, each=("C", "A", "D"))
MANY = ChoiceKey(options=FOUR, each=("AC", "B", "D"), subset_marks=1)


def judged(key: ChoiceKey, text: str, max_mark: float, mark_step: float = 1) -> Proposal:
    question = Question(number="1", type=QuestionType.MULTIPLE_CHOICE, text="?", max_mark=max_mark, mark_step=mark_step)
    scheme = Scheme(max_mark=max_mark, mark_step=mark_step, choice=key)
    return ObjectiveJudge().propose(question, scheme, Response(id="r", text=text))


def verdict(proposal: Proposal) -> WholeVerdict:
    (only,) = proposal.verdicts
    assert isinstance(only, WholeVerdict)
    return only


def published(key: ChoiceKey) -> ChoiceKey:
    return key.model_copy(update={"rule": "published"})


@pytest.mark.parametrize(
    "text",
    [
        "B D A C G", "BDACG", "1B 2D 3A 4C 5G", "1. B\n2. D\n3. A\n4. C\n5. G", "16-20 BDACG", "ＢＤＡＣＧ",
        "b d a c g", "１６－２０　ＢＤＡＣＧ", "B,D,A,C,G", "B、D、A、C、G", "B\nD\nA\nC\nG", "1=B, 2=D, 3=A, 4=C, 5=G",
        "①B ②D ③A ④C ⑤G", "36. B 37. D 38. A 39. C 40. G", "My answers: B D A C G", "答案：BDACG",
        "【答案】BDACG <eoa>", "1B2D3A4C5G",
    ],
)  # fmt: skip
def test_five_gaps_are_read_however_they_are_typed(text: str) -> None:
    proposal = judged(GAPS, text, 10)
    assert (proposal.mark, proposal.confidence) == (10, Confidence.SURE)


@pytest.mark.parametrize("text", ["bdacg", "16-20 bdacg", "I hope this is right.\nBDACG\nThank you!"])
def test_an_answer_that_had_to_be_interpreted_is_marked_less_surely(text: str) -> None:
    proposal = judged(GAPS, text, 10)
    assert (proposal.mark, proposal.confidence) == (10, Confidence.FAIRLY_SURE)


@pytest.mark.parametrize(
    ("text", "mark", "said"),
    [
        ("BDACG", 10, "All 5 right"),
        ("BEFCA", 4, "2 of 5 right: sub-questions 1 and 4, 2 marks each."),
        ("DBCAG", 2, "1 of 5 right: sub-question 5,"),
        ("DBCGA", 0, "None of 5 right"),
        ("BDACE", 8, "sub-questions 1, 2, 3 and 4,"),
    ],
)
def test_each_gap_earns_its_share_and_the_reason_names_the_right_ones(text: str, mark: float, said: str) -> None:
    proposal = judged(GAPS, text, 10)
    assert proposal.mark == mark
    assert said in verdict(proposal).reason
    assert "the key is B D A C G." in verdict(proposal).reason


def test_a_share_may_be_a_fraction_of_a_mark_where_the_step_allows_it() -> None:
    assert judged(GAPS, "BDACA", 7.5, mark_step=0.5).mark == 6


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("16-20 BDACG.", "BDACG"),
        ("1. B\n2. D\n3. A\n4. C\n5. G", "B\n2. D\n3. A\n4. C\n5. G"),
        ("I hope so.\n  B D A C G \nBye", "B D A C G"),
        ("解析：A $\\mathrm{B}$ 【答案】 $\\mathrm{BDACG}$ <eoa>", "BDACG"),
        (
            "1. 答案：B\n2. 答案：D\n3. 答案：A\n4. 答案：C\n5. 答案：G",
            "B\n2. 答案：D\n3. 答案：A\n4. 答案：C\n5. 答案：G",
        ),
    ],
)
def test_the_evidence_is_what_was_read_where_it_stands(text: str, quote: str) -> None:
    (evidence,) = verdict(judged(GAPS, text, 5)).evidence
    assert evidence.quote == quote
    assert text[evidence.start : evidence.end] == quote


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("BDAC", "lists 4 letters and the key has 5"),
        ("BDACGA", "lists 6 letters and the key has 5"),
        ("1B 2D 4C 5G", "lists 4 letters"),
        ("1B 2D 2A 4C 5G", "cannot be read as 5 choices"),
        ("1B 3A 2D 4C 5G", "cannot be read as 5 choices"),
        ("BDACZ", "from A to G"),
        ("BDACG or BDACE", "cannot be read"),
        ("BDACG\nno, BDACE", "cannot be read"),
        ("BDACG\nActually the last one is E", "cannot be read"),
        ("I do not know", "cannot be read"),
        ("1. 答案：B\n2. 答案：D\n3. 答案：A\n4. 答案：C或D\n5. 答案：G", "sub-question 4 cannot be read"),
        ("BDACG\u202e", "hidden control"),
        ("", "blank"),
    ],
)
def test_what_cannot_be_matched_to_the_gaps_is_left_to_the_teacher(text: str, reason: str) -> None:
    proposal = judged(GAPS, text, 5)
    assert (proposal.status, proposal.mark) == (ProposalStatus.ABSTAINED, None)
    assert reason in proposal.reason


def test_a_named_sequence_earns_exactly_what_the_table_gives_it() -> None:
    key = GAPS.model_copy(update={"partial": {"BDAGC": 1, "b, d, a, c, e": 9}})
    assert [judged(key, text, 10).mark for text in ("BDACG", "B D A G C", "BDACE", "BDACF")] == [10, 1, 9, 8]
    assert "gives B D A G C exactly 1 mark" in verdict(judged(key, "BDAGC", 10)).reason


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("AC B D", 6), ("CA, B, D", 6), ("1. A, C 2. B 3. D", 6), ("A C\nB\nD", 6), ("1AC 2B 3D", 6),
        ("A B D", 5), ("C B D", 5), ("AB B D", 4), ("ACD B D", 4), ("AC B CD", 4), ("A C A", 1), ("ACBD", None),
        ("AC BD", None), ("1. AC 2. B", None),
    ],
)  # fmt: skip
def test_a_sub_question_may_take_several_letters_and_an_incomplete_one_earns_its_part(
    text: str, mark: float | None
) -> None:
    assert judged(MANY, text, 6).mark == mark


def test_an_incomplete_sub_question_is_named_in_the_reason() -> None:
    reason = verdict(judged(MANY, "C B A", 6)).reason
    assert "1 of 3 right: sub-question 2," in reason
    assert "with nothing wrong: sub-question 1 (1 mark each)" in reason
    assert judged(MANY.model_copy(update={"subset_marks": None}), "C B A", 6).mark == 2


@pytest.mark.parametrize(
    ("key", "text", "mark", "quote"),
    [
        (GAPS, "Because D A C G", 10, "Because D A C G"),
        (GAPS, "1. B 2. D 3. A", 0, "B 2. D 3. A"),
        (GAPS, "bdacg", 0, "bdacg"),
        (GAPS, "HB D A C E", 8, "B D A C E"),
        (SUBS, "HC A D", 0, "HC A"),
        (SUBS, "The first.【答案】C【答案】: A 【答案】：D", 6, "C【答案】: A 【答案】：D"),
        (SUBS, "C A B", 4, "C A B"),
        (SUBS, "C A", 0, "C A"),
    ],
)
def test_the_published_rule_marks_a_sequence_as_published(key: ChoiceKey, text: str, mark: float, quote: str) -> None:
    proposal = judged(published(key), text, 2 * len(key.each))
    assert (proposal.mark, proposal.confidence) == (mark, Confidence.FAIRLY_SURE)
    assert verdict(proposal).evidence[0].quote == quote
    assert "by GAOKAO-Bench's rule" in proposal.label
    assert "by GAOKAO-Bench's rule" in verdict(proposal).reason


@pytest.mark.parametrize(
    ("correct", "text", "ours", "by_published"),
    [
        (("B",), "B", 6, 6),
        (("B",), "B, since Darwin said so", 6, 0),
        (("D",), "B, since Darwin said so", 0, 6),
        (("B",), "I do not know", None, 0),
        (("B", "D"), "D", 6, 6),
        (("ACD",), "CA", 3, 3),
        (("ACD",), "DCA", 6, 3),
        (("ACD",), "AB", 0, 0),
        (("ACD",), "题目有误", None, 0),
    ],
)
def test_single_and_several_choices_can_be_marked_by_the_published_rule(
    correct: tuple[str, ...], text: str, ours: float | None, by_published: float
) -> None:
    key = ChoiceKey(options=FOUR, correct=correct, subset_marks=3 if len(correct[0]) > 1 else None)
    assert judged(key, text, 6).mark == ours
    assert judged(published(key), text, 6).mark == by_published


def test_the_published_rule_follows_the_exams_own_partial_credit_table() -> None:
    gaps = published(GAPS).model_copy(update={"partial": {"BDAGC": 1}})
    assert [judged(gaps, text, 10).mark for text in ("BDACG", "BDAGC", "BDA")] == [10, 1, 0]
    single = ChoiceKey(options=FOUR, correct=("B",), partial={"C": 2}, rule="published")
    assert [judged(single, text, 5).mark for text in ("B", "not B but C", "A")] == [5, 2, 0]


def test_a_scheme_stored_before_sequences_reads_back_and_writes_the_same() -> None:
    stored = '{"options":{"A":"x","B":"y"},"correct":["B"],"partial":{},"subset_marks":null}'
    assert ChoiceKey.model_validate_json(stored).model_dump_json() == stored
    unfinished = ChoiceKey.model_validate_json(stored.replace('["B"]', "[]"))
    assert "no key" in judged(unfinished, "B", 1).reason
    assert "no key" in judged(published(unfinished), "B", 1).reason
    assert ChoiceKey.model_validate_json(published(GAPS).model_dump_json()) == published(GAPS)


def test_keys_are_kept_as_plain_capitals() -> None:
    assert ChoiceKey(options={}, each=("b", "Ａ, c", " D ")).each == ("B", "AC", "D")


@pytest.mark.parametrize(
    ("max_mark", "given", "said"),
    [
        (4, {"each": ("B", "D", "A")}, "4 marks cannot be shared equally by 3 sub-questions"),
        (3, {"each": ("B", "D", "A"), "correct": ("B",)}, "Give one of them"),
        (2, {"each": ("B", "")}, "The key of sub-question 2"),
        (2, {"each": ("B", "7")}, "The key of sub-question 2"),
        (2, {"each": ("B", "E")}, "names E"),
        (2, {"each": ("B", "D"), "partial": {"BDA": 1}}, "3 answers, and the key has 2"),
        (2, {"each": ("B", "D"), "partial": {"BA": 1, "B A": 2}}, "twice"),
        (2, {"each": ("B", "D"), "partial": {"BA": 3}}, "outside 0 to 2"),
        (2, {"each": ("BC", "D"), "subset_marks": 2}, "more than a sub-question is worth, 1"),
        (2, {"each": ("BC", "D"), "rule": "published"}, "one letter a sub-question"),
        (6, {"correct": ("ACD",), "subset_marks": 2, "rule": "published"}, "gives 3 to an incomplete selection"),
        (5, {"correct": ("ACD",), "rule": "published"}, "half marks"),
        (1, {"correct": ("E",), "rule": "published"}, "A to D only"),
    ],
)
def test_a_key_that_cannot_be_right_is_refused_in_words(max_mark: float, given: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Scheme.model_validate({"max_mark": max_mark, "choice": {"options": FOUR, **given}})


def test_the_mark_scheme_shows_a_sequence_readably() -> None:
    key = GAPS.model_copy(update={"partial": {"BDAGC": 1}, "rule": "published"})
    shown = scheme_markdown(Scheme(max_mark=10, choice=key))
    assert "Key: **1 B · 2 D · 3 A · 4 C · 5 G**" in shown
    assert "BDAGC earns 1" in shown
    assert "Each of the 5 sub-questions is worth 2." in shown
    assert "by GAOKAO-Bench's rule" in shown
    assert "incomplete, in each sub-question, earns 1" in scheme_markdown(Scheme(max_mark=6, choice=MANY))

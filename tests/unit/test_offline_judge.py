"""The offline judge as a teacher meets it: what it matches, what it learns, and when it keeps quiet."""

from __future__ import annotations

import json
import pickle
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from components.judge.offline import LearnedMarker, MarkedAnswer, NotEnough, OfflineJudge, train
from components.judge.offline.figures import qwk, qwk_interval, short
from components.judge.offline.words import tokens
from components.marking import (
    AssessmentObjective,
    Confidence,
    Level,
    MarkError,
    MarkingPoint,
    PointVerdict,
    Proposal,
    ProposalStatus,
    Question,
    QuestionType,
    Response,
    Scheme,
    WholeVerdict,
    total,
)

SHARED = Path(__file__).parents[2].parent / "shared" / "data"

ENZYMES = Question(
    number="3(b)",
    type=QuestionType.SHORT,
    text="Explain why the rate falls above 40 °C.",
    max_mark=3,
    subject="Biology",
)
ENZYME_SCHEME = Scheme(
    max_mark=3,
    points=(
        MarkingPoint(
            code="M1",
            text="The enzyme is denatured",
            accept=("the protein loses its shape",),
            reject=("the enzyme is killed",),
        ),
        MarkingPoint(code="A1", text="The active site no longer fits the substrate", needs=("M1",)),
        MarkingPoint(code="B1", text="Hydrogen bonds break"),
    ),
)
EQUATION = Question(number="4", type=QuestionType.WORKING, text="Solve the equation.", max_mark=2)
EQUATION_SCHEME = Scheme(
    max_mark=2,
    points=(
        MarkingPoint(code="M1", text="Collects terms: 3x = 12"),
        MarkingPoint(code="A1", text="x = 4", needs=("M1",)),
    ),
)


def proposed(text: str, question: Question = ENZYMES, scheme: Scheme = ENZYME_SCHEME) -> Proposal:
    return OfflineJudge().propose(question, scheme, Response(id="r1", text=text))


def awarded(proposal: Proposal) -> list[str]:
    return [v.code for v in proposal.verdicts if isinstance(v, PointVerdict) and v.awarded]


def test_the_mark_is_the_sum_of_the_points_whose_words_are_there():
    proposal = proposed("Above 40 the enzyme denatures and its hydrogen bonds break.")
    assert awarded(proposal) == ["M1", "B1"]
    assert proposal.mark == 2
    assert proposal.mark == total(proposal.verdicts, ENZYME_SCHEME)
    assert [v.label for v in proposal.verdicts] == ["found", "no match", "found"]


def test_quoted_words_stand_at_their_offsets_in_the_original_text():
    text = "🙂 Ünïcode\u0301 first…\r\nThen the ENZYME is\u00a0denatured — hydrogen bonds  break!"
    evidence = [e for v in proposed(text).verdicts for e in v.evidence]
    assert len(evidence) == 2
    assert all(text[e.start : e.end] == e.quote for e in evidence)
    assert evidence[0].quote == "ENZYME is\u00a0denatured"


def test_an_accepted_alternative_earns_the_point_even_misspelt():
    assert "M1" in awarded(proposed("the protien loses its shape"))


def test_a_rejected_wording_earns_nothing_and_the_reason_says_so():
    verdict = proposed("the enzyme is killed").verdicts[0]
    assert not verdict.awarded
    assert "rejects" in verdict.reason


def test_a_point_without_the_point_it_needs_earns_no_mark():
    proposal = proposed("The active site no longer fits the substrate.")
    assert awarded(proposal) == ["A1"]
    assert proposal.mark == 0


def test_a_negation_near_a_match_warns_and_does_not_veto():
    proposal = proposed("The enzyme is not denatured. Hydrogen bonds break.")
    assert [flag.kind for flag in proposal.flags] == ["negation"]
    assert "M1" in proposal.flags[0].text
    assert proposal.mark == 2


def test_a_negation_that_the_point_itself_asks_for_is_no_warning():
    scheme = Scheme(max_mark=1, points=(MarkingPoint(code="B1", text="the substrate does not fit"),))
    assert proposed("so the substrate does not fit any more", scheme=scheme).flags == ()


@pytest.mark.parametrize(
    ("working", "mark"),
    [
        ("3x=12\nx=4", 2),
        ("3x  =  12 so x = 12 / 3 = 4", 2),
        ("3x = 13, x = 4", 0),
        ("3x = 12, x = 5", 1),
        ("13x = 12, x = -4", 0),
        ("x = 14", 0),
    ],
)
def test_equations_match_exactly_whatever_the_spaces(working: str, mark: float):
    assert proposed(working, EQUATION, EQUATION_SCHEME).mark == mark


def test_a_method_is_found_inside_a_longer_line_and_in_either_order():
    scheme = Scheme(max_mark=1, points=(MarkingPoint(code="M1", text="a method such as 2400 × 0.65"),))
    question = EQUATION.model_copy(update={"max_mark": 1})
    assert proposed("0.65 x 2400 = 1560", question, scheme).mark == 1
    assert proposed("0.65 x 2410 = 1566.5", question, scheme).mark == 0


def test_latex_in_the_scheme_meets_plain_signs_in_the_answer():
    scheme = Scheme(max_mark=1, points=(MarkingPoint(code="M1", text=r"$\frac{1}{2}mv^2 = mgh$"),))
    question = EQUATION.model_copy(update={"max_mark": 1})
    assert proposed("½mv² = mgh", question, scheme).mark == 1


def test_half_mark_points_add_to_half_marks():
    scheme = Scheme(
        max_mark=1,
        mark_step=0.5,
        points=(
            MarkingPoint(code="B1", text="kinetic energy", marks=0.5),
            MarkingPoint(code="B2", text="gravitational potential", marks=0.5),
        ),
    )
    question = Question(number="1", type=QuestionType.SHORT, text="Name two.", max_mark=1, mark_step=0.5)
    assert proposed("It is kinetic energy.", question, scheme).mark == 0.5


def test_a_scheme_of_free_text_gives_one_mark_for_the_whole_and_says_it_was_scaled():
    question = Question(
        number="2",
        type=QuestionType.SHORT,
        text="What is diffusion?",
        max_mark=2,
        model_answer="Particles move from a high concentration to a low concentration. No energy is needed.",
    )
    good = proposed("particles moving from high to low concentration without energy", question, Scheme(max_mark=2))
    poor = proposed("it is when you smell perfume", question, Scheme(max_mark=2))
    assert isinstance(good.verdicts[0], WholeVerdict)
    assert (good.mark, poor.mark) == (2, 0)
    assert "scaled onto 0 to 2" in good.verdicts[0].reason


def test_chinese_answers_are_matched_without_spaces_between_words():
    question = Question(number="5", type=QuestionType.SHORT, text="为什么?", max_mark=2, language="zh")
    scheme = Scheme(
        max_mark=2, points=(MarkingPoint(code="B1", text="酶变性失活"), MarkingPoint(code="B2", text="氢键断裂"))
    )
    proposal = proposed("高温使酶变性失活。", question, scheme)
    assert awarded(proposal) == ["B1"]
    assert proposal.verdicts[0].evidence[0].quote == "酶变性失活"


def test_german_endings_do_not_stand_in_the_way():
    question = Question(number="6", type=QuestionType.SHORT, text="Warum?", max_mark=1, language="de")
    scheme = Scheme(max_mark=1, points=(MarkingPoint(code="B1", text="steigende Temperaturen"),))
    assert proposed("wegen der steigenden Temperatur", question, scheme).mark == 1


def test_the_label_says_it_is_no_llm_and_how_well_it_does():
    assert (
        proposed("anything").label
        == "Offline matcher, not an LLM · wording check only (QWK about .38; a second teacher .89)"
    )


def test_the_wording_check_is_never_sure():
    texts = ["the enzyme is denatured", "no idea", "The active site no longer fits the substrate, enzyme is denatured"]
    assert all(proposed(text).confidence is not Confidence.SURE for text in texts)


LEVELS_SCHEME = Scheme(
    max_mark=4, objectives=(AssessmentObjective(code="AO1", levels=(Level(level=1, low=1, high=4, descriptor="x"),)),)
)


@pytest.mark.parametrize(
    ("kind", "scheme", "response", "words"),
    [
        (QuestionType.SHORT, ENZYME_SCHEME, Response(id="r", text=" \n"), "The answer is blank."),
        (QuestionType.SHORT, ENZYME_SCHEME, Response(id="r", pictures=(b"png",)), "cannot read pictures"),
        (QuestionType.ESSAY, ENZYME_SCHEME, Response(id="r", text="Once upon a time"), "essay"),
        (QuestionType.LEVELS, LEVELS_SCHEME, Response(id="r", text="One reason is"), "levels scheme"),
        (QuestionType.SINGLE_CHOICE, ENZYME_SCHEME, Response(id="r", text="B"), "marked by rule"),
        (QuestionType.SHORT, Scheme(max_mark=3), Response(id="r", text="Some words"), "nothing|no marking points"),
    ],
)
def test_it_abstains_in_words_where_matching_means_nothing(kind, scheme, response, words):
    question = ENZYMES.model_copy(update={"type": kind})
    proposal = OfflineJudge().propose(question, scheme, response)
    assert proposal.status is ProposalStatus.ABSTAINED
    assert proposal.mark is None
    assert any(part in proposal.reason for part in words.split("|"))


@pytest.mark.parametrize(
    "text",
    [
        "a" * 50_000,
        "(" * 50_000,
        "x = " * 12_500,
        "1," * 25_000,
        "酶" * 50_000,
        "the enzyme is not denatured, bonds break " * 1_250,
        "\x00\ud800\u200b\u202e enzyme\x00 denatured" * 500,
    ],
    ids=lambda text: repr(text[:6]),
)
def test_strange_and_endless_answers_are_marked_all_the_same(text: str):
    start = time.process_time()
    assert proposed(text).status is ProposalStatus.PROPOSED
    assert time.process_time() - start < 5


def test_a_short_answer_takes_milliseconds():
    judge, response = OfflineJudge(), Response(id="r", text="the enzyme is denatured so the substrate cannot fit")
    judge.propose(ENZYMES, ENZYME_SCHEME, response)
    start = time.process_time()
    for _ in range(20):
        judge.propose(ENZYMES, ENZYME_SCHEME, response)
    assert (time.process_time() - start) / 20 < 0.005


def test_the_wording_check_starts_without_scikit_learn():
    code = "import sys, components.judge.offline; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], check=False).returncode == 0


def test_a_number_keeps_its_sign_and_point():
    assert [t.key for t in tokens("-3.50 and 1,000 and 007")] == ["-3.5", "and", "1000", "and", "7"]


def test_qwk_by_hand():
    # n = 3, Σd² = 1, Σx² = 5, Σy² = 2, Σx = 3, Σy = 2: 1 − 3/(15 + 6 − 12) = 2/3
    assert qwk(np.array([0.0, 1, 2]), np.array([0.0, 1, 1])) == pytest.approx(2 / 3)


@pytest.mark.skipif(not (SHARED / "agreement_vectors.json").is_file(), reason="shared data absent")
def test_qwk_intervals_are_those_of_the_agreement_vectors():
    cases = json.loads((SHARED / "agreement_vectors.json").read_text(encoding="utf-8"))["cases"]
    tested = [case for case in cases if case["kind"] == "pair" and case["expected"].get("qwk_ci95_atanh_t")]
    assert tested
    for case in tested:
        pairs = [np.array(case["input"][who], dtype=float) for who in ("ai", "teacher")]
        assert qwk(*pairs) == pytest.approx(case["expected"]["qwk"], abs=1e-9)
        assert qwk_interval(*pairs) == pytest.approx(tuple(case["expected"]["qwk_ci95_atanh_t"]), abs=1e-9)


def test_qwk_is_written_without_its_leading_zero():
    assert [short(value) for value in (0.583, -0.05, 1.0, 0.0, float("nan"))] == [
        ".58", "−.05", "1.00", ".00", "not measurable",
    ]  # fmt: skip


FILLER_TEXT = "well i think that in this case the reason must be about what happens here as it gets warmer and so on"
FILLER = FILLER_TEXT.split()


def answers_with_one_mark_a_fact(count: int, seed: int = 1) -> list[MarkedAnswer]:
    """Answers of random filler whose mark is the number of right facts in them; length says nothing."""
    rng = random.Random(seed)
    facts = ["the enzyme is denatured", "the active site no longer fits", "hydrogen bonds break"]
    made = []
    for _ in range(count):
        chosen = rng.sample(facts, rng.randrange(4))
        missing = 12 - sum(len(fact.split()) for fact in chosen)
        made.append(MarkedAnswer(" ".join([*chosen, *rng.choices(FILLER, k=missing)]), float(len(chosen))))
    return made


@pytest.fixture(scope="module")
def learned() -> LearnedMarker:
    marker = train(ENZYMES, ENZYME_SCHEME, answers_with_one_mark_a_fact(60))
    assert isinstance(marker, LearnedMarker)
    return marker


def test_it_learns_what_the_teacher_rewards(learned: LearnedMarker):
    assert learned.trusted
    new = answers_with_one_mark_a_fact(40, seed=2)
    exact = sum(learned.guess(answer.text).mark == answer.mark for answer in new)
    assert exact >= 32


def test_a_learned_proposal_shows_its_figures_and_the_wording_behind_it(learned: LearnedMarker):
    text = "Well the enzyme is denatured and hydrogen bonds break"
    proposal = OfflineJudge(learned).propose(ENZYMES, ENZYME_SCHEME, Response(id="r", text=text))
    assert proposal.label.startswith("Offline matcher, not an LLM · Learned from your 60 marks. Tested on them: QWK ")
    (whole,) = proposal.verdicts
    assert isinstance(whole, WholeVerdict)
    assert proposal.mark == whole.mark == total(proposal.verdicts, ENZYME_SCHEME)
    assert {text[e.start : e.end] for e in whole.evidence} == {"enzyme is denatured", "hydrogen bonds break"}
    assert "M1 found" in whole.reason


def test_the_same_marks_teach_the_same_and_survive_storage(learned: LearnedMarker):
    again = train(ENZYMES, ENZYME_SCHEME, answers_with_one_mark_a_fact(60))
    stored = pickle.loads(pickle.dumps(learned))
    assert isinstance(again, LearnedMarker)
    for answer in answers_with_one_mark_a_fact(10, seed=3):
        assert learned.guess(answer.text) == again.guess(answer.text) == stored.guess(answer.text)
    assert (learned.qwk, learned.interval) == (again.qwk, again.interval) == (stored.qwk, stored.interval)


def test_unmarked_answers_may_help_and_never_count_as_marks():
    unmarked = [answer.text for answer in answers_with_one_mark_a_fact(30, seed=4)]
    marker = train(ENZYMES, ENZYME_SCHEME, answers_with_one_mark_a_fact(20), unmarked)
    assert isinstance(marker, LearnedMarker)
    assert marker.n == 20


def test_marks_given_by_chance_teach_nothing_and_it_abstains_with_the_figures():
    rng = random.Random(5)
    chance = [MarkedAnswer(" ".join(rng.choices(FILLER, k=12)), float(rng.randrange(4))) for _ in range(40)]
    marker = train(ENZYMES, ENZYME_SCHEME, chance)
    assert isinstance(marker, LearnedMarker)
    assert not marker.trusted
    proposal = OfflineJudge(marker).propose(ENZYMES, ENZYME_SCHEME, Response(id="r", text="the enzyme is denatured"))
    assert proposal.status is ProposalStatus.ABSTAINED
    assert "Learned from your 40 marks" in proposal.reason
    assert "under .30" in proposal.reason


def test_it_abstains_where_length_alone_does_as_well():
    rng = random.Random(6)
    by_length = [MarkedAnswer(" ".join(rng.choices(FILLER, k=length)), float(length // 10)) for length in range(1, 40)]
    marker = train(ENZYMES, ENZYME_SCHEME, by_length)
    assert isinstance(marker, LearnedMarker)
    assert marker.length_qwk > 0.9
    assert not marker.trusted
    assert "answer length alone reaches" in marker.reason


def test_it_abstains_after_the_question_got_another_scale(learned: LearnedMarker):
    scheme = Scheme(max_mark=6, points=ENZYME_SCHEME.points)
    proposal = OfflineJudge(learned).propose(ENZYMES, scheme, Response(id="r", text="the enzyme is denatured"))
    assert proposal.status is ProposalStatus.ABSTAINED
    assert "another scale" in proposal.reason


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        (answers_with_one_mark_a_fact(9), "9 of the 10 marks"),
        ([*answers_with_one_mark_a_fact(9), MarkedAnswer("  ", 0.0)], "9 of the 10 marks"),
        ([MarkedAnswer(f"answer {i}", 2.0) for i in range(12)], "All 12 marks are 2"),
    ],
)
def test_too_little_to_learn_from_is_said_in_words(marked, words):
    result = train(ENZYMES, ENZYME_SCHEME, marked)
    assert isinstance(result, NotEnough)
    assert words in result.reason


def test_essays_are_not_learned():
    essay = ENZYMES.model_copy(update={"type": QuestionType.ESSAY})
    assert isinstance(train(essay, ENZYME_SCHEME, answers_with_one_mark_a_fact(20)), NotEnough)


def test_a_mark_off_the_scale_is_an_error_that_names_the_answer():
    with pytest.raises(MarkError, match="Marked answer 11"):
        train(ENZYMES, ENZYME_SCHEME, [*answers_with_one_mark_a_fact(10), MarkedAnswer("too much", 4.0)])


def test_half_marks_are_learned_as_half_marks():
    scheme = ENZYME_SCHEME.model_copy(update={"mark_step": 0.5})
    halves = [MarkedAnswer(a.text, a.mark / 2) for a in answers_with_one_mark_a_fact(40)]
    marker = train(ENZYMES.model_copy(update={"mark_step": 0.5}), scheme, halves)
    assert isinstance(marker, LearnedMarker)
    assert {marker.guess(answer.text).mark for answer in halves} == {0.0, 0.5, 1.0, 1.5}


def test_a_strange_answer_does_not_upset_a_learned_marker(learned: LearnedMarker):
    judge = OfflineJudge(learned)
    for text in ("\x00\ud800", "!!!", "酶" * 20_000, "enzyme " * 7_000):
        assert judge.propose(ENZYMES, ENZYME_SCHEME, Response(id="r", text=text)).status is ProposalStatus.PROPOSED


@pytest.mark.skipif(not (SHARED / "physics_two_raters").is_dir(), reason="shared data absent")
def test_on_real_physics_answers_it_beats_length_and_majority_unseen():
    from tests.bench.offline_judge import Tally, length_marks, majority_mark, physics_two_raters

    data = next(d for d in physics_two_raters() if d.question.number == "Q1")
    order = np.random.default_rng(0).permutation(len(data.texts))
    known, new = order[:30], order[30:]
    texts, marks = [data.texts[i] for i in known], data.marks[known]
    news, true = [data.texts[i] for i in new], list(data.marks[new])
    marker = train(data.question, data.scheme, [MarkedAnswer(t, float(m)) for t, m in zip(texts, marks, strict=True)])
    assert isinstance(marker, LearnedMarker)
    reached = Tally([marker.guess(text).mark for text in news], true).qwk
    assert reached > 0.3
    assert reached > Tally(list(length_marks(texts, marks, news)), true).qwk
    assert reached > Tally([majority_mark(marks)] * len(new), true).qwk

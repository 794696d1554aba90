"""Finding the words a judge quotes in an answer."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.judge.evidence import checked, find_quote, weigh
from components.marking import Confidence, Evidence, LevelVerdict, PointVerdict, WholeVerdict


def found(answer: str, quote: str) -> str | None:
    span = find_quote(answer, quote)
    return None if span is None else answer[span[0] : span[1]]


@pytest.mark.parametrize(
    ("answer", "quote", "expected"),
    [
        ("above 40 the enzyme is denatured", "enzyme is denatured", "enzyme is denatured"),
        ("The ENZYME is\n  denatured now", "the enzyme is denatured", "The ENZYME is\n  denatured"),
        ("it’s “hot” – very", 'it\'s "hot" - very', "it’s “hot” – very"),
        ("cooled to −5 °C", "-5 °C", "−5 °C"),
        ("ﬁne ﬂakes of x²", "fine flakes of x2", "ﬁne ﬂakes of x²"),
        ("un cafe\u0301 noir", "caf\u00e9 noir", "cafe\u0301 noir"),
        ("Ｈ２Ｏ is water", "H2O", "Ｈ２Ｏ"),
        ("so x=3, y=4", "x = 3,  y = 4", "x=3, y=4"),
        ("光合\n作用 需要光", "光合作用需要光", "光合\n作用 需要光"),
        ("答：因为农民起义，清朝衰落。", "农民起义,清朝衰落", "农民起义，清朝衰落"),
        ("the rate\u200b falls\x00 quickly", "rate falls quickly", "rate\u200b falls\x00 quickly"),
        ("the enzyme is denatured", '"enzyme is denatured."', "enzyme is denatured"),
        ("if x < 3 then stop", "x ‹ 3", "x < 3"),
        ("Straße", "STRASSE", "Straße"),
    ],
)
def test_quote_is_found_whatever_its_typing(answer: str, quote: str, expected: str) -> None:
    assert found(answer, quote) == expected


@pytest.mark.parametrize(
    ("answer", "quote", "expected"),
    [
        ("the wind takes the damp air away, so it dries", "wind … away", "wind takes the damp air away"),
        (
            "the wind takes the damp air away, so it dries",
            "the wind ... so it dries",
            "the wind takes the damp air away, so it dries",
        ),
        ("the wind takes the damp air away", "wind [...] air", "wind takes the damp air"),
        ("I think... it melts", "I think... it melts", "I think... it melts"),
        ("义和团运动沉重打击了列强", "义和团……打击了列强", "义和团运动沉重打击了列强"),
        ("first a then b then a", "a … a", "a then b then a"),
        ("the enzyme is denatured", "… enzyme is denatured …", "enzyme is denatured"),
    ],
)
def test_ellipsis_joins_parts_in_order(answer: str, quote: str, expected: str) -> None:
    assert found(answer, quote) == expected


@pytest.mark.parametrize(
    ("answer", "quote"),
    [
        ("the wind takes the air away", "away … wind"),
        ("the enzyme is denatured", "the active site changes"),
        ("the answer is 15 m", "5 m"),
        ("the answer is 3.5", "5"),
        ("the answer is 3.5", "3"),
        ("the question is hard", "ion"),
        ("this one", "is"),
        ("issue", "is"),
        ("½ of it", "1"),
        ("un cafe\u0301 noir", "cafe"),
        ("anything. at all", "."),
        ("anything", ""),
        ("anything", "…"),
        ("", "anything"),
    ],
)
def test_words_that_are_not_in_the_answer_are_not_found(answer: str, quote: str) -> None:
    assert find_quote(answer, quote) is None


def test_numbers_apart_in_a_list_are_each_found() -> None:
    assert found("roots are 3, 4", "4") == "4"
    assert found("roots are 3, 4", "3") == "3"
    assert found("12kg of it", "12") == "12"


def test_a_whole_word_is_preferred_to_the_beginning_of_a_longer_one() -> None:
    assert find_quote("denatured means to denature", "denature") == (19, 27)
    assert found("it denatured", "denature") == "denature"


def test_a_quote_of_a_sign_is_found() -> None:
    assert found("5 > 3", ">") == ">"


def test_a_very_long_answer_is_searched_quickly() -> None:
    answer = "the enzyme works " * 3000 + "and then denatures"
    started = time.monotonic()
    for quote in ("and then denatures", "e … e", "not there", "the … denatures"):
        find_quote(answer, quote)
    assert time.monotonic() - started < 2


@given(st.text(max_size=60), st.data())
def test_any_run_of_an_answers_own_words_is_found_inside_it(answer: str, data: st.DataObject) -> None:
    words = answer.split()
    first = data.draw(st.integers(0, max(len(words) - 1, 0)))
    quote = " ".join(words[first : data.draw(st.integers(first, len(words)))])
    span = find_quote(answer, quote)
    if span is None:
        assert not any(c.isalnum() for c in quote)
    else:
        assert 0 <= span[0] < span[1] <= len(answer)


def test_checked_fills_in_where_each_quote_stands() -> None:
    verdict = PointVerdict(code="M1", awarded=True, evidence=(Evidence(quote="Hot"), Evidence(quote="cold")))
    assert checked(verdict, "it is hot").evidence == (Evidence(quote="Hot", start=6, end=9), Evidence(quote="cold"))


def point(
    code: str, *, awarded: bool = True, quotes: tuple[str, ...] = ("hot",), not_sure: bool = False
) -> PointVerdict:
    evidence = tuple(Evidence(quote=quote) for quote in quotes)
    verdict = PointVerdict(code=code, awarded=awarded, evidence=evidence, not_sure=not_sure)
    return checked(verdict, "it is hot")  # type: ignore[return-value]


def test_confidence_falls_with_each_doubt() -> None:
    assert weigh([point("M1"), point("A1", awarded=False, quotes=())]) == (Confidence.SURE, ())
    assert weigh([point("M1", not_sure=True)])[0] is Confidence.FAIRLY_SURE
    assert weigh([point("M1", quotes=("cold",))])[0] is Confidence.FAIRLY_SURE
    assert weigh([point("M1", quotes=("cold",)), point("A1", not_sure=True)])[0] is Confidence.UNSURE


def test_unverified_flag_names_the_point_and_the_words() -> None:
    _, flags = weigh([point("M1"), point("A1", quotes=("cold",))])
    assert [(flag.kind, flag.text) for flag in flags] == [("unverified", "A1: “cold” is not in the answer.")]


def test_marks_without_any_quote_are_flagged() -> None:
    confidence, flags = weigh([WholeVerdict(mark=2), LevelVerdict(objective="AO1", level=1, mark=1)])
    assert confidence is Confidence.UNSURE
    assert [flag.text for flag in flags] == [
        "whole answer: marks are proposed without quoting the answer.",
        "AO1: marks are proposed without quoting the answer.",
    ]
    assert weigh([WholeVerdict(mark=0)]) == (Confidence.SURE, ())


def test_quotes_from_pictures_are_one_doubt_for_the_whole_answer() -> None:
    confidence, flags = weigh([point("M1", quotes=("x",)), point("A1", quotes=("y",))], pictures=True)
    assert confidence is Confidence.FAIRLY_SURE
    assert len(flags) == 1
    assert "picture" in flags[0].text

"""The LLM judge against a real llama.cpp server: the protocol, not the marks, of a model of 135M parameters."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import pytest

from components.judge import JudgeStopped
from components.judge.llm import Endpoint, LLMJudge
from components.judge.llm import test_connection as try_connection
from components.marking import (
    AssessmentObjective,
    Level,
    MarkingPoint,
    Proposal,
    ProposalStatus,
    Question,
    QuestionType,
    Response,
    Scheme,
    total,
)
from tests.llama import MODEL, llama_server

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg=="
)
QUESTION = Question(number="1", type=QuestionType.SHORT, text="Why does ice float on water?", max_mark=2)
ONE_POINT = Scheme(max_mark=1, points=(MarkingPoint(code="MP1", text="ice is less dense than water"),))
FREE_TEXT = Scheme(max_mark=2, mark_step=0.5, text="1 for less dense, 1 for expanding on freezing")
LEVELS = Scheme(
    max_mark=4,
    objectives=(
        AssessmentObjective(
            code="AO1",
            levels=(
                Level(level=1, low=1, high=2, descriptor="a simple idea"),
                Level(level=2, low=3, high=4, descriptor="ideas linked into an explanation"),
            ),
        ),
    ),
)
RESPONSE = Response(id="r1", text="ice is less dense because it expands when it freezes")


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with llama_server() as url:
        yield url


def propose(base_url: str, scheme: Scheme, response: Response = RESPONSE) -> Proposal:
    endpoint = Endpoint(base_url=base_url, model=MODEL, temperature=0.0, seed=1, max_tokens=120)
    question = QUESTION.model_copy(update={"max_mark": scheme.max_mark})
    return LLMJudge(endpoint).propose(question, scheme, response)


@pytest.mark.parametrize("scheme", [ONE_POINT, FREE_TEXT], ids=["one point", "free text"])
def test_where_the_schema_leaves_no_way_out_a_mark_is_proposed(base_url: str, scheme: Scheme) -> None:
    proposal = propose(base_url, scheme)
    assert proposal.status is ProposalStatus.PROPOSED
    assert proposal.mark == total(proposal.verdicts, scheme)
    assert proposal.usage.model == MODEL
    assert proposal.usage.tokens_in > 100
    assert proposal.usage.tokens_out > 10


def test_otherwise_the_mark_is_our_total_or_there_is_a_reason_for_none(base_url: str) -> None:
    proposal = propose(base_url, LEVELS)
    if proposal.status is ProposalStatus.PROPOSED:
        assert proposal.mark == total(proposal.verdicts, LEVELS)
    else:
        assert proposal.status is ProposalStatus.FAILED
        assert proposal.mark is None
        assert "asked 3 times" in proposal.reason
    assert proposal.usage.raw_reply


def test_an_answer_too_long_for_the_model_fails_in_words(base_url: str) -> None:
    proposal = propose(base_url, ONE_POINT, Response(id="r", text="ice floats and floats " * 1000))
    assert proposal.status is ProposalStatus.FAILED
    assert proposal.reason == "The question, mark scheme and answer together are too long for this model."


def test_a_picture_for_a_model_without_eyes_fails_in_words(base_url: str) -> None:
    proposal = propose(base_url, ONE_POINT, Response(id="r", pictures=(PNG,)))
    assert proposal.status is ProposalStatus.FAILED
    assert "cannot read pictures" in proposal.reason


def test_connection_report_tells_of_a_reply_that_the_token_limit_cuts_off(base_url: str) -> None:
    report = try_connection(Endpoint(base_url=base_url, model=MODEL, temperature=0.0, max_tokens=10))
    assert not report.ok
    assert report.model_reported == MODEL
    assert report.found is not None
    assert report.found.format == "json_schema"
    assert "cut off" in report.message


def test_a_wrong_key_stops_the_judge_and_the_right_one_reaches_the_model() -> None:
    with llama_server(api_key="right") as url:
        too_long = Response(id="r", text="ice floats and floats " * 1000)
        with pytest.raises(JudgeStopped, match="does not accept the key"):
            LLMJudge(Endpoint(url, MODEL, "wrong")).propose(QUESTION, FREE_TEXT, too_long)
        proposal = LLMJudge(Endpoint(url, MODEL, "right")).propose(QUESTION, FREE_TEXT, too_long)
        assert "too long" in proposal.reason

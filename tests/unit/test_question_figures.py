"""A question's own pictures and the judges: what is sent of them, and what is said where they are not seen."""

from __future__ import annotations

import json
from typing import Any

import pytest

from components.judge.llm import Capabilities, Endpoint, LLMJudge, Protocol
from components.judge.offline import OfflineJudge
from components.marking import Confidence, Figure, Proposal, ProposalStatus, Question, Response
from components.workflow.marks_out.pack_prompts import PromptState, prompts_behind
from tests.eyes import MODEL, Eyes, blind_said, eyes, page, verdicts
from tests.support import two_point_question

QUESTION, SCHEME = two_point_question()
MAGENTA, YELLOW, CYAN = (255, 0, 255), (255, 255, 0), (0, 255, 255)
PICTURED = QUESTION.model_copy(
    update={"figures": (Figure(content=page("magenta"), caption="a rate curve"), Figure(content=page("yellow")))}
)
TYPED = Response(id="r1", text="the enzyme is denatured")
SEEN = verdicts("enzyme is denatured")
TYPED_REPLY = verdicts("enzyme is denatured", transcript=None)


def judged(
    server: Eyes,
    response: Response = TYPED,
    question: Question = PICTURED,
    pictures: bool | None = None,
    **settings: Any,
) -> Proposal:
    known = None if pictures is None else Capabilities(pictures=pictures)
    judge = LLMJudge(Endpoint(server.base_url, MODEL, **settings), known=known, tries=1)
    return judge.propose(question, SCHEME, response)


def order(server: Eyes, request: int = -1) -> list[str | tuple[int, ...]]:
    """The parts of a request in order: the first line of words, the colour of a picture."""
    shown = iter(server.pictures(request))
    parts = server.parts(request)
    return [
        part["text"] if part["type"] == "text" else next(shown).convert("RGB").getpixel((200, 200)) for part in parts
    ]


# --- What is sent ---------------------------------------------------------------------------------------------------


def test_a_typed_answer_goes_after_the_questions_pictures_each_under_its_name() -> None:
    with eyes(TYPED_REPLY) as server:
        proposal = judged(server)
    first, magenta, second, yellow, words = order(server)
    assert first == "<question_figures>\nFigure 1 of the question: a rate curve"
    assert (magenta, second, yellow) == (MAGENTA, "Figure 2 of the question", YELLOW)
    assert str(words).startswith("</question_figures>\n\n# Question 1 (2 marks)")
    assert "<answer>\nthe enzyme is denatured\n</answer>" in str(words)
    assert "part of the question, never of the answer" in server.system()
    assert (proposal.mark, proposal.confidence, proposal.flags) == (1, Confidence.SURE, ())
    assert proposal.transcript == ""
    assert "transcript" not in json.dumps(server.asked[0]["response_format"])
    assert proposal.usage.prompt_version == "points.en.v1 + figures.en.v1"


def test_the_answers_pages_come_last_and_are_said_to_be_the_candidates() -> None:
    with eyes(SEEN) as server:
        proposal = judged(server, Response(id="r1", pictures=(page("cyan"), page("white"))))
    *figures, words, lead, first, cyan, second, white = order(server)
    assert figures[1::2] == [MAGENTA, YELLOW]
    assert "(on the attached pictures)" in str(words)
    assert lead == "The candidate's answer is on the pictures from here on; none of them belongs to the question."
    assert (first, cyan, second, white) == ("Page 1 of 2", CYAN, "Page 2 of 2", (255, 255, 255))
    assert proposal.mark == 1
    assert proposal.usage.prompt_version == "points.en.v1 + pictures.en.v1 + figures.en.v1"


def test_read_first_the_pages_alone_are_copied_out_and_the_mark_is_made_with_the_questions_pictures() -> None:
    read = json.dumps({"transcript": "the enzyme is denatured", "flags": []})
    with eyes(read, TYPED_REPLY) as server:
        proposal = judged(server, Response(id="r1", pictures=(page("cyan"),)), reading="transcribe")
    assert [each for each in order(server, 0) if isinstance(each, tuple)] == [CYAN]
    assert "question_figures" not in json.dumps(server.asked[0])
    assert [each for each in order(server, 1) if isinstance(each, tuple)] == [MAGENTA, YELLOW]
    assert "the enzyme is denatured" in server.words(1)
    assert "verdict" not in json.dumps(server.asked[0]["response_format"])
    assert "points" in json.dumps(server.asked[1]["response_format"])
    assert (proposal.mark, proposal.transcript) == (1, "the enzyme is denatured")
    assert proposal.usage.prompt_version == "transcribe.en.v1 + points.en.v1 + figures.en.v1"


@pytest.mark.parametrize(
    ("protocol", "reply"), [(Protocol.MEDLY, {"mark": 1}), (Protocol.GAOKAO, {"process": "一", "total": 1})]
)
def test_a_published_protocol_keeps_its_words_and_is_shown_the_pictures(protocol: Protocol, reply: Any) -> None:
    with eyes(reply) as server:
        judged(server, protocol=protocol)
        judged(server, question=QUESTION, protocol=protocol)
    assert server.system(0) == server.system(1)
    assert [each for each in order(server, 0) if isinstance(each, tuple)] == [MAGENTA, YELLOW]
    assert server.words(0).endswith(server.words(1))


def test_a_chinese_question_names_its_pictures_in_chinese() -> None:
    with eyes(TYPED_REPLY) as server:
        judged(server, question=PICTURED.model_copy(update={"language": "zh"}))
    assert str(order(server)[2]) == "题目图 2"
    assert "图属于题目，不属于作答" in server.system()


def test_a_large_picture_is_scaled_and_the_lines_of_its_graph_paper_stay() -> None:
    figure = Figure(content=page(size=(1200, 3136), ruled=True))
    with eyes(TYPED_REPLY) as server:
        judged(server, question=QUESTION.model_copy(update={"figures": (figure,)}), without_ruling=True)
    [sent] = server.pictures()
    assert sent.size == (600, 1568)
    column = sent.convert("L").crop((300, 0, 301, 1568)).getextrema()
    assert column[0] < 225


def test_a_picture_of_the_question_that_cannot_be_sent_is_named_and_costs_nothing() -> None:
    broken = QUESTION.model_copy(update={"figures": (Figure(content=b"%PDF-1.7"),)})
    with eyes(SEEN) as server:
        typed = judged(server, question=broken)
        drawn = judged(server, Response(id="r", pictures=(page(),)), broken, reading="transcribe")
    assert server.asked == []
    for proposal in (typed, drawn):
        assert (proposal.status, proposal.usage.price) == (ProposalStatus.FAILED, 0)
        assert proposal.reason.startswith("Picture 1 of the question cannot be sent to a model")


# --- Models without eyes --------------------------------------------------------------------------------------------


def test_a_model_known_to_take_no_pictures_is_told_of_them_and_its_proposal_is_flagged_and_unsure() -> None:
    with eyes(TYPED_REPLY) as server:
        proposal = judged(server, pictures=False)
    assert isinstance(server.asked[0]["messages"][-1]["content"], str)
    told, caption, *_ = server.words().splitlines()
    assert told == "Pictures of the question that you are not shown: 2."
    assert caption == "Figure 1, in its author's words: a rate curve"
    assert "pictures that you are not shown" in server.system()
    assert (proposal.mark, proposal.confidence) == (1, Confidence.UNSURE)
    assert [flag.text for flag in proposal.flags] == [
        "The judge has not seen the question's picture: its model cannot read pictures. Check the mark against it."
    ]


def test_a_model_found_out_only_by_the_question_is_asked_again_without_its_pictures() -> None:
    with eyes(blind_said(), TYPED_REPLY) as server:
        proposal = judged(server)
    assert len(server.asked) == 2
    assert len(server.pictures(0)) == 2
    assert server.pictures(1) == []
    assert (proposal.mark, proposal.confidence, [f.kind for f in proposal.flags]) == (1, Confidence.UNSURE, ["figure"])


def test_an_answer_on_pictures_still_fails_with_a_model_without_eyes() -> None:
    with eyes(SEEN) as server:
        proposal = judged(server, Response(id="r", pictures=(page(),)), pictures=False)
    assert server.asked == []
    assert (proposal.status, proposal.flags) == (ProposalStatus.FAILED, ())


def test_the_offline_matcher_says_that_it_has_not_seen_the_picture() -> None:
    with_one, without = (OfflineJudge().propose(each, SCHEME, TYPED) for each in (PICTURED, QUESTION))
    assert [flag.text for flag in with_one.flags] == [
        "The question has a picture that the offline matcher has not seen."
    ]
    assert with_one.model_copy(update={"flags": ()}) == without
    blank = OfflineJudge().propose(PICTURED, SCHEME, Response(id="r"))
    assert (blank.status, blank.flags) == (ProposalStatus.ABSTAINED, ())


def test_a_question_with_pictures_is_written_down_without_their_bytes() -> None:
    assert PICTURED.model_dump_json() == QUESTION.model_dump_json()
    assert Question.model_validate_json(PICTURED.model_dump_json()).figures == ()


def test_the_evidence_pack_finds_every_prompt_that_went_into_a_mark() -> None:
    read = json.dumps({"transcript": "the enzyme is denatured", "flags": []})
    drawn = Response(id="r1", pictures=(page("cyan"),))
    with eyes(TYPED_REPLY, SEEN, read, TYPED_REPLY) as server:
        made = [judged(server), judged(server, drawn), judged(server, drawn, reading="transcribe")]
    used = [(each.usage.prompt_version, each.usage.prompt_hash, 1) for each in made]
    assert [behind.state for behind in prompts_behind(used)] == [PromptState.SAME] * 3

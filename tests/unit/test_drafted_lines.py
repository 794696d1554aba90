"""What a judge's draft of a scheme's lines likely costs is known before, is not gone past, and is on record."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.intake.mark_scheme import PointDraft, QuestionDraft
from components.judge.llm import Endpoint, LLMJudge
from components.judge.llm.remedy import NoReply
from components.judge.llm.scheme_lines import LinePoint
from components.marking import Marker, MarkError, Role
from components.workflow.exam_setup.drafted_lines import ahead, ask
from storage import Store, events, exams
from tests.eyes import Eyes, eyes
from tests.support import add_marker, new_store

QUESTION = QuestionDraft("3(b)", 4.0, points=(PointDraft("M1", "enzyme denatures", 1.0),))
LINES = {7: "give one if they say the bonds break"}
GOOD = {"points": [{"line": 7, "code": "", "text": "the bonds break", "marks": 1}]}
PRICED = "gpt-4o-mini"  # $0.15 and $0.60 a million tokens in assets/prices.toml


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def head(store: Store) -> Marker:
    return add_marker(store, "Dr Osei", Role.HEAD)


def exam(store: Store) -> int:
    with store.write() as db:
        return exams.add_exam(db, "Mock")


def judge(server: Eyes, model: str = PRICED) -> LLMJudge:
    return LLMJudge(Endpoint(server.base_url, model))


def test_a_draft_is_on_record_with_its_model_tokens_and_price(store: Store, head: Marker) -> None:
    exam_id = exam(store)
    with eyes(GOOD) as server:
        drafted = ask(store, head, exam_id, "Mini", judge(server), QUESTION, LINES)
    # 1,000 tokens sent and 100 received: 1,000 · 0.15 / 10⁶ + 100 · 0.60 / 10⁶ = 0.00021
    assert drafted.price == pytest.approx(0.00021)
    assert drafted.draft.points == (LinePoint(7, "", "the bonds break", 1),)
    with store.read() as db:
        (event,) = (each for each in events.latest(db) if each.kind == "scheme lines drafted")
    assert (event.about, event.body["tokens_in"], event.body["tokens_out"]) == (f"exam {exam_id}", 1000, 100)
    assert event.body["price"] == pytest.approx(0.00021)


def test_a_reply_that_cannot_be_used_is_not_asked_for_again_past_the_cap_and_is_on_record(
    store: Store, head: Marker
) -> None:
    with eyes("I cannot do that.") as server:
        asked = judge(server)
        expected = ahead(asked, QUESTION, LINES)
        assert expected.price is not None
        assert expected.cap == pytest.approx(3 * expected.price)
        # Two replies that each take as much as the first would come to more than three times what was reckoned.
        assert expected.cap < 2 * 0.00021
        with pytest.raises(NoReply, match="might cost more than was said"):
            ask(store, head, exam(store), "Mini", asked, QUESTION, LINES)
        assert len(server.asked) == 1
    with store.read() as db:
        (event,) = (each for each in events.latest(db) if each.kind == "scheme lines drafted")
    assert (event.body["points"], event.body["tokens_in"]) == (None, 1000)


def test_a_model_without_a_price_is_asked_again_as_ever(store: Store, head: Marker) -> None:
    with eyes("I cannot do that.", GOOD) as server:
        asked = judge(server, "model-of-our-own")
        assert ahead(asked, QUESTION, LINES).price is None
        assert ask(store, head, exam(store), "Own", asked, QUESTION, LINES).price is None


def test_only_a_head_of_department_asks(store: Store) -> None:
    with eyes(GOOD) as server:
        with pytest.raises(MarkError, match="Only a head of department"):
            ask(store, add_marker(store), exam(store), "Mini", judge(server), QUESTION, LINES)
        assert server.asked == []

"""From a pattern to a remedy on the page: found, drafted, tried, seen side by side, applied or dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from components.judge import prices
from components.judge.llm import Endpoint
from components.marking import Marker, MarkingPoint, Outcome, Question, QuestionType, Role, Scheme, Stage
from components.workflow.connections import Connections
from components.workflow.worker import Worker
from storage import Store, decisions, exams, jobs, pictures, proposals, question_pictures, remedies
from storage.pictures import Picture
from storage.question_pictures import QuestionPicture
from tests.eyes import page
from tests.model_server import completion, model_server
from tests.support import add_exam, add_marker, start_run

SAYS_IT, SAYS_IT_OTHERWISE = "the enzyme is denatured", "its **molecules** melt apart"


def section() -> None:
    """The section alone, for the marker and the exam in the session."""
    import streamlit as st

    from pages.department.remedy_section import show
    from pages.shared.desk_services import services

    show(services().store, st.session_state["marker"], st.session_state["exam"])


pytestmark = pytest.mark.usefixtures("without_a_worker")


@pytest.fixture(autouse=True)
def services_of_this_test(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("SECOND_MARKER_DATA", str(tmp_path))
    st.cache_resource.clear()
    st.cache_data.clear()
    yield
    st.cache_resource.clear()


@pytest.fixture
def head(store: Store) -> Marker:
    return add_marker(store, "Dr Head", Role.HEAD)


@pytest.fixture
def exam_id(store: Store) -> int:
    """4 say it in the scheme's words, 26 otherwise; the AI misses these, the teacher gives all the mark."""
    question = Question(number="4(a)", type=QuestionType.SHORT, text="Why?", max_mark=1)
    scheme = Scheme(max_mark=1, points=(MarkingPoint(code="B1", text="the enzyme is denatured"),))
    answers = [SAYS_IT] * 4 + [SAYS_IT_OTHERWISE] * 26
    exam, [ids] = add_exam(store, [answers], questions=[(question, scheme)])
    with store.read() as db:
        judge_id = exams.get(db, exam).judge_id  # type: ignore[union-attr]
    assert judge_id is not None
    start_run(store, exam, judge_id)
    work(store)
    mark_all(store, ids)
    return exam


def mark_all(store: Store, ids: Sequence[int]) -> None:
    teacher = add_marker(store)
    with store.write() as db:
        for response_id in ids:
            decisions.record(db, response_id, teacher.id, Outcome.MARK, Stage.BLIND, mark=1.0, points=("B1",))


def work(store: Store) -> None:
    """Do one job. A judge on this machine needs no key, so that a restarted app still has it."""
    assert Worker(store, Connections.from_environment(store)).do_one()


def opened(marker: Marker, exam_id: int, remedy: str = "") -> AppTest:
    at = AppTest.from_function(section, default_timeout=30)
    at.session_state["marker"], at.session_state["exam"] = marker, exam_id
    if remedy:
        at.query_params["remedy"] = remedy
    return run(at)


def run(at: AppTest) -> AppTest:
    at.run()
    assert not at.exception
    return at


def press(at: AppTest, label: str) -> AppTest:
    next(button for button in at.button if button.label == label).click()
    return run(at)


def labels(at: AppTest) -> list[str]:
    return [button.label for button in at.button]


def said(at: AppTest) -> str:
    parts = [*at.markdown, *at.caption, *at.info, *at.error, *at.warning, *at.success]
    return "\n".join(part.value for part in parts).replace("\\", "")


def tried(store: Store, marker: Marker, exam_id: int) -> AppTest:
    """The side by side of a draft that accepts the other wording."""
    at = press(opened(marker, exam_id), "Try a remedy")
    at.text_area(key="remedy_1_accept_B1").set_value("its molecules melt apart")
    press(at, "Try it on 20 responses")
    work(store)
    return opened(marker, exam_id, "1")


def test_a_pattern_says_what_it_rests_on_and_a_teacher_sees_none(store: Store, head: Marker, exam_id: int) -> None:
    at = opened(head, exam_id)
    assert (
        "The AI awards B1 less often than teachers do on question 4(a): 4 of 30, where teachers gave it on 30"
        in said(at)
    )
    assert "n = 30 · AI awarded: 4 · teachers ticked: 30 · responses: 30 · about 26 marks in all" in said(at)
    assert "about one in twenty stands out by chance alone" in said(at)
    at = opened(add_marker(store, "Mr Teach"), exam_id)
    assert "for heads of department and pilot leads" in said(at)
    assert not at.button


def test_the_editor_shows_the_questions_pictures_with_its_words(store: Store, head: Marker, exam_id: int) -> None:
    with store.write() as db:
        sha256 = pictures.add(db, Picture(page("magenta"), "image/png", 300, 400))
        [question] = exams.questions(db, exam_id)
        question_pictures.set_of(db, question.id, [QuestionPicture(sha256, "a rate curve")])
    at = press(opened(head, exam_id), "Try a remedy")
    [shown] = [image for each in at.get("image") for image in each.proto.imgs]
    assert shown.caption == "a rate curve"


def test_a_remedy_is_drafted_tried_and_applied_from_one_screen(store: Store, head: Marker, exam_id: int) -> None:
    at = press(opened(head, exam_id), "Try a remedy")
    assert at.query_params["remedy"] in ("1", ["1"])
    assert "reads the scheme's wording only, not the note" in said(at)
    assert "20 responses: 10 behind the pattern, 10 drawn at random. Costs nothing" in said(at)
    assert at.text_area(key="remedy_1_point_B1").value == "the enzyme is denatured"
    at.text_area(key="remedy_1_accept_B1").set_value("its molecules melt apart")
    press(at, "Save the draft")
    assert "The draft is saved" in said(at)
    at = opened(head, exam_id, "1")
    assert at.text_area(key="remedy_1_accept_B1").value == "its molecules melt apart", "a reload keeps it"
    press(at, "Try it on 20 responses")
    assert "Cancel" in labels(at)
    assert "Apply" not in labels(at)
    work(store)
    at = opened(head, exam_id, "1")
    assert "B1, accept: added “its molecules melt apart”" in said(at)
    assert "Drawn at random from the question.* On 10 responses: exact with the teacher" in said(at)
    assert "Chosen for their disagreement.* On 10 responses: exact with the teacher 0 → 10" in said(at)
    assert "all of them together flatter the remedy" in said(at)
    table = at.dataframe[0].value
    assert len(table) == 20
    assert set(table["After"]) == {"1"}
    with store.read() as db:
        assert exams.questions(db, exam_id)[0].scheme_version == 1
    press(at, "Apply")
    assert "The scheme is v2 now" in said(at)
    press(at, "Ask the judge again about question 4(a)")
    with store.read() as db:
        [job] = jobs.active(db)
    assert job.kind == "propose"
    assert "A run over this exam is under way" in said(at)


def test_a_ticked_response_shows_the_answer_as_it_is_and_both_verdicts(
    store: Store, head: Marker, exam_id: int
) -> None:
    at = tried(store, head, exam_id)
    at.session_state["remedy_table_1"] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    run(at)
    assert [text.value for text in at.text] == [SAYS_IT_OTHERWISE]
    assert "Before: 0" in said(at)
    assert "After: 1" in said(at)
    assert "✗ B1" in said(at)
    assert "✓ B1" in said(at)


def test_who_has_seen_the_side_by_side_marks_these_responses_blind_no_more(
    store: Store, head: Marker, exam_id: int
) -> None:
    tried(store, head, exam_id)
    with store.read() as db:
        remedy = remedies.get(db, 1)
        assert remedy is not None
        assert all(proposals.seen_by(db, each.response_id, head.id) for each in remedy.sample)


def test_a_pilot_lead_tries_but_does_not_apply(store: Store, exam_id: int) -> None:
    at = tried(store, add_marker(store, "Pia Lot", Role.PILOT), exam_id)
    [apply] = [button for button in at.button if button.label == "Apply"]
    assert apply.disabled
    press(at, "Change the draft")
    assert at.query_params["remedy"] in ("2", ["2"])
    assert at.text_area(key="remedy_2_accept_B1").value == "its molecules melt apart"


def test_a_dropped_remedy_is_found_in_the_record_which_names_people_to_heads_alone(
    store: Store, head: Marker, exam_id: int
) -> None:
    at = press(tried(store, head, exam_id), "Drop")
    assert "This remedy has been dropped" in said(at)
    assert "Apply" not in labels(at)
    press(at, "All patterns")
    for marker, shown in ((head, True), (add_marker(store, "Pia Lot", Role.PILOT), False)):
        at = opened(marker, exam_id)
        at.session_state[f"remedies_{exam_id}"] = True
        run(at)
        record = at.dataframe[0].value
        assert list(record["State"]) == ["dropped"]
        assert ("By" in record.columns) is shown


def test_a_draft_that_changes_nothing_is_refused_in_words(head: Marker, exam_id: int) -> None:
    at = press(opened(head, exam_id), "Try a remedy")
    press(at, "Try it on 20 responses")
    assert "The draft is the scheme as it is" in said(at)
    at.text_area(key="remedy_1_point_B1").set_value(" ")
    press(at, "Save the draft")
    assert "Point B1 is left without words" in said(at)


def test_an_exam_without_marks_says_what_to_do_next(store: Store, head: Marker) -> None:
    exam_id, _ = add_exam(store, [["an answer"] * 3])
    assert "Mark some with blind marking switched on" in said(opened(head, exam_id))


def test_a_remedy_of_another_exam_in_the_address_is_not_shown(store: Store, head: Marker, exam_id: int) -> None:
    press(opened(head, exam_id), "Try a remedy")
    other, _ = add_exam(store, [["an answer"] * 3], title="Another")
    at = opened(head, other, "1")
    assert "A remedy on question" not in said(at)
    assert "remedy" not in at.query_params


@pytest.mark.parametrize("named", ["9" * 30, "nine", "999"])
def test_a_remedy_in_the_address_that_cannot_be_one_leaves_the_patterns(head: Marker, exam_id: int, named: str) -> None:
    assert "Try a remedy" in labels(opened(head, exam_id, named))


def test_a_language_model_is_tried_at_a_price_told_before_and_after_and_says_why_it_stopped(
    store: Store, head: Marker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "prices.toml"
    file.write_text('[models]\n"cheap" = { input = 1, output = 4 }\n')
    monkeypatch.setattr(prices, "PRICES", file)
    replies = 0

    def reply(words: str) -> tuple[int, dict[str, Any]]:
        nonlocal replies
        replies += 1
        if replies == 15:  # 12 for the proposals, 2 on trial
            return 401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}
        awarded = "Melting will do" in words
        verdict = {"code": "B1", "evidence": ["melt"], "reason": "", "awarded": awarded, "not_sure": False}
        return completion({"points": [verdict]}, "cheap", 1000, 200)

    question = Question(number="4(a)", type=QuestionType.SHORT, text="Why?", max_mark=1)
    scheme = Scheme(max_mark=1, points=(MarkingPoint(code="B1", text="the enzyme is denatured"),))
    exam_id, [ids] = add_exam(store, [["they melt apart"] * 12], questions=[(question, scheme)])
    with model_server(reply) as base_url:
        judge_id = Connections().connect(store, Endpoint(base_url, "cheap", at_once=1), "", "Cheap one")
        start_run(store, exam_id, judge_id)
        work(store)
        mark_all(store, ids)
        at = press(opened(head, exam_id), "Try a remedy")
        assert "12 would be sent to cheap, for about $0.0" in said(at)
        at.text_area(key="remedy_1_note").set_value("Melting will do.")
        press(at, "Try it on 12 responses")
        work(store)
        at = opened(head, exam_id, "1")
        assert [warning.value for warning in at.warning if "key" in warning.value]
        assert "On 2 responses: exact with the teacher 0 → 2" in said(at)
        assert "Apply" not in labels(at)
        press(at, "Go on")
        work(store)
    at = opened(head, exam_id, "1")
    assert "On 12 responses: exact with the teacher 0 → 12" in said(at)
    assert "Paid for this trial: $0.0216." in said(at)  # 12 × (1,000 × $1/M + 200 × $4/M)
    assert "A language model may answer differently from one time to the next" in said(at)
    assert replies == 12 + 2 + 1 + 10

"""The judges page: roles, choosing a judge, and connecting a real model server."""

from __future__ import annotations

import time
from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from components.judge.llm import Endpoint, Protocol
from components.marking import Role
from components.workflow.connections import Connections
from storage import Store, exams, jobs, judges
from tests.llama import MODEL, llama_server
from tests.support import add_exam, add_marker

PAGE = "pages/pilot/judges.py"
OpenPage = Callable[..., AppTest]


def test_a_teacher_is_told_who_may_enter(app: OpenPage, store: Store) -> None:
    add_exam(store, [["x"]])
    at = app()
    at.session_state["marker_id"] = add_marker(store).id
    at.run()
    at.switch_page(PAGE).run()
    assert not at.exception
    assert "for a head of department or a pilot lead" in at.warning[0].value
    assert not at.title


def test_the_default_judges_are_listed_and_one_is_chosen_for_an_exam(app: OpenPage, store: Store) -> None:
    exam_id, _ = add_exam(store, [["the enzyme is denatured"]])
    at = app(PAGE, add_marker(store, "Dr Li", Role.HEAD))
    assert not at.exception
    text = "\n".join(each.value for each in at.markdown)
    assert "Offline matcher" in text
    assert "Checked by calculation" in text
    next(button for button in at.button if button.label == "Let it propose").click().run()
    assert not at.exception
    with store.read() as db:
        job = jobs.latest_of_exam(db, "propose", exam_id)
        exam = exams.get(db, exam_id)
    assert job is not None
    assert exam is not None
    assert exam.judge_id is not None


def test_without_an_exam_the_page_still_connects(app: OpenPage, store: Store) -> None:
    exam_id, _ = add_exam(store, [["x"]])
    with store.write() as db:
        exams.archive(db, exam_id, None, "test")
    at = app(PAGE, add_marker(store, "Dr Li", Role.HEAD))
    assert not at.exception
    assert at.info[0].value == "When there is an exam, choose its judge here."
    connect = next(button for button in at.button if button.label == "Connect")
    assert connect.disabled


def test_a_typed_key_never_reaches_the_database(app: OpenPage, store: Store) -> None:
    add_exam(store, [["x"]])
    at = app(PAGE, add_marker(store, "Dr Li", Role.HEAD))
    at.text_input(key="model").set_value("some-model").run()
    at.text_input(key="typed_key").set_value("sk-very-secret-words").run()
    next(button for button in at.button if button.label == "Connect").click().run()
    assert not at.exception
    assert "some-model is connected" in at.success[0].value.replace("\\", "")
    with store.read() as db:
        dump = "\n".join(db.conn.iterdump())
    assert "some-model" in dump
    assert "sk-very-secret-words" not in dump


def test_a_judge_without_a_key_comes_back_after_a_restart_and_a_typed_one_does_not(store: Store) -> None:
    first = Connections()
    local = first.connect(store, Endpoint("http://127.0.0.1:1/v1", "local", protocol=Protocol.MEDLY), "")
    typed = first.connect(store, Endpoint("http://127.0.0.1:1/v1", "typed", "secret"), None)
    again = Connections.from_environment(store)
    with store.read() as db:
        stored = {judge.id: judge for judge in judges.listed(db)}
    assert again.connected(stored[local])
    assert "Medly" in stored[local].name
    restored = again.judge(stored[local])
    assert restored is not None
    assert "Medly" in restored.name
    assert not again.connected(stored[typed])


def test_the_test_button_makes_a_live_round_trip(app: OpenPage, store: Store) -> None:
    add_exam(store, [["x"]])
    with llama_server() as base_url:
        at = app(PAGE, add_marker(store, "Dr Li", Role.HEAD))
        at.selectbox(key="where").select("llama.cpp").run()
        at.text_input(key="base_url_llama.cpp").set_value(base_url)
        at.text_input(key="model").set_value(MODEL)
        at.segmented_control[0].set_value("No key needed").run()
        next(button for button in at.button if button.label == "Test").click().run()
        deadline = time.monotonic() + 150
        while not (at.success or at.error) and time.monotonic() < deadline:
            at.run()
    assert not at.exception
    said = [each.value.replace("\\", "") for each in (*at.success, *at.error)]
    assert any(MODEL in each for each in said), said

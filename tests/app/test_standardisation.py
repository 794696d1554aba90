"""Choosing the responses that language models are shown as examples, on the exams page."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from streamlit.testing.v1 import AppTest

from components.marking import Marker, Outcome, Role, Stage
from storage import Store, decisions, exams, standardisation
from tests.app.conftest import OpenPage
from tests.support import add_exam, add_marker

PAGE = "pages/department/exams.py"
LONG = "because the enzyme **is** denatured\n\n" + "and so on " * 30


@pytest.fixture
def head(store: Store) -> Marker:
    return add_marker(store, "Dr Head", Role.HEAD)


def marked_exam(store: Store, marker: Marker, answers: Sequence[str], marks: Sequence[float | None]) -> list[int]:
    _, [ids] = add_exam(store, [answers])
    with store.write() as db:
        for response_id, mark in zip(ids, marks, strict=True):
            if mark is not None:
                decisions.record(db, response_id, marker.id, Outcome.MARK, Stage.BLIND, mark=mark)
    return ids


def question_id(store: Store) -> int:
    with store.read() as db:
        return exams.questions(db, exams.listed(db)[0].id)[0].id


def opened(app: OpenPage, store: Store, marker: Marker, *, popover: bool = True) -> AppTest:
    """The exams page with the questions of its one exam and the question's popover open."""
    at = app(PAGE, marker)
    with store.read() as db:
        at.session_state[f"questions_{exams.listed(db)[0].id}"] = True
    if popover:
        at.session_state[f"standardisation_{question_id(store)}"] = True
    at.run()
    assert not at.exception
    return at


def tick(at: AppTest, *rows: int) -> AppTest:
    (table,) = at.dataframe
    at.session_state[table.key] = {"selection": {"rows": list(rows), "columns": [], "cells": []}}
    at.run()
    assert not at.exception
    return at


def press(at: AppTest, label: str) -> AppTest:
    next(button for button in at.button if button.label == label).click().run()
    assert not at.exception
    return at


def disabled(at: AppTest) -> dict[str, bool]:
    return {button.label: button.disabled for button in at.button if button.label in ("Choose", "Drop")}


def rows(at: AppTest) -> list[tuple[str, ...]]:
    (table,) = at.dataframe
    return [tuple(row) for row in table.value[["Chosen", "Candidate", "Mark"]].itertuples(index=False)]


def said(at: AppTest) -> str:
    parts = [*at.markdown, *at.caption, *at.info, *at.error]
    return "\n".join(part.value for part in parts).replace("\\", "")


def stored(store: Store) -> list[int]:
    with store.read() as db:
        return standardisation.of_question(db, question_id(store))


def test_a_teacher_is_not_offered_the_choice(app: OpenPage, store: Store, head: Marker) -> None:
    marked_exam(store, head, ["an answer"], [1])
    at = opened(app, store, add_marker(store, "Ms Khan", Role.TEACHER))
    assert "examples of your standard" not in said(at)
    assert not disabled(at)


def test_nothing_is_read_before_the_popover_is_opened(app: OpenPage, store: Store, head: Marker) -> None:
    marked_exam(store, head, ["an answer"], [1])
    at = opened(app, store, head, popover=False)
    assert not at.dataframe
    assert "examples of your standard" not in said(at)


def test_without_marks_there_is_nothing_to_choose_yet(app: OpenPage, store: Store, head: Marker) -> None:
    marked_exam(store, head, ["an answer"], [None])
    at = opened(app, store, head)
    assert "No response of this question has a teacher's mark yet" in said(at)
    assert not at.dataframe


@pytest.mark.parametrize("role", [Role.HEAD, Role.PILOT])
def test_a_lead_chooses_responses_in_the_order_they_tick_them_and_drops_one(
    app: OpenPage, store: Store, head: Marker, role: Role
) -> None:
    ids = marked_exam(store, head, [LONG, "second", "not marked", "fourth"], [1, 2, None, 0])
    at = opened(app, store, add_marker(store, "Ms Lead", role))
    assert "Shown to a language model as examples of your standard, before any other." in said(at)
    assert "0 responses chosen" in said(at)
    assert rows(at) == [("", "0001", "1"), ("", "0002", "2"), ("", "0004", "0")]
    answer = at.dataframe[0].value["Answer"][0]
    assert answer.startswith("because the enzyme **is** denatured and so on and so on")
    assert len(answer) <= 120
    assert answer.endswith("…")
    assert disabled(at) == {"Choose": True, "Drop": True}

    press(tick(at, 2, 0), "Choose")
    assert stored(store) == [ids[3], ids[0]]
    assert "2 responses chosen" in said(at)
    assert rows(at) == [("1", "0004", "0"), ("2", "0001", "1"), ("", "0002", "2")]
    assert disabled(at) == {"Choose": True, "Drop": True}, "nothing is ticked in the new table"

    tick(at, 0)
    assert disabled(at) == {"Choose": True, "Drop": False}
    press(at, "Drop")
    assert stored(store) == [ids[0]]
    assert "1 response chosen" in said(at)


def test_a_mark_undone_meanwhile_is_said_in_words_and_the_others_are_chosen(
    app: OpenPage, store: Store, head: Marker
) -> None:
    ids = marked_exam(store, head, ["first", "second"], [1, 2])
    at = tick(opened(app, store, head), 0, 1)
    with store.write() as db:
        decisions.undo(db, decisions.live(db, ids[0])[0].id, head.id)
    press(at, "Choose")
    assert stored(store) == [ids[1]]
    assert "Candidate 0001, question 1: no teacher's mark stands on it. Mark it first" in said(at)
    at.run()
    assert "no teacher's mark stands" not in said(at), "said once"


def test_of_many_marked_responses_the_first_are_listed_and_any_can_be_found(
    app: OpenPage, store: Store, head: Marker
) -> None:
    ids = marked_exam(store, head, [f"answer {i}" for i in range(205)], [1] * 205)
    at = opened(app, store, head)
    assert len(rows(at)) == 200
    assert "The first 200 of 205 marked responses" in said(at)
    find = f"standardisation_find_{question_id(store)}"
    at.text_input(key=find).set_value("9999").run()
    assert "No other marked response is by a candidate whose number holds “9999”." in said(at)
    at.text_input(key=find).set_value("0203").run()
    assert rows(at) == [("", "0203", "1")]
    press(tick(at, 0), "Choose")
    assert stored(store) == [ids[202]]

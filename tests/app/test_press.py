"""A press whose run something else from the browser ends is heard by the run that follows, and by no later one."""

from __future__ import annotations

import ast
from pathlib import Path

from streamlit.testing.v1 import AppTest


def _page() -> None:
    import streamlit as st

    from pages.shared.press import forget_presses, pressed

    state = st.session_state
    if state.pop("file_arrives", False):
        st.rerun()  # as the message of a file or a table does, in the middle of a run
    if not state.get("elsewhere") and pressed("Restore it", key="restore", disabled=state.get("disabled", False)):
        state["restored"] = state.get("restored", 0) + 1
    forget_presses()


def _pressed(**state: bool) -> AppTest:
    at = AppTest.from_function(_page).run()
    at.button(key="restore").click()
    for name, value in state.items():
        at.session_state[name] = value
    return at.run()


def test_a_press_counts_once() -> None:
    at = _pressed()
    assert at.run().session_state["restored"] == 1


def test_a_press_is_kept_when_its_run_ends_above_the_button() -> None:
    at = _pressed(file_arrives=True)
    assert at.run().session_state["restored"] == 1


def test_a_press_is_forgotten_with_its_button() -> None:
    at = _pressed(elsewhere=True)
    at.session_state["elsewhere"] = False
    assert "restored" not in at.run().session_state


def test_a_button_that_may_no_longer_be_pressed_does_nothing() -> None:
    at = _pressed(file_arrives=True, disabled=True)
    at.session_state["disabled"] = False
    assert "restored" not in at.run().session_state


def test_no_page_asks_streamlits_own_button_whether_it_was_pressed() -> None:
    asked = []
    for path in sorted((Path(__file__).parents[2] / "pages").rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        drawn = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        buttons = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
        asked += [
            f"{path.name}:{call.lineno}"
            for call in buttons
            if call.func.attr in ("button", "form_submit_button") and id(call) not in drawn
        ]
    assert asked == []  # pages.shared.press.pressed is for that

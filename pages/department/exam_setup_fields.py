"""Widgets that are bound to a question's draft: each shows what was typed last, and keeps every change at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
from pydantic import BaseModel

from components.marking import Marker, MarkError
from components.widgets.figures import plain
from components.workflow.exam_setup import Opened, QuestionBody, change
from storage import Store

state = st.session_state
NOTICE = "exam_setup_notice"
REFUSED = "exam_setup_refused"
_SEEN = "exam_setup_seen"
_NEVER = object()


@dataclass(frozen=True)
class Editor:
    """A question being edited by a marker. `may` is whether they are a head of department; others look on.

    A field is named by its path in the body: `number`, `choice.key`, or `points.<row id>.text`.
    """

    store: Store
    marker: Marker
    opened: Opened
    may: bool

    @property
    def body(self) -> QuestionBody:
        return self.opened.body

    def key(self, path: str) -> str:
        return f"setup_{self.opened.thread}_{path}"

    def text(self, path: str, label: str, **more: Any) -> None:
        bound = self._bound(path)
        st.text_input(label, **bound, **more)
        self.reasons(path)

    def area(self, path: str, label: str, **more: Any) -> None:
        bound = self._bound(path)
        st.text_area(label, **bound, **more)
        self.reasons(path)

    def number(self, path: str, label: str, **more: Any) -> None:
        """A number box that may be empty: an empty box is None."""
        bound = self._bound(path, more.pop("disabled", False))
        more = {"min_value": 0.0, "format": "%g"} | more
        st.number_input(label, value=None, **bound, **more)
        self.reasons(path)

    def choice(self, path: str, label: str, options: Sequence[Any], **more: Any) -> None:
        bound = self._bound(path, more.pop("disabled", False))
        present = value_at(self.body, path)
        st.selectbox(label, [*options, *([present] if present not in options else [])], **bound, **more)
        self.reasons(path)

    def several(self, path: str, label: str, options: Sequence[str], **more: Any) -> None:
        bound = self._bound(path)
        missing = [each for each in value_at(self.body, path) if each not in options]
        st.multiselect(label, [*options, *missing], **bound, **more)

    def tick(self, path: str, label: str, **more: Any) -> None:
        st.checkbox(label, **self._bound(path), **more)

    def button(self, label: str, name: str, how: Callable[[QuestionBody], None], **more: Any) -> None:
        """A button that changes the draft, as adding a point does. `name` sets it apart from the others."""
        more["disabled"] = more.get("disabled", False) or not self.may
        st.button(label, key=self.key(f"do_{name}"), on_click=self.keep, args=(how,), **more)

    def reasons(self, path: str) -> None:
        """What is wrong at this field, in words.

        In a container that is there with nothing wrong, too: a browser builds the boxes below anew, and takes the
        cursor out of them, where they move on the page.
        """
        with st.container():
            for words in self.opened.checked.at(path):
                st.markdown(f":red[:material/error: {plain(words)}]")

    def keep(self, how: Callable[[QuestionBody], None]) -> None:
        """Keep a change as a draft; where that cannot be, the page says why."""
        try:
            change(self.store, self.marker, self.opened, how)
        except MarkError as error:
            state[REFUSED] = str(error)

    def _bound(self, path: str, disabled: bool = False) -> dict[str, Any]:
        """Key, callback and value. The value is set only where the draft has another than this browser was last told:
        set each time, it would wipe out what is being typed meanwhile."""
        key, value = self.key(path), value_at(self.body, path)
        seen: dict[str, Any] = state.setdefault(_SEEN, {})
        if key not in state or seen.get(key, _NEVER) != value:
            state[key] = value
        seen[key] = value
        return {
            "key": key,
            "disabled": disabled or not self.may,
            "on_change": self._keep_field,
            "args": (path,),
        }

    def _keep_field(self, path: str) -> None:
        value = state[self.key(path)]
        if isinstance(value_at(self.body, path), str) and value is None:
            value = ""
        self.keep(lambda body: put(body, path, value))
        state[_SEEN][self.key(path)] = value


def value_at(body: QuestionBody, path: str) -> Any:
    """The value of a field by its path. Raises LookupError for a row that is not there."""
    found: Any = body
    for part in path.split("."):
        found = _step(found, part)
    return found


def put(body: QuestionBody, path: str, value: Any) -> None:
    """Set a field by its path. A row that somebody has taken away meanwhile stays away; a point or group that gets
    another code is followed by what names it."""
    *way, last = path.split(".")
    found: Any = body
    try:
        for part in way:
            found = _step(found, part)
    except LookupError:
        return
    before = getattr(found, last)
    setattr(found, last, value)
    if last == "code" and before and isinstance(value, str):
        _rename(body, before, value.strip())


def _rename(body: QuestionBody, before: str, code: str) -> None:
    if any(before == row.code for row in (*body.points, *body.groups)):
        return  # another row has that code still
    for point in body.points:
        point.needs = [code if need == before else need for need in point.needs if code or need != before]
        if point.group == before:
            point.group = code


def _step(found: Any, part: str) -> Any:
    if isinstance(found, list):
        for row in found:
            if row.id == part:
                return row
        raise LookupError(f"There is no row {part}.")
    if not isinstance(found, BaseModel):
        raise LookupError(f"There is no field {part}.")
    return getattr(found, part)

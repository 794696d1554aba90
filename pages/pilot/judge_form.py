"""Making a judge: where the model is, its key, how it is asked; tried out first if wished."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import streamlit as st

from components.judge.llm import Endpoint, Protocol, is_base_url
from components.judge.llm.endpoint import DEFAULT_AT_ONCE
from components.marking import Marker
from components.widgets.figures import plain
from components.workflow.connections import default_name, endpoint_of
from pages.pilot import judge_report
from pages.pilot.judge_settings import NOT_SET, faults, more_settings
from pages.pilot.judge_words import ASKS, capital
from pages.shared.desk_services import services
from pages.shared.press import pressed
from storage import events, judges
from storage.judges import StoredJudge

OTHER_PLACE = "Another"
WHERE = {
    "OpenAI": "https://api.openai.com/v1",
    "Azure OpenAI": "https://YOUR-RESOURCE.openai.azure.com/openai/v1",
    "Gemini": "https://generativelanguage.googleapis.com/v1beta/openai",
    "Ollama": "http://127.0.0.1:11434/v1",
    "vLLM": "http://127.0.0.1:8000/v1",
    "llama.cpp": "http://127.0.0.1:8080/v1",
    "LM Studio": "http://127.0.0.1:1234/v1",
    OTHER_PLACE: "",
}
TYPED, NAMED, NONE = "Type it here", "Name an environment variable", "No key needed"
# What the form holds at first, by the keys of its widgets.
EMPTY: dict[str, Any] = {
    "judge_where": "OpenAI",
    "judge_base_url": WHERE["OpenAI"],
    "judge_model": "",
    "judge_key": TYPED,
    "judge_typed_key": "",
    "judge_variable": "OPENAI_API_KEY",
    "judge_protocol": Protocol.FULL,
    "judge_name": "",
    "judge_effort": NOT_SET,
    "judge_temperature": None,
    "judge_seed": None,
    "judge_max_tokens": None,
    "judge_samples": 1,
    "judge_at_once": DEFAULT_AT_ONCE,
    "judge_reading": "direct",
    "judge_without_ruling": False,
}

# A key choice: TYPED, NAMED, NONE, or the id of a judge whose key it is to be.
KeyChoice = str | int


@dataclass(frozen=True)
class Key:
    """A key as the form has it. `variable` is where it is from: "" for none needed, None where it was typed."""

    value: str
    variable: str | None

    @property
    def given(self) -> bool:
        return bool(self.value) or self.variable == ""


def fill(judge: StoredJudge, name: str = "") -> None:
    """Put a judge's settings into the form, and its key where it can be had without being shown."""
    endpoint, variable = endpoint_of(judge, ""), judge.settings.get("key_variable")
    connected = services().connections.llm(judge.id)
    if variable is not None:
        key: KeyChoice = NAMED if variable else NONE
    else:
        key = judge.id if connected is not None and connected.endpoint.api_key else TYPED
    places = [place for place, url in WHERE.items() if url == endpoint.base_url]
    st.session_state.update(
        {
            "judge_where": places[0] if places else OTHER_PLACE,
            "judge_base_url": endpoint.base_url,
            "judge_model": endpoint.model,
            "judge_key": key,
            "judge_typed_key": "",
            "judge_variable": variable or EMPTY["judge_variable"],
            "judge_protocol": endpoint.protocol,
            "judge_name": name,
            "judge_effort": endpoint.reasoning_effort or NOT_SET,
            "judge_temperature": endpoint.temperature,
            "judge_seed": endpoint.seed,
            "judge_max_tokens": endpoint.max_tokens,
            "judge_samples": endpoint.samples,
            "judge_at_once": endpoint.at_once,
            "judge_reading": endpoint.reading,
            "judge_without_ruling": endpoint.without_ruling,
            "judge_filled": judge.name,
        }
    )
    st.session_state.pop("judge_fault", None)
    st.toast(f"The form below has the settings of {plain(judge.name)}.", icon=":material/south:")


def judge_form(marker: Marker) -> None:
    """The whole form."""
    state = st.session_state
    if state.pop("judge_connected", False):  # before its boxes are drawn: then nothing can be put into them
        state.update({"judge_typed_key": "", "judge_name": ""})
        state.pop("judge_filled", None)
    for name, value in EMPTY.items():
        state.setdefault(name, value)
    st.subheader("Connect a model", anchor="connect-a-model")
    st.caption(
        "Any OpenAI-compatible endpoint. The exam's content and a pseudonym are sent to it, never a name or number."
    )
    if filled := state.get("judge_filled"):
        st.info(f"Filled in from {plain(filled)}. Change what you like, then connect.", icon=":material/content_copy:")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Where", list(WHERE), key="judge_where", on_change=_place_chosen, width=170)
        base_url = st.text_input("Base URL", key="judge_base_url", width=380).strip().rstrip("/")
        model = st.text_input("Model", key="judge_model", placeholder="the name its server knows", width=220).strip()
    key = _key(base_url)
    protocol = st.segmented_control(
        "Prompt",
        list(Protocol),
        format_func=lambda chosen: capital(chosen.named),
        key="judge_protocol",
        required=True,
    )
    assert protocol is not None
    st.caption(f"The model is asked for {ASKS[protocol]}.")
    endpoint = more_settings(Endpoint(base_url, model, key.value, protocol=protocol))
    name = st.text_input(
        "Name",
        key="judge_name",
        max_chars=120,
        placeholder=default_name(endpoint) if model else "called after its settings if left empty",
        help="Proposals are shown under this name. Left empty, the judge is called after its settings.",
    )
    _act(endpoint, key, name, marker)


def _place_chosen() -> None:
    st.session_state["judge_base_url"] = WHERE[st.session_state["judge_where"]]


def _key(base_url: str) -> Key:
    """Where the key is to come from, and the key."""
    state = st.session_state
    others = _judges_with_a_key_for(base_url)
    options: list[KeyChoice] = [TYPED, NAMED, NONE, *others]
    if state["judge_key"] not in options:
        state["judge_key"] = TYPED
    with st.container(horizontal=True, vertical_alignment="bottom"):
        how = st.selectbox(
            "Key",
            options,
            key="judge_key",
            format_func=lambda each: each if isinstance(each, str) else f"The key of {others[each].name}",
            width=300,
        )
        if how == TYPED:
            kept = "Kept in memory until the server stops."
            return Key(
                st.text_input("API key", type="password", key="judge_typed_key", help=kept, width=420).strip(), None
            )
        if isinstance(how, int):
            return Key(_key_of(how), others[how].settings.get("key_variable"))
        if how == NONE:
            return Key("", "")
        variable = st.text_input("Environment variable", key="judge_variable", width=420).strip()
    value = os.environ.get(variable, "") if variable else ""
    if variable and not value:
        st.warning(f"This server's environment has no {plain(variable)}. Set it and start the server again.")
    return Key(value, variable or None)


def _judges_with_a_key_for(base_url: str) -> dict[int, StoredJudge]:
    """Connected judges at this very address: a key goes nowhere but where it was given for."""
    with services().store.read() as db:
        stored = [judge for judge in judges.listed(db) if judge.kind == judges.LLM]
    return {judge.id: judge for judge in stored if judge.settings["base_url"] == base_url and _key_of(judge.id)}


def _key_of(judge_id: int) -> str:
    judge = services().connections.llm(judge_id)
    return "" if judge is None else judge.endpoint.api_key


def _act(endpoint: Endpoint, key: Key, name: str, marker: Marker) -> None:
    """The two buttons, what keeps them from working, and what came of them."""
    state = st.session_state
    wrong = faults()
    complete = bool(endpoint.model) and is_base_url(endpoint.base_url) and key.given
    ready = complete and not wrong
    place = f"form · {default_name(endpoint)}"
    with st.container(horizontal=True):
        connecting = pressed("Connect", key="judge_connect", type="primary", disabled=not ready)
        testing = pressed(
            "Test",
            key="judge_test",
            disabled=not ready or judge_report.under_way(place, marker.id),
            icon=":material/network_check:",
            help="Sends a sample question and answer to the model now, then a small picture, which costs two replies.",
        )
    if connecting:
        _connect(endpoint, key.variable, name, marker)
    if testing:
        judge_report.begin(place, marker.id, endpoint)
    if connecting or testing:
        st.rerun()
    if wrong:
        st.warning(plain(" ".join(wrong)))
    elif not complete:
        st.caption(
            "Give a base URL (one address that begins with http:// or https://), a model, and a key or that none is "
            "needed."
        )
    if fault := state.pop("judge_fault", ""):
        st.error(plain(fault))
    judge_report.show(place, marker.id, endpoint)


def _connect(endpoint: Endpoint, key_variable: str | None, name: str, marker: Marker) -> None:
    state, store = st.session_state, services().store
    try:
        judge_id = services().connections.connect(store, endpoint, key_variable, name)
    except ValueError as error:
        state["judge_fault"] = str(error)
        return
    with store.write() as db:
        stored = judges.get(db, judge_id)
        assert stored is not None
        events.log(db, "judge connected", f"judge {judge_id}", {"name": stored.name}, marker.id)
    state["judges_notice"] = f"{stored.name} is connected. Start a run to let it propose."
    state["judge_connected"] = True

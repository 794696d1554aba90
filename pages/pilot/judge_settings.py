"""The part of the judge form for settings that most judges leave alone."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import streamlit as st

from components.judge.llm import Endpoint, Protocol
from components.judge.llm.endpoint import PictureReading, ReasoningEffort
from pages.pilot.judge_words import set_words

NOT_SET = "not set"
EFFORTS = [NOT_SET, *get_args(ReasoningEffort)]
READINGS: dict[PictureReading, str] = {"direct": "Marked directly", "transcribe": "Read first, then marked"}
# By widget key: what it is called, the least and the most it may be. A browser may send anything.
LIMITS: dict[str, tuple[str, int, int]] = {
    "judge_temperature": ("The temperature", 0, 2),
    "judge_seed": ("The seed", 0, 2**31 - 1),
    "judge_max_tokens": ("The token limit", 1, 1_000_000),
    "judge_samples": ("The number of samples", 1, 9),
    "judge_at_once": ("The number of requests at once", 1, 256),
}


def more_settings(endpoint: Endpoint) -> Endpoint:
    """The endpoint with the settings chosen here; what its protocol sets itself is shown and not asked for."""
    chosen = _chosen(endpoint)
    said = set_words(chosen) + ([f"asked {chosen.samples} times"] if chosen.samples > 1 else [])
    # The key keeps it open while its label tells what is set.
    with st.expander(f"More settings · {', '.join(said) or 'the model’s own'}", key="judge_more_settings"):
        st.caption("What is not set here is not sent, so the model's own value counts.")
        with st.container(horizontal=True):
            st.selectbox(
                "Reasoning effort",
                EFFORTS,
                key="judge_effort",
                disabled=endpoint.protocol is Protocol.MEDLY,
                width=175,
            )
            _number("Temperature", "judge_temperature", 0.1, disabled=endpoint.protocol is Protocol.GAOKAO)
            _number("Seed", "judge_seed", 1, help="With the same seed a model is more likely to repeat itself.")
            _number("Token limit for a reply", "judge_max_tokens", 100)
        if endpoint.protocol is Protocol.GAOKAO:
            st.caption("GAOKAO-Bench's prompt sets temperature 0 itself.")
        if endpoint.protocol is Protocol.MEDLY:
            st.caption("Medly's prompt sets the reasoning effort itself: the least that the model takes.")
        with st.container(horizontal=True):
            _number("Samples", "judge_samples", 1)
            _number("Requests at once", "judge_at_once", 1)
        st.caption(
            "Samples: asked that many times for each proposal; the middle mark is proposed and the spread shown; costs "
            "that many times as much. Requests at once: how many may be with this endpoint together; a server of your "
            "own may take few."
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.segmented_control(
                "Pictures",
                list(READINGS),
                format_func=READINGS.__getitem__,
                key="judge_reading",
                required=True,
                help="Marked directly, the model sees the pages together with the question and the mark scheme. Read "
                "first, it writes down what they say without the scheme, and a second request marks that.",
            )
            st.toggle(
                "Remove the paper's lines",
                key="judge_without_ruling",
                help="Ruled and squared paper is made plain before a picture is sent, so that lines are not taken for "
                "writing. The stored picture stays as it is.",
            )
        if chosen.samples > 1 and chosen.settings.get("temperature") == 0:
            st.warning(
                "With temperature 0 every sample will be alike, so their spread says nothing and each is paid for. "
                "Set a higher temperature, or ask once."
                if endpoint.protocol is not Protocol.GAOKAO
                else "This prompt sets temperature 0, so every sample will be alike and each is paid for. Ask once."
            )
    return chosen


def faults() -> list[str]:
    """What is outside its limits, a sentence each."""
    said = []
    for key, (name, least, most) in LIMITS.items():
        value = st.session_state[key]
        if value is not None and not least <= value <= most:
            said.append(f"{name} must be from {least:,} to {most:,}.")
    return said


def _chosen(endpoint: Endpoint) -> Endpoint:
    state = st.session_state
    effort: ReasoningEffort | None = None if state["judge_effort"] == NOT_SET else state["judge_effort"]
    return replace(
        endpoint,
        reasoning_effort=None if endpoint.protocol is Protocol.MEDLY else effort,
        temperature=None if endpoint.protocol is Protocol.GAOKAO else state["judge_temperature"],
        seed=state["judge_seed"],
        max_tokens=state["judge_max_tokens"],
        samples=state["judge_samples"] or 1,
        at_once=state["judge_at_once"] or 1,
        reading=state["judge_reading"] if state["judge_reading"] in READINGS else "direct",
        without_ruling=bool(state["judge_without_ruling"]),
    )


def _number(label: str, key: str, step: float, *, disabled: bool = False, help: str | None = None) -> None:
    _, least, most = LIMITS[key]
    whole = isinstance(step, int)
    st.number_input(
        label,
        least if whole else float(least),
        most if whole else float(most),
        value=None,
        step=step,
        format=None if whole else "%.2f",
        key=key,
        placeholder=NOT_SET,
        disabled=disabled,
        help=help,
        width=175,
    )

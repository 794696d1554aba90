"""Which judges a trial compares, and in which variants: prompt, examples, effort, samples, mark scheme, twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import streamlit as st

from components.judge.llm import Protocol
from components.judge.llm.endpoint import ReasoningEffort
from components.widgets.figures import plain
from components.workflow.connections import Connections
from components.workflow.exemplars import MOST_SHOTS
from components.workflow.trial.arms import ArmChoice, Variants, choices
from pages.pilot import trial_words
from pages.pilot.judge_words import capital
from pages.shared import guard
from storage import Store, judges
from storage.judges import StoredJudge

OWN = "as the judge has it"
EFFORTS: list[str] = [OWN, *get_args(ReasoningEffort)]
SAMPLES = (1, 3, 5)
WITH, WITHOUT = "with it", "without it"


def choose_arms(store: Store, connections: Connections, about: str = "trial") -> list[ArmChoice]:
    """The arms: each chosen judge in every chosen variant. `about` tells apart what is chosen in several places."""
    with store.read() as db:
        listed = {
            judge.id: judge
            for judge in judges.listed(db)
            if judge.kind != judges.OBJECTIVE and (connections.connected(judge) or judge.kind == judges.IMPORTED)
        }
    chosen = st.multiselect(
        "Judges",
        list(listed),
        format_func=lambda each: listed[each].name,
        placeholder="Choose the judges to compare",
        key=f"{about}_judges",
    )
    if not any(judge.kind == judges.LLM for judge in listed.values()):
        st.info(trial_words.NO_MODEL)
    st.page_link(guard.PAGES_FOLDER / "pilot/judges.py", label="Connect another", icon=":material/smart_toy:")
    return [arm for judge_id in chosen for arm in choices(listed[judge_id], _variants(listed[judge_id], about))]


def _variants(judge: StoredJudge, about: str) -> Variants:
    if judge.kind == judges.IMPORTED:
        st.caption(f"**{plain(judge.name)}**: its imported marks are compared as they are; nothing is asked.")
        return Variants()
    with st.container(border=True):
        st.markdown(f"**{plain(judge.name)}**")
        if judge.kind == judges.OFFLINE:
            strict = not judge.settings and st.toggle(
                "Also one that wants exact words", key=f"{about}_exact_{judge.id}", value=False
            )
            return Variants(exact=strict)
        return _of_model(judge, about)


def _of_model(judge: StoredJudge, about: str) -> Variants:
    own = Protocol(judge.settings.get("protocol", Protocol.FULL))
    with st.container(horizontal=True):
        protocols = st.pills(
            "Prompts",
            list(Protocol),
            default=[own],
            selection_mode="multi",
            format_func=lambda each: capital(each.named),
            key=f"{about}_protocols_{judge.id}",
            wrap=True,
        )
        criteria = st.pills(
            "Mark scheme",
            [WITH, WITHOUT],
            default=[WITH],
            selection_mode="multi",
            format_func=capital,
            key=f"{about}_criteria_{judge.id}",
            wrap=True,
            help="Without it the judge sees question, model answer and maximum alone, as GAOKAO-Bench compares.",
        )
        twice = st.toggle(
            "Ask everything twice",
            key=f"{about}_twice_{judge.id}",
            help="How far the judge agrees with itself. The second time is asked and paid for anew.",
        )
    with st.container(horizontal=True):
        shots = st.pills(
            "Examples",
            list(range(MOST_SHOTS + 1)),
            default=[0],
            selection_mode="multi",
            key=f"{about}_shots_{judge.id}",
            wrap=True,
            help="Marked responses to the same question that the model is shown. Our own prompt alone has a place for "
            "them.",
        )
        grading = st.toggle(
            "With the grading process",
            value=True,
            key=f"{about}_grading_{judge.id}",
            disabled=not any(shots),
            help="Which points the teacher gave, and why. Never shown where the mark scheme is withheld.",
        )
    with st.container(horizontal=True):
        efforts = st.multiselect(
            "Reasoning effort", EFFORTS, default=[OWN], key=f"{about}_efforts_{judge.id}", width=320
        )
        samples = st.pills(
            "Samples",
            list(SAMPLES),
            default=None,
            selection_mode="multi",
            key=f"{about}_samples_{judge.id}",
            wrap=True,
            help="How many times it is asked for one mark; the middle one counts. Nothing chosen: as the judge has it.",
        )
    return Variants(
        protocols=_or(protocols, own),
        efforts=_efforts(efforts),
        samples=list(samples) or [None],
        shots=sorted(shots) or [0],
        grading=grading,
        criteria=[each == WITH for each in criteria] or [True],
        times=2 if twice else 1,
    )


def _or(chosen: Sequence[Protocol], own: Protocol) -> list[Protocol | None]:
    return [None if each is own else each for each in chosen] or [None]


def _efforts(chosen: Sequence[str]) -> list[ReasoningEffort | None]:
    known: dict[str, ReasoningEffort | None] = {OWN: None, **{each: each for each in get_args(ReasoningEffort)}}
    return [known[each] for each in chosen if each in known] or [None]

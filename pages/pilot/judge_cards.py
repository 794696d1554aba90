"""The judges as cards: what each is, whether it can be asked, and what may be done with it."""

from __future__ import annotations

import streamlit as st

from components.judge.llm import Protocol
from components.marking import Marker
from components.widgets.figures import count, plain
from components.workflow.connections import endpoint_of
from pages.pilot import judge_form, judge_report, judge_words
from pages.pilot.judge_knowledge import judge_knowledge
from pages.shared.desk_services import services
from storage import events, exams, judges
from storage.judges import StoredJudge

BUILT_IN = (judges.OBJECTIVE, judges.OFFLINE)
LINE_BREAK = "  \n"


def judge_cards(marker: Marker) -> None:
    """A card for each judge, then those that are retired."""
    with services().store.read() as db:
        listed, retired = judges.listed(db), judges.retired(db)
        used: dict[int, list[str]] = {}
        for exam in exams.listed(db):
            if exam.judge_id is not None:
                used.setdefault(exam.judge_id, []).append(exam.title)
        known = {
            judge.id: judges.capabilities(db, judge.settings["base_url"], judge.model)
            for judge in listed
            if judge.kind == judges.LLM
        }
    for judge in listed:
        with st.container(border=True, key=f"judge_card_{judge.id}"):
            _head(judge)
            if judge.kind != judges.LLM:
                st.caption(judge_words.what(judge))
            else:
                st.caption(_about(judge))
                st.markdown(plain(judge_words.takes(known[judge.id])))
                judge_knowledge(services().store, judge.id)
            if judge.kind not in BUILT_IN:
                _buttons(judge, used.get(judge.id, []), marker)
    if retired:
        _retired(retired, used, marker)


def _head(judge: StoredJudge) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{plain(judge.name)}**", width="content")
        if judge.kind in BUILT_IN:
            st.badge("Built in", color="gray")
        elif judge.kind == judges.IMPORTED:
            st.badge("Imported", color="gray")
        elif services().connections.connected(judge):
            st.badge("Connected", color="green", icon=":material/check:")
        else:
            st.badge("Not connected", color="orange", icon=":material/link_off:")


def _about(judge: StoredJudge) -> str:
    """A language model's card in words, as Markdown, a line each."""
    protocol = Protocol(judge.settings.get("protocol", Protocol.FULL))
    lines = [
        f"The language model {judge.model} at {judge.settings['base_url']}.",
        judge_words.prompt(protocol),
        judge_words.how_asked(judge),
        judge_words.key_words(judge.settings),
    ]
    if not services().connections.connected(judge):
        lines.append("Not connected since the server started. Connect it again to ask it for more.")
    return LINE_BREAK.join(plain(line) for line in lines)


def _buttons(judge: StoredJudge, exam_titles: list[str], marker: Marker) -> None:
    place = f"judge {judge.id}"
    connected = services().connections.llm(judge.id)
    with st.container(horizontal=True):
        if connected is not None:
            st.button(
                "Test",
                key=f"test_{judge.id}",
                icon=":material/network_check:",
                help="Sends a sample question and answer to the model now, which costs one reply.",
                disabled=judge_report.under_way(place, marker.id),
                on_click=judge_report.begin,
                args=(place, marker.id, connected.endpoint),
            )
        elif judge.kind == judges.LLM:
            st.button(
                "Connect again",
                key=f"again_{judge.id}",
                icon=":material/link:",
                help="Fills the form below with its settings and its name, for you to give the key.",
                on_click=judge_form.fill,
                args=(judge, judge.name),
            )
        if judge.kind == judges.LLM:
            st.button(
                "Duplicate",
                key=f"duplicate_{judge.id}",
                icon=":material/content_copy:",
                help="Fills the form below with its settings, for you to change some of them.",
                on_click=judge_form.fill,
                args=(judge,),
            )
        with st.popover("Retire", icon=":material/archive:", key=f"retire_popover_{judge.id}"):
            st.markdown(plain(_what_retiring_means(exam_titles)))
            st.button(
                "Retire this judge", key=f"retire_{judge.id}", type="primary", on_click=_retire, args=(judge, marker)
            )
    if judge.kind == judges.LLM:
        endpoint = endpoint_of(judge, "") if connected is None else connected.endpoint
        judge_report.show(place, marker.id, endpoint)


def _what_retiring_means(exam_titles: list[str]) -> str:
    said = "A retired judge is no longer offered. What it has proposed stays, named after it."
    if exam_titles:
        said += f" {count(len(exam_titles), 'exam')} ({', '.join(exam_titles)}) will go on showing its proposals."
    return f"{said} You can bring it back."


def _retire(judge: StoredJudge, marker: Marker) -> None:
    with services().store.write() as db:
        judges.retire(db, judge.id)
        events.log(db, "judge retired", f"judge {judge.id}", {"name": judge.name}, marker.id)
    st.session_state["judges_notice"] = f"{judge.name} is retired. You find it under the judges."


def _bring_back(judge: StoredJudge, marker: Marker) -> None:
    with services().store.write() as db:
        judges.unretire(db, judge.id)
        events.log(db, "judge brought back", f"judge {judge.id}", {"name": judge.name}, marker.id)
    st.session_state["judges_notice"] = f"{judge.name} is back."


def _retired(retired: list[StoredJudge], used: dict[int, list[str]], marker: Marker) -> None:
    with st.expander(f"Retired: {count(len(retired), 'judge')}", key="retired_judges"):
        for judge in retired:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"**{plain(judge.name)}**", width="content")
                if titles := used.get(judge.id):
                    st.caption(f"Still shown on {plain(', '.join(titles))}", width="content")
                st.button(
                    "Bring back",
                    key=f"bring_back_{judge.id}",
                    icon=":material/unarchive:",
                    on_click=_bring_back,
                    args=(judge, marker),
                )

"""The agreement page's filters: which part of the exam is looked at, kept in the address."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

import streamlit as st

from components.marking import Marker, QuestionType, Role, Stage
from components.widgets.figures import plain
from components.workflow.agreement.selection import Selection
from pages.department import agreement_address
from pages.department.agreement_address import HANDS, STAGES, Offered, Place, Query
from pages.shared.guard import LEADS
from storage import Store, exams

NO_EXAM = "There is no exam whose agreement could be shown. Restore the demo exam or import a table of responses."
STAGE_WORDS = {Stage.BLIND: "marked blind here", Stage.IMPORTED: "imported marks"}
TYPE_WORDS = {
    QuestionType.SINGLE_CHOICE: "single choice",
    QuestionType.MULTIPLE_CHOICE: "several choices",
    QuestionType.NUMERIC: "numeric",
    QuestionType.SHORT: "short answer",
    QuestionType.WORKING: "working",
    QuestionType.LEVELS: "levels",
    QuestionType.ESSAY: "essay",
}

state = st.session_state


def choose_part(store: Store, viewer: Marker) -> tuple[Offered, Selection]:
    """The exam and, in a popover, the part of it that is looked at; below, each filter that is set, to take it away.

    They are as a link says, else as they were left; without either, the exam is the one being marked.
    """
    with store.read() as db:
        titles = {exam.id: exam.title for exam in reversed(exams.listed(db))}
    if not titles:
        st.info(NO_EXAM, title="Nothing here yet")
        st.page_link("pages/department/exams.py", label="Go to exams", icon=":material/description:")
        st.stop()
    _recall(store, titles, viewer)
    with st.container(horizontal=True, vertical_alignment="bottom", key="agreement_toolbar"):
        exam_id: int = st.selectbox(
            "Exam", list(titles), format_func=titles.__getitem__, key="agreement_exam", width=300
        )
        choices = agreement_address.offered(store, exam_id, viewer)
        with st.popover("Filters", icon=":material/filter_list:"):
            selection = _boxes(choices, viewer)
    _pills(selection, choices)
    return choices, selection


def _pills(selection: Selection, choices: Offered) -> None:
    chosen = _chosen(selection, choices)
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", key="agreement_filters"):
        for words, key, value in chosen:
            st.button(
                plain(words),
                key=f"agreement_drop_{key}_{value}",
                icon=":material/close:",
                help="Take this filter away",
                on_click=_drop,
                args=(key, value),
            )
        if len(chosen) > 1:
            st.button("Clear filters", type="tertiary", on_click=_clear, args=(choices,))


def write_address(place: Place, viewer: Marker) -> None:
    """Keep the place in the address, for links and for reloads."""
    address = agreement_address.write(place, viewer)
    if _address() != address:
        st.query_params.from_dict(address)
    state["agreement_address"] = address


def key_of(name: str, exam_id: int) -> str:
    """A box is an exam's own: another exam has other questions, judges and groups."""
    return f"agreement_{name}_{exam_id}"


def _recall(store: Store, titles: Mapping[int, str], viewer: Marker) -> None:
    address, left = _address(), state.get("agreement_address")
    if address and address != left:
        _set(store, titles, address, viewer)
    elif state.get("agreement_exam") not in titles:
        # Just opened, or its exam is gone. Streamlit forgets a page's boxes while another page is open.
        marked = state.get("exam_id")
        elsewhere = marked in titles and (left is None or left["exam"] != [str(marked)])
        _set(store, titles, {"exam": [str(marked)]} if elsewhere else (left or {}), viewer)


def _set(store: Store, titles: Mapping[int, str], address: Query, viewer: Marker) -> None:
    """Put into the boxes what an address says."""
    linked = address.get("exam", [""])[-1]
    exam_id = next((each for each in titles if str(each) == linked), None) or _other(titles)
    place = agreement_address.read(
        address if str(exam_id) == linked else {}, agreement_address.offered(store, exam_id, viewer), viewer
    )
    state["agreement_exam"], state["agreement_view"] = exam_id, place.view
    chosen = place.selection
    hand = next((name for name, hand in HANDS.items() if hand == chosen.handwritten), None)
    boxes: dict[str, Any] = {
        "at": place.at,
        "questions": list(chosen.questions),
        "aos": list(chosen.aos),
        "types": list(chosen.types),
        "judge": chosen.judge_id,
        "marker": chosen.marker_id,
        "stage": chosen.stage,
        "answers": hand,
        "from": chosen.since,
        "to": chosen.until,
        **{_group_box(name): value for name, value in chosen.groups},
    }
    for key in [key for key in state if str(key).startswith("agreement_") and str(key).endswith(f"_{exam_id}")]:
        del state[key]
    for name, value in boxes.items():
        if value not in (None, []):
            state[key_of(name, exam_id)] = value


def _other(titles: Mapping[int, str]) -> int:
    marked = state.get("exam_id")
    return marked if marked in titles else max(titles)


def _address() -> Query:
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _boxes(choices: Offered, viewer: Marker) -> Selection:
    exam_id = choices.exam_id
    several = _several(exam_id)
    one = _one(exam_id)
    questions = several("Questions", "questions", choices.questions, str)
    aos = several("Assessment objectives", "aos", choices.aos, str) if choices.aos else []
    types = several("Types of question", "types", choices.types, TYPE_WORDS.__getitem__)
    whose = "Marker" if viewer.role is Role.HEAD else "Whose marks"
    with st.grid(2, min_column_width=140):
        judge = one("Judge", "judge", tuple(choices.judges), choices.judges.__getitem__, "on the desk")
        marker = one(whose, "marker", tuple(choices.markers), choices.markers.__getitem__, "everyone")
        stage = one("Teacher's mark", "stage", STAGES, STAGE_WORDS.__getitem__, "any")
        hand = one("Answers", "answers", tuple(HANDS), str, "any")
        # Filters that leave a few responses would tell a teacher what the AI gave one they may still mark blind.
        narrow = viewer.role in LEADS or marker == viewer.id
        groups = [
            (name, one(name[:1].upper() + name[1:], _group_box(name), values, str, "all"))
            for name, values in (choices.groups.items() if narrow else ())
        ]
    since, until = _days(exam_id) if narrow else (None, None)
    return Selection(
        exam_id,
        tuple(questions),
        tuple(aos),
        tuple(types),
        judge,
        marker,
        stage,
        None if hand is None else HANDS[hand],
        since,
        until,
        tuple((name, value) for name, value in groups if value is not None),
    )


def _several(exam_id: int) -> Callable[..., list[Any]]:
    def box(label: str, name: str, options: Sequence[Any], words: Callable[[Any], str]) -> list[Any]:
        key = key_of(name, exam_id)
        state[key] = [each for each in state.get(key, []) if each in options]
        return st.multiselect(label, options, format_func=words, key=key, placeholder="all")

    return box


def _one(exam_id: int) -> Callable[..., Any]:
    def box(label: str, name: str, options: Sequence[Any], words: Callable[[Any], str], nothing: str) -> Any:
        key = key_of(name, exam_id)
        if state.get(key) not in options:
            state[key] = None
        return st.selectbox(
            label, options, index=None, format_func=words, key=key, placeholder=nothing, disabled=not options
        )

    return box


def _days(exam_id: int) -> tuple[date | None, date | None]:
    left, right = st.columns(2)
    keys = key_of("from", exam_id), key_of("to", exam_id)
    for key in keys:
        state.setdefault(key, None)
    about = "The day a teacher gave the mark, by UTC. Both days are included."
    since = left.date_input("From", key=keys[0], help=about, format="DD/MM/YYYY")
    until = right.date_input("To", key=keys[1], help=about, format="DD/MM/YYYY")
    if since and until and since > until:
        st.caption(":orange[The first day is after the last, so the days are not used.]")
        return None, None
    return since, until


def _chosen(selection: Selection, choices: Offered) -> list[tuple[str, str, Any]]:
    """Each filter in words, with the box it stands in and its value there."""
    found: list[tuple[str, str, Any]] = [
        *((f"Question {number}", "questions", number) for number in selection.questions),
        *((ao, "aos", ao) for ao in selection.aos),
        *((TYPE_WORDS[each], "types", each) for each in selection.types),
    ]
    if selection.judge_id is not None:
        found.append((choices.judges[selection.judge_id], "judge", None))
    if selection.marker_id is not None:
        found.append((choices.markers[selection.marker_id], "marker", None))
    if selection.stage is not None:
        found.append((STAGE_WORDS[selection.stage], "stage", None))
    if selection.handwritten is not None:
        found.append(("handwritten" if selection.handwritten else "typed", "answers", None))
    found += [(f"{name} {value}", _group_box(name), None) for name, value in selection.groups]
    for words, key, day in (("from", "from", selection.since), ("to", "to", selection.until)):
        if day is not None:
            found.append((f"{words} {day.day} {day:%b %Y}", key, None))
    return [(words, key_of(name, choices.exam_id), value) for words, name, value in found]


def _drop(key: str, value: Any) -> None:
    state[key] = None if value is None else [each for each in state[key] if each != value]


def _clear(choices: Offered) -> None:
    for name in ("questions", "aos", "types"):
        state[key_of(name, choices.exam_id)] = []
    for name in ("judge", "marker", "stage", "answers", "from", "to", *map(_group_box, choices.groups)):
        state[key_of(name, choices.exam_id)] = None


def _group_box(name: str) -> str:
    return f"group.{name}"

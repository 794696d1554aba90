"""A head of department's choice of the responses of a question that language models are shown as examples."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from sqlite_utils import Database

from components.marking import Marker, MarkError, format_mark
from components.widgets.figures import count, plain
from pages.shared import guard
from pages.shared.desk_services import services
from storage import standardisation
from storage.exams import StoredQuestion
from storage.standardisation import Decided

MOST_LISTED = 200
EXCERPT = 120


def standardisation_popover(question: StoredQuestion, marker: Marker) -> None:
    """The question's examples, to choose and to drop, read only when opened. Not there for a teacher."""
    if marker.role not in guard.LEADS:
        return
    opened = st.popover(
        "Standardisation", icon=":material/school:", key=f"standardisation_{question.id}", on_change="rerun"
    )
    if opened.open:
        with opened:
            _show(question.id, marker)


def _show(question_id: int, marker: Marker) -> None:
    st.caption("Shown to a language model as examples of your standard, before any other.")
    if said := st.session_state.pop(_said_key(question_id), ""):
        st.error(plain(said))
    find_key = f"standardisation_find_{question_id}"
    wanted = st.session_state.get(find_key, "").strip()
    with services().store.read() as db:
        listed, others = standardisation.decided(db, question_id, MOST_LISTED, wanted)
    chosen = sum(response.chosen for response in listed)
    st.markdown(f"**{count(chosen, 'response')} chosen**")
    if others > MOST_LISTED or wanted:
        st.text_input("Find a candidate number", key=find_key)
    if not others and not chosen:
        found = f"No other marked response is by a candidate whose number holds “{plain(wanted)}”."
        st.info(found if wanted else "No response of this question has a teacher's mark yet. Mark some first.")
        return
    selected = _table(question_id, listed)
    if others > MOST_LISTED:
        st.caption(f"The first {MOST_LISTED:,} of {others:,} marked responses. Find others by candidate number.")
    with st.container(horizontal=True):
        _button("Choose", standardisation.choose, question_id, [r for r in selected if not r.chosen], marker)
        _button("Drop", standardisation.drop, question_id, [r for r in selected if r.chosen], marker)


def _table(question_id: int, listed: list[Decided]) -> list[Decided]:
    """The responses that are ticked, in the order they were ticked."""
    # Rows are ticked by their place: another list under them must be another table, or others would be ticked.
    version = hash(tuple((response.response_id, response.chosen) for response in listed))
    shown = st.dataframe(
        [
            {
                "Chosen": str(place) if response.chosen else "",
                "Candidate": response.candidate_number,
                "Mark": format_mark(response.mark),
                "Answer": _excerpt(response.text),
            }
            for place, response in enumerate(listed, 1)
        ],
        key=f"standardisation_rows_{question_id}_{version}",
        on_select="rerun",
        selection_mode="multi-row",
        hide_index=True,
        height=300 if len(listed) > 8 else "content",
        width=640,
        alt="Responses with a teacher's mark: their place among those chosen, candidate, mark, start of the answer.",
        column_config={
            "Chosen": st.column_config.TextColumn(width=70),
            "Candidate": st.column_config.TextColumn(width=90),
            "Mark": st.column_config.TextColumn(width=60),
        },
    )
    return [listed[row] for row in shown.selection.rows if row < len(listed)]


def _excerpt(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT else line[: EXCERPT - 1].rstrip() + "…"


def _button(
    label: str, do: Callable[[Database, int, int], None], question_id: int, ticked: list[Decided], marker: Marker
) -> None:
    st.button(
        label,
        key=f"standardisation_{label}_{question_id}",
        disabled=not ticked,
        on_click=_each,
        args=(do, question_id, [response.response_id for response in ticked], marker.id),
        help=f"Tick responses in the table, then press to {label.lower()} them.",
    )


def _each(do: Callable[[Database, int, int], None], question_id: int, response_ids: list[int], marker_id: int) -> None:
    said = []
    with services().store.write() as db:
        for response_id in response_ids:
            try:
                do(db, response_id, marker_id)
            except MarkError as error:
                said.append(str(error))
    st.session_state[_said_key(question_id)] = " ".join(said)


def _said_key(question_id: int) -> str:
    return f"standardisation_said_{question_id}"

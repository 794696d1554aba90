"""The lists of the review page: what waits, in its order, and what has been settled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from components.marking import Marker, Outcome, Role, format_mark
from components.workflow.review.queue import MOST_LISTED, Entry, Review
from pages.shared.clock import moment_text
from storage.rulings import Settled

TALLEST = 282  # pixels; seven rows

WIDTHS = {"": 40, "Question": 90, "Candidate": 100, "Apart": 80, "Grade": 90, "Gave": 90, "When": 110}

OnChoice = Callable[[int], None]


def waiting_list(found: Review, marker: Marker, *, hide: bool, choose: OnChoice) -> None:
    """What waits as a table whose rows open. With `hide`, it tells nothing of marks, grades or flags."""
    rows = [_waiting_row(place, entry, marker, hide) for place, entry in enumerate(found.entries, 1)]
    _table(rows, [entry.waiting.response_id for entry in found.entries], "review_waiting", choose)
    if found.waiting > len(rows):
        st.caption(f"The first {MOST_LISTED} of {found.waiting:,}; the others follow as these are settled.")


def settled_list(settled: Sequence[Settled], marker: Marker, choose: OnChoice) -> None:
    """What has been settled, the newest first: who, when, what they gave and why, and what stands."""
    rows = [
        {
            "Question": each.question,
            "Candidate": each.candidate,
            "Gave": _gave(each),
            "What stands": stands_text(each),
            "Reason": each.reason,
            "Who": each.marker_name if marker.role is Role.HEAD else "a head of department",
            "When": moment_text(each.created_at),
            "Other marks": "hidden" if each.marks_hidden else "in view" if each.outcome else "",
        }
        for each in settled
    ]
    _table(rows, [each.response_id for each in settled], "review_settled", choose)
    if len(rows) == MOST_LISTED:
        st.caption(f"The newest {MOST_LISTED}.")


def stands_text(each: Settled) -> str:
    """The final mark and whose it is."""
    if each.final_outcome is None:
        return "no mark"
    final = "no response" if each.final_outcome is Outcome.NO_RESPONSE else format_mark(each.final_mark)
    if each.outcome is None:
        return f"{final}, as marked"
    if not each.by_adjudicator:
        return f"{final}, the teacher's"
    return f"{final}, the mean" if each.mark != each.final_mark else final


def _gave(each: Settled) -> str:
    if each.outcome is None:
        return "flag settled"
    return "no response" if each.outcome is Outcome.NO_RESPONSE else format_mark(each.mark)


def _waiting_row(place: int, entry: Entry, marker: Marker, hide: bool) -> dict[str, Any]:
    each = entry.waiting
    row: dict[str, Any] = {"": place, "Question": each.question, "Candidate": each.candidate}
    if hide:
        return row
    return row | {
        "Apart": f"{each.gap:g} of {each.max_mark:g}" if each.disputed and each.gap is not None else "",
        "Grade": f"{entry.grades[1]} or {entry.grades[0]}" if entry.grades else "",
        "Flag": _flag_text(entry, marker),
    }


def _flag_text(entry: Entry, marker: Marker) -> str:
    if entry.flag is None:
        return ""
    who = entry.flag.marker_name if marker.role is Role.HEAD else "a teacher"
    return f"{entry.flag.text + ' · ' if entry.flag.text else ''}{who}, {moment_text(entry.flag.created_at)}"


def _table(rows: list[dict[str, Any]], ids: list[int], key: str, choose: OnChoice) -> None:
    def chosen() -> None:
        selected = st.session_state[key].selection.rows
        if selected and selected[0] < len(ids):
            choose(ids[selected[0]])

    st.dataframe(
        rows,
        key=key,
        hide_index=True,
        height=min(TALLEST, 36 * (len(rows) + 1) + 2),
        column_config={name: st.column_config.Column(width=width) for name, width in WIDTHS.items()},
        selection_mode="single-row",
        on_select=chosen,
    )

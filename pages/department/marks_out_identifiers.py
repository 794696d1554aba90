"""By what another system knows the candidates: their numbers, a list given for this session, or the key of names."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from components.marking import Marker, MarkError, Role
from components.widgets.figures import count, plain
from components.workflow.marks_out.identifiers import Identifiers, key_columns, pasted_identifiers, read_identifiers
from components.workflow.marks_out.in_words import listed
from components.workflow.marks_out.totals import ExamTotals
from storage import Store, pseudonyms

NUMBERS, A_LIST, THE_KEY = "Their candidate numbers", "A list of mine", "The key of names"
LARGEST_MB = 5

state = st.session_state


def choose_identifiers(store: Store, viewer: Marker, totals: ExamTotals) -> Mapping[str, str] | None:
    """Identifiers by candidate number; None where the numbers themselves serve."""
    exam_id = totals.exam.id
    with store.read() as db:
        has_key = viewer.role is Role.HEAD and pseudonyms.count(db, exam_id) > 0
    way = st.segmented_control(
        "The other system knows candidates by",
        [NUMBERS, A_LIST, *([THE_KEY] if has_key else [])],
        default=NUMBERS,
        required=True,
        key=f"marks_out_by_{exam_id}",
    )
    if way == THE_KEY:
        return _from_key(store, viewer, exam_id)
    if way == A_LIST:
        return _from_list(totals)
    return None


def _from_key(store: Store, viewer: Marker, exam_id: int) -> Mapping[str, str]:
    found = key_columns(store, exam_id, viewer)
    heading = st.selectbox("Column of the key", list(found), key=f"marks_out_key_{exam_id}", width=300)
    st.caption("The file then says who the candidates are. Keep it where only those may read it who know them anyway.")
    return found[heading] if heading is not None else {}


def _from_list(totals: ExamTotals) -> Mapping[str, str]:
    """A pasted or uploaded list. It lies in the session alone, under a key that outlives the box's own."""
    exam_id = totals.exam.id
    kept = f"marks_out_list_{exam_id}"
    candidates = [script.candidate for script in totals.scripts]
    state.setdefault(f"{kept}_box", state.get(kept, ""))
    text = st.text_area(
        "Candidate number and identifier, one candidate a line",
        placeholder="0417, a.jones@school.example\n0418, b.khan@school.example",
        height=140,
        max_chars=200_000,
        key=f"{kept}_box",
        help="With a comma, semicolon or tab between: two columns copied out of a spreadsheet will do.",
    )
    state[kept] = text
    upload = st.file_uploader(
        "Or a file with these two columns (CSV or XLSX)",
        type=["csv", "tsv", "txt", "xlsx"],
        max_upload_size=LARGEST_MB,
        key=f"{kept}_file",
    )
    st.caption("The list stays in this browser session and is not stored.")
    try:
        if upload is not None:
            found = read_identifiers(upload.name, upload.getvalue(), candidates)
        elif text.strip():
            found = pasted_identifiers(text, candidates)
        else:
            return {}
    except MarkError as error:
        st.error(plain(str(error)), title="The list cannot be used")
        return {}
    _say(found)
    return found.by_candidate


def _say(found: Identifiers) -> None:
    st.caption(f"{count(len(found.by_candidate), 'candidate')} found in the list.")
    if found.unknown:
        st.caption(plain(f"Not in this exam, and passed over: {listed(found.unknown)}."))

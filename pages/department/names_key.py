"""The key of names: who stands behind an exam's candidate numbers, for heads of department."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import streamlit as st

from components.intake.report import defused
from components.marking import Marker, Role
from components.widgets.figures import count
from pages.shared.desk_services import services
from storage import Store, pseudonyms
from storage.exams import Exam
from storage.pseudonyms import Known


def names_key(store: Store, exam: Exam, marker: Marker) -> None:
    """A popover with the exam's key, where it has one and the marker is a head of department."""
    if marker.role is not Role.HEAD:
        return
    with store.read() as db:
        known = pseudonyms.count(db, exam.id)
    if not known:
        return
    shown = st.popover("Key of names", icon=":material/key:", key=f"key_{exam.id}", on_change="rerun")
    if not shown.open:
        return
    with store.read() as db:
        people = pseudonyms.of_exam(db, exam.id)
    with shown:
        if st.session_state.get(_asked(exam.id)):
            _ask_again(exam, marker, len(people))
            return
        st.write(
            f"Who stands behind {count(len(people), 'candidate number')}. Heads of department alone see it. It never "
            "goes to a judge or into an evidence pack, and into marks out only where a head of department asks for it."
        )
        st.dataframe(
            {
                "Candidate": [each.number for each in people],
                "Name": [each.name for each in people],
                "E-mail": [each.email for each in people],
            },
            hide_index=True,
            height=300 if len(people) > 8 else "content",
            alt="The key: candidate number, name and e-mail address.",
        )
        st.download_button(
            "Download the key",
            lambda: key_csv(people),
            file_name=f"{exam.title} key of names.csv",
            mime="text/csv",
            icon=":material/download:",
            on_click="ignore",
            key=f"key_csv_{exam.id}",
        )
        st.caption(
            "Once it is dropped nobody can say from here whose answers these are, and a later file with names and no "
            "candidate numbers can no longer be added to this exam. Backups of the data folder may still hold it."
        )
        st.button(
            "Drop the key",
            key=f"key_drop_{exam.id}",
            icon=":material/delete_forever:",
            on_click=st.session_state.__setitem__,
            args=(_asked(exam.id), True),
        )


def key_csv(people: Sequence[Known]) -> bytes:
    """The key as a CSV file that spreadsheets read as UTF-8, formulas defused."""
    headings = list(dict.fromkeys(heading for each in people for heading, _ in each.other))
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(["candidate", "name", "e-mail", *map(defused, headings)])
    for each in people:
        other = dict(each.other)
        cells = (each.number, each.name, each.email, *(other.get(heading, "") for heading in headings))
        writer.writerow([defused(cell) for cell in cells])
    return out.getvalue().encode("utf-8-sig")


def _asked(exam_id: int) -> str:
    """Where in the session's state it stands that a first press was made: a second drops, as that cannot be undone."""
    return f"key_asked_{exam_id}"


def _ask_again(exam: Exam, marker: Marker, names: int) -> None:
    st.warning(f"{count(names, 'name')} will be deleted for good. This cannot be undone.")
    with st.container(horizontal=True):
        st.button(
            "Drop it for good",
            key=f"key_dropped_{exam.id}",
            type="primary",
            icon=":material/delete_forever:",
            on_click=_drop,
            args=(exam.id, exam.title, marker),
        )
        st.button("Keep it", key=f"key_kept_{exam.id}", on_click=st.session_state.pop, args=(_asked(exam.id), None))


def _drop(exam_id: int, title: str, marker: Marker) -> None:
    store = services().store
    st.session_state.pop(_asked(exam_id), None)
    with store.write() as db:
        dropped = pseudonyms.drop(db, exam_id, marker.id)
    emptied = store.empty_log()
    late = "" if emptied else " The database was in use: they leave its log on disk when the app is next at rest."
    st.session_state["exams_notice"] = f"The key of “{title}” is dropped: {count(dropped, 'name')} deleted.{late}"

"""The questions' texts that a form's headings are, into the questions of the exam that have none."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.intake.forms import FormQuestion
from components.intake.question_paper import PaperText
from components.marking import Marker, Role
from components.widgets.figures import count, plain
from components.workflow.exam_setup.read_papers import heading_texts
from storage import Store

_SHOWN = 6
_LONGEST = 160


def offer_texts(
    store: Store, marker: Marker, exam_id: int | None, questions: Sequence[FormQuestion], about: str
) -> dict[str, PaperText]:
    """By the exam's numbers, the texts to fill in; none where the teacher does not want it or there are none."""
    if exam_id is None or marker.role is not Role.HEAD:
        return {}
    found = heading_texts(store, exam_id, {each.number: each.text for each in questions})
    if not found:
        return {}
    wanted = st.checkbox(
        f"Fill in the text of {count(len(found), 'question')} of the exam that {'has' if len(found) == 1 else 'have'} "
        "none, from the file's headings",
        value=True,
        key=f"import_texts_{about}_{exam_id}",
        help="A text that is there is never changed. Undoing the import leaves the texts.",
    )
    shown = list(found.items())[:_SHOWN]
    for number, text in shown:
        words = " ".join(text.text.split())
        st.caption(f"{plain(number)}: {plain(words[:_LONGEST])}{'…' if len(words) > _LONGEST else ''}")
    if len(found) > len(shown):
        st.caption(f"and {len(found) - len(shown)} more")
    return found if wanted else {}

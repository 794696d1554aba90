"""Which marks and proposals stand under which version of a mark scheme, and how to bring them up to the newest."""

from __future__ import annotations

import streamlit as st

from components.marking import Marker
from components.widgets.figures import count, plain
from components.workflow.exam_setup import Opened
from pages.department.exam_actions import go_button
from pages.shared import guard
from pages.shared.clock import moment_text
from pages.shared.press import pressed
from storage import Store, exam_setup
from storage.exam_setup import SchemeUse
from storage.exams import Exam
from storage.standings import Filter


def show_versions(store: Store, marker: Marker, exam: Exam, opened: Opened) -> None:
    """What stands under older versions, what the next save will leave behind, and the list of versions."""
    if opened.stored is None:
        return
    with store.read() as db:
        newest, *older = exam_setup.scheme_uses(db, opened.stored.id)
    left_behind = [use for use in older if use.marks or use.proposals]
    if left_behind:
        st.warning(
            "\n\n".join(f"{_under(use)} were given under v{use.version}." for use in left_behind),
            title=f"The mark scheme is now v{newest.version}",
        )
        with st.container(horizontal=True):
            if pressed("Mark again", icon=":material/edit_note:", key=f"again_{opened.stored.id}"):
                st.switch_page(
                    guard.PAGES_FOLDER / "teacher/mark.py",
                    query_params={
                        "exam": str(exam.id),
                        "question": opened.stored.question.number,
                        "show": Filter.OLD_SCHEME if any(use.marks for use in left_behind) else Filter.ALL,
                    },
                )
            if marker.role in guard.LEADS:
                go_button(exam.id, "Ask the judge again", "pilot/runs.py", ":material/play_circle:")
    scheme = opened.checked.scheme
    if (newest.marks or newest.proposals) and scheme is not None and scheme != opened.stored.scheme:
        st.info(
            f"Saving makes v{newest.version + 1} of the mark scheme. {_under(newest)} were given under "
            f"v{newest.version} and keep it."
        )
    if older:
        with st.expander(f"Versions of the mark scheme: {newest.version}", key=f"versions_{opened.stored.id}"):
            for use in (newest, *older):
                by = f" · {plain(use.marker_name)}" if use.marker_name else ""
                st.markdown(f"**v{use.version}** · {moment_text(use.created_at)}{by} · {_under(use)}")


def _under(use: SchemeUse) -> str:
    return f"{count(use.marks, 'mark')} and {count(use.proposals, 'proposal')}"

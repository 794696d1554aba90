"""How complete an exam is, and every script's total in a table."""

from __future__ import annotations

import streamlit as st

from components.marking import format_mark
from components.widgets.figures import count, plain
from components.workflow.marks_out.in_words import completeness, listed, missing_text
from components.workflow.marks_out.mark_book import tidy
from components.workflow.marks_out.totals import ExamTotals, ScriptTotal

LINKS = 5
FEWEST_SCROLLED = 10

state = st.session_state


def show_scripts(totals: ExamTotals) -> None:
    """The sentence, the way to what is missing, and the table."""
    lacking = totals.incomplete
    said = plain(completeness(totals))
    if not totals.scripts:
        st.info(
            f"{said} Answers come in on the Answers page, or with a table on the Exams page.", title="No scripts yet"
        )
        st.page_link("pages/teacher/answers.py", label="Go to answers", icon=":material/draw:")
        return
    if lacking:
        st.warning(said, icon=":material/pending:")
        _links(totals.exam.id, lacking)
    else:
        st.success(said, icon=":material/check_circle:")
    _table(totals)


def _links(exam_id: int, lacking: tuple[ScriptTotal, ...]) -> None:
    """To marking, or to entering answers, for the first few scripts; then to all that is left to mark."""
    with st.container(horizontal=True):
        for script in lacking[:LINKS]:
            waiting = [mark for mark in script.questions if mark.number in script.waiting]
            who = plain(script.candidate)
            if waiting and waiting[0].response_id is not None:
                st.page_link(
                    "pages/teacher/mark.py",
                    label=f"Mark {who}: {plain(listed(script.waiting))}",
                    icon=":material/edit_note:",
                    query_params={"exam": str(exam_id), "response": str(waiting[0].response_id)},
                )
            else:
                st.page_link(
                    "pages/teacher/answers.py",
                    label=f"Enter {who}: {plain(listed(script.absent))}",
                    icon=":material/draw:",
                    query_params={"exam": str(exam_id)},
                )
        if any(script.waiting for script in lacking) and len(lacking) > 1:
            st.page_link(
                "pages/teacher/mark.py",
                label="Mark all that is missing",
                icon=":material/playlist_play:",
                query_params={"exam": str(exam_id)},
            )


def _table(totals: ExamTotals) -> None:
    scripts = totals.scripts
    if totals.incomplete and len(totals.incomplete) < len(scripts):
        wanted = st.segmented_control(
            "Scripts",
            ["All", "Incomplete"],
            default="All",
            required=True,
            key=f"marks_out_show_{totals.exam.id}",
            label_visibility="collapsed",
        )
        scripts = totals.incomplete if wanted == "Incomplete" else scripts
    graded = bool(totals.exam.boundaries)
    st.space("small")  # room for the table's own buttons, which would lie on what is above
    st.dataframe(
        {
            "Candidate": [script.candidate for script in scripts],
            "Total": [tidy(script.total) for script in scripts],
            "Out of": [tidy(script.out_of) for script in scripts],
            "%": [round(script.percent, 1) if script.complete else None for script in scripts],
            **({"Grade": [script.grade or "" for script in scripts]} if graded else {}),
            "Missing": [missing_text(script) for script in scripts],
        },
        hide_index=True,
        placeholder="",
        height=400 if len(scripts) > FEWEST_SCROLLED else "content",
        alt=f"The totals of {count(len(scripts), 'script')}: candidate, total, out of, per cent, what is missing.",
        column_config={
            "Candidate": st.column_config.TextColumn(pinned=True),
            "Total": st.column_config.NumberColumn(format="%g"),
            "Out of": st.column_config.NumberColumn(format="%g"),
            "%": st.column_config.NumberColumn(format="%.1f"),
            "Missing": st.column_config.TextColumn(width="large"),
        },
    )
    if totals.incomplete:
        st.caption("An incomplete script's total is what there is so far; it has no percentage and no grade.")
    whole = [script.total for script in totals.scripts if script.complete]
    if whole:
        mean = sum(whole) / len(whole)
        st.caption(
            f"Complete scripts: {len(whole):,}, from {format_mark(min(whole))} to {format_mark(max(whole))}, "
            f"mean {mean:.1f} of {format_mark(totals.scripts[0].out_of)}."
        )

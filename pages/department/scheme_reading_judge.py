"""Points that a connected judge drafts from the lines no rule understood: labelled, and taken in only where ticked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from components.intake.mark_scheme import PointDraft, QuestionDraft, SourceLine
from components.judge import JudgeStopped
from components.judge.llm import LLMJudge
from components.judge.llm.remedy import NoReply
from components.judge.llm.scheme_lines import LinesDraft, draft_from_lines
from components.marking import format_mark
from components.widgets.figures import count, plain
from pages.department import scheme_reading_rows as rows
from pages.department.scheme_reading_source import line_text
from pages.shared.desk_services import services
from storage import Store, judges
from storage.exams import Exam

state = st.session_state
_DRAFTS = "scheme_reading_drafts"


def with_drafted(
    store: Store, exam: Exam, now: QuestionDraft, lines: Sequence[SourceLine], unread: frozenset[int], key: str
) -> QuestionDraft:
    """The question with those points of a judge's draft that the teacher has ticked.

    Offers the draft where lines of the question were not understood and a judge is connected.
    """
    left = {line.number: line_text(line) for line in lines if line.number in unread}
    if not left:
        return now
    drafts: dict[str, tuple[str, LinesDraft]] = state.setdefault(_DRAFTS, {})
    if key not in drafts:
        found = _judge(store, exam)
        if found is not None:
            _offer(*found, now, left, key)
        return now
    name, draft = drafts[key]
    st.caption(
        f":material/smart_toy: Draft by {plain(name)} ({plain(draft.model)}), not read by rules. "
        f"{draft.tokens_in + draft.tokens_out:,} tokens. Check each point against its line, and tick what is right."
    )
    if not draft.points:
        st.caption("It found no marking point in these lines.")
        return now
    return replace(now, points=(*now.points, *_ticked(draft, now, key)))


def _judge(store: Store, exam: Exam) -> tuple[str, LLMJudge] | None:
    """The connected language model to ask, by name: the exam's own judge if it is one, else the first."""
    with store.read() as db:
        listed = [judge for judge in judges.listed(db) if judge.kind == judges.LLM]
    listed.sort(key=lambda judge: judge.id != exam.judge_id)
    for judge in listed:
        connected = services().connections.llm(judge.id)
        if connected is not None:
            return judge.name, connected
    return None


def _offer(name: str, judge: LLMJudge, now: QuestionDraft, left: dict[int, str], key: str) -> None:
    if not st.button(
        f"Let {plain(name)} draft the rest",
        key=f"{key}_ask",
        icon=":material/smart_toy:",
        help=f"Sends {count(len(left), 'line')} that no rule understood, with the points above, to "
        f"{judge.endpoint.base_url}. Nothing of a candidate is sent. What it drafts is shown as a draft.",
    ):
        return
    read = [f"{point.code} ({format_mark(point.marks)}) {point.text}" for point in now.points]
    most = "not known" if now.max_mark is None else format_mark(now.max_mark)
    try:
        with st.spinner(f"Asking {plain(name)} …"):
            draft = draft_from_lines(judge, now.number, most, read, left)
    except (NoReply, JudgeStopped) as error:
        st.error(plain(str(error)), title="No draft")
        return
    state[_DRAFTS][key] = (name, draft)
    st.rerun()


def _ticked(draft: LinesDraft, now: QuestionDraft, key: str) -> tuple[PointDraft, ...]:
    taken = {point.code for point in now.points} | {group.code for group in now.groups}
    given = []
    for point in draft.points:
        code = point.code
        if not code or code in taken:
            code = next(name for n in range(1, 1000) if (name := f"MP{n}") not in taken)
        taken.add(code)
        given.append({"keep": False, "code": code, "text": point.text, "marks": point.marks, "line": point.line})
    # The codes are settled once: a table whose rows change would forget what was ticked.
    given = state.setdefault(f"{key}_drafted_rows", given)
    changed = st.data_editor(
        pd.DataFrame(given),
        column_config={
            "keep": st.column_config.CheckboxColumn("Take", width=76),
            "code": st.column_config.TextColumn("Code", width=76, max_chars=40),
            "text": st.column_config.TextColumn("What earns it (draft)", width=226),
            "marks": st.column_config.NumberColumn("Marks", min_value=0.0, step=now.mark_step, format="%g", width=82),
            "line": st.column_config.NumberColumn("From line", disabled=True, format="%d", width=90),
        },
        hide_index=True,
        row_height=80,
        height="content",
        key=f"{key}_drafted",
    )
    return rows.with_points(now, changed.to_dict("records")).points

"""Points that a connected judge drafts from the lines no rule understood: labelled, and taken in only where ticked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from components.intake.mark_scheme import PointDraft, QuestionDraft, SourceLine
from components.judge import JudgeStopped
from components.judge.llm import LLMJudge
from components.judge.llm.remedy import NoReply
from components.judge.llm.scheme_lines import LinePoint
from components.marking import Marker, MarkError
from components.widgets.figures import count, plain
from components.workflow.exam_setup.drafted_lines import ahead, ask
from components.workflow.exam_setup.readings import JudgesDraft
from pages.department import scheme_reading_rows as rows
from pages.department.scheme_reading_source import line_text
from pages.pilot.run_words import PRICE_FILE, dollars
from pages.shared.desk_services import services
from pages.shared.press import pressed
from storage import Store, judges
from storage.exams import Exam

state = st.session_state


@dataclass(frozen=True)
class Asking:
    """Who asks, of which exam, and what keeps the draft that comes back."""

    store: Store
    marker: Marker
    exam: Exam
    keep: Callable[[JudgesDraft], None]


def with_drafted(
    asking: Asking,
    now: QuestionDraft,
    lines: Sequence[SourceLine],
    unread: frozenset[int],
    key: str,
    drafted: JudgesDraft | None,
) -> QuestionDraft:
    """The question with those points of a judge's draft that the teacher has ticked.

    Offers the draft where lines of the question were not understood and a judge is connected.
    """
    left = {line.number: line_text(line) for line in lines if line.number in unread}
    if not left:
        return now
    if drafted is None:
        found = _judge(asking.store, asking.exam)
        if found is not None:
            _offer(asking, *found, now, left, key)
        return now
    draft = drafted.draft
    took = f"{draft.tokens_in + draft.tokens_out:,} tokens"
    took += "" if drafted.price is None else f", {plain(dollars(drafted.price))}"
    st.caption(
        f":material/smart_toy: Draft by {plain(drafted.judge)} ({plain(draft.model)}), not read by rules. "
        f"{took}. Check each point against its line, and tick what is right."
    )
    # What was ticked before the page was left is among the points by now.
    there = {point.text for point in now.points}
    points = [point for point in draft.points if point.text not in there]
    if not points:
        st.caption("It found no further marking point in these lines.")
        return now
    return replace(now, points=(*now.points, *_ticked(points, now, key)))


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


def _offer(asking: Asking, name: str, judge: LLMJudge, now: QuestionDraft, left: dict[int, str], key: str) -> None:
    asked = pressed(
        f"Let {plain(name)} draft the rest",
        key=f"{key}_ask",
        icon=":material/smart_toy:",
        help=f"Sends {count(len(left), 'line')} that no rule understood, with the points above, to "
        f"{judge.endpoint.base_url}. Nothing of a candidate is sent. What it drafts is shown as a draft.",
    )
    expected = ahead(judge, now, left)
    if expected.price is None or expected.cap is None:
        st.caption(
            f"About {expected.tokens_in + expected.tokens_out:,} tokens. What they cost is not known: "
            f"{plain(judge.endpoint.model)} is not in {PRICE_FILE}."
        )
    else:
        st.caption(
            f"About {plain(dollars(expected.price))}. A reply that cannot be used is asked for again, but not past "
            f"{plain(dollars(expected.cap))}."
        )
    if not asked:
        return
    try:
        with st.spinner(f"Asking {plain(name)} …"):
            drafted = ask(asking.store, asking.marker, asking.exam.id, name, judge, now, left)
    except (NoReply, JudgeStopped, MarkError) as error:
        st.error(plain(str(error)), title="No draft")
        return
    asking.keep(drafted)
    st.rerun()


def _ticked(points: Sequence[LinePoint], now: QuestionDraft, key: str) -> tuple[PointDraft, ...]:
    taken = {point.code for point in now.points} | {group.code for group in now.groups}
    given = []
    for point in points:
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

"""The responses behind a mark of a chart or a row of a table, with the way to each of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import streamlit as st

from components.marking import Marker, Question, Stage
from components.widgets.figures import count, plain
from components.workflow.agreement.behind import BehindRow, responses_behind
from components.workflow.agreement.figures import Alike, ExamFigures
from pages.shared import guard
from storage import Store, pairs

SHOWN_AT_FIRST = 12
MOST = 100
MOST_PARTS = 60
PERCENT_STEP = 10
STAGE_WORDS = {Stage.BLIND: "marked blind", Stage.IMPORTED: "imported", Stage.AI_FIRST: "proposal in view"}

state = st.session_state


@dataclass(frozen=True)
class Opened:
    """What a reader has opened: every part that is set must hold.

    `ai` and `teacher` are marks, or where `percent`, the tens of per cent of the maximum that a mark is nearest to.
    `third` is that of the scale in which the mean of both lies, `outside` outside tolerance, `since` a moment (UTC,
    ISO 8601), `group` (name, value). `words` are what is said of all this above the list.
    """

    words: str
    question: str | None = None
    ai: float | None = None
    teacher: float | None = None
    percent: bool = False
    third: int | None = None
    outside: bool = False
    confidences: tuple[str, ...] = ()
    since: str | None = None
    stage: Stage | None = None
    kind: str = pairs.AGREEMENT
    group: tuple[str, str] | None = None
    judge_id: int | None = None

    @property
    def key(self) -> str:
        """What a chart carries for it, and gives back when it is clicked."""
        # 0 is a mark, and a third; it is no absence.
        return json.dumps({n: v for n, v in asdict(self).items() if v is not None and v is not False and v != ()})

    @property
    def by_marks(self) -> bool:
        """Whether it is the figures that know which marks belong, and not the store."""
        return self.percent or self.outside or self.third is not None


def opened_from(key: str) -> Opened | None:
    """What a chart's key stands for; None for one that no chart of ours has made."""
    try:
        found: dict[str, Any] = json.loads(key)
        found["confidences"] = tuple(found.get("confidences", ()))
        if found.get("group") is not None:
            found["group"] = tuple(found["group"])
        if found.get("stage") is not None:
            found["stage"] = Stage(found["stage"])
        return Opened(**found)
    except (TypeError, ValueError):
        return None


def now_open() -> Opened | None:
    """What is open in the view that is drawn."""
    found: Opened | None = state.get("agreement_opened")
    return found


def open_key() -> str:
    found = now_open()
    return "" if found is None else found.key


def open_this(opened: Opened | None) -> None:
    state["agreement_opened"] = opened
    state.pop("agreement_all_behind", None)


def close() -> None:
    open_this(None)
    # A table's own tick is forgotten with its key.
    state["agreement_closed"] = state.get("agreement_closed", 0) + 1


def close_elsewhere(place: object) -> None:
    """What is open belongs to the view that it was opened in."""
    if state.get("agreement_opened_at") != place:
        open_this(None)
        state["agreement_opened_at"] = place


def near(mark: float, max_mark: float) -> float:
    """The tens of per cent that a mark is nearest to."""
    return PERCENT_STEP * float(int(100 * mark / max_mark / PERCENT_STEP + 0.5))


def third_of(ai: float, teacher: float, max_mark: float) -> int:
    """Which third of the scale the mean of both marks is in, as `bias_by_range` has it: 0, 1 or 2."""
    return int(min(3 * (ai + teacher) // (2 * max_mark), 2))


def show_behind(store: Store, figures: ExamFigures, viewer: Marker) -> None:
    """The list below a chart, for as long as something of it is open."""
    opened = now_open()
    with st.container(key="agreement_behind"):
        if opened is None:
            return
        rows, n, own_only = _found(store, figures, opened, viewer)
        with st.container(border=True):
            with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
                st.markdown(f"**{plain(opened.words)}**: {count(n, 'response')}")
                st.button("Close the list", icon=":material/close:", type="tertiary", on_click=close)
            if own_only:
                st.caption("Only responses that you have marked yourself: others you may still have to mark blind.")
            if not rows:
                st.caption("There are none that you can see.")
                return
            every = state.get("agreement_all_behind", False) or len(rows) <= SHOWN_AT_FIRST + 3
            shown = rows if every else rows[:SHOWN_AT_FIRST]
            for row in shown:
                _line(row, figures.exam.id, viewer)
            if not every:
                st.button(f"Show {len(rows) - len(shown)} more", on_click=_show_all)
            elif n > len(rows):
                st.caption(f"The {len(rows):,} newest of {n:,} are shown. Filters bring the number down.")


def _show_all() -> None:
    state["agreement_all_behind"] = True


def _line(row: BehindRow, exam_id: int, viewer: Marker) -> None:
    address = {"exam": str(exam_id), "response": str(row.response_id)}
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.page_link(
            "pages/teacher/mark.py",
            label=f"Candidate {plain(row.candidate)}",
            query_params={**address, "show": "all"},
            help="Open on the marking page",
        )
        if viewer.role in guard.LEADS:
            st.page_link("pages/department/review.py", label="Review", query_params=address, help="Open in the review")
        who = f" ({plain(row.marker)})" if row.marker else ""
        st.markdown(
            f"{plain(row.question)} · AI **{row.ai:g}** · teacher **{row.teacher:g}**{who} · "
            f"{STAGE_WORDS.get(row.stage, row.stage)} · {moment(row.at)}",
            width="content",
        )


def moment(at: str) -> str:
    """A stored moment as this browser's clock shows it, to the minute."""
    zone = ZoneInfo(st.context.timezone) if st.context.timezone else None
    local = datetime.fromisoformat(at).astimezone(zone)
    return f"{local.day} {local:%b %Y, %H:%M}"


def _found(store: Store, figures: ExamFigures, opened: Opened, viewer: Marker) -> tuple[list[BehindRow], int, bool]:
    selection = figures.selection
    if opened.group is not None:
        selection = replace(selection, groups=(*selection.groups, opened.group))
    if opened.judge_id is not None:
        selection = replace(selection, judge_id=opened.judge_id)
    rows: list[BehindRow] = []
    n, own_only = 0, False
    for question, ai, teacher, confidence in _parts(figures, opened):
        behind = responses_behind(
            store,
            selection,
            viewer,
            question=question,
            ai=ai,
            teacher=teacher,
            confidence=confidence,
            kind=opened.kind,
            stage=opened.stage,
            since=opened.since,
            most=MOST,
        )
        rows += behind.rows
        n, own_only = n + behind.n, own_only or behind.own_only
        if len(rows) >= MOST:
            break
    if opened.by_marks and not own_only:
        n = sum(each.n for each in _alike_of(figures, opened))
    return sorted(rows, key=lambda row: row.at, reverse=True)[:MOST], max(n, len(rows)), own_only


Part = tuple[str | None, float | None, float | None, str | None]


def _parts(figures: ExamFigures, opened: Opened) -> list[Part]:
    """What to ask the store for, which knows marks and not per cents or thirds; the most frequent marks first."""
    if opened.by_marks:
        found = sorted(_alike_of(figures, opened), key=lambda each: -each.n)
        return [(each.question, each.ai, each.teacher, each.confidence) for each in found[:MOST_PARTS]]
    confidences = opened.confidences or (None,)
    return [(opened.question, opened.ai, opened.teacher, confidence) for confidence in confidences]


@dataclass(frozen=True)
class _Alike:
    question: str
    ai: float
    teacher: float
    confidence: str | None
    n: int


def _alike_of(figures: ExamFigures, opened: Opened) -> Iterator[_Alike]:
    for q in figures.questions:
        if opened.question not in (None, q.question.number):
            continue
        kinds: list[tuple[str | None, tuple[Alike, ...]]] = [(None, q.alike)]
        if opened.confidences:
            kinds = [(level, q.by_confidence.get(level, ())) for level in opened.confidences]
        for confidence, alike in kinds:
            for ai, teacher, n in alike:
                if _belongs(q.question, ai, teacher, opened):
                    yield _Alike(q.question.number, ai, teacher, confidence, n)


def _belongs(question: Question, ai: float, teacher: float, opened: Opened) -> bool:
    most = question.max_mark
    return (
        (not opened.percent or (near(ai, most) == opened.ai and near(teacher, most) == opened.teacher))
        and (opened.third is None or third_of(ai, teacher, most) == opened.third)
        and (not opened.outside or is_outside(question, ai, teacher))
    )


def is_outside(question: Question, ai: float, teacher: float) -> bool:
    """Whether the two marks are further apart than the question allows."""
    return abs(ai - teacher) > question.tolerance + 1e-9

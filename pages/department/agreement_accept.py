"""How often teachers let a proposal stand, how long they take, and whether the proposal draws them: not agreement."""

from __future__ import annotations

import streamlit as st

from components.agreement import Statistic
from components.marking import Stage
from components.widgets.charts.accept import Accepted, accept_bars, pace_dots
from components.widgets.figures import in_percent, likely, percent, share_text
from components.workflow.agreement.figures import ExamFigures, Pace, QuestionFigures
from pages.department.agreement_behind import Opened, open_key
from pages.department.agreement_beside import chart_and_table
from pages.department.agreement_tiles import tile
from storage import pairs

FEWEST_TIMED = 5
column = st.column_config


def show_accept(figures: ExamFigures) -> None:
    """In a box of its own, apart from agreement."""
    overall = figures.overall.accept
    with st.container(border=True, key="agreement_accept_box"):
        st.subheader("Accept rate (not agreement)")
        st.markdown(
            "These marks were given with the AI's mark in view, which draws a marker towards it: "
            "they tell how often teachers let a proposal stand, not how well two markers agree."
        )
        if overall.accepted.n == 0:
            st.caption("No mark has been given here with a proposal in view.")
        else:
            with st.grid(3, min_column_width=140):
                tile("Accepted", percent(overall.accepted), f"as proposed: {share_text(overall.accepted)}")
                tile("Changed up", f"{overall.up:,}", "teacher gave more")
                tile("Changed down", f"{overall.down:,}", "teacher gave less")
            _bars(figures)
        st.markdown(anchoring_text(figures.anchoring))
        _pace(figures)


def anchoring_text(effect: Statistic) -> str:
    """Whether seeing the AI's mark draws teachers towards it, in a sentence."""
    if effect.value is None or effect.interval is None:
        return f"Whether the AI's mark draws teachers towards it cannot be told yet: {effect.note}."
    value, low, high = (round(100 * each) for each in (effect.value, effect.interval.low, effect.interval.high))
    chance = effect.interval.low <= 0 <= effect.interval.high
    either = ", so it may be chance" if chance else ""
    pull = "" if chance or value < 0 else " Part of the accept rate is this pull."
    way = "more" if value >= 0 else "less"
    return (
        f"With the AI's mark in view teachers give the same mark as it {abs(value)} percentage points {way} often than "
        f"blind (likely {low:+d} to {high:+d}{either}).{pull}".replace("-", "−")
        if value
        else "With the AI's mark in view teachers give the same mark as it about as often as blind (likely "
        f"{low:+d} to {high:+d} percentage points).".replace("-", "−")
    )


def _bars(figures: ExamFigures) -> None:
    seen = [q for q in figures.questions if q.accept.accepted.n]
    opens = [_in_view(q) for q in seen]
    least = min(seen, key=lambda q: q.accept.accepted.value or 0.0)
    words = (
        f"Proposals on question {least.question.number} are changed most: {percent(least.accept.accepted)} stand as "
        "they are."
    )
    rows = [
        {
            "Question": q.question.number,
            "Marks": q.accept.accepted.n,
            "Accepted": in_percent(q.accept.accepted),
            "Likely": likely(q.accept.accepted.interval),
            "Changed up": q.accept.up,
            "Changed down": q.accept.down,
            "Judge": q.judge,
        }
        for q in seen
    ]
    columns = {
        "Question": column.TextColumn(pinned=True, width=80),
        "Marks": column.NumberColumn(width=65, help="Given with the proposal in view."),
        "Accepted": column.NumberColumn(format="%.0f%%", width=80),
        "Likely": column.TextColumn(width=80, help="95% interval (Wilson)."),
        "Changed up": column.NumberColumn(width=95),
        "Changed down": column.NumberColumn(width=110),
    }
    bars = [
        Accepted(q.question.number, q.accept.accepted, None, None, opened.key)
        for q, opened in zip(seen, opens, strict=True)
    ]
    st.markdown(words)
    chart_and_table("accept", accept_bars(bars, open_key()), words, rows, columns, opens)


def _pace(figures: ExamFigures) -> None:
    timed = [q for q in figures.questions if _seconds(q.pace_blind) or _seconds(q.pace_visible)]
    if not timed:
        st.caption(f"How long a mark takes is shown from {FEWEST_TIMED} marks given here on a question.")
        return
    st.markdown("##### Time a response")
    blind, seen = (_mean([getattr(q, name) for q in timed]) for name in ("pace_blind", "pace_visible"))
    words = " and ".join(
        f"{seconds:.0f} seconds {how}"
        for seconds, how in ((blind, "marked blind"), (seen, "with the proposal in view"))
        if seconds is not None
    )
    words = f"A mark takes {words} on average; other responses, and often other teachers, so no fair race."
    st.markdown(words)
    rows = [
        {
            "Question": q.question.number,
            "Blind": _seconds(q.pace_blind),
            "Marks blind": q.pace_blind.n,
            "In view": _seconds(q.pace_visible),
            "Marks in view": q.pace_visible.n,
        }
        for q in timed
    ]
    seconds = column.NumberColumn(format="%.0f s", width=75)
    columns = {
        "Question": column.TextColumn(pinned=True, width=80),
        "Blind": seconds,
        "In view": seconds,
        "Marks blind": column.NumberColumn(format="localized", width=95),
        "Marks in view": column.NumberColumn(format="localized", width=110),
    }
    dots = [
        Accepted(
            q.question.number,
            q.accept.accepted,
            _seconds(q.pace_blind),
            _seconds(q.pace_visible),
            _in_view(q).key,
            Opened(f"Question {q.question.number}, marked blind", q.question.number, stage=Stage.BLIND).key,
        )
        for q in timed
    ]
    chart_and_table("pace", pace_dots(dots, open_key()), words, rows, columns)


def _in_view(q: QuestionFigures) -> Opened:
    return Opened(
        f"Question {q.question.number}, marked with the proposal in view", q.question.number, kind=pairs.ACCEPT
    )


def _seconds(pace: Pace) -> float | None:
    return pace.seconds if pace.n >= FEWEST_TIMED else None


def _mean(paces: list[Pace]) -> float | None:
    n = sum(pace.n for pace in paces)
    return sum((pace.seconds or 0.0) * pace.n for pace in paces) / n if n >= FEWEST_TIMED else None

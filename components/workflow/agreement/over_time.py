"""How an exam's agreement came about, blind mark by blind mark: is it enough by now, and has the AI drifted?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from components.agreement import (
    Running,
    count_of,
    kappa_text,
    moments,
    pairs_to_settle,
    running_agreement,
    running_share,
)
from components.agreement.drift import BASELINE
from components.marking import Stage
from components.workflow.agreement.drift import DriftCheck, drift_check, drift_text
from components.workflow.agreement.figures import ExamFigures, each_pair
from components.workflow.agreement.selection import Selection
from storage import Store, pair_rows, pairs
from storage.pairs import Cell, Pair

__all__ = ["OverTime", "Point", "drift_text", "over_time"]

WINDOW = 20_000
MOST_POINTS = 400
HALF_WIDTH = 0.1
FEWEST_FOR_QWK = 10
SLACK = 1e-9


@dataclass(frozen=True)
class Point:
    """A figure after `n` blind pairs, and when the last of them was given (UTC, ISO 8601).

    `low` and `high` are its anytime-valid interval; None where undefined.
    """

    n: int
    at: str
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class OverTime:
    """Blind pairs in time order. `n` is all of the selection's, `shown` the newest of them that the lines begin with.

    Figures count the pairs before the window too. `qwk` is there for a selection of one question alone. `enough` says
    whether the interval is within ± .1 by now, `enough_text` the same in a sentence.
    """

    n: int
    shown: int
    within: tuple[Point, ...]
    qwk: tuple[Point, ...]
    enough: bool
    enough_text: str
    drift: DriftCheck


def over_time(store: Store, selection: Selection, figures: ExamFigures) -> OverTime:
    """The selection's blind pairs over time; `figures` are the selection's own. Imported marks have no such order."""
    judged = {q.question_id: q.judge_id for q in figures.questions if q.judge_id is not None}
    if selection.stage not in (None, Stage.BLIND) or not judged:
        return _made({}, [], [], [], figures)
    wanted = replace(selection.wanted(()), question_ids=tuple(judged), stage=Stage.BLIND)
    with store.read() as db:
        window = pair_rows.newest_of(db, pairs.AGREEMENT, wanted, judged, WINDOW)
        first = pair_rows.oldest_of(db, pairs.AGREEMENT, wanted, judged, BASELINE) if len(window) == WINDOW else []
        cells = [c for c in pairs.cells(db, pairs.AGREEMENT, wanted) if judged.get(c.question_id) == c.judge_id]
    tolerance = {q.question_id: q.question.tolerance for q in figures.questions}
    return _made(tolerance, cells, window, first, figures)


def _made(
    tolerance: dict[int, float], cells: Sequence[Cell], window: list[Pair], first: list[Pair], figures: ExamFigures
) -> OverTime:
    n, every = sum(cell.n for cell in cells), max(1, -(-len(window) // (MOST_POINTS - 1)))
    hits = [abs(p.ai - p.teacher) <= tolerance[p.question_id] + SLACK for p in window]
    all_hits = sum(c.n for c in cells if abs(c.ai - c.teacher) <= tolerance[c.question_id] + SLACK)
    within = _points(running_share(hits, (all_hits - sum(hits), n - len(window)), every), window)
    one = len(figures.questions) == 1
    running = _points(_qwk(cells, window, n, every), window) if one and window else ()
    qwk = tuple(p if p.n >= FEWEST_FOR_QWK else replace(p, value=None, low=None, high=None) for p in running)
    enough, text = (
        _enough_qwk(figures.questions[0].agreement.kappa_name, qwk[-1], cells) if qwk else _enough_share(within)
    )
    numbers = {q.question_id: q.question.number for q in figures.questions}
    known = {pair.decision_id for pair in first}
    in_time = first + [pair for pair in window if pair.decision_id not in known]
    drift = drift_check(in_time, numbers, n - len(in_time))
    return OverTime(n, len(window), within, qwk, enough, text, drift)


def _qwk(cells: Sequence[Cell], window: Sequence[Pair], n: int, every: int) -> Running:
    ai, teacher = [p.ai for p in window], [p.teacher for p in window]
    before = None
    if n > len(window):
        before = sum(cell.n * moments([cell.ai], [cell.teacher]) for cell in cells) - moments(ai, teacher)
    return running_agreement(ai, teacher, before, every)


def _points(running: Running, window: Sequence[Pair]) -> tuple[Point, ...]:
    before = int(running.n[-1]) - len(window) if window else 0
    columns = (running.value.tolist(), running.low.tolist(), running.high.tolist())
    return tuple(
        Point(n, window[n - before - 1].given_at, *(None if np.isnan(figure) else figure for figure in row))
        for n, *row in zip(running.n.tolist(), *columns, strict=True)
    )


def _enough_qwk(name: str, last: Point, cells: Sequence[Cell]) -> tuple[bool, str]:
    if last.n < FEWEST_FOR_QWK:
        return False, f"Not enough is marked yet: {name} is shown from {FEWEST_FOR_QWK} blind pairs."
    if last.value is None or last.low is None or last.high is None:
        return False, "Whether enough is marked cannot be told yet: the blind marks show no spread."
    reach = (last.high - last.low) / 2
    known = f"{name} {kappa_text(last.value)} is known to ± {kappa_text(_up(reach))}"
    if reach <= HALF_WIDTH:
        return True, f"Enough is marked: {known}, however often you look."
    needed = pairs_to_settle(*each_pair([(c.ai, c.teacher, c.n) for c in cells]), HALF_WIDTH).value
    more = 0 if needed is None else int(needed) - last.n
    after = f"; about {more:,} more would bring it to ± .1" if more > 0 else ""
    return False, f"Not enough is marked yet: after {count_of(last.n, 'blind pair')} {known}{after}."


def _enough_share(within: Sequence[Point]) -> tuple[bool, str]:
    if not within:
        return False, "None of these marks was given blind."
    last = within[-1]
    assert last.value is not None
    assert last.low is not None
    assert last.high is not None
    reach = (last.high - last.low) / 2
    known = f"{100 * last.value:.0f}% within tolerance is known to ± {100 * _up(reach):.0f} percentage points"
    if reach <= HALF_WIDTH:
        return True, f"Enough is marked: {known}, however often you look."
    return False, f"Not enough is marked yet: after {count_of(last.n, 'blind pair')} {known}; ± 10 is the aim."


def _up(reach: float) -> float:
    """To two places, upwards: what is not within ± .1 shall not read so."""
    return math.ceil(100 * reach - 1e-9) / 100

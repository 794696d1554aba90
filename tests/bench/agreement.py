"""The second-marker report on a set of Medly's shape, beside recomputing it with scikit-learn in every resample.

`uv run python -m tests.bench.agreement [rounds] [resamples counted]`

The set: 32,534 responses to 328 questions of 1 to 8 marks in five subjects, marked by an AI and two examiners. The
work: for each subject and for all, R_A, R_H and Δ from aggregate and pooled QWKs, and the bias, with intervals from
2,000 resamples of questions. Cold is the first report of a process, which also draws the resamples; warm are the later
ones. The loop does the aggregates' share of that work: per resample, for each question drawn, scikit-learn's
cohen_kappa_score of the three pairs of markers. It is timed on a few resamples, whose figures must equal ours, and
multiplied up. Last, one million pairs. Goals: the whole report under 60 ms, the loop at least 5,000 times as long.
"""

from __future__ import annotations

import statistics
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.metrics import cohen_kappa_score

from components.agreement import (
    QuestionPairs,
    Ratio,
    SecondMarkerReport,
    exam_agreement,
    quadratic_weighted_kappa_interval,
    resample_counts,
    running_agreement,
    second_marker_report,
)

RESPONSES, QUESTIONS, SUBJECTS, RESAMPLES = 32_534, 328, 5, 2000
GOAL_MS, GOAL_RATIO = 60.0, 5000.0


@dataclass(frozen=True)
class Marked:
    """Responses in the order of their questions, each marked three times."""

    ai: np.ndarray
    e1: np.ndarray
    e2: np.ndarray
    question: np.ndarray
    max_mark: np.ndarray

    def of(self, chosen: np.ndarray) -> Marked:
        return Marked(*(column[chosen] for column in vars(self).values()))

    def report(self) -> SecondMarkerReport:
        return second_marker_report(self.ai, self.e1, self.e2, self.question, self.max_mark)


def marked(responses: int, seed: int = 20240607) -> Marked:
    draw = np.random.default_rng(seed)
    top = draw.integers(1, 9, QUESTIONS).astype(float)
    question = np.sort(np.concatenate([np.arange(QUESTIONS), draw.integers(QUESTIONS, size=responses - QUESTIONS)]))
    most, worth = top[question], draw.uniform(size=responses)

    def marks(error: float, lenient: float) -> np.ndarray:
        return np.clip(np.round(most * (worth + lenient + draw.normal(0, error, responses))), 0, most)

    return Marked(marks(0.15, 0.02), marks(0.12, 0.0), marks(0.12, 0.0), question, most)


def timed(work: Callable[[], object]) -> float:
    """Milliseconds."""
    started = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - started)


def loop(part: Marked, counted: int) -> tuple[float, np.ndarray]:
    """Milliseconds that scikit-learn takes for one resample of the part's questions, and R_A, R_H, Δ of each made."""
    names = np.unique(part.question)
    pairs = [[column[part.question == name] for column in (part.ai, part.e1, part.e2)] for name in names]
    most = [float(part.max_mark[part.question == name][0]) for name in names]
    made = []
    started = time.perf_counter()
    for counts in resample_counts(names.size)[:counted]:
        total, sums = 0.0, np.zeros(2)
        for place in np.repeat(np.arange(names.size), counts.astype(int)):
            ai, e1, e2 = pairs[place]
            labels = np.arange(most[place] + 1)
            first, second, humans = (
                float(cohen_kappa_score(x, y, labels=labels, weights="quadratic"))
                for x, y in ((ai, e1), (ai, e2), (e1, e2))
            )
            sums += most[place] * np.array([(first + second) / 2, humans])
            total += most[place]
        made.append([*(sums / total), (sums[0] - sums[1]) / total])
    return 1000 * (time.perf_counter() - started) / counted, np.array(made)


def ours(part: Marked, counted: int) -> np.ndarray:
    """R_A, R_H, Δ of the same resamples by the count matrix."""
    found = part.report()
    weights = np.array([question.max_mark for question in found.questions])
    first, second, humans = np.array([(q.ai_e1, q.ai_e2, q.e1_e2) for q in found.questions], dtype=float).T
    figures = ((first + second) / 2, humans, (first + second) / 2 - humans)
    counts = resample_counts(weights.size)[:counted]
    return np.column_stack([Ratio(weights * figure, weights).replicates(counts) for figure in figures])


def verdict(holds: bool) -> str:
    return "goal holds" if holds else "GOAL MISSED"


def main(rounds: int, counted: int) -> None:
    warnings.simplefilter("ignore")
    whole = marked(RESPONSES)
    subject = np.arange(QUESTIONS) % SUBJECTS
    parts = [whole.of(subject[whole.question] == number) for number in range(SUBJECTS)]
    everything = [whole, *parts]
    names = Marked(whole.ai, whole.e1, whole.e2, np.array([f"Q{q}" for q in whole.question]), whole.max_mark)

    def report() -> None:
        for part in everything:
            part.report()

    first = timed(report)
    cold, warm = [], []
    for _ in range(rounds):
        resample_counts.cache_clear()
        cold.append(timed(report))
        warm.append(timed(report))
    print(
        f"{RESPONSES:,} responses, {QUESTIONS} questions, {SUBJECTS} subjects and all, B = {RESAMPLES:,}, three pairs"
    )
    print(f"(a) the whole report, first in the process   {first:7.1f} ms")
    for label, taken in (("resamples drawn anew", cold), ("resamples at hand", warm)):
        middle = statistics.median(taken)
        print(
            f"    median of {rounds}, {label:<22}     {middle:7.1f} ms, least {min(taken):.1f}, most {max(taken):.1f}"
            f" · {verdict(middle < GOAL_MS)} (under {GOAL_MS:.0f})"
        )
    print(f"    all subjects together, questions as text {timed(names.report):7.1f} ms")

    slow = 0.0
    for part in everything:
        each, made = loop(part, counted)
        slow += each * RESAMPLES
        apart = float(np.abs(made - ours(part, counted)).max())
        if apart > 1e-12:
            raise SystemExit(f"The loop and the engine differ by {apart:g}.")
    print(f"(b) the scikit-learn loop: {slow / 1000:,.0f} s, from {counted} resamples counted; equal to 1e-12")
    for label, taken in (("drawn anew", cold), ("at hand", warm)):
        ratio = slow / statistics.median(taken)
        met = verdict(ratio >= GOAL_RATIO)
        print(f"    ratio, resamples {label:<11} × {ratio:9,.0f} · {met} (at least {GOAL_RATIO:,.0f})")

    million = marked(1_000_000)
    ends = np.flatnonzero(np.diff(million.question)) + 1
    columns = [np.split(column, ends) for column in (million.ai, million.e1, million.max_mark)]
    exam = [QuestionPairs(str(i), x, y, float(most[0])) for i, (x, y, most) in enumerate(zip(*columns, strict=True))]
    print("(c) one million pairs")
    for label, work in (
        ("one question's QWK with its interval", lambda: quadratic_weighted_kappa_interval(million.ai, million.e1)),
        ("an exam of 328 questions", lambda: exam_agreement(exam)),
        ("the report, three marks on each", million.report),
        ("running QWK after every 1,000th", lambda: running_agreement(million.ai, million.e1, every=1000)),
    ):
        print(f"    {label:<40} {statistics.median(timed(work) for _ in range(3)):7.1f} ms")


if __name__ == "__main__":
    given = [int(value) for value in sys.argv[1:3]]
    main(*given, *(15, 2)[len(given) :])

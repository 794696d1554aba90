"""Whether the AI's marks have moved away from what they were on the first blind marks."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

import numpy as np

from components.agreement import Cusum, Standardised, cusum, standardised_differences
from components.agreement.drift import BASELINE, FEWEST_OF_QUESTION
from components.agreement.live import LIMIT_H
from storage.pairs import Pair

MOST_POINTS = 400
MOST_NAMED = 3
MOSTLY = 0.6  # of a drift, for the questions that are named to be what it is about
ERRORS = 3.0  # standard errors from the baseline, its own included, at which a drift is more than a suspicion


@dataclass(frozen=True)
class Drifted:
    """The latest stretch in which a CUSUM of blind marks passed its limit.

    `since` is when its sum last began at 0, `alarm_at` when it passed the limit, `until` when it was back at 0, None
    where it is not. `n` counts the blind marks of the stretch. `questions` are the numbers it is mostly about, none
    where it is about most. `sure`: it goes on, and is more than the baseline's own uncertainty explains.
    """

    direction: str  # "lenient" or "severe"
    since: str
    alarm_at: str
    until: str | None
    n: int
    questions: tuple[str, ...]
    sure: bool


@dataclass(frozen=True)
class DriftCheck:
    """A two-sided CUSUM of blind marks after the first 100, thinned for a chart as (when, lenient side, severe side).

    `reason` says why there is no check yet, or "". `care` is a word of care about a check that there is.
    """

    reason: str
    care: str
    baseline: int
    watched: int
    limit: float
    path: tuple[tuple[str, float, float], ...]
    drifted: Drifted | None

    @property
    def sure(self) -> bool:
        """Whether there is a drift now that deserves to be acted on."""
        return self.drifted is not None and self.drifted.sure


def drift_check(in_time: Sequence[Pair], numbers: dict[int, str], left_out: int = 0) -> DriftCheck:
    """The check of blind pairs in time order, of which `left_out` are missing between the baseline and the rest.

    `numbers` are the questions' numbers by id.
    """
    made = standardised_differences(
        [p.ai for p in in_time], [p.teacher for p in in_time], [p.question_id for p in in_time]
    )
    watched = in_time[made.baseline :]
    if not made.z.size:
        why = made.note or f"the first {BASELINE} blind marks are there; drift is watched from the next one on"
        return DriftCheck(f"{why[0].upper()}{why[1:]}.", "", made.baseline, 0, LIMIT_H, (), None)
    sums = cusum(made.z)
    every = max(1, -(-len(watched) // (MOST_POINTS - 1)))
    kept = sorted({*range(every - 1, len(watched), every), len(watched) - 1})
    in_baseline = Counter(pair.question_id for pair in in_time[: made.baseline])
    return DriftCheck(
        reason="",
        care=_care(made, left_out),
        baseline=made.baseline,
        watched=len(watched),
        limit=LIMIT_H,
        path=tuple((watched[i].given_at, sums.upper[i], sums.lower[i]) for i in kept),
        drifted=_latest(sums, made, watched, in_baseline, numbers),
    )


def _care(made: Standardised, left_out: int) -> str:
    said = []
    if made.own is not None and made.own < 0.5:
        said.append(
            f"Most marks since are on questions with few of the first {BASELINE}, so a difference between questions "
            "may look like a drift."
        )
    if left_out:
        said.append(f"{left_out:,} blind marks after the first {BASELINE} are too long ago to be watched.")
    return " ".join(said)


def _latest(
    sums: Cusum, made: Standardised, watched: Sequence[Pair], in_baseline: Counter[int], numbers: dict[int, str]
) -> Drifted | None:
    sides = {"lenient": np.array(sums.upper), "severe": np.array(sums.lower)}
    beyond = {direction: np.flatnonzero(side > LIMIT_H) for direction, side in sides.items()}
    direction = max(beyond, key=lambda each: int(beyond[each][-1]) if beyond[each].size else -1)
    if not beyond[direction].size:
        return None
    side, last = sides[direction], int(beyond[direction][-1])
    before, after = np.flatnonzero(side[:last] == 0), np.flatnonzero(side[last:] == 0)
    start = int(before[-1]) + 1 if before.size else 0
    end = last + int(after[0]) if after.size else None
    alarm = int(beyond[direction][beyond[direction] >= start][0])
    moved = made.z[start:end] * (1 if direction == "lenient" else -1)
    stretch = watched[start:end]
    return Drifted(
        direction=direction,
        since=watched[start].given_at,
        alarm_at=watched[alarm].given_at,
        until=None if end is None else watched[end].given_at,
        n=len(stretch),
        questions=_mostly(moved, stretch, numbers),
        sure=end is None and _more_than_baseline(moved, stretch, in_baseline),
    )


def _more_than_baseline(moved: np.ndarray, stretch: Sequence[Pair], in_baseline: Counter[int]) -> bool:
    """Whether the stretch's mean z is further from 0 than the baseline's own means may be off.

    A CUSUM takes them for the truth, but one question's may rest on five marks: simulated without any drift, 10
    questions in random order raise an alarm within 400 marks in every second run, and this lets through one in 15.
    """
    own = [in_baseline[pair.question_id] >= FEWEST_OF_QUESTION for pair in stretch]
    z = moved[own]
    if z.size < 2:
        return False
    marked = Counter(pair.question_id for pair, known in zip(stretch, own, strict=True) if known)
    variance = 1 / z.size + sum((n / z.size) ** 2 / in_baseline[question] for question, n in marked.items())
    return float(z.mean()) > ERRORS * math.sqrt(variance)


def _mostly(moved: np.ndarray, stretch: Sequence[Pair], numbers: dict[int, str]) -> tuple[str, ...]:
    """The few questions that make most of a drift; none where it takes more than may be named."""
    by_question: dict[int, float] = defaultdict(float)
    for value, pair in zip(moved.tolist(), stretch, strict=True):
        by_question[pair.question_id] += value
    pulling = sorted(((total, question) for question, total in by_question.items() if total > 0), reverse=True)
    wanted, named = MOSTLY * sum(total for total, _ in pulling), []
    for total, question in pulling[:MOST_NAMED]:
        if wanted > 0:
            named.append(numbers[question])
            wanted -= total
    return tuple(named) if wanted <= 0 else ()


def drift_text(check: DriftCheck, zone: tzinfo = UTC) -> str:
    """What the check says in a sentence or two, times in the reader's zone."""
    found = check.drifted
    if check.reason:
        return check.reason
    first = f"the first {check.baseline} blind marks"
    if found is None:
        text = f"No drift: the AI's marks keep to what they were on {first} ({check.watched:,} watched since)."
        return _with(text, check.care)
    since, about = _clock(found.since, zone), _about(found.questions)
    if found.until is not None:
        text = (
            f"No drift now. From {since} to {_clock(found.until, zone)} the AI looked more {found.direction} than on "
            f"{first}{about}; chance brings such a spell now and then."
        )
    elif found.sure:
        text = f"Since {since} the AI has been more {found.direction} than on {first}{about}."
    else:
        text = (
            f"Since {since} the AI may have been more {found.direction} than on {first}{about}; these are too few to "
            "tell that from chance."
        )
    return _with(text, check.care)


def _with(text: str, care: str) -> str:
    return f"{text} {care}" if care else text


def _about(questions: Sequence[str]) -> str:
    if not questions:
        return ""
    named = questions[0] if len(questions) == 1 else f"{', '.join(questions[:-1])} and {questions[-1]}"
    return f", mostly on {named}"


def _clock(moment: str, zone: tzinfo) -> str:
    local = datetime.fromisoformat(moment).astimezone(zone)
    return f"{local.day} {local:%b, %H:%M}"

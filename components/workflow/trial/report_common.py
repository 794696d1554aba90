"""Which judges are compared on a part of a trial, and on which responses: those they all and the humans marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from components.agreement import Coverage
from components.workflow.trial.data import Marks, TrialData

LEAST_SHARE = 0.5
"""An arm with fewer marks than this share of what the fullest arm has is left out: the common set would be its own."""

Mask = NDArray[np.bool_]
Places = NDArray[np.intp]


@dataclass(frozen=True)
class Marked:
    """A trial's marks with what is asked of them again and again."""

    data: TrialData

    @cached_property
    def given(self) -> Mask:
        """Whether an arm (row) has marked a response (column)."""
        rows = [~np.isnan(arm.marks) for arm in self.data.arms]
        return np.array(rows).reshape(len(rows), self.data.question.size)

    @cached_property
    def first(self) -> Mask:
        return np.asarray(~np.isnan(self.data.first))

    @cached_property
    def twice(self) -> Mask:
        return self.first & ~np.isnan(self.data.second)

    @cached_property
    def maxima(self) -> Marks:
        """Each response's maximum mark."""
        return self.data.max_marks() if self.data.questions else np.zeros(0)


@dataclass(frozen=True)
class Common:
    """The responses (`rows`, places in the trial's columns) that every compared arm and the humans marked; none without
    an arm to compare.

    `arms` and `left_out` are places in the trial's arms. `double` says whether the humans are two. `human` responses
    of the part have the humans' marks, of `responses` in all; `marked` says how many of the former each arm marked.
    """

    arms: tuple[int, ...]
    left_out: tuple[int, ...]
    rows: Places
    double: bool
    human: int
    responses: int
    coverage: Coverage
    marked: Mapping[int, int]

    @property
    def n(self) -> int:
        return int(self.rows.size)


def common_set(marked: Marked, part: Mask | None = None, arms: Sequence[int] | None = None) -> Common:
    """What of a part of the trial (all of it where None) the arms named (all where None) are compared on.

    An arm that has marked under half of what the fullest has is left out, or the rest would be compared on little more
    than its marks; so is one with no mark at all. Where nobody marked a second time, the humans are the first alone.
    """
    data = marked.data
    inside = np.ones(data.question.size, dtype=bool) if part is None else part
    double = bool((inside & marked.twice).any())
    human = inside & (marked.twice if double else marked.first)
    wanted = tuple(range(len(data.arms))) if arms is None else tuple(arms)
    counts = {place: int(np.count_nonzero(marked.given[place] & human)) for place in wanted}
    most = max(counts.values(), default=0)
    taking_part = tuple(place for place in wanted if counts[place] and counts[place] >= LEAST_SHARE * most)
    kept = human.copy()
    for place in taking_part:
        kept &= marked.given[place]
    rows = np.flatnonzero(kept) if taking_part else np.zeros(0, dtype=np.intp)
    return Common(
        arms=taking_part,
        left_out=tuple(place for place in wanted if place not in taking_part),
        rows=rows,
        double=double,
        human=int(np.count_nonzero(human)),
        responses=int(np.count_nonzero(inside)),
        coverage=_coverage(data, inside, rows),
        marked=counts,
    )


def _coverage(data: TrialData, inside: Mask, rows: Places) -> Coverage:
    """Questions with a response among `rows`, of those with a response in the part."""
    most = np.array([question.max_mark for question in data.questions])
    met, asked = np.unique(data.question[rows]), np.unique(data.question[inside])
    return Coverage(met.size, asked.size, float(most[met].sum()), float(most[asked].sum()))

"""What the judge's confidence is worth: how many marks are outside tolerance among those it was surest of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from components.agreement.differences import share
from components.agreement.results import Share


@dataclass(frozen=True)
class CoveragePoint:
    """The `n` surest responses, `covered` of all (0 to 1), and how many of them are outside tolerance."""

    covered: float
    n: int
    outside: Share


def coverage_error(levels: Sequence[int], outside: Sequence[int]) -> tuple[CoveragePoint, ...]:
    """A point for each level of confidence, responses being taken from the surest level down.

    `levels` are how many responses each level has, the surest first; `outside` how many of these are outside
    tolerance. Each point counts its own level and all surer ones; levels without responses repeat the one before. No
    points where there are no responses. Raises ValueError unless each is between 0 and its level.
    """
    if len(levels) != len(outside):
        raise ValueError(f"There are {len(levels)} levels and {len(outside)} counts of responses outside tolerance.")
    points, n, wrong, total = [], 0, 0, sum(levels)
    for size, apart in zip(levels, outside, strict=True):
        if not 0 <= apart <= size:
            raise ValueError(f"{apart} of {size} is not a share.")
        n, wrong = n + size, wrong + apart
        if total:
            points.append(CoveragePoint(n / total, n, share(wrong, n)))
    return tuple(points)

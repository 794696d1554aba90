"""Verdicts on the parts of a scheme, and the one place where marks are added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Self

from pydantic import Field, model_validator

from components.marking.marks import MarkError
from components.marking.scheme import Code, Frozen, Scheme


class Box(Frozen):
    """A place on a page of an answer: page from 1, corners as fractions of its width and height from the top left."""

    page: int = Field(ge=1)
    x0: float = Field(ge=0, le=1)
    y0: float = Field(ge=0, le=1)
    x1: float = Field(ge=0, le=1)
    y1: float = Field(ge=0, le=1)

    @model_validator(mode="after")
    def _has_an_area(self) -> Self:
        if not (self.x0 < self.x1 and self.y0 < self.y1):
            raise MarkError("A place on a page goes from its top left corner to its bottom right one.")
        return self


class Evidence(Frozen):
    """Words of the answer that a verdict rests on; `start`/`end` index the answer's text where they stand in it.

    With `in_transcript` they index the transcript of its pictures instead: a teacher's, else the judge's own. `box` is
    where the words stand on a picture.
    """

    quote: str
    start: int | None = None
    end: int | None = None
    # Left out of stored JSON where they say nothing, as they do for typed answers.
    in_transcript: bool = Field(default=False, exclude_if=lambda value: not value)
    box: Box | None = Field(default=None, exclude_if=lambda value: value is None)

    @property
    def verified(self) -> bool:
        return self.start is not None


class PointVerdict(Frozen):
    """Whether one marking point is earned. `label` is a judge's word for it (found, unclear, no match)."""

    code: Code
    awarded: bool
    evidence: tuple[Evidence, ...] = ()
    reason: str = ""
    not_sure: bool = False
    label: str = ""


class LevelVerdict(Frozen):
    """Best fit for one assessment objective: a level (0 for none) and a mark inside it."""

    objective: Code
    level: int
    mark: float
    evidence: tuple[Evidence, ...] = ()
    reason: str = ""
    not_sure: bool = False


class WholeVerdict(Frozen):
    """One mark for the whole answer, where a scheme has neither points nor levels, or a judge gives no parts."""

    mark: float
    evidence: tuple[Evidence, ...] = ()
    reason: str = ""
    not_sure: bool = False


Verdict = PointVerdict | LevelVerdict | WholeVerdict


def total(verdicts: Iterable[Verdict], scheme: Scheme) -> float:
    """The mark that verdicts come to: dependencies, group caps, steps and the maximum applied.

    A WholeVerdict stands alone. Points without a verdict earn nothing; the order of verdicts is of no account.
    Raises MarkError for a code the scheme lacks, two verdicts on one thing, or a mark outside its level or the scale.
    """
    verdicts = list(verdicts)
    whole = [verdict for verdict in verdicts if isinstance(verdict, WholeVerdict)]
    if whole:
        if len(verdicts) > 1:
            raise MarkError("A verdict on the whole answer cannot be mixed with other verdicts.")
        return scheme.scale.check(whole[0].mark, "The mark for the whole answer")
    points = [verdict for verdict in verdicts if isinstance(verdict, PointVerdict)]
    levels = [verdict for verdict in verdicts if isinstance(verdict, LevelVerdict)]
    _check_each_once([verdict.code for verdict in points], {point.code for point in scheme.points}, "marking point")
    _check_each_once(
        [verdict.objective for verdict in levels],
        {objective.code for objective in scheme.objectives},
        "assessment objective",
    )
    summed = _points_total(points, scheme) + sum(_level_mark(verdict, scheme) for verdict in levels)
    return scheme.scale.check(min(summed, scheme.max_mark), "The total")


def earned_codes(verdicts: Iterable[Verdict], scheme: Scheme) -> frozenset[str]:
    """Codes of the points that are awarded and whose dependencies, and theirs in turn, are awarded too."""
    awarded = {v.code for v in verdicts if isinstance(v, PointVerdict) and v.awarded}
    by_code = {point.code: point for point in scheme.points}
    members: dict[str, list[str]] = {group.code: [] for group in scheme.groups}
    for point in scheme.points:
        if point.group is not None:
            members[point.group].append(point.code)

    def earned(code: str) -> bool:
        return code in awarded and all(met(need) for need in by_code[code].needs)

    def met(need: str) -> bool:
        return any(earned(code) for code in members[need]) if need in members else earned(need)

    return frozenset(code for code in by_code if earned(code))


def _points_total(verdicts: list[PointVerdict], scheme: Scheme) -> float:
    earned = earned_codes(verdicts, scheme)
    by_group: dict[str | None, float] = {}
    for point in scheme.points:
        if point.code in earned:
            by_group[point.group] = by_group.get(point.group, 0.0) + point.marks
    caps = {group.code: group.cap for group in scheme.groups}
    return sum(min(marks, caps[code]) if code is not None else marks for code, marks in by_group.items())


def _level_mark(verdict: LevelVerdict, scheme: Scheme) -> float:
    objective = next(o for o in scheme.objectives if o.code == verdict.objective)
    mark = scheme.scale.check(verdict.mark, f"{objective.code}")
    if verdict.level == 0:
        if mark != 0:
            raise MarkError(f"{objective.code}: no level was reached, so the mark must be 0, not {mark:g}.")
        return 0.0
    band = next((level for level in objective.levels if level.level == verdict.level), None)
    if band is None:
        raise MarkError(f"{objective.code} has no level {verdict.level}.")
    if not band.low <= mark <= band.high:
        raise MarkError(f"{objective.code} level {band.level} is {band.low:g} to {band.high:g} marks, not {mark:g}.")
    return mark


def _check_each_once(codes: list[str], known: set[str], kind: str) -> None:
    for code, count in Counter(codes).items():
        if code not in known:
            raise MarkError(f"The scheme has no {kind} {code}.")
        if count > 1:
            raise MarkError(f"There are {count} verdicts on {kind} {code}.")

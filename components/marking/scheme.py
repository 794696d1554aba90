"""Mark schemes: points with dependencies, groups with caps, level bands, keys, and free text."""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from components.marking.marks import MarkError, Scale, on_step

Code = Annotated[str, Field(min_length=1, max_length=40)]


class Frozen(BaseModel):
    """Base of every value object here: immutable, and an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class MarkingPoint(Frozen):
    """One creditable thing, e.g. `M1 correct method to find the gradient`.

    `accept` holds alternative wordings that earn it, `reject` those that do not. `needs` names points or groups
    that must be awarded first (a group is met when any of its points is). `group` names a PointGroup whose cap it
    shares: alternatives are a group whose cap is one point's marks.
    """

    code: Code
    text: str
    marks: float = 1.0
    accept: tuple[str, ...] = ()
    reject: tuple[str, ...] = ()
    needs: tuple[Code, ...] = ()
    group: Code | None = None
    follow_through: bool = False


class PointGroup(Frozen):
    """Points that together earn at most `cap` marks: `any three from, max 3`."""

    code: Code
    text: str = ""
    cap: float


class Level(Frozen):
    """One band of a levels-of-response scheme: marks low…high for work that fits the descriptor best."""

    level: int
    low: float
    high: float
    descriptor: str


class AssessmentObjective(Frozen):
    """One AO with its own bands. Its maximum is the top band's `high`; 0 (nothing creditable) is always possible."""

    code: Code
    name: str = ""
    levels: tuple[Level, ...]

    @property
    def max_mark(self) -> float:
        return max(level.high for level in self.levels)


class ChoiceKey(Frozen):
    """Key of a choice question. Each entry of `correct` is one fully right selection, letters in order ("B", "ACD").

    `each` is given instead of `correct` where several sub-questions are answered in one response (five gaps, "BDACA"):
    the key of every sub-question in order. Each is then worth an equal share of the question's marks.

    `partial` gives exactly these marks to named other selections ("AC": 1), or, with `each`, to named other whole
    sequences ("BDACE" or "B, D, A, C, E": 3), whatever their sub-questions would come to. `subset_marks` goes to any
    proper, non-empty part of a right selection with nothing wrong in it (the 6/3/0 rule has subset_marks 3); with
    `each`, to each such sub-question.

    `rule` "published" has answers read and marked as GAOKAO-Bench does: letters wherever they stand, half the marks
    for a part of several letters, and nothing for an item whose number of answers is not the key's.
    """

    options: dict[str, str]
    correct: tuple[str, ...] = ()
    partial: dict[str, float] = {}
    subset_marks: float | None = None
    # Left out of the JSON where they are not used: schemes of earlier versions keep their hashes, so no judge that
    # has marked by them is asked, and paid, again.
    each: tuple[str, ...] = Field(default=(), exclude_if=lambda each: not each)
    rule: Literal["ours", "published"] = Field(default="ours", exclude_if=lambda rule: rule == "ours")

    @field_validator("each")
    @classmethod
    def _letters_alone(cls, each: tuple[str, ...]) -> tuple[str, ...]:
        keys = tuple(re.sub(r"[\s,;/&+、]", "", _plain_capitals(entry)) for entry in each)
        for place, (key, entry) in enumerate(zip(keys, each, strict=True), start=1):
            if not re.fullmatch("[A-Z]+", key):
                raise MarkError(f"The key of sub-question {place} is {entry!r}. Give it in letters, such as B or ACD.")
        return keys

    @model_validator(mode="after")
    def _one_kind_of_key(self) -> Self:
        if self.each and self.correct:
            raise MarkError(
                "The key has both right selections (correct) and a key for each sub-question (each). Give one of them."
            )
        labels = {_plain_capitals(label.strip()) for label in self.options}
        strange = sorted({letter for key in self.each for letter in key} - labels) if labels else []
        if strange:
            raise MarkError(f"The key names {', '.join(strange)}, which the question's options do not have.")
        if self.each:
            named = [self.sequence(written) for written in self.partial]
            if len(set(named)) != len(named):
                raise MarkError("Partial credit names the same sequence of answers twice.")
        return self

    def sequence(self, written: str) -> tuple[str, ...]:
        """The answers in a sequence written "BDACA" or "B, D, A, C, A" ("AC, B" where one takes several letters).

        Raises MarkError where their number is not that of `each`.
        """
        pieces = re.findall("[A-Z]+", _plain_capitals(written))
        if len(pieces) == 1 and len(self.each) > 1:
            pieces = list(pieces[0])
        if len(pieces) != len(self.each):
            raise MarkError(
                f"Partial credit for {written!r}: that is {len(pieces)} answers, and the key has {len(self.each)}. "
                'Write the whole sequence, such as "BDACA", with commas where an answer has several letters.'
            )
        return tuple(pieces)


def _plain_capitals(text: str) -> str:
    return unicodedata.normalize("NFKC", text).upper()


class NumericKey(Frozen):
    """Key of a numeric question. Each entry of `correct` is one right answer: "0.5", "3.2e5", "10 cm", "2(x+1)".

    A value within `tolerance` (absolute, in the key's own unit) or `relative_tolerance` of the key is right.
    `significant_figures` asks for exactly that many in the answer. `partial` gives marks to named other answers.
    """

    correct: tuple[str, ...]
    tolerance: float = 0.0
    relative_tolerance: float = 0.0
    significant_figures: int | None = None
    unit_required: bool = False
    partial: dict[str, float] = {}


class Scheme(Frozen):
    """What earns marks on one question. Any part may be empty; an author with nothing more has `text` alone.

    `max_mark` and `mark_step` are the question's own, given again so that marks can be added from the scheme alone.
    """

    max_mark: float
    mark_step: float = 1.0
    text: str = ""
    points: tuple[MarkingPoint, ...] = ()
    groups: tuple[PointGroup, ...] = ()
    objectives: tuple[AssessmentObjective, ...] = ()
    choice: ChoiceKey | None = None
    numeric: NumericKey | None = None
    note: str = ""

    @property
    def scale(self) -> Scale:
        return Scale(self.max_mark, self.mark_step)

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        scale = self.scale
        point_codes = [point.code for point in self.points]
        group_codes = [group.code for group in self.groups]
        codes = point_codes + group_codes
        if len(set(codes)) != len(codes):
            raise MarkError(f"Two marking points or groups share a code among {', '.join(codes)}.")
        for point in self.points:
            _check_amount(point.marks, scale, f"Point {point.code}")
            if point.group is not None and point.group not in group_codes:
                raise MarkError(f"Point {point.code} is in group {point.group}, which the scheme does not have.")
            for need in point.needs:
                if need not in codes:
                    raise MarkError(f"Point {point.code} needs {need}, which the scheme does not have.")
        for group in self.groups:
            _check_amount(group.cap, scale, f"Group {group.code}")
        for objective in self.objectives:
            _check_levels(objective, scale)
        objective_codes = [objective.code for objective in self.objectives]
        if len(set(objective_codes)) != len(objective_codes):
            raise MarkError("Two assessment objectives share a code.")
        _check_no_cycle(self)
        for partial in (
            self.choice.partial if self.choice else {},
            self.numeric.partial if self.numeric else {},
        ):
            for answer, marks in partial.items():
                scale.check(marks, f"Partial credit for {answer!r}")
        if self.choice:
            _check_choice(self.choice, scale)
        return self


def _check_amount(marks: float, scale: Scale, about: str) -> None:
    if marks <= 0 or not on_step(marks, scale.mark_step):
        raise MarkError(f"{about} is worth {marks:g}, which is not a whole number of {scale.mark_step:g}-mark steps.")


def _check_choice(key: ChoiceKey, scale: Scale) -> None:
    if key.subset_marks is not None:
        scale.check(key.subset_marks, "Partial credit")
    worth = scale.max_mark / len(key.each) if key.each else scale.max_mark
    if not on_step(worth, scale.mark_step):
        raise MarkError(
            f"{scale.max_mark:g} marks cannot be shared equally by {len(key.each)} sub-questions in "
            f"{scale.mark_step:g}-mark steps. Please change the maximum mark, the step or the key."
        )
    if key.subset_marks is not None and key.subset_marks > worth:
        raise MarkError(f"Partial credit: {key.subset_marks:g} is more than a sub-question is worth, {worth:g}.")
    if key.rule == "published":
        _check_published(key, scale)


def _check_published(key: ChoiceKey, scale: Scale) -> None:
    """What GAOKAO-Bench's rule cannot read or mark, found before it makes every answer wrong."""
    keys = [re.sub(r"\W", "", _plain_capitals(entry)) for entry in (key.each or key.correct)]
    several = any(len(entry) > 1 for entry in keys)
    if len(key.each) > 1 and several:
        raise MarkError("GAOKAO-Bench's rule reads one letter a sub-question. Please use our own rule for this key.")
    if len(key.each) < 2 and not set("".join(keys)) <= set("ABCD"):
        raise MarkError("GAOKAO-Bench's rule reads the options A to D only. Please use our own rule for this key.")
    half = scale.max_mark / 2
    if several and key.subset_marks not in (None, half):
        raise MarkError(
            f"GAOKAO-Bench's rule gives {half:g} to an incomplete selection, not {key.subset_marks:g}. "
            "Please use our own rule, or leave that mark out."
        )
    if several and not on_step(half, scale.mark_step):
        raise MarkError(f"GAOKAO-Bench's rule gives half marks, and {half:g} is not a whole number of mark steps.")


def _check_levels(objective: AssessmentObjective, scale: Scale) -> None:
    if not objective.levels:
        raise MarkError(f"{objective.code} has no levels.")
    floor = 0.0
    for level in sorted(objective.levels, key=lambda band: band.low):
        for bound in (level.low, level.high):
            scale.check(bound, f"{objective.code} level {level.level}")
        if level.low > level.high or level.low < floor:
            raise MarkError(f"{objective.code} level {level.level} overlaps another level or is upside down.")
        floor = level.high + scale.mark_step


def _check_no_cycle(scheme: Scheme) -> None:
    members = {group.code: [p.code for p in scheme.points if p.group == group.code] for group in scheme.groups}
    needs = {p.code: [m for need in p.needs for m in members.get(need, [need])] for p in scheme.points}
    done: set[str] = set()

    def visit(code: str, path: tuple[str, ...]) -> None:
        if code in path:
            raise MarkError(f"Points {' → '.join((*path, code))} depend on each other in a circle.")
        if code not in done:
            for need in needs[code]:
                visit(need, (*path, code))
            done.add(code)

    for code in needs:
        visit(code, ())

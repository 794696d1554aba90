"""A question as its author is typing it: every field as typed, whether it is right yet or not."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from components.marking import ChoiceKey, MarkingPoint, NumericKey, Question, QuestionType, Scheme


def new_id() -> str:
    """A name for a row of a draft, by which its fields are known whatever its code and place."""
    return secrets.token_hex(4)


class _Typed(BaseModel):
    model_config = ConfigDict(extra="ignore", validate_assignment=True)


class PointBody(_Typed):
    """`accept` and `reject` have one wording a line. `group` is a group's code or ""."""

    id: str = Field(default_factory=new_id)
    code: str = ""
    text: str = ""
    marks: float | None = 1.0
    accept: str = ""
    reject: str = ""
    needs: list[str] = []
    group: str = ""
    follow_through: bool = False


class GroupBody(_Typed):
    id: str = Field(default_factory=new_id)
    code: str = ""
    text: str = ""
    cap: float | None = 1.0


class LevelBody(_Typed):
    id: str = Field(default_factory=new_id)
    level: int | None = 1
    low: float | None = None
    high: float | None = None
    descriptor: str = ""


class ObjectiveBody(_Typed):
    id: str = Field(default_factory=new_id)
    code: str = ""
    name: str = ""
    levels: list[LevelBody] = []


class ChoiceBody(_Typed):
    """`options` has one a line, "A  the mitochondria"; `key` is "B", "ACD", or "B or C" where either is right; `each`
    "B, D, A" is given instead where several sub-questions are answered in one response; `partial` "AC 1" a line."""

    options: str = ""
    key: str = ""
    each: str = ""
    partial: str = ""
    subset_marks: float | None = None
    rule: str = "ours"


class NumericBody(_Typed):
    """`correct` has one right answer a line; `partial` other answers, "0.5 1" a line."""

    correct: str = ""
    tolerance: float | None = 0.0
    relative_tolerance: float | None = 0.0
    significant_figures: int | None = None
    unit_required: bool = False
    partial: str = ""


class PictureBody(_Typed):
    sha256: str
    caption: str = ""


class QuestionBody(_Typed):
    """`tolerance` is None where it follows the exam's rule; `aos` is "AO1, AO2"; `scheme_text` the scheme's free text.

    `base_scheme_id` is the scheme version that the typing began from, None for a question that is not saved yet.
    `after` is the question that a new one is to stand behind, None for the end.
    """

    number: str = ""
    type: str = QuestionType.SHORT
    text: str = ""
    stimulus: str = ""
    max_mark: float | None = 1.0
    mark_step: float = 1.0
    tolerance: float | None = None
    subject: str = ""
    language: str = "en"
    aos: str = ""
    model_answer: str = ""
    analysis: str = ""
    pictures: list[PictureBody] = []
    points: list[PointBody] = []
    groups: list[GroupBody] = []
    objectives: list[ObjectiveBody] = []
    choice: ChoiceBody = Field(default_factory=ChoiceBody)
    numeric: NumericBody = Field(default_factory=NumericBody)
    scheme_text: str = ""
    note: str = ""
    base_scheme_id: int | None = None
    after: int | None = None


def body_of(
    question: Question,
    scheme: Scheme,
    pictures: Sequence[PictureBody] = (),
    *,
    by_rule: bool = False,
    scheme_id: int | None = None,
) -> QuestionBody:
    """A question that is in the exam as its editor starts with it. `by_rule`: its tolerance follows the exam's rule."""
    body = QuestionBody(
        **question.model_dump(exclude={"aos", "tolerance"}),
        tolerance=None if by_rule else question.tolerance,
        aos=", ".join(question.aos),
        pictures=list(pictures),
        base_scheme_id=scheme_id,
    )
    return with_scheme(body, scheme)


def with_scheme(body: QuestionBody, scheme: Scheme) -> QuestionBody:
    """The draft with this mark scheme in the place of its own; the question's own fields, its scale too, stay.

    A row's id is its place, so that a question that nobody has changed has the same ids whenever it is opened.
    """
    return body.model_copy(
        update={
            "points": [_point_body(place, point) for place, point in enumerate(scheme.points)],
            "groups": [
                GroupBody(id=f"g{place}", code=group.code, text=group.text, cap=group.cap)
                for place, group in enumerate(scheme.groups)
            ],
            "objectives": [
                ObjectiveBody(
                    id=f"o{place}",
                    code=objective.code,
                    name=objective.name,
                    levels=[
                        LevelBody(id=f"o{place}l{rung}", **level.model_dump())
                        for rung, level in enumerate(objective.levels)
                    ],
                )
                for place, objective in enumerate(scheme.objectives)
            ],
            "choice": ChoiceBody() if scheme.choice is None else _choice_body(scheme.choice),
            "numeric": NumericBody() if scheme.numeric is None else _numeric_body(scheme.numeric),
            "scheme_text": scheme.text,
            "note": scheme.note,
        }
    )


def lines(text: str) -> tuple[str, ...]:
    """The lines that have something in them, without the space around it."""
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def partial_text(partial: dict[str, float]) -> str:
    return "\n".join(f"{answer} {marks:g}" for answer, marks in partial.items())


def either(text: str) -> tuple[str, ...]:
    """ "B or C", or one a line, as the answers in it."""
    return tuple(part.strip() for part in re.split(r"\n|\bor\b", text, flags=re.IGNORECASE) if part.strip())


def _point_body(place: int, point: MarkingPoint) -> PointBody:
    return PointBody(
        id=f"p{place}",
        code=point.code,
        text=point.text,
        marks=point.marks,
        accept="\n".join(point.accept),
        reject="\n".join(point.reject),
        needs=list(point.needs),
        group=point.group or "",
        follow_through=point.follow_through,
    )


def _choice_body(key: ChoiceKey) -> ChoiceBody:
    return ChoiceBody(
        options="\n".join(f"{label}  {text}".strip() for label, text in key.options.items()),
        key=" or ".join(key.correct),
        each=", ".join(key.each),
        partial=partial_text(key.partial),
        subset_marks=key.subset_marks,
        rule=key.rule,
    )


def _numeric_body(key: NumericKey) -> NumericBody:
    return NumericBody(
        correct="\n".join(key.correct),
        tolerance=key.tolerance,
        relative_tolerance=key.relative_tolerance,
        significant_figures=key.significant_figures,
        unit_required=key.unit_required,
        partial=partial_text(key.partial),
    )

"""From what an author typed to a question and its scheme, or to the reasons in words, each at its field."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from pydantic import ValidationError

from components.marking import (
    MARK_STEPS,
    AssessmentObjective,
    Level,
    MarkError,
    MarkingPoint,
    PointGroup,
    Question,
    QuestionType,
    Scale,
    Scheme,
    ToleranceRule,
)
from components.workflow.exam_setup.body import (
    GroupBody,
    ObjectiveBody,
    PointBody,
    QuestionBody,
    lines,
)
from components.workflow.exam_setup.keys import choice_key, numeric_key

_MOST = 1000.0
Made = TypeVar("Made")


@dataclass
class Checked:
    """What a draft comes to: `question` and `scheme` are there where nothing is wrong.

    `reasons` are (field, what is wrong and what to do): a field of the body, or `points.<row id>` and alike.
    """

    question: Question | None = None
    scheme: Scheme | None = None
    reasons: list[tuple[str, str]] = field(default_factory=list)

    def at(self, where: str) -> list[str]:
        """The reasons at one field."""
        return [words for found, words in self.reasons if found == where]


def check(
    body: QuestionBody, rule: ToleranceRule, taken: frozenset[str] = frozenset(), fixed: Scale | None = None
) -> Checked:
    """`taken` are the numbers of the exam's other questions; `rule` gives the tolerance where the draft has none;
    `fixed` is the scale that a question with responses keeps."""
    checked = Checked()
    number = body.number.strip()
    if not number:
        checked.reasons.append(("number", "A question needs a number, such as 3(b)."))
    elif number in taken:
        checked.reasons.append(("number", f"This exam already has a question {number}. Give this one another number."))
    scale = _scale(body, checked)
    if scale is None:
        return checked
    if fixed is not None and scale != fixed:
        checked.reasons.append(
            (
                "max_mark",
                f"This question has responses, so its maximum ({fixed.max_mark:g}) and mark step "
                f"({fixed.mark_step:g}) stay: the marks given are on that scale. Set them back.",
            )
        )
    tolerance = rule.of(scale.max_mark, scale.mark_step) if body.tolerance is None else body.tolerance
    if not 0 <= tolerance <= scale.max_mark:
        checked.reasons.append(
            ("tolerance", f"A tolerance must be from 0 to the maximum, {scale.max_mark:g}, not {tolerance:g}.")
        )
    scheme = _scheme(body, scale, checked)
    if checked.reasons or scheme is None:
        return checked
    checked.scheme = scheme
    checked.question = Question(
        number=number,
        type=QuestionType(body.type),
        text=body.text.strip(),
        stimulus=body.stimulus.strip(),
        max_mark=scale.max_mark,
        mark_step=scale.mark_step,
        tolerance=tolerance,
        subject=body.subject.strip(),
        model_answer=body.model_answer.strip(),
        analysis=body.analysis.strip(),
        language=body.language,
        aos=tuple(part for part in re.split(r"[\s,;]+", body.aos) if part),
    )
    return checked


def reachable(scheme: Scheme) -> float | None:
    """The most that points and levels can come to together, in marks; None where the scheme has neither."""
    if not scheme.points and not scheme.objectives:
        return None
    alone = sum(point.marks for point in scheme.points if point.group is None)
    grouped = sum(
        min(group.cap, sum(point.marks for point in scheme.points if point.group == group.code))
        for group in scheme.groups
    )
    return alone + grouped + sum(objective.max_mark for objective in scheme.objectives)


def hints(question: Question, scheme: Scheme) -> list[str]:
    """What an author may have overlooked; none of it keeps the question from being saved."""
    said = []
    most = reachable(scheme)
    if most is not None and most < question.max_mark:
        said.append(f"The scheme comes to {most:g} of {question.max_mark:g} marks: full marks cannot be reached by it.")
    if most is not None and most > question.max_mark:
        said.append(f"The scheme comes to {most:g}; marks beyond the maximum of {question.max_mark:g} are not given.")
    if question.type in (QuestionType.SINGLE_CHOICE, QuestionType.MULTIPLE_CHOICE) and scheme.choice is None:
        said.append("Without a key, a choice question cannot be marked by calculation; a teacher marks every answer.")
    if question.type is QuestionType.NUMERIC and scheme.numeric is None:
        said.append("Without a key, a numeric question cannot be marked by calculation; a teacher marks every answer.")
    if not question.text and not question.stimulus:
        said.append("The question has no text. A judge would have to mark without knowing what was asked.")
    empty = not (scheme.points or scheme.objectives or scheme.choice or scheme.numeric or scheme.text)
    if empty and not question.type.objective:
        said.append("There is no mark scheme yet, so a judge has nothing to mark by.")
    return said


def _scale(body: QuestionBody, checked: Checked) -> Scale | None:
    most = body.max_mark
    if most is None or not 0 < most <= _MOST:
        checked.reasons.append(("max_mark", f"Give the maximum mark, more than 0 and at most {_MOST:g}."))
        return None
    if body.mark_step not in MARK_STEPS:
        checked.reasons.append(("mark_step", "A mark step is 1, 0.5 or 0.25."))
        return None
    try:
        return Scale(most, body.mark_step)
    except MarkError as error:
        checked.reasons.append(("max_mark", str(error)))
        return None


def _scheme(body: QuestionBody, scale: Scale, checked: Checked) -> Scheme | None:
    """The whole scheme. Each part is tried alone first, so that what is wrong with it is said beside it."""
    points = _each(body.points, "points", checked, lambda row: _point(row, scale))
    groups = _each(body.groups, "groups", checked, lambda row: _group(row, scale))
    objectives = _each(body.objectives, "objectives", checked, lambda row: _objective(row, scale))
    choice = _part("choice", checked, lambda: choice_key(body.choice, scale))
    numeric = _part("numeric", checked, lambda: numeric_key(body.numeric, scale))
    if checked.reasons:
        return None
    return _part(
        "scheme",
        checked,
        lambda: Scheme(
            max_mark=scale.max_mark,
            mark_step=scale.mark_step,
            text=body.scheme_text.strip(),
            points=tuple(points),
            groups=tuple(groups),
            objectives=tuple(objectives),
            choice=choice,
            numeric=numeric,
            note=body.note.strip(),
        ),
    )


Row = TypeVar("Row", PointBody, GroupBody, ObjectiveBody)


def _each(rows: list[Row], kind: str, checked: Checked, make: Callable[[Row], Made]) -> list[Made]:
    made = [_part(f"{kind}.{row.id}", checked, partial(make, row)) for row in rows]
    return [each for each in made if each is not None]


def _part(where: str, checked: Checked, make: Callable[[], Made]) -> Made | None:
    try:
        return make()
    except ValidationError as error:
        checked.reasons.append((where, in_words(error)))
    except MarkError as error:
        checked.reasons.append((where, str(error)))
    return None


def in_words(error: ValidationError) -> str:
    """What a scheme's own rules say of it, without what pydantic puts around it."""
    first = error.errors()[0]
    said = str(first["msg"]).removeprefix("Value error, ")
    if first["type"] == "value_error":
        return said
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] in ("string_too_short", "string_too_long"):
        return f"A code ({place}) needs from 1 to 40 characters."
    return f"{place}: {said}."


def _point(row: PointBody, scale: Scale) -> MarkingPoint:
    code = _code(row.code, "A marking point", "M1")
    if row.marks is None:
        raise MarkError(f"Give point {code} its marks.")
    point = MarkingPoint(
        code=code,
        text=row.text.strip(),
        marks=row.marks,
        accept=lines(row.accept),
        reject=lines(row.reject),
        needs=tuple(row.needs),
        group=row.group or None,
        follow_through=row.follow_through,
    )
    alone = point.model_copy(update={"needs": (), "group": None})
    Scheme(max_mark=scale.max_mark, mark_step=scale.mark_step, points=(alone,))
    if not point.text:
        raise MarkError(f"Say what earns {code}.")
    return point


def _group(row: GroupBody, scale: Scale) -> PointGroup:
    code = _code(row.code, "A group", "G1")
    if row.cap is None:
        raise MarkError(f"Say how many marks group {code} gives at most.")
    group = PointGroup(code=code, text=row.text.strip(), cap=row.cap)
    Scheme(max_mark=scale.max_mark, mark_step=scale.mark_step, groups=(group,))
    return group


def _objective(row: ObjectiveBody, scale: Scale) -> AssessmentObjective:
    code = _code(row.code, "A set of levels", "AO1")
    bands = []
    for level in row.levels:
        if level.level is None or level.low is None or level.high is None:
            raise MarkError(f"{code}: give every level its number, its lowest and its highest mark.")
        bands.append(Level(level=level.level, low=level.low, high=level.high, descriptor=level.descriptor.strip()))
    objective = AssessmentObjective(code=code, name=row.name.strip(), levels=tuple(bands))
    Scheme(max_mark=scale.max_mark, mark_step=scale.mark_step, objectives=(objective,))
    numbers = [level.level for level in bands]
    if len(set(numbers)) != len(numbers):
        raise MarkError(f"{code}: two levels have the same number.")
    return objective


def _code(code: str, what: str, example: str) -> str:
    if not code.strip():
        raise MarkError(f"{what} needs a code, such as {example}.")
    return code.strip()

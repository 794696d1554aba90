"""What a candidate earned on a question and what was missing, as far as a teacher has said so."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from pydantic import TypeAdapter

from components.marking import (
    LevelVerdict,
    MarkingPoint,
    PointGroup,
    PointVerdict,
    Question,
    Scheme,
    Verdict,
    WholeVerdict,
    earned_codes,
    format_mark,
)
from components.workflow.marks_out.student_words import student_words
from storage.judges import OBJECTIVE
from storage.mark_book import FinalDecision

_VERDICTS: TypeAdapter[tuple[Verdict, ...]] = TypeAdapter(tuple[Verdict, ...])


class Source(StrEnum):
    """Who says what was earned, in a candidate's words."""

    TEACHER = "Ticked by your teacher"
    AI = "Suggested by the AI, checked by your teacher"
    RULE = "Marked by a fixed rule, checked by your teacher"


@dataclass(frozen=True)
class Credit:
    """Lines for a candidate. `levels` are what their work reached in a levels scheme."""

    source: Source
    earned: tuple[str, ...]
    missed: tuple[str, ...]
    levels: tuple[str, ...] = ()


def credit(question: Question, final: FinalDecision, final_mark: float | None) -> Credit | None:
    """The points behind a final mark; None where nobody has said which they are.

    A teacher's ticks come first. A judge's verdicts count only where the marker was shown them and then gave the very
    mark that they come to; and neither counts where another mark stands in the end, such as a mean of two.
    """
    if final_mark is None or final.mark != final_mark:
        return None
    if final.points is not None:
        scheme = _scheme(question, final.scheme)
        return _credit(Source.TEACHER, [PointVerdict(code=code, awarded=True) for code in final.points], scheme)
    if final.proposal_id is None or final.proposal_mark != final_mark:
        return None
    verdicts = _VERDICTS.validate_json(final.proposal_verdicts)
    if not verdicts or any(isinstance(verdict, WholeVerdict) for verdict in verdicts):
        return None
    source = Source.RULE if final.judge_kind == OBJECTIVE else Source.AI
    return _credit(source, verdicts, _scheme(question, final.proposal_scheme))


def _scheme(question: Question, body: str) -> Scheme:
    return Scheme.model_validate(json.loads(body) | {"max_mark": question.max_mark, "mark_step": question.mark_step})


def _credit(source: Source, verdicts: Iterable[Verdict], scheme: Scheme) -> Credit:
    verdicts = list(verdicts)
    earned = earned_codes(verdicts, scheme)
    return Credit(
        source,
        tuple(f"{student_words(p.text)} ({_marks(p.marks)})" for p in scheme.points if p.code in earned),
        tuple(_missed(scheme, earned)),
        tuple(line for v in verdicts if isinstance(v, LevelVerdict) for line in _level(v, scheme)),
    )


def _missed(scheme: Scheme, earned: frozenset[str]) -> Iterable[str]:
    """Ungrouped points one by one; of a group only what would still have earned something, at its first point."""
    groups = {group.code: group for group in scheme.groups}
    told: set[str] = set()
    for point in scheme.points:
        if point.group is None:
            if point.code not in earned:
                yield f"{student_words(point.text)} ({_marks(point.marks)})"
        elif point.group not in told:
            told.add(point.group)
            yield from _missed_of_group(groups[point.group], scheme.points, earned)


def _missed_of_group(group: PointGroup, points: Iterable[MarkingPoint], earned: frozenset[str]) -> Iterable[str]:
    members = [point for point in points if point.group == group.code]
    left = group.cap - sum(point.marks for point in members if point.code in earned)
    others = [point for point in members if point.code not in earned]
    if left > 0 and others:
        worth = min(left, sum(point.marks for point in others))
        said = "; ".join(student_words(point.text) for point in others)
        yield f"any of these, for {'up to ' if worth > others[0].marks else ''}{_marks(worth)}: {said}"


def _level(verdict: LevelVerdict, scheme: Scheme) -> Iterable[str]:
    objective = next((each for each in scheme.objectives if each.code == verdict.objective), None)
    if objective is None:
        return
    name = " ".join(part for part in (objective.code, objective.name) if part)
    band = next((level for level in objective.levels if level.level == verdict.level), None)
    reached = f"level {band.level}: {student_words(band.descriptor)}" if band else "below the first level"
    yield f"{name}: {format_mark(verdict.mark)} of {format_mark(objective.max_mark)}, {reached}"


def _marks(marks: float) -> str:
    return f"{format_mark(marks)} mark{'' if marks == 1 else 's'}"

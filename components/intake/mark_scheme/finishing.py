"""A question as read into its draft: worth, groups, codes, dependence, levels, and what does not add up."""

from __future__ import annotations

from dataclasses import replace

from components.intake.mark_scheme.building import Building, RawLevel, RawPoint
from components.intake.mark_scheme.draft import GroupDraft, LevelDraft, PointDraft, QuestionDraft, SpecialCase
from components.intake.mark_scheme.naming import name_points, needs_of, settle_routes
from components.intake.mark_scheme.worth import (
    maximum,
    settle_groups,
    settle_heading,
    settle_plain,
    settle_tiers,
    settle_worth,
)
from components.marking.marks import MarkError, format_mark, on_step


def finish(question: Building, mark_step: float, problems: list[str]) -> QuestionDraft:
    """The draft; what does not fit together is added to `problems`."""
    said: list[str] = []
    settle_heading(question)
    if question.told is None and question.rows:
        question.told = sum(question.rows)
    dropped = settle_plain(question)
    settle_worth(question, said)
    settle_tiers(question)
    settle_routes(question)
    settle_groups(question, said)
    name = f"Question {question.number}" if question.number else "The scheme"
    groups = _group_codes(question)
    codes = name_points(question)
    missing: list[str] = []
    needs = needs_of(question, codes, groups, missing)
    problems.extend(f"{name}: {entry}" for entry in missing)
    points = tuple(
        PointDraft(
            code=code,
            text=point.text,
            marks=point.marks or 0.0,
            needs=needed,
            group=None if point.group is None else groups[point.group],
            alternatives=tuple(point.alternatives),
            accept=tuple(point.remarks.accept),
            reject=tuple(point.remarks.reject),
            ignore=tuple(point.remarks.ignore),
            follow_through=point.follow,
            assumed=assumed,
            lines=tuple(dict.fromkeys(point.lines)),
        )
        for point, code, (needed, assumed) in zip(question.points, codes, needs, strict=True)
    )
    draft = QuestionDraft(
        number=question.number,
        max_mark=None,
        mark_step=mark_step,
        title=question.title,
        points=points,
        groups=tuple(
            GroupDraft(
                code,
                question.groups[place].text,
                question.groups[place].cap or 0.0,
                tuple(question.groups[place].lines),
            )
            for place, code in groups.items()
        ),
        levels=_levels(question, name, problems),
        objective_names=tuple(question.names.items()),
        indicative=tuple(question.indicative),
        special_cases=tuple(SpecialCase(text, marks, tuple(lines)) for text, marks, lines in question.special),
        guidance=tuple(question.guidance),
        aos=tuple(dict.fromkeys(question.aos)),
    )
    top = maximum(question, draft.total, said)
    lines = set(question.lines).union(*(point.lines for point in question.points)) - _only_of(dropped, question)
    draft = replace(draft, max_mark=top, assumed=tuple(said), lines=tuple(sorted(lines)))
    faults = [f"{name}: {entry}" for entry in _faults(draft)]
    problems.extend(faults if faults or missing else _refusal(draft))
    return draft


def _only_of(dropped: list[RawPoint], question: Building) -> set[int]:
    """Lines of points left out; a line beside the question's number has been read all the same."""
    return {line for point in dropped for line in (point.lines[1:] if point.heading else point.lines)} - {
        line for point in question.points for line in point.lines
    }


def _group_codes(question: Building) -> dict[int, str]:
    held = [place for place in range(len(question.groups)) if any(point.group == place for point in question.points)]
    return {place: f"G{number}" for number, place in enumerate(held, 1)}


def _levels(question: Building, name: str, problems: list[str]) -> tuple[LevelDraft, ...]:
    drafts: list[LevelDraft] = []
    for objective in dict.fromkeys(level.objective for level in question.levels):
        bands = [level for level in question.levels if level.objective == objective and level.high != 0]
        for level in bands:
            if level.low is None or level.high is None:
                problems.append(f"{name}: level {level.level} has no marks beside it.")
        whole = sorted((level for level in bands if level.high is not None), key=lambda level: level.low or 0)
        for place, level in enumerate(whole, 1):
            if level.level == 0 or level.best_first:
                level.level = place
        drafts.extend(_level(level) for level in bands if level.low is not None and level.high is not None)
    return tuple(drafts)


def _level(level: RawLevel) -> LevelDraft:
    assert level.low is not None
    assert level.high is not None
    return LevelDraft(level.objective, level.level, level.low, level.high, level.descriptor, tuple(level.lines))


def _refusal(draft: QuestionDraft) -> list[str]:
    """Why the draft makes no scheme, where nothing else says so."""
    try:
        draft.scheme()
    except MarkError as error:
        return [str(error)]
    return []


def _faults(draft: QuestionDraft) -> list[str]:
    faults = [f"{point.code} has no words beside it." for point in draft.points if not point.text]
    faults += [
        f"{point.code} is worth {format_mark(point.marks)}, which is not a whole number of "
        f"{format_mark(draft.mark_step)}-mark steps."
        for point in draft.points
        if point.marks <= 0 or not on_step(point.marks, draft.mark_step)
    ]
    if draft.max_mark is None:
        return [*faults, "no maximum mark was found."]
    if (draft.points or draft.levels) and draft.total != draft.max_mark:
        kind = "points" if draft.points else "levels"
        faults.append(
            f"the {kind} come to {format_mark(draft.total)}, and the maximum is {format_mark(draft.max_mark)}."
        )
    return faults

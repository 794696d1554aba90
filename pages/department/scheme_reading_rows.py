"""What was read of a question as rows of a table that a teacher edits, and the edited rows as what was read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from components.intake.mark_scheme import GroupDraft, LevelDraft, PointDraft, QuestionDraft

Row = Mapping[str, Any]


def point_rows(read: QuestionDraft) -> list[dict[str, Any]]:
    return [
        {
            "keep": True,
            "was": point.code,
            "code": point.code,
            "marks": point.marks or None,
            "text": point.text,
            "needs": list(point.needs),
            "group": point.group or "",
            "accept": [*point.alternatives, *point.accept],
            "reject": list(point.reject),
            "follow_through": point.follow_through,
        }
        for point in read.points
    ]


def group_rows(read: QuestionDraft) -> list[dict[str, Any]]:
    return [{"code": group.code, "text": group.text, "cap": group.cap} for group in read.groups]


def level_rows(read: QuestionDraft) -> list[dict[str, Any]]:
    return [
        {
            "keep": True,
            "objective": band.objective,
            "level": band.level,
            "low": band.low,
            "high": band.high,
            "descriptor": band.descriptor,
        }
        for band in read.levels
    ]


def with_points(read: QuestionDraft, rows: Sequence[Row]) -> QuestionDraft:
    """The question with the points of the rows that are kept. What needed a point that got another code follows it;
    what needed one that is gone needs it no more."""
    kept = [row for row in rows if _ticked(row.get("keep")) and (_words(row.get("code")) or _words(row.get("text")))]
    codes = {_words(row.get("code")) for row in kept}
    renamed = {
        _words(row.get("was")): _words(row.get("code"))
        for row in kept
        if _words(row.get("was")) and _words(row.get("was")) not in codes
    }
    there = codes | {group.code for group in read.groups}
    points = []
    for row in kept:
        needs = [renamed.get(need, need) for need in _several(row.get("needs"))]
        points.append(
            PointDraft(
                code=_words(row.get("code")),
                text=_words(row.get("text")),
                marks=_number(row.get("marks")) or 0.0,
                needs=tuple(need for need in needs if need in there),
                group=_words(row.get("group")) or None,
                accept=_several(row.get("accept")),
                reject=_several(row.get("reject")),
                follow_through=bool(row.get("follow_through") or False),
            )
        )
    return replace(read, points=tuple(points))


def with_groups(read: QuestionDraft, rows: Sequence[Row]) -> QuestionDraft:
    """The question with these words and caps in its groups, in their order; their codes stay."""
    groups = [
        GroupDraft(group.code, _words(row.get("text")), _number(row.get("cap")) or 0.0)
        for group, row in zip(read.groups, rows, strict=True)
    ]
    return replace(read, groups=tuple(groups))


def with_levels(read: QuestionDraft, rows: Sequence[Row]) -> QuestionDraft:
    """The question with the levels of the rows that are kept. One without a number or marks has 0 there."""
    return replace(
        read,
        levels=tuple(
            LevelDraft(
                objective=_words(row.get("objective")) or "Levels",
                level=int(_number(row.get("level")) or 0),
                low=_number(row.get("low")) or 0.0,
                high=_number(row.get("high")) or 0.0,
                descriptor=_words(row.get("descriptor")),
            )
            for row in rows
            if _ticked(row.get("keep"))
        ),
    )


def with_words(read: QuestionDraft, indicative: str, note: str) -> QuestionDraft:
    """The question with its indicative content and its note as typed, one entry a line."""
    return replace(
        read,
        indicative=tuple(line.strip() for line in indicative.splitlines() if line.strip()),
        guidance=tuple(line.strip() for line in note.splitlines() if line.strip()),
        special_cases=(),
        points=tuple(replace(point, ignore=()) for point in read.points),
    )


def _ticked(value: Any) -> bool:
    return _absent(value) or bool(value)  # a row just added has nothing there


def _absent(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _words(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _number(value: Any) -> float | None:
    return None if _absent(value) else float(value)


def _several(value: Any) -> tuple[str, ...]:
    if value is None or isinstance(value, (str, float)):
        return (value.strip(),) if isinstance(value, str) and value.strip() else ()
    return tuple(str(entry).strip() for entry in value if str(entry).strip())

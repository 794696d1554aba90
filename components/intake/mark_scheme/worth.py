"""What each point of a question is worth, and the groups and the maximum that follow from it."""

from __future__ import annotations

import re

from components.intake.mark_scheme.building import Building, RawGroup, RawPoint

_TASK = re.compile(
    r"^(?:explain|state|describe|calculate|work\s+out|give|solve|show|write|find|name|what|why|how|which|who|when|where"
    r"|compare|evaluate|suggest|define|list|outline|prove|hence|draw|sketch|complete|identify|discuss|translate)\b|\?$",
    re.I,
)


def settle_heading(question: Building) -> None:
    """A line beside the number with a mark at its end is the task, and the mark the maximum, where points follow."""
    first = question.points[0] if question.points else None
    if first is None or first.written:
        return
    others = [point for point in question.points[1:] if not point.plain]
    if not others and len(question.points) > 1 and first.marks is not None and _TASK.search(first.text):
        question.told = question.told if question.told is not None else first.marks
        question.title = first.text
        question.points.remove(first)
        return
    if not first.heading and not (_TASK.search(first.text) and first.marks in (question.told, _marked(others))):
        return
    if first.plain and (others or question.levels):
        question.title = question.title or first.text
        question.points.remove(first)
    elif first.marks is not None and others and not first.tier and all(point.tier for point in others):
        question.told = question.told if question.told is not None else first.marks
    elif (
        question.told is None
        and len(others) > 1
        and first.lines[0] not in others[0].lines
        and 1 < (first.marks or 0) <= _marked(others)
    ):
        question.told, question.title = first.marks, first.text
        question.points.remove(first)
    elif first.marks is not None and (question.levels or (others and _is_task(first, others))):
        question.told = question.told if question.told is not None else first.marks
        question.title = first.text
        question.points.remove(first)


def _marked(points: list[RawPoint]) -> float:
    return sum(point.marks or 0.0 for point in points)


def _is_task(first: RawPoint, others: list[RawPoint]) -> bool:
    return _TASK.search(first.text) is not None or all(point.written for point in others)


def settle_plain(question: Building) -> list[RawPoint]:
    """Keeps bare lines as points where nothing better is there and their number fits; gives those left out."""
    plain = [point for point in question.points if point.plain]
    better = [point for point in question.points if not point.plain]
    fits = question.told is not None and (len(plain) == 1 or len(plain) == question.told)
    rows = bool(question.rows) and bool(plain)
    if plain and not better and not question.levels and not question.indicative and (fits or rows):
        return []
    question.points = better
    return plain


def settle_worth(question: Building, said: list[str]) -> None:
    """Gives every point its marks."""
    for point in question.points:
        if point.written:
            point.marks = point.marks if point.marks is not None else _coded_worth(point, question)
        elif point.group is not None and point.marks is None:
            group = question.groups[point.group]
            point.marks = group.each or question.each or _share_of(group, question)
        elif point.marks is None and question.each:
            point.marks = question.each
    open_points = [point for point in question.points if point.marks is None]
    if not open_points:
        return
    known = _sum(question)
    left = question.told - known if question.told is not None else None
    each = 1.0
    if left is not None and left > 0 and left / len(open_points) > 1 and (left / len(open_points)).is_integer():
        each = left / len(open_points)
    for point in open_points:
        point.marks = each
    if left != len(open_points) * each or each != 1:
        one = len(open_points) == 1
        said.append(
            f"a point without marks is read as {each:g}" if one else f"points without marks are read as {each:g} each"
        )
    if left is not None and left > 0 and each * len(open_points) > left:
        _group_of(open_points, question, left)
        said.append(f"more points than marks: read as any that come to {left:g}")


def _share_of(group: RawGroup, question: Building) -> float:
    if group.cap and group.count and (group.cap / group.count).is_integer():
        return group.cap / group.count
    return 1.0


def _coded_worth(point: RawPoint, question: Building) -> float:
    """M2 is two marks, unless it is the second of M1, M2, M3."""
    found = re.match(r"(?:dd?)?(MP|[A-Z])(\d{1,2})", point.written)
    assert found is not None
    if found[1] == "MP" or found[2] in "01":
        return 1.0
    before = question.points[: _place(point, question)]
    earlier = f"{found[1]}{int(found[2]) - 1}"
    counted = any(other.route == point.route and other.written.startswith(earlier) for other in before)
    return 1.0 if counted else float(found[2])


def _place(point: RawPoint, question: Building) -> int:
    return next(place for place, other in enumerate(question.points) if other is point)


def settle_tiers(question: Building) -> None:
    """ "4 marks: …, 3 marks: …, 2 marks: …" are alternatives where they would come to more than the maximum."""
    if question.told is None or _sum(question) <= question.told:
        return
    place = 0
    while place < len(question.points):
        run = [question.points[place]] if question.points[place].tier else []
        for point in question.points[place + 1 :] if run else []:
            if not point.tier or (point.marks or 0) >= (run[-1].marks or 0):
                break
            run.append(point)
        if len(run) > 1 and all(point.group is None for point in run):
            best = run[0].marks or 0.0
            topic = question.points[place - 1] if place else None
            for point in run:
                point.group = len(question.groups)
            question.groups.append(RawGroup("the best of these", best))
            if (
                topic is not None
                and not topic.written
                and not topic.tier
                and topic.marks == best
                and topic.group is None
            ):
                question.groups[-1].text = topic.text
                question.groups[-1].lines.extend(topic.lines)
                question.points.remove(topic)
        place += max(len(run), 1)


def settle_groups(question: Building, said: list[str]) -> None:
    """Caps where the source or the maximum asks for them; drops groups that cap nothing."""
    for place, group in enumerate(question.groups):
        members = [point for point in question.points if point.group == place]
        worth = sum(point.marks or 0 for point in members)
        if group.cap is None:
            best = sorted((point.marks or 0 for point in members), reverse=True)
            group.cap = sum(best[: group.count]) if group.count else worth
        if not group.certain and worth <= group.cap:
            for point in members:
                point.group = None
    loose = [point for point in question.points if point.group is None]
    told = question.told
    tiers = told is not None and loose == question.points and not any(point.written for point in loose)
    if told is not None and tiers and sum(point.marks or 0 for point in loose) > told and len(loose) > 1:
        _group_of(loose, question, told)
        said.append(f"the points come to more than {told:g}: read as at most {told:g} together")


def _group_of(points: list[RawPoint], question: Building, cap: float) -> None:
    for point in points:
        point.group = len(question.groups)
    question.groups.append(RawGroup(f"at most {cap:g}", cap))


def _sum(question: Building) -> float:
    known = sum(point.marks for point in question.points if point.marks is not None and point.group is None)
    for place, group in enumerate(question.groups):
        worth = sum(point.marks or 0 for point in question.points if point.group == place)
        known += min(worth, group.cap) if group.cap is not None else worth
    return known


def maximum(question: Building, draft_total: float, said: list[str]) -> float | None:
    """What the source says, else what the rows of its table or its points come to."""
    if question.told is not None:
        return question.told
    if question.rows:
        return sum(question.rows)
    if draft_total > 0:
        said.append(f"the maximum, {draft_total:g}, is what the points come to")
        return draft_total
    return None

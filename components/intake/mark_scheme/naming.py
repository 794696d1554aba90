"""Codes of points, the two methods before and after "OR", and what each point depends on."""

from __future__ import annotations

import re

from components.intake.mark_scheme.building import Building, RawGroup, RawPoint
from components.intake.mark_scheme.wording import chinese


def settle_routes(question: Building) -> None:
    """Points of a second method share the credit of the first: pair by pair where their codes are the same."""
    for route in range(1, question.route + 1):
        other = [point for point in question.points if point.route == route]
        first = [point for point in question.points if point.route == 0]
        if not other or not first:
            continue
        paired = first[-len(other) :]
        if [_kind(point) for point in paired] == [_kind(point) for point in other]:
            for old, new in zip(paired, other, strict=True):
                if old.group is None:
                    old.group = _group(question, "one of the methods")
                new.group = old.group
                cap = question.groups[old.group].cap or 0
                question.groups[old.group].cap = max(cap, old.marks or 0, new.marks or 0)
        else:
            _share(question, first, other)


def _share(question: Building, first: list[RawPoint], other: list[RawPoint]) -> None:
    """One cap over both methods: what the better of them is worth."""
    shared = next((point.group for point in first if point.group is not None), None)
    if shared is None:
        shared = _group(question, "one of the methods")
    group = question.groups[shared]
    worth = max(sum(point.marks or 0 for point in points) for points in (first, other))
    group.cap = max(group.cap or 0, worth)
    for point in first + other:
        point.group = shared


def _group(question: Building, text: str) -> int:
    question.groups.append(RawGroup(text, 0))
    return len(question.groups) - 1


def _kind(point: RawPoint) -> str:
    return re.sub(r"(?:\*|ft|cso|cao|dep|oe)$", "", point.written)


def name_points(question: Building) -> list[str]:
    """Codes, each once: M1, M1 become M1, M2; of a second method M1alt; where the source has none, MP1, MP2."""
    taken: set[str] = {point.written for point in question.points if point.written and point.route == 0}
    given: dict[int, set[str]] = {}
    codes: list[str] = []
    everything = " ".join(point.text for point in question.points)
    bare = "" if chinese(everything) else "MP"
    for point in question.points:
        used = given.setdefault(point.route if point.written else -1, set())
        code = _next_free(point.written, used) if point.written else _next_free(f"{bare}1", used | taken)
        used.add(code)
        suffix = "alt" if point.route == 1 else f"alt{point.route}"
        while code in codes:
            code = f"{code}{suffix}" if point.route else _next_free(code, set(codes))
        codes.append(code)
    return codes


def _next_free(code: str, used: set[str]) -> str:
    found = re.match(r"^(\D*)(\d+)(.*)$", code)
    assert found is not None
    number = int(found[2])
    while f"{found[1]}{number}{found[3]}" in used:
        number += 1
    return f"{found[1]}{number}{found[3]}"


def needs_of(
    question: Building, codes: list[str], groups: dict[int, str], missing: list[str]
) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """For each point what it needs, and what of that was assumed. Codes that no point before has go to `missing`."""
    found = []
    for place, point in enumerate(question.points):
        before = [other for other in range(place) if question.points[other].route == point.route]
        if not before:
            before = [other for other in range(place) if question.points[other].route == 0 and point.route]
        needs: list[str] = []
        for wanted in point.depends:
            resolved = _resolve(question, codes, groups, place, before, wanted)
            if not resolved:
                missing.append(f"{codes[place]} depends on {_said(wanted)}, and no point before it is that.")
                resolved = [wanted] if re.fullmatch(r"[A-Za-z]+\d+\w*", wanted) else []
            needs.extend(resolved)
        assumed: tuple[str, ...] = ()
        if not point.depends and re.match("A[1-9]", point.written):
            methods = [other for other in before if re.match("d*[MP]", question.points[other].written)]
            if methods and not question.points[methods[-1]].written.startswith("MP"):
                needs.append(codes[methods[-1]])
                assumed = (f"needs {codes[methods[-1]]}: an accuracy mark follows the method mark before it",)
        found.append((tuple(dict.fromkeys(needs)), assumed))
    return found


def _resolve(
    question: Building, codes: list[str], groups: dict[int, str], place: int, before: list[int], wanted: str
) -> list[str]:
    points = question.points
    methods = [other for other in before if re.match("d*M(?!P)", points[other].written)]
    if wanted == "all":
        return [_code_or_group(question, codes, groups, place, other) for other in before]
    if wanted in ("M", "MM"):
        chosen = methods[-len(wanted) :] or before[-1:]
        return [codes[other] for other in chosen]
    code, _, which = wanted.partition("#")
    if which:
        same = [other for other in before if points[other].written.startswith(code)]
        return [codes[same[int(which) - 1]]] if len(same) >= int(which) else []
    by_written = [other for other in before if points[other].written in (code, f"d{code}")]
    exact = [other for other in range(len(points)) if codes[other] == code and other != place]
    chosen = by_written[-1:] or [other for other in exact if other < place]
    return [codes[other] for other in chosen]


def _code_or_group(question: Building, codes: list[str], groups: dict[int, str], place: int, other: int) -> str:
    """Of points any of which will do, their group; a point's own code elsewhere."""
    point = question.points[other]
    if point.group is None or point.group == question.points[place].group:
        return codes[other]
    mates = [mate for mate in question.points if mate.group == point.group and mate.route == point.route]
    return groups[point.group] if len(mates) > 1 else codes[other]


def _said(wanted: str) -> str:
    return (
        "a method mark"
        if wanted in ("M", "MM")
        else "the points before it"
        if wanted == "all"
        else wanted.split("#", maxsplit=1)[0]
    )

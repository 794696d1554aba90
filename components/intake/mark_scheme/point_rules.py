"""Lines that are points, rule over points, or carry on what was begun."""

from __future__ import annotations

import re

from components.intake.mark_scheme import headers, wording
from components.intake.mark_scheme.building import RawGroup, RawPoint
from components.intake.mark_scheme.points import coded_points, marked_points, split_point
from components.intake.mark_scheme.reading import Reading


def read_ruling(reading: Reading, number: int, body: str) -> bool:
    """Whether the line rules over points above or below it, such as "any three from" or "max 2"."""
    if reading.mode == "indicative":
        return False
    rule = headers.chinese_rule(body)
    if rule:
        _by_rule(reading, number, rule, body)
        return True
    cap = headers.cap_after(body)
    if cap is not None:
        return _cap_above(reading, number, body, cap)
    found = headers.header(body)
    if found is not None:
        _open_group(reading, number, found)
    return found is not None


def _cap_above(reading: Reading, number: int, body: str, cap: float) -> bool:
    open_points = [point for point in reading.now.points if point.group is None and not point.plain]
    if not open_points and reading.group is not None:
        reading.now.groups[reading.group].cap = cap
        return True
    for point in open_points:
        point.group = len(reading.now.groups)
    reading.now.groups.append(RawGroup(body, cap, lines=[number]))
    return bool(open_points)


def _open_group(reading: Reading, number: int, found: headers.Header) -> None:
    reading.close()
    if found.count is None and found.cap is None:
        reading.now.each = found.each
        return
    reading.group = len(reading.now.groups)
    reading.now.groups.append(RawGroup(found.text, found.cap, found.count, found.each, found.certain, lines=[number]))
    for text in found.inline:
        reading.add([split_point(text)], number)
    if found.inline:
        reading.group = None


def _by_rule(reading: Reading, number: int, rule: headers.ChineseRule, body: str) -> None:
    reading.now.each = rule.each or reading.now.each
    reading.now.guidance.extend(rule.notes)
    if rule.cap is not None and reading.now.told is None:
        reading.now.told = rule.cap
    cap = rule.cap or (rule.each * rule.count if rule.each and rule.count else None)
    if rule.count is None and cap is None:
        return
    group = RawGroup(body, cap, rule.count, rule.each, certain=rule.count is not None, lines=[number])
    for point in reading.now.points:
        if point.group is None:
            point.group = len(reading.now.groups)
    reading.group = len(reading.now.groups)
    reading.now.groups.append(group)


def read_point(reading: Reading, number: int, body: str, bulleted: bool) -> bool:
    """Whether the line is a point or several: by codes, by marks, or by its bullet."""
    if reading.mode in ("indicative", "level") and not wording.leading_codes(body)[0]:
        return False
    body, rule = headers.without_chinese_rule(body)
    points = (
        coded_points(body)
        or [point for item in headers.chinese_items(body) for point in marked_points(item)]
        or ([split_point(item) for item in headers.chinese_items(body)] if re.search("[①-⑳]", body) else [])
    )
    if not points and rule and (rule.each or rule.count) and "；" in body:
        points = [split_point(item) for item in body.split("；")]
    if not points and bulleted:
        points = [split_point(body)]
    if not points:
        return False
    if points[0].written and not points[0].text and _takes_plain(reading, points, number):
        return True
    if reading.or_next and not points[0].written and reading.last is not None:
        reading.last.alternatives.extend([points[0].text, *points[0].alternatives])
        reading.last.lines.append(number)
        reading.or_next = False
        return True
    if _joins(reading, body, bulleted, points):
        return _join(reading, points, number)
    new_topic = reading.bulleted and not bulleted and points[0].marks is not None
    if points[0].written or (points[0].tier and not bulleted) or (new_topic and reading.group is not None):
        reading.group, reading.mode = None, ""
    if points[-1].total is not None and reading.now.told is None:
        reading.now.told = points[-1].total
    reading.add(points, number)
    reading.bulleted = bulleted
    if rule:
        _by_rule(reading, number, rule, rule.notes[0] if rule.notes else body)
    return True


def _takes_plain(reading: Reading, points: list[RawPoint], number: int) -> bool:
    """Codes alone on a line are those of the plain line above."""
    last = reading.last
    if last is None or not last.plain or reading.after_blank:
        return False
    reading.now.points.remove(last)
    for point in points:
        point.text, point.alternatives, point.lines = last.text, last.alternatives, list(last.lines)
    reading.add(points, number)
    return True


def _joins(reading: Reading, body: str, bulleted: bool, points: list[RawPoint]) -> bool:
    last = reading.last
    return (
        not bulleted
        and last is not None
        and not last.plain
        and not last.written
        and last.marks is None
        and not points[0].written
        and not reading.after_blank
        and body[:1].islower()
    )


def _join(reading: Reading, points: list[RawPoint], number: int) -> bool:
    assert reading.last is not None
    reading.last.text = f"{reading.last.text} {points[0].text}"
    reading.last.marks = points[0].marks
    reading.last.lines.append(number)
    reading.add(points[1:], number)
    return True


def read_more(reading: Reading, number: int, body: str, bulleted: bool) -> bool:
    """A line that carries on what was begun, or may be a point if nothing better comes."""
    if reading.mode == "level":
        level = reading.now.levels[-1]
        level.descriptor += ("\n" if bulleted else " ") * bool(level.descriptor) + body
        level.lines.append(number)
        return True
    if reading.mode == "indicative":
        _more_content(reading, body, bulleted)
        return True
    return _more_of_point(reading, number, body) or _bare_point(reading, number, body)


def _more_content(reading: Reading, body: str, bulleted: bool) -> None:
    if body.endswith((":", "：")):
        reading.now.guidance.append(body)
    elif not bulleted and body[:1].islower() and reading.now.indicative and not reading.after_blank:
        reading.now.indicative[-1] += " " + wording.tidy(body)
    else:
        reading.now.indicative.append(wording.tidy(body))


def _more_of_point(reading: Reading, number: int, body: str) -> bool:
    last = reading.last
    if last is None:
        return False
    if reading.or_next:
        if last.written:
            return False
        last.alternatives.append(split_point(body).text)
        reading.or_next = False
        return True
    begun = not last.text or (body[:1].islower() and last.marks is None and _carries_on(reading))
    if last.plain or reading.after_blank or not begun:
        return False
    last.text = f"{last.text} {split_point(body).text}".strip()
    last.lines.append(number)
    return True


def _bare_point(reading: Reading, number: int, body: str) -> bool:
    point = split_point(body)
    if reading.group is not None and not reading.after_blank and not (reading.bulleted and reading.members()):
        reading.add([point], number)
        return True
    if reading.group is None and not body.endswith((":", "：")) and point.text:
        point.plain = True
        reading.add([point], number)
        return True
    return False


def _carries_on(reading: Reading) -> bool:
    return not reading.last_text.rstrip().endswith((".", ";", "。", "；", ")"))

"""Lines beside the points: what to accept, special cases, notes, and "or"."""

from __future__ import annotations

import re

from components.intake.mark_scheme import wording
from components.intake.mark_scheme.building import RawPoint
from components.intake.mark_scheme.point_rules import read_point
from components.intake.mark_scheme.points import award, split_point
from components.intake.mark_scheme.reading import Reading

_INDICATIVE = re.compile(
    r"^(?:indicative|suggested|possible|likely)\s+(?:content|points)\b.{0,30}$|^参考要点[:：]?$", re.I
)
_CONTENT = re.compile(r"^(?:indicative|possible|suggested)\s+content\s*:\s*(?=\S)", re.I)
_ANSWERS = re.compile(r"^(?:(?:suggested|possible|likely|acceptable|example|sample)\s+)+answers?\b.{0,20}:?$", re.I)
_MAY = re.compile(
    r"^(?:the\s+|some\s+)?(?:students?|candidates?|pupils?|answers?|responses?|points?)\s+(?:may|might|could|can)\b.{0,60}[:：]$",
    re.I,
)
_SPECIAL = re.compile(r"^(?:SC|special\s+case)\b\s*:?\s*", re.I)
_OR = re.compile(
    r"^(?:or|alternatively|alt|alternative(?:\s+(?:method|solution|approach|answer)s?)?|(?:method|way)\s+\d)\s*[:.]?$",
    re.I,
)
_OR_THEN = re.compile(r"^(?:or|alt(?:ernatively)?)\b\s*[:,]?\s+(?=\S)", re.I)
_CONDITION = re.compile(
    r"^(?:max(?:imum)?|up\s+to|only|deduct|withhold|penalise)\b.*\b(?:if|unless|where|when|once|without)\b"
    r"|^mark as follows\s*:?$",
    re.I,
)
_DONE = re.compile(r"^allow\s+(?:to|time|(?:it|them|the\s+\w+)\s+to)\b", re.I)
_DOING = re.compile(r"^(?:allow|ignore|reject)\s+(?!:)", re.I)
_SHORTHAND = re.compile(r"^(?:(?:owtte|oe|isw|soi|nfww|awrt|cao|cso|ecf|ora|ft|bod)[\s.,;/]*)+$", re.I)
_NOTE = re.compile(r"^(?:n\.?b\.?|notes?|guidance|examiner['’]?s?\s+note|注|说明|评分|评分说明)\s*[:：.]\s*", re.I)


def read_note(reading: Reading, number: int, body: str) -> bool:
    """Whether the line stands beside the points: expected content, a special case, advice, what to accept."""
    return (
        _content(reading, body)
        or _special(reading, number, body)
        or _advice(reading, body)
        or _said(reading, number, body)
    )


def _content(reading: Reading, body: str) -> bool:
    content = _CONTENT.match(body)
    if _INDICATIVE.match(body) or content:
        reading.close()
        reading.mode = "indicative"
        parts = re.split(r"\s*;\s*", body[content.end() :]) if content else []
        reading.now.indicative.extend(wording.tidy(part) for part in parts if wording.tidy(part))
    elif _ANSWERS.match(body) or (_MAY.match(body) and reading.mode != "indicative"):
        reading.close()
        # Beside levels the answers are content to expect, elsewhere the points themselves.
        reading.mode = "indicative" if reading.now.levels else ""
    else:
        return False
    return True


def _advice(reading: Reading, body: str) -> bool:
    codes, rest = wording.leading_codes(body)
    note = _NOTE.match(body)
    if reading.notes and codes and any(point.written in codes for point in reading.now.points):
        reading.now.guidance.append(f"{' '.join(codes)}: {rest}")
    elif _SHORTHAND.match(body) or _CONDITION.match(body):
        reading.now.guidance.append(body)
    elif note and body[note.end() :].strip():
        reading.now.guidance.append(body[note.end() :].strip())
        told = re.search(r"[（(](\d{1,2})分[)）]$", body)
        reading.now.told = float(told[1]) if told and reading.now.told is None else reading.now.told
    else:
        return False
    return True


def _said(reading: Reading, number: int, body: str) -> bool:
    said = wording.remark(body)
    # "Allow the crucible to cool (1)" is what a candidate does.
    if said is None or _DONE.match(body) or (_DOING.match(body) and wording.ends_in_mark(body)):
        return False
    kind, what = said
    aimed, what = _aimed(reading, what)
    if wording.general(what) or aimed is None:
        given = award(what)
        if given and reading.now.points:
            reading.now.special.append((*given, [number]))
        else:
            reading.now.guidance.append(body)
        return True
    aimed.remarks.add(kind, what)
    aimed.lines.append(number)
    return True


def _aimed(reading: Reading, what: str) -> tuple[RawPoint | None, str]:
    """The point that a remark is about, "for 2: …" by its place or code, else the last; and the remark without that."""
    named = re.match(rf"^for\s+(?:point\s+|mark\s+)?({wording.CODE}|\d{{1,2}})\s*[:,]\s*(?=\S)", what)
    for place, point in enumerate(reading.now.points if named else [], 1):
        if named and named[1] in (point.written, str(place), f"MP{place}"):
            return point, what[named.end() :]
    return reading.last, what


def _special(reading: Reading, number: int, body: str) -> bool:
    found = _SPECIAL.match(body)
    if not found:
        return False
    codes, rest = wording.leading_codes(re.sub(r"^(\d)\b", r"B\1", body[found.end() :]))
    marks = sum(float(code[1:2]) for code in codes if code[1:2].isdigit()) or None
    given = award(rest) if not codes else None
    reading.now.special.append((given[0], given[1], [number]) if given else (wording.tidy(rest), marks, [number]))
    return True


def read_alternative(reading: Reading, number: int, body: str, bulleted: bool) -> bool:
    """Whether the line is "or", alone or before another wording, method or part mark."""
    if re.fullmatch(r"either\s*:?", body, re.I):
        return True
    if _OR.match(body) and reading.now.points:
        reading.or_next = True
        return True
    then = _OR_THEN.match(body)
    if then and reading.last is not None:
        rest = body[then.end() :]
        codes = wording.leading_codes(rest)[0]
        if codes:
            reading.or_next = True
            return read_point(reading, number, rest, bulleted)
        if reading.last_text and not reading.after_blank:
            reading.last.alternatives.append(split_point(rest).text)
            reading.last.lines.append(number)
            return True
    return False

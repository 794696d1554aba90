"""The form a model's reply must have, as JSON Schema in the subset that strict structured outputs allow."""

from __future__ import annotations

import json
from typing import Any

from components.judge.llm.picture_reply import FLAGS
from components.judge.llm.protocol import Protocol
from components.marking import Scheme, format_mark

MOST_QUOTES = 4
_ABSTAIN: dict[str, Any] = {"abstain": {"type": ["string", "null"]}}


def schema_for(
    scheme: Scheme, protocol: Protocol = Protocol.FULL, *, bounds: bool = True, pictures: bool = False
) -> dict[str, Any]:
    """JSON Schema of a reply to this scheme under a protocol.

    Codes, levels and marks are enumerated. Without `bounds` lists have no lengths, for servers that refuse them.
    Evidence, reason and grading process come before the verdict, so that a model weighs before it decides. `abstain`
    is null or the reason for it: strict outputs know no property that may be left out. With `pictures`, by our own
    protocol, a transcript and flags come first of all, and each quote may have its place.
    """
    marks = scheme.scale.marks()
    if protocol is Protocol.MEDLY:
        return _object_schema({"mark": _mark_schema([mark for mark in marks if mark.is_integer()])})
    if protocol is Protocol.GAOKAO:
        return _object_schema({"process": {"type": "string"}, "total": _mark_schema(marks)})
    quotes = _list_schema(_placed_quote(bounds) if pictures else {"type": "string"}, 0, MOST_QUOTES, bounds)
    parts: dict[str, Any] = {}
    if scheme.points:
        codes = [point.code for point in scheme.points]
        item = _object_schema(_part({"code": _one_of(codes)}, {"awarded": {"type": "boolean"}}, quotes))
        parts["points"] = _list_schema(item, len(codes), len(codes), bounds)
    if scheme.objectives:
        codes = [objective.code for objective in scheme.objectives]
        levels = sorted({0, *(level.level for objective in scheme.objectives for level in objective.levels)})
        highest = max(objective.max_mark for objective in scheme.objectives)
        verdict = {
            "level": {"type": "integer", "enum": levels},
            "mark": _mark_schema([mark for mark in marks if mark <= highest]),
        }
        item = _object_schema(_part({"objective": _one_of(codes)}, verdict, quotes))
        parts["levels"] = _list_schema(item, len(codes), len(codes), bounds)
    first = _reading(bounds) if pictures else {}
    return _object_schema({**first, **_ABSTAIN, **(parts or _part({}, {"mark": _mark_schema(marks)}, quotes))})


def transcript_schema(*, bounds: bool = True) -> dict[str, Any]:
    """JSON Schema of a reply that copies out pictures."""
    return _object_schema(_reading(bounds))


def _reading(bounds: bool) -> dict[str, Any]:
    return {"transcript": {"type": "string"}, "flags": _list_schema(_one_of([*FLAGS]), 0, len(FLAGS), bounds)}


def _placed_quote(bounds: bool) -> dict[str, Any]:
    place = _list_schema({"type": "number"}, 5, 5, bounds)
    return _object_schema({"quote": {"type": "string"}, "box": {"anyOf": [place, {"type": "null"}]}})


def _mark_schema(marks: list[float]) -> dict[str, Any]:
    """Whole marks as integers: a grammar writes 3, and 3.0 would be another word to it."""
    if all(mark.is_integer() for mark in marks):
        return {"type": "integer", "enum": [int(mark) for mark in marks]}
    return {"type": "number", "enum": [json.loads(format_mark(mark)) for mark in marks]}


def _one_of(codes: list[str]) -> dict[str, Any]:
    return {"type": "string", "enum": codes}


def _part(first: dict[str, Any], last: dict[str, Any], quotes: dict[str, Any]) -> dict[str, Any]:
    return {**first, "evidence": quotes, "reason": {"type": "string"}, **last, "not_sure": {"type": "boolean"}}


def _object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list_schema(item: dict[str, Any], least: int, most: int, bounds: bool) -> dict[str, Any]:
    limits = {"minItems": least, "maxItems": most} if bounds else {}
    return {"type": "array", "items": item, **limits}

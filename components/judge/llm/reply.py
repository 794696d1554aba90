"""The form a model's reply must have, and reading verdicts out of it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Any

from openai.types.chat import ChatCompletion
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from components.marking import (
    Evidence,
    LevelVerdict,
    MarkError,
    PointVerdict,
    Scheme,
    Verdict,
    WholeVerdict,
    format_mark,
    total,
)

MOST_QUOTES = 4


class InvalidReply(ValueError):
    """A reply that cannot be used. The message says what was wrong; `complete` whether the model ended it itself."""

    def __init__(self, fault: str, *, complete: bool = True) -> None:
        super().__init__(fault)
        self.complete = complete


def _quotes(value: object) -> object:
    return [] if value is None else [value] if isinstance(value, str) else value


class _Part(BaseModel):
    """What every verdict of a reply has. Strict: the word "yes" is not true, and true is not a mark."""

    model_config = ConfigDict(strict=True, extra="ignore")

    evidence: Annotated[list[str], BeforeValidator(_quotes)] = []
    reason: str = ""
    not_sure: bool = False

    def common(self) -> dict[str, Any]:
        evidence = tuple(Evidence(quote=quote) for quote in self.evidence if quote.strip())
        return {"evidence": evidence, "reason": self.reason.strip(), "not_sure": self.not_sure}


class _Point(_Part):
    code: str
    awarded: bool


class _Level(_Part):
    objective: str
    level: int
    mark: float


class _Whole(_Part):
    mark: float


class _Parts(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")

    points: list[_Point] = []
    levels: list[_Level] = []


def schema_for(scheme: Scheme, *, bounds: bool = True) -> dict[str, Any]:
    """JSON Schema of a reply to this scheme, in the subset that strict structured outputs allow.

    Codes, levels and marks are enumerated. Without `bounds` lists have no lengths, for servers that refuse them.
    Evidence and reason come before the verdict, so that a model weighs before it decides.
    """
    parts: dict[str, Any] = {}
    if scheme.points:
        codes = [point.code for point in scheme.points]
        item = _part_schema({"code": {"type": "string", "enum": codes}}, {"awarded": {"type": "boolean"}}, bounds)
        parts["points"] = _list_schema(item, len(codes), len(codes), bounds)
    if scheme.objectives:
        codes = [objective.code for objective in scheme.objectives]
        levels = sorted({0, *(level.level for objective in scheme.objectives for level in objective.levels)})
        marks = [m for m in scheme.scale.marks() if m <= max(o.max_mark for o in scheme.objectives)]
        verdict = {"level": {"type": "integer", "enum": levels}, "mark": _mark_schema(marks)}
        item = _part_schema({"objective": {"type": "string", "enum": codes}}, verdict, bounds)
        parts["levels"] = _list_schema(item, len(codes), len(codes), bounds)
    return _object_schema(parts) if parts else _part_schema({}, {"mark": _mark_schema(scheme.scale.marks())}, bounds)


def read(completion: ChatCompletion, scheme: Scheme) -> tuple[Verdict, ...]:
    """The verdicts of a reply, in the scheme's order. Raises InvalidReply with what was wrong, for the model to mend.

    JSON inside a code fence or among other words is read; thinking aloud before it is skipped.
    """
    return verdicts_in(content(completion), scheme)


def content(completion: ChatCompletion) -> str:
    """The text of a reply. Raises InvalidReply where it was cut off, filtered, refused or empty."""
    if not completion.choices:
        raise InvalidReply("the server sent no reply at all.", complete=False)
    choice = completion.choices[0]
    message = choice.message
    text = (message.content or "") if message else ""
    if choice.finish_reason == "length":
        raise InvalidReply("it was cut off because it was too long. Be brief.", complete=False)
    if choice.finish_reason == "content_filter":
        raise InvalidReply("the provider's content filter stopped it.", complete=False)
    if message and message.refusal:
        raise InvalidReply(f"the model refused to mark: {message.refusal[:200]}", complete=False)
    if not text.strip():
        raise InvalidReply("it was empty.", complete=False)
    return text


def verdicts_in(text: str, scheme: Scheme) -> tuple[Verdict, ...]:
    """Verdicts written as JSON in text, in the scheme's order. Raises InvalidReply with what was wrong."""
    found = _json_object(text)
    try:
        verdicts: tuple[Verdict, ...]
        if not scheme.points and not scheme.objectives:
            whole = _Whole.model_validate(found)
            verdicts = (WholeVerdict(mark=whole.mark, **whole.common()),)
        else:
            verdicts = _parts(_Parts.model_validate(found), scheme)
        total(verdicts, scheme)
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, fault['loc'])) or 'the reply'}: {fault['msg']}" for fault in error.errors()[:5]]
        raise InvalidReply(f"it does not have the form asked for ({'; '.join(faults)}).") from error
    except MarkError as error:
        raise InvalidReply(str(error)) from error
    return verdicts


def _parts(reply: _Parts, scheme: Scheme) -> tuple[Verdict, ...]:
    point_codes = [point.code for point in scheme.points]
    objective_codes = [objective.code for objective in scheme.objectives]
    points = {point.code: point for point in reply.points}
    levels = {level.objective: level for level in reply.levels}
    _check_codes((point.code for point in reply.points), point_codes, "marking point")
    _check_codes((level.objective for level in reply.levels), objective_codes, "assessment objective")
    return (
        *(PointVerdict(code=code, awarded=points[code].awarded, **points[code].common()) for code in point_codes),
        *(
            LevelVerdict(objective=code, level=levels[code].level, mark=levels[code].mark, **levels[code].common())
            for code in objective_codes
        ),
    )


def _check_codes(given: Iterable[str], wanted: list[str], kind: str) -> None:
    counts = Counter(given)
    faults = [f"The scheme has no {kind} {code!r}." for code in counts if code not in wanted]
    faults += [f"There are {n} verdicts on {kind} {code}; give one." for code, n in counts.items() if n > 1]
    missing = [code for code in wanted if code not in counts]
    if missing:
        faults.append(f"There is no verdict on {kind} {', '.join(missing)}.")
    if faults:
        raise InvalidReply(" ".join(faults)[:500])


def _json_object(text: str) -> dict[str, Any]:
    """The longest JSON object in text."""
    text = re.sub(r"<think>.*?</think>", "", text, flags=re.DOTALL)
    decoder = json.JSONDecoder()
    longest: tuple[int, dict[str, Any]] | None = None
    at = text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):  # ValueError also for a number too long to read
            at = text.find("{", at + 1)
            continue
        if longest is None or end - at > longest[0]:
            longest = (end - at, value)
        at = text.find("{", end)
    if longest is None:
        raise InvalidReply("it holds no JSON object.")
    return longest[1]


def _mark_schema(marks: list[float]) -> dict[str, Any]:
    """Whole marks as integers: a grammar writes 3, and 3.0 would be another word to it."""
    if all(mark.is_integer() for mark in marks):
        return {"type": "integer", "enum": [int(mark) for mark in marks]}
    return {"type": "number", "enum": [json.loads(format_mark(mark)) for mark in marks]}


def _part_schema(first: dict[str, Any], last: dict[str, Any], bounds: bool) -> dict[str, Any]:
    quotes = _list_schema({"type": "string"}, 0, MOST_QUOTES, bounds)
    return _object_schema(
        {**first, "evidence": quotes, "reason": {"type": "string"}, **last, "not_sure": {"type": "boolean"}}
    )


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

"""Marking points that a model drafts from lines of a mark scheme that no rule understood, for a teacher to check."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from components.judge.llm.apart import apart
from components.judge.llm.fence import neutralised
from components.judge.llm.judge import RE_ASKS, LLMJudge
from components.judge.llm.prompt import Message, load
from components.judge.llm.remedy import NoReply
from components.judge.llm.reply import InvalidReply, content

VERSION = "scheme_lines.en.v1"


class _Point(BaseModel):
    model_config = ConfigDict(extra="ignore")
    line: int
    code: str = Field(default="", max_length=40)
    text: str = Field(min_length=1, max_length=2000)
    marks: float = Field(gt=0, le=1000)


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore")
    points: list[_Point] = Field(max_length=50)


@dataclass(frozen=True)
class LinePoint:
    """A point that a model drafted from the source line `line`. `code` is "" where the line has none."""

    line: int
    code: str
    text: str
    marks: float


@dataclass(frozen=True)
class LinesDraft:
    """What a model drafted, maybe nothing, and what asking took over all tries."""

    points: tuple[LinePoint, ...]
    model: str
    tokens_in: int
    tokens_out: int


@dataclass
class Took:
    """What asking has taken so far over all tries, whether or not a reply could be used."""

    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0


def draft_from_lines(
    judge: LLMJudge, asked: Sequence[Message], lines: Mapping[int, str], took: Took, may_go_on: Callable[[], bool]
) -> LinesDraft:
    """Ask the judge's model, as `request` puts it, for the points that `lines` (by number) hold.

    Only points from one of these lines are taken. `took` is brought up to date with each reply; where one cannot be
    used, `may_go_on` says whether there is still money for asking again. Raises NoReply with a reason in words, also
    where no reply could be used, and JudgeStopped where the endpoint can answer nothing.
    """
    return apart(_draft(judge, asked, lines, took, may_go_on))


def request(number: str, max_mark: str, read: Sequence[str], lines: Mapping[int, str]) -> list[Message]:
    """What a model is asked about these lines. `read` are the points that were read by rules, in words."""
    prompt = load(VERSION)
    asked = prompt.render(
        "user",
        number=neutralised(number) or "without a number",
        max_mark=max_mark,
        points="\n".join(neutralised(each) for each in read) or "(none)",
        lines="\n".join(f"{at}: {_fenced(text)}" for at, text in lines.items()),
    )
    return [{"role": "system", "content": prompt.render("system")}, {"role": "user", "content": asked}]


async def _draft(
    judge: LLMJudge, asked: Sequence[Message], lines: Mapping[int, str], took: Took, may_go_on: Callable[[], bool]
) -> LinesDraft:
    prompt = load(VERSION)
    conversation = list(asked)
    fault = ""
    try:
        for again in range(RE_ASKS + 1):
            if again and not may_go_on():
                raise NoReply(f"It was not asked again, as that might cost more than was said: {fault}")
            completion = await judge.exchange.ask(conversation, lambda bounds: _schema(lines))
            took.model = completion.model
            if completion.usage is not None:
                took.tokens_in += completion.usage.prompt_tokens
                took.tokens_out += completion.usage.completion_tokens
            said = ""
            try:
                said = content(completion)
                return LinesDraft(_points(said, lines), took.model, took.tokens_in, took.tokens_out)
            except InvalidReply as error:
                fault = str(error)
            conversation += [
                {"role": "assistant", "content": said or "(nothing)"},
                {"role": "user", "content": prompt.again(fault)},
            ]
    finally:
        await judge.exchange.close()
    raise NoReply(f"The model's replies could not be used: {fault}")


def _points(said: str, lines: Mapping[int, str]) -> tuple[LinePoint, ...]:
    start, end = said.find("{"), said.rfind("}")
    try:
        reply = _Reply.model_validate_json(said[start : end + 1])
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InvalidReply(
            f"it is not the JSON that was asked for ({place or 'the whole'}: {first['msg']})."
        ) from error
    strange = sorted({point.line for point in reply.points} - set(lines))
    if strange:
        raise InvalidReply(f"line {strange[0]} is not one of the lines given.")
    return tuple(LinePoint(point.line, point.code.strip(), point.text.strip(), point.marks) for point in reply.points)


def _schema(lines: Mapping[int, str]) -> dict[str, Any]:
    point = {
        "type": "object",
        "properties": {
            "line": {"type": "integer", "enum": list(lines)},
            "code": {"type": "string"},
            "text": {"type": "string"},
            "marks": {"type": "number"},
        },
        "required": ["line", "code", "text", "marks"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"points": {"type": "array", "items": point}},
        "required": ["points"],
        "additionalProperties": False,
    }


def _fenced(text: str) -> str:
    return neutralised(text).replace("scheme_lines>", "scheme_lines›")

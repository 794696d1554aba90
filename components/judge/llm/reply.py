"""Reading verdicts out of a model's reply."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Any

from openai.types.chat import ChatCompletion
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from components.judge.llm.picture_reply import NOTHING_READ, Asked, Reading, placed, reading_in
from components.judge.llm.protocol import Protocol
from components.marking import (
    Box,
    Evidence,
    LevelVerdict,
    MarkError,
    PointVerdict,
    Scheme,
    Verdict,
    WholeVerdict,
    total,
)

# What a model without strict outputs writes where it does not abstain.
_NOT_ABSTAINING = frozenset({"", "no", "none", "null", "false", "n/a", "否", "无"})


class Abstains(Exception):
    """The model will not give a mark, or has seen what cannot have one. The message says why, in words for a teacher.

    `reading` is what it read on the answer's pictures, if it has any.
    """

    def __init__(self, reason: str, reading: Reading | None = None) -> None:
        super().__init__(reason)
        self.reading = reading


class InvalidReply(ValueError):
    """A reply that cannot be used. The message says what was wrong; `complete` whether the model ended it itself."""

    def __init__(self, fault: str, *, complete: bool = True) -> None:
        super().__init__(fault)
        self.complete = complete


def _quotes(value: object) -> object:
    given = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(given, list):
        return given
    return [each if isinstance(each, dict) else {"quote": each} for each in given]


class _Quoted(BaseModel):
    """Words of the answer; `box` is a Box already, see picture_reply."""

    model_config = ConfigDict(strict=True, extra="ignore")

    quote: str
    box: Box | None = None


class _Part(BaseModel):
    """What every verdict of a reply has. Strict: the word "yes" is not true, and true is not a mark."""

    model_config = ConfigDict(strict=True, extra="ignore")

    evidence: Annotated[list[_Quoted], BeforeValidator(_quotes)] = []
    reason: str = ""
    not_sure: bool = False

    def common(self) -> dict[str, Any]:
        evidence = tuple(Evidence(quote=each.quote, box=each.box) for each in self.evidence if each.quote.strip())
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


class _Medly(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")

    mark: float


class _Gaokao(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")

    process: str
    total: float


def read(
    completion: ChatCompletion, scheme: Scheme, protocol: Protocol, asked: Asked
) -> tuple[tuple[Verdict, ...], Reading | None]:
    """The verdicts of a reply, in the scheme's order, and what it says of the pictures it was asked about, if any.

    Raises InvalidReply with what was wrong, for the model to mend. Raises Abstains where the protocol lets the model
    abstain and it does, and for pictures that it says are unreadable or blank. JSON inside a code fence or among other
    words is read; thinking aloud before it is skipped.
    """
    found = _json_object(content(completion))
    if protocol is not Protocol.FULL:
        return _verdicts(found, scheme, protocol), Reading() if asked.pages else None
    found, lost = placed(found, asked.pages)
    if not asked.pages:
        return _verdicts(found, scheme, protocol), None
    try:
        reading = replace(reading_in(found), lost=lost)
    except ValidationError as error:
        raise _misshapen(error) from error
    said = found.get("abstain")
    if why := reading.no_mark(asked, " ".join(said.split())[:500] if isinstance(said, str) else ""):
        raise Abstains(why, reading)
    try:
        verdicts = _verdicts(found, scheme, protocol)
    except Abstains as abstains:
        raise Abstains(str(abstains), reading) from None
    if not any(verdict.evidence for verdict in verdicts) and reading.nothing(asked):
        raise Abstains(NOTHING_READ, reading)
    return verdicts, reading


def transcript_in(completion: ChatCompletion) -> Reading:
    """What a model that was asked to copy out pictures read on them. Raises InvalidReply."""
    try:
        return reading_in(_json_object(content(completion)), alone=True)
    except ValidationError as error:
        raise _misshapen(error) from error


def content(completion: ChatCompletion) -> str:
    """The text of a reply. Raises InvalidReply where it was cut off, filtered, refused or empty."""
    if not completion.choices:
        raise InvalidReply("the server sent no reply at all.", complete=False)
    choice = completion.choices[0]
    message = choice.message
    text = text_of(completion)
    if choice.finish_reason == "length":
        raise InvalidReply("it was cut off because it was too long. Be brief.", complete=False)
    if str(choice.finish_reason or "").lower().startswith("content_filter"):  # Gemini adds its own reason
        raise InvalidReply("the provider's content filter stopped it.", complete=False)
    if message and message.refusal:
        raise InvalidReply(f"the model refused to mark: {message.refusal[:200]}", complete=False)
    if not text.strip():
        raise InvalidReply("it was empty.", complete=False)
    return text


def text_of(completion: ChatCompletion) -> str:
    """The words of a reply, "" where there are none. Some servers send them in parts."""
    message = completion.choices[0].message if completion.choices else None
    content: object = message.content if message else None
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(_whole(content)) if isinstance(content, str) else ""


def _verdicts(found: dict[str, Any], scheme: Scheme, protocol: Protocol) -> tuple[Verdict, ...]:
    try:
        match protocol:
            case Protocol.MEDLY:
                verdicts: tuple[Verdict, ...] = (_medly(found),)
            case Protocol.GAOKAO:
                verdicts = (_gaokao(found),)
            case Protocol.FULL:
                verdicts = _full(found, scheme)
        total(verdicts, scheme)
    except ValidationError as error:
        raise _misshapen(error) from error
    except MarkError as error:
        raise InvalidReply(str(error)) from error
    return verdicts


def _misshapen(error: ValidationError) -> InvalidReply:
    faults = [f"{'.'.join(map(str, fault['loc'])) or 'the reply'}: {fault['msg']}" for fault in error.errors()[:5]]
    return InvalidReply(f"it does not have the form asked for ({'; '.join(faults)}).")


def _medly(found: dict[str, Any]) -> WholeVerdict:
    mark = _Medly.model_validate(found).mark
    if not mark.is_integer():
        raise InvalidReply(f"the mark {mark:g} is not a whole number.")
    return WholeVerdict(mark=mark)


def _gaokao(found: dict[str, Any]) -> WholeVerdict:
    reply = _Gaokao.model_validate(found)
    if not reply.process.strip():
        raise InvalidReply("the grading process is missing.")
    return WholeVerdict(mark=reply.total, reason=reply.process.strip())


def _full(found: dict[str, Any], scheme: Scheme) -> tuple[Verdict, ...]:
    _heed_abstention(found.get("abstain"))
    if scheme.points or scheme.objectives:
        return _parts(_Parts.model_validate(found), scheme)
    whole = _Whole.model_validate(found)
    return (WholeVerdict(mark=whole.mark, **whole.common()),)


def _heed_abstention(said: object) -> None:
    """Raises Abstains with the reason said, InvalidReply where something else than a reason is said."""
    if said is None or said is False or (isinstance(said, str) and said.strip(" .。").casefold() in _NOT_ABSTAINING):
        return
    if not isinstance(said, str):
        raise InvalidReply("abstain must be null, or the reason for abstaining in one sentence.")
    raise Abstains(f"The model leaves this to you: {' '.join(said.split())[:500]}")


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
    whole: dict[str, Any] = _whole(longest[1])
    return whole


def _whole(value: Any) -> Any:
    """The value with every half character (a lone surrogate, which cannot be stored) as a question mark."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_whole(each) for each in value]
    if isinstance(value, dict):
        return {_whole(name): _whole(each) for name, each in value.items()}
    return value

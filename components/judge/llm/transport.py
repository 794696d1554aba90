"""Getting one reply out of an endpoint within a bound, and remembering what the endpoint turned out not to take."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import asdict, dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import openai
from openai.types.chat import ChatCompletion
from pydantic import ValidationError

from components.judge.base import JudgeStopped
from components.judge.llm.endpoint import NO_KEY, Endpoint, ReasoningEffort
from components.judge.llm.limiter import Limiter
from components.judge.llm.picture_refusal import has_pictures
from components.judge.llm.prompt import Message
from components.judge.llm.remedy import Action, NoChoices, NoReply, Remedy, remedy

FORMATS = ("json_schema", "json_object", "text")
LONGEST_WAIT = 60.0


class NotWanted(Exception):
    """The turn came when the request was wanted no more; nothing was sent."""


# Whether what is being asked for is still wanted; looked at when the turn to send comes, which may be much later.
still_wanted: ContextVar[Callable[[], bool]] = ContextVar("still_wanted", default=lambda: True)


@dataclass(frozen=True)
class Capabilities:
    """What an endpoint's model turned out to take. `format` is the reply format in use; `dropped` are left out.

    `pictures` is None until one has been sent.
    """

    format: str = FORMATS[0]
    bounds: bool = True
    dropped: tuple[str, ...] = ()
    efforts_refused: tuple[str, ...] = ()
    pictures: bool | None = None

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "dropped": [*self.dropped], "efforts_refused": [*self.efforts_refused]}

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Capabilities:
        """As `to_json` gave it."""
        dropped, refused = tuple(found["dropped"]), tuple(found["efforts_refused"])
        return cls(found["format"], found["bounds"], dropped, refused, found.get("pictures"))


@dataclass
class _Line:
    """What an event loop has open to the endpoint. `probing`: one request at a time finds out what it takes."""

    client: openai.AsyncOpenAI
    limiter: Limiter
    probing: bool


class Exchange:
    """Asks one endpoint, and remembers what it turned out not to support. Each event loop has a client of its own.

    `tries` bounds the requests for one reply where the network, the rate limit or the server fails. Waits double
    from one second, with jitter, unless the server names its own (Retry-After), which is kept to. Until the endpoint
    is `known`, one request at a time finds out what it takes, so that only one is refused for it.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        known: Capabilities | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        tries: int = 5,
    ) -> None:
        self._endpoint = endpoint
        self._sleep = sleep
        self._tries = tries
        self.known = known is not None
        self.found = known or Capabilities()
        self.silence = 0  # replies in a row that the network, the server or its limits kept from coming
        self._lines: WeakKeyDictionary[asyncio.AbstractEventLoop, _Line] = WeakKeyDictionary()

    async def ask(
        self, messages: list[Message], schema: Callable[[bool], dict[str, Any]] | None, sample: int = 0
    ) -> ChatCompletion:
        """A reply to messages. `schema(bounds)` is the JSON Schema it should have, with or without list lengths.

        Without one it is a reply in words, which shows nothing of the formats that the endpoint takes.
        Raises NoReply when there is none to be had for this response, JudgeStopped when there will be none for any.
        """
        line = self._line()
        tried = 0
        trial: str | None = None  # a plainer format, which stays if it brings a reply
        while True:
            async with line.limiter.turn() as began:
                if not tried and not still_wanted.get()():
                    raise NotWanted
                found = self.found if trial is None else replace(self.found, format=trial)
                sent = self.request(messages, schema, sample, found)
                try:
                    async with asyncio.timeout(self._endpoint.timeout):  # the client's own is for each read alone
                        reply = await _completion(line.client, sent)
                except (openai.OpenAIError, ValidationError, ValueError, TimeoutError, NoChoices) as error:
                    step, withheld = remedy(error, self._endpoint, sent), isinstance(error, NoChoices)
                    if step.action is not Action.RETRY:
                        self.silence = 0
                    wait = self._wait(step, tried := tried + 1) if step.action is Action.RETRY else 0.0
                    if wait and isinstance(error, openai.RateLimitError):
                        line.limiter.narrow(began, wait)
                        continue
                else:
                    self._settle(line, trial, seen=has_pictures(messages), formed=schema is not None)
                    return reply
            match step.action:
                case Action.RETRY:
                    await self._sleep(wait)
                case Action.NEXT_FORMAT if withheld:
                    trial = _next_format(found.format)
                case Action.NO_PICTURES:
                    self._saw_pictures(False)
                    raise NoReply(step.words)
                case Action.GIVE_UP:
                    raise NoReply(step.words)
                case Action.STOP:
                    raise JudgeStopped(step.words)
                case _:
                    self._learn(step, found, sent)

    def request(
        self,
        messages: list[Message],
        schema: Callable[[bool], dict[str, Any]] | None,
        sample: int,
        found: Capabilities | None = None,
    ) -> dict[str, Any]:
        """The parameters of one request, as far as the endpoint is known. Each further sample has its own seed."""
        found = found or self.found
        settings = self._endpoint.settings
        if "seed" in settings:
            settings["seed"] += sample
        if "max_tokens" in found.dropped and "max_tokens" in settings:
            settings["max_completion_tokens"] = settings["max_tokens"]
        effort = self._effort()
        if effort is not None:
            settings["reasoning_effort"] = effort
        sent: dict[str, Any] = {"model": self._endpoint.model, "messages": messages}
        sent |= {name: value for name, value in settings.items() if name not in found.dropped}
        if schema is None:
            return sent
        if found.format == "json_schema":
            strict = {"name": "marking", "strict": True, "schema": schema(found.bounds)}
            sent["response_format"] = {"type": "json_schema", "json_schema": strict}
        elif found.format == "json_object":
            sent["response_format"] = {"type": "json_object"}
        return sent

    async def close(self) -> None:
        """Close what the running event loop has open; the next request opens it anew."""
        line = self._lines.pop(asyncio.get_running_loop(), None)
        if line is not None:
            await line.client.close()

    def _learn(self, step: Remedy, found: Capabilities, sent: dict[str, Any]) -> None:
        """Ask otherwise from now on."""
        match step.action:
            case Action.NEXT_FORMAT:
                self._plainer(_next_format(found.format))
            case Action.NO_BOUNDS:
                self.found = replace(self.found, bounds=False)
            case Action.DROP:
                self._drop(step.parameter, sent[step.parameter])

    def _settle(self, line: _Line, trial: str | None, *, seen: bool, formed: bool) -> None:
        """A reply has come: what it was asked for in stays, and a model that was sent pictures takes them."""
        self.silence = 0
        if trial is not None:
            self._plainer(trial)
        if seen:
            self._saw_pictures(True)
        self.known = self.known or formed
        if line.probing:
            line.probing = False
            line.limiter.open()
        line.limiter.replied()

    def _saw_pictures(self, taken: bool) -> None:
        """What one request has shown; a model that has taken a picture is not said to be blind for another refusal."""
        if taken or self.found.pictures is None:
            self.found = replace(self.found, pictures=taken)

    def _plainer(self, form: str) -> None:
        """This format from now on, unless another request has found that it must be a plainer one still."""
        if FORMATS.index(form) > FORMATS.index(self.found.format):
            self.found = replace(self.found, format=form)

    def _drop(self, parameter: str, value: str) -> None:
        """Leave a parameter out from now on; of the efforts, this value alone while there is another to try."""
        if parameter == "reasoning_effort":
            if value not in self.found.efforts_refused:
                self.found = replace(self.found, efforts_refused=(*self.found.efforts_refused, value))
            if self._effort() is not None:
                return
        if parameter not in self.found.dropped:
            self.found = replace(self.found, dropped=(*self.found.dropped, parameter))

    def _effort(self) -> ReasoningEffort | None:
        return next((effort for effort in self._endpoint.efforts if effort not in self.found.efforts_refused), None)

    def _line(self) -> _Line:
        """What the running event loop has open. Raises JudgeStopped where address, model or key cannot be right."""
        loop = asyncio.get_running_loop()
        line = self._lines.get(loop)
        if line is None:
            limiter = Limiter(self._endpoint.at_once, start=None if self.known else 1, sleep=self._sleep)
            line = self._lines[loop] = _Line(client_for(self._endpoint), limiter, not self.known)
        return line

    def _wait(self, step: Remedy, tried: int) -> float:
        """Seconds before the next try. Raises NoReply when the tries are used up or the wait asked for is too long."""
        if tried >= self._tries:
            self.silence += 1
            raise NoReply(f"{step.words} Tried {tried} times; try this response again later.")
        if step.wait is None:
            return min(2.0 ** (tried - 1), LONGEST_WAIT) * random.uniform(0.5, 1.0)
        if step.wait > LONGEST_WAIT:
            self.silence += 1
            raise NoReply(f"{step.words} It asks to wait {step.wait:.0f} seconds; try this response again after that.")
        return step.wait + random.uniform(0.0, 0.5)


def _next_format(form: str) -> str:
    return FORMATS[FORMATS.index(form) + 1]


def client_for(endpoint: Endpoint) -> openai.AsyncOpenAI:
    """A client of the endpoint. Raises JudgeStopped where address, model or key cannot be right."""
    if not endpoint.base_url.startswith(("http://", "https://")):
        raise JudgeStopped(f"The address {endpoint.base_url!r} must begin with http:// or https://.")
    if not endpoint.model.strip():
        raise JudgeStopped("No model is named. Give the name the server knows it by, then connect again.")
    if not re.fullmatch(r"[!-~]*", endpoint.api_key):
        raise JudgeStopped("The key has a space or an unusual character in it. Copy it again, then connect again.")
    try:
        # A server without keys still needs one to be sent; retries are counted here, not in the client.
        return openai.AsyncOpenAI(
            base_url=endpoint.base_url,
            api_key=endpoint.api_key or NO_KEY,
            timeout=endpoint.timeout,
            max_retries=0,
        )
    except Exception as error:
        raise JudgeStopped(f"{endpoint.base_url!r} is not an address: {error}.") from error


async def _completion(client: openai.AsyncOpenAI, sent: dict[str, Any]) -> ChatCompletion:
    # As extra_body, because the client checks every message against its types otherwise: a third of a request's time.
    reply: object = await client.chat.completions.create(model=sent["model"], messages=(), extra_body=sent)
    if not isinstance(reply, ChatCompletion):
        raise ValueError("not a chat completion")
    if not reply.choices:
        error = (reply.model_extra or {}).get("error")
        told = error if isinstance(error, dict) else {"message": error}
        words = str(told.get("message") or error or "").replace(client.api_key, "(key)")
        code = told.get("code")
        raise NoChoices(words, code if isinstance(code, int) else 0)
    return reply

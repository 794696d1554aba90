"""Getting one reply out of an endpoint within a bound, and remembering what the endpoint turned out not to take."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from typing import Any

import openai
from openai.types.chat import ChatCompletion
from pydantic import ValidationError

from components.judge.base import JudgeStopped
from components.judge.llm.endpoint import NO_KEY, Endpoint, ReasoningEffort
from components.judge.llm.prompt import Message
from components.judge.llm.remedy import Action, NoChoices, NoReply, Remedy, remedy

FORMATS = ("json_schema", "json_object", "text")
LONGEST_WAIT = 60.0


class Exchange:
    """Asks one endpoint, and remembers what it turned out not to support. Safe to use from several threads.

    `tries` bounds the requests for one reply where the network, the rate limit or the server fails. Waits double
    from one second, with jitter, unless the server names its own (Retry-After), which is kept to.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        client: openai.OpenAI | None = None,
        sleep: Callable[[float], None] = time.sleep,
        tries: int = 5,
    ) -> None:
        self._endpoint = endpoint
        self._client = client
        self._sleep = sleep
        self._tries = tries
        self._rung = 0
        self._bounds = True
        self._dropped: tuple[str, ...] = ()
        self._efforts_refused: frozenset[object] = frozenset()

    @property
    def format(self) -> str:
        """The reply format in use: json_schema, json_object or text."""
        return FORMATS[self._rung]

    @property
    def dropped(self) -> tuple[str, ...]:
        """Parameters the server turned out not to take; they are left out from then on."""
        return self._dropped

    def ask(self, messages: list[Message], schema: Callable[[bool], dict[str, Any]]) -> ChatCompletion:
        """A reply to messages. `schema(bounds)` is the JSON Schema it should have, with or without list lengths.

        Raises NoReply when there is none to be had for this response, JudgeStopped when there will be none for any.
        """
        client = self._open()
        tried = 0
        while True:
            rung = self._rung
            sent = self._request(messages, schema(self._bounds), FORMATS[rung])
            try:
                return _completion(client, sent)
            except (openai.OpenAIError, ValidationError, ValueError, NoChoices) as error:
                step = remedy(error, self._endpoint, sent)
            match step.action:
                case Action.RETRY:
                    tried += 1
                    self._sleep(self._wait(step, tried))
                case Action.NEXT_FORMAT:
                    self._rung = max(self._rung, rung + 1)
                case Action.NO_BOUNDS:
                    self._bounds = False
                case Action.DROP:
                    self._drop(step.parameter, sent[step.parameter])
                case Action.GIVE_UP:
                    raise NoReply(step.words)
                case Action.STOP:
                    raise JudgeStopped(step.words)

    def _drop(self, parameter: str, value: object) -> None:
        """Leave a parameter out from now on; of the efforts, this value alone while there is another to try."""
        if parameter == "reasoning_effort":
            self._efforts_refused |= {value}
            if self._effort() is not None:
                return
        if parameter not in self._dropped:
            self._dropped = (*self._dropped, parameter)

    def _effort(self) -> ReasoningEffort | None:
        return next((effort for effort in self._endpoint.efforts if effort not in self._efforts_refused), None)

    def _open(self) -> openai.OpenAI:
        """The client, made on first use. Raises JudgeStopped where address, model or key cannot be right."""
        if self._client is None:
            endpoint = self._endpoint
            if not endpoint.base_url.startswith(("http://", "https://")):
                raise JudgeStopped(f"The address {endpoint.base_url!r} must begin with http:// or https://.")
            if not endpoint.model.strip():
                raise JudgeStopped("No model is named. Give the name the server knows it by, then connect again.")
            if not re.fullmatch(r"[!-~]*", endpoint.api_key):
                raise JudgeStopped(
                    "The key has a space or an unusual character in it. Copy it again, then connect again."
                )
            try:
                # A server without keys still needs one to be sent; retries are counted here, not in the client.
                self._client = openai.OpenAI(
                    base_url=endpoint.base_url,
                    api_key=endpoint.api_key or NO_KEY,
                    timeout=endpoint.timeout,
                    max_retries=0,
                )
            except Exception as error:
                raise JudgeStopped(f"{endpoint.base_url!r} is not an address: {error}.") from error
        return self._client

    def _request(self, messages: list[Message], schema: dict[str, Any], form: str) -> dict[str, Any]:
        settings = self._endpoint.settings
        if "max_tokens" in self._dropped and "max_tokens" in settings:
            settings["max_completion_tokens"] = settings["max_tokens"]
        effort = self._effort()
        if effort is not None:
            settings["reasoning_effort"] = effort
        sent: dict[str, Any] = {"model": self._endpoint.model, "messages": messages}
        sent |= {name: value for name, value in settings.items() if name not in self._dropped}
        if form == "json_schema":
            sent["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "marking", "strict": True, "schema": schema},
            }
        elif form == "json_object":
            sent["response_format"] = {"type": "json_object"}
        return sent

    def _wait(self, step: Remedy, tried: int) -> float:
        """Seconds before the next try. Raises NoReply when the tries are used up or the wait asked for is too long."""
        if tried >= self._tries:
            raise NoReply(f"{step.words} Tried {tried} times; try this response again later.")
        if step.wait is None:
            return min(2.0 ** (tried - 1), LONGEST_WAIT) * random.uniform(0.5, 1.0)
        if step.wait > LONGEST_WAIT:
            raise NoReply(f"{step.words} It asks to wait {step.wait:.0f} seconds; try this response again after that.")
        return step.wait + random.uniform(0.0, 0.5)


def _completion(client: openai.OpenAI, sent: dict[str, Any]) -> ChatCompletion:
    reply: object = client.chat.completions.create(**sent)
    if not isinstance(reply, ChatCompletion):
        raise ValueError("not a chat completion")
    if not reply.choices:
        raise NoChoices
    return reply

"""What an error from an endpoint calls for: trying again, leaving something out, giving up, or stopping."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Any

import openai

from components.judge.llm.endpoint import Endpoint

_FORMAT_REFUSED = re.compile(
    r"response[_ ]?format|json[_ ]?schema|json[_ ]?object|json[_ ]?mode|structured output|invalid schema|grammar",
    re.IGNORECASE,
)
_BOUNDS_REFUSED = re.compile(r"minItems|maxItems|min_items|max_items")
_TOO_LONG = re.compile(
    r"context[ _](?:length|size|window)|exceed_context_size|maximum context|too many tokens|prompt is too long"
    r"|input token count|request too large",
    re.IGNORECASE,
)
_PICTURES_REFUSED = re.compile(r"\bimage|image_url|picture|mmproj|vision|multimodal|multi-modal", re.IGNORECASE)
_WRONG_KEY = re.compile(
    r"api[ _-]?key (?:not valid|is invalid|expired)|invalid[ _]api[ _]key|incorrect api key", re.IGNORECASE
)
_NO_QUOTA = re.compile(
    r"insufficient[ _]quota|exceeded your current quota|billing|insufficient (?:balance|credits?|funds)", re.IGNORECASE
)
# How Ollama ("does not support thinking") and Gemini ("only works in thinking mode") speak of reasoning_effort.
_EFFORT_REFUSED = re.compile(r"reasoning[ ._-]?(?:effort|value)|\bthink(?:ing)?\b", re.IGNORECASE)
_FILTERED = re.compile(r"content[ _]?(?:filter|policy|management)|responsible ?ai", re.IGNORECASE)


class NoReply(Exception):
    """No usable answer from the server for this response. The message says why, in words for a teacher."""


class NoChoices(Exception):
    """A reply without an error and without an answer, as some servers give to a format they do not know."""


class Action(Enum):
    RETRY = "try again later"
    GIVE_UP = "no reply for this response"
    STOP = "no response can be judged"
    NEXT_FORMAT = "ask in a plainer format"
    NO_BOUNDS = "ask without list lengths"
    DROP = "leave a parameter out"


@dataclass(frozen=True)
class Remedy:
    """What an error calls for, in words for a teacher; `wait` is what the server asked for, in seconds."""

    action: Action
    words: str = ""
    wait: float | None = None
    parameter: str = ""


def remedy(error: Exception, endpoint: Endpoint, sent: dict[str, Any]) -> Remedy:
    """What to do about an error that a request with the parameters `sent` met. Never raises."""
    if isinstance(error, openai.APITimeoutError):
        return Remedy(Action.RETRY, f"The model did not answer within {endpoint.timeout:g} seconds.")
    if isinstance(error, openai.APIConnectionError):
        return Remedy(Action.RETRY, f"The model's server at {endpoint.base_url} could not be reached.")
    if isinstance(error, openai.APIStatusError):
        return _status_remedy(error, endpoint, sent)
    if isinstance(error, NoChoices) and "response_format" in sent:
        return Remedy(Action.NEXT_FORMAT)
    return Remedy(Action.GIVE_UP, f"What {endpoint.base_url} sent back is not a reply of a chat model.")


def _status_remedy(error: openai.APIStatusError, endpoint: Endpoint, sent: dict[str, Any]) -> Remedy:
    status = error.status_code
    said = _said(error, endpoint)
    fatal = _fatal_words(error, said, endpoint)
    if fatal:
        return Remedy(Action.STOP, fatal)
    if _has_pictures(sent) and status not in (429, 503) and _PICTURES_REFUSED.search(said):
        return Remedy(Action.GIVE_UP, f"The model {endpoint.model} cannot read pictures, and this response has one.")
    if status == 429:
        return Remedy(Action.RETRY, "The server is limiting the rate of requests (429).", _retry_after(error))
    if status in (408, 409) or status >= 500:
        return Remedy(Action.RETRY, f"The model's server has a fault ({status}): {_short(said)}", _retry_after(error))
    return _refusal_remedy(said, status, sent)


def _fatal_words(error: openai.APIStatusError, said: str, endpoint: Endpoint) -> str:
    """What to tell the teacher where no request can succeed: key, quota, model or address; else nothing."""
    status = error.status_code
    if status in (401, 403) or (status == 400 and _WRONG_KEY.search(said)):
        return (
            f"The server at {endpoint.base_url} does not accept the key. Check the key, and that it may use the model "
            f"{endpoint.model}, then connect again."
        )
    if status == 402 or (status in (400, 429) and _NO_QUOTA.search(said)):
        return (
            "The account behind the key has no credit or quota left. Add credit with the provider, or connect another "
            "endpoint."
        )
    if status == 404 or error.code == "model_not_found":
        return (
            f"The server does not know the model {endpoint.model}, or {endpoint.base_url} is not the right address "
            "(it usually ends in /v1). Check both, then connect again."
        )
    return ""


def _refusal_remedy(said: str, status: int, sent: dict[str, Any]) -> Remedy:
    """For a request that the server understood and will not serve as it stands (400, 413, 422 …)."""
    if status == 413 or _TOO_LONG.search(said):
        return Remedy(Action.GIVE_UP, "The question, mark scheme and answer together are too long for this model.")
    if _FILTERED.search(said):
        return Remedy(Action.GIVE_UP, "The provider's content filter refused this response.")
    for name in ("temperature", "seed", "max_tokens", "max_completion_tokens", "reasoning_effort"):
        if name in sent and re.search(_EFFORT_REFUSED if name == "reasoning_effort" else rf"\b{name}\b", said):
            return Remedy(Action.DROP, parameter=name)
    if "response_format" in sent:
        if sent["response_format"]["type"] == "json_schema" and _BOUNDS_REFUSED.search(said):
            return Remedy(Action.NO_BOUNDS)
        if _FORMAT_REFUSED.search(said):
            return Remedy(Action.NEXT_FORMAT)
    return Remedy(Action.GIVE_UP, f"The model's server refused the request ({status}): {_short(said)}")


def _said(error: openai.APIStatusError, endpoint: Endpoint) -> str:
    """What the server said, in one line, without the key should it be repeated there."""
    body = error.body
    said = str(body.get("message") or body) if isinstance(body, dict) else str(body or error.message)
    if isinstance(body, dict) and body.get("code"):
        said = f"{said} [{body['code']}]"
    if endpoint.api_key:
        said = said.replace(endpoint.api_key, "(key)")
    return " ".join(said.split())


def _short(said: str) -> str:
    return "no more than that." if not said or "<html" in said.lower() else said[:300]


def _has_pictures(sent: dict[str, Any]) -> bool:
    return any(isinstance(message["content"], list) for message in sent["messages"])


def _retry_after(error: openai.APIStatusError) -> float | None:
    """Seconds the server asks to wait, from Retry-After (seconds or a date) or retry-after-ms."""
    headers = error.response.headers
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        asked = headers["retry-after"]
        if re.fullmatch(r"\d+(\.\d+)?", asked):
            return float(asked)
        return max(0.0, parsedate_to_datetime(asked).timestamp() - time.time())
    except (KeyError, ValueError, TypeError):
        return None

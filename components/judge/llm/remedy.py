"""What an error from an endpoint calls for: trying again, leaving something out, giving up, or stopping."""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Any

import openai

from components.judge.llm.endpoint import Endpoint
from components.judge.llm.picture_refusal import has_pictures, is_about_pictures, is_about_this_picture, no_pictures

_FORMAT_REFUSED = re.compile(
    r"response[_ ]?(?:format|schema)|json[_ ]?schema|json[_ ]?object|json[_ ]?mode|structured output|invalid schema"
    r"|grammar|initialize samplers|specified schema",
    re.IGNORECASE,
)
# Gemini ("too many states") and vLLM ("supported by xgrammar") do not say that it was the list lengths, though it is.
_BOUNDS_REFUSED = re.compile(
    r"minItems|maxItems|min_items|max_items|too many states|supported by xgrammar", re.IGNORECASE
)
# All that some Gemini models say of a schema with list lengths; it may be about anything else as well.
_BOUNDS_SUSPECTED = re.compile(r"request contains an invalid argument", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context[ _](?:length|size|window)|exceed_context_size|maximum context|too many tokens|prompt is too long"
    r"|input token count|request too large|max_tokens must be at least 1",
    re.IGNORECASE,
)
_LIMIT_TOO_HIGH = re.compile(r"max_(?:completion_)?tokens\W+is too large", re.IGNORECASE)
_WRONG_KEY = re.compile(
    r"api[ _-]?key (?:not valid|is invalid|expired)|invalid[ _]api[ _]key|incorrect api key", re.IGNORECASE
)
_NO_REGION = re.compile(r"(?:location|country|region)[^.]{0,40}not supported|unsupported_country", re.IGNORECASE)
_NO_MODEL = re.compile(
    r"\bmodel\b.{0,120}(?:not found|does not exist)|unexpected model name|invalid model identifier|no models loaded"
    r"|not work with the specified model",
    re.IGNORECASE,
)
_NO_MEMORY = re.compile(r"requires more (?:system )?memory|insufficient system resources", re.IGNORECASE)
_LOADING = re.compile(r"loading model|model is (?:still )?loading", re.IGNORECASE)
# Not "billing" alone: OpenAI's passing rate limits link to the billing page.
_NO_QUOTA = re.compile(
    r"insufficient[ _]quota|exceeded your current quota|billing[ _](?:details|hard|limit|not)"
    r"|insufficient (?:balance|credits?|funds)",
    re.IGNORECASE,
)
# Gemini says "exceeded your current quota" of a minute's as of a day's quota, and of a model that has none (limit: 0).
_QUOTA_OF_A_DAY = re.compile(r"PerDay|per day|daily", re.IGNORECASE)
_QUOTA_FOR_GOOD = re.compile(r"insufficient[ _]quota|limit: 0\b", re.IGNORECASE)
# How Ollama ("does not support thinking") and Gemini ("only works in thinking mode") speak of reasoning_effort.
_EFFORT_REFUSED = re.compile(r"reasoning[ ._-]?(?:effort|value)|\bthink(?:ing)?\b", re.IGNORECASE)
_FILTERED = re.compile(
    r"content[ _]?(?:filter|policy|management)|responsible ?ai|requires moderation|input was flagged", re.IGNORECASE
)
_WAIT_ASKED = re.compile(r"(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)? ?(?:ms|h|m|s)[a-z]* ?)+)", re.IGNORECASE)
_SPAN = re.compile(r"(\d+(?:\.\d+)?) ?(ms|h|m|s)", re.IGNORECASE)
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}

SETTINGS = ("temperature", "seed", "max_tokens", "max_completion_tokens", "reasoning_effort")
LOADING_WAIT = 10.0


class NoReply(Exception):
    """No usable answer from the server for this response. The message says why, in words for a teacher."""


class NoChoices(Exception):
    """A successful reply without an answer, as some servers give to a format they do not know.

    The message is the error that the server put into it all the same, if it did, and `code` that error's status.
    """

    def __init__(self, words: str = "", code: int = 0) -> None:
        super().__init__(words)
        self.code = code


class Action(Enum):
    RETRY = "try again later"
    GIVE_UP = "no reply for this response"
    NO_PICTURES = "no reply for this response or any other with pictures"
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
    if isinstance(error, openai.APITimeoutError | TimeoutError):
        return Remedy(Action.RETRY, f"The model did not answer within {endpoint.timeout:g} seconds.")
    if isinstance(error, openai.APIConnectionError):
        return Remedy(Action.RETRY, f"The model's server at {endpoint.base_url} could not be reached.")
    if isinstance(error, openai.APIStatusError):
        return _status_remedy(error, endpoint, sent)
    if isinstance(error, NoChoices) and (str(error) or "response_format" in sent):
        return _empty_remedy(error, sent)
    return Remedy(Action.GIVE_UP, f"What {endpoint.base_url} sent back is not a reply of a chat model.")


def _empty_remedy(error: NoChoices, sent: dict[str, Any]) -> Remedy:
    """For a success without an answer: what its own error calls for, or, where it has none, a plainer format."""
    if error.code == 429 or error.code >= 500:
        return Remedy(Action.RETRY, f"The model's server has a fault ({error.code}): {_short(str(error))}")
    return _refusal_remedy(str(error), "", 200, sent) if str(error) else Remedy(Action.NEXT_FORMAT)


def _status_remedy(error: openai.APIStatusError, endpoint: Endpoint, sent: dict[str, Any]) -> Remedy:
    status = error.status_code
    told = _told(error)
    said = _said(error, told, endpoint)
    wait = _wait_asked(error, told, said)
    fatal = _fatal_words(error, told, said, wait, endpoint)
    if fatal:
        return Remedy(Action.STOP, fatal)
    if has_pictures(sent["messages"]) and status not in (429, 503) and is_about_pictures(said):
        return _picture_remedy(said, endpoint)
    if status == 429 and not _TOO_LONG.search(said):
        return Remedy(Action.RETRY, "The server is limiting the rate of requests (429).", wait)
    if status == 503 and _LOADING.search(said):
        return Remedy(Action.RETRY, "The server is still loading the model (503).", wait or LOADING_WAIT)
    if status in (408, 409) or (status >= 500 and not _is_about_the_request(status, said, sent)):
        return Remedy(Action.RETRY, f"The model's server has a fault ({status}): {_short(said)}", wait)
    return _refusal_remedy(said, str(told.get("param") or ""), status, sent)


def _picture_remedy(said: str, endpoint: Endpoint) -> Remedy:
    if is_about_this_picture(said):
        return Remedy(Action.GIVE_UP, f"The model's server does not take this response's pictures: {_short(said)}")
    return Remedy(Action.NO_PICTURES, no_pictures(endpoint))


def _is_about_the_request(status: int, said: str, sent: dict[str, Any]) -> bool:
    """Whether a status of a server's fault is about the request: the same again would meet the same."""
    if status == 501 or _TOO_LONG.search(said):
        return True
    return status == 500 and "response_format" in sent and bool(_FORMAT_REFUSED.search(said))


def _fatal_words(
    error: openai.APIStatusError, told: dict[str, Any], said: str, wait: float | None, endpoint: Endpoint
) -> str:
    """What to tell the teacher where no request can succeed: place, key, quota, model, address; else nothing."""
    status = error.status_code
    if status in (400, 403) and _NO_REGION.search(said):
        return f"The provider at {endpoint.base_url} does not serve your region. Connect another endpoint."
    flagged = status == 403 and _FILTERED.search(said)
    if not flagged and (status in (401, 403) or (status == 400 and _WRONG_KEY.search(said))):
        return (
            f"The server at {endpoint.base_url} does not accept the key. Check the key, and that it may use the model "
            f"{endpoint.model}, then connect again."
        )
    if status == 402 or (status in (400, 429) and _NO_QUOTA.search(said)):
        return _quota_words(status, told, said, wait)
    if status == 404 or error.code == "model_not_found" or (status == 400 and _is_about_the_model(told, said)):
        return (
            f"The server does not know the model {endpoint.model}, or {endpoint.base_url} is not the right address "
            f"(it usually ends in /v1). Check both, then connect again. The server says: {_short(said)}"
        )
    if status >= 400 and _NO_MEMORY.search(said):
        return (
            f"The server has too little memory for the model {endpoint.model}. Free some, or connect a smaller model. "
            f"The server says: {_short(said)}"
        )
    return ""


def _quota_words(status: int, told: dict[str, Any], said: str, wait: float | None) -> str:
    """What to tell of a quota used up; nothing where it is a minute's, and waiting as long as asked helps."""
    if status == 429 and not _QUOTA_FOR_GOOD.search(said):
        if _QUOTA_OF_A_DAY.search(f"{said} {told.get('details')}"):
            return (
                "The day's quota of the account behind the key is used up. Go on tomorrow, raise the quota with the "
                "provider, or connect another endpoint."
            )
        if wait is not None:
            return ""
    return (
        "The account behind the key has no credit or quota left. Add credit with the provider, or connect another "
        "endpoint."
    )


def _is_about_the_model(told: dict[str, Any], said: str) -> bool:
    return told.get("param") == "model" or bool(_NO_MODEL.search(said))


def _refusal_remedy(said: str, param: str, status: int, sent: dict[str, Any]) -> Remedy:
    """For a request that the server understood and will not serve as it stands (400, 413, 422 …)."""
    limit = next((name for name in ("max_tokens", "max_completion_tokens") if name in sent), "")
    if limit and _LIMIT_TOO_HIGH.search(said):
        return Remedy(Action.DROP, parameter=limit)
    if status == 413 or _TOO_LONG.search(said):
        return Remedy(Action.GIVE_UP, "The question, mark scheme and answer together are too long for this model.")
    if _FILTERED.search(said):
        return Remedy(Action.GIVE_UP, "The provider's content filter refused this response.")
    setting = _setting_refused(said, param, sent)
    if setting:
        return Remedy(Action.DROP, parameter=setting)
    plainer = _plainer_format(said, param, sent)
    if plainer:
        return Remedy(plainer)
    return Remedy(Action.GIVE_UP, f"The model's server refused the request ({status}): {_short(said)}")


def _setting_refused(said: str, param: str, sent: dict[str, Any]) -> str:
    """The setting that a refusal is about: the one it gives as its `param`, or else names; none: ""."""
    if param in SETTINGS and param in sent:
        return param
    for name in SETTINGS:
        if name in sent and re.search(_EFFORT_REFUSED if name == "reasoning_effort" else rf"\b{name}\b", said):
            return name
    return ""


def _plainer_format(said: str, param: str, sent: dict[str, Any]) -> Action | None:
    """What to ask for instead where a refusal is about the reply's format; None where it is not."""
    if "response_format" not in sent:
        return None
    bounded = "minItems" in json.dumps(sent["response_format"])
    if bounded and (_BOUNDS_REFUSED.search(said) or _BOUNDS_SUSPECTED.search(said)):
        return Action.NO_BOUNDS
    if param == "response_format" or _FORMAT_REFUSED.search(said) or _BOUNDS_REFUSED.search(said):
        return Action.NEXT_FORMAT
    return None


def _told(error: openai.APIStatusError) -> dict[str, Any]:
    """The error object of the body. Gemini sends it as the one item of a list, under "error"."""
    body = error.body
    if isinstance(body, list) and body:
        body = body[0]
    inner = body.get("error") if isinstance(body, dict) else None
    told = inner if isinstance(inner, dict) else body
    return told if isinstance(told, dict) else {}


def _said(error: openai.APIStatusError, told: dict[str, Any], endpoint: Endpoint) -> str:
    """What the server said, in one line, without the key should it be repeated there."""
    said = str(told.get("message") or error.body or error.message)
    violations = [found for found in _detail(told, "fieldViolations") or [] if isinstance(found, dict)]
    more = [str(found["description"]) for found in violations if found.get("description")]
    said = " ".join([said, *(words for words in more if words not in said)])
    if told.get("code"):
        said = f"{said} [{told['code']}]"
    if endpoint.api_key:
        said = said.replace(endpoint.api_key, "(key)")
    return " ".join(said.split())


def _detail(told: dict[str, Any], name: str) -> Any:
    """What an error's details, as Google's APIs give them, hold under a name; None where they do not."""
    details = told.get("details")
    found = (
        [item[name] for item in details if isinstance(item, dict) and name in item] if isinstance(details, list) else []
    )
    return found[0] if found else None


def _short(said: str) -> str:
    return "no more than that." if not said or "<html" in said.lower() else said[:300]


def _wait_asked(error: openai.APIStatusError, told: dict[str, Any], said: str) -> float | None:
    """Seconds the server asks to wait: in the headers, or as Gemini, Azure and OpenAI also do, in the error itself."""
    asked = _retry_after(error)
    if asked is not None:
        return asked
    words = _WAIT_ASKED.search(said)
    spans = _SPAN.findall(str(_detail(told, "retryDelay") or (words[1] if words else "")))
    return sum(float(number) * _SECONDS[unit.lower()] for number, unit in spans) if spans else None


def _retry_after(error: openai.APIStatusError) -> float | None:
    """Seconds from the headers Retry-After (seconds or a date) or retry-after-ms."""
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

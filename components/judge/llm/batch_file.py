"""The lines of a batch file: a request as OpenAI's batches and `vllm run-batch` take it, and a line of their output."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from openai.types.chat import ChatCompletion

URL: Final = "/v1/chat/completions"
_ID = re.compile(r"b(\d+)-r\d+-s\d+-[0-9a-f]+")
# What a completion has beside its choices, and servers leave out.
_USUAL = {"id": "", "object": "chat.completion", "created": 0, "model": ""}


class NotALine(ValueError):
    """A line that is no JSON object. The message says what it is, in words."""


@dataclass(frozen=True)
class OutputLine:
    """What an output line says: its custom_id ("" where it has none), and a completion's body or words of its error."""

    custom_id: str
    body: dict[str, Any] | None
    fault: str = ""


def custom_id(batch_id: int, response_id: int, sample: int, tag: str) -> str:
    """b12-r345-s0-3fa9c1; `sample` counts from 0.

    The tag, hexadecimal, is the batch's own: the output of another database's batch 12 is then not taken for it.
    """
    return f"b{batch_id}-r{response_id}-s{sample}-{tag}"


def batch_of(named: str) -> int | None:
    """The batch that a custom_id of ours names, or None where it is none of ours."""
    found = _ID.fullmatch(named)
    return int(found[1]) if found else None


def request_line(named: str, body: dict[str, Any]) -> str:
    """One request, its line end included. ASCII alone: no program that reads it can break it at another line end."""
    return json.dumps({"custom_id": named, "method": "POST", "url": URL, "body": body}) + "\n"


def read_line(text: str) -> OutputLine:
    """What a line of an output or error file says. Raises NotALine.

    Only custom_id and body are asked for: programs differ in all the rest.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotALine("It is not JSON; perhaps the file was cut off here.") from error
    if not isinstance(found, dict):
        raise NotALine("It is JSON, but not an object.")
    named = found.get("custom_id")
    response = found.get("response")
    response = response if isinstance(response, dict) else {}
    body = _parsed(response.get("body", response if "choices" in response else None))
    fault = _fault(found.get("error"), response.get("status_code"), body)
    return OutputLine(named if isinstance(named, str) else "", None if fault else body, fault)


def completion_of(body: dict[str, Any]) -> ChatCompletion:
    """The completion that a line's body is, as leniently as the live path takes one."""
    return ChatCompletion.construct(**{**_USUAL, **body})


def _parsed(body: object) -> dict[str, Any] | None:
    """The body; some programs write it as JSON inside JSON."""
    if isinstance(body, str):
        try:
            body = json.loads(body)
        except (ValueError, RecursionError):
            return None
    return body if isinstance(body, dict) else None


def _fault(error: object, status: object, body: dict[str, Any] | None) -> str:
    """Why there is no completion in words, or nothing where there is one."""
    said = _said(error) or (_said(body.get("error")) if body else "")
    number = status if isinstance(status, int) and status else None
    if said or (number is not None and number >= 400):
        code = f" ({number})" if number is not None and number >= 400 else ""
        return f"The request failed{code}: {said or 'no more is said.'}"
    if body is None:
        return "The line has neither a reply nor an error."
    choices = body.get("choices")
    usable = isinstance(choices, list) and all(
        isinstance(each, dict) and isinstance(each.get("message"), dict) for each in choices
    )
    if not choices or not usable:
        return "The line's reply is not one of a chat model."
    return ""


def _said(error: object) -> str:
    """An error's words; it may be an object, words, or an object around another."""
    if isinstance(error, dict) and isinstance(error.get("error"), dict):
        error = error["error"]
    if isinstance(error, dict):
        words, code = str(error.get("message") or ""), str(error.get("code") or "")
        error = f"{words} [{code}]" if words and code else words or code or (json.dumps(error) if error else "")
    return " ".join(str(error).split())[:300] if error else ""

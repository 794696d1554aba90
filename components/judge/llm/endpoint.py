"""Where a model is reached, and the settings sent with every request."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from components.judge.llm.protocol import Protocol

OPENAI_BASE_URL = "https://api.openai.com/v1"
DEFAULT_MODEL = "gpt-5.4-mini"
NO_KEY = "no-key"
DEFAULT_AT_ONCE = 8

ReasoningEffort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]
# How pictures are marked: sent with the request for a mark, or first read into a transcript, which is then marked.
PictureReading = Literal["direct", "transcribe"]
# From the least on: models differ in which of them is their least.
LEAST_EFFORTS: tuple[ReasoningEffort, ...] = ("none", "minimal", "low")


@dataclass(frozen=True)
class Endpoint:
    """An OpenAI-compatible endpoint: base URL up to and including /v1, model, key.

    The key lives in memory only and never appears in a repr. `temperature`, `seed`, `max_tokens` and
    `reasoning_effort` are sent only when set, by hand or by the `protocol`, which comes first: GAOKAO sets temperature
    0, MEDLY the least reasoning effort. `timeout` is in seconds for one request. `samples` times the model is asked for
    one proposal; `at_once` bounds the requests that are with the endpoint together. `reading` is how pictures are
    marked; `without_ruling` takes the lines of ruled or squared paper out of them first.
    """

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    reasoning_effort: ReasoningEffort | None = None
    timeout: float = 120.0
    protocol: Protocol = Protocol.FULL
    samples: int = 1
    at_once: int = DEFAULT_AT_ONCE
    reading: PictureReading = "direct"
    without_ruling: bool = False

    @classmethod
    def from_environment(cls) -> Endpoint | None:
        """The endpoint that OPENAI_API_KEY, OPENAI_BASE_URL and SECOND_MARKER_MODEL name; None without key and URL.

        Without a URL it is OpenAI's own; without a model name it is `gpt-5.4-mini`, a small current model of OpenAI's.
        """
        key = os.environ.get("OPENAI_API_KEY", "").strip()
        base_url = os.environ.get("OPENAI_BASE_URL", "").strip()
        if not key and not base_url:
            return None
        model = os.environ.get("SECOND_MARKER_MODEL", "").strip() or DEFAULT_MODEL
        return cls(base_url=base_url or OPENAI_BASE_URL, model=model, api_key=key)

    @property
    def settings(self) -> dict[str, Any]:
        """The optional request parameters that are set, under their names in the API; see `efforts` for one more."""
        named = {
            "temperature": 0.0 if self.protocol is Protocol.GAOKAO else self.temperature,
            "seed": self.seed,
            "max_tokens": self.max_tokens,
        }
        return {name: value for name, value in named.items() if value is not None}

    @property
    def efforts(self) -> tuple[ReasoningEffort, ...]:
        """Values of `reasoning_effort` to send, each where the server refuses those before it; none: send none."""
        if self.protocol is Protocol.MEDLY:
            return LEAST_EFFORTS
        return (self.reasoning_effort,) if self.reasoning_effort else ()


def is_base_url(said: str) -> bool:
    """Whether this is one web address, of a server that can be asked: pasted behind another it is none."""
    try:
        parts = urlsplit(said)
        port = parts.port
    except ValueError:
        return False
    single = said.count("://") == 1 and not re.search(r"\s", said)
    return single and parts.scheme in ("http", "https") and bool(parts.hostname) and port != 0

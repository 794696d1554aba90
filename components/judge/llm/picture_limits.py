"""How large a picture may go to a model: what its provider looks at, and what it takes at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from components.judge.llm.endpoint import Endpoint
from components.judge.llm.pictures import for_model
from components.judge.llm.prompt import check_pictures
from components.marking import Response


@dataclass(frozen=True)
class PictureLimits:
    """The longest side in pixels, and the most bytes of one picture before it is written as base64."""

    longest_side: int
    most_bytes: int


# OpenAI scales a picture in high detail to fit 2048 × 2048 ("Images and vision" in its guides).
OPENAI: Final = PictureLimits(2048, 5_000_000)
# Gemini scales to fit 3072 × 3072, and takes 7 MB a file inline ("Image understanding" in its documentation).
GEMINI: Final = PictureLimits(3072, 5_000_000)
# Anthropic scales to a longest side of 1568 and refuses base64 over 5 MB a picture ("Vision" in its documentation).
# What people run themselves looks at less rather than more, and each pixel costs them time.
OTHERS: Final = PictureLimits(1568, 3_700_000)

_BY_HOST = ((("openai.com", "azure.com"), OPENAI), (("googleapis.com",), GEMINI))
_BY_NAME = ((("gpt-", "o1", "o3", "o4", "openai/"), OPENAI), (("gemini", "google/gemini"), GEMINI))


def limits_of(endpoint: Endpoint) -> PictureLimits:
    """By the endpoint's host, else, for a gateway to others' models, by what the model is called."""
    host, model = urlsplit(endpoint.base_url).hostname or "", endpoint.model.casefold()
    for hosts, limits in _BY_HOST:
        if any(host == each or host.endswith(f".{each}") for each in hosts):
            return limits
    return next((limits for names, limits in _BY_NAME if model.startswith(names)), OTHERS)


def scaled(response: Response, endpoint: Endpoint) -> Response:
    """The response with its pictures as they are sent to the endpoint. Raises PictureError."""
    check_pictures(response.pictures)
    limits = limits_of(endpoint)
    pictures = tuple(
        for_model(each, limits.longest_side, limits.most_bytes, without_ruling=endpoint.without_ruling)
        for each in response.pictures
    )
    return response.model_copy(update={"pictures": pictures})

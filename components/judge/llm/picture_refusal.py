"""Telling a model that takes no pictures from one that does not take this picture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from components.judge.llm.endpoint import Endpoint

_ABOUT_PICTURES = re.compile(r"\bimage|image_url|picture|mmproj|vision|multimodal|multi-modal", re.IGNORECASE)
# By a model that does take pictures: too large, too many, broken.
_ABOUT_THIS_PICTURE = re.compile(
    r"image[^.]{0,60}(?:too (?:large|small|big)|exceeds|corrupt|could not be (?:decoded|processed))"
    r"|(?:could not|cannot|unable to|failed to) (?:process|decode|load|read|parse)[^.]{0,30}image"
    r"|invalid (?:base64 )?image(?! (?:input|type))|too many images|at most [1-9]\d* image"
    r"|unsupported image (?:format|type)",
    re.IGNORECASE,
)


def is_about_pictures(said: str) -> bool:
    """Whether a refusal of a request with pictures is for these."""
    return bool(_ABOUT_PICTURES.search(said))


def is_about_this_picture(said: str) -> bool:
    """Whether a refusal for pictures is for these ones, and others may be taken."""
    return bool(_ABOUT_THIS_PICTURE.search(said))


def no_pictures(endpoint: Endpoint) -> str:
    """What to tell of a response with pictures where the model takes none."""
    return f"The model {endpoint.model} cannot read pictures, and this response has one."


def has_pictures(messages: Sequence[dict[str, Any]]) -> bool:
    """Whether messages to a model hold pictures: their content is then in parts."""
    return any(isinstance(message["content"], list) for message in messages)

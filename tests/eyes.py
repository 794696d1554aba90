"""A model server with eyes for tests: it keeps what it was sent, opens the pictures in it, and replies in turn."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from PIL import Image, ImageDraw

from tests.model_server import Said, completion, serving, words_of

MODEL = "seer"
NO_EYES = "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"


@dataclass
class Eyes:
    """`replies` are given in order, the last again and again: a dictionary or text as content, or a Said as it is."""

    replies: list[Any]
    base_url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)

    def answer(self, asked: dict[str, Any], headers: dict[str, str]) -> Said:
        self.asked.append(asked)
        reply = self.replies[min(len(self.asked), len(self.replies)) - 1]
        return reply if isinstance(reply, Said) else Said(*completion(reply, MODEL, 1000, 100))

    def words(self, request: int = -1) -> str:
        return words_of(self.asked[request]["messages"][-1])

    def system(self, request: int = -1) -> str:
        return str(self.asked[request]["messages"][0]["content"])

    def pictures(self, request: int = -1) -> list[Image.Image]:
        """The pictures of a request in order, decoded."""
        return [opened(part["image_url"]["url"]) for part in self.parts(request) if part["type"] == "image_url"]

    def parts(self, request: int = -1) -> list[dict[str, Any]]:
        content = self.asked[request]["messages"][-1]["content"]
        return content if isinstance(content, list) else [{"type": "text", "text": content}]


@contextmanager
def eyes(*replies: Any) -> Iterator[Eyes]:
    server = Eyes(list(replies))
    with serving(server.answer) as server.base_url:
        yield server


def blind_said() -> Said:
    """What llama.cpp answers to a picture without a projector for it."""
    return Said(500, {"error": {"code": 500, "message": NO_EYES, "type": "server_error"}})


def opened(url: str) -> Image.Image:
    head, data = url.split(",", 1)
    assert head in ("data:image/png;base64", "data:image/jpeg;base64")
    raw = base64.b64decode(data)
    image = Image.open(io.BytesIO(raw))
    image.load()
    image.info["bytes"] = len(raw)
    return image


def page(
    colour: str = "white", size: tuple[int, int] = (300, 400), kind: str = "PNG", *, ruled: bool = False, **save: Any
) -> bytes:
    """A page with a black square in its top left corner, by which it is seen which way up it is."""
    image = Image.new("RGB", size, colour)
    draw = ImageDraw.Draw(image)
    if ruled:
        for y in range(30, size[1], 30):
            draw.line((0, y, size[0], y), (150, 180, 230), 2)
    draw.rectangle((10, 10, 50, 50), fill="black")
    out = io.BytesIO()
    image.save(out, kind, **save)
    return out.getvalue()


def verdicts(
    *quotes: Any, transcript: str | None = "the enzyme is denatured", flags: tuple[str, ...] = (), **more: Any
) -> str:
    """A reply that awards M1 with these quotes and not A1; with a transcript unless that is None."""
    points = [
        {"code": "M1", "evidence": list(quotes), "reason": "said", "awarded": bool(quotes), "not_sure": False},
        {"code": "A1", "evidence": [], "reason": "not said", "awarded": False, "not_sure": False},
    ]
    read = {} if transcript is None else {"transcript": transcript, "flags": list(flags)}
    return json.dumps({**read, "abstain": None, "points": points, **more})

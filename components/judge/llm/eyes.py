"""Finding out whether a model takes pictures: one small picture with a number on it, which it is asked to read."""

from __future__ import annotations

import io
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont

from components.judge.llm.judge import LLMJudge
from components.judge.llm.prompt import Message, picture_part, text_part
from components.judge.llm.remedy import NoReply
from components.judge.llm.reply import text_of

NUMBER = "7304"
QUESTION = f'Which number is on the picture? Reply with JSON alone: {{"number": {"0" * len(NUMBER)}}}'
_FORM = {
    "type": "object",
    "properties": {"number": {"type": "integer"}},
    "required": ["number"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class PictureTrial:
    """`taken` is whether the model takes pictures, None where that could not be found out; `right` whether it read the
    number on ours, None where it gave no reply. A server may drop a picture silently: only `right` is sure."""

    taken: bool | None
    right: bool | None = None


async def try_pictures(judge: LLMJudge) -> PictureTrial:
    """Sends one small picture, which costs a reply; the judge remembers whether it was taken. Raises JudgeStopped."""
    try:
        reply = await judge.exchange.ask(trial_messages(), lambda bounds: _FORM)
    except NoReply:
        return PictureTrial(judge.exchange.found.pictures)
    return PictureTrial(judge.exchange.found.pictures, NUMBER in text_of(reply).replace(",", ""))


def trial_messages() -> list[Message]:
    content = [text_part(QUESTION), picture_part(trial_picture(), 1)]
    return [{"role": "user", "content": content}]


def trial_picture() -> bytes:
    """A PNG of 240 × 96 pixels with NUMBER on it."""
    image = Image.new("RGB", (240, 96), "white")
    ImageDraw.Draw(image).text((120, 48), NUMBER, "black", ImageFont.load_default(64), anchor="mm")
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()

"""A question's own pictures in a request: fenced before its words, apart from the candidate's, or told of unseen."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from components.judge.llm.endpoint import Endpoint
from components.judge.llm.fence import neutralised
from components.judge.llm.picture_limits import limits_of
from components.judge.llm.pictures import for_model
from components.judge.llm.prompt import (
    LANGUAGES,
    VERSION,
    Message,
    PictureError,
    Prompt,
    both,
    language_of,
    load,
    picture_part,
    text_part,
)
from components.judge.llm.protocol import Protocol
from components.marking import Figure, Flag, Question

NOT_SEEN = Flag(
    kind="figure",
    text="The judge has not seen the question's picture: its model cannot read pictures. Check the mark against it.",
)


def with_figures(prompt: Prompt, *, seen: bool) -> Prompt:
    """The prompt for a question with pictures, which the model is shown or only told of; both versions, both hashes.

    A published protocol's own words stay as they were published; the pictures are named beside them.
    """
    figures = load(f"figures.{language_of(prompt)}.{VERSION}", prompt.protocol)
    names = ("opening", "figure", "closing", "answer") if seen else ("unseen", "unseen_caption")
    sections = {**prompt.sections, **{name: figures.sections[name] for name in names}}
    if prompt.protocol is Protocol.FULL:
        said = figures.sections["system" if seen else "unseen_system"]
        sections["system"] = f"{prompt.sections['system'].strip()}\n\n{said}"
    return replace(both(prompt, figures), sections=sections)


def figure_prompts_hash() -> str:
    """One hash over all that a model is told about a question's pictures."""
    hashes = (load(f"figures.{language}.{VERSION}").hash for language in LANGUAGES)
    return hashlib.sha256("".join(hashes).encode()).hexdigest()


def with_figures_before(
    asking: Sequence[Message], prompt: Prompt, question: Question, endpoint: Endpoint
) -> list[Message]:
    """The messages about a response with the question's pictures first, scaled for the endpoint, by a prompt that is
    one `with_figures`; without them, and told so, where that is for a model which does not see. Raises PictureError.
    """
    system, user = asking
    content = user["content"]
    words, *pages = [text_part(content)] if isinstance(content, str) else content
    if "figure" not in prompt.sections:
        told = [text_part(f"{_told_of(prompt, question)}\n\n{words['text']}"), *pages]
        return [system, {**user, "content": told if pages else told[0]["text"]}]
    parts = []
    for place, figure in enumerate(question.figures, 1):
        name = prompt.render("figure", figure=place, caption=_after_colon(figure))
        parts.append(text_part(name if place > 1 else f"{prompt.render('opening')}\n{name}"))
        parts.append(picture_part(_ready(figure.content, place, endpoint), place))
    parts.append(text_part(f"{prompt.render('closing')}\n\n{words['text']}"))
    if pages:
        parts += [text_part(prompt.render("answer")), *pages]
    return [system, {**user, "content": parts}]


def check_figures(question: Question, endpoint: Endpoint) -> None:
    """Raises PictureError, in words, for the first picture of the question that cannot be sent."""
    for place, figure in enumerate(question.figures, 1):
        _ready(figure.content, place, endpoint)


def _told_of(prompt: Prompt, question: Question) -> str:
    captions = [
        prompt.render("unseen_caption", figure=place, caption=neutralised(figure.caption))
        for place, figure in enumerate(question.figures, 1)
        if figure.caption.strip()
    ]
    return prompt.render("unseen", count=len(question.figures), captions="\n".join(captions))


def _after_colon(figure: Figure) -> str:
    caption = neutralised(figure.caption)
    return f": {caption}" if caption else ""


def _ready(content: bytes, place: int, endpoint: Endpoint) -> bytes:
    """The picture as it is sent, its own lines kept: those of a graph's paper are part of it. Raises PictureError."""
    limits = limits_of(endpoint)
    try:
        return _scaled(content, limits.longest_side, limits.most_bytes)
    except PictureError as error:
        raise PictureError(
            f"Picture {place} of the question cannot be sent to a model: it is broken, or neither PNG nor JPEG. "
            "Replace it on the Exams page, then ask again."
        ) from error


# A run asks about one question's responses after another, and each is sent the same pictures.
@lru_cache(maxsize=16)
def _scaled(content: bytes, longest_side: int, most_bytes: int) -> bytes:
    return for_model(content, longest_side, most_bytes)

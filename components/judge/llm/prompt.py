"""The messages a model is sent: the prompt's words from assets/prompts, with the answer fenced as data."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from string import Template
from typing import Any

from components.judge.llm.fence import neutralised
from components.judge.llm.protocol import Protocol
from components.judge.llm.scheme_text import possible_marks, scheme_text
from components.marking import Exemplar, Question, QuestionType, Response, Scheme, format_mark

FOLDER = Path(__file__).parents[3] / "assets" / "prompts"
LANGUAGES = ("en", "zh")
KINDS = ("points", "working", "levels", "essay", "free_text", "objective")
VERSION = "v1"
PUBLISHED = {Protocol.MEDLY: f"medly.en.{VERSION}", Protocol.GAOKAO: f"gaokao.zh.{VERSION}"}

Message = dict[str, Any]

_SECTION = re.compile(r"^\[(\w+)\]\n", re.MULTILINE)


class PictureError(ValueError):
    """A picture that cannot be sent. The message is for a teacher."""


@dataclass(frozen=True)
class Prompt:
    """One prompt file: its version (the file's name), its sections by name, and its language's words for a scheme.

    `hash` is the SHA-256 of the file's bytes followed by those of the words file: all our words that a model is sent.
    """

    version: str
    hash: str
    protocol: Protocol
    sections: dict[str, str]
    words: dict[str, str]

    def render(self, section: str, **values: object) -> str:
        """A section with its places filled in; a half character (lone surrogate), which cannot be sent, becomes ?."""
        return _filled(self.sections[section], values)

    def word(self, name: str, **values: object) -> str:
        """A phrase about a scheme, in the prompt's language."""
        return _filled(self.words[name], values)

    def again(self, fault: str) -> str:
        """What a model is told when its reply could not be used."""
        return self.render("again", fault=fault)


def _filled(section: str, values: dict[str, object]) -> str:
    return Template(section).substitute(values).strip().encode("utf-8", "replace").decode("utf-8")


@lru_cache(maxsize=32)
def load(version: str, protocol: Protocol = Protocol.FULL) -> Prompt:
    """The prompt of that version (kind.language.v1). Raises FileNotFoundError when assets/prompts does not have it."""
    language = version.split(".")[1]
    prompt = (FOLDER / f"{version}.txt").read_bytes()
    words = (FOLDER / f"words.{language}.{VERSION}.txt").read_bytes()
    return Prompt(version, hashlib.sha256(prompt + words).hexdigest(), protocol, _sections(prompt), _sections(words))


def _sections(file: bytes) -> dict[str, str]:
    parts = _SECTION.split(file.decode("utf-8"))
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def with_pictures(prompt: Prompt) -> Prompt:
    """The prompt for an answer on pictures: what is said of them with it, in its language; both versions, both hashes.

    A published protocol's own words stay as they were published; pages and a teacher's transcript alone are named.
    """
    pictures = load(f"pictures.{language_of(prompt)}.{VERSION}", prompt.protocol)
    sections = {**prompt.sections, "page": pictures.sections["page"], "transcript": pictures.sections["transcript"]}
    if prompt.protocol is Protocol.FULL:
        sections["system"] = f"{prompt.sections['system'].strip()}\n\n{pictures.sections['system']}"
    return replace(both(prompt, pictures), sections=sections)


def both(first: Prompt, second: Prompt) -> Prompt:
    """The first prompt under the versions and hashes of both: for a proposal that two of them went into."""
    hashes = hashlib.sha256((first.hash + second.hash).encode()).hexdigest()
    return replace(first, version=f"{first.version} + {second.version}", hash=hashes)


def transcribing_prompt(prompt: Prompt) -> Prompt:
    """What a model is told that copies out pictures, to be marked after by `prompt`: in the same language."""
    return load(f"transcribe.{language_of(prompt)}.{VERSION}")


def picture_prompts_hash() -> str:
    """One hash over all that a model is told about pictures: it moves when any of these words does."""
    versions = [f"{kind}.{language}.{VERSION}" for kind in ("pictures", "transcribe") for language in LANGUAGES]
    return hashlib.sha256("".join(load(version).hash for version in versions).encode()).hexdigest()


def language_of(prompt: Prompt) -> str:
    """en or zh."""
    return prompt.version.split(".")[1]


def prompts_hash(protocol: Protocol = Protocol.FULL) -> str:
    """One hash over a protocol and every prompt it may use: it moves when any of their words does."""
    full = [f"{kind}.{language}.{VERSION}" for kind in KINDS for language in LANGUAGES]
    versions = full if protocol is Protocol.FULL else [PUBLISHED[protocol]]
    hashes = [load(version, protocol).hash for version in versions]
    return hashlib.sha256("".join([protocol, *hashes]).encode()).hexdigest()


def prompt_for(scheme: Scheme, question: Question | None = None, protocol: Protocol = Protocol.FULL) -> Prompt:
    """The prompt for a scheme: of a published protocol the only one, of ours by kind and by the question's language.

    A question in a language other than Chinese gets the English one. Without a question the scheme alone decides.
    """
    if protocol is not Protocol.FULL:
        return load(PUBLISHED[protocol], protocol)
    language = "en" if question is None else question.language.strip().lower().replace("_", "-").split("-")[0]
    return load(f"{_kind(scheme, question)}.{'zh' if language == 'zh' else 'en'}.{VERSION}")


def scheme_words(scheme: Scheme, prompt: Prompt | None = None) -> str:
    """The mark scheme as a prompt shows it, in the prompt's language (without one: in English); may be empty.

    Medly's protocol leaves the teacher's note out, as published.
    """
    prompt = prompt or prompt_for(scheme)
    full, medly = prompt.protocol is Protocol.FULL, prompt.protocol is Protocol.MEDLY
    return scheme_text(scheme, prompt.word, marks=full, note=not medly)


def _kind(scheme: Scheme, question: Question | None) -> str:
    answered = None if question is None else question.type
    if scheme.objectives:
        return "essay" if answered is QuestionType.ESSAY else "levels"
    if scheme.points:
        follows = any(point.follow_through for point in scheme.points)
        return "working" if follows or answered is QuestionType.WORKING else "points"
    return "objective" if scheme.choice or scheme.numeric else "free_text"


def messages(
    prompt: Prompt, question: Question, scheme: Scheme, response: Response, exemplars: Sequence[Exemplar]
) -> list[Message]:
    """System and user message for one response, pictures attached in order, each of several under its page's number.

    A teacher's transcript goes after them. Nothing of the candidate but the answer and the pseudonym goes in. For
    pictures the prompt must be one `with_pictures`. Raises PictureError for a picture that is neither PNG nor JPEG.
    """
    answer = neutralised(response.text) or prompt.word("pictures")
    words = _user_words(prompt, question, scheme, neutralised(response.id), answer, exemplars)
    content: str | list[Message] = words
    if response.pictures:
        content = [text_part(words), *picture_parts(prompt, response.pictures)]
        if transcript := neutralised(response.transcript):
            content.append(text_part(prompt.render("transcript", transcript=transcript)))
    return [{"role": "system", "content": prompt.render("system")}, {"role": "user", "content": content}]


def _user_words(
    prompt: Prompt, question: Question, scheme: Scheme, response_id: str, answer: str, exemplars: Sequence[Exemplar]
) -> str:
    none, max_mark = prompt.word("none"), format_mark(question.max_mark)
    if prompt.protocol is Protocol.MEDLY:
        return prompt.render(
            "user",
            max_mark=max_mark,
            question=question.text,
            stimulus=question.stimulus,
            scheme=scheme_words(scheme, prompt) or none,
            answer=answer,
        )
    if prompt.protocol is Protocol.GAOKAO:
        criteria = scheme_words(scheme, prompt)
        return prompt.render(
            "user",
            max_mark=max_mark,
            marks=possible_marks(scheme),
            question=question.text,
            stimulus=question.stimulus,
            analysis=question.analysis or none,
            standard_answer=question.model_answer or none,
            criteria=f"\n{prompt.render('criteria', scheme=criteria)}\n" if criteria else "",
            answer=answer,
        )
    return prompt.render(
        "user",
        number=question.number,
        max_mark=max_mark,
        question=question.text,
        stimulus=question.stimulus or none,
        scheme=scheme_words(scheme, prompt),
        model_answer="\n\n".join(part for part in (question.model_answer, question.analysis) if part) or none,
        examples="".join(f"\n{_example(prompt, exemplar, max_mark)}\n" for exemplar in exemplars),
        response_id=response_id,
        answer=answer,
    )


def _example(prompt: Prompt, exemplar: Exemplar, max_mark: str) -> str:
    return prompt.render(
        "example",
        answer=neutralised(exemplar.text),
        mark=format_mark(exemplar.mark),
        max_mark=max_mark,
        grading=neutralised(exemplar.grading),
    )


def picture_parts(prompt: Prompt, pictures: Sequence[bytes]) -> list[Message]:
    """The pictures as parts of a message in page order. Raises PictureError for one that is neither PNG nor JPEG."""
    parts = []
    for page, picture in enumerate(pictures, 1):
        if len(pictures) > 1:
            parts.append(text_part(prompt.render("page", page=page, pages=len(pictures))))
        parts.append(picture_part(picture, page))
    return parts


def text_part(words: str) -> Message:
    return {"type": "text", "text": words}


def transcribing_messages(prompt: Prompt, question: Question, response: Response) -> list[Message]:
    """System and user message for copying out a response's pictures by a transcribing prompt. Raises PictureError."""
    words = prompt.render(
        "user",
        number=question.number,
        question=question.text,
        response_id=neutralised(response.id),
    )
    content = [text_part(words), *picture_parts(with_pictures(prompt), response.pictures)]
    return [{"role": "system", "content": prompt.render("system")}, {"role": "user", "content": content}]


def check_pictures(pictures: Sequence[bytes]) -> None:
    """Raises PictureError, naming the first that is neither PNG nor JPEG."""
    for place, picture in enumerate(pictures, 1):
        _kind_of_picture(picture, place)


def _kind_of_picture(picture: bytes, place: int) -> str:
    if picture.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if picture.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    raise PictureError(f"Picture {place} of this response is neither PNG nor JPEG, so it cannot be sent to a model.")


def picture_part(picture: bytes, place: int) -> Message:
    kind = _kind_of_picture(picture, place)
    data = base64.b64encode(picture).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:image/{kind};base64,{data}"}}

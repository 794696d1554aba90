"""The messages a model is sent: the prompt's words from assets/prompts, with the answer fenced as data."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from string import Template
from typing import Any

from components.judge.llm.fence import neutralised
from components.marking import Exemplar, Question, Response, Scheme, format_mark

FOLDER = Path(__file__).parents[3] / "assets" / "prompts"
POINTS, LEVELS, WHOLE = "points.v1", "levels.v1", "whole.v1"

Message = dict[str, Any]

_SECTION = re.compile(r"^\[(\w+)\]\n", re.MULTILINE)


class PictureError(ValueError):
    """A picture that cannot be sent. The message is for a teacher."""


@dataclass(frozen=True)
class Prompt:
    """One prompt file: its version (the file's name), the SHA-256 of its bytes, and its sections by name."""

    version: str
    hash: str
    sections: dict[str, str]

    def render(self, section: str, **values: str) -> str:
        """A section with its places filled in; a half character (lone surrogate), which cannot be sent, becomes ?."""
        words = Template(self.sections[section]).substitute(values).strip()
        return words.encode("utf-8", "replace").decode("utf-8")

    def again(self, fault: str) -> str:
        """What a model is told when its reply could not be used."""
        return self.render("again", fault=fault)


@lru_cache(maxsize=16)
def load(version: str) -> Prompt:
    """The prompt of that version. Raises FileNotFoundError when assets/prompts does not have it."""
    words = (FOLDER / f"{version}.txt").read_bytes()
    parts = _SECTION.split(words.decode("utf-8"))
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    return Prompt(version, hashlib.sha256(words).hexdigest(), sections)


def prompts_hash() -> str:
    """One hash over every prompt that may be used: it moves when any of their words does."""
    return hashlib.sha256("".join(load(version).hash for version in (LEVELS, POINTS, WHOLE)).encode()).hexdigest()


def prompt_for(scheme: Scheme) -> Prompt:
    """The prompt for the kind of scheme: levels, points, or one mark for the whole answer."""
    return load(LEVELS if scheme.objectives else POINTS if scheme.points else WHOLE)


def messages(
    prompt: Prompt, question: Question, scheme: Scheme, response: Response, exemplars: Sequence[Exemplar]
) -> list[Message]:
    """System and user message for one response, pictures attached in order.

    Nothing of the candidate but the answer and the pseudonym goes in. Raises PictureError for a picture that is
    neither PNG nor JPEG.
    """
    max_mark = format_mark(question.max_mark)
    examples = "".join(
        "\n"
        + prompt.render(
            "example",
            answer=neutralised(exemplar.text),
            mark=format_mark(exemplar.mark),
            max_mark=max_mark,
            grading=neutralised(exemplar.grading),
        )
        + "\n"
        for exemplar in exemplars
    )
    words = prompt.render(
        "user",
        number=question.number,
        max_mark=max_mark,
        question=question.text,
        stimulus=question.stimulus or "(none)",
        scheme=scheme_words(scheme),
        model_answer="\n\n".join(part for part in (question.model_answer, question.analysis) if part) or "(none)",
        examples=examples,
        response_id=neutralised(response.id),
        answer=neutralised(response.text) or "(on the attached pictures)",
    )
    pictures = [_picture_part(picture, i) for i, picture in enumerate(response.pictures, 1)]
    content = [{"type": "text", "text": words}, *pictures] if pictures else words
    return [{"role": "system", "content": prompt.render("system")}, {"role": "user", "content": content}]


def scheme_words(scheme: Scheme) -> str:
    """A mark scheme as a marker reads it."""
    lines = [scheme.text] if scheme.text else []
    for point in scheme.points:
        lines.append(f"{point.code} [{format_mark(point.marks)}] {point.text}")
        lines += _detail("accept", point.accept) + _detail("reject", point.reject) + _detail("needs", point.needs)
        if point.follow_through:
            lines.append("   ft: credit correct work from the candidate's own earlier value")
        if point.group is not None:
            lines.append(f"   in group {point.group}")
    for group in scheme.groups:
        lines.append(f"Group {group.code}: at most {format_mark(group.cap)} marks. {group.text}".strip())
    for objective in scheme.objectives:
        lines.append(f"{objective.code} {objective.name}".strip())
        for level in sorted(objective.levels, key=lambda band: band.level, reverse=True):
            lines.append(
                f"   Level {level.level} [{format_mark(level.low)} to {format_mark(level.high)}] {level.descriptor}"
            )
        lines.append("   Level 0 [0] Nothing creditable.")
    lines += _key_lines(scheme)
    if not scheme.points and not scheme.objectives:
        lines.append(f"Possible marks: {', '.join(format_mark(mark) for mark in scheme.scale.marks())}.")
    if scheme.note:
        lines.append(f"The teacher's note to the marker: {scheme.note}")
    return "\n".join(lines)


def _key_lines(scheme: Scheme) -> list[str]:
    lines: list[str] = []
    if scheme.choice:
        lines += [f"Option {letter}: {text}" for letter, text in scheme.choice.options.items()]
        lines.append(f"Right: {' or '.join(scheme.choice.correct)}")
        lines += [f"{answer}: {format_mark(mark)} marks" for answer, mark in scheme.choice.partial.items()]
        if scheme.choice.subset_marks is not None:
            lines.append(f"Only part of it, with nothing wrong: {format_mark(scheme.choice.subset_marks)} marks")
    if scheme.numeric:
        key = scheme.numeric
        lines.append(f"Right: {' or '.join(key.correct)}")
        lines += [f"Within ±{key.tolerance:g}"] if key.tolerance else []
        lines += [f"Within ±{key.relative_tolerance:.2%} of it"] if key.relative_tolerance else []
        lines += [f"To {key.significant_figures} significant figures"] if key.significant_figures else []
        lines += ["The unit must be given."] if key.unit_required else []
        lines += [f"{answer}: {format_mark(mark)} marks" for answer, mark in key.partial.items()]
    return lines


def _detail(name: str, items: Sequence[str]) -> list[str]:
    return [f"   {name}: {'; '.join(items)}"] if items else []


def _picture_part(picture: bytes, place: int) -> Message:
    if picture.startswith(b"\x89PNG\r\n\x1a\n"):
        kind = "png"
    elif picture.startswith(b"\xff\xd8\xff"):
        kind = "jpeg"
    else:
        raise PictureError(
            f"Picture {place} of this response is neither PNG nor JPEG, so it cannot be sent to a model."
        )
    data = base64.b64encode(picture).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:image/{kind};base64,{data}"}}
